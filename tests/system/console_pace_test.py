"""What a thousand things that move at 30 Hz cost a page of the console, in a headless Chromium. With
DIORAMA_LONG=1 only, as figures need a machine that has time. Skipped where console_test is."""

import os
import subprocess
import sys
import time
import unittest

from console_test import MODEL, ConsoleCase, main
from support import BIN, LONG, ServerCase, wait_until

OBJECTS, RATE = 1000, 30
SECONDS = 30
WARM = 300  # messages, after which the engine has compiled what takes them: ten seconds of a fast machine
TAKING_MS, THREAD_MS = 10, 150  # of processor time of the page's thread, a second
LONG_TASK_MS = 50
# How many moves the page is told.
COUNT = f"""(() => {{ const model = {MODEL}, {{ take }} = model
  window.told = window.takes = 0
  model.take = batch => {{ takes++, told += batch.moved?.length ?? 0; take.call(model, batch) }} }})(), 1"""


def start_crowd(case, objects, rate, seconds):
    """So many things move at so many Hz in a scene of their own; returns its key."""
    bench = subprocess.Popen(
        [os.path.join(BIN, "diorama"), "bench", "feed", "--devices=1", f"--objects={objects}", f"--rate={rate}",
         f"--for={seconds}", "--form=packed", f"--http={case.base}", f"--udp=127.0.0.1:{case.server.udp_port}"],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env={"XDG_CONFIG_HOME": case.server.folder})
    case.addCleanup(bench.wait, 20)
    case.addCleanup(bench.terminate)
    return wait_until(lambda: case.client.post("/v1/scene/query", {"scenes": [{}]}).body["scenes"])[0]["key"]


@unittest.skipUnless(LONG, "measures for half a minute")
class Pace(ConsoleCase, ServerCase, unittest.TestCase):
    def look(self, page):
        """When it is, and how many moves have come so far: to the server, to the worker, to the page."""
        return (time.monotonic(), self.server.metrics()["diorama_udp_applied_updates_total"],
                page.run(f"{MODEL}.state.peek().changes"), page.run("told"))

    def test_a_thousand_things_that_move_leave_the_page_free(self):
        page = self.open_scene(start_crowd(self, OBJECTS, RATE, SECONDS + 240), width=480, height=360)
        page.await_js(f"{MODEL}.entries.size >= {OBJECTS}")
        page.run(COUNT)
        wait_until(page.rested(lambda: page.run(f"takes >= {WARM}")), 180, "messages enough")
        page.do("beginTrace")
        before = self.look(page)
        wait_until(lambda: time.monotonic() - before[0] > SECONDS, SECONDS + 10)
        after, work = self.look(page), page.do("endTrace")
        took, *counts = (now - then for now, then in zip(after, before))
        arrived, streamed, told = (count / took for count in counts)
        # A page is told once a frame, so it is told less where frames come slowly: what a move costs is
        # said for all of them.
        taking = sum(work["messages"]) / counts[-1] * OBJECTS * RATE
        thread = sum(work["tasks"]) / took
        print(f"moves/s: {arrived:.0f} at the server, {streamed:.0f} at the worker, {told:.0f} told to the page in "
              f"{len(work['messages']) / took:.1f} messages; ms/s of its thread: {sum(work['messages']) / took:.1f} for "
              f"them, {taking:.1f} at {OBJECTS * RATE} moves/s, {thread:.0f} in all; longest tasks "
              f"{[round(ms) for ms in sorted(work['tasks'])[-3:]]} ms", file=sys.stderr)
        self.assertLessEqual(taking, TAKING_MS)
        self.assertLessEqual(thread, THREAD_MS)
        self.assertLessEqual(max(work["tasks"]), LONG_TASK_MS)


if __name__ == "__main__":
    sys.exit(main())
