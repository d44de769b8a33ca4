"""GET /v1/device: the devices of all scenes, page by page, and how their feeds fare; for each caller as far
as they may see."""

import json
import os
import subprocess
import time
import unittest
import urllib.parse

from feeds import UdpDevice
from people import PeopleCase
import support
from support import ServerCase, moved, scene_path, wait_until, with_shards

POSE = {"translation": [1, 2, 3], "rotation": [0, 0, 0]}


def pages(client, size, **filters):
    """All devices, of pages with that many."""
    found, after = [], {}
    while True:
        query = urllib.parse.urlencode({"num_records": size, **filters, **after})
        page = client.get(f"/v1/device?{query}").body
        if not page:
            return found
        assert len(page) <= size
        found += page
        after = {"after": page[-1]["place"]}


def names(devices):
    return [(device["scene"], device["key"]) for device in devices]


@with_shards(1, 3)
class Devices(ServerCase):
    def listening(self, key, scene, **members):
        device = UdpDevice(key)
        self.addCleanup(device.close)
        self.client.register(scene, device.record(**members))
        return device

    def of(self, key, **filters):
        return next(found for found in pages(self.client, 50, **filters) if found["key"] == key)

    def test_all_pages_together_have_each_device_once(self):
        expected = [(f"hall {n}", f"d{k}") for n in range(5) for k in range(4)]
        for n in range(5):
            self.client.register(f"hall {n}", *({"key": f"d{k}"} for k in range(4)))
        for size in (1, 3, 50):
            found = [name for name in names(pages(self.client, size))
                     if name[0].startswith("hall ")]
            self.assertEqual(found, expected)
        self.assertEqual(names(pages(self.client, 3, scene="hall 2")), expected[8:12])
        by_number = self.client.get("/v1/device?scene=hall%202&num_records=2&start_record=1").body
        self.assertEqual(names(by_number), expected[9:11])

    def test_a_feed_tells_form_rate_state_and_what_is_sent(self):
        plain = self.listening("plain", self.scene, transform=POSE)
        other = UdpDevice("packed")
        self.addCleanup(other.close)
        self.client.register(self.scene, {"key": "none"}, {
            "key": "packed", "convention": "unity",
            "connection_string": f"udp+msgpack://127.0.0.1:{other.port}?rate=30"})
        self.assertEqual({key: self.of("none", scene=self.scene).get(key)
                          for key in ("state", "form", "sent_s", "address")},
                         {"state": "none", "form": None, "sent_s": None, "address": None})
        wait_until(lambda: self.of("packed")["state"] == "active")
        packed = self.of("packed", state="active", scene=self.scene)
        self.assertEqual((packed["form"], packed["rate"], packed["convention"], packed["behind"]),
                         ("packed", 30, "unity", False))
        found = self.of("plain")
        self.assertEqual((found["form"], found["address"], found["alignment"]["status"]),
                         ("plain", f"127.0.0.1:{plain.port}", "corrected"))
        self.assertNotIn("rate", found)
        for n in range(20):
            self.client.create(self.scene, {"name": f"o{n}"})
        plain.wait_for(lambda event: event.get("name") == "o19")
        self.assertGreater(self.of("plain")["sent_s"], 0)
        self.assertEqual(self.of("plain")["lost_s"], 0)

    def test_a_device_is_heard_by_its_datagrams_and_what_it_missed_is_counted(self):
        device = UdpDevice("talker")
        self.addCleanup(device.close)
        answer = self.client.register(self.scene, device.record())
        token = answer["udp"]["token"]
        key, = self.client.create(self.scene, {"name": "a"})
        heard = self.of("talker")["heard_us"]
        self.assertAlmostEqual(heard / 1e6, time.time(), delta=60)
        update = {"msg_type": 1, "key": key, "transform": moved(4), "token": token}
        port = ("127.0.0.1", self.server.udp_port)
        device.socket.sendto(json.dumps(update).encode(), port)
        wait_until(lambda: self.of("talker")["heard_us"] > heard)
        heard = self.of("talker")["heard_us"]
        device.socket.sendto(json.dumps({"msg_type": 63, "token": token, "from": 1,
                                         "to": 2}).encode(), port)
        wait_until(lambda: self.of("talker")["lost_s"] > 0)
        self.assertGreater(self.of("talker")["heard_us"], heard)

    def test_what_ended_is_not_listed(self):
        self.client.register(self.scene, {"key": "goes"}, {"key": "stays"})
        self.client.ok("DELETE", scene_path(self.scene) + "/device/goes")
        self.assertEqual(names(pages(self.client, 5, scene=self.scene)), [(self.scene, "stays")])
        self.client.ok("DELETE", scene_path(self.scene))
        self.assertEqual(pages(self.client, 5, scene=self.scene), [])

    def test_wrong_questions_are_told(self):
        for query in ("state=lost", "start_record=10000", "num_records=1001"):
            self.client.refused(422, 111, "GET", f"/v1/device?{query}")
        for after in ("", "%09", "a%09b%09c", "%C3%A4", "%09%09"):
            self.assertEqual(self.client.get(f"/v1/device?after={after}").status, 200)

    def test_the_client_shows_a_table(self):
        self.client.register(self.scene, {"key": "shown"})
        run = subprocess.run(
            [os.path.join(support.BIN, "diorama"), "device", "query", f"scene={self.scene}",
             f"--url=http://127.0.0.1:{self.server.http_port}"],
            capture_output=True, text=True, timeout=60, check=True)
        self.assertIn("shown", run.stdout)
        self.assertIn("none", run.stdout)

    def test_a_list_of_ten_thousand_devices_takes_no_long_turn(self):
        scenes = 2 if support.is_sanitized() else 10
        for scene in range(scenes):
            self.client.register(f"crowd {scene}", *({"key": f"m{n:04}"} for n in range(1000)))
        before = self.server.turns_beyond(0.005)
        found = [device for device in pages(self.client, 1000)
                 if device["scene"].startswith("crowd ")]
        self.assertEqual(len(found), 1000 * scenes)
        self.assertEqual(pages(self.client, 10, scene="crowd 1", state="active"), [])
        after = self.server.turns_beyond(0.005)
        excused = 1 + support.excused_turns(self.server.stolen_before, 0.005)  # there are ten pages
        for actor in after:
            self.assertLessEqual(after[actor] - before.get(actor, 0), excused, actor)


@with_shards(1, 3)
class Seen(PeopleCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.ann, cls.bob = cls.new_person("ann"), cls.new_person("bob")
        cls.ann.put_scene("open", public=True)
        cls.ann.put_scene("closed", public=False)
        cls.ann.register("open", {"key": "desk"})
        cls.ann.register("closed", {"key": "desk"})
        cls.bob.register("open", {"key": "phone", "hostname": "127.0.0.1", "port": 40000})

    def test_users_see_the_devices_of_scenes_they_may_read(self):
        self.assertEqual(names(pages(self.ann, 1)),
                         [("closed", "desk"), ("open", "desk"), ("open", "phone")])
        self.assertEqual(names(pages(self.bob, 1)), [("open", "desk"), ("open", "phone")])
        self.assertEqual(pages(self.bob, 1, scene="closed"), [])
        self.assertEqual(self.client.get("/v1/device").status, 401)

    def test_feeds_are_shown_to_their_users_and_addresses_to_administrators(self):
        theirs, own = pages(self.bob, 50)
        self.assertEqual(sorted(theirs), ["key", "place", "scene"])
        self.assertEqual((own["user"], own["state"]), (self.bob.id, "active"))
        self.assertNotIn("address", own)
        self.assertEqual(pages(self.ann, 50, state="active"), [])
        found = pages(self.admin, 50, state="active")
        self.assertEqual([(d["user"], d["address"]) for d in found],
                         [(self.bob.id, "127.0.0.1:40000")])


if __name__ == "__main__":
    unittest.main()
