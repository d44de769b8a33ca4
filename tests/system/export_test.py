"""What is stored about a user, as the user or an administrator gets it: complete, page by page, without
secrets, and nothing of others."""

import json
import os
import subprocess
import unittest
import urllib.parse

from files import upload
from people import PASSWORD, PeopleCase
import support
from support import with_shards, wait_until

POSE = {"translation": [1, 2, 3], "rotation": [0, 0, 0]}
PARTS = ("", "/scenes", "/library", "/audit")


@with_shards(1, 3)
class Export(PeopleCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.ann, cls.bob = cls.new_person("ann"), cls.new_person("bob", email="bob@example.org")
        cls.fill()

    @classmethod
    def fill(cls):
        ann, bob = cls.ann, cls.bob
        for n in range(5):
            bob.put_scene(f"bob-{n}", name=f"Bob's {n}")
            bob.put_scene(f"bob {n}!")
        ann.put_scene("ann", public=True)
        device = {"key": "phone", "hostname": "127.0.0.1", "port": 40000, "transform": POSE}
        bob.register("ann", device)
        bob.register("bob-1", device)
        ann.register("ann", {"key": "desk", "transform": POSE})
        cls.asset = upload(bob, "/v1/asset", b"bytes of bob").content.decode()
        cls.project = bob.post("/v1/project", {"name": "p"}).body["id"]
        cls.collection = bob.post("/v1/collection", {"name": "c"}).body["id"]
        bob.put("/v1/relationship", {"assetId": cls.asset, "relationshipType": "scene",
                                     "relatedId": "bob-1"})
        bob.put(f"/v1/users/{bob.id}/scenes/ann")
        cls.admin.put(f"/v1/users/{bob.id}/budget", {"scenes": 50})

    def pages(self, part, client=None, user=None, size=2):
        """All items, of pages with that many."""
        items, path = [], f"/v1/users/{(user or self.bob).id}/export{part}"
        after = {}
        while True:
            query = urllib.parse.urlencode({"num_records": size, **after})
            answer = (client or self.bob).get(f"{path}?{query}")
            self.assertEqual(answer.status, 200, answer)
            self.assertLessEqual(len(answer.body), size)
            if not answer.body:
                return items
            items += answer.body
            after = {"after": items[-1].get("place") or items[-1]["number"]}

    @staticmethod
    def of(items, kind):
        return [item[kind] for item in items if kind in item]

    def test_account_has_everything_but_secrets(self):
        items = self.pages("")
        user, = self.of(items, "user")
        self.assertEqual((user["username"], user["email"]), ("bob", ["bob@example.org"]))
        self.assertEqual(user["favoriteScenes"], ["ann"])
        self.assertEqual(self.of(items, "budget")[0]["scenes"], 50)
        self.assertEqual([claim["device"] for claim in self.of(items, "claim")], ["phone"])
        session, = self.of(items, "session")
        self.assertGreater(session["expires"], 0)
        text = json.dumps(items)
        for secret in (self.bob.token, "argon2", PASSWORD):
            self.assertNotIn(secret, text)

    def test_scenes_registrations_and_corrections(self):
        items = self.pages("/scenes")
        self.assertEqual(sorted(scene["key"] for scene in self.of(items, "scene")),
                         sorted([f"bob-{n}" for n in range(5)] + [f"bob {n}!" for n in range(5)]))
        places = [item["in"] for item in items if "registration" in item]
        self.assertEqual(places, ["ann", "bob-1"])
        for item in items:
            if "registration" in item:
                self.assertEqual(item["registration"]["hostname"], "127.0.0.1")
                self.assertEqual(item["address"], "127.0.0.1")
                self.assertGreater(item["since_us"], 0)
        self.assertEqual({fact["device"] for fact in self.of(items, "correction")}, {"phone"})
        self.assertEqual(len(self.of(items, "correction")), 2)

    def test_library(self):
        items = self.pages("/library")
        self.assertEqual([asset["key"] for asset in self.of(items, "asset")], [self.asset])
        file, = [item["file"] for item in items if "asset" in item]
        self.assertEqual(self.bob.get(file).content, b"bytes of bob")
        self.assertEqual([one["id"] for one in self.of(items, "project")], [self.project])
        self.assertEqual([one["id"] for one in self.of(items, "collection")], [self.collection])
        self.assertEqual([one["assetId"] for one in self.of(items, "relationship")], [self.asset])

    def test_audit_tells_what_they_did_and_what_was_done_to_them(self):
        def found():
            lines = self.pages("/audit", size=3)
            kinds = {line["operation"] for line in lines}
            return lines if {"sign_up", "login", "scene_put"} <= kinds else None
        for line in wait_until(found, 20, "the lines about bob"):
            self.assertIn(self.bob.id, (line["user"], line["key"]))
            if line["user"] != self.bob.id:
                self.assertEqual(line["address"], "", "where others are is theirs")

    def test_size_of_pages_changes_nothing(self):
        for part in PARTS[:3]:
            self.assertEqual(self.pages(part, size=1), self.pages(part, size=1000), part)

    def test_nothing_of_it_is_about_others(self):
        for part in PARTS[:3]:
            items = self.pages(part, self.ann, self.ann)
            self.assertNotIn(self.bob.id, json.dumps(items), part)

    def test_others_get_nothing_and_administrators_get_it(self):
        for part in PARTS:
            path = f"/v1/users/{self.bob.id}/export{part}"
            self.assertEqual(self.ann.get(path).status, 403)
            self.assertEqual(self.client.get(path).status, 401)
        for part in PARTS[:3]:
            self.assertEqual(self.pages(part, self.admin), self.pages(part))

    def test_unknown_user_and_place(self):
        self.admin.refused(404, 102, "GET", "/v1/users/0123456789abcdef01234567/export")
        self.admin.refused(422, 111, "GET", f"/v1/users/{self.bob.id}/export?after=nowhere")

    def test_command_writes_one_document(self):
        out = os.path.join(self.server.folder, "bob.json")
        done = subprocess.run([os.path.join(support.BIN, "diorama"), "user", "export", self.bob.id, "--out", out,
                               f"--url=http://127.0.0.1:{self.server.http_port}"],
                              env={**os.environ, "DIORAMA_TOKEN": self.bob.token},
                              capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(os.stat(out).st_mode & 0o777, 0o600)
        with open(out, encoding="utf-8") as file:
            document = json.load(file)
        self.assertEqual(document["user"], self.bob.id)
        self.assertEqual(document["scenes"], self.pages("/scenes"))
        self.assertEqual(document["library"], self.pages("/library"))
        self.assertEqual(document["account"], self.pages(""))
        self.assertTrue(document["audit"])


if __name__ == "__main__":
    unittest.main()
