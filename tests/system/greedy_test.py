"""One user tries everything at once, over many connections, with the defaults: the server's memory is
bounded, and another user reads an object as before.

What the user stores is in memory too, and has a budget of its own (`record_bytes`, 1 GiB), so the
server's account of it is taken off: the bound is for work in progress.

DIORAMA_LONG=1: for longer, on a machine that does nothing else: p99 of the GET is 20 ms at most."""

import contextlib
import socket
import sys
import threading
import time
import unittest

from files import upload
from pace import Pace
from people import FLAGS, PeopleCase, Person, bearer
from streams import EventStream
from support import LONG, is_sanitized, objects, run_together, scene_path, scenes
from zmtp import PLAIN, say, subscribe

MIB = 1 << 20
SECONDS = 60 if LONG else 6
P99 = 0.02 if LONG and not is_sanitized() else 0.2
TURN = 0.1 if is_sanitized() else 0.025  # of the processor, as the machine may be busy
GROWTH = 256 * MIB
FILTERS, QUERIED = 100, 5000
PARSED = b'{"objects":[{"x":[' + b"[]," * ((MIB - 100) // 3) + b"[]]}]}"
CLIENTS = 2 if LONG else 1  # of each kind
PUBS, STREAMS = 200, 64


class Greed:
    """What one client does again and again. Refusals are answers too; what counts is who pays."""

    def __init__(self, server, token, name):
        self.server, self.token, self.name = server, token, name
        self.number, self.held = 0, []

    def client(self):
        return Person(self.server, self.token)

    def new(self):
        self.number += 1
        return f"{self.name}-{self.number}"

    def parse(self, client):
        client.post(scene_path("hall") + "/object/query", PARSED)

    def queries(self, client):
        names = ({"name": f"no{number}"} for number in range(FILTERS))
        client.post(scene_path("hall") + "/object/query", objects(*names))

    def uploads(self, client):
        upload(client, "/v1/asset", self.new().encode() * 20000)

    def registrations(self, client):
        devices = [{"key": self.new()} for _ in range(50)]
        client.post(scene_path("hall") + "/register", scenes({"devices": devices}))

    def repeats(self, client):
        client.request("POST", scene_path("hall") + "/object/", objects({"name": "o"}),
                       {"Idempotency-Key": self.new()})

    def scenes(self, client):
        client.post("/v1/scene/", scenes(*[{"name": "n", "description": "x" * 500}] * 50))

    def projects(self, client):
        client.post("/v1/project", {"name": self.new(), "description": "x" * 4000})

    def streams(self, _):
        if len(self.held) < STREAMS:
            self.held.append(EventStream(self.server, scene_path("hall") + "/events",
                                         bearer(self.token)))

    def subscribers(self, _):
        if len(self.held) < PUBS:
            raw = socket.create_connection(("127.0.0.1", self.server.pub_port), 5)
            self.held.append(raw)
            say(raw, PLAIN + subscribe(b"scene."))

    def close(self):
        for held in self.held:
            held.close()


KINDS = ("parse", "queries", "uploads", "registrations", "repeats", "scenes", "projects", "streams",
         "subscribers")


class Greedy(PeopleCase, unittest.TestCase):
    flags = FLAGS

    def setUp(self):
        super().setUp()
        self.addCleanup(sys.setswitchinterval, sys.getswitchinterval())
        sys.setswitchinterval(0.0005)  # what is measured is the server
        self.greedy, self.modest = self.new_person("greedy"), self.new_person("modest")
        for person in (self.greedy, self.modest):
            self.addCleanup(person.close)
        self.modest.put_scene("mine")
        [self.key] = self.modest.create("mine", {"name": "o"})
        self.greedy.put_scene("hall")
        for _ in range(0, QUERIED, 1000):
            self.greedy.create("hall", *[{"name": "o"}] * 1000)
        self.ended, self.peak, self.done = threading.Event(), 0, dict.fromkeys(KINDS, 0)

    def stored(self):
        """Bytes of records of all users, as the server counts them."""
        return int(self.server.metrics().get('diorama_budget_held{budget="record_bytes"}', 0))

    def want(self, kind, number):
        greed = Greed(self.server, self.greedy.token, f"{kind}-{number}")
        self.addCleanup(greed.close)
        with contextlib.closing(greed.client()) as client:
            while not self.ended.is_set():
                with contextlib.suppress(OSError):
                    getattr(greed, kind)(client)
                    self.done[kind] += 1
                if kind in ("streams", "subscribers"):
                    self.ended.wait(0.01)

    def watch(self):
        """The account is asked now and then: what has been stored since counts as work in progress."""
        end, stored = time.monotonic() + SECONDS, self.stored()
        while time.monotonic() < end:
            for _ in range(20):
                self.peak = max(self.peak, self.server.resident_bytes() - stored)
                time.sleep(0.05)
            stored = self.stored()
        self.ended.set()

    def test_another_user_reads_as_before_and_memory_is_bounded(self):
        stored = self.stored()
        before = self.server.resident_bytes() - stored
        token = f"Authorization: Bearer {self.modest.token}\r\n"
        with Pace(self.server, "mine", token, self.key) as pace:
            run_together(self.watch, *(lambda kind=kind, number=number: self.want(kind, number)
                                       for kind in KINDS for number in range(CLIENTS)))
        stored = self.stored() - stored
        grown = self.peak - before
        print(f"\n{pace}; RSS +{grown // MIB} MiB beside {stored // MIB} MiB stored; {self.done}")
        self.assertEqual([kind for kind in KINDS if not self.done[kind]], [], "was never done")
        self.assertEqual(pace.failures[:3], [])
        if not is_sanitized():  # which keeps what is freed
            self.assertLess(grown, GROWTH, f"it grew by {grown // MIB} MiB beside what is stored")
        self.assertLess(pace.p99(), P99, pace)
        self.assertEqual(self.server.slow_turns(TURN, "scene.", "streamer", "asset", "user"), {},
                         f"turns of more than {TURN} s")


if __name__ == "__main__":
    unittest.main()
