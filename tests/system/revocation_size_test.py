"""What is revoked ends whatever its size: a device that holds ten objects of 780 kB leaves its scene
when it deregisters, when the scene becomes private and when its user is deactivated."""

import os
import unittest

from damage import flip_text
from feeds import UdpDevice
from people import FLAGS, PeopleCase
from support import moved, needs_files, object_path, objects, scene_path, scenes, wait_until

OBJECTS = 10
LARGE = {"assets": [f"{number:04d}" + "x" * 4090 for number in range(190)]}  # about 780 kB
DROPPED = 'diorama_udp_dropped_datagrams_total{reason="token"}'
SCENES = 31


class RevocationCase(PeopleCase):
    flags = None

    def begin(self, **flags):
        self.start_server(**FLAGS, http_deadline=5000, **flags)
        self.admin = self.enter(self.server, "admin")
        self.addCleanup(lambda: self.admin.close())
        user = self.sign_up("guest", self.admin)
        self.guest = self.enter(self.server, "guest", user=user)
        self.addCleanup(self.guest.close)
        self.device = UdpDevice("phone")
        self.addCleanup(self.device.close)

    def devices(self, scene):
        return [device["key"] for device in self.admin.scene(scene)["devices"]]


class LargeLocks(RevocationCase, unittest.TestCase):
    def setUp(self):
        super().setUp()
        self.begin()
        self.admin.put_scene("hall")
        self.keys = [key for _ in range(OBJECTS // 5)
                     for key in self.admin.create("hall", *[LARGE] * 5)]
        self.token = self.guest.register("hall", self.device.record())["udp"]["token"]
        for key in self.keys:
            self.guest.ok("GET", object_path("hall", key) + "/lock?device=phone")

    def held(self):
        return [key for key in self.keys if self.admin.object("hall", key)["owner"]]

    def assert_out(self):
        self.assertEqual(self.devices("hall"), [])
        wait_until(lambda: not self.held(), 10, "the end of all locks")

    def test_device_that_deregisters_releases_all_that_it_holds(self):
        self.guest.deregister("hall", "phone")
        self.assert_out()

    def test_scene_becomes_private_whatever_its_guests_hold(self):
        self.admin.ok("POST", scene_path("hall"), scenes({"public": False}))
        self.assert_out()
        self.assertFalse(self.admin.scene("hall")["public"])

    def test_deactivation_ends_registration_and_locks_before_it_is_answered(self):
        answer = self.admin.delete(f"/v1/users/{self.guest.id}/active")
        self.assertEqual(answer.status, 200, answer)
        self.assert_out()

    def test_deactivation_of_a_large_holder_ends_its_pass_for_udp(self):
        self.admin.delete(f"/v1/users/{self.guest.id}/active")
        before = self.server.metrics()[DROPPED]
        self.device.send(self.server, {"msg_type": 1, "key": self.keys[0], "token": self.token,
                                       "transform": moved(9)})
        wait_until(lambda: self.server.metrics()[DROPPED] > before, 5, "the drop of the datagram")
        self.assertEqual(self.admin.object("hall", self.keys[0])["transform"], moved(0))

    def test_deactivation_goes_on_after_a_crash(self):
        self.admin.delete(f"/v1/users/{self.guest.id}/active")
        self.server.crash()
        self.admin = self.admin.again()
        wait_until(lambda: self.devices("hall") == [], 5, "the end of the registration")
        self.assert_out()


@needs_files
class UnreadableScene(RevocationCase, unittest.TestCase):
    """One block of one scene cannot be read: all others are as they should be."""

    def setUp(self):
        super().setUp()
        self.begin()
        self.scenes = [f"room{number}" for number in range(SCENES)]
        for scene in self.scenes:
            self.admin.put_scene(scene)
            names = [os.urandom(1000).hex() for _ in range(20 if scene == "room7" else 1)]
            keys = self.admin.create(scene, *({"name": name} for name in names))
            self.guest.register(scene, {"key": "phone"})
            if scene == "room7":
                damaged = dict(zip(keys, names))[sorted(keys)[10]]
        self.server.restart()  # the log becomes tables
        self.server.stop()
        flip_text(os.path.join(self.server.flags["data_dir"], "store"), damaged[1000:1040])
        self.server.start()
        self.admin = self.admin.again()

    def test_user_who_is_deactivated_leaves_all_scenes_that_can_be_read(self):
        self.admin.refused(500, 101, "POST", scene_path("room7") + "/object/query", objects())
        self.admin.delete(f"/v1/users/{self.guest.id}/active")
        others = [scene for scene in self.scenes if scene != "room7"]
        left = [scene for scene in others if self.devices(scene)]
        self.assertEqual(left, [], "the device is still in scenes that can be read")


if __name__ == "__main__":
    unittest.main()
