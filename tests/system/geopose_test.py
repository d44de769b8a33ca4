#!/usr/bin/python3
"""GeoPoses (OGC 21-056r11, Basic-Quaternion) of objects and devices, in and out. PROJ, another
implementation, says where they are (`cct` of proj-bin)."""

import math
import random
import shutil
import subprocess
import unittest

from support import SHARD_COUNTS, ServerCase, moved, object_path, objects, scene_path, scenes
from support import with_shards

UNIT = {"x": 0, "y": 0, "z": 0, "w": 1}
SEATTLE = {"lat": 47.7, "lon": -122.3, "h": 11.5}
# Of the standard's Basic-Quaternion.
EXAMPLE = {"position": SEATTLE,
           "quaternion": {"x": 0.20056154657066608, "y": -0.08111602541464237,
                          "z": 0.36606032744426537, "w": -0.9050939692261301}}
NO_PLACE = "the scene has no place: a GeoPose needs its latitude and longitude"
NOT_AFFINE = [float(n) / 7 for n in range(1, 17)]


def numbers(quaternion):
    """x, y, z, w, of the two quaternions of a rotation the one whose w is not negative."""
    sign = -1 if quaternion["w"] < 0 else 1
    return [sign * quaternion[name] for name in "xyzw"]


class GeoPoseCase(ServerCase):
    def setUp(self):
        super().setUp()
        self.path = scene_path(self.scene)

    def put_place(self, latitude=47.7, longitude=-122.3, **members):
        self.client.put_scene(self.scene, latitude=latitude, longitude=longitude, **members)

    def create(self, query="", **members):
        return self.client.ok("POST", f"{self.path}/object{query}",
                              objects(members))["objects"][0]["key"]

    def read(self, key, query="?form=geopose"):
        return self.client.ok("GET", object_path(self.scene, key) + query)["objects"][0]

    def assert_same_rotation(self, mine, wanted, delta=1e-9):
        for a, b in zip(numbers(mine), numbers(wanted)):
            self.assertAlmostEqual(a, b, delta=delta)

    def assert_same_pose(self, mine, wanted):
        self.assertAlmostEqual(mine["position"]["lat"], wanted["position"]["lat"], delta=1e-12)
        self.assertAlmostEqual(mine["position"]["lon"], wanted["position"]["lon"], delta=1e-12)
        self.assertAlmostEqual(mine["position"]["h"], wanted["position"]["h"], delta=1e-7)
        self.assert_same_rotation(mine["quaternion"], wanted["quaternion"], 1e-12)


@with_shards(*SHARD_COUNTS)
class Scenes(GeoPoseCase):
    def test_height_and_heading_are_shown_where_they_were_set(self):
        self.put_place()
        scene = self.client.scene(self.scene)
        self.assertNotIn("height_m", scene)
        self.assertNotIn("heading_deg", scene)
        self.put_place(height_m=11.5, heading_deg=0)
        self.client.put_scene(self.scene, name="tower")
        self.restart()
        scene = self.client.scene(self.scene)
        self.assertEqual((scene["height_m"], scene["heading_deg"]), (11.5, 0.0))
        around = {"latitude": 47.7, "longitude": -122.3, "distance": 1}
        found = self.client.ok("POST", "/v1/scene/query", scenes(around))["scenes"]
        self.assertEqual([(s["height_m"], s["heading_deg"]) for s in found
                          if s["key"] == self.scene], [(11.5, 0.0)])

    def test_height_and_heading_out_of_range_are_refused(self):
        for member, value in (("height_m", 1.1e7), ("heading_deg", 360.5)):
            refusal = self.client.refused(422, 111, "PUT", self.path, scenes({member: value}))
            self.assertEqual(refusal["errors"][0]["pointer"], f"/scenes/0/{member}")


@with_shards(*SHARD_COUNTS)
class Objects(GeoPoseCase):
    def test_what_stands_at_the_origin_has_the_identity(self):
        self.put_place(height_m=11.5)
        object_ = self.read(self.create(scale=[2, 3, 4]))
        self.assertEqual(object_["geopose"], {"position": SEATTLE,
                                              "quaternion": {k: float(v) for k, v in UNIT.items()}})
        self.assertEqual(object_["transform"][0], 2.0)

    def test_nobody_sees_it_who_does_not_ask(self):
        self.put_place()
        key = self.create(geopose=EXAMPLE)
        self.assertNotIn("geopose", self.read(key, ""))
        for found in self.client.ok("POST", f"{self.path}/object/query", {})["objects"]:
            self.assertNotIn("geopose", found)

    def test_the_example_of_the_standard_comes_back(self):
        for members in ({}, {"height_m": 11.5}, {"heading_deg": 77.5, "height_m": -400}):
            self.put_place(**members)
            self.assert_same_pose(self.read(self.create(geopose=EXAMPLE))["geopose"], EXAMPLE)

    def test_it_wins_over_other_parts_but_for_the_scale(self):
        self.put_place(height_m=11.5)
        elsewhere = moved(5, 6, 7)
        elsewhere[0] = elsewhere[5] = elsewhere[10] = 3.0
        pose = {"position": SEATTLE, "quaternion": UNIT}
        scaled = [3.0, 0, 0, 0, 0, 3.0, 0, 0, 0, 0, 3.0, 0, 0, 0, 0, 1.0]
        for others in ({"transform": elsewhere}, {"scale": [3, 3, 3], "translation": [1, 1, 1]},
                       {"scale": [3, 3, 3], "euler_rotation": [1, 1, 1]}):
            key = self.create(geopose=pose, **others)
            self.assertEqual(self.read(key)["transform"], scaled)
        # An answer that comes back, changed in its GeoPose alone, changes that.
        mine = self.read(key)
        mine["geopose"]["position"]["h"] += 2.5
        self.client.ok("POST", object_path(self.scene, key), objects(mine))
        scaled[7] = 2.5
        self.assertEqual(self.read(key)["transform"], scaled)

    def test_everything_else_that_the_object_has_is_shown_beside_it(self):
        self.put_place()
        handle = {"left_type": "free", "left_x": 1, "left_y": 2, "right_type": "free",
                  "right_x": 3, "right_y": 4}
        key = self.create(geopose=EXAMPLE, name="lamp", tags=["a", "b"], extras={"watts": 5},
                          visible=False, assets=["x"], translation_handle=[handle],
                          actions=[{"name": "go", "keyframes": [{"frame": 1}]}])
        mine = self.read(key)
        del mine["geopose"]
        self.assertEqual(mine, self.read(key, ""))
        self.assertEqual((mine["tags"], mine["extras"]), (["a", "b"], {"watts": 5}))

    def test_an_update_keeps_the_scale_that_is_stored(self):
        self.put_place()
        key = self.create(scale=[2, 3, 4], translation=[1, 2, 3])
        self.client.ok("POST", object_path(self.scene, key), {"geopose": EXAMPLE})
        self.assert_same_pose(self.read(key)["geopose"], EXAMPLE)
        matrix = self.read(key)["transform"]
        for column, wanted in enumerate((2, 3, 4)):
            self.assertAlmostEqual(math.hypot(*matrix[column:11:4]), wanted, delta=1e-12)

    def test_a_geopose_has_its_own_axes_whatever_the_convention(self):
        self.put_place()
        key = self.create("?convention=unreal", geopose=EXAMPLE, translation=[1, 2, 3])
        plain = self.read(key)
        for convention in ("unity", "unreal", "ros", "enu", "cv", "ned"):
            mine = self.read(key, f"?form=geopose&convention={convention}")
            self.assertEqual(mine["geopose"], plain["geopose"])
            self.assertEqual(mine["transform"],
                             self.read(key, f"?convention={convention}")["transform"])

    def test_moving_the_scene_moves_what_is_in_it(self):
        self.put_place()
        key = self.create(geopose=EXAMPLE)
        self.put_place(latitude=-10, longitude=20)
        moved_ = self.read(key)["geopose"]["position"]
        self.assertAlmostEqual(moved_["lat"], -10, delta=1e-12)
        self.assertAlmostEqual(moved_["lon"], 20, delta=1e-12)

    def test_its_tag_is_of_what_is_stored_and_of_the_place(self):
        self.put_place()
        key = self.create(geopose=EXAMPLE)
        path = object_path(self.scene, key)
        plain = self.client.get(path).headers["ETag"].strip('"')
        mine = self.client.get(path + "?form=geopose").headers["ETag"]
        self.assertRegex(mine, f'^"{plain}-geopose-[0-9a-f]{{16}}"$')
        ask = {"If-None-Match": mine}
        get = self.client.request
        self.assertEqual(get("GET", path + "?form=geopose", None, ask).status, 304)
        self.assertEqual(get("GET", path + "?form=geopose&convention=ros", None, ask).status, 200)
        self.assertEqual(get("GET", path, None, ask).status, 200)
        self.put_place(height_m=5)
        self.assertEqual(get("GET", path + "?form=geopose", None, ask).status, 200)
        # Nobody has changed the object itself.
        update = objects({"name": "tower"})
        self.assertEqual(get("POST", path, update, {"If-Match": mine}).status, 200)
        self.assertEqual(get("POST", path, update, {"If-Match": mine}).status, 412)

    def test_each_of_a_thousand_has_its_own(self):
        self.put_place(heading_deg=12)
        poses = [{"position": {"lat": 47.7 + n / 1e5, "lon": -122.3, "h": float(n)},
                  "quaternion": UNIT} for n in range(1000)]
        made = self.client.ok("POST", f"{self.path}/object",
                              objects(*({"geopose": pose} for pose in poses)))["objects"]
        for n in (0, 1, 299, 300, 999):
            self.assert_same_pose(self.read(made[n]["key"])["geopose"], poses[n])


@with_shards(*SHARD_COUNTS)
class BadInput(GeoPoseCase):
    def refused(self, status, err_code, pointer, position=None, quaternion=None):
        pose = {"position": SEATTLE | (position or {}), "quaternion": UNIT | (quaternion or {})}
        for path in (f"{self.path}/object", object_path(self.scene, self.key)):
            refusal = self.client.refused(status, err_code, "POST", path,
                                          objects({"name": "x"}, {"geopose": pose}))
            self.assertEqual(refusal["errors"][0]["pointer"], f"/objects/1/geopose{pointer}")
        return refusal["errors"][0]["detail"]

    def setUp(self):
        super().setUp()
        self.put_place()
        self.key = self.create(translation=[1, 2, 3])

    def tearDown(self):
        self.assertEqual([(o["key"], o["name"], o["transform"]) for o in self.client.ok(
            "POST", f"{self.path}/object/query", {})["objects"]], [(self.key, "", moved(1, 2, 3))])
        super().tearDown()

    def test_places_off_the_map(self):
        self.refused(422, 111, "/position/lat", {"lat": 90.000001})
        self.refused(422, 111, "/position/lat", {"lat": -91})
        self.refused(422, 111, "/position/lon", {"lon": 180.000001})
        self.refused(422, 111, "/position/lon", {"lon": -181})
        self.refused(422, 111, "/position/h", {"h": 1.1e7})

    def test_a_quaternion_that_is_no_unit(self):
        detail = self.refused(422, 111, "/quaternion", None, {"w": 1.0011})
        self.assertEqual(detail, "must be a unit quaternion; its norm is 1.0011")
        self.refused(422, 111, "/quaternion", None, {"w": 0})
        self.refused(422, 111, "/quaternion", None, {"w": 1e200, "x": 1e200})

    def test_a_number_that_is_missing(self):
        self.refused(400, 122, "/position/h", {"h": None})
        self.refused(400, 122, "/quaternion/x", None, {"x": None})
        for pose in ({}, {"position": SEATTLE}):
            self.client.refused(400, 122, "POST", f"{self.path}/object",
                                objects({"geopose": pose}))

    def test_what_is_no_number(self):
        self.refused(400, 110, "/position/lat", {"lat": "north"})
        body = '{"objects":[{"geopose":{"position":{"lat":NaN}}}]}'
        answer = self.client.request("POST", f"{self.path}/object", body)
        self.assertEqual(answer.status, 400)

    def test_a_scene_without_a_place(self):
        bare = self.scene + "-bare"
        pose = {"geopose": EXAMPLE}
        for members in (None, {"latitude": 1}, {"latitude": 100, "longitude": 1}):
            if members:
                self.client.put_scene(bare, **members)
            refusal = self.client.refused(422, 111, "POST", f"{scene_path(bare)}/object",
                                          objects(pose))
            self.assertEqual(refusal["errors"],
                             [{"pointer": "/objects/0/geopose", "detail": NO_PLACE}])
        key = self.client.create(bare, {})[0]
        for path in (object_path(bare, key), scene_path(bare)):
            refusal = self.client.refused(422, 111, "GET", path + "?form=geopose")
            self.assertEqual(refusal["errors"][0]["detail"], NO_PLACE)
        self.client.refused(422, 111, "POST", scene_path(bare) + "/register?form=geopose",
                            scenes({"devices": [{"key": "d"}]}))
        self.assertEqual(self.client.scene(bare)["devices"], [])

    def test_an_object_that_has_no_rotation_and_an_unknown_form(self):
        self.client.ok("POST", object_path(self.scene, self.key),
                       objects({"transform": NOT_AFFINE}))
        path = object_path(self.scene, self.key)
        refusal = self.client.refused(422, 111, "GET", path + "?form=geopose")
        self.assertIn("sheared, singular or not affine", refusal["detail"])
        refusal = self.client.refused(422, 111, "GET", path + "?form=euler")
        self.assertEqual(refusal["detail"], "form must be geopose or trs")
        self.client.ok("POST", path, objects({"transform": moved(1, 2, 3)}))

    def test_a_norm_that_is_nearly_one_is_taken_as_one(self):
        pose = {"position": SEATTLE, "quaternion": {"x": 0, "y": 0, "z": 0.6, "w": 0.8005}}
        self.client.ok("POST", object_path(self.scene, self.key), {"geopose": pose})
        mine = self.read(self.key)["geopose"]["quaternion"]
        norm = math.hypot(0.6, 0.8005)
        self.assert_same_rotation(mine, {"x": 0, "y": 0, "z": 0.6 / norm, "w": 0.8005 / norm},
                                  1e-12)
        self.client.ok("POST", object_path(self.scene, self.key),
                       objects({"transform": moved(1, 2, 3)}))


@with_shards(*SHARD_COUNTS)
class Devices(GeoPoseCase):
    LEFT = {"translation": [0, 0, -10], "rotation": [0, 0.5, 0]}

    def register(self, device, query="?form=geopose"):
        return self.client.ok("POST", f"{self.path}/register{query}",
                              scenes({"devices": [device]}))["scenes"][0]["devices"]

    def test_devices_have_one_in_the_scene_and_where_they_register(self):
        self.put_place(latitude=0, longitude=0, height_m=100)
        mine = self.register({"key": "d", "transform": self.LEFT})[0]
        self.assertAlmostEqual(mine["geopose"]["position"]["lat"], 10 / 6335439.3 / math.pi * 180,
                               delta=1e-8)  # 10 m to the north: the meridian's radius there
        self.assert_same_rotation(mine["geopose"]["quaternion"],
                                  {"x": 0, "y": 0, "z": math.sin(0.25), "w": math.cos(0.25)}, 1e-5)
        shown = self.client.ok("GET", self.path + "?form=geopose")["scenes"][0]["devices"][0]
        self.assertEqual(shown["geopose"], mine["geopose"])
        self.assertNotIn("geopose", self.client.scene(self.scene)["devices"][0])
        self.assertNotIn("geopose", self.register({"key": "d"}, "")[0])

    def test_the_axes_of_a_device_do_not_change_it(self):
        self.put_place(heading_deg=30)
        plain = self.register({"key": "d", "transform": self.LEFT})[0]["geopose"]
        for query, convention in (("?form=geopose&convention=unity", None),
                                  ("?form=geopose", "unity")):
            unity = {"key": "u", "convention": convention, "transform":
                     {"translation": [0, 0, 10], "rotation": [0, -0.5, 0]}}
            mine = next(d for d in self.register(unity, query) if d["key"] == "u")
            self.assertEqual(mine["geopose"], plain)
            self.assertEqual(mine["transform"], {"translation": [0.0, 0.0, 10.0],
                                                 "rotation": [0.0, -0.5, 0.0]})

    def test_one_without_a_transform_stands_at_the_origin(self):
        self.put_place(height_m=11.5)
        mine = self.register({"key": "d"})[0]["geopose"]
        self.assertEqual(mine["position"], SEATTLE)
        self.assertEqual(numbers(mine["quaternion"]), [0.0, 0.0, 0.0, 1.0])

    def test_the_tag_of_the_scene_stays_that_of_what_is_stored(self):
        self.put_place()
        self.register({"key": "d", "transform": self.LEFT})
        plain = self.client.get(self.path).headers["ETag"].strip('"')
        mine = self.client.get(self.path + "?form=geopose").headers["ETag"]
        self.assertTrue(mine.startswith(f'"{plain}-geopose-'), mine)
        answer = self.client.request("POST", self.path, scenes({"name": "x"}), {"If-Match": mine})
        self.assertEqual(answer.status, 200)


def proj(*arguments, points):
    """The points (three numbers each) as PROJ converts them."""
    text = "".join(" ".join(repr(float(x)) for x in point) + " 0\n" for point in points)
    done = subprocess.run(["cct", "-d", "15", *arguments], input=text, capture_output=True,
                          text=True, check=True, timeout=60)
    return [[float(word) for word in line.split()[:3]] for line in done.stdout.splitlines()]


def geocentric(position):
    return proj("+proj=cart", "+ellps=WGS84",
                points=[(position["lon"], position["lat"], position["h"])])[0]


def topocentric(latitude, longitude, height):
    """What makes PROJ convert from geocentric coordinates to east, north, up there."""
    return ("+proj=topocentric", "+ellps=WGS84", f"+lat_0={latitude!r}", f"+lon_0={longitude!r}",
            f"+h_0={height!r}")


def rotated(quaternion, vector):
    """By the definition: q v q*, with q = (x, y, z, w)."""
    x, y, z, w = quaternion
    def cross(a, b):
        return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
    twice = [2 * t for t in cross([x, y, z], vector)]
    return [v + w * t + u for v, t, u in zip(vector, twice, cross([x, y, z], twice))]


@unittest.skipUnless(shutil.which("cct"), "cct of proj-bin is not installed: PROJ is not asked")
class Proj(GeoPoseCase, unittest.TestCase):
    """Right, forward and up of each object, carried to the Earth by PROJ."""

    PLACES = [  # latitude, longitude, height, heading
        (90, 0, 0, 0), (90, 30, 2800, 40), (-90, -75, 2800, 200), (89.9999999, 12, 0, -10),
        (0, 180, 0, 0), (-17, -180, 9000, 359), (66, 179.99999, -400, 90), (0, 0, 0, 180),
        (47.7, -122.3, 11.5, 12.25), (-54.8, -68.3, -400, -360), (27.98806, 86.92528, 8849, 270),
    ]
    FAR = 1e6  # length of the axes that PROJ carries, so that rounding does not turn them

    def enu(self, vector, heading):
        """East, north, up of a vector in the axes of a scene, by the definition of its heading."""
        angle = math.radians(heading)
        right = (math.cos(angle), -math.sin(angle), 0)
        ahead = (math.sin(angle), math.cos(angle), 0)
        x, y, z = vector
        return [x * r + y * u - z * a for r, u, a in zip(right, (0, 0, 1), ahead)]

    def expect(self, place, offset, quaternion, pose):
        """`quaternion` is x, y, z, w of the body in the axes of its scene."""
        *origin, heading = place
        axes = [rotated(quaternion, axis) for axis in ((1, 0, 0), (0, 0, -1), (0, 1, 0))]
        ends = [[o + self.FAR * a for o, a in zip(offset, axis)] for axis in axes]
        local = [self.enu(point, heading) for point in [offset, *ends]]
        carried = proj("-I", *topocentric(*origin), points=local)
        position = pose["position"]
        self.assertLess(math.dist(geocentric(position), carried[0]), 0.001, (place, offset))
        there = topocentric(position["lat"], position["lon"], position["h"])
        center, *tips = proj(*there, points=carried)
        for tip, axis in zip(tips, ((1, 0, 0), (0, 1, 0), (0, 0, 1))):
            wanted = [(t - c) / self.FAR for t, c in zip(tip, center)]
            for mine, other in zip(rotated(numbers(pose["quaternion"]), axis), wanted):
                self.assertAlmostEqual(mine, other, delta=1e-9, msg=(place, offset))

    @staticmethod
    def turns(rng):
        quaternion = [rng.gauss(0, 1) for _ in range(4)]
        return [n / math.hypot(*quaternion) for n in quaternion]

    def test_objects_are_where_proj_says(self):
        rng = random.Random(14)
        for place in self.PLACES:
            self.put_place(*place[:2], height_m=place[2], heading_deg=place[3])
            for reach in (0, 5, 1000, 100000):
                offset = [rng.uniform(-reach, reach) / math.sqrt(3) for _ in range(3)]
                x, y, z, w = self.turns(rng)
                key = self.create(translation=offset, quaternion_rotation=[w, x, y, z])
                self.expect(place, offset, (x, y, z, w), self.read(key)["geopose"])

    def test_objects_are_put_where_proj_says(self):
        rng = random.Random(15)
        for place in self.PLACES:
            self.put_place(*place[:2], height_m=place[2], heading_deg=place[3])
            latitude = max(-90, min(90, place[0] + rng.uniform(-0.8, 0.8)))
            position = {"lat": latitude, "lon": place[1] * 0.9999, "h": rng.uniform(-400, 9000)}
            pose = {"position": position, "quaternion": dict(zip("xyzw", self.turns(rng)))}
            matrix = self.read(self.create(geopose=pose), "")["transform"]
            offset = [matrix[3], matrix[7], matrix[11]]
            local = self.enu(offset, place[3])
            carried = proj("-I", *topocentric(*place[:3]), points=[local])[0]
            self.assertLess(math.dist(geocentric(position), carried), 0.001, place)
            there = self.read(self.create(transform=matrix))["geopose"]
            if abs(latitude) < 90:
                self.assert_same_rotation(there["quaternion"], pose["quaternion"])


if __name__ == "__main__":
    unittest.main()
