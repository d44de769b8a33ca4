"""A second user: reads one path at a steady pace while something heavy goes on, and says how long it
took."""

import socket
import threading
import time

from support import object_path, scene_path

PAUSE = 0.004


class Pace:
    """with Pace(server, scene) as pace: …; then pace.p99() in seconds. `key`: an object of the scene,
    which is read instead of that."""

    def __init__(self, server, scene, headers="", key=None):
        path = object_path(scene, key) if key else scene_path(scene)
        self.request = f"GET {path} HTTP/1.1\r\nHost: localhost\r\n{headers}\r\n".encode()
        self.server, self.times, self.failures = server, [], []
        self.ended = threading.Event()
        self.thread = threading.Thread(target=self.run, daemon=True)

    def run(self):
        with socket.create_connection(("127.0.0.1", self.server.http_port), 60) as raw:
            raw.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            while not self.ended.is_set():
                began = time.perf_counter()
                raw.sendall(self.request)
                answer = raw.recv(65536)
                self.times.append(time.perf_counter() - began)
                if not answer.startswith(b"HTTP/1.1 200"):
                    self.failures.append(answer[:200])
                    if not answer or b"\r\nConnection: close" in answer:
                        return
                time.sleep(PAUSE)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.ended.set()
        self.thread.join(60)

    def p99(self):
        return sorted(self.times)[int(len(self.times) * 0.99)]

    def __str__(self):
        times = sorted(self.times)
        return (f"{len(times)} reads: p50 {1000 * times[len(times) // 2]:.1f} ms, "
                f"p99 {1000 * self.p99():.1f} ms, worst {1000 * times[-1]:.1f} ms")
