"""`diorama export` and `diorama import` between RocksDB and a database: equal contents make equal files,
what is not for it is refused, and an import that is killed leaves what no server takes."""

import os
import signal
import subprocess
import sys
import unittest

import database
from archive_test import ArchiveCase, sha256
from backups import Writer, ask, diorama
from files import upload
from shared_store import ClusterCase
from support import BIN, Client, Server, wait_until

ASYNC = "--store.allow_async"


class BetweenEngines(ClusterCase, ArchiveCase, unittest.TestCase):
    def into_database(self, *more, file=None, to="moved"):
        return diorama("import", file or self.file, self.path(to), f"--store.uri={self.uri}", ASYNC, *more)

    def from_database(self, file, *more, source="moved"):
        return diorama("export", self.path(file), self.path(source), f"--store.uri={self.uri}", ASYNC, *more)

    def check_done(self, answer):
        code, said, why = answer
        self.assertEqual(0, code, said + why)

    def check_refused(self, answer, *words):
        code, said, why = answer
        self.assertNotEqual(0, code, said)
        for word in words:
            self.assertIn(word, why)
        self.assertNotIn(database.PASSWORD, why)

    def fill_and_export(self):
        self.fill()
        self.before = self.writer.read(self.client)
        self.assertEqual(0, self.server.stop()[0])
        self.export()

    def moved_server(self, **flags):
        return self.server_on(data_dir=self.path("moved"), **flags)

    def test_there_and_back_the_archives_are_equal(self):
        self.fill_and_export()
        self.check_done(self.into_database())
        self.check_done(self.from_database("again.tar"))
        self.assertEqual(sha256(self.file), sha256(self.path("again.tar")))
        self.check_done(diorama("import", self.path("again.tar"), self.path("back")))
        self.export(self.path("back"), self.path("third.tar"))
        self.assertEqual(sha256(self.file), sha256(self.path("third.tar")))

    def test_a_server_on_the_database_has_what_the_first_one_had(self):
        self.fill_and_export()
        self.check_done(self.into_database())
        server = self.moved_server().start()
        with Client(server) as client:
            self.assertEqual(self.before, self.writer.read(client))
            self.assertEqual(3 << 20, len(client.get("/v1/asset/" + self.large).content))
            for _ in range(Writer.KINDS):
                self.writer.step(client)
            after = self.writer.read(client)
        self.assertEqual(0, server.stop()[0])
        self.check_done(self.from_database("again.tar"))
        self.check_done(diorama("import", self.path("again.tar"), self.path("back")))
        back = Server(data_dir=self.path("back"))
        self.addCleanup(back.end)
        back.start()
        with Client(back) as client:
            self.assertEqual(after, self.writer.read(client))

    def test_bytes_of_assets_come_from_the_folder_that_servers_share(self):
        shared = self.path("shared")
        server = self.moved_server(blob_dir=shared).start()
        with Client(server) as client:
            key = upload(client, "/v1/asset", b"a cube").text
        self.assertEqual(0, server.stop()[0])
        self.check_done(self.from_database("all.tar", f"--blob.dir={shared}"))
        self.check_done(diorama("import", self.file, self.path("back")))
        back = Server(data_dir=self.path("back"))
        self.addCleanup(back.end)
        back.start()
        with Client(back) as client:
            self.assertEqual(b"a cube", client.get("/v1/asset/" + key).content)

    def test_bytes_of_assets_go_to_the_folder_that_servers_share(self):
        self.fill_and_export()
        shared = self.path("shared")
        os.mkdir(shared)  # as where something is mounted
        self.check_done(self.into_database(f"--blob.dir={shared}"))
        self.assertFalse(os.path.exists(self.path("moved/blobs")))
        self.check_done(self.from_database("again.tar", f"--blob.dir={shared}"))
        self.assertEqual(sha256(self.file), sha256(self.path("again.tar")))
        self.check_refused(self.from_database("x.tar"), "is not the folder that has the bytes of assets")
        server = self.moved_server(blob_dir=shared).start()
        with Client(server) as client:
            self.assertEqual(self.before, self.writer.read(client))
            self.assertEqual(3 << 20, len(client.get("/v1/asset/" + self.large).content))
        self.uri = self.cluster.create()
        self.check_refused(self.into_database(f"--blob.dir={shared}", to="other"), "is not empty")

    def test_bytes_of_assets_go_to_the_database_and_back(self):
        self.fill_and_export()
        there = "--blob.store=database"
        self.check_done(self.into_database(there))
        self.assertEqual([], [name for _, _, names in os.walk(self.path("moved/blobs")) for name in names])
        self.check_done(self.from_database("again.tar", there))
        self.assertEqual(sha256(self.file), sha256(self.path("again.tar")))
        self.check_refused(self.from_database("x.tar"), "set blob.store=database")
        folder = self.moved_server()
        folder.launch()
        self.assertEqual(1, folder.process.wait(20))
        server = self.moved_server(blob_store="database").start()
        with Client(server) as client:
            self.assertEqual(self.before, self.writer.read(client))
            self.assertEqual(3 << 20, len(client.get("/v1/asset/" + self.large).content))
        self.assertEqual(0, server.stop()[0])
        self.check_done(self.from_database("third.tar", there))
        self.check_done(diorama("import", self.path("third.tar"), self.path("back")))
        self.export(self.path("back"), self.path("fourth.tar"))
        self.assertEqual(sha256(self.path("third.tar")), sha256(self.path("fourth.tar")))

    def test_bytes_of_assets_that_are_damaged_in_the_database_are_told_and_left_out(self):
        self.fill_and_export()
        there = "--blob.store=database"
        self.check_done(self.into_database(there))
        database.run(self.uri, "DELETE FROM diorama_blob WHERE object = "
                               "(SELECT object FROM diorama_blob ORDER BY length(data) DESC LIMIT 1)")
        database.run(self.uri, "UPDATE diorama_blob SET data = data || 'x' WHERE object = "
                               "(SELECT min(object) FROM diorama_blob)")
        code, said, why = self.from_database("again.tar", there)
        self.assertIn("is damaged, and left out", said + why)
        self.assertNotEqual(0, code)

    def test_bytes_of_assets_are_taken_from_where_they_are(self):
        self.fill_and_export()
        self.check_done(self.into_database())
        self.check_refused(self.from_database("x.tar", "--blob.store=database"), "not in the database")
        self.check_refused(self.from_database("x.tar", "--blob.store=both"), "folder or database")
        self.check_refused(self.from_database("x.tar", "--blob.store=database", "--blob.dir=/tmp/b"), "one of them")

    def test_the_uri_may_stand_in_a_file(self):
        self.fill_and_export()
        with open(self.path("uri"), "w") as file:
            file.write(self.uri + "\n")
        named = f"--store.uri_file={self.path('uri')}"
        self.check_done(diorama("import", self.file, self.path("moved"), named, ASYNC))
        self.check_done(diorama("export", self.path("again.tar"), self.path("moved"), named, ASYNC))
        self.assertEqual(sha256(self.file), sha256(self.path("again.tar")))

    def test_the_file_of_the_uri_is_not_awaited_from_a_pipe(self):
        self.fill_and_export()
        os.mkfifo(self.path("uri"))
        done = diorama("import", self.file, self.path("moved"), f"--store.uri_file={self.path('uri')}", ASYNC)
        self.check_refused(done, "is no regular file")

    def test_a_database_that_is_not_empty_is_refused_and_stays(self):
        self.fill_and_export()
        self.check_done(self.into_database())
        dump = database.run(self.uri, "SELECT * FROM diorama_record ORDER BY 1, 2, 3")
        self.check_refused(self.into_database(to="other"), "is not empty")
        self.assertEqual(dump, database.run(self.uri, "SELECT * FROM diorama_record ORDER BY 1, 2, 3"))
        self.assertFalse(os.path.exists(self.path("other")))
        self.assertFalse(os.path.exists(self.path("other.partial")))

    def test_a_database_with_a_server_in_charge_is_refused(self):
        self.fill_and_export()
        server = self.server_on().start()
        os.mkdir(self.path("moved"))
        os.mkdir(self.path("moved/store"))
        self.check_refused(self.from_database("again.tar"), "another server")
        self.check_refused(self.into_database(to="other"), "is not empty")
        self.assertTrue(server.says_ready())
        self.assertFalse(os.path.exists(self.path("again.tar")))

    def test_what_a_start_refuses_is_refused(self):
        self.fill_and_export()
        plain = diorama("import", self.file, self.path("moved"), f"--store.uri={self.uri}")
        self.check_refused(plain, "no standby is in step")
        wrong = self.uri.replace("not%20a%20secret", "wr0ng")
        self.check_refused(diorama("import", self.file, self.path("moved"), f"--store.uri={wrong}", ASYNC),
                           "password authentication failed")
        database.run(self.uri, "CREATE TABLE diorama_record (a int); "
                               "CREATE TABLE diorama_meta (name text, value text); "
                               "INSERT INTO diorama_meta VALUES ('layout', '7')")
        self.check_refused(self.into_database(), "layout 7, this one knows 1")
        self.assertFalse(os.path.exists(self.path("moved")))
        self.check_refused(diorama("export", self.path("x.tar"), self.path("moved"), "--blob.dir=/tmp/b"),
                           "store.uri")

    def test_a_damaged_archive_leaves_what_no_server_takes(self):
        self.fill_and_export()
        with open(self.file, "r+b") as file:
            file.truncate(os.path.getsize(self.file) - 4096)
        self.check_refused(self.into_database(), "damaged")
        self.check_unfinished()

    def check_unfinished(self):
        self.assertFalse(os.path.exists(self.path("moved")))
        server = self.server_on()
        server.launch()
        self.assertEqual(1, server.process.wait(20))
        self.assertIn("an import into the store was not completed", server.log_text())
        self.check_refused(self.into_database(to="other"), "an import into the store was not completed")

    def test_a_kill_of_an_import_leaves_what_no_server_takes(self):
        self.fill_and_export()
        process = self.start_until_written()
        process.send_signal(signal.SIGKILL)
        process.wait(10)
        self.check_unfinished()
        self.uri = self.cluster.create()
        self.check_done(self.into_database())
        self.check_done(self.from_database("again.tar"))
        self.assertEqual(sha256(self.file), sha256(self.path("again.tar")))

    def start_until_written(self):
        """An import that has written some records, and no more than a gate lets pass."""
        left = [7 + 5]  # the trial; charge, committers, mark, two commits of records

        def holds(sent):
            left[0] -= sent.count(b"\0begin\0")
            return left[0] < 0

        gate, uri = self.gate(holds)
        process = subprocess.Popen([os.path.join(BIN, "diorama"), "import", self.file, self.path("moved"),
                                    f"--store.uri={uri}", ASYNC], stderr=subprocess.DEVNULL)
        self.addCleanup(process.kill)
        wait_until(gate.is_held.is_set, 20, "a write")
        return process


if __name__ == "__main__":
    if not database.programs():
        print("PostgreSQL is not installed (tools/install-packages test)")
        sys.exit(77)
    unittest.main()
