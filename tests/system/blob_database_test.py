"""Bytes of assets in the database: two servers share nothing but that. What was answered is there after a
takeover, what is damaged is never answered, what a server that was replaced puts or removes has no effect,
and what a kill leaves half done is gone."""

import os
import signal
import subprocess
import sys
import tempfile
import threading
import unittest

import database
from files import sha256, stored_files, upload
from shared_store import CONNECTION_LOST, ClusterCase, stop_process
from small_disk import SmallDisk
from support import Client, Server, is_sanitized, run_together, wait_until

MIB = 1 << 20
PIECE = 4 * MIB


def noise(size, seed=b"noise"):
    """Bytes that no two seeds have in common."""
    return (seed * (size // len(seed) + 1))[:size]


class Case(ClusterCase):
    def setUp(self):
        super().setUp()
        self.server = None

    def server_with(self, uri=None, **flags):
        return self.server_on(uri, **{"blob_store": "database", **flags})

    def start(self, **flags):
        self.server = self.first = self.server_with(**flags).start()
        self.client = self.connect()
        return self.server

    def start_standby(self, uri=None, **flags):
        second = self.server_with(uri, **flags)
        second.launch()
        wait_until(lambda: self.stands_by(second), 20, "a standby")
        return second

    def await_ready(self, server):
        wait_until(server.says_ready, 20, "a takeover")

    def upload(self, content, client=None):
        answer = upload(client or self.client, "/v1/asset", content)
        self.assertEqual(answer.status, 200, answer.text)
        return answer.text

    def download(self, server, key):
        with Client(server, timeout=60) as client:
            return client.get(f"/v1/asset/{key}")

    def rows(self):
        """{object: (pieces, bytes)}"""
        found = database.run(self.uri, "SELECT object, count(*), sum(length(data)) FROM diorama_blob GROUP BY 1")
        lines = [line.split("|") for line in found.splitlines()]
        return {name: (int(count), int(size)) for name, count, size in lines}

    def drop_copies(self, server):
        for path in stored_files(server)[0]:
            os.unlink(path)


class Bytes(Case, unittest.TestCase):
    def test_what_one_server_took_another_one_has_after_a_kill(self):
        first = self.start()
        contents = [b"", b"a cube", noise(PIECE), noise(PIECE + 1), noise(3 * PIECE - 1)]
        keys = [self.upload(content) for content in contents if content]
        second = self.start_standby()
        first.kill()
        self.await_ready(second)
        self.assertEqual(stored_files(second)[0], set())
        for key, content in zip(keys, contents[1:]):
            self.assertEqual(self.download(second, key).content, content)
        self.assertEqual(self.rows(), {sha256(content): (-(-len(content) // PIECE), len(content))
                                       for content in contents[1:]})
        with Client(second) as client:
            another = self.upload(b"another", client)
            self.assertEqual(client.get(f"/v1/asset/{another}").content, b"another")

    def test_what_is_deleted_is_removed_from_the_database(self):
        self.start()
        key, other = self.upload(noise(65 * PIECE // 16)), self.upload(b"stays")
        self.client.request("DELETE", f"/v1/asset/{key}")
        wait_until(lambda: list(self.rows()) == [sha256(b"stays")], 20, "a removal")
        self.assertEqual(self.download(self.server, other).content, b"stays")

    def test_a_copy_that_is_damaged_is_fetched_again(self):
        server = self.start()
        key = self.upload(b"a cube")
        [path] = stored_files(server)[0]
        with open(path, "wb") as file:
            file.write(b"a cubf")
        self.assertEqual(self.download(server, key).content, b"a cube")
        self.assertIn("blob_copy_damaged", server.log_text())
        with open(path, "rb") as file:
            self.assertEqual(file.read(), b"a cube")

    def test_rows_that_are_damaged_are_never_answered(self):
        server = self.start()
        content = noise(2 * PIECE + 5)
        key, whole = self.upload(content), self.upload(b"whole")
        for damage in ("UPDATE diorama_blob SET data = set_byte(data, 7, 0) WHERE piece = 1",
                       "DELETE FROM diorama_blob WHERE piece = 1",
                       "DELETE FROM diorama_blob WHERE piece = 0 AND object = '%s'" % sha256(content),
                       "DELETE FROM diorama_blob WHERE object = '%s'" % sha256(content)):
            database.run(self.uri, damage)
            self.drop_copies(server)
            answer = self.download(server, key)
            self.assertEqual(answer.status, 500, damage)
            self.assertIn("damaged", answer.body["detail"])
            self.assertIn("blob_damaged", server.log_text())
        self.assertEqual(self.download(server, whole).content, b"whole")
        self.upload(content)  # repairs it
        self.drop_copies(server)
        self.assertEqual(self.download(server, key).content, content)

    def test_two_readers_fetch_once(self):
        asked = []
        _, uri = self.gate(lambda sent: asked.extend([sent] * sent.count(b"\0blob_get\0")))
        server = self.start(store_uri=uri)
        content = noise(8 * PIECE)
        key = self.upload(content)
        self.drop_copies(server)
        fetched, before = [], len(asked)

        def read():
            fetched.append(self.download(server, key).content)

        run_together(*([read] * 6))
        self.assertEqual({sha256(found) for found in fetched}, {sha256(content)})
        self.assertEqual(len(asked) - before, 8 + 1)  # pieces, and that there are no more

    def test_copies_take_no_more_than_they_may_and_the_oldest_leave(self):
        server = self.start(blob_cache=3 * MIB)
        contents = [noise(MIB - 5000, b"%d" % number) for number in range(6)]
        keys = [self.upload(content) for content in contents]
        for key, content in zip(keys, contents):
            self.assertEqual(self.download(server, key).content, content)
        self.assertEqual({os.path.basename(path) for path in stored_files(server)[0]},
                         {sha256(content) for content in contents[3:]})
        self.download(server, keys[3])
        self.download(server, keys[0])
        self.assertEqual({os.path.basename(path) for path in stored_files(server)[0]},
                         {sha256(contents[number]) for number in (0, 3, 5)})
        large = noise(5 * MIB)
        self.assertEqual(self.download(server, self.upload(large)).content, large)
        self.assertLessEqual(sum(map(os.path.getsize, stored_files(server)[0])), 3 * MIB)
        server.restart(blob_cache=MIB)
        self.assertLessEqual(sum(map(os.path.getsize, stored_files(server)[0])), MIB)
        self.assertEqual(self.download(server, keys[1]).content, contents[1])

    @unittest.skipIf(is_sanitized(), "it measures memory")
    def test_many_bytes_pass_with_little_memory(self):
        server = self.start()
        content = noise(64 * MIB)
        self.upload(b"warm")
        server.peak_bytes()
        before = server.resident_bytes()
        key = self.upload(content)
        self.drop_copies(server)
        self.assertEqual(sha256(self.download(server, key).content), sha256(content))
        self.assertLess(server.peak_bytes() - before, 40 * MIB)

    def test_uploads_of_many_clients_go_at_the_same_time(self):
        server = self.start()
        contents = [noise(PIECE + number, b"%d" % number) for number in range(12)]
        keys = {}

        def put(content):
            with Client(server, timeout=60) as client:
                keys[self.upload(content, client)] = content

        run_together(*(lambda content=content: put(content) for content in contents))
        self.drop_copies(server)
        for key, content in keys.items():
            self.assertEqual(self.download(server, key).content, content)
        connections = database.run(self.uri, "SELECT count(*) FROM pg_stat_activity WHERE "
                                             "application_name = 'dioramad'")
        self.assertLess(int(connections), 30)

    def test_the_same_bytes_come_and_go_and_whoever_has_them_reads_them(self):
        server = self.start(blob_cache=0)
        content = noise(MIB)

        def come_and_go():
            with Client(server, timeout=60) as client:
                for _ in range(15):
                    key = self.upload(content, client)
                    answer = client.get(f"/v1/asset/{key}")
                    self.assertEqual((answer.status, answer.content == content), (200, True), answer.text[:200])
                    self.assertEqual(client.delete(f"/v1/asset/{key}").status, 200)

        run_together(*([come_and_go] * 5))
        wait_until(lambda: self.rows() == {}, 20, "a removal")
        self.assertEqual(stored_files(server), (set(), set()))

    def test_files_from_before_are_put_to_the_database(self):
        first = self.server_on().start()
        self.server = first
        with Client(first) as client:
            keys = [self.upload(content, client) for content in (b"one", b"two")]
        first.restart(blob_store="database", blob_cache=0)
        self.assertEqual(stored_files(first)[0], set())
        self.assertEqual([self.download(first, key).content for key in keys], [b"one", b"two"])

    def lay_file(self, server, content):
        name = sha256(content)
        folder = os.path.join(server.flags["data_dir"], "blobs", name[:2])
        os.makedirs(folder, 0o700, exist_ok=True)
        with open(os.path.join(folder, name), "wb") as file:
            file.write(content)

    def test_a_start_that_puts_files_from_before_ends_when_it_is_told_to_and_goes_on_later(self):
        gate, uri = self.gate(lambda sent: b"\0blob_put\0" in sent)
        server = self.server = self.server_with(uri)
        contents = [noise(MIB, b"file %02d" % number) for number in range(12)]
        for content in contents:
            self.lay_file(server, content)
        server.launch()
        wait_until(gate.is_held.is_set, 20, "the first file")
        server.process.send_signal(signal.SIGTERM)
        gate.open()
        self.assertEqual(server.process.wait(20), 0)
        self.assertIn("told to end while", server.log_text())
        self.assertFalse(os.path.exists(os.path.join(server.flags["data_dir"], "blobs", "CACHE")))
        self.assertEqual(len(self.rows()), 1)
        server.launch()  # what it puts now no record names: a sweep removes it
        wait_until(lambda: f"files={len(contents) - 1}" in server.log_text(), 20, "the rest")

    def test_what_is_no_file_holds_nobody(self):
        server = self.server = self.server_with()
        for number, make in enumerate((os.mkfifo, os.mkdir, lambda path: os.symlink("/dev/zero", path))):
            name = "%02x" % number * 32
            folder = os.path.join(server.flags["data_dir"], "blobs", name[:2])
            os.makedirs(folder)
            make(os.path.join(folder, name))
        server.start()
        self.assertEqual(server.log_text().count("it is no file"), 3)
        self.client = self.connect()
        key = self.upload(b"a cube")
        [path] = [path for path in stored_files(server)[0] if sha256(b"a cube") in path]
        os.unlink(path)
        os.mkfifo(path)
        self.assertEqual(self.download(server, key).content, b"a cube")

    def test_a_server_that_looks_in_a_folder_is_refused_then(self):
        first = self.start()
        self.upload(b"one")
        other = self.server_on()
        other.launch()
        self.assertEqual(other.process.wait(20), 1)
        self.assertIn("set blob.store=database", other.log_text())
        self.assertTrue(first.says_ready())

    def test_what_does_not_go_together_is_refused(self):
        for flags, word in (({"blob_dir": "/tmp/b"}, "blob.dir="), ({"store_uri": ""}, "store.uri")):
            server = self.server_with(**flags)
            server.launch()
            self.assertEqual(server.process.wait(20), 2)
            self.assertIn(word, server.log_text())


class Trouble(Case, unittest.TestCase):
    def test_while_the_database_is_away_nothing_is_half_done(self):
        server = self.start()
        key, cached = self.upload(noise(PIECE + 1)), self.upload(b"cached")
        self.drop_copies(server)
        self.download(server, cached)
        self.cluster.stop(signal.SIGQUIT)
        try:
            answer = upload(self.client, "/v1/asset", noise(PIECE, b"late"))
            self.assertEqual(answer.status, 503, answer.text)
            self.assertEqual(self.download(server, key).status, 503)
        finally:
            self.cluster.start()
        wait_until(lambda: self.download(server, key).status == 200, 20, "the database")
        self.assertEqual(len(self.rows()), 2)
        self.assertEqual(stored_files(server)[1], set())

    def test_a_kill_within_a_put_leaves_nothing(self):
        gate, uri = self.gate(lambda sent: b"the last piece" in sent)
        first = self.start(store_uri=uri)
        content = noise(2 * PIECE) + b"the last piece"

        def put():
            try:
                upload(self.client, "/v1/asset", content)
            except CONNECTION_LOST:
                pass

        thread = threading.Thread(target=put, daemon=True)
        thread.start()
        wait_until(gate.is_held.is_set, 20, "the last piece")
        first.kill()
        gate.close()
        thread.join()
        self.assertEqual(self.rows(), {})
        second = self.server_with().start()
        self.assertEqual(self.rows(), {})
        with Client(second) as client:
            key = self.upload(content, client)
            self.assertEqual(client.get(f"/v1/asset/{key}").content, content)

    def test_bytes_that_no_record_names_are_swept(self):
        first = self.start()
        self.upload(b"kept")
        first.kill()
        database.run(self.uri, f"INSERT INTO diorama_blob VALUES ('{sha256(b'left')}', 0, 'left'), "
                               f"('{sha256(b'half')}', 3, 'half'), ('not ours', 0, 'x')")
        first.start()
        wait_until(lambda: set(self.rows()) == {sha256(b"kept"), "not ours"}, 20, "a sweep")

    def test_copies_give_way_where_the_disk_is_full(self):
        disk = SmallDisk(self)
        reserve = 8 * MIB
        self.start(data_dir=os.path.join(disk.path, "data"), store_reserve=reserve)
        contents = [noise(8 * MIB, b"%d" % number) for number in range(16)]
        keys = [self.upload(content) for content in contents]
        for key, content in list(zip(keys, contents))[:4]:
            self.assertEqual(self.download(self.server, key).content, content)
        self.assertGreater(disk.free_bytes(), reserve)
        copies = len(stored_files(self.server)[0])
        disk.take(disk.free_bytes() - MIB)  # by others
        for key, content in zip(keys, contents):
            self.assertEqual(self.download(self.server, key).content, content)
        self.assertGreater(disk.free_bytes(), reserve)
        self.assertLess(len(stored_files(self.server)[0]), copies)
        self.upload(b"one more")

    def test_a_download_that_there_is_no_room_for_is_answered_503(self):
        disk = SmallDisk(self)
        self.start(data_dir=os.path.join(disk.path, "data"), store_reserve=8 * MIB)
        key = self.upload(noise(MIB))
        with disk.kept_at(MIB):
            self.drop_copies(self.server)
            answer = self.download(self.server, key)
            self.assertEqual((answer.status, answer.body["detail"]),
                             (503, "there is no room here for a copy of this asset"))
        self.assertEqual(self.download(self.server, key).content, noise(MIB))

    def test_an_upload_that_the_database_has_no_room_for_is_answered_507(self):
        disk = SmallDisk(self)
        os.chmod(disk.path, 0o777)
        cluster = database.Cluster().start()
        self.addCleanup(cluster.end)
        place = os.path.join(disk.path, "space")
        os.mkdir(place)
        if database.who():
            os.chown(place, database.who()["user"], database.who()["group"])
        cluster.run(f"CREATE TABLESPACE small LOCATION '{place}'")
        self.uri = cluster.create()
        self.start()
        key = self.upload(b"small")
        database.run(self.uri, "ALTER TABLE diorama_blob SET TABLESPACE small")
        large = os.urandom(8 * MIB) * 16
        answer = upload(self.client, "/v1/asset", large)
        self.assertEqual(answer.status, 507, answer.text)
        self.assertEqual(list(self.rows()), [sha256(b"small")])
        self.assertEqual(self.download(self.server, key).content, b"small")
        self.server.end()
        cluster.end()


class Replaced(Case, unittest.TestCase):
    """A server that froze with a put or a removal on its way goes on when another one is in charge."""

    def freeze(self, word, act):
        """The first one, frozen with `word` on its way, goes on behind the second, which took over."""
        gate, uri = self.gate(lambda sent: self.is_armed and word in sent)
        self.is_armed = False
        first = self.start(store_uri=uri)
        kept = self.upload(b"kept")
        self.is_armed = True
        thread = threading.Thread(target=act, daemon=True)
        thread.start()
        wait_until(gate.is_held.is_set, 20, word)
        stop_process(first.process)
        second = self.server_with().start()
        return gate, first, second, kept

    def go_on(self, gate, first, second):
        gate.is_open.set()
        first.process.send_signal(signal.SIGCONT)
        wait_until(lambda: self.stands_by(first), 30, "a standby")
        self.assertTrue(second.says_ready())

    def put(self, content):
        def act():
            try:
                upload(self.client, "/v1/asset", content)
            except CONNECTION_LOST:
                pass
        return act

    def test_what_it_puts_does_not_appear(self):
        gate, first, second, kept = self.freeze(b"late bytes", self.put(b"late bytes"))
        self.go_on(gate, first, second)
        self.assertEqual(set(self.rows()), {sha256(b"kept")})
        self.assertEqual(self.download(second, kept).content, b"kept")

    def test_what_it_removes_stays(self):
        content = noise(PIECE + 3)

        def act():
            key = self.upload(content)
            self.is_armed = True
            self.client.request("DELETE", f"/v1/asset/{key}")

        gate, uri = self.gate(lambda sent: self.is_armed and b"blob_remove" in sent and b"begin" in sent)
        self.is_armed = False
        first = self.start(store_uri=uri)
        thread = threading.Thread(target=act, daemon=True)
        thread.start()
        wait_until(gate.is_held.is_set, 20, "a removal")
        stop_process(first.process)
        second = self.server_with().start()
        with Client(second) as client:
            key = self.upload(content, client)
        self.go_on(gate, first, second)
        self.drop_copies(second)
        self.assertEqual(self.download(second, key).content, content)


class Folder(ClusterCase, unittest.TestCase):
    """A folder that servers share is known by its mark."""

    def setUp(self):
        super().setUp()
        self.server = None
        self.folder = tempfile.mkdtemp(prefix="diorama-shared-")
        self.addCleanup(subprocess.run, ["rm", "-rf", self.folder], check=True)

    def path(self, name):
        return os.path.join(self.folder, name)

    def check_refused(self, server, *words):
        if server.process is None:
            server.launch()
        self.assertEqual(server.process.wait(20), 1, server.log_tail())
        for word in words:
            self.assertIn(word, server.log_text())

    def start_first(self):
        self.server = self.server_on(blob_dir=self.path("shared")).start()
        with Client(self.server) as client:
            self.key = upload(client, "/v1/asset", b"a cube").text
        return self.server

    def test_a_server_with_the_same_folder_stands_by_under_any_name(self):
        first = self.start_first()
        os.symlink(self.path("shared"), self.path("mounted"))
        second = self.server_on(blob_dir=self.path("mounted"))
        second.launch()
        wait_until(lambda: self.stands_by(second), 20, "a standby")
        first.kill()
        wait_until(second.says_ready, 20, "a takeover")
        with Client(second) as client:
            self.assertEqual(client.get(f"/v1/asset/{self.key}").content, b"a cube")

    def test_one_whose_folder_is_not_mounted_does_not_stand_by(self):
        first = self.start_first()
        os.mkdir(self.path("empty"))
        for name in ("empty", "missing"):
            second = self.server_on(blob_dir=self.path(name))
            self.check_refused(second, self.path(name) + " is not the folder", "mount it")
        self.assertEqual(os.listdir(self.path("empty")), [])
        self.assertFalse(os.path.exists(self.path("missing")))
        self.check_refused(self.server_on(), "is not the folder")
        self.assertTrue(first.says_ready())

    def test_nor_one_that_has_the_folder_of_another_database(self):
        self.start_first()
        other = self.server_on(self.cluster.create(), blob_dir=self.path("other")).start()
        other.kill()
        second = self.server_on(blob_dir=self.path("other"))
        self.check_refused(second, self.path("other"), "of another database")

    def test_a_new_database_does_not_take_the_folder_of_another_one(self):
        first = self.start_first()
        second = self.server_on(self.cluster.create(), blob_dir=self.path("shared"))
        self.check_refused(second, self.path("shared") + " has the bytes of assets of another database", "PLACE")
        with Client(first) as client:
            self.assertEqual(client.get(f"/v1/asset/{self.key}").content, b"a cube")
            self.assertEqual(upload(client, "/v1/asset", b"more").status, 200)
        second.start(blob_dir=self.path("other"))
        self.assertTrue(second.says_ready())

    def test_a_database_that_knows_no_asset_removes_nothing(self):
        """The wrong one, by a mistake: the right one still has all."""
        server = self.server_on(blob_dir="").start()
        with Client(server) as client:
            key = upload(client, "/v1/asset", b"a cube").text
        self.assertEqual(server.stop()[0], 0)
        known = os.path.join(server.flags["data_dir"], "store", "DATABASE")
        right, wrong = server.flags["store_uri"], self.cluster.create()
        server.flags["store_uri"] = wrong
        server.launch()
        self.check_refused(server, "another one of the same cluster", "remove store/DATABASE")
        os.unlink(known)
        server.start()
        wait_until(lambda: "blobs_kept" in server.log_text(), 20, "a look")
        self.assertEqual(server.stop()[0], 0)
        os.unlink(known)
        server.flags["store_uri"] = right
        server.start()
        with Client(server) as client:
            self.assertEqual(client.get(f"/v1/asset/{key}").text, "a cube")

    def test_a_folder_with_records_of_its_own_is_refused(self):
        server = Server().start()
        self.addCleanup(server.end)
        self.assertEqual(server.stop()[0], 0)
        server.flags.update(store_uri=self.uri, store_allow_async="true")
        server.launch()
        self.check_refused(server, "has the records of a server without a database", "diorama import")

    def test_of_two_databases_that_start_with_one_folder_one_has_it(self):
        servers = [self.server_on(self.cluster.create(), blob_dir=self.path("shared")) for _ in range(3)]
        for server in servers:
            server.launch()
        wait_until(lambda: sum(server.is_running() for server in servers) == 1, 20, "two refusals")
        [winner] = [server for server in servers if server.is_running()]
        wait_until(winner.says_ready, 20, "the one that has it")
        for server in servers:
            if server is not winner:
                self.check_refused(server, "of another database", "PLACE")
                server.start(blob_dir=self.path(f"own-{servers.index(server)}"))
        with Client(winner) as client:
            self.key = upload(client, "/v1/asset", b"a cube").text
        winner.restart()
        with Client(winner) as client:
            self.assertEqual(client.get(f"/v1/asset/{self.key}").content, b"a cube")

    def test_nor_one_that_may_not_write_there(self):
        self.start_first()
        os.mkdir(self.path("mounted"))
        done = subprocess.run(["mount", "--bind", self.path("shared"), self.path("mounted")], check=False)
        if done.returncode:
            self.skipTest("nothing can be mounted")
        self.addCleanup(subprocess.run, ["umount", self.path("mounted")], check=True)
        subprocess.run(["mount", "-o", "remount,bind,ro", self.path("mounted")], check=True)
        second = self.server_on(blob_dir=self.path("mounted"))
        self.check_refused(second, "cannot write to " + self.path("mounted"), "Read-only")

    def test_one_that_stands_by_ends_when_the_folder_goes(self):
        first = self.start_first()
        os.symlink(self.path("shared"), self.path("mounted"))
        second = self.server_on(blob_dir=self.path("mounted"))
        second.launch()
        wait_until(lambda: self.stands_by(second), 20, "a standby")
        os.unlink(self.path("mounted"))
        self.check_refused(second, self.path("mounted"))
        self.assertTrue(first.says_ready())

    def test_a_folder_from_before_gets_a_mark(self):
        first = self.start_first()
        self.assertEqual(first.stop()[0], 0)
        os.unlink(self.path("shared/PLACE"))
        database.run(self.uri, "DELETE FROM diorama_record WHERE family = 3 AND key = 'B'")
        first.start()
        with Client(first) as client:
            self.assertEqual(client.get(f"/v1/asset/{self.key}").content, b"a cube")
        self.assertTrue(os.path.exists(self.path("shared/PLACE")))
        self.check_refused(self.server_on(blob_dir=self.path("missing")), "is not the folder")

    def test_it_may_be_moved(self):
        first = self.start_first()
        self.assertEqual(first.stop()[0], 0)
        os.rename(self.path("shared"), self.path("elsewhere"))
        first.start(blob_dir=self.path("elsewhere"))
        with Client(first) as client:
            self.assertEqual(client.get(f"/v1/asset/{self.key}").content, b"a cube")
        self.assertEqual(first.stop()[0], 0)
        os.rename(self.path("elsewhere"), os.path.join(first.flags["data_dir"], "blobs"))
        first.start(blob_dir=None, blob_store="database")
        with Client(first) as client:
            self.assertEqual(client.get(f"/v1/asset/{self.key}").content, b"a cube")


if __name__ == "__main__":
    if not database.programs():
        print("PostgreSQL is not installed (tools/install-packages test)")
        sys.exit(77)
    unittest.main()
