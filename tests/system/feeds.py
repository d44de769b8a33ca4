"""The listeners of the live feed: a device's UDP socket and a ZeroMQ subscriber."""

import json
import socket
import threading
import time
from collections import namedtuple

import msgpack
import zmq
import zmq.auth

Datagram = namedtuple("Datagram", "time content")
Message = namedtuple("Message", "time topic header body")

SO_RCVBUFFORCE = 33


class Inbox:
    """What a reader thread has received, in order; others wait for what they need."""

    def __init__(self):
        self.items = []
        self.changed = threading.Condition()

    def add(self, item):
        with self.changed:
            self.items.append(item)
            self.changed.notify_all()

    def wait_for(self, predicate, deadline, what):
        """The first item for which predicate(item) is true."""
        end = time.monotonic() + deadline
        seen = 0
        with self.changed:
            while True:
                for item in self.items[seen:]:
                    if predicate(item):
                        return item
                seen = len(self.items)
                left = end - time.monotonic()
                if left <= 0:
                    raise AssertionError(f"{what} did not arrive within {deadline} s; "
                                         f"the last of {seen}: {self.items[-3:]}")
                self.changed.wait(left)


class UdpDevice:
    """A device: a bound socket with a large buffer, and a thread that keeps what arrives."""

    def __init__(self, key, address="127.0.0.1", buffer_bytes=64 << 20):
        self.key = key
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        try:
            self.socket.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, buffer_bytes)
        except PermissionError:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, buffer_bytes)
        self.socket.bind((address, 0))
        self.address, self.port = self.socket.getsockname()
        self.inbox = Inbox()
        self.thread = threading.Thread(target=self.receive, daemon=True)
        self.thread.start()

    def receive(self):
        while True:
            try:
                content = self.socket.recv(65536)
            except OSError:
                return
            if not content:
                return  # the empty datagram of close()
            self.inbox.add(Datagram(time.time(), content))

    def record(self, **members):
        """The device record that registers this socket."""
        return {"key": self.key, "hostname": self.address, "port": self.port, **members}

    def events(self):
        return [json.loads(datagram.content) for datagram in list(self.inbox.items)]

    def wait_for(self, predicate, deadline=20.0, what="the event"):
        found = self.inbox.wait_for(lambda d: predicate(json.loads(d.content)), deadline, what)
        return json.loads(found.content)

    def send(self, server, message):
        content = message if isinstance(message, bytes) else json.dumps(message).encode()
        self.socket.sendto(content, ("127.0.0.1", server.udp_port))

    def drops(self):
        """How many datagrams the kernel dropped, since this process did not read in time."""
        with open("/proc/net/udp") as table:
            return sum(int(line.split()[12]) for line in list(table)[1:]
                       if line.split()[1].endswith(f":{self.port:04X}"))

    def challenges(self):
        return [json.loads(datagram.content)["challenge"] for datagram in list(self.inbox.items)
                if datagram.content.startswith(b'{"msg_type":61,')]

    def answered_hello(self, server, token):
        """The challenge that answers a HELLO; said again, as the registration may not be known yet."""
        before = len(self.challenges())
        end = time.monotonic() + 20
        while len(self.challenges()) == before:
            assert time.monotonic() < end, "no answer to HELLO"
            self.send(server, hello(token))
            time.sleep(0.1)
        return self.challenges()[before]

    def echo(self, server, token, challenge):
        self.send(server, {"msg_type": 62, "token": token, "challenge": challenge})

    def prove(self, server, token):
        """Returns when the feed of the registration goes here: what comes later is handled later."""
        self.echo(server, token, self.answered_hello(server, token))
        self.answered_hello(server, token)

    def close(self):
        """The reader wakes by an empty datagram: closing alone would leave it waiting."""
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as waker:
            waker.sendto(b"", (self.address, self.port))
        self.thread.join(5)
        self.socket.close()


class Subscriber:
    """Everything that PUB says; ready once the first message (at latest a heartbeat) is in."""

    def __init__(self, server, keys=()):
        """`keys`: the files of our secret and of the server's public key, for CURVE."""
        self.context = zmq.Context()
        self.socket = self.context.socket(zmq.SUB)
        if keys:
            ours, theirs = (zmq.auth.load_certificate(file) for file in keys)
            self.socket.curve_publickey, self.socket.curve_secretkey = ours
            self.socket.curve_serverkey = theirs[0]
        self.socket.setsockopt(zmq.RCVHWM, 0)
        self.socket.setsockopt(zmq.LINGER, 0)
        self.socket.setsockopt(zmq.SUBSCRIBE, b"")
        self.socket.setsockopt(zmq.RCVTIMEO, 100)
        self.socket.connect(f"tcp://127.0.0.1:{server.pub_port}")
        self.inbox = Inbox()
        self.ended = threading.Event()
        self.thread = threading.Thread(target=self.receive, daemon=True)
        self.thread.start()
        self.inbox.wait_for(lambda message: True, 10.0, "the first heartbeat")

    def receive(self):
        while not self.ended.is_set():
            try:
                frames = self.socket.recv_multipart()
            except zmq.Again:
                continue
            unpacked = [msgpack.unpackb(frame, raw=False) for frame in frames[1:]]
            header, body = (unpacked + [None, None])[:2]
            self.inbox.add(Message(time.time(), frames[0].decode(), header, body))

    def events(self, scene):
        """The messages of one scene, in order of arrival."""
        return [message for message in list(self.inbox.items)
                if message.topic.startswith("scene.") and message.header["scene"] == scene]

    def wait_for(self, predicate, deadline=20.0, what="the message"):
        return self.inbox.wait_for(predicate, deadline, what)

    def close(self):
        self.ended.set()
        self.thread.join(5)
        self.socket.close()
        self.context.term()


def hello(token, size=256):
    return json.dumps({"msg_type": 60, "token": token}).encode().ljust(size)


def gaps(numbers):
    """Where a sequence is not one more than before."""
    return [(a, b) for a, b in zip(numbers, numbers[1:]) if b != a + 1]
