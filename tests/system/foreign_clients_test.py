"""Clients that were written from proto/feed/README.md alone know what GET shows, with loss, doubles and
datagrams in another order: 50 devices, a stream and a subscriber, 16 writers."""

import json
import random
import socket
import sys
import threading
import time
import unittest
from concurrent.futures import ThreadPoolExecutor

import msgpack
from foreign_clients import (Http, IndexedClient, PackedClient, PlainClient, PubClient, REMOVED, SealedClient,
                             SseClient, member)
from sdk_golden import lines
from support import LONG, ServerCase, moved, object_path

WRITERS, ROUNDS, ROUND_S, PAUSE_S = 16, 2, 2.5, 2.0
LATER_S = 30.0  # for the last repeats and reads, on a busy machine
LONG_S = 600
READERS = 4


def nearly(a, b):
    """Whether two values of JSON are the same, numbers up to the precision of float32."""
    if isinstance(a, (int, float)) and isinstance(b, (int, float)) and not isinstance(a, bool):
        return abs(a - b) <= 1e-5 * max(1.0, abs(a), abs(b))
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(map(nearly, a, b))
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(nearly(a[key], b[key]) for key in a)
    return a == b


class Golden(unittest.TestCase):
    def test_indices_name_what_the_golden_packets_say(self):
        client, cube = IndexedClient.__new__(IndexedClient), "5b98880a270698496c36e392"
        client.keys, client.used = {}, 0
        for line, data in lines("indexed"):
            changes = msgpack.unpackb(data, strict_map_key=False)[5]
            said = line["json"]["changes"]
            untold = line["name"] == "an index that was not told"
            self.assertEqual([change.get("key", None if untold else cube) for change in said],
                             [client.key_of(change[1], change) for change in changes], line["name"])
            self.assertEqual([change.get("transform") for change in said],
                             [member("transform", change[2].get(10)) for change in changes], line["name"])


class Writer:
    """Creates, moves, changes and deletes what is its own."""

    def __init__(self, case, number):
        self.case, self.random, self.number = case, random.Random(number), number
        self.client = case.connect()
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.keys = self.client.create(case.scene, *({"name": f"{number}-{n}"} for n in range(3)))
        self.speed = f"speed-{number}"
        self.put_property()

    def put_property(self):
        self.client.ok("POST", f"/v1/scene/{self.case.scene}/property",
                       {"properties": [{"key": self.speed, "name": self.speed, "values": [0.0]}]})

    def datagram(self, message):
        self.socket.sendto(json.dumps(message).encode(), ("127.0.0.1", self.case.server.udp_port))

    def move(self):
        self.datagram({"msg_type": 1, "key": self.random.choice(self.keys),
                       "transform": moved(*(self.random.uniform(-50, 50) for _ in range(3)))})

    def turn_speed(self):
        self.datagram({"msg_type": 9, "key": self.speed, "scene": self.case.scene,
                       "values": [self.random.random()]})

    def change(self):
        name = self.random.choice(("name", "type", "subtype"))
        self.client.update(self.case.scene, self.random.choice(self.keys),
                           **{name: f"n{self.random.randrange(100)}"})

    def decorate(self):
        extra = self.random.choice(({"tags": ["a", "b"]}, {"extras": {"n": self.random.randrange(9)}},
                                    {"visible": False}, {"visible": True}, {"tags": ["c"]},
                                    {"euler_rotation": [0.3, 0.2, 0.1], "scale": [1, 2, 3]}))
        self.client.update(self.case.scene, self.random.choice(self.keys), **extra)

    def replace(self):
        gone = self.keys.pop(self.random.randrange(len(self.keys)))
        self.client.ok("DELETE", object_path(self.case.scene, gone))
        self.keys += self.client.create(self.case.scene, {"name": f"{self.number}-new"})

    def replace_property(self):
        self.client.ok("DELETE", f"/v1/scene/{self.case.scene}/property/{self.speed}")
        self.put_property()

    def step(self):
        what = self.random.choices(
            (self.move, self.turn_speed, self.change, self.decorate, self.replace,
             self.replace_property), (20, 4, 3, 2, 1, 0.5))[0]
        what()


class EverySeventh:
    """Loses one datagram of seven; the next one after `before` others."""

    def __init__(self, before=0):
        self.count = before

    def __call__(self, datagram, now):
        self.count += 1
        return [datagram] if self.count % 7 else []

    def due(self, now):
        return []


class Devices(ServerCase):
    """Serves `devices`, and says where one is not as GET shows."""

    flags = {}

    def serve(self, device, now):
        device.turn(now)
        reading = self.reading.get(device)
        if (not reading or reading.done()) and device.must_read(now):
            device.read_at = now
            self.reading[device] = self.readers.submit(device.read)

    def run_devices(self):
        """One thread for all sockets; others read scenes for those that have to, each again after a failure."""
        def receive():
            while not self.ends:
                now = time.monotonic()
                for device in self.devices:
                    self.serve(device, now)
                time.sleep(0.005)

        self.ends, self.reading, self.readers = False, {}, ThreadPoolExecutor(READERS)
        self.addCleanup(self.readers.shutdown, cancel_futures=True)
        thread = threading.Thread(target=receive, daemon=True)
        thread.start()
        self.addCleanup(thread.join, 10)
        self.addCleanup(setattr, self, "ends", True)

    def shown(self):
        """What GET shows, by key."""
        records = (self.http.records(self.scene, "object")[2] +
                   self.http.records(self.scene, "property")[2])
        return {record["key"]: record for record in records}

    @staticmethod
    def difference(device, shown):
        """None, or where a device is not as GET shows."""
        state, hidden = device.state(), device.hidden
        if state.keys() != shown.keys():
            return sorted(state.keys() ^ shown.keys())
        for key, record in shown.items():
            wanted = {name: value for name, value in record.items()
                      if name not in hidden and name != "key" and value not in REMOVED}
            if not nearly(wanted, {name: value for name, value in state[key].items()
                                   if name not in hidden}):
                return key, wanted, state[key]
        return None


class LoneCase(Devices):
    """A device that asks for what it lost, and reads the scene once, to begin with."""

    def setUp(self):
        super().setUp()
        self.client.put_scene(self.scene)
        self.writers = [Writer(self, 0)]
        self.devices = [self.kind(Http("127.0.0.1", self.server.http_port), self.scene, "lone")]
        self.http, self.device = self.devices[0].http, self.devices[0]
        self.run_devices()
        self.wait_for(lambda: self.device.reads)

    def wait_for(self, is_so):
        end = time.monotonic() + LATER_S
        while not is_so():
            self.assertLess(time.monotonic(), end, (self.device.got, self.device.parts))
            time.sleep(0.02)

    def assert_as_shown(self):
        shown = self.shown()
        self.wait_for(lambda: not self.difference(self.device, shown))

    def lose_some(self):
        self.device.loss = EverySeventh()
        for _ in range(250):
            self.writers[0].move()
            time.sleep(0.006)
        self.assert_as_shown()
        self.assertEqual(1, self.device.reads)


class LonePlainDevice(LoneCase, unittest.TestCase):
    kind = PlainClient

    def test_a_device_that_always_has_a_hole_is_told_of_all_without_reading_the_scene(self):
        self.lose_some()
        self.assertGreater(self.device.asks, 10)

    def test_a_lost_last_datagram_is_noticed_by_the_tail_without_reading_the_scene(self):
        self.writers[0].move()
        self.wait_for(lambda: self.device.got == self.device.newest > 0)
        self.device.loss = EverySeventh(6)
        self.writers[0].move()
        self.assert_as_shown()
        self.wait_for(lambda: self.device.is_sure)  # it heard nothing for two seconds
        self.assertEqual((1, 1), (self.device.reads, self.device.asks))


class LoneIndexedDevice(LoneCase, unittest.TestCase):
    kind = IndexedClient

    def test_a_device_that_lost_what_an_index_stands_for_is_told_again(self):
        self.lose_some()
        self.assertGreater(self.device.used, 50)


class ForeignClients(Devices, unittest.TestCase):
    def setUp(self):
        super().setUp()
        self.late = 0
        self.client.put_scene(self.scene)
        self.http = Http("127.0.0.1", self.server.http_port)
        self.writers = [Writer(self, number) for number in range(WRITERS)]
        self.devices = [kind(self.http, self.scene, f"{kind.__name__}-{n}", (0.02, 0.1)[n % 2], n)
                        for kind, count in ((PackedClient, 10), (IndexedClient, 10), (SealedClient, 10),
                                            (PlainClient, 20))
                        for n in range(count)]
        self.run_devices()
        self.stream = SseClient(self.http, self.scene)
        self.subscriber = PubClient(self.http, self.scene,
                                    f"tcp://127.0.0.1:{self.server.pub_port}")
        self.addCleanup(self.subscriber.close)
        self.addCleanup(setattr, self.stream, "ends", True)

    def write(self, seconds):
        end = time.monotonic() + seconds
        pace = random.Random(7)
        while time.monotonic() < end:
            pace.choice(self.writers).step()
            time.sleep(0.006)

    def await_state(self, listener, shown):
        """Its reader is a thread beside that of fifty devices."""
        end = time.monotonic() + LATER_S
        while listener.state() != shown and time.monotonic() < end:
            time.sleep(0.1)
        self.assertEqual(listener.state(), shown, type(listener).__name__)

    def assert_equal(self):
        time.sleep(PAUSE_S)
        shown = self.shown()
        for listener in (self.stream, self.subscriber):
            self.await_state(listener, shown)
        end, first = time.monotonic() + LATER_S, True
        while True:
            different = {device.key: self.difference(device, shown) for device in self.devices}
            different = {key: what for key, what in different.items() if what}
            self.late += len(different) if first else 0
            first = False
            if not different:
                return
            self.assertLess(time.monotonic(), end, [
                (device.key, device.got, device.parts, device.is_too_old, different[device.key])
                for device in self.devices if device.key in different])
            time.sleep(0.1)

    def test_everybody_knows_what_get_shows_after_each_pause(self):
        end = time.monotonic() + LONG_S
        rounds = 0
        while (time.monotonic() < end) if LONG else (rounds < ROUNDS):
            self.write(ROUND_S)
            self.assert_equal()
            rounds += 1
        asks = sum(device.asks for device in self.devices)
        self.assertGreater(asks, 0)
        print(f"{rounds} rounds, {self.late} of {rounds * len(self.devices)} devices were late; "
              f"{asks} asked, {sum(d.refusals for d in self.devices)} refused, "
              f"{sum(d.reads for d in self.devices)} reads, "
              f"{self.subscriber.losses} losses of PUB", file=sys.stderr)


if __name__ == "__main__":
    unittest.main()
