"""What a thousand things that move at 30 Hz cost a page of the console, in a headless Chromium. With
DIORAMA_LONG=1 only, as figures need a machine that has time. Skipped where console_test is."""

import os
import subprocess
import sys
import time
import unittest

from console_test import ConsoleCase, main
from support import BIN, LONG, ServerCase, wait_until

OBJECTS, RATE = 1000, 30
SECONDS = 30
TAKING_MS, THREAD_MS = 10, 150  # of the page's thread, a second
# The time in which the page takes what the worker tells it, and how many things it was told to move.
COUNT = """(() => { const { model } = document.querySelector('.canvas').view, { take } = model
  window.pace = { ms: 0, moved: 0 }
  model.take = batch => { const begun = performance.now(); take.call(model, batch)
    pace.ms += performance.now() - begun; pace.moved += batch.moved?.length ?? 0 } })(), 1"""


@unittest.skipUnless(LONG, "measures for half a minute")
class Pace(ConsoleCase, ServerCase, unittest.TestCase):
    def test_a_thousand_things_that_move_leave_the_page_free(self):
        bench = subprocess.Popen(
            [os.path.join(BIN, "diorama"), "bench", "feed", "--devices=1", f"--objects={OBJECTS}",
             f"--rate={RATE}", f"--for={SECONDS + 60}", "--form=packed",
             f"--http={self.base}", f"--udp=127.0.0.1:{self.server.udp_port}"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env={"XDG_CONFIG_HOME": self.server.folder})
        self.addCleanup(bench.wait, 20)
        self.addCleanup(bench.terminate)
        found = wait_until(lambda: self.client.post("/v1/scene/query", {"scenes": [{}]}).body["scenes"])
        page = self.open_scene(found[0]["key"])
        page.await_js(f"document.querySelector('.canvas').view.model.entries.size >= {OBJECTS}")
        page.run(COUNT)
        before, began = page.do("metrics"), time.monotonic()
        wait_until(lambda: time.monotonic() - began > SECONDS, SECONDS + 10)
        took = time.monotonic() - began
        after, pace = page.do("metrics"), page.run("pace")
        taking = pace["ms"] / took
        thread = (after["TaskDuration"] - before["TaskDuration"]) * 1000 / took
        print(f"{pace['moved'] / took:.0f} moves/s taken in {taking:.1f} ms/s, page's thread {thread:.0f} ms/s, "
              f"script {(after['ScriptDuration'] - before['ScriptDuration']) * 1000 / took:.0f} ms/s", file=sys.stderr)
        self.assertLessEqual(taking, TAKING_MS)
        self.assertLessEqual(thread, THREAD_MS)


if __name__ == "__main__":
    sys.exit(main())
