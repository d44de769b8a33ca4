"""The delta form: indices for things, poses for what moved (gateway/events/README.md)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .transforms import Parts, compose

if TYPE_CHECKING:
    from .scene import Scene

_NOT_MEMBERS = ("i", "kind", "reason")


class Delta:
    def __init__(self, scene: Scene) -> None:
        self.scene = scene
        self._things: dict[int, tuple[str, str]] = {}  # index: noun, key

    def begin(self, snapshot: dict[str, Any]) -> None:
        """Indices of the stream before mean nothing any more."""
        self._things = {record["i"]: (noun, record["key"])
                        for noun, plural in (("object", "objects"), ("property", "properties"))
                        for record in snapshot.get(plural, [])}

    def take(self, data: dict[str, Any]) -> None:
        """One tick, in the order that the form prescribes: n, p, r, x, e."""
        prev, seq = data["prev"], data["seq"]
        store, tell = self.scene.store, self.scene.tell
        self.scene.clock.add(data["time_us"])
        for record in data.get("n", []):
            if record["kind"] in ("object", "property"):
                self._things[record["i"]] = record["kind"], record["key"]
                tell(store.take_record(record["kind"], record, prev, seq))
        for pose in data.get("p", []):
            self._put(pose[0], {"transform": matrix_of(pose)}, prev, seq)
        for record in data.get("r", []):
            members = {name: value for name, value in record.items() if name not in _NOT_MEMBERS}
            self._put(record["i"], members, prev, seq)
        for index in data.get("x", []):
            noun, key = self._things.pop(index, ("", ""))
            if noun:
                tell(store.take(11 if noun == "property" else 3, key, {}, prev, seq))
        for event in data.get("e", []):
            self.scene.pass_on(event)

    def _put(self, index: int, members: dict[str, Any], prev: int, seq: int) -> None:
        noun, key = self._things.get(index, ("", ""))
        if noun:
            msg_type = 9 if noun == "property" else 1
            self.scene.tell(self.scene.store.take(msg_type, key, members, prev, seq))


def matrix_of(pose: list[float]) -> list[float]:
    """[i,x,y,z,qw,qx,qy,qz] and the scale, if it is not 1."""
    _, x, y, z, qw, qx, qy, qz, *scale = pose
    sx, sy, sz = scale or (1.0, 1.0, 1.0)
    return compose(Parts((x, y, z), (qw, qx, qy, qz), (sx, sy, sz)))
