"""Idempotency-Key: a request that comes again gets its first answer and does nothing, whatever
happened to that answer on the way: a deadline, a lost connection, kill -9, other numbers of actors."""

import http.client
import os
import re
import socket
import subprocess
import threading
import time
import unittest

from files import form
from people import PeopleCase
from support import (BIN, Client, ServerCase, object_path, objects, run_together, scene_path, scenes,
                     wait_until, with_shards, write_plan)


PLACE = re.compile(r'"epoch":\d+,"seq":\d+,')  # of the event of a write: of that first time, so no repeat says it


def send(client, key, path, body, content_type=None):
    headers = {"Idempotency-Key": key} if key is not None else {}
    if content_type:
        headers["Content-Type"] = content_type
    return client.request("POST", path, body, headers)


def is_replayed(answer):
    return answer.headers.get("Idempotency-Replayed") == "true"


class KeyCase(ServerCase):
    client = None

    def setUp(self):
        super().setUp()
        self.path = scene_path(self.scene)
        self.objects = self.path + "/object"
        if self.client:
            self.client.put_scene(self.scene)

    def first(self, key, path, body, client=None):
        answer = send(client or self.client, key, path, body)
        self.assertEqual(answer.status, 200, answer)
        self.assertFalse(is_replayed(answer))
        return answer

    def again(self, first, key, path, body, client=None):
        answer = send(client or self.client, key, path, body)
        self.assertEqual(answer.status, 200, answer)
        self.assertTrue(is_replayed(answer), answer)
        self.assertEqual(answer.text, PLACE.sub("", first.text))
        for name in ("ETag", "Location", "Content-Type"):
            self.assertEqual(answer.headers.get(name), first.headers.get(name), name)

    def count(self):
        return len(self.client.objects(self.scene))


@with_shards(1, 3)
class Repeats(KeyCase):
    def test_every_noun_is_made_once_and_the_restarted_server_knows_it(self):
        [key] = self.client.create(self.scene, {"name": "chair"})
        project = self.client.post("/v1/project", {"name": "p"}).body["id"]
        requests = {
            "object": (self.objects, objects({"name": "table", "translation": [1, 2, 3]})),
            "objects": (self.objects, objects({"name": "a"}, {"name": "b"})),
            "update": (object_path(self.scene, key), {"name": "stool"}),
            "action": (object_path(self.scene, key) + "/action", {"name": "walk"}),
            "property": (self.path + "/property", {"properties": [{"name": "t"}]}),
            "chosen": (self.path + "/property", {"properties": [{"key": "chosen"}]}),
            "scene": ("/v1/scene", scenes({"name": "one"})),
            "scenes": ("/v1/scene", scenes({"name": "one"}, {"key": "two"}, {"name": "three"})),
            "scene update": (self.path, scenes({"name": self.scene})),
            "project": ("/v1/project", {"name": "unlike the other"}),
            "group": (f"/v1/project/{project}/groups", {"name": "g"}),
            "collection": ("/v1/collection", {"name": "c"}),
        }
        first = {key: self.first(key, *request) for key, request in requests.items()}
        self.client.update(self.scene, key, name="throne")
        for _ in range(2):
            for name, request in requests.items():
                with self.subTest(name=name):
                    self.again(first[name], name, *request)
            self.server.crash(scene_actors=self.shards)
            self.client = self.connect()
        self.assertEqual(self.client.object(self.scene, key)["name"], "throne", "it was not done again")
        self.assertEqual(self.count(), 4)
        self.assertEqual(sorted(found.get("name", "") for found in self.client.all_scenes()),
                         sorted([self.scene, "one", "one", "three", ""]))

    def test_other_number_of_actors_finds_the_answers(self):
        scene = self.first("s", "/v1/scene", scenes({"name": "one"}))
        object_ = self.first("o", self.objects, objects({"name": "one"}))
        self.server.crash(scene_actors=4 - self.shards)
        self.client = self.connect()
        self.again(scene, "s", "/v1/scene", scenes({"name": "one"}))
        self.again(object_, "o", self.objects, objects({"name": "one"}))

    def test_uploads_are_known_by_query_and_content(self):
        def upload(key, path, content, boundary):
            content_type, body = form(("file", content, "a.bin", None), boundary=boundary)
            return send(self.client, key, path, body, content_type)

        first = upload("u", "/v1/asset?name=a", b"bytes", "one")
        self.assertEqual(first.status, 200, first)
        again = upload("u", "/v1/asset?name=a", b"bytes", "two")
        self.assertTrue(is_replayed(again), again)
        self.assertEqual(again.text, first.text)
        for path, content in (("/v1/asset?name=b", b"bytes"), ("/v1/asset?name=a", b"other")):
            self.assertEqual(upload("u", path, content, "one").status, 422)
        path = "/v1/asset/" + first.text
        version = upload("v", path, b"second", "one")
        self.assertEqual(upload("v", path, b"second", "one").text, version.text)
        self.assertEqual(len(self.client.get("/v1/asset-history/" + first.text).body[0]["assetIds"]), 2)


class Rules(KeyCase, unittest.TestCase):
    def test_other_request_with_the_key_is_refused(self):
        scene = "/v1/scene"
        for path, body, other_path, other in (
                (self.objects, objects({"name": "a"}), self.objects, objects({"name": "b"})),
                (self.objects, objects({"name": "a"}), self.objects + "?transaction_id=1", objects({"name": "a"})),
                (scene, scenes({"key": "a"}), scene, scenes({"key": "b"})),
                (scene, scenes({"name": "a"}), scene, scenes({"name": "b"})),
                ("/v1/project", {"name": "a"}, "/v1/project", {"name": "b"})):
            key = f"{path} {body} {other}"
            self.first(key, path, body)
            answer = send(self.client, key, other_path, other)
            self.assertEqual((answer.status, answer.body["err_code"]), (422, 111), answer)
            self.assertIn("Idempotency-Key", answer.body["detail"])

    def test_other_large_request_with_the_key_is_refused(self):
        bodies = [objects(*({"name": f"{name}-{i}" * 10} for i in range(2000))) for name in "ab"]
        first = self.first("large", self.objects, bodies[0])
        self.again(first, "large", self.objects, bodies[0])
        answer = send(self.client, "large", self.objects, bodies[1])
        self.assertEqual((answer.status, answer.body["err_code"]), (422, 111), answer)
        self.assertEqual(self.count(), 2000)

    def test_key_belongs_to_its_operation_and_scene(self):
        self.client.put_scene("yard")
        self.first("k", self.objects, objects({"name": "a"}))
        self.first("k", scene_path("yard") + "/object", objects({"name": "a"}))
        self.first("k", self.path + "/property", {"properties": [{"name": "a"}]})

    def test_refused_request_does_not_use_up_its_key(self):
        self.assertEqual(send(self.client, "k", self.objects, objects({"name": 1})).status, 400)
        self.first("k", self.objects, objects({"name": "a"}))
        taken, free = scenes({"key": self.scene}), scenes({"key": "free"})
        self.assertEqual(send(self.client, "k", "/v1/scene", taken).status, 409)
        self.first("k", "/v1/scene", free)

    def test_keys_that_are_none(self):
        for key in ("", "x" * 129, "ä".encode("latin-1").decode("latin-1")):
            answer = send(self.client, key, self.objects, objects({"name": "a"}))
            self.assertEqual((answer.status, answer.body["err_code"]), (422, 111), answer)
        self.first("x" * 128, self.objects, objects({"name": "a"}))
        self.assertEqual(self.count(), 1)

    def test_get_with_a_key_is_a_get(self):
        for _ in range(2):
            answer = self.client.request("GET", self.path, headers={"Idempotency-Key": "k"})
            self.assertEqual((answer.status, is_replayed(answer)), (200, False))

    def test_large_answer_is_repeated_with_its_keys_and_tag(self):
        body = {"name": "large", "description": "x" * 4000, "category": "y" * 4000}
        first = self.first("large", "/v1/project", body)
        answer = send(self.client, "large", "/v1/project", body)
        self.assertTrue(is_replayed(answer))
        self.assertEqual(answer.body, {"id": first.body["id"]})
        self.assertEqual(answer.headers["ETag"], first.headers["ETag"])
        self.assertEqual(answer.headers["Location"], first.headers["Location"])

    def test_three_thousand_objects_are_made_once(self):
        body = objects(*({"name": str(i), "translation": [i, 0, 0]} for i in range(3000)))
        first = self.first("many", self.objects, body)
        self.again(first, "many", self.objects, body)
        self.assertEqual(self.count(), 3000)

    def test_pages_of_listed_origins_may_send_and_read_it(self):
        server = self.start_server(http_cors_origins="https://app.example")
        headers = {"Origin": "https://app.example", "Access-Control-Request-Method": "POST"}
        with Client(server) as client:
            answer = client.request("OPTIONS", self.objects, headers=headers)
        self.assertIn("Idempotency-Key", answer.headers["Access-Control-Allow-Headers"])
        self.assertIn("Idempotency-Replayed", answer.headers["Access-Control-Expose-Headers"])


class AtTheSameTime(KeyCase, unittest.TestCase):
    flags = None

    def setUp(self):
        self.start_server(http_deadline=300)
        super().setUp()
        self.plan_path = os.path.join(self.server.folder, "plan")
        write_plan(self.plan_path, "latency=0")
        self.server.restart(store_fault=f"file={self.plan_path}")
        self.client = self.connect()
        self.client.put_scene(self.scene)

    def test_repeat_after_the_deadline_gets_what_the_first_did(self):
        for path, body in ((self.objects, objects({"name": "a"})), ("/v1/scene", scenes({"name": "late"})),
                           ("/v1/project", {"name": "late"})):
            with self.subTest(path=path):
                write_plan(self.plan_path, "latency=1500")
                self.assertEqual(send(self.client, "k", path, body).status, 503)
                answer = send(self.client, "k", path, body)
                self.assertEqual((answer.status, answer.body["err_code"]), (409, 124), answer)
                write_plan(self.plan_path, "latency=0")
                answer = wait_until(lambda: next((a for a in [send(self.client, "k", path, body)]
                                                  if a.status not in (409, 503)), None))
                self.assertEqual(answer.status, 200, answer)
        self.assertEqual(self.count(), 1)
        self.assertEqual([s.get("name") for s in self.client.all_scenes()].count("late"), 1)

    def test_many_that_write_nothing_but_their_answers_fit_into_commits(self):
        """Two writes each: more than a commit takes, while one is under way. Those that find no
        room wait for it, until their time is over: which ones these are is up to chance."""
        made, = self.client.create(self.scene, {"name": "a"})
        write_plan(self.plan_path, "latency=5000")
        began, body = time.monotonic(), b'{"objects":[]}'
        self.assertEqual(self.client.put(self.path, scenes({"name": "later"})).status, 503)
        head = (f"POST {object_path(self.scene, made)} HTTP/1.1\r\nHost: localhost\r\n"
                f"Content-Length: {len(body)}\r\nIdempotency-Key: ")
        waiting = []
        for i in range(504):
            waiting.append(socket.create_connection(("127.0.0.1", self.server.http_port)))
            self.addCleanup(waiting[-1].close)
            waiting[-1].sendall(f"{head}{i}\r\n\r\n".encode() + body)
        for each in waiting:
            self.assertIn(each.recv(4096)[:12], (b"HTTP/1.1 503", b"HTTP/1.1 200"))
            each.close()
        self.assertLess(time.monotonic() - began, 5, "the commit ended before all had come")
        write_plan(self.plan_path, "latency=0")
        self.client = self.connect()
        wait_until(lambda: self.client.put(self.path, scenes({"name": "last"})).status == 200)
        self.server.restart(http_deadline=None)
        self.client = self.connect()
        again = [send(self.client, str(i), object_path(self.scene, made), body) for i in range(504)]
        self.assertEqual({200}, {answer.status for answer in again})
        self.assertTrue(any(map(is_replayed, again)))

    def test_command_line_client_sends_again_what_is_done_once(self):
        write_plan(self.plan_path, "latency=1500")
        url = f"http://127.0.0.1:{self.server.http_port}"
        made = subprocess.run([os.path.join(BIN, "diorama"), "project", "create", "name=by-cli",
                               f"--url={url}"], capture_output=True, text=True, timeout=60)
        write_plan(self.plan_path, "latency=0")
        self.assertEqual(made.returncode, 0, made.stderr)
        found = self.client.get("/v1/project?name=by-cli").body
        self.assertEqual([project["id"] for project in found], made.stdout.split())

    def test_many_at_once_make_one(self):
        answers = []

        def ask():
            with Client(self.server) as client:
                for path, body in ((self.objects, objects({"name": "a"})), ("/v1/scene", scenes({"name": "s"}))):
                    answers.append(send(client, "k", path, body))

        run_together(*[ask] * 16)
        self.assertTrue({answer.status for answer in answers} <= {200, 409}, answers)
        self.assertEqual(self.count(), 1)
        self.assertEqual([s.get("name") for s in self.client.all_scenes()].count("s"), 1)


class TwoActors(KeyCase, unittest.TestCase):
    flags = None

    def test_repeat_that_came_too_early_does_not_end_the_claim_of_the_first(self):
        self.start_server(scene_actors=4)
        plan_path = os.path.join(self.server.folder, "plan")
        write_plan(plan_path, "latency=0")
        self.server.restart(store_fault=f"file={plan_path}")

        def ask(key, name, answers):
            with Client(self.server) as client:
                answers.append(send(client, key, "/v1/scene", scenes({"key": name})).status)

        early = []
        for i in range(6):  # of which some have their claim with another actor than their scene
            statuses, key = [], f"key{i}"
            await_scene = self.server.awaits_delayed_commit("scene", 2)
            write_plan(plan_path, "latency=400")
            first = threading.Thread(target=ask, args=(key, f"one{i}", statuses))
            first.start()
            await_scene()  # whose commit follows that of the claim
            ask(key, f"one{i}", early)
            first.join()
            write_plan(plan_path, "latency=0")
            ask(key, f"two{i}", statuses)
            self.assertEqual(statuses, [200, 422])
        self.assertTrue(set(early) <= {200, 409}, early)


class Crash(KeyCase, unittest.TestCase):
    flags = None

    def crash_in(self, plan, path, body, key="k"):
        """kill -9 at a step of the commit of this request; then the server is there again."""
        plan_path = os.path.join(self.server.folder, "plan")
        write_plan(plan_path, "latency=0")
        self.server.start(store_fault=f"file={plan_path}")
        self.client = self.connect()
        write_plan(plan_path, plan)
        with self.assertRaises((http.client.HTTPException, OSError)):
            send(self.client, key, path, body)
        self.server.await_kill()
        self.server.start(store_fault=None)
        self.client = self.connect()

    def setUp(self):
        self.start_server()
        super().setUp()
        self.server.stop()

    def test_answer_that_was_lost_in_a_crash_comes_again(self):
        self.crash_in("kill-after=1", self.objects, objects({"name": "a"}))
        [made] = self.client.objects(self.scene)
        answer = send(self.client, "k", self.objects, objects({"name": "a"}))
        self.assertTrue(is_replayed(answer), answer)
        self.assertEqual(answer.body["objects"][0]["key"], made["key"])
        self.assertEqual(self.count(), 1)

    def test_what_never_happened_happens_at_the_repeat(self):
        self.crash_in("kill-before=1", self.objects, objects({"name": "a"}))
        self.assertEqual(self.count(), 0)
        self.assertFalse(is_replayed(send(self.client, "k", self.objects, objects({"name": "a"}))))
        self.assertEqual(self.count(), 1)

    def test_request_of_many_commits_goes_on_where_it_was_cut(self):
        body = objects(*({"name": str(i), "translation": [i, 0, 0]} for i in range(1000)))
        for step in ("kill-after=2", "kill-before=3"):
            with self.subTest(step=step):
                if self.server.is_running():
                    self.server.stop()
                self.crash_in(step, self.objects, body, step)
                made = {found["key"] for found in self.client.objects(self.scene)}
                self.assertTrue(0 < len(made) < 1000, len(made))
                answer = send(self.client, step, self.objects, body)
                self.assertEqual(answer.status, 200, answer)
                keys = [found["key"] for found in answer.body["objects"]]
                self.assertEqual(len(set(keys)), 1000)
                self.assertLessEqual(made, set(keys))
                self.assertEqual(sorted(keys), sorted(o["key"] for o in self.client.objects(self.scene)))
                self.assertEqual(send(self.client, step, self.objects, body).text, answer.text)
                self.client.ok("DELETE", self.path)
                self.client.put_scene(self.scene)


    def check_cut_scenes(self, step, actors):
        """The claim is the first commit; the second one takes the scenes of one turn at most."""
        body = scenes(*({"key": f"chosen{i}"} if i % 3 == 0 else {"name": str(i)} for i in range(1000)))
        self.crash_in(step, "/v1/scene", body)
        made = {scene["key"] for scene in self.client.all_scenes()} - {self.scene}
        self.assertTrue(0 < len(made) < 1000, len(made))
        self.server.crash(scene_actors=actors)
        self.client = self.connect()
        answer = send(self.client, "k", "/v1/scene", body)
        self.assertEqual((answer.status, is_replayed(answer)), (200, False), answer)
        keys = [scene["key"] for scene in answer.body["scenes"]]
        self.assertEqual(len(set(keys)), 1000)
        self.assertLessEqual(made, set(keys))
        self.assertEqual(sorted([*keys, self.scene]),
                         sorted(scene["key"] for scene in self.client.all_scenes()))
        for key in keys[:2]:
            self.client.ok("DELETE", scene_path(key))
        self.server.crash(scene_actors=2)
        self.client = self.connect()
        self.again(answer, "k", "/v1/scene", body)
        self.assertEqual(len(self.client.all_scenes()), 999, "none was made again")

    def test_repeat_makes_the_scenes_that_were_cut_off_after_a_commit(self):
        self.check_cut_scenes("kill-after=2", 1)

    def test_repeat_makes_the_scenes_that_were_cut_off_before_a_commit(self):
        self.check_cut_scenes("kill-before=3", 3)


class Bounds(KeyCase, unittest.TestCase):
    flags = None

    def test_answer_is_forgotten_when_its_time_is_over(self):
        self.start_server(http_idempotency=1)
        self.client.put_scene(self.scene)
        body = objects({"name": "a"})
        began = time.monotonic()
        first = send(self.client, "k", self.objects, body)
        answer = wait_until(lambda: next((a for a in [send(self.client, "k", self.objects, body)]
                                          if not is_replayed(a)), None))
        self.assertGreater(time.monotonic() - began, 0.9)
        self.assertNotEqual(answer.body["objects"][0]["key"], first.body["objects"][0]["key"])

    def test_the_oldest_goes(self):
        self.start_server(budget_idempotency_keys=3)
        for kind in ("project", "collection"):
            for name in "ab":
                send(self.client, name, f"/v1/{kind}", {"name": name})
        self.assertFalse(is_replayed(send(self.client, "a", "/v1/project", {"name": "a"})))
        self.assertTrue(is_replayed(send(self.client, "b", "/v1/collection", {"name": "b"})))
        self.server.crash()
        self.client = self.connect()
        self.assertTrue(is_replayed(send(self.client, "b", "/v1/collection", {"name": "b"})))
        self.assertEqual(self.server.metrics()['diorama_budget_held{budget="idempotency_keys"}'], 3)

    def test_request_of_many_scenes_takes_one_of_the_keys(self):
        self.start_server(budget_idempotency_keys=10)
        bodies = {key: scenes(*({"name": f"{key}{i}"} for i in range(8))) for key in "ab"}
        for key, body in bodies.items():
            self.assertEqual(send(self.client, key, "/v1/scene", body).status, 200)
        self.assertTrue(is_replayed(send(self.client, "a", "/v1/scene", bodies["a"])))
        self.assertEqual(len(self.client.all_scenes()), 16)
        self.assertEqual(self.server.metrics()['diorama_budget_held{budget="idempotency_keys"}'], 2)

    def test_addresses_have_keys_of_their_own(self):
        self.start_server(http_trusted_proxies="127.0.0.1")
        self.client.put_scene(self.scene)

        def ask(address):
            return self.client.request("POST", self.objects, objects({"name": "a"}),
                                       {"Idempotency-Key": "k", "X-Forwarded-For": address})

        self.assertEqual([is_replayed(ask(a)) for a in ("10.0.0.1", "10.0.0.2", "10.0.0.1")],
                         [False, False, True])


class Users(PeopleCase, unittest.TestCase):
    def test_users_have_keys_of_their_own_and_nobody_reads_anothers_answer(self):
        anna, bert = self.new_person("anna"), self.new_person("bert")
        self.addCleanup(anna.close)
        self.addCleanup(bert.close)
        body = {"name": "secret"}
        first = send(anna, "k", "/v1/project", body)
        other = send(bert, "k", "/v1/project", body)
        self.assertEqual((first.status, other.status, is_replayed(other)), (200, 200, False))
        self.assertNotEqual(first.body["id"], other.body["id"])
        self.assertTrue(is_replayed(send(anna, "k", "/v1/project", body)))


if __name__ == "__main__":
    unittest.main()
