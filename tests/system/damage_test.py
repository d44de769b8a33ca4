"""A flipped bit costs what lies in its block and nothing else: a scan of what is not
there does not fail because of what comes behind it."""

import os
import unittest

from damage import flip_text
from support import ServerCase, needs_files, object_path, objects, scene_path

OBJECTS = 1500  # their look-ups fill some blocks


@needs_files
class FirstBlock(ServerCase, unittest.TestCase):
    """The first block of a partition that has neither registrations nor corrections: a scan for these
    ends in it."""

    flags = None

    def setUp(self):
        super().setUp()
        self.start_server()
        self.keys = sorted(self.client.create("hall", *({"name": f"o{n}"} for n in range(OBJECTS))))
        self.other, = self.client.create("elsewhere", {"name": "whole"})
        self.server.restart()  # the log becomes a table
        self.server.stop()
        # The smallest key of a look-up begins a block, whose keys are written in full at its start.
        flip_text(os.path.join(self.server.flags["data_dir"], "store"), "K" + self.keys[0])

    def test_server_starts_and_serves_what_is_whole(self):
        self.server.start()
        self.client = self.connect()
        self.assertEqual(self.client.object("elsewhere", self.other)["name"], "whole")
        self.assertEqual(self.client.scene("hall")["key"], "hall")

    def test_only_what_lies_in_the_block_answers_500(self):
        self.server.start()
        self.client = self.connect()
        # Under the name of another scene a key is looked up; its own is read whole.
        self.client.refused(500, 101, "GET", object_path("elsewhere", self.keys[0]))
        self.assertEqual(self.client.object("elsewhere", self.keys[-1])["key"], self.keys[-1])
        found = self.client.ok("POST", scene_path("hall") + "/object/query", objects())["objects"]
        self.assertEqual([record["key"] for record in found], self.keys)


if __name__ == "__main__":
    unittest.main()
