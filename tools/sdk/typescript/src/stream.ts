import { DeltaReader, matrixOf, type Kind, type Known, type Tick } from './delta.js'
import { ConnectionFailed, DioramaError, NotFound } from './errors.js'
import { Follower } from './follow.js'
import type { Members, Noun, StreamComment, StreamEvent } from './packets.js'
import type { Feed, Scene } from './scene.js'

const TRIES_TO_JOIN = 4, PURGE_MS = 10000
const NOUNS: Noun[] = ['object', 'property']

const isNoun = (kind: Kind): kind is Noun => NOUNS.includes(kind as Noun) // what is not known is no error

/** A stream of server-sent events: whole records, or the delta form. */
export class StreamFeed implements Feed {
  #seq = 0
  #isThere = false
  #purgeAt = 0
  readonly #follower: Follower
  readonly #delta = new DeltaReader({
    created: ({ kind }, record, { prev, seq }) => {
      if (isNoun(kind)) this.scene.tell(this.scene.store.takeRecord(kind, record, prev, seq))
    },
    moved: (thing, pose, tick) => this.#put(thing, { transform: matrixOf(pose) }, tick),
    changed: (thing, members, tick) => this.#put(thing, members, tick),
    deleted: ({ kind, key }, { prev, seq }) => {
      if (isNoun(kind)) this.scene.tell(this.scene.store.take(kind === 'property' ? 11 : 3, key, {}, prev, seq))
    },
    event: event => this.scene.passOn(event),
  })
  #joined = (): void => {}
  #refused = (_failure: DioramaError): void => {}
  #tries = 0

  constructor(private readonly scene: Scene, isDelta: boolean) {
    const { convention, rate } = scene
    this.#follower = new Follower(scene.http, {
      path: scene.path('events'),
      query: { convention, ...(isDelta ? { form: 'delta', rate, parts: 'objects,properties' } : {}) },
      take: part => this.#take(part),
      taken: () => this.#taken(),
      broken: (failure, wait) => this.#broken(failure, wait),
    })
  }

  /** Returns when the state is there. */
  open(): Promise<void> {
    return new Promise((done, fail) => {
      this.#joined = done
      this.#refused = fail
      this.#follower.begin()
    })
  }

  close(): Promise<void> {
    this.#follower.end()
    return Promise.resolve()
  }

  send(): void {
    throw new DioramaError('the forms sse and delta send nothing by UDP: use save()')
  }

  // Before the state is there, a refusal is final, and so is the fourth time that nobody answers.
  #broken(failure: DioramaError | undefined, wait: number | undefined): void {
    const isTriedAgain = this.#isThere || ((!failure || failure instanceof ConnectionFailed) && ++this.#tries < TRIES_TO_JOIN)
    if (wait !== undefined && isTriedAgain) {
      this.scene.become('reconnecting')
      return
    }
    const told = failure ?? new ConnectionFailed('the stream ended before it began')
    this.#follower.end()
    this.scene.become(wait !== undefined ? 'closed' : told instanceof NotFound ? 'gone' : 'signed out', told)
    this.#refused(told)
  }

  #taken(): void {
    if (this.#isThere) this.#joined()
    if (performance.now() < this.#purgeAt) return
    this.#purgeAt = performance.now() + PURGE_MS
    this.scene.store.purge(performance.now())
  }

  #take(part: StreamEvent | StreamComment): void {
    if (!('event' in part)) return
    const { event, data } = part
    if (event === 'snapshot') this.#takeSnapshot(data)
    else if (event === 'changes') this.#takeTick(data as Members & Tick)
    else if (event === 'change') this.#takeChange(data)
    else this.scene.passOn({ event, ...data })
    this.#isThere = true
    this.scene.become('live')
  }

  #takeSnapshot(data: Members): void {
    const { store, clock } = this.scene
    if (data['epoch'] !== store.epoch) this.#seq = 0
    store.begin(data['epoch'] as number)
    if (typeof data['server_us'] === 'number') clock.add(data['server_us'])
    const records = this.#delta.begin(data)
    for (const noun of NOUNS) this.scene.tell(store.takeState(noun, records[noun], this.#seq, data['seq'] as number))
    this.#seq = data['seq'] as number
    this.scene.reads++
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

  #takeTick(tick: Tick): void {
    this.scene.clock.add(tick.time_us)
    this.#delta.take(tick)
    this.#seq = tick.seq
  }

  #put({ kind, key }: Known, members: Members, { prev, seq }: Tick): void {
    if (isNoun(kind)) this.scene.tell(this.scene.store.take(kind === 'property' ? 9 : 1, key, members, prev, seq))
  }
}
