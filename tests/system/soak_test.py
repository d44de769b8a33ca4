"""A server that runs for long: what was made and ended leaves nothing in its memory.

The short form counts blocks of the heap (heap_count.c), kind by kind. DIORAMA_LONG=1: an hour of
everything at once (DIORAMA_SOAK_SECONDS; much shorter ones measure how it warms up). After half
of that its memory is flat, and so are its descriptors and threads. The store's own memory is taken
off: it is bounded, but its memtables are a wave of some MiB, and its cache fills for long."""

import os
import struct
import threading
import time
import unittest
from unittest import mock

from churn import Churn
from people import FLAGS, PeopleCase, Person
from support import BIN, LONG, Server, is_sanitized, run_together, scene_path, wait_until

LIBRARY = os.path.join(os.path.abspath(BIN), "heap_count.so")
THREADS = 4          # of HTTP: each warms up once
ROUNDS = 6           # a leak shows in each of them; what grows once does not
BLOCKS_A_THING = 0.1
BYTES_A_THING = 50
BYTES_A_CONNECTION = 2000
PATIENCE_S = 2       # for what ends a second after it is not wanted any more
MIB = 1 << 20
SECONDS = float(os.environ.get("DIORAMA_SOAK_SECONDS", 3600))
RISE_MIB_H = 1
STORE_MIB = 48  # its buffers and its cache, 16 MiB each, may be exceeded for a moment
# Kind, how many times it is made and ended in a round: often enough that the first one fills what is remembered of users who
# are gone (RECORD_ABSENCES_MOST).
KINDS = (("scenes", 20), ("objects", 4), ("properties", 60), ("devices", 60), ("assets", 20),
         ("projects", 30), ("streams", 50), ("logins", 5), ("failed_logins", 5), ("users", 40),
         ("repeats", 40), ("updates", 4), ("datagrams", 10), ("subscribers", 40),
         ("strangers", 40))


class CountedServer(Server):
    """Its blocks of the heap are counted."""

    def launch(self, *arguments, **flags):
        path = os.path.join(self.folder, "heap")
        with open(path, "wb") as file:
            file.write(bytes(16))
        self.counts = open(path, "rb", buffering=0)
        with mock.patch.dict(os.environ, LD_PRELOAD=LIBRARY, HEAP_COUNT_FILE=path):
            super().launch(*arguments, **flags)

    def heap(self):
        """(bytes, blocks)"""
        return struct.unpack("qq", os.pread(self.counts.fileno(), 16, 0))

    def grown(self, before):
        return tuple(now - then for now, then in zip(self.heap(), before))


@unittest.skipIf(is_sanitized(), "a sanitizer has a heap of its own")
class WhatStays(PeopleCase, unittest.TestCase):
    flags = None

    def setUp(self):
        super().setUp()
        self.server = CountedServer(store_sync="never", udp_trusted_networks="127.0.0.0/8",
                                    http_threads=THREADS, http_idempotency=1, http_deadline=2000,
                                    audit_writes="each", **FLAGS)
        self.addCleanup(self.server.end)
        self.server.start()
        self.churn = Churn(self.server, self.enter(self.server, "admin"))
        self.addCleanup(self.churn.close)

    def test_what_is_made_and_ended_leaves_nothing(self):
        for kind, times in KINDS:
            with self.subTest(kind):
                self.expect_nothing_left(getattr(self.churn, kind), times)

    def leaves_nothing(self, churn, times):
        """Whether a round left less than its limits, and what it left of each thing."""
        before, left = self.server.heap(), None
        things = sum(churn() for _ in range(times))

        def is_gone():
            nonlocal left
            left = tuple(grown / things for grown in self.server.grown(before))
            return left[0] <= BYTES_A_THING and left[1] <= BLOCKS_A_THING

        try:
            return wait_until(is_gone, PATIENCE_S), left
        except AssertionError:
            return False, left

    def expect_nothing_left(self, churn, times):
        left = []
        for _ in range(ROUNDS):
            is_gone, round_left = self.leaves_nothing(churn, times)
            left.append("%.1f B in %.2f blocks" % round_left)
            if is_gone and len(left) > 1:  # the first one warms up
                break
        self.assertTrue(is_gone, f"{churn.__name__} leave of each {', then '.join(left)}")


@unittest.skipIf(is_sanitized(), "a sanitizer has a heap of its own")
class Workers(PeopleCase, unittest.TestCase):
    """Each connection comes to a worker that had none for the longest time."""

    flags = None

    def setUp(self):
        super().setUp()
        self.server = CountedServer(store_sync="never", audit_writes="each", **FLAGS)
        self.addCleanup(self.server.end)
        self.server.start()
        self.churn = Churn(self.server, self.enter(self.server, "admin"))
        self.addCleanup(self.churn.close)
        for _ in range(300):  # so many messages warm the queues up
            self.churn.person.get("/v1/asset/none")
            self.churn.person.get(scene_path("none"))
        self.churn.strangers()

    def test_new_connections_one_after_another_leave_no_descriptors(self):
        before = self.server.descriptors()
        for _ in range(100):
            self.churn.strangers()
        wait_until(lambda: self.server.descriptors() < before + 10, 10,
                   f"fewer than 10 descriptors more than {before}")

    def test_new_connections_one_after_another_leave_no_memory(self):
        before = self.server.heap()
        for _ in range(100):
            self.churn.strangers()
        wait_until(lambda: self.server.grown(before)[0] < 100 * BYTES_A_CONNECTION, 10,
                   "little memory of each")


def slope(points):
    """Of y by x, by least squares."""
    count = len(points)
    x_mean, y_mean = (sum(point[axis] for point in points) / count for axis in (0, 1))
    spread = sum((x - x_mean) ** 2 for x, _ in points)
    return sum((x - x_mean) * (y - y_mean) for x, y in points) / spread


def least_resident(server):
    """Of some looks: a password that is checked takes 64 MiB for a moment."""
    looks = []
    for _ in range(8):
        looks.append(server.resident_bytes())
        time.sleep(0.1)
    return min(looks)


class Sample:
    """What the server takes, `seconds` after the beginning."""

    TITLES = ("   s", "RSS MiB", "memtables", "block cache", "tables", "fds", "threads", "made")

    def __init__(self, server, seconds, made):
        metrics = server.metrics()
        self.seconds, self.made = seconds, made
        self.resident = least_resident(server) / MIB
        self.memtables, self.cache, self.tables = (
            metrics['diorama_store_memory_bytes{kind="%s"}' % kind] / MIB
            for kind in ("memtables", "block_cache", "tables"))
        self.descriptors, self.threads = server.descriptors(), server.threads()

    def store(self):
        return self.memtables + self.cache + self.tables

    def beside_store(self):
        return self.resident - self.store()

    def __str__(self):
        return (f"{self.seconds:4.0f}  {self.resident:6.1f}  {self.memtables:9.1f}  {self.cache:10.1f}"
                f"  {self.tables:6.1f}  {self.descriptors:4}  {self.threads:6}  {self.made}")


@unittest.skipUnless(LONG and not is_sanitized(), "takes an hour")
class MixedLoad(PeopleCase, unittest.TestCase):
    """Kinds, each by a client of its own, and how often a second."""

    LOAD = {"scenes": 15, "objects": 1, "properties": 5, "devices": 5, "assets": 10, "projects": 2,
            "streams": 5, "logins": 0.5, "failed_logins": 0.1, "users": 0.2, "repeats": 5,
            "updates": 3, "datagrams": 28, "subscribers": 2, "strangers": 2}
    flags = {"udp_trusted_networks": "127.0.0.0/8", "http_idempotency": 300, **FLAGS}

    def churn_for(self, kind, rate):
        churn = Churn(self.server, Person(self.server, self.admin.token), kind)
        step, due = getattr(churn, kind), time.monotonic()
        while not self.ended.is_set():
            self.made[kind] += step()
            due = max(due + 1 / rate, time.monotonic() - 1)
            self.ended.wait(max(0, due - time.monotonic()))
        churn.close()

    def watch(self):
        """A sample each 10 s; a table of them each 5 minutes."""
        began, samples = time.monotonic(), []
        while not self.ended.is_set() and (now := time.monotonic() - began) < SECONDS:
            samples.append(Sample(self.server, now, sum(self.made.values())))
            if len(samples) % 30 == 0:
                print("\n" + "  ".join(Sample.TITLES), *samples[-30:], sep="\n", flush=True)
            self.ended.wait(9)
        self.ended.set()
        print("\nall:", "  ".join(Sample.TITLES), *samples, sep="\n", flush=True)
        self.samples = samples

    def guarded(self, kind, rate):
        try:
            self.churn_for(kind, rate)
        finally:
            self.ended.set()

    def test_memory_is_flat(self):
        self.ended, self.made = threading.Event(), dict.fromkeys(self.LOAD, 0)
        run_together(self.watch, *(lambda kind=kind, rate=rate: self.guarded(kind, rate)
                                   for kind, rate in self.LOAD.items()))
        warm = [sample for sample in self.samples if sample.seconds >= SECONDS / 2]
        rises = {name: slope([(sample.seconds / 3600, of(sample)) for sample in warm])
                 for name, of in (("all", lambda sample: sample.resident),
                                  ("beside the store", Sample.beside_store))}
        print(f"MiB/h: {rises}; made and ended: {self.made}")
        descriptors, threads = ([getattr(sample, name) for sample in warm]
                                for name in ("descriptors", "threads"))
        self.assertLess(max(threads) - min(threads), 20, "threads")
        self.assertLess(slope(list(zip(range(len(warm)), descriptors))) * len(warm), 20, "descriptors")
        self.assertLess(max(sample.store() for sample in warm), STORE_MIB)
        self.assertLessEqual(rises["beside the store"], RISE_MIB_H)


if __name__ == "__main__":
    unittest.main()
