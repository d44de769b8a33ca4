// What this tab saw of a scene in the last minutes: states ten times a second, the oldest forgotten
// first. Poses are floats here: a tenth of a millimetre at a kilometre. Pure.
import { IndexSet } from '../../live/index_set'
import { copyPose } from '../../live/matrix'
import { type Entry, POSE } from '../../live/protocol'

export interface Frame {
  at: number // milliseconds: the state after it is true from then on
  moved: Uint32Array
  poses: Float32Array // POSE numbers for each of them
  changed: Entry[]
  gone: number[]
  changes: number // that the stream brought
}

export interface Limits {
  ms: number // how long back
  bytes: number
  each: number // milliseconds: what comes within is one frame
}

const FRAME_BYTES = 200
const ENTRY_BYTES = 600

const bytesOf = (frame: Frame) => FRAME_BYTES + frame.moved.length * (POSE + 1) * 4 + frame.changed.length * ENTRY_BYTES + frame.gone.length * 8

export class Tape {
  readonly base = new Map<number, Entry>() // before the first frame
  bytes = 0
  first = 0 // number of the oldest frame
  begun = 0 // when the first of all was seen
  private frames: Frame[] = [] // from number `first` on
  private basePoses = new Float32Array(64 * POSE)
  private moved = new IndexSet() // in the frame that is being made
  private changed = new Map<number, Entry>()
  private gone: number[] = []
  private changes = 0
  private openedAt = 0 // 0: nothing came since the last frame
  private lastAt = 0

  constructor(private readonly limits: Limits = { ms: 300_000, bytes: 64 << 20, each: 100 }) {}

  get count() {
    return this.frames.length
  }

  frame(number: number): Frame | undefined {
    return this.frames[number - this.first]
  }

  // The oldest time of which something is known.
  get from() {
    return this.frames[0]?.at ?? this.begun
  }

  clear() {
    this.first += this.frames.length + 1 // who looks at it begins anew
    this.frames = []
    this.base.clear()
    this.bytes = this.begun = this.openedAt = this.changes = 0
    this.moved.clear()
    this.changed.clear()
    this.gone = []
  }

  // Before something new is taken: what came until now becomes a frame, if it is time. `all` has the
  // newest poses, POSE numbers an index.
  roll(now: number, all: Float64Array, isForced = false) {
    if (this.openedAt && (isForced || now - this.openedAt >= this.limits.each)) this.cut(all)
    this.forget(now)
  }

  // What came now. Poses are read when the frame is made.
  take(now: number, news: { changed?: Entry[] | undefined; gone?: number[] | undefined; moved?: ArrayLike<number> | undefined; changes: number }) {
    this.begun ||= now
    this.openedAt ||= now
    this.lastAt = now
    this.changes += news.changes
    for (const entry of news.changed ?? []) this.changed.set(entry.index, entry)
    for (const index of news.gone ?? []) {
      this.changed.delete(index)
      this.gone.push(index)
    }
    const { moved } = news
    for (let i = 0; moved && i < moved.length; i++) this.moved.add(moved[i]!)
  }

  private cut(all: Float64Array) {
    const moved = this.moved.slice()
    const poses = new Float32Array(moved.length * POSE)
    for (let i = 0; i < moved.length; i++) copyPose(all, moved[i]! * POSE, poses, i * POSE)
    const frame = { at: this.lastAt, moved, poses, changed: [...this.changed.values()], gone: this.gone, changes: this.changes }
    this.frames.push(frame)
    this.bytes += bytesOf(frame)
    this.moved.clear()
    this.changed.clear()
    this.gone = []
    this.changes = this.openedAt = 0
  }

  private forget(now: number) {
    let old = 0
    while (old < this.frames.length - 1 && (this.frames[old]!.at < now - this.limits.ms || this.bytes > this.limits.bytes)) {
      const frame = this.frames[old++]!
      this.bytes -= bytesOf(frame)
      for (const entry of frame.changed) this.base.set(entry.index, entry)
      for (const index of frame.gone) this.base.delete(index)
      for (let i = 0; i < frame.moved.length; i++) this.keep(frame.moved[i]!, frame.poses, i * POSE)
    }
    if (!old) return
    this.frames.splice(0, old)
    this.first += old
  }

  private keep(index: number, poses: Float32Array, at: number) {
    if ((index + 1) * POSE > this.basePoses.length) {
      const larger = new Float32Array(Math.max((index + 1) * POSE, this.basePoses.length * 2))
      larger.set(this.basePoses)
      this.basePoses = larger
    }
    copyPose(poses, at, this.basePoses, index * POSE)
  }

  basePose(index: number): Float32Array {
    return this.basePoses.subarray(index * POSE, (index + 1) * POSE)
  }

  // The number of the newest frame that is no later; `first - 1` where none is.
  before(at: number): number {
    let [low, high] = [0, this.frames.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if (this.frames[middle]!.at <= at) low = middle + 1
      else high = middle
    }
    return this.first + low - 1
  }

  // How many changes came in each of so many parts of a time.
  histogram(from: number, to: number, bars: number): number[] {
    const counts: number[] = Array(bars).fill(0)
    for (const frame of this.frames) {
      const bar = Math.floor(((frame.at - from) / (to - from || 1)) * bars)
      if (bar >= 0 && bar <= bars) counts[Math.min(bar, bars - 1)]! += frame.changes
    }
    return counts
  }
}
