"""kill -9 at every step of what happens in two actors: the delete of a scene that assets are related
to, a scene that is swept meanwhile, a user who is out. Afterwards either nothing of it has happened
or all of it.
"""

import http.client
import os
import unittest

from people import FLAGS, PeopleCase, Person
from support import (LONG, LONG_SHARD_COUNTS, SHARD_COUNTS, Client, Server, ServerCase, object_path, scene_path, wait_until,
                     with_shards, write_plan)

CONNECTION_LOST = (OSError, http.client.HTTPException)
RELATIONSHIPS = "/v1/relationship"


class KilledCase(ServerCase):
    """A data folder is filled once; each kill works on a copy of it."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        with Client(cls.server) as client:
            cls.fill(client)
        cls.server.stop()
        cls.template = cls.server

    def setUp(self):
        self.scene, self.answered = None, False

    def kill_at_every_step(self, word):
        """What was found after a kill before (or after) each commit of self.change, in order."""
        outcomes = []
        for number in range(1, 40):
            server = self.server = Server(scene_actors=self.shards, **self.flags)
            server.copy(self.template)
            plan = os.path.join(server.folder, "plan")
            write_plan(plan, "latency=0")
            server.start(store_fault=f"file={plan}")
            write_plan(plan, f"{word}={number}")
            self.answered = False
            try:
                with Client(server) as client:
                    self.change(client)
            except CONNECTION_LOST:
                server.await_kill()
            wait_until(lambda: not server.is_running() or self.is_done(), 20, "the end of it")
            survived = server.is_running()
            if survived:
                server.kill()
            server.await_kill()
            server.start(store_fault=None)
            with Client(server) as client:
                outcomes.append(self.check(client))
            server.end()
            if survived:
                return outcomes
        raise AssertionError("it has no end")

    def is_done(self):
        """Whether nothing of the change is left to do."""
        return True


@with_shards(*LONG_SHARD_COUNTS)
class RelatedScene(KilledCase):
    @classmethod
    def fill(cls, client):
        client.put_scene("doomed")
        cls.keys = client.create("doomed", *({"name": f"o{n}"} for n in range(3)))
        body = client.ok("POST", "/v1/scene/doomed/property/", {"properties": [{"name": "heat"}]})
        cls.keys.append(body["properties"][0]["key"])
        client.register("doomed", {"key": "d1"})
        cls.other, = client.create("bystander", {"name": "stays"})
        cls.related = ["doomed", *cls.keys]
        for key in (*cls.related, "bystander", cls.other):
            relate(client, key)

    def change(self, client):
        self.answered = client.delete(scene_path("doomed")).status == 200

    def is_done(self):
        return "scene_swept" in self.server.log_text()

    def check(self, client):
        if client.get(scene_path("doomed")).status == 200:
            self.assertFalse(self.answered, "a deleted scene came back")
            self.assertEqual(len(client.objects("doomed")), 3)
            self.assertEqual(related(client), {*self.related, "bystander", self.other})
            return "intact"
        client.refused(404, 102, "GET", object_path("doomed", self.keys[0]))
        if not self.answered:  # nobody was told yet: the start goes on with it
            wait_until(lambda: len(related(client)) == 2, what="the end of relationships")
        self.assertEqual(related(client), {"bystander", self.other})
        return "gone"

    def test_killed_before_each_commit(self):
        outcomes = self.kill_at_every_step("kill-before")
        self.assertGreaterEqual(len(outcomes), 4, "delete, relationships, outbox, sweep")
        self.assertEqual(outcomes, ["intact"] + ["gone"] * (len(outcomes) - 1))

    def test_killed_after_each_commit(self):
        outcomes = self.kill_at_every_step("kill-after")
        self.assertEqual(outcomes, ["gone"] * len(outcomes))

    def test_object_that_is_deleted_goes_with_its_relationships(self):
        """In one copy, with a restart between: nothing of the delete is lost or done to others."""
        server = self.server = Server(scene_actors=self.shards)
        self.addCleanup(server.end)
        server.copy(self.template)
        server.start()
        with Client(server) as client:
            client.ok("DELETE", object_path("doomed", self.keys[0]))
            left = {*self.related, "bystander", self.other} - {self.keys[0]}
            self.assertEqual(related(client), left)
        server.crash()
        with Client(server) as client:
            self.assertEqual(related(client), left)


def relate(client, key):
    body = {"assetId": "chair", "relationshipType": "object", "relatedId": key}
    answer = client.put(RELATIONSHIPS, body)
    assert answer.status == 200, answer


def related(client):
    """What the asset leads to."""
    answer = client.get(RELATIONSHIPS + "?asset=chair")
    assert answer.status == 200, answer
    return {link["relatedId"] for link in answer.body}


@with_shards(*(SHARD_COUNTS if LONG else SHARD_COUNTS[:1]))
class UserWhoIsOut(KilledCase, PeopleCase):
    flags = FLAGS

    @classmethod
    def fill(cls, client):
        cls.user = cls.sign_up("bob")
        bob = cls.enter(cls.server, "bob")
        cls.admin_token, cls.keys = cls.admin.token, {}
        for scene in ("hall", "yard"):
            cls.admin.put_scene(scene)
            key, = bob.create(scene, {"name": "held"})
            bob.register(scene, {"key": "phone"})
            cls.admin.register(scene, {"key": "desk"})
            bob.ok("GET", object_path(scene, key) + "/lock?device=phone")
            cls.keys[scene] = key
        bob.close()

    def change(self, client):
        with Person(client.server, self.admin_token) as admin:
            path = f"/v1/users/{self.user['id']}"
            self.answered = admin.delete(path + "/active").status == 200
            admin.put(path + "/scenes/hall")  # what the actor still had to write is written before

    def has_left(self, admin):
        """Whether no scene has the user's device."""
        devices = {device["key"] for scene in self.keys for device in admin.scene(scene)["devices"]}
        self.assertIn("desk", devices)
        return "phone" not in devices

    def is_out(self, admin):
        """The same, and nothing is held by it: locks follow where the scene was not in memory yet."""
        held = [admin.object(scene, key)["owner"] for scene, key in self.keys.items()]
        return self.has_left(admin) and held == ["", ""]

    def check(self, client):
        with Person(client.server, self.admin_token) as admin:
            user = admin.get(f"/v1/users/{self.user['id']}").body
            if user["isActive"]:
                self.assertFalse(self.answered, "a deactivation was lost")
                self.assertFalse(self.has_left(admin))
                return "intact"
            if self.answered:
                self.assertTrue(self.has_left(admin), "the answer came first")
            wait_until(lambda: self.is_out(admin), 10, "the end of registrations and locks")
            return "out"

    def test_killed_before_each_commit(self):
        outcomes = self.kill_at_every_step("kill-before")
        self.assertGreaterEqual(len(outcomes), 3, "user, scenes, outbox")
        self.assertEqual(outcomes, ["intact"] + ["out"] * (len(outcomes) - 1))

    def test_killed_after_each_commit(self):
        outcomes = self.kill_at_every_step("kill-after")
        self.assertEqual(outcomes, ["out"] * len(outcomes))


if __name__ == "__main__":
    unittest.main()
