// The worker of all tabs: one stream a scene, whoever watches it. It takes events so that no page has
// to, and tells a page once a frame what is new.
import { Catalogue } from './catalogue'
import type { Watcher } from './feed'
import { IndexSet } from './index_set'
import type { Batch, Listed, Told, Topic, ToWorker } from './protocol'
import { ServerStream } from './server_stream'
import { SceneStream } from './stream'

const LINGER_MS = 5000 // a stream stays as long after its last page, so that a reload finds it

const streams = new Map<string, SceneStream>()

interface Port {
  postMessage(message: Batch | Listed | Told, transfer: Transferable[]): void
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

// A stream that all pages share which want it, and that stays a while after the last of them.
class Shared<T, S extends { listeners: Set<(told: T) => void>; end(): void }> {
  private stream: S | null = null

  constructor(private readonly make: () => S) {}

  // Whether it was there already.
  join(): [stream: S, isOld: boolean] {
    const old = this.stream
    return [(this.stream ??= this.make()), old !== null]
  }

  leave(listener: (told: T) => void) {
    const left = this.stream
    if (!left?.listeners.delete(listener)) return
    setTimeout(() => {
      if (left.listeners.size || this.stream !== left) return
      left.end()
      this.stream = null
    }, LINGER_MS)
  }
}

const catalogue = new Shared<Listed, Catalogue>(() => new Catalogue())
const server = new Shared<Told, ServerStream>(() => new ServerStream())

// Who comes to a stream that is there already has a list to ask for too.
function list(topic: Topic, listener: (listed: Listed) => void) {
  const [stream, isOld] = catalogue.join()
  if (isOld) listener({ topic, reset: true, changes: [] })
  stream.retry()
  stream.listeners.add(listener)
}

function serve(port: Port) {
  const listener = (told: Told) => port.postMessage(told, [])
  let topic: Topic = 'scenes'
  const lister = (told: Listed) => told.topic === topic && port.postMessage(told, [])
  let scene = ''
  const watcher: Watcher = {
    send: (batch, transfer) => port.postMessage(batch, transfer),
    wants: true,
    fresh: true,
    entries: new Set(),
    gone: new Set(),
    moved: new IndexSet(),
    told: new IndexSet(),
    happened: [],
    asked: [],
    state: true,
  }
  port.onmessage = ({ data }) => {
    const stream = streams.get(scene)
    if (data.do === 'list') list((topic = data.topic), lister)
    else if (data.do === 'server') server.join()[0].add(listener)
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
    else {
      catalogue.leave(lister)
      server.leave(listener)
    }
  }
}

const scope = self as unknown as { onconnect?: unknown }
if ('onconnect' in scope) scope.onconnect = (event: MessageEvent) => serve(event.ports[0] as unknown as Port)
else serve(self as unknown as Port)
