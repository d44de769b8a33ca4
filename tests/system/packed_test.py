"""The packed UDP form, healing, budgets and pauses of the feeds to devices."""

import random
import socket
import time
import unittest

import msgpack

from feeds import UdpDevice
from packed import PackedDevice, place
from support import ServerCase, moved, object_path, wait_until

LAST_REPEAT_S = 2.0  # after a change


class PackedCase(ServerCase):
    def packed(self, key="d1", rate=60):
        device = PackedDevice(key, rate)
        self.addCleanup(device.close)
        self.token = self.client.register(self.scene, device.record())["udp"]["token"]
        return device

    def plain(self, key, address="127.0.0.1"):
        device = UdpDevice(key, address)
        self.addCleanup(device.close)
        self.client.register(self.scene, device.record())
        return device

    def create(self, *records):
        return self.client.create(self.scene, *records)

    def move(self, key, x):
        self.client.ok("POST", object_path(self.scene, key), {"translation": [x, 0, 0]})

    def stream(self, key, first, last, pause_s):
        """Moves by UDP: only as fast as a client that looks at its clock."""
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as feed:
            for x in range(first, last + 1):
                feed.sendto(b'{"msg_type":1,"key":"%s","transform":[1,0,0,%d,0,1,0,0,0,0,1,0,0,0,'
                            b'0,1]}' % (key.encode(), x), ("127.0.0.1", self.server.udp_port))
                time.sleep(pause_s)


class Form(PackedCase, unittest.TestCase):
    def test_a_thing_is_sent_whole_at_first_and_then_what_changed(self):
        device = self.packed()
        key = self.create({"name": "cube", "type": "Mesh", "transform": moved(1)})[0]
        wait_until(device.changes)
        moves, x = [], 1
        while not moves:  # a move that comes when a repeat is due brings all members along, as a creation
            x += 1
            self.move(key, x)
            wait_until(lambda: device.places().get(key) == [x, 0, 0])
            moves = [fields for kind, _, fields in device.changes() if kind == 1]
        kind, created, fields = device.changes()[0]
        self.assertEqual((kind, created, fields["name"], fields["type"], fields["scene"],
                          place(fields["transform"])),
                         (0, key, "cube", "Mesh", self.scene, [1, 0, 0]))
        self.assertEqual(list(moves[0]), ["transform"])

    def test_changes_share_datagrams_of_at_most_1200_bytes_without_a_gap(self):
        device = self.packed(rate=5)
        self.create({"name": "first"})
        wait_until(device.packets)
        keys = self.create(*[{"name": f"o{n}", "transform": moved(n)} for n in range(200)])
        wait_until(lambda: len(device.state()) == 201)
        packets = device.packets()
        self.assertLessEqual(max(packet.size for packet in packets), 1200)
        self.assertLess(len([p for p in packets if p.seq > p.prev]), 50)
        self.assertEqual(device.gaps(), [])
        self.assertEqual({key: device.places()[key] for key in keys},
                         {key: [n, 0, 0] for n, key in enumerate(keys)})

    def test_newest_wins_between_two_ticks(self):
        device = self.packed(rate=10)
        began = time.time()
        key = self.create({"name": "o", "transform": moved(0)})[0]
        self.stream(key, 1, 100, 0.005)
        wait_until(lambda: device.places().get(key) == [100, 0, 0])
        ticks = [packet for packet in device.packets() if packet.seq > packet.prev]
        self.assertLessEqual(len(ticks), (ticks[-1].time - began) * 10 + 2)
        self.assertEqual(device.gaps(), [])
        seen = [place(fields["transform"])[0] for _, _, fields in device.changes()]
        self.assertEqual(seen, sorted(seen))

    def test_both_forms_and_all_rates_end_in_the_same_state(self):
        chance = random.Random(1)
        plain = self.plain("plain")
        packed = [self.packed(f"d{rate}", rate) for rate in (5, 60, 240)]
        keys = self.create(*[{"name": "o", "transform": moved(n)} for n in range(20)])
        for step in range(150):
            key = chance.choice(keys)
            if chance.random() < 0.1:
                self.client.ok("DELETE", object_path(self.scene, key))
                keys[keys.index(key)] = self.create({"name": f"n{step}",
                                                     "transform": moved(step)})[0]
            elif chance.random() < 0.5:
                self.client.update(self.scene, key, name=f"n{step}")
            else:
                self.move(key, step)
        expected = {record["key"]: (record["name"], record["transform"][3])
                    for record in self.client.objects(self.scene)}

        def state_of(device):
            return {key: (thing["name"], place(thing["transform"])[0])
                    for key, thing in device.state().items()}

        for device in packed:
            wait_until(lambda d=device: state_of(d) == expected, what=device.key)
            self.assertEqual(device.gaps(), [])

        def state_of_plain():
            things = {event["key"]: event for event in plain.events()}
            return {key: (event["name"], event["transform"][3])
                    for key, event in things.items() if event["msg_type"] != 3}

        wait_until(lambda: state_of_plain() == expected)

    def test_a_joiner_between_two_ticks_gets_what_comes_after_it(self):
        took_s = 1.0
        while took_s > 0.9:  # a machine that is too slow has passed the next tick
            self.scene += "-again"
            early = self.packed("early", rate=1)
            keys = self.create({"name": "a", "transform": moved(1)}, {"name": "b"})
            wait_until(early.packets)
            self.move(keys[0], 2)
            joiner = self.packed("joiner", rate=1)
            self.client.update(self.scene, keys[1], name="c")
            took_s = time.time() - early.packets()[0].time
        wait_until(joiner.packets)
        kind, key, fields = joiner.changes()[0]
        self.assertEqual((kind, key, fields["name"]), (1, keys[1], "c"))


class Registrations(PackedCase, unittest.TestCase):
    def test_a_registration_stands_for_all_that_was_said_of_the_address(self):
        packed, witness = self.packed("d"), self.plain("witness")
        plain = self.plain("d")
        key = self.create({"name": "o"})[0]
        for device in (plain, witness):
            device.wait_for(lambda event: event["key"] == key)
        answer = self.client.register(self.scene, {"key": "d"})
        self.assertEqual(answer["udp"]["state"], "none")
        last = self.create({"name": "p"})[0]
        witness.wait_for(lambda event: event["key"] == last)
        self.assertEqual((packed.packets(), [event["key"] for event in plain.events()]), ([], [key]))


class Healing(PackedCase, unittest.TestCase):
    def test_a_change_is_sent_again_three_times(self):
        device = self.packed()
        began = time.time()
        self.create({"name": "o"})
        wait_until(lambda: len(device.packets()) >= 4)
        time.sleep(0.5)  # nothing more may come
        first, *repeats = device.packets()
        self.assertEqual([(p.prev, p.seq, p.changes) for p in repeats],
                         [(first.seq, first.seq, first.changes)] * 3)
        for repeat, due_s in zip(repeats, (0.1, 0.5, LAST_REPEAT_S)):
            self.assertGreater(repeat.time - began, due_s)

    def test_a_lost_datagram_is_a_gap_and_heals_without_being_asked_for(self):
        device, key = self.packed(), self.create({"name": "a", "transform": moved(1)})[0]
        wait_until(device.packets)
        device.loses_after = device.packets()[0].seq
        self.move(key, 2)
        wait_until(device.lost)
        self.create({"name": "b"})
        wait_until(device.gaps)
        wait_until(lambda: device.places()[key] == [2, 0, 0])
        healed = next(packet for packet in device.packets() for _, changed, fields in packet.changes
                      if changed == key and place(fields["transform"]) == [2, 0, 0])
        self.assertLess(healed.time - device.lost().time, LAST_REPEAT_S + 3)  # of a busy machine

    def test_deletes_are_repeated(self):
        device = self.packed()
        key = self.create({"name": "a"})[0]
        self.client.ok("DELETE", object_path(self.scene, key))
        wait_until(lambda: [kind for kind, _, _ in device.changes()].count(3) >= 3)
        self.assertEqual(device.state(), {})

    def test_what_a_device_asks_for_is_sent_at_once_and_whole(self):
        device, key = self.packed(), self.create({"name": "a", "transform": moved(1)})[0]
        wait_until(device.packets)
        have = device.loses_after = device.packets()[0].seq
        self.move(key, 2)
        wait_until(device.lost)
        device.send(self.server, {"msg_type": 63, "token": self.token, "from": have + 1,
                                  "to": have + 1})
        again = wait_until(lambda: [p for p in device.packets() if p.prev == have < p.seq])[0]
        self.assertEqual([(kind, changed, fields["name"], place(fields["transform"]))
                          for kind, changed, fields in again.changes], [(1, key, "a", [2, 0, 0])])


    def test_a_tail_is_an_empty_datagram(self):
        device = UdpDevice("tail")
        self.addCleanup(device.close)
        self.client.register(self.scene, {
            "key": "tail",
            "connection_string": f"udp+msgpack://{device.address}:{device.port}?rate=60&tail=1"})
        self.create({"name": "a"})
        tail = wait_until(lambda: [item.content for item in list(device.inbox.items)
                                   if item.content.endswith(b"\x00\x90")])[0]
        version, _, prev, seq, count, changes = msgpack.unpackb(tail, strict_map_key=False)
        self.assertEqual((version, count, changes, prev), (1, 0, [], seq))


class Budgets(PackedCase, unittest.TestCase):
    flags = {"udp_trusted_networks": "127.0.0.0/8", "udp_device_datagrams": "200"}

    def test_who_is_over_budget_gets_the_newest_state_and_the_others_get_all(self):
        healthy = self.plain("healthy", "127.0.0.3")
        crowd = [self.plain(f"crowd{n}", "127.0.0.2") for n in range(3)]
        more = UdpDevice("more", "127.0.0.2")  # so many that their address is over its budget
        self.addCleanup(more.close)
        self.client.register(self.scene, *[{**more.record(), "key": f"more{n}"}
                                           for n in range(80)])
        key = self.create({"name": "o", "transform": moved(0)})[0]

        def has(device, x):
            events = device.events()
            return events and events[-1]["transform"][3] == x

        for x in range(10, 151, 10):  # so that a slow server is sent no more than ten at once
            self.stream(key, x - 9, x, 0.008)
            wait_until(lambda x=x: has(healthy, x))
        for device in crowd:
            wait_until(lambda d=device: has(d, 150), what=device.key)
        self.assertEqual([event["transform"][3] for event in healthy.events()], list(range(151)))
        self.assertLess(sum(len(device.events()) for device in crowd), len(crowd) * 151)
        for device in (healthy, *crowd):
            events = device.events()
            self.assertEqual([event["prev"] for event in events[1:]],
                             [event["seq"] for event in events[:-1]], device.key)
        self.assertGreater(self.server.metrics()["diorama_udp_behind_total"], 0)


class Pauses(PackedCase, unittest.TestCase):
    flags = None

    def test_a_device_that_is_gone_is_paused_until_it_registers_again(self):
        self.start_server()
        gone, there = self.plain("gone"), self.plain("there")
        key = self.create({"name": "o", "transform": moved(0)})[0]
        there.wait_for(lambda event: event["key"] == key)
        gone.close()
        for x in range(1, 6):
            self.move(key, x)
            there.wait_for(lambda event, x=x: event["transform"][3] == x)
        wait_until(lambda: self.server.metrics()["diorama_udp_pauses_total"] == 1)
        again = UdpDevice("gone")
        self.addCleanup(again.close)
        self.client.register(self.scene, again.record())
        self.move(key, 7)
        for device in (again, there):
            device.wait_for(lambda event: event["transform"][3] == 7)
        self.assertEqual([event["transform"][3] for event in there.events()],
                         [0, 1, 2, 3, 4, 5, 7], "nobody else loses anything")


if __name__ == "__main__":
    unittest.main()
