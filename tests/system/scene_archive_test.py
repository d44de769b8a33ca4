"""`diorama scene export` and `scene import`: one scene with its objects, properties and assets, as one
file; another server makes the same scene of it, or nothing."""

import hashlib
import io
import os
import subprocess
import tarfile
import unittest

from backups import ask, diorama
from damage import flip
from files import PNG, upload
from support import Server, ServerCase, object_path, objects, scene_path

ACTIONS = [{"name": "turn", "fps": 3, "loop": True, "keyframes": [{"frame": 1, "translation": [0, 0, 1]}]}]
DECIDED = ("key", "scene", "assets", "parent")  # of an object: others on another server


def url(server):
    return f"--url=http://127.0.0.1:{server.http_port}"


class SceneArchive(ServerCase, unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.second = Server(scene_actors=2).start()
        cls.addClassCleanup(cls.second.end)

    def setUp(self):
        super().setUp()
        self.other = self.connect(self.second)
        self.scene = self._testMethodName
        self.file = os.path.join(self.server.folder, self.scene + ".tar")

    def fill(self):
        self.client.put_scene(self.scene, name="Plaza", latitude=1.5, tags=["a"])
        self.asset = upload(self.client, "/v1/asset?name=lamp&description=it%20shines&asset-type=mesh",
                            b"bytes of a lamp", "lamp.glb").text
        self.client.request("PUT", f"/v1/asset/{self.asset}/thumbnail", PNG,
                            {"Content-Type": "image/png"})
        first, second = self.client.create(
            self.scene,
            {"name": "child", "translation": [1, 2, 3], "extras": {"objects": [{"a": "]}\"["}]}},
            {"name": "parent", "assets": [self.asset], "visible": False, "actions": ACTIONS})
        ask(self.client, "POST", object_path(self.scene, first), objects({"parent": second}))
        ask(self.client, "POST", f"{scene_path(self.scene)}/property", {"properties": [
            {"name": "height", "key": self.scene, "parent": first, "values": [{"value": 1.5}]}]})
        for kind, related in (("scene", self.scene), ("object", first)):
            ask(self.client, "PUT", "/v1/relationship", {
                "assetId": self.asset, "relationshipType": kind, "relatedId": related})
        self.client.put_scene(self.scene, assets=[self.asset], thumbnail=self.asset)

    def export(self):
        return diorama("scene", "export", self.scene, f"--archive={self.file}", url(self.server))

    def import_(self, *more):
        return diorama("scene", "import", self.file, url(self.second), *more)

    def named(self, client, scene):
        found = ask(client, "POST", f"{scene_path(scene)}/object/query", {"objects": [{}]})["objects"]
        return {thing["name"]: thing for thing in found}

    @staticmethod
    def as_said(thing):
        return {name: value for name, value in thing.items() if name not in DECIDED}

    def check_nothing_there(self, key=None):
        self.assertEqual(404, self.other.get(scene_path(key or self.scene)).status)

    def check_import_refused(self, *words):
        code, _, why = self.import_()
        self.assertEqual(1, code, why)
        for word in words:
            self.assertIn(word, why)

    def test_an_imported_scene_is_as_the_exported_one(self):
        self.fill()
        code, said, why = self.export()
        self.assertEqual((0, "2 objects, 1 properties, 1 assets\n"), (code, said), why)
        code, said, why = self.import_("--as=copy of " + self.scene)
        self.assertEqual((0, f"copy of {self.scene}: 2 objects, 1 properties, 1 assets\n"),
                         (code, said), why)
        copy = "copy of " + self.scene
        before, after = self.named(self.client, self.scene), self.named(self.other, copy)
        self.assertEqual({name: self.as_said(thing) for name, thing in before.items()},
                         {name: self.as_said(thing) for name, thing in after.items()})
        self.assertEqual(after["parent"]["key"], after["child"]["parent"])
        asset, = after["parent"]["assets"]
        self.check_asset(asset)
        scene, was = self.other.scene(copy), self.client.scene(self.scene)
        self.assertEqual({**was, "key": copy, "assets": [asset], "thumbnail": asset}, scene)
        self.check_property(copy, after["child"]["key"])
        for kind, related in (("scene", copy), ("object", after["child"]["key"])):
            found = self.other.get(f"/v1/relationship?type={kind}&asset={asset}").body
            self.assertEqual([related], [link["relatedId"] for link in found])

    def check_asset(self, asset):
        self.assertEqual(b"bytes of a lamp", self.other.get(f"/v1/asset/{asset}").content)
        self.assertEqual(PNG, self.other.get(f"/v1/asset/{asset}/thumbnail").content)
        own = ("key", "createdTimestamp")
        was, = self.client.get(f"/v1/asset?key={self.asset}").body
        now, = self.other.get(f"/v1/asset?key={asset}").body
        self.assertEqual({name: was[name] for name in was if name not in own},
                         {name: now[name] for name in now if name not in own})

    def check_property(self, scene, parent):
        was, = ask(self.client, "GET", f"{scene_path(self.scene)}/property/{self.scene}")["properties"]
        now, = ask(self.other, "GET", f"{scene_path(scene)}/property/{self.scene}")["properties"]
        self.assertEqual({**was, "scene": scene, "parent": parent}, now)

    def test_a_scene_that_is_there_is_refused_and_stays(self):
        self.fill()
        self.export()
        self.other.put_scene(self.scene, name="mine")
        count = ask(self.other, "GET", "/v1/asset/count")
        self.check_import_refused("exists already")
        self.assertEqual("mine", self.other.scene(self.scene)["name"])
        self.assertEqual(count, ask(self.other, "GET", "/v1/asset/count"))

    def test_a_flipped_bit_is_refused_and_nothing_is_made(self):
        self.fill()
        self.export()
        with tarfile.open(self.file) as archive:
            entries = archive.getmembers()
        for name in ("scene.json", f"assets/{self.asset}", "objects.jsonl", "SHA256SUMS"):
            entry, = [entry for entry in entries if entry.name == name]
            flip(self.file, entry.offset_data + entry.size // 2, 1)
            self.check_import_refused("damaged")
            flip(self.file, entry.offset_data + entry.size // 2, 1)
        self.check_nothing_there()

    def rewrite(self, name, data):
        """Gives an entry other bytes, and all the digests that are right then."""
        with tarfile.open(self.file) as archive:
            entries = {entry.name: archive.extractfile(entry).read() for entry in archive}
        entries[name] = data
        sums = "".join(f"{hashlib.sha256(entries[name]).hexdigest()}  {name}\n"
                       for name in entries if name != "SHA256SUMS")
        entries["SHA256SUMS"] = sums.encode()
        with tarfile.open(self.file, "w") as archive:
            for name, data in entries.items():
                entry = tarfile.TarInfo(name)
                entry.size = len(data)
                archive.addfile(entry, io.BytesIO(data))

    def test_an_import_that_fails_in_its_middle_leaves_nothing(self):
        self.fill()
        self.export()
        count = ask(self.other, "GET", "/v1/asset/count")
        self.rewrite("properties.jsonl", b'{"key":"bad","name":5}\n')
        self.check_import_refused("name")
        self.check_nothing_there()
        self.assertEqual(count, ask(self.other, "GET", "/v1/asset/count"))

    def test_a_newer_form_is_refused(self):
        self.fill()
        self.export()
        self.rewrite("manifest.json", b'{"scene_form":2}\n')
        self.check_import_refused("is of form 2")
        self.check_nothing_there()

    def test_a_file_that_ends_early_is_refused(self):
        self.fill()
        self.export()
        os.truncate(self.file, os.path.getsize(self.file) // 2)
        self.check_import_refused("damaged")
        self.check_nothing_there()

    def test_sha256sum_checks_it(self):
        self.fill()
        self.export()
        folder = self.file + ".unpacked"
        os.mkdir(folder)
        subprocess.run(["tar", "-xf", self.file, "-C", folder], check=True)
        subprocess.run(["sha256sum", "--quiet", "-c", "SHA256SUMS"], cwd=folder, check=True)

    def test_an_asset_that_is_gone_is_told_and_left_out(self):
        self.client.put_scene(self.scene, assets=["nowhere"])
        code, said, why = self.export()
        self.assertEqual((1, "0 objects, 0 properties, 0 assets\n"), (code, said))
        self.assertIn("asset nowhere", why)
        self.assertEqual(0, self.import_()[0])
        self.assertEqual(["nowhere"], self.other.scene(self.scene)["assets"])

    def test_a_missing_scene_and_a_file_that_is_there_are_refused(self):
        code, _, why = self.export()
        self.assertEqual(1, code, why)
        self.assertFalse(os.path.exists(self.file))
        self.fill()
        self.assertEqual(0, self.export()[0])
        code, _, why = self.export()
        self.assertEqual(5, code, why)
        self.assertIn("is there already", why)

    def test_more_objects_than_one_request_takes(self):
        self.client.create(self.scene, *({"name": str(n)} for n in range(450)))
        self.assertEqual(0, self.export()[0])
        code, said, why = self.import_()
        self.assertEqual((0, f"{self.scene}: 450 objects, 0 properties, 0 assets\n"), (code, said), why)
        self.assertEqual({str(n) for n in range(450)}, set(self.named(self.other, self.scene)))


if __name__ == "__main__":
    unittest.main()
