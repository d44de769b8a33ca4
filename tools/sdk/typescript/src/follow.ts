import { ApiError, ConnectionFailed, DioramaError } from './errors.js'
import type { CallOptions, Http } from './http.js'
import { EventReader, type StreamComment, type StreamEvent } from './packets.js'

const FIRST_WAIT_MS = 500, LAST_WAIT_MS = 15000, STEADY_MS = 10000, SILENCE_MS = 40000
const LONGEST_MS = 2 ** 31 - 1 // of a timer
const FINAL = [401, 403, 404]

/** How long to wait, in ms, after so many failures. */
export const backOff = (failures: number, most = LAST_WAIT_MS): number =>
  Math.min(FIRST_WAIT_MS * 2 ** (failures - 1), most) * (0.5 + Math.random() / 2)

/** What is followed, and who is told. */
export interface Follows {
  path: string
  query?: CallOptions['query']
  take(part: StreamEvent | StreamComment): void
  /** Everything that came together has been taken. */
  taken?(): void
  /** The stream broke off, or was refused by an ApiError; `failure` is undefined where the server ended it. It is tried again in
   * `wait` ms, or, where that cannot help (401, 403, 404), not before retry(): then `wait` is undefined. */
  broken(failure: DioramaError | undefined, wait: number | undefined): void
  /** The longest `wait` while nobody answers; 15 s if it is absent. */
  awayMs?: number
}

/** Follows a stream of events however often it breaks off, by the rules of tools/sdk/README.md, "Break and resume"; one
 * that was refused is not asked for again before its Retry-After. */
export class Follower {
  #stop = new AbortController()
  #failures = 0
  #lastId = ''
  #isOver = false
  #wake = (): void => {}

  constructor(private readonly http: Http, private readonly what: Follows) {}

  begin(): void {
    void this.#run()
  }

  /** Nothing is told any more. */
  end(): void {
    this.#isOver = true
    this.#stop.abort()
    this.#wake()
  }

  /** At once, if it waits. */
  retry(): void {
    this.#wake()
  }

  /** Of the stream that is read: what belongs to it ends with it. */
  get signal(): AbortSignal {
    return this.#stop.signal
  }

  async #run(): Promise<void> {
    while (!this.#isOver) {
      const began = performance.now()
      const failure = await this.#read().catch((reason: unknown) =>
        reason instanceof DioramaError ? reason : new ConnectionFailed(`the stream: ${String(reason)}`, { cause: reason }))
      if (this.#isOver) return
      this.#failures = performance.now() - began > STEADY_MS ? 1 : this.#failures + 1
      const wait = this.#wait(failure)
      const rested = this.#rest(wait)
      this.what.broken(failure, wait)
      await rested
    }
  }

  #wait(failure: DioramaError | undefined): number | undefined {
    if (!(failure instanceof ApiError)) return backOff(this.#failures, this.what.awayMs)
    return FINAL.includes(failure.status) ? undefined : Math.max(Math.min(failure.retryAfter * 1000, LONGEST_MS), backOff(this.#failures))
  }

  #rest(wait: number | undefined): Promise<void> {
    return new Promise(done => {
      const timer = wait === undefined ? undefined : setTimeout(done, wait)
      this.#wake = () => {
        clearTimeout(timer)
        done()
      }
    })
  }

  /** One connection, to its end. */
  async #read(): Promise<undefined> {
    const stop = this.#stop = new AbortController(), { path, query } = this.what
    let silence = setTimeout(() => stop.abort(), SILENCE_MS)
    try {
      const answer = await this.http.request('GET', path, {
        query, headers: { Accept: 'text/event-stream', ...(this.#lastId ? { 'Last-Event-ID': this.#lastId } : {}) },
        signal: stop.signal, cache: 'no-store',
      })
      const events = new EventReader(), reader = answer.body!.getReader()
      for (;;) {
        const { value, done } = await reader.read()
        if (done || this.#isOver) return undefined
        clearTimeout(silence)
        silence = setTimeout(() => stop.abort(), SILENCE_MS)
        for (const part of events.read(value)) {
          this.#take(part)
          if (this.#isOver) return undefined
        }
        this.what.taken?.()
      }
    } finally {
      clearTimeout(silence)
      stop.abort()
    }
  }

  #take(part: StreamEvent | StreamComment): void {
    this.what.take(part)
    if ('id' in part && part.id !== null) this.#lastId = part.id
  }
}
