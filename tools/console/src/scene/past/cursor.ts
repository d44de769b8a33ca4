// A place on the tape: what there was at a time, and where. Going on is cheap; going back begins anew
// at the oldest frame. Pure.
import { between } from '../../live/matrix'
import { type Entry, POSE } from '../../live/protocol'
import type { Tape } from './tape'

const LONGEST = 350 // milliseconds between two states that a thing moves in between

export class Cursor {
  readonly entries = new Map<number, Entry>()
  at = 0
  private number = -1 // of the newest frame that is applied
  private frames = new Int32Array(64).fill(-1) // by index: the frame that moved it last
  private slots = new Int32Array(64)
  private next = new Map<number, number>() // slots of the frame that comes
  private started = false
  private pair = new Float64Array(2 * POSE)

  constructor(private readonly tape: Tape) {}

  seek(at: number) {
    const { tape } = this
    this.at = Math.max(at, tape.from)
    const wanted = tape.before(this.at)
    if (!this.started || wanted < this.number || this.number < tape.first - 1) this.restart()
    while (this.number < wanted) this.apply(++this.number)
    this.next.clear()
    tape.frame(this.number + 1)?.moved.forEach((index, slot) => this.next.set(index, slot))
  }

  private restart() {
    this.started = true
    this.number = this.tape.first - 1
    this.frames.fill(-1)
    this.entries.clear()
    for (const [index, entry] of this.tape.base) this.entries.set(index, entry)
  }

  private apply(number: number) {
    const frame = this.tape.frame(number)
    if (!frame) return
    for (const index of frame.gone) this.entries.delete(index)
    for (const entry of frame.changed) this.entries.set(entry.index, entry)
    for (let slot = 0; slot < frame.moved.length; slot++) {
      const index = frame.moved[slot]!
      if (index >= this.frames.length) this.grow(index)
      this.frames[index] = number
      this.slots[index] = slot
    }
  }

  private grow(index: number) {
    const size = Math.max(index + 1, this.frames.length * 2)
    const frames = new Int32Array(size).fill(-1)
    frames.set(this.frames)
    const slots = new Int32Array(size)
    slots.set(this.slots)
    this.frames = frames
    this.slots = slots
  }

  // The pose at the cursor's time.
  pose(index: number, out: Float64Array) {
    const { tape } = this
    const number = this.frames[index] ?? -1
    const frame = number < 0 ? undefined : tape.frame(number)
    const slot = this.slots[index]!
    const last = frame ? frame.poses.subarray(slot * POSE, (slot + 1) * POSE) : tape.basePose(index)
    if (last.length < POSE) return
    out.set(last)
    const coming = this.next.get(index)
    const then = tape.frame(this.number + 1)
    if (coming === undefined || !then || !frame || then.at - frame.at > LONGEST) return
    this.pair.set(last)
    this.pair.set(then.poses.subarray(coming * POSE, (coming + 1) * POSE), POSE)
    between(this.pair, this.pair.subarray(POSE), 0, (this.at - frame.at) / (then.at - frame.at), out)
  }
}
