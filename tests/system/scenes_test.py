"""Scenes over HTTP."""

import unittest

from keys import is_generated, keys_on_shards
from support import Client, ServerCase, SHARD_COUNTS, objects, scene_path, scenes, with_shards


@with_shards(*SHARD_COUNTS)
class Records(ServerCase):
    FULL = {"name": "Hall", "region": "eu", "latitude": 48.25, "longitude": 11.5,
            "description": "a hall", "thumbnail": "thumb", "assets": ["mesh", "wall"],
            "tags": ["indoor", "day"], "public": False, "active": False}

    def test_put_answers_the_key_and_get_answers_what_was_sent(self):
        created = self.client.ok("PUT", scene_path(self.scene), scenes(self.FULL))
        self.assertEqual(created["scenes"], [{"key": self.scene}])
        self.assertEqual((created["msg_type"], created["num_records"]), (0, 1))
        record = self.client.scene(self.scene)
        for member, value in self.FULL.items():
            self.assertEqual(record[member], value, member)
        self.assertEqual((record["key"], record["distance"], record["devices"]),
                         (self.scene, 0, []))

    def test_a_scene_of_which_nothing_was_sent_has_defaults(self):
        self.client.put_scene(self.scene)
        record = self.client.scene(self.scene)
        expected = {"name": "", "region": "", "description": "", "latitude": 0, "longitude": 0,
                    "assets": [], "tags": [], "devices": [], "public": True, "active": True}
        self.assertEqual({member: record[member] for member in expected}, expected)

    def test_the_members_of_the_envelope_stand_in_the_order_of_the_interface(self):
        created = self.client.ok("PUT", scene_path(self.scene),
                                 scenes({"name": "a"}, transaction_id="t1"))
        self.assertEqual(list(created),
                         ["msg_type", "err_code", "num_records", "transaction_id", "scenes"])
        self.assertEqual(list(self.client.ok("GET", scene_path(self.scene))),
                         ["msg_type", "err_code", "num_records", "start_record", "epoch", "seq",
                          "scenes"])

    def test_the_msg_type_names_the_operation(self):
        path = scene_path(self.scene)
        for method, target, body, expected in (
                ("PUT", path, scenes({}), 0), ("POST", path, scenes({"name": "b"}), 1),
                ("GET", path, None, 2), ("POST", "/v1/scene/query", scenes({}), 2),
                ("DELETE", path, None, 3)):
            self.assertEqual(self.client.ok(method, target, body)["msg_type"], expected, method)

    def test_the_transaction_id_is_echoed_as_sent(self):
        for value in ("abc-1", 7):
            answer = self.client.ok("PUT", scene_path(self.scene),
                                    scenes({"name": "a"}, transaction_id=value))
            self.assertEqual(answer["transaction_id"], value)

    def test_put_again_overwrites_only_the_fields_sent(self):
        self.client.put_scene(self.scene, **self.FULL)
        key = self.client.create(self.scene, {"name": "stays"})[0]
        self.client.register(self.scene, {"key": "d1"})
        self.client.put_scene(self.scene, region="us")
        record = self.client.scene(self.scene)
        self.assertEqual((record["region"], record["name"], record["tags"]),
                         ("us", "Hall", ["indoor", "day"]))
        self.assertEqual([device["key"] for device in record["devices"]], ["d1"])
        self.assertEqual(self.client.object(self.scene, key)["name"], "stays")

    def test_post_overwrites_each_field_present(self):
        self.client.put_scene(self.scene, **self.FULL)
        answer = self.client.ok("POST", scene_path(self.scene),
                                scenes({"name": "Yard", "tags": ["night"], "latitude": -1.5}))
        self.assertEqual(answer["scenes"], [{"key": self.scene}])
        record = self.client.scene(self.scene)
        self.assertEqual((record["name"], record["tags"], record["latitude"], record["region"],
                          record["assets"]), ("Yard", ["night"], -1.5, "eu", ["mesh", "wall"]))

    def test_null_and_empty_lists_count_as_absent(self):
        self.client.put_scene(self.scene, **self.FULL)
        self.client.ok("POST", scene_path(self.scene),
                       scenes({"name": None, "latitude": None, "tags": [], "assets": None}))
        record = self.client.scene(self.scene)
        self.assertEqual((record["name"], record["latitude"], record["tags"], record["assets"]),
                         ("Hall", 48.25, ["indoor", "day"], ["mesh", "wall"]))

    def test_an_empty_update_does_nothing(self):
        self.client.put_scene(self.scene, name="a")
        before = self.client.scene(self.scene)
        self.client.ok("POST", scene_path(self.scene), {"scenes": []})
        self.assertEqual(self.client.scene(self.scene), before)

    def test_the_key_of_the_path_wins_over_that_of_the_body(self):
        self.client.ok("PUT", scene_path(self.scene), scenes({"key": "other-" + self.scene}))
        self.assertEqual(self.client.scene(self.scene)["key"], self.scene)
        self.client.refused(404, 102, "GET", scene_path("other-" + self.scene))

    def test_post_without_a_key_generates_one(self):
        answer = self.client.post("/v1/scene/", scenes({"name": "made"}))
        key = answer.body["scenes"][0]["key"]
        self.assertEqual(answer.status, 200)
        self.assertTrue(is_generated(key), key)
        self.assertEqual(answer.headers["Location"], "/v1/scene/" + key)
        self.assertEqual(self.client.scene(key)["name"], "made")

    def test_creation_answers_a_location(self):
        answer = self.client.put(scene_path("ä b"), scenes({"name": "x"}))
        self.assertEqual(answer.headers["Location"], "/v1/scene/%C3%A4%20b")
        self.assertEqual(answer.headers["Content-Type"].split(";")[0], "application/json")

    def test_an_unknown_scene_is_404_for_every_operation_on_one(self):
        path = scene_path(self.scene)
        for method, body in (("GET", None), ("POST", scenes({"name": "x"})), ("DELETE", None)):
            answer = self.client.refused(404, 102, method, path, body)
            self.assertEqual((answer["scenes"], answer["num_records"]), ([], 0))

    def test_public_has_the_alias_isPublic(self):
        self.client.ok("PUT", scene_path(self.scene), scenes({"isPublic": False}))
        self.assertIs(self.client.scene(self.scene)["public"], False)
        self.client.ok("POST", scene_path(self.scene), scenes({"public": True}))
        self.assertIs(self.client.scene(self.scene)["public"], True)

    def test_unknown_members_are_ignored(self):
        self.client.ok("PUT", scene_path(self.scene),
                       {"colour": 1, "scenes": [{"name": "a", "weight": {"kg": 1}}]})
        self.assertNotIn("weight", self.client.scene(self.scene))

    def test_a_trailing_slash_changes_nothing(self):
        self.client.ok("PUT", scene_path(self.scene) + "/", scenes({"name": "a"}))
        self.assertEqual(self.client.ok("GET", scene_path(self.scene) + "/")["scenes"],
                         self.client.ok("GET", scene_path(self.scene))["scenes"])

    def test_any_finite_latitude_is_stored_and_every_bit_of_it_returns(self):
        self.client.put_scene(self.scene, latitude=100, longitude=-0.1234567890123456789)
        record = self.client.scene(self.scene)
        self.assertEqual((record["latitude"], record["longitude"]), (100, -0.12345678901234568))

    def test_health_and_cache_are_answered(self):
        self.assertEqual(self.client.get("/health").body, {"status": "up"})
        for method in ("PUT", "DELETE"):
            self.client.ok(method, "/v1/scene/cache/" + self.scene)


@with_shards(*SHARD_COUNTS)
class Keys(ServerCase):
    def test_keys_are_percent_decoded_once(self):
        for path, key in (("/v1/scene/a%20b", "a b"), ("/v1/scene/a%2520b", "a%20b"),
                          ("/v1/scene/%E2%82%AC", "€"), ("/v1/scene/a+b", "a+b"),
                          ("/v1/scene/a.b", "a.b")):
            self.assertEqual(self.client.ok("PUT", path, scenes({}))["scenes"], [{"key": key}])
            self.assertEqual(self.client.ok("GET", path)["scenes"][0]["key"], key)

    def test_a_key_may_have_128_bytes_and_no_more(self):
        self.client.put_scene("k" * 128)
        self.client.refused(422, 111, "PUT", scene_path("k" * 129), scenes({}))
        self.client.refused(422, 111, "PUT", scene_path("ä" * 65), scenes({}))

    def test_a_slash_or_a_control_character_in_a_key_is_refused(self):
        for key in ("a/b", "a\nb", "a\x7fb"):
            self.client.refused(422, 111, "PUT", scene_path(key), scenes({}))


@with_shards(*SHARD_COUNTS)
class Lists(ServerCase):
    def setUp(self):
        super().setUp()
        self.client.put_scene(self.scene, tags=["a", "b"], assets=["m", "n"])

    def change(self, operation, **members):
        self.client.ok("POST", scene_path(self.scene), scenes(members, operation=operation))
        record = self.client.scene(self.scene)
        return record["tags"], record["assets"]

    def test_operation_10_appends_without_doubles(self):
        self.assertEqual(self.change(10, tags=["b", "c"], assets=["o"]),
                         (["a", "b", "c"], ["m", "n", "o"]))

    def test_operation_11_removes(self):
        self.assertEqual(self.change(11, tags=["a", "b"], assets=["n", "zzz"]), ([], ["m"]))

    def test_one_asset_is_added_and_removed_by_path(self):
        path = scene_path(self.scene) + "/asset/"
        for method, asset, expected in (
                ("PUT", "new", ["m", "n", "new"]), ("PUT", "new", ["m", "n", "new"]),
                ("DELETE", "m", ["n", "new"]), ("DELETE", "m", ["n", "new"])):
            self.client.ok(method, path + asset)
            self.assertEqual(self.client.scene(self.scene)["assets"], expected)
        for method in ("PUT", "DELETE"):
            self.client.refused(404, 102, method, scene_path("nowhere") + "/asset/a")


@with_shards(*SHARD_COUNTS)
class Deletion(ServerCase):
    def test_a_deleted_scene_takes_objects_and_registrations_with_it(self):
        self.client.put_scene(self.scene, tags=["gone"])
        key = self.client.create(self.scene, {"name": "o"})[0]
        self.client.register(self.scene, {"key": "dev"})
        self.client.ok("DELETE", scene_path(self.scene))
        self.client.refused(404, 102, "GET", scene_path(self.scene))
        self.client.refused(404, 102, "GET", f"{scene_path(self.scene)}/object/{key}")
        self.client.refused(404, 102, "GET", f"/v1/scene/elsewhere/object/{key}")
        found = self.client.ok("POST", "/v1/scene/query", scenes({"tags": ["gone"]}))
        self.assertEqual(found["scenes"], [])
        self.client.refused(404, 102, "DELETE", scene_path(self.scene))

    def test_a_scene_made_again_shares_nothing_with_its_predecessor(self):
        self.client.put_scene(self.scene, name="first", tags=["x"])
        self.client.create(self.scene, {"name": "o"}, {"name": "p"})
        self.client.register(self.scene, {"key": "dev"})
        self.client.ok("DELETE", scene_path(self.scene))
        self.client.put_scene(self.scene, region="second")
        record = self.client.scene(self.scene)
        self.assertEqual((record["name"], record["tags"], record["devices"], record["region"]),
                         ("", [], [], "second"))
        self.assertEqual(self.client.objects(self.scene), [])


@with_shards(*SHARD_COUNTS)
class Queries(ServerCase):
    """One fixture, read by all: 30 scenes whose keys spread over the shards."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        client = Client(cls.server)
        for number in range(30):
            client.put_scene(f"q{number:02d}", name=f"name{number % 5}",
                             region="north" if number % 2 else "south",
                             tags=["all", f"t{number % 3}"], assets=["base", f"a{number % 4}"],
                             latitude=number * 0.01, longitude=10.0)
        client.put_scene("paris", name="paris", latitude=48.8566, longitude=2.3522)
        client.put_scene("london", name="london", latitude=51.5074, longitude=-0.1278)
        client.put_scene("offmap", name="offmap", latitude=100, longitude=2.0)
        client.close()

    def find(self, *filters, **envelope):
        return self.client.ok("POST", "/v1/scene/query", scenes(*filters, **envelope))

    def keys(self, *filters, **envelope):
        envelope.setdefault("num_records", 1000)
        return [record["key"] for record in self.find(*filters, **envelope)["scenes"]]

    @staticmethod
    def numbered(rule):
        return [f"q{number:02d}" for number in range(30) if rule(number)]

    def test_the_fixture_spreads_over_all_shards(self):
        self.assertEqual(len(keys_on_shards("q", self.shards)), self.shards)

    def test_each_filter_matches_exactly(self):
        for wanted, rule in (
                ({"key": "q07"}, lambda n: n == 7),
                ({"name": "name3"}, lambda n: n % 5 == 3),
                ({"region": "north"}, lambda n: n % 2 == 1),
                ({"tags": ["t1"]}, lambda n: n % 3 == 1),
                ({"tags": ["all", "t2"]}, lambda n: n % 3 == 2),
                ({"assets": ["a3", "base"]}, lambda n: n % 4 == 3),
                ({"name": "name1", "region": "south"}, lambda n: n % 10 == 6),
                ({"name": "name"}, lambda n: False),
                ({"tags": ["t1", "t2"]}, lambda n: False),
                ({"key": "nobody"}, lambda n: False)):
            self.assertEqual(self.keys(wanted), self.numbered(rule), wanted)

    def test_several_filters_are_a_union_without_doubles(self):
        self.assertEqual(self.keys({"name": "name0"}, {"region": "north"}, {"key": "q00"}),
                         self.numbered(lambda n: n % 5 == 0 or n % 2 == 1))

    def test_no_filter_finds_all_in_the_order_of_the_keys(self):
        everything = sorted(self.numbered(lambda n: True) + ["paris", "london", "offmap"])
        self.assertEqual(self.keys({}), everything)
        self.assertEqual(self.keys(), everything)

    def test_ten_records_are_answered_unless_more_are_asked_for(self):
        first = self.find({"tags": ["all"]})
        self.assertEqual((first["num_records"], len(first["scenes"]), first["start_record"]),
                         (10, 10, 0))

    def test_pages_of_any_size_make_up_the_whole(self):
        whole = self.keys({"tags": ["all"]})
        for size in (1, 7, 10, 29, 30, 31):
            pages = []
            for start in range(0, 31, size):
                page = self.find({"tags": ["all"]}, num_records=size, start_record=start)
                self.assertEqual(page["start_record"], start)
                self.assertEqual(page["num_records"], len(page["scenes"]))
                pages += [record["key"] for record in page["scenes"]]
            self.assertEqual(pages, whole, f"pages of {size}")

    def test_a_page_beyond_the_end_is_empty_and_a_success(self):
        self.assertEqual(self.keys({"tags": ["all"]}, start_record=30), [])
        self.assertEqual(self.keys({"tags": ["all"]}, start_record=9999), [])

    def test_a_found_scene_has_its_assets_under_both_names(self):
        record = self.find({"key": "q06"})["scenes"][0]
        self.assertEqual((record["assets"], record["asset_ids"]), (["base", "a2"], ["base", "a2"]))
        for member, value in {"key": "q06", "name": "name1", "region": "south", "latitude": 0.06,
                              "longitude": 10, "tags": ["all", "t0"]}.items():
            self.assertEqual(record[member], value, member)

    def test_a_distance_query_is_a_great_circle_in_kilometres_sorted_by_distance(self):
        found = self.find({"latitude": 48.8566, "longitude": 2.3522, "distance": 400})["scenes"]
        self.assertEqual([record["key"] for record in found], ["paris", "london"])
        self.assertEqual(found[0]["distance"], 0)
        self.assertAlmostEqual(found[1]["distance"], 343.556, delta=0.001)

    def test_the_edge_of_the_radius_belongs_to_it(self):
        near = {"latitude": 0.0, "longitude": 10.0}
        # 0.01 degree of a great circle on a sphere of 6,371 km is 1.111949 km.
        self.assertEqual(self.keys({**near, "distance": 3.335}), ["q00", "q01", "q02"])
        self.assertEqual(self.keys({**near, "distance": 3.3359}), ["q00", "q01", "q02", "q03"])
        self.assertEqual(self.keys({**near, "distance": 0}), ["q00"])

    def test_results_of_a_distance_query_merge_by_distance_over_the_shards(self):
        middle = {"latitude": 0.155, "longitude": 10.0, "distance": 1000}
        found = self.find(middle, num_records=1000)["scenes"]
        distances = [record["distance"] for record in found]
        self.assertEqual(distances, sorted(distances))
        self.assertAlmostEqual(distances[0], 0.555975, delta=1e-6)
        self.assertAlmostEqual(distances[-1], 17.235214, delta=1e-6)
        self.assertEqual({record["key"] for record in found}, set(self.numbered(lambda n: True)))
        pages = [record["key"] for start in range(0, 30, 7) for record in
                 self.find(middle, num_records=7, start_record=start)["scenes"]]
        self.assertEqual(pages, [record["key"] for record in found])

    def test_latitude_longitude_and_distance_come_together_or_not_at_all(self):
        for part in ({"latitude": 1.0}, {"longitude": 1.0}, {"distance": 1.0},
                     {"latitude": 1.0, "longitude": 1.0}, {"latitude": 1.0, "distance": 1.0}):
            self.client.refused(400, 122, "POST", "/v1/scene/query", scenes(part))

    def test_a_scene_that_is_on_no_map_is_found_by_name_and_by_no_distance(self):
        self.assertEqual(self.keys({"name": "offmap"}), ["offmap"])
        far = {"latitude": 89.0, "longitude": 2.0, "distance": 30000}
        self.assertNotIn("offmap", self.keys(far))

    def test_the_antimeridian_and_the_poles_are_no_walls(self):
        for key, latitude, longitude in (("fiji-w", 0.0, 179.9), ("fiji-e", 0.0, -179.9),
                                         ("pole-a", 89.95, 0.0), ("pole-b", 89.95, 180.0)):
            self.client.put_scene(key, latitude=latitude, longitude=longitude)
        for latitude, longitude, expected in ((0.0, 180.0, ["fiji-e", "fiji-w"]),
                                              (90.0, 55.0, ["pole-a", "pole-b"])):
            found = self.keys({"latitude": latitude, "longitude": longitude, "distance": 20})
            self.assertEqual(sorted(found), expected)
        for key in ("fiji-w", "fiji-e", "pole-a", "pole-b"):
            self.client.ok("DELETE", scene_path(key))

    def test_a_changed_scene_is_found_by_its_new_values_only(self):
        self.client.put_scene("mover", name="before", tags=["old"], latitude=-50, longitude=50)
        self.client.ok("POST", scene_path("mover"),
                       scenes({"name": "after", "tags": ["new"], "latitude": -60.0}))
        self.assertEqual(self.keys({"name": "before"}), [])
        self.assertEqual(self.keys({"tags": ["old"]}), [])
        self.assertEqual(self.keys({"latitude": -50, "longitude": 50, "distance": 5}), [])
        for wanted in ({"name": "after"}, {"tags": ["new"]},
                       {"latitude": -60, "longitude": 50, "distance": 5}):
            self.assertEqual(self.keys(wanted), ["mover"], wanted)
        self.client.ok("DELETE", scene_path("mover"))


@with_shards(*SHARD_COUNTS)
class ImplicitCreation(ServerCase):
    def test_the_first_object_makes_its_scene(self):
        self.client.ok("POST", scene_path(self.scene) + "/object/", objects({"name": "o"}))
        record = self.client.scene(self.scene)
        self.assertEqual((record["key"], record["public"], record["active"]),
                         (self.scene, True, True))

    def test_a_query_in_an_unknown_scene_is_404_and_makes_none(self):
        self.client.refused(404, 102, "POST", scene_path(self.scene) + "/object/query", {})
        self.client.refused(404, 102, "GET", scene_path(self.scene))


if __name__ == "__main__":
    unittest.main()
