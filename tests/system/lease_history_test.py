"""64 processes take one lock, write under it and leave it; some are stopped while they hold it, so that
their leases end, and write when they go on. The events of the server are the history that is checked."""

import multiprocessing
import os
import random
import signal
import threading
import time
import unittest

from streams import EventStream
from support import LONG, Client, ServerCase, object_path, scene_path, wait_until

WORKERS = 64
GRANTS = 10000 if LONG else 8  # that each takes
STOPS = 2000 if LONG else 4
LEASE_S = 1


def work(server, path, name, grants, at_work, counts):
    """One process: takes the lock so often. `at_work` has the process that holds it now."""
    late = 0
    with Client(server) as client:
        for _ in range(grants):
            while True:
                answer = client.put(path + "/lock", {"device": name, "lease_s": LEASE_S})
                if answer.status == 200:
                    break
                assert answer.status == 423, answer
                time.sleep(random.uniform(0, 0.05))
            fence = str(answer.body["fence"])
            at_work.value = os.getpid()
            for _ in range(3):  # whoever is stopped here is late
                written = client.request("POST", path, {"name": fence}, {"X-Fence": fence})
                assert written.status in (200, 423), written
                late += written.status == 423
            ended = client.request("DELETE", f"{path}/lock?device={name}", None, {"X-Fence": fence})
            assert ended.status in (200, 423), ended
    with counts.get_lock():
        counts[0] += grants
        counts[1] += late


class History(ServerCase, unittest.TestCase):
    def setUp(self):
        super().setUp()
        self.key, = self.client.create(self.scene, {"name": "cup"})
        self.path = object_path(self.scene, self.key)
        self.events, self.stops = [], 0
        self.stream = EventStream(self.server, f"{scene_path(self.scene)}/events")
        self.addCleanup(self.stream.close)
        self.stream.snapshot()

    def follow(self):
        while (event := self.stream.next(120)) is not None and event.body["msg_type"] != 42:
            self.events.append(event.body)

    def stop_holders(self, at_work, workers):
        """Stops who holds the lock until its lease is over."""
        while self.stops < STOPS and any(worker.is_alive() for worker in workers):
            holder = at_work.value
            if holder in {worker.pid for worker in workers if worker.is_alive()}:
                os.kill(holder, signal.SIGSTOP)
                time.sleep(LEASE_S + 0.3)
                os.kill(holder, signal.SIGCONT)
                self.stops += 1
            time.sleep(random.uniform(0.05, 0.2))

    def test_one_holder_at_a_time_and_no_write_of_an_older_fence(self):
        at_work, counts = multiprocessing.Value("l", 0, lock=False), multiprocessing.Array("l", 2)
        follower = threading.Thread(target=self.follow, daemon=True)
        follower.start()
        workers = [multiprocessing.Process(target=work, args=(
            self.server, self.path, f"d{number}", GRANTS, at_work, counts)) for number in range(WORKERS)]
        for worker in workers:
            worker.start()
        self.stop_holders(at_work, workers)
        for worker in workers:
            worker.join()
        self.assertEqual({worker.exitcode for worker in workers}, {0})
        self.assertEqual(counts[0], WORKERS * GRANTS)
        wait_until(lambda: self.client.object(self.scene, self.key)["owner"] == "", 10, "the last end")
        self.client.ok("DELETE", scene_path(self.scene))
        follower.join(60)
        reasons = self.check()
        print(f"\n{WORKERS * GRANTS} grants, {self.stops} holders stopped, ends {reasons}, "
              f"{counts[1]} late writes refused")
        self.assertGreater(reasons.get("expired", 0), 0)
        self.assertGreater(counts[1], 0)

    def check(self):
        """The history by seq: a lock begins where none is, with a larger fence, and each write has the
        fence of the newest one. Returns how often locks ended for each reason."""
        holder, newest, reasons = "", 0, {}
        for event in self.events:
            if event["msg_type"] == 46:
                lock = event["lock"]["lock"]
                self.assertEqual(holder, "", event)
                self.assertGreater(lock["fence"], newest)
                holder, newest = lock["holder"], lock["fence"]
            elif event["msg_type"] == 47:
                self.assertNotEqual(holder, "", event)
                holder = ""
                reasons[event["reason"]] = reasons.get(event["reason"], 0) + 1
            elif event["msg_type"] == 1:
                self.assertEqual(event["object"]["name"], str(newest), event)
        seqs = [event["seq"] for event in self.events]
        self.assertEqual(seqs, list(range(seqs[0], seqs[0] + len(seqs))))
        return reasons


if __name__ == "__main__":
    unittest.main()
