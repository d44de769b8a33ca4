"""The live feed: UDP in, UDP out, ZeroMQ PUB."""

import json
import random
import string
import time
import unittest

from feeds import Subscriber, UdpDevice, gaps, hello
from keys import key_in_partition, partition_of_scene
from support import (IDENTITY, SHARD_COUNTS, Client, ServerCase, moved, object_path, objects,
                     run_together, scene_path, scenes, wait_until, with_shards)

STRANGER = "A" * 22  # nobody's token
DROPPED = 'diorama_udp_dropped_datagrams_total{reason="%s"}'


class FeedCase(ServerCase):
    def device(self, key="d1", scene=None, **members):
        """A device that is registered to the scene of the test."""
        device = UdpDevice(key)
        self.addCleanup(device.close)
        self.client.register(scene or self.scene, device.record(**members))
        return device

    def subscriber(self):
        subscriber = Subscriber(self.server)
        self.addCleanup(subscriber.close)
        return subscriber

    def create(self, *records):
        return self.client.create(self.scene, *records)


@with_shards(*SHARD_COUNTS)
class UdpOut(FeedCase):
    def test_a_datagram_has_the_members_and_bytes_that_old_clients_read(self):
        device = self.device()
        key = self.create({"name": "cübe \"x\"", "type": "Mesh", "subtype": "Cube",
                           "owner": "d1", "parent": "p", "transform": moved(5, 0.1, -2.5),
                           "assets": ["a", "b"]})[0]
        event = device.wait_for(lambda event: event["key"] == key)
        content = device.inbox.items[-1].content.decode()
        expected = (
            '{"msg_type":0,"key":"%s","name":"cübe \\"x\\"","scene":"%s","type":"Mesh",'
            '"subtype":"Cube","owner":"d1","parent":"p","transform":[1.0,0.0,0.0,5.0,0.0,1.0,0.0,'
            '0.1,0.0,0.0,1.0,-2.5,0.0,0.0,0.0,1.0],"assets":["a","b"],"actions":[],'
            '"seq":%d,"prev":%d}' % (key, self.scene, event["seq"], event["prev"]))
        self.assertEqual(content, expected)

    def test_an_update_carries_the_merged_record(self):
        device = self.device()
        key = self.create({"name": "a", "type": "Mesh", "transform": moved(1)})[0]
        self.client.ok("POST", object_path(self.scene, key), {"name": "b"})
        event = device.wait_for(lambda event: event["msg_type"] == 1)
        self.assertEqual((event["key"], event["name"], event["type"], event["transform"]),
                         (key, "b", "Mesh", moved(1)))

    def test_a_delete_carries_name_and_transform(self):
        device = self.device()
        key = self.create({"name": "a", "transform": moved(1, 2, 3)})[0]
        self.client.ok("DELETE", object_path(self.scene, key))
        event = device.wait_for(lambda event: event["msg_type"] == 3)
        self.assertEqual((event["key"], event["name"], event["transform"]),
                         (key, "a", moved(1, 2, 3)))

    def test_prev_chains_the_events_that_a_device_was_sent(self):
        device = self.device()
        key = self.create({"name": "a"})[0]
        for number in range(50):
            self.client.ok("POST", object_path(self.scene, key), {"translation": [number, 0, 0]})
            if number % 10 == 0:  # events that devices do not get
                self.client.ok("GET", object_path(self.scene, key) + "/lock?device=d1")
        device.wait_for(lambda event: event["transform"][3] == 49)
        events = device.events()
        self.assertEqual([event["prev"] for event in events[1:]],
                         [event["seq"] for event in events[:-1]])
        self.assertEqual(sorted({event["seq"] for event in events}),
                         [event["seq"] for event in events])
        self.assertLess(events[0]["prev"], events[0]["seq"])

    def test_what_a_device_asks_for_is_sent_again_and_what_is_too_old_is_refused(self):
        one, other = UdpDevice("one"), UdpDevice("other")
        for device in (one, other):
            self.addCleanup(device.close)
            device.token = self.client.register(self.scene, device.record())["udp"]["token"]
        first, second = self.create({"name": "a"}, {"name": "b"})
        last = one.wait_for(lambda event: event["key"] == second)["seq"]
        other.wait_for(lambda event: event["key"] == second)
        again = self.asked_again(one, last - 1, last - 1)
        self.assertEqual((0, first, last - 2, last - 1),
                         tuple(again[name] for name in ("msg_type", "key", "prev", "seq")))
        self.assertEqual({"msg_type": 64, "scene": self.scene, "from": 1, "reason": "too_old"},
                         self.asked_again(other, 1, last))

    def test_what_was_before_its_registration_is_refused_though_others_were_sent_it(self):
        friend = self.device("friend")
        [key] = self.create({"name": "secret"})
        self.client.ok("DELETE", object_path(self.scene, key))
        gone = friend.wait_for(lambda event: event["msg_type"] == 3)["seq"]
        late = UdpDevice("late")
        self.addCleanup(late.close)
        late.token = self.client.register(self.scene, late.record())["udp"]["token"]
        [key] = self.create({"name": "after"})
        last = late.wait_for(lambda event: event["key"] == key)["seq"]
        self.assertGreater(last, gone)
        for first, wanted in ((gone, (64, "too_old")), (last, (0, "after"))):
            told = self.asked_again(late, first, last)
            self.assertEqual(wanted, (told["msg_type"], told.get("name", told.get("reason"))))

    def asked_again(self, device, first, last):
        """The first datagram of the answer, of a server that may say first that it is busy."""
        ask = {"msg_type": 63, "token": device.token, "from": first, "to": last,
               "_": " " * 100}  # an answer is not larger than the question
        seen, asked = len(device.events()), 0.0

        def answer():
            nonlocal asked
            if time.monotonic() - asked > 0.1:
                asked = time.monotonic()
                device.send(self.server, ask)
            return [event for event in device.events()[seen:] if event.get("reason") != "busy"]

        return wait_until(answer, what="the answer")[0]

    def test_who_asks_for_tails_is_told_up_to_where_all_was_sent_and_who_does_not_is_not(self):
        silent = self.device("silent")
        told = UdpDevice("told")
        self.addCleanup(told.close)
        self.client.register(self.scene, {
            "key": "told", "connection_string": f"udp://{told.address}:{told.port}?tail=1"})
        self.create({"name": "a"})
        tail = told.wait_for(lambda event: event["msg_type"] == 65)
        event = told.events()[0]
        self.assertEqual({**tail, "epoch": 0},
                         {"msg_type": 65, "scene": self.scene, "epoch": 0, "seq": event["seq"]})
        self.assertGreater(tail["epoch"], 0)
        self.assertEqual([event["msg_type"] for event in silent.events()], [0])

    def test_a_peer_that_asks_for_base64_gets_the_filler_and_others_do_not(self):
        old, other = UdpDevice("old"), self.device("other")
        self.addCleanup(old.close)
        self.client.register(self.scene, {
            "key": "old", "connection_string": f"udp+base64://{old.address}:{old.port}"})
        self.create({"name": "a"})
        self.assertIn("_", old.wait_for(lambda event: True))
        self.assertNotIn("_", other.wait_for(lambda event: True))
        content = old.inbox.items[0].content.decode()
        self.assertEqual(sum(c.isascii() and (c.isalnum() or c in "+/") for c in content) % 4, 0)

    def test_every_device_of_the_scene_hears_it_and_no_other(self):
        inside = [self.device(f"d{n}") for n in range(3)]
        outside = self.device("elsewhere", scene=self.scene + "-other")
        key = self.create({"name": "a"})[0]
        for device in inside:
            device.wait_for(lambda event: event["key"] == key)
        marker = self.client.create(self.scene + "-other", {"name": "marker"})[0]
        outside.wait_for(lambda event: event["key"] == marker)
        self.assertEqual([event["key"] for event in outside.events()], [marker])

    def test_a_joiner_hears_only_what_came_after_its_registration(self):
        early = self.device("early")
        key = self.create({"name": "a"})[0]
        for number in range(20):
            self.client.ok("POST", object_path(self.scene, key), {"translation": [number, 0, 0]})
        early.wait_for(lambda event: event["transform"][3] == 19)
        joiner = self.device("joiner")
        self.client.ok("POST", object_path(self.scene, key), {"translation": [100, 0, 0]})
        joiner.wait_for(lambda event: event["transform"][3] == 100)
        self.assertEqual([event["transform"][3] for event in joiner.events()], [100])

    def test_a_refused_request_is_not_streamed(self):
        device = self.device()
        key = self.create({"name": "a"})[0]
        self.client.refused(422, 111, "POST", object_path(self.scene, key), {"transform": [1]})
        self.client.refused(404, 102, "DELETE", object_path(self.scene, key_in_partition(5)))
        self.client.ok("POST", object_path(self.scene, key), {"name": "marker"})
        device.wait_for(lambda event: event["name"] == "marker")
        self.assertEqual([event["name"] for event in device.events()], ["a", "marker"])

    def test_a_scene_update_streams_the_state_of_each_object(self):
        device = self.device()
        keys = self.create(*({"name": f"o{n}", "transform": moved(n)} for n in range(10)))
        device.wait_for(lambda event: event["key"] == keys[-1])
        before = len(device.events())
        self.client.ok("POST", scene_path(self.scene), scenes({"name": "renamed"}))
        wait_until(lambda: len(device.events()) >= before + 10)
        states = {event["key"]: (event["msg_type"], event["name"], event["transform"])
                  for event in device.events()[before:]}
        self.assertEqual(states, {key: (1, f"o{n}", moved(n)) for n, key in enumerate(keys)})

    def test_what_would_pass_8_kib_is_sent_without_assets_and_says_so(self):
        device = self.device()
        key = self.create({"name": "big", "assets": [f"{n:040d}" for n in range(256)]})[0]
        event = device.wait_for(lambda event: event["key"] == key)
        self.assertEqual((event["assets"], event["truncated"], event["name"]), ([], True, "big"))
        self.assertLessEqual(len(device.inbox.items[-1].content), 8192)

    def test_the_base64_filler_makes_the_count_of_base64_characters_a_multiple_of_four(self):
        self.start_server(udp_base64_filler="true")
        device = self.device()
        self.create(*({"name": "x" * n} for n in range(8)))
        device.wait_for(lambda event: event["name"] == "x" * 7)
        alphabet = set((string.ascii_letters + string.digits + "+/").encode())
        for datagram in device.inbox.items:
            self.assertEqual(sum(byte in alphabet for byte in datagram.content) % 4, 0)
            self.assertIn("_", json.loads(datagram.content))

    def test_events_cascade_streams_a_delete_for_each_object_of_a_deleted_scene(self):
        self.start_server(events_cascade="true")
        device = self.device()
        keys = self.create(*[{"name": "o"}] * 5)
        self.client.ok("DELETE", scene_path(self.scene))
        wait_until(lambda: {event["key"] for event in device.events()
                            if event["msg_type"] == 3} == set(keys))


@with_shards(*SHARD_COUNTS)
class UdpIn(FeedCase):
    def update(self, key, **members):
        return {"msg_type": 1, "key": key, **members}

    def test_an_update_is_applied_and_streamed_to_all_the_sender_included(self):
        sender, other = self.device("sender"), self.device("other")
        key = self.create({"name": "cube", "type": "Mesh", "transform": moved(1)})[0]
        # As real clients send it: the scene of another name, empty actions.
        sender.send(self.server, self.update(key, name="moved", scene="s1", actions=[],
                                             transform=moved(5, 6, 7)))
        for device in (sender, other):
            event = device.wait_for(lambda event: event["msg_type"] == 1)
            self.assertEqual((event["key"], event["name"], event["scene"], event["type"],
                              event["transform"]),
                             (key, "moved", self.scene, "Mesh", moved(5, 6, 7)))
        record = self.client.object(self.scene, key)
        self.assertEqual((record["name"], record["transform"], record["type"], record["scene"]),
                         ("moved", moved(5, 6, 7), "Mesh", self.scene))

    def test_members_absent_stay(self):
        device = self.device()
        key = self.create({"name": "a", "assets": ["m"], "transform": moved(1)})[0]
        device.send(self.server, self.update(key, name=None, scene=None, transform=moved(2)))
        device.wait_for(lambda event: event["msg_type"] == 1)
        record = self.client.object(self.scene, key)
        self.assertEqual((record["name"], record["assets"], record["transform"]),
                         ("a", ["m"], moved(2)))

    def test_a_sender_need_not_be_registered(self):
        listener = self.device("listener")
        key = self.create({"name": "a"})[0]
        stranger = UdpDevice("stranger")
        self.addCleanup(stranger.close)
        stranger.send(self.server, self.update(key, transform=moved(3)))
        listener.wait_for(lambda event: event["transform"] == moved(3))

    def test_the_last_of_many_updates_is_what_is_streamed_last_and_read(self):
        device = self.device()
        keys = self.create(*[{"name": "o"}] * 5)
        for number in range(1, 401):
            for key in keys:
                device.send(self.server, self.update(key, transform=moved(number)))
            if number % 20 == 0:  # waits for the server, so that no buffer overflows
                device.wait_for(lambda event: event["key"] == keys[-1]
                                and event["transform"][3] == number)
        for key in keys:
            self.assertEqual(self.client.object(self.scene, key)["transform"], moved(400))
            seen = [event["transform"][3] for event in device.events() if event["key"] == key]
            self.assertEqual(seen, sorted(seen))
            self.assertEqual(seen[-1], 400)

    def test_an_http_write_after_an_update_by_udp_keeps_both(self):
        device = self.device()
        key = self.create({"name": "a"})[0]
        device.send(self.server, self.update(key, transform=moved(8)))
        device.wait_for(lambda event: event["transform"] == moved(8))
        record = self.client.update(self.scene, key, name="b")
        self.assertEqual((record["name"], record["transform"]), ("b", moved(8)))

    def test_garbage_is_counted_by_its_reason_and_changes_nothing(self):
        device = self.device()
        key = self.create({"name": "a", "transform": moved(1)})[0]
        device.wait_for(lambda event: event["key"] == key)
        good = json.dumps(self.update(key, name="bad")).encode()
        nowhere = key_in_partition(partition_of_scene(self.scene))
        table = (
            ("too_large", good + b" " * 8192), ("too_large", b"\x00" * 20000),
            ("malformed", b"{"), ("malformed", b"nonsense"), ("malformed", b"\xff\xfe\x00"),
            ("malformed", good[:-1]), ("malformed", good.replace(b"bad", b"\xc3\x28")),
            ("malformed", b"[" * 40 + b"]" * 40), ("malformed", good + good),
            ("malformed", good.replace(b'"name"', b'"key"')),
            ("malformed", good.replace(b'"bad"', b"NaN")),
            ("msg_type", b"{}"), ("msg_type", {"key": key, "name": "bad"}),
            ("msg_type", {**self.update(key, name="bad"), "msg_type": 0}),
            ("msg_type", {**self.update(key, name="bad"), "msg_type": 3}),
            ("msg_type", {**self.update(key, name="bad"), "msg_type": 99}),
            ("invalid", self.update(key, transform=[1.0] * 15)),
            ("invalid", self.update(key, transform=["x"] * 16)),
            ("invalid", self.update(key, name=5)),
            ("invalid", self.update(key, quaternion_rotation=[9, 0, 0, 0])),
            ("invalid", self.update(key, name="x" * 4097)),
            ("key", {"msg_type": 1, "name": "bad"}), ("key", self.update("", name="bad")),
            ("key", self.update("nobody", name="bad")),
            ("key", self.update("fff" + key[3:], name="bad")),
            ("unknown", self.update(nowhere, name="bad")),
            ("unknown", {"msg_type": 9, "key": "speed", "scene": "nowhere"}),
            ("malformed", b"\x93\x01\x02"), ("malformed", good.replace(b'"bad"', b"-Infinity")),
            ("token", self.update(key, name="bad", token=STRANGER)),
            ("token", self.update(key, name="bad", token="")),
            ("invalid", self.update(key, name="bad", token=5)),
            ("token", hello(STRANGER)), ("token", hello("x" * 4000, 8192)),
            ("token", {"msg_type": 62, "token": STRANGER, "challenge": "0" * 32}),
            ("token", {"msg_type": 63, "token": STRANGER, "from": 0, "to": 2 ** 62}),
            ("invalid", hello(STRANGER, 255)),
            ("invalid", {"msg_type": 62, "token": STRANGER, "challenge": "x"}),
            ("invalid", {"msg_type": 63, "token": STRANGER, "from": 2, "to": 1}),
            ("msg_type", {"msg_type": 61, "challenge": "0" * 32}))
        for reason, content in table:
            before = self.server.metrics()
            device.send(self.server, content)

            def counted():
                now = self.server.metrics()
                return {name: now[name] - before[name] for name in now
                        if name.startswith("diorama_udp_dropped") and now[name] != before[name]}

            self.assertEqual(wait_until(counted, 20, f"the count of {content[:80]!r}"
                                        if isinstance(content, bytes) else str(content)),
                             {DROPPED % reason: 1}, content)
        record = self.client.object(self.scene, key)
        self.assertEqual((record["name"], record["transform"]), ("a", moved(1)))
        device.send(self.server, self.update(key, name="good"))
        device.wait_for(lambda event: event["name"] == "good")
        self.assertEqual([event["name"] for event in device.events()], ["a", "good"])

    def test_a_number_beyond_double_is_dropped(self):
        device = self.device()
        key = self.create({"name": "a"})[0]
        text = json.dumps(self.update(key, transform=moved(7))).replace("7.0", "1e999").encode()
        device.send(self.server, text)
        device.send(self.server, self.update(key, name="marker"))
        device.wait_for(lambda event: event["name"] == "marker")
        self.assertEqual(self.client.object(self.scene, key)["transform"], IDENTITY)

    def test_random_bytes_do_no_harm(self):
        device = self.device()
        key = self.create({"name": "a"})[0]
        chance = random.Random(1)
        good = bytearray(json.dumps(self.update(key, transform=moved(1))).encode())
        for _ in range(500):
            bad = bytearray(good)
            for _ in range(chance.randint(1, 8)):
                bad[chance.randrange(len(bad))] = chance.randrange(256)
            device.send(self.server, bytes(bad[:chance.randint(0, len(bad))]))
        device.send(self.server, self.update(key, name="marker"))
        device.wait_for(lambda event: event["name"] == "marker")
        self.assertTrue(self.server.is_running())


@with_shards(*SHARD_COUNTS)
class Pub(FeedCase):
    def test_a_message_has_topic_header_and_the_full_record(self):
        subscriber = self.subscriber()
        key = self.create({"name": "a", "frame": 7, "transform": moved(1, 2, 3),
                           "assets": ["m"]})[0]
        topic = f"scene.{self.scene}.object.0"
        message = subscriber.wait_for(lambda message: message.topic == topic)
        self.assertEqual(set(message.header), {"epoch", "seq", "time_us", "scene", "type"})
        self.assertEqual((message.header["scene"], message.header["type"]), (self.scene, 0))
        self.assertLess(abs(message.header["time_us"] / 1e6 - message.time), 5)
        self.assertEqual(message.body, self.client.object(self.scene, key))

    def test_each_kind_of_change_has_its_topic_in_order(self):
        subscriber = self.subscriber()
        path = scene_path(self.scene)
        self.client.put_scene(self.scene, name="a")
        key = self.create({"name": "o"})[0]
        self.client.ok("POST", object_path(self.scene, key), {"name": "p"})
        self.client.register(self.scene, {"key": "d1"})
        self.client.ok("GET", object_path(self.scene, key) + "/lock?device=d1")
        self.client.ok("DELETE", object_path(self.scene, key) + "/lock?device=d1")
        self.client.deregister(self.scene, "d1")
        self.client.ok("POST", path, scenes({"name": "b"}))
        self.client.ok("DELETE", object_path(self.scene, key))
        made = self.client.ok("POST", path + "/property", {"properties": [{"name": "p", "values": [1]}]})
        one = f"{path}/property/{made['properties'][0]['key']}"
        self.client.ok("POST", one, {"properties": [{"values": [2]}]})
        self.client.ok("DELETE", one)
        self.client.ok("DELETE", path)
        subscriber.wait_for(lambda message: message.topic == f"scene.{self.scene}.scene.42")
        kinds = [message.topic[len(f"scene.{self.scene}."):]
                 for message in subscriber.events(self.scene)]
        self.assertEqual(kinds, ["scene.40", "object.0", "object.1", "device.43", "lock.46",
                                 "lock.47", "device.44", "scene.41", "object.1", "object.3",
                                 "property.8", "property.9", "property.11", "scene.42"])

    def test_a_dot_in_a_key_is_percent_encoded_in_the_topic_alone(self):
        subscriber = self.subscriber()
        self.client.put_scene("a.b%c", name="x")
        message = subscriber.wait_for(lambda message: message.topic == "scene.a%2Eb%25c.scene.40")
        self.assertEqual((message.header["scene"], message.body["key"]), ("a.b%c", "a.b%c"))

    def test_a_heartbeat_comes_each_second(self):
        subscriber = self.subscriber()

        def beats():
            return [message.time for message in list(subscriber.inbox.items)
                    if message.topic == "hb"]

        wait_until(lambda: len(beats()) >= 6, 20, "six heartbeats")
        gaps = sorted(after - before for before, after in zip(beats(), beats()[1:]))
        # Where the machine stands still, one is long and the next is short.
        self.assertAlmostEqual(gaps[len(gaps) // 2], 1.0, delta=0.25)

    def test_there_is_no_gap_and_what_was_heard_equals_what_is_read(self):
        subscriber = self.subscriber()
        keys = self.create(*[{"name": "o"}] * 8)
        device = self.device()

        def by_http(key):
            with Client(self.server) as client:
                for number in range(40):
                    client.ok("POST", object_path(self.scene, key), {"translation": [number, 1, 0]})
                client.ok("POST", object_path(self.scene, key), objects({"name": "done"}))

        def by_udp(key):
            for number in range(1, 201):
                device.send(self.server, {"msg_type": 1, "key": key, "transform": moved(number)})
                if number % 20 == 0:
                    device.wait_for(lambda event: event["key"] == key
                                    and event["transform"][3] == number)

        run_together(*(lambda k=k: by_http(k) for k in keys[:4]),
                     *(lambda k=k: by_udp(k) for k in keys[4:]))
        self.client.put_scene(self.scene, name="end")
        subscriber.wait_for(lambda message: message.topic == f"scene.{self.scene}.scene.41")
        events = subscriber.events(self.scene)
        self.assertEqual(len({message.header["epoch"] for message in events}), 1)
        self.assertEqual(gaps([message.header["seq"] for message in events]), [])
        heard = {message.body["key"]: message.body for message in events
                 if ".object." in message.topic}
        self.assertEqual(heard, {record["key"]: record
                                 for record in self.client.objects(self.scene)})

    def test_the_epoch_rises_at_every_start(self):
        self.start_server()
        key = self.client.create(self.scene, {"name": "a"})[0]
        epochs = []
        for how in ("restart", "crash", "restart"):
            subscriber = self.subscriber()
            self.client.update(self.scene, key, name="b")
            message = subscriber.wait_for(lambda message: ".object.1" in message.topic)
            epochs.append(message.header["epoch"])
            self.restart(how)
        self.assertEqual(len(set(epochs)), 3)
        self.assertEqual(sorted(epochs), epochs)

    def test_a_deleted_scene_is_one_event(self):
        subscriber = self.subscriber()
        self.create(*[{"name": "o"}] * 5)
        self.client.ok("DELETE", scene_path(self.scene))
        self.client.put_scene(self.scene, name="again")
        subscriber.wait_for(lambda message: message.topic == f"scene.{self.scene}.scene.40"
                            and message.body["name"] == "again")
        kinds = [message.header["type"] for message in subscriber.events(self.scene)]
        self.assertEqual(kinds, [40, 0, 0, 0, 0, 0, 42, 40])
        numbers = [(message.header["epoch"], message.header["seq"])
                   for message in subscriber.events(self.scene)]
        self.assertEqual(len(set(numbers)), len(numbers), "(epoch, seq) repeats")


if __name__ == "__main__":
    unittest.main()
