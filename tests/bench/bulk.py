"""Many records at once, for the rows about memory and start-up."""

import json
import math
import random
import socket
import tempfile

from peers import Client, wait_until

PER_REQUEST = 5000


def object_record(number):
    """About 270 bytes as JSON."""
    return {"name": f"object {number}", "type": "mesh", "subtype": "cube",
            "transform": [0.36, 0.48, -0.8, number % 1000 / 7, -0.8, 0.6, 0.0, number % 777 / 3,
                          0.48, 0.64, 0.6, number % 333 / 9, 0.0, 0.0, 0.0, 1.0]}


OBJECT_BYTES = len(json.dumps({"key": "0" * 24, "scene": "s1", **object_record(12345)}))


def create_objects(server, scene, count):
    """Creates them and answers their keys."""
    keys = []
    with Client(server, timeout=60) as client:
        for first in range(0, count, PER_REQUEST):
            objects = [object_record(n) for n in range(first, min(first + PER_REQUEST, count))]
            answer = client.post(f"/v1/scene/{scene}/object/", {"objects": objects})
            assert answer.status == 200, answer.text
            keys += [made["key"] for made in answer.body["objects"]]
    return keys


def register_devices(server, scene, count):
    with Client(server, timeout=60) as client:
        for first in range(0, count, PER_REQUEST):
            devices = [{"key": f"device-{n}", "hostname": "127.0.0.1", "port": 20000}
                       for n in range(first, first + PER_REQUEST)]
            answer = client.post(f"/v1/scene/{scene}/register", {"scenes": [{"devices": devices}]})
            assert answer.status == 200, answer.text


def load_scenes(server, scenes):
    """Makes each scene's objects come into memory, by a query that answers one."""
    with Client(server, timeout=60) as client:
        for scene in scenes:
            answer = client.post(f"/v1/scene/{scene}/object/query", {"num_records": 1, "objects": []})
            assert answer.status == 200 and answer.body["num_records"] == 1, answer.text


def towns(count, regions=100, towns_each=20, per_region_km=150, per_town_km=8):
    """`count` places as people live: (latitude, longitude) in 2,000 towns of 100 regions."""
    dice = random.Random(9)

    def near(place, deviation_km):
        degrees = deviation_km / 111.2
        return (place[0] + dice.gauss(0, degrees),
                place[1] + dice.gauss(0, degrees) / math.cos(math.radians(place[0])))

    centres = []
    for _ in range(regions):
        region = dice.uniform(-55, 65), dice.uniform(-160, 160)
        centres += [near(region, per_region_km) for _ in range(towns_each)]
    return [tuple(round(angle, 6) for angle in near(dice.choice(centres), per_town_km))
            for _ in range(count)]


def create_scenes(server, places):
    """One scene a place, under its number."""
    with Client(server, timeout=60) as client:
        for first in range(0, len(places), PER_REQUEST):
            records = [{"key": f"{n:08d}", "latitude": latitude, "longitude": longitude}
                       for n, (latitude, longitude) in
                       enumerate(places[first:first + PER_REQUEST], first)]
            answer = client.post("/v1/scene/", {"scenes": records})
            assert answer.status == 200, answer.text


def add_to_redis(port, places):
    """The same places under the same keys, as one set; and under each key what a query answers of it."""
    with socket.create_connection(("127.0.0.1", port)) as link:
        for first in range(0, len(places), PER_REQUEST):
            some = [(f"{n:08d}", *place) for n, place in enumerate(places[first:first + PER_REQUEST], first)]
            link.sendall(resp("GEOADD", "scenes", *(word for key, latitude, longitude in some
                                                    for word in (longitude, latitude, key))))
            assert link.recv(64).startswith(b":")
            link.sendall(resp("MSET", *(word for key, latitude, longitude in some
                                        for word in (key, scene_json(key, latitude, longitude)))))
            assert link.recv(64) == b"+OK\r\n"


def scene_json(key, latitude, longitude):
    """A scene of create_scenes as a query answers it, without its distance."""
    return json.dumps({"key": key, "name": "", "description": "", "region": "", "latitude": latitude,
                       "longitude": longitude, "active": False, "public": True, "assets": [], "asset_ids": [],
                       "tags": [], "user": "", "thumbnail": ""}, separators=(",", ":"))


class RedisWithRecords:
    """A Redis that holds the same records under the same keys, in its append-only file."""

    def __init__(self, start, count):
        self.start, self.count = start, count
        self.folder = tempfile.mkdtemp(prefix="diorama-bench-")
        self.peer = start("everysec", self.folder)
        self.fill()

    def ask(self, *words):
        with socket.create_connection(("127.0.0.1", self.peer.port)) as link:
            link.sendall(resp(*words))
            return link.recv(4096)

    def fill(self):
        with socket.create_connection(("127.0.0.1", self.peer.port)) as link:
            for first in range(0, self.count, PER_REQUEST):
                link.sendall(b"".join(
                    resp("SET", f"{n:024x}", json.dumps(object_record(n)))
                    for n in range(first, first + PER_REQUEST)))
                missing = PER_REQUEST * len(b"+OK\r\n")
                while missing > 0:
                    missing -= len(link.recv(65536))
        self.ask("BGREWRITEAOF")
        wait_until(lambda: b"aof_rewrite_in_progress:0" in self.ask("INFO", "persistence") and
                   b"aof_rewrite_scheduled:0" in self.ask("INFO", "persistence"), 120, "rewrite")

    def restart(self):
        self.peer.stop(keep=True)
        self.peer = self.start("everysec", self.folder)
        wait_until(lambda: self.ask("DBSIZE") == b":%d\r\n" % self.count, 120, "loading")

    def stop(self):
        self.peer.stop()


def resp(*words):
    parts = [str(word).encode() for word in words]
    return b"*%d\r\n" % len(parts) + b"".join(b"$%d\r\n%s\r\n" % (len(p), p) for p in parts)


def redis_with_records(start, count):
    return RedisWithRecords(start, count)
