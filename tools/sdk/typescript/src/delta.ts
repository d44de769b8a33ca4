import type { Members, Noun } from './packets.js'
import { compose } from './transforms.js'

/** What a delta stream tells of. */
export type Kind = Noun | 'device'

/** A thing that the stream has told of. */
export interface Known {
  readonly kind: Kind
  readonly key: string
}

/** Index, x, y, z, the quaternion w, x, y, z, and the scale, if it is not 1. */
export type Pose = [number, number, number, number, number, number, number, number, number?, number?, number?]

/** The data of an event `changes`: one tick (gateway/events/README.md, "The delta form"). */
export interface Tick {
  prev: number
  seq: number
  time_us: number
  n?: Array<{ i: number, kind: Kind, key: string } & Members>
  p?: Pose[]
  r?: Array<{ i: number } & Members>
  x?: number[]
  e?: Members[]
}

/** Who is told what a tick says, in the order that the form prescribes. */
export interface DeltaHandlers {
  created(thing: Known, record: Members, tick: Tick): void
  /** An object stands elsewhere. */
  moved(thing: Known, pose: Pose, tick: Tick): void
  /** null: it has that member no more. */
  changed(thing: Known, members: Members, tick: Tick): void
  deleted(thing: Known, tick: Tick): void
  /** What concerns the scene itself. */
  event(event: Members, tick: Tick): void
}

/** Reads the delta form of a stream: it knows which thing an index means. */
export class DeltaReader {
  #known = new Map<number, Known>()

  constructor(private readonly to: DeltaHandlers) {}

  /** The data of a snapshot: what is known begins anew. The records of each kind, without their indices. */
  begin(snapshot: Members): Record<Kind, Members[]> {
    this.#known.clear()
    const learn = (kind: Kind, records: unknown): Members[] => ((records ?? []) as Members[]).map(record => this.#learn(kind, record))
    return {
      object: learn('object', snapshot['objects']), device: learn('device', snapshot['devices']),
      property: learn('property', snapshot['properties']),
    }
  }

  #learn(kind: Kind, { i, ...record }: Members): Members {
    if (typeof i === 'number') this.#known.set(i, { kind, key: String(record['key']) })
    return record
  }

  /** The data of an event `changes`. */
  take(tick: Tick): void {
    const { to } = this
    for (const { i, kind, ...record } of tick.n ?? []) {
      const thing: Known = { kind, key: record.key }
      this.#known.set(i, thing)
      to.created(thing, record, tick)
    }
    for (const pose of tick.p ?? []) {
      const thing = this.#known.get(pose[0])
      if (thing) to.moved(thing, pose, tick)
    }
    for (const { i, reason: _, ...members } of tick.r ?? []) { // `reason` is why a lock ended, no member
      const thing = this.#known.get(i)
      if (thing) to.changed(thing, members, tick)
    }
    for (const i of tick.x ?? []) {
      const thing = this.#known.get(i)
      this.#known.delete(i)
      if (thing) to.deleted(thing, tick)
    }
    for (const event of tick.e ?? []) to.event(event, tick)
  }
}

/** The transform of an object that stands so. */
export function matrixOf([, x, y, z, qw, qx, qy, qz, sx = 1, sy = 1, sz = 1]: Pose): number[] {
  return compose({ translation: [x, y, z], quaternion: [qw, qx, qy, qz], scale: [sx, sy, sz] })
}
