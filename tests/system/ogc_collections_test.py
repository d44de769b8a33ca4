"""The collections of all objects and of devices: scene after scene, for each caller as far as they may see."""

import threading
import unittest
from urllib.parse import quote

from ogc_test import MapCase, objects_of
from people import PeopleCase
from support import LONG, Client, is_sanitized, moved, object_path, scene_path, with_shards

OBJECTS, DEVICES = "/ogc/collections/objects/items", "/ogc/collections/devices/items"
SCENES = 300 if LONG and not is_sanitized() else 40


@with_shards(1, 3)
class Objects(MapCase):
    def make(self, count=SCENES):
        """Scenes of which number N has N % 7 objects, at latitude N / 10; returns the keys of all."""
        keys = []
        for number in range(count):
            name = f"{self.scene} {number:03}"
            self.client.put_scene(name, latitude=number / 10, longitude=number / 10)
            keys += self.client.create(name, *({"name": self.scene, "transform": moved(other, 0, 0)} for other in range(number % 7)))
        return keys

    def of_this_test(self, path):
        return [feature for feature in self.follow(path) if feature["properties"]["name"] == self.scene]

    def test_pages_of_any_size_have_each_object_once(self):
        keys = self.make()
        for limit in (1000, 50, 7, 3):
            found = [feature["id"] for feature in self.of_this_test(f"{OBJECTS}?limit={limit}")]
            self.assertEqual(sorted(keys), sorted(found), limit)

    def test_they_come_scene_after_scene_as_each_scene_lists_them(self):
        self.make()
        found = self.of_this_test(f"{OBJECTS}?limit=11")
        listed = []
        for number in range(SCENES):
            listed += self.get(objects_of(f"{self.scene} {number:03}") + "/items")["features"]
        self.assertEqual(listed, found)

    def test_they_are_narrowed_by_scene_name_and_box(self):
        self.make(14)
        one = self.get(f"{OBJECTS}?scene={quote(self.scene + ' 006')}")
        self.assertEqual((6, 6), (one["numberReturned"], one["numberMatched"]))
        pages = self.follow(f"{OBJECTS}?limit=4&scene={quote(self.scene + ' 006')}")
        self.assertEqual(one["features"], pages)
        self.assertEqual([], self.ids(f"{OBJECTS}?scene=none"))
        self.assertEqual([], self.ids(f"{OBJECTS}?name=none"))
        boxed = self.of_this_test(f"{OBJECTS}?limit=2&bbox=0.25,0.25,0.55,0.55")
        self.assertEqual([3] * 3 + [4] * 4 + [5] * 5, [int(feature["properties"]["scene"][-3:]) for feature in boxed])

    def test_one_is_found_by_its_key_whatever_its_scene(self):
        self.client.put_scene(self.scene, latitude=1, longitude=2)
        [key] = self.client.create(self.scene, {"name": "a"})
        feature = self.get(f"{OBJECTS}/{key}")
        self.assertEqual([2, 1, 0], feature["geometry"]["coordinates"])
        by_rel = {link["rel"]: link["href"] for link in feature["links"]}
        self.assertTrue(by_rel["collection"].endswith("/ogc/collections/objects"))
        for wrong in ("none", "0" * 24, "%00"):
            self.assertIn(self.client.get(f"{OBJECTS}/{wrong}").status, (400, 404), wrong)

    def test_a_cursor_is_good_for_its_own_list_alone(self):
        self.make(14)
        page = self.get(f"{OBJECTS}?limit=3")
        after = next(link["href"] for link in page["links"] if link["rel"] == "next").partition("after=")[2]
        self.assertEqual(200, self.client.get(f"{OBJECTS}?after={after}").status)
        for wrong in (f"after={after}x", f"after=.{after}", f"after={after}.", "after=.", "after=a.b",
                      f"after={after[1:]}", "after=" + "a" * 2000, f"after={after}.{after}"):
            self.assertEqual(400, self.client.get(f"{OBJECTS}?limit=3&{wrong}").status, wrong)

    def test_none_is_told_twice_while_scenes_come_change_and_go(self):
        keys = self.make()
        stop = threading.Event()

        def write():
            with Client(self.server) as client:
                for number in range(100000):
                    if stop.is_set():
                        return
                    name = f"{self.scene} {number % SCENES:03} new"
                    client.put_scene(name, latitude=1, longitude=2)
                    [key] = client.create(name, {"name": "other"})
                    client.ok("DELETE", object_path(name, key))
                    if number % 3 == 0:
                        client.ok("DELETE", scene_path(name))

        writer = threading.Thread(target=write)
        writer.start()
        try:
            found = [feature["id"] for feature in self.follow(f"{OBJECTS}?limit=13")]
        finally:
            stop.set()
            writer.join()
        self.assertEqual(len(found), len(set(found)))
        self.assertLessEqual(set(keys), set(found))


class WithoutAccounts(MapCase, unittest.TestCase):
    def test_devices_are_on_no_map(self):
        self.client.put_scene(self.scene, latitude=1, longitude=2)
        self.client.register(self.scene, {"key": "phone", "transform": {"translation": [0, 0, 0], "rotation": [0, 0, 0]}})
        for path in ("/ogc/collections/devices", DEVICES, f"{DEVICES}/phone%40{quote(self.scene)}"):
            self.client.refused(404, 102, "GET", path)
        self.assertNotIn("devices", [entry["id"] for entry in self.get("/ogc/collections")["collections"]])


def standing(x, y, z):
    return {"translation": [x, y, z], "rotation": [0, 0, 0]}


@with_shards(1, 3)
class Devices(PeopleCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.ann, cls.bob = cls.new_person("ann"), cls.new_person("bob")
        cls.ann.put_scene("open", public=True, latitude=10, longitude=20)
        cls.ann.put_scene("closed", public=False, latitude=50, longitude=60)
        cls.ann.put_scene("nowhere", public=True)
        cls.ann.register("open", {"key": "desk @1", "transform": standing(0, 2, 0)}, {"key": "lost"})
        cls.ann.register("closed", {"key": "desk @1", "transform": standing(0, 0, 0)})
        cls.ann.register("nowhere", {"key": "desk @1", "transform": standing(0, 0, 0)})
        cls.bob.register("open", {"key": "phone", "transform": standing(-1000, 0, 0)})

    def features(self, who, query=""):
        answer = who.get(f"{DEVICES}{query}")
        self.assertEqual(200, answer.status, answer)
        return answer.body["features"]

    def ids(self, who, query=""):
        return [feature["id"] for feature in self.features(who, query)]

    def test_each_caller_has_those_that_are_aligned_to_scenes_they_may_read(self):
        own, others = "desk%20%401@closed", ["desk%20%401@open", "phone@open"]
        self.assertEqual([own, *others], self.ids(self.ann))
        self.assertEqual(others, self.ids(self.bob))
        self.assertEqual(401, self.client.get(DEVICES).status)
        self.assertEqual([20, 10, 2], self.features(self.bob)[0]["geometry"]["coordinates"])

    def test_a_device_says_what_lists_of_devices_say(self):
        [theirs, own] = self.features(self.bob)
        self.assertEqual({"place", "scene", "key"}, set(theirs["properties"]))
        self.assertEqual((self.bob.id, "open"), (own["properties"]["user"], own["properties"]["scene"]))
        shown = {device["key"]: device for device in self.bob.get("/v1/scene/open?form=geopose").body["scenes"][0]["devices"]}
        self.assertEqual(shown["phone"]["geopose"], own["geopose"])
        self.assertEqual(shown["desk @1"]["geopose"], theirs["geopose"])

    def test_one_is_had_by_its_id(self):
        for feature in self.features(self.ann):
            path = f"{DEVICES}/{quote(feature['id'], safe='')}"
            one = self.ann.get(path)
            self.assertEqual(feature, {name: value for name, value in one.body.items() if name != "links"})
            geopose = self.ann.get(f"{path}?f=geopose")
            self.assertEqual(("application/geopose+json", feature["geopose"]), (geopose.headers["Content-Type"], geopose.body))
        for wrong in ("phone", "phone@closed", "lost@open", "@", "phone@", "@open", "desk%2520%25401@nowhere", "a@b@c"):
            self.assertEqual(404, self.ann.get(f"{DEVICES}/{wrong}").status, wrong)
        self.assertEqual(404, self.bob.get(f"{DEVICES}/desk%2520%25401@closed").status)
        self.assertEqual(400, self.ann.get(f"{DEVICES}/a%25@b").status)

    def test_pages_boxes_and_filters_narrow_them(self):
        first = self.ann.get(f"{DEVICES}?limit=2").body
        after = next(link["href"] for link in first["links"] if link["rel"] == "next")
        rest = self.ann.get(after.removeprefix(f"http://127.0.0.1:{self.server.http_port}")).body
        self.assertEqual(self.features(self.ann), first["features"] + rest["features"])
        self.assertNotIn("next", [link["rel"] for link in rest["links"]])
        self.assertEqual(["desk%20%401@open"], self.ids(self.ann, "?bbox=19.999,9,20.1,11"))
        self.assertEqual(["desk%20%401@closed"], self.ids(self.ann, "?scene=closed"))
        self.assertEqual(3, len(self.ids(self.ann, "?datetime=1999-01-01T00:00:00Z")))
        for wrong in ("datetime=now", "bbox=1,2,3", "state=lost", "q=a", "start_record=1", "f=geopose"):
            self.assertEqual(400, self.ann.get(f"{DEVICES}?{wrong}").status, wrong)

    def test_the_collection_is_there_with_accounts(self):
        collections = [entry["id"] for entry in self.bob.get("/ogc/collections").body["collections"]]
        self.assertEqual(["scenes", "objects", "devices"], collections[:3])
        self.assertEqual(200, self.bob.get("/ogc/collections/devices").status)

    def test_objects_of_all_scenes_are_those_that_one_may_read(self):
        self.ann.create("closed", {"name": "hidden"})
        self.ann.create("open", {"name": "seen"})
        self.assertEqual(["seen"], [feature["properties"]["name"] for feature in self.bob.get(OBJECTS).body["features"]])
        self.assertEqual([], self.bob.get(f"{OBJECTS}?scene=closed").body["features"])
        names = sorted(feature["properties"]["name"] for feature in self.ann.get(OBJECTS).body["features"])
        self.assertEqual(["hidden", "seen"], names)
        page = self.ann.get(f"{OBJECTS}?limit=1").body
        after = next(link["href"] for link in page["links"] if link["rel"] == "next").partition("after=")[2]
        self.assertEqual(400, self.bob.get(f"{OBJECTS}?after={after}").status)


if __name__ == "__main__":
    unittest.main()
