"""Records in a database: what was acknowledged survives the server and the database, nothing that was
written is called unwritten, and a database that cannot be relied on is refused. All other tests run
on one with DIORAMA_ENGINE=postgres."""

import signal
import sys
import time
import unittest

import database
from shared_store import ClusterCase, WritingCase
from support import LONG, Server, objects, run_together, wait_until

HANGS = 1000 if LONG else 5


class LoadCase(WritingCase):
    def under_load(self, what):
        """Does something while writers write; then nothing may be missing, and nothing there that was
        called unwritten."""
        self.client.put_scene(self.scene)
        writers = self.writers(self.server, timeout=30)
        what()
        self.await_writes(writers)
        for writer in writers:
            writer.end()
        self.client = self.connect()
        self.check(writers)
        return writers

    def check(self, writers):
        self.check_writes(writers, self.client.objects(self.scene))


class PostgresCase(LoadCase, ClusterCase):
    def start(self, **flags):
        return self.start_server(store_uri=self.uri, store_allow_async="true", **flags)


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


class InStep(LoadCase, unittest.TestCase):
    """A database whose commits wait for a standby that hangs again and again."""

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

    def test_a_commit_whose_wait_is_cancelled_is_not_acknowledged_also_where_warnings_are_hidden(self):
        cluster = database.Cluster().start()
        self.addCleanup(cluster.end)
        replica = database.Replica(cluster).start()
        self.addCleanup(replica.end)
        cluster.run("ALTER ROLE diorama SET client_min_messages = error")
        self.start_server(store_uri=cluster.create(), http_deadline="3000")
        self.client.put_scene(self.scene)
        replica.stop(signal.SIGQUIT)
        answers = []

        def write():
            answers.append(self.client.post(f"/v1/scene/{self.scene}/object/", objects({})))

        def cancel():
            """All that wait: what finds out about the first waits too."""
            return cluster.run("SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE "
                               "application_name = 'dioramad' AND wait_event = 'SyncRep'")

        run_together(write, lambda: wait_until(lambda: answers or (cancel(), False)[1]))
        self.assertEqual(answers[0].status, 503)


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

    def test_tables_that_the_user_may_only_read_are_refused(self):
        self.start()
        self.assertEqual(self.server.stop()[0], 0)
        database.run(self.uri, f"CREATE ROLE reader LOGIN PASSWORD '{database.PASSWORD}'")
        database.run(self.uri, "GRANT SELECT ON ALL TABLES IN SCHEMA public TO reader")
        reader = self.uri.replace(database.USER + ":", "reader:")
        self.refused("may not read and write the table", store_uri=reader, store_allow_async="true")

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
