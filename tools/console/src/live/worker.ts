// The worker of all tabs: one stream a scene, whoever watches it. It takes events so that no page has
// to, and tells a page once a frame what is new.
import type { Batch, ToWorker } from './protocol'
import type { Watcher } from './feed'
import { SceneStream } from './stream'

const LINGER_MS = 5000 // a stream stays as long after its last page, so that a reload finds it

const streams = new Map<string, SceneStream>()

interface Port {
  postMessage(message: Batch, transfer: Transferable[]): void
  onmessage: ((event: MessageEvent<ToWorker>) => void) | null
}

function leave(scene: string, watcher: Watcher) {
  const stream = streams.get(scene)
  stream?.store.watchers.delete(watcher)
  setTimeout(() => {
    if (!stream || stream.store.watchers.size || streams.get(scene) !== stream) return
    stream.end()
    streams.delete(scene)
  }, LINGER_MS)
}

function serve(port: Port) {
  let scene = ''
  const watcher: Watcher = {
    send: (batch, transfer) => port.postMessage(batch, transfer),
    wants: true,
    fresh: true,
    entries: new Set(),
    gone: new Set(),
    moved: new Set(),
    happened: [],
    state: true,
  }
  port.onmessage = ({ data }) => {
    const stream = streams.get(scene)
    if (data.do === 'watch') {
      scene = data.scene
      if (!streams.has(scene)) streams.set(scene, new SceneStream(scene))
      const { store } = streams.get(scene)!
      if (store.state.word !== 'live') streams.get(scene)!.retry()
      store.watchers.add(watcher)
      store.pump()
    } else if (data.do === 'next') {
      watcher.wants = true
      stream?.store.pump()
    } else if (data.do === 'retry') stream?.retry()
    else leave(scene, watcher)
  }
}

const scope = self as unknown as { onconnect?: unknown }
if ('onconnect' in scope) scope.onconnect = (event: MessageEvent) => serve(event.ports[0] as unknown as Port)
else serve(self as unknown as Port)
