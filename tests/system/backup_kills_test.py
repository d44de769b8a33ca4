"""kill -9 at every step of a backup, of a restore, of a restore with the log, of an export and of an
import: there is all or nothing, and the next attempt finds nothing in its way.

A step is a change of files. The short form kills at the first step of each kind (make such a
file, link it, name it) and at the last, DIORAMA_LONG=1 at all.
"""

import hashlib
import http.client
import os
import shutil
import signal
import subprocess
import unittest

from backups import MIB, BackupCase, LogCase, Writer, ask, backups, diorama, make_backup
from files import upload
from kill_steps import Steps, chosen, skip_unless_there
from support import BIN, Client, Server, wait_until


def sha256(path):
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


class ServerKills(BackupCase, unittest.TestCase):
    """A server with what an earlier kill left, which makes a backup and removes the oldest one."""

    def setUp(self):
        skip_unless_there()
        super().setUp()
        self.start_with_backups(backup_keep=2)
        upload(self.client, "/v1/asset", os.urandom(MIB))
        self.data = self.server.flags["data_dir"]
        self.steps = Steps(os.path.join(self.server.folder, "steps"), self.dir,
                           os.path.join(self.data, "backup.checkpoint"))

    def leave_halves(self):
        for folder in (os.path.join(self.dir, "2026-01-01T00-00-00.000Z.partial"),
                       os.path.join(self.data, "backup.checkpoint")):
            os.makedirs(folder, exist_ok=True)
            with open(os.path.join(folder, "half"), "w", encoding="utf-8") as file:
                file.write("half")

    def prepare(self, name):
        """Two backups, something new, and the halves of a third."""
        while len(backups(self.client)) < 2:
            self.assertEqual("done", make_backup(self.client)["state"])
        upload(self.client, "/v1/asset", name.encode())
        self.client.put_scene("hall", name=name)
        self.assertEqual(0, self.server.stop()[0])
        self.leave_halves()

    def names(self):
        return sorted(name for name in os.listdir(self.dir))

    def backup_until_killed(self, number):
        with self.steps.run_at(number):
            self.server.launch()
        wait_until(lambda: self.server.process.poll() is not None or self.server.says_ready(), 60,
                   "readiness, or the end")
        if self.server.process.poll() is None:
            try:
                with Client(self.server) as client:
                    ask(client, "POST", "/v1/backup")
            except (OSError, http.client.HTTPException):
                pass  # it was killed meanwhile
        self.server.await_kill(60)

    def check(self, before, name):
        self.server.start()
        self.client = self.connect(self.server)
        self.assertEqual(name, self.client.scene("hall")["name"])
        wait_until(lambda: not os.path.exists(os.path.join(self.data, "backup.checkpoint")) and
                   not any(name.endswith(".partial") for name in self.names()), 20, "the end of halves")
        names = self.names()
        self.assertLessEqual(set(before[1:]), set(names), "the newest one before is there")
        for name in names:
            self.assertEqual((0, ""), diorama("backup", "verify", self.path_of(name))[::2], name)
        told = make_backup(self.client)
        self.assertEqual("done", told["state"], told)
        wait_until(lambda: len(self.names()) == 2, 20, "the end of the oldest")
        self.assertEqual(0, diorama("backup", "verify", self.path_of(told["key"]))[0])

    def test_a_backup_that_is_killed_at_any_step_leaves_the_ones_before_and_no_half(self):
        self.prepare("0")
        with self.steps.run_at(0):
            self.server.start()
        self.client = self.connect(self.server)
        self.assertEqual("done", make_backup(self.client)["state"])
        wait_until(lambda: len(self.names()) == 2, 20, "the end of the oldest")
        self.server.restart()
        self.client = self.connect(self.server)
        steps = self.steps.noted()
        for one in ("remove", "backup.checkpoint", "link", "SHA256SUMS", "backup.json", "rename"):
            self.assertIn(one, " ".join(steps))
        numbers = chosen(steps)
        for number in numbers:
            with self.subTest(step=steps[number - 1]):
                self.prepare(str(number))
                before = [name for name in self.names() if not name.endswith(".partial")]
                self.backup_until_killed(number)
                self.check(before, str(number))
        print(f"\n{len(numbers)} kills at {len(steps)} steps of a backup")


class CommandKills(LogCase, unittest.TestCase):
    """`diorama` on a backup with a log, and on the archive of it."""

    def setUp(self):
        skip_unless_there()
        super().setUp()
        self.start_with_log()
        writer = Writer(0)
        writer.prepare(self.client)
        for _ in range(2 * Writer.KINDS):
            writer.step(self.client)
        self.folder = self.path_of(make_backup(self.client)["key"])
        for _ in range(2 * Writer.KINDS):
            writer.step(self.client)
        self.await_log()
        self.assertEqual(0, self.server.stop()[0])
        self.to = self.path("made")

    def path(self, name):
        return os.path.join(self.server.folder, name)

    def digest_of(self, data):
        """Equal contents make equal archives."""
        file = self.path("check.tar")
        code, _, why = diorama("export", file, data)
        self.assertEqual(0, code, why)
        digest = sha256(file)
        os.unlink(file)
        return digest

    def run_at(self, number, command):
        with self.steps.run_at(number):
            return subprocess.run([os.path.join(BIN, "diorama"), *command], stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT, timeout=120, check=False)

    def remove(self):
        if os.path.isdir(self.to):
            shutil.rmtree(self.to)
        else:
            os.unlink(self.to)

    def check_kills(self, command, digest_of):
        self.steps = Steps(self.path("steps"), self.to)
        done = self.run_at(0, command)
        self.assertEqual(0, done.returncode, done.stdout)
        expected, steps = digest_of(self.to), self.steps.noted()
        self.remove()
        numbers = chosen(steps)
        for number in numbers:
            with self.subTest(step=steps[number - 1]):
                code = self.run_at(number, command).returncode
                if code == 0:
                    self.assertGreater(number, len(self.steps.noted()))  # RocksDB had fewer to do
                else:
                    self.assertEqual(-signal.SIGKILL, code)
                if not os.path.exists(self.to):
                    done = self.run_at(0, command)
                    self.assertEqual(0, done.returncode, done.stdout)
                self.assertEqual(expected, digest_of(self.to))
                self.assertEqual([], [name for name in os.listdir(self.server.folder)
                                      if name.startswith("made") and name != "made"])
                self.remove()
        print(f"\n{len(numbers)} kills at {len(steps)} steps of {' '.join(command[:2])}")

    def test_a_restore_that_is_killed_at_any_step_makes_all_or_nothing(self):
        self.check_kills(["backup", "restore", self.folder, self.to], self.digest_of)

    def test_a_restore_with_the_log_that_is_killed_at_any_step_makes_all_or_nothing(self):
        self.check_kills(["backup", "restore", self.dir, self.to, "--at=end", f"--log={self.log}"],
                         self.digest_of)

    def test_an_import_that_is_killed_at_any_step_makes_all_or_nothing(self):
        archive = self.path("all.tar")
        self.assertEqual(0, diorama("export", archive, self.folder)[0])
        self.check_kills(["import", archive, self.to], self.digest_of)

    def test_an_export_that_is_killed_at_any_step_makes_all_or_nothing(self):
        self.check_kills(["export", self.to, self.folder], sha256)


if __name__ == "__main__":
    unittest.main()
