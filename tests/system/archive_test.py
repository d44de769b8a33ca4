"""`diorama export` and `diorama import`: one file with all that a server stores, from which another
server has the same; equal contents make equal files; what is damaged is refused."""

import hashlib
import io
import os
import subprocess
import tarfile
import unittest

from backups import BackupCase, Writer, ask, diorama, make_backup
from damage import flip
from files import upload
from people import FLAGS, PeopleCase, log_in
from support import Client, Server, needs_files

MIB = 1 << 20


def sha256(path):
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


@needs_files
class ArchiveCase(BackupCase):
    def setUp(self):
        super().setUp()
        self.server = Server(scene_actors=2)
        self.addCleanup(self.server.end)
        self.file = os.path.join(self.server.folder, "all.tar")

    def path(self, name):
        return os.path.join(self.server.folder, name)

    def fill(self, **flags):
        self.server.start(**flags)
        self.client = self.connect(self.server)
        self.writer = Writer(0)
        self.writer.prepare(self.client)
        for _ in range(4 * Writer.KINDS):
            self.writer.step(self.client)
        self.large = upload(self.client, "/v1/asset", os.urandom(3 * MIB)).text

    def export(self, source=None, file=None):
        code, said, why = diorama("export", file or self.file,
                                  source or self.server.flags["data_dir"])
        self.assertEqual(0, code, said + why)

    def check_import_refused(self, *words):
        to = self.path("refused")
        code, _, why = diorama("import", self.file, to)
        self.assertEqual(1, code, why)
        for word in words:
            self.assertIn(word, why)
        self.assertFalse(os.path.exists(to))
        self.assertFalse(os.path.exists(to + ".partial"))


class Archives(ArchiveCase, unittest.TestCase):
    def test_an_imported_server_has_what_the_first_one_had(self):
        self.fill()
        before = self.writer.read(self.client)
        large = self.client.get("/v1/asset/" + self.large).content
        versions = ask(self.client, "GET", f"/v1/asset-history/{self.writer.first_version}")
        objects = self.client.object(self.writer.scene, self.writer.object)
        self.assertEqual(0, self.server.stop()[0])
        self.export()
        second = Server(scene_actors=1)
        self.addCleanup(second.end)
        code, said, why = diorama("import", self.file, second.flags["data_dir"])
        self.assertEqual(0, code, said + why)
        second.start()
        with Client(second) as client:
            self.assertEqual(before, self.writer.read(client))
            self.assertEqual(large, client.get("/v1/asset/" + self.large).content)
            self.assertEqual(versions, ask(client, "GET",
                                           f"/v1/asset-history/{self.writer.first_version}"))
            self.assertEqual(objects, client.object(self.writer.scene, self.writer.object))

    def test_an_export_of_an_import_is_the_same_file(self):
        self.fill()
        self.assertEqual(0, self.server.stop()[0])
        self.export()
        self.assertEqual(0, diorama("import", self.file, self.path("second"))[0])
        again = self.path("again.tar")
        self.export(self.path("second"), again)
        self.assertEqual(sha256(self.file), sha256(again))

    def test_a_running_server_is_exported_by_its_backup(self):
        self.dir = self.path("backups")
        self.fill(backup_dir=self.dir)
        code, _, why = diorama("export", self.file, self.server.flags["data_dir"])
        self.assertEqual(5, code)
        self.assertIn("another server has it open", why)
        self.assertFalse(os.path.exists(self.file))
        folder = self.path_of(make_backup(self.client)["key"])
        self.export(folder)
        self.assertEqual(0, diorama("backup", "verify", folder)[0])
        self.assertEqual(0, diorama("import", self.file, self.path("second"))[0])
        self.assertEqual([], [name for name in os.listdir(self.server.folder)
                              if name.endswith((".partial", ".tar.data"))])

    def test_tar_and_sha256sum_check_it_without_a_program_of_ours(self):
        self.fill()
        self.assertEqual(0, self.server.stop()[0])
        self.export()
        folder = self.path("unpacked")
        os.mkdir(folder)
        subprocess.run(["tar", "-xf", self.file, "-C", folder], check=True)
        subprocess.run(["sha256sum", "--quiet", "-c", "SHA256SUMS"], cwd=folder, check=True)

    def test_users_log_in_with_the_passwords_that_they_had(self):
        self.server.start(**FLAGS)
        with PeopleCase.enter(self.server, "admin") as admin:
            PeopleCase.sign_up("anna", admin)
        self.assertEqual(0, self.server.stop()[0])
        self.export()
        second = Server(**{**FLAGS, "auth_admin_password": "another one here"})
        self.addCleanup(second.end)
        self.assertEqual(0, diorama("import", self.file, second.flags["data_dir"])[0])
        second.start()
        with Client(second) as client:
            for name in ("anna", "admin"):
                self.assertEqual(200, log_in(client, name).status, name)


class Damage(ArchiveCase, unittest.TestCase):
    kept = None  # the archive of one server, which each test gets a copy of

    def setUp(self):
        super().setUp()
        if Damage.kept is None:
            self.fill()
            self.assertEqual(0, self.server.stop()[0])
            self.export()
            with open(self.file, "rb") as file:
                Damage.kept = file.read()
        else:
            with open(self.file, "wb") as file:
                file.write(Damage.kept)

    def rewrite(self, change):
        """Writes the archive anew with the entries that `change` makes of (name, bytes)."""
        with tarfile.open(self.file) as archive:
            entries = [(entry.name, archive.extractfile(entry).read()) for entry in archive]
        with tarfile.open(self.file, "w") as archive:
            for name, data in change(entries):
                entry = tarfile.TarInfo(name)
                entry.size = len(data)
                archive.addfile(entry, io.BytesIO(data))

    def test_one_flipped_bit_is_refused(self):
        with tarfile.open(self.file) as archive:
            entries = archive.getmembers()
        for entry in (entries[0], entries[1], entries[len(entries) // 2], entries[-1]):
            for at in (entry.offset_data, entry.offset_data + entry.size // 2, entry.offset + 5):
                flip(self.file, at, 1)  # its first byte, one in its middle, one of its name
                self.check_import_refused()
                flip(self.file, at, 1)
        self.assertEqual(0, diorama("import", self.file, self.path("whole"))[0])

    def test_a_file_that_ends_early_is_refused(self):
        for part in (2, 3, 5):
            os.truncate(self.file, os.path.getsize(self.file) * (part - 1) // part)
            self.check_import_refused("damaged, or no archive")

    def test_a_missing_and_a_foreign_entry_are_refused(self):
        self.rewrite(lambda entries: [entry for entry in entries if "blobs/" not in entry[0]])
        self.check_import_refused("SHA256SUMS is not of these files")

    def test_an_entry_that_leads_out_of_the_folder_is_refused(self):
        for name in ("../evil", "/evil", "audit/../../evil", "store/CURRENT", "evil"):
            self.rewrite(lambda entries: [entries[0], (name, b"x"), *entries[1:]]
                         if entries[1][0].startswith("records") else [entries[0], (name, b"x"), *entries[2:]])
            self.check_import_refused("does not belong there")

    def test_a_newer_form_is_refused(self):
        self.rewrite(lambda entries: [("manifest.json", b'{"form":2}\n'), *entries[1:]])
        self.check_import_refused("is of form 2")

    def test_what_is_no_archive_is_refused(self):
        with open(self.file, "wb") as file:
            file.write(b"no archive" * 1000)
        self.check_import_refused("no archive")

    def test_nothing_is_imported_over_a_folder_and_exported_over_a_file(self):
        folder = self.path("folder")
        self.assertEqual(0, diorama("import", self.file, folder)[0])
        code, _, why = diorama("import", self.file, folder)
        self.assertEqual(5, code)
        self.assertIn("is not empty", why)
        before = sha256(self.file)
        code, _, why = diorama("export", self.file, folder)
        self.assertEqual(5, code)
        self.assertIn("is there already", why)
        self.assertEqual(before, sha256(self.file))

    def test_what_is_no_data_folder_is_refused(self):
        code, _, why = diorama("export", self.path("x.tar"), self.server.folder)
        self.assertEqual(1, code)
        self.assertIn("neither a data.dir nor a backup", why)
        self.assertFalse(os.path.exists(self.path("x.tar")))


if __name__ == "__main__":
    unittest.main()
