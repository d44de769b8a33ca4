"""What can go wrong, by type."""

from __future__ import annotations

import json
import warnings
from typing import Any, Mapping


class DioramaError(Exception):
    """Everything that this package raises."""


class DioramaWarning(UserWarning):
    """The server took it, but it is probably not meant: a name that it does not know, a matrix column by column …"""


class Malformed(DioramaError):
    """Bytes that are no packet of Diorama."""


class ConnectionFailed(DioramaError):
    """No answer came, however often the request was sent."""


class ApiError(DioramaError):
    """An answer that is not 2xx. `pointer` says where in the body ("" = nowhere), `errors` lists all such
    places as {"pointer", "detail"}; `request_id` finds the request in the server's log. `holder` is the device that
    holds the lock ("" = not said), `retry_after` the seconds after which to try again (0 = not said); `problem` is
    the whole body."""

    def __init__(self, status: int, problem: dict[str, Any], retry_after: int = 0) -> None:
        self.status = status
        self.err_code = int(problem.get("err_code", 0) or 0)
        self.title = str(problem.get("title", ""))
        self.detail = str(problem.get("detail", ""))
        self.errors: list[dict[str, str]] = [e for e in problem.get("errors", []) if isinstance(e, dict)]
        self.pointer = self.errors[0].get("pointer", "") if self.errors else ""
        self.request_id = str(problem.get("request_id", ""))
        self.holder = str(problem.get("holder", "") or "")
        self.retry_after = retry_after
        self.problem = problem
        where = f"{self.pointer}: " if self.pointer else ""
        super().__init__(f"{status} {self.title} {where}{self.detail}".rstrip())


class BadInput(ApiError):
    """400, 413, 422 and other 4xx: the request cannot be done as it is."""


class SignedOut(ApiError):
    """401: no token, or one that has ended."""


class Forbidden(ApiError):
    """403: the user may not do this."""


class NotFound(ApiError):
    """404: not there, or not to be seen by this user."""


class Conflict(ApiError):
    """409, 412: something is in another state than the request says."""


class Locked(ApiError):
    """423: another device holds the lock, or the lease that the request relies on is over."""


class Budget(ApiError):
    """429, 507: beyond what a user may take, or the server can."""


class Unavailable(ApiError):
    """5xx: the server cannot do it now."""


_BY_STATUS: dict[int, type[ApiError]] = {
    401: SignedOut, 403: Forbidden, 404: NotFound, 409: Conflict, 412: Conflict, 423: Locked,
    429: Budget, 507: Budget,
}


def error_of(status: int, content: bytes, retry_after: str = "") -> ApiError:
    """The error that an answer is; its body may be anything. `retry_after` is the header."""
    try:
        problem = json.loads(content)
    except ValueError:
        problem = None
    if not isinstance(problem, dict):
        problem = {"detail": content[:200].decode("utf-8", "replace")}
    kind = _BY_STATUS.get(status, Unavailable if status >= 500 else BadInput)
    return kind(status, problem, int(retry_after) if retry_after.isdecimal() else 0)


def warn_of(answer: Mapping[str, Any], stacklevel: int) -> None:
    """Passes on the warnings of an answer. `stacklevel` 1 is who calls this."""
    for warning in answer.get("warnings", []):
        warnings.warn(f"{warning['pointer']} {warning['detail']}", DioramaWarning, stacklevel + 1)
