"""Leases: locks that end by themselves, renewed while a block runs."""

from __future__ import annotations

import asyncio
import time
from types import TracebackType
from typing import TYPE_CHECKING, Any

from .errors import ApiError, DioramaError, Locked

if TYPE_CHECKING:
    from .entity import Entity


class Lock:
    """The lease of an object. `is_lost` tells that it ended although the block still runs, `lost` waits for that."""

    def __init__(self, entity: Entity, lease_s: float, force: bool) -> None:
        self.entity, self.lease_s, self.force = entity, max(1, int(lease_s)), force
        self.fence = 0
        self.lost = asyncio.Event()
        self._until = 0.0
        self._task: asyncio.Task[None] | None = None

    @property
    def is_lost(self) -> bool:
        return self.lost.is_set()

    async def __aenter__(self) -> Lock:
        await self._take(self.force)
        self._task = asyncio.create_task(self._renew())
        return self

    async def __aexit__(self, kind: type[BaseException] | None, error: BaseException | None,
                        trace: TracebackType | None) -> None:
        assert self._task
        self._task.cancel()
        await asyncio.gather(self._task, return_exceptions=True)
        if self.is_lost:
            return
        self.entity.fence = None
        scene = self.entity.scene
        await scene.http.call("DELETE", self._path(), query={"device": scene.device})

    def _path(self) -> str:
        return self.entity.scene.path("object", self.entity.key, "lock")

    async def _take(self, force: bool) -> None:
        scene = self.entity.scene
        asked = time.monotonic()
        body: dict[str, Any] = {"device": scene.device, "lease_s": self.lease_s}
        if force:
            body["force"] = True
        answer = await scene.http.call("PUT", self._path(), body)
        self.fence = int(answer["fence"])
        self._until = asked + self.lease_s  # not later than the server has it
        self.entity.fence = self.fence

    async def _renew(self) -> None:
        while True:
            await asyncio.sleep(self.lease_s / 3)
            try:
                await self._take(False)
            except Locked:
                break
            except ApiError as error:
                if error.status < 500 and error.status != 429:
                    break
            except DioramaError:
                pass
            if time.monotonic() >= self._until:
                break
        self.entity.fence = None
        self.lost.set()
