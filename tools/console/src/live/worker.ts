// The worker of all tabs: one stream a scene, whoever watches it. It takes events so that no page has
// to, and tells a page once a frame what is new.
import { Catalogue } from './catalogue'
import type { Batch, Listed, ToWorker } from './protocol'
import type { Watcher } from './feed'
import { SceneStream } from './stream'

const LINGER_MS = 5000 // a stream stays as long after its last page, so that a reload finds it

const streams = new Map<string, SceneStream>()

interface Port {
  postMessage(message: Batch | Listed, transfer: Transferable[]): void
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

let catalogue: Catalogue | null = null

function leaveCatalogue(listener: (listed: Listed) => void) {
  const left = catalogue
  left?.listeners.delete(listener)
  setTimeout(() => {
    if (!left || left.listeners.size || catalogue !== left) return
    left.end()
    catalogue = null
  }, LINGER_MS)
}

// Who comes to a stream that is there already has a list to ask for too.
function list(listener: (listed: Listed) => void) {
  if (catalogue) listener({ reset: true, changes: [] })
  catalogue ??= new Catalogue()
  catalogue.retry()
  catalogue.listeners.add(listener)
}

function serve(port: Port) {
  const listener = (listed: Listed) => port.postMessage(listed, [])
  let scene = ''
  const watcher: Watcher = {
    send: (batch, transfer) => port.postMessage(batch, transfer),
    wants: true,
    fresh: true,
    entries: new Set(),
    gone: new Set(),
    moved: new Set(),
    happened: [],
    asked: [],
    state: true,
  }
  port.onmessage = ({ data }) => {
    const stream = streams.get(scene)
    if (data.do === 'list') list(listener)
    else if (data.do === 'watch') {
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
    else if (scene) leave(scene, watcher)
    else leaveCatalogue(listener)
  }
}

const scope = self as unknown as { onconnect?: unknown }
if ('onconnect' in scope) scope.onconnect = (event: MessageEvent) => serve(event.ports[0] as unknown as Port)
else serve(self as unknown as Port)
