"""QGIS itself reads the collections: its program for algorithms, and its library as scripts use it. Skipped where QGIS is missing
(Debian: qgis, python3-qgis; 156 packages and 809 MB, so what is tested everywhere has none).

QGIS_PROCESS names another program than qgis_process."""

import json
import os
import shutil
import subprocess
import tempfile
import unittest
from urllib.parse import quote

from ogc_test import DIRECT, ITEMS, MapCase, objects_of
from support import moved

# The wrapper of Debian 12 passes an option that the program behind it does not know.
QGIS = os.environ.get("QGIS_PROCESS") or shutil.which("qgis_process.bin") or shutil.which("qgis_process")

# Reads a layer as a script inside QGIS would; prints JSON.
READ = """
import json, sys
from qgis.core import QgsApplication, QgsFeatureRequest, QgsRectangle, QgsVectorLayer
app = QgsApplication([], False)
app.initQgis()
layer = QgsVectorLayer(sys.argv[1], "layer", "OAPIF")
request = QgsFeatureRequest()
if len(sys.argv) > 2:
    request.setFilterRect(QgsRectangle(*map(float, sys.argv[2:])))
features = list(layer.getFeatures(request))
print(json.dumps({"valid": layer.isValid(), "crs": layer.crs().authid(), "names": [field.name() for field in layer.fields()],
                  "ids": sorted(feature["id"] for feature in features),
                  "points": {feature["id"]: [feature.geometry().asPoint().x(), feature.geometry().asPoint().y()]
                             for feature in features if not feature.geometry().isNull()}}))
"""


def has_library():
    return subprocess.run(["/usr/bin/python3", "-c", "import qgis.core"], check=False, capture_output=True).returncode == 0


@unittest.skipUnless(QGIS, "there is no qgis_process")
class Qgis(MapCase, unittest.TestCase):
    def setUp(self):
        super().setUp()
        home = tempfile.TemporaryDirectory()
        self.addCleanup(home.cleanup)
        self.home = home.name
        self.environment = {**DIRECT, "QT_QPA_PLATFORM": "offscreen", "HOME": self.home, "XDG_RUNTIME_DIR": self.home}

    def layer(self, collection, restricted=False):
        restriction = " restrictToRequestBBOX='1'" if restricted else ""
        return f"url='http://127.0.0.1:{self.server.http_port}/ogc' typename='{collection}'{restriction}"

    def run_algorithm(self, name, **inputs):
        """Returns the features that it wrote."""
        target = os.path.join(self.home, "out.gpkg")
        ran = subprocess.run([QGIS, "run", name, "--", *(f"{key}={value}" for key, value in inputs.items()), f"OUTPUT={target}"],
                             capture_output=True, text=True, timeout=120, check=False, env=self.environment)
        self.assertEqual(0, ran.returncode, ran.stdout + ran.stderr)
        read = subprocess.run(["ogr2ogr", "-f", "GeoJSON", "/vsistdout/", target], capture_output=True, text=True, check=True)
        return json.loads(read.stdout)["features"]

    def read(self, layer, *box):
        ran = subprocess.run(["/usr/bin/python3", "-W", "ignore", "-c", READ, layer, *map(str, box)], capture_output=True, text=True,
                             timeout=120, check=False, env=self.environment)
        self.assertEqual(0, ran.returncode, ran.stdout + ran.stderr)
        return json.loads(ran.stdout.splitlines()[-1])

    def make(self, count):
        self.client.put_scene(self.scene, latitude=48.2, longitude=16.3, heading_deg=30, tags=["a", "b"])
        self.client.create(self.scene, *({"name": f"no {number}", "type": "tree", "transform": moved(number * 100, 0, 0)}
                                         for number in range(count)))

    def test_an_algorithm_saves_all_scenes(self):
        for number in range(30):
            self.client.put_scene(f"{self.scene} {number}", latitude=number, longitude=-number, tags=["a", "b"] if number % 2 else [])
        saved = self.run_algorithm("native:savefeatures", INPUT=f"OAPIF://{self.layer('scenes')}")
        ours = {feature["id"]: feature for feature in self.follow(ITEMS)}
        self.assertEqual(ours.keys(), {feature["properties"]["id"] for feature in saved})
        for feature in saved:
            here = ours[feature["properties"]["id"]]
            self.assertEqual(here["properties"]["name"], feature["properties"]["name"])
            self.assertEqual(here["geometry"] and here["geometry"]["coordinates"], feature["geometry"] and feature["geometry"]["coordinates"])

    @unittest.skipUnless(shutil.which("ogr2ogr"), "there is no gdal-bin")
    def test_an_algorithm_cuts_objects_out_of_a_box_over_several_pages(self):
        self.make(2500)
        found = self.run_algorithm("native:extractbyextent", INPUT=f"OAPIF://{self.layer('objects.' + self.scene, True)}",
                                   EXTENT="16.4,17.5,47,49 [EPSG:4326]")
        ours = self.follow(objects_of(self.scene) + "/items?bbox=16.4,47,17.5,49")
        self.assertLess(500, len(ours))
        self.assertEqual(sorted(feature["id"] for feature in ours), sorted(feature["properties"]["id"] for feature in found))

    @unittest.skipUnless(has_library(), "there is no python3-qgis")
    def test_its_library_reads_each_kind_of_collection(self):
        self.make(30)
        for collection in ("scenes", "objects", f"objects.{self.scene}"):
            seen = self.read(self.layer(collection))
            ours = self.follow(f"/ogc/collections/{quote(collection)}/items")
            self.assertTrue(seen["valid"], collection)
            self.assertEqual(sorted(feature["id"] for feature in ours), seen["ids"], collection)
            for feature in ours:
                if feature["geometry"]:
                    for mine, theirs in zip(feature["geometry"]["coordinates"], seen["points"][feature["id"]]):
                        self.assertAlmostEqual(mine, theirs, 9)

    @unittest.skipUnless(has_library(), "there is no python3-qgis")
    def test_its_library_asks_for_what_the_map_shows(self):
        self.make(100)
        seen = self.read(self.layer("objects", True), 16.3, 48, 16.32, 49)
        self.assertEqual(sorted(self.ids("/ogc/collections/objects/items?bbox=16.3,48,16.32,49")), seen["ids"])
        self.assertLess(0, len(seen["ids"]))


if __name__ == "__main__":
    unittest.main()
