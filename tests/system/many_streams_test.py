"""Many streams of events: they hold no worker and little memory, slow ones hurt nobody else, and all end
when they must. The long form has ten thousand."""

import os
import resource
import signal
import socket
import struct
import time
import unittest

from events_test import StreamCase
from people import PeopleCase, bearer
from streams import EventStream
from support import LONG, is_sanitized, run_together, scene_path, wait_until

MANY = 10000 if LONG else 300
WORKERS = 8
MEMORY_EACH = 40 << 10
LARGE = [f"{number:04}" + "x" * 1000 for number in range(30)]  # 30 KB in each event
SHORT_S = 10.0 if is_sanitized() else 1.0


class ManyCase(StreamCase):
    flags = None

    def begin(self, **flags):
        self.start_server(http_threads=WORKERS, budget_streams=0, **flags)
        self.client.put_scene(self.scene)
        return self.client.create(self.scene, {"name": "0"})[0]

    def open_many(self, count, **options):
        streams = []
        for _ in range(count):
            streams.append(self.watch(**options))
            self.assertEqual(streams[-1].status, 200)
        return streams

    def update(self, key, **members):
        """By a connection of its own: one that was idle for 5 s has ended."""
        with self.connect() as client:
            return client.update(self.scene, key, **members)

    def await_streams(self, count, deadline=20):
        wait_until(lambda: self.streams() == count, deadline, f"{count} streams")


class ManyStreams(ManyCase, unittest.TestCase):
    def test_more_streams_than_workers_hear_each_change_and_others_are_served(self):
        key = self.begin()
        streams = self.open_many(MANY)
        for stream in streams:
            known = stream.snapshot()["seq"]
        self.update(key, name="1")
        for stream in streams:
            change = stream.change()
            self.assertEqual((change["seq"], change["object"]["name"]), (known + 1, "1"))
        self.assertEqual(self.streams(), MANY)
        for stream in streams[1:]:
            stream.close()
        self.await_streams(1)
        self.update(key, name="2")
        self.assertEqual(streams[0].change()["object"]["name"], "2")

    @unittest.skipIf(is_sanitized(), "it looks at memory")
    def test_an_open_stream_takes_at_most_40_kib_in_both_forms(self):
        key = self.begin()
        for query in ("rate=30", "form=delta"):
            with self.subTest(query):
                for stream in self.open_many(20, query=query):  # what all share is there
                    stream.snapshot()
                    stream.close()
                self.await_streams(0)
                before = self.server.resident_bytes()
                streams = self.open_many(MANY, query=query)
                for number in range(10):
                    self.update(key, name=str(number))
                newest = self.client.ok("POST", f"{scene_path(self.scene)}/object/query", {})["seq"]
                for stream in streams:
                    while stream.next().body["seq"] < newest:
                        pass
                self.assertLess((self.server.resident_bytes() - before) / MANY, MEMORY_EACH)
                for stream in streams:
                    stream.close()
                self.await_streams(0)

    def test_all_come_again_at_once_after_a_restart(self):
        self.begin()
        before = self.open_many(MANY)
        for stream in before:
            stream.snapshot()
        self.restart()
        for stream in before:
            stream.close()
        streams, begun = [[] for _ in range(8)], time.monotonic()

        def come(mine):
            for _ in range(MANY // len(streams)):
                stream = EventStream(self.server, f"{scene_path(self.scene)}/events")
                self.addCleanup(stream.close)
                mine.append(stream)

        run_together(*[lambda mine=mine: come(mine) for mine in streams])
        for stream in sum(streams, []):
            self.assertEqual(stream.snapshot()["scene"], self.scene)
        self.assertLess(time.monotonic() - begun, 60)
        self.assertEqual(self.streams(), MANY // 8 * 8)

    def test_a_server_that_stops_ends_them_all_whether_they_read_or_not(self):
        key = self.begin()
        reading = self.open_many(MANY // 2)
        stalled = self.open_many(20, receive_bytes=4096)
        for number in range(30):
            self.update(key, name=str(number), assets=LARGE)
        code, took = self.server.stop()
        self.assertEqual(code, 0)
        self.assertLess(took, 5 * SHORT_S)
        for stream in reading + stalled:
            stream.rest()

    def test_beyond_the_memory_of_streams_is_503_until_one_leaves(self):
        self.begin(events_memory=1 << 20)  # 64 of 16 KiB
        streams = self.open_many(50)
        refused = None
        while len(streams) < 80 and not refused:
            stream = self.watch()
            if stream.status == 503:
                refused = stream
            else:
                streams.append(stream)
        self.assertIn("120", refused.content().decode() if refused else "not refused")
        self.assertLessEqual(len(streams), 64)
        self.client.create(self.scene, {"name": "others are served"})
        for stream in streams[:20]:  # those that stay hold more than they began with
            stream.close()
        self.await_streams(len(streams) - 20)
        self.assertEqual(self.watch().snapshot()["scene"], self.scene)

    def test_without_a_descriptor_is_503_and_goes_on_with_one(self):
        self.begin()
        path = f"{scene_path(self.scene)}/events"
        self.client.get("/livez")  # its connection is open
        pid = self.server.process.pid
        limit = resource.prlimit(pid, resource.RLIMIT_NOFILE)
        resource.prlimit(pid, resource.RLIMIT_NOFILE, (3, limit[1]))
        answer = self.client.get(path)
        resource.prlimit(pid, resource.RLIMIT_NOFILE, limit)
        self.assertEqual((answer.status, answer.body["err_code"]), (503, 120))
        self.assertIn("descriptor", answer.body["detail"])
        self.assertEqual(self.watch().snapshot()["scene"], self.scene)


class Slow(ManyCase, unittest.TestCase):
    @unittest.skipIf(is_sanitized(), "it looks at time and memory")
    def test_clients_that_are_stopped_are_cut_and_others_hear_everything(self):
        key = self.begin()
        child = os.fork()
        if child == 0:  # until it is killed
            streams = [EventStream(self.server, f"{scene_path(self.scene)}/events") for _ in range(20)]
            while True:
                for stream in streams:
                    stream.next()
        try:
            self.await_streams(20)
            healthy = self.watch()
            known = healthy.snapshot()["seq"]
            os.kill(child, signal.SIGSTOP)
            before, begun = self.server.resident_bytes(), time.monotonic()
            while self.streams() > 1:
                self.assertLess(time.monotonic() - begun, 60)
                for _ in range(10):
                    self.update(key, name=str(known), assets=LARGE)
                    known += 1
                    self.assertEqual(healthy.change()["seq"], known)
            self.assertGreater(time.monotonic() - begun, 8)
            # History has its 64 MiB, and so has what the store writes next.
            self.assertLess(self.server.resident_bytes() - before, 256 << 20)
        finally:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)

    def test_a_large_state_is_read_at_the_speed_of_each_client(self):
        self.begin()
        for _ in range(5):
            self.client.create(self.scene, *[{"name": "x" * 100} for _ in range(1000)])  # 2 MB in all
        streams = [self.watch(receive_bytes=32768, query=query)
                   for query in ("", "form=delta", "rate=30") for _ in range(4)]

        def read(stream):
            self.assertEqual(len(stream.snapshot()["objects"]), 5001)

        run_together(*[lambda stream=stream: read(stream) for stream in streams])


class Access(ManyCase, PeopleCase, unittest.TestCase):
    flags = {**PeopleCase.flags, "http_threads": WORKERS, "budget_streams": 0}

    def test_many_streams_end_within_a_second_of_losing_access(self):
        owner, other = self.new_person("owner"), self.sign_up("other")
        self.addCleanup(owner.close)
        for name, lose in (
                ("private", lambda who: owner.put_scene(self.scene, public=False)),
                ("logout", lambda who: who.post("/v1/logout"))):
            with self.subTest(name):
                took = []
                while not took or took[-1] >= SHORT_S:  # a machine that is busy may try again
                    self.assertLess(len(took), 3, took)
                    took.append(self.seconds_to_the_end(owner, other["username"], lose))

    def seconds_to_the_end(self, owner, username, lose):
        """After a user lost the streams of a public scene."""
        owner.put_scene(self.scene, public=True)
        other = self.enter(self.server, username)
        self.addCleanup(other.close)
        streams = self.open_many(min(MANY, 1000) // 2, headers=bearer(other.token))
        for stream in streams:
            stream.snapshot()
        lose(other)
        begun = time.monotonic()
        for stream in streams:
            self.assertEqual(stream.rest(), [])
        return time.monotonic() - begun


class Hostile(ManyCase, unittest.TestCase):
    def setUp(self):
        super().setUp()
        self.key = self.begin()

    def assert_serves(self):
        with self.watch() as stream:
            known = stream.snapshot()["seq"]
            self.update(self.key, name=str(known))
            self.assertEqual(stream.change()["seq"], known + 1)

    def test_a_client_that_closes_its_half_has_left(self):
        stream = self.watch()
        stream.snapshot()
        stream.socket.shutdown(socket.SHUT_WR)
        self.assertEqual(stream.rest(), [])
        self.await_streams(0)
        self.assert_serves()

    def test_what_a_client_says_behind_its_request_is_never_heard(self):
        more = f"GET {scene_path(self.scene)} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".encode()
        for words in (more, b"\0" * 10000, b"DELETE / HTTP/1.1\r\n\r\n" * 100):
            stream = self.watch()
            stream.snapshot()
            stream.socket.setblocking(False)
            stream.socket.send(words)
            stream.socket.setblocking(True)
            self.update(self.key, name="heard")
            self.assertEqual(stream.change()["object"]["name"], "heard")
            stream.close()
        self.await_streams(0)
        self.assertEqual(self.client.get(scene_path(self.scene)).status, 200)

    def test_a_request_in_the_same_packet_behind_a_stream_is_never_answered(self):
        sent = (f"GET {scene_path(self.scene)}/events HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
                f"GET /livez HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
        with socket.create_connection(("127.0.0.1", self.server.http_port)) as raw:
            raw.sendall(sent.encode())
            raw.settimeout(10)
            got = b""
            while b"event: snapshot" not in got:
                got += raw.recv(65536)
            self.update(self.key, name="heard")
            while b"heard" not in got:
                got += raw.recv(65536)
            self.assertEqual(got.count(b"HTTP/1.1"), 1)
        self.await_streams(0)

    def test_a_client_that_floods_is_left_to_its_kernel(self):
        stream = self.watch()
        stream.snapshot()
        stream.socket.setblocking(False)
        before, sent = self.server.resident_bytes(), 0
        try:
            while sent < 64 << 20:
                sent += stream.socket.send(b"x" * 65536)
        except BlockingIOError:
            pass
        self.assertLess(sent, 16 << 20)
        self.assertLess(self.server.resident_bytes() - before, 8 << 20)
        self.assert_serves()

    def test_head_takes_no_place(self):
        for _ in range(20):
            with self.watch(method="HEAD") as stream:
                self.assertEqual((stream.status, stream.content()), (200, b""))
        self.assertEqual(self.streams(), 0)

    def test_streams_that_ask_for_everything_are_served_beside_others(self):
        keys = [f"{self.scene}-{number}" for number in range(64)]
        for key in keys:
            self.client.put_scene(key)
        for _ in range(4):
            many = self.watch(*keys, query="form=delta&rate=240&precision=full&parts=objects,devices,properties")
            self.assertEqual({many.snapshot()["scene"] for _ in keys}, set(keys))
        refused = self.watch(*keys, "one-more")
        self.assertEqual(refused.status, 422)
        self.assert_serves()

    def test_clients_that_leave_at_once_leave_nothing(self):
        self.come_and_go(100)  # each worker has what it needs to ask
        before = self.server.descriptors()
        self.come_and_go(200)
        wait_until(lambda: self.server.descriptors() <= before + 4, what="the descriptors of the streams")

    def come_and_go(self, count):
        target = f"GET {scene_path(self.scene)}/events HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".encode()
        for number in range(count):
            raw = socket.create_connection(("127.0.0.1", self.server.http_port))
            raw.sendall(target)
            if number % 2:  # the kernel says so at once
                raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            raw.close()
        self.assert_serves()
        self.await_streams(0)


if __name__ == "__main__":
    unittest.main()
