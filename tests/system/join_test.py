#!/usr/bin/python3
"""Joining without a race: while 16 writers change a scene, listeners of every kind join it, each reads
the state once and applies what comes after it; in the end all know what GET returns, and no number
was missing or came twice. DIORAMA_LONG=1: 200 of them."""

import json
import os
import random
import subprocess
import threading
import time
import unittest

from feeds import Subscriber, UdpDevice, gaps
from packed import DELETES, PackedDevice, place
from streams import EventStream
from support import (BIN, LONG, Client, ServerCase, is_sanitized, moved, run_together, scene_path,
                     wait_until, with_shards)

ROUNDS = 40 if LONG else 2 if is_sanitized() else 8  # of one joiner of each kind
SECONDS = 40 if LONG else 4  # that the writers write, at least
WRITERS = 8  # by HTTP, and as many by UDP
PATIENCE = 60.0
NOUNS = {"object": (0, 1, 3), "property": (8, 9, 11)}
NOUN_OF = {kind: noun for noun, kinds in NOUNS.items() for kind in kinds}
END = "the end"  # the name of the object that is created last


def known(noun, record):
    """What every feed tells of a thing."""
    return record["name"], record["transform"] if noun == "object" else record["values"]


class State:
    """The things of a scene as somebody knows them."""

    def __init__(self):
        self.things = {"object": {}, "property": {}}
        self.read_at = {"object": 0, "property": 0}  # the seq that each was read at

    def take(self, noun, records, seq):
        self.things[noun] = {record["key"]: known(noun, record) for record in records}
        self.read_at[noun] = seq
        return self

    def apply(self, kind, seq, record):
        noun = NOUN_OF.get(kind)
        if noun is None or seq <= self.read_at[noun]:
            return
        if kind in DELETES:
            self.things[noun].pop(record["key"], None)
        else:
            self.things[noun][record["key"]] = known(noun, record)

    def read(self, client, scene):
        for noun, plural in (("object", "objects"), ("property", "properties")):
            answer = client.ok("POST", f"{scene_path(scene)}/{noun}/query", {})
            self.take(noun, answer[plural], answer["seq"])
        return self


def is_end(record):
    return record is not None and record.get("name") == END


# The joiners: each has joined when it is made; result() waits for the end.

class PlainDevice:
    def __init__(self, case, number):
        self.device = UdpDevice(f"plain-{number}")
        case.addCleanup(self.device.close)
        with Client(case.server) as client:
            client.register(case.scene, self.device.record())
            self.state = State().read(client, case.scene)

    def result(self):
        self.device.wait_for(is_end, PATIENCE)
        last = None
        for event in self.device.events():
            assert last is None or (event["prev"], event["seq"] > last) == (last, True), \
                f"after {last}: {event}"
            last = event["seq"]
            self.state.apply(event["msg_type"], event["seq"], event)
        return self.state


class Packed:
    """What repeats, for who lost something, is not news, though it comes after it."""

    def __init__(self, case, number):
        self.device = PackedDevice(f"packed-{number}", rate=random.choice((10, 60, 240)))
        case.addCleanup(self.device.close)
        with Client(case.server) as client:
            client.register(case.scene, self.device.record())
            self.state = State().read(client, case.scene)

    def has_end(self):
        return any(is_end(fields) for _, _, fields in self.device.changes())

    def apply(self, packet, kind, key, fields):
        noun = NOUN_OF[kind]
        things = self.state.things[noun]
        if packet.seq <= self.state.read_at[noun]:
            return
        if kind in DELETES:
            things.pop(key, None)
            return
        name, value = things.get(key, ("", None))
        if "transform" in fields:
            value = place(fields["transform"])
        things[key] = fields.get("name", name), fields.get("values", value)

    def result(self):
        wait_until(self.has_end, PATIENCE, "the end")
        assert not self.device.gaps(), self.device.gaps()
        for packet in self.device.packets():
            for change in packet.changes:
                self.apply(packet, *change)
        return self.state


class Follower:
    """Follows a feed that begins with the state, in a thread of its own until the end. Who falls
    behind, as on a slow machine, is given the state again, and says so."""

    def __init__(self):
        self.state, self.seq, self.failure = State(), None, None
        self.begin(self.first())
        self.thread = threading.Thread(target=self.follow, daemon=True)
        self.thread.start()

    def begin(self, body):
        for noun, plural in (("object", "objects"), ("property", "properties")):
            self.state.take(noun, body[plural], body["seq"])
        self.seq = body["seq"]
        return any(is_end(record) for record in body["objects"])

    def apply(self, event, record):
        assert event["seq"] == self.seq + 1, f"after {self.seq}: {event}"
        self.seq += 1
        self.state.apply(event["msg_type"], event["seq"], record)
        return is_end(record)

    def follow(self):
        try:
            while not self.next():
                pass
        except BaseException as failure:
            self.failure = failure

    def result(self):
        self.thread.join(PATIENCE)
        if self.failure:
            raise self.failure
        assert not self.thread.is_alive(), f"the end did not come, {self.seq} did"
        return self.state


class Stream(Follower):
    def __init__(self, case, _):
        self.events = EventStream(case.server, f"{scene_path(case.scene)}/events")
        case.addCleanup(self.events.close)
        super().__init__()

    def first(self):
        return self.events.snapshot()

    def next(self):
        event = self.events.next(PATIENCE)
        if event.name == "snapshot":
            return self.begin(event.body)
        body = event.body
        return self.apply(body, body.get("object") or body.get("property"))


class Pub:
    def __init__(self, case, _):
        self.subscriber = Subscriber(case.server)
        case.addCleanup(self.subscriber.close)
        self.scene = case.scene
        with Client(case.server) as client:
            self.state = State().read(client, case.scene)

    def result(self):
        self.subscriber.wait_for(lambda message: is_end(message.body), PATIENCE)
        events = self.subscriber.events(self.scene)
        numbers = [message.header["seq"] for message in events]
        assert gaps(numbers) == [], gaps(numbers)
        assert not events or numbers[0] <= min(self.state.read_at.values()) + 1
        for message in events:
            self.state.apply(message.header["type"], message.header["seq"], message.body)
        return self.state


class Watch(Follower):
    def __init__(self, case, _):
        server = case.server
        self.process = subprocess.Popen(
            [os.path.join(BIN, "diorama"), "watch", "--snapshot", "--scene", case.scene,
             "--pub", f"tcp://127.0.0.1:{server.pub_port}",
             "--http", f"http://127.0.0.1:{server.http_port}"],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        case.addCleanup(self.process.stdout.close)
        case.addCleanup(self.process.wait)
        case.addCleanup(self.process.kill)
        super().__init__()

    def first(self):
        first = json.loads(self.process.stdout.readline())
        assert first["topic"] == "snapshot", first
        return first

    def next(self):
        event = json.loads(self.process.stdout.readline())
        if event["topic"] == "snapshot":
            return self.begin(event)
        return self.apply(event, event["record"])


KINDS = (PlainDevice, Packed, Stream, Pub, Watch)


@with_shards(3)
class Join(ServerCase):
    flags = {"udp_trusted_networks": "127.0.0.0/8"}

    def setUp(self):
        super().setUp()
        self.ended = threading.Event()
        self.client.put_scene(self.scene)

    def write_by_http(self, seed):
        """Makes, moves and deletes things of its own."""
        chance, mine = random.Random(seed), {"object": [], "property": []}
        with self.connect() as client:
            while not self.ended.is_set():
                noun = chance.choice(("object", "object", "property"))
                plural = {"object": "objects", "property": "properties"}[noun]
                path, keys = f"{scene_path(self.scene)}/{noun}", mine[noun]
                value = {"transform": moved(chance.randint(0, 999))} if noun == "object" else {
                    "values": [float(chance.randint(0, 999))]}
                act = chance.choice(("create", "update", "update", "delete"))
                if act == "create" and len(keys) < 20 or not keys:
                    made = client.ok("POST", path, {plural: [{"name": f"w{seed}", **value}]})
                    keys.append(made[plural][0]["key"])
                elif act == "delete":
                    client.ok("DELETE", f"{path}/{keys.pop(chance.randrange(len(keys)))}")
                else:
                    client.ok("POST", f"{path}/{chance.choice(keys)}", {plural: [value]})
                time.sleep(0.01)

    def write_by_udp(self, number):
        """Moves an object, and at last makes sure of where it is."""
        sender, x = UdpDevice(f"sender-{number}"), 0
        self.addCleanup(sender.close)
        with self.connect() as client:
            key = client.create(self.scene, {"name": f"u{number}"})[0]

            def move():
                sender.send(self.server, {"msg_type": 1, "key": key, "transform": moved(x)})

            while not self.ended.is_set():
                x += 1
                move()
                time.sleep(0.01)

            def is_there():
                move()
                return client.object(self.scene, key)["transform"] == moved(x)

            wait_until(is_there, what="the last place")

    def join_all(self, joined):
        """One after the other, so that some join early and some late."""
        began = time.monotonic()
        try:
            for number in range(ROUNDS):
                run_together(*(lambda kind=kind: joined.append(kind(self, number))
                               for kind in KINDS))
            while time.monotonic() - began < SECONDS:
                time.sleep(0.05)
        finally:
            self.ended.set()

    def expect_same(self, joiner, expected):
        state = joiner.result()
        for noun, things in expected.things.items():
            theirs = state.things[noun]
            if isinstance(joiner, Packed) and noun == "object":
                things = {key: (name, [matrix[3], matrix[7], matrix[11]])
                          for key, (name, matrix) in things.items()}
                theirs = {key: (name, value if len(value) == 3 else
                                [value[3], value[7], value[11]])
                          for key, (name, value) in theirs.items()}
            differ = {key: (things.get(key), theirs.get(key)) for key in things.keys() | theirs.keys()
                      if things.get(key) != theirs.get(key)}
            assert not differ, f"{type(joiner).__name__}: what is, what it knows: {differ}"

    def test_all_who_joined_know_in_the_end_what_is_read(self):
        joined = []
        run_together(lambda: self.join_all(joined),
                     *(lambda n=n: self.write_by_http(n) for n in range(WRITERS)),
                     *(lambda n=n: self.write_by_udp(n) for n in range(WRITERS)))
        self.assertEqual(len(joined), ROUNDS * len(KINDS))
        self.client.create(self.scene, {"name": END})
        expected = State().read(self.client, self.scene)
        run_together(*(lambda joiner=joiner: self.expect_same(joiner, expected)
                       for joiner in joined))
        self.assertEqual(self.server.metrics()["diorama_events_dropped_total"], 0)


if __name__ == "__main__":
    unittest.main()
