"""`diorama bench feed` for a second: what it counts is what was sent, and it leaves nothing behind."""

import json
import os
import subprocess
import sys
import unittest

from support import BIN, ServerCase, is_sanitized

CAPTURE = "/usr/share/assimp/models/BVH/01_01.bvh"  # Debian's assimp-testmodels
CROWD = os.path.join(os.path.dirname(__file__), "..", "support", "generate_crowd.py")
FORMS = ["plain", "packed", "indexed"]


class Bench(ServerCase, unittest.TestCase):

    def bench(self, *arguments, code=0):
        """What the command prints; it has ten seconds to let the last states arrive."""
        done = subprocess.run(
            [os.path.join(BIN, "diorama"), "bench", "feed", "--settle=10",
             f"--http=http://127.0.0.1:{self.server.http_port}",
             f"--udp=127.0.0.1:{self.server.udp_port}", *arguments],
            capture_output=True, text=True, timeout=120, check=False)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done.stdout

    def forms(self, *arguments):
        return [json.loads(self.bench("--json", f"--form={form}", *arguments)) for form in FORMS]

    def expect_all(self, result, sent, objects, devices):
        """Nothing is lost at rates like these: each device ends with the last state of each object."""
        self.assertEqual((result["sent"], result["unsent"], result["taken"]), (sent, 0, sent))
        self.assertEqual((result["objects"], result["devices"]), (objects, devices))
        self.assertEqual((result["behind"], result["unreadable"], result["lost"]), (0, 0, 0))
        self.assertGreaterEqual(result["news"], min(sent, objects) * devices)
        self.assertLessEqual(result["news"], sent * devices)
        self.assertGreaterEqual(result["changes"], result["news"])
        self.assertGreater(result["p50_us"], 0)
        self.assertLessEqual(result["p50_us"], result["p99_us"])
        self.assertLessEqual(result["p999_us"], result["max_us"])

    def test_every_update_arrives_at_every_device_and_is_timed(self):
        for result in self.forms("--objects=10", "--devices=3", "--rate=20", "--for=1",
                                 f"--pid={self.server.process.pid}"):
            self.assertLessEqual(result["sent"], 200)
            self.expect_all(result, result["sent"], 10, 3)
            self.assertGreaterEqual(result["cpu_s"], 0)
        self.assertEqual(self.client.all_scenes(), [])

    def test_a_table_has_a_line_for_each_form(self):
        lines = self.bench("--objects=2", "--devices=2", "--for=0.2", "--form=plain").splitlines()
        self.assertRegex(lines[0], r"^form +devices +objects +sent +.*p99\.9_ms +max_ms +cpu_%$")
        self.assertRegex(lines[1], r"^plain +2 +2 +[0-9]+ +.* 0\.000 +0 .* -$")
        self.assertEqual(len(lines), 2)

    def test_recorded_walks_are_played(self):
        walk = os.path.join(self.server.folder, "crowd.txt")
        subprocess.run([sys.executable, CROWD, walk, "--people", "5", "--seconds", "4"], check=True)
        with open(walk, encoding="utf-8") as file:
            rows = sum(not line.startswith("#") for line in file)
        for result in self.forms(f"--input={walk}", "--speed=8", "--for=0", "--devices=2"):
            self.expect_all(result, rows, 5, 2)

    @unittest.skipUnless(os.path.exists(CAPTURE), f"{CAPTURE} is absent")
    @unittest.skipIf(is_sanitized(), "a sanitized server does not take so many")
    def test_motion_capture_moves_each_joint_of_each_actor(self):
        for result in self.forms(f"--input={CAPTURE}", "--copies=2", "--for=0.25", "--devices=2"):
            self.assertEqual(result["objects"], 62)
            self.assertGreater(result["sent"], 62)
            self.expect_all(result, result["sent"], 62, 2)

    def test_a_file_that_is_none_is_said(self):
        self.bench("--input=/nonexistent", code=5)
        self.assertEqual(self.client.all_scenes(), [])


if __name__ == "__main__":
    unittest.main()
