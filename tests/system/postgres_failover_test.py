"""A database of two machines, both in store.uri, of which the second takes the place of the first:
what it acknowledged stays, and counts, also when the first comes back and says that it takes writes."""

import os
import signal
import sys
import unittest
import urllib.parse

import database
from shared_store import CONNECTION_LOST, WritingCase
from support import Client, Server, run_together, scenes, wait_until

SCENES = 12
READERS = 8  # at once: each needs a connection


class FailoverCase(WritingCase):
    def setUp(self):
        super().setUp()
        self.first = database.Cluster().start()
        self.addCleanup(self.first.end)
        self.second = database.Replica(self.first).start()
        self.addCleanup(self.second.end)
        self.addCleanup(self.first.signal_all, signal.SIGCONT)
        self.name = self.first.create().partition("?")[0].rpartition("/")[2]
        folders = ",".join(urllib.parse.quote(cluster.folder, safe="")
                           for cluster in (self.first, self.second))
        self.uri = (f"postgresql://{database.USER}:{urllib.parse.quote(database.PASSWORD)}@/"
                    f"{self.name}?host={folders}")

    def server_on(self, **flags):
        server = Server(**{"store_uri": self.uri, **flags})
        self.addCleanup(server.end)
        return server

    def promote(self):
        self.second.run("SELECT pg_promote()")

    def writes(self, server):
        try:
            with Client(server, timeout=3) as client:
                return client.request("PUT", f"/v1/scene/{self.scene}",
                                      scenes({"name": "x"})).status == 200
        except CONNECTION_LOST:
            return False

    def await_writes_of(self, server, seconds=20):
        wait_until(lambda: self.writes(server), seconds, "a write")

    def connections(self, cluster):
        """Without commits that wait for a standby: they do so also where nobody waits for them."""
        return int(cluster.run("SELECT count(*) FROM pg_stat_activity WHERE application_name = "
                               "'dioramad' AND wait_event IS DISTINCT FROM 'SyncRep'"))


class OldPrimary(FailoverCase, unittest.TestCase):

    def serve_on_the_second(self, lose):
        """A server that has most of its scenes in the database alone, and wrote them there."""
        server = self.server_on(scene_memory="64K", scene_actors="2").start()
        self.names = [f"{self.scene}{i}" for i in range(SCENES)]
        with Client(server) as client:
            for name in self.names:
                client.put_scene(name, name="old")
                client.create(name, *({"name": "filling"} for _ in range(40)))
        lose()
        self.promote()
        self.await_writes_of(server)
        with Client(server) as client:
            for name in self.names:
                self.assertEqual(client.request("PUT", f"/v1/scene/{name}",
                                                scenes({"name": "new"})).status, 200)
        return server

    def read_all(self, server):
        with Client(server, timeout=10) as client:
            for name in self.names:
                answer = client.get(f"/v1/scene/{name}")
                self.assertEqual((answer.status, answer.body["scenes"][0]["name"]), (200, "new"))

    def check_on_the_second(self, server):
        run_together(*[lambda: self.read_all(server)] * READERS)
        wait_until(lambda: self.connections(self.first) == 0, what="no connection to the first")
        self.assertGreater(self.connections(self.second), 0)
        self.await_writes_of(server)

    def test_a_primary_that_was_replaced_and_starts_again_answers_nothing(self):
        server = self.serve_on_the_second(lambda: self.first.stop(signal.SIGKILL))
        self.first.start()
        self.check_on_the_second(server)

    def test_a_primary_that_was_replaced_and_thaws_answers_nothing(self):
        server = self.serve_on_the_second(lambda: self.first.signal_all(signal.SIGSTOP))
        self.first.signal_all(signal.SIGCONT)
        self.check_on_the_second(server)

    def test_a_start_takes_the_primary_that_was_promoted_last(self):
        server = self.server_on(store_allow_async="true").start()
        self.await_writes_of(server)
        server.kill()
        self.first.stop(signal.SIGKILL)
        self.promote()
        self.first.start()
        server.start()
        self.await_writes_of(server)
        self.assertEqual(self.connections(self.first), 0)


class Known(FailoverCase, unittest.TestCase):
    """A process that starts knows of a promotion, although it reaches the old primary alone."""

    def known(self, server):
        return os.path.join(server.flags["data_dir"], "store", "DATABASE")

    def refusal(self, server):
        """What a start says that is refused."""
        server.launch()
        self.assertNotEqual(server.process.wait(60), 0)
        return server.log_text().rstrip().rpartition("\n")[2]

    def await_start(self, server):
        server.start()
        self.await_writes_of(server)

    def lose_the_second(self):
        """It was promoted, and the first comes back alone."""
        server = self.server_on(store_allow_async="true").start()
        self.await_writes_of(server)
        self.first.stop(signal.SIGKILL)
        self.promote()
        self.await_writes_of(server)
        server.kill()
        self.second.stop()
        self.first.start()
        return server

    def test_a_start_refuses_the_primary_that_was_replaced(self):
        server = self.lose_the_second()
        rows = self.first.run("SELECT count(*), max(ver) FROM diorama_record", self.first_uri())
        said = self.refusal(server)
        self.assertIn("was replaced (its timeline is 1, another one has 2)", said)
        self.assertIn("remove store/DATABASE in data.dir, and start", said)
        self.assertEqual(self.first.run("SELECT count(*), max(ver) FROM diorama_record", self.first_uri()), rows)
        database.Cluster.start(self.second)
        self.await_start(server)
        self.assertEqual(self.connections(self.first), 0)

    def test_who_means_it_removes_the_file(self):
        server = self.lose_the_second()
        self.first.run("ALTER SYSTEM RESET synchronous_standby_names")  # its standby is gone
        self.first.run("SELECT pg_reload_conf()")
        os.remove(self.known(server))
        self.await_start(server)
        self.assertGreater(self.connections(self.first), 0)

    def test_a_server_goes_on_knowing_after_a_kill_at_its_first_commit_on_the_new_primary(self):
        server = self.server_on(store_allow_async="true").start()
        self.await_writes_of(server)
        self.first.stop(signal.SIGKILL)
        self.promote()
        self.await_writes_of(server)
        with open(self.known(server)) as file:
            self.assertIn("timeline 2\n", file.read())
        server.kill()

    def test_another_cluster_is_refused_until_that_is_meant(self):
        server = self.server_on(store_allow_async="true").start()
        self.assertEqual(server.stop()[0], 0)
        other = database.Cluster().start()
        self.addCleanup(other.end)
        server.flags["store_uri"] = other.create()
        self.assertIn("is of another cluster than before", self.refusal(server))
        self.assertEqual(database.run(server.flags["store_uri"], "SELECT count(*) FROM pg_tables WHERE tablename "
                                                                 "LIKE 'diorama%'"), "0")
        os.remove(self.known(server))
        self.await_start(server)

    def test_a_file_that_is_damaged_is_named(self):
        server = self.server_on(store_allow_async="true").start()
        self.assertEqual(server.stop()[0], 0)
        with open(self.known(server), "w") as file:
            file.write("timeline")
        self.assertIn(f"{self.known(server)} is damaged", self.refusal(server))

    def first_uri(self):
        return self.first.uri(self.name)


class Silence(FailoverCase, unittest.TestCase):

    def test_a_standby_takes_over_where_the_primary_is_silent(self):
        lost = self.server_on().start()
        other = self.server_on()
        other.launch()
        wait_until(lambda: "standing_by" in other.log_text(), 20, "a standby")
        self.first.signal_all(signal.SIGSTOP)
        lost.kill()
        self.promote()
        self.await_writes_of(other)


if __name__ == "__main__":
    if not database.programs():
        print("PostgreSQL is not installed (tools/install-packages test)")
        sys.exit(77)
    unittest.main()
