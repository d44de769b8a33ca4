"""Updates by UDP where users log in: the token of a registration says who sends one."""

import os
import subprocess
import unittest

from feeds import UdpDevice
from people import FLAGS, PeopleCase
from support import BIN, moved, wait_until

DROPPED = 'diorama_udp_dropped_datagrams_total{reason="token"}'
APPLIED = "diorama_udp_applied_updates_total"
NOBODYS = "A" * 22


class TokenCase(PeopleCase):
    """A device that may or may not move an object of a scene."""

    def setUp(self):
        super().setUp()
        self.device = UdpDevice("d-" + self.scene)
        self.addCleanup(self.device.close)
        self.admin.put_scene(self.scene, public=True)
        [self.key] = self.admin.create(self.scene, {"name": "cube"})
        self.x = 0

    def register(self, person, scene=None):
        """The token of the device's registration."""
        return person.register(scene or self.scene, self.device.record())["udp"]["token"]

    def send(self, token, key=None, **members):
        self.device.send(self.server, {"msg_type": 1, "key": key or self.key, "token": token,
                                       **members})

    def x_of(self, key=None):
        return self.admin.object(self.scene, key or self.key)["transform"][3]

    def assert_moves(self, token, key=None):
        self.x += 1
        self.send(token, key, transform=moved(self.x))
        wait_until(lambda: self.x_of(key) == self.x, what="the update")

    def assert_dropped(self, token):
        before = self.server.metrics()[DROPPED]
        self.send(token, transform=moved(99))
        wait_until(lambda: self.server.metrics()[DROPPED] == before + 1, what="the count")
        self.assertEqual(self.x_of(), self.x)


class DatagramAccess(TokenCase, unittest.TestCase):
    def test_only_the_token_of_a_registration_to_the_scene_moves_its_objects(self):
        token = self.register(self.admin)
        other = self.register(self.admin, self.scene + "-b")
        for wrong in (None, "", NOBODYS, token[:-1], token + "A", other):
            self.assert_dropped(wrong)
        self.assert_moves(token)

    def test_properties_need_it_too(self):
        path = f"/v1/scene/{self.scene}/property"
        body = {"properties": [{"key": "speed", "name": "speed", "values": [1.0]}]}
        self.admin.ok("POST", path, body)
        token = self.register(self.admin)
        update = {"msg_type": 9, "key": "speed", "scene": self.scene, "values": [7.0]}
        before = self.server.metrics()[DROPPED]
        self.device.send(self.server, update)
        wait_until(lambda: self.server.metrics()[DROPPED] == before + 1, what="the count")
        self.device.send(self.server, {**update, "token": token})
        wait_until(lambda: self.admin.ok("GET", path + "/speed")["properties"][0]["values"] == [7.0])

    def test_a_registration_that_is_renewed_has_another_token(self):
        first, second = self.register(self.admin), self.register(self.admin)
        self.assertNotEqual(first, second)
        self.assert_dropped(first)
        self.assert_moves(second)

    def test_it_ends_with_the_registration(self):
        token = self.register(self.admin)
        self.admin.deregister(self.scene, self.device.key)
        self.assert_dropped(token)

    def test_it_ends_with_the_access_of_its_user(self):
        user = self.new_person("eve")
        self.addCleanup(user.close)
        token = self.register(user)
        self.assert_moves(token)
        self.assertEqual(self.admin.delete(f"/v1/users/{user.id}/active").status, 200)
        self.assert_dropped(token)

    def test_it_ends_when_the_scene_becomes_private(self):
        user = self.new_person("mallory")
        self.addCleanup(user.close)
        token, own = self.register(user), None
        self.assert_moves(token)
        self.admin.put_scene(self.scene, public=False)
        self.assert_dropped(token)
        own = self.register(self.admin, self.scene + "-own")
        self.assert_dropped(own)

    def replay(self, *arguments):
        """Moves an object ten times in half a second by UDP alone, logged in."""
        path = os.path.join(self.server.folder, "walk")
        with open(path, "w") as walk:
            walk.writelines(f"7 {frame} {frame * 100} 0 0\n" for frame in range(11))
        environment = {**os.environ, "XDG_CONFIG_HOME": self.server.folder,
                       "DIORAMA_TOKEN": self.admin.token}
        subprocess.run([os.path.join(BIN, "diorama"), "replay", path, f"--scene={self.scene}",
                        f"--http=http://127.0.0.1:{self.server.http_port}", "--no-settle", "--rate=20",
                        f"--udp=127.0.0.1:{self.server.udp_port}", *arguments],
                       env=environment, check=True, capture_output=True, timeout=60)

    def test_a_replay_registers_for_what_it_sends(self):
        for arguments in ((), ("--device=walker",)):
            before = self.server.metrics()[APPLIED]
            self.replay(*arguments)
            # Of the last ones some may come when it has left.
            wait_until(lambda: self.server.metrics()[APPLIED] >= before + 5, what="its updates")
        self.assertEqual(self.admin.scene(self.scene)["devices"], [])

    def test_nobody_else_is_shown_it_and_no_log_has_it(self):
        token = self.register(self.admin)
        for path in (f"/v1/scene/{self.scene}", "/v1/scene/" + self.scene + "-b"):
            self.assertNotIn(token, self.admin.get(path).text)
        self.assert_moves(token)
        self.assertNotIn(token, self.server.log_text())


class DatagramAccessAfterRestart(TokenCase, unittest.TestCase):
    flags = {**FLAGS, "log_level": "debug"}

    def test_a_token_outlives_a_crash_and_is_nowhere_on_disk(self):
        token = self.register(self.admin)
        self.server.crash()
        type(self).admin = self.admin.again()
        self.assert_dropped(NOBODYS)
        self.assert_moves(token)
        self.assertNotIn(token, self.server.log_text())
        for content in contents_below(self.server.flags["data_dir"]):
            self.assertNotIn(token.encode(), content)


def contents_below(folder):
    for place, _, names in os.walk(folder):
        for name in names:
            with open(os.path.join(place, name), "rb") as file:
                yield file.read()


if __name__ == "__main__":
    unittest.main()
