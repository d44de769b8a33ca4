"""What the console costs a browser while a thousand things move thirty times a second: processor time
of the main thread and of the taking of events, long tasks, memory. A minute; only with
DIORAMA_LONG=1. Skipped where console_test is."""

import os
import subprocess
import sys
import time
import unittest

from console_test import SKIPPED, ConsoleCase, main
from support import BIN, LONG, ServerCase, wait_until

OBJECTS, RATE, SECONDS = 1000, 30, 60
MAIN_MS, TAKING_MS, LONG_TASK_MS = 150, 10, 50  # a second, a second, each
WATCH = """(() => { const { model } = document.querySelector('.canvas').view, take = model.take.bind(model)
  window.taking = 0; window.tasks = []
  model.take = batch => { const began = performance.now(); take(batch); window.taking += performance.now() - began }
  new PerformanceObserver(list => window.tasks.push(...list.getEntries().map(task => task.duration)))
    .observe({ entryTypes: ['longtask'] }) })()"""


class Load(ConsoleCase, ServerCase, unittest.TestCase):
    flags = {}

    def start_crowd(self):
        """The scene in which a thousand boxes go round."""
        process = subprocess.Popen(
            [os.path.join(BIN, "diorama"), "bench", "feed", "--devices=1", f"--objects={OBJECTS}",
             f"--rate={RATE}", f"--for={SECONDS + 60}", "--form=packed", f"--http={self.base}",
             f"--udp=127.0.0.1:{self.server.udp_port}"],
            stdout=subprocess.DEVNULL, env={"XDG_CONFIG_HOME": self.server.folder})
        self.addCleanup(process.wait, 20)
        self.addCleanup(process.terminate)
        found = lambda: self.client.ok("POST", "/v1/scene/query", {"scenes": [{}]})["scenes"]
        wait_until(found, 20, "the scene of the crowd")
        return found()[0]["key"]

    def test_a_thousand_things_that_move_leave_the_main_thread_free(self):
        self.start_server()
        page = self.open_scene(self.start_crowd())
        page.await_js(f"document.querySelector('.canvas').view.model.entries.size >= {OBJECTS}", 60)
        time.sleep(3)  # the first picture of all is no part of it
        page.run(WATCH)
        changes = "document.querySelector('.canvas').view.model.state.value.changes"
        before, begun, seen = page.do("metrics"), time.monotonic(), page.run(changes)
        time.sleep(SECONDS)
        after, took, seen = page.do("metrics"), time.monotonic() - begun, page.run(changes) - seen
        main_ms = (after["TaskDuration"] - before["TaskDuration"]) * 1000 / took
        script_ms = (after["ScriptDuration"] - before["ScriptDuration"]) * 1000 / took
        taking_ms = page.run("window.taking") / took
        longest = page.run("Math.max(0, ...window.tasks)")
        frames = page.run("document.querySelector('.canvas').view.frames")
        print(f"main thread {main_ms:.0f} ms/s (scripts {script_ms:.0f}), taking {taking_ms:.1f} ms/s, "
              f"longest task {longest:.0f} ms, {seen / took:.0f} changes/s, {frames} frames, heap "
              f"{after['JSHeapUsedSize'] / 1e6:.0f} MB", file=sys.stderr)
        self.assertLessEqual(main_ms, MAIN_MS)
        self.assertLessEqual(taking_ms, TAKING_MS)
        self.assertLessEqual(after["JSHeapUsedSize"], 150e6)
        self.assertGreater(seen / took, OBJECTS * RATE / 4)


if __name__ == "__main__":
    if not LONG:
        print("console_load_test: skipped: it takes a minute; DIORAMA_LONG=1 runs it")
        sys.exit(SKIPPED)
    sys.exit(main())
