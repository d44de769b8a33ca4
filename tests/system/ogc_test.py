"""OGC API - Features: scenes and objects on maps, read by GDAL (gdal-bin), the library below QGIS and many others. Its
tests are skipped where that is missing.

DIORAMA_LONG=1: 25,000 scenes, and how long GDAL takes for them."""

import json
import math
import os
import random
import shutil
import subprocess
import threading
import time
import unittest
from urllib.parse import quote

from support import LONG, Client, ServerCase, is_sanitized, moved, objects, scene_path, scenes, with_shards

GDAL = shutil.which("ogr2ogr")
MANY = 25000 if LONG else 2500
SCENES, ITEMS = "/ogc/collections/scenes", "/ogc/collections/scenes/items"
A, F = 6378137.0, 1 / 298.257223563  # WGS 84
E2 = F * (2 - F)
DIRECT = {name: value for name, value in os.environ.items() if "proxy" not in name.lower()}


def objects_of(scene):
    return f"/ogc/collections/objects.{quote(scene, safe='')}"


def ecef(latitude, longitude, height):
    phi, lam = math.radians(latitude), math.radians(longitude)
    normal = A / math.sqrt(1 - E2 * math.sin(phi) ** 2)
    return ((normal + height) * math.cos(phi) * math.cos(lam), (normal + height) * math.cos(phi) * math.sin(lam),
            (normal * (1 - E2) + height) * math.sin(phi))


def place_of(scene, x, y, z):
    """Where a point of a scene is on Earth, ECEF: its -Z points `heading_deg` clockwise from north."""
    phi, lam, turn = (math.radians(scene[name]) for name in ("latitude", "longitude", "heading_deg"))
    east = x * math.cos(turn) - z * math.sin(turn)
    north = -x * math.sin(turn) - z * math.cos(turn)
    origin = ecef(scene["latitude"], scene["longitude"], scene["height_m"])
    return (origin[0] - math.sin(lam) * east - math.sin(phi) * math.cos(lam) * north + math.cos(phi) * math.cos(lam) * y,
            origin[1] + math.cos(lam) * east - math.sin(phi) * math.sin(lam) * north + math.cos(phi) * math.sin(lam) * y,
            origin[2] + math.cos(phi) * north + math.sin(phi) * y)


class MapCase(ServerCase):
    def get(self, path):
        answer = self.client.get(path)
        self.assertEqual(200, answer.status, f"{path}: {answer}")
        return answer.body

    def ids(self, path):
        return [feature["id"] for feature in self.get(path)["features"]]

    def follow(self, path):
        """All features, page by page, by the links alone."""
        root = f"http://127.0.0.1:{self.server.http_port}"
        found = []
        while path:
            page = self.get(path)
            self.assertEqual(len(page["features"]), page["numberReturned"])
            found += page["features"]
            after = [link["href"] for link in page["links"] if link["rel"] == "next"]
            path = after[0].removeprefix(root) if after else None
        return found

    def gdal(self, layer, *options):
        """The features of a layer as GDAL sees them."""
        address = f"OAPIF:http://127.0.0.1:{self.server.http_port}/ogc/collections/{quote(layer)}"
        ran = subprocess.run([GDAL, "-f", "GeoJSON", "/vsistdout/", address, *options], capture_output=True, text=True,
                             timeout=120, check=False, env=DIRECT)
        self.assertEqual(0, ran.returncode, ran.stderr)
        self.assertEqual("", ran.stderr)
        return json.loads(ran.stdout)["features"]


class Features(MapCase, unittest.TestCase):
    def test_the_landing_page_leads_to_the_features(self):
        self.client.put_scene(self.scene, latitude=1, longitude=2)
        by_rel = {link["rel"]: link for link in self.get("/ogc")["links"]}
        for rel in ("service-desc", "service-doc", "conformance", "data"):
            path = by_rel[rel]["href"].removeprefix(f"http://127.0.0.1:{self.server.http_port}")
            self.assertEqual(200, self.client.get(path).status, rel)
        self.assertIn("scenes", [entry["id"] for entry in self.get("/ogc/collections")["collections"]])

    def test_objects_are_within_a_millimetre_of_where_they_are(self):
        chance = random.Random(7)
        for latitude, longitude in ((0, 0), (89.9999, 10), (-90, 0), (52.5, 13.4), (10, 180), (-33, -179.99999)):
            scene = {"latitude": latitude, "longitude": longitude, "height_m": chance.uniform(-100, 3000),
                     "heading_deg": chance.choice((0, 90, 350, -123.5))}
            name = f"{self.scene} {latitude} {longitude}"
            self.client.put_scene(name, **scene)
            places = [[chance.uniform(-2000, 2000) for _ in range(3)] for _ in range(5)]
            keys = self.client.create(name, *({"transform": moved(*place)} for place in places))
            features = {feature["id"]: feature for feature in self.get(objects_of(name) + "/items")["features"]}
            for key, place in zip(keys, places):
                lon, lat, height = features[key]["geometry"]["coordinates"]
                self.assertLess(math.dist(place_of(scene, *place), ecef(lat, lon, height)), 0.001, (scene, place))
                self.assertEqual({"lat": lat, "lon": lon, "h": height}, features[key]["geopose"]["position"])

    def test_one_feature_is_the_one_of_the_page(self):
        self.client.put_scene(self.scene, latitude=1, longitude=2)
        [key] = self.client.create(self.scene, {"name": "a", "transform": moved(1, 2, 3)})
        path = objects_of(self.scene) + "/items"
        [listed], one = self.get(path)["features"], self.get(f"{path}/{key}")
        self.assertEqual(listed, {name: value for name, value in one.items() if name != "links"})
        self.assertEqual("a", one["properties"]["name"])
        scene = self.get(f"{ITEMS}/{quote(self.scene)}")
        self.assertNotIn("devices", scene["properties"])
        self.assertEqual([2, 1, 0], scene["geometry"]["coordinates"])
        self.client.refused(404, 102, "GET", f"{path}/none")
        self.client.refused(404, 102, "GET", f"{ITEMS}/none")

    def test_what_has_no_place_has_no_geometry(self):
        self.client.put_scene(self.scene)
        [key] = self.client.create(self.scene, {"name": "a"})
        path = objects_of(self.scene) + "/items"
        for feature in (*self.get(path)["features"], self.get(f"{path}/{key}"), self.get(f"{ITEMS}/{quote(self.scene)}")):
            self.assertIsNone(feature["geometry"])
            self.assertNotIn("geopose", feature)

    def test_a_box_may_lie_over_the_date_line(self):
        for name, longitude in (("east", 179), ("west", -179), ("far", 0)):
            self.client.put_scene(f"{self.scene} {name}", latitude=61, longitude=longitude, tags=[self.scene])
        found = self.ids(f"{ITEMS}?bbox=170,60,-170,62&tag={quote(self.scene)}")
        self.assertEqual([f"{self.scene} east", f"{self.scene} west"], found)
        self.client.create(f"{self.scene} east", {"name": "near"}, {"name": "away", "transform": moved(200000, 0, 0)})
        inside = self.get(objects_of(f"{self.scene} east") + "/items?bbox=170,60,180,62")["features"]
        self.assertEqual(["near"], [feature["properties"]["name"] for feature in inside])

    def test_a_box_that_makes_no_sense_is_told(self):
        self.client.put_scene(self.scene, latitude=1, longitude=2)
        for path in (ITEMS, objects_of(self.scene) + "/items"):
            for box in ("1,2,3", "1,2,3,4,5", "a,b,c,d", "1,2,3,4,", "0,2,1,1", "-181,0,0,1", "0,0,0,91", "1,1,nan,2",
                        "%00,1,2,3", "1,2,3,1e999", "," * 120):
                answer = self.client.get(f"{path}?bbox={box}")
                self.assertIn(answer.status, (400, 422), f"{box}: {answer}")
                if "%" not in box:
                    self.assertEqual("/bbox", answer.body["errors"][0]["pointer"], box)

    def test_more_than_a_page_may_have_is_a_page(self):
        self.client.put_scene(self.scene, latitude=1, longitude=2)
        self.client.create(self.scene, *[{"name": "a"} for _ in range(1001)])
        page = self.get(objects_of(self.scene) + "/items?limit=10000")
        self.assertEqual((1000, 1001), (page["numberReturned"], page["numberMatched"]))

    def test_a_map_of_a_page_elsewhere_gets_it_compressed(self):
        self.client.put_scene(self.scene, latitude=1, longitude=2)
        self.client.create(self.scene, *[{"name": "a"} for _ in range(100)])
        answer = self.client.request("GET", objects_of(self.scene) + "/items", headers={"Accept-Encoding": "gzip"})
        self.assertEqual("gzip", answer.headers["Content-Encoding"])
        self.assertEqual("application/geo+json", answer.headers["Content-Type"])


@with_shards(1, 3)
class Many(MapCase):
    def test_all_scenes_are_found_once_while_others_are_written(self):
        self.make()
        stop = threading.Event()

        def write():
            with Client(self.server) as client:
                for number in range(100000):
                    if stop.is_set():
                        return
                    client.put_scene(f"new {number:05}", latitude=1, longitude=2)

        writer = threading.Thread(target=write)
        writer.start()
        try:
            found = [feature["id"] for feature in self.follow(f"{ITEMS}?limit=400")]
        finally:
            stop.set()
            writer.join()
        self.assertEqual(len(found), len(set(found)))
        self.assertLessEqual({f"many {number:05}" for number in range(MANY)}, set(found))

    def make(self):
        if self.client.get(scene_path("many 00000")).status == 200:
            return
        for start in range(0, MANY, 500):
            self.client.ok("POST", "/v1/scene", scenes(*(
                {"key": f"many {number:05}", "name": f"n{number}", "latitude": number % 160 - 80, "longitude": number % 340 - 170}
                for number in range(start, min(MANY, start + 500)))))


@unittest.skipUnless(GDAL, "there is no gdal-bin")
class Gdal(MapCase, unittest.TestCase):
    def test_it_sees_the_scenes_that_the_server_lists(self):
        for number in range(25):
            self.client.put_scene(f"{self.scene} {number}", latitude=number, longitude=-number, height_m=number, tags=["a"])
        seen = {feature["properties"]["id"]: feature["geometry"]["coordinates"] for feature in self.gdal("scenes")}
        for number in range(25):
            self.assertEqual([-number, number, number], seen[f"{self.scene} {number}"])
        self.assertEqual({feature["id"] for feature in self.follow(ITEMS)}, set(seen))

    def test_it_opens_all_collections_at_once(self):
        self.client.put_scene(self.scene, latitude=1, longitude=2)
        told = subprocess.run([shutil.which("ogrinfo"), "-q", f"OAPIF:http://127.0.0.1:{self.server.http_port}/ogc"],
                              capture_output=True, text=True, timeout=120, check=True, env=DIRECT)
        for entry in self.get("/ogc/collections")["collections"]:
            self.assertIn(f": {entry['id']} (title: {entry['title']})", told.stdout)
        self.assertEqual("", told.stderr)

    def test_it_sees_objects_with_their_members(self):
        self.client.put_scene(self.scene, latitude=48.2, longitude=16.3, height_m=170, heading_deg=30)
        self.client.create(self.scene, *({"name": f"no {number}", "type": "tree", "transform": moved(number, 0, 0)}
                                         for number in range(30)))
        seen = {feature["properties"]["id"]: feature for feature in self.gdal(f"objects.{self.scene}")}
        for feature in self.get(objects_of(self.scene) + "/items")["features"]:
            there = seen.pop(feature["id"])
            self.assertEqual("tree", there["properties"]["type"])
            self.assertEqual(feature["properties"]["name"], there["properties"]["name"])
            for ours, theirs in zip(feature["geometry"]["coordinates"], there["geometry"]["coordinates"]):
                self.assertAlmostEqual(ours, theirs, 6)
        self.assertEqual({}, seen)

    def test_it_asks_for_a_part_of_the_map(self):
        for number in range(5):
            self.client.put_scene(f"{self.scene} {number}", latitude=-50 - number, longitude=100 + number)
        seen = self.gdal("scenes", "-spat", "100.5", "-52.5", "102.5", "-50.5")
        self.assertEqual([f"{self.scene} 1", f"{self.scene} 2"], sorted(feature["properties"]["id"] for feature in seen))


@unittest.skipUnless(GDAL and LONG and not is_sanitized(), "it measures, in the long form, with gdal-bin")
class Copy(MapCase, unittest.TestCase):
    def test_many_scenes_are_copied_in_two_seconds(self):
        Many.make(self)
        target = os.path.join(self.server.folder, "scenes.gpkg")
        began = time.monotonic()
        subprocess.run([GDAL, "-oo", "PAGE_SIZE=1000", "-f", "GPKG", target,
                        f"OAPIF:http://127.0.0.1:{self.server.http_port}/ogc", "scenes"], check=True, timeout=120, env=DIRECT)
        took = time.monotonic() - began
        print(f"\n{MANY} scenes to a GeoPackage: {took:.2f} s")
        self.assertLess(took, 2)


if __name__ == "__main__":
    unittest.main()
