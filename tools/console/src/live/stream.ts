// Follows one scene by one stream, however often it breaks off, and says what holds. Runs in the
// worker.
import type { Device, Thing } from '../api/types'
import { SceneStore } from './feed'
import type { PropertyRecord, Word } from './protocol'
import { type Sse, SseReader } from './sse'

const RATE = 30
const SILENCE_MS = 40000 // more than two heartbeats of the server
const WAIT_FIRST_MS = 500
const WAIT_AWAY_MS = 2000 // nobody listens: asking costs nothing
const WAIT_MOST_MS = 15000

const names: Record<number, string> = {
  0: 'created', 1: 'changed', 3: 'deleted', 8: 'created', 9: 'changed', 11: 'deleted',
  40: 'scene made', 41: 'scene changed', 42: 'scene deleted', 43: 'joined', 44: 'left',
  45: 'alignment', 46: 'locked', 47: 'unlocked',
}

interface Change {
  msg_type: number
  seq: number
  prev?: number
  object?: Thing
  lock?: Thing
  property?: PropertyRecord
  device?: Device
}

export class SceneStream {
  readonly store = new SceneStore()
  private stop = new AbortController()
  private lastId = ''
  private failures = 0
  private wake = () => {}
  private ended = false

  constructor(private readonly scene: string) {
    void this.run()
  }

  end() {
    this.ended = true
    this.stop.abort()
    this.wake()
  }

  // At once, if it waits.
  retry() {
    this.wake()
  }

  private get path() {
    return `/v1/scene/${encodeURIComponent(this.scene)}`
  }

  private async run() {
    while (!this.ended) {
      let word: Word | 'away' = 'away'
      let detail = ''
      let after = 0
      try {
        this.stop = new AbortController()
        const answer = await fetch(`${this.path}/events?rate=${RATE}`, {
          headers: { Accept: 'text/event-stream', ...(this.lastId ? { 'Last-Event-ID': this.lastId } : {}) },
          signal: this.stop.signal,
          cache: 'no-store',
        })
        if (answer.ok) {
          await this.read(answer.body!)
          this.failures = 0
        } else {
          after = Number(answer.headers.get('Retry-After') ?? 0)
          detail = await answer.json().then(body => body.detail as string, () => answer.statusText)
          word = answer.status === 401 ? 'signed out' : answer.status === 404 ? 'gone' : answer.status === 403 ? 'refused' : 'reconnecting'
        }
      } catch {
        // broken off, or nobody is there
      }
      if (!this.ended) await this.wait(word, detail, after)
    }
  }

  // Before the next try. Nothing is tried again by itself where it cannot help.
  private async wait(word: Word | 'away', detail: string, after: number) {
    const most = word === 'away' ? WAIT_AWAY_MS : WAIT_MOST_MS
    const ms = Math.max(after * 1000, Math.min(most, WAIT_FIRST_MS * 2 ** this.failures++) * (0.75 + Math.random() / 2))
    const isFinal = word === 'signed out' || word === 'gone' || word === 'refused'
    this.store.tell({ word: isFinal ? word : 'reconnecting', detail, until: isFinal ? undefined : Date.now() + ms })
    await new Promise<void>(resolve => {
      this.wake = resolve
      if (!isFinal) setTimeout(resolve, ms)
    })
  }

  private async read(body: ReadableStream<Uint8Array>) {
    const reader = body.getReader()
    const events = new SseReader(event => this.take(event))
    const decoder = new TextDecoder()
    for (;;) {
      const timer = setTimeout(() => this.stop.abort(), SILENCE_MS)
      const { done, value } = await reader.read()
      clearTimeout(timer)
      if (done) return
      events.feed(decoder.decode(value, { stream: true }))
      this.store.pump()
    }
  }

  private take(event: Sse) {
    if (event.event === '') {
      if (event.data === 'resumed') this.store.tell({ word: 'live' })
      else if (event.data === 'behind') this.store.tell({ word: 'behind' })
      return
    }
    if (event.id) this.lastId = event.id
    if (event.event === 'snapshot') this.begin(JSON.parse(event.data))
    else if (event.event === 'change') this.change(JSON.parse(event.data))
  }

  private begin(snapshot: { seq: number; objects: Thing[]; properties: PropertyRecord[] }) {
    this.store.replace(snapshot.objects, snapshot.properties)
    this.store.tell({ word: 'live', seq: snapshot.seq })
    void this.askDevices()
  }

  // The snapshot of the stream has no devices.
  private async askDevices() {
    try {
      const answer = await fetch(this.path, { signal: this.stop.signal })
      if (!answer.ok) return
      const body = (await answer.json()) as { scenes: { devices?: Device[] }[] }
      this.store.replaceDevices(body.scenes[0]?.devices ?? [])
      this.store.pump()
    } catch {
      // the stream has broken off too, and is begun again
    }
  }

  private change(change: Change) {
    const { state } = this.store
    if (change.prev !== undefined && change.prev !== state.seq) state.gaps++
    state.seq = change.seq
    state.changes++
    const key = (change.object ?? change.lock ?? change.property ?? change.device)?.key ?? ''
    this.store.note({ seq: change.seq, at: Date.now(), what: names[change.msg_type] ?? 'changed', key })
    if (change.msg_type === 3) this.store.remove('object', key)
    else if (change.msg_type === 11) this.store.remove('property', key)
    else if (change.msg_type === 44) this.store.remove('device', key)
    else if (change.msg_type === 42) this.store.tell({ word: 'gone', detail: 'It was deleted.' })
    else if (change.msg_type === 45) void this.askDevices()
    else if (change.object ?? change.lock) this.store.put('object', key, (change.object ?? change.lock)!)
    else if (change.property) this.store.put('property', key, change.property)
    else if (change.device) this.store.put('device', key, change.device)
  }
}
