const ASK_AFTER_MS = 50, ASK_REST_MS = 200, READ_AFTER_MS = 1000, SILENCE_MS = 2000

/** Where datagrams are missing, and what is to be done about it (tools/sdk/README.md, "Gaps"). Times in ms. */
export class Gaps {
  got = 0
  holes = 0
  #parts: Array<[prev: number, seq: number]> = []
  #since = 0
  #asked = 0
  #heard = 0
  #isSure = true

  /** Another start of the server: its numbers begin again. */
  begin(): void {
    this.got = 0
    this.#parts = []
    this.#isSure = true
  }

  get isOpen(): boolean {
    return this.#parts.length > 0
  }

  /** Everything up to `seq` is known. */
  absorb(seq: number): void {
    this.got = Math.max(this.got, seq)
    for (const [prev, last] of this.#parts.sort((a, b) => a[0] - b[0])) {
      if (prev <= this.got) this.got = Math.max(this.got, last)
    }
    this.#parts = this.#parts.filter(part => part[0] > this.got)
  }

  /** A datagram says what was sent before it, and up to where it goes. */
  note(prev: number, seq: number, now: number): void {
    this.#heard = now
    this.#isSure = prev === seq
    if (prev <= this.got) {
      this.absorb(seq)
      return
    }
    if (!this.isOpen) {
      this.#since = now
      this.holes++
    }
    this.#parts.push([prev, seq])
  }

  /** What to ask for, 'read' the scene, or nothing. */
  wish(now: number): [from: number, to: number] | 'read' | undefined {
    if (this.isOpen && now - this.#since > READ_AFTER_MS) {
      this.#since = now
      return 'read'
    }
    if (this.isOpen && now - this.#since > ASK_AFTER_MS && now - this.#asked > ASK_REST_MS) {
      this.#asked = now
      return [this.got + 1, Math.min(...this.#parts.map(part => part[0]))]
    }
    if (!this.#isSure && now - this.#heard > SILENCE_MS) {
      this.#isSure = true
      return 'read'
    }
    return undefined
  }
}
