"""All entities of a scene, and the rule by which they change (proto/feed/README.md)."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, Iterable, Mapping

from .entity import WHOLE, Change, Entity, Saved
from .packets import CREATED, DELETED, OF_PROPERTIES, noun_of

if TYPE_CHECKING:
    from .scene import Scene

NOT_PLAIN = ("translation_handle", "rotation_handle", "scale_handle", "asset_sub_id", "actions")
TOMBSTONE_S, PURGE_S = 60.0, 10.0


class Store:
    def __init__(self, scene: Scene) -> None:
        self.scene = scene
        self.entities: dict[str, Entity] = {}
        self.epoch: int | None = None  # the start of the server whose numbers these are
        self._seq = 0  # of the newest event
        self._purge_at = 0.0

    def entity(self, noun: str, key: str) -> Entity:
        if key not in self.entities:
            self.entities[key] = Entity(self.scene, noun, key)
        return self.entities[key]

    def _compare(self, entity: Entity, before: Mapping[str, Any], prev: int, seq: int) -> Iterable[Change]:
        after = entity.members if entity.exists else {}
        names = frozenset(name for name in {**before, **after} if before.get(name) != after.get(name))
        if entity.exists != entity.is_told:
            entity.is_told = entity.exists
            yield Change("created" if entity.exists else "deleted", entity, names, prev, seq)
        elif entity.exists and names:
            yield Change("updated", entity, names, prev, seq)

    def take(self, msg_type: int, key: str, members: Mapping[str, Any], prev: int, seq: int,
             is_whole: bool = False) -> Iterable[Change]:
        """An event from 0 to 30. `is_whole`: all members are there, absent ones were removed."""
        self._seq = max(self._seq, seq)
        entity = self.entity(noun_of(msg_type), key)
        before = entity.members if entity.is_told else {}
        if msg_type in DELETED:
            entity.bury(seq)
            entity.exists = entity.exists and entity.has_word()
        else:
            entity.take(members, seq, time.monotonic())
            if entity.has_word() and (msg_type in CREATED or is_whole):
                entity.exists = True
        return self._compare(entity, before, prev, seq)

    def take_plain(self, event: Mapping[str, Any]) -> Iterable[Change]:
        """A plain datagram that is an event."""
        msg_type, seq = event["msg_type"], event["seq"]
        names = [name for name in WHOLE[noun_of(msg_type)] if name not in (*NOT_PLAIN, "lock")]
        if event.get("truncated"):
            names = [name for name in names if name in event and name not in ("assets", "tags", "extras")]
        members = {name: event.get(name) for name in names}
        if msg_type >= 15 and not event.get("truncated"):
            members["actions"] = event.get("actions")
        return self.take(msg_type, event["key"], members, event["prev"], seq, True)

    def take_record(self, noun: str, record: Mapping[str, Any], prev: int, seq: int) -> Iterable[Change]:
        """A whole record, of a stream or of an answer."""
        members = {name: record.get(name) for name in WHOLE[noun]}
        return self.take(8 if noun == "property" else 0, record["key"], members, prev, seq, True)

    def number_of(self, answer: Mapping[str, Any]) -> int | None:
        """Up to which event an answer says how things are. None: it does not say so, or counts as another start of the
        server."""
        return answer.get("seq") if answer.get("epoch") == self.epoch else None

    def take_answer(self, entity: Entity, record: Mapping[str, Any], seq: int | None, saved: Saved) -> Iterable[Change]:
        """The whole record that a write was answered with, but for its lock, which writing does not change. Its event,
        which may come later, says nothing new then."""
        before = entity.members
        entity.confirm({name: record.get(name) for name in WHOLE[entity.noun] if name != "lock"}, seq, saved)
        if not (entity.exists and entity.is_told):
            return ()
        return self._compare(entity, before, self._seq, max(self._seq, seq or 0))

    def take_state(self, noun: str, records: Iterable[Mapping[str, Any]], prev: int,
                   seq: int) -> Iterable[Change]:
        """All records of a noun, at `seq`: what is not there was deleted."""
        found = set()
        for record in records:
            found.add(record["key"])
            yield from self.take_record(noun, record, prev, seq)
        for key, entity in list(self.entities.items()):
            if entity.noun == noun and key not in found:
                yield from self.take(11 if noun == "property" else 3, key, {}, prev, seq)

    def purge(self, now: float) -> None:
        """Tombstones are forgotten after a minute; it looks every 10 s."""
        if now < self._purge_at:
            return
        self._purge_at = now + PURGE_S
        for key, entity in list(self.entities.items()):
            if not entity.exists and not entity.has_word() and now - entity.buried > TOMBSTONE_S:
                del self.entities[key]

    def begin(self, epoch: int) -> None:
        """What comes now has the numbers of this start of the server; those of another one mean nothing beside them."""
        if epoch == self.epoch:
            return
        self.epoch, self._seq = epoch, 0
        for entity in self.entities.values():
            entity.forget_numbers()


def is_event(msg_type: Any) -> bool:
    return isinstance(msg_type, int) and (0 <= msg_type <= 30) and (msg_type < 4 or msg_type in OF_PROPERTIES
                                                                     or 15 <= msg_type <= 22)
