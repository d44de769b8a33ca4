"""Thousands of generated requests, right and wrong, on connections that stay: no answer is a failure
of the server, and every answer keeps what /openapi.json declares of its status, headers and body.

20,000 requests (a fifth of sanitized programs); 1,000,000 with DIORAMA_LONG=1. DIORAMA_SEED repeats a run: each worker asks the same
things in the same order, but for the keys that the server makes. Every body is checked in full.
"""

import collections
import itertools
import multiprocessing
import os
import socket
import sys
import time
import traceback

import fastjsonschema

import examples
from contract import Answer, Interface
from examples import WITH_ACCOUNTS, World
from generator import Generator
from support import LONG, Client, Server, is_sanitized

REQUESTS = 1_000_000 if LONG else 20_000 // (5 if is_sanitized() else 1)
WORKERS = 4
ALONE = WORKERS * 1_000_000  # the number of one whose names nobody else has
SEED = int(os.environ.get("DIORAMA_SEED", "20261121"))
FAILURES_SHOWN = 5
# Beside other work a hash of a password takes seconds, and several wait: how long it takes is no part of
# the contract.
DEADLINE_S = 60
FORMATS = ("int64", "double", "binary", "password")  # say nothing of texts
# What a spoilt path may lead to instead of its operation, and a spoilt request line to any.
ELSEWHERE = (404, 405)
# 409 where PUB has no key, and no folder is for backups, as here: rotation_test, backup_test.
NOT_HERE = {"pubKeyRotate", "backupCreate", "backupList"} | WITH_ACCOUNTS


def make_validator(document, schema):
    """References as fastjsonschema follows them."""
    whole = {**schema, "components": {"schemas": document["components"]["schemas"]}}
    return fastjsonschema.compile(whole, formats=dict.fromkeys(FORMATS, ""))


class Connection:
    """Keep-alive HTTP with no more to it than the test needs."""

    def __init__(self, port):
        self.port, self.socket, self.left = port, None, b""

    def close(self):
        if self.socket:
            self.socket.close()
        self.socket, self.left = None, b""

    def more(self):
        data = self.socket.recv(262144)
        if not data:
            raise ConnectionResetError("the server closed the connection")
        self.left += data

    def receive(self):
        while b"\r\n\r\n" not in self.left:
            self.more()
        head, self.left = self.left.split(b"\r\n\r\n", 1)
        first, *lines = head.decode("latin-1").split("\r\n")
        headers = dict(line.split(": ", 1) for line in lines)
        status = int(first.split(" ", 2)[1])
        size = int(headers.get("Content-Length", 0))
        while len(self.left) < size:
            self.more()
        content, self.left = self.left[:size], self.left[size:]
        if headers.get("Connection") == "close":
            self.close()
        return Answer(status, headers, content)

    def ask(self, request):
        """One answer; a connection that the server closed while it was idle is made again."""
        for is_last in (False, True):
            is_fresh = self.socket is None
            if is_fresh:
                self.socket = socket.create_connection(("127.0.0.1", self.port), DEADLINE_S + 30)
                self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            try:
                self.socket.sendall(request)
                return self.receive()
            except (BrokenPipeError, ConnectionResetError):
                self.close()
                if is_last or is_fresh:
                    raise
        raise AssertionError


def to_bytes(method, target, headers, body):
    lines = [f"{method} {target} HTTP/1.1", "Host: 127.0.0.1"]
    lines += [f"{name}: {value}" for name, value in headers.items()]
    if body is not None:
        lines.append(f"Content-Length: {len(body)}")
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + (body or b"")


def check(interface, operation, answer, is_right):
    assert answer.status < 500, "the server failed"
    if not is_right and answer.status in ELSEWHERE:
        assert answer.err_code in (102, 141), "no problem"
        return
    interface.check(operation, answer)


class Address:
    """As much of a server as examples.py asks for."""

    def __init__(self, http_port):
        self.http_port = http_port


def work(content, port, number, count, results, first=None):
    """One worker: its requests one after the other, its findings into `results`. It begins with the
    operations of the names `first`, without them with its share of all; `count` None: no more."""
    interface = Interface(content, make_validator)
    server = Address(port)
    examples.NUMBERS = itertools.count(number, WORKERS)  # names of each worker are its own
    generator = Generator(interface, SEED + number, f"w{number}", lambda: World(server),
                          interface.operations[number::WORKERS] if first is None else
                          [each for each in interface.operations if each.of in first])
    connection = Connection(port)
    seen, failures = collections.Counter(), []
    for _ in range(count or len(generator.examples)):
        operation, path, target, headers, body, is_right = generator.next()
        request = to_bytes(operation.method, target, headers, body)
        answer = None
        try:
            answer = connection.ask(request)
            check(interface, operation, answer, is_right)
            if answer.status == 200 and is_right:
                generator.learn(operation, path, answer)
        except Exception as wrong:
            failures.append(f"{operation}\n  {request[:1500]!r}\n  {answer}\n  {wrong}"[:4000])
            if len(failures) == FAILURES_SHOWN:
                break
            connection.close()
            continue
        seen[operation.of, answer.status] += 1
    results.put((seen, failures))


def work_or_tell(content, port, number, count, results):
    """The same; how it broke off is a finding, so that nobody waits for it."""
    try:
        work(content, port, number, count, results)
    except BaseException:
        results.put((collections.Counter(), [traceback.format_exc()]))
        raise


def run(content, port):
    results = multiprocessing.Queue()
    workers = [multiprocessing.Process(target=work_or_tell, daemon=True, args=(
        content, port, number, REQUESTS // WORKERS, results)) for number in range(WORKERS)]
    for worker in workers:
        worker.start()
    seen, failures = collections.Counter(), []
    for _ in workers:
        more, failed = results.get(timeout=7200 if LONG else 600)
        seen += more
        failures += failed
    for worker in workers:
        worker.join()
    return seen, failures


def main():
    server = Server(scene_actors=3, http_deadline=DEADLINE_S * 1000).start()
    with Client(server) as client:
        content = client.get("/openapi.json").content
    began = time.monotonic()
    seen, failures = run(content, server.http_port)
    took = time.monotonic() - began
    statuses = collections.Counter()
    for (_, status), count in seen.items():
        statuses[status] += count
    print(f"seed {SEED}: {sum(seen.values())} answers in {took:.1f} s, {dict(sorted(statuses.items()))}")
    for failure in failures:
        print(f"--- {failure}")
    assert not failures, f"{len(failures)} answers break the contract (seed {SEED})"
    never = {operation.of for operation in Interface(content, None).operations} - NOT_HERE
    never -= {name for name, status in seen if status == 200}
    results = multiprocessing.Queue()
    for number, name in enumerate(sorted(never)):  # others may have deleted what it is about
        work(content, server.http_port, ALONE + number, None, results, [name])
        seen, failures = results.get(timeout=60)
        assert not failures, failures
        never -= {name for name, status in seen if status == 200}
    assert not never, f"never asked with success: {never}"
    with Client(server) as client:
        assert client.get("/readyz").status == 200
    code, _ = server.stop()
    assert code == 0, server.log_tail()
    server.end()
    return 0


if __name__ == "__main__":
    sys.exit(main())
