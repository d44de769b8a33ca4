"""Reads msgpack: what the packed form and PUB are made of. Content may be hostile."""

from __future__ import annotations

import struct
from typing import Any

from .errors import Malformed

_DEPTH = 32
_NUMBERS = {0xca: ">f", 0xcb: ">d", 0xcc: ">B", 0xcd: ">H", 0xce: ">I", 0xcf: ">Q",
            0xd0: ">b", 0xd1: ">h", 0xd2: ">i", 0xd3: ">q"}
_LENGTHS = {1: ">B", 2: ">H", 4: ">I"}
_TEXTS = {0xd9: 1, 0xda: 2, 0xdb: 4}
_BINS = {0xc4: 1, 0xc5: 2, 0xc6: 4}
_ARRAYS = {0xdc: 2, 0xdd: 4}
_MAPS = {0xde: 2, 0xdf: 4}
_CONSTANTS = {0xc0: None, 0xc2: False, 0xc3: True}


class _Reader:
    def __init__(self, data: bytes) -> None:
        self.data, self.at = data, 0

    def take(self, size: int) -> bytes:
        if size > len(self.data) - self.at:
            raise Malformed("msgpack: it ends too early")
        self.at += size
        return self.data[self.at - size:self.at]

    def number(self, form: str) -> Any:
        return struct.unpack(form, self.take(struct.calcsize(form)))[0]

    def text(self, size: int) -> str:
        try:
            return self.take(size).decode("utf-8")
        except UnicodeDecodeError:
            raise Malformed("msgpack: a text is not UTF-8") from None

    def array(self, count: int, depth: int) -> list[Any]:
        if count > len(self.data) - self.at:
            raise Malformed("msgpack: it ends too early")
        return [self.value(depth + 1) for _ in range(count)]

    def map(self, count: int, depth: int) -> dict[Any, Any]:
        if count > len(self.data) - self.at:
            raise Malformed("msgpack: it ends too early")
        items: dict[Any, Any] = {}
        for _ in range(count):
            key = self.value(depth + 1)
            if not isinstance(key, (str, int)):
                raise Malformed("msgpack: a name is neither a text nor a number")
            items[key] = self.value(depth + 1)
        return items

    def value(self, depth: int) -> Any:
        if depth > _DEPTH:
            raise Malformed("msgpack: too deep")
        head = self.take(1)[0]
        if head < 0x80 or head >= 0xe0:
            return head if head < 0x80 else head - 0x100
        if head < 0x90:
            return self.map(head & 15, depth)
        if head < 0xa0:
            return self.array(head & 15, depth)
        if head < 0xc0:
            return self.text(head & 31)
        if head in _CONSTANTS:
            return _CONSTANTS[head]
        if head in _NUMBERS:
            return self.number(_NUMBERS[head])
        return self.long(head, depth)

    def long(self, head: int, depth: int) -> Any:
        if head in _TEXTS:
            return self.text(self.number(_LENGTHS[_TEXTS[head]]))
        if head in _BINS:
            return self.take(self.number(_LENGTHS[_BINS[head]]))
        if head in _ARRAYS:
            return self.array(self.number(_LENGTHS[_ARRAYS[head]]), depth)
        if head in _MAPS:
            return self.map(self.number(_LENGTHS[_MAPS[head]]), depth)
        raise Malformed(f"msgpack: {head:02x} is no value")


def unpack(data: bytes) -> Any:
    """The only value of `data`; binary is bytes. Raises Malformed."""
    reader = _Reader(data)
    value = reader.value(0)
    if reader.at != len(data):
        raise Malformed("msgpack: there is something behind it")
    return value
