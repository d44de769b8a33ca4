"""Sealed datagrams as proto/feed/README.md says: with libsodium by ctypes, and a device that speaks
them."""

import base64
import ctypes
import hashlib
import json
import os
import struct
import time

from feeds import Datagram
from packed import PackedDevice

SODIUM = ctypes.CDLL("libsodium.so.23")
FIRST, HEAD, TAG = 0xD1, 23, 16
TO_SERVER, TO_DEVICE = 1, 2


def derived(key, direction):
    """The key of one direction, from that of the registration."""
    return hashlib.blake2b(b"", digest_size=32, key=key, salt=struct.pack("<QQ", direction, 0),
                           person=b"DioSeal1".ljust(16, b"\0")).digest()


def nonce_of(head):
    return head[1:17] + b"\0\0" + head[17:23]


def seal(key, identity, session, counter, content):
    head = bytes([FIRST]) + identity + session + counter.to_bytes(6, "big")
    out = ctypes.create_string_buffer(len(content) + TAG)
    SODIUM.crypto_aead_xchacha20poly1305_ietf_encrypt(
        out, None, content, ctypes.c_ulonglong(len(content)), head, ctypes.c_ulonglong(HEAD), None,
        nonce_of(head), key)
    return head + out.raw


def unseal(key, datagram):
    """What a datagram says; None if the key did not seal it."""
    if len(datagram) < HEAD + TAG or datagram[0] != FIRST:
        return None
    head, sealed = datagram[:HEAD], datagram[HEAD:]
    out = ctypes.create_string_buffer(len(sealed) - TAG + 1)
    wrong = SODIUM.crypto_aead_xchacha20poly1305_ietf_decrypt(
        out, None, None, sealed, ctypes.c_ulonglong(len(sealed)), head, ctypes.c_ulonglong(HEAD),
        nonce_of(head), key)
    return None if wrong else out.raw[:len(sealed) - TAG]


def key_of(answer):
    """Id and key of the registration that this answers."""
    feed = answer["udp"]
    return bytes.fromhex(feed["seal_id"]), base64.urlsafe_b64decode(feed["seal_key"] + "=")


class SealedDevice(PackedDevice):
    """`inbox` holds what was opened; `raw` the datagrams as they came."""

    def __init__(self, key, rate=60, address="127.0.0.1"):
        self.raw = []
        self.identity = self.key_in = self.key_out = None
        self.begin()
        super().__init__(key, rate, address)

    def begin(self):
        """As a device that starts: it draws a session."""
        self.session, self.counter = os.urandom(8), 0

    def record(self, **members):
        return {"key": self.key, **members,
                "connection_string": f"udp+sealed://{self.address}:{self.port}?rate={self.rate}"}

    def take_key(self, answer):
        self.identity, key = key_of(answer)
        self.key_out, self.key_in = derived(key, TO_SERVER), derived(key, TO_DEVICE)
        self.begin()

    def receive(self):
        while True:
            try:
                content = self.socket.recv(65536)
            except OSError:
                return
            if not content:
                return
            self.raw.append(content)
            opened = unseal(self.key_in, content) if self.key_in else None
            if opened is not None:
                self.inbox.add(Datagram(time.time(), opened))

    def sealed(self, message):
        content = message if isinstance(message, bytes) else json.dumps(message).encode()
        datagram = seal(self.key_out, self.identity, self.session, self.counter, content)
        self.counter += 1
        return datagram

    def send(self, server, message):
        """Returns the datagram."""
        datagram = self.sealed(message)
        self.socket.sendto(datagram, ("127.0.0.1", server.udp_port))
        return datagram

    def send_raw(self, server, datagram):
        self.socket.sendto(datagram, ("127.0.0.1", server.udp_port))

    def answers(self):
        """What is not of the feed."""
        return [json.loads(datagram.content) for datagram in list(self.inbox.items)
                if datagram.content.startswith(b"{")]

    def arrived(self):
        return self.arrived_of([datagram for datagram in list(self.inbox.items)
                                if not datagram.content.startswith(b"{")])

    def answered_hello(self, server, token=None):
        nonce = os.urandom(16).hex()
        message = json.dumps({"msg_type": 60, "nonce": nonce}).encode().ljust(256)
        end = time.monotonic() + 20
        while True:
            for answer in self.answers():
                if answer["msg_type"] == 61 and answer.get("nonce") == nonce:
                    return answer["challenge"]
            assert time.monotonic() < end, "no answer to HELLO"
            self.send(server, message)
            time.sleep(0.1)

    def echo(self, server, token, challenge):
        return self.send(server, {"msg_type": 62, "challenge": challenge})
