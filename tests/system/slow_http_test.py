"""Slow headers, slow bodies, slow readers: 1,000 attackers at a time.

slowhttptest attacks; meanwhile good clients ask, on fresh and on kept connections, and one sends a
large body slowly but steadily. How long an attacker stays is read from the kernel's own table.
"""

import shutil
import socket
import subprocess
import sys
import threading
import time
import unittest
from collections import namedtuple

from support import LONG, ServerCase, is_sanitized, scene_path, wait_until

ATTACKERS, RATE = 1000, 200  # connections, new ones a second
SECONDS = 60 if LONG else 17
GOOD_CLIENTS, PAUSE = 6, 0.02
SERVED, P99, CUT_WITHIN = 0.999, 0.25, 15.0
CALM_SECONDS = 1.5

# Of the kernel's table: sockets that both sides may still use, or that only the client has closed.
OPEN_STATES = ("01", "08")
BODY_BYTES, BODY_SECONDS = 900_000, 9.0

Attack = namedtuple("Attack", "options path")
ATTACKS = {
    "header": Attack("-H -i 3 -t GET", "/livez"),
    "body": Attack("-B -i 3 -t POST -s 8192 -f application/json", "/v1/scene/query"),
    "read": Attack("-X -t GET -w 512 -y 1024 -n 2 -z 32 -k 3", scene_path("large")),
}


def percentile(times, share):
    return sorted(times)[int(len(times) * share)]


class Lifetimes(threading.Thread):
    """How long each connection to a port was seen, by the client's port."""

    def __init__(self, port):
        super().__init__(daemon=True)
        self.port = f"{port:04X}"
        self.open_since, self.longest_by_port = {}, {}
        self.ended = threading.Event()

    def look(self):
        now, before = time.monotonic(), self.open_since
        self.open_since = {}
        with open("/proc/net/tcp") as table:
            for row in table:
                local, peer, state = row.split()[1:4]
                if local.endswith(":" + self.port) and state in OPEN_STATES:
                    client = int(peer.split(":")[1], 16)
                    since = self.open_since[client] = before.get(client, now)
                    self.longest_by_port[client] = max(now - since,
                                                       self.longest_by_port.get(client, 0.0))

    def run(self):
        while not self.ended.wait(0.1):
            self.look()

    def of_others(self, ports):
        return [life for port, life in self.longest_by_port.items() if port not in ports]


class GoodClient(threading.Thread):
    """Asks again and again, on one connection as long as it lasts or on a new one each time."""

    REQUEST = b"GET /v1/scene/home HTTP/1.1\r\nHost: localhost\r\n\r\n"

    def __init__(self, server, fresh, ended):
        super().__init__(daemon=True)
        self.address = ("127.0.0.1", server.http_port)
        self.fresh, self.ended = fresh, ended
        self.raw = None
        self.times, self.failures, self.ports = [], [], set()

    def ask(self):
        if not self.raw:
            self.raw = socket.create_connection(self.address, 10)
            self.ports.add(self.raw.getsockname()[1])
        self.raw.sendall(self.REQUEST)
        answer = self.raw.recv(65536)
        if not answer.startswith(b"HTTP/1.1 200"):
            raise OSError(f"answer {answer[:100]!r}")
        if self.fresh or b"Connection: close" in answer:
            self.leave()

    def leave(self):
        if self.raw:
            self.raw.close()
        self.raw = None

    def run(self):
        while not self.ended.wait(PAUSE):
            began = time.perf_counter()
            try:
                self.ask()
                self.times.append(time.perf_counter() - began)
            except OSError as failure:
                self.failures.append(str(failure))
                self.leave()
        self.leave()


class SteadySender(threading.Thread):
    """An honest client behind a slow line: a large body at a pace that is allowed."""

    def __init__(self, server):
        super().__init__(daemon=True)
        self.raw = socket.create_connection(("127.0.0.1", server.http_port), 30)
        self.ports = {self.raw.getsockname()[1]}
        self.answer = b""

    def run(self):
        body = b'{"scenes":[{"name":"steady"}]}'.ljust(BODY_BYTES)
        parts = 200
        with self.raw:
            self.raw.sendall(b"PUT /v1/scene/steady HTTP/1.1\r\nHost: localhost\r\n"
                             b"Content-Length: %d\r\n\r\n" % BODY_BYTES)
            for part in range(parts):
                self.raw.sendall(body[part * BODY_BYTES // parts:(part + 1) * BODY_BYTES // parts])
                time.sleep(BODY_SECONDS / parts)
            self.answer = self.raw.recv(65536)


@unittest.skipUnless(shutil.which("slowhttptest"), "slowhttptest is not installed")
class SlowHttp(ServerCase, unittest.TestCase):
    def setUp(self):
        super().setUp()
        self.client.put_scene("home", name="home")
        # More than a reader's window and the kernel's buffers hold: a worker has to wait.
        self.client.put_scene("large", tags=[f"{n:04d}" * 1000 for n in range(64)])

    def start_attack(self, attack, seconds):
        command = ["slowhttptest", "-c", str(ATTACKERS), "-r", str(RATE), "-l", str(seconds),
                   "-p", "3", *attack.options.split(),
                   "-u", f"http://127.0.0.1:{self.server.http_port}{attack.path}"]
        attacker = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                    stderr=subprocess.DEVNULL)
        self.addCleanup(lambda: attacker.poll() is None and attacker.kill())
        return attacker

    def attack(self, attack):
        """The program ends when all of its connections have been cut: it is started again."""
        until = time.monotonic() + SECONDS
        while (left := round(until - time.monotonic())) > 0:
            self.start_attack(attack, left).wait(left + 30)

    def usual_p99(self):
        """What a good client sees on this machine without an attack."""
        ended = threading.Event()
        client = GoodClient(self.server, True, ended)
        client.start()
        time.sleep(CALM_SECONDS)
        ended.set()
        client.join()
        return percentile(client.times, 0.99)

    def suffer(self, name):
        ended = threading.Event()
        lifetimes = Lifetimes(self.server.http_port)
        steady = SteadySender(self.server)
        clients = [GoodClient(self.server, number % 2 == 0, ended)
                   for number in range(GOOD_CLIENTS)]
        for thread in (lifetimes, steady, *clients):
            thread.start()
        self.attack(ATTACKS[name])
        lifetimes.ended.set()
        ended.set()
        for thread in (lifetimes, steady, *clients):
            thread.join()
        return lifetimes, steady, clients

    def check(self, name):
        usual = self.usual_p99()
        lifetimes, steady, clients = self.suffer(name)
        times = [time for client in clients for time in client.times]
        failures = [failure for client in clients for failure in client.failures]
        lives = lifetimes.of_others(set.union(steady.ports, *(client.ports for client in clients)))
        attackers, longest = len(lives), max(lives)
        served = len(times) / (len(times) + len(failures))
        p99 = percentile(times, 0.99)
        print(f"\n{name}: {attackers} attackers, the longest for {longest:.1f} s; "
              f"{len(times)} requests, {100 * served:.2f} % served, p99 {1000 * p99:.1f} ms "
              f"(without attack {1000 * usual:.1f} ms), slowest {1000 * max(times):.1f} ms")
        # A fast attacker may come and go between two looks at the table.
        self.assertGreater(attackers, ATTACKERS * 0.5, "there was no attack")
        wait_until(self.server.is_ready, 20, "readiness after the attack")
        if is_sanitized():
            return
        self.assertGreater(len(times), 20 * SECONDS, "the good clients asked too little")
        self.assertGreaterEqual(served, SERVED, failures[:5])
        # A machine that is busy with other things is slower without any attack as well.
        self.assertLessEqual(p99, max(P99, 3 * usual))
        self.assertLessEqual(longest, CUT_WITHIN)
        self.assertTrue(steady.answer.startswith(b"HTTP/1.1 200"), steady.answer[:200])

    def test_slow_headers(self):
        self.check("header")

    def test_slow_bodies(self):
        self.check("body")

    def test_slow_readers(self):
        self.check("read")


def main():
    """Each attack has a server of its own, and all are at the same time: most of each is waiting."""
    attacks = [subprocess.Popen([sys.executable, *sys.argv, f"SlowHttp.test_slow_{name}"])
               for name in ("headers", "bodies", "readers")]
    return any([attack.wait() for attack in attacks])


if __name__ == "__main__":
    sys.exit(unittest.main() if len(sys.argv) > 1 else main())
