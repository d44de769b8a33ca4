"""What is accepted but probably not meant is said in the answer, and refused with strict=true
(`warnings`, the envelope's last member; without an envelope the header Diorama-Warnings)."""

import json
import unittest

from support import IDENTITY, ServerCase, object_path, objects, scene_path, scenes

COLUMN_MAJOR = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 5, 6, 7, 1]
AT_MOST = 16


class Warnings(ServerCase, unittest.TestCase):
    def setUp(self):
        super().setUp()
        self.client.put_scene(self.scene)

    def warned(self, answer):
        """Pointers of the warnings, which are the last member."""
        self.assertEqual(answer.status, 200, answer)
        body = answer.body
        self.assertIn("warnings", body)
        self.assertEqual(list(body)[-1], "warnings")
        for warning in body["warnings"]:
            self.assertEqual(set(warning), {"pointer", "detail"})
        return [warning["pointer"] for warning in body["warnings"]]

    def create(self, *records, query=""):
        return self.client.post(scene_path(self.scene) + "/object/" + query, objects(*records))

    def test_place_outside_the_map(self):
        for members, pointer in (({"latitude": 99, "longitude": 0}, "/scenes/0/latitude"),
                                 ({"latitude": 0, "longitude": 500}, "/scenes/0/longitude")):
            answer = self.client.put(scene_path(self.scene), scenes(members))
            self.assertEqual(self.warned(answer), [pointer])
            self.assertEqual(self.client.scene(self.scene)["latitude"], members["latitude"])
            self.client.refused(422, 111, "PUT", scene_path(self.scene) + "?strict=true",
                                scenes(members))

    def test_matrix_whose_last_row_is_not_that_of_a_transform(self):
        answer = self.create({"transform": COLUMN_MAJOR})
        self.assertEqual(self.warned(answer), ["/objects/0/transform"])
        refusal = self.create({"transform": COLUMN_MAJOR}, query="?strict=true")
        self.assertEqual((refusal.status, refusal.body["err_code"]), (422, 111), refusal)
        self.assertEqual(refusal.body["errors"][0]["pointer"], "/objects/0/transform")

    def test_unknown_member_and_the_nearest_name(self):
        answer = self.create({"name": "o"}, {"translaton": [1, 2, 3]})
        self.assertEqual(self.warned(answer), ["/objects/1/translaton"])
        self.assertIn("translation", answer.body["warnings"][0]["detail"])
        refusal = self.create({"translaton": [1, 2, 3]}, query="?strict=true")
        self.assertEqual(refusal.status, 422, refusal)

    def test_integer_of_extras_that_comes_back_as_a_double(self):
        for value in (1 << 63, [{"a": [(1 << 64) - 1]}]):
            answer = self.create({"extras": value})
            self.assertEqual(self.warned(answer), ["/objects/0/extras"])
            refusal = self.create({"extras": value}, query="?strict=true")
            self.assertEqual((refusal.status, refusal.body["err_code"]), (422, 111), refusal)
        for value in ((1 << 63) - 1, -(1 << 63), 1e19, [0, -0.0]):
            key, = self.client.create(self.scene, {"extras": value})
            shown = self.client.object(self.scene, key)["extras"]
            self.assertEqual((shown, str(shown)), (value, str(value)))
            self.assertEqual(self.create({"extras": value}, query="?strict=true").status, 200)

    def test_unknown_member_that_says_nothing(self):
        answer = self.create({"name": "o", "unknown": None, "other": []}, query="?strict=true")
        self.assertEqual(answer.status, 200, answer)
        self.assertNotIn("warnings", answer.body)

    def test_update_and_query_warn_too(self):
        key, = self.client.create(self.scene, {"name": "o"})
        path = object_path(self.scene, key)
        self.assertEqual(self.warned(self.client.post(path, objects({"nmae": "x"}))),
                         ["/objects/0/nmae"])
        self.assertEqual(self.warned(self.client.post(path, {"nmae": "x"})), ["/nmae"])
        answer = self.client.post(scene_path(self.scene) + "/object/query", objects({"nmae": "x"}))
        self.assertEqual(self.warned(answer), ["/objects/0/nmae"])

    def test_many_warnings_are_cut(self):
        answer = self.create(*({f"unknown{number}": 1} for number in range(40)))
        self.assertEqual(len(self.warned(answer)), AT_MOST)

    def test_answer_without_an_envelope_has_a_header(self):
        answer = self.client.post("/v1/project", {"name": "p", "catgory": "c"})
        self.assertEqual(answer.status, 200, answer)
        self.assertIn("Diorama-Warnings", answer.headers)
        warning, = json.loads(answer.headers["Diorama-Warnings"])
        self.assertEqual(warning["pointer"], "/catgory")
        self.assertIn("category", warning["detail"])

    def test_what_is_meant_is_not_warned_of(self):
        for record in ({"transform": IDENTITY}, {"translation": [1, 2, 3], "name": "o"}, {}):
            self.assertNotIn("warnings", self.create(record).body)
            self.assertEqual(self.create(record, query="?strict=true").status, 200)


if __name__ == "__main__":
    unittest.main()
