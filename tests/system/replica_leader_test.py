#!/usr/bin/python3
"""A server that followers may ask: where it listens, what it refuses, what it answers on the wire."""

import os
import struct
import subprocess
import tempfile
import unittest

import zmq

from support import BIN, ServerCase, needs_files, wait_until

VERSION, LOG, CHECKPOINT, OK, GONE = 1, 1, 2, 0, 1
HEAD = struct.Struct(">HBQBQQQQQ")


@needs_files
class Leader(ServerCase, unittest.TestCase):
    flags = {"replica_endpoint": "tcp://127.0.0.1:*"}

    def setUp(self):
        super().setUp()
        self.page = self.client.get("/v1/server").body
        self.socket = zmq.Context.instance().socket(zmq.DEALER)
        self.socket.setsockopt(zmq.LINGER, 0)
        self.socket.setsockopt(zmq.RCVTIMEO, 20000)
        self.socket.connect(self.page["replica"]["endpoint"])
        self.addCleanup(self.socket.close)
        self.asked = 0

    def ask(self, kind, rest=b""):
        """Outcome, epoch, position and bytes of the answer."""
        self.asked += 1
        self.socket.send(struct.pack(">HBQ", VERSION, kind, self.asked) + rest)
        head, data = self.socket.recv_multipart()
        version, answered, number, outcome, epoch, position, *_ = HEAD.unpack(head[:HEAD.size])
        self.assertEqual((VERSION, kind, self.asked), (version, answered, number))
        return outcome, epoch, position, data

    def log(self, epoch, after, wait_ms=0):
        return self.ask(LOG, struct.pack(">QQI", epoch, after, wait_ms))

    def test_it_tells_the_port_that_it_has(self):
        self.assertRegex(self.page["replica"]["endpoint"], r"^tcp://127\.0\.0\.1:\d+$")
        self.assertIs(self.page["replica"]["curve"], False)

    def test_a_write_is_answered_to_who_waits_for_it(self):
        epoch = self.page["epoch"]
        outcome, told, head, data = self.log(epoch, 0)
        while data:  # what the start wrote
            position = struct.unpack(">Q", data[4 + 9:4 + 17])[0]
            _, _, head, data = self.log(epoch, max(position, head))
        self.assertEqual((OK, epoch), (outcome, told))
        self.client.put_scene("replicated-hall")
        _, _, _, data = self.log(epoch, head, 1000)
        self.assertIn(b"replicated-hall", data)

    def test_places_that_it_never_had_are_gone(self):
        self.assertEqual(GONE, self.log(1, 0)[0])
        self.assertEqual(GONE, self.log(self.page["epoch"], 1 << 40)[0])

    def test_followers_and_bytes_are_counted(self):
        self.log(self.page["epoch"], 0)
        wait_until(lambda: self.server.metrics()["diorama_replica_followers"] >= 1)
        self.assertGreater(self.server.metrics()["diorama_replica_sent_bytes_total"], 0)

    def test_it_ends_while_somebody_waits(self):
        _, _, head, _ = self.log(self.page["epoch"], 0)
        self.socket.send(struct.pack(">HBQ", VERSION, LOG, 99)
                         + struct.pack(">QQI", self.page["epoch"], head, 1000))
        self.restart()


class Refused(unittest.TestCase):
    def test_beyond_loopback_it_does_not_start_without_keys(self):
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run([os.path.join(BIN, "dioramad"), f"--data.dir={folder}",
                                   "--http.port=0", "--udp.port=0", "--pub.endpoint=",
                                   "--replica.endpoint=tcp://0.0.0.0:*"],
                                  capture_output=True, timeout=60, check=False)
        self.assertNotEqual(0, done.returncode)
        self.assertIn(b"set replica.curve", done.stderr)


if __name__ == "__main__":
    unittest.main()
