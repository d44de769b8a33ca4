"""A reader of server-sent events that knows the standard and nothing of this server."""

import json
import socket
import time


class Event:
    """One event, or a comment: then `name` is None and `data` its words."""

    def __init__(self, name, id_, data):
        self.name, self.id, self.data = name, id_, data

    @property
    def body(self):
        return json.loads(self.data)

    def __repr__(self):
        return f"{self.name} {self.id} {self.data[:200]}"


class EventStream:
    """A stream as it comes. `receive_bytes` bounds what the kernel takes for a reader that stalls."""

    def __init__(self, server, target, headers=None, method="GET", receive_bytes=None):
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        if receive_bytes:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_bytes)
        self.socket.settimeout(20)
        self.socket.connect(("127.0.0.1", server.http_port))
        lines = [f"{method} {target} HTTP/1.1", "Host: 127.0.0.1", "Accept: text/event-stream"]
        lines += [f"{name}: {value}" for name, value in (headers or {}).items()]
        self.socket.sendall(("\r\n".join(lines) + "\r\n\r\n").encode())
        self.left, self.has_ended = b"", False
        head = self.until(b"\r\n\r\n").decode("latin-1").split("\r\n")
        self.status = int(head[0].split(" ")[1])
        self.headers = dict(line.split(": ", 1) for line in head[1:] if line)

    def until(self, mark, deadline=20.0):
        """What comes up to the mark; None where the stream ends before it."""
        end = time.monotonic() + deadline
        while mark not in self.left:
            left = end - time.monotonic()
            if left <= 0:
                raise AssertionError(f"nothing more came within {deadline} s")
            self.socket.settimeout(left)
            try:
                more = self.socket.recv(262144)
            except TimeoutError:
                continue
            except ConnectionResetError:
                more = b""
            if not more:
                self.has_ended = True
                return None
            self.left += more
        found, self.left = self.left.split(mark, 1)
        return found

    def any(self, deadline=20.0):
        """The next event or comment; None at the end of the stream."""
        block = self.until(b"\n\n", deadline)
        if block is None:
            return None
        fields = {}
        for line in block.decode().split("\n"):
            name, _, value = line.partition(": ")
            assert name in ("", "event", "id", "data") and name not in fields, block[:300]
            fields[name] = value
        if "" in fields:
            return Event(None, None, fields[""])
        return Event(fields["event"], fields.get("id"), fields["data"])

    def next(self, deadline=20.0):
        """The next event that is no comment; None at the end of the stream."""
        while True:
            event = self.any(deadline)
            if event is None or event.name:
                return event

    def snapshot(self):
        event = self.next()
        assert event and event.name == "snapshot", event
        return event.body

    def change(self):
        event = self.next()
        assert event and event.name == "change", event
        return event.body

    def rest(self, deadline=20.0):
        """All events up to the end of the stream."""
        found = []
        while (event := self.next(deadline)) is not None:
            found.append(event)
        return found

    def content(self):
        """The whole body, of an answer that is no stream."""
        while self.until(b"\0") is not None:
            pass
        return self.left

    def close(self):
        self.socket.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()
