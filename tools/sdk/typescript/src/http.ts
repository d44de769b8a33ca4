import { ApiError, ConnectionFailed, DioramaError, errorOf, Malformed, type Place } from './errors.js'

const TRIES = 5, FIRST_WAIT_MS = 200, TIMEOUT_MS = 30000, STILL_RUNS = 124

/** Whether a request may be sent again: it changes nothing or the same twice; with an Idempotency-Key; never. */
export type Repeat = 'safe' | 'keyed' | 'never'

/** What the server took of a request although it is probably not meant: `request` is its method and path. */
export interface Warning {
  request: string
  pointer: string
  detail: string
}

type Word = string | number | boolean

export interface CallOptions {
  /** A list is sent as several parameters of one name. */
  query?: Record<string, Word | readonly Word[] | undefined>
  headers?: Record<string, string>
  repeat?: Repeat
  /** How long one try may take; 30 s if absent. */
  timeoutMs?: number
  /** Told of each warning, instead of `Http.warned`. */
  warned?: (warning: Warning) => void
}

/** What one request is made of: FormData and a Blob are sent as they are, any other body as JSON. */
export interface RequestOptions extends Pick<RequestInit, 'signal' | 'keepalive' | 'cache'> {
  query?: CallOptions['query']
  headers?: Record<string, string>
  body?: unknown
}

/** /v1/… with each part percent-encoded. */
export const pathOf = (...parts: string[]): string => '/v1/' + parts.map(encodeURIComponent).join('/')

export const rest = (ms: number): Promise<void> => new Promise(done => { setTimeout(done, ms) })

/** What is drawn once for a request: 128 random bits. crypto.randomUUID needs a secure page, this does not. */
export function drawKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), byte => byte.toString(16).padStart(2, '0')).join('')
}

function placeOf(url: string): URL | undefined {
  try {
    return new URL(url)
  } catch {
    return undefined
  }
}

/** Requests to one server: errors by type, and only what is safe sent again. */
export class Http {
  readonly base: string
  /** Told of each warning that nobody else is told of. */
  warned: (warning: Warning) => void = ({ request, pointer, detail }) => console.warn(`diorama: ${request}: ${pointer} ${detail}`)

  constructor(url: string, public token = '', private readonly ask: typeof fetch = (...words) => fetch(...words)) {
    const place = placeOf(url)
    if (place?.protocol !== 'http:' && place?.protocol !== 'https:') {
      throw new DioramaError(`${url} is no address of a server: it needs http:// in front`)
    }
    this.base = place.origin + place.pathname.replace(/\/+$/, '')
  }

  headers(more: Record<string, string> = {}): Record<string, string> {
    return this.token ? { Authorization: `Bearer ${this.token}`, ...more } : more
  }

  target(path: string, query: CallOptions['query'] = {}): string {
    const words = Object.entries(query).flatMap(([key, value]) => [value].flat().map(word => [key, String(word ?? '')]))
    const text = new URLSearchParams(words.filter(([, word]) => word !== '')).toString()
    return this.base + path + (text ? '?' + text : '')
  }

  /** One request, sent once: its answer, which is 2xx, the body unread. Throws ApiError, ConnectionFailed, and for a signal that
   * was aborted its reason. */
  async request(method: string, path: string, options: RequestOptions = {}): Promise<Response> {
    return this.#send(this.target(path, options.query), this.#written(method, options))
  }

  #written(method: string, { query: _, headers, body, ...more }: RequestOptions): RequestInit {
    const isJson = body !== undefined && !(body instanceof FormData || body instanceof Blob)
    return {
      ...more, method, headers: this.headers({ ...(isJson ? { 'Content-Type': 'application/json' } : {}), ...headers }),
      ...(body === undefined ? {} : { body: isJson ? JSON.stringify(body) : (body as FormData | Blob) }),
    }
  }

  async #send(target: string, request: RequestInit): Promise<Response> {
    try {
      const answer = await this.ask(target, request)
      if (answer.ok) return answer
      throw errorOf(answer.status, await answer.text(), answer.headers.get('Retry-After'))
    } catch (failure) {
      request.signal?.throwIfAborted()
      throw failure instanceof ApiError ? failure : noAnswer(target, request, failure)
    }
  }

  /** The JSON of the answer, or its text where it is none. Throws ApiError and ConnectionFailed. */
  async call<T = unknown>(method: string, path: string, body?: unknown, options: CallOptions = {}): Promise<T> {
    const { answer, content } = await this.read(method, path, body, options, answer => answer.text())
    const told = isJson(answer) ? parsed(content) : content
    for (const { pointer, detail } of warningsOf(answer, told)) {
      (options.warned ?? this.warned)({ request: `${method} ${path}`, pointer, detail })
    }
    return told as T
  }

  /** An answer and its content, asked for as often as is safe; `read` reads it. */
  async read<T>(method: string, path: string, body: unknown, options: CallOptions,
    read: (answer: Response) => Promise<T>): Promise<{ answer: Response, content: T }> {
    const { query, repeat = 'safe', timeoutMs = TIMEOUT_MS } = options
    const headers = { ...options.headers, ...(repeat === 'keyed' ? { 'Idempotency-Key': drawKey() } : {}) }
    const target = this.target(path, query), request = this.#written(method, { headers, body })
    for (let tried = 1; ; tried++) {
      let answer: Response, content: T
      try {
        answer = await this.#send(target, { ...request, signal: AbortSignal.timeout(timeoutMs) })
        content = await read(answer)
      } catch (failure) {
        if (tried === TRIES || !mayRepeat(failure, repeat)) throw failure instanceof DioramaError ? failure : noAnswer(target, request, failure)
        const asked = failure instanceof ApiError ? Math.min(failure.retryAfter * 1000, TIMEOUT_MS) : 0
        await rest(Math.max(FIRST_WAIT_MS * 2 ** (tried - 1) * (0.5 + Math.random() / 2), asked))
        continue
      }
      const given = answer.headers.get('Authorization')
      if (given?.startsWith('Bearer ')) this.token = given.slice(7)
      return { answer, content }
    }
  }
}

/** Whether an answer is JSON; one that does not say is. */
const isJson = (answer: Response): boolean => /^application\/([\w.-]+\+)?json\b|^$/i.test(answer.headers.get('Content-Type') ?? '')

/** They are a member of an envelope, a header of other answers. */
function warningsOf(answer: Response, told: unknown): Place[] {
  const header = answer.headers.get('Diorama-Warnings')
  const warnings = header ? parsed(header) : (told as { warnings?: unknown } | undefined)?.warnings
  return Array.isArray(warnings) ? warnings : []
}

function parsed(text: string): unknown {
  try {
    return text.trim() ? JSON.parse(text) : undefined
  } catch (cause) {
    throw new Malformed(`an answer is no JSON: ${text.slice(0, 200)}`, { cause })
  }
}

const noAnswer = (target: string, { method }: RequestInit, cause: unknown): ConnectionFailed =>
  new ConnectionFailed(`${method} ${target}: ${String(cause)}${codeOf(cause)}`, { cause })

/** What node says is the reason of "fetch failed". */
function codeOf(failure: unknown): string {
  const { code } = ((failure as { cause?: unknown } | undefined)?.cause ?? {}) as { code?: unknown }
  return typeof code === 'string' ? ` (${code})` : ''
}

/** Whether sending it again may help: nobody answered, 429, 503, or the first request with this key still runs. */
function mayRepeat(failure: unknown, repeat: Repeat): boolean {
  if (repeat === 'never') return false
  return !(failure instanceof ApiError) || failure.status === 429 || failure.status === 503 || failure.errCode === STILL_RUNS
}
