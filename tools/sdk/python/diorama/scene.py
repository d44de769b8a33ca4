"""A joined scene: its entities, its changes, its state."""

from __future__ import annotations

import asyncio
import secrets
from typing import Any, Callable, Iterable, Iterator, Mapping

from ._store import Store
from ._stream import StreamFeed
from ._udp import UdpFeed
from .clock import Clock
from .entity import Change, Entity, Saved
from .errors import DioramaError, NotFound, warn_of
from .http import Http, Repeat, path_of

MERGED_BEYOND = 1024  # changes that wait for the application
STATES = ("live", "catching up", "reconnecting", "signed out", "gone", "closed")
_UDP_FORMS = {"packed": "udp+msgpack", "plain": "udp", "sealed": "udp+sealed"}


class Scene:
    """Iterate over it for the changes since it was joined. Whoever does not for a while gets them merged: each
    entity in its newest state."""

    def __init__(self, http: Http, key: str, *, device: str, form: str, rate: int, convention: str) -> None:
        if form not in (*_UDP_FORMS, "sse", "delta"):
            raise ValueError(f"{form} is no form: packed, plain, sealed, sse, delta")
        self.http, self.key, self.form, self.rate, self.convention = http, key, form, rate, convention
        self.device = device or f"py-{secrets.token_hex(6)}"
        self.state = "catching up"
        self.clock = Clock()
        self.gaps = self.reads = 0
        self.on_state: Callable[[str], None] | None = None
        self.on_event: Callable[[dict[str, Any]], None] | None = None  # of scene, devices, locks, alignment
        self.store = Store(self)
        self._feed: UdpFeed | StreamFeed | None = None
        self._changes: list[Change] = []
        self._arrived = asyncio.Event()
        self._failure: DioramaError | None = None

    # --- joining ---

    async def open(self, create: bool) -> None:
        try:
            await self.http.call("GET", self.path())
        except NotFound:
            if not create:
                raise
            await self.http.call("PUT", self.path(), {"scenes": [{"name": self.key}]})
        if self.form in _UDP_FORMS:
            feed: UdpFeed | StreamFeed = UdpFeed(self, _UDP_FORMS[self.form])
        else:
            await self.register("")
            feed = StreamFeed(self)
        self._feed = feed
        await feed.open()

    async def register(self, connection_string: str) -> dict[str, Any]:
        """Registers the device anew; the answer."""
        device: dict[str, Any] = {"key": self.device}
        if connection_string:
            device["connection_string"] = connection_string
        if self.convention:
            device["convention"] = self.convention
        answer = await self.http.call("POST", self.path("register"),
                                      {"scenes": [{"key": self.key, "devices": [device]}]})
        assert isinstance(answer, dict)
        return answer

    async def close(self) -> None:
        """Leaves the scene. Changes that wait can still be taken."""
        feed, self._feed = self._feed, None
        if feed:
            await feed.close()
            try:
                await self.http.call("POST", self.path("deregister"),
                                     {"scenes": [{"key": self.key, "devices": [{"key": self.device}]}]})
            except DioramaError:
                pass  # nobody is there to be told, or it is gone
        self.become("closed")

    # --- what is known ---

    def path(self, *parts: str) -> str:
        return path_of("scene", self.key, *parts)

    def __iter__(self) -> Iterator[Entity]:
        return iter([entity for entity in self.store.entities.values() if entity.exists])

    def __getitem__(self, key: str) -> Entity:
        entity = self.store.entities[key]
        if not entity.exists:
            raise KeyError(key)
        return entity

    @property
    def objects(self) -> list[Entity]:
        return [entity for entity in self if entity.noun == "object"]

    @property
    def properties(self) -> list[Entity]:
        return [entity for entity in self if entity.noun == "property"]

    def find(self, **members: Any) -> Entity | None:
        """The first entity that shows these members."""
        return next((entity for entity in self
                     if all(entity.get(name) == value for name, value in members.items())), None)

    # --- changes ---

    def __aiter__(self) -> Scene:
        return self

    async def __anext__(self) -> Change:
        while not self._changes:
            if self._failure:
                raise self._failure
            if self.state == "closed":
                raise StopAsyncIteration
            self._arrived.clear()
            await self._arrived.wait()
        return self._changes.pop(0)

    def tell(self, changes: Iterable[Change]) -> None:
        """Changes for the application."""
        self._changes.extend(changes)
        if len(self._changes) > MERGED_BEYOND:
            self._changes = merged(self._changes)
        if self._changes:
            self._arrived.set()

    def pass_on(self, event: dict[str, Any]) -> None:
        """An event that is of no entity."""
        if self.on_event:
            self.on_event(event)

    def become(self, state: str, failure: DioramaError | None = None) -> None:
        self._failure = failure or self._failure
        if state == self.state or self.state == "closed":
            return
        self.state = state
        self._arrived.set()
        if self.on_state:
            self.on_state(state)

    # --- writing ---

    def _written(self, entity: Entity | None = None) -> dict[str, str]:
        return {"X-Fence": str(entity.fence)} if entity and entity.fence else {}

    @property
    def _asking(self) -> dict[str, Any]:
        return {"convention": self.convention, "device": self.device}

    async def create(self, *, noun: str = "object", **members: Any) -> Entity:
        """Makes an object, or a property; on disk when it returns. Warns (DioramaWarning) of what the server took but
        is probably not meant."""
        if noun not in ("object", "property"):
            raise DioramaError("noun is object or property")
        Entity.check(members)
        plural = "objects" if noun == "object" else "properties"
        answer = await self.http.call("POST", self.path(noun), {plural: [members]}, query=self._asking,
                                      repeat=Repeat.KEYED)
        record = answer[plural][0]
        entity = self.store.entity(noun, record["key"])
        if not entity.exists:  # its event may have come before the answer
            entity.begin({**members, **record}, self.store.number_of(answer))
        warn_of(answer, 2)
        return entity

    async def save(self, entity: Entity, members: Mapping[str, Any], saved: Saved) -> dict[str, Any]:
        """The answer."""
        plural = "objects" if entity.noun == "object" else "properties"
        answer = await self.http.call("POST", self.path(entity.noun, entity.key), {plural: [dict(members)]},
                                      query=self._asking, repeat=Repeat.KEYED, headers=self._written(entity))
        self.tell(self.store.take_answer(entity, answer[plural][0], self.store.number_of(answer), saved))
        assert isinstance(answer, dict)
        return answer

    async def delete(self, entity: Entity) -> None:
        await self.http.call("DELETE", self.path(entity.noun, entity.key), query=self._asking,
                             headers=self._written(entity))

    def send_update(self, entity: Entity, members: Mapping[str, Any]) -> None:
        if not self._feed:
            raise DioramaError("the scene is closed")
        message: dict[str, Any] = {"msg_type": 9 if entity.noun == "property" else 1, "key": entity.key}
        if entity.noun == "property":
            message["scene"] = self.key
        if entity.fence:
            message["fence"] = entity.fence
        self._feed.send({**message, **members})

    # --- reading it whole ---

    async def _records(self, noun: str) -> tuple[int, int, list[dict[str, Any]]]:
        plural = "objects" if noun == "object" else "properties"
        place: tuple[int, int] | None = None
        records: list[dict[str, Any]] = []
        start: int | None = 0
        while start is not None:
            page = await self.http.call("POST", self.path(noun, "query"), {},
                                        query={"num_records": 1000, "start_record": start or None,
                                               "convention": self.convention})
            place = place or (page["epoch"], page["seq"])
            records += page[plural]
            start = page.get("next_start_record")
        assert place
        return *place, records

    async def read(self) -> tuple[int, int, list[tuple[str, int, list[dict[str, Any]]]]]:
        """Epoch, up to which seq all is in it, and the records of both nouns with their seq."""
        while True:
            epoch, seq, objects = await self._records("object")
            again, later, properties = await self._records("property")
            if epoch == again:
                self.reads += 1
                return epoch, min(seq, later), [("object", seq, objects), ("property", later, properties)]


def merged(changes: list[Change]) -> list[Change]:
    """One change an entity, in the order of the newest."""
    newest: dict[int, Change] = {}
    for change in changes:
        before = newest.pop(id(change.object), None)
        if before is None:
            newest[id(change.object)] = change
            continue
        kind = change.kind
        if before.kind == "created" and kind == "updated":
            kind = "created"
        elif before.kind == "deleted" and kind == "created":
            kind = "updated"
        newest[id(change.object)] = Change(kind, change.object, before.members | change.members,
                                           before.prev, change.seq)
    return list(newest.values())
