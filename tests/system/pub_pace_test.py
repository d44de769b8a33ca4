#!/usr/bin/python3
"""PUB at a pace: who reads as fast as things change has every message. DIORAMA_LONG=1: for a minute."""

import json
import select
import socket
import subprocess
import sys
import time
import unittest

from support import LONG, ServerCase, is_sanitized, moved, wait_until

PER_S = 3000 if is_sanitized() else 12000
SECONDS = 60 if LONG else 3
OBJECTS = 40
READER = """
import sys, zmq
import msgpack
socket = zmq.Context().socket(zmq.SUB)
socket.setsockopt(zmq.RCVHWM, 0)
socket.setsockopt(zmq.RCVBUF, 8 << 20)
socket.setsockopt(zmq.SUBSCRIBE, b"")
socket.connect("tcp://127.0.0.1:" + sys.argv[1])
headers, beats = [], 0
while True:
    topic, header, body = socket.recv_multipart()
    if topic == b"hb":
        beats += 1
        if beats == 1:
            print("ready", flush=True)
        continue
    headers.append(header)
    if topic.endswith(b".scene.41"):
        break
numbers = [msgpack.unpackb(header)["seq"] for header in headers]
pairs = list(zip(numbers, numbers[1:]))
print(len(numbers), sum(b - a - 1 for a, b in pairs), sum(b <= a for a, b in pairs), flush=True)
"""


class Pace(ServerCase, unittest.TestCase):
    flags = {"udp_device_bytes": 0, "udp_device_datagrams": 0}

    def move(self, keys, per_s, seconds):
        """Moves things by UDP; returns how often."""
        contents = [json.dumps({"msg_type": 1, "key": key, "transform": moved(1)}).encode()
                    for key in keys]
        began, sent = time.monotonic(), 0
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
            while (passed := time.monotonic() - began) < seconds:
                while sent < passed * per_s:
                    sender.sendto(contents[sent % len(keys)], ("127.0.0.1", self.server.udp_port))
                    sent += 1
                time.sleep(0.002)
        return sent

    def test_who_reads_as_fast_as_things_change_has_no_gap(self):
        keys = self.client.create(self.scene, *[{"name": "o"}] * OBJECTS)
        missed = [1]
        while missed[-1]:  # on a machine that is busy the reader may not have read as fast
            self.assertLess(len(missed), 4, missed)
            missed.append(self.missed(keys))

    def missed(self, keys):
        """How many messages a reader did not have of those of some seconds."""
        reader = subprocess.Popen([sys.executable, "-c", READER, str(self.server.pub_port)],
                                  stdout=subprocess.PIPE, text=True)
        for cleanup in (reader.stdout.close, reader.wait, reader.kill):
            self.addCleanup(cleanup)
        self.assertEqual(reader.stdout.readline(), "ready\n")
        applied = "diorama_udp_applied_updates_total"
        before = self.server.metrics()[applied]
        sent = self.move(keys, PER_S, SECONDS)
        wait_until(lambda: self.server.metrics()[applied] - before >= 0.5 * sent, what="updates")
        said = select.poll()
        said.register(reader.stdout, select.POLLIN)
        wait_until(lambda: self.client.put_scene(self.scene, name=str(time.monotonic())) and said.poll(500), what="the end")
        read, missed, disordered = map(int, reader.stdout.readline().split())
        self.assertEqual(disordered, 0)
        self.assertGreater(read + missed, 0.5 * sent)
        return missed


if __name__ == "__main__":
    unittest.main()
