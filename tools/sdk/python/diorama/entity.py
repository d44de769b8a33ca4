"""Objects and properties of a scene: what the server said, what the application wrote, and what shows."""

from __future__ import annotations

import time
from dataclasses import dataclass
from numbers import Real
from typing import TYPE_CHECKING, Any, Collection, Mapping, Sequence

from . import transforms
from .errors import DioramaError, warn_of
from .transforms import IDENTITY, Matrix

if TYPE_CHECKING:
    from .lock import Lock
    from .scene import Scene

Json = None | bool | int | float | str | list["Json"] | dict[str, "Json"]

GIVEN_UP_S = 2.0    # what was sent by UDP and is not confirmed
SETTLED_S = 0.25    # before that, what the server says may be older than what was sent
SHORTEST_S, LONGEST_S, STILL_AFTER = 0.01, 0.5, 3

# What a plain datagram or a whole record without it says is not there; other members are not known to the server.
WHOLE = {
    "object": ("name", "scene", "parent", "type", "subtype", "owner", "frame", "timestamp", "transform",
               "assets", "tags", "extras", "visible", "asset_sub_id", "actions", "lock",
               "translation_handle", "rotation_handle", "scale_handle"),
    "property": ("name", "scene", "parent", "frame", "timestamp", "values", "asset_sub_id", "actions"),
}
GIVEN_BY_SERVER = ("scene", "owner", "lock")


def is_absent(value: Any) -> bool:
    """How a member that is not there is told."""
    return value is None or value == "" or value == []


@dataclass(frozen=True)
class Change:
    """What happened to an object or property. `kind`: created, updated or deleted; `members`: those that
    are another now than before; `prev` and `seq` are those of the event."""

    kind: str
    object: Entity
    members: frozenset[str]
    prev: int
    seq: int


@dataclass
class _Local:
    """What the application wrote and the server has not said yet."""

    value: Any
    since: float
    is_sent: bool  # by UDP, or saved by an answer without a number; else it waits for save()


Saved = Mapping[str, _Local]  # what a save() has sent


class Entity:
    """An object or a property. The same key is always the same entity, while the scene is joined."""

    def __init__(self, scene: Scene, noun: str, key: str) -> None:
        self.scene, self.noun, self.key = scene, noun, key
        self.exists = self.is_told = False  # whether it is there; whether a change said so
        self.fence: int | None = None
        self._said: dict[str, tuple[int, Any]] = {}
        self._gone, self.buried = -1, time.monotonic()
        self._local: dict[str, _Local] = {}
        self._poses: list[tuple[float, Matrix]] = []
        self._last: dict[str, Any] = {}  # what showed when it was deleted

    def __repr__(self) -> str:
        return f"<{self.noun} {self.key} {self.name!r}>"

    # --- what shows ---

    def get(self, name: str) -> Any:
        """A member as it shows now; None if it is not there. Of what was deleted: as it showed last."""
        if not self.exists:
            return self._last.get(name)
        local = self._local.get(name)
        if local:
            if not local.is_sent or time.monotonic() - local.since < GIVEN_UP_S:
                return None if is_absent(local.value) else local.value
            del self._local[name]
        value = self._said.get(name, (0, None))[1]
        return None if is_absent(value) else value

    @property
    def members(self) -> dict[str, Any]:
        """All members that are there. Of what was deleted: those that showed last."""
        if not self.exists:
            return dict(self._last)
        shown = {name: self.get(name) for name in [*self._said, *self._local]}
        return {name: value for name, value in shown.items() if value is not None}

    @property
    def name(self) -> str:
        return str(self.get("name") or "")

    @property
    def type(self) -> str:
        return str(self.get("type") or "")

    @property
    def owner(self) -> str:
        """Key of the device that holds its lock."""
        return str(self.get("owner") or "")

    @property
    def tags(self) -> list[str]:
        return list(self.get("tags") or [])

    @property
    def extras(self) -> Any:
        return self.get("extras")

    @property
    def visible(self) -> bool:
        return self.get("visible") is not False

    @property
    def values(self) -> list[Any]:
        """Of a property."""
        return list(self.get("values") or [])

    @property
    def transform(self) -> Matrix:
        """16 numbers, row-major, in the convention of the scene."""
        return list(self.get("transform") or IDENTITY)

    @property
    def translation(self) -> tuple[float, float, float]:
        matrix = self.transform
        return matrix[3], matrix[7], matrix[11]

    def pose_at(self, now: float | None = None) -> Matrix:
        """Where it is to be drawn: one interval late, between its last two poses. `now`: time.monotonic()."""
        if len(self._poses) < 2 or "transform" in self._local:
            return self.transform
        (before, first), (after, last) = self._poses
        interval = min(max(after - before, SHORTEST_S), LONGEST_S)
        share = ((time.monotonic() if now is None else now) - after) / interval
        return transforms.between(first, last, share) if share < STILL_AFTER else list(last)

    # --- what the application writes ---

    def move(self, **members: Any) -> None:
        """Shows it at once, here alone, until save()."""
        self.check(members)
        self._write(members, is_sent=False)

    def send(self, **members: Any) -> None:
        """Sends members by UDP: newest wins, may be lost, shows here at once."""
        self.check(members)
        self.scene.send_update(self, self._whole(members))
        self._write(members, is_sent=True)

    async def save(self, **members: Any) -> Entity:
        """Writes members, and what was moved, to disk. Raises ApiError: then nothing of it shows any more. Warns
        (DioramaWarning) of what the server took but is probably not meant."""
        self.check(members)
        waiting = {name: local.value for name, local in self._local.items() if not local.is_sent}
        self._write(members, is_sent=False)
        saved = {name: local for name, local in self._local.items() if not local.is_sent}
        try:
            answer = await self.scene.save(self, {**waiting, **members}, saved)
        except BaseException:
            self._drop(saved)
            raise
        warn_of(answer, 2)  # behind the rest: it raises, if the application wants that
        return self

    async def delete(self) -> None:
        await self.scene.delete(self)

    def lock(self, lease: float = 30, *, force: bool = False) -> Lock:
        """`async with box.lock(lease=30) as lock:` holds a lease: renewed meanwhile, ended behind it."""
        from .lock import Lock
        return Lock(self, lease, force)

    @staticmethod
    def check(members: Mapping[str, Any]) -> None:
        """Raises DioramaError if a part of a transform has another number of numbers."""
        for name, count in _NUMBERS.items():
            value = members.get(name)
            if value is not None and not _are_numbers(value, count):
                raise DioramaError(f"{name} must have {count} numbers")

    def _whole(self, members: Mapping[str, Any]) -> dict[str, Any]:
        """A translation alone is a transform for those who see it at once."""
        shown = dict(members)
        if shown.get("translation") is not None and "transform" not in shown and not _TURNS.intersection(shown):
            shown["transform"] = transforms.moved(self.transform, shown.pop("translation"))
        return shown

    def _write(self, members: Mapping[str, Any], is_sent: bool) -> None:
        now = time.monotonic()
        for name, value in self._whole(members).items():
            if name in WHOLE[self.noun] and value is not None and value != []:  # those change nothing
                self._local[name] = _Local(_plain(value), now, is_sent)

    def _drop(self, saved: Saved) -> None:
        """What was written since stays."""
        for name, local in saved.items():
            if self._local.get(name) is local:
                del self._local[name]

    def begin(self, members: Mapping[str, Any], seq: int | None) -> None:
        """It was created with these, and no event told of it yet. Without `seq` each event says it better."""
        self.take({name: _plain(value) for name, value in members.items()
                   if name in WHOLE[self.noun] and name not in GIVEN_BY_SERVER}, seq or 0, time.monotonic())
        self.exists = self.exists or self.has_word()

    def confirm(self, record: Mapping[str, Any], seq: int | None, saved: Saved) -> None:
        """What it is after all events up to `seq`, by the answer to a write. An answer without a number repeats an
        earlier one, or is of another start of the server: what was saved shows as if it was sent by UDP."""
        if seq is None:
            for local in saved.values():
                local.is_sent, local.since = True, time.monotonic()
            return
        poses, before = self._poses, self._said.get("transform")
        self._drop(saved)
        self.take(record, seq, time.monotonic())
        after = self._said.get("transform")
        is_moved = (before and before[1]) != (after and after[1])
        self._poses = [] if is_moved else poses  # what was written here is drawn where it is, not late

    # --- what the server says: per member, the largest seq ---

    def take(self, members: Mapping[str, Any], seq: int, arrived: float) -> None:
        if seq <= self._gone:
            return
        for name, value in members.items():
            if seq < self._said.get(name, (-1,))[0]:
                continue
            self._said[name] = (seq, value)
            local = self._local.get(name)
            if local and local.is_sent and (local.value == value or arrived - local.since > SETTLED_S):
                del self._local[name]
            if name == "transform" and value:
                self._poses = [*self._poses[-1:], (arrived, value)]

    def bury(self, seq: int) -> None:
        """It was deleted at `seq`."""
        self._last = self.members
        self._gone, self.buried = max(self._gone, seq), time.monotonic()
        self._said = {name: item for name, item in self._said.items() if item[0] > self._gone}

    def forget_numbers(self) -> None:
        """The numbers of another start of the server mean nothing."""
        self._gone = -1
        self._said = {name: (-1, value) for name, (_, value) in self._said.items()}

    def has_word(self) -> bool:
        """Whether the server said anything of it since it was deleted last."""
        return bool(self._said)


_TURNS = frozenset(("euler_rotation", "euler_order", "quaternion_rotation", "scale", "geopose"))
_NUMBERS = {"translation": 3, "scale": 3, "euler_rotation": 3, "quaternion_rotation": 4, "transform": 16}


def _are_numbers(value: Any, count: int) -> bool:
    return (isinstance(value, Collection) and not isinstance(value, bytes) and len(value) == count
            and all(isinstance(number, Real) for number in value))


def _plain(value: Any) -> Any:
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [_plain(item) for item in value]
    return value
