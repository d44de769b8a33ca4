"""`diorama top` and `diorama trace`: what who runs a server looks at."""

import os
import re
import unittest

from cli_test import FAILED, FILE, UNREACHABLE, CliCase, PROGRAM
from support import Client, wait_until


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


if __name__ == "__main__":
    assert os.path.exists(PROGRAM)
    unittest.main()
