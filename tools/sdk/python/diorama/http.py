"""Requests to one server: connections that stay, errors by type, and only what is safe sent again."""

from __future__ import annotations

import asyncio
import http.client
import json
import random
import ssl
import threading
import uuid
from enum import Enum
from typing import Any, Mapping
from urllib.parse import quote, urlencode, urlsplit

from .errors import ApiError, ConnectionFailed, error_of
from .packets import json_of

TRIES, FIRST_WAIT_S, TIMEOUT_S = 5, 0.2, 30.0
STILL_RUNS = 124  # err_code of a repeat while the first request runs


class Repeat(Enum):
    """Whether a request may be sent again."""

    SAFE = "it changes nothing, or the same twice"
    KEYED = "with an Idempotency-Key, drawn here"
    NEVER = "it must not happen twice"


def path_of(*parts: str) -> str:
    """/v1/… with each part percent-encoded."""
    return "/v1/" + "/".join(quote(part, safe="") for part in parts)


def _said(media_type: str, content: bytes) -> Any:
    """What an answer of 2xx says."""
    media_type = media_type.partition(";")[0].strip().lower()
    if not content.strip():
        return None
    if media_type == "application/json" or media_type.endswith("+json"):
        return json.loads(content)
    return content.decode("utf-8", "replace")


class Http:
    def __init__(self, url: str, token: str = "", context: ssl.SSLContext | None = None) -> None:
        place = urlsplit(url if "//" in url else "http://" + url)
        if place.scheme not in ("http", "https") or not place.hostname:
            raise ValueError(f"{url} is no address like http://127.0.0.1:8080")
        self.host, self.is_tls = place.hostname, place.scheme == "https"
        self.port = place.port or (443 if self.is_tls else 80)
        self.prefix = place.path.rstrip("/")
        self.context = (context or ssl.create_default_context()) if self.is_tls else None
        self.token = token
        self._idle: list[http.client.HTTPConnection] = []
        self._lock = threading.Lock()

    @property
    def authority(self) -> str:
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"

    def headers(self, more: Mapping[str, str] | None = None) -> dict[str, str]:
        return {**({"Authorization": f"Bearer {self.token}"} if self.token else {}), **(more or {})}

    def close(self) -> None:
        with self._lock:
            idle, self._idle = self._idle, []
        for connection in idle:
            connection.close()

    # --- one try, in a thread ---

    def _connection(self) -> http.client.HTTPConnection:
        with self._lock:
            if self._idle:
                return self._idle.pop()
        if self.context:
            return http.client.HTTPSConnection(self.host, self.port, timeout=TIMEOUT_S, context=self.context)
        return http.client.HTTPConnection(self.host, self.port, timeout=TIMEOUT_S)

    def _try(self, method: str, path: str, body: bytes | None,
             headers: dict[str, str]) -> tuple[int, Mapping[str, str], bytes]:
        connection = self._connection()
        try:
            connection.request(method, self.prefix + path, body, headers)
            answer = connection.getresponse()
            content = answer.read()
        except BaseException:
            connection.close()
            raise
        if answer.will_close:
            connection.close()
        else:
            with self._lock:
                self._idle.append(connection)
        return answer.status, {name.lower(): value for name, value in answer.headers.items()}, content

    # --- a request ---

    async def call(self, method: str, path: str, body: Any = None, *, query: Mapping[str, Any] | None = None,
                   repeat: Repeat = Repeat.SAFE, headers: Mapping[str, str] | None = None) -> Any:
        """The JSON of the answer; text, if it is none (None: it has no body). Raises ApiError and ConnectionFailed."""
        received, content = await self.ask(method, path, body, query=query, repeat=repeat, headers=headers)
        return _said(received.get("content-type", ""), content)

    async def ask(self, method: str, path: str, body: Any = None, *, query: Mapping[str, Any] | None = None,
                  repeat: Repeat = Repeat.SAFE,
                  headers: Mapping[str, str] | None = None) -> tuple[Mapping[str, str], bytes]:
        """The same, as headers and bytes. Bytes are sent as they are."""
        words = {name: value for name, value in (query or {}).items() if value not in (None, "")}
        target = path + ("?" + urlencode(words) if words else "")
        sent, data = self.headers(headers), None
        if body is not None:
            is_bytes = isinstance(body, (bytes, bytearray, memoryview))
            data = bytes(body) if is_bytes else json_of(body, True)
            sent.setdefault("Content-Type", "application/octet-stream" if is_bytes else "application/json")
        if repeat is Repeat.KEYED:
            sent["Idempotency-Key"] = str(uuid.uuid4())
        for left in reversed(range(TRIES)):
            try:
                status, received, content = await asyncio.to_thread(self._try, method, target, data, sent)
            except (OSError, http.client.HTTPException) as failure:
                if repeat is Repeat.NEVER or not left:
                    raise ConnectionFailed(f"{method} {path}: {failure!r}") from failure
                await self._rest(TRIES - left, 0)
                continue
            if 200 <= status < 300:
                self._note_token(received)
                return received, content
            failure_now = error_of(status, content, received.get("retry-after", ""))
            if not left or not self._may_repeat(failure_now, repeat):
                raise failure_now
            await self._rest(TRIES - left, failure_now.retry_after)
        raise AssertionError("unreachable")

    def _note_token(self, headers: Mapping[str, str]) -> None:
        token = headers.get("authorization", "")
        if token.startswith("Bearer "):
            self.token = token.removeprefix("Bearer ")

    @staticmethod
    def _may_repeat(failure: ApiError, repeat: Repeat) -> bool:
        if repeat is Repeat.NEVER:
            return False
        return failure.status in (429, 503) or failure.err_code == STILL_RUNS

    @staticmethod
    async def _rest(count: int, retry_after: int) -> None:
        wait = FIRST_WAIT_S * 2 ** (count - 1) * random.uniform(0.5, 1)
        await asyncio.sleep(max(wait, min(retry_after, TIMEOUT_S)))
