/** Everything that this package throws. */
export class DioramaError extends Error {
  override name = 'DioramaError'
}

/** Bytes or texts that are no packet of Diorama. */
export class Malformed extends DioramaError {
  override name = 'Malformed'
}

/** No answer came, or it broke off. */
export class ConnectionFailed extends DioramaError {
  override name = 'ConnectionFailed'
}

export interface Place {
  pointer: string
  detail: string
}

/** An answer that is not 2xx: `pointer` says where in the body ('' = nowhere), `requestId` finds it in the log. `holder` is the
 * device that holds the lock ('' = not said), `retryAfter` are the seconds to wait before it is asked again (0 = not said). */
export class ApiError extends DioramaError {
  override name = 'ApiError'
  readonly errCode: number
  readonly title: string
  readonly detail: string
  readonly errors: readonly Place[]
  readonly pointer: string
  readonly requestId: string
  readonly holder: string

  constructor(readonly status: number, readonly problem: Record<string, unknown>, readonly retryAfter = 0) {
    const errors = Array.isArray(problem['errors']) ? (problem['errors'] as Place[]) : []
    const pointer = errors[0]?.pointer ?? ''
    super(`${status} ${problem['title'] ?? ''} ${pointer ? pointer + ': ' : ''}${problem['detail'] ?? ''}`.trim())
    this.errCode = Number(problem['err_code'] ?? 0)
    this.title = String(problem['title'] ?? '')
    this.detail = String(problem['detail'] ?? '')
    this.requestId = String(problem['request_id'] ?? '')
    this.holder = String(problem['holder'] ?? '')
    this.errors = errors
    this.pointer = pointer
  }
}

/** 400, 413, 422 and other 4xx. */
export class BadInput extends ApiError { override name = 'BadInput' }
/** 401: no token, or one that has ended. */
export class SignedOut extends ApiError { override name = 'SignedOut' }
/** 403: the user may not do this. */
export class Forbidden extends ApiError { override name = 'Forbidden' }
/** 404: not there, or not to be seen by this user. */
export class NotFound extends ApiError { override name = 'NotFound' }
/** 409, 412: something is in another state than the request says. */
export class Conflict extends ApiError { override name = 'Conflict' }
/** 423: another device holds the lock, or the lease is over. */
export class Locked extends ApiError { override name = 'Locked' }
/** 429, 507: beyond what a user may take. */
export class Budget extends ApiError { override name = 'Budget' }
/** 5xx: the server cannot do it now. */
export class Unavailable extends ApiError { override name = 'Unavailable' }

const byStatus: Record<number, typeof ApiError> = {
  401: SignedOut, 403: Forbidden, 404: NotFound, 409: Conflict, 412: Conflict, 423: Locked, 429: Budget, 507: Budget,
}

/** The error that an answer is; its body may be anything. `retryAfter`: what the header of that name says. */
export function errorOf(status: number, text: string, retryAfter: string | null = null): ApiError {
  let problem: unknown
  try {
    problem = JSON.parse(text)
  } catch {
    problem = undefined
  }
  const record = typeof problem === 'object' && problem !== null && !Array.isArray(problem)
    ? (problem as Record<string, unknown>) : { detail: text.slice(0, 200) }
  const Kind = byStatus[status] ?? (status >= 500 ? Unavailable : BadInput)
  return new Kind(status, record, /^\d+$/.test(retryAfter ?? '') ? Number(retryAfter) : 0)
}
