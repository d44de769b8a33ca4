const ASK_AFTER_MS = 50, ASK_ON_MS = 25, ASK_REST_MS = 200, READ_AFTER_MS = 1000, SILENCE_MS = 2000

interface Part { readonly prev: number, readonly seq: number, readonly at: number }

/** Where datagrams are missing, and what is to be done about it (proto/feed/README.md, "Gaps"). Times in ms. */
export class Gaps {
  got = 0
  holes = 0
  #parts: Part[] = [] // behind a hole
  #asked = -Infinity
  #askedFrom = 0
  #wished = -Infinity
  #heard = 0
  #newest = 0 // the largest seq that came
  #told = 0 // nothing is missing behind it

  /** Another start of the server: its numbers begin again. */
  begin(): void {
    this.got = this.#newest = this.#told = 0
    this.#parts = []
  }

  get isOpen(): boolean {
    return this.#parts.length > 0
  }

  /** Everything up to `seq` is known, from a read of the scene. */
  absorb(seq: number): void {
    this.#told = Math.max(this.#told, seq)
    this.#close(seq)
  }

  #close(seq: number): void {
    this.got = Math.max(this.got, seq)
    for (const part of this.#parts.sort((a, b) => a.prev - b.prev)) {
      if (part.prev <= this.got) this.got = Math.max(this.got, part.seq)
    }
    this.#parts = this.#parts.filter(part => part.prev > this.got)
  }

  /** A datagram says what was sent before it, and up to where it goes. */
  note(prev: number, seq: number, now: number): void {
    this.#heard = now
    this.#newest = Math.max(this.#newest, seq)
    if (prev === seq) this.#told = Math.max(this.#told, seq)
    if (prev <= this.got) {
      this.#close(seq)
      return
    }
    if (!this.isOpen) this.holes++
    this.#parts.push({ prev, seq, at: now })
  }

  /** What to ask for, 'read' the scene, or nothing. */
  wish(now: number): [from: number, to: number] | 'read' | undefined {
    // The hole that is the first now is as old as the first datagram that showed it.
    const since = this.#parts.reduce((first, part) => Math.min(first, part.at), now)
    if (now - Math.max(since, this.#wished) > READ_AFTER_MS) {
      this.#wished = now
      return 'read'
    }
    const rest = this.got === this.#askedFrom ? ASK_REST_MS : ASK_ON_MS
    if (now - since > ASK_AFTER_MS && now - this.#asked > rest) {
      this.#asked = now
      this.#askedFrom = this.got
      return [this.got + 1, this.#parts.reduce((largest, part) => Math.max(largest, part.prev), 0)]
    }
    if (this.#told < this.#newest && now - this.#heard > SILENCE_MS) {
      this.#told = this.#newest
      return 'read'
    }
    return undefined
  }
}
