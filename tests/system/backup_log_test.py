"""The log of backups: every commit comes to it within a second, and a restore goes to any time from
a backup on. What it lacks is told; nothing is restored then.
"""

import os
import threading
import time
import unittest

from backups import LogCase, Writer, ask, diorama, make_backup, now_us
from files import upload
from support import LONG, Client, Server, is_sanitized, wait_until

POINTS = 60 if LONG else 2 if is_sanitized() else 4
WRITERS = 3


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
        self.assertEqual(2, self.restore_at("2026-11-24T19:04:11")[0])

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

if __name__ == "__main__":
    unittest.main()
