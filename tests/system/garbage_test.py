#!/usr/bin/python3
"""Connections to PUB that are not what they should be (issue of live feeds, 5): none ends the process,
and who listens properly loses nothing. DIORAMA_LONG=1: 100,000 of them."""

import pathlib
import random
import shutil
import socket
import struct
import tempfile
import threading
import time
import unittest

import zmq
import zmq.auth

from feeds import Subscriber, gaps
from support import LONG, ServerCase, is_sanitized, moved, run_together, wait_until, with_shards
from zmtp import PLAIN, command, frame, greeting, member, say, subscribe, unsubscribe

CONNECTIONS = 50000 if LONG else 150 if is_sanitized() else 1000  # of each of the two servers
THREADS = 4
LEFT_OPEN = 50  # by each thread
STRANGERS = 200 if LONG else 5  # real clients with an unknown key


def noise(chance, most=400):
    return chance.randbytes(chance.randint(0, most))


def half_curve(chance):
    hello = command(b"HELLO", b"\x01\x00" + bytes(72) + noise(chance, 130))
    return greeting(b"CURVE") + hello + command(b"INITIATE", noise(chance))


KINDS = {
    "nothing": lambda chance: b"",
    "noise": noise,
    "half a greeting": lambda chance: greeting(b"CURVE")[:chance.randint(1, 63)],
    "NULL": lambda chance: PLAIN + subscribe(b"scene."),
    "PLAIN": lambda chance: greeting(b"PLAIN") + command(b"HELLO", b"\x05admin\x06secret"),
    "another mechanism": lambda chance: greeting(noise(chance, 20)) + noise(chance),
    "CURVE that is none": half_curve,
    "CURVE, broken": lambda chance: greeting(b"CURVE") + command(
        chance.choice((b"HELLO", b"INITIATE", b"MESSAGE", b"READY", b"ERROR")), noise(chance)),
    "ZMTP 1": lambda chance: b"\x01\x00" + b"\x02\x00\x01" + noise(chance),
    "ZMTP 2": lambda chance: b"\xff" + bytes(8) + b"\x7f\x01\x02\x00\x00" + noise(chance),
    "a later version": lambda chance: greeting(b"NULL", (chance.randint(4, 255), 7)) + noise(chance),
    "a huge frame": lambda chance: PLAIN + b"\x02" + struct.pack(
        ">Q", chance.choice((1025, 1 << 31, 1 << 62, (1 << 64) - 1))) + noise(chance),
    "a huge command": lambda chance: greeting(b"NULL") + b"\x06" + struct.pack(">Q", 1 << 40),
    "members that lie": lambda chance: greeting(b"NULL") + command(
        b"READY", b"\x0bSocket-Type\xff\xff\xff\xffSUB"),
    "not a subscriber": lambda chance: greeting(b"NULL") + command(
        b"READY", member(b"Socket-Type", chance.choice((b"REP", b"PUB", b"", b"X" * 90)))),
    "other people's topics": lambda chance: PLAIN + b"".join(
        unsubscribe(topic) for topic in (b"", b"hb", b"scene.", b"scene.garbage.") * 5),
    "messages": lambda chance: PLAIN + frame(1, noise(chance, 200)) * 3 + frame(0, b"\x07") * 3,
    "pings": lambda chance: PLAIN + subscribe(b"x") + command(b"PING", b"\x00\x01ctx") * 3,
    "commands": lambda chance: PLAIN + command(b"SUBSCRIBE", b"hb") + command(b"CANCEL", b"zz") +
    command(noise(chance, 9), noise(chance, 99)) + command(b"ERROR", b"\x05hello"),
    "HTTP": lambda chance: b"GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n",
    "topics": lambda chance: PLAIN + b"".join(
        subscribe(b"scene.%d." % chance.randint(1, 50)) for _ in range(20)) + unsubscribe(b"scene.1."),
}


def close_hard(connection):
    """With a reset, which leaves no port waiting."""
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    connection.close()


def attack(port, seed, count):
    chance = random.Random(seed)
    left_open, kinds = [], list(KINDS.values())
    for number in range(count):
        connection = socket.socket()
        connection.settimeout(20)
        connection.bind((f"127.0.{seed}.{1 + number % 250}", 0))
        try:
            connection.connect(("127.0.0.1", port))
            say(connection, kinds[number % len(kinds)](chance))
            if chance.random() < 0.3:
                connection.settimeout(0.01)
                connection.recv(64)
        except OSError:
            pass  # it may end while it is being spoken to
        left_open.append(connection)
        if chance.random() < 0.5 or len(left_open) > LEFT_OPEN:
            close_hard(left_open.pop(chance.randrange(len(left_open))))
    for connection in left_open:
        close_hard(connection)


class Garbage(ServerCase):
    """What holds with CURVE and without."""

    flags = None

    def setUp(self):
        super().setUp()
        self.keys = ()
        self.start()
        self.good = Subscriber(self.server, keys=self.keys)
        self.addCleanup(self.good.close)
        self.key = self.client.create(self.scene, {"name": "cube"})[0]
        self.ended = threading.Event()

    def start(self):
        self.start_server()

    def move(self):
        """Events, until the attack is over."""
        number = 0
        with self.connect() as client:
            while not self.ended.is_set() or number < 20:
                number += 1
                client.update(self.scene, self.key, transform=moved(number))
                time.sleep(0.002)
            client.update(self.scene, self.key, name="end")

    def strangers(self):
        pass

    def attack(self):
        try:
            run_together(self.strangers, *(
                lambda seed=seed: attack(self.server.pub_port, seed, CONNECTIONS // THREADS)
                for seed in range(1, THREADS + 1)))
        finally:
            self.ended.set()

    def test_none_ends_the_process_and_who_listens_loses_nothing(self):
        run_together(self.attack, self.move)
        self.assertTrue(self.server.is_running(), self.server.log_tail())
        self.good.wait_for(lambda message: message.body and message.body.get("name") == "end")
        seen = [message.header["seq"] for message in self.good.events(self.scene)]
        self.assertEqual(gaps(seen), [])
        self.assertEqual(len({message.header["epoch"] for message in self.good.events(self.scene)}), 1)
        self.assertNotIn("pub_reopened", self.server.log_text())
        wait_until(lambda: self.server.metrics()["diorama_pub_subscribers"] == 1,
                   what="the end of all connections but one")
        self.assertLess(self.server.resident_bytes(), (2000 if is_sanitized() else 300) << 20)


@with_shards(1)
class Plain(Garbage):
    def test_topics_have_a_maximum_and_who_listens_comes_back(self):
        with socket.create_connection(("127.0.0.1", self.server.pub_port)) as connection:
            say(connection, PLAIN)
            chance = random.Random(1)
            try:
                for _ in range(1000):  # of 1,000 bytes: 256 KiB is the maximum
                    connection.sendall(subscribe(chance.randbytes(1000)))
                wait_until(lambda: connection.recv(4096) == b"", what="the end of the connection")
            except OSError:
                pass  # ended already
        wait_until(lambda: "reason=too_many_topics" in self.server.log_text(), what="the log's line")
        beats = len(self.good.inbox.items)
        wait_until(lambda: len(self.good.inbox.items) > beats, what="a heartbeat")
        self.client.update(self.scene, self.key, name="after")
        self.good.wait_for(lambda message: message.body and message.body.get("name") == "after")


@with_shards(1)
class Curve(Garbage):
    def start(self):
        folder = pathlib.Path(tempfile.mkdtemp(prefix="diorama-garbage-"))
        self.addCleanup(shutil.rmtree, folder)
        self.start_server(pub_curve_dir=folder)
        zmq.auth.create_certificates(folder, "good")
        shutil.copy(folder / "good.key", folder / "clients")
        self.keys = folder / "good.key_secret", folder / "server.key"

    def strangers(self):
        """Real clients, with keys that nobody knows, that give up in the middle of it."""
        server_key = zmq.auth.load_certificate(self.keys[1])[0]
        for number in range(STRANGERS):
            with zmq.Context() as context, context.socket(zmq.SUB) as stranger:
                stranger.linger = 0
                stranger.curve_publickey, stranger.curve_secretkey = zmq.curve_keypair()
                stranger.curve_serverkey = server_key
                stranger.connect(f"tcp://127.0.0.1:{self.server.pub_port}")
                stranger.subscribe("")
                self.assertFalse(stranger.poll(number % 20 * 5))

    def knock(self, keys):
        """Clients that come and go, known or not, wherever they are in their handshake."""
        chance = random.Random(1)
        with zmq.Context() as context:
            while not self.ended.is_set():
                with context.socket(zmq.SUB) as socket_:
                    socket_.linger = 0
                    socket_.curve_publickey, socket_.curve_secretkey = keys()
                    socket_.curve_serverkey = zmq.auth.load_certificate(self.keys[1])[0]
                    socket_.subscribe("")
                    socket_.connect(f"tcp://127.0.0.1:{self.server.pub_port}")
                    socket_.poll(chance.choice((1, 3, 10)))

    def stop_often(self):
        try:
            for _ in range(5):
                code, _ = self.server.stop()
                self.assertEqual(code, 0, self.server.log_tail())
                self.server.start(keeps_ports=True)
        finally:
            self.ended.set()

    def test_it_ends_in_order_while_they_knock(self):
        run_together(self.stop_often, *[lambda: self.knock(zmq.curve_keypair)] * 2,
                     *[lambda: self.knock(lambda: zmq.auth.load_certificate(self.keys[0]))] * 2)


if __name__ == "__main__":
    unittest.main()
