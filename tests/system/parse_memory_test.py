"""Bodies that become large when they are read: all of them together take a bounded memory
(http.parse_memory), those of one user a part of it (budget.arriving_bytes, budget.parse_bytes), and it
is given back."""

import os
import select
import socket
import threading
import time
import unittest

from people import FLAGS, PeopleCase
from support import LONG, Client, ServerCase, is_sanitized, scene_path, wait_until, write_plan

MIB = 1 << 20
CLIENTS = 300 if LONG else 60
BODY = b'{"x":[' + b"[]," * ((MIB - 100) // 3) + b"[]]}"
PEAK = 256 * MIB + 128 * MIB  # the budget, and what the bodies themselves take
LEFT = 64 * MIB
HALF = 128 * MIB  # for bodies that arrive
ARRIVING = 32 * MIB  # of one user
KEPT = 32 << 10  # of each body needs no memory


class ParseMemory(ServerCase, unittest.TestCase):
    flags = None

    def setUp(self):
        super().setUp()
        self.start_server()
        plan = os.path.join(self.server.folder, "plan")
        write_plan(plan, "latency=0")
        self.client.create("hall", {"name": "o"})
        self.restart("restart", store_fault=f"file={plan}")
        self.plan = plan

    def flood(self):
        """So many queries of a scene that is read for some seconds; returns statuses and the peak."""
        write_plan(self.plan, "read-latency=2000")
        statuses, peaks, ended = [], [], threading.Event()

        def ask():
            with Client(self.server, timeout=60) as client:
                statuses.append(client.post(scene_path("hall") + "/object/query", BODY).status)

        def watch():
            while not ended.wait(0.02):
                peaks.append(self.server.resident_bytes())

        threads = [threading.Thread(target=ask, daemon=True) for _ in range(CLIENTS)]
        watcher = threading.Thread(target=watch, daemon=True)
        watcher.start()
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        ended.set()
        watcher.join()
        write_plan(self.plan, "latency=0")
        return set(statuses), max(peaks)

    def test_many_at_once_take_a_bounded_memory(self):
        before = self.server.resident_bytes()
        statuses, peak = self.flood()
        self.assertLessEqual(statuses, {200, 503})
        self.assertLess(peak - before, PEAK, f"it grew by {(peak - before) // MIB} MiB")

    @unittest.skipIf(is_sanitized(), "the address sanitizer keeps what is freed")
    def test_memory_is_given_back(self):
        before = self.server.resident_bytes()
        self.flood()

        def grown():
            return self.server.resident_bytes() - before

        end = time.monotonic() + 20
        while grown() > LEFT and time.monotonic() < end:
            self.client.get("/livez")
            time.sleep(0.05)
        self.assertLess(grown(), LEFT, f"{grown() // MIB} MiB stay")

    def test_body_of_a_login_is_small(self):
        body = b'{"username":"a","password":"b","x":"' + b"x" * 4096 + b'"}'
        self.client.refused(413, 140, "POST", "/v1/login", body)
        self.client.refused(413, 140, "POST", "/v1/users/sign-up", body)
        answer = self.client.post("/v1/login", {"username": "a", "password": "b" * 1000})
        self.assertEqual(answer.status, 401, answer)

class Fairness(PeopleCase, unittest.TestCase):
    """One user who begins bodies and does not end them takes nothing that bodies of others need."""

    flags = None

    def begin(self, **flags):
        self.start_server(**FLAGS, **flags)
        self.admin = self.enter(self.server, "admin")
        self.addCleanup(self.admin.close)
        for name in ("ann", "bob"):
            self.sign_up(name, self.admin)
        self.ann, self.bob = (self.enter(self.server, name) for name in ("ann", "bob"))
        for person in (self.ann, self.bob):
            self.addCleanup(person.close)
        self.bob.put_scene("hall")
        self.silent = []

    def announce(self, sent, count=130):
        """Bodies of 1 MiB of Ann, of which so many bytes come. The server has read a head when it
        invites the body; a server that keeps all memory for announced ones invites just a half."""
        head = (f"POST {scene_path('hall')}/object/query HTTP/1.1\r\nHost: localhost\r\n"
                f"Authorization: Bearer {self.ann.token}\r\nContent-Length: {MIB}\r\n"
                "Expect: 100-continue\r\n\r\n").encode()
        for _ in range(count):
            raw = socket.create_connection(("127.0.0.1", self.server.http_port), 20)
            self.addCleanup(raw.close)
            raw.sendall(head + b" " * sent)
            self.silent.append(raw)
        invited, waiting = 0, list(self.silent)
        while invited < HALF // MIB:
            ready, _, _ = select.select(waiting, [], [], 20)
            self.assertTrue(ready, f"{invited} are invited")
            waiting = [raw for raw in waiting if raw not in ready]
            invited += sum(raw.recv(25).startswith(b"HTTP/1.1 100") for raw in ready)

    def assert_bob_is_served(self):
        answer = self.bob.post(scene_path("hall") + "/object",
                               {"objects": [{"name": "x" * 100} for _ in range(400)]})
        self.assertEqual(answer.status, 200, answer)

    def held(self):
        return self.server.metrics()['diorama_budget_held{budget="arriving_bytes"}']

    def ended(self):
        """How many of Ann's requests were answered."""
        count = 0
        for raw in self.silent:
            raw.setblocking(False)
            try:
                count += raw.recv(4096).find(b"HTTP/1.1 4") >= 0
            except BlockingIOError:
                pass
        return count

    def test_announced_bodies_of_one_user_hold_up_nobody_else(self):
        self.begin()
        self.announce(0)
        self.assert_bob_is_served()
        self.assertEqual(self.ended(), 0, "he waited until bodies of hers were given up")
        self.assertEqual(self.held(), 0)

    def test_begun_bodies_of_one_user_hold_up_nobody_else(self):
        self.begin()
        self.announce(KEPT + 1000)
        wait_until(lambda: self.held() == ARRIVING, 10, "as many as may arrive")
        self.assert_bob_is_served()
        self.assertLessEqual(self.held(), ARRIVING)
        for raw in self.silent:
            raw.close()
        wait_until(lambda: self.held() == 0, 20, "all is given back")

    def test_bodies_beyond_those_that_wait_are_refused(self):
        self.begin(http_threads=256)  # an eighth of them may wait
        self.announce(KEPT + 1000)
        wait_until(lambda: self.refused() >= 130 - ARRIVING // MIB - 256 // 8, 10, "refusals")
        self.assert_bob_is_served()

    def test_begun_bodies_of_several_users_hold_up_nobody_else(self):
        self.begin(http_deadline=5000)  # a silent body has 10 s
        users = [self.ann]
        for number in range(4):  # with Ann five, each of whom may have a quarter of the half
            self.sign_up(f"eve{number}", self.admin)
            users.append(self.enter(self.server, f"eve{number}"))
            self.addCleanup(users[-1].close)
        ends = threading.Event()
        threads = [threading.Thread(target=self.begin_bodies, args=(user, ends))
                   for user in users for _ in range(4)]
        for thread in threads:
            thread.start()
        try:
            wait_until(lambda: self.taken() == HALF, 10, "no room for another body")
            for _ in range(3):
                self.assert_bob_is_served()
        finally:
            ends.set()
            for thread in threads:
                thread.join()

    def test_bodies_that_come_at_the_least_rate_hold_up_nobody_else(self):
        self.begin(http_parse_memory=32 * MIB)  # half of it has room for two of them
        ends = threading.Event()
        threads = [threading.Thread(target=self.drip, args=(ends,)) for _ in range(2)]
        for thread in threads:
            thread.start()
        try:
            wait_until(lambda: self.taken() == 16 * MIB, 10, "no room for another body")
            self.assert_bob_is_served()
        finally:
            ends.set()
            for thread in threads:
                thread.join()

    def drip(self, ends):
        """A body of 8 MiB at 64 KiB/s and not a byte more."""
        head = (f"POST {scene_path('hall')}/object HTTP/1.1\r\nHost: localhost\r\n"
                f"Authorization: Bearer {self.ann.token}\r\nContent-Length: {8 * MIB}\r\n\r\n")
        with socket.create_connection(("127.0.0.1", self.server.http_port), 20) as raw:
            raw.sendall(head.encode() + b" " * (KEPT + 1000))
            began, sent = time.monotonic(), 0
            while not ends.wait(0.05):
                due = int((time.monotonic() - began + 0.2) * (64 << 10))
                try:
                    raw.sendall(b" " * (due - sent))
                except OSError:
                    return  # it was cut
                sent = due

    def begin_bodies(self, user, ends):
        """Begins one body of 8 MiB after the other, and ends none."""
        head = (f"POST {scene_path('hall')}/object HTTP/1.1\r\nHost: localhost\r\n"
                f"Authorization: Bearer {user.token}\r\nContent-Length: {8 * MIB}\r\n\r\n")
        while not ends.is_set():
            with socket.create_connection(("127.0.0.1", self.server.http_port), 20) as raw:
                raw.sendall(head.encode() + b" " * (KEPT + 1000))
                while not ends.is_set() and not select.select([raw], [], [], 0.1)[0]:
                    pass

    def taken(self):
        return self.server.metrics()["diorama_http_parse_memory_bytes"]

    def refused(self):
        return self.server.metrics()['diorama_budget_refused_total{budget="arriving_bytes"}']


if __name__ == "__main__":
    unittest.main()
