// Requests to the server. Every refusal becomes a Problem that says what, why and at which member.

export interface Fault {
  pointer: string
  detail: string
}

export class Problem extends Error {
  constructor(
    readonly status: number, // 0: the server did not answer
    readonly title: string,
    readonly detail: string,
    readonly errors: Fault[] = [],
    readonly retryAfter = 0, // seconds
    readonly holder = '', // device that holds a lock
  ) {
    super(detail || title)
  }

  get isAway() {
    return this.status === 0 || this.status === 503
  }
}

async function problemOf(answer: Response): Promise<Problem> {
  const retry = Number(answer.headers.get('Retry-After') ?? 0)
  try {
    const body = await answer.json()
    return new Problem(answer.status, body.title ?? '', body.detail ?? '', body.errors ?? [], retry, body.holder)
  } catch {
    return new Problem(answer.status, answer.statusText, '', [], retry)
  }
}

let ahead = 0 // milliseconds by which the clock of the server is ahead of ours, where that is much

// The time of the server, milliseconds of the calendar: to a second.
export const serverNow = () => Date.now() + ahead

function compareClocks(answer: Response) {
  const said = Date.parse(answer.headers.get('Date') ?? '')
  if (!Number.isNaN(said)) ahead = Math.abs(said - Date.now()) > 2000 ? said - Date.now() : 0
}

export interface Asked {
  body?: unknown
  headers?: Record<string, string>
  signal?: AbortSignal
  keepalive?: boolean
}

// Told of every answer with 401: the session has ended.
let onSignedOut = () => {}
export function whenSignedOut(then: () => void) {
  onSignedOut = then
}

// Told of every answer with 507: there may be no room on the disk.
let onFull = () => {}
export function whenFull(then: () => void) {
  onFull = then
}

export async function ask(method: string, path: string, asked: Asked = {}): Promise<Response> {
  const isJson = asked.body !== undefined && !(asked.body instanceof FormData || asked.body instanceof Blob)
  let answer: Response
  try {
    answer = await fetch(path, {
      method,
      body: isJson ? JSON.stringify(asked.body) : (asked.body as FormData | Blob | undefined),
      headers: { ...(isJson ? { 'Content-Type': 'application/json' } : {}), ...asked.headers },
      signal: asked.signal ?? null,
      keepalive: asked.keepalive ?? false,
    })
  } catch (failure) {
    if ((failure as Error).name === 'AbortError') throw failure
    throw new Problem(0, 'The server does not answer', 'Nothing was changed. It is tried again by itself.')
  }
  compareClocks(answer)
  if (answer.ok) return answer
  if (answer.status === 401) onSignedOut()
  if (answer.status === 507) onFull()
  throw await problemOf(answer)
}

export async function askJson<T>(method: string, path: string, asked?: Asked): Promise<T> {
  const answer = await ask(method, path, asked)
  return (await answer.json()) as T
}

// A path with its parameters percent-encoded: path`/v1/scene/${key}`.
export function path(parts: TemplateStringsArray, ...values: string[]) {
  return parts.reduce((all, part, i) => all + part + (i < values.length ? encodeURIComponent(values[i]!) : ''), '')
}
