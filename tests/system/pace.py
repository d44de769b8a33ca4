"""A second user: reads one path at a steady pace while something heavy goes on, and says how long
it took. It is a program of its own: in a thread it would wait for the interpreter, which the test's
other threads hold, and measure that.

As a program: the port is its argument, the request the first line of its input (JSON); it reads
until that input ends, and then prints what it measured."""

import json
import os
import select
import socket
import subprocess
import sys
import time

from support import object_path, scene_path

PAUSE = 0.004


def read_until_told(port, request, line):
    """Reads once, and on until `line` can be read: when the test closes it. (seconds, failures)."""
    times, failures = [], []
    with socket.create_connection(("127.0.0.1", port), 60) as raw:
        raw.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        print("ready", flush=True)
        is_over = False
        while not is_over:
            began = time.perf_counter()
            raw.sendall(request)
            answer = raw.recv(65536)
            times.append(time.perf_counter() - began)
            if not answer.startswith(b"HTTP/1.1 200"):
                failures.append(answer[:200].decode(errors="replace"))
                if not answer or b"\r\nConnection: close" in answer:
                    break
            is_over = bool(select.select([line], [], [], PAUSE)[0])
    return times, failures


class Pace:
    """with Pace(server, scene) as pace: …; then pace.p99() in seconds. `key`: an object of the scene,
    which is read instead of that."""

    def __init__(self, server, scene, headers="", key=None):
        path = object_path(scene, key) if key else scene_path(scene)
        self.request = f"GET {path} HTTP/1.1\r\nHost: localhost\r\n{headers}\r\n"
        self.server, self.times, self.failures = server, [], []
        self.program = None

    def __enter__(self):
        self.program = subprocess.Popen(
            [sys.executable, os.path.abspath(__file__), str(self.server.http_port)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.program.stdin.write(json.dumps(self.request) + "\n")
        self.program.stdin.flush()
        assert self.program.stdout.readline() == "ready\n", "the reader did not start"
        return self

    def __exit__(self, *_):
        said, _ = self.program.communicate(timeout=60)  # which closes its input
        self.times, self.failures = json.loads(said)

    def p99(self):
        return sorted(self.times)[int(len(self.times) * 0.99)]

    def __str__(self):
        times = sorted(self.times)
        return (f"{len(times)} reads: p50 {1000 * times[len(times) // 2]:.1f} ms, "
                f"p99 {1000 * self.p99():.1f} ms, worst {1000 * times[-1]:.1f} ms")


if __name__ == "__main__":
    wanted = json.loads(sys.stdin.readline()).encode()
    print(json.dumps(read_until_told(int(sys.argv[1]), wanted, sys.stdin)))
