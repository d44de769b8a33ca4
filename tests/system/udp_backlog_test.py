"""Datagrams that come faster than the disk: for a scene that is being loaded the newest state of each
object is kept and no more."""

import os
import threading
import time
import unittest

from feeds import UdpDevice
from support import LONG, ServerCase, is_sanitized, scene_path, wait_until, write_plan

DATAGRAMS = 150000 if LONG else 40000
GROWTH = 16 << 20
COMMIT_MS = 150
DROPPED = 'diorama_udp_dropped_datagrams_total{reason="'


class BacklogCase(ServerCase):
    flags = None

    def begin(self):
        self.start_server(udp_trusted_networks="127.0.0.0/8", udp_device_datagrams=0,
                          udp_device_bytes=0)
        self.plan_path = os.path.join(self.server.folder, "plan")
        write_plan(self.plan_path, "latency=0")
        self.restart("restart", store_fault=f"file={self.plan_path}")
        self.device = UdpDevice("d1")
        self.addCleanup(self.device.close)


class LoadingScene(BacklogCase, unittest.TestCase):
    """A property with a key of its client's: it is known where it is, but not yet in memory."""

    def setUp(self):
        super().setUp()
        self.begin()
        self.path = scene_path("hall") + "/property"
        self.client.ok("POST", self.path, {"properties": [{"key": "speed", "values": [0]}]})
        self.restart("restart")

    def send(self, number):
        self.device.send(self.server, {"msg_type": 9, "key": "speed", "scene": "hall",
                                       "values": [number]})

    def flood(self):
        """Datagrams for a scene that is read for 4 seconds."""
        write_plan(self.plan_path, "read-latency=2000")
        for number in range(1, DATAGRAMS + 1):
            self.send(number)
            if number % 200 == 0:
                time.sleep(0.005)  # the kernel's buffer of the receiver is not what is tested

    @unittest.skipIf(is_sanitized(), "the address sanitizer keeps what is freed")
    def test_memory_is_bounded_while_a_scene_loads(self):
        before = self.server.resident_bytes()
        peaks, ended = [], threading.Event()

        def watch():
            while not ended.wait(0.02):
                peaks.append(self.server.resident_bytes())

        thread = threading.Thread(target=watch, daemon=True)
        thread.start()
        self.flood()
        ended.set()
        thread.join()
        grown = max(peaks) - before
        self.assertLess(grown, GROWTH, f"it grew by {grown >> 20} MiB for {DATAGRAMS} datagrams")

    def value(self):
        return self.client.ok("GET", self.path + "/speed")["properties"][0]["values"]

    def test_newest_state_is_applied_and_what_is_superseded_is_counted(self):
        self.flood()
        write_plan(self.plan_path, "latency=0")
        for _ in range(20):  # the last one must not be lost in the kernel
            self.send(DATAGRAMS)
            time.sleep(0.01)
        wait_until(lambda: self.value() == [DATAGRAMS], 30, "the newest state")
        metrics = self.server.metrics()
        left_out = sum(value for name, value in metrics.items() if name.startswith(DROPPED))
        applied = metrics["diorama_udp_applied_updates_total"]
        self.assertGreater(left_out, 0, f"{applied:.0f} of {DATAGRAMS} were kept, then applied")


if __name__ == "__main__":
    unittest.main()
