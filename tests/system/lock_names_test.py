"""A lock in the name of a device is for the user to whom the device belongs, however it
is taken: by lock, or as the `owner` of a create, of an update, of a datagram."""

import unittest

from feeds import UdpDevice
from people import PeopleCase
from support import object_path, objects, scene_path, wait_until

APPLIED = "diorama_udp_applied_updates_total"


class LockNames(PeopleCase, unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.owner, cls.other = cls.new_person("owner"), cls.new_person("other")
        for person in (cls.owner, cls.other):
            cls.addClassCleanup(person.close)

    def setUp(self):
        super().setUp()
        self.admin.put_scene(self.scene)
        self.owner.register(self.scene, {"key": "phone"})
        self.key, = self.admin.create(self.scene, {"name": "cube"})
        self.path = object_path(self.scene, self.key)

    def holder(self):
        return self.admin.object(self.scene, self.key)["owner"]

    def test_lock_is_refused(self):
        self.other.refused(403, 131, "GET", self.path + "/lock?device=phone")

    def test_owner_of_a_create_is_refused(self):
        self.other.refused(403, 131, "POST", scene_path(self.scene) + "/object/",
                           objects({"name": "mine", "owner": "phone"}))
        self.assertEqual(len(self.admin.objects(self.scene)), 1)

    def test_owner_of_an_update_is_refused(self):
        for body in ({"owner": "phone"}, objects({"owner": "phone"})):
            self.other.refused(403, 131, "POST", self.path, body)
        self.assertEqual(self.holder(), "")

    def test_owner_of_a_datagram_is_ignored(self):
        device = UdpDevice("tablet")
        self.addCleanup(device.close)
        token = self.other.register(self.scene, device.record())["udp"]["token"]
        device.send(self.server, {"msg_type": 1, "key": self.key, "token": token, "owner": "phone"})
        device.send(self.server, {"msg_type": 1, "key": self.key, "token": token, "name": "after"})
        wait_until(lambda: self.admin.object(self.scene, self.key)["name"] == "after",
                   what="the datagram behind it")
        self.assertEqual(self.holder(), "")

    def test_owner_that_is_ones_own_device_is_a_lock(self):
        self.owner.update(self.scene, self.key, owner="phone")
        self.assertEqual(self.holder(), "phone")
        key, = self.owner.create(self.scene, {"owner": "phone"})
        self.assertEqual(self.admin.object(self.scene, key)["owner"], "phone")


if __name__ == "__main__":
    unittest.main()
