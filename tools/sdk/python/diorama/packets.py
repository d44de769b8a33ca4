"""The bytes of the feeds: packed datagrams, controls, updates, server-sent events, PUB."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any, Iterable

from ._msgpack import unpack
from .errors import DioramaError, Malformed
from .transforms import from_bytes

HELLO, CHALLENGE, ECHO, ASK, REFUSED, TAIL = 60, 61, 62, 63, 64, 65
HELLO_BYTES = 256
DELETED = (3, 11)
CREATED = (0, 8)
OF_PROPERTIES = frozenset((8, 9, 11, 23, 24, 26, 27, 28, 30))
LAST_FOR_DEVICES = 30

_OBJECT = {1: "name", 2: "scene", 3: "parent", 4: "asset_sub_id", 5: "type", 6: "subtype", 7: "owner",
           8: "frame", 9: "timestamp", 10: "transform", 11: "assets", 15: "actions", 18: "tags",
           19: "extras", 20: "visible"}
_PROPERTY = {1: "name", 2: "scene", 3: "parent", 4: "asset_sub_id", 8: "frame", 9: "timestamp",
             15: "actions", 16: "values"}
_ACTION = {0: "name", 1: "description", 2: "keyframes", 3: "fps", 4: "loop"}
_OBJECT_KEYFRAME = {0: "frame", 10: "transform", 12: "translation_handle", 13: "rotation_handle",
                    14: "scale_handle"}
_PROPERTY_KEYFRAME = {0: "frame", 1: "values"}
_VALUE = {0: "value", 1: "left_type", 2: "left_x", 3: "left_y", 4: "right_type", 5: "right_x", 6: "right_y"}
_HANDLE = {0: "left_type", 1: "left_x", 2: "left_y", 3: "right_type", 4: "right_x", 5: "right_y"}
_TRUNCATED = 63


def noun_of(msg_type: int) -> str:
    """What an event from 0 to 30 is about."""
    return "property" if msg_type in OF_PROPERTIES else "object"


@dataclass(frozen=True)
class Packed:
    """A packed datagram. `changes` have `msg_type`, `key`, the members that were sent (None: removed),
    and `truncated`; `note` is [64, from, reason] of a refusal."""

    epoch: int
    prev: int
    seq: int
    changes: list[dict[str, Any]]
    note: list[int] | None = None


def _record(names: dict[int, str], packed: Any, is_property: bool) -> dict[str, Any]:
    if not isinstance(packed, dict):
        raise Malformed("packed: a record is no map")
    return {names[number]: _member(names[number], value, is_property)
            for number, value in packed.items() if number in names}


def _records(names: dict[int, str], packed: Any, is_property: bool) -> list[Any]:
    if not isinstance(packed, list):
        raise Malformed("packed: a list is none")
    return [item if isinstance(item, (int, float)) else _record(names, item, is_property)
            for item in packed]


def _member(name: str, value: Any, is_property: bool) -> Any:
    if value is None:
        return None
    if name == "transform":
        if not isinstance(value, bytes):
            raise Malformed("packed: a transform is no binary")
        return from_bytes(value)
    if name == "values":
        return _records(_VALUE, value, is_property)
    if name == "actions":
        return _records(_ACTION, value, is_property)
    if name == "keyframes":
        return _records(_PROPERTY_KEYFRAME if is_property else _OBJECT_KEYFRAME, value, is_property)
    if name.endswith("_handle"):
        return _records(_HANDLE, value, is_property)
    return value


def _change(packed: Any) -> dict[str, Any]:
    if not isinstance(packed, list) or len(packed) < 3:
        raise Malformed("packed: a change is none")
    msg_type, key, fields = packed[:3]
    if not isinstance(msg_type, int) or not 0 <= msg_type <= LAST_FOR_DEVICES or not isinstance(key, str) \
            or not isinstance(fields, dict):
        raise Malformed("packed: a change is none")
    is_property = msg_type in OF_PROPERTIES
    change = {"msg_type": msg_type, "key": key,
              **_record(_PROPERTY if is_property else _OBJECT, fields, is_property)}
    if fields.get(_TRUNCATED):
        change["truncated"] = True
    return change


def read_packed(data: bytes) -> Packed:
    """What a packed datagram says. What a later version adds is skipped. Raises Malformed."""
    items = unpack(data)
    if not isinstance(items, list) or len(items) < 6:
        raise Malformed("packed: no array of six")
    version, epoch, prev, seq, count, changes = items[:6]
    if not all(isinstance(number, int) and number >= 0 for number in items[:5]) or version != 1:
        raise Malformed("packed: of another version")
    if not isinstance(changes, list) or len(changes) != count:
        raise Malformed("packed: another number of changes than it says")
    note = next((item for item in items[6:]
                 if isinstance(item, list) and len(item) == 3 and item[0] == REFUSED), None)
    return Packed(epoch, prev, seq, [_change(change) for change in changes], note)


def read_plain(data: bytes) -> dict[str, Any]:
    """A plain datagram: an event, or one of 61, 64, 65. Raises Malformed."""
    try:
        event = json.loads(data)
    except (ValueError, RecursionError):
        raise Malformed("plain: not JSON") from None
    if not isinstance(event, dict) or not isinstance(event.get("msg_type"), int):
        raise Malformed("plain: no msg_type")
    return event


# --- what a device sends ---


def json_of(value: Any, is_ascii: bool) -> bytes:
    """Raises DioramaError: JSON has neither NaN nor infinite numbers."""
    try:
        text = json.dumps(value, separators=(",", ":"), ensure_ascii=is_ascii, allow_nan=False)
    except ValueError as error:
        is_circle = "Circular" in str(error)
        raise DioramaError("a value contains itself" if is_circle else "numbers must be finite") from None
    return text.encode()


def text_of(message: dict[str, Any]) -> bytes:
    return json_of(message, False)


def hello(token: str = "", nonce: str = "") -> bytes:
    """Datagram 60: challenge the socket that this comes from."""
    named = {"token": token} if token else {}
    return text_of({"msg_type": HELLO, **named, **({"nonce": nonce} if nonce else {})}).ljust(HELLO_BYTES)


def echo(challenge: str, token: str = "") -> bytes:
    """Datagram 62."""
    return text_of({"msg_type": ECHO, **({"token": token} if token else {}), "challenge": challenge})


def ask(first: int, last: int, token: str = "") -> bytes:
    """Datagram 63: what changed from `first` to `last`."""
    return text_of({"msg_type": ASK, **({"token": token} if token else {}), "from": first, "to": last})


# --- streams and PUB ---


@dataclass(frozen=True)
class StreamEvent:
    event: str
    id: str | None
    data: Any


@dataclass
class EventReader:
    """Server-sent events, whatever pieces they come in."""

    _rest: list[bytes] = field(default_factory=list)  # of a line: a state of many megabytes is one
    _lines: dict[str, str] = field(default_factory=dict)

    def feed(self, data: bytes) -> Iterable[StreamEvent]:
        """The events that are complete now. Raises Malformed."""
        self._rest.append(data)
        if b"\n" not in data:
            return
        *lines, rest = b"".join(self._rest).split(b"\n")
        self._rest = [rest]
        for line in lines:
            event = self._take(line.rstrip(b"\r").decode("utf-8", "replace"))
            if event:
                yield event

    def _take(self, line: str) -> StreamEvent | None:
        if line:
            name, _, value = line.partition(":")
            if name:
                self._lines[name] = value.removeprefix(" ")
            return None
        lines, self._lines = self._lines, {}
        if "data" not in lines:
            return None
        try:
            data = json.loads(lines["data"])
        except (ValueError, RecursionError):
            raise Malformed("stream: data that is not JSON") from None
        return StreamEvent(lines.get("event", "message"), lines.get("id"), data)


def read_pub(frames: list[bytes]) -> dict[str, Any]:
    """The three frames of a PUB message: `topic`, `header`, `body`. Raises Malformed."""
    if len(frames) != 3:
        raise Malformed("PUB: not three frames")
    return {"topic": frames[0].decode("utf-8", "replace"), "header": unpack(frames[1]), "body": unpack(frames[2])}
