"""Two servers on one database: one is in charge, the other stands by, takes over whatever becomes of
the first, and nothing that was acknowledged is lost, nothing old is answered."""

import json
import os
import re
import signal
import sys
import tempfile
import time
import unittest

import database
from files import upload
from shared_store import CONNECTION_LOST, ClusterCase, stop_process
from streams import EventStream
from support import LONG, Client, dump, object_path, objects, scene_path, scenes, wait_until

TAKEOVER_S = 4.0 if LONG else 8.0  # from a kill to the first write elsewhere; beside other tests more
ROUNDS = 200 if LONG else 1  # of each way to lose the one that is in charge


class StandbyCase(ClusterCase):
    def setUp(self):
        super().setUp()
        self.takeovers = []  # seconds

    def start_both(self, **flags):
        """The one in charge, with a scene, and one that stands by."""
        self.server = self.first = self.server_on(**flags).start()
        self.second = self.server_on()
        self.second.launch()
        self.await_standby(self.second)
        with Client(self.first) as client:
            client.put_scene(self.scene)

    def renew_scene(self):
        """Rounds write as fast as they can: with one scene for all, each would read more than the one before."""
        self.rounds = getattr(self, "rounds", 0) + 1
        with Client(self.first) as client:
            client.ok("DELETE", scene_path(self.scene))
            self.scene = f"{self.scene.partition('.')[0]}.{self.rounds}"
            client.put_scene(self.scene)

    def await_standby(self, server):
        wait_until(lambda: self.stands_by(server), 20, "a standby")

    def await_ready(self, server):
        wait_until(lambda: self.is_ready(server), 20, "a takeover")

    def is_ready(self, server):
        """Whoever is connected is answered, or the connection ends: a timeout is a failure."""
        try:
            with Client(server, timeout=5) as client:
                return client.get("/readyz").status == 200
        except TimeoutError:
            raise
        except CONNECTION_LOST:
            return False

    def tearDown(self):
        super().tearDown()
        if getattr(self, "second", None):
            self.last_words += "\n" + self.second.log_tail()
        if self.takeovers and LONG:
            print(f"{len(self.takeovers)} takeovers, {min(self.takeovers):.2f} to "
                  f"{max(self.takeovers):.2f} s")

    def check(self, writers):
        """As check_writes, and what the one in charge shows is what is stored, as the other one
        reads it."""
        for writer in writers:
            writer.end()
        shown = self.shown_by(self.first)
        self.check_writes(writers, shown[self.scene][1])
        self.assertEqual(self.first.stop()[0], 0, self.first.log_tail())
        self.await_ready(self.second)
        self.assertEqual(self.shown_by(self.second), shown)
        self.first.launch(keeps_ports=True)
        self.await_standby(self.first)
        self.change_places()

    def shown_by(self, server):
        with Client(server) as client:
            return dump(client)

    def change_places(self):
        self.first, self.second = self.second, self.first

    def await_takeover(self, since):
        """Until the one that stood by writes, in time."""
        self.await_ready(self.second)
        with Client(self.second) as client:
            client.create(self.scene, {"name": "first write"})
        took = time.monotonic() - since
        self.assertLess(took, TAKEOVER_S)
        self.takeovers.append(took)

    def ask_until_standby(self, server, path):
        """Whatever it says until it stands by: no answer may be one."""
        end = time.monotonic() + 20
        why = None
        while not (why and "stands by" in why):
            self.assertLess(time.monotonic(), end, server.log_tail())
            try:
                with Client(server, timeout=2) as client:
                    self.assertNotEqual(client.get(path).status, 200)
            except CONNECTION_LOST:
                pass
            why = self.why_not_ready(server)
            time.sleep(0.01)

    def is_silent(self, first, second):
        """Once another one serves, it answers no read. It may refuse one, and answer the next: a
        beat that took long is told late."""
        replaced = second.says_ready()
        with Client(first, timeout=5) as client:
            status = client.get(scene_path(self.scene)).status
            detail = client.get("/readyz").body.get("detail", "")
        self.assertFalse(replaced and status == 200)
        return "another server may be in charge" in detail

    def cut(self, gate):
        """The one in charge, which has the gate, loses the database and finds it again."""
        first, second = self.first, self.second
        if first.flags["store_uri"] == self.uri:  # the other one has the gate
            first.kill()
            self.await_ready(second)
            first.launch(keeps_ports=True)
            self.await_standby(first)
            self.change_places()
            first, second = second, first
        self.renew_scene()
        writers = self.writers(first, second)
        gate.shut()
        wait_until(lambda: self.is_silent(first, second), 20, "a refusal")
        self.await_ready(second)
        self.await_writes(writers)
        gate.open()
        self.ask_until_standby(first, scene_path(self.scene))
        self.change_places()
        self.check(writers)


class Waiting(StandbyCase, unittest.TestCase):

    def test_a_second_server_stands_by_and_says_so(self):
        self.start_both()
        with Client(self.second) as client:
            self.assertEqual(client.get("/livez").status, 200)
            for method, path in (("GET", "/readyz"), ("GET", scene_path(self.scene)),
                                 ("PUT", scene_path("other"))):
                answer = client.request(method, path, scenes({}) if method == "PUT" else None)
                self.assertEqual((answer.status, "stands by" in answer.body["detail"]), (503, True))
                self.assertEqual(answer.headers["Retry-After"], "1")
        self.assertEqual(self.second.metrics()["diorama_in_charge"], 0)
        self.assertEqual(self.first.metrics()["diorama_in_charge"], 1)
        self.assertIn(f"standing_by in_charge=127.0.0.1:{self.first.http_port}",
                      self.second.log_text())
        self.assertNotIn("http_failed", self.second.log_text())

    def test_a_standby_ends_in_order(self):
        self.start_both()
        code, seconds = self.second.stop()
        self.assertEqual(code, 0, self.second.log_tail())
        self.assertLess(seconds, 5)
        self.assertTrue(self.first.says_ready())

    def test_it_takes_over_at_once_from_a_server_that_ends_in_order(self):
        self.start_both()
        began = time.monotonic()
        self.assertEqual(self.first.stop()[0], 0)
        self.await_ready(self.second)
        self.assertIn("charge_taken reason=left", self.second.log_text())
        self.assertLess(time.monotonic() - began, TAKEOVER_S)
        with Client(self.second) as client:
            self.assertEqual([scene["key"] for scene in client.all_scenes()], [self.scene])

    def test_a_server_that_starts_again_on_its_folder_does_not_wait(self):
        self.server = self.first = self.server_on().start()
        self.first.crash()
        self.assertIn("charge_taken reason=gone", self.first.log_text())

    def test_a_charge_that_somebody_removes_is_taken_after_the_silence(self):
        gate, uri = self.gate()
        self.start_both(store_uri=uri)
        gate.shut()  # the one in charge cannot notice
        database.run(self.uri, "DELETE FROM diorama_record WHERE family = 3 AND key = 'C'")
        wait_until(lambda: self.is_silent(self.first, self.second), 20, "a refusal")
        self.await_ready(self.second)
        self.assertRegex(self.second.log_text(), r"charge_taken reason=removed .* silent_ms=(2[5-9]|[3-9]\d)\d\d")
        gate.open()
        self.ask_until_standby(self.first, scene_path(self.scene))

    @unittest.skipUnless(LONG, "the short form has one standby")
    def test_of_two_standbys_one_takes_over(self):
        self.start_both()
        third = self.server_on()
        third.launch()
        self.await_standby(third)
        self.first.kill()
        wait_until(lambda: self.second.says_ready() or third.says_ready(), 20, "a takeover")
        other = third if self.second.says_ready() else self.second
        self.await_standby(other)
        self.assertNotIn("charge_taken", other.log_text())

    def test_the_store_is_not_checked_while_a_server_is_in_charge(self):
        self.start_both()
        with tempfile.TemporaryDirectory() as folder:
            checker = self.server_on(data_dir=folder)
            lines, code = checker.check_store()
        self.assertEqual(code, 1)
        self.assertIn("uses the database of store.uri; stop it first", lines[-1])
        self.assertTrue(self.first.says_ready())


class Takeover(StandbyCase, unittest.TestCase):

    def test_nothing_is_lost_where_the_one_in_charge_is_killed(self):
        self.start_both()
        writers = self.writers(self.first, self.second)
        for _ in range(ROUNDS):
            moment = time.monotonic()
            self.first.kill()
            self.await_takeover(moment)
            self.await_writes(writers)
            self.first.launch(keeps_ports=True)
            self.await_standby(self.first)
            self.change_places()
        self.check(writers)

    def test_one_that_was_frozen_answers_nothing_old_and_writes_nothing(self):
        self.start_both()
        for _ in range(ROUNDS):
            self.freeze()

    def freeze(self):
        first, second = self.first, self.second
        self.renew_scene()
        with Client(first) as client:
            key, = client.create(self.scene, {"name": "before"})
        writers = self.writers(first, second)
        moment = time.monotonic()
        stop_process(first.process)
        # It has these when it goes on, before it can find out anything.
        asked = [self.send(first, "GET", object_path(self.scene, key)) for _ in range(3)]
        told = [self.send(first, "POST", object_path(self.scene, key),
                          objects({"name": "late"})) for _ in range(3)]
        self.await_takeover(moment)
        self.await_writes(writers)
        with Client(second) as client:
            client.update(self.scene, key, name="after")
        first.process.send_signal(signal.SIGCONT)
        for connection in asked + told:
            self.assertNotEqual(self.status_of(connection), 200)
        self.ask_until_standby(first, object_path(self.scene, key))
        self.assertRegex(first.log_text(), r"(?m)^.* error replaced by=")
        self.change_places()
        self.check(writers)
        with Client(self.first) as client:
            self.assertEqual(client.object(self.scene, key)["name"], "after")

    def send(self, server, method, path, body=None):
        client = Client(server, timeout=10)
        self.addCleanup(client.close)
        client.connection.connect()
        client.connection.request(method, path, json.dumps(body).encode() if body else None,
                                  {"Content-Type": "application/json"} if body else {})
        return client.connection

    def status_of(self, connection):
        try:
            return connection.getresponse().status
        except TimeoutError:
            return "nothing"
        except CONNECTION_LOST:
            return None

    def test_one_that_is_cut_off_from_the_database_stops_answering_before_it_is_replaced(self):
        gate, uri = self.gate()
        self.start_both(store_uri=uri)
        for _ in range(ROUNDS):
            self.cut(gate)

    def test_nobody_who_is_connected_to_a_server_that_changes_its_part_is_left_waiting(self):
        self.server = self.first = self.server_on(http_threads="2").start()
        self.second = self.server_on(http_threads="2")
        self.second.launch()
        self.await_standby(self.second)
        waiting = self.connect_many(self.second)  # more than it has workers
        stop_process(self.first.process)
        waiting += self.connect_many(self.first)
        self.await_ready(self.second)
        self.first.process.send_signal(signal.SIGCONT)
        for connection in waiting:
            self.assertNotEqual(self.status_of(connection), "nothing")

    def connect_many(self, server):
        return [self.send(server, "GET", "/readyz") for _ in range(40)]

    def test_a_hiccup_of_the_database_while_it_takes_charge_ends_no_server(self):
        self.start_both()
        self.first.kill()
        wait_until(lambda: "charge_taken" in self.second.log_text(), 20, "a takeover")
        for _ in range(3):
            self.cluster.run("SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity "
                             "WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()")
        self.await_ready(self.second)
        self.assertIsNone(self.second.process.poll())

    def test_bytes_of_assets_in_a_folder_of_both_are_there_after_a_takeover(self):
        with tempfile.TemporaryDirectory() as folder:
            shared = os.path.join(folder, "blobs")
            self.server = self.first = self.server_on(blob_dir=shared).start()
            with Client(self.first) as client:
                key = upload(client, "/v1/asset", b"a cube").text
            self.second = self.server_on(blob_dir=shared)
            self.second.launch()
            self.await_standby(self.second)
            self.first.kill()
            self.await_ready(self.second)
            with Client(self.second) as client:
                self.assertEqual(client.get(f"/v1/asset/{key}").content, b"a cube")
                self.assertEqual(upload(client, "/v1/asset", b"another").status, 200)
            self.second.stop()

    def test_numbers_of_events_rise_over_takeovers(self):
        self.start_both()
        seen = []
        for number in range(2):
            if number:
                self.first.kill()
                self.await_ready(self.second)
                self.change_places()
            with EventStream(self.first, scene_path(self.scene) + "/events") as stream:
                stream.snapshot()
                with Client(self.first) as client:
                    client.create(self.scene, *({"name": f"e{event}"} for event in range(3)))
                for _ in range(3):
                    seen.append([int(part) for part in re.findall(r"\d+", stream.next().id)])
        self.assertEqual(len({tuple(number) for number in seen}), 6)
        self.assertEqual(seen, sorted(seen))
        self.assertEqual(len({number[0] for number in seen}), 2)


if __name__ == "__main__":
    if not database.programs():
        print("PostgreSQL is not installed (tools/install-packages test)")
        sys.exit(77)
    unittest.main()
