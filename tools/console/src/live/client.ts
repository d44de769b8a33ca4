// A page's end of the worker. A SharedWorker serves all tabs by one stream; where there is none, a
// worker of its own does.
import type { Batch, ToWorker } from './protocol'

declare const WORKER_FILE: string

interface Policy {
  createScriptURL(url: string): unknown
}

const factory = (globalThis as { trustedTypes?: { createPolicy(name: string, rules: object): Policy } }).trustedTypes
const policy = factory?.createPolicy('diorama', {
  createScriptURL(url: string) {
    if (/^\/console\/[\w.-]+\.js$/.test(url)) return url
    throw new TypeError('no script of the console')
  },
})

export interface Live {
  next(): void // tell me what is new, when there is something
  retry(): void
  end(): void
}

export function watch(scene: string, take: (batch: Batch) => void): Live {
  const path = `/console/${WORKER_FILE}`
  const url = (policy?.createScriptURL(path) ?? path) as string
  const port: MessagePort | Worker =
    typeof SharedWorker === 'undefined'
      ? new Worker(url, { type: 'module' })
      : new SharedWorker(url, { type: 'module', name: 'diorama' }).port
  const say = (words: ToWorker) => port.postMessage(words)
  const leave = () => say({ do: 'leave' })
  port.onmessage = (event: MessageEvent<Batch>) => take(event.data)
  say({ do: 'watch', scene })
  addEventListener('pagehide', leave)
  return {
    next: () => say({ do: 'next' }),
    retry: () => say({ do: 'retry' }),
    end() {
      removeEventListener('pagehide', leave)
      leave()
      port.onmessage = null
      if (port instanceof MessagePort) port.close()
      else port.terminate()
    },
  }
}
