// What a page saw happen in a scene. Moves are kept as they came, as lists of indexes: a thing is looked
// for in them when somebody looks at it, not whenever one of a thousand moves. Pure.
import type { Happening } from '../live/protocol'

const HAPPENED_MOST = 400
const BATCHES_MOST = 400
const INDEXES_MOST = 100_000 // of all batches together

interface Moves {
  seq: number
  at: number // milliseconds of the calendar
  indexes: Uint32Array
}

export class EventLog {
  private happened: Happening[] = []
  private moves: Moves[] = []
  private indexes = 0

  take(happened: Happening[]) {
    this.happened.push(...happened)
    this.happened.splice(0, this.happened.length - HAPPENED_MOST)
  }

  move(moves: Moves) {
    this.moves.push(moves)
    this.indexes += moves.indexes.length
    while (this.moves.length > BATCHES_MOST || (this.indexes > INDEXES_MOST && this.moves.length > 1)) this.indexes -= this.moves.shift()!.indexes.length
  }

  // What indexes meant, they mean no longer.
  forgetMoves() {
    this.moves = []
    this.indexes = 0
  }

  // The newest ones until a time, the newest first: of one thing, or of all.
  newest(most: number, until: number, keyOf: (index: number) => string | undefined, only?: { index: number; key: string }): Happening[] {
    const fits = ({ key, at }: Happening) => at <= until && (!only || key === only.key)
    const found = this.happened.filter(fits).slice(-most)
    let count = 0
    for (let i = this.moves.length - 1; i >= 0 && count < most; i--) {
      const { seq, at, indexes } = this.moves[i]!
      if (at > until) continue
      const moved = only ? (indexes.includes(only.index) ? [only.index] : []) : indexes.subarray(0, most - count)
      for (const index of moved) {
        const key = keyOf(index)
        if (key === undefined) continue
        found.push({ seq, at, what: 'changed', key })
        count++
      }
    }
    return found.sort((a, b) => b.seq - a.seq).slice(0, most)
  }
}
