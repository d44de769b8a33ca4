"""Backups, logs and archives of somebody who means ill, whose digests all agree: each is refused with a
sentence, in time, and nothing is made. What only a server can see is wrong ends its start, and
crashes nothing."""

import base64
import json
import os
import shutil
import struct
import tarfile
import tempfile
import unittest

from backups import BackupCase, LogCase, Writer, diorama, make_backup
from hostile_backups import Backup, Log, archive, change_body, sha256
from support import Server, wait_until

CRASHES = (-4, -6, -7, -8, -11)  # SIGILL, SIGABRT, SIGBUS, SIGFPE, SIGSEGV


class HostileCase:
    kept = None  # a folder of one server with a backup and a log, which each test gets a copy of

    def setUp(self):
        super().setUp()
        if type(self).kept is None:
            self.make_kept()
        self.server = Server(scene_actors=1)
        self.addCleanup(self.server.end)
        self.folder = os.path.join(self.server.folder, "copy")
        shutil.copytree(type(self).kept, self.folder, symlinks=True)
        name = max(name for name in os.listdir(os.path.join(self.folder, "backups")))
        self.backup = Backup(os.path.join(self.folder, "backups", name))
        self.log = os.path.join(self.folder, "commits")
        self.to = self.server.flags["data_dir"]

    def make_kept(self):
        self.start_with_log()
        writer = Writer(0)
        writer.prepare(self.client)
        make_backup(self.client)
        for _ in range(2 * Writer.KINDS):
            writer.step(self.client)
        self.await_log()
        self.assertEqual(0, self.server.stop()[0])
        kept = tempfile.mkdtemp(prefix="diorama-system-")
        self.addClassCleanup(shutil.rmtree, kept)
        for name in ("backups", "commits"):
            shutil.copytree(os.path.join(self.server.folder, name), os.path.join(kept, name))
        type(self).kept = kept

    def check_nothing_made(self):
        self.assertEqual([], [name for name in os.listdir(self.server.folder)
                              if name.startswith(os.path.basename(self.to))])

    def check_refused(self, command, *words):
        code, said, why = diorama(*command)
        self.assertEqual(1, code, said + why)
        for word in words:
            self.assertIn(word, why)
        self.check_nothing_made()


class Backups(HostileCase, LogCase, unittest.TestCase):
    def check_restore(self, *words, verifies=False):
        self.assertEqual(0 if verifies else 1, diorama("backup", "verify", self.backup.folder)[0])
        self.check_refused(("backup", "restore", self.backup.folder, self.to), *words)

    def test_paths_that_lead_elsewhere(self):
        lines = self.backup.lines()
        for path in ("../evil", "store/../../evil", "/etc/passwd", "store//x", "store/./x", "evil",
                     "backup.json", "SHA256SUMS", "store"):
            self.backup.list([f"{sha256(b'x')}  {path}\n", *lines])
            self.check_restore("is no line of a backup")

    def test_a_file_that_stands_in_the_list_twice(self):
        lines = self.backup.lines()
        self.backup.list([*lines, lines[0]])
        self.check_restore(verifies=True)

    def test_pipes_and_links_in_the_place_of_files(self):
        for name in ("SHA256SUMS", "backup.json", self.backup.first_of("store/"),
                     self.backup.first_of("blobs/")):
            path = self.backup.path(name)
            with open(path, "rb") as file:
                content = file.read()
            for make in (os.mkfifo, lambda path: os.symlink("/etc/passwd", path), os.mkdir):
                os.unlink(path)
                make(path)
                self.check_restore()
                os.rmdir(path) if os.path.isdir(path) else os.unlink(path)
                self.backup.write(name, content)

    def test_an_asset_of_another_name_than_its_digest(self):
        self.backup.relist(self.backup.first_of("blobs/"), b"other bytes")
        code, _, why = diorama("backup", "verify", self.backup.folder)
        self.assertEqual(1, code)
        self.assertIn("does not have the digest that it is named by", why)
        self.check_restore("nothing was restored")

    def test_a_list_and_a_record_without_end(self):
        for name in ("SHA256SUMS", "backup.json"):
            with open(self.backup.path(name), "rb") as file:
                content = file.read()
            self.backup.write(name, b"x" * (64 << 20))
            self.check_restore()
            self.backup.write(name, content)

    def test_another_form_and_numbers_of_any_size(self):
        self.backup.tell(format=2)
        self.check_restore("is of form 2")
        for members in ({"format": -1}, {"format": 10**30}, {"root": "0" * 64}, {"root": ""},
                        {"format": "1"}, {"created_us": "yesterday"}):
            with open(self.backup.path("backup.json"), "rb") as file:
                content = file.read()
            self.backup.tell(format=1, **members) if "format" not in members else self.backup.tell(**members)
            self.check_restore()
            self.backup.write("backup.json", content)

    def test_a_store_that_is_none_does_not_start_and_crashes_nothing(self):
        for name in ("store/CURRENT", self.backup.first_of("store/MANIFEST")):
            with open(self.backup.path(name), "rb") as file:
                content = file.read()
            for bad in (b"", b"MANIFEST-../../../../etc/passwd\n", os.urandom(1000)):
                with self.subTest(name=name, bad=bad[:10]):
                    self.backup.relist(name, bad)
                    self.assertEqual(0, diorama("backup", "restore", self.backup.folder, self.to)[0])
                    self.server.launch()
                    code = self.server.process.wait(60)
                    self.assertNotIn(code, (0, *CRASHES), self.server.log_tail())
                    shutil.rmtree(self.to)
            self.backup.relist(name, content)


class Logs(HostileCase, LogCase, unittest.TestCase):
    def setUp(self):
        super().setUp()
        self.segment, = self.segments()
        self.frames = Log(self.segment)
        self.changes = self.frames.places(b"C")

    def check_restore(self, *words, verifies=False):
        self.assertEqual(0 if verifies else 1, diorama("backup", "log", self.log)[0])
        self.check_refused(("backup", "restore", self.backup.folder, self.to, "--at=end",
                            f"--log={self.log}"), *words)

    def test_whole_it_is_restored(self):
        self.frames.write(self.frames.bodies)
        self.assertEqual(0, diorama("backup", "log", self.log)[0])
        code, _, why = diorama("backup", "restore", self.backup.folder, self.to, "--at=end",
                               f"--log={self.log}")
        self.assertEqual(0, code, why)

    def test_commits_that_are_missing(self):
        bodies = list(self.frames.bodies)
        del bodies[self.changes[len(self.changes) // 2]]
        self.frames.write(bodies)
        self.check_restore("the log lacks the commits between")

    def test_commits_out_of_order(self):
        bodies, (one, two) = list(self.frames.bodies), self.changes[-2:]
        bodies[one], bodies[two] = bodies[two], bodies[one]
        self.frames.write(bodies)
        self.check_restore("the log lacks the commits between")

    def test_commits_that_no_server_makes(self):
        last = self.frames.bodies[self.changes[-1]]
        first, end, time_us = struct.unpack_from(">QQQ", last, 1)
        for operations in ([(200, 0, 1, 1, 1, b"kv")], [(0, 0, 60000, 1, 1, b"kv")],
                           [(0, 0, 1, 65535, 1, b"kv")], [(0, 0, 1, 1, 2**32 - 1, b"kv")],
                           [(0, 0, 1, 60000, 1, b"k" * 60000 + b"v")]):
            bodies = list(self.frames.bodies)
            bodies[self.changes[-1]] = change_body(first, first, time_us, operations)
            with self.subTest(operation=operations[0][:5]):
                self.frames.write(bodies)
                self.check_restore("no writer of this form wrote")
        bodies[self.changes[-1]] = change_body(first, first + 2**40, time_us, [])
        self.frames.write(bodies)
        self.check_restore("no writer of this form wrote")
        self.assertGreaterEqual(end, first)

    def test_frames_of_any_size(self):
        for size in (2**32 - 1, 2**31, (16 << 20) + 1, 100, 0xc0 << 24):
            self.frames.write(self.frames.bodies, {len(self.frames.bodies) // 2: size})
            self.check_restore("no frame has such a size")

    def test_a_newer_form(self):
        header = bytearray(self.frames.bodies[0])
        struct.pack_into(">Q", header, 1, 3)
        self.frames.write([bytes(header), *self.frames.bodies[1:]])
        self.check_restore()

    def test_two_logs_in_one_folder(self):
        """A segment of another chain beside it harms nothing; the same one twice is refused."""
        header = bytearray(self.frames.bodies[0])
        header[9:25] = bytes(16)
        other = os.path.join(self.log, "2000-01-01T00-00-00.000Z.log")
        shutil.copy(self.segment, other)
        shutil.copytree(self.segment[:-4] + ".blobs", other[:-4] + ".blobs")
        self.check_restore()
        Log(other).write([bytes(header), *self.frames.bodies[1:]])
        self.assertEqual(0, diorama("backup", "restore", self.backup.folder, self.to, "--at=end",
                                    f"--log={self.log}")[0])

    def test_pipes_and_links_in_the_place_of_files(self):
        in_backup = {line.rstrip()[-64:] for line in self.backup.lines()}
        folder = self.segment[:-4] + ".blobs"
        blob = next(os.path.join(folder, name) for name in os.listdir(folder) if name not in in_backup)
        for path in (blob, self.segment):
            for make in (os.mkfifo, lambda path: os.symlink("/etc/passwd", path), os.mkdir):
                os.rename(path, path + ".kept")
                make(path)
                self.check_restore()
                os.rmdir(path) if os.path.isdir(path) else os.unlink(path)
                os.rename(path + ".kept", path)


def entry_of_kind(name, kind, link=""):
    info = tarfile.TarInfo(name)
    info.type, info.linkname = kind, link
    return info


def record(part=1, key=b"k", value=b"v"):
    return json.dumps({"part": part, "key": base64.b64encode(key).decode(),
                       "value": base64.b64encode(value).decode()}).encode() + b"\n"


class Archives(BackupCase, unittest.TestCase):
    MANIFEST = ("manifest.json", b'{"form":1}\n')

    def setUp(self):
        super().setUp()
        self.server = Server(scene_actors=1)
        self.addCleanup(self.server.end)
        self.file = os.path.join(self.server.folder, "all.tar")
        self.to = self.server.flags["data_dir"]

    def check_refused(self, *words):
        code, said, why = diorama("import", self.file, self.to)
        self.assertEqual(1, code, said + why)
        for word in words:
            self.assertIn(word, why)
        self.assertEqual(["all.tar"], [name for name in os.listdir(self.server.folder)
                                       if name != "server.log"])

    def test_entries_that_are_no_files(self):
        for kind in (tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.CHRTYPE, tarfile.FIFOTYPE,
                     tarfile.DIRTYPE, tarfile.GNUTYPE_LONGNAME, tarfile.XHDTYPE):
            archive(self.file, [self.MANIFEST, (entry_of_kind("audit/x", kind, "/etc/passwd"), b"")])
            self.check_refused("is no file")

    def test_entries_that_come_twice(self):
        archive(self.file, [self.MANIFEST, ("audit/x", b"1"), ("audit/x", b"2")])
        self.check_refused("comes twice")
        archive(self.file, [self.MANIFEST, self.MANIFEST])
        self.check_refused("does not belong there")

    def test_an_asset_of_another_name_than_its_digest(self):
        name = sha256(b"this")
        archive(self.file, [self.MANIFEST, (f"blobs/{name[:2]}/{name}", b"that")])
        self.check_refused("does not have its digest")

    def test_sizes_that_are_not_there(self):
        """Eight GiB are announced, as octal digits and as the bytes of later tars; nothing comes."""
        for size in (b"77777777777\0", b"\x80" + bytes(3) + (1 << 40).to_bytes(8, "big"), b"-0000000001\0"):
            archive(self.file, [self.MANIFEST, ("audit/x", b"x")])
            with open(self.file, "r+b") as file:
                content = bytearray(file.read())
                content[1024 + 124:1024 + 136] = size
                content[1024 + 148:1024 + 156] = b" " * 8
                content[1024 + 148:1024 + 155] = b"%06o\0" % sum(content[1024:1536])
                file.seek(0)
                file.write(content)
            self.check_refused("damaged, or no archive")

    def test_records_that_no_store_has(self):
        for lines in (record(part=-1), record(part=1024), record(key=b"k" * 70000), b"{}\n",
                      b"[" * 100000 + b"\n", b'{"part":1,"key":"%","value":""}\n',
                      b'{"part":1e400,"key":"","value":""}\n', record()[:-1], b"\xff\xfe\n", b"\0\n"):
            archive(self.file, [self.MANIFEST, ("records/scene/000000.jsonl", lines)])
            with self.subTest(lines=lines[:40]):
                self.check_refused()
        archive(self.file, [self.MANIFEST, ("records/nobody/000000.jsonl", record())])
        self.check_refused("is of a newer version")

    def test_records_that_no_server_wrote_end_the_start_or_are_left_and_crash_nothing(self):
        for family in ("scene", "asset", "user", "streamer", "format"):
            for key in (b"", b"k", b"S" * 20, b"\xff" * 200):
                for value in (b"", b"v", b"\xdf\xff\xff\xff\xff", b"\x81" * 500):
                    if os.path.exists(self.to):
                        shutil.rmtree(self.to)
                    archive(self.file, [self.MANIFEST, (f"records/{family}/000000.jsonl",
                                                        b"".join(record(part, key, value) for part in (0, 1)))])
                    code, _, why = diorama("import", self.file, self.to)
                    self.assertEqual(0, code, why)
                    with self.subTest(family=family, key=key[:3], value=value[:3]):
                        self.server.launch()
                        wait_until(lambda: self.server.process.poll() is not None or
                                   self.server.says_ready(), 60, "readiness, or the end")
                        if self.server.is_running():
                            self.assertEqual(0, self.server.stop()[0])
                        self.assertNotIn(self.server.process.returncode, CRASHES, self.server.log_tail())


if __name__ == "__main__":
    unittest.main()
