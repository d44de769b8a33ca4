"""Row FEEDS: every feed under the same load, 40 objects that move 25 times a second each, heard by ten
listeners. Where an object is says which move it is (x), so nothing is added to what is sent."""

import json
import math
import os
import socket
import sys
import threading
import time
import urllib.request

import msgpack
import zmq

from peers import Client, cpu_s, resident_bytes

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../system"))
import foreign_clients as clients  # noqa: E402

SCENE = "moving"
OBJECTS, RATE_HZ, LISTENERS, IDLE = 40, 25, 10, 200
LATE_S = 0.5  # for what is still on its way when the last move was sent


class Moves:
    """Moves the objects by UDP, and knows when each move was sent."""

    def __init__(self, server):
        self.server = server
        with Client(server) as client:
            records = client.post(f"/v1/scene/{SCENE}/object/", {
                "objects": [{"name": f"o{n}"} for n in range(OBJECTS)]}).body["objects"]
        self.place = {record["key"]: n for n, record in enumerate(records)}
        self.keys = list(self.place)
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.sent, self.step = {}, 0  # (object, move): when it was sent

    def run(self, seconds):
        """Returns how many moves were sent."""
        begun, count = time.monotonic(), 0
        while count < seconds * OBJECTS * RATE_HZ:
            time.sleep(max(0, begun + count / (OBJECTS * RATE_HZ) - time.monotonic()))
            thing = count % OBJECTS
            self.step += thing == 0
            self.sent[thing, self.step] = time.monotonic()
            self.socket.sendto(json.dumps({
                "msg_type": 1, "key": self.keys[thing],
                "transform": [1, 0, 0, self.step, 0, 1, 0, 0, 0, 0, 1, thing, 0, 0, 0, 1]}).encode(),
                ("127.0.0.1", self.server.udp_port))
            count += 1
        return count


class Tally:
    """What listeners of one feed received."""

    def __init__(self, moves):
        self.moves, self.bytes, self.gaps, self.late_s, self.seen = moves, 0, 0, [], {}

    def saw(self, listener, key, x, now):
        """A listener has the move `x` of an object: timed when it is the first to say so."""
        thing, step = self.moves.place.get(key), round(x)
        if thing is not None and step > self.seen.get((listener, thing), 0):
            self.seen[listener, thing] = step
            if (thing, step) in self.moves.sent:
                self.late_s.append(now - self.moves.sent[thing, step])

    def within_ms(self, share):
        late = sorted(self.late_s)
        return late[min(len(late) - 1, math.ceil(share * len(late)))] * 1e3 if late else math.nan


class Everything:
    """Nothing is lost, late or doubled."""

    def __call__(self, datagram, now):
        return [datagram]

    def due(self, now):
        return []


def device(kind, wish):
    """A class of devices: of a class of foreign_clients, with this in its connection string."""

    class Device(kind):
        def __init__(self, server, scene, number, tally):
            self.tally, self.name = tally, number
            super().__init__(clients.Http("127.0.0.1", server.http_port), scene, f"d{number}")
            self.loss = Everything()
            self.read()
            self.objects.set = self.set
            self.fd = self.socket.fileno()

        def record(self):
            return {"key": self.key, "connection_string":
                    wish.format(address=f"{self.host}:{self.port}")}

        def set(self, key, seq, members):
            if members.get("transform"):
                self.tally.saw(self.name, key, members["transform"][3], time.monotonic())

        def take(self, datagram, now):
            self.tally.bytes += len(datagram)
            super().take(datagram, now)

        def note(self, prev, seq, now):
            self.tally.gaps += self.got is not None and prev > self.got
            super().note(prev, seq, now)

        def receive(self):
            self.turn(time.monotonic())

        def close(self):
            self.http.call(f"/v1/scene/{self.scene}/deregister",
                           {"scenes": [{"key": self.scene, "devices": [{"key": self.key}]}]})
            self.socket.close()

    return Device


class Stream:
    """A stream of events."""

    query = ""

    def __init__(self, server, scene, number, tally):
        self.tally, self.name, self.seq, self.keys, self.rest = tally, number, None, {}, b""
        self.answer = urllib.request.urlopen(urllib.request.Request(
            f"http://127.0.0.1:{server.http_port}/v1/scene/{scene}/events{self.query}",
            headers={"Accept": "text/event-stream"}), timeout=60)
        self.fd = self.answer.fileno()
        while self.seq is None:
            self.receive()

    def receive(self):
        data = self.answer.read1(1 << 20)
        self.tally.bytes += len(data)
        *events, self.rest = (self.rest + data).split(b"\n\n")
        for event in events:
            lines = [line for line in event.split(b"\n") if line.startswith(b"data: ")]
            if lines:
                self.take(json.loads(lines[0][6:]))

    def take(self, body):
        if "objects" in body:
            self.keys = {thing.get("i"): thing["key"] for thing in body["objects"]}
        else:
            self.tally.gaps += body.get("prev", body["seq"] - 1) != self.seq
            self.changed(body)
        self.seq = body["seq"]

    def changed(self, body):
        thing = body.get("object", {})
        if thing.get("transform"):
            self.tally.saw(self.name, thing["key"], thing["transform"][3], time.monotonic())

    def close(self):
        self.answer.close()


class DeltaStream(Stream):
    query = "?form=delta"

    def changed(self, body):
        for index, x, *_ in body.get("p", ()):
            self.tally.saw(self.name, self.keys[index], x, time.monotonic())


class Subscriber:
    """A subscriber of PUB."""

    context = zmq.Context()

    def __init__(self, server, scene, number, tally):
        self.tally, self.name, self.seq = tally, number, None
        self.socket = self.context.socket(zmq.SUB)
        self.socket.setsockopt(zmq.RCVHWM, 100000)
        for topic in (f"scene.{scene}.", "hb"):
            self.socket.setsockopt(zmq.SUBSCRIBE, topic.encode())
        self.socket.connect(f"tcp://127.0.0.1:{server.pub_port}")
        self.fd = self.socket

    def joined(self):
        """Returns when it hears the heartbeat."""
        assert self.socket.poll(10000), "no heartbeat"

    def receive(self):
        while self.socket.poll(0):
            topic, header, body = self.socket.recv_multipart()
            if topic == b"hb":
                continue
            self.tally.bytes += len(topic) + len(header) + len(body)
            seq, record = msgpack.unpackb(header)["seq"], msgpack.unpackb(body)
            self.tally.gaps += self.seq is not None and seq != self.seq + 1
            self.seq = seq
            if record.get("transform"):
                self.tally.saw(self.name, record["key"], record["transform"][3], time.monotonic())

    def close(self):
        self.socket.close(0)


FEEDS = {
    "plain": device(clients.PlainClient, "udp://{address}"),
    "packed": device(clients.PackedClient, "udp+msgpack://{address}?rate=60"),
    "packed, indices": device(clients.IndexedClient, "udp+msgpack://{address}?rate=60&keys=index"),
    "sealed": device(clients.SealedClient, "udp+sealed://{address}?rate=60"),
    "SSE": Stream,
    "SSE, delta": DeltaStream,
    "PUB": Subscriber,
}


def joined(kind, server, scene, count, tally):
    listeners = [kind(server, scene, number, tally) for number in range(count)]
    for listener in listeners:
        if hasattr(listener, "joined"):
            listener.joined()
    return listeners


def memory_each(name, kind, server, moves):
    """KiB of the server for a listener of a scene where nothing happens."""
    scene = f"quiet-{name.replace(', ', '-')}"
    with Client(server) as client:
        client.post(f"/v1/scene/{scene}/object/", {"objects": [{"name": "o"}]})
    before = resident_bytes(server.process.pid)
    idle = joined(kind, server, scene, IDLE, Tally(moves))
    time.sleep(0.5)
    each = (resident_bytes(server.process.pid) - before) / IDLE / 1024
    for listener in idle:
        listener.close()
    return max(each, 0)


def measured(kind, server, moves, seconds):
    """What ten listeners of a kind (None: nobody) received in so many seconds, of how many moves, and the
    CPU seconds of the server."""
    tally, poller, ends = Tally(moves), zmq.Poller(), threading.Event()
    listeners = joined(kind, server, SCENE, LISTENERS, tally) if kind else []
    by_fd = {listener.fd: listener for listener in listeners}
    for fd in by_fd:
        poller.register(fd, zmq.POLLIN)

    def receive():
        while not ends.is_set():
            for fd, _ in poller.poll(100):
                by_fd[fd].receive()

    thread = threading.Thread(target=receive)
    tally.bytes = 0
    spent = cpu_s(server.process.pid)
    thread.start()
    count = moves.run(seconds)
    time.sleep(LATE_S)
    used_s = cpu_s(server.process.pid) - spent
    ends.set()
    thread.join()
    for listener in listeners:
        listener.close()
    return tally, count, used_s


def table(server, seconds):
    """Prints a line for each feed. A move that a newer one replaced is not heard."""
    moves = Moves(server)
    print(f"FEEDS {OBJECTS} objects, {OBJECTS * RATE_HZ:,} moves/s, {LISTENERS} listeners, {seconds} s each",
          flush=True)
    print(f"{'feed':16} {'bytes/move':>10} {'µs CPU/move':>11} {'p50 ms':>7} {'p99 ms':>7} {'gaps':>5} "
          f"{'heard':>6} {'KiB each':>8}", flush=True)
    measured(None, server, moves, 1)  # what a server takes at its first moves is not counted
    _, count, used_s = measured(None, server, moves, seconds)
    print(f"{'nobody listens':16} {0:10} {used_s / count * 1e6:11.1f}", flush=True)
    for name, kind in FEEDS.items():
        memory = memory_each(name, kind, server, moves)
        tally, count, used_s = measured(kind, server, moves, seconds)
        each = count * LISTENERS
        print(f"{name:16} {tally.bytes / each:10.0f} {used_s / count * 1e6:11.1f} "
              f"{tally.within_ms(0.5):7.2f} {tally.within_ms(0.99):7.2f} {tally.gaps:5} "
              f"{len(tally.late_s) / each:6.0%} {memory:8.1f}", flush=True)
