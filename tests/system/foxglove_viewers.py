"""Two kinds of viewers: the package that Lichtblick uses (foxglove/viewer.mjs, needs node and npm), and
a raw WebSocket that says what it is told to, right or wrong."""

import base64
import hashlib
import json
import os
import shutil
import socket
import struct
import subprocess
import tempfile

from console_browser import CACHE
from support import wait_until

HERE = os.path.dirname(os.path.abspath(__file__))
PLACE = os.path.join(HERE, "foxglove")
PROTOCOL, SDK = "foxglove.websocket.v1", "foxglove.sdk.v1"
TEXT, BINARY, CLOSE, PING, PONG = 1, 2, 8, 9, 10
GUID = b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11"


def fetch():
    """The folder with the packages of the lock file; raises OSError or SubprocessError."""
    with open(os.path.join(PLACE, "package-lock.json"), "rb") as lock:
        folder = os.path.join(CACHE, f"foxglove-{hashlib.sha256(lock.read()).hexdigest()[:12]}")
    if not os.path.isdir(os.path.join(folder, "node_modules")):
        os.makedirs(CACHE, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=CACHE) as place:
            for name in ("package.json", "package-lock.json", ".npmrc"):
                shutil.copy(os.path.join(PLACE, name), place)
            subprocess.run(["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--fetch-retries=1",
                            "--fetch-timeout=20000"], cwd=place, check=True, timeout=180,
                           stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            shutil.copytree(place, folder, dirs_exist_ok=True)
    return folder


def why_not():
    """Why the packages cannot be had, or ''."""
    missing = [name for name in ("node", "npm") if not shutil.which(name)]
    if missing:
        return f"there is no {missing[0]}"
    try:
        fetch()
    except (OSError, subprocess.SubprocessError) as failure:
        return f"npm did not fetch the packages: {failure}"
    return ""


class Viewer:
    """What the package has taken, judged message by message."""

    def __init__(self, port, path="", protocol=PROTOCOL):
        self.process = subprocess.Popen(
            ["node", os.path.join(PLACE, "viewer.mjs"), fetch(), f"ws://127.0.0.1:{port}/{path}", protocol],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ask(self, **command):
        self.process.stdin.write(json.dumps(command) + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        assert line, f"the viewer ended: {self.process.wait(10)}"
        return json.loads(line)

    def subscribe(self, *topics):
        self.ask(do="subscribe", topics=list(topics) or None)
        return self

    def part(self, name):
        """What it knows of one kind of thing; nothing that it was sent was wrong."""
        known = self.ask(do="state", only=[name, "errors"])
        assert known["errors"] == [], known["errors"][:3]
        return known[name]

    def await_part(self, name, predicate, what, deadline=20):
        wait_until(lambda: predicate(self.part(name)), deadline, f"{what} in {name}")
        return self.part(name)

    def close(self):
        self.process.stdin.close()
        self.process.wait(30)
        self.process.stdout.close()


class RawViewer:
    """A WebSocket by hand."""

    def __init__(self, port, path="/", headers=None, protocol=PROTOCOL, receive_bytes=None, opens=True):
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        if receive_bytes:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_bytes)
        self.socket.settimeout(20)
        self.socket.connect(("127.0.0.1", port))
        self.left = b""
        self.key = base64.b64encode(os.urandom(16)).decode()
        lines = [f"GET {path} HTTP/1.1"]
        fields = {"Host": f"127.0.0.1:{port}", "Upgrade": "websocket", "Connection": "keep-alive, Upgrade",
                  "Sec-WebSocket-Version": "13", "Sec-WebSocket-Key": self.key,
                  "Sec-WebSocket-Protocol": protocol, **(headers or {})}
        lines += [f"{name}: {value}" for name, value in fields.items() if value is not None]
        self.head = ("\r\n".join(lines) + "\r\n\r\n").encode()
        if opens:
            self.socket.sendall(self.head)
            self.read_answer()

    def read_answer(self):
        head = b""
        while b"\r\n\r\n" not in head:
            more = self.socket.recv(65536)
            if not more:
                break
            head += more
        head, _, self.left = head.partition(b"\r\n\r\n")
        lines = head.decode().split("\r\n")
        self.status = int(lines[0].split(" ")[1]) if head else None
        self.headers = dict(line.split(": ", 1) for line in lines[1:])
        return self

    def accept(self):
        return base64.b64encode(hashlib.sha1(self.key.encode() + GUID).digest()).decode()

    def send(self, opcode, payload=b"", final=True, masked=True, length=None, reserved=0):
        size = len(payload) if length is None else length
        head = bytes([final << 7 | reserved << 4 | opcode])
        mark = masked << 7
        head += (bytes([mark | size]) if size < 126 else struct.pack("!BH", mark | 126, size) if size < 65536
                 else struct.pack("!BQ", mark | 127, size))
        mask = os.urandom(4) if masked else b""
        data = bytes(byte ^ mask[i % 4] for i, byte in enumerate(payload)) if masked else payload
        self.socket.sendall(head + mask + data)

    def say(self, **message):
        self.send(TEXT, json.dumps(message).encode())

    def take(self, count):
        while len(self.left) < count:
            more = self.socket.recv(262144)
            if not more:
                raise EOFError
            self.left += more
        taken, self.left = self.left[:count], self.left[count:]
        return taken

    def frame(self):
        """The next frame as (opcode, payload); None at the end."""
        try:
            first, size = self.take(2)
            assert first & 0x80 and not size & 0x80, "whole and without a mask"
            if size == 126:
                size = struct.unpack("!H", self.take(2))[0]
                assert size >= 126
            elif size == 127:
                size = struct.unpack("!Q", self.take(8))[0]
                assert size > 65535
            return first & 0xf, self.take(size)
        except (EOFError, ConnectionResetError):
            return None

    def until(self, opcode):
        """The payload of the next frame of a kind."""
        while (frame := self.frame()) is not None:
            if frame[0] == opcode:
                return frame[1]
        return None

    def until_op(self, op):
        """The next text message of an `op`."""
        while (text := self.until(TEXT)) is not None:
            message = json.loads(text)
            if message["op"] == op:
                return message
        return None

    def closed(self):
        """The status of the close that comes, None where the connection ends without one."""
        payload = self.until(CLOSE)
        return struct.unpack("!H", payload)[0] if payload else None

    def close(self):
        self.socket.close()
