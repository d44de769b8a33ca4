import { ConnectionFailed, DioramaError, Forbidden, NotFound, SignedOut } from './errors.js'
import { rest } from './http.js'
import { EventReader, type Members, type Noun, type StreamEvent } from './packets.js'
import type { Feed, Scene } from './scene.js'
import { PLURAL } from './store.js'
import { compose } from './transforms.js'

const FIRST_BACKOFF_MS = 500, LAST_BACKOFF_MS = 15000, STEADY_MS = 10000, SILENCE_MS = 40000, PURGE_MS = 10000
const NOUNS: Noun[] = ['object', 'property']
const NOT_MEMBERS = new Set(['i', 'kind', 'reason'])

type Pose = [number, number, number, number, number, number, number, number, number?, number?, number?]

/** A stream of server-sent events: whole records, or the delta form. */
export class StreamFeed implements Feed {
  #epoch: number | undefined
  #seq = 0
  #lastId = ''
  #things = new Map<number, { noun: Noun, key: string }>() // of a delta stream, by index
  #abort = new AbortController()
  #isClosed = false
  #isThere = false
  #purgeAt = 0

  constructor(private readonly scene: Scene, private readonly isDelta: boolean) {}

  /** Returns when the state is there. */
  open(): Promise<void> {
    return new Promise((done, fail) => { void this.#run(done, fail) })
  }

  close(): Promise<void> {
    this.#isClosed = true
    this.#abort.abort()
    return Promise.resolve()
  }

  send(): void {
    throw new DioramaError('the forms sse and delta send nothing by UDP: use save()')
  }

  async #run(done: () => void, fail: (failure: unknown) => void): Promise<void> {
    for (let failures = 0; !this.#isClosed;) {
      const began = performance.now()
      try {
        await this.#follow(done)
      } catch (failure) {
        if (this.#isClosed) return
        const end = failure instanceof SignedOut || failure instanceof Forbidden ? 'signed out' : failure instanceof NotFound ? 'gone' : undefined
        if (end || (!this.#isThere && ((failure instanceof DioramaError && !(failure instanceof ConnectionFailed)) || failures >= 3))) {
          const told = failure instanceof DioramaError ? failure : new ConnectionFailed(`the stream: ${String(failure)}`, { cause: failure })
          this.scene.become(end ?? 'closed', told)
          fail(told)
          return
        }
      }
      failures = performance.now() - began > STEADY_MS ? 1 : failures + 1
      this.scene.become('reconnecting')
      await rest(Math.min(FIRST_BACKOFF_MS * 2 ** (failures - 1), LAST_BACKOFF_MS) * (0.5 + Math.random() / 2))
    }
  }

  /** One connection, to its end. */
  async #follow(done: () => void): Promise<void> {
    const { http, convention, rate } = this.scene
    const form = this.isDelta ? { form: 'delta', rate, parts: 'objects,properties' } : {}
    const resume: Record<string, string> = this.#lastId && !this.isDelta ? { 'Last-Event-ID': this.#lastId } : {}
    this.#abort = new AbortController()
    let silence = setTimeout(() => this.#abort.abort(), SILENCE_MS)
    try {
      const answer = await http.request('GET', this.scene.path('events'), {
        query: { convention, ...form }, headers: { Accept: 'text/event-stream', ...resume }, signal: this.#abort.signal, cache: 'no-store',
      })
      const events = new EventReader(), reader = answer.body!.getReader()
      for (;;) {
        const { value, done: isOver } = await reader.read()
        if (isOver || this.#isClosed) return
        clearTimeout(silence)
        silence = setTimeout(() => this.#abort.abort(), SILENCE_MS)
        for (const event of events.feed(value)) this.#take(event)
        if (this.#isThere) done()
        this.#purge()
      }
    } finally {
      clearTimeout(silence)
      this.#abort.abort()
    }
  }

  #purge(): void {
    if (performance.now() < this.#purgeAt) return
    this.#purgeAt = performance.now() + PURGE_MS
    this.scene.store.purge(performance.now())
  }

  #take({ event, id, data }: StreamEvent): void {
    this.#lastId = id ?? this.#lastId
    if (event === 'snapshot') this.#takeSnapshot(data)
    else if (event === 'changes') this.#takeTick(data)
    else if (event === 'change') this.#takeChange(data)
    else this.scene.passOn({ event, ...data })
    this.#isThere = true
    this.scene.become('live')
  }

  #takeSnapshot(data: Members): void {
    const { store, clock } = this.scene
    if (data['epoch'] !== this.#epoch) {
      store.forgetNumbers()
      this.#seq = 0
    }
    this.#epoch = data['epoch'] as number
    this.#things.clear()
    if (typeof data['server_us'] === 'number') clock.add(data['server_us'])
    for (const noun of NOUNS) {
      const records = (data[PLURAL[noun]] ?? []) as Members[]
      this.scene.tell(store.takeState(noun, records, this.#seq, data['seq'] as number))
      for (const record of records) this.#know(noun, record)
    }
    this.#seq = data['seq'] as number
    this.scene.reads++
  }

  #know(noun: Noun, record: Members): void {
    if (typeof record['i'] === 'number') this.#things.set(record['i'], { noun, key: String(record['key']) })
  }

  #takeChange(data: Members): void {
    const { store } = this.scene, type = data['msg_type'] as number
    const prev = this.#seq, seq = this.#seq = data['seq'] as number
    let noun = NOUNS.find(name => name in data)
    const record = (noun ? data[noun] : data['lock']) as Members | undefined
    if (!noun) this.scene.passOn(data)
    if (!record) return
    noun ??= 'object'
    this.scene.tell(type === 3 || type === 11
      ? store.take(type, String(record['key']), {}, prev, seq) : store.takeRecord(noun, record, prev, seq))
  }

  // --- the delta form: one tick, in the order that it prescribes (gateway/events/README.md) ---

  #takeTick(data: Members): void {
    const { store, clock } = this.scene
    const prev = data['prev'] as number, seq = data['seq'] as number
    const list = <T>(name: string) => (data[name] ?? []) as T[]
    clock.add(data['time_us'] as number)
    for (const record of list<Members>('n')) {
      const noun = NOUNS.find(name => name === record['kind'])
      if (!noun) continue
      this.#know(noun, record)
      this.scene.tell(store.takeRecord(noun, record, prev, seq))
    }
    for (const pose of list<Pose>('p')) this.#put(pose[0], { transform: matrixOf(pose) }, prev, seq)
    for (const record of list<Members>('r')) {
      this.#put(record['i'] as number, Object.fromEntries(Object.entries(record).filter(([name]) => !NOT_MEMBERS.has(name))), prev, seq)
    }
    for (const index of list<number>('x')) {
      const thing = this.#things.get(index)
      this.#things.delete(index)
      if (thing) this.scene.tell(store.take(thing.noun === 'property' ? 11 : 3, thing.key, {}, prev, seq))
    }
    for (const event of list<Members>('e')) this.scene.passOn(event)
    this.#seq = seq
  }

  #put(index: number, members: Members, prev: number, seq: number): void {
    const thing = this.#things.get(index)
    if (thing) this.scene.tell(this.scene.store.take(thing.noun === 'property' ? 9 : 1, thing.key, members, prev, seq))
  }
}

/** [i,x,y,z,qw,qx,qy,qz] and the scale, if it is not 1. */
export function matrixOf([, x, y, z, qw, qx, qy, qz, sx = 1, sy = 1, sz = 1]: Pose): number[] {
  return compose({ translation: [x, y, z], quaternion: [qw, qx, qy, qz], scale: [sx, sy, sz] })
}
