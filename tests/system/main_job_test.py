"""The main job, end to end: a crowd walks through a scene and everybody sees where it is.

Ten devices and two servers listen, `diorama replay` plays the walk by UDP, and in the end every
listener, every GET and a restarted server agree with the last row of each pedestrian. The walk is
a recorded one (HERMES, people in a bottleneck) where it is at hand, else a generated one.
"""

import gzip
import json
import os
import re
import signal
import subprocess
import sys
import unittest

from feeds import Subscriber, UdpDevice, gaps
from support import BIN, LONG, SHARD_COUNTS, ServerCase, wait_until, with_shards

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
RECORDED = os.path.join(ROOT, "..", "shared", "data", "hermes-bo-360-050-050.txt.gz")
GENERATOR = os.path.join(ROOT, "tests", "support", "generate_crowd.py")
METRES = 0.01  # of one unit of the file
SPEED = 1 if LONG else 20
DEVICES, LISTENERS = 8, 2


def final_positions(path):
    """{pedestrian: (x, y, z) of its last row, in metres, height on y}."""
    opened = gzip.open if path.endswith(".gz") else open
    last, is_y_up = {}, False
    with opened(path, "rt") as rows:
        for row in rows:
            if row.startswith("#"):
                is_y_up = is_y_up or row == "# up: y\n"
                continue
            pedestrian, frame, *place = row.split()
            x, y, z = (float(value) * METRES for value in place)
            if int(frame) >= last.get(pedestrian, (-1,))[0]:
                last[pedestrian] = (int(frame), *((x, y, z) if is_y_up else (x, z, -y)))
    return {pedestrian: entry[1:] for pedestrian, entry in last.items()}


def position(record):
    return tuple(record["transform"][index] for index in (3, 7, 11))


class Latest:
    """What a device has applied: the newest state of each object, read as it comes."""

    def __init__(self, device):
        self.device, self.states, self.arrivals, self.read = device, {}, [], 0
        self.gaps = self.superseded = 0

    def update(self):
        for datagram in self.device.inbox.items[self.read:]:
            self.read += 1
            event = json.loads(datagram.content)
            self.states[event["name"]] = position(event)
            if self.arrivals:
                self.gaps += event["prev"] != self.arrivals[-1][0]
                self.superseded += event["seq"] - event["prev"] - 1
            self.arrivals.append((event["seq"], datagram.time))
        return self.states


class Program:
    """A command of `diorama` beside the test; what it prints goes to files, so it never waits."""

    def __init__(self, case, name, *arguments):
        self.case = case
        self.paths = [os.path.join(case.server.folder, f"{name}.{kind}") for kind in ("out", "err")]
        with open(self.paths[0], "w") as out, open(self.paths[1], "w") as err:
            self.process = subprocess.Popen([os.path.join(BIN, "diorama"), *arguments],
                                            stdin=subprocess.DEVNULL, stdout=out, stderr=err)
        case.addCleanup(self.end)

    def end(self):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()

    def text(self, which):
        """What it has printed so far on standard output (0) or standard error (1)."""
        with open(self.paths[which]) as file:
            return file.read()

    def finish(self, number=None):
        """Waits for the end (after signal `number`); returns what it printed."""
        if number:
            self.process.send_signal(number)
        self.process.wait(300)
        out, err = self.text(0), self.text(1)
        self.case.assertEqual(self.process.returncode, 0, err[-2000:])
        return out, err


@with_shards(*SHARD_COUNTS)
class MainJob(ServerCase):
    flags = None

    def setUp(self):
        super().setUp()
        self.start_server()
        self.http = f"--http=http://127.0.0.1:{self.server.http_port}"
        self.walk = RECORDED
        if not os.path.exists(self.walk):
            print(f"\nskipping the recorded walk ({RECORDED} is not there): a generated one")
            self.walk = os.path.join(self.server.folder, "crowd.txt")
            subprocess.run([sys.executable, GENERATOR, self.walk], check=True)

    def listen(self, number):
        """`diorama listen`, once it is registered; and the file of its latest states."""
        latest = os.path.join(self.server.folder, f"latest{number}")
        key = f"listener{number}"
        program = Program(self, key, "listen", "--scene=crowd", f"--device={key}", "--quiet",
                          f"--latest={latest}", self.http)
        wait_until(lambda: key in [device["key"] for device in self.devices()], 10, key)
        return program, latest

    def devices(self):
        answer = self.client.get("/v1/scene/crowd")
        return answer.body["scenes"][0]["devices"] if answer.status == 200 else []

    def test_every_listener_ends_with_every_pedestrian_where_it_is(self):
        expected = final_positions(self.walk)
        subscriber = Subscriber(self.server)
        self.addCleanup(subscriber.close)
        watch = Program(self, "watch", "watch", "--scene=crowd", "--no-json",
                        f"--pub=tcp://127.0.0.1:{self.server.pub_port}")
        wait_until(lambda: watch.text(1), 10, "the first word of diorama watch")
        devices = [UdpDevice(f"device{number}") for number in range(DEVICES)]
        for device in devices:
            self.addCleanup(device.close)
        self.client.register("crowd", *(device.record() for device in devices))
        listeners = [self.listen(number) for number in range(LISTENERS)]

        replay, _ = Program(self, "replay", "replay", self.walk, "--scene=crowd",
                            f"--speed={SPEED}", "--settle", self.http,
                            f"--udp=127.0.0.1:{self.server.udp_port}").finish()
        print(f"\n{self.shards} shards, {SPEED} times real time: {replay.strip()}")
        self.check_input(int(re.search(r" updates=(\d+)", replay).group(1)))

        records = self.check_stored(expected)
        self.check_devices([Latest(device) for device in devices], expected, subscriber)
        for program, latest in listeners:
            _, said = program.finish(signal.SIGTERM)
            print(said.strip().splitlines()[-1])
            self.check_latest(latest, records)
        count = self.check_published(subscriber, records)
        wait_until(lambda: watch.text(0).count("\n") == count, 20, f"{count} events at watch")
        _, said = watch.finish(signal.SIGTERM)
        print(said.strip().splitlines()[-1])
        self.assertRegex(said, rf"\bevents={count} .*\bgaps=0 ")

        self.restart()
        self.assertEqual(self.client.objects("crowd"), records)

    def check_input(self, updates):
        """The way in is UDP, so a machine under load may lose some; the settling covers these."""
        applied = self.server.metrics()["diorama_udp_applied_updates_total"]
        print(f"{updates} updates sent by UDP, {updates - applied:.0f} lost on the way in")
        self.assertGreaterEqual(applied, 0.99 * updates)

    def check_stored(self, expected):
        records = self.client.objects("crowd")
        self.assertEqual({record["name"] for record in records}, set(expected))
        for record in records:
            for actual, wanted in zip(position(record), expected[record["name"]]):
                self.assertAlmostEqual(actual, wanted, delta=1e-9, msg=record["name"])
            self.assertEqual(self.client.object("crowd", record["key"]), record)
        return records

    def check_devices(self, latests, expected, subscriber):
        def arrived(latest):
            states = latest.update()
            return set(states) == set(expected) and all(
                abs(a - b) <= 1e-9 for name in expected
                for a, b in zip(states[name], expected[name]))

        wait_until(lambda: all(arrived(latest) for latest in latests), 20,
                   "every final position at every device")
        changed = {message.header["seq"]: message.header["time_us"] / 1e6
                   for message in subscriber.events("crowd")}
        late = sorted(1000 * (at - changed[seq]) for latest in latests
                      for seq, at in latest.arrivals if seq in changed)
        self.assertEqual([latest.gaps for latest in latests], [0] * len(latests))
        print(f"{len(latests)} devices: {len(late)} datagrams, 0 lost, "
              f"{sum(latest.superseded for latest in latests)} superseded; from change to device "
              f"p50 {late[len(late) // 2]:.2f} ms, p99 {late[len(late) * 99 // 100]:.2f} ms, "
              f"max {late[-1]:.2f} ms")

    def check_latest(self, path, records):
        """The file that `diorama listen --latest` leaves: {key: {transform, seq}}."""
        with open(path) as file:
            states = {key: position(state) for key, state in json.load(file).items()}
        self.assertEqual(states, {record["key"]: position(record) for record in records})

    def check_published(self, subscriber, records):
        finals = {record["key"]: record for record in records}

        def complete():
            heard = {message.body["key"]: message.body for message in subscriber.events("crowd")
                     if ".object." in message.topic}
            return heard == finals

        wait_until(complete, 20, "the final state of every object on PUB")
        # Behind all that the listeners caused when they left: nothing comes after it.
        self.client.put_scene("crowd", name="over")
        subscriber.wait_for(lambda message: message.body and message.body.get("name") == "over")
        numbers = [message.header["seq"] for message in subscriber.events("crowd")]
        self.assertEqual(gaps(numbers), [])
        self.assertEqual(numbers[0], 1)
        print(f"PUB: {len(numbers)} events, no gap")
        return len(numbers)


if __name__ == "__main__":
    unittest.main()
