"""A server, as an application uses it."""

from __future__ import annotations

import asyncio
import ssl
import uuid
from os import PathLike
from pathlib import Path
from types import TracebackType
from typing import Any, Coroutine, Generator

from .http import Http, Repeat, path_of
from .scene import Scene


class Joining(Coroutine[Any, Any, Scene]):
    """A coroutine that can be entered, too."""

    def __init__(self, coroutine: Coroutine[Any, Any, Scene]) -> None:
        self._coroutine = coroutine
        self._scene: Scene | None = None

    def send(self, value: Any) -> Any:
        return self._coroutine.send(value)

    def throw(self, *error: Any) -> Any:
        return self._coroutine.throw(*error)

    def close(self) -> None:
        self._coroutine.close()

    def __await__(self) -> Generator[Any, None, Scene]:
        return self._coroutine.__await__()

    async def __aenter__(self) -> Scene:
        self._scene = await self
        return self._scene

    async def __aexit__(self, kind: type[BaseException] | None, error: BaseException | None,
                        trace: TracebackType | None) -> None:
        if self._scene:
            await self._scene.close()


class Client:
    """`async with connect(url) as d:`; what was joined is left behind it."""

    def __init__(self, url: str, token: str = "", user: str = "", password: str = "",
                 context: ssl.SSLContext | None = None) -> None:
        self.http = Http(url, token, context)
        self._login = {"username": user, "password": password} if user else None
        self._scenes: list[Scene] = []

    async def __aenter__(self) -> Client:
        if self._login:
            await self.http.call("POST", path_of("login"), self._login, repeat=Repeat.NEVER)
        else:
            await self.http.call("GET", path_of("session"))  # says at once whether a server is there
        return self

    async def __aexit__(self, kind: type[BaseException] | None, error: BaseException | None,
                        trace: TracebackType | None) -> None:
        await self.close()

    async def close(self) -> None:
        for scene in self._scenes:
            await scene.close()
        self._scenes.clear()
        self.http.close()

    def join(self, key: str, *, device: str = "", form: str = "packed", rate: int = 60,
             convention: str = "", create: bool = True) -> Joining:
        """Joins a scene as `device` (drawn if empty): `scene = await d.join(…)`, or `async with d.join(…) as scene`,
        which leaves it. `form`: packed, plain, sealed (UDP), sse, delta (streams); `create`: makes the scene if it is
        not there. Raises NotFound, SignedOut, ConnectionFailed …"""
        return Joining(self._join(Scene(self.http, key, device=device, form=form, rate=rate, convention=convention),
                                  create))

    async def _join(self, scene: Scene, create: bool) -> Scene:
        try:
            await scene.open(create)
        except BaseException:
            await scene.close()
            raise
        self._scenes.append(scene)
        return scene

    async def upload(self, file: bytes | str | PathLike[str], name: str = "", asset: str | None = None) -> str:
        """Stores bytes, or the file at a path, as a new asset or as the next version of `asset`; its key. `name` is
        that of the file: its end tells the type where the bytes do not."""
        content = file if isinstance(file, bytes) else await asyncio.to_thread(Path(file).read_bytes)
        name = name or ("" if isinstance(file, bytes) else Path(file).name) or "file"
        boundary = uuid.uuid4().hex
        escaped = name.replace('"', "%22").replace("\r", "%0D").replace("\n", "%0A")
        head = f'--{boundary}\r\nContent-Disposition: form-data; name="file"; filename="{escaped}"\r\n\r\n'
        key = await self.http.call("POST", path_of("asset", *([asset] if asset else [])),
                                   b"".join((head.encode(), content, f"\r\n--{boundary}--\r\n".encode())),
                                   repeat=Repeat.KEYED,
                                   headers={"Content-Type": f"multipart/form-data; boundary={boundary}"})
        return str(key).strip()

    async def download(self, key: str) -> bytes:
        """The bytes of an asset."""
        return (await self.http.ask("GET", path_of("asset", key)))[1]

    async def call(self, method: str, path: str, body: Any = None, *, repeat: Repeat | None = None,
                   content_type: str = "", **query: Any) -> Any:
        """Any other request; a POST has an Idempotency-Key unless `repeat` says otherwise. Bytes are sent as they
        are, with `content_type`; an answer that is no JSON is text."""
        usual = Repeat.KEYED if method == "POST" else Repeat.SAFE
        return await self.http.call(method, path, body, query=query, repeat=repeat or usual,
                                    headers={"Content-Type": content_type} if content_type else None)


def connect(url: str, *, token: str = "", user: str = "", password: str = "",
            context: ssl.SSLContext | None = None) -> Client:
    """A server at an address such as http://127.0.0.1:8080; with a token, or a user who logs in."""
    return Client(url, token, user, password, context)
