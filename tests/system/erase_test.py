"""A user is erased: access ends, private items go, public ones have no owner, and no record has the name
or the id any more but lines of the audit log, which have the id alone and whose chain stays whole."""

import json
import os
import subprocess
import unittest

from deletes_test import KilledCase
from files import upload
from people import FLAGS, PASSWORD, PeopleCase, Person, log_in
import support
from support import LONG_SHARD_COUNTS, Server, object_path, scene_path, wait_until, with_shards

POSE = {"translation": [1, 2, 3], "rotation": [0, 0, 0]}
PARTS = ("/scenes", "/library")


def stored_about(admin, user):
    """What the server still keeps of the user, whether there is an account or not."""
    items = []
    for part in PARTS:
        answer = admin.get(f"/v1/users/{user}/export{part}?num_records=1000")
        assert answer.status == 200, answer
        items += answer.body
    return items


def erase(admin, user):
    return admin.delete(f"/v1/users/{user}/data")


def fill(bob, admin, tag=""):
    """A private and a public one of each kind, a device in a foreign scene that holds a lock."""
    made = {"keys": [], "hidden": "hidden" + tag, "shown": "shown" + tag, "ann": "ann" + tag,
            "phone": "phone" + tag}
    admin.put_scene(made["ann"], public=True)
    for scene, public in ((made["hidden"], False), (made["shown"], True)):
        bob.put_scene(scene, public=public)
        bob.create(scene, {"name": "o"})
    for public in (False, True):
        asset = upload(bob, f"/v1/asset?public={str(public).lower()}",
                       f"bytes {public}".encode()).content.decode()
        project = bob.post("/v1/project", {"name": "p", "public": public}).body["id"]
        collection = bob.post("/v1/collection", {"name": "c", "public": public}).body["id"]
        made["keys"].append((asset, project, collection))
        bob.put("/v1/relationship", {"assetId": asset, "relationshipType": "scene",
                                     "relatedId": made["shown"]})
    made["held"], = bob.create(made["ann"], {"name": "held"})
    bob.register(made["ann"], {"key": made["phone"], "transform": POSE})
    bob.register(made["shown"], {"key": made["phone"], "transform": POSE})
    admin.register(made["ann"], {"key": "desk", "transform": POSE})
    bob.ok("PUT", object_path(made["ann"], made["held"]) + f"/lock?device={made['phone']}")
    return made


@with_shards(*LONG_SHARD_COUNTS)
class Erase(PeopleCase):
    def setUp(self):
        super().setUp()
        self.tag = self._testMethodName[4:24]
        self.bob = self.new_person(f"bob-{self.tag}")
        self.addCleanup(self.bob.close)
        self.made = fill(self.bob, self.admin, self.tag)

    def test_nothing_of_them_is_left(self):
        name, user = self.bob.user["username"], self.bob.id
        self.assertTrue(stored_about(self.admin, user))
        answer = erase(self.admin, user)
        self.assertEqual(answer.status, 200, answer)
        self.assertEqual(stored_about(self.admin, user), [])
        self.assertNotIn(name, json.dumps(self.admin.get("/v1/users?num_records=1000").body))
        for target in (f"/v1/users/{user}", f"/v1/users/{user}/export",
                       f"/v1/users/{user}/budget"):
            self.admin.refused(404, 102, "GET", target)
        self.bob.refused(401, 130, "GET", scene_path(self.made["ann"]))
        self.assertEqual(log_in(self.client, name).status, 401)

    def test_private_items_go_and_public_ones_have_no_owner(self):
        erase(self.admin, self.bob.id)
        self.admin.refused(404, 102, "GET", scene_path(self.made["hidden"]))
        self.assertEqual(self.admin.scene(self.made["shown"])["user"], "")
        self.assertEqual(len(self.admin.objects(self.made["shown"])), 1)
        for keys, status in zip(self.made["keys"], (404, 200)):
            for kind, key in zip(("asset", "project", "collection"), keys):
                answer = self.admin.get(f"/v1/{kind}/{key}")
                self.assertEqual(answer.status, status, (kind, answer))
                if status == 200 and kind != "asset":
                    self.assertEqual(answer.body["user"], "")
        links = self.admin.get(f"/v1/relationship?related={self.made['shown']}").body
        self.assertEqual([link["assetId"] for link in links], [self.made["keys"][1][0]])

    def test_more_of_them_than_a_page_of_their_index_goes(self):
        for number in range(450):
            answer = self.bob.post("/v1/project", {"name": f"many {self.tag}", "public": number % 3 == 0})
            self.assertEqual(answer.status, 200, answer)
        self.assertEqual(erase(self.admin, self.bob.id).status, 200)
        self.assertEqual(stored_about(self.admin, self.bob.id), [])
        left = self.admin.get("/v1/project?num_records=1000").body
        left = [project for project in left if project["name"] == f"many {self.tag}"]
        self.assertEqual(len(left), 150)
        self.assertEqual({(project["public"], project.get("user", "")) for project in left}, {(True, "")})

    def test_devices_locks_and_corrections_end(self):
        erase(self.admin, self.bob.id)
        devices = [device["key"] for device in self.admin.scene(self.made["ann"])["devices"]]
        self.assertEqual(devices, ["desk"])
        facts = self.admin.get(scene_path(self.made["ann"]) + "/alignment").body["corrections"]
        self.assertEqual([fact["device"] for fact in facts], ["desk"])
        held = object_path(self.made["ann"], self.made["held"])
        wait_until(lambda: self.admin.get(held).body["objects"][0]["owner"] == "", 5, "the lock")
        carl = self.new_person(f"carl-{self.tag}")
        self.addCleanup(carl.close)
        carl.register(self.made["ann"], {"key": self.made["phone"]})  # the key is free

    def test_audit_log_has_a_pseudonym_and_is_whole(self):
        name, user = self.bob.user["username"], self.bob.id
        erase(self.admin, user)
        folder = os.path.join(self.server.flags["data_dir"], "audit")

        def text():
            parts = []
            for file in sorted(os.listdir(folder)):
                with open(os.path.join(folder, file), encoding="utf-8") as lines:
                    parts.append(lines.read())
            return "".join(parts)
        wait_until(lambda: '"operation":"user_erase"' in text() and user in text(), 20, "its line")
        self.assertNotIn(name, text())
        done = subprocess.run([os.path.join(support.BIN, "diorama"), "audit", folder, "--check"],
                              capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_an_answer_that_is_kept_goes_too(self):
        before = self.held("idempotency_keys")
        for path, body in (("/v1/project", {"name": "p"}),
                           (scene_path(self.made["ann"]) + "/object", {"objects": [{"name": "o"}]})):
            headers = {"Idempotency-Key": os.urandom(8).hex()}
            answer = self.bob.request("POST", path, body, headers)
            self.assertEqual(answer.status, 200, answer)
        self.assertGreater(self.held("idempotency_keys"), before)
        erase(self.admin, self.bob.id)
        self.assertEqual(self.held("idempotency_keys"), before)

    def test_who_may(self):
        self.assertEqual(self.bob.delete(f"/v1/users/{self.bob.id}/data").status, 403)
        self.assertEqual(self.client.delete(f"/v1/users/{self.bob.id}/data").status, 401)
        me = self.admin.get("/v1/session").body["user"]["id"]
        self.admin.refused(409, 124, "DELETE", f"/v1/users/{me}/data")
        self.assertEqual(erase(self.admin, self.bob.id).status, 200)
        self.assertEqual(erase(self.admin, self.bob.id).status, 200, "once more does no harm")
        self.admin.refused(404, 102, "DELETE", "/v1/users/nobody/data")

    def test_who_was_deleted_can_still_be_erased(self):
        self.assertEqual(self.admin.delete(f"/v1/users/{self.bob.id}").status, 200)
        self.assertEqual(self.admin.scene(self.made["shown"])["user"], self.bob.id)
        answer = erase(self.admin, self.bob.id)
        self.assertEqual((answer.status, answer.body["id"]), (200, self.bob.id), answer)
        self.assertEqual(stored_about(self.admin, self.bob.id), [])
        self.assertEqual(self.admin.scene(self.made["shown"])["user"], "")

    def held(self, budget):
        name = f'diorama_budget_held{{budget="{budget}"}}'
        return self.server.metrics()[name]

    def test_nobody_pays_for_what_they_made_in_scenes_of_others(self):
        big, = self.bob.create(self.made["ann"], {"name": "n" * 900, "asset_sub_id": "s" * 900})
        own, = self.bob.create(self.made["shown"], {"name": "n" * 900, "asset_sub_id": "s" * 900})
        before = self.held("record_bytes")
        erase(self.admin, self.bob.id)
        self.assertLess(self.held("record_bytes"), before - 3600)
        for scene, key in ((self.made["ann"], big), (self.made["shown"], own)):
            self.assertEqual(self.admin.object(scene, key)["name"], "n" * 900)

    def test_others_keep_everything(self):
        carl = self.new_person(f"carl-{self.tag}")
        self.addCleanup(carl.close)
        carl.put_scene("carls")
        project = carl.post("/v1/project", {"name": "p"}).body
        erase(self.admin, self.bob.id)
        self.assertEqual(carl.scene("carls")["user"], carl.id)
        self.assertEqual(carl.get(f"/v1/project/{project['id']}").body["user"], carl.id)
        self.admin.delete(scene_path("carls"))


@with_shards(*LONG_SHARD_COUNTS)
class Killed(KilledCase, PeopleCase):
    flags = FLAGS

    @classmethod
    def fill(cls, client):
        bob = cls.new_person("bob-the-builder")
        cls.user, cls.admin_token = bob.id, cls.admin.token
        cls.made = fill(bob, cls.admin)
        bob.close()

    def change(self, client):
        with Person(client.server, self.admin_token) as admin:
            self.answered = erase(admin, self.user).status == 200
            admin.put(f"/v1/users/{self.session(admin)}/scenes/ann")  # what is still written comes before

    @staticmethod
    def session(admin):
        return admin.get("/v1/session").body["user"]["id"]

    def is_done(self):
        return "scene_swept" in self.server.log_text()

    def is_forgotten(self, admin):
        devices = {device["key"] for device in admin.scene("ann")["devices"]}
        return (not stored_about(admin, self.user) and "phone" not in devices and
                admin.get(scene_path("hidden")).status == 404)

    def check(self, client):
        with Person(client.server, self.admin_token) as admin:
            if admin.get(f"/v1/users/{self.user}").status == 200:
                self.assertFalse(self.answered, "an erasure was lost")
                self.assertTrue(admin.get(scene_path("hidden")).status == 200)
                return "intact"
            if not self.answered:  # the start goes on with it
                wait_until(lambda: self.is_forgotten(admin), 10, "the end of everything")
            self.assertTrue(self.is_forgotten(admin), "the answer came first")
            # Locks follow where the scene was not in memory yet.
            wait_until(lambda: admin.object("ann", self.made["held"])["owner"] == "", 10, "the end of the lock")
            self.assertEqual(admin.scene("shown")["user"], "")
            return "erased"

    def test_killed_before_each_commit(self):
        outcomes = self.kill_at_every_step("kill-before")
        self.assertGreaterEqual(len(outcomes), 4, "user, scenes, library, outbox")
        self.assertEqual((outcomes[0], outcomes[-1]), ("intact", "erased"), outcomes)
        self.assertEqual(outcomes, sorted(outcomes, reverse=True), "once begun, it ends")

    def test_killed_after_each_commit(self):
        outcomes = self.kill_at_every_step("kill-after")
        self.assertEqual(outcomes[-1], "erased")
        self.assertEqual(outcomes, sorted(outcomes, reverse=True), "once begun, it ends")


del KilledCase

if __name__ == "__main__":
    unittest.main()
