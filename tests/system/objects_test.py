"""Objects over HTTP."""

import math
import unittest

from keys import (is_generated, key_in_partition, keys_on_shards, partition_of_key,
                  partition_of_scene)
from support import (IDENTITY, SHARD_COUNTS, Client, ServerCase, moved, object_path, objects,
                     scene_path, with_shards)

HANDLE = {"left_type": "vector", "left_x": 1.5, "left_y": 2.0,
          "right_type": "free", "right_x": -3.0, "right_y": 4.25}
FULL = {"name": "cube", "parent": "p", "asset_sub_id": "sub", "type": "Mesh", "subtype": "Cube",
        "owner": "d1", "frame": -3, "timestamp": 1234567890123, "transform": [1.0] * 16,
        "assets": ["a", "b"], "translation_handle": [HANDLE] * 3, "rotation_handle": [HANDLE] * 4,
        "scale_handle": [HANDLE]}
# T(1,2,3) * R(0.1,0.2,0.3) * S(2,3,4).
VECTOR = [1.884309, -0.812044, 0.790707, 1, 0.588088, 2.851691, -0.399334, 2,
          -0.321763, 0.456553, 3.900681, 3, 0, 0, 0, 1]


class ObjectCase(ServerCase):
    def setUp(self):
        super().setUp()
        self.path = scene_path(self.scene) + "/object/"

    def assertMembers(self, record, expected):
        self.assertEqual({member: record.get(member) for member in expected}, expected)

    def assertMatrix(self, actual, expected, delta):
        self.assertEqual(len(actual), 16)
        for index, (a, b) in enumerate(zip(actual, expected)):
            self.assertAlmostEqual(a, b, delta=delta, msg=f"index {index} of {actual}")


@with_shards(*SHARD_COUNTS)
class Creation(ObjectCase):
    def test_one_object_is_answered_with_key_transform_and_location(self):
        answer = self.client.post(self.path, objects({"name": "a", "transform": moved(1, 2, 3)}))
        body = answer.body
        self.assertEqual((answer.status, body["msg_type"], body["err_code"], body["num_records"]),
                         (200, 0, 100, 1))
        record = body["objects"][0]
        self.assertEqual(record, {"key": record["key"], "transform": moved(1, 2, 3)})
        self.assertEqual(answer.headers["Location"], self.path + record["key"])
        self.assertEqual(answer.headers["Content-Type"].split(";")[0], "application/json")

    def test_many_objects_are_answered_in_the_order_sent(self):
        body = self.client.ok("POST", self.path, objects(
            *({"name": str(n), "translation": [n, 0, 0]} for n in range(500))))
        self.assertEqual(body["num_records"], 500)
        self.assertEqual([record["transform"][3] for record in body["objects"]], list(range(500)))
        keys = [record["key"] for record in body["objects"]]
        self.assertEqual(len(set(keys)), 500)
        self.assertEqual({r["key"]: r["name"] for r in self.client.objects(self.scene)},
                         {key: str(n) for n, key in enumerate(keys)})

    def test_everything_sent_is_returned(self):
        key = self.client.create(self.scene, FULL)[0]
        self.assertMembers(self.client.object(self.scene, key),
                           {**FULL, "key": key, "scene": self.scene})

    def test_an_object_of_which_nothing_was_sent_has_defaults(self):
        key = self.client.create(self.scene, {})[0]
        record = self.client.object(self.scene, key)
        self.assertMembers(record, {"key": key, "scene": self.scene, "name": "", "parent": "",
                                    "asset_sub_id": "", "type": "", "subtype": "", "owner": "",
                                    "assets": [], "transform": IDENTITY})
        for optional in ("frame", "timestamp", "translation_handle"):
            self.assertNotIn(optional, record)

    def test_an_empty_creation_does_nothing(self):
        body = self.client.ok("POST", self.path, {"objects": []})
        self.assertEqual((body["num_records"], body["objects"]), (0, []))

    def test_generated_keys_carry_the_partition_of_their_scene(self):
        for scene in keys_on_shards(self.scene, self.shards) + [self.scene + " ä€"]:
            for key in self.client.create(scene, *[{}] * 20):
                self.assertTrue(is_generated(key), key)
                self.assertEqual(partition_of_key(key), partition_of_scene(scene), scene)

    def test_the_scene_of_the_body_moves_nothing(self):
        key = self.client.create(self.scene, {"name": "o", "scene": "elsewhere"})[0]
        self.assertEqual(self.client.object(self.scene, key)["scene"], self.scene)
        self.client.refused(404, 102, "GET", scene_path("elsewhere"))

    def test_defaults_of_clients_count_as_absent(self):
        key = self.client.create(self.scene, {
            "name": None, "key": "", "frame": None, "transform": [], "assets": [], "actions": [],
            "translation_handle": [{"left_type": "v", "left_x": [], "right_type": None}]})[0]
        record = self.client.object(self.scene, key)
        self.assertMembers(record, {"name": "", "transform": IDENTITY, "assets": []})
        self.assertEqual(record["translation_handle"][0]["left_x"], 0)


@with_shards(*SHARD_COUNTS)
class Transforms(ObjectCase):
    def made(self, **members):
        key = self.client.create(self.scene, members)[0]
        return key, self.client.object(self.scene, key)["transform"]

    def test_translation_rotation_and_scale_compose_to_the_test_vector(self):
        _, matrix = self.made(translation=[1, 2, 3], euler_rotation=[0.1, 0.2, 0.3],
                              scale=[2, 3, 4])
        self.assertMatrix(matrix, VECTOR, 1e-6)

    def test_a_quaternion_is_normalised_and_real_part_first(self):
        half = math.sqrt(0.5)
        for factor in (0.51, 1.0, 1.99):  # a quarter turn about z
            _, matrix = self.made(quaternion_rotation=[half * factor, 0, 0, half * factor])
            self.assertMatrix(matrix, [0, -1, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1], 1e-12)

    def test_half_turns_and_small_parts_are_not_lost(self):
        _, matrix = self.made(quaternion_rotation=[0, 1, 0, 0], translation=[0.0001, 0, 0])
        self.assertMatrix(matrix, [1, 0, 0, 0.0001, 0, -1, 0, 0, 0, 0, -1, 0, 0, 0, 0, 1], 1e-12)

    def test_euler_wins_over_quaternion_and_transform_over_both(self):
        turned = {"euler_rotation": [0, 0, math.pi / 2], "quaternion_rotation": [0, 1, 0, 0]}
        _, matrix = self.made(**turned)
        self.assertMatrix(matrix, [0, -1, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1], 1e-12)
        _, matrix = self.made(**turned, transform=[1] * 16, translation=[9, 9, 9])
        self.assertEqual(matrix, [1] * 16)

    def test_every_bit_of_a_double_returns(self):
        values = [0.1, -1e-300, 1.7976931348623157e308, 5e-324, 1 / 3, 123456789.12345679, -0.0, 2]
        _, matrix = self.made(transform=values + values)
        self.assertEqual(matrix, values + values)

    def test_translation_alone_replaces_the_fourth_column(self):
        key, _ = self.made(transform=[1] * 16)
        matrix = self.client.update(self.scene, key, translation=[7, 8, 9])["transform"]
        self.assertEqual(matrix, [1, 1, 1, 7, 1, 1, 1, 8, 1, 1, 1, 9, 1, 1, 1, 1])

    def test_rotation_or_scale_replace_theirs_and_keep_the_others(self):
        key, _ = self.made(translation=[1, 2, 3], euler_rotation=[0.4, 0.5, 0.6], scale=[5, 6, 7])
        matrix = self.client.update(self.scene, key, euler_rotation=[0.1, 0.2, 0.3])["transform"]
        for column, (old, new) in enumerate(((2, 5), (3, 6), (4, 7))):
            for row in range(3):
                self.assertAlmostEqual(matrix[4 * row + column],
                                       VECTOR[4 * row + column] / old * new, delta=3e-6)
        self.assertEqual([matrix[3], matrix[7], matrix[11]], [1, 2, 3])
        matrix = self.client.update(self.scene, key, scale=[2, 3, 4])["transform"]
        self.assertMatrix(matrix, VECTOR, 1e-6)

    def test_the_parts_missing_from_an_update_of_a_singular_matrix_are_the_identity(self):
        key, _ = self.made(transform=[1] * 16)
        matrix = self.client.update(self.scene, key, scale=[2, 3, 4])["transform"]
        self.assertMatrix(matrix, [2, 0, 0, 0, 0, 3, 0, 0, 0, 0, 4, 0, 0, 0, 0, 1], 1e-12)


@with_shards(*SHARD_COUNTS)
class Updates(ObjectCase):
    def test_members_absent_stay(self):
        key = self.client.create(self.scene, FULL)[0]
        record = self.client.update(self.scene, key, name="renamed", frame=9)
        expected = {**FULL, "name": "renamed", "frame": 9, "key": key, "scene": self.scene}
        self.assertMembers(record, expected)
        self.assertMembers(self.client.object(self.scene, key), expected)

    def test_a_bare_update_is_answered_without_records(self):
        key = self.client.create(self.scene, {"name": "a"})[0]
        body = self.client.ok("POST", self.path + key, {"name": "b", "transaction_id": "t"})
        self.assertEqual((body["msg_type"], body["num_records"], body["objects"],
                          body["transaction_id"]), (1, 0, [], "t"))
        self.assertEqual(self.client.object(self.scene, key)["name"], "b")

    def test_a_wrapped_update_is_answered_with_the_merged_record(self):
        key = self.client.create(self.scene, {"name": "a", "type": "Mesh"})[0]
        answer = self.client.post(self.path + key, objects({"name": "b"}))
        self.assertEqual((answer.body["msg_type"], answer.body["num_records"]), (1, 1))
        self.assertMembers(answer.body["objects"][0], {"key": key, "name": "b", "type": "Mesh"})
        self.assertEqual(answer.headers["Location"], self.path + key)

    def test_several_records_apply_in_order(self):
        key = self.client.create(self.scene, {"name": "a"})[0]
        self.client.ok("POST", self.path + key,
                       objects({"name": "b", "type": "first"}, {"name": "c"}))
        self.assertMembers(self.client.object(self.scene, key), {"name": "c", "type": "first"})

    def test_an_empty_update_does_nothing(self):
        key = self.client.create(self.scene, {"name": "a"})[0]
        before = self.client.object(self.scene, key)
        self.client.ok("POST", self.path + key, {"objects": []})
        self.assertEqual(self.client.object(self.scene, key), before)

    def test_operations_10_and_11_change_the_list_of_assets(self):
        key = self.client.create(self.scene, {"assets": ["a", "b"]})[0]
        for operation, assets, expected in ((10, ["b", "c"], ["a", "b", "c"]),
                                            (11, ["a", "z"], ["b", "c"]),
                                            (11, ["b", "c"], [])):
            self.client.ok("POST", self.path + key,
                           objects({"assets": assets}, operation=operation))
            self.assertEqual(self.client.object(self.scene, key)["assets"], expected)

    def test_one_asset_is_added_and_removed_by_path(self):
        key = self.client.create(self.scene, {"assets": ["a"]})[0]
        for method, asset, expected in (("PUT", "b%20c", ["a", "b c"]), ("PUT", "a", ["a", "b c"]),
                                        ("DELETE", "a", ["b c"]), ("DELETE", "a", ["b c"])):
            self.client.ok(method, f"{self.path}{key}/asset/{asset}")
            self.assertEqual(self.client.object(self.scene, key)["assets"], expected)

    def test_the_scene_of_the_path_is_ignored_where_the_key_is_generated(self):
        self.client.put_scene("other " + self.scene)
        key = self.client.create(self.scene, {"name": "a"})[0]
        for scene in ("other " + self.scene, "nowhere"):
            self.assertEqual(self.client.object(scene, key)["scene"], self.scene)
            self.client.ok("POST", object_path(scene, key), {"name": "from " + scene})
            self.assertEqual(self.client.object(self.scene, key)["name"], "from " + scene)
        self.client.refused(404, 102, "GET", scene_path("nowhere"))
        self.client.ok("DELETE", object_path("nowhere", key))
        self.client.refused(404, 102, "GET", self.path + key)

    def test_an_unknown_object_is_404_for_every_operation_on_one(self):
        self.client.put_scene(self.scene)
        unknown = key_in_partition(partition_of_scene(self.scene))
        for key in (unknown, "fff" + unknown[3:], "nobody", unknown.upper()):
            path = self.path + key
            for method, target, body in (
                    ("GET", path, None), ("DELETE", path, None), ("POST", path, {"name": "x"}),
                    ("POST", path, objects({"name": "x"})), ("PUT", path + "/asset/a", None),
                    ("DELETE", path + "/asset/a", None), ("GET", path + "/lock?device=d", None),
                    ("DELETE", path + "/lock?device=d", None)):
                answer = self.client.refused(404, 102, method, target, body)
                self.assertEqual((answer["objects"], answer["num_records"]), ([], 0))

    def test_a_deleted_object_is_gone_and_the_others_stay(self):
        first, second = self.client.create(self.scene, {"name": "a"}, {"name": "b"})
        body = self.client.ok("DELETE", self.path + first)
        self.assertEqual(body["msg_type"], 3)
        self.client.refused(404, 102, "GET", self.path + first)
        self.client.refused(404, 102, "DELETE", self.path + first)
        self.assertEqual([record["key"] for record in self.client.objects(self.scene)], [second])


@with_shards(*SHARD_COUNTS)
class Queries(ObjectCase):
    """One fixture, read by all: 60 objects of one scene."""

    HOME = "query home"

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        with Client(cls.server) as client:
            cls.keys = client.create(cls.HOME, *(
                {"name": f"n{n % 3}", "type": f"t{n % 4}", "subtype": f"s{n % 5}",
                 "owner": f"o{n % 6}", "parent": f"p{n % 7}", "asset_sub_id": f"u{n % 2}",
                 "frame": n % 8 - 4, "timestamp": n % 9, "assets": [f"a{n % 2}", f"b{n % 5}"]}
                for n in range(60)))
            client.create("another scene", {"name": "n0", "type": "t0"})

    def find(self, body):
        return self.client.ok("POST", scene_path(self.HOME) + "/object/query", body)

    def found(self, body):
        """The numbers of the objects found, in the order of the answer."""
        return [self.keys.index(record["key"]) for record in self.find(body)["objects"]]

    def numbers(self, rule):
        """The numbers that obey the rule, in the order of their keys."""
        return sorted((n for n in range(60) if rule(n)), key=lambda n: self.keys[n])

    def test_each_filter_matches_exactly_bare_and_wrapped(self):
        for wanted, rule in (
                ({"name": "n1"}, lambda n: n % 3 == 1), ({"type": "t2"}, lambda n: n % 4 == 2),
                ({"subtype": "s4"}, lambda n: n % 5 == 4), ({"owner": "o5"}, lambda n: n % 6 == 5),
                ({"parent": "p6"}, lambda n: n % 7 == 6), ({"asset_sub_id": "u1"}, lambda n: n % 2),
                ({"frame": -4}, lambda n: n % 8 == 0), ({"frame": 0}, lambda n: n % 8 == 4),
                ({"timestamp": 8}, lambda n: n % 9 == 8),
                ({"assets": ["b3"]}, lambda n: n % 5 == 3),
                ({"assets": ["a1", "b3"]}, lambda n: n % 10 == 3),
                ({"name": "n0", "type": "t0"}, lambda n: n % 12 == 0),
                ({"name": "n"}, lambda n: False)):
            self.assertEqual(self.found(wanted), self.numbers(rule), wanted)
            self.assertEqual(self.found(objects(wanted)), self.numbers(rule), wanted)

    def test_an_empty_filter_finds_every_object_of_the_scene_alone(self):
        for body in ({}, {"objects": []}, objects({}), {"name": None, "assets": []}):
            self.assertEqual(self.found(body), self.numbers(lambda n: True), body)

    def test_several_filters_are_a_union_without_doubles(self):
        self.assertEqual(self.found(objects({"name": "n0"}, {"type": "t0"})),
                         self.numbers(lambda n: n % 3 == 0 or n % 4 == 0))

    def test_full_records_are_answered(self):
        record = self.find({"name": "n0", "type": "t3", "subtype": "s0"})["objects"][0]
        self.assertMembers(record, {"key": self.keys[15], "scene": self.HOME, "owner": "o3",
                                    "frame": 3, "timestamp": 6, "assets": ["a1", "b0"],
                                    "transform": IDENTITY})

    def test_nothing_found_is_a_success(self):
        body = self.find({"name": "nobody"})
        self.assertEqual((body["msg_type"], body["num_records"], body["objects"]), (4, 0, []))

    def test_pages_follow_next_start_record_until_it_is_absent(self):
        for size in (1, 7, 30, 59, 60, 61):
            seen, start = [], 0
            while True:
                page = self.find({"num_records": size, "start_record": start})
                seen += [self.keys.index(record["key"]) for record in page["objects"]]
                self.assertEqual(page["num_records"], len(page["objects"]))
                if "next_start_record" not in page:
                    break
                self.assertEqual(page["next_start_record"], start + size)
                start = page["next_start_record"]
            self.assertEqual(seen, self.numbers(lambda n: True), f"pages of {size}")

    def test_a_page_of_a_filter_pages_what_it_finds(self):
        whole = self.numbers(lambda n: n % 3 == 0)
        page = self.find({"name": "n0", "num_records": 5, "start_record": 10})
        self.assertEqual([self.keys.index(record["key"]) for record in page["objects"]],
                         whole[10:15])


if __name__ == "__main__":
    unittest.main()
