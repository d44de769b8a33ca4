"""The UDP forms: packed, plain, sealed. Joining, gaps, the proof of the socket."""

from __future__ import annotations

import asyncio
import random
import socket
import time
from typing import TYPE_CHECKING, Any

from . import packets
from ._gaps import Gaps
from ._store import is_event
from .errors import DioramaError, Forbidden, Malformed, NotFound, SignedOut
from .sealing import FIRST_BYTE, Seal

if TYPE_CHECKING:
    from .scene import Scene

TICK_S = 0.02
READ_REST_S = 1.0
SILENCE_S = 65.0  # three HELLOs without an answer: the registration is gone
HELLO_FIRST_S, HELLO_LAST_S = 0.5, 20.0
FIRST_BACKOFF_S, LAST_BACKOFF_S = 0.5, 15.0
LATE_EVENTS = 65536  # kept while the state is being read; more are dropped, and it is read again


class UdpFeed(asyncio.DatagramProtocol):
    def __init__(self, scene: Scene, scheme: str) -> None:
        self.scene, self.scheme = scene, scheme
        self.is_packed = scheme != "udp"
        self.gaps = Gaps()
        self.token = ""
        self.seal: Seal | None = None
        self.must_read, self.is_reading, self._must_register = True, False, False
        self._kept: list[bytes] = []
        self._transport: asyncio.DatagramTransport | None = None
        self._server: tuple[str, int] = ("", 0)
        self._hello_at, self._hello_wait = 0.0, HELLO_FIRST_S
        self._must_prove, self._heard = False, time.monotonic()
        self._connection = ""
        self._read_at, self._failures = 0.0, 0
        self._tasks: list[asyncio.Task[None]] = []

    # --- joining and leaving ---

    async def open(self) -> None:
        loop = asyncio.get_running_loop()
        http = self.scene.http
        place = (await loop.getaddrinfo(http.host, http.port, type=socket.SOCK_DGRAM))[0]
        with socket.socket(place[0], socket.SOCK_DGRAM) as probe:  # which of our addresses leads there
            probe.connect(place[4])
            host = probe.getsockname()[0]
        self._transport, _ = await loop.create_datagram_endpoint(lambda: self, local_addr=(host, 0),
                                                                 family=place[0])
        underlying = self._transport.get_extra_info("socket")
        underlying.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4 << 20)
        port = underlying.getsockname()[1]
        words = f"rate={self.scene.rate}&tail=1" if self.is_packed else "tail=1"
        self._connection = f"{self.scheme}://{f'[{host}]' if ':' in host else host}:{port}?{words}"
        await self._register()
        await self._read()
        self._tasks = [asyncio.create_task(self._run())]

    async def _register(self) -> None:
        answer = await self.scene.register(self._connection)
        feed = answer.get("udp", {})
        self.token = str(feed.get("token", ""))
        self.seal = Seal(feed["seal_id"], feed["seal_key"]) if "seal_key" in feed else None
        host = str(answer.get("event_destination_host") or self.scene.http.host)
        place = (await asyncio.get_running_loop().getaddrinfo(
            host, int(answer["event_destination_port"]), type=socket.SOCK_DGRAM))[0]
        self._server = place[4][:2]
        self._must_prove, self._hello_wait = feed.get("state") != "active", HELLO_FIRST_S
        self._heard = time.monotonic()
        self._hello_at = 0.0 if self._must_prove else time.monotonic() + HELLO_LAST_S

    async def close(self) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        if self._transport:
            self._transport.close()

    # --- sending ---

    def send(self, message: dict[str, Any]) -> None:
        if self.token:
            message = {**message, "token": self.token}
        self._send(packets.text_of(message))

    def _send(self, content: bytes) -> None:
        if self._transport and not self._transport.is_closing():
            self._transport.sendto(self.seal.seal(content) if self.seal else content, self._server)

    def _say_hello(self, now: float) -> None:
        if now < self._hello_at:
            return
        self._send(packets.hello("" if self.seal else self.token, self.seal.draw_nonce() if self.seal else ""))
        self._hello_at = now + (self._hello_wait if self._must_prove else HELLO_LAST_S)
        self._hello_wait = min(2 * self._hello_wait, HELLO_LAST_S)

    # --- what arrives ---

    def datagram_received(self, data: bytes, addr: Any) -> None:
        self._heard = time.monotonic()
        try:
            if self.seal:
                self._open(data)
            elif data[:1] != bytes([FIRST_BYTE]):
                self._arrive(data)
        except (Malformed, KeyError, TypeError):
            pass  # not from this server, or broken on the way: a gap shows it

    def error_received(self, exc: Exception) -> None:
        pass  # nobody is there just now; HELLO goes on

    def _open(self, data: bytes) -> None:
        assert self.seal
        opened = self.seal.open(data)
        if opened is None:
            return
        content, is_foreign = opened
        if not is_foreign:
            self._arrive(content)
            return
        told = packets.read_plain(content) if content[:1] == b"{" else {}
        if told.get("msg_type") == packets.CHALLENGE and told.get("nonce") == self.seal.nonce != "":
            self.seal.admit_of(data)
            self._arrive(content)
            self._lose_track()
        else:
            self._hello_at = min(self._hello_at, time.monotonic())
            self._say_hello(time.monotonic())

    def _arrive(self, content: bytes) -> None:
        if self.is_reading and len(self._kept) < LATE_EVENTS:
            self._kept.append(content)
        if content[:1] == b"{" and self._take_control(packets.read_plain(content)):
            return
        if not self.is_reading:
            self._take(content)

    def _take_control(self, told: dict[str, Any]) -> bool:
        if told["msg_type"] == packets.CHALLENGE:
            self._send(packets.echo(str(told["challenge"]), "" if self.seal else self.token))
            self._must_prove = False
            self._hello_at = time.monotonic() + HELLO_LAST_S
            return True
        if told["msg_type"] == packets.REFUSED:
            self._refused(int(told["from"]), told.get("reason") == "too_old")
            return True
        if told["msg_type"] == packets.TAIL:
            self._note(int(told["epoch"]), int(told["seq"]), int(told["seq"]))
            return True
        return False

    def _take(self, content: bytes) -> None:
        if not self.is_packed:
            event = packets.read_plain(content)
            if is_event(event["msg_type"]):
                self.scene.tell(self.scene.store.take_plain(event))
                self.must_read |= bool(event.get("truncated"))
                self._note(self.scene.store.epoch, int(event["prev"]), int(event["seq"]))
            return
        told = packets.read_packed(content)
        if told.epoch != self.scene.store.epoch:
            self._note(told.epoch, told.prev, told.seq)
            return
        if told.note:
            self._refused(told.note[1], told.note[2] == 0)
        for change in told.changes:
            members = {name: value for name, value in change.items() if name not in ("msg_type", "key", "truncated")}
            if is_event(change["msg_type"]):
                self.scene.tell(self.scene.store.take(change["msg_type"], change["key"], members, told.prev,
                                                      told.seq))
            self.must_read |= "truncated" in change
        self._note(told.epoch, told.prev, told.seq)

    def _note(self, epoch: int | None, prev: int, seq: int) -> None:
        if epoch != self.scene.store.epoch:
            self._must_register = True
            self._lose_track()
            return
        # The plain form has no epoch: numbers that begin again are those of another start.
        if not self.is_packed and self.gaps.got > seq + 1024:
            self._lose_track()
            return
        self.gaps.note(prev, seq, time.monotonic())

    def _refused(self, first: int, is_too_old: bool) -> None:
        self.must_read |= is_too_old and first > self.gaps.got

    def _lose_track(self) -> None:
        self.must_read = True

    # --- turns ---

    async def _run(self) -> None:
        while True:
            await asyncio.sleep(TICK_S)
            now = time.monotonic()
            self._say_hello(now)
            wish = self.gaps.wish(now)
            self.must_read |= wish == "read" or now - self._heard > SILENCE_S
            if isinstance(wish, tuple):
                self._send(packets.ask(*wish, "" if self.seal else self.token))
            self.scene.store.purge(now)
            if self.must_read and now >= self._read_at:
                await self._read_guarded(now)
            elif not self.must_read:
                self.scene.gaps = self.gaps.holes
                self.scene.become("catching up" if self.gaps.is_open else "live")

    async def _read_guarded(self, now: float) -> None:
        self._must_register |= now - self._heard > SILENCE_S
        try:
            await self._read()
            self._read_at, self._failures = time.monotonic() + READ_REST_S, 0
        except (SignedOut, Forbidden) as error:
            await self._stop("signed out", error)
        except NotFound as error:
            await self._stop("gone", error)
        except DioramaError:
            self._failures += 1
            wait = min(FIRST_BACKOFF_S * 2 ** (self._failures - 1), LAST_BACKOFF_S) * random.uniform(0.5, 1)
            self._read_at = time.monotonic() + wait
            self.scene.become("reconnecting")

    async def _stop(self, state: str, error: DioramaError) -> None:
        self.scene.become(state, error)
        await asyncio.Event().wait()  # until close()

    async def _read(self) -> None:
        """Reads the scene; what arrives meanwhile is taken afterwards."""
        self.scene.become("catching up")
        self.must_read, self.is_reading = False, True
        self._kept.clear()
        is_new = self._must_register
        try:
            if is_new:
                await self._register()  # it proves the socket, too
                self._must_register = False
            epoch, seq, states = await self.scene.read()
        except BaseException:
            self.must_read = True
            raise
        finally:
            self.is_reading = False
        store = self.scene.store
        if epoch != store.epoch:
            self._must_register = self.must_read = store.epoch is not None and not is_new
            self.gaps.begin()
        store.begin(epoch)
        for noun, number, records in states:
            self.scene.tell(store.take_state(noun, records, self.gaps.got, number))
        self.gaps.absorb(seq)
        kept, self._kept = self._kept, []
        for content in kept:
            try:
                self._take(content)
            except (Malformed, KeyError, TypeError):
                continue
        if not self.must_read:
            self.scene.become("catching up" if self.gaps.is_open else "live")
