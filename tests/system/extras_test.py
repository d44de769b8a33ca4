"""Tags, free members and visibility of objects, and the pace of actions: over HTTP, in queries, in every
feed, and after a restart."""

import unittest

from feeds import Subscriber, UdpDevice
from packed import PackedDevice
from streams import EventStream
from support import (SHARD_COUNTS, ServerCase, moved, object_path, objects, scene_path, wait_until,
                     with_shards)

MEMBERS = ("tags", "extras", "visible")
EXTRAS = {"z": [1, 1.0, -2.5, None, True, "é\n\"\u0000", {}, []], "a": {"b": {"c": [[[[0]]]]}},
          "big": 9007199254740993, "": ""}
FULL = {"name": "lamp", "tags": ["red", "light"], "extras": EXTRAS, "visible": False}
ACTION = {"name": "spin", "fps": 30.0, "loop": True}


def shown(record):
    return {member: record[member] for member in MEMBERS if member in record}


class ExtrasCase(ServerCase):
    def setUp(self):
        super().setUp()
        self.client.put_scene(self.scene)
        self.path = scene_path(self.scene) + "/object/"

    def create(self, **members):
        return self.client.create(self.scene, members)[0]

    def shown(self, key):
        return shown(self.client.object(self.scene, key))

    def found(self, *filters):
        answer = self.client.ok("POST", self.path + "query", objects(*filters))
        return [record["name"] for record in answer["objects"]]


@with_shards(*SHARD_COUNTS)
class Kept(ExtrasCase):
    def test_everything_sent_is_returned_in_its_order(self):
        key = self.create(**FULL)
        self.assertEqual(self.shown(key), {member: FULL[member] for member in MEMBERS})
        text = self.client.get(object_path(self.scene, key)).text
        self.assertIn('"extras":{"z":[1,1.0,-2.5,null,true,"é\\n\\"\\u0000",{},[]],"a":', text)

    def test_what_was_not_set_is_not_shown(self):
        key = self.create(name="plain", tags=[], extras=None, visible=None)
        self.assertEqual(self.shown(key), {})
        self.assertEqual(self.create(name="plain", extras=[]) and self.shown(key), {})
        self.client.ok("POST", object_path(self.scene, key) + "/action", {"name": "spin"})
        self.assertEqual(self.client.object(self.scene, key)["actions"],
                         [{"name": "spin", "description": "", "keyframes": []}])

    def test_any_json_is_kept(self):
        for value in ({}, [None], "text", "", 0, 1.5, -1, True, False, [[[[[[[[7]]]]]]]]):
            with self.subTest(value):
                self.assertEqual(self.shown(self.create(extras=value)), {"extras": value})

    def test_an_update_changes_the_members_that_it_names(self):
        key = self.create(**FULL)
        self.client.update(self.scene, key, visible=True)
        self.client.update(self.scene, key, extras={"n": 1}, transform=moved(1))
        self.assertEqual(self.shown(key), {"tags": FULL["tags"], "extras": {"n": 1}, "visible": True})

    def test_tags_are_appended_and_removed(self):
        key = self.create(**FULL)
        path = object_path(self.scene, key)
        self.client.ok("POST", path, objects({"tags": ["light", "new", ""]}, operation=10))
        self.assertEqual(self.shown(key)["tags"], ["red", "light", "new"])
        self.client.ok("POST", path, objects({"tags": ["red", "light", "new"]}, operation=11))
        self.assertNotIn("tags", self.shown(key))

    def test_a_restart_changes_nothing(self):
        key = self.create(**FULL, actions=[ACTION])
        other = self.create(name="plain")
        before = [self.client.object(self.scene, k) for k in (key, other)]
        self.restart()
        self.assertEqual([self.client.object(self.scene, k) for k in (key, other)], before)
        self.assertEqual(before[0]["actions"], [{"name": "spin", "description": "", "keyframes": [],
                                                 "fps": 30.0, "loop": True}])

    def test_the_pace_of_an_action_is_updated_by_its_name(self):
        for noun, array in (("object", "objects"), ("property", "properties")):
            made = self.client.ok("POST", f"{scene_path(self.scene)}/{noun}", {array: [{"name": "n"}]})
            path = f"{scene_path(self.scene)}/{noun}/{made[array][0]['key']}"
            self.client.ok("POST", path + "/action", ACTION)
            self.client.ok("POST", path + "/action/spin", {"fps": 60, "description": "d"})
            [action] = self.client.ok("GET", path)[array][0]["actions"]
            self.assertEqual((action["fps"], action["loop"], action["description"]), (60.0, True, "d"))
            self.client.refused(422, 111, "POST", path + "/action", {"name": "a", "fps": 0})
            self.client.refused(400, 110, "POST", path + "/action", {"name": "a", "loop": 1})


class Found(ExtrasCase, unittest.TestCase):
    def test_a_query_finds_the_objects_that_have_all_tags(self):
        for name, tags in (("a", ["red"]), ("b", ["red", "big"]), ("c", ["big"]), ("d", [])):
            self.create(name=name, tags=tags)
        self.assertEqual(sorted(self.found({"tags": ["red"]})), ["a", "b"])
        self.assertEqual(self.found({"tags": ["big", "red"]}), ["b"])
        self.assertEqual(self.found({"tags": ["re"]}), [])
        self.assertEqual(sorted(self.found({"tags": ["red"], "name": "a"}, {"tags": ["big"], "name": "c"})),
                         ["a", "c"])
        self.assertEqual(sorted(self.found({"tags": []})), ["a", "b", "c", "d"])


class Refused(ExtrasCase, unittest.TestCase):
    def test_what_is_wrong_is_named(self):
        key = self.create(name="o")
        for members, status, code, pointer in (
                ({"extras": {"a": [[[[[[[[]]]]]]]]}}, 422, 111, "/extras"),
                ({"extras": "x" * 4095}, 422, 111, "/extras"),
                ({"extras": [1e14] * 1000}, 422, 111, "/extras"),
                ({"tags": [f"t{n}" for n in range(65)]}, 422, 111, "/tags"),
                ({"tags": ["x" * 4097]}, 422, 111, "/tags/0"),
                ({"tags": "red"}, 400, 110, "/tags"),
                ({"tags": ["red", 7]}, 400, 110, "/tags/1"),
                ({"visible": "no"}, 400, 110, "/visible")):
            for path in (self.path, object_path(self.scene, key)):
                with self.subTest(members=str(members)[:40], path=path):
                    body = self.client.refused(status, code, "POST", path, objects(members))
                    self.assertEqual(body["errors"][0]["pointer"], "/objects/0" + pointer)
        self.assertEqual(self.shown(key), {})

    def test_the_largest_fits(self):
        self.assertEqual(len(self.shown(self.create(extras="x" * 4094))["extras"]), 4094)

    def test_they_are_no_unknown_members(self):
        answer = self.client.post(self.path + "?strict=true", objects({**FULL, "actions": [ACTION]}))
        self.assertEqual(answer.status, 200, answer)
        self.assertNotIn("warnings", answer.body)
        answer = self.client.post(self.path, objects({"extras": {"unknown": 1, "nmae": 2}}))
        self.assertNotIn("warnings", answer.body)


class Fed(ExtrasCase, unittest.TestCase):
    def listen(self, device):
        self.addCleanup(device.close)
        self.client.register(self.scene, device.record())
        return device

    def test_every_feed_tells_them(self):
        plain, packed = self.listen(UdpDevice("plain")), self.listen(PackedDevice("packed"))
        subscriber = Subscriber(self.server)
        self.addCleanup(subscriber.close)
        stream = EventStream(self.server, scene_path(self.scene) + "/events")
        self.addCleanup(stream.close)
        stream.snapshot()
        key, expected = self.create(**FULL), {member: FULL[member] for member in MEMBERS}
        self.assertEqual(shown(stream.change()["object"]), expected)
        self.assertEqual(shown(plain.wait_for(lambda event: event.get("key") == key)), expected)
        message = subscriber.wait_for(lambda m: m.body and m.body.get("key") == key)
        self.assertEqual(shown(message.body), expected)
        wait_until(packed.changes)
        self.assertEqual(shown(packed.changes()[0][2]), expected)

        self.client.ok("POST", object_path(self.scene, key), objects({"tags": FULL["tags"]}, operation=11))
        wait_until(lambda: any("tags" in fields and fields["tags"] is None
                               for _, _, fields in packed.changes()))
        gone = plain.wait_for(lambda event: event.get("key") == key and "tags" not in event)
        self.assertEqual(gone["extras"], EXTRAS)

    def test_an_object_without_them_is_told_as_before(self):
        plain = self.listen(UdpDevice("plain"))
        key = self.create(name="o")
        event = plain.wait_for(lambda event: event.get("key") == key)
        self.assertEqual(list(event), ["msg_type", "key", "name", "scene", "type", "subtype", "owner",
                                       "parent", "transform", "assets", "actions", "seq", "prev"])

    def test_a_datagram_changes_what_it_names(self):
        sender = self.listen(UdpDevice("sender"))
        key = self.create(**FULL)
        sender.send(self.server, {"msg_type": 1, "key": key, "transform": moved(3)})
        wait_until(lambda: self.client.object(self.scene, key)["transform"][3] == 3)
        self.assertEqual(self.shown(key), {member: FULL[member] for member in MEMBERS})
        sender.send(self.server, {"msg_type": 1, "key": key, "visible": True, "tags": ["new"]})
        wait_until(lambda: self.shown(key) == {"tags": ["new"], "extras": EXTRAS, "visible": True})


if __name__ == "__main__":
    unittest.main()
