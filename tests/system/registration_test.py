"""Registration, deregistration and alignment over HTTP."""

import json
import unittest
from functools import partial

from feeds import UdpDevice
from keys import is_generated
from support import SHARD_COUNTS, ServerCase, run_together, scene_path, scenes, with_shards

ORIGIN = {"translation": [0, 0, 0], "rotation": [0, 0, 0]}
POSE = {"translation": [1.5, -2.25, 3.0], "rotation": [0.1, 0.2, -0.3]}


class RegistrationCase(ServerCase):
    def setUp(self):
        super().setUp()
        self.path = scene_path(self.scene)

    def register(self, *devices):
        return self.client.register(self.scene, *devices)

    def devices(self):
        """The devices of the scene as it is read, by key."""
        return {device["key"]: device for device in self.client.scene(self.scene)["devices"]}

    def align(self, method, *devices):
        return self.client.ok(method, self.path + "/align", scenes({"devices": list(devices)}))


@with_shards(*SHARD_COUNTS)
class Registration(RegistrationCase):
    def test_the_answer_has_two_scene_records(self):
        self.client.put_scene(self.scene, assets=["a"], tags=["t"], public=False)
        answer = self.register({"key": "d1"})
        self.assertEqual((answer["msg_type"], answer["err_code"], answer["num_records"]),
                         (4, 100, 2))
        target, origin = answer["scenes"]
        for member, value in {"key": self.scene, "active": True, "public": False, "distance": 0,
                              "assets": ["a"], "tags": ["t"]}.items():
            self.assertEqual(target[member], value, member)
        self.assertEqual([device["key"] for device in target["devices"]], ["d1"])
        self.assertIn(origin.get("key"), (None, ""))
        self.assertEqual(origin["transform"], ORIGIN)

    def test_the_scene_is_created_if_absent(self):
        self.register({"key": "d1"})
        self.assertEqual(list(self.devices()), ["d1"])

    def test_a_device_without_a_transform_gets_the_identity_and_is_told_so(self):
        device = self.register({"key": "d1"})["scenes"][0]["devices"][0]
        self.assertEqual(device["transform"], ORIGIN)
        self.assertEqual(device["alignment"]["status"], "none")

    def test_a_transform_that_was_sent_is_stored_and_answered_as_corrected(self):
        device = self.register({"key": "d1", "transform": POSE})["scenes"][0]["devices"][0]
        self.assertEqual(device["transform"], POSE)
        self.assertEqual(device["alignment"]["status"], "corrected")
        self.assertEqual(self.devices()["d1"]["transform"], POSE)

    def test_all_registered_devices_are_answered(self):
        self.register({"key": "d1", "transform": POSE})
        answer = self.register({"key": "d2"}, {"key": "d3"})
        found = {device["key"]: device["transform"] for device in answer["scenes"][0]["devices"]}
        self.assertEqual(found, {"d1": POSE, "d2": ORIGIN, "d3": ORIGIN})

    def test_registering_again_updates_the_device(self):
        first, second = UdpDevice("d1"), UdpDevice("d1")
        self.addCleanup(first.close)
        self.addCleanup(second.close)
        self.register(first.record(transform=POSE))
        moved = {"translation": [9, 9, 9], "rotation": [0, 0, 1]}
        answer = self.register(second.record(transform=moved))
        self.assertEqual([(device["key"], device["transform"])
                          for device in answer["scenes"][0]["devices"]], [("d1", moved)])
        key = self.client.create(self.scene, {"name": "o"})[0]
        second.wait_for(lambda event: event["key"] == key)
        self.assertEqual(first.events(), [])

    def test_device_that_is_named_twice_is_deregistered_once(self):
        """Near each other, or so far apart that other commits lie between them."""
        keys = [f"d{number}" for number in range(400)]
        for named in (["d0", "d1", "d0"], [*keys, "d0"]):
            self.client.ok("POST", self.path + "/register",
                           scenes({"devices": [{"key": key} for key in keys]}))
            self.client.deregister(self.scene, *named)
            self.assertEqual(len(self.devices()), len(keys) - len(set(named)))

    def test_scene_is_full_whoever_registers_at_the_same_time(self):
        self.client.ok("POST", self.path + "/register",
                       scenes({"devices": [{"key": f"d{number}"} for number in range(9990)]}))
        statuses = []

        def register(number):
            with self.connect() as client:
                body = scenes({"devices": [{"key": f"late{number}"}]})
                statuses.append(client.post(self.path + "/register", body).status)

        run_together(*[partial(register, number) for number in range(40)])
        self.assertEqual(len(self.devices()), 10000)
        self.assertEqual((statuses.count(200), statuses.count(422)), (10, 30))

    def test_a_device_without_a_key_gets_one(self):
        device = self.register({})["scenes"][0]["devices"][0]
        self.assertTrue(is_generated(device["key"]), device)
        self.assertIn(device["key"], self.devices())

    def test_the_answer_says_where_events_are_sent_to(self):
        answer = self.register({"key": "d1"})
        self.assertEqual(answer["event_destination_host"], "127.0.0.1")
        self.assertEqual(answer["event_destination_port"], self.server.udp_port)

    def test_the_state_of_the_feed_is_answered(self):
        device = UdpDevice("d1")
        self.addCleanup(device.close)
        self.assertEqual(self.register(device.record())["udp"]["state"], "active")
        self.assertEqual(self.register({"key": "d2"})["udp"]["state"], "none")

    def test_the_body_may_name_the_scene_of_the_path_and_no_other(self):
        devices = [{"key": "d1", "transform": POSE}]
        for verb in ("register", "align", "deregister"):
            for key, status in (("another", 400), (self.scene, 200)):
                answer = self.client.post(f"{self.path}/{verb}",
                                          scenes({"key": key, "devices": devices}))
                self.assertEqual(answer.status, status, (verb, key, answer))
        self.client.refused(404, 102, "GET", scene_path("another"))

    def test_missing_parts_are_400(self):
        self.register({"key": "d1"})
        for verb in ("register", "deregister", "align"):
            for body in ({}, scenes(), scenes({}), scenes({"devices": []}),
                         scenes({"key": self.scene}), scenes({"devices": None})):
                self.client.refused(400, 122, "POST", f"{self.path}/{verb}", body)
        self.assertEqual(list(self.devices()), ["d1"])

    def test_a_thousand_devices_may_register(self):
        for first in (0, 500):
            self.register(*({"key": f"d{n:04d}"} for n in range(first, first + 500)))
        self.assertEqual(len(self.devices()), 1000)


@with_shards(*SHARD_COUNTS)
class Deregistration(RegistrationCase):
    def test_a_deregistered_device_is_gone_and_hears_nothing_more(self):
        leaver, stayer = UdpDevice("leaver"), UdpDevice("stayer")
        self.addCleanup(leaver.close)
        self.addCleanup(stayer.close)
        self.register(leaver.record(), stayer.record())
        answer = self.client.deregister(self.scene, "leaver")
        self.assertEqual((answer["msg_type"], answer["num_records"]), (5, 1))
        self.assertEqual([device["key"] for device in answer["scenes"][0]["devices"]], ["stayer"])
        self.assertEqual(list(self.devices()), ["stayer"])
        key = self.client.create(self.scene, {"name": "o"})[0]
        stayer.wait_for(lambda event: event["key"] == key)
        self.assertEqual(leaver.events(), [])

    def test_a_device_is_deleted_by_its_path_and_hears_nothing_more(self):
        device = UdpDevice("leaver")
        self.addCleanup(device.close)
        self.client.register(self.scene, device.record(), {"key": "stays ä"})
        self.client.ok("DELETE", scene_path(self.scene) + "/device/leaver")
        self.assertEqual([d["key"] for d in self.client.scene(self.scene)["devices"]], ["stays ä"])
        self.client.create(self.scene, {"name": "unheard"})
        self.client.ok("DELETE", scene_path(self.scene) + "/device/stays%20%C3%A4")
        self.client.register(self.scene, device.record())
        self.client.create(self.scene, {"name": "heard"})
        device.wait_for(lambda event: event.get("name") == "heard")
        self.assertNotIn("unheard", [event.get("name") for event in device.events()])

    def test_what_is_not_registered_is_404(self):
        self.client.put_scene(self.scene)
        self.register({"key": "d1"})
        self.client.deregister(self.scene, "d1")
        for scene in (self.scene, "nowhere"):
            for verb in ("deregister", "align"):
                self.client.refused(404, 102, "POST", f"{scene_path(scene)}/{verb}",
                                    scenes({"devices": [{"key": "d1", "transform": POSE}]}))

    def test_a_device_stays_in_its_other_scenes(self):
        self.register({"key": "d1"})
        self.client.register(self.scene + "-b", {"key": "d1"})
        self.client.deregister(self.scene, "d1")
        self.assertEqual(self.devices(), {})
        self.assertEqual(len(self.client.scene(self.scene + "-b")["devices"]), 1)


@with_shards(*SHARD_COUNTS)
class Alignment(RegistrationCase):
    def test_a_correction_is_stored_and_answered_by_post_and_by_put(self):
        self.register({"key": "d1"}, {"key": "d2"})
        for method, pose in (("POST", POSE), ("PUT", {"translation": [4, 5, 6],
                                                      "rotation": [-1, 0.5, 0.25]})):
            answer = self.align(method, {"key": "d1", "transform": pose})
            self.assertEqual((answer["msg_type"], answer["num_records"]), (6, 1))
            found = {device["key"]: device for device in answer["scenes"][0]["devices"]}
            self.assertEqual(found["d1"]["transform"], pose)
            self.assertEqual(found["d1"]["alignment"]["status"], "corrected")
            self.assertEqual(found["d2"]["transform"], ORIGIN)
            self.assertEqual(self.devices()["d1"]["transform"], pose)

    def test_registering_again_without_a_transform_keeps_the_correction(self):
        self.register({"key": "d1"})
        self.align("POST", {"key": "d1", "transform": POSE})
        device = self.register({"key": "d1"})["scenes"][0]["devices"][0]
        self.assertEqual((device["transform"], device["alignment"]["status"]), (POSE, "corrected"))


@with_shards(*SHARD_COUNTS)
class Destinations(RegistrationCase):
    """A registration must never be a weapon."""

    NEVER = ("0.0.0.0", "0.1.2.3", "224.0.0.1", "239.255.255.250", "240.0.0.1", "255.255.255.255",
             "169.254.169.254", "127.1", "0x7f.1", "0x7f000001", "2130706433", "127.0.0.01",
             "0177.0.0.1", "1.2.3", "1.2.3.4.5", "256.1.1.1", "::", "ff02::1",
             "::ffff:0.0.0.0", "::ffff:224.0.0.1", "::ffff:169.254.1.1", "fe80::1%lo", "[::1]",
             "a_b", "a b", "a/b", "host:80", "x" * 254, "ü.example", "a\u0000b")

    def refused(self, record):
        answer = self.client.refused(422, 111, "POST", self.path + "/register",
                                     scenes({"devices": [{"key": "d1", **record}]}))
        return answer["errors"][0]["pointer"]

    def test_hostnames_that_must_not_be_sent_to_are_refused(self):
        accepted = []
        for hostname in self.NEVER:
            try:
                self.refused({"hostname": hostname, "port": 9000})
            except AssertionError as failure:
                accepted.append((hostname, str(failure)[-160:]))
        self.assertEqual(accepted, [])
        self.client.refused(404, 102, "GET", self.path)

    def test_the_same_hosts_in_a_connection_string_are_refused(self):
        for host in ("0.0.0.0", "224.0.0.1", "169.254.169.254", "127.1", "a_b"):
            self.refused({"connection_string": f"udp://{host}:9000"})
            self.refused({"connection_string": f"udp+msgpack://{host}:9000"})
        for port in (0, 80, 1023, 65536):
            self.refused({"connection_string": f"udp://127.0.0.1:{port}"})

    def test_a_rate_that_no_form_has_is_refused_with_its_member(self):
        for text in ("udp://127.0.0.1:9000?rate=60", "udp+msgpack://127.0.0.1:9000?rate=0",
                     "udp+msgpack://127.0.0.1:9000?rate=241", "udp+msgpack://127.0.0.1:9000?x=1"):
            pointer = self.refused({"connection_string": text})
            self.assertEqual(pointer, "/scenes/0/devices/0/connection_string", text)

    def test_ports_that_must_not_be_sent_to_are_refused_with_their_member(self):
        for port in (1, 53, 1023, 65536, -1, self.server.udp_port):
            pointer = self.refused({"hostname": "127.0.0.1", "port": port})
            self.assertEqual(pointer, "/scenes/0/devices/0/port", port)

    def test_other_connection_strings_are_taken_and_send_nothing_anywhere(self):
        for text in ("tcp://example:1", "anything", "udp", "http://0.0.0.0:1"):
            answer = self.register({"key": "d1", "connection_string": text})
            self.assertEqual(answer["udp"]["state"], "none", text)

    def test_a_connection_string_wins_over_hostname_and_port(self):
        named, real = UdpDevice("named"), UdpDevice("real")
        self.addCleanup(named.close)
        self.addCleanup(real.close)
        self.register(named.record(connection_string=f"udp://127.0.0.1:{real.port}"))
        key = self.client.create(self.scene, {"name": "o"})[0]
        real.wait_for(lambda event: event["key"] == key)
        self.assertEqual(named.events(), [])

    def test_localhost_is_the_address_family_of_the_peer(self):
        device = UdpDevice("d1")
        self.addCleanup(device.close)
        answer = self.register({**device.record(), "hostname": "localhost"})
        self.assertEqual(answer["udp"]["state"], "active")
        key = self.client.create(self.scene, {"name": "o"})[0]
        device.wait_for(lambda event: event["key"] == key)

    def test_an_address_that_proved_nothing_gets_no_event(self):
        stranger, friend = UdpDevice("stranger", "127.0.0.2"), UdpDevice("friend")
        self.addCleanup(stranger.close)
        self.addCleanup(friend.close)
        answer = self.register(stranger.record())
        self.assertEqual(answer["udp"]["state"], "pending")
        self.register(friend.record())
        keys = self.client.create(self.scene, *({"name": "x" * 1000} for _ in range(50)))
        friend.wait_for(lambda event: event["key"] == keys[-1])
        stranger.wait_for(lambda message: message["msg_type"] == 61, what="a challenge")
        received = [datagram.content for datagram in stranger.inbox.items]
        self.assertLessEqual(len(received), 3)
        self.assertEqual({(len(content), json.loads(content)["msg_type"])
                          for content in received}, {(62, 61)})

    def test_a_trusted_network_needs_no_proof(self):
        self.start_server(udp_trusted_networks="127.0.0.2/32")
        trusted = UdpDevice("trusted", "127.0.0.2")
        self.addCleanup(trusted.close)
        self.assertEqual(self.register(trusted.record())["udp"]["state"], "active")
        key = self.client.create(self.scene, {"name": "o"})[0]
        trusted.wait_for(lambda event: event["key"] == key)


if __name__ == "__main__":
    unittest.main()
