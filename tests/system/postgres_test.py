"""Records in a database: what was acknowledged survives the server and the database, nothing that was
written is called unwritten, and a database that cannot be relied on is refused. All other tests run
on one with DIORAMA_ENGINE=postgres."""

import http.client
import signal
import sys
import threading
import time
import unittest

import database
from support import LONG, Client, Server, ServerCase, object_path, objects, run_together, wait_until

CONNECTION_LOST = (OSError, http.client.HTTPException)
NOTHING_WRITTEN = "nothing was written"
WRITERS = 6
HANGS = 1000 if LONG else 5


class Writer:
    """Puts objects of its own one after the other, each once; notes what was said of each."""

    def __init__(self, server, scene, number):
        self.server, self.scene, self.number = server, scene, number
        self.acknowledged, self.unwritten, self.unsure = set(), set(), set()
        self.ended = threading.Event()

    def run(self):
        while not self.ended.is_set():
            try:
                with Client(self.server, timeout=30) as client:
                    while not self.ended.is_set():
                        self.step(client)
            except CONNECTION_LOST:
                time.sleep(0.02)

    def step(self, client):
        name = f"{self.number}-{len(self.acknowledged) + len(self.unwritten) + len(self.unsure)}"
        self.unsure.add(name)
        answer = client.post(f"/v1/scene/{self.scene}/object/", objects({"name": name}))
        if answer.status == 200:
            self.acknowledged.add(name)
        elif NOTHING_WRITTEN in str(answer.body):
            self.unwritten.add(name)
        else:
            return
        self.unsure.discard(name)


class PostgresCase(ServerCase):
    """One cluster for the class, a database for each server."""

    flags = None

    @classmethod
    def setUpClass(cls):
        cls.cluster = database.Cluster().start()
        cls.addClassCleanup(cls.cluster.end)
        super().setUpClass()

    def start(self, **flags):
        self.uri = self.cluster.create()
        return self.start_server(store_uri=self.uri, store_allow_async="true", **flags)

    def under_load(self, what):
        """Does something while writers write; then nothing may be missing, and nothing there that was
        called unwritten."""
        self.client.put_scene(self.scene)
        writers = [Writer(self.server, self.scene, number) for number in range(WRITERS)]
        threads = [threading.Thread(target=writer.run) for writer in writers]
        for thread in threads:
            thread.start()
        self.await_writes(writers)
        what()
        self.await_writes(writers)
        for writer in writers:
            writer.ended.set()
        for thread in threads:
            thread.join()
        self.client = self.connect()
        self.check(writers)
        return writers

    def await_writes(self, writers):
        goals = [len(writer.acknowledged) + 20 for writer in writers]
        wait_until(lambda: all(len(writer.acknowledged) >= goal
                               for writer, goal in zip(writers, goals)), what="writes")

    def check(self, writers):
        found = {record["name"] for record in self.client.objects(self.scene)}
        for writer in writers:
            self.assertEqual(writer.acknowledged - found, set(), "acknowledged and lost")
            self.assertEqual(writer.unwritten & found, set(), "called unwritten and there")


class Survival(PostgresCase, unittest.TestCase):

    def test_what_was_acknowledged_survives_a_kill_of_the_server(self):
        self.start()
        writers = self.under_load(lambda: self.restart("crash"))
        self.restart("crash")
        self.check(writers)

    def test_what_was_acknowledged_survives_a_restart_of_the_database(self):
        server = self.start()
        process = server.process.pid
        writers = self.under_load(self.cluster.restart)
        self.assertEqual(server.process.pid, process)
        self.restart("crash")
        self.check(writers)

    def test_what_was_acknowledged_survives_a_crash_of_the_database(self):
        server = self.start()
        process = server.process.pid
        writers = self.under_load(lambda: self.cluster.restart(signal.SIGQUIT))
        self.assertEqual(server.process.pid, process)
        self.restart("crash")
        self.check(writers)

    def test_a_database_that_hangs_within_commits_makes_no_answer_wrong(self):
        server = self.start(http_deadline="1000")
        process = server.process.pid

        def freeze():
            for _ in range(3):
                self.cluster.signal_all(signal.SIGSTOP)
                time.sleep(1.2)  # beyond the deadline of requests
                self.cluster.signal_all(signal.SIGCONT)
                time.sleep(0.2)

        writers = self.under_load(freeze)
        self.assertEqual(server.process.pid, process)
        self.restart("crash")
        self.check(writers)

    def test_the_server_ends_in_order_while_the_database_is_away(self):
        server = self.start()
        self.client.put_scene(self.scene)
        self.cluster.stop()
        self.addCleanup(self.cluster.start)
        code, seconds = server.stop()
        self.assertEqual(code, 0)
        self.assertLess(seconds, 10)


class InStep(ServerCase, unittest.TestCase):
    """A database whose commits wait for a standby that hangs again and again."""

    flags = None
    under_load, await_writes, check = (PostgresCase.under_load, PostgresCase.await_writes,
                                       PostgresCase.check)

    def test_a_standby_that_hangs_within_commits_makes_no_answer_wrong(self):
        cluster = database.Cluster().start()
        self.addCleanup(cluster.end)
        replica = database.Replica(cluster).start()
        self.addCleanup(replica.end)
        server = self.start_server(store_uri=cluster.create(), http_deadline="1000")
        process = server.process.pid

        def freeze():
            for _ in range(HANGS):
                replica.signal_all(signal.SIGSTOP)
                time.sleep(0.1)  # commits wait now, and lose their connection
                cluster.run("SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                            "WHERE application_name = 'dioramad'")
                time.sleep(0.1)
                replica.signal_all(signal.SIGCONT)
                time.sleep(0.1)

        writers = self.under_load(freeze)
        self.assertEqual(server.process.pid, process)
        self.assertIn("commit_in_doubt", server.log_text())
        self.restart("crash", http_deadline="20000")  # it has a large scene to read
        self.check(writers)


class Refusals(PostgresCase, unittest.TestCase):

    def refused(self, words, **flags):
        """A start that ends by itself; what it says."""
        server = Server(store_uri=self.uri)
        self.addCleanup(server.end)
        server.launch(**flags)
        self.assertEqual(server.process.wait(30), 1, server.log_tail())
        self.assertIn(words, server.log_text())
        self.assertNotIn(database.PASSWORD, server.log_text())
        return server.log_text()

    def setUp(self):
        super().setUp()
        self.uri = self.cluster.create()

    def tables(self):
        return database.run(self.uri, "SELECT count(*) FROM pg_tables WHERE schemaname = 'public'")

    def test_a_database_without_a_standby_is_refused_unless_that_is_meant(self):
        self.refused("store.allow_async=true")
        self.assertEqual(self.tables(), "0")

    def test_a_wrong_password_is_refused_and_not_told(self):
        wrong = self.uri.replace("not%20a%20secret", "wr0ng")
        self.assertNotIn("wr0ng", self.refused("password authentication failed", store_uri=wrong,
                                               store_allow_async="true"))

    def test_a_read_only_database_is_refused(self):
        name = self.uri.partition("?")[0].rpartition("/")[2]
        database.run(self.cluster.uri(), f"ALTER DATABASE {name} SET default_transaction_read_only = on")
        self.refused("read-only", store_allow_async="true")
        self.assertEqual(self.tables(), "0")

    def test_a_database_that_does_not_sync_is_refused(self):
        self.cluster.run("ALTER SYSTEM SET fsync = off")
        self.cluster.run("SELECT pg_reload_conf()")
        wait_until(lambda: self.cluster.run("SHOW fsync") == "off")
        try:
            self.refused("fsync=off", store_allow_async="true")
        finally:
            self.cluster.run("ALTER SYSTEM RESET fsync")
            self.cluster.run("SELECT pg_reload_conf()")
        self.assertEqual(self.tables(), "0")

    def test_tables_of_another_version_are_refused_and_stay(self):
        database.run(self.uri, "CREATE TABLE diorama_record (a int); "
                               "CREATE TABLE diorama_meta (name text, value text); "
                               "INSERT INTO diorama_meta VALUES ('layout', '7')")
        self.refused("layout 7, this one knows 1", store_allow_async="true")
        self.assertEqual(database.run(self.uri, "SELECT value FROM diorama_meta"), "7")

    def test_backups_are_the_databases_own(self):
        self.start()
        answer = self.client.post("/v1/backup", {})
        self.assertEqual(answer.status, 409)
        self.assertIn("pg_dump", answer.body["detail"])

    def test_what_needs_the_other_stores_log_is_refused_beside_a_database(self):
        beside = {"backup_dir": "/tmp/b", "replica_endpoint": "tcp://127.0.0.1:*",
                  "follow": "tcp://127.0.0.1:5563"}
        for setting, value in beside.items():
            server = Server(store_uri=self.uri, **{setting: value})
            self.addCleanup(server.end)
            server.launch()
            self.assertEqual(server.process.wait(10), 2)
            self.assertIn(setting.replace("_", ".") + "=", server.log_text())
            self.assertIn("store.uri", server.log_text())

    def test_the_uri_is_a_secret_of_the_settings(self):
        server = self.start()
        shown = self.client.get("/v1/server")
        self.assertEqual(shown.status, 200)
        self.assertNotIn("not%20a%20secret", str(shown.body))
        self.assertNotIn("not%20a%20secret", server.log_text())


if __name__ == "__main__":
    if not database.programs():
        print("PostgreSQL is not installed (tools/install-packages test)")
        sys.exit(77)
    unittest.main()
