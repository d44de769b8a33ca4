"""How long a GET takes while the solver works: row ALIGN of tests/bench/run.

A world of SIDE x SIDE scenes, a device in each two neighbours, so that all scenes are one fragment. A
writer corrects one device all the time: of that fragment, or, for comparison, one that is in a single
scene, so that there is nothing to solve.
"""

import http.client
import json
import random
import threading
import time

from peers import Client

SIDE = 41  # 1,681 scenes, 3,280 links
ALIGN_EVERY_S = 0.02


def place(x, y, jitter=0.0):
    return {"translation": [8.0 * x + random.uniform(-jitter, jitter), 0, 8.0 * y],
            "rotation": [0, 0, 0]}


def devices_of(x, y):
    """A device of each link with a neighbour: it stands at the world's origin."""
    for dx, dy in ((0, 0), (-1, 0)):
        if 0 <= x + dx < SIDE - 1:
            yield {"key": f"east{x + dx}.{y}", "transform": place(-x, -y, 0.05)}
    for dx, dy in ((0, 0), (0, -1)):
        if 0 <= y + dy < SIDE - 1:
            yield {"key": f"north{x}.{y + dy}", "transform": place(-x, -y, 0.05)}


def make_world(server):
    with Client(server) as client:
        for x in range(SIDE):
            for y in range(SIDE):
                body = {"scenes": [{"devices": list(devices_of(x, y))}]}
                answer = client.post(f"/v1/scene/w{x}.{y}/register", body)
                assert answer.status == 200, answer.text
        body = {"scenes": [{"devices": [{"key": "alone", "transform": place(0, 0)}]}]}
        assert client.post("/v1/scene/alone/register", body).status == 200


class Writer:
    """Corrects one device again and again, beyond the dead band."""

    def __init__(self, server, scene, device):
        self.server, self.scene, self.device = server, scene, device
        self.ended = threading.Event()
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()

    def run(self):
        with Client(self.server) as client:
            while not self.ended.wait(ALIGN_EVERY_S):
                body = {"scenes": [{"devices": [
                    {"key": self.device, "transform": place(0, 0, 0.1)}]}]}
                assert client.post(f"/v1/scene/{self.scene}/align", body).status == 200

    def end(self):
        self.ended.set()
        self.thread.join()


def get_p99_ms(server, path, seconds):
    """The slowest GET but one in a hundred, one after the other on one connection."""
    connection = http.client.HTTPConnection("127.0.0.1", server.http_port)
    taken, end = [], time.monotonic() + seconds
    while time.monotonic() < end:
        began = time.perf_counter()
        connection.request("GET", path)
        response = connection.getresponse()
        json.loads(response.read())
        taken.append(time.perf_counter() - began)
    connection.close()
    return sorted(taken)[len(taken) * 99 // 100] * 1000


def solver_seconds(server):
    with Client(server) as client:
        for line in client.get("/metrics").text.splitlines():
            if line.startswith("diorama_alignment_solve_duration_seconds_sum"):
                return float(line.split()[1])
    return 0.0


def measure(server, path, scene, device, seconds):
    """p99 of GET while the device is corrected, and which share of that time the solver worked."""
    writer = Writer(server, scene, device)
    time.sleep(0.6)  # longer than the solver waits for more
    busy, began = solver_seconds(server), time.monotonic()
    p99_ms = get_p99_ms(server, path, seconds)
    share = (solver_seconds(server) - busy) / (time.monotonic() - began)
    writer.end()
    time.sleep(0.6)
    return p99_ms, share
