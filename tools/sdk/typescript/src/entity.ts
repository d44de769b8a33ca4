import type { Lock } from './lock.js'
import { takeLock } from './lock.js'
import type { Members, Noun } from './packets.js'
import type { Scene } from './scene.js'
import { between, columns, IDENTITY, type Matrix } from './transforms.js'
import type { ObjectRequest, Property, Object as ObjectRecord, PropertyRequest } from './generated.js'

/** What the application may write of an object or property. */
export type Written = Partial<ObjectRequest> & Partial<PropertyRequest>
/** What it reads of them. */
export type Shown = Partial<ObjectRecord> & Partial<Omit<Property, keyof ObjectRecord>>

/** What happened to an entity: `members` are those that are another now than before. */
export interface Change {
  kind: 'created' | 'updated' | 'deleted'
  object: Entity
  members: ReadonlySet<string>
  prev: number
  seq: number
}

const GIVEN_UP_MS = 2000, SETTLED_MS = 250, SHORTEST_MS = 10, LONGEST_MS = 500, STILL_AFTER = 3
const PARTS = ['translation', 'euler_rotation', 'euler_order', 'quaternion_rotation', 'scale', 'geopose']

export const isAbsent = (value: unknown): boolean =>
  value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0)

/** Whether two values of JSON are equal. */
export function isSame(a: unknown, b: unknown): boolean {
  if (Object.is(a, b) || a === b) return true
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null || Array.isArray(a) !== Array.isArray(b)) return false
  const names = Object.keys(a)
  return names.length === Object.keys(b).length &&
    names.every(name => name in b && isSame((a as Members)[name], (b as Members)[name]))
}

interface Local {
  value: unknown
  since: number
  isSent: boolean // by UDP, or saved by an answer without a number; else it waits for save()
}

const NEAR = 1e-4 // the delta form rounds positions to 0.1 mm

/** Whether the server says what is shown, but for digits of a transform. */
const isConfirmed = (name: string, shown: unknown, said: unknown): boolean =>
  name === 'transform' && Array.isArray(shown) && Array.isArray(said)
    ? shown.length === said.length && shown.every((value, i) => Math.abs(value - said[i]) <= NEAR * Math.max(1, Math.abs(value)))
    : isSame(shown, said)

/** An object or a property. The same key is always the same entity, while the scene is joined. */
export class Entity {
  exists = false
  isTold = false // that it exists, by a change
  fence: number | undefined
  buried = performance.now()
  #said = new Map<string, { seq: number, value: unknown }>()
  #gone = -1
  #local = new Map<string, Local>()
  #last: Members = {} // what showed when it was deleted
  #poses: Array<{ at: number, matrix: Matrix }> = []

  constructor(readonly scene: Scene, readonly noun: Noun, readonly key: string) {}

  // --- what shows ---

  /** A member as it shows now; undefined if it is not there. What was deleted shows what it showed last. */
  get<K extends keyof Shown>(name: K): Shown[K] | undefined {
    if (!this.exists && name in this.#last) return this.#last[name] as Shown[K]
    const local = this.#local.get(name)
    if (local && (!local.isSent || performance.now() - local.since < GIVEN_UP_MS)) {
      return isAbsent(local.value) ? undefined : (local.value as Shown[K])
    }
    if (local) this.#local.delete(name)
    const value = this.#said.get(name)?.value
    return isAbsent(value) ? undefined : (value as Shown[K])
  }

  /** All members that are there. */
  get members(): Members {
    const shown: Members = this.exists ? {} : { ...this.#last }
    for (const name of [...this.#said.keys(), ...this.#local.keys()]) {
      const value = this.get(name as keyof Shown)
      if (value !== undefined) shown[name] = value
    }
    return shown
  }

  get name(): string { return this.get('name') ?? '' }
  get type(): string { return this.get('type') ?? '' }
  /** Key of the device that holds its lock. */
  get owner(): string { return this.get('owner') ?? '' }
  get visible(): boolean { return this.get('visible') !== false }
  /** 16 numbers, row-major, in the convention of the scene. */
  get transform(): Matrix { return [...(this.get('transform') ?? IDENTITY)] }
  get translation(): [number, number, number] {
    const m = this.transform
    return [m[3] as number, m[7] as number, m[11] as number]
  }

  /** Where it is to be drawn: one interval late, between its last two poses, **column by column** as three.js and
   * WebGL take it. `now`: performance.now(), or the time of requestAnimationFrame. */
  poseAt(now = performance.now()): Matrix {
    const [before, after] = this.#poses
    if (!before || !after || this.#local.has('transform')) return columns(this.transform)
    const interval = Math.min(Math.max(after.at - before.at, SHORTEST_MS), LONGEST_MS)
    const share = (now - after.at) / interval
    return columns(share < STILL_AFTER ? between(before.matrix, after.matrix, share) : after.matrix)
  }

  // --- what the application writes ---

  /** Shows it at once, here alone, until save(). */
  move(members: Written): void {
    this.#write(members, false)
  }

  /** Sends members by UDP (node): newest wins, may be lost, shows here at once. */
  send(members: Written): void {
    this.scene.sendUpdate(this, this.#whole(members))
    this.#write(members, true)
  }

  /** Writes members, and what was moved, to disk: then it shows what the server has. Throws ApiError: then nothing of it
   * shows any more. */
  async save(members: Written = {}): Promise<this> {
    const waiting = Object.fromEntries([...this.#local].filter(([, local]) => !local.isSent).map(([name, { value }]) => [name, value]))
    this.#write(members, false)
    const saved = new Map([...this.#local].filter(([, local]) => !local.isSent))
    try {
      const { record, seq } = await this.scene.save(this, { ...waiting, ...members })
      if (seq === undefined) this.#keep(saved)
      else this.scene.tell(this.scene.store.takeAnswer(this, seq, () => this.#confirm(record, seq, saved)))
    } catch (failure) {
      this.#drop(saved)
      throw failure
    }
    return this
  }

  delete(): Promise<void> {
    return this.scene.delete(this)
  }

  /** `await using lock = await lamp.lock({ lease: 30 })`: renewed meanwhile, ended with the block, or by `release()`. */
  lock(options: { lease?: number, force?: boolean } = {}): Promise<Lock> {
    return takeLock(this, options.lease ?? 30, options.force ?? false)
  }

  /** A translation alone is a transform for those who see it at once. */
  #whole(members: object): Members {
    const { translation, ...rest } = members as Members
    if (!Array.isArray(translation) || PARTS.slice(1).some(name => name in rest) || 'transform' in rest) return { ...members }
    const matrix = this.transform
    for (let i = 0; i < 3; i++) matrix[4 * i + 3] = Number(translation[i])
    return { ...rest, transform: matrix }
  }

  #write(members: object, isSent: boolean): void {
    const since = performance.now()
    for (const [name, value] of Object.entries(this.#whole(members))) {
      const isNothing = value === undefined || value === null || (Array.isArray(value) && value.length === 0) // it changes nothing
      if (!PARTS.includes(name) && !isNothing) this.#local.set(name, { value, since, isSent })
    }
  }

  /** What was written since stays. */
  #drop(saved: ReadonlyMap<string, Local>): void {
    for (const [name, local] of saved) if (this.#local.get(name) === local) this.#local.delete(name)
  }

  /** It was saved, but the answer does not say up to which event (it repeats an earlier one, or is of another start of the
   * server): it shows as if it was sent by UDP. */
  #keep(saved: ReadonlyMap<string, Local>): void {
    for (const local of saved.values()) Object.assign(local, { isSent: true, since: performance.now() })
  }

  /** What it is after all events up to `seq`, by the answer to a write. What was written here is drawn where it is, not late. */
  #confirm(record: Members, seq: number, saved: ReadonlyMap<string, Local>): void {
    const poses = this.#poses, before = this.#said.get('transform')?.value
    this.#drop(saved)
    this.take(record, seq, performance.now())
    this.#poses = isSame(this.#said.get('transform')?.value, before) ? poses : []
  }

  /** It was created, and no event told of it yet. Without `seq` each event says it better. */
  begin(members: Members, seq = 0): void {
    this.take(members, seq, performance.now())
    this.exists ||= this.hasWord
  }

  // --- what the server says: per member, the largest seq ---

  take(members: Members, seq: number, arrived: number): void {
    if (seq <= this.#gone) return
    for (const [name, value] of Object.entries(members)) {
      if (seq < (this.#said.get(name)?.seq ?? -1)) continue
      this.#said.set(name, { seq, value })
      const local = this.#local.get(name)
      if (local?.isSent && (isConfirmed(name, local.value, value) || arrived - local.since > SETTLED_MS)) this.#local.delete(name)
      if (name === 'transform' && Array.isArray(value)) this.#poses = [...this.#poses.slice(-1), { at: arrived, matrix: value as Matrix }]
    }
  }

  /** It was deleted at `seq`. */
  bury(seq: number): void {
    if (this.exists) this.#last = this.members
    this.#gone = Math.max(this.#gone, seq)
    this.buried = performance.now()
    for (const [name, said] of this.#said) if (said.seq <= this.#gone) this.#said.delete(name)
  }

  /** The numbers of another start of the server mean nothing. */
  forgetNumbers(): void {
    this.#gone = -1
    for (const said of this.#said.values()) said.seq = -1
  }

  /** The number of the newest event that says something that shows. */
  get seq(): number {
    return Math.max(-1, ...[...this.#said.values()].map(({ seq }) => seq))
  }

  /** Whether the server said anything of it since it was deleted last. */
  get hasWord(): boolean {
    return this.#said.size > 0
  }
}
