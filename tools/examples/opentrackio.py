#!/usr/bin/python3
"""A tracked camera that goes around in a circle, and a listener that prints where one is.

    opentrackio.py send 127.0.0.1:55555 SECONDS
    opentrackio.py listen 127.0.0.1:55556 SECONDS
"""
import json
import math
import socket
import struct
import sys
import time


def checksum(data):
    low = high = 0
    for byte in data:
        low = (low + byte) % 256
        high = (high + low) % 256
    return struct.pack("!H", high << 8 | low)


def packet(sample, sequence):
    body = json.dumps(sample).encode()
    head = struct.pack("!4sBBHIH", b"OTrk", 0, 1, sequence & 0xffff, 0, 0x8000 | len(body))
    return head + checksum(head + body) + body


def pose(seconds):
    """Two metres from the middle of the stage, 1.6 m above it, looking at the middle."""
    angle = seconds / 2
    return {"translation": {"x": 2 * math.sin(angle), "y": -2 * math.cos(angle), "z": 1.6},
            "rotation": {"pan": math.degrees(angle), "tilt": 0.0, "roll": 0.0}, "id": "Camera"}


def send(place, until):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
        for sequence in range(1, 1 << 30):
            now = time.time()
            if now > until:
                return
            stamp = {"seconds": int(now), "nanoseconds": int(now % 1 * 1e9)}
            sample = {"protocol": {"name": "OpenTrackIO", "version": [1, 0, 1]}, "sourceNumber": 1,
                      "timing": {"mode": "internal", "sampleTimestamp": stamp},
                      "lens": {"fStop": 4.0, "focusDistance": 2.0}, "transforms": [pose(now)]}
            sender.sendto(packet(sample, sequence), place)
            time.sleep(1 / 60)


def listen(place, until):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as receiver:
        receiver.bind(place)
        while time.time() < until:
            receiver.settimeout(max(0.01, until - time.time()))
            try:
                data = receiver.recv(65536)
            except TimeoutError:
                return
            if data[:4] == b"OTrk" and checksum(data[:14] + data[16:]) == data[14:16]:
                print(json.dumps(json.loads(data[16:])["transforms"][0]), flush=True)


if __name__ == "__main__":
    verb, address, seconds = sys.argv[1:]
    host, port = address.rsplit(":", 1)
    {"send": send, "listen": listen}[verb]((host, int(port)), time.time() + float(seconds))
