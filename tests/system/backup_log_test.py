"""The log of backups: every commit comes to it within a second, and a restore goes to any time from
a backup on. What it lacks is told; nothing is restored then.
"""

import glob
import os
import shutil
import threading
import time
import unittest
from datetime import datetime, timezone

from backups import BackupCase, Writer, ask, backups, diorama, make_backup
from damage import flip
from files import upload
from small_disk import SmallDisk
from support import LONG, Client, Server, is_sanitized, wait_until

MIB = 1 << 20
POINTS = 60 if LONG else 2 if is_sanitized() else 4
KILLS = 30 if LONG else 2
WRITERS = 3


def time_text(us):
    return datetime.fromtimestamp(us / 1e6, timezone.utc).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def now_us():
    return time.time_ns() // 1000


class LogCase(BackupCase):
    def start_with_log(self, log=None, **flags):
        self.log = log
        server = Server(scene_actors=2)
        self.log = self.log or os.path.join(server.folder, "commits")
        self.addCleanup(server.end)
        self.dir = os.path.join(server.folder, "backups")
        self.flags_of_log = {"backup_dir": self.dir, "backup_log": self.log, **flags}
        server.start(**self.flags_of_log)
        self.server, self.client = server, self.connect(server)
        self.await_base()
        return server

    def await_base(self):
        """The first backup, which comes by itself, with a log that goes on from it."""
        return wait_until(lambda: [backup for backup in backups(self.client)
                                   if "until_us" in backup and "reason" not in backup], 30,
                          "a backup that the log goes on from")

    def await_log(self, us=None):
        """Waits until the log has all that was written up to now; returns that time."""
        us = us or now_us()
        wait_until(lambda: any(backup.get("until_us", 0) >= us for backup in backups(self.client)),
                   30, "the log to come to now")
        return us

    def restore_at(self, at, to=None, source=None):
        self.to = to or os.path.join(self.server.folder, f"restored-{now_us()}")
        return diorama("backup", "restore", source or self.dir, self.to,
                       f"--at={at if isinstance(at, str) else time_text(at)}", f"--log={self.log}")

    def restored_at(self, at, **flags):
        server = Server(scene_actors=1, **flags)
        self.addCleanup(server.end)
        code, said, why = self.restore_at(at, server.flags["data_dir"])
        self.assertEqual(0, code, said + why)
        return server.start()

    def check_refused(self, at, *words):
        code, _, why = self.restore_at(at)
        self.assertEqual(1, code, why)
        for word in words:
            self.assertIn(word, why)
        self.assertFalse(os.path.exists(self.to))
        self.assertFalse(os.path.exists(self.to + ".partial"))

    def segments(self):
        return sorted(glob.glob(os.path.join(self.log, "*.log")))


class PointInTime(LogCase, unittest.TestCase):
    def test_a_restore_goes_to_a_time_between_two_changes(self):
        self.start_with_log()
        self.client.put_scene("hall", name="before")
        asset = upload(self.client, "/v1/asset", b"first" * 100).text
        first = now_us()
        time.sleep(0.01)  # the commits of the next step are later than this time
        self.client.put_scene("hall", name="after")
        upload(self.client, f"/v1/asset/{asset}", b"second" * 100)
        second = self.await_log()
        for at, name, data in ((first, "before", b"first"), (second, "after", b"second"),
                               ("end", "after", b"second")):
            with Client(self.restored_at(at)) as client:
                self.assertEqual(name, client.scene("hall")["name"])
                self.assertEqual(b"first" * 100, client.get("/v1/asset/" + asset).content)
                versions = ask(client, "GET", f"/v1/asset-history/{asset}")
                self.assertEqual(data == b"second", bool(versions))
                if versions:
                    newest = versions[0]["assetIds"][-1]
                    contents = {client.get(f"/v1/asset/{key}").content
                                for key in versions[0]["assetIds"]}
                    self.assertIn(b"second" * 100, contents, newest)

    def test_a_blob_that_was_removed_meanwhile_is_there_at_its_time(self):
        self.start_with_log()
        asset = upload(self.client, "/v1/asset", b"gone" * 1000).text
        had = self.await_log()
        self.assertEqual(200, self.client.request("DELETE", f"/v1/asset/{asset}").status)
        make_backup(self.client)
        self.await_log()
        with Client(self.restored_at(had)) as client:
            self.assertEqual(b"gone" * 1000, client.get("/v1/asset/" + asset).content)

    def test_a_time_that_the_log_has_not_reached_is_refused(self):
        self.start_with_log()
        self.check_refused(now_us() + 3600 * 10**6, "the log reaches until")

    def test_a_time_before_all_backups_is_refused(self):
        self.start_with_log()
        self.check_refused(now_us() - 3600 * 10**6, "no backup that ended before")

    def test_a_time_without_a_zone_is_refused(self):
        self.start_with_log()
        self.assertEqual(1, self.restore_at("2026-11-24T19:04:11")[0])

    def test_a_clean_stop_leaves_nothing_out(self):
        server = self.start_with_log()
        self.client.put_scene("hall", name="last")
        self.assertEqual(0, server.stop()[0])
        with Client(self.restored_at("end")) as client:
            self.assertEqual("last", client.scene("hall")["name"])

    def test_the_command_says_from_when_to_when_it_goes(self):
        self.start_with_log()
        self.await_log()
        code, said, why = diorama("backup", "log", self.log)
        self.assertEqual(0, code, why)
        self.assertRegex(said, r"(?m)^20\d\d-.*Z to 20\d\d-.*Z$")

    def test_segments_that_no_backup_needs_go(self):
        server = self.start_with_log(backup_keep=1)
        first, = self.segments()
        server.restart(backup_log="")
        with Client(server) as client:
            client.put_scene("hall", name="unlogged")
        server.restart(backup_log=self.log)
        self.client = self.connect(server)
        self.await_base()  # of the chain that began now; the backup before goes
        wait_until(lambda: not os.path.exists(first), 20, "the end of the first segment")
        self.assertEqual(1, len(self.segments()))

    def test_backup_log_without_backup_dir_is_refused(self):
        server = Server()
        self.addCleanup(server.end)
        server.launch(backup_log=os.path.join(server.folder, "log"))
        self.assertEqual(2, server.process.wait(20))


class Writers(LogCase, unittest.TestCase):
    """Writers go on; at some times the number of each one's last step is noted."""

    def load(self, writer, ended):
        with Client(self.server) as client:
            while not ended.is_set():
                writer.step(client)

    def check(self, writer, client, least, most):
        seen = writer.read(client)
        fitting = [upto for upto in range(least, most + 1)
                   if all(seen[kind] == writer.last_of(kind, upto) for kind in seen)]
        self.assertTrue(fitting, f"writer {writer.number}: {seen} not within {least} to {most}")

    def test_each_time_is_a_prefix_of_what_each_writer_did_until_then(self):
        self.start_with_log()
        writers = [Writer(number) for number in range(WRITERS)]
        for writer in writers:
            writer.prepare(self.client)
        ended = threading.Event()
        threads = [threading.Thread(target=self.load, args=(writer, ended)) for writer in writers]
        for thread in threads:
            thread.start()
        points = []
        try:
            for number in range(POINTS):
                before = {writer: writer.acknowledged for writer in writers}
                at = now_us()
                points.append((at, before, {writer: writer.begun for writer in writers}))
                time.sleep(0.3)  # another time, with other steps done
                if number % 3 == 1:
                    make_backup(self.client)
        finally:
            ended.set()
            for thread in threads:
                thread.join()
        self.await_log()
        for at, before, after in points:
            restored = self.restored_at(at)
            with Client(restored) as client:
                for writer in writers:
                    self.check(writer, client, before[writer], after[writer] + 1)
            restored.end()


class Faults(LogCase, unittest.TestCase):
    def test_kills_while_it_is_written_lose_nothing(self):
        server = self.start_with_log()
        for number in range(KILLS):
            ended = threading.Event()

            def write():
                step = 0
                with Client(server) as client:
                    while not ended.is_set():
                        step += 1
                        try:
                            client.put_scene(f"scene-{number}", name=str(step))
                        except Exception:  # the server was killed
                            return
                        self.acknowledged = step

            self.acknowledged = 0
            thread = threading.Thread(target=write)
            thread.start()
            time.sleep(0.8 + number % 5 * 0.15)  # another moment of a pass each time
            server.kill()
            ended.set()
            thread.join()
            server.start()
            self.client = self.connect(server)
            self.await_log()
            with Client(self.restored_at("end")) as client:
                name = int(client.scene(f"scene-{number}")["name"])
                self.assertIn(name, (self.acknowledged, self.acknowledged + 1))
        self.assertEqual(0, server.metrics()["diorama_backup_log_gaps_total"])
        code, said, why = diorama("backup", "log", self.log)
        self.assertEqual(0, code, why)
        self.assertEqual(2, len(said.splitlines()), said)  # one chain, and the sum

    def test_a_folder_that_cannot_be_written_is_told_and_caught_up(self):
        server = self.start_with_log()
        self.client.put_scene("hall", name="one")
        self.await_log()
        os.rename(self.log, self.log + ".away")
        with open(self.log, "w"):
            pass
        self.assertEqual(0, server.stop()[0])
        server.start()
        self.client = self.connect(server)
        self.client.put_scene("hall", name="two")
        wait_until(lambda: server.metrics()["diorama_backup_log_failing"] == 1, 20, "the failure")
        os.unlink(self.log)
        os.rename(self.log + ".away", self.log)
        self.await_log()
        self.assertEqual(0, server.metrics()["diorama_backup_log_failing"])
        self.assertEqual(0, server.metrics()["diorama_backup_log_gaps_total"])
        with Client(self.restored_at("end")) as client:
            self.assertEqual("two", client.scene("hall")["name"])

    def test_a_full_disk_stops_the_log_alone_and_it_goes_on_afterwards(self):
        disk = SmallDisk(self)
        log = os.path.join(disk.path, "log")
        server = self.start_with_log(log=log, store_reserve="1M")
        self.addCleanup(shutil.rmtree, log, True)
        with disk.kept_at(MIB):
            self.client.put_scene("hall", name="full")
            wait_until(lambda: server.metrics()["diorama_backup_log_failing"] == 1, 20, "the end")
            told = backups(self.client)[0]
            self.assertIn("MB left", told["reason"])
        self.await_log()
        with Client(self.restored_at("end")) as client:
            self.assertEqual("full", client.scene("hall")["name"])

    def test_commits_while_there_is_no_log_are_a_gap_that_is_told(self):
        server = self.start_with_log()
        self.client.put_scene("hall", name="one")
        before = self.await_log()
        self.assertEqual(0, server.stop()[0])
        server.start(backup_log="")
        with Client(server) as client:
            client.put_scene("hall", name="unlogged")
        self.assertEqual(0, server.stop()[0])
        unlogged = now_us()
        server.start(backup_log=self.log)
        self.client = self.connect(server)
        self.await_base()
        self.assertEqual(1, server.metrics()["diorama_backup_log_gaps_total"])
        self.client.put_scene("hall", name="three")
        self.await_log()
        self.check_refused(unlogged, "the log reaches until")
        for at, name in ((before, "one"), ("end", "three")):
            with Client(self.restored_at(at)) as client:
                self.assertEqual(name, client.scene("hall")["name"])

    def test_a_restored_server_begins_a_log_of_its_own_in_the_same_folder(self):
        server = self.start_with_log()
        self.client.put_scene("hall", name="old")
        at = self.await_log()
        self.assertEqual(0, server.stop()[0])
        fresh = self.restored_at(at, backup_log=self.log, backup_dir=self.dir)
        self.client = self.connect(fresh)
        self.await_base()
        self.client.put_scene("hall", name="new")
        self.await_log()
        with Client(self.restored_at("end")) as client:
            self.assertEqual("new", client.scene("hall")["name"])
        with Client(self.restored_at(at)) as client:
            self.assertEqual("old", client.scene("hall")["name"])

    def test_two_servers_do_not_write_one_log(self):
        self.start_with_log()
        second = Server()
        self.addCleanup(second.end)
        second.start(backup_dir=os.path.join(second.folder, "backups"), backup_log=self.log)
        wait_until(lambda: second.metrics()["diorama_backup_log_failing"] == 1, 20, "the refusal")
        self.assertIn("backup_log_stopped", second.log_text())


class Damage(LogCase, unittest.TestCase):
    def setUp(self):
        super().setUp()
        self.server = self.start_with_log()
        self.client.put_scene("hall", name="Hall")
        upload(self.client, "/v1/asset", b"mesh" * 1000)
        self.await_log()
        self.client.put_scene("hall", name="later")
        self.await_log()
        self.assertEqual(0, self.server.stop()[0])
        self.segment, = self.segments()

    def test_one_flipped_bit_is_found_and_not_restored(self):
        size = os.path.getsize(self.segment)
        for at in {5, 60, size // 3, size // 2, size - 200}:
            flip(self.segment, at, 1)
            self.assertEqual(1, diorama("backup", "log", self.log)[0], at)
            self.check_refused("end")
            flip(self.segment, at, 1)
        self.assertEqual(0, diorama("backup", "log", self.log)[0])

    def test_a_torn_end_is_normal_and_reaches_no_further(self):
        end = now_us()
        whole = os.path.getsize(self.segment)
        os.truncate(self.segment, whole - 7)
        self.assertEqual(0, diorama("backup", "log", self.log)[0])
        self.check_refused(end, "the log reaches until")
        self.assertEqual(0, self.restore_at("end")[0])

    def test_a_blob_that_is_damaged_or_missing_is_found_and_not_restored(self):
        blob, = glob.glob(os.path.join(self.log, "*.blobs", "*"))
        with open(blob, "rb") as file:
            content = file.read()
        os.unlink(blob)
        self.assertEqual(1, diorama("backup", "log", self.log)[0])
        self.check_refused("end", "is missing")
        with open(blob, "wb") as file:
            file.write(content[:-1] + b"!")
        self.assertEqual(1, diorama("backup", "log", self.log)[0])
        self.check_refused("end", "is damaged")

    def test_a_server_whose_log_is_damaged_begins_a_new_one(self):
        flip(self.segment, os.path.getsize(self.segment) // 2, 1)
        self.server.start()
        self.client = self.connect(self.server)
        self.await_base()
        self.assertEqual(1, self.server.metrics()["diorama_backup_log_gaps_total"])
        self.client.put_scene("hall", name="anew")
        self.await_log()
        with Client(self.restored_at("end")) as client:
            self.assertEqual("anew", client.scene("hall")["name"])

    def test_another_folder_is_no_log(self):
        self.log = self.dir
        self.check_refused("end", "nothing that goes on")
        self.assertEqual(1, diorama("backup", "log", self.log)[0])


if __name__ == "__main__":
    unittest.main()
