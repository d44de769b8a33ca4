"""Several records for one object or property: they apply in order, and none may name another one."""

import unittest

from support import ServerCase, object_path, objects, scene_path, scenes


class Duplicates(ServerCase, unittest.TestCase):
    def setUp(self):
        super().setUp()
        self.key, self.other = self.client.create(self.scene, {"name": "a"}, {"name": "b"})
        self.path = object_path(self.scene, self.key)

    def names(self):
        return [self.client.object(self.scene, key)["name"] for key in (self.key, self.other)]

    def test_record_that_names_another_object_is_refused(self):
        for body in (objects({"key": self.key, "name": "c"}, {"key": self.other, "name": "d"}),
                     objects({"key": self.other, "name": "d"}),
                     {"key": self.other, "name": "d"}):
            self.client.refused(422, 111, "POST", self.path, body)
            self.assertEqual(self.names(), ["a", "b"])

    def test_refusal_points_at_the_record(self):
        body = self.client.refused(422, 111, "POST", self.path,
                                   objects({"name": "c"}, {"key": self.other, "name": "d"}))
        self.assertEqual([error["pointer"] for error in body["errors"]], ["/objects/1/key"])

    def test_record_that_names_another_property_is_refused(self):
        path = scene_path(self.scene) + "/property"
        self.client.ok("POST", path, {"properties": [{"key": "one", "name": "a"},
                                                     {"key": "two", "name": "b"}]})
        body = {"properties": [{"key": "two", "name": "c"}]}
        self.client.refused(422, 111, "POST", path + "/one", body)
        self.assertEqual(self.client.ok("GET", path + "/one")["properties"][0]["name"], "a")

    def test_records_with_the_same_key_or_none_apply_in_order(self):
        found = self.client.ok("POST", self.path, objects(
            {"key": self.key, "name": "c", "type": "t"}, {"name": "d"}, {"key": "", "subtype": "s"}))
        record = found["objects"][0]
        self.assertEqual((record["name"], record["type"], record["subtype"]), ("d", "t", "s"))
        self.assertEqual(self.names(), ["d", "b"])

    def test_sixteen_records_change_one_thing(self):
        self.client.ok("POST", self.path, objects(*({"name": f"n{i}"} for i in range(16))))
        self.assertEqual(self.names(), ["n15", "b"])

    def test_more_records_than_that_are_refused(self):
        key = "one"
        self.client.ok("POST", scene_path(self.scene) + "/property", {"properties": [{"key": key}]})
        for path, noun in ((self.path, "objects"), (scene_path(self.scene), "scenes"),
                           (scene_path(self.scene) + "/property/" + key, "properties")):
            body = self.client.refused(422, 111, "POST", path, {noun: [{"name": "c"}] * 17})
            self.assertEqual([error["pointer"] for error in body["errors"]], [f"/{noun}/16"])
        self.assertEqual(self.names(), ["a", "b"])

    def test_key_of_a_scene_in_the_url_wins(self):
        self.client.ok("POST", scene_path(self.scene), scenes({"key": "another", "name": "n"}))
        self.assertEqual(self.client.scene(self.scene)["name"], "n")


if __name__ == "__main__":
    unittest.main()
