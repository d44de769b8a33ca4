"""What a page of the console holds while ten thousand things stand and a thousand move, in a headless
Chromium: it stays the same over half an hour once the tape of what it saw is full. With DIORAMA_LONG=1
only. Skipped where console_test is."""

import sys
import time
import unittest

from console_pace_test import start_crowd
from console_test import MODEL, ConsoleCase, main
from support import LONG, ServerCase, scene_path, wait_until

STILL, MOVING = 10_000, 1000
RATE = 10  # of each that moves; the tape takes ten states a second, however many there are
MINUTES, EACH_S = 30, 120
MOST_BYTES = 150 << 20
SPREAD = 0.05
TOGETHER = 1000  # things of one request


@unittest.skipUnless(LONG, "takes half an hour")
class Heap(ConsoleCase, ServerCase, unittest.TestCase):
    def put_still(self, scene):
        for row in range(STILL // TOGETHER):
            answer = self.client.post(scene_path(scene) + "/bulk", {"create": [
                {"name": f"still-{row}-{n}", "type": "Mesh", "translation": [n, 0, row]} for n in range(TOGETHER)]})
            self.assertEqual(answer.status, 200, answer)

    def look(self, page):
        """Bytes that JavaScript and the browser's objects behind it hold: those of the tape, what else the
        page has, and those of the worker. The tape holds five minutes, of as many states as were drawn."""
        heaps, tape = page.do("heap"), page.run(f"{MODEL}.tape.bytes")
        return tape, sum(heaps["page"].values()) - tape, sum(heaps["worker"].values())

    def test_it_does_not_grow(self):
        scene = start_crowd(self, MOVING, RATE, MINUTES * 60 + 900)
        self.put_still(scene)
        page = self.open_scene(scene, width=480, height=360)
        page.await_js(f"{MODEL}.entries.size >= {STILL + MOVING}")
        wait_until(page.rested(lambda: page.run(f"{MODEL}.tape.base.size > 0")), 600, "a full tape")
        began, found = time.monotonic(), []
        for sample in range(MINUTES * 60 // EACH_S + 1):
            wait_until(lambda: time.monotonic() - began >= sample * EACH_S, EACH_S + 60)
            found.append(self.look(page))
            print("minute {}: tape {:.1f} MiB, page beside it {:.1f}, worker {:.1f}".format(
                sample * EACH_S // 60, *(size / 2**20 for size in found[-1])), file=sys.stderr, flush=True)
        self.assertLessEqual(max(sum(sizes) for sizes in found), MOST_BYTES)
        half = len(found) // 2
        for name, sizes in zip(("tape", "page", "worker"), zip(*found)):
            if name != "tape":  # the least: what is on its way from the one to the other comes and goes
                self.assertLessEqual(min(sizes[half:]), min(sizes[:half]) * (1 + SPREAD), (name, sizes))


if __name__ == "__main__":
    sys.exit(main())
