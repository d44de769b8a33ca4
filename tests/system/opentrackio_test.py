#!/usr/bin/python3
"""OpenTrackIO: tracked cameras move objects, and the poses of objects go out. The matrices that are
expected are products of elementary rotations (opentrackio.py), computed apart from the server.

OPENTRACKIO_REFERENCE may name the folder of the standard's reference code (camdkit,
src/test/python/parser): its sender and receiver are run then, as they are, on loopback.
"""

import json
import math
import os
import random
import socket
import subprocess
import threading
import time
import unittest

import cbor2

from feeds import UdpDevice
from opentrackio import (CBOR, GROUP, JSON, Sender, encoded, matrix_of, packet, read_packet, sample,
                         segments, transform)
from people import FLAGS, PASSWORD, Person, log_in, token_of
from streams import EventStream
from support import (BIN, IDENTITY, LONG, SHARD_COUNTS, Client, Server, ServerCase, free_port,
                     free_ports, is_sanitized, moved, object_path, objects, scene_path, scenes,
                     wait_until, with_shards)

REFERENCE = os.environ.get("OPENTRACKIO_REFERENCE", "")
DROPPED = 'diorama_track_dropped_total{reason="%s"}'
DROPPED_UPDATES = 'diorama_udp_dropped_datagrams_total{reason="%s"}'
LENS = {"pinholeFocalLength": 24.305, "focusDistance": 10.0, "fStop": 4.0,
        "entrancePupilOffset": 0.123}
TIMING = {"timecode": {"hours": 1, "minutes": 2, "seconds": 3, "frames": 4,
                       "frameRate": {"num": 24000, "denom": 1001}},
          "sampleTimestamp": {"seconds": 1718806554, "nanoseconds": 500000000}}
CAMERAS = 24


def random_transforms(count=3):
    return [transform(*(random.uniform(-100, 100) for _ in range(3)),
                      *(random.uniform(-360, 360) for _ in range(3))) for _ in range(count)]


class Camera:
    """An object that a source moves, and a sender on its port."""

    def __init__(self, case, key, port, scene="stage", address="127.0.0.1", group=None):
        self.case, self.key, self.port, self.scene = case, key, port, scene
        self.sender = Sender((group or "127.0.0.1", port), address)
        case.addCleanup(self.sender.close)

    def matrix(self):
        """In the axes of OpenTrackIO."""
        path = object_path(self.scene, self.key) + "?convention=enu"
        return self.case.client.ok("GET", path)["objects"][0]["transform"]

    def is_at(self, transforms, delta=1e-9):
        return all(abs(a - b) <= delta for a, b in zip(self.matrix(), matrix_of(transforms)))

    def send(self, *transforms, **how):
        members = how.pop("members", {})
        self.sender.send(sample(*transforms, **members), **how)

    def send_cbor(self, *transforms, count=1, **members):
        self.sender.send(cbor2.dumps(sample(*transforms, **members)), CBOR, count)


class TrackCase(ServerCase):
    """A server whose scene `stage` has objects that are tracked, each on a port of its own."""

    more_sources = ()

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        with Client(cls.shared_server) as client:
            client.put_scene("stage")
            cls.keys = client.create("stage", *({"name": f"cam-{i}"} for i in range(CAMERAS)))
        cls.ports = free_ports(CAMERAS)
        cls.left = list(zip(cls.keys, cls.ports))
        cls.listen()

    @classmethod
    def listen(cls):
        sources = [f"127.0.0.1:{port} stage {key}" for key, port in zip(cls.keys, cls.ports)]
        cls.shared_server.restart(track_opentrackio="; ".join(sources))

    def camera(self, **how):
        """One that no other test of the class has."""
        key, port = self.left.pop()
        return Camera(self, key, port, **how)

    def count(self, name):
        return self.server.metrics()[name]

    def assert_dropped(self, reason, act, name=DROPPED):
        """That `act` is counted under this reason, once."""
        before = self.count(name % reason)
        act()
        wait_until(lambda: self.count(name % reason) > before, what=f"a drop: {reason}")
        self.assertEqual(self.count(name % reason), before + 1)


@with_shards(*SHARD_COUNTS)
class Poses(TrackCase):
    def test_a_sample_in_json_moves_its_object(self):
        camera = self.camera()
        for transforms in ([transform(1, 2, 3, 10, 20, 30)], random_transforms(1),
                           random_transforms(), [transform(pan=90, tilt=90)]):
            camera.send(*transforms)
            wait_until(lambda t=transforms: camera.is_at(t), what="the pose")

    def test_a_sample_in_cbor_moves_its_object(self):
        camera = self.camera()
        for transforms in (random_transforms(1), random_transforms()):
            camera.send_cbor(*transforms)
            wait_until(lambda t=transforms: camera.is_at(t), what="the pose")

    def test_a_sample_in_three_segments_moves_its_object(self):
        camera = self.camera()
        for step in (1, 0):
            transforms = random_transforms()
            camera.send(*transforms, count=3, step=step)
            wait_until(lambda t=transforms: camera.is_at(t), what="the pose in JSON")
        transforms = random_transforms()
        camera.send_cbor(*transforms, count=3)
        wait_until(lambda: camera.is_at(transforms), what="the pose in CBOR")

    def test_segments_may_come_in_any_order_and_twice(self):
        camera = self.camera()
        transforms = random_transforms()
        parts = segments(encoded(sample(*transforms)), 3, sequence=100)
        camera.sender.put(parts[2], parts[0], parts[0], parts[1])
        wait_until(lambda: camera.is_at(transforms), what="the pose")

    def test_many_samples_end_at_the_last(self):
        camera = self.camera()
        for i in range(200):
            last = [transform(i, i / 7, -i, i * 1.5)]
            camera.send(*last)
        wait_until(lambda: camera.is_at(last), what="the last pose")

    def test_time_and_frame_come_along(self):
        camera = self.camera()
        camera.send(transform(1), members={"timing": TIMING})
        wait_until(lambda: camera.is_at([transform(1)]))
        found = self.client.object("stage", camera.key)
        self.assertEqual(found["frame"], 3723 * 24 + 4)
        self.assertEqual(found["timestamp"], 1718806554500000)
        # The same way when the object has both, and they are written with the transform.
        camera.send(transform(2), members={"timing": {**TIMING, "timecode": {
            **TIMING["timecode"], "frames": 5}}})
        wait_until(lambda: camera.is_at([transform(2)]))
        self.assertEqual(self.client.object("stage", camera.key)["frame"], 3723 * 24 + 5)

    def test_streams_of_events_tell_of_it(self):
        camera = self.camera()
        stream = EventStream(self.server, scene_path("stage") + "/events")
        self.addCleanup(stream.socket.close)
        camera.send(transform(5, 6, 7))
        while True:
            event = stream.next()
            if event.name == "change" and event.body["object"]["key"] == camera.key:
                break
        self.assertEqual([event.body["object"]["transform"][i] for i in (3, 7, 11)], [5, 7, -6])

    def test_it_is_there_after_a_restart(self):
        camera = self.camera()
        camera.send(transform(42))
        wait_until(lambda: camera.is_at([transform(42)]))
        self.restart()
        self.assertTrue(camera.is_at([transform(42)]))
        camera.send(transform(43))
        wait_until(lambda: camera.is_at([transform(43)]))

    def test_lens_values_become_properties_that_are_there(self):
        camera = self.camera()
        path = scene_path("stage") + "/property"
        names = [name for name in LENS if name != "focusDistance"]
        self.client.ok("POST", path, {"properties": [
            {"key": f"{camera.key}.{name}", "name": name, "parent": camera.key, "values": [0.0]}
            for name in names]})
        camera.send(transform(1), members={"lens": LENS, "timing": TIMING})

        def value(name):
            found = self.client.ok("GET", f"{path}/{camera.key}.{name}")["properties"][0]
            return found["values"][0]

        for name in names:
            wait_until(lambda n=name: value(n) == LENS[n], what=name)
        answer = self.client.get(f"{path}/{camera.key}.focusDistance")
        self.assertEqual(answer.status, 404, "nothing is created")

    def test_lens_values_are_told_ten_times_a_second_at_most(self):
        camera = self.camera()
        self.client.ok("POST", scene_path("stage") + "/property", {"properties": [
            {"key": f"{camera.key}.fStop", "name": "fStop", "values": [0.0]}]})
        device = UdpDevice("lens")
        self.addCleanup(device.close)
        self.client.register("stage", device.record())
        began = time.monotonic()
        for i in range(60):
            camera.send(transform(i), members={"lens": {"fStop": 1.0 + i}})
            time.sleep(0.005)
        camera.send(transform(99))
        device.wait_for(lambda e: e["key"] == camera.key and e["transform"][3] == 99)
        told = [e for e in device.events() if e["key"] == f"{camera.key}.fStop"]
        self.assertGreaterEqual(len(told), 2)
        self.assertLessEqual(len(told), (time.monotonic() - began) * 10 + 1)


@with_shards(*SHARD_COUNTS)
class Hostile(TrackCase):
    """What is broken or means harm changes nothing, is counted, and does no harm to what follows."""

    def setUp(self):
        super().setUp()
        self.target = self.camera()
        self.before = [transform(7, 8, 9, 30)]
        self.target.sender.sequence = 1000
        self.target.send(*self.before)
        wait_until(lambda: self.target.is_at(self.before))

    def assert_drops(self, reason, *datagrams):
        for datagram in datagrams:
            self.assert_dropped(reason, lambda d=datagram: self.target.sender.put(d))
        self.assertTrue(self.target.is_at(self.before))

    def assert_still_moves(self):
        self.target.sender.sequence = 2000
        self.target.send(transform(1, 1, 1))
        wait_until(lambda: self.target.is_at([transform(1, 1, 1)]))

    def next(self, value, encoding=JSON):
        """A packet with a number that is new."""
        content = value if isinstance(value, bytes) else encoded(value)
        number, self.target.sender.sequence = (self.target.sender.sequence,
                                               self.target.sender.sequence + 1)
        return packet(content, number, encoding=encoding)

    def test_headers_that_lie(self):
        good = encoded(sample(transform(66)))
        self.assert_drops("header", b"", b"O", b"OTrk", good, packet(b""),
                          packet(good, 1001, length=len(good) - 1),
                          packet(good, 1001, length=len(good) + 1),
                          packet(good, 1001, length=0), packet(good, 1001, length=0x7fff),
                          packet(good, 1001, encoding=0), packet(good, 1001, encoding=3),
                          packet(good, 1001, encoding=0x80), packet(good, 1001)[:-1],
                          packet(good, 1001) + b" ", packet(good, 1001, identifier=b"OTrx"),
                          os.urandom(64), packet(b"x" * 20000, 1001)[:17000])
        self.assert_still_moves()

    def test_checksums_that_are_wrong(self):
        good = encoded(sample(transform(66)))
        damaged = bytearray(packet(good, 1001))
        damaged[40] ^= 1
        self.assert_drops("checksum", packet(good, 1001, checksum=0), bytes(damaged))
        self.assert_still_moves()

    def test_segments_that_lie(self):
        good = encoded(sample(transform(66)))
        self.assert_drops("segment", packet(good, 1001, offset=0xffffffff),
                          packet(good, 1001, offset=16384),
                          packet(good, 1001, offset=16384 - len(good) + 1),
                          packet(b" " * 16385, 1001))
        first = packet(good[:50], 1002, 0, last=False)
        for second in (packet(good[40:], 1003, 40), packet(good[:20], 1002, 0, last=False),
                       packet(good[49:], 1003, 49), packet(good[20:], 1002, 20)):
            self.target.sender.put(first)
            self.assert_drops("segment", second)
        self.assert_still_moves()

    def test_what_is_left_of_two_samples_is_none(self):
        one = segments(encoded(sample(transform(66))), 3, sequence=1010)
        two = segments(encoded(sample(transform(77))), 3, sequence=1013)
        self.target.sender.put(one[0], one[1])
        self.assert_drops("segment", two[2])
        self.assert_still_moves()

    def test_samples_that_stay_incomplete(self):
        parts = segments(encoded(sample(transform(66))), 3, sequence=1010)
        before = self.count(DROPPED % "incomplete")
        self.target.sender.put(parts[0], parts[2])
        wait_until(lambda: self.count(DROPPED % "incomplete") == before + 1)
        for i in range(40):  # four are kept at most, whoever begins more
            self.target.sender.put(packet(b"{", 3000 + 100 * i, 0, last=False))
        wait_until(lambda: self.count(DROPPED % "incomplete") == before + 41)
        self.assertTrue(self.target.is_at(self.before))
        self.target.sender.sequence = 9000
        self.target.send(transform(2))
        wait_until(lambda: self.target.is_at([transform(2)]))

    def test_what_came_already_and_what_is_late(self):
        old = packet(encoded(sample(transform(66))), 999)
        again = packet(encoded(sample(transform(66))), 1000)
        self.assert_drops("late", old, again)
        self.assert_still_moves()

    def test_what_is_no_json(self):
        self.assert_drops("malformed", *map(self.next, (
            b"{", b"nonsense", b"\xff\xfe", b'{"a":1,"a":2}', b"[" * 16384, b'{"a":' * 3000,
            b'{"transforms":[{"translation":{"x":NaN,"y":0,"z":0},"rotation":{"pan":0,"tilt":0,'
            b'"roll":0}}]}', b'{"transforms":[1e999]}')))
        self.assert_still_moves()

    def test_what_is_no_cbor(self):
        bombs = (b"", b"\x81" * 16384, b"\x9f" * 16384, b"\xbf\x61a" * 5000, b"\xa1\x61a" * 5000,
                 b"\xc1" * 16384, b"\x9b" + b"\xff" * 8, b"\xbb" + b"\xff" * 8,
                 b"\x7b" + b"\xff" * 8, b"\x5b\x7f" + b"\xff" * 7, b"\x9a\xff\xff\xff\xff",
                 b"\x99\x3f\xf0" + b"\x00" * 16368, b"\xff", b"\xa2\x61a\x00\x61a\x00",
                 cbor2.dumps({1: 2}), cbor2.dumps(sample(transform(66)))[:-1],
                 cbor2.dumps(sample(transform(66))) + b"\x00")
        self.assert_drops("malformed", *(self.next(bomb, CBOR) for bomb in bombs if bomb))
        self.assert_still_moves()

    def test_numbers_that_are_none(self):
        for number in (math.nan, math.inf, -math.inf, None, "1", b"1", True, [1], {}):
            for name in ("x", "pan"):
                step = transform(1)
                step["translation" if name == "x" else "rotation"][name] = number
                self.assert_drops("invalid", self.next(cbor2.dumps(sample(step)), CBOR))
        huge = transform(1e308)
        self.assert_drops("invalid", self.next(sample(huge, huge)),
                          self.next(sample(transform(-1e308), transform(-1e308, pan=10))))
        self.assert_still_moves()

    def test_the_largest_numbers_are_numbers(self):
        self.target.send(transform(1e308, -1e308, 1e308, 1e308, -1e308, 1e308))
        wait_until(lambda: self.target.matrix()[3] == 1e308)
        self.assertTrue(all(math.isfinite(n) for n in self.target.matrix()))
        self.assert_still_moves()

    def test_a_scale_other_than_one(self):
        for factors in ((2, 2, 2), (1, 1, 2), (0, 0, 0), (-1, 1, 1), (1.0000001, 1, 1)):
            scale = dict(zip("xyz", factors))
            self.assert_drops("scale", self.next(sample(transform(66, scale=scale))),
                              self.next(sample(transform(1), transform(66, scale=scale))))
        one = {"x": 1.0, "y": 1, "z": 1.0}
        self.target.send(transform(5, scale=one))
        wait_until(lambda: self.target.is_at([transform(5)]))

    def test_what_is_no_sample(self):
        for value in ([], 5, "x", {"transforms": []}, {"transforms": [transform()] * 33},
                      {"transforms": [{}]}, sample(transform(66), sourceNumber=0),
                      sample(transform(66), sourceNumber=201),
                      sample(transform(66), protocol={"name": "other", "version": [1, 0, 1]}),
                      sample(transform(66), protocol={"name": "OpenTrackIO", "version": [2, 0, 0]})):
            self.assert_drops("invalid", self.next(value))
        self.assert_still_moves()

    def test_random_bytes_in_good_packets(self):
        chance = random.Random(3)
        good = cbor2.dumps(sample(transform(66)))
        for _ in range(2000):
            damaged = bytearray(good)
            for _ in range(chance.randint(1, 5)):
                damaged[chance.randrange(len(damaged))] = chance.randrange(256)
            self.target.sender.put(self.next(bytes(damaged), CBOR))
        self.target.sender.sequence = 9000
        self.target.send(transform(3))
        wait_until(lambda: self.target.is_at([transform(3)]))
        self.assertTrue(self.server.is_running())


class Trust(ServerCase, unittest.TestCase):
    """Who may move what: the operator says it, and nobody else."""

    flags = None

    def start_tracking(self, sources, **flags):
        """`sources` makes the list of the setting of the keys of two objects."""
        self.start_server(scene_actors=3, **flags)
        self.client.put_scene("stage")
        self.keys = self.client.create("stage", {"name": "a"}, {"name": "b"})
        self.port = free_port()
        self.restart(track_opentrackio=sources(self.port, *self.keys))
        return [Camera(self, key, self.port) for key in self.keys]

    def count(self, name):
        return self.server.metrics()[name]

    def await_drop(self, name, reason, act):
        before = self.count(name % reason)
        act()
        wait_until(lambda: self.count(name % reason) == before + 1, what=f"a drop: {reason}")

    def test_a_foreign_address_changes_nothing(self):
        first, _ = self.start_tracking(lambda port, a, b: f"127.0.0.1:{port} stage {a} "
                                       "from=127.0.0.2,127.0.0.3")
        foreign = Camera(self, first.key, self.port)
        self.await_drop(DROPPED, "sender", lambda: foreign.send(transform(66)))
        self.assertEqual(first.matrix(), IDENTITY)
        for number, address in enumerate(("127.0.0.2", "127.0.0.3")):
            known = Camera(self, first.key, self.port, address=address)
            known.sender.sequence = 100
            wait_until(lambda k=known, n=number: k.send(transform(n + 1)) or
                       first.is_at([transform(n + 1)]), what="the pose of who is named")

    def test_senders_of_one_port_move_their_own_objects(self):
        first, second = self.start_tracking(
            lambda port, a, b: f"127.0.0.1:{port} stage {a} from=127.0.0.2;"
                               f"127.0.0.1:{port} stage {b} from=127.0.0.3")
        for camera, address, x in ((first, "127.0.0.2", 1), (second, "127.0.0.3", 2)):
            sender = Camera(self, camera.key, self.port, address=address)
            sender.send(transform(x))
            wait_until(lambda c=camera, n=x: c.is_at([transform(n)]))
        self.assertTrue(first.is_at([transform(1)]))

    def test_a_second_sender_waits_until_the_first_is_silent(self):
        first, _ = self.start_tracking(lambda port, a, b: f"127.0.0.1:{port} stage {a}")
        first.send(transform(1))
        wait_until(lambda: first.is_at([transform(1)]))
        other = Camera(self, first.key, self.port, address="127.0.0.2")

        def both():
            first.send(transform(1))
            other.send(transform(66))

        self.await_drop(DROPPED, "sender", both)
        self.assertTrue(first.is_at([transform(1)]))
        wait_until(lambda: other.send(transform(5)) or first.is_at([transform(5)]),
                   what="the pose of the second")

    def test_a_group_is_heard_on_its_interface(self):
        camera, _ = self.start_tracking(lambda port, a, b: f"{GROUP}:{port} stage {a}",
                                        track_interface="127.0.0.1")
        group = Camera(self, camera.key, self.port, group=GROUP)
        group.send(transform(4, 5, 6))
        wait_until(lambda: camera.is_at([transform(4, 5, 6)]))
        received = self.count("diorama_track_received_datagrams_total")
        camera.send(transform(66))  # to the address of the machine, at the same port
        other = Camera(self, camera.key, self.port, group="239.135.1.2")
        other.send(transform(66))
        group.send(transform(7))
        wait_until(lambda: camera.is_at([transform(7)]))
        self.assertEqual(self.count("diorama_track_received_datagrams_total"), received + 1)

    def test_nothing_is_created(self):
        camera, _ = self.start_tracking(lambda port, a, b: f"127.0.0.1:{port} stage {a}")
        self.assertEqual(self.client.delete(object_path("stage", camera.key)).status, 200)
        self.await_drop(DROPPED_UPDATES, "unknown", lambda: camera.send(transform(66)))
        self.assertEqual(self.client.get(object_path("stage", camera.key)).status, 404)
        self.assertEqual([o["key"] for o in self.client.objects("stage")], self.keys[1:])

    def test_an_object_of_another_scene_is_not_moved(self):
        camera, _ = self.start_tracking(lambda port, a, b: f"127.0.0.1:{port} other {a}")
        self.client.put_scene("other")
        self.await_drop(DROPPED_UPDATES, "unknown", lambda: camera.send(transform(66)))
        self.assertEqual(camera.matrix(), IDENTITY)

    def test_a_lock_holds_it(self):
        camera, _ = self.start_tracking(lambda port, a, b: f"127.0.0.1:{port} stage {a}",
                                        locks_enforce="true")
        self.client.update("stage", camera.key, owner="somebody")
        self.await_drop(DROPPED_UPDATES, "locked", lambda: camera.send(transform(66)))
        self.assertEqual(camera.matrix(), IDENTITY)

    def test_where_users_log_in_the_operator_needs_no_token(self):
        self.start_server(scene_actors=3, **FLAGS)
        admin = Person(self.server, token_of(log_in(self.client, "admin", PASSWORD)))
        self.addCleanup(admin.close)
        admin.put_scene("stage")
        [key] = admin.create("stage", {"name": "a"})
        port = free_port()
        self.restart(track_opentrackio=f"127.0.0.1:{port} stage {key}")
        self.client = admin = admin.again()
        self.addCleanup(admin.close)
        camera = Camera(self, key, port)
        camera.send(transform(3))
        wait_until(lambda: camera.is_at([transform(3)]))
        # What the tracker's edits carry inside is no token that a datagram can name.
        device = UdpDevice("d")
        self.addCleanup(device.close)
        self.await_drop(DROPPED_UPDATES, "token", lambda: device.send(self.server, {
            "msg_type": 1, "key": key, "token": "tracker", "scene": "stage",
            "transform": moved(66)}))
        self.assertTrue(camera.is_at([transform(3)]))

    def check(self, *flags):
        done = subprocess.run([os.path.join(BIN, "dioramad"), "--check-config", *flags],
                              capture_output=True, text=True, timeout=60, check=False)
        return done.returncode, done.stdout + done.stderr

    def test_who_listens_beyond_loopback_must_name_senders(self):
        source = "239.135.1.1 stage 5b98880a270698496c36e392"
        code, words = self.check(f"--track.opentrackio={source}")
        self.assertNotEqual(code, 0)
        self.assertIn("say from=ADDRESS", words)
        self.assertEqual(self.check(f"--track.opentrackio={source} from=192.0.2.7")[0], 0)
        self.assertEqual(self.check(f"--track.opentrackio={source}",
                                    "--track.interface=127.0.0.1")[0], 0)

    def test_a_port_that_is_taken_ends_the_start(self):
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as taken:
            taken.bind(("127.0.0.1", 0))
            port = taken.getsockname()[1]
            server = Server(
                track_opentrackio=f"127.0.0.1:{port} stage 5b98880a270698496c36e392")
            self.addCleanup(server.end)
            server.launch()
            self.assertNotEqual(server.process.wait(60), 0)
            self.assertIn(f"cannot listen on UDP 127.0.0.1:{port}", server.log_text())


@with_shards(*SHARD_COUNTS)
class Out(ServerCase):
    """Devices that are sent the pose of an object."""

    def setUp(self):
        super().setUp()
        self.client.put_scene(self.scene)
        self.keys = self.client.create(self.scene, {"name": "a"}, {"name": "b"})
        self.device = UdpDevice("d-" + self.scene)
        self.addCleanup(self.device.close)

    def connection(self, more="", key=None):
        return (f"opentrackio://127.0.0.1:{self.device.port}?object={key or self.keys[0]}{more}")

    def register(self, **how):
        return self.client.register(self.scene, {
            "key": self.device.key, "connection_string": self.connection(**how)})

    def move(self, *transforms, key=None):
        path = object_path(self.scene, key or self.keys[0]) + "?convention=enu"
        self.client.ok("POST", path, objects({"transform": matrix_of(transforms)}))

    def packets(self):
        return [read_packet(d.content) for d in list(self.device.inbox.items)]

    def wait_for_pose(self, transforms):
        def says(datagram):
            told = json.loads(read_packet(datagram.content)[1])["transforms"]
            return all(abs(a - b) <= 1e-9 for a, b in zip(matrix_of(told), matrix_of(transforms)))

        found = self.device.inbox.wait_for(says, 20.0, "the pose")
        return json.loads(read_packet(found.content)[1])

    def test_each_change_of_the_object_is_a_packet(self):
        self.assertEqual(self.register()["udp"]["state"], "active")
        for transforms in (random_transforms(1), random_transforms(3), [transform(tilt=90)]):
            self.move(*transforms)
            told = self.wait_for_pose(transforms)
            self.assertEqual(told["protocol"], {"name": "OpenTrackIO", "version": [1, 0, 1]})
            self.assertEqual(told["sourceNumber"], 1)
        numbers = [header["sequence"] for header, _ in self.packets()]
        self.assertEqual(numbers, list(range(1, len(numbers) + 1)))
        self.assertLess(max(len(d.content) for d in self.device.inbox.items), 1200)

    def test_other_objects_and_their_deletion_are_not_told(self):
        self.register()
        self.move(transform(66), key=self.keys[1])
        self.client.delete(object_path(self.scene, self.keys[1]))
        self.client.ok("POST", scene_path(self.scene) + "/property",
                       {"properties": [{"key": "speed", "name": "speed", "values": [1.0]}]})
        self.move(transform(5))
        self.wait_for_pose([transform(5)])
        self.assertEqual({json.loads(body)["transforms"][0]["translation"]["x"]
                          for _, body in self.packets()}, {5.0})

    def test_what_was_sent_last_is_repeated(self):
        self.register()
        self.move(transform(5))
        wait_until(lambda: len(self.packets()) == 4, what="three repeats within two seconds")
        self.assertEqual(len({json.loads(body)["sampleId"] for _, body in self.packets()}), 1)

    def test_the_rate_bounds_the_packets(self):
        self.register(more="&rate=10&source=200")
        began = time.monotonic()
        for i in range(100):
            self.move(transform(i))
        told = self.wait_for_pose([transform(99)])
        self.assertEqual(told["sourceNumber"], 200)
        self.assertLessEqual(len(self.packets()), (time.monotonic() - began) * 10 + 2)

    def test_a_scale_is_told(self):
        self.register()
        self.client.update(self.scene, self.keys[0], scale=[2.0, 3.0, 4.0])
        found = self.device.inbox.wait_for(lambda d: True, 20.0, "a packet")
        told = json.loads(read_packet(found.content)[1])["transforms"][0]
        self.assertEqual(told["scale"], {"x": 2.0, "y": 4.0, "z": 3.0})

    def test_connection_strings_that_are_wrong(self):
        path = scene_path(self.scene) + "/register"
        for text in ("opentrackio://127.0.0.1:5000", "opentrackio://127.0.0.1:5000?object=cam-a",
                     self.connection("&source=0"), self.connection("&source=201"),
                     self.connection("&rate=0"), self.connection("&tail=1"),
                     self.connection("&keys=index"), self.connection("&events=all"),
                     self.connection("&object=" + self.keys[0]),
                     f"udp://127.0.0.1:5000?object={self.keys[0]}",
                     f"udp+msgpack://127.0.0.1:5000?object={self.keys[0]}",
                     self.connection().replace(str(self.device.port), "80")):
            answer = self.client.request("POST", path, scenes({"devices": [
                {"key": "wrong", "connection_string": text}]}))
            self.assertEqual(answer.status, 422, text)
        for text in ("opentrackio://239.135.1.1:55555", "opentrackio://169.254.1.1:5000"):
            answer = self.client.request("POST", path, scenes({"devices": [
                {"key": "wrong", "connection_string": f"{text}?object={self.keys[0]}"}]}))
            self.assertEqual(answer.status, 422, text)

    def test_nobody_is_sent_packets_who_did_not_ask(self):
        told = self.client.register(self.scene, {
            "key": self.device.key,
            "connection_string": self.connection().replace("127.0.0.1", "127.0.0.9")})
        self.assertNotEqual(told["udp"]["state"], "active", "127.0.0.9 has not proven itself")

    def test_65_objects_are_too_many(self):
        keys = self.client.create(self.scene, *({"name": str(i)} for i in range(66)))
        devices = [{"key": f"d{i}", "connection_string": self.connection(key=key)}
                   for i, key in enumerate(keys)]
        self.client.register(self.scene, *devices)
        for i, key in enumerate(keys):
            self.move(transform(i + 1), key=key)
        wait_until(lambda: len({json.loads(body)["transforms"][0]["translation"]["x"]
                                for _, body in self.packets()}) == 64)
        told = {json.loads(body)["transforms"][0]["translation"]["x"]
                for _, body in self.packets()}
        self.assertEqual(told, {float(i) for i in range(1, 65)})


class Loop(ServerCase, unittest.TestCase):
    """One server's packets are the other's samples."""

    def test_the_pose_that_goes_out_of_one_server_comes_into_another(self):
        self.client.put_scene("stage")
        [source] = self.client.create("stage", {"name": "a"})
        other = Server()
        self.addCleanup(other.end)
        other.start()
        client = self.connect(other)
        client.put_scene("stage")
        [target] = client.create("stage", {"name": "b"})
        port = free_port()
        other.restart(track_opentrackio=f"127.0.0.1:{port} stage {target}")
        client = self.connect(other)
        self.client.register("stage", {
            "key": "d", "connection_string": f"opentrackio://127.0.0.1:{port}?object={source}"})
        wanted = matrix_of(random_transforms())
        self.client.ok("POST", object_path("stage", source), objects({"transform": wanted}))
        wait_until(lambda: all(abs(a - b) <= 1e-9 for a, b in zip(
            client.object("stage", target)["transform"], wanted)), what="the pose")


@unittest.skipUnless(os.path.isdir(REFERENCE), "OPENTRACKIO_REFERENCE names no folder")
class Reference(ServerCase, unittest.TestCase):
    """The standard's reference code. Its programs send to and hear groups at fixed addresses: the
    sender's prefix is set to 127.0.0., and the receiver joins on loopback."""

    flags = None
    sender = ("import sys; sys.path.insert(0, {folder!r}); import opentrackio_lib as lib\n"
              "lib.OTRK_MULTICAST_PREFIX = '127.0.0.'\n"
              "import opentrackio_sender as program; program.main()\n")
    receiver = ("import sys; sys.path.insert(0, {folder!r}); import opentrackio_lib as lib\n"
                "lib.OTRK_MULTICAST_PREFIX = '127.0.0.'\n"
                "import socket; old = socket.socket.setsockopt\n"
                "socket.socket.setsockopt = lambda self, level, name, value: None if name == "
                "socket.IP_ADD_MEMBERSHIP else old(self, level, name, value)\n"
                "import opentrackio_receiver as program; program.main()\n")

    def run_program(self, program, *arguments):
        process = subprocess.Popen(
            ["/usr/bin/python3", "-u", "-c", program.format(folder=REFERENCE), *arguments],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    def high_socket(self):
        """On a port that its programs take: from 49152 on."""
        while True:
            found = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
            try:
                found.bind(("127.0.0.1", random.randint(49152, 65535)))
                return found
            except OSError:
                found.close()

    def check_sender(self, encoding, segment_count):
        """Between its sender and the server stands the test, which reads what it hands on."""
        self.start_server()
        self.client.put_scene("stage")
        [key] = self.client.create("stage", {"name": "a"})
        port = free_port()
        self.restart(track_opentrackio=f"127.0.0.1:{port} stage {key}")
        camera = Camera(self, key, port)
        relay = self.high_socket()
        self.addCleanup(relay.close)
        relay.settimeout(20)
        number = relay.getsockname()[1]
        sender = self.run_program(self.sender, "-r", "ptp", "-f", encoding, "-p", str(number),
                                  "--num-segments", str(segment_count))
        samples, parts = 0, []
        while samples < 24:
            datagram = relay.recv(65536)
            camera.sender.put(datagram)
            parts.append(datagram[16:])
            if not datagram[12] & 0x80:
                continue
            samples += 1
            said = b"".join(parts)
            parts = []
        sender.kill()
        said = json.loads(said) if encoding == "JSON" else cbor2.loads(said)
        wait_until(lambda: camera.is_at(said["transforms"]), what="the last pose")
        metrics = self.server.metrics()
        self.assertEqual(metrics["diorama_track_samples_total"], 24)
        self.assertEqual([name for name, value in metrics.items()
                          if name.startswith("diorama_track_dropped") and value], [])

    def test_its_sender_in_json(self):
        self.check_sender("JSON", 0)

    def test_its_sender_in_cbor(self):
        self.check_sender("CBOR", 0)

    def test_its_sender_in_json_in_three_segments(self):
        self.check_sender("JSON", 3)

    def test_its_sender_in_cbor_in_three_segments(self):
        self.check_sender("CBOR", 3)

    def test_its_receiver_reads_what_goes_out(self):
        self.start_server()
        self.client.put_scene("stage")
        [key] = self.client.create("stage", {"name": "a"})
        with self.high_socket() as probe:
            port = probe.getsockname()[1]
        schema = os.path.join(self.server.folder, "schema.json")
        with open(schema, "w") as file:
            json.dump({"type": "object"}, file)
        receiver = self.run_program(self.receiver, "-p", str(port), "-s", schema, "-v")
        lines = []
        reader = threading.Thread(target=lambda: lines.extend(iter(receiver.stdout.readline, "")),
                                  daemon=True)
        reader.start()
        said = lambda: "".join(lines)
        wait_until(lambda: "Listening for OpenTrackIO" in said(), what=said)
        self.client.register("stage", {
            "key": "d", "connection_string": f"opentrackio://127.0.0.1:{port}?object={key}"})
        self.client.ok("POST", object_path("stage", key) + "?convention=enu", objects(
            {"transform": matrix_of([transform(1, 2, 3, 10, 20, 30)])}))
        wait_until(lambda: "Rotation: (" in said(), what="the pose in its words")
        self.assertIn("Payload format: JSON", said())
        self.assertIn("Translation: (1.0, 2.0, 3.0)", said())
        self.assertNotIn("Invalid packet", said())
        self.assertNotIn("Error processing payload", said())


class Figures(ServerCase, unittest.TestCase):
    flags = None

    def processor_seconds(self):
        with open(f"/proc/{self.server.process.pid}/stat") as file:
            times = file.read().rpartition(")")[2].split()
        return (int(times[11]) + int(times[12])) / os.sysconf("SC_CLK_TCK")

    def test_200_sources_of_60_hz(self):
        count, hertz, seconds = (200, 60, 10) if LONG else (20, 60, 2)
        self.start_server()
        self.client.put_scene("stage")
        keys = self.client.create("stage", *({"name": str(i)} for i in range(count)))
        ports = free_ports(count)
        self.restart(track_opentrackio=";".join(
            f"127.0.0.1:{port} stage {key}" for port, key in zip(ports, keys)))
        packets = [packet(encoded(sample(transform(r / 100, 2, 3.123456, r / 10, 20.5, 30.25),
                                         lens=LENS, timing=TIMING, custom="x" * 500)), r + 1)
                   for r in range(hertz * seconds)]
        sender = Sender(("127.0.0.1", ports[0]))
        self.addCleanup(sender.close)
        before, began = self.processor_seconds(), time.monotonic()
        for r, datagram in enumerate(packets):
            for i, port in enumerate(ports):
                if i % 20 == 0:  # spread over the sixtieth of a second
                    left = began + (r + i / count) / hertz - time.monotonic()
                    time.sleep(max(0.0, left))
                sender.socket.sendto(datagram, ("127.0.0.1", port))
        took = time.monotonic() - began
        sent = count * len(packets)
        wait_until(lambda: self.server.metrics()["diorama_track_samples_total"] >= sent * 0.99)
        share = (self.processor_seconds() - before) / took
        print(f"opentrackio: {count} sources, {sent / took:.0f} samples/s of {len(packets[0])} "
              f"bytes: {share * 100:.1f} % of a core, {share * took / sent * 1e6:.1f} us each")
        if LONG and not is_sanitized():
            self.assertLess(share, 0.25, "of a core; 0.10 where nothing else runs")


if __name__ == "__main__":
    unittest.main()
