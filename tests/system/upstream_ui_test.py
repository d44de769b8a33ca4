"""What the web interface of the open-source service sends, and no other client: it runs against this
server as it is."""

import unittest

from support import ServerCase, scene_path, scenes

NULLS = [None]


class UpstreamUi(ServerCase, unittest.TestCase):
    def create(self, **members):
        key, = self.client.create(self.scene, members)
        return self.client.object(self.scene, key)

    def test_arrays_of_nulls_alone_are_absent(self):
        record = self.create(name="cube", translation=NULLS, euler_rotation=[None, None, None],
                             scale=NULLS, transform=NULLS, assets=NULLS, translation_handle=NULLS,
                             rotation_handle=NULLS, scale_handle=NULLS, actions=NULLS)
        self.assertEqual(record["transform"], self.create()["transform"])
        self.assertEqual(record["assets"], [])

    def test_arrays_of_nulls_alone_change_nothing(self):
        record = self.create(name="cube", translation=[1, 2, 3], assets=["a"])
        changed = self.client.update(self.scene, record["key"], translation=NULLS, assets=NULLS)
        self.assertEqual((changed["transform"], changed["assets"]),
                         (record["transform"], record["assets"]))

    def test_array_of_nulls_for_a_number_or_a_text_is_absent(self):
        record = self.create(name=NULLS, frame=NULLS, timestamp=NULLS)
        self.assertEqual(record["name"], "")

    def test_null_among_numbers_is_refused(self):
        self.client.refused(400, 110, "POST", scene_path(self.scene) + "/object/",
                            {"objects": [{"translation": [1, None, 3]}]})

    def test_numbers_are_strings_in_a_scene_query(self):
        self.client.put_scene(self.scene, latitude=10, longitude=20)
        found = self.client.ok("POST", "/v1/scene/query",
                               scenes({"latitude": "10.0", "longitude": "20", "distance": "5"}))
        self.assertIn(self.scene, [record["key"] for record in found["scenes"]])
        self.client.refused(400, 110, "POST", "/v1/scene/query",
                            scenes({"latitude": "ten", "longitude": "20", "distance": "5"}))

    def test_numbers_are_no_strings_elsewhere(self):
        self.client.refused(400, 110, "PUT", scene_path(self.scene), scenes({"latitude": "10"}))

    def test_scene_of_a_group_has_a_short_path(self):
        created = self.client.post("/v1/project", {"name": "p"})
        self.assertEqual(created.status, 200, created)
        project = "/v1/project/" + created.body.get("key", created.body.get("id", ""))
        self.assertEqual(self.client.post(project + "/groups", {"name": "g"}).status, 200)
        for method, expected in (("PUT", ["s1"]), ("DELETE", [])):
            answer = self.client.request(method, project + "/groups/g/s1")
            self.assertEqual(answer.status, 200, answer)
            group, = self.client.get(project).body["sceneGroups"]
            self.assertEqual(group["scenes"], expected)

    def test_empty_tag_is_no_tag(self):
        self.assertEqual(self.client.put_scene(self.scene, tags=["", "t"])["key"], self.scene)
        self.assertEqual(self.client.scene(self.scene)["tags"], ["t"])
        self.client.put_scene(self.scene + "-b", tags=[""])
        self.assertEqual(self.client.scene(self.scene + "-b")["tags"], [])


if __name__ == "__main__":
    unittest.main()
