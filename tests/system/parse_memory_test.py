"""Bodies that become large when they are read: all of them together take a bounded memory
(http.parse_memory), and it is given back."""

import os
import threading
import time
import unittest

from support import LONG, Client, ServerCase, is_sanitized, scene_path, write_plan

MIB = 1 << 20
CLIENTS = 300 if LONG else 60
BODY = b'{"x":[' + b"[]," * ((MIB - 100) // 3) + b"[]]}"
PEAK = 256 * MIB + 128 * MIB  # the budget, and what the bodies themselves take
LEFT = 64 * MIB


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

        end = time.monotonic() + 5
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


if __name__ == "__main__":
    unittest.main()
