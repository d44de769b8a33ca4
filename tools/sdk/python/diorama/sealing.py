"""Sealed datagrams, by libsodium where it is installed."""

from __future__ import annotations

import base64
import ctypes
import ctypes.util
import hashlib
import os
import struct
from functools import cache
from typing import Any

from .errors import DioramaError

FIRST_BYTE, HEAD_BYTES, TAG_BYTES = 0xd1, 23, 16
TO_SERVER, TO_DEVICE = 1, 2
COUNTER_END = 1 << 48
WINDOW = 1024


@cache
def _sodium() -> Any:
    for name in (ctypes.util.find_library("sodium"), "libsodium.so.23", "libsodium.dylib", "libsodium.dll"):
        try:
            if name:
                return ctypes.CDLL(name)
        except OSError:
            continue
    return None


def is_available() -> bool:
    """Whether there is a libsodium."""
    return _sodium() is not None


def derived(seal_key: str, direction: int) -> bytes:
    """The key of one direction, from that of the registration (base64url)."""
    key = base64.urlsafe_b64decode(seal_key + "=" * (-len(seal_key) % 4))
    return hashlib.blake2b(digest_size=32, key=key, salt=struct.pack("<Q8x", direction),
                           person=b"DioSeal1".ljust(16, b"\0")).digest()


def _nonce(head: bytes) -> bytes:
    return head[1:17] + b"\0\0" + head[17:23]


def seal(key: bytes, identity: bytes, session: bytes, counter: int, content: bytes) -> bytes:
    head = bytes([FIRST_BYTE]) + identity + session + counter.to_bytes(6, "big")
    out = ctypes.create_string_buffer(len(content) + TAG_BYTES)
    _sodium().crypto_aead_xchacha20poly1305_ietf_encrypt(
        out, None, content, ctypes.c_ulonglong(len(content)), head, ctypes.c_ulonglong(HEAD_BYTES), None,
        _nonce(head), key)
    return head + out.raw


def unseal(key: bytes, datagram: bytes) -> bytes | None:
    """None if the key did not seal it."""
    head, sealed = datagram[:HEAD_BYTES], datagram[HEAD_BYTES:]
    if len(sealed) < TAG_BYTES or head[0] != FIRST_BYTE:
        return None
    out = ctypes.create_string_buffer(len(sealed))
    failed = _sodium().crypto_aead_xchacha20poly1305_ietf_decrypt(
        out, None, None, sealed, ctypes.c_ulonglong(len(sealed)), head, ctypes.c_ulonglong(HEAD_BYTES),
        _nonce(head), key)
    return None if failed else out.raw[:len(sealed) - TAG_BYTES]


class Seal:
    """The seal of one registration: our session, theirs, and which of their datagrams came already."""

    def __init__(self, seal_id: str, seal_key: str) -> None:
        if not is_available():
            raise DioramaError("the sealed form needs libsodium")
        self.identity = bytes.fromhex(seal_id)
        self._ours, self._theirs = derived(seal_key, TO_SERVER), derived(seal_key, TO_DEVICE)
        self._session, self._counter = os.urandom(8), 0
        self._peer: bytes | None = None
        self._largest, self._seen = -1, set[int]()
        self.nonce = ""

    def seal(self, content: bytes) -> bytes:
        if self._counter == COUNTER_END:
            self._session, self._counter = os.urandom(8), 0
        self._counter += 1
        return seal(self._ours, self.identity, self._session, self._counter - 1, content)

    def draw_nonce(self) -> str:
        self.nonce = os.urandom(16).hex()
        return self.nonce

    def open(self, datagram: bytes) -> tuple[bytes, bool] | None:
        """What it says, and whether it is of another session than the good one; None: nothing, or it came before."""
        if len(datagram) < HEAD_BYTES + TAG_BYTES or datagram[1:9] != self.identity:
            return None
        session, counter = datagram[9:17], int.from_bytes(datagram[17:23], "big")
        if session == self._peer and (counter <= self._largest - WINDOW or counter in self._seen):
            return None
        content = unseal(self._theirs, datagram)
        if content is None:
            return None
        if self._peer is None:
            self.admit(session)
        if session != self._peer:
            return content, True
        self._note(counter)
        return content, False

    def admit(self, session: bytes) -> None:
        self._peer, self._largest = session, -1
        self._seen.clear()

    def admit_of(self, datagram: bytes) -> None:
        """Its session answered what we asked: it is the good one, and this one of it came."""
        self.admit(datagram[9:17])
        self._note(int.from_bytes(datagram[17:23], "big"))

    def _note(self, counter: int) -> None:
        self._seen.add(counter)
        self._largest = max(self._largest, counter)
        if len(self._seen) > 2 * WINDOW:
            self._seen = {number for number in self._seen if number > self._largest - WINDOW}
