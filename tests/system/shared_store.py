"""What tests of servers on a PostgreSQL of their own have in common: a cluster for a class, writers
that note what was said of each write, and a way to the database that can be shut."""

import http.client
import itertools
import os
import signal
import socket
import tempfile
import threading
import time

import database
from support import Client, Server, ServerCase, objects, wait_until

CONNECTION_LOST = (OSError, http.client.HTTPException)
NOTHING_WRITTEN = "nothing was written"
WRITERS = 6


class Writer:
    """Puts objects of its own, each once, to whichever server takes them; notes what was said."""

    numbers = itertools.count()  # no two writers, also of two rounds, have names in common

    def __init__(self, servers, scene, timeout):
        self.servers, self.scene, self.timeout = servers, scene, timeout
        self.number = next(self.numbers)
        self.acknowledged, self.unwritten, self.unsure = set(), set(), set()
        self.counter = itertools.count()
        self.ended = threading.Event()
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()

    def run(self):
        for server in itertools.cycle(self.servers):
            if self.ended.is_set():
                return
            try:
                with Client(server, timeout=self.timeout) as client:
                    while not self.ended.is_set() and self.step(client):
                        pass
            except CONNECTION_LOST:
                pass
            time.sleep(0.02)

    def step(self, client):
        """Whether this server takes writes."""
        name = f"{self.number}-{next(self.counter)}"
        self.unsure.add(name)
        answer = client.post(f"/v1/scene/{self.scene}/object/", objects({"name": name}))
        is_unwritten = NOTHING_WRITTEN in answer.text or "stands by" in answer.text
        if answer.status == 200:
            self.acknowledged.add(name)
        elif is_unwritten:
            self.unwritten.add(name)
        if answer.status == 200 or is_unwritten:
            self.unsure.discard(name)
        return answer.status == 200

    def end(self):
        self.ended.set()
        self.thread.join()


class Gate:
    """A way to a database that can be shut: nothing passes then, and nobody is told. It shuts itself
    before what `holds` says of bytes on their way to the database, once."""

    def __init__(self, folder, holds=lambda sent: False):
        self.target = os.path.join(folder, ".s.PGSQL.5432")
        self.holds = holds
        self.is_held = threading.Event()
        self.folder = tempfile.mkdtemp(prefix="diorama-gate-")
        self.is_open = threading.Event()
        self.is_open.set()
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(os.path.join(self.folder, ".s.PGSQL.5432"))
        self.listener.listen(64)
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                near, _ = self.listener.accept()
            except OSError:
                return
            far = socket.socket(socket.AF_UNIX)
            far.connect(self.target)
            for source, sink in ((near, far), (far, near)):
                threading.Thread(target=self.relay, args=(source, sink, sink is far), daemon=True).start()

    def relay(self, source, sink, is_sent):
        try:
            while data := source.recv(65536):
                if is_sent and not self.is_held.is_set() and self.holds(data):
                    self.is_open.clear()
                    self.is_held.set()
                self.is_open.wait()
                sink.sendall(data)
        except OSError:
            pass
        for end in (source, sink):
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

    def shut(self):
        self.is_open.clear()

    def open(self):
        self.is_open.set()

    def close(self):
        self.listener.close()
        self.is_open.set()


def stop_process(process):
    """Until each of its threads has stopped: what comes after that it has not seen."""
    folder = f"/proc/{process.pid}/task"
    process.send_signal(signal.SIGSTOP)

    def is_stopped(thread):
        with open(f"{folder}/{thread}/stat") as stat:
            return stat.read().rpartition(")")[2].split()[0] == "T"

    wait_until(lambda: all(is_stopped(thread) for thread in os.listdir(folder)), what="a stop")


class WritingCase(ServerCase):
    """Has writers, and compares what they were told with what is there."""

    flags = None

    def writers(self, *servers, timeout=2):
        found = [Writer(servers, self.scene, timeout) for _ in range(WRITERS)]
        self.addCleanup(lambda: [writer.end() for writer in found])
        self.await_writes(found)
        return found

    def await_writes(self, writers, more=20):
        goals = [len(writer.acknowledged) + more for writer in writers]
        wait_until(lambda: all(len(writer.acknowledged) >= goal
                               for writer, goal in zip(writers, goals)), what="writes")

    def check_writes(self, writers, records):
        """Nothing that was acknowledged is missing, nothing is there that was called unwritten."""
        found = {record["name"] for record in records}
        for writer in writers:
            self.assertEqual(writer.acknowledged - found, set(), "acknowledged and lost")
            self.assertEqual(writer.unwritten & found, set(), "called unwritten and there")


class ClusterCase(WritingCase):
    """One cluster for the class, one database for each test."""

    @classmethod
    def setUpClass(cls):
        cls.cluster = cls.make_cluster().start()
        cls.addClassCleanup(cls.cluster.end)
        super().setUpClass()

    @classmethod
    def make_cluster(cls):
        return database.Cluster()

    def setUp(self):
        super().setUp()
        self.uri = self.cluster.create()

    def server_on(self, uri=None, **flags):
        server = Server(**{"store_uri": uri or self.uri, "store_allow_async": "true", **flags})
        self.addCleanup(server.end)
        return server

    def gate(self, *holds):
        """A gate before the database of the test; its URI."""
        gate = Gate(self.cluster.folder, *holds)
        self.addCleanup(gate.close)
        name = self.uri.partition("?")[0].rpartition("/")[2]
        return gate, database.database_uri(gate.folder, name)

    def why_not_ready(self, server):
        try:
            with Client(server, timeout=2) as client:
                answer = client.get("/readyz")
                return None if answer.status == 200 else answer.body["detail"]
        except CONNECTION_LOST:
            return None

    def stands_by(self, server):
        return "stands by" in (self.why_not_ready(server) or "")
