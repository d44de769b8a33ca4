import type { Clock } from './clock.js'
import { Clock as NewClock } from './clock.js'
import { Entity, type Change, type Shown, type Written } from './entity.js'
import { DioramaError, NotFound } from './errors.js'
import { drawKey, pathOf, type CallOptions, type Http, type Warning } from './http.js'
import type { Members, Noun } from './packets.js'
import { merged, PLURAL, Store, whole } from './store.js'
import { StreamFeed } from './stream.js'

export type State = 'live' | 'catching up' | 'reconnecting' | 'signed out' | 'gone' | 'closed'
export type Form = 'sse' | 'delta' | 'packed' | 'plain'

/** Where the events of a scene come from. */
export interface Feed {
  open(): Promise<void>
  close(): Promise<void>
  send(message: Members): void
}

export interface JoinOptions {
  /** Key of this device; drawn if absent. */
  device?: string
  /** delta (usual), sse: streams. packed, plain: UDP, with `feed: udp` of 'diorama-client/udp' (node). */
  form?: Form
  rate?: number
  convention?: string
  /** false: the scene must be there. */
  create?: boolean
  feed?: (scene: Scene, form: Form) => Feed
}

interface Handlers {
  change: (change: Change) => void
  object: (object: Entity, change: Change) => void
  property: (property: Entity, change: Change) => void
  state: (state: State) => void
  /** Of locks, devices, alignment and the scene itself. */
  event: (event: Members) => void
  /** Of create() and save(): what was taken although it is probably not meant. console.warn if nobody listens. */
  warning: (warning: Warning) => void
}

interface Page {
  epoch?: number // not in the answer to a repeat
  seq?: number
  objects?: Members[]
  properties?: Members[]
  next_start_record?: number
}

const MERGED_BEYOND = 1024

/** A joined scene. `on` calls at once; `for await (const change of scene)` waits, and gets changes merged if it is slow. */
export class Scene {
  readonly device: string
  readonly form: Form
  readonly rate: number
  readonly convention: string | undefined
  readonly clock: Clock = new NewClock()
  readonly store = new Store(this)
  state: State = 'catching up'
  gaps = 0
  reads = 0
  #feed: Feed | undefined
  #failure: DioramaError | undefined
  #handlers: { [K in keyof Handlers]: Set<Handlers[K]> } = {
    change: new Set(), object: new Set(), property: new Set(), state: new Set(), event: new Set(), warning: new Set(),
  }
  #changes: Change[] = []
  #wake: (() => void) | undefined

  constructor(readonly http: Http, readonly key: string, private readonly options: JoinOptions) {
    this.device = options.device ?? `ts-${drawKey().slice(0, 12)}`
    this.form = options.form ?? 'delta'
    this.rate = options.rate ?? 30
    this.convention = options.convention
  }

  // --- joining ---

  async open(): Promise<void> {
    try {
      await this.http.call('GET', this.path())
    } catch (failure) {
      if (!(failure instanceof NotFound) || this.options.create === false) throw failure
      await this.http.call('PUT', this.path(), { scenes: [{ name: this.key }] })
    }
    const isStream = this.form === 'sse' || this.form === 'delta'
    if (isStream) await this.register()
    else if (!this.options.feed) throw new DioramaError(`the form ${this.form} needs { feed: udp } of 'diorama-client/udp'`)
    this.#feed = isStream ? new StreamFeed(this, this.form === 'delta') : this.options.feed!(this, this.form)
    await this.#feed.open()
  }

  /** Registers the device anew; the answer. */
  register(connectionString?: string): Promise<Members> {
    const device = {
      key: this.device, ...(connectionString ? { connection_string: connectionString } : {}),
      ...(this.convention ? { convention: this.convention } : {}),
    }
    return this.http.call('POST', this.path('register'), { scenes: [{ key: this.key, devices: [device] }] })
  }

  /** Leaves the scene. */
  async close(): Promise<void> {
    const feed = this.#feed
    this.#feed = undefined
    if (feed) {
      await feed.close()
      await this.http.call('POST', this.path('deregister'), { scenes: [{ key: this.key, devices: [{ key: this.device }] }] })
        .catch(() => undefined) // nobody is there to be told, or it is gone
    }
    this.become('closed')
  }

  // --- what is known ---

  path(...parts: string[]): string {
    return pathOf('scene', this.key, ...parts)
  }

  get entities(): Entity[] {
    return [...this.store.entities.values()].filter(entity => entity.exists)
  }

  get objects(): Entity[] {
    return this.entities.filter(entity => entity.noun === 'object')
  }

  get properties(): Entity[] {
    return this.entities.filter(entity => entity.noun === 'property')
  }

  get(key: string): Entity | undefined {
    const entity = this.store.entities.get(key)
    return entity?.exists ? entity : undefined
  }

  /** The first entity that shows these members. */
  find(members: Shown): Entity | undefined {
    return this.entities.find(entity => Object.entries(members).every(([name, value]) => entity.get(name as keyof Shown) === value))
  }

  // --- changes ---

  /** Calls `handler` from now on; what comes back ends that. */
  on<K extends keyof Handlers>(what: K, handler: Handlers[K]): () => void {
    this.#handlers[what].add(handler)
    return () => { this.#handlers[what].delete(handler) }
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Change> {
    for (;;) {
      const change = this.#changes.shift()
      if (change) {
        yield change
        continue
      }
      if (this.#failure) throw this.#failure
      if (this.state === 'closed') return
      await new Promise<void>(done => { this.#wake = done })
    }
  }

  /** Changes for the application. */
  tell(changes: Change[]): void {
    this.#changes.push(...changes)
    if (this.#changes.length > MERGED_BEYOND) this.#changes = merged(this.#changes)
    for (const change of changes) {
      for (const handler of this.#handlers.change) handler(change)
      for (const handler of this.#handlers[change.object.noun]) handler(change.object, change)
    }
    if (changes.length) this.#wake?.()
  }

  passOn(event: Members): void {
    for (const handler of this.#handlers.event) handler(event)
  }

  become(state: State, failure?: DioramaError): void {
    this.#failure = failure ?? this.#failure
    if (state === this.state || this.state === 'closed') return
    this.state = state
    for (const handler of this.#handlers.state) handler(state)
    this.#wake?.()
  }

  // --- writing ---

  get #asking(): { device: string, convention: string | undefined } {
    return { device: this.device, convention: this.convention }
  }

  get #writing(): CallOptions {
    return { query: this.#asking, repeat: 'keyed', warned: warning => this.#warn(warning) }
  }

  #warn(warning: Warning): void {
    if (!this.#handlers.warning.size) this.http.warned(warning)
    for (const handler of this.#handlers.warning) handler(warning)
  }

  #fence(entity: Entity): Record<string, string> {
    return entity.fence === undefined ? {} : { 'X-Fence': String(entity.fence) }
  }

  /** Makes an object, or a property; on disk when it returns. */
  async create(members: Written, noun: Noun = 'object'): Promise<Entity> {
    const answer = await this.http.call<Page>('POST', this.path(noun), { [PLURAL[noun]]: [members] }, this.#writing)
    const record = answer[PLURAL[noun]]?.[0] as Members
    const entity = this.store.entity(noun, String(record['key']))
    // Its event may have come before the answer, and says more.
    if (!entity.exists) entity.begin(whole(noun, { ...members, scene: this.key, lock: null, ...record }), this.#numberOf(answer))
    return entity
  }

  /** Up to which event an answer says how things are; undefined: it does not say so, or counts as another start of the server. */
  #numberOf(answer: Page): number | undefined {
    return answer.epoch === this.store.epoch ? answer.seq : undefined
  }

  /** Writes members of an entity; what it is after the events up to `seq`, but for its lock, which writing does not change. */
  async save(entity: Entity, members: object): Promise<{ record: Members, seq: number | undefined }> {
    const answer = await this.http.call<Page>('POST', this.path(entity.noun, entity.key), { [PLURAL[entity.noun]]: [members] },
      { ...this.#writing, headers: this.#fence(entity) })
    const { lock: _, ...record } = whole(entity.noun, answer[PLURAL[entity.noun]]?.[0] as Members)
    return { record, seq: this.#numberOf(answer) }
  }

  async delete(entity: Entity): Promise<void> {
    await this.http.call('DELETE', this.path(entity.noun, entity.key), undefined, { query: this.#asking, headers: this.#fence(entity) })
  }

  sendUpdate(entity: Entity, members: Members): void {
    if (!this.#feed) throw new DioramaError('the scene is closed')
    const isProperty = entity.noun === 'property'
    this.#feed.send({
      msg_type: isProperty ? 9 : 1, key: entity.key, ...(isProperty ? { scene: this.key } : {}),
      ...(entity.fence === undefined ? {} : { fence: entity.fence }), ...members,
    })
  }

  // --- reading it whole ---

  async #records(noun: Noun): Promise<{ epoch: number, seq: number, records: Members[] }> {
    const records: Members[] = []
    let place: Page | undefined
    for (let start: number | undefined = 0; start !== undefined;) {
      const page: Page = await this.http.call<Page>('POST', this.path(noun, 'query'), {},
        { query: { num_records: 1000, start_record: start || undefined, convention: this.convention } })
      place ??= page
      records.push(...(page[PLURAL[noun]] ?? []))
      start = page.next_start_record
    }
    return { epoch: place!.epoch!, seq: place!.seq!, records }
  }

  /** Epoch, and the records of both nouns with their seq. */
  async read(): Promise<{ epoch: number, states: Array<{ noun: Noun, seq: number, records: Members[] }> }> {
    for (;;) {
      const objects = await this.#records('object'), properties = await this.#records('property')
      if (objects.epoch !== properties.epoch) continue
      this.reads++
      return { epoch: objects.epoch, states: [{ noun: 'object', ...objects }, { noun: 'property', ...properties }] }
    }
  }
}
