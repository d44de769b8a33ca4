"""Conditional requests: entity tags of scenes and objects, If-None-Match
on reads, both conditions on writes, HEAD and OPTIONS."""

import json
import socket
import threading
import unittest

from support import (SHARD_COUNTS, Client, ServerCase, objects, object_path, run_together, scene_path,
                     scenes, wait_until, with_shards)

LOCK = "/lock?device=d1"


class Tags:
    """What these tests ask again and again."""

    def ask(self, method, path, body=None, **headers):
        fields = {name.replace("_", "-"): value for name, value in headers.items()}
        return self.client.request(method, path, body, fields)

    def tag(self, path, **headers):
        answer = self.ask("GET", path, **headers)
        self.assertEqual(answer.status, 200, answer)
        self.assertRegex(answer.headers["ETag"], r'^"[0-9a-f]{32}(-gzip|-zstd)?"$')
        return answer.headers["ETag"]

    def make_object(self, **members):
        self.client.put_scene(self.scene)
        [key] = self.client.create(self.scene, {"name": "cube", **members})
        return object_path(self.scene, key)

    def assert_failed(self, answer):
        self.assertEqual(answer.status, 412, answer)
        self.assertEqual(answer.body["err_code"], 124)
        self.assertNotIn("ETag", answer.headers)


@with_shards(*SHARD_COUNTS)
class Reads(Tags, ServerCase):
    def test_tag_stays_while_the_record_does(self):
        path = self.make_object()
        self.assertEqual(self.tag(path), self.tag(path))
        self.assertEqual(self.tag(scene_path(self.scene)), self.tag(scene_path(self.scene)))

    def test_same_tag_means_same_bytes(self):
        path = self.make_object()
        one, other = self.ask("GET", path), self.ask("GET", path)
        self.assertEqual(one.headers["ETag"], other.headers["ETag"])
        self.assertEqual(one.content, other.content)

    def test_write_changes_the_tag(self):
        path = self.make_object()
        before = self.tag(path)
        self.client.ok("POST", path, objects({"name": "ball"}))
        after = self.tag(path)
        self.assertNotEqual(before, after)
        self.client.ok("POST", path, objects({"name": "cube"}))
        self.assertEqual(self.tag(path), before)

    def test_update_by_udp_changes_the_tag(self):
        path = self.make_object()
        before = self.tag(path)
        datagram = {"msg_type": 1, "key": path.rsplit("/", 1)[1], "name": "moved"}
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as device:
            device.sendto(json.dumps(datagram).encode(), ("127.0.0.1", self.server.udp_port))
        wait_until(lambda: self.tag(path) != before, what="another tag")
        self.assert_failed(self.ask("POST", path, objects({"name": "x"}), If_Match=before))

    def test_lock_changes_the_tag_of_its_object(self):
        path = self.make_object()
        before = self.tag(path)
        self.client.ok("GET", path + LOCK)
        self.assertNotEqual(self.tag(path), before)

    def test_registration_changes_the_tag_of_its_scene(self):
        self.client.put_scene(self.scene)
        path = scene_path(self.scene)
        before = self.tag(path)
        self.client.register(self.scene, {"key": "d1"})
        registered = self.tag(path)
        self.assertNotEqual(registered, before)
        self.client.deregister(self.scene, "d1")
        self.assertEqual(self.tag(path), before)

    def test_tag_survives_a_restart(self):
        path = self.make_object()
        self.client.register(self.scene, {"key": "d1"})
        before = self.tag(path), self.tag(scene_path(self.scene))
        self.restart()
        self.assertEqual((self.tag(path), self.tag(scene_path(self.scene))), before)

    def test_known_state_is_304(self):
        path = self.make_object()
        tag = self.tag(path)
        for known in (tag, f'"x", {tag}', f"W/{tag}", "*"):
            answer = self.ask("GET", path, If_None_Match=known)
            self.assertEqual((answer.status, answer.content), (304, b""), known)
            self.assertEqual(answer.headers["ETag"], tag)
            self.assertEqual(answer.headers["Cache-Control"], "private, no-cache")
            self.assertEqual(answer.headers["Vary"], "Accept-Encoding")
            self.assertNotIn("Content-Type", answer.headers)

    def test_connection_goes_on_after_a_304(self):
        path = self.make_object()
        tag = self.tag(path)
        self.assertEqual(self.ask("GET", path, If_None_Match=tag).status, 304)
        self.assertEqual(self.ask("GET", path).status, 200)

    def test_other_state_is_200(self):
        path = self.make_object()
        tag = self.tag(path)
        self.client.ok("POST", path, objects({"name": "ball"}))
        answer = self.ask("GET", path, If_None_Match=tag)
        self.assertEqual(answer.status, 200)
        self.assertEqual(answer.body["objects"][0]["name"], "ball")

    def test_read_of_another_state_is_412(self):
        path = self.make_object()
        self.assertEqual(self.ask("GET", path, If_Match=self.tag(path)).status, 200)
        self.assert_failed(self.ask("GET", path, If_Match='"x"'))

    def test_missing_record_is_404_whatever_the_condition(self):
        self.client.put_scene(self.scene)
        for path in (scene_path("nowhere"), object_path(self.scene, "0" * 24)):
            for headers in ({"If_Match": "*"}, {"If_None_Match": "*"}):
                self.assertEqual(self.ask("GET", path, **headers).status, 404, path)

    def test_what_is_no_tag_is_400(self):
        path = self.make_object()
        for field in ("If_Match", "If_None_Match"):
            for method in ("GET", "DELETE"):
                answer = self.ask(method, path, **{field: "abc"})
                self.assertEqual((answer.status, answer.body["err_code"]), (400, 110))
        self.assertEqual(self.ask("GET", path).status, 200)


@with_shards(*SHARD_COUNTS)
class Writes(Tags, ServerCase):
    def test_write_to_the_named_state_is_done(self):
        path = self.make_object()
        answer = self.ask("POST", path, objects({"name": "ball"}), If_Match=f'"x", {self.tag(path)}')
        self.assertEqual(answer.status, 200)
        self.assertEqual(self.client.object(self.scene, path.rsplit("/", 1)[1])["name"], "ball")

    def test_write_to_another_state_changes_nothing(self):
        path = self.make_object()
        stale = self.tag(path)
        self.client.ok("POST", path, objects({"name": "ball"}))
        before = self.ask("GET", path).content
        writes = [("POST", path, objects({"name": "x"})), ("POST", path, {"name": "x"}),
                  ("POST", path, objects()), ("DELETE", path, None), ("GET", path + LOCK, None),
                  ("DELETE", path + LOCK, None), ("PUT", path + "/asset/a", None),
                  ("DELETE", path + "/asset/a", None)]
        for method, target, body in writes:
            self.assert_failed(self.ask(method, target, body, If_Match=stale))
            self.assert_failed(self.ask(method, target, body, If_None_Match="*"))
        self.assertEqual(self.ask("GET", path).content, before)

    def test_write_of_a_scene_to_another_state_changes_nothing(self):
        path = scene_path(self.scene)
        self.client.put_scene(self.scene)
        stale = self.tag(path)
        self.client.register(self.scene, {"key": "d1"})
        before = self.ask("GET", path).content
        device = scenes({"devices": [{"key": "d1", "transform": {}}]})
        writes = [("PUT", path, scenes({"name": "x"})), ("POST", path, scenes({"name": "x"})),
                  ("DELETE", path, None), ("PUT", path + "/asset/a", None),
                  ("DELETE", path + "/asset/a", None), ("POST", path + "/register", device),
                  ("POST", path + "/align", device), ("POST", path + "/deregister", device)]
        for method, target, body in writes:
            self.assert_failed(self.ask(method, target, body, If_Match=stale))
        self.assertEqual(self.ask("GET", path).content, before)
        for method, target, body in writes[3:]:
            self.assertEqual(self.ask(method, target, body, If_Match=self.tag(path)).status, 200)

    def test_scene_is_made_only_where_there_is_none(self):
        path = scene_path(self.scene)
        self.assert_failed(self.ask("PUT", path, scenes({"name": "x"}), If_Match="*"))
        self.assertEqual(self.ask("GET", path).status, 404)
        first = self.ask("PUT", path, scenes({"name": "first"}), If_None_Match="*")
        self.assertEqual(first.status, 200)
        self.assert_failed(self.ask("PUT", path, scenes({"name": "second"}), If_None_Match="*"))
        self.assertEqual(self.client.scene(self.scene)["name"], "first")

    def test_one_of_many_makes_the_scene(self):
        path, won = scene_path(self.scene), []

        def race(name):
            with Client(self.server) as client:
                answer = client.request("PUT", path, scenes({"name": name}), {"If-None-Match": "*"})
                self.assertIn(answer.status, (200, 412))
                won.extend([name] if answer.status == 200 else [])

        run_together(*[lambda n=n: race(f"n{n}") for n in range(16)])
        self.assertEqual([self.client.scene(self.scene)["name"]], won)

    def test_weak_tag_is_412(self):
        path = self.make_object()
        self.assert_failed(self.ask("POST", path, objects({"name": "x"}),
                                    If_Match="W/" + self.tag(path)))

    def test_what_has_no_state_matches_none(self):
        self.client.put_scene(self.scene)
        path = scene_path(self.scene) + "/object"
        self.assert_failed(self.ask("POST", path, objects({"name": "x"}), If_Match="*"))
        self.assert_failed(self.ask("POST", "/v1/scene", scenes({"name": "x"}), If_Match="*"))
        self.assertEqual(self.client.objects(self.scene), [])

    def test_other_refusals_come_first(self):
        path = self.make_object(owner="d2")
        for headers in ({"If_Match": '"x"'}, {"If_Match": "*"}):
            self.assertEqual(self.ask("GET", path + LOCK, **headers).status, 423)
            self.assertEqual(self.ask("DELETE", scene_path("nowhere"), **headers).status, 404)

    def test_answer_of_an_update_names_the_new_state(self):
        path = self.make_object()
        answer = self.ask("POST", path, objects({"name": "ball"}))
        self.assertEqual(answer.headers["ETag"], self.tag(path))
        again = self.ask("POST", path, objects({"name": "x"}), If_Match=answer.headers["ETag"])
        self.assertEqual(again.status, 200)

    def test_answer_that_shows_no_record_names_no_state(self):
        path = self.make_object()
        self.assertNotIn("ETag", self.ask("POST", path, {"name": "ball"}).headers)
        self.assertNotIn("ETag", self.ask("PUT", scene_path(self.scene), scenes({})).headers)

    def test_no_update_is_lost(self):
        """Sixteen clients count in one object, each with the state that it read."""
        path, rounds, clients = self.make_object(frame=0), 20, 16
        lost = threading.Event()

        def count():
            with Client(self.server) as client:
                for _ in range(rounds):
                    while True:
                        found = client.get(path)
                        frame = found.body["objects"][0]["frame"]
                        answer = client.request("POST", path, objects({"frame": frame + 1}),
                                                {"If-Match": found.headers["ETag"]})
                        if answer.status == 200:
                            break
                        self.assertEqual(answer.status, 412)
                        lost.set()

        run_together(*[count] * clients)
        self.assertEqual(self.client.object(self.scene, path.rsplit("/", 1)[1])["frame"],
                         rounds * clients)
        self.assertTrue(lost.is_set(), "nobody ever met another: the test shows nothing")

    def test_no_update_of_a_scene_of_many_devices_is_lost(self):
        """Its state takes several turns to compare, and others change it meanwhile."""
        path, clients, rounds = scene_path(self.scene), 4, 5
        self.client.put_scene(self.scene, name="0")
        devices = [{"key": f"d{number:04}"} for number in range(3000)]
        self.client.ok("POST", path + "/register", scenes({"devices": devices}))

        def count():
            with Client(self.server) as client:
                for _ in range(rounds):
                    status = 412
                    while status == 412:
                        found = client.get(path)
                        name = str(int(found.body["scenes"][0]["name"]) + 1)
                        answer = client.request("POST", path, scenes({"name": name}),
                                                {"If-Match": found.headers["ETag"]})
                        status = answer.status
                    self.assertEqual(status, 200, answer)

        run_together(*[count] * clients)
        self.assertEqual(self.client.scene(self.scene)["name"], str(rounds * clients))

    def test_registration_with_a_condition_on_many_devices_is_decided_once(self):
        path = scene_path(self.scene)
        self.client.put_scene(self.scene)
        devices = [{"key": f"d{number:04}"} for number in range(3000)]
        self.client.ok("POST", path + "/register", scenes({"devices": devices}))
        tag, moved = self.tag(path), scenes({"devices": devices[:700]})
        answer = self.ask("POST", path + "/register", moved, If_Match='"another"')
        self.assert_failed(answer)
        self.assertEqual(self.tag(path), tag)
        answer = self.ask("POST", path + "/deregister", moved, If_Match=tag)
        self.assertEqual(answer.status, 200, answer)
        self.assertEqual(len(self.client.scene(self.scene)["devices"]), 2300)
        self.assert_failed(self.ask("POST", path + "/deregister", scenes({"devices": devices[700:]}),
                                    If_Match=tag))

    def test_large_registration_is_one_decision(self):
        """It is committed in slices, and the first changes the scene's state."""
        self.client.put_scene(self.scene)
        devices = [{"key": f"d{n:04}"} for n in range(700)]
        tag = self.tag(scene_path(self.scene))
        answer = self.ask("POST", scene_path(self.scene) + "/register",
                          scenes({"devices": devices}), If_Match=tag)
        self.assertEqual(answer.status, 200, answer)
        self.assertEqual(len(self.client.scene(self.scene)["devices"]), 700)


class Methods(Tags, ServerCase, unittest.TestCase):
    def test_head_says_what_get_says(self):
        path = self.make_object()
        for target in (path, scene_path(self.scene), "/livez", "/readyz", "/health"):
            get, head = self.ask("GET", target), self.ask("HEAD", target)
            self.assertEqual((head.status, head.content), (200, b""), target)
            for field in ("Content-Length", "Content-Type", "ETag", "Cache-Control", "Vary"):
                self.assertEqual(head.headers[field], get.headers[field], (target, field))

    def test_head_of_a_known_state_is_304(self):
        path = self.make_object()
        self.assertEqual(self.ask("HEAD", path, If_None_Match=self.tag(path)).status, 304)

    def test_head_of_what_is_missing_is_404(self):
        answer = self.ask("HEAD", scene_path("nowhere"))
        self.assertEqual((answer.status, answer.content), (404, b""))

    def test_head_never_locks(self):
        path = self.make_object()
        self.assertEqual(self.ask("HEAD", path + LOCK).status, 405)
        self.assertEqual(self.client.object(self.scene, path.rsplit("/", 1)[1])["owner"], "")

    def test_options_says_what_is_allowed(self):
        path = self.make_object()
        allowed = {
            path: "POST, GET, HEAD, DELETE, OPTIONS",
            path + "/lock": "PUT, GET, DELETE, OPTIONS",
            scene_path("any"): "PUT, POST, GET, HEAD, DELETE, OPTIONS",
            "/v1/scene": "POST, GET, HEAD, OPTIONS",
            "/livez": "GET, HEAD, OPTIONS",
        }
        for target, methods in allowed.items():
            answer = self.ask("OPTIONS", target)
            self.assertEqual((answer.status, answer.content), (204, b""), target)
            self.assertEqual(answer.headers["Allow"], methods)
        self.assertEqual(self.ask("OPTIONS", "/nowhere").status, 404)


if __name__ == "__main__":
    unittest.main()
