// Follows one stream of events, however often it breaks off. Runs in the worker.
import type { Word } from './protocol'
import { type Sse, SseReader } from './sse'

const SILENCE_MS = 40000 // more than two heartbeats of the server
const WAIT_FIRST_MS = 500
const WAIT_AWAY_MS = 2000 // nobody listens: asking costs nothing
const WAIT_MOST_MS = 15000

export interface Follows {
  path: () => string
  headers?: () => Record<string, string>
  take: (event: Sse) => void
  read?: () => void // all that has come is taken
  tell: (word: Word, detail: string, until?: number) => void // why it waits, and until when
}

export class Follower {
  private stop = new AbortController()
  private failures = 0
  private wake = () => {}
  private ended = false

  constructor(private readonly what: Follows) {}

  begin() {
    void this.run()
  }

  end() {
    this.ended = true
    this.stop.abort()
    this.wake()
  }

  // At once, if it waits.
  retry() {
    this.wake()
  }

  // Of the stream that is read: what belongs to it ends with it.
  get signal() {
    return this.stop.signal
  }

  private async run() {
    while (!this.ended) {
      let word: Word | 'away' = 'away'
      let detail = ''
      let after = 0
      try {
        this.stop = new AbortController()
        const answer = await fetch(this.what.path(), {
          headers: { Accept: 'text/event-stream', ...this.what.headers?.() },
          signal: this.stop.signal,
          cache: 'no-store',
        })
        if (answer.ok) {
          await this.read(answer.body!)
          this.failures = 0
        } else {
          after = Number(answer.headers.get('Retry-After') ?? 0)
          detail = await answer.json().then(body => body.detail as string, () => answer.statusText)
          word = answer.status === 401 ? 'signed out' : answer.status === 404 ? 'gone' : answer.status === 403 ? 'refused' : 'reconnecting'
        }
      } catch {
        // broken off, or nobody is there
      }
      if (!this.ended) await this.wait(word, detail, after)
    }
  }

  // Before the next try. Nothing is tried again by itself where it cannot help.
  private async wait(word: Word | 'away', detail: string, after: number) {
    const most = word === 'away' ? WAIT_AWAY_MS : WAIT_MOST_MS
    const ms = Math.max(after * 1000, Math.min(most, WAIT_FIRST_MS * 2 ** this.failures++) * (0.75 + Math.random() / 2))
    const isFinal = word === 'signed out' || word === 'gone' || word === 'refused'
    this.what.tell(isFinal ? word : 'reconnecting', detail, isFinal ? undefined : Date.now() + ms)
    await new Promise<void>(resolve => {
      this.wake = resolve
      if (!isFinal) setTimeout(resolve, ms)
    })
  }

  private async read(body: ReadableStream<Uint8Array>) {
    const reader = body.getReader()
    const events = new SseReader(event => this.what.take(event))
    const decoder = new TextDecoder()
    for (;;) {
      const timer = setTimeout(() => this.stop.abort(), SILENCE_MS)
      const { done, value } = await reader.read()
      clearTimeout(timer)
      if (done) return
      events.feed(decoder.decode(value, { stream: true }))
      this.what.read?.()
    }
  }
}
