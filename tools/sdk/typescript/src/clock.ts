import { DioramaError } from './errors.js'

const KEPT = 64

/** The server's calendar, from the times that a delta stream says. Delay only adds: the smallest difference counts. */
export class Clock {
  readonly #differences: number[] = []

  /** A time of the server that was read just now. */
  add(serverUs: number): void {
    this.#differences.push(performance.now() * 1000 - serverUs)
    if (this.#differences.length > KEPT) this.#differences.shift()
  }

  get isSet(): boolean {
    return this.#differences.length > 0
  }

  /** What the server's clock says, in microseconds. Throws before it said anything. */
  nowUs(): number {
    if (!this.isSet) throw new DioramaError('the server has not told its time (only the delta form does)')
    return performance.now() * 1000 - Math.min(...this.#differences)
  }
}
