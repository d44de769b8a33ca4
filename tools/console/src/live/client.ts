// A page's end of the worker. A SharedWorker serves all tabs by one stream; where there is none, a
// worker of its own does.
import type { Batch, Listed, Told, Topic, ToWorker } from './protocol'

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

function connect(): MessagePort | Worker {
  const path = `/console/${WORKER_FILE}`
  const url = (policy?.createScriptURL(path) ?? path) as string
  return typeof SharedWorker === 'undefined'
    ? new Worker(url, { type: 'module' })
    : new SharedWorker(url, { type: 'module', name: 'diorama' }).port
}

// Begins with these words; returns what says more, and what leaves.
function begin<T>(words: ToWorker, take: (message: T) => void) {
  const port = connect()
  const say = (more: ToWorker) => port.postMessage(more)
  const leave = () => say({ do: 'leave' })
  port.onmessage = (event: MessageEvent<T>) => take(event.data)
  say(words)
  addEventListener('pagehide', leave)
  const end = () => {
    removeEventListener('pagehide', leave)
    leave()
    port.onmessage = null
    if (port instanceof MessagePort) port.close()
    else port.terminate()
  }
  return { say, end }
}

export function watch(scene: string, take: (batch: Batch) => void): Live {
  const { say, end } = begin({ do: 'watch', scene }, take)
  return { next: () => say({ do: 'next' }), retry: () => say({ do: 'retry' }), end }
}

// Tells what happens to scenes, or to assets, until what it returns is called.
export function watchTopic(topic: Topic, take: (listed: Listed) => void): () => void {
  return begin({ do: 'list', topic }, take).end
}

// Tells what the server does and holds, each second, until what it returns is called.
export function watchServer(take: (told: Told) => void): () => void {
  return begin({ do: 'server' }, take).end
}
