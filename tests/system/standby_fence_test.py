"""A process that freezes in the middle of a start, a migration or a check of the store, and goes on when
another one has taken its place: nothing of it is written any more. What the one before commits while
another one takes over is read by that one, or not written."""

import json
import os
import signal
import subprocess
import sys
import unittest

import database
from files import upload
from shared_store import ClusterCase, stop_process
from support import BIN, LONG, Client, dump, scene_path, scenes, wait_until

TRIAL = 7  # commits to a table that nobody else sees
COMMIT = b"\0begin\0"  # how libpq calls what begins a commit
EACH = 1 if LONG else 4  # the short form looks at every fourth place


def nth_commit(number):
    """Holds back this commit of a process, the first is 1."""
    left = [TRIAL + number]

    def holds(sent):
        left[0] -= sent.count(COMMIT)
        return left[0] <= 0

    return holds


class Frozen(ClusterCase, unittest.TestCase):
    def rows(self):
        """All that is stored but beats."""
        return database.run(self.uri, "SELECT family, part, key, ver, value FROM diorama_record "
                                      "WHERE NOT (family = 3 AND key = 'C') ORDER BY 1, 2, 3")

    def freeze(self, holds, launch):
        """Whether the process came so far. It is frozen there, and another server takes over."""
        gate, uri = self.gate(holds)
        first = self.server_on(uri)
        launch(first)
        wait_until(lambda: gate.is_held.is_set() or first.process.poll() is not None or
                   first.log_text().count(" serves "), 20, "a start")
        if not gate.is_held.is_set():
            first.kill()
            return False
        stop_process(first.process)
        second = self.server_on().start()
        before = self.rows()
        gate.is_open.set()
        first.process.send_signal(signal.SIGCONT)
        wait_until(lambda: first.process.poll() is not None or self.stands_by(first), 20, "a standby")
        self.assertEqual(self.rows(), before)
        self.assertTrue(second.says_ready())
        first.kill()
        self.assertEqual(second.stop()[0], 0)
        return True

    def freeze_at_each(self, launch, prepare, least):
        number = 0
        while True:
            self.uri = self.cluster.create()
            prepare()
            if not self.freeze(nth_commit(number + 1), launch):
                break
            number += EACH
        self.assertGreaterEqual(number, least)

    def launch(self, server):
        server.launch()

    def launch_check(self, server):
        settings = [f"--{key.replace('_', '.', 1)}={server.flags[key]}"
                    for key in ("data_dir", "store_uri", "store_allow_async")]
        with open(server.log_path(), "ab") as log:
            server.process = subprocess.Popen([os.path.join(BIN, "dioramad"), "--check-store", *settings],
                                              stdout=log, stderr=log)

    def fill(self, statement="SELECT 1"):
        """A store with two assets, changed by `statement` while nobody serves it."""
        server = self.server_on().start()
        with Client(server) as client:
            for name in ("one", "two"):
                upload(client, "/v1/asset", name.encode())
        self.assertEqual(server.stop()[0], 0)
        database.run(self.uri, statement)

    def release_at(self, number):
        """The one in charge is frozen with a commit on its way. Who takes over stands still before this
        commit of its start, and meanwhile the other goes on. Whether it came so far."""
        before, uri = self.gate(lambda sent: b"a late scene" in sent)
        first = self.server_on(uri).start()
        client = Client(first, timeout=20)
        self.addCleanup(client.close)
        # Whoever reads the store at its start has it in memory then, or not.
        client.connection.request("PUT", scene_path(self.scene), json.dumps(scenes({"name": "a late scene"})),
                                  {"Content-Type": "application/json"})
        wait_until(before.is_held.is_set, 20, "a commit")
        stop_process(first.process)
        start, uri = self.gate(nth_commit(number))
        second = self.server_on(uri)
        second.launch()
        wait_until(lambda: start.is_held.is_set() or second.says_ready(), 20, "a takeover")
        came_so_far = start.is_held.is_set()
        start.is_held.set()  # no beat is held back later on
        before.is_open.set()
        first.process.send_signal(signal.SIGCONT)
        wait_until(lambda: "standing_by" in first.log_text() or start.is_open.is_set(), 20, "an end")
        start.is_open.set()
        servers = [first, second]
        wait_until(lambda: any(server.says_ready() for server in servers), 20, "a takeover")
        servers.sort(key=lambda server: not server.says_ready())
        wait_until(lambda: self.stands_by(servers[1]), 20, "a standby")
        shown = self.shown_by(servers[0])
        self.assertEqual(servers[0].stop()[0], 0)
        wait_until(servers[1].says_ready, 20, "a takeover")
        self.assertEqual(self.shown_by(servers[1]), shown, number)
        self.assertEqual(servers[1].stop()[0], 0)
        return came_so_far

    def shown_by(self, server):
        with Client(server) as client:
            return dump(client)

    def test_what_the_one_before_commits_meanwhile_is_seen_or_not_there(self):
        number = 2  # by the first it takes charge
        while self.release_at(number):
            self.uri = self.cluster.create()
            number += 1
        self.assertGreaterEqual(number, 4)

    def test_where_tables_are_made(self):
        self.assertTrue(self.freeze(lambda sent: b"CREATE TABLE diorama_record" in sent, self.launch))

    def test_in_a_first_start(self):
        self.freeze_at_each(self.launch, lambda: None, 5)

    def test_in_a_migration(self):
        # As an older version left it: without a number of its format, without index records.
        self.freeze_at_each(self.launch, lambda: self.fill(
            "DELETE FROM diorama_record WHERE family = 4 OR family IN (1, 2) AND key >= 'N' AND key < 'O'"), 8)

    def test_in_a_check_that_mends(self):
        self.freeze_at_each(self.launch_check, lambda: self.fill(
            "DELETE FROM diorama_record WHERE family = 1 AND key >= 'N' AND key < 'O'"), 2)


if __name__ == "__main__":
    if not database.programs():
        print("PostgreSQL is not installed (tools/install-packages test)")
        sys.exit(77)
    unittest.main()
