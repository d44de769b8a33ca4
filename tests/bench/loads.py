"""Loads that more than one driver puts on a server (tests/bench/run, tests/bench/compare)."""

import argparse
import subprocess
import tempfile
from pathlib import Path

from peers import BIN, Client, Peer, Server, cpu_s, wrk

import bulk

FOLDER = tempfile.mkdtemp(prefix="diorama-bench-")
UPDATE = '{"name":"cube","translation":[1,2,3]}'
options = argparse.Namespace(rounds=5, seconds=2, million=1000000)


def server_with_object(**flags):
    server = Server(log_level="warning", **flags).start()
    with Client(server) as client:
        key = client.post("/v1/scene/bench/object/", {"objects": [{"name": "cube"}]}).body[
            "objects"][0]["key"]
    return server, key


def side(server, path, connections, script=None):
    pids = getattr(server, "pids", None) or [getattr(server, "process", server).pid]
    port = getattr(server, "http_port", None) or server.port
    return lambda: wrk(port, path, connections, options.seconds, script, pids)


# All receivers have one address here: its budget would be the limit, not the server.
NO_BUDGET = {"udp_device_bytes": 0, "udp_device_datagrams": 0}

PLAIN_BYTES, PACKED_BYTES, PUB_BYTES = 270, 100, 430  # of one update on its way to a listener
FLOOD_RATE = 60000  # updates a second offered to Diorama: 1,000 objects at 60 Hz


class Fanout:
    """One publisher and its receivers, at a server of whichever kind."""

    def __init__(self, kind, server, receivers, payload_bytes, connection="udp://127.0.0.1:{port}"):
        self.receivers = receivers
        self.pid = getattr(server, "process").pid
        arguments = [BIN / "bench_fanout", kind, getattr(server, "udp_port", None) or server.port,
                     receivers, payload_bytes]
        scene = f"fan{receivers}"
        if kind in ("udp", "pub"):
            keys = bulk.create_objects(server, scene, 1000)
            Path(FOLDER, scene).write_text("\n".join(keys), encoding="utf-8")
            arguments.append(f"{FOLDER}/{scene}")
        if kind == "pub":
            arguments.append(server.pub_port)
        self.load = Peer(arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        if kind == "udp":
            devices = [{"key": f"d{port}", "connection_string": connection.format(port=port)}
                       for port in self.load.process.stdout.readline().split()]
            with Client(server) as client:
                for first in range(0, len(devices), 250):
                    client.post(f"/v1/scene/{scene}/register",
                                {"scenes": [{"devices": devices[first:first + 250]}]})
        assert self.load.process.stdout.readline() == "ready\n"

    def ask(self, command):
        """The numbers that it answers, and the CPU seconds that the server needed."""
        before = cpu_s(self.pid)
        self.load.process.stdin.write(command + "\n")
        self.load.process.stdin.flush()
        return ([float(word) for word in self.load.process.stdout.readline().split()],
                cpu_s(self.pid) - before)

    def paced(self):
        """Milliseconds until all had an update, and CPU microseconds of a delivery."""
        count = 200 if self.receivers < 500 else 50
        (middle_us, _, lost), cpu = self.ask(f"paced {count} 5000")
        assert lost == 0, f"{lost} of {count} updates did not reach all"
        return middle_us / 1e3, cpu * 1e6 / count / self.receivers

    def flood(self):
        """Updates delivered to each a second, and CPU microseconds of a delivery."""
        (rate,), cpu = self.ask(f"flood {options.seconds} {FLOOD_RATE}")
        return rate, cpu * 1e6 / max(rate * options.seconds * self.receivers, 1)
