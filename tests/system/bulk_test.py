"""Many objects and properties of a scene in one commit: all of it, or nothing, under conditions, with
events that follow each other."""

import json
import time
import unittest

from feeds import UdpDevice
from people import PeopleCase
from streams import EventStream
from support import (Client, ServerCase, is_sanitized, object_path, run_together, scene_path, wait_until,
                     with_shards)


class BulkCase(ServerCase):
    def setUp(self):
        super().setUp()
        self.path = scene_path(self.scene) + "/bulk"
        self.client.put_scene(self.scene)

    def bulk(self, query="", client=None, **body):
        answer = (client or self.client).request("POST", self.path + query, body)
        self.assertEqual(answer.status, 200, answer)
        return answer.body

    def assert_refused(self, status, err_code, pointer, query="", **body):
        before = self.client.objects(self.scene)
        answer = self.client.request("POST", self.path + query, body)
        self.assertEqual((answer.status, answer.body["err_code"]), (status, err_code), answer)
        self.assertEqual([error["pointer"] for error in answer.body["errors"]], [pointer], answer)
        self.assertEqual(self.client.objects(self.scene), before)

    def name(self, key):
        return self.client.object(self.scene, key)["name"]


@with_shards(1, 3)
class Bulk(BulkCase):
    def test_keys_are_answered_in_the_order_of_the_request(self):
        answer = self.bulk(create=[{"name": f"o{n}"} for n in range(50)],
                           properties={"create": [{"key": "heat"}, {"name": "p"}]})
        self.assertEqual([self.name(key) for key in answer["created"]],
                         [f"o{n}" for n in range(50)])
        self.assertEqual(answer["created_properties"][0], "heat")
        self.assertEqual(len(answer["created_properties"]), 2)

    def test_things_are_created_changed_and_deleted(self):
        a, b = self.client.create(self.scene, {"name": "a", "type": "Mesh"}, {"name": "b"})
        self.bulk(update=[{"key": a, "name": "c"}], delete=[b], create=[{"name": "d"}])
        self.assertEqual(sorted(one["name"] for one in self.client.objects(self.scene)), ["c", "d"])
        self.assertEqual(self.client.object(self.scene, a)["type"], "Mesh")

    def test_events_follow_each_other(self):
        a, b = self.client.create(self.scene, {"name": "a"}, {"name": "b"})
        with EventStream(self.server, scene_path(self.scene) + "/events") as stream:
            stream.snapshot()
            created = self.bulk(delete=[b], update=[{"key": a, "name": "c"}],
                                create=[{"name": "d"}])["created"][0]
            changes = [stream.change() for _ in range(3)]
        self.assertEqual([change["object"]["key"] for change in changes], [created, a, b])
        seqs = [change["seq"] for change in changes]
        self.assertEqual(seqs, list(range(seqs[0], seqs[0] + 3)))

    def test_numbers_are_in_the_axes_of_the_request(self):
        key = self.bulk("?convention=unity", create=[{"translation": [1, 2, 3]}])["created"][0]
        self.assertEqual(self.client.object(self.scene, key)["transform"][3:12:4], [1.0, 2.0, -3.0])

    def test_thousand_things_that_others_move_are_changed_at_once(self):
        keys = self.client.create(self.scene, *({"name": "a"} for _ in range(1000)))
        device = UdpDevice("d1")
        self.addCleanup(device.close)
        self.client.register(self.scene, device.record())
        ended = []

        def move():
            while not ended:
                for key in keys[:50]:
                    device.send(self.server, {"msg_type": 1, "key": key, "translation": [1, 2, 3]})
                time.sleep(0.002)

        def change():
            try:
                for n in range(5):
                    self.bulk(update=[{"key": key, "name": f"n{n}"} for key in keys])
            finally:
                ended.append(True)

        run_together(move, change)
        self.assertEqual({one["name"] for one in self.client.objects(self.scene)}, {"n4"})


@with_shards(1)
class Refused(BulkCase):
    def setUp(self):
        super().setUp()
        self.key, self.other = self.client.create(self.scene, {"name": "a"}, {"name": "b"})

    def tag(self, key):
        return self.client.get(object_path(self.scene, key)).headers["ETag"]

    def test_nothing_is_done_where_one_thing_cannot_be(self):
        change = {"key": self.key, "name": "c"}
        self.assert_refused(404, 102, "/update/1", update=[change, {"key": "nobody"}])
        self.assert_refused(422, 111, "/update/1", update=[change, {"key": self.key}])
        self.assert_refused(400, 122, "/update/1/key", update=[change, {"name": "c"}])
        self.assert_refused(422, 111, "/create/0/quaternion_rotation", update=[change],
                            create=[{"quaternion_rotation": [0, 0, 0, 0]}])
        self.assert_refused(400, 122, "")
        self.assert_refused(400, 110, "/update", update={"key": self.key})
        self.assert_refused(400, 110, "/if", update=[change], **{"if": [self.key]})
        self.assert_refused(422, 111, "/create", create=[{}] * 1001)
        self.assert_refused(422, 111, "", create=[{}] * 600, properties={"create": [{}] * 600})

    def test_more_than_a_commit_takes_is_refused_before_it_is_made(self):
        large = {"assets": [f"{n:03}" + "y" * 3900 for n in range(250)]}  # 1 MiB in memory
        keys = [key for _ in range(64) for key in self.client.create(self.scene, large)]
        before = self.server.peak_bytes()
        self.client.refused(413, 140, "POST", self.path,
                            {"update": [{"key": key, "name": "c"} for key in keys]})
        self.assertEqual(self.name(keys[0]), "")
        if not is_sanitized():
            self.assertLess(self.server.peak_bytes() - before, 24 << 20)

    def test_unknown_member_is_a_warning_or_refused(self):
        answer = self.client.post(self.path, {"create": [{"nam": "x"}]})
        self.assertEqual([warning["pointer"] for warning in
                          json.loads(answer.headers["Diorama-Warnings"])], ["/create/0/nam"])
        self.assert_refused(422, 111, "/create/0/nam", "?strict=true", create=[{"nam": "x"}])

    def test_condition_is_the_tag_of_any_thing(self):
        self.bulk(update=[{"key": self.key, "name": "c"}], **{"if": {self.other: self.tag(self.other)}})
        self.assertEqual(self.name(self.key), "c")
        self.assert_refused(412, 124, f"/if/{self.key}", delete=[self.other],
                            **{"if": {self.key: self.tag(self.other), self.other: "*"}})

    def test_of_many_who_saw_one_state_one_wins(self):
        tag, won = self.tag(self.key), []

        def try_it(number):
            with Client(self.server) as client:
                answer = client.request("POST", self.path, {
                    "update": [{"key": self.key, "name": f"n{number}"}], "create": [{"name": "x"}],
                    "if": {self.key: tag}})
                if answer.status == 200:
                    won.append(number)
                else:
                    self.assertEqual(answer.status, 412, answer)

        run_together(*(lambda number=number: try_it(number) for number in range(8)))
        self.assertEqual(len(won), 1)
        self.assertEqual(self.name(self.key), f"n{won[0]}")
        self.assertEqual(len(self.client.objects(self.scene)), 3)

    def test_locked_thing_is_its_holders(self):
        self.client.ok("GET", object_path(self.scene, self.key) + "/lock?device=d1")
        self.bulk("?device=d1", update=[{"key": self.key, "name": "c"}])
        self.restart("restart", locks_enforce="true")
        self.path = scene_path(self.scene) + "/bulk"
        self.assert_refused(423, 123, "/delete/1", delete=[self.other, self.key])
        self.bulk("?device=d1", delete=[self.other, self.key])
        self.assertEqual(self.client.objects(self.scene), [])


class Owners(PeopleCase, unittest.TestCase):
    def test_nobody_locks_in_the_name_of_anothers_device(self):
        owner, other = self.new_person("owner"), self.new_person("other")
        for person in (owner, other):
            self.addCleanup(person.close)
        self.admin.put_scene(self.scene)
        owner.register(self.scene, {"key": "phone"})
        key, = self.admin.create(self.scene, {"name": "cube"})
        path = scene_path(self.scene) + "/bulk"
        for body in ({"create": [{"owner": "phone"}]}, {"update": [{"key": key, "owner": "phone"}]}):
            other.refused(403, 131, "POST", path, body)
        self.assertEqual([one["owner"] for one in self.admin.objects(self.scene)], [""])
        answer = owner.post(path, {"update": [{"key": key, "owner": "phone"}]})
        self.assertEqual(answer.status, 200, answer)
        self.assertEqual(self.admin.object(self.scene, key)["owner"], "phone")


class Budgets(PeopleCase, unittest.TestCase):
    flags = None

    def test_budget_is_of_all_things_together(self):
        self.start_server(auth_enabled="true", pub_insecure="true", budget_record_bytes="100K",
                          auth_admin_password="correct horse battery")
        admin = self.enter(self.server, "admin")
        self.sign_up("greedy", admin)
        greedy = self.enter(self.server, "greedy")
        for person in (admin, greedy):
            self.addCleanup(person.close)
        greedy.put_scene(self.scene)
        path = scene_path(self.scene) + "/bulk"
        things = [{"name": "n" * 1000} for _ in range(60)]
        self.assertEqual(greedy.post(path, {"create": things}).status, 200)
        greedy.refused(507, 120, "POST", path, {"create": things})
        self.assertEqual(len(greedy.objects(self.scene)), 60)


if __name__ == "__main__":
    unittest.main()
