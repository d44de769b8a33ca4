"""Scenes as tilesets and as CZML, in CesiumJS and 3d-tiles-renderer in a headless Chromium. Both come from npm by
cesium/package-lock.json. Skipped where chromium, node, npm or they are missing."""

import http.server
import itertools
import json
import math
import os
import random
import re
import shutil
import subprocess
import sys
import threading
import unittest
from urllib.parse import quote

from browser_test import SKIPPED, Page
from console_browser import CACHE, DRIVER, fetch
from files import sha256, upload
from models import box, glb
from support import Client, Server, is_sanitized, object_path, wait_until

HERE = os.path.dirname(os.path.abspath(__file__))
PAGES = os.path.join(HERE, "cesium")
PLACE = {"latitude": 48.137, "longitude": 11.575, "height_m": 520.25, "heading_deg": 30}
SCENE = "plaza"
# The directions of the faces, edges and corners of a cube.
DIRECTIONS = [point for point in itertools.product((-1, 0, 1), repeat=3) if any(point)]


class Files(http.server.SimpleHTTPRequestHandler):
    """The pages, with the libraries where npm puts them."""
    libraries = None
    extensions_map = {**http.server.SimpleHTTPRequestHandler.extensions_map, ".wasm": "application/wasm"}

    def translate_path(self, path):
        path = path.partition("?")[0].lstrip("/")
        return os.path.join(self.libraries if path.startswith("node_modules/") else PAGES, path)

    def log_message(self, *_):
        pass


def libraries():
    """The folder in which npm installs what the lock file names."""
    with open(os.path.join(PAGES, "package-lock.json"), "rb") as lock:
        folder = os.path.join(CACHE, "cesium-" + sha256(lock.read())[:16])
    if not os.path.exists(os.path.join(folder, "done")):
        os.makedirs(folder, exist_ok=True)
        for name in ("package.json", "package-lock.json"):
            shutil.copy(os.path.join(PAGES, name), folder)
        subprocess.run(["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--fetch-retries=1",
                        "--fetch-timeout=20000"], cwd=folder, check=True, timeout=600, stdin=subprocess.DEVNULL,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        with open(os.path.join(folder, "done"), "w"):
            pass
    return folder


def rotation(quaternion):
    w, x, y, z = quaternion
    return [[1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
            [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
            [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)]]


def placed(x, y, z, quaternion=(1, 0, 0, 0), scale=1.0):
    turn = rotation(quaternion)
    return [value for row, at in zip(turn, (x, y, z)) for value in (*(part * scale for part in row), at)] + [0, 0, 0, 1]


def random_quaternion(dice):
    parts = [dice.gauss(0, 1) for _ in range(4)]
    size = math.sqrt(sum(part * part for part in parts))
    return [part / size for part in parts]


class BrowserCase(unittest.TestCase):
    driver = None

    def setUp(self):
        pages = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Files)
        threading.Thread(target=pages.serve_forever, daemon=True).start()
        self.addCleanup(pages.server_close)
        self.addCleanup(pages.shutdown)
        self.origin = f"http://127.0.0.1:{pages.server_address[1]}"
        self.server = Server(http_cors_origins=self.origin)
        self.addCleanup(self.server.end)
        self.server.start()
        self.client = Client(self.server)
        self.addCleanup(self.client.close)
        self.root = f"http://127.0.0.1:{self.server.http_port}"

    def open(self, page):
        opened = Page(self.driver, f"{self.origin}/{page}")
        self.addCleanup(opened.close)
        return opened

    def upload(self, content, name="box.glb"):
        answer = upload(self.client, "/v1/asset", content, name)
        self.assertEqual(200, answer.status, answer)
        return answer.text

    def path(self, rest, scene=SCENE):
        return f"{self.root}/v1/scene/{quote(scene, safe='')}/{rest}"

    def assert_near(self, wanted, found, delta):
        self.assertEqual(len(wanted), len(found))
        for index, (a, b) in enumerate(zip(wanted, found)):
            self.assertAlmostEqual(a, b, delta=delta, msg=f"number {index} of {wanted} and {found}")


class Cesium(BrowserCase):
    def setUp(self):
        super().setUp()
        self.client.put_scene(SCENE, **PLACE)
        self.asset = self.upload(glb(box()))
        self.page = self.open("page.html")

    def tearDown(self):
        self.assertEqual([], self.page.ask("failures"))

    def show_tiles(self, rest="tileset.json", scene=SCENE):
        return self.page.ask(f"showTiles({json.dumps(self.path(rest, scene))})")

    def follow(self, scene=SCENE):
        self.page.ask(f"void follow({json.dumps(self.path('events?form=czml', scene))})")

    def create(self, *transforms, asset=None):
        return self.client.create(SCENE, *({"name": f"box {index}", "transform": transform, "assets": [asset or self.asset]}
                                           for index, transform in enumerate(transforms)))

    def await_shown(self, which, keys):
        wait_until(lambda: self.page.ask(f"{which}()").keys() == set(keys), 60, f"{len(keys)} models on the screen")
        return self.page.ask(f"{which}()")

    def test_the_root_is_the_frame_of_east_north_and_up_wherever_the_scene_is(self):
        for number, (latitude, longitude, height, heading) in enumerate((
                (48.137, 11.575, 520.25, 0), (90, 0, 0, 0), (-90, 45, 2800, 350), (0, 180, 0, 90), (10, -180, -5, 0),
                (-33.8, 179.9999, 12, 350), (0, 0, 0, 90))):
            scene = f"s{number}"
            self.client.put_scene(scene, latitude=latitude, longitude=longitude, height_m=height, heading_deg=heading)
            self.client.create(scene, {"assets": [self.asset]})
            with self.subTest(latitude=latitude, longitude=longitude, heading=heading):
                root = self.show_tiles(scene=scene)
                frame = self.page.ask(f"frameAt({longitude}, {latitude}, {height}, {heading})")
                self.assert_near(frame[12:], root[12:], 1e-3)
                if abs(latitude) != 90:  # at a pole CesiumJS takes X and Y of the Earth for east and north
                    # CesiumJS has the normal of the ellipsoid through the point, not below it: exact where the height is 0.
                    self.assert_near(frame[:12], root[:12], 1e-9 if height == 0 else 1e-6)

    def test_tiles_and_entities_of_the_stream_have_one_matrix(self):
        dice = random.Random(20)
        keys = self.create(*(placed(dice.uniform(-40, 40), dice.uniform(0, 20), dice.uniform(-40, 40),
                                    random_quaternion(dice), dice.choice((1, 0.5, 3))) for _ in range(20)))
        self.show_tiles()
        tiles = self.await_shown("shownTiles", keys)
        self.page.ask("void (tileset.show = false)")
        self.follow()
        entities = self.await_shown("shownEntities", keys)
        for key in keys:
            # of the turn and the scale, and of the place as far as a double has it on Earth
            self.assert_near(tiles[key][:12], entities[key][:12], 1e-9)
            self.assert_near(tiles[key][12:], entities[key][12:], 2e-9)

    def test_the_last_of_fifty_moves_is_what_the_scene_says(self):
        key, other = self.create(placed(0, 0, 0), placed(5, 0, 0))
        self.follow()
        wait_until(lambda: {key, other} <= self.page.ask("entities()").keys(), 30, "both as entities")
        dice = random.Random(50)
        for _ in range(50):
            self.client.update(SCENE, dice.choice((key, other)), transform=placed(
                dice.uniform(-9, 9), dice.uniform(0, 9), dice.uniform(-9, 9), random_quaternion(dice)))
        self.page.ask(f"showTiles({json.dumps(self.path('tileset.json'))})")
        tiles = self.await_shown("shownTiles", [key, other])

        def is_there():
            shown = self.page.ask("shownEntities()")
            return shown.keys() == tiles.keys() and all(
                abs(a - b) < 1e-8 for name in tiles for a, b in zip(tiles[name], shown[name]))
        wait_until(is_there, 30, "the last moves in CesiumJS")
        self.assertLessEqual(max(self.page.ask("sizes.slice(1)")), 450)
        self.client.ok("DELETE", object_path(SCENE, other))
        wait_until(lambda: self.page.ask("entities()").keys() == {key}, 30, "the end of one")

    def test_a_model_under_nodes_is_seen_from_all_sides(self):
        half = math.sqrt(0.5)
        nodes = [{"translation": [30, 0, 0], "rotation": [0, half, 0, half], "children": [1]},
                 {"matrix": [2, 0, 0, 0, 0, 2, 0, 0, 0, 0, 2, 0, 0, 5, 8, 1], "mesh": 0}]
        asset = self.upload(glb(box(nodes)))
        [key] = self.create(placed(0, 0, 0, scale=1.5), asset=asset)
        # Of the file: (30, 0, 0) + turned (0, 5, 8) = (38, 5, 0); as large as three boxes; in `enu` y is -z and z is y.
        centre = [38 * 1.5, 0, 5 * 1.5]
        self.show_tiles()
        self.await_shown("shownTiles", [key])
        for direction in DIRECTIONS:
            seen = self.page.ask(f"lookAlong({','.join(map(str, direction))}, {centre}, 12)")
            self.assertEqual([key], seen, direction)
        away = self.page.ask(f"lookAlong(0, 1, 0, {[centre[0], centre[1] - 80, centre[2]]}, 12)")
        self.assertEqual([], away, "it is behind the camera")

    def test_hundreds_of_objects_come_as_parts(self):
        keys = self.client.create(SCENE, *({"transform": placed(index % 30 * 3, 0, index // 30 * 3), "assets": [self.asset]}
                                           for index in range(510)))
        self.show_tiles()
        self.page.ask("void (tileset.maximumScreenSpaceError = 0.01)")
        self.await_shown("shownTiles", keys)

    def test_devices_properties_and_hidden_objects_are_entities_too(self):
        key, hidden = self.create(placed(0, 0, 0), placed(1, 0, 0))
        self.client.ok("POST", f"/v1/scene/{SCENE}/property", {"properties": [
            {"name": "heat", "parent": key, "values": [21.5]}, {"name": "wind", "values": [3]},
            {"name": "three", "parent": key, "values": [1, 2, 3]}, {"name": "hasProperty", "parent": key, "values": [1]}]})
        self.client.register(SCENE, {"key": "phone"})
        self.follow()
        wait_until(lambda: self.page.ask("describe('device:phone')"), 30, "the device")
        self.assertEqual({"heat": 21.5}, self.page.ask(f"describe('{key}')")["properties"])
        self.assertEqual({"wind": 3}, self.page.ask(f"describe('scene:{SCENE}')")["properties"])
        self.assertTrue(self.page.ask("describe('device:phone')")["point"])
        self.assertEqual("box 0", self.page.ask(f"describe('{key}')")["name"])
        self.client.update(SCENE, hidden, visible=False)
        wait_until(lambda: self.page.ask(f"describe('{hidden}')")["model"] is False, 30, "a model that is hidden")
        self.client.deregister(SCENE, "phone")
        wait_until(lambda: self.page.ask("describe('device:phone')") is None, 30, "the end of the device")

    def test_the_lines_of_the_chapter_show_the_scene(self):
        with open(os.path.join(HERE, "../../tools/docs/maps.md"), encoding="utf-8") as page:
            still, live = re.findall(r"```js\n(.*?)```", page.read(), re.DOTALL)
        keys = self.create(placed(0, 0, 0), placed(5, 0, 0))
        scene = f"'{self.path('')}'"
        self.assertIn("'http://127.0.0.1:8080/v1/scene/plaza/'", still)
        still = still.replace("'http://127.0.0.1:8080/v1/scene/plaza/'", scene)
        for lines in (f"{still};window.still = viewer", f"const scene = {scene};{live};window.entitiesOf = live"):
            self.page.ask("eval(" + json.dumps(f"(async () => {{ {lines} }})()") + ")")
        wait_until(lambda: self.page.ask("still.scene.primitives._primitives.some(one => one instanceof Cesium.Cesium3DTileset)"),
                   30, "the tileset")
        wait_until(lambda: self.page.ask("entitiesOf.entities.values.map(one => one.id).sort()") == sorted(keys), 30, "the entities")

    def test_a_scene_that_moves_takes_its_entities_with_it(self):
        [key] = self.create(placed(0, 0, 0))
        self.follow()
        wait_until(lambda: self.page.ask("entities()").keys() == {key}, 30, "the entity")
        self.client.put_scene(SCENE, latitude=0, longitude=90)
        wait_until(lambda: abs(self.page.ask("entities()").get(key, [0] * 16)[13] - 6378137 - PLACE["height_m"]) < 1e-3, 30, "the entity in Asia")


class Three(BrowserCase):
    def test_tiles_stand_in_three_js_where_objects_stand_in_the_scene(self):
        self.client.put_scene(SCENE)
        asset = self.upload(glb(box()))
        places = {}
        for x, y, z in ((0, 0, 0), (10, 2, 3), (-7, 1, -4)):
            [key] = self.client.create(SCENE, {"transform": placed(x, y, z), "assets": [asset]})
            places[key] = [x, -z, y]
        page = self.open("three.html")
        wait_until(lambda: page.ask("!!window.ready"), 30, "the page")
        page.ask(f"void showTiles({json.dumps(self.path('tileset.json?frame=local'))})")

        def found():
            return {key: [round(value, 6) for value in at] for key, at in page.ask("matrices()").items()}
        wait_until(lambda: found() == places, 60, lambda: f"{places}, not {found()}")


def main():
    missing = [name for name in ("chromium", "node", "npm") if not shutil.which(name)]
    why_not = f"there is no {missing[0]}" if missing else "the server is slow" * is_sanitized()
    if not why_not:
        try:
            BrowserCase.driver, Files.libraries = fetch(DRIVER), libraries()
        except (OSError, subprocess.SubprocessError) as failure:
            why_not = f"npm did not fetch CesiumJS: {failure}"
    if why_not:
        print(f"{os.path.basename(sys.argv[0])}: skipped: {why_not}")
        return SKIPPED
    return not unittest.main(exit=False).result.wasSuccessful()


if __name__ == "__main__":
    sys.exit(main())
