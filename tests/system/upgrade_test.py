"""The first start on a folder of version 0.1: the folder is kept as it was, and a kill at any step loses
nothing. The folder lies in tests/fixtures/store-0.1."""

import os
import random
import shutil
import time
import unittest

from people import FLAGS, Person
from recorded import load, unpack
from support import LONG, Server, is_sanitized, needs_files

RELEASE = "store-0.1"
KILLS = 60 if LONG else 1 if is_sanitized() else 3


@needs_files
class UpgradeCase(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.known, cls.answers = load(RELEASE)

    def unpacked(self, **flags):
        server = Server(**{"scene_actors": 1, "alignment_confirm_users": 1, **FLAGS, **flags})
        self.addCleanup(server.end)
        unpack(RELEASE, "stopped", server.folder)
        self.data = server.flags["data_dir"]
        return server

    def place(self, *names):
        return os.path.join(self.data, *names)

    def blobs(self, folder):
        return sorted(os.path.join(root, name)[len(folder):]
                      for root, _, names in os.walk(folder) for name in names)

    def library(self, server):
        """What the library says, and one asset's bytes."""
        alice = Person(server, self.known["people"]["alice"]["token"])
        self.addCleanup(alice.close)
        return ([alice.get(path).body for path in (
            "/v1/project?num_records=100", "/v1/collection?num_records=100", "/v1/relationship",
            "/v1/asset?num_records=100", "/v1/users/" + self.known["people"]["alice"]["id"])]
            + [alice.get(f"/v1/asset/{self.known['assets'][2]}").content])

    def assert_upgraded(self, server):
        self.assertGreater(len(self.library(server)[3]), 2)
        server.kill()
        lines, code = server.check_store()
        self.assertEqual(code, 0, lines)
        self.assertIn("scene: 47 records, 4 index records; 0 missing, 0 stray, 0 damaged", lines)
        self.assertEqual(sorted(name for name in os.listdir(self.data) if "before" in name),
                         ["before-0.2"])


class Upgrade(UpgradeCase):
    def test_the_folder_is_kept_as_it_was_and_can_be_served_again(self):
        server = self.unpacked()
        before = self.blobs(self.place("blobs"))
        server.start()
        was = self.library(server)
        self.assertIn("upgrade_step", server.log_text())
        self.assertEqual(self.blobs(self.place("before-0.2", "blobs")), before)
        alice = Person(server, self.known["people"]["alice"]["token"])
        self.addCleanup(alice.close)
        self.assertEqual(alice.delete(f"/v1/asset/{self.known['assets'][3]}").status, 200)
        server.kill()
        # What was kept is a folder of 0.1: it is upgraded again, and says what it said.
        kept = self.place("before-0.2")
        shutil.move(kept, self.place("..", "kept"))
        again = Server(**{**server.flags, "data_dir": self.place("..", "kept")})
        self.addCleanup(again.end)
        again.start()
        self.assertEqual(self.library(again), was)
        self.assertIn("upgrade_step", again.log_text())

    def test_a_second_start_changes_nothing(self):
        server = self.unpacked().start()
        made = os.stat(self.place("before-0.2")).st_ino
        server.restart()
        self.assertEqual(server.log_text().count("upgrade_begins"), 1)
        self.assertEqual(server.log_text().count("upgrade_step"), 7)
        self.assertEqual(os.stat(self.place("before-0.2")).st_ino, made)

    def test_a_new_folder_needs_no_upgrade(self):
        server = Server(scene_actors=1)
        self.addCleanup(server.end)
        server.start()
        self.assertFalse(os.path.exists(os.path.join(server.flags["data_dir"], "before-0.2")))
        self.assertNotIn("upgrade", server.log_text())


class Killed(UpgradeCase):
    def test_killed_before_and_after_each_commit(self):
        server, kills = self.unpacked(), 0
        is_upgrading = True
        while is_upgrading:
            for plan in ("kill-before=1", "kill-after=1"):  # each second start does one commit
                begun = server.log_text().count("upgrade_from")
                server.launch(store_fault=plan)
                server.await_kill()
                is_upgrading = server.log_text().count("upgrade_from") > begun
                kills += is_upgrading
        # Two families with their index records, a note after each, and two formats.
        self.assertGreaterEqual(kills, 2 * 6)
        server.start(store_fault=None)
        self.assert_upgraded(server)

    def test_killed_while_the_folder_is_kept(self):
        server = self.unpacked()
        os.makedirs(self.place("before-0.2.new", "store"))  # while it was made,
        os.makedirs(self.place("before-0.2.old", "store"))  # while it took the place of another,
        os.makedirs(self.place("before-0.2", "store"))      # before anything else was changed
        server.start()
        self.assertNotEqual(os.listdir(self.place("before-0.2", "blobs")), [])
        self.assert_upgraded(server)

    def test_killed_at_any_moment(self):
        chance = random.Random(12)
        for number in range(KILLS):
            with self.subTest(number):
                server = self.unpacked()
                server.launch()
                time.sleep(chance.uniform(0.1, 0.8))
                server.kill()
                server.start()
                self.assert_upgraded(server)
                server.end()


if __name__ == "__main__":
    unittest.main()
