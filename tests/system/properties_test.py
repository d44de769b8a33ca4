"""Properties over HTTP and their events."""

import unittest
from urllib.parse import quote

from feeds import Subscriber, UdpDevice
from keys import is_generated, keys_on_shards, partition_of_key, partition_of_scene
from support import SHARD_COUNTS, ServerCase, scene_path, wait_until, with_shards

VALUE = {"value": 1.5, "left_type": "vector", "left_x": 1.0, "left_y": 2.0,
         "right_type": "free", "right_x": -3.0, "right_y": 4.25}
FULL = {"name": "gravity", "parent": "p", "asset_sub_id": "sub", "frame": -3,
        "timestamp": 1234567890123, "values": [110.0, VALUE]}


def properties(*records, **envelope):
    return {"properties": list(records), **envelope}


class PropertyCase(ServerCase):
    def setUp(self):
        super().setUp()
        self.path = scene_path(self.scene) + "/property"

    def create(self, *records):
        return [r["key"] for r in
                self.client.ok("POST", self.path, properties(*records))["properties"]]

    def property(self, key):
        return self.client.ok("GET", f"{self.path}/{key}")["properties"][0]

    def update(self, key, /, **members):
        return self.client.ok("POST", f"{self.path}/{key}", properties(members))["properties"][0]

    def names(self, filters, **envelope):
        body = self.client.ok("POST", self.path + "/query", properties(*filters, **envelope))
        return sorted(record["name"] for record in body["properties"])


@with_shards(*SHARD_COUNTS)
class Creation(PropertyCase):
    def test_a_creation_is_answered_under_both_names_with_the_key(self):
        answer = self.client.post(self.path + "/", properties({"name": "a", "values": [1]}))
        body = answer.body
        self.assertEqual((answer.status, body["msg_type"], body["err_code"], body["num_records"]),
                         (200, 8, 100, 1))
        key = body["properties"][0]["key"]
        self.assertEqual(body["properties"], [{"key": key}])
        self.assertEqual(body["objects"], [{"key": key}])
        self.assertEqual(answer.headers["Location"], f"{self.path}/{key}")
        self.assertTrue(is_generated(key))
        self.assertEqual(partition_of_key(key), partition_of_scene(self.scene))

    def test_everything_sent_is_returned_in_the_form_sent(self):
        key = self.create(FULL)[0]
        body = self.client.ok("GET", f"{self.path}/{key}")
        self.assertEqual((body["msg_type"], body["num_records"]), (10, 1))
        self.assertEqual(body["properties"][0],
                         {**FULL, "key": key, "scene": self.scene, "actions": []})

    def test_a_property_of_which_nothing_was_sent_has_defaults(self):
        key = self.create({"key": "", "values": [], "actions": [], "frame": None})[0]
        self.assertEqual(self.property(key),
                         {"key": key, "name": "", "scene": self.scene, "parent": "",
                          "asset_sub_id": "", "values": [], "actions": []})

    def test_a_value_record_has_all_its_members(self):
        key = self.create({"values": [{"value": 7}]})[0]
        self.assertEqual(self.property(key)["values"], [
            {"value": 7.0, "left_type": "", "left_x": 0.0, "left_y": 0.0,
             "right_type": "", "right_x": 0.0, "right_y": 0.0}])

    def test_more_than_four_values_are_refused(self):
        self.create({"values": [1, 2, 3, 4]})
        body = self.client.refused(422, 111, "POST", self.path, properties({"values": [1] * 5}))
        self.assertEqual(body["errors"][0]["pointer"], "/properties/0/values")

    def test_wrong_types_are_refused_with_their_place(self):
        for record, pointer in (({"name": 1}, "name"), ({"values": ["x"]}, "values/0"),
                                ({"values": 1}, "values"), ({"frame": "x"}, "frame"),
                                ({"values": [1, {"value": "x"}]}, "values/1/value")):
            body = self.client.refused(400, 110, "POST", self.path, properties({}, record))
            self.assertEqual(body["errors"][0]["pointer"], "/properties/1/" + pointer)

    def test_many_are_created_in_the_order_sent(self):
        keys = self.create(*({"key": f"k{n}", "name": str(n)} for n in range(700)))
        self.assertEqual(keys, [f"k{n}" for n in range(700)])
        self.assertEqual(self.property("k699")["name"], "699")


@with_shards(*SHARD_COUNTS)
class Keys(PropertyCase):
    def test_a_chosen_key_is_unique_in_its_scene_and_found_only_there(self):
        others = keys_on_shards(self.scene, self.shards) + [self.scene + " x"]
        self.assertEqual(self.create({"key": "speed", "name": "here"}), ["speed"])
        body = self.client.refused(409, 124, "POST", self.path, properties({}, {"key": "speed"}))
        self.assertEqual([error["pointer"] for error in body["errors"]], ["/properties/1/key"])
        for other in others:
            self.client.refused(404, 102, "GET", scene_path(other) + "/property/speed")
            self.client.ok("POST", scene_path(other) + "/property",
                           properties({"key": "speed", "name": other}))
            found = self.client.ok("GET", scene_path(other) + "/property/speed")["properties"][0]
            self.assertEqual((found["name"], found["scene"]), (other, other))
        self.assertEqual(self.property("speed")["name"], "here")

    def test_a_key_that_stands_twice_in_a_request_creates_nothing(self):
        self.client.refused(409, 124, "POST", self.path, properties({"key": "a"}, {"key": "a"}))
        self.client.refused(404, 102, "GET", self.path + "/a")

    def test_a_key_of_24_hex_digits_is_refused(self):
        body = self.client.refused(422, 111, "POST", self.path, properties({"key": "0" * 24}))
        self.assertEqual(body["errors"][0]["pointer"], "/properties/0/key")

    def test_a_generated_key_is_found_whatever_the_scene_of_the_url(self):
        key = self.create({"name": "a"})[0]
        elsewhere = scene_path("none such") + "/property/" + key
        self.assertEqual(self.client.ok("GET", elsewhere)["properties"][0]["scene"], self.scene)
        self.client.ok("POST", elsewhere, properties({"name": "b"}))
        self.assertEqual(self.property(key)["name"], "b")
        self.client.ok("DELETE", elsewhere)
        self.client.refused(404, 102, "GET", f"{self.path}/{key}")

    def test_the_key_of_an_object_is_no_property_and_the_other_way_round(self):
        thing, other = self.create({})[0], self.client.create(self.scene, {})[0]
        self.client.refused(404, 102, "GET", f"{self.path}/{other}")
        self.client.refused(404, 102, "GET", f"{scene_path(self.scene)}/object/{thing}")

    def test_a_chosen_key_may_have_any_characters_but_a_slash(self):
        key = "ä b%2F?#\"'" + "x" * 100
        answer = self.client.post(self.path, properties({"key": key, "name": "odd"}))
        path = self.path + "/" + quote(key, safe="")
        self.assertEqual(answer.body["properties"], [{"key": key}])
        self.assertEqual(answer.headers["Location"], path)
        found = self.client.ok("GET", path)["properties"][0]
        self.assertEqual((found["key"], found["name"]), (key, "odd"))
        for wrong in ("a/b", "query", "x" * 129, "a\n"):
            body = self.client.refused(422, 111, "POST", self.path, properties({"key": wrong}))
            self.assertEqual(body["errors"][0]["pointer"], "/properties/0/key")

    def test_a_deleted_key_is_free_again(self):
        self.create({"key": "a", "name": "old"})
        body = self.client.ok("DELETE", self.path + "/a")
        self.assertEqual((body["msg_type"], body["properties"]), (11, []))
        self.client.refused(404, 102, "DELETE", self.path + "/a")
        self.create({"key": "a"})
        self.assertEqual(self.property("a")["name"], "")


@with_shards(*SHARD_COUNTS)
class Changes(PropertyCase):
    def test_an_update_touches_what_was_sent_and_answers_the_record(self):
        key = self.create(FULL)[0]
        body = self.client.ok("POST", f"{self.path}/{key}", properties({"values": [1, 2]}))
        self.assertEqual((body["msg_type"], body["num_records"]), (9, 1))
        self.assertEqual(body["properties"], [{**FULL, "key": key, "scene": self.scene,
                                               "values": [1.0, 2.0], "actions": []}])
        self.assertEqual(self.update(key, values=[VALUE], frame=4)["values"], [VALUE])
        self.assertEqual(self.property(key)["frame"], 4)

    def test_the_scene_of_an_update_moves_nothing(self):
        self.create({"key": "a"})
        self.assertEqual(self.update("a", key="a", scene="elsewhere")["key"], "a")
        self.assertEqual(self.property("a")["scene"], self.scene)

    def test_unknown_properties_are_404(self):
        self.create({})
        for key in ("none", "3ff123456789012345678901", "fff123456789012345678901"):
            self.client.refused(404, 102, "GET", f"{self.path}/{key}")
            self.client.refused(404, 102, "POST", f"{self.path}/{key}", properties({"name": "x"}))
            self.client.refused(404, 102, "DELETE", f"{self.path}/{key}")

    def test_conditions_hold_for_the_state_that_get_shows(self):
        self.create({"key": "a", "values": [1]})
        tag = self.client.get(self.path + "/a").headers["ETag"]
        same = self.client.request("GET", self.path + "/a", headers={"If-None-Match": tag})
        self.assertEqual(same.status, 304)
        head = self.client.request("HEAD", self.path + "/a")
        self.assertEqual((head.status, head.headers["ETag"], head.content), (200, tag, b""))
        wanted = {"If-Match": tag}
        body = properties({"values": [2]})
        self.assertEqual(self.client.request("POST", self.path + "/a", body, wanted).status, 200)
        self.assertEqual(self.client.request("POST", self.path + "/a", body, wanted).status, 412)
        self.assertEqual(self.client.request("DELETE", self.path + "/a", None, wanted).status, 412)


@with_shards(*SHARD_COUNTS)
class Queries(PropertyCase):
    def setUp(self):
        super().setUp()
        self.create({"key": "z", "name": "a", "parent": "p", "frame": 1},
                    {"key": "y", "name": "b", "parent": "p", "asset_sub_id": "s"},
                    {"key": "x", "name": "c", "timestamp": 5})

    def test_filters_are_exact_and_a_union(self):
        for filters, expected in (([], "abc"), ([{}], "abc"), ([{"parent": "p"}], "ab"),
                                  ([{"frame": 1}, {"timestamp": 5}], "ac"),
                                  ([{"asset_sub_id": "s"}], "b"), ([{"name": "A"}], ""),
                                  ([{"parent": "p", "name": "b"}, {"name": "b"}], "b")):
            self.assertEqual(self.names(filters), list(expected), filters)

    def test_pages_are_in_the_order_of_keys(self):
        body = self.client.ok("POST", self.path + "/query", properties(num_records=2))
        self.assertEqual([r["key"] for r in body["properties"]], ["x", "y"])
        self.assertEqual((body["msg_type"], body["next_start_record"]), (10, 2))
        body = self.client.ok("POST", self.path + "/query", {"start_record": 2})
        self.assertEqual([r["key"] for r in body["properties"]], ["z"])

    def test_a_get_takes_its_filter_from_the_body_or_from_the_query_string(self):
        def found(query, body=None):
            answer = self.client.ok("GET", self.path + "/query" + query, body)
            return "".join(sorted(r["name"] for r in answer["properties"]))
        self.assertEqual(found(""), "abc")
        self.assertEqual(found("?parent=p"), "ab")
        self.assertEqual(found("?frame=1&name=a"), "a")
        self.assertEqual(found("?num_records=1"), "c")
        self.assertEqual(found("", properties({"timestamp": 5})), "c")
        self.client.refused(400, 110, "GET", self.path + "/query?frame=x")

    def test_a_scene_without_a_record_is_404(self):
        self.client.refused(404, 102, "POST", scene_path("none such") + "/property/query", {})


@with_shards(*SHARD_COUNTS)
class Events(PropertyCase):
    def test_devices_and_servers_hear_of_every_change_in_the_form_written(self):
        device, subscriber = UdpDevice("d1"), Subscriber(self.server)
        self.addCleanup(device.close)
        self.addCleanup(subscriber.close)
        self.client.register(self.scene, device.record())
        key = self.create({"name": "gravity", "values": [9.81]})[0]
        self.update(key, values=[VALUE])
        self.client.ok("DELETE", f"{self.path}/{key}")
        device.wait_for(lambda event: event["msg_type"] == 11)
        expected = {"key": key, "name": "gravity", "scene": self.scene, "parent": "",
                    "asset_sub_id": "", "actions": []}
        heard = [{n: v for n, v in event.items() if n not in ("seq", "prev")}
                 for event in device.events() if event.get("key") == key]
        self.assertEqual(heard, [{"msg_type": 8, **expected, "values": [9.81]},
                                 {"msg_type": 9, **expected, "values": [VALUE]},
                                 {"msg_type": 11, **expected, "values": [VALUE]}])
        subscriber.wait_for(lambda m: m.topic.endswith(".property.11"))
        told = [m for m in subscriber.events(self.scene) if ".property." in m.topic]
        self.assertEqual([m.topic for m in told],
                         [f"scene.{self.scene}.property.{n}" for n in (8, 9, 11)])
        self.assertEqual(told[0].body["values"], [9.81])

    def test_a_datagram_never_passes_8_kib(self):
        device = UdpDevice("d1")
        self.addCleanup(device.close)
        self.client.register(self.scene, device.record())
        value = {**VALUE, "left_type": "x" * 4096, "right_type": "y" * 4096}
        key = self.create({"name": "large", "values": [value] * 4})[0]
        event = device.wait_for(lambda event: event["key"] == key)
        self.assertEqual((event["name"], event["values"], event["truncated"]), ("large", [], True))
        self.assertTrue(all(len(d.content) <= 8192 for d in device.inbox.items))


@with_shards(*SHARD_COUNTS)
class Durability(PropertyCase):
    flags = None

    def setUp(self):
        super().setUp()
        self.start_server()

    def test_properties_survive_a_crash_and_go_with_their_scene(self):
        generated = self.create({**FULL})[0]
        self.create({"key": "chosen", "values": [1, VALUE]})
        self.client.create(self.scene, {"name": "object"})
        before = self.client.ok("POST", self.path + "/query", {})["properties"]
        self.restart("crash")
        self.assertEqual(self.property("chosen")["values"], [1.0, VALUE])
        self.assertEqual(self.client.ok("POST", self.path + "/query", {})["properties"], before)
        self.client.ok("DELETE", scene_path(self.scene))
        self.client.put_scene(self.scene)
        self.restart()
        elsewhere = scene_path("x") + "/property/"
        self.client.refused(404, 102, "GET", elsewhere + generated)
        self.client.refused(404, 102, "GET", self.path + "/chosen")
        self.create({"key": "chosen"})

    def test_a_generated_key_is_found_after_a_restart_whatever_the_scene_of_the_url(self):
        key = self.create({"name": "a"})[0]
        thing = self.client.create(self.scene, {})[0]
        self.restart()
        self.client.refused(404, 102, "GET", scene_path("x") + "/object/" + key)
        self.restart()
        self.assertEqual(self.client.ok("GET", scene_path("x") + "/property/" + key)
                         ["properties"][0]["name"], "a")
        self.client.refused(404, 102, "GET", scene_path("x") + "/property/" + thing)

    def test_they_count_in_the_memory_of_scenes(self):
        def loaded():
            metrics = self.server.metrics()
            return metrics["diorama_properties_loaded"], metrics["diorama_objects_loaded"]
        value = {**VALUE, "left_type": "x" * 4096, "right_type": "y" * 4096}
        self.create({"key": "a"}, *[{"values": [value] * 4}] * 3)
        self.client.create(self.scene, {})
        self.assertEqual(loaded(), (4, 1))
        self.restart(scene_memory=64 << 10)
        for _ in range(3):
            self.assertEqual(self.property("a")["key"], "a")
            wait_until(lambda: loaded() == (0, 0), what="eviction")


if __name__ == "__main__":
    unittest.main()
