"""Scenes as tilesets (3D Tiles 1.1) and as streams of CZML, without a browser: what stands in them, who may see them, what
broken models do. CesiumJS judges both in cesium_test.py.

DIORAMA_LONG=1: what a tileset of 10,000 objects takes beside the query of the same, and a stream of CZML beside a plain one."""

import json
import math
import os
import random
import struct
import time
import unittest
from urllib.parse import quote, urljoin

from alignment_test import ORIGIN, AlignmentCase, pose
from files import upload
from models import box, glb, gltf
from people import PeopleCase, bearer
from streams import EventStream
from support import LONG, Client, ServerCase, is_sanitized, moved, object_path, run_together, scene_path, with_shards

PLACE = {"latitude": 48.137, "longitude": 11.575, "height_m": 520.25, "heading_deg": 30}
MANY = 10000 if LONG else 1500


def multiply(columns, other):
    return [sum(columns[k * 4 + row] * other[column * 4 + k] for k in range(4)) for column in range(4) for row in range(4)]


class TileCase(ServerCase):
    def put_asset(self, content, name="box.glb", query="", client=None):
        answer = upload(client or self.client, "/v1/asset" + query, content, name)
        self.assertEqual(200, answer.status, answer)
        return answer.text

    def asset(self, key):
        [found] = self.client.post("/v1/bulk/asset", {"ids": [key]}).body
        return found

    def tileset(self, query="", scene=None, client=None):
        answer = (client or self.client).get(self.path("tileset.json" + query, scene))
        self.assertEqual(200, answer.status, answer)
        return answer.body

    def path(self, rest, scene=None):
        return f"{scene_path(scene or self.scene)}/{rest}"

    def walk(self, path):
        """All tiles of objects as a client finds them, by their links: (object, matrix in the whole), and each within what it
        is said to be in."""
        body = self.client.get(path).body
        yield from self.tiles_of(path, body["root"])

    def tiles_of(self, path, tile, volumes=()):
        uri = tile.get("content", {}).get("uri", "")
        for child in tile.get("children", ()):
            yield from self.tiles_of(path, child, (*volumes, tile["boundingVolume"]))
        if uri.startswith("tileset.json"):
            for inner in self.walk(urljoin(path, uri)):
                self.assert_within(inner, tile["boundingVolume"])
                yield inner
        elif uri:
            for volume in volumes:
                self.assert_within(tile, volume)
            yield tile

    def assert_within(self, tile, volume):
        x, y, z, radius = tile["boundingVolume"]["sphere"]
        matrix = tile["transform"]
        centre = [matrix[row] * x + matrix[4 + row] * y + matrix[8 + row] * z + matrix[12 + row] for row in range(3)]
        scale = max(math.dist((0, 0, 0), matrix[4 * column:4 * column + 3]) for column in range(3))
        numbers = volume["box"]
        for axis in range(3):
            self.assertLessEqual(abs(centre[axis] - numbers[axis]) + radius * scale, numbers[3 + 4 * axis] + 1e-9)


@with_shards(1, 4)
class Tilesets(TileCase):
    def test_an_object_that_shows_a_model_is_a_tile(self):
        self.client.put_scene(self.scene, **PLACE)
        asset = self.put_asset(glb(box()))
        key, *_ = self.client.create(self.scene, {"name": "box", "transform": moved(1, 2, 3), "assets": [asset]}, {"name": "bare"},
                                     {"assets": [self.put_asset(b"words", "a.txt")]}, {"visible": False, "assets": [asset]})
        found = self.tileset()
        self.assertEqual({"version": "1.1", "extras": {"objects": 4, "without_model": 2, "hidden": 1, "flat": 0}}, found["asset"])
        [tile] = found["root"]["children"]
        self.assertEqual([1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 1, -3, 2, 1], tile["transform"])
        self.assertEqual([0, 0, 0], tile["boundingVolume"]["sphere"][:3])
        self.assertAlmostEqual(math.sqrt(0.75), tile["boundingVolume"]["sphere"][3])
        self.assertEqual({"object": key, "name": "box"}, tile["extras"])
        bytes_ = self.client.get(urljoin(self.path("tileset.json"), tile["content"]["uri"]))
        self.assertEqual(glb(box()), bytes_.content)
        self.assertGreaterEqual(found["geometricError"], found["root"]["geometricError"])

    def test_a_tileset_has_a_tag_that_changes_with_it(self):
        self.client.put_scene(self.scene, **PLACE)
        [key] = self.client.create(self.scene, {"assets": [self.put_asset(glb(box()))]})
        path = self.path("tileset.json")
        tag = self.client.get(path).headers["ETag"]
        self.assertEqual(304, self.client.request("GET", path, None, {"If-None-Match": tag}).status)
        self.client.update(self.scene, key, transform=moved(1))
        self.assertEqual(200, self.client.request("GET", path, None, {"If-None-Match": tag}).status)

    def test_a_scene_without_a_place_is_refused_unless_it_is_local(self):
        self.client.put_scene(self.scene)
        answer = self.client.refused(422, 111, "GET", self.path("tileset.json"))
        self.assertEqual("/latitude", answer["errors"][0]["pointer"])
        self.assertNotIn("transform", self.tileset("?frame=local")["root"])
        self.assertNotIn("children", self.tileset("?frame=local")["root"])
        self.client.put_scene(self.scene, latitude=91, longitude=0)
        self.client.refused(422, 111, "GET", self.path("tileset.json"))

    def test_what_is_no_part_is_refused(self):
        self.client.put_scene(self.scene, **PLACE)
        for node in ("8", "-1", "0x1", "%01", "0" * 22, "0" * 60, "..", "%F0%9F%8C%8D"):
            self.client.refused(422, 111, "GET", self.path(f"tileset.json?node={node}"))
        for node in ("0", "7" * 21):
            self.client.refused(404, 102, "GET", self.path(f"tileset.json?node={node}"))
        self.assertEqual(200, self.client.get(self.path("tileset.json?node=")).status)
        self.client.refused(404, 102, "GET", self.path("tileset.json?frame=nowhere"))
        self.client.refused(404, 102, "GET", "/v1/scene/nowhere/tileset.json")

    def test_a_large_scene_comes_in_parts(self):
        self.client.put_scene(self.scene, **PLACE)
        dice, wanted = random.Random(3), {}
        assets = [self.put_asset(glb(box())), self.put_asset(gltf(), "box.gltf")]
        for _ in range(MANY // 500):
            places = [moved(*(dice.gauss(0, 60) for _ in range(3))) for _ in range(500)]
            keys = self.client.create(self.scene, *({"transform": place, "assets": [dice.choice(assets)]} for place in places))
            wanted.update(zip(keys, places))
        whole = self.client.get(self.path("tileset.json"))
        self.assertLess(len(whole.content), 300000)
        found = {tile["extras"]["object"]: tile["transform"] for tile in self.walk(self.path("tileset.json"))}
        self.assertEqual(wanted.keys(), found.keys())
        for key, place in wanted.items():
            self.assertEqual([place[3], -place[11], place[7]], found[key][12:15])

    def test_things_in_one_place_come_in_parts_too(self):
        self.client.put_scene(self.scene, **PLACE)
        asset = self.put_asset(glb(box()))
        keys = [key for _ in range(4) for key in self.client.create(self.scene, *[{"assets": [asset]}] * 500)]
        self.assertLess(len(self.client.get(self.path("tileset.json")).content), 20000)
        self.assertEqual(sorted(keys), sorted(tile["extras"]["object"] for tile in self.walk(self.path("tileset.json"))))


class Links(AlignmentCase, TileCase, unittest.TestCase):
    def path(self, name, rest=None):
        return scene_path(self.key(name))

    def test_a_scene_stands_where_alignment_says(self):
        self.client.put_scene(self.key("yard"), latitude=0, longitude=0)
        self.client.put_scene(self.key("hall"))
        for phone in ("one", "two"):
            self.register("yard", phone, ORIGIN)
            self.align("yard", phone, pose(7, 0, 0))
            self.register("hall", phone, ORIGIN)
            self.align("hall", phone, pose(0, 0, 0))
        self.await_status("hall", "yard", "predicted")
        root = self.client.get(f"{self.path('hall')}/tileset.json?frame={self.key('yard')}").body["root"]
        for wanted, found in zip([0, 1, 0, 0, 0, 0, 1, 0, 1, 0, 0, 0, 6378137, 7, 0, 1], root["transform"]):
            self.assertAlmostEqual(wanted, found, delta=1e-6)
        self.assertEqual({"frame", "status", "sigma_t_m", "sigma_r_rad"}, root["extras"].keys())
        self.client.put_scene(self.key("moon"), latitude=0, longitude=0)
        self.client.refused(409, 124, "GET", f"{self.path('hall')}/tileset.json?frame={self.key('moon')}")
        self.client.refused(422, 111, "GET", f"{self.path('yard')}/tileset.json?frame={self.key('hall')}")


class Bounds(TileCase, unittest.TestCase):
    def bounds(self, content, name="box.glb"):
        return self.asset(self.put_asset(content, name)).get("bounds")

    def assert_sphere(self, wanted, found):
        self.assertIsNotNone(found)
        for a, b in zip(wanted, found):
            self.assertAlmostEqual(a, b, places=9)

    def test_a_model_has_them_since_its_upload(self):
        nodes = [{"translation": [10, 0, 0], "children": [1]}, {"scale": [2, 2, 2], "mesh": 0}]
        self.assert_sphere([10, 0, 0, math.sqrt(3)], self.bounds(glb(box(nodes))))
        self.assert_sphere([0, 0, 0, math.sqrt(0.75)], self.bounds(gltf(), "box.gltf"))
        self.assertIsNone(self.bounds(b"no model", "a.txt"))

    def test_a_new_version_has_its_own_and_an_old_one_comes_back_with_its(self):
        first = self.put_asset(glb(box()))
        second = upload(self.client, f"/v1/asset/{first}", glb(box([{"mesh": 0, "translation": [5, 0, 0]}])), "b.glb").text
        self.assert_sphere([5, 0, 0, math.sqrt(0.75)], self.asset(second)["bounds"])
        third = upload(self.client, f"/v1/asset/{second}", glb(b"{}"), "c.glb").text
        self.assertNotIn("bounds", self.asset(third))
        fourth = self.client.post(f"/v1/asset/{third}/restore", {"version": second}).body
        self.assert_sphere([5, 0, 0, math.sqrt(0.75)], fourth["bounds"])
        self.server.restart()
        self.client = self.connect()
        self.assert_sphere([5, 0, 0, math.sqrt(0.75)], self.asset(fourth["key"])["bounds"])

    def test_nobody_can_say_them(self):
        for query in ("?bounds=1,2,3,4", "?bounds=1&bounds=2&bounds=3&bounds=4", "?bounds=%5B1,2,3,4%5D"):
            key = self.put_asset(b"words", "a.txt", query)
            self.assertNotIn("bounds", self.asset(key))

    def test_no_model_is_refused_for_odd_ones(self):
        def with_accessor(**members):
            document = box()
            document["accessors"][0].update(members)
            return glb(document)
        deep = b'{"nodes":' + b"[" * 100000 + b"]" * 100000 + b"}"
        many = json.dumps(box([{"mesh": 0, "children": list(range(i + 1, min(i + 9, 70000)))} for i in range(70000)])).encode()
        huge = b'{"asset":"' + b"x" * (4 << 20) + b'"}'
        head = struct.pack("<3I", 0x46546C67, 2, 100)
        odd = [
            with_accessor(min=[1, 1, 1], max=[0, 0, 0]), with_accessor(min=[-1e308] * 3, max=[1e308] * 3), with_accessor(min=[]),
            with_accessor(min="x", max={}), glb(box([{"mesh": 0, "scale": [1e300] * 3}])),
            glb(box([{"children": [0]}])), glb(box([{"children": [1]}, {"children": [0]}])), glb(box([{"mesh": -1}])),
            glb(box(roots=(99,))), glb(box(scenes=[])), glb(b"{"), glb(b""), glb(b"[]"), glb(b"null"), glb(deep), glb(many), glb(huge),
            glb(b'{"a":"\xff"}'), b"glTF", head, head + b"\xff\xff\xff\xffJSON", head + b"\0\0\0\0JSON", b"", b"{", deep,
            glb(box())[:40], glb(b'{"nodes":[{"mesh":1e400}]}')]
        for index, content in enumerate(odd):
            with self.subTest(index):
                self.assertIsNone(self.bounds(content, "odd.glb"), content[:100])
        self.assert_sphere([0, 0, 0, math.sqrt(0.75)], self.bounds(glb(box([{"mesh": 0, "children": [0]}]))))
        self.assertTrue(self.server.is_running())

    def test_many_uploads_at_once_keep_to_the_memory_for_bodies(self):
        content = json.dumps(box([{"mesh": 0, "translation": [0, 0, 1]}] * 50000, roots=range(50000))).encode()
        self.bounds(gltf(), "first.gltf")
        before = self.server.resident_bytes()
        clients = [self.connect() for _ in range(16)]
        keys = []
        run_together(*(lambda client=client, index=index: keys.append(
            self.put_asset(content + b" " * index, "large.gltf", client=client)) for index, client in enumerate(clients)))
        self.assertEqual(16, len(keys))
        for key in keys:
            self.assert_sphere([0, 0, 1, math.sqrt(0.75)], self.asset(key)["bounds"])
        if not is_sanitized():
            self.assertLess(self.server.peak_bytes() - before, 256 << 20)


class Access(PeopleCase, TileCase, unittest.TestCase):
    def test_private_scenes_and_private_models_are_not_told_of(self):
        owner, guest = self.new_person("owner"), self.new_person("guest")
        for person in (owner, guest):
            self.addCleanup(person.close)
        models = [self.put_asset(glb(box()), query=f"?public={public}", client=owner) for public in ("true", "false")]
        owner.put_scene(self.scene, public=True, **PLACE)
        owner.create(self.scene, *({"assets": [model]} for model in models))
        for person, count in ((owner, 2), (guest, 1)):
            self.assertEqual(count, len(self.tileset(client=person)["root"]["children"]))
            with EventStream(self.server, self.path("events?form=czml"), bearer(person.token)) as stream:
                shown = [packet["model"]["show"] for packet in packets_of(stream.next())[1:]]
            self.assertEqual([False] * (2 - count) + [True] * count, sorted(shown))
        owner.put_scene(self.scene, public=False)
        self.assertEqual(404, guest.get(self.path("tileset.json")).status)
        owner.put_scene("map", public=True, **PLACE)
        self.assertEqual(404, guest.get(f"/v1/scene/map/tileset.json?frame={self.scene}").status)
        with Client(self.server) as stranger:
            self.assertEqual(401, stranger.get(self.path("tileset.json")).status)


def packets_of(event):
    assert event.name == "czml", event
    return event.body


@with_shards(1, 4)
class Czml(TileCase):
    def watch(self, query="", headers=None, client=None):
        stream = EventStream(self.server, self.path("events?form=czml" + query), headers)
        self.addCleanup(stream.close)
        self.assertEqual(200, stream.status)
        return stream

    def begin(self):
        self.client.put_scene(self.scene, **PLACE)
        self.box = self.put_asset(glb(box()))
        return self.client.create(self.scene, {"name": "box", "assets": [self.box]})[0]

    def test_a_stream_tells_the_state_and_then_what_changes(self):
        key = self.begin()
        stream = self.watch()
        document, first = packets_of(stream.next())
        self.assertEqual({"id": "document", "name": self.scene, "version": "1.0"}, document)
        self.assertEqual((key, "box"), (first["id"], first["name"]))
        self.assertEqual({"show": True, "gltf": f"../../asset/{self.box}/model.glb", "scale": 1}, first["model"])
        self.client.update(self.scene, key, transform=moved(1))
        event = stream.next()
        [moved_] = packets_of(event)
        self.assertAlmostEqual(1, math.dist(first["position"]["cartesian"], moved_["position"]["cartesian"]), places=6)
        self.assertLessEqual(len(f"event: czml\nid: {event.id}\ndata: {event.data}\n\n"), 450)
        self.client.ok("DELETE", object_path(self.scene, key))
        self.assertEqual([{"id": key, "delete": True}], packets_of(stream.next()))

    def test_a_model_that_is_new_to_the_stream_is_shown(self):
        key = self.begin()
        stream = self.watch()
        stream.next()
        fresh = self.put_asset(gltf(), "new.gltf")
        self.client.update(self.scene, key, assets=[fresh])
        self.assertEqual(f"../../asset/{fresh}/model.gltf", packets_of(stream.next())[0]["model"]["gltf"])
        self.client.update(self.scene, key, assets=[self.put_asset(b"words", "a.txt")])
        self.assertEqual({"show": False}, packets_of(stream.next())[0]["model"])
        self.client.update(self.scene, key, assets=["gone"])
        self.assertEqual({"show": False}, packets_of(stream.next())[0]["model"])
        self.client.update(self.scene, key, assets=[self.box])
        self.assertEqual(f"../../asset/{self.box}/model.glb", packets_of(stream.next())[0]["model"]["gltf"])

    def test_a_client_that_comes_back_goes_on_where_it_was(self):
        key = self.begin()
        with self.watch() as stream:
            last = stream.next().id
        self.client.update(self.scene, key, transform=moved(2))
        again = self.watch(headers={"Last-Event-ID": last})
        self.assertEqual("resumed", again.any().data)
        [packet] = packets_of(again.next())
        self.assertEqual(f"../../asset/{self.box}/model.glb", packet["model"]["gltf"])
        self.client.put_scene(self.scene, latitude=1)
        moved_on = self.watch(headers={"Last-Event-ID": last})
        self.assertEqual("document", packets_of(moved_on.next())[0]["id"])

    def test_a_scene_that_moves_is_told_anew_and_one_without_a_place_ends(self):
        self.begin()
        stream = self.watch()
        before = packets_of(stream.next())[1]["position"]
        self.client.put_scene(self.scene, name="only its name")
        self.client.put_scene(self.scene, heading_deg=90, latitude=1)
        anew = packets_of(stream.next())
        self.assertEqual("document", anew[0]["id"])
        self.assertNotEqual(before, anew[1]["position"])
        self.client.put_scene(self.scene, latitude=200)
        self.assertIsNone(stream.next())
        refused = EventStream(self.server, self.path("events?form=czml"))
        self.assertEqual(422, refused.status)
        refused.close()

    def test_a_rate_merges_moves(self):
        key = self.begin()
        stream = self.watch("&rate=2")
        stream.next()
        for step in range(1, 51):
            self.client.update(self.scene, key, transform=moved(step))
        start = packets_of(EventStream(self.server, self.path("events?form=czml")).next())[1]["position"]["cartesian"]
        events = 0
        while math.dist(start, packets_of(stream.next())[0]["position"]["cartesian"]) > 1e-6:
            events += 1
        self.assertLess(events, 25)

    def test_the_end_of_the_scene_is_the_end_of_all(self):
        self.begin()
        stream = self.watch()
        stream.next()
        self.client.ok("DELETE", scene_path(self.scene))
        *_, last = stream.rest()
        self.assertEqual(["document"], [packet["id"] for packet in packets_of(last)])

    def test_other_streams_have_no_such_form(self):
        self.begin()
        for target in (f"/v1/events?scene={quote(self.scene)}&form=czml", self.path("events?form=kml"),
                       "/v1/events?topic=scenes&form=czml"):
            with EventStream(self.server, target) as stream:
                self.assertEqual(422, stream.status)
        self.client.put_scene("nowhere")
        answer = self.client.refused(422, 111, "GET", "/v1/scene/nowhere/events?form=czml")
        self.assertEqual("/latitude", answer["errors"][0]["pointer"])

    def test_the_state_of_a_large_scene_comes_whole(self):
        self.begin()
        for _ in range(6):
            self.client.create(self.scene, *[{"assets": [self.box]}] * 500)
        document, *packets = packets_of(self.watch().next())
        self.assertEqual("document", document["id"])
        self.assertEqual(3001, len({packet["id"] for packet in packets}))


@unittest.skipUnless(LONG, "DIORAMA_LONG")
class Figures(TileCase, unittest.TestCase):
    def processor_s(self):
        with open(f"/proc/{self.server.process.pid}/stat", encoding="ascii") as file:
            user, system = file.read().rsplit(")", 1)[1].split()[11:13]
        return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")

    def fill(self, count):
        self.client.put_scene(self.scene, **PLACE)
        dice, asset = random.Random(1), self.put_asset(glb(box()))
        keys = []
        for _ in range(count // 500):
            keys += self.client.create(self.scene, *({"name": "box", "assets": [asset], "transform": moved(
                *(dice.uniform(-200, 200) for _ in range(3)))} for _ in range(500)))
        return keys

    def took(self, *request):
        times = []
        for _ in range(15):
            begin = time.monotonic()
            answer = self.client.request(*request)
            times.append(time.monotonic() - begin)
            self.assertEqual(200, answer.status)
        return sorted(times)[len(times) // 2], len(answer.content)

    def test_a_tileset_takes_little_longer_than_the_query_of_its_objects(self):
        self.fill(10000)
        query, query_bytes = self.took("POST", self.path("object/query"), {"num_records": 10000})
        tiles, first_bytes = self.took("GET", self.path("tileset.json"))
        part, part_bytes = self.took("GET", self.path("tileset.json?node=0"))
        print(f"10,000 objects: query {query * 1e3:.1f} ms {query_bytes} B, tileset {tiles * 1e3:.1f} ms {first_bytes} B, "
              f"a part {part * 1e3:.1f} ms {part_bytes} B")
        self.assertLess(tiles, 1.5 * query)
        self.assertLess(first_bytes, 300000)

    def test_a_stream_of_czml_takes_little_more_than_a_plain_one(self):
        keys = self.fill(500)
        took, sizes = {}, []
        for form in ("", "?form=czml", "", "?form=czml"):
            streams = [EventStream(self.server, self.path("events" + form)) for _ in range(20)]
            for stream in streams:
                stream.next()
            begin, dice = self.processor_s(), random.Random(2)
            for _ in range(2000):
                key = dice.choice(keys)
                self.client.update(self.scene, key, transform=moved(*(dice.uniform(-200, 200) for _ in range(3))))
            for stream in streams:
                for _ in range(2000):
                    event = stream.next()
                    if form:
                        sizes.append(len(f"event: czml\nid: {event.id}\ndata: {event.data}\n\n"))
                stream.close()
            took.setdefault(form, []).append(self.processor_s() - begin)
        plain, czml = min(took[""]), min(took["?form=czml"])
        print(f"2,000 moves to 20 streams: plain {plain:.2f} s, CZML {czml:.2f} s of processor; "
              f"an event has {sum(sizes) / len(sizes):.0f} B, at most {max(sizes)}")
        self.assertLessEqual(max(sizes), 450)
        self.assertLessEqual(czml, 1.3 * plain)


if __name__ == "__main__":
    unittest.main()
