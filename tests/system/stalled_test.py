#!/usr/bin/python3
"""Listeners that do not listen, and starts in between, short form: the
server's memory is bounded, who keeps up loses nothing, and (epoch, seq) has no gap, double or
disorder. DIORAMA_LONG=1: nine minutes each of `-k Stalled` and `-k Starts`, 100 stalled ones of each kind,
40 starts."""

import json
import os
import socket
import subprocess
import threading
import time
import unittest

from feeds import Inbox, Subscriber, UdpDevice, gaps
from streams import EventStream
from support import (BIN, LONG, ServerCase, is_sanitized, moved, scene_path,
                     wait_until, with_shards)
from zmtp import PLAIN, say, subscribe

STALLED = 100 if LONG else 4  # of each kind
STALLED_TOGETHER, STALLED_STAY = 80, 17  # PUB
SECONDS = 540 if LONG else 6
STARTS, PART = (40, 11) if LONG else (2, 0.5)  # seconds of changes before each
OBJECTS = 20
# With it an event is some 4.5 KB: buffers of the kernel fill soon. Ten minutes of such events, and at
# that pace, are more than this test can hold in its own memory.
NAME, PAUSE = ("n" * 1000, 0.1) if LONG else ("n" * 4000, 0.01)
# 32 MiB may wait for subscribers, and 32 MiB of frames.
GROWTH_BYTES = (800 if is_sanitized() else 200 if LONG else 90) << 20


class FeedCase(ServerCase):
    flags = {"udp_trusted_networks": "127.0.0.0/8", "udp_device_bytes": 0, "udp_device_datagrams": 0}

    def setUp(self):
        super().setUp()
        self.keys = self.client.create(self.scene, *[{"name": NAME}] * OBJECTS)
        self.ended = threading.Event()

    def follow(self):
        """What a stream of events says, read at once by a thread of its own."""
        stream, inbox = EventStream(self.server, f"{scene_path(self.scene)}/events"), Inbox()
        self.addCleanup(stream.close)
        inbox.add(stream.next())

        def read():
            while (event := stream.next(60)) is not None:
                inbox.add(event)

        threading.Thread(target=lambda: self.forgive(read), daemon=True).start()
        return inbox

    @staticmethod
    def forgive(read):
        """A reader ends with its connection, one way or the other."""
        try:
            read()
        except (OSError, AssertionError):
            pass

    def device(self, key):
        device = UdpDevice(key)
        self.addCleanup(device.close)
        self.client.register(self.scene, device.record())
        return device

    def write(self, seconds):
        """Moves by UDP, no faster than the server takes it, for a while; then a last one by HTTP."""
        end, number = time.monotonic() + seconds, 0
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
            while time.monotonic() < end:
                number += 1
                for key in self.keys:
                    content = {"msg_type": 1, "key": key, "transform": moved(number)}
                    sender.sendto(json.dumps(content).encode(), ("127.0.0.1", self.server.udp_port))
                time.sleep(PAUSE)
        self.client.update(self.scene, self.keys[0], name="end")


@with_shards(3)
class Stalled(FeedCase):
    def stalled_subscriber(self):
        connection = socket.socket()
        self.addCleanup(connection.close)
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        connection.connect(("127.0.0.1", self.server.pub_port))
        say(connection, PLAIN + subscribe(b"scene."))

    def stalled_device(self, number):
        """Its buffer is full after a few events."""
        stalled = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.addCleanup(stalled.close)
        stalled.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        stalled.bind(("127.0.0.1", 0))
        self.client.register(self.scene, {"key": f"stalled-{number}", "hostname": "127.0.0.1",
                                          "port": stalled.getsockname()[1]})

    def stalled_stream(self):
        stream = EventStream(self.server, f"{scene_path(self.scene)}/events", receive_bytes=4096)
        self.addCleanup(stream.close)

    def test_memory_is_bounded_and_who_listens_loses_nothing(self):
        subscriber, stream, device = Subscriber(self.server), self.follow(), self.device("good")
        self.addCleanup(subscriber.close)
        for number in range(STALLED):
            self.stalled_subscriber()
            self.stalled_device(number)
            self.stalled_stream()
        before = self.server.resident_bytes()
        self.write(SECONDS)
        subscriber.wait_for(lambda message: message.body and message.body.get("name") == "end", 60)
        device.wait_for(lambda event: event["name"] == "end", 60)
        stream.wait_for(lambda event: event.name == "change" and '"name":"end"' in event.data, 60,
                        "the end")
        self.assertLess(self.server.resident_bytes() - before, GROWTH_BYTES)

        published = subscriber.events(self.scene)
        self.assertGreater(len(published), 1000)
        self.assertEqual(gaps([message.header["seq"] for message in published]), [])
        streamed = [event for event in stream.items if event.name == "change"]
        self.assertEqual(gaps([int(event.id.partition("-")[2]) for event in streamed]), [])
        self.assertEqual(sum(event.name == "snapshot" for event in stream.items), 1)
        heard = device.events() if device.drops() == 0 else None  # else this test did not read in time
        if heard:
            self.assertEqual([event["prev"] for event in heard[1:]], [event["seq"] for event in heard[:-1]])

        expected = {record["key"]: record["transform"] for record in self.client.objects(self.scene)}
        for kind, records in (("PUB", [message.body for message in published]),
                              ("SSE", [event.body.get("object") for event in streamed]),
                              ("UDP", heard)):
            known = {record["key"]: record["transform"] for record in records or ()
                     if record and record["key"] in expected}
            self.assertEqual(known, expected if records is not None else {}, kind)

    def test_subscribers_that_stall_hold_no_large_events(self):
        self.client.put_scene("large", assets=[f"{n:03}" + "y" * 3900 for n in range(250)])  # 1 MiB
        for _ in range(3):
            self.stalled_subscriber()
        reader = Subscriber(self.server)
        self.addCleanup(reader.close)
        before = self.server.resident_bytes()
        for n in range(120):
            self.client.put_scene("large", name=f"n{n}")
        reader.wait_for(lambda message: message.body and message.body.get("name") == "n119")
        self.assertEqual(gaps([message.header["seq"] for message in reader.events("large")]), [])
        if not is_sanitized():
            self.assertLess(self.server.resident_bytes() - before, 64 << 20)

    def test_of_many_subscribers_that_stall_at_once_a_part_stays(self):
        for _ in range(STALLED_TOGETHER):
            self.stalled_subscriber()
        connected = lambda: self.server.metrics()["diorama_pub_subscribers"]
        wait_until(lambda: connected() == STALLED_TOGETHER, what="all connections")
        self.write(3)
        wait_until(lambda: connected() == STALLED_STAY, 30, "the end of those beyond")


class SteadyCase(FeedCase):
    flags = None

    def setUp(self):
        ServerCase.setUp(self)
        self.start_server(udp_trusted_networks="127.0.0.0/8")
        self.keys = self.client.create(self.scene, *[{"name": "o"}] * OBJECTS)


@with_shards(1)
class Starts(SteadyCase):
    def watch(self):
        process = subprocess.Popen(
            [os.path.join(BIN, "diorama"), "watch", "--snapshot", "--scene", self.scene,
             "--pub", f"tcp://127.0.0.1:{self.server.pub_port}",
             "--http", f"http://127.0.0.1:{self.server.http_port}"],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        for cleanup in (process.stdout.close, process.wait, process.kill):
            self.addCleanup(cleanup)
        inbox = Inbox()

        def read():
            for line in process.stdout:
                inbox.add(json.loads(line))

        threading.Thread(target=read, daemon=True).start()
        inbox.wait_for(lambda line: line["topic"] == "snapshot", 20, "the state")
        return inbox

    def expect_in_order(self, places):
        """(epoch, seq) rises; within an epoch by one."""
        for before, after in zip(places, places[1:]):
            self.assertTrue(after > before, (before, after))
            self.assertTrue(after[0] > before[0] or after[1] == before[1] + 1, (before, after))

    def test_numbers_have_no_gap_or_double_over_starts(self):
        subscriber, watched = Subscriber(self.server), self.watch()
        self.addCleanup(subscriber.close)
        for number in range(STARTS):
            how = "crash" if number % 2 else "restart"
            self.write(PART)
            getattr(self.server, how)(keeps_ports=True)
            self.client = self.connect()
            beats = len(subscriber.inbox.items)
            wait_until(lambda: len(subscriber.inbox.items) > beats, what="the next heartbeat")
        self.write(PART)
        self.client.put_scene(self.scene, name="over")

        def is_over(line):
            return line.get("msg_type") == 41

        subscriber.wait_for(lambda message: message.topic.endswith(".scene.41"), 30)
        watched.wait_for(is_over, 30, "the end")
        places = [(message.header["epoch"], message.header["seq"])
                  for message in subscriber.events(self.scene)]
        self.assertEqual(len({epoch for epoch, _ in places}), STARTS + 1)
        self.expect_in_order(places)

        known, place = {}, None
        for line in list(watched.items):
            if line["topic"] == "snapshot":
                known = {record["key"]: record for record in line["objects"]}
                self.assertTrue(place is None or (line["epoch"], line["seq"]) > place)
            else:
                self.assertEqual((line["epoch"], line["seq"]), (place[0], place[1] + 1))
                if ".object." in line["topic"]:
                    known[line["record"]["key"]] = line["record"]
            place = line["epoch"], line["seq"]
        self.assertEqual(known, {record["key"]: record
                                 for record in self.client.objects(self.scene)})


if __name__ == "__main__":
    unittest.main()
