"""Streams of server-sent events: whole records, or the delta form."""

from __future__ import annotations

import asyncio
import random
import re
import time
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from ._delta import Delta
from .errors import ConnectionFailed, DioramaError, Forbidden, Malformed, NotFound, SignedOut, error_of
from .packets import EventReader, StreamEvent

if TYPE_CHECKING:
    from .scene import Scene

FIRST_BACKOFF_S, LAST_BACKOFF_S, STEADY_S = 0.5, 15.0, 10.0
SILENCE_S, HEAD_BYTES, PIECE_BYTES = 40.0, 65536, 65536
_RETRY_AFTER = re.compile(rb"\r\nretry-after:[ \t]*([0-9]+)", re.IGNORECASE)
_BREAKS = (OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError, TimeoutError, Malformed,
           KeyError, TypeError, ValueError)


class StreamFeed:
    def __init__(self, scene: Scene) -> None:
        self.scene = scene
        self._delta = Delta(scene) if scene.form == "delta" else None
        self._seq = 0
        self._last_id = ""
        self._first: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._task: asyncio.Task[None] | None = None

    async def open(self) -> None:
        """Returns when the state is there."""
        self._task = asyncio.create_task(self._run())
        await self._first

    async def close(self) -> None:
        if self._task:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
        if self._first.done() and not self._first.cancelled():
            self._first.exception()  # it was told, or nobody waits

    def send(self, message: dict[str, Any]) -> None:
        """There is no socket for datagrams: the newest state goes by HTTP, without waiting."""
        raise DioramaError("the forms sse and delta send nothing by UDP: use save()")

    async def _run(self) -> None:
        failures = 0
        while True:
            began = time.monotonic()
            try:
                await self._follow()
            except (SignedOut, Forbidden) as error:
                return self._stop("signed out", error)
            except NotFound as error:
                return self._stop("gone", error)
            except DioramaError as error:
                if not self._first.done():
                    return self._stop("closed", error)
            except _BREAKS as error:
                if not self._first.done() and failures >= 3:
                    return self._stop("closed", ConnectionFailed(f"the stream: {error!r}"))
            failures = 1 if time.monotonic() - began > STEADY_S else failures + 1
            self.scene.become("reconnecting")
            wait = min(FIRST_BACKOFF_S * 2 ** (failures - 1), LAST_BACKOFF_S)
            await asyncio.sleep(wait * random.uniform(0.5, 1))

    def _stop(self, state: str, error: DioramaError) -> None:
        self.scene.become(state, error)
        if not self._first.done():
            self._first.set_exception(error)

    # --- one connection ---

    def _request(self) -> bytes:
        scene, http = self.scene, self.scene.http
        words: dict[str, Any] = {"convention": scene.convention} if scene.convention else {}
        if self._delta:
            words |= {"form": "delta", "rate": scene.rate, "parts": "objects,properties"}
        headers = http.headers({"Host": http.authority, "Accept": "text/event-stream", "Connection": "close"})
        if self._last_id and not self._delta:
            headers["Last-Event-ID"] = self._last_id
        target = http.prefix + scene.path("events") + ("?" + urlencode(words) if words else "")
        lines = [f"GET {target} HTTP/1.1", *(f"{name}: {value}" for name, value in headers.items())]
        return ("\r\n".join(lines) + "\r\n\r\n").encode()

    async def _follow(self) -> None:
        http = self.scene.http
        async with asyncio.timeout(SILENCE_S):
            reader, writer = await asyncio.open_connection(http.host, http.port, ssl=http.context,
                                                           limit=HEAD_BYTES)
        try:
            writer.write(self._request())
            async with asyncio.timeout(SILENCE_S):
                head = await reader.readuntil(b"\r\n\r\n")
                status = int(head.split(b" ", 2)[1])
                if status != 200:
                    found = _RETRY_AFTER.search(head)
                    raise error_of(status, await reader.read(HEAD_BYTES), found[1].decode() if found else "")
            is_chunked = b"transfer-encoding: chunked" in head.lower()
            events = EventReader()
            while True:
                for event in events.feed(await self._piece(reader, is_chunked)):
                    self._take(event)
        finally:
            writer.close()

    @staticmethod
    async def _piece(reader: asyncio.StreamReader, is_chunked: bool) -> bytes:
        async with asyncio.timeout(SILENCE_S):
            if not is_chunked:
                data = await reader.read(PIECE_BYTES)
            else:
                size = int(await reader.readuntil(b"\r\n"), 16)
                data = (await reader.readexactly(size + 2))[:size]
        if not data:
            raise OSError("the stream ended")
        return data

    # --- events ---

    def _take(self, event: StreamEvent) -> None:
        self._last_id = event.id or self._last_id
        if event.event == "snapshot":
            self._take_snapshot(event.data)
        elif event.event == "changes" and self._delta:
            self._delta.take(event.data)
        elif event.event == "change":
            self._take_change(event.data)
        else:
            self.scene.pass_on({"event": event.event, **event.data})
        self.scene.store.purge(time.monotonic())
        self.scene.become("live")
        if not self._first.done():
            self._first.set_result(None)

    def _take_snapshot(self, data: dict[str, Any]) -> None:
        store = self.scene.store
        if data["epoch"] != store.epoch:
            self._seq = 0
        store.begin(data["epoch"])
        if "server_us" in data:
            self.scene.clock.add(data["server_us"])
        for noun, plural in (("object", "objects"), ("property", "properties")):
            self.scene.tell(store.take_state(noun, data.get(plural, []), self._seq, data["seq"]))
        self._seq = data["seq"]
        self.scene.reads += 1
        if self._delta:
            self._delta.begin(data)

    def _take_change(self, data: dict[str, Any]) -> None:
        prev, self._seq = self._seq, data["seq"]
        store = self.scene.store
        noun = next((noun for noun in ("object", "property") if noun in data), "")
        if not noun:
            self.scene.pass_on(data)
            if "lock" not in data:
                return
            noun = "object"
        record = data.get(noun) or data["lock"]
        if data["msg_type"] in (3, 11):
            self.scene.tell(store.take(data["msg_type"], record["key"], {}, prev, data["seq"]))
        else:
            self.scene.tell(store.take_record(noun, record, prev, data["seq"]))
