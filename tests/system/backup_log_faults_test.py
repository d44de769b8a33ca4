"""The log of backups when things go wrong: kills, full disks, folders that are away, damage. Nothing
that it lacks is taken for there.
"""

import glob
import os
import shutil
import subprocess
import threading
import time
import unittest

from backups import LogCase, backups, diorama, now_us
from damage import flip
from files import upload
from small_disk import SmallDisk
from support import BIN, LONG, Client, Server, wait_until

MIB = 1 << 20
KILLS = 30 if LONG else 2


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

    def test_a_restore_that_is_killed_leaves_nothing_in_the_way_of_the_next(self):
        self.start_with_log()
        for number in range(3):
            self.client.put_scene(f"scene-{number}", name="x")
            upload(self.client, "/v1/asset", os.urandom(4 * MIB))
        self.await_log()
        to = os.path.join(self.server.folder, "restored")
        command = [os.path.join(BIN, "diorama"), "backup", "restore", self.dir, to, "--at=end",
                   f"--log={self.log}"]
        for number in range(KILLS * 4):
            process = subprocess.Popen(command, stdout=subprocess.DEVNULL,
                                       stderr=subprocess.DEVNULL)
            time.sleep(0.01 * (number + 1))  # a kill at another moment each time
            process.kill()
            process.wait()
            if os.path.exists(to):
                break  # it was done before: then all of it is there
        if not os.path.exists(to):
            code, said, why = self.restore_at("end", to)
            self.assertEqual(0, code, said + why)
        self.assertFalse(os.path.exists(to + ".partial"))
        second = Server(scene_actors=1, data_dir=to)
        self.addCleanup(second.end)
        second.start()
        with Client(second) as client:
            self.assertEqual("x", client.scene("scene-2")["name"])

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
        self.assertIn("cannot", backups(self.client)[0]["reason"])
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
