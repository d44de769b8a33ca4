"""ZMTP 3 (RFC 23) by hand, for what no ZeroMQ socket would say."""

import struct


def greeting(mechanism, version=(3, 0)):
    return (b"\xff" + bytes(8) + b"\x7f" + bytes(version) + mechanism.ljust(20, b"\0") + bytes(32))


def frame(flags, body):
    return bytes([flags, len(body)]) + body if len(body) < 256 else \
        bytes([flags | 2]) + struct.pack(">Q", len(body)) + body


def command(name, body=b""):
    return frame(4, bytes([len(name)]) + name + body)


def member(name, value):
    return bytes([len(name)]) + name + struct.pack(">I", len(value)) + value


READY = command(b"READY", member(b"Socket-Type", b"SUB") + member(b"Identity", b""))
PLAIN = greeting(b"NULL") + READY  # a handshake that a server without CURVE takes


def subscribe(topic):
    return frame(0, b"\x01" + topic)


def unsubscribe(topic):
    return frame(0, b"\x00" + topic)


def say(connection, content):
    """Sends it; what is behind a handshake when the server has done its part of that, 92 bytes."""
    if not content.startswith(PLAIN):
        connection.sendall(content)
        return
    connection.sendall(PLAIN)
    answered = b"?"
    heard = 0
    while answered and heard < 92:
        answered = connection.recv(92 - heard)
        heard += len(answered)
    connection.sendall(content[len(PLAIN):])
