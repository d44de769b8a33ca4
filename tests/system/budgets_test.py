"""Nobody takes everything: what one user may have of each thing is bounded. Beyond: 429 / 132 for
rates and things at once, 507 / 120 for what is stored, both with `"type":"/problems/budget"` and the
budget's name; others are served as before."""

import contextlib
import json
import resource
import socket
import time
import unittest

from files import form, upload
from people import FLAGS, PeopleCase, Person, bearer, log_in
from streams import EventStream
from support import (LONG, Client, ServerCase, objects, run_together, scene_path, scenes, wait_until)
from zmtp import PLAIN, say

STREAMS, UPLOADS, SESSIONS = 32, 8, 64  # defaults
IDLE_PUB_S = 30


class BudgetCase(PeopleCase):
    flags = None

    def begin(self, **flags):
        self.start_server(**FLAGS, **flags)
        self.admin = self.enter(self.server, "admin")
        self.addCleanup(self.admin.close)
        self.greedy_id = self.sign_up("greedy", self.admin)["id"]
        self.sign_up("modest", self.admin)
        self.greedy, self.modest = (self.enter(self.server, name) for name in ("greedy", "modest"))
        for person in (self.greedy, self.modest):
            self.addCleanup(person.close)

    def assert_over(self, answer, status, err_code, budget):
        self.assertEqual(answer.status, status, answer)
        body = answer.body
        self.assertEqual((body["err_code"], body["type"], body["budget"]),
                         (err_code, "/problems/budget", budget), body)


class AtOnce(BudgetCase, unittest.TestCase):
    """Defaults: no setting is needed."""

    def stream(self, person):
        stream = EventStream(self.server, scene_path("hall") + "/events", bearer(person.token))
        self.addCleanup(stream.close)
        return stream

    def test_streams_of_one_user_end_at_their_number(self):
        self.begin()
        self.admin.put_scene("hall")
        held = [self.stream(self.greedy) for _ in range(STREAMS)]
        self.assertEqual({stream.status for stream in held}, {200})
        refused = self.stream(self.greedy)
        self.assertEqual(refused.status, 429)
        body = json.loads(refused.content())
        self.assertEqual((body["err_code"], body["type"], body["budget"]),
                         (132, "/problems/budget", "streams"))
        self.assertEqual(self.stream(self.modest).status, 200)

    def test_delta_streams_that_would_keep_more_than_their_user_may_end(self):
        self.begin(budget_stream_bytes="1M")
        self.admin.put_scene("hall", public=True)
        self.admin.create("hall", *({"name": "x" * 4000} for _ in range(100)))
        target = scene_path("hall") + "/events?form=delta"
        held = [EventStream(self.server, target, bearer(self.greedy.token)) for _ in range(3)]
        for stream in held:
            self.addCleanup(stream.close)
        seen = [stream.next() for stream in held]  # which one ends is chance: they begin at once
        self.assertEqual(["snapshot", "snapshot"], [event.name for event in seen if event])
        self.assertEqual(1, sum(stream.has_ended for stream in held))
        other = EventStream(self.server, target, bearer(self.modest.token))
        self.addCleanup(other.close)
        self.assertEqual("snapshot", other.next().name)

    def test_uploads_of_one_user_at_once_end_at_their_number(self):
        self.begin()
        for _ in range(UPLOADS):
            raw = self.begin_upload()
            self.addCleanup(raw.close)
        held = 'diorama_budget_held{budget="uploads"}'
        wait_until(lambda: self.server.metrics()[held] == UPLOADS, what="the heads to be read")
        answer = upload(self.greedy, "/v1/asset", b"one more")
        self.assert_over(answer, 429, 132, "uploads")
        self.assertEqual(upload(self.modest, "/v1/asset", b"another's").status, 200)

    def begin_upload(self):
        content_type, body = form(("file", b"bytes", "a.bin", None))
        raw = socket.create_connection(("127.0.0.1", self.server.http_port), 20)
        raw.sendall(f"POST /v1/asset HTTP/1.1\r\nHost: localhost\r\nContent-Type: {content_type}\r\n"
                    f"Authorization: Bearer {self.greedy.token}\r\n"
                    f"Content-Length: {len(body)}\r\n\r\n".encode() + body[:20])
        return raw

    def test_sessions_of_one_user_are_64_and_the_oldest_ends(self):
        self.begin(http_trusted_proxies="127.0.0.1")
        for number in range(SESSIONS):
            answer = log_in(self.client, "greedy", **{"X-Forwarded-For": f"10.0.0.{number}"})
            self.assertEqual(answer.status, 200, answer)
        self.assertEqual(self.greedy.get("/v1/asset").status, 401)
        self.assertEqual(self.modest.get("/v1/asset").status, 200)

    def test_rate_is_limited_by_default_where_users_log_in(self):
        self.begin(http_trusted_proxies="127.0.0.1")
        away = {"X-Forwarded-For": "192.0.2.7"}  # a loopback peer that no proxy forwarded is exempt
        # One after the other a busy machine might not ask often enough.
        one = (f"GET {scene_path('none')} HTTP/1.1\r\nHost: localhost\r\nX-Forwarded-For: 192.0.2.7\r\n"
               f"Authorization: Bearer {self.greedy.token}\r\n\r\n").encode()
        with socket.create_connection(("127.0.0.1", self.server.http_port), 30) as raw:
            def refused():
                raw.sendall(50 * one)
                answers = b""
                while answers.count(b"HTTP/1.1 ") < 50:
                    answers += raw.recv(1 << 20)
                return b"HTTP/1.1 429 " in answers
            wait_until(refused, 60, "a refusal")
        answer = self.modest.request("GET", scene_path("none"), None, away)
        self.assertEqual(answer.status, 404)


class Stored(BudgetCase, unittest.TestCase):
    def test_scenes(self):
        self.begin(budget_scenes=3)
        for number in range(3):
            self.greedy.put_scene(f"s{number}")
        self.assert_over(self.greedy.put(scene_path("s3"), scenes({})), 507, 120, "scenes")
        self.modest.put_scene("s3")
        self.greedy.ok("DELETE", scene_path("s0"))
        self.greedy.put_scene("s4")

    def test_bytes_of_records(self):
        self.begin(budget_record_bytes="4M")
        body = {"name": "p", "description": "x" * 4000, "tags": []}
        body["sceneGroups"] = [{"name": f"g{n}", "description": "x" * 4000} for n in range(200)]
        answer = None
        for _ in range(20):
            answer = self.greedy.post("/v1/project", body)
            if answer.status != 200:
                break
        self.assert_over(answer, 507, 120, "record_bytes")
        self.assertEqual(self.modest.post("/v1/project", body).status, 200)

    def test_bytes_of_assets(self):
        self.begin(budget_asset_bytes="1M")
        self.assertEqual(upload(self.greedy, "/v1/asset", b"a" * 700000).status, 200)
        self.assert_over(upload(self.greedy, "/v1/asset", b"b" * 700000), 507, 120, "asset_bytes")
        self.assertEqual(upload(self.modest, "/v1/asset", b"b" * 700000).status, 200)

    def test_bytes_of_an_asset_while_they_come(self):
        """A file that cannot be stored is refused when it is too much, not when it is complete."""
        self.begin(budget_asset_bytes="1M")
        content_type, body = form(("file", b"a" * (3 << 20), "a.bin", None))
        head = (f"POST /v1/asset HTTP/1.1\r\nHost: localhost\r\nContent-Type: {content_type}\r\n"
                f"Authorization: Bearer {self.greedy.token}\r\nContent-Length: {len(body)}\r\n\r\n")
        with socket.create_connection(("127.0.0.1", self.server.http_port), 10) as raw:
            raw.sendall(head.encode() + body[:2 << 20])  # the last MiB never comes
            self.assertIn(b" 507 ", raw.recv(4096).partition(b"\r\n")[0])
        self.assertEqual(upload(self.greedy, "/v1/asset", b"a" * 700000).status, 200)

    def test_a_repeated_upload_stores_nothing_and_is_answered_again(self):
        self.begin(budget_asset_bytes="1M")
        content_type, body = form(("file", b"a" * 700000, "a.bin", None), boundary="b")
        headers = {"Content-Type": content_type, "Idempotency-Key": "k"}
        first, again = (self.greedy.request("POST", "/v1/asset", body, headers) for _ in range(2))
        self.assertEqual((first.status, again.status), (200, 200), again)
        self.assertEqual(first.text, again.text)

    def test_registrations(self):
        self.begin(budget_registrations=5)
        self.admin.put_scene("hall")
        for number in range(5):
            self.greedy.register("hall", {"key": f"d{number}"})
        answer = self.greedy.post(scene_path("hall") + "/register",
                                  scenes({"devices": [{"key": "d5"}]}))
        self.assert_over(answer, 507, 120, "registrations")
        self.modest.register("hall", {"key": "d6"})

    def test_bytes_of_records_are_given_back(self):
        self.begin(budget_record_bytes="100K")
        body = {"name": "p", "description": "x" * 4000}
        keys = []
        while (answer := self.greedy.post("/v1/project", body)).status == 200:
            keys.append(answer.body["id"])
        self.assert_over(answer, 507, 120, "record_bytes")
        group = {"name": "g", "description": "x" * 4000}
        self.assert_over(self.greedy.post(f"/v1/project/{keys[0]}/groups", group),
                         507, 120, "record_bytes")
        for key in keys[:10]:
            self.assertEqual(self.greedy.delete(f"/v1/project/{key}").status, 200)
        self.assertEqual(self.greedy.post(f"/v1/project/{keys[10]}/groups", group).status, 200)

    def test_scenes_that_registrations_and_objects_make_count(self):
        self.begin(budget_scenes=2)
        self.greedy.create("a", {})
        self.greedy.register("b", {"key": "d"})
        self.assert_over(self.greedy.post(scene_path("c") + "/object", objects({})), 507, 120, "scenes")
        answer = self.greedy.post(scene_path("c") + "/register",
                                  scenes({"devices": [{"key": "e"}]}))
        self.assert_over(answer, 507, 120, "scenes")
        self.greedy.create("a", {})

    def held(self):
        metrics = self.server.metrics()
        return {name: metrics[f'diorama_budget_held{{budget="{name}"}}']
                for name in ("scenes", "registrations", "record_bytes", "asset_bytes")}

    def test_what_is_held_survives_kills(self):
        """The book is made anew from the records at each start: it must say what it said before."""
        self.begin(scene_actors=3)
        before = self.held()
        self.assertEqual((before["scenes"], before["registrations"]), (0, 0))
        for number in range(6):
            self.greedy.put_scene(f"s{number}", description="x" * 100 * number)
            self.greedy.register(f"s{number}", {"key": f"d{number}"}, {"key": f"e{number}"})
        self.modest.post("/v1/project", {"name": "p", "tags": ["a", "b"]})
        asset = upload(self.modest, "/v1/asset", b"a" * 5000).text
        upload(self.modest, f"/v1/asset/{asset}", b"b" * 700)
        self.greedy.ok("DELETE", scene_path("s0"))
        self.greedy.deregister("s1", "d1")
        self.greedy.post(scene_path("s2"), scenes({"name": "another"}))
        self.greedy.register("s2", {"key": "d2"})
        now = self.held()
        self.assertEqual((now["scenes"], now["registrations"], now["asset_bytes"]), (5, 9, 5700))
        for _ in range(2):
            self.restart("crash")
            self.assertEqual(self.held(), now)
        greedy, modest = self.greedy.again(), self.modest.again()
        self.addCleanup(greedy.close)
        self.addCleanup(modest.close)
        for number in range(1, 6):
            greedy.ok("DELETE", scene_path(f"s{number}"))
        self.assertEqual((self.held()["scenes"], self.held()["registrations"]), (0, 0))

    def test_administrator_sets_the_budget_of_a_user(self):
        self.begin(budget_scenes=1)
        self.greedy.put_scene("s0")
        path = f"/v1/users/{self.greedy_id}/budget"
        self.assertEqual(self.admin.put(path, {"scenes": 2}).status, 200)
        self.greedy.put_scene("s1")
        self.assert_over(self.greedy.put(scene_path("s2"), scenes({})), 507, 120, "scenes")
        self.assertEqual(self.greedy.put(path, {"scenes": 9}).status, 403)

    def test_what_administrators_set_is_for_good(self):
        self.begin(budget_scenes=1, budget_streams=1)
        path = f"/v1/users/{self.greedy_id}/budget"
        self.assertEqual(self.greedy.get(path).body, {"user": self.greedy_id})
        mine = {"user": self.greedy_id, "scenes": 2, "streams": 0}
        self.assertEqual(self.admin.put(path, {"scenes": 2, "streams": 0}).body, mine)
        self.assertEqual(self.greedy.get(path).body, mine)
        self.assertEqual(self.modest.get(path).status, 403)
        self.admin.refused(422, 111, "PUT", path, {"scenes": -1})
        self.admin.refused(422, 111, "PUT", path, {"requests": 1001})
        self.admin.refused(404, 102, "PUT", "/v1/users/0123456789abcdef01234567/budget", {})
        self.restart("crash")
        greedy, admin = self.greedy.again(), self.admin.again()
        self.addCleanup(greedy.close)
        self.addCleanup(admin.close)
        greedy.put_scene("s0")
        greedy.put_scene("s1")
        self.assertEqual(admin.put(path, {}).body, {"user": self.greedy_id})
        self.assert_over(greedy.put(scene_path("s2"), scenes({})), 507, 120, "scenes")
        self.assertEqual(admin.delete(f"/v1/users/{self.greedy_id}").status, 200)
        self.assertEqual(admin.get(path).status, 404)



class Queries(BudgetCase, unittest.TestCase):
    def test_queries_beyond_those_that_run_wait_their_turn(self):
        self.begin(budget_queries=1)
        self.admin.put_scene("hall")
        self.admin.create("hall", *[{"name": "o"}] * 1000)
        found = []

        def ask():
            with Person(self.server, self.greedy.token) as person:
                found.extend(len(person.objects("hall")) for _ in range(5))

        run_together(*[ask] * 6)
        self.assertEqual(found, [1000] * 30)


class Told(BudgetCase, unittest.TestCase):
    def test_budgets_are_told(self):
        self.begin(budget_scenes=7)
        answer = self.greedy.get("/v1/server")
        self.assertEqual(answer.status, 200, answer)
        self.assertEqual(answer.body["budgets"]["scenes"], 7)

    def test_metrics_have_the_budgets(self):
        self.begin(budget_streams=7)
        with self.connect() as client:
            text = client.get("/metrics").text
        self.assertIn('diorama_budget_limit{budget="streams"} 7\n', text)
        self.assertIn('diorama_budget_held{budget="streams"} 0\n', text)


class Connections(ServerCase, unittest.TestCase):
    """Idle connections to PUB leave descriptors for HTTP."""

    flags = None

    def crowd(self, count):
        """Handshakes without a subscription, until they or the server's descriptors are used up."""
        with contextlib.ExitStack() as stack:
            for _ in range(count):
                raw = socket.create_connection(("127.0.0.1", self.server.pub_port), 2)
                stack.callback(raw.close)
                raw.settimeout(0.5)
                try:
                    say(raw, PLAIN)
                except OSError:
                    break  # nobody takes it any more
            return stack.pop_all()

    def test_idle_subscribers_do_not_take_all_descriptors(self):
        self.start_server()
        self.client.close()
        process = self.server.process.pid
        resource.prlimit(process, resource.RLIMIT_NOFILE, (400, 400))
        with self.crowd(450):
            for number in range(10):
                with Client(self.server, timeout=5) as client:
                    self.assertEqual(client.get("/livez").status, 200, f"connection {number}")

    @unittest.skipUnless(LONG, "takes half a minute")
    def test_idle_subscriber_without_a_subscription_ends(self):
        self.start_server()
        with socket.create_connection(("127.0.0.1", self.server.pub_port), 5) as raw:
            say(raw, PLAIN)
            raw.settimeout(IDLE_PUB_S + 15)
            ended = wait_until(lambda: raw.recv(65536) == b"", IDLE_PUB_S + 15, "the end")
            self.assertTrue(ended)


if __name__ == "__main__":
    unittest.main()
