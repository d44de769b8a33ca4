"""The delta form of streams: what a client makes of a snapshot and the changes after it is what
everybody else reads."""

import json
import math
import random
import unittest

from feeds import UdpDevice
from people import PeopleCase, bearer
from streams import EventStream
from support import ServerCase, moved, object_path, scene_path, wait_until, with_shards

PLACES = (3, 7, 11)  # of a translation in a matrix


def rotation(w, x, y, z):
    return [[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]]


def matrix(pose):
    """The transform of [i, x, y, z, qw, qx, qy, qz] and a scale where it is not 1."""
    turn, scale = rotation(*pose[4:8]), pose[8:] or (1, 1, 1)
    rows = [[turn[row][column] * scale[column] for column in range(3)] + [pose[1 + row]]
            for row in range(3)]
    return [number for row in rows for number in row] + [0, 0, 0, 1]


class Model:
    """A client that was written from the document of streams alone."""

    def __init__(self, snapshot):
        self.seq, self.things, self.others, self.used = snapshot["seq"], {}, [], -1
        for kind in ("objects", "devices", "properties"):
            for thing in snapshot[kind]:
                self.add({"object": "objects"}.get(kind, kind), thing)

    def add(self, kind, thing):
        index = thing.pop("i")
        assert index > self.used, f"index {index} is used again"
        self.used = index
        self.things[index] = (kind, thing)

    def take(self, changes):
        assert changes["prev"] == self.seq, f"a gap: {self.seq}, {changes['prev']}"
        self.seq = changes["seq"]
        for thing in changes.get("n", ()):
            kind = thing.pop("kind")
            self.add({"property": "properties"}.get(kind, kind + "s"), thing)
        for pose in changes.get("p", ()):
            self.things[pose[0]][1]["transform"] = matrix(pose)
        for members in changes.get("r", ()):
            thing = self.things[members.pop("i")][1]
            thing.update(members)
            for name in [name for name, value in thing.items() if value is None]:
                del thing[name]
        for index in changes.get("x", ()):
            del self.things[index]
        self.others += changes.get("e", ())

    def of(self, kind):
        return {thing["key"]: thing for of, thing in self.things.values() if of == kind}


class DeltaCase(ServerCase):
    def watch(self, query="", headers=None):
        target = f"{scene_path(self.scene)}/events?form=delta{'&' + query if query else ''}"
        stream = EventStream(self.server, target, headers)
        self.addCleanup(stream.close)
        return stream

    def follow(self, stream, model, seq):
        while model.seq < seq:
            event = stream.next()
            self.assertEqual((event.name, event.id), ("changes", None))
            model.take(event.body)


@with_shards(1, 3)
class Deltas(DeltaCase):
    def setUp(self):
        super().setUp()
        self.client.put_scene(self.scene)
        self.chance = random.Random(self.id())

    def newest(self):
        with EventStream(self.server, scene_path(self.scene) + "/events") as stream:
            return stream.snapshot()["seq"]

    def assert_same(self, model):
        objects = {one["key"]: one for one in self.client.objects(self.scene)}
        self.assertEqual(sorted(model.of("objects")), sorted(objects))
        for key, thing in model.of("objects").items():
            for mine, real in zip(thing["transform"], objects[key]["transform"]):
                self.assertAlmostEqual(mine, real, delta=1e-4)
            self.assertEqual({**thing, "transform": 0}, {**objects[key], "transform": 0})
        answer = self.client.ok("POST", scene_path(self.scene) + "/property/query", {})
        self.assertEqual(model.of("properties"), {one["key"]: one for one in answer["properties"]})
        scene = self.client.scene(self.scene)
        self.assertEqual(model.of("devices"), {one["key"]: one for one in scene.get("devices", ())})

    def change(self, keys):
        """One random change; keys of the objects that there are."""
        way, path = self.chance.randrange(8), scene_path(self.scene)
        key = self.chance.choice(keys) if keys else None
        if way == 0 or not keys:
            keys += self.client.create(self.scene, {"name": "n", "tags": ["a"], "frame": 1})
        elif way == 1 and len(keys) > 3:
            keys.remove(key)
            self.client.ok("DELETE", object_path(self.scene, key))
        elif way in (2, 3):
            angle = self.chance.uniform(-math.pi, math.pi)
            self.client.update(self.scene, key, translation=[self.chance.uniform(-9, 9), 1, 2],
                               quaternion_rotation=[math.cos(angle), 0, math.sin(angle), 0],
                               scale=[self.chance.choice((1, 2.5)), 1, 1])
        elif way == 4:
            self.client.update(self.scene, key, transform=[1, 1, 0, 5] + moved(0, 0, 0)[4:])
        elif way == 5:
            self.client.update(self.scene, key, name=self.chance.choice("abc"), visible=False)
        elif way == 6:
            self.client.ok("POST", object_path(self.scene, key) + "/action", {"name": "walk"})
        else:
            self.client.ok("POST", path + "/property", {"properties": [{"name": "p", "values": [1]}]})

    def test_client_has_what_everybody_reads(self):
        keys = self.client.create(self.scene, {"name": "a"}, {"name": "b"})
        self.client.register(self.scene, {"key": "phone"})
        stream = self.watch("rate=240")
        model = Model(stream.snapshot())
        for _ in range(150):
            self.change(keys)
        self.follow(stream, model, self.newest())
        self.assert_same(model)

    def test_snapshot_has_everything_with_an_index(self):
        key, = self.client.create(self.scene, {"name": "a"})
        self.client.register(self.scene, {"key": "phone"})
        self.client.ok("POST", scene_path(self.scene) + "/property", {"properties": [{"key": "heat"}]})
        snapshot = self.watch().snapshot()
        self.assertEqual(list(snapshot), ["scene", "epoch", "seq", "server_us", "objects", "devices",
                                          "properties"])
        self.assertEqual([(thing["i"], thing["key"]) for part in ("objects", "devices", "properties")
                          for thing in snapshot[part]], [(0, key), (1, "phone"), (2, "heat")])

    def test_locks_devices_and_the_scene_are_told(self):
        key, = self.client.create(self.scene, {"name": "a"})
        stream = self.watch()
        model = Model(stream.snapshot())
        self.client.register(self.scene, {"key": "phone"})
        self.client.ok("GET", object_path(self.scene, key) + "/lock?device=phone")
        self.client.put_scene(self.scene, name="renamed")
        self.follow(stream, model, self.newest())
        self.assertEqual(model.of("objects")[key]["owner"], "phone")
        self.assertEqual(list(model.of("devices")), ["phone"])
        self.assertEqual([(one["msg_type"], one["record"]["name"]) for one in model.others],
                         [(41, "renamed")])
        self.client.deregister(self.scene, "phone")
        self.follow(stream, model, self.newest())
        self.assertEqual(model.of("devices"), {})
        self.client.ok("DELETE", scene_path(self.scene))
        model.take(stream.next().body)
        self.assertEqual(model.others[-1]["msg_type"], 42)
        self.assertIsNone(stream.next())

    def test_stream_that_comes_again_begins_with_a_snapshot(self):
        self.client.create(self.scene, {"name": "a"})
        place = self.watch().snapshot()
        again = self.watch(headers={"Last-Event-ID": f"{place['epoch']}-{place['seq']}"})
        self.assertEqual(again.any().name, "snapshot")

    def test_parts_are_those_that_were_asked_for(self):
        key, = self.client.create(self.scene, {"name": "a"})
        self.client.register(self.scene, {"key": "phone"})
        stream = self.watch("parts=devices")
        snapshot = stream.snapshot()
        self.assertEqual([snapshot["objects"], [thing["i"] for thing in snapshot["devices"]]], [[], [0]])
        self.client.update(self.scene, key, name="b")
        changes = stream.next().body
        self.assertEqual(list(changes), ["scene", "prev", "seq", "time_us"])

    def test_what_nobody_knows_is_refused(self):
        for query in ("form=packed", "parts=object", "parts=", "precision=half"):
            if query != "parts=":
                self.client.refused(422, 111, "GET", f"{scene_path(self.scene)}/events?{query}")

    def test_poses_that_come_by_udp_are_told_once_a_tick(self):
        keys = self.client.create(self.scene, *({"name": "a"} for _ in range(20)))
        device = UdpDevice("d1")
        self.addCleanup(device.close)
        self.client.register(self.scene, device.record())
        stream = self.watch("rate=10&parts=objects")
        model = Model(stream.snapshot())
        for number in range(1, 101):
            for key in keys:
                device.send(self.server, {"msg_type": 1, "key": key, "translation": [number, 0, 0]})

        def is_there():
            return {self.client.object(self.scene, key)["transform"][3] for key in keys} == {100.0}

        wait_until(is_there, what="the newest state")
        seq, before = self.newest(), model.seq
        events = 0
        while model.seq < seq:
            model.take(stream.next().body)
            events += 1
        self.assertLess(events, (seq - before) / 20)
        self.assertEqual({thing["transform"][3] for thing in model.of("objects").values()}, {100})


class Others(PeopleCase, unittest.TestCase):
    def test_of_others_devices_little_is_seen(self):
        ann, bob = self.new_person("ann"), self.new_person("bob")
        for person in (ann, bob):
            self.addCleanup(person.close)
        self.admin.put_scene(self.scene)
        ann.register(self.scene, {"key": "phone"})
        for person, members in ((ann, ["i", "key", "transform", "alignment"]),
                                (bob, ["i", "key", "transform"])):
            with EventStream(self.server, f"{scene_path(self.scene)}/events?form=delta",
                             bearer(person.token)) as stream:
                device = stream.snapshot()["devices"][0]
                self.assertLessEqual(set(device), set(members), json.dumps(device))
                ann.register(self.scene, {"key": "tablet" + person.user["username"]})
                new, = stream.next().body["n"]
                self.assertLessEqual(set(new), {*members, "kind"} | (
                    {"hostname", "port"} if person is ann else set()), json.dumps(new))
                self.assertEqual(new["kind"], "device")


if __name__ == "__main__":
    unittest.main()
