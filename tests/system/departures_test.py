"""Who may no longer be in a scene leaves it before the answer says so; locks go with their devices.

Runs with three scene actors, so that what one user did is spread over them.
"""

import unittest

from people import PeopleCase
from support import object_path, scene_path, scenes

PRIVATE = {"public": False}


class Departures(PeopleCase, unittest.TestCase):
    shards = 3

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.owner, cls.guest = cls.new_person("owner"), cls.new_person("guest")
        for person in (cls.owner, cls.guest):
            cls.addClassCleanup(person.close)

    def devices(self, scene):
        return [device["key"] for device in self.admin.scene(scene)["devices"]]

    def held_object(self, scene, person, device):
        """An object of the scene that the device holds; it is registered."""
        key, = self.owner.create(scene, {"name": "held"})
        person.register(scene, {"key": device})
        person.ok("GET", object_path(scene, key) + f"/lock?device={device}")
        return key

    def holder(self, scene, key):
        return self.admin.object(scene, key)["owner"]

    def test_guests_leave_a_scene_that_becomes_private(self):
        self.owner.put_scene("party")
        key = self.held_object("party", self.guest, "guests")
        self.owner.register("party", {"key": "owners"})
        self.owner.ok("POST", scene_path("party"), scenes(PRIVATE))
        self.assertEqual(self.devices("party"), ["owners"])
        self.assertEqual(self.holder("party", key), "")
        self.guest.refused(404, 102, "GET", object_path("party", key))

    def test_lock_is_ended_by_the_owner_of_the_scene_who_names_its_holder(self):
        self.owner.put_scene("shared")
        key = self.held_object("shared", self.guest, "guests")
        lock = object_path("shared", key) + "/lock?device="
        third = self.new_person("third")
        self.addCleanup(third.close)
        third.refused(403, 131, "DELETE", lock + "guests")
        self.assertEqual(self.owner.refused(423, 123, "DELETE", lock + "mine")["holder"], "guests")
        self.owner.ok("DELETE", lock + "guests")
        self.assertEqual(self.holder("shared", key), "")

    def test_one_device_is_ended_by_its_user_or_an_administrator(self):
        self.owner.put_scene("hall")
        held = self.held_object("hall", self.guest, "guests")
        self.guest.register("hall", {"key": "second"})
        self.owner.refused(403, 131, "DELETE", scene_path("hall") + "/device/guests")
        self.assertEqual(self.devices("hall"), ["guests", "second"])
        for person, device in ((self.admin, "guests"), (self.guest, "second")):
            answer = person.ok("DELETE", scene_path("hall") + f"/device/{device}")
            self.assertEqual((answer["msg_type"], answer["scenes"]), (5, []))
            person.refused(404, 102, "DELETE", scene_path("hall") + f"/device/{device}")
        self.assertEqual((self.devices("hall"), self.holder("hall", held)), ([], ""))
        self.admin.refused(404, 102, "DELETE", scene_path("nowhere") + "/device/guests")

    def test_relationships_into_a_private_scene_are_hidden_with_it(self):
        self.owner.put_scene("studio", **PRIVATE)
        key, = self.owner.create("studio", {"name": "table"})
        for related in ("studio", key):
            body = {"assetId": "wood", "relationshipType": "object", "relatedId": related}
            self.assertEqual(self.owner.put("/v1/relationship", body).status, 200)
        path = "/v1/relationship?asset=wood"
        self.assertEqual(len(self.owner.get(path).body), 2)
        self.assertEqual(self.guest.get(path).body, [])
        self.owner.ok("POST", scene_path("studio"), scenes({"public": True}))
        self.assertEqual(len(self.guest.get(path).body), 2)

    def test_administrator_who_is_demoted_leaves_private_scenes_then_deleted_all(self):
        boss = self.new_person("boss", isAdmin=True)
        self.addCleanup(boss.close)
        for scene, person, members in (("vault", self.owner, PRIVATE), ("own", boss, PRIVATE),
                                       ("square", self.owner, {})):
            person.put_scene(scene, **members)
            boss.register(scene, {"key": "bosss"})
        user = f"/v1/users/{boss.id}"
        self.assertEqual(self.admin.delete(user + "/admin").status, 200)
        self.assertEqual([self.devices(s) for s in ("vault", "own", "square")],
                         [[], ["bosss"], ["bosss"]])
        self.assertEqual(self.admin.delete(user).status, 200)
        self.assertEqual([self.devices(s) for s in ("vault", "own", "square")], [[], [], []])


if __name__ == "__main__":
    unittest.main()
