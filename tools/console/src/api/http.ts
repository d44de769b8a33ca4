// Requests to the server, by its client for TypeScript, and what all screens do about their answers.
import { ApiError, ConnectionFailed, Http, type RequestOptions } from 'diorama-client'

let ahead = 0 // milliseconds by which the clock of the server is ahead of ours, where that is much

// The time of the server, milliseconds of the calendar: to a second.
export const serverNow = () => Date.now() + ahead

function compareClocks(answer: Response) {
  const said = Date.parse(answer.headers.get('Date') ?? '')
  if (!Number.isNaN(said)) ahead = Math.abs(said - Date.now()) > 2000 ? said - Date.now() : 0
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

async function look(...request: Parameters<typeof fetch>) {
  const answer = await fetch(...request)
  compareClocks(answer)
  if (answer.status === 401) onSignedOut()
  if (answer.status === 507) onFull()
  return answer
}

let http: Http | undefined

// The server that this page is from.
export const server = () => (http ??= new Http(location.origin, '', look))

export function ask(method: string, path: string, asked?: RequestOptions): Promise<Response> {
  return server().request(method, path, asked)
}

export async function askJson<T>(method: string, path: string, asked?: RequestOptions): Promise<T> {
  const answer = await ask(method, path, asked)
  return (await answer.json()) as T
}

// A path with its parameters percent-encoded: path`/v1/scene/${key}`.
export function path(parts: TemplateStringsArray, ...values: string[]) {
  return parts.reduce((all, part, i) => all + part + (i < values.length ? encodeURIComponent(values[i]!) : ''), '')
}

// --- what refused a request ---

// 0: it was not answered, or the console failed.
export const statusOf = (failure: unknown) => (failure instanceof ApiError ? failure.status : 0)

// Nobody answers just now: asking again helps.
export const isAway = (failure: unknown) => failure instanceof ConnectionFailed || statusOf(failure) === 503

// How long to wait before that, milliseconds.
export const waitOf = (failure: unknown) => 1000 * Math.max(failure instanceof ApiError ? failure.retryAfter : 0, 1)

export function refusalOf(failure: unknown): string {
  if (failure instanceof ApiError) return failure.detail || failure.title || `Refused (${failure.status})`
  return failure instanceof ConnectionFailed ? 'The server does not answer.' : String(failure)
}

// What is wrong with the members of a record.
export const faultsOf = (failure: unknown) => (failure instanceof ApiError ? failure.errors : [])
