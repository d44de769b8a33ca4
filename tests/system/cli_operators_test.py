"""`diorama top`, `diorama trace` and `diorama events`: what who runs a server looks at."""

import json
import os
import re
import signal
import subprocess
import unittest

from console_alignment_test import World
from cli_test import DONE, FAILED, FILE, UNREACHABLE, USAGE, CliCase, PROGRAM
from support import Client, Server, wait_until


class Top(CliCase, unittest.TestCase):
    def rows(self, printed):
        return {label: cells for label, *cells in
                (re.split(r"  +", line) for line in printed.splitlines())}

    def test_a_pipe_gets_one_look_at_what_is_held(self):
        self.client.put_scene("plaza")
        wait_until(lambda: self.rows(self.run_("top"))["scenes"][0] == "1", 20, "a sample")
        rows = self.rows(self.run_("top", "--seconds=5"))
        self.assertEqual(["now", "mean 5 s", "most 5 s"], rows["REQUESTS"])
        self.assertRegex(rows["memory"][0], r"^[0-9.]+ MiB$")

    def test_as_many_looks_as_were_asked_for(self):
        printed = self.run_("top", "--count=3", "--every=0.1")
        self.assertEqual(3, printed.count("REQUESTS"))

    def test_a_dead_server_is_unreachable(self):
        self.run_("top", "--url=http://127.0.0.1:1", code=UNREACHABLE)


class Trace(CliCase, unittest.TestCase):
    def changed(self, request):
        with Client(self.server) as client:
            answer = client.request("PUT", "/v1/scene/plaza", {"scenes": [{"name": "Plaza"}]},
                                    headers={"X-Request-Id": request})
            self.assertEqual(200, answer.status)

    def test_a_change_is_found_by_its_request(self):
        self.changed("by-hand-1")
        wait_until(lambda: self.client.get("/v1/audit?request=by-hand-1").body, 20, "the audit log")
        head, line = [re.split(r"  +", line) for line in self.run_("trace", "by-hand-1").splitlines()]
        self.assertEqual(["time", "operation", "outcome", "kind", "key"], head[:5])
        self.assertEqual(["scene_put", "200", "scene", "plaza"], line[1:5])

    def test_the_line_of_a_log_is_shown_and_no_longer_id_is_taken_for_it(self):
        log = os.path.join(self.folder, "server.log")
        lines = ["warn http_failed op=/v1/scene status=503 id=a-1 detail=busy",
                 "warn http_failed op=/v1/scene status=503 id=a-12 detail=other",
                 '{"level":"debug","event":"http","id":"a-1","peer":"127.0.0.1"}']
        with open(log, "w", encoding="utf-8") as file:
            file.write("\n".join(lines))
        self.assertEqual([lines[0], lines[2]], self.run_("trace", "a-1", f"--log={log}").splitlines())
        self.assertEqual([lines[1]],
                         self.run_("trace", "a-12", "--log=-", given="\n".join(lines)).splitlines())

    def test_what_nobody_knows_is_said(self):
        self.run_("trace", "nobody-1", code=FAILED)
        self.assertIn("nothing is known of nobody-1", self.complaint)

    def test_a_log_that_is_missing_is_an_error_of_a_file(self):
        self.run_("trace", "a-1", "--log=missing.log", code=FILE)
        self.assertIn("missing.log: No such file", self.complaint)


class Events(CliCase, unittest.TestCase):
    def told(self, *arguments, **how):
        return [json.loads(line) for line in self.run_("events", *arguments, **how).splitlines()]

    def follow(self, *arguments):
        """One that goes on; it is connected once its first line is there."""
        process = subprocess.Popen([PROGRAM, "events", *arguments], stdout=subprocess.PIPE, text=True,
                                   env=self.environment)
        self.addCleanup(process.wait, 20)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.kill)
        return process, json.loads(process.stdout.readline())

    def test_what_happens_in_a_scene_follows_its_state(self):
        self.client.create("hall", {"name": "lamp"})
        process, first = self.follow("--scene=hall", "--count=2")
        self.assertEqual(["snapshot", "lamp"], [first["event"], first["data"]["objects"][0]["name"]])
        self.client.create("hall", {"name": "door"})
        second = json.loads(process.stdout.readline())
        self.assertEqual(["change", "door"], [second["event"], second["data"]["object"]["name"]])
        self.assertEqual(DONE, process.wait(20))

    def test_scenes_that_come_are_told_and_what_was_missed_is_told_later(self):
        process, first = self.follow("--topic=scenes", "--for=0.1")
        self.assertEqual("reset", first["event"])
        self.assertEqual(DONE, process.wait(20))
        self.client.put_scene("kitchen", name="Kitchen")
        [event] = self.told("--topic=scenes", "--count=1", f"last_event={first['id']}")
        self.assertEqual(["change", "kitchen"], [event["event"], event["data"]["scene"]])

    def test_the_server_tells_what_it_holds_each_second(self):
        samples = self.told("--server", "names=events", "--count=2")
        self.assertEqual(["sample"] * 2, [sample["event"] for sample in samples])
        self.assertIn("objects", samples[1]["data"]["counts"])

    def test_a_signal_ends_it_well_and_a_server_that_ends_does_not(self):
        self.client.put_scene("hall")
        process, _ = self.follow("--scene=hall")
        process.send_signal(signal.SIGINT)
        self.assertEqual(DONE, process.wait(20))
        server = Server().start()
        self.addCleanup(server.end)
        process, _ = self.follow("--server", f"--url=http://127.0.0.1:{server.http_port}")
        server.kill()
        self.assertEqual(UNREACHABLE, process.wait(40))

    def test_what_is_asked_wrongly_is_said(self):
        for asked in ((), ("--scene=hall", "--topic=scenes"), ("--server", "--scene=hall"),
                      ("--scene=hall", "rate"), ("--scene=hall", "rate=1", "rate=2")):
            self.run_("events", *asked, code=USAGE)
        self.run_("events", "--topic=nothing", code=FAILED)
        self.assertIn("topic", self.complaint)
        self.run_("events", "--scene=nowhere", code=FAILED)


class Corrections(CliCase, unittest.TestCase):
    def corrections(self, world):
        return self.client.get(f"/v1/scene/{world.key('hall')}/alignment").body["corrections"]

    def await_corrections(self, world, pinned):
        """The report is of the newest solution, which may be of before."""
        wait_until(lambda: [found.get("pinned", False) for found in self.corrections(world)] == pinned,
                   20, f"pins {pinned}")

    def test_a_correction_is_pinned_unpinned_and_removed(self):
        world = World(self.client, self.scene)
        world.link("hall", "lobby", "headset", 1)
        hall, id_ = world.key("hall"), self.corrections(world)[0]["id"]
        self.run_("scene", "pin-correction", hall, id_)
        self.await_corrections(world, [True])
        self.run_("scene", "unpin-correction", hall, id_)
        self.await_corrections(world, [False])
        wait_until(lambda: self.asked("graph", "relate", world.key("lobby"), hall)["status"] == "unverified", 20,
                   "a solution")
        self.run_("scene", "drop-correction", hall, id_)
        self.await_corrections(world, [])


if __name__ == "__main__":
    assert os.path.exists(PROGRAM)
    unittest.main()
