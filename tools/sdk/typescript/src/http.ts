import { ApiError, ConnectionFailed, errorOf } from './errors.js'

const TRIES = 5, FIRST_WAIT_MS = 200, TIMEOUT_MS = 30000, STILL_RUNS = 124

/** Whether a request may be sent again: it changes nothing or the same twice; with an Idempotency-Key; never. */
export type Repeat = 'safe' | 'keyed' | 'never'

export interface CallOptions {
  query?: Record<string, string | number | boolean | undefined>
  headers?: Record<string, string>
  repeat?: Repeat
}

/** /v1/… with each part percent-encoded. */
export const pathOf = (...parts: string[]): string => '/v1/' + parts.map(encodeURIComponent).join('/')

export const rest = (ms: number): Promise<void> => new Promise(done => { setTimeout(done, ms) })

/** What is drawn once for a request: 128 random bits. crypto.randomUUID needs a secure page, this does not. */
export function drawKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), byte => byte.toString(16).padStart(2, '0')).join('')
}

/** Requests to one server: errors by type, and only what is safe sent again. */
export class Http {
  readonly base: string

  constructor(url: string, public token = '', private readonly ask: typeof fetch = (...words) => fetch(...words)) {
    const place = new URL(url)
    if (place.protocol !== 'http:' && place.protocol !== 'https:') throw new TypeError(`${url} is no address of a server`)
    this.base = place.origin + place.pathname.replace(/\/+$/, '')
  }

  headers(more: Record<string, string> = {}): Record<string, string> {
    return this.token ? { Authorization: `Bearer ${this.token}`, ...more } : more
  }

  target(path: string, query: CallOptions['query'] = {}): string {
    const words = Object.entries(query).filter(([, value]) => value !== undefined && value !== '')
    const text = new URLSearchParams(words.map(([key, value]) => [key, String(value)])).toString()
    return this.base + path + (text ? '?' + text : '')
  }

  /** One request without repeats; a stream reads its body by itself. */
  open(path: string, query: CallOptions['query'], headers: Record<string, string>, signal: AbortSignal): Promise<Response> {
    return this.ask(this.target(path, query), { headers: this.headers(headers), signal, cache: 'no-store' })
  }

  /** The JSON of the answer. Throws ApiError and ConnectionFailed. */
  async call<T = unknown>(method: string, path: string, body?: unknown, options: CallOptions = {}): Promise<T> {
    const repeat = options.repeat ?? 'safe'
    const headers = this.headers({ ...options.headers })
    if (body !== undefined) headers['Content-Type'] = 'application/json'
    if (repeat === 'keyed') headers['Idempotency-Key'] = drawKey()
    const request: RequestInit = { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) }
    for (let tried = 1; ; tried++) {
      let answer: Response, text: string
      try {
        answer = await this.ask(this.target(path, options.query), { ...request, signal: AbortSignal.timeout(TIMEOUT_MS) })
        text = await answer.text()
      } catch (failure) {
        if (repeat === 'never' || tried === TRIES) throw new ConnectionFailed(`${method} ${path}: ${String(failure)}`, { cause: failure })
        await this.#rest(tried, null)
        continue
      }
      if (answer.ok) {
        const given = answer.headers.get('Authorization')
        if (given?.startsWith('Bearer ')) this.token = given.slice(7)
        return (text.trim() ? JSON.parse(text) : undefined) as T
      }
      const failure = errorOf(answer.status, text)
      if (tried === TRIES || !mayRepeat(failure, repeat)) throw failure
      await this.#rest(tried, answer.headers.get('Retry-After'))
    }
  }

  #rest(tried: number, retryAfter: string | null): Promise<void> {
    const wait = FIRST_WAIT_MS * 2 ** (tried - 1) * (0.5 + Math.random() / 2)
    const asked = retryAfter && /^\d+$/.test(retryAfter) ? Math.min(Number(retryAfter) * 1000, TIMEOUT_MS) : 0
    return rest(Math.max(wait, asked))
  }
}

function mayRepeat(failure: ApiError, repeat: Repeat): boolean {
  return repeat !== 'never' && (failure.status === 429 || failure.status === 503 || failure.errCode === STILL_RUNS)
}
