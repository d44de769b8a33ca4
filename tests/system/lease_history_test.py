"""64 processes take one lock, write under it and leave it; some stop themselves while they hold it, so that
their leases end, and write when they go on. The events of the server are the history that is checked."""

import multiprocessing
import os
import signal
import threading
import time
import unittest
from pathlib import Path

from streams import EventStream
from support import LONG, Client, ServerCase, object_path, scene_path, wait_until

WORKERS = 64
GRANTS = 10000 if LONG else 8  # that each takes
STOPS = 2000 if LONG else 4
GRANTS_TO_A_STOP = WORKERS * GRANTS // STOPS
WRITES = 3
LEASE_S = 1


def late_write(worker, grant):
    """The write before which the holder stops itself, or None where it holds through."""
    stop, place = divmod(worker * GRANTS + grant, GRANTS_TO_A_STOP)
    return stop % WRITES if place == GRANTS_TO_A_STOP // 2 else None


def work(server, path, worker, counts):
    """One process: takes the lock so often, and counts its grants and its late writes."""
    late = 0
    with Client(server) as client:
        for grant in range(GRANTS):
            while True:
                answer = client.put(path + "/lock", {"device": f"d{worker}", "lease_s": LEASE_S})
                if answer.status == 200:
                    break
                assert answer.status == 423, answer
                time.sleep(0.02 + 0.001 * (worker % 32))
            fence = str(answer.body["fence"])
            for write in range(WRITES):
                if write == late_write(worker, grant):
                    os.kill(os.getpid(), signal.SIGSTOP)  # until its lease is over
                written = client.request("POST", path, {"name": fence}, {"X-Fence": fence})
                assert written.status in (200, 423), written
                late += written.status == 423
            ended = client.request("DELETE", f"{path}/lock?device=d{worker}", None, {"X-Fence": fence})
            assert ended.status in (200, 423), ended
    with counts.get_lock():
        counts[0] += GRANTS
        counts[1] += late


def is_stopped(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "T"
    except FileNotFoundError:
        return False  # it has ended, and was waited for


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

    def owner(self):
        return self.client.object(self.scene, self.key)["owner"]

    def wake_late_holders(self, workers):
        """Lets each that stopped itself go on when its lease is over, until all have ended."""
        while any(worker.is_alive() for worker in workers):
            for number, worker in enumerate(workers):
                if is_stopped(worker.pid):
                    wait_until(lambda: self.owner() != f"d{number}", 10 * LEASE_S, "the end of the lease")
                    os.kill(worker.pid, signal.SIGCONT)
                    self.stops += 1
            time.sleep(0.05)

    def test_one_holder_at_a_time_and_no_write_of_an_older_fence(self):
        counts = multiprocessing.Array("l", 2)
        follower = threading.Thread(target=self.follow, daemon=True)
        follower.start()
        workers = [multiprocessing.Process(target=work, args=(self.server, self.path, number, counts))
                   for number in range(WORKERS)]
        for worker in workers:
            worker.start()
            self.addCleanup(worker.kill)
        self.wake_late_holders(workers)
        self.assertEqual({worker.exitcode for worker in workers}, {0})
        self.assertEqual(counts[0], WORKERS * GRANTS)
        wait_until(lambda: self.owner() == "", 10, "the last end")
        self.client.ok("DELETE", scene_path(self.scene))
        follower.join(60)
        reasons = self.check()
        print(f"\n{WORKERS * GRANTS} grants, {self.stops} holders stopped, ends {reasons}, "
              f"{counts[1]} late writes refused")
        self.assertEqual(self.stops, STOPS)
        self.assertGreaterEqual(reasons["expired"], STOPS)
        self.assertGreaterEqual(counts[1], STOPS)

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
