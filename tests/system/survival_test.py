"""What a machine may do to a server: no descriptors left, a pause of the whole process, a clock
that is set. It survives, and is as before within 5 seconds (DIORAMA_LONG=1)."""

import contextlib
import glob
import os
import resource
import signal
import socket
import time
import unittest
from email.utils import parsedate_to_datetime

from support import LONG, LONG_SHARD_COUNTS, Client, ServerCase, needs_files, scenes, wait_until, with_shards

RECOVERY = 5.0 if LONG else 10.0  # what is promised; what a busy machine takes
PAUSE = 12.0 if LONG else 3.0
DAY = 86400

FAKETIME = (glob.glob("/usr/lib/*/faketime/libfaketimeMT.so.1") or [None])[0]


def raw_connection(server, timeout=20.0):
    return socket.create_connection(("127.0.0.1", server.http_port), timeout)


def head(method, path, *fields):
    lines = [f"{method} {path} HTTP/1.1", "Host: localhost", *fields]
    return "".join(line + "\r\n" for line in lines).encode() + b"\r\n"


def receive_all(raw):
    answer = b""
    while part := raw.recv(65536):
        answer += part
    return answer


@with_shards(*LONG_SHARD_COUNTS)
class Descriptors(ServerCase):
    ROOM = 60  # descriptors that are left when the crowd comes
    CROWD = 200
    flags = None

    def setUp(self):
        super().setUp()
        self.start_server()
        self.client.put_scene(self.scene, name="before")
        self.crowd = []
        self.addCleanup(self.disperse)

    def use_up(self):
        """Idle connections take whatever descriptors there are."""
        limit = self.server.descriptors() + self.ROOM
        process = self.server.process.pid
        _, hard = resource.prlimit(process, resource.RLIMIT_NOFILE)
        resource.prlimit(process, resource.RLIMIT_NOFILE, (limit, hard))
        self.crowd = [raw_connection(self.server) for _ in range(self.CROWD)]
        wait_until(lambda: self.server.descriptors() >= limit, RECOVERY, "using up the descriptors")

    def disperse(self):
        for raw in self.crowd:
            raw.close()
        self.crowd = []

    def is_well(self):
        try:
            with Client(self.server, timeout=RECOVERY) as client:
                wrote = client.put("/v1/scene/" + self.scene, scenes({"name": "after"})).status
                return wrote == 200 and client.scene(self.scene)["name"] == "after" and \
                    client.get("/readyz").status == 200
        except OSError:
            return False

    def await_recovery(self):
        began = time.monotonic()
        wait_until(self.is_well, RECOVERY, "recovery")
        return time.monotonic() - began

    def use_up_quickly(self, at_once):
        """Uses them up and does something, before what says nothing meanwhile may be sent away for
        others (a 40th of its time: from an eighth of a second on)."""
        for _ in range(20):
            self.disperse()
            self.await_recovery()
            self.client.close()  # it may have been sent away too
            self.client.get("/livez")
            began = time.monotonic()
            self.use_up()
            with contextlib.suppress(OSError):
                at_once()
            if time.monotonic() - began < 0.1:  # else the machine was busy: again
                return

    def test_what_is_connected_is_served_while_there_are_none(self):
        served = []
        self.use_up_quickly(lambda: served.append(self.client.get("/livez").status))
        self.assertEqual(served[-1], 200)
        self.client.put_scene(self.scene, name="meanwhile")
        self.assertEqual(self.client.scene(self.scene)["name"], "meanwhile")

    def test_workers_that_ask_for_the_first_time_survive(self):
        """A worker's mailbox needs descriptors: without, the answer is 503."""
        asked = head("GET", f"/v1/scene/{self.scene}", "Connection: close")
        self.use_up_quickly(lambda: [raw.sendall(asked) for raw in self.crowd[:self.ROOM // 2]])
        statuses = set()
        for raw in self.crowd[:self.ROOM // 2]:
            statuses.add(receive_all(raw)[9:12])
        self.assertLessEqual(statuses, {b"200", b"503"})
        self.disperse()
        self.await_recovery()

    def test_it_recovers_when_the_crowd_goes(self):
        self.use_up()
        self.disperse()
        print(f"\nas before {self.await_recovery():.2f} s after {self.CROWD} idle connections went")

    def test_it_recovers_though_the_crowd_stays(self):
        """Who connects and says nothing is sent away, the sooner the more others need."""
        self.use_up()
        print(f"\nas before {self.await_recovery():.2f} s after {self.CROWD} idle connections came")


@with_shards(*LONG_SHARD_COUNTS)
@needs_files  # beside a database a pause that is longer than the lease costs it
class Paused(ServerCase):
    def pause(self):
        self.server.process.send_signal(signal.SIGSTOP)
        time.sleep(PAUSE)
        self.server.process.send_signal(signal.SIGCONT)

    def test_a_pause_costs_no_connection_and_no_write(self):
        self.client.put_scene(self.scene, name="before")
        body = b'{"scenes":[{"name":"after"}]}'
        announced = f"Content-Length: {len(body)}"
        with raw_connection(self.server) as slow, raw_connection(self.server) as waiting, \
                raw_connection(self.server) as kept:
            slow.sendall(head("PUT", f"/v1/scene/{self.scene}", announced, "Connection: close"))
            slow.sendall(body[:10])
            kept.sendall(head("GET", "/livez"))
            self.assertIn(b" 200 ", kept.recv(65536))
            self.pause()
            began = time.monotonic()
            waiting.sendall(head("GET", f"/v1/scene/{self.scene}", "Connection: close"))
            self.assertIn(b" 200 ", receive_all(waiting)[:20])
            slow.sendall(body[10:])
            self.assertIn(b" 200 ", receive_all(slow)[:20])
            kept.sendall(head("GET", "/livez"))
            self.assertIn(b" 200 ", kept.recv(65536)[:20])
        self.assertLess(time.monotonic() - began, RECOVERY)
        self.assertEqual(self.connect().scene(self.scene)["name"], "after")


@unittest.skipUnless(FAKETIME, "libfaketime is not installed")
@with_shards(1)
class ClockSteps(ServerCase):
    """The calendar is set while the server runs; deadlines count on the monotonic clock, which
    cannot be set."""

    flags = None

    def setUp(self):
        super().setUp()
        self.calendar = None
        self.start_under_a_clock()

    def start_under_a_clock(self):
        self.path = f"/tmp/diorama-clock-{os.getpid()}"
        self.addCleanup(lambda: os.path.exists(self.path) and os.unlink(self.path))
        self.set_clock(0)
        environment = {"LD_PRELOAD": FAKETIME, "FAKETIME_TIMESTAMP_FILE": self.path,
                       "FAKETIME_NO_CACHE": "1", "FAKETIME_DONT_FAKE_MONOTONIC": "1",
                       "ASAN_OPTIONS": "verify_asan_link_order=0"}
        os.environ.update(environment)
        try:
            self.start_server()
        finally:
            for name in environment:
                del os.environ[name]

    def set_clock(self, seconds):
        with open(self.path + ".new", "w") as file:
            file.write(f"{seconds:+d}")
        os.rename(self.path + ".new", self.path)

    def server_time(self):
        """What the server believes, as the Date of an answer, in seconds from now."""
        date = self.connect().get("/livez").headers["Date"]
        return parsedate_to_datetime(date).timestamp() - time.time()

    def test_it_serves_whatever_the_calendar_says(self):
        self.client.put_scene(self.scene, name="0")
        for step in (DAY, -DAY, 10 * 365 * DAY, 0):
            self.set_clock(step)
            wait_until(lambda: abs(self.server_time() - step) < 30, RECOVERY, "the clock's step")
            with self.subTest(step):
                began = time.monotonic()
                self.client.put_scene(self.scene, name=str(step))
                self.assertEqual(self.client.scene(self.scene)["name"], str(step))
                self.assertEqual(self.client.get("/readyz").status, 200)
                self.assertLess(time.monotonic() - began, RECOVERY)
        self.assertEqual(self.server.stop()[0], 0)

    def test_deadlines_do_not_move_with_the_calendar(self):
        """Half a header is cut after 10 seconds, not at once and not in a day."""
        halves = []
        for step in (DAY, -DAY):
            raw = raw_connection(self.server)
            self.addCleanup(raw.close)
            began = time.monotonic()
            raw.sendall(b"GET /livez HTTP/1.1\r\n")
            self.set_clock(step)
            wait_until(lambda step=step: abs(self.server_time() - step) < 30, RECOVERY, "the clock's step")
            halves.append((began, raw))
        for began, raw in halves:
            answer = receive_all(raw)
            self.assertEqual(answer[9:12], b"408")
            self.assertTrue(9.5 < time.monotonic() - began < 20.0)


if __name__ == "__main__":
    unittest.main()
