"""Clients of the four feeds, written from proto/feed/README.md and README.md alone. They share nothing
with the other tests, and know nothing of the server that does not stand there."""

import base64
import ctypes
import hashlib
import json
import os
import random
import socket
import struct
import threading
import time
import urllib.request

import msgpack
import zmq

FIELDS = {1: "name", 2: "scene", 3: "parent", 4: "asset_sub_id", 5: "type", 6: "subtype", 7: "owner",
          8: "frame", 9: "timestamp", 10: "transform", 11: "assets", 15: "actions", 16: "values",
          18: "tags", 19: "extras", 20: "visible"}
REMOVED = (None, "", [])
# What only an answer by HTTP, PUB or SSE has.
NOT_PACKED = ("translation_handle", "rotation_handle", "scale_handle", "actions")
NOT_PLAIN = NOT_PACKED + ("asset_sub_id",)


class Http:
    """Requests to one server."""

    def __init__(self, host, port):
        self.url = f"http://{host}:{port}"

    def call(self, path, body=None):
        request = urllib.request.Request(
            self.url + path, None if body is None else json.dumps(body).encode(),
            {"Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=30) as answer:
            return json.load(answer)

    def records(self, scene, noun):
        """Epoch, seq and all records of a scene. Pages may be of different moments: the first counts."""
        place, found, start = None, [], 0
        while start is not None:
            page = self.call(f"/v1/scene/{scene}/{noun}/query?num_records=1000&start_record={start}", {})
            place = place or (page["epoch"], page["seq"])
            found += page["objects" if noun == "object" else "properties"]
            start = page.get("next_start_record")
        return (*place, found)

    def register(self, scene, device):
        body = {"scenes": [{"key": scene, "devices": [device]}]}
        return self.call(f"/v1/scene/{scene}/register", body)


class Loss:
    """Loses, doubles and delays what a socket receives."""

    def __init__(self, seed, lost):
        self.random, self.lost, self.late = random.Random(seed), lost, []

    def __call__(self, datagram, now):
        """The datagrams that arrive now."""
        chance = self.random.random()
        if chance < self.lost:
            return []
        if chance < self.lost + 0.03:
            self.late.append((now + self.random.uniform(0.005, 0.045), datagram))
            return []
        return [datagram, datagram] if chance < self.lost + 0.04 else [datagram]

    def due(self, now):
        due = [datagram for when, datagram in self.late if when <= now]
        self.late = [item for item in self.late if item[0] > now]
        return due


class Things:
    """The rule: per member, the largest seq."""

    def __init__(self):
        self.members, self.gone = {}, {}  # key: {member: (seq, value)}; key: seq of the delete

    def set(self, key, seq, members):
        if seq <= self.gone.get(key, -1):
            return
        thing = self.members.setdefault(key, {})
        for name, value in members.items():
            if seq >= thing.get(name, (-1,))[0]:
                thing[name] = (seq, value)

    def delete(self, key, seq):
        self.gone[key] = max(seq, self.gone.get(key, -1))
        thing = self.members.get(key, {})
        self.members[key] = {name: item for name, item in thing.items() if item[0] > self.gone[key]}

    def state(self):
        return {key: {name: value for name, (_, value) in thing.items() if value not in REMOVED}
                for key, thing in self.members.items() if thing}


MEMBERS = [name for name in FIELDS.values() if name != "actions"]


class UdpClient:
    """What the packed and the plain device have in common: joining, gaps, and reading the scene."""

    patience_s, silence_s = 1.0, 2.0
    rests_s = 1.0  # between two reads of the scene

    def __init__(self, http, scene, key, lost=0.0, seed=0):
        self.http, self.scene, self.key, self.loss = http, scene, key, Loss(seed, lost)
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4 << 20)
        self.socket.bind(("127.0.0.1", 0))
        self.socket.setblocking(False)
        self.host, self.port = self.socket.getsockname()
        self.lock = threading.Lock()
        self.objects, self.epoch, self.got = Things(), None, None
        self.parts, self.hole_since, self.asked, self.read_at = [], None, 0.0, 0.0
        self.is_too_old, self.has_moved = False, True
        self.heard, self.newest, self.told = time.monotonic(), 0, 0
        self.is_sure, self.reads, self.asks = False, 0, 0
        self.refusals = 0
        answer = http.register(scene, self.record())
        self.token = answer["udp"].get("token")
        self.server = (answer["event_destination_host"], answer["event_destination_port"])
        self.join(answer["udp"])
        assert answer["udp"]["state"] == "active"

    def join(self, feed):
        """What the form does with the answer to its registration."""

    # --- the state ---

    def read(self):
        """Reads the scene. Two requests: the smaller number is good for both."""
        epoch, seq, objects = self.http.records(self.scene, "object")
        again, later, properties = self.http.records(self.scene, "property")
        with self.lock:
            if epoch != again:
                return
            # The answers are of different moments; each is the state at its own number.
            known = self.objects
            found = {record["key"] for record in objects + properties}
            for number, records in ((seq, objects), (later, properties)):
                for record in records:
                    known.set(record["key"], number, {name: record.get(name) for name in MEMBERS})
            for key in list(known.members):
                if key not in found:
                    known.delete(key, min(seq, later))
            if self.epoch not in (None, epoch):
                self.newest = self.told = 0
            self.epoch, self.reads, self.is_too_old = epoch, self.reads + 1, False
            self.got = max(self.got or 0, min(seq, later))
            self.told = max(self.told, self.got)
            self.absorb()

    # --- gaps ---

    def absorb(self):
        """What goes on from `got` closes the hole, or makes it smaller."""
        for prev, seq, _ in sorted(self.parts):
            if prev <= self.got:
                self.got = max(self.got, seq)
        self.parts = [part for part in self.parts if part[0] > self.got]
        # The hole that is first now is as old as the first datagram that showed it.
        self.hole_since = min((since for _, _, since in self.parts), default=None)

    def note(self, prev, seq, now):
        self.heard, self.is_sure = now, False
        self.newest = max(self.newest, seq)
        if prev == seq:
            self.told = max(self.told, seq)
        if self.got is None or prev > self.got:
            self.parts.append((prev, seq, now))
            self.hole_since = self.hole_since or now
        elif seq > self.got:
            self.got, self.has_moved = seq, True
            self.absorb()

    def must_read(self, now):
        """Called every few milliseconds: asks, or says that the scene has to be read."""
        if self.parts and self.got is not None and now - self.hole_since > 0.05:
            self.ask(now)
        if now - self.read_at < self.rests_s:
            return False
        if self.got is None:
            return True
        if self.is_too_old or self.parts and now - self.hole_since > self.patience_s:
            return True
        if now - self.heard > self.silence_s and not self.is_sure:
            self.is_sure = True
            return self.told < self.newest  # else a tail said that there is no more
        return False

    def ask(self, now):
        if now - self.asked < (0.025 if self.has_moved else 0.2):
            return
        self.asked, self.has_moved, self.asks = now, False, self.asks + 1
        message = {"msg_type": 63, "from": self.got + 1, "to": max(part[0] for part in self.parts)}
        self.send({**message, "token": self.token} if self.token else message)

    def refused(self, first, is_too_old):
        self.refusals += 1
        self.is_too_old |= is_too_old and self.got is not None and first > self.got

    # --- datagrams ---

    def turn(self, now):
        with self.lock:
            arrived = self.loss.due(now)
            try:
                while True:
                    arrived += self.loss(self.socket.recv(65536), now)
            except BlockingIOError:
                pass
            for datagram in arrived:
                self.take(datagram, now)

    def state(self):
        with self.lock:
            return self.objects.state()

    def send(self, message):
        self.socket.sendto(json.dumps(message).encode(), self.server)


class PlainClient(UdpClient):
    hidden = NOT_PLAIN

    def record(self):
        return {"key": self.key, "connection_string": f"udp://{self.host}:{self.port}?tail=1"}

    def take(self, datagram, now):
        event = json.loads(datagram)
        kind = event.pop("msg_type")
        if kind == 64:
            self.refused(event["from"], event["reason"] == "too_old")
        if kind == 65:
            self.note(event["seq"], event["seq"], now)
        if kind > 30:
            return
        key = event.pop("key")
        seq, prev = event.pop("seq"), event.pop("prev")
        if kind in (3, 11):
            self.objects.delete(key, seq)
        elif event.get("truncated"):
            self.objects.set(key, seq, {})
        else:
            self.objects.set(key, seq, {name: event.get(name) for name in MEMBERS
                                        if name not in NOT_PLAIN})
        self.note(prev, seq, now)


def matrix(data):
    """16 numbers, row-major: T * R * S."""
    if len(data) == 128:
        return list(struct.unpack("<16d", data))
    i, j, k, w, x, y, z, a, b, c = struct.unpack("<3d7f", data)
    return [a * (1 - 2 * (y * y + z * z)), b * 2 * (x * y - w * z), c * 2 * (x * z + w * y), i,
            a * 2 * (x * y + w * z), b * (1 - 2 * (x * x + z * z)), c * 2 * (y * z - w * x), j,
            a * 2 * (x * z - w * y), b * 2 * (y * z + w * x), c * (1 - 2 * (x * x + y * y)), k,
            0.0, 0.0, 0.0, 1.0]


VALUE = {0: "value", 1: "left_type", 2: "left_x", 3: "left_y", 4: "right_type", 5: "right_x", 6: "right_y"}


def member(name, value):
    if name == "transform" and value is not None:
        return matrix(value)
    if name == "values":
        return [{VALUE[number]: item[number] for number in item} if isinstance(item, dict) else item
                for item in value]
    return value


class PackedClient(UdpClient):
    hidden = NOT_PACKED
    scheme, wish = "msgpack", ""

    def record(self):
        return {"key": self.key, "connection_string":
                f"udp+{self.scheme}://{self.host}:{self.port}?rate=20&tail=1{self.wish}"}

    def take(self, datagram, now):
        if datagram[:1] == b"{":
            return  # a challenge, say
        items = msgpack.unpackb(datagram, strict_map_key=False)
        version, epoch, prev, seq, _, changes = items[:6]
        if version != 1 or self.epoch not in (None, epoch):
            return
        for note in items[6:7]:
            if note[0] == 64:
                self.refused(note[1], note[2] == 0)
        is_whole = True
        for change in changes:
            kind, key, fields = change[:3]
            if self.wish:
                key = self.key_of(key, change)
            if key is None:
                is_whole = False  # what it is of was told by a datagram that is lost, or late
            elif kind in (3, 11):
                self.objects.delete(key, seq)
            else:
                self.objects.set(key, seq, {FIELDS[number]: member(FIELDS[number], fields[number])
                                            for number in fields
                                            if number in FIELDS and FIELDS[number] != "actions"})
        if is_whole:
            self.note(prev, seq, now)
        elif prev < seq:
            self.note(seq, seq, now)  # a hole up to here: it is asked for


class IndexedClient(PackedClient):
    """Indices in the place of keys: true for as long as the epoch."""

    wish = "&keys=index"

    def __init__(self, *arguments):
        self.keys, self.used = {}, 0
        super().__init__(*arguments)

    def key_of(self, name, change):
        if isinstance(name, str):
            if len(change) > 3:
                self.keys[change[3]] = name
            return name
        self.used += name in self.keys
        return self.keys.get(name)


SODIUM = ctypes.CDLL("libsodium.so.23")


class SealedClient(PackedClient):
    scheme = "sealed"

    def join(self, feed):
        key = base64.urlsafe_b64decode(feed["seal_key"] + "=")
        self.identity = bytes.fromhex(feed["seal_id"])
        self.ours, self.theirs = (
            hashlib.blake2b(digest_size=32, key=key, salt=struct.pack("<Q8x", n),
                            person=b"DioSeal1" + bytes(8)).digest() for n in (1, 2))
        self.session, self.counter = os.urandom(8), 0
        self.their_session, self.largest, self.seen = None, -1, set()
        self.nonce = None

    @staticmethod
    def nonce_of(head):
        return head[1:17] + bytes(2) + head[17:23]

    def send(self, message):
        content = json.dumps(message).encode()
        if message["msg_type"] == 60:
            content = content.ljust(256)
        head = b"\xd1" + self.identity + self.session + self.counter.to_bytes(6, "big")
        self.counter += 1
        out = ctypes.create_string_buffer(len(content) + 16)
        SODIUM.crypto_aead_xchacha20poly1305_ietf_encrypt(
            out, None, content, ctypes.c_ulonglong(len(content)), head, ctypes.c_ulonglong(23), None,
            self.nonce_of(head), self.ours)
        self.socket.sendto(head + out.raw, self.server)

    def opened(self, datagram):
        head, sealed = datagram[:23], datagram[23:]
        if len(sealed) < 16 or head[:9] != b"\xd1" + self.identity:
            return None
        out = ctypes.create_string_buffer(len(sealed))
        if SODIUM.crypto_aead_xchacha20poly1305_ietf_decrypt(
                out, None, None, sealed, ctypes.c_ulonglong(len(sealed)), head, ctypes.c_ulonglong(23),
                self.nonce_of(head), self.theirs):
            return None
        return out.raw[:len(sealed) - 16]

    def begin(self, session):
        self.their_session, self.largest, self.seen = session, -1, set()

    def take(self, datagram, now):
        session, counter = datagram[9:17], int.from_bytes(datagram[17:23], "big")
        if session == self.their_session and (counter <= self.largest - 1024 or counter in self.seen):
            return
        content = self.opened(datagram)
        if content is None:
            return
        told = json.loads(content) if content[:1] == b"{" else {}
        if self.their_session is None:
            self.begin(session)
        elif session != self.their_session:
            if told.get("msg_type") != 61 or told.get("nonce") != self.nonce or not self.nonce:
                self.nonce = os.urandom(16).hex()
                self.send({"msg_type": 60, "nonce": self.nonce})
                return
            self.begin(session)
            self.epoch = self.got = None
        self.seen.add(counter)
        self.largest = max(self.largest, counter)
        self.seen = {number for number in self.seen if number > self.largest - 1024}
        if told.get("msg_type") == 61:
            self.send({"msg_type": 62, "challenge": told["challenge"]})
        else:
            super().take(content, now)


class SseClient:
    """Whole records, by a thread."""

    def __init__(self, http, scene):
        self.things, self.lock, self.ends = {}, threading.Lock(), False
        request = urllib.request.Request(f"{http.url}/v1/scene/{scene}/events",
                                         headers={"Accept": "text/event-stream"})
        self.stream = urllib.request.urlopen(request, timeout=60)
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()

    def run(self):
        name, data = "", ""
        for line in self.stream:
            line = line.decode().rstrip("\r\n")
            if line.startswith("event: "):
                name = line[7:]
            elif line.startswith("data: "):
                data += line[6:]
            elif not line and data:
                self.take(name, json.loads(data))
                name, data = "", ""
            if self.ends:
                return

    def take(self, name, body):
        with self.lock:
            if name == "snapshot":
                self.things = {record["key"]: record
                               for record in body["objects"] + body["properties"]}
                return
            record = body.get("object") or body.get("property")
            if body["msg_type"] in (3, 11):
                self.things.pop(record["key"], None)
            elif record:
                self.things[record["key"]] = record

    def state(self):
        with self.lock:
            return dict(self.things)


class PubClient:
    """Whole records, by a thread."""

    def __init__(self, http, scene, endpoint):
        self.http, self.scene, self.lock, self.ends = http, scene, threading.Lock(), False
        self.things, self.seq, self.losses, self.kept = {}, None, 0, []
        self.context = zmq.Context()
        self.socket = self.context.socket(zmq.SUB)
        self.socket.setsockopt(zmq.RCVTIMEO, 200)
        self.socket.setsockopt(zmq.RCVHWM, 100000)
        self.socket.setsockopt(zmq.SUBSCRIBE, f"scene.{scene}.".encode())
        self.socket.setsockopt(zmq.SUBSCRIBE, b"hb")
        self.socket.connect(endpoint)
        while self.socket.poll(5000) and self.socket.recv_multipart()[0] != b"hb":
            pass
        self.read()
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()

    def read(self):
        """Both reads; what came between them is in the events that follow the first."""
        _, seq, objects = self.http.records(self.scene, "object")
        _, later, properties = self.http.records(self.scene, "property")
        with self.lock:
            self.things = {record["key"]: (seq, record) for record in objects}
            self.things.update((record["key"], (later, record)) for record in properties)
            self.seq = min(seq, later)

    def run(self):
        while not self.ends:
            try:
                topic, header, body = self.socket.recv_multipart()
            except zmq.Again:
                continue
            if topic != b"hb":
                self.take(msgpack.unpackb(header), msgpack.unpackb(body))

    def take(self, header, record):
        if header["seq"] <= self.seq:
            return
        if header["seq"] > self.seq + 1:
            self.losses += 1
            self.read()
            if header["seq"] <= self.seq:
                return
        with self.lock:
            self.seq, kind, key = header["seq"], header["type"], record.get("key")
            if kind > 30 or self.seq <= self.things.get(key, (-1,))[0]:
                return
            if kind in (3, 11):
                self.things.pop(key, None)
            else:
                self.things[key] = (self.seq, record)

    def state(self):
        with self.lock:
            return {key: record for key, (_, record) in self.things.items()}

    def close(self):
        self.ends = True
        self.thread.join(5)
        self.socket.close(0)
        self.context.term()
