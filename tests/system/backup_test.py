"""Backups: made while the server works, checked, restored, removed; and what faults leave of them.

What is in them while all kinds of things change: backup_model_test.py.
"""

import json
import os
import shutil
import subprocess
import time
import unittest

from backups import MIB, BackupCase, ask, backups, diorama, make_backup, wait_for_epoch
from damage import flip
from files import upload
from people import FLAGS, PeopleCase, bearer
from small_disk import SmallDisk
from support import LONG, Client, Server, needs_files, wait_until

KILLS = 40 if LONG else 3


class Backups(BackupCase, unittest.TestCase):
    def test_a_restored_server_has_what_the_first_one_had(self):
        server = self.start_with_backups()
        self.client.put_scene("hall", name="Hall", latitude=1, longitude=2)
        key = self.client.create("hall", {"name": "cube", "translation": [1, 2, 3]})[0]
        asset = upload(self.client, "/v1/asset", b"mesh" * 1000).text
        told = make_backup(self.client)
        self.assertEqual("done", told["state"])
        self.assertEqual((0, wait_for_epoch(self.client)), (told["damaged"], told["epoch"]))
        restored = self.restored(told["key"])
        with Client(restored) as client:
            self.assertEqual("Hall", client.scene("hall")["name"])
            self.assertEqual(self.client.object("hall", key), client.object("hall", key))
            self.assertEqual(b"mesh" * 1000, client.get("/v1/asset/" + asset).content)
            self.assertNotEqual(told["epoch"], wait_for_epoch(client))
        self.assertEqual(0, server.stop()[0])

    def test_sha256sum_checks_a_backup_without_a_program_of_ours(self):
        self.start_with_backups()
        upload(self.client, "/v1/asset", b"mesh" * 1000)
        folder = self.path_of(make_backup(self.client)["key"])
        done = subprocess.run(["sha256sum", "--quiet", "-c", "SHA256SUMS"], cwd=folder, check=False,
                              capture_output=True, text=True)
        self.assertEqual((0, ""), (done.returncode, done.stdout))
        with open(os.path.join(folder, "backup.json")) as file:
            root = json.load(file)["root"]
        digest = subprocess.run(["sha256sum", "SHA256SUMS"], cwd=folder, check=True,
                                capture_output=True, text=True).stdout.split()[0]
        self.assertEqual(root, digest)

    def test_the_command_makes_lists_and_verifies(self):
        server = self.start_with_backups()
        url = f"--url=http://127.0.0.1:{server.http_port}"
        code, said, why = diorama("backup", "create", url)
        self.assertEqual(0, code, why)
        key = said.split(":")[0]
        self.assertIn(key, diorama("backup", "list", url)[1])
        self.assertEqual(0, diorama("backup", "verify", self.path_of(key))[0])

    def test_a_server_without_a_folder_for_them_says_so(self):
        self.start_server()
        self.client.refused(409, 124, "POST", "/v1/backup")
        self.client.refused(409, 124, "GET", "/v1/backup")

    def test_a_folder_that_cannot_be_used_is_told_and_the_server_serves(self):
        server = Server()
        self.addCleanup(server.end)
        server.start(backup_dir="/proc/backups")
        with Client(server) as client:
            told = make_backup(client)
            self.assertEqual("failed", told["state"])
            self.assertIn("/proc/backups", told["reason"])
            client.put_scene("hall", name="Hall")

    def test_backups_come_by_themselves_and_the_oldest_go(self):
        self.start_with_backups(backup_every=1, backup_keep=2)
        seen = set()

        def three_came():
            seen.update(backup["key"] for backup in backups(self.client)
                        if backup["state"] == "done")
            return len(seen) >= 3

        wait_until(three_came, 60, "three backups")
        oldest = sorted(seen)[0]
        wait_until(lambda: not os.path.exists(self.path_of(oldest)), 30, "the end of the oldest")
        names = [name for name in os.listdir(self.dir) if not name.endswith(".partial")]
        self.assertLessEqual(len(names), 3)  # the newest may stand before the oldest goes

    def test_a_second_backup_shares_what_did_not_change(self):
        self.start_with_backups()
        upload(self.client, "/v1/asset", os.urandom(2 * MIB))
        first = make_backup(self.client)
        second = make_backup(self.client)
        self.assertGreater(first["bytes"], 2 * MIB)
        self.assertLess(second["copied"], 100000)
        shutil.rmtree(self.path_of(first["key"]))
        self.assertEqual(0, diorama("backup", "verify", self.path_of(second["key"]))[0])

    def test_lines_of_the_audit_log_are_in_it_and_their_chain_is_whole(self):
        self.start_with_backups()
        self.client.put_scene("hall", name="Hall")
        lines = lambda: [line for line in ask(self.client, "GET", "/v1/audit") if line["key"] == "hall"]
        wait_until(lines, 30, "the line of the scene")
        folder = self.path_of(make_backup(self.client)["key"])
        code, said, why = diorama("audit", os.path.join(folder, "audit"), "--key=hall")
        self.assertEqual(0, code, said + why)
        self.assertIn("hall", said)


class Damage(BackupCase, unittest.TestCase):
    def setUp(self):
        super().setUp()
        self.start_with_backups()
        upload(self.client, "/v1/asset", b"mesh" * 1000)
        self.client.put_scene("hall", name="Hall")
        self.folder = self.path_of(make_backup(self.client)["key"])
        self.to = os.path.join(self.server.folder, "restored")

    def check_refused(self, what):
        code, _, why = diorama("backup", "verify", self.folder)
        self.assertEqual(1, code, f"{what}: {why}")
        code, _, why = diorama("backup", "restore", self.folder, self.to)
        self.assertEqual(1, code, f"{what}: {why}")
        self.assertFalse(os.path.exists(self.to), what)
        self.assertFalse(os.path.exists(self.to + ".partial"), what)

    def test_one_flipped_bit_anywhere_is_found_and_restored_nowhere(self):
        for where, _, names in os.walk(self.folder):
            for name in names:
                path = os.path.join(where, name)
                size = os.path.getsize(path)
                if size == 0:
                    continue
                with open(path, "rb") as file:
                    whole = file.read()
                os.unlink(path)  # the server may share it
                with open(path, "wb") as file:
                    file.write(whole)
                # Of backup.json only the root is checked; what people read of it is no promise.
                at = whole.index(b'"root":"') + 10 if name == "backup.json" else size // 2
                flip(path, at, 1)
                self.check_refused(f"{name} byte {at}")
                with open(path, "wb") as file:
                    file.write(whole)
        self.assertEqual(0, diorama("backup", "verify", self.folder)[0])

    def test_a_missing_file_is_found(self):
        shutil.rmtree(os.path.join(self.folder, "blobs"))
        self.check_refused("a missing file")

    def test_what_is_no_backup_is_refused(self):
        self.folder = self.server.flags["data_dir"]
        self.check_refused("a data folder")

    def test_nothing_is_restored_over_a_data_folder(self):
        code, _, why = diorama("backup", "restore", self.folder, self.server.flags["data_dir"])
        self.assertEqual(5, code)
        self.assertIn("is not empty", why)

    def test_a_newer_form_is_refused(self):
        path = os.path.join(self.folder, "backup.json")
        with open(path) as file:
            text = file.read().replace('"format":1', '"format":2')
        with open(path, "w") as file:
            file.write(text)
        self.check_refused("a newer form")


class Faults(BackupCase, unittest.TestCase):
    def test_a_kill_in_a_backup_leaves_the_ones_before_and_no_half(self):
        server = self.start_with_backups(backup_keep=0)
        for _ in range(4):
            upload(self.client, "/v1/asset", os.urandom(MIB))
        whole = make_backup(self.client)["key"]
        for number in range(KILLS):
            upload(self.client, "/v1/asset", os.urandom(MIB))
            ask(self.client, "POST", "/v1/backup")
            time.sleep(number * 0.02)  # a kill at another moment each time; none is expected
            server.crash()
            self.client = self.connect(server)
            self.assertEqual(0, diorama("backup", "verify", self.path_of(whole))[0])
            told = make_backup(self.client)
            self.assertEqual("done", told["state"], told)
            self.assertFalse([name for name in os.listdir(self.dir) if name.endswith(".partial")])
            self.assertNotIn("backup.checkpoint", os.listdir(server.flags["data_dir"]))
            self.assertEqual(0, diorama("backup", "verify", self.path_of(told["key"]))[0])

    def test_the_end_of_the_server_does_not_wait_for_a_backup(self):
        server = self.start_with_backups()
        upload(self.client, "/v1/asset", os.urandom(8 * MIB))
        ask(self.client, "POST", "/v1/backup")
        code, took = server.stop()
        self.assertEqual(0, code)
        self.assertLess(took, 5)

    def test_a_full_disk_fails_the_backup_alone_and_leaves_nothing_on_it(self):
        disk = SmallDisk(self)
        server = Server(scene_actors=1)
        self.addCleanup(server.end)
        self.dir = os.path.join(disk.path, "backups")
        server.start(backup_dir=self.dir, store_reserve="1M")
        self.client = self.connect(server)
        self.addCleanup(shutil.rmtree, self.dir, True)
        for _ in range(3):
            upload(self.client, "/v1/asset", os.urandom(8 * MIB))
        with disk.kept_at(20 * MIB):
            told = make_backup(self.client)
            self.assertEqual("failed", told["state"])
            self.assertEqual([], os.listdir(self.dir))
            self.client.put_scene("hall", name="Hall")
        self.assertEqual("done", make_backup(self.client)["state"])

    def test_a_full_disk_ends_a_restore_an_import_and_an_export_and_nothing_is_left_on_it(self):
        disk = SmallDisk(self)
        server = self.start_with_backups()
        for _ in range(2):
            upload(self.client, "/v1/asset", os.urandom(8 * MIB))
        folder = self.path_of(make_backup(self.client)["key"])
        archive = os.path.join(server.folder, "all.tar")
        self.assertEqual(0, diorama("export", archive, folder)[0])
        made = os.path.join(disk.path, "made")
        for command in (("backup", "restore", folder, made), ("import", archive, made), ("export", made, folder)):
            with self.subTest(command=command[0]):
                with disk.kept_at(4 * MIB):
                    code, _, why = diorama(*command)
                    self.assertNotEqual(0, code)
                    self.assertRegex(why, "No space left|is full")
                    self.assertEqual(["ballast"], os.listdir(disk.path))
                self.assertEqual(0, diorama(*command)[0])
                shutil.rmtree(made) if os.path.isdir(made) else os.unlink(made)

    def test_on_another_disk_only_what_is_new_is_copied(self):
        disk = SmallDisk(self)
        server = Server(scene_actors=1)
        self.addCleanup(server.end)
        self.dir = os.path.join(disk.path, "backups")
        server.start(backup_dir=self.dir, store_reserve="1M")
        self.client = self.connect(server)
        self.addCleanup(shutil.rmtree, self.dir, True)
        upload(self.client, "/v1/asset", os.urandom(8 * MIB))
        first = make_backup(self.client)
        upload(self.client, "/v1/asset", os.urandom(MIB))
        second = make_backup(self.client)
        self.assertGreater(first["copied"], 8 * MIB)
        self.assertGreater(second["copied"], MIB)
        self.assertLess(second["copied"], 2 * MIB)
        self.assertEqual(0, diorama("backup", "verify", self.path_of(second["key"]))[0])


@needs_files
class Access(PeopleCase, unittest.TestCase):
    flags = {**FLAGS, "metrics_token": "scrape-me-please"}

    def test_the_token_of_metrics_opens_no_backups(self):
        with Client(self.server) as client:
            for method in ("GET", "POST"):
                answer = client.request(method, "/v1/backup", None, bearer("scrape-me-please"))
                self.assertEqual(401, answer.status, method)


class AccessWithoutUsers(BackupCase, unittest.TestCase):
    def test_callers_of_other_machines_may_not_although_they_may_everything_else(self):
        self.start_with_backups(http_trusted_proxies="127.0.0.1")
        forwarded = {"X-Forwarded-For": "192.0.2.7"}
        for method in ("GET", "POST"):
            answer = self.client.request(method, "/v1/backup", None, forwarded)
            self.assertEqual(403, answer.status, method)


if __name__ == "__main__":
    unittest.main()
