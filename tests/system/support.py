"""A real dioramad, real sockets: what every system test stands on.

Run a file alone:   DIORAMA_BIN=build/bin /usr/bin/python3 tests/system/scenes_test.py
Run all of them:    ctest -L system

DIORAMA_BIN is the folder of dioramad and diorama. DIORAMA_LONG=1 chooses the long form.
DIORAMA_ENGINE=postgres gives each server a database of its own (database.py) instead of RocksDB;
DIORAMA_BLOBS=database with it puts the bytes of assets there too.
"""

import atexit
import fcntl
import http.client
import os
import random
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import unittest

import database
# Not all are used here: tests take them from support.
from client import Client, object_path, objects, scene_path, scenes, unique_members

BIN = os.environ.get("DIORAMA_BIN", "build/bin")
LONG = os.environ.get("DIORAMA_LONG") == "1"
ENGINE = os.environ.get("DIORAMA_ENGINE", "rocks")
BLOBS = os.environ.get("DIORAMA_BLOBS", "folder")
HAS_FILES = ENGINE == "rocks"  # else records are in a database: no backups of ours, no log, no folder to look into
TURN_MS = 250  # of processor time: no actor may be held up for longer
SANITIZER = re.compile(r"ERROR: \w+Sanitizer|WARNING: ThreadSanitizer|runtime error:")
# A committer that reopens the store reads all that RocksDB's log has; nothing could be committed meanwhile.
REOPENING = re.compile(r"^.* store_reopened .*\n.* turn_slow actor=committer.*$", re.MULTILINE)
IDENTITY = [1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0]


def wait_until(predicate, deadline=30.0, what="the condition"):
    """Returns the first true value of predicate(); fails after `deadline` seconds."""
    end = time.monotonic() + deadline
    while True:
        value = predicate()
        if value:
            return value
        if time.monotonic() > end:
            raise AssertionError(f"{what} did not come true within {deadline} s")
        time.sleep(0.005)


def run_together(*functions):
    """Runs each function in a thread, waits for all, raises the first failure."""
    failures = []

    def guarded(function):
        try:
            function()
        except BaseException as failure:
            failures.append(failure)

    threads = [threading.Thread(target=guarded, args=(f,), daemon=True) for f in functions]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        raise failures[0]


def is_sanitized():
    """Such a program is slow: what counts or measures does less of it."""
    libraries = subprocess.run(["ldd", os.path.join(BIN, "dioramad")], capture_output=True,
                               text=True, check=False).stdout
    return any(name in libraries for name in ("libasan", "libubsan", "libtsan"))


# Behind a sanitizer the larger number alone: what it finds does not need both.
SHARD_COUNTS = (3,) if is_sanitized() else (1, 3)
# So it is in the short form of tests that take long.
LONG_SHARD_COUNTS = SHARD_COUNTS if LONG else (3,)


class Ports:
    """Numbers that no other test of this machine takes meanwhile: byte N of one file is port N, and
    who locks it has the port. Without this a test could speak to the server of another one that was
    faster to bind."""

    file = None
    taken = set()
    one_thread = threading.Lock()

    @classmethod
    def take(cls):
        """A number that is free as TCP port and as UDP port, below the range of outgoing sockets."""
        with cls.one_thread:
            return cls.take_alone()

    @classmethod
    def take_alone(cls):
        if cls.file is None:
            path = os.path.join(tempfile.gettempdir(), f"diorama-ports.{os.getuid()}")
            cls.file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        while True:
            port = random.randint(15000, 32000)
            if port in cls.taken:
                continue
            try:
                fcntl.lockf(cls.file, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, port)
            except OSError:
                continue
            if cls.is_free(port):
                cls.taken.add(port)
                return port
            fcntl.lockf(cls.file, fcntl.LOCK_UN, 1, port)

    @staticmethod
    def is_free(port):
        try:
            for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM):
                with socket.socket(socket.AF_INET, kind) as probe:
                    probe.bind(("127.0.0.1", port))
            return True
        except OSError:
            return False

    @classmethod
    def give_back(cls, *ports):
        for port in cls.taken.intersection(ports):
            cls.taken.remove(port)
            fcntl.lockf(cls.file, fcntl.LOCK_UN, 1, port)


def free_port():
    """A port for as long as this process runs."""
    return Ports.take()


def free_ports(count):
    """So many of them, all different."""
    return [free_port() for _ in range(count)]


def stolen_seconds():
    """How much of this machine's processors its host has given to others, ever."""
    with open("/proc/stat") as stat:
        return int(stat.readline().split()[8]) / os.sysconf("SC_CLK_TCK")


def excused_turns(stolen_before, seconds):
    """How many turns may have taken so much processor time for a reason of the host. While it takes one
    processor of a virtual machine away, a thread on another that needs an answer of it (to unmap
    memory) works on: so long a turn is nobody's fault. Two of them are let pass where that much time
    was taken."""
    return min(2, int((stolen_seconds() - stolen_before) / seconds))


def needs_files(case):
    """A decorator of tests about the files of the store, backups among them."""
    return unittest.skipUnless(HAS_FILES, "it is about files that RocksDB has")(case)


def needs_folder(case):
    """A decorator of tests that damage the files of assets: copies of what is in a database are fetched again."""
    return unittest.skipUnless(BLOBS == "folder", "it is about files that are no copies")(case)


def engine_flags():
    """Where a server keeps its records."""
    if ENGINE == "rocks":
        return {}
    return {"store_uri": database.create(database.shared_uri()), "store_allow_async": "true",
            "blob_store": BLOBS}


class Server:
    """One dioramad on a data folder of its own. `Server(scene_actors=3)` is --scene.actors=3."""

    alive = set()

    def __init__(self, **flags):
        self.folder = tempfile.mkdtemp(prefix="diorama-system-")
        self.flags = {"data_dir": os.path.join(self.folder, "data"), **engine_flags(), **flags}
        self.process = None
        self.stolen_at_first = self.stolen_before = stolen_seconds()
        self.http_port = self.udp_port = self.pub_port = None
        Server.alive.add(self)

    def copy(self, other):
        """Begins with what another server, which was stopped, has stored."""
        shutil.copytree(other.flags["data_dir"], self.flags["data_dir"])
        if ENGINE != "rocks":
            self.flags["store_uri"] = database.create(other.flags["store_uri"], copy=True)

    def program(self):
        return os.path.join(BIN, "dioramad")

    def launch(self, keeps_ports=False, **flags):
        """Starts the process without waiting. Flags stay for later starts; None removes one."""
        self.flags.update(flags)
        if not keeps_ports:
            Ports.give_back(self.http_port, self.udp_port, self.pub_port)
            self.http_port, self.udp_port, self.pub_port = free_ports(3)
        settings = {
            **self.flags,
            "http_port": self.http_port,
            "udp_port": self.udp_port,
            "pub_endpoint": f"tcp://127.0.0.1:{self.pub_port}",
        }
        arguments = [f"--{key.replace('_', '.', 1)}={value}"
                     for key, value in settings.items() if value is not None]
        self.stolen_before = stolen_seconds()
        with open(self.log_path(), "ab") as log:
            self.process = subprocess.Popen([self.program(), *arguments],
                                            stdin=subprocess.DEVNULL, stdout=log, stderr=log)

    def start(self, deadline=60.0, **flags):
        self.launch(**flags)
        wait_until(self.is_ready, deadline, "readiness")
        return self

    def is_ready(self):
        if self.process.poll() is not None:
            # Between the look and the bind a program that is no test may take a port.
            if "Address already in use" not in self.log_text().rstrip().rpartition("\n")[2]:
                raise AssertionError(f"dioramad ended: {self.process.returncode}\n{self.log_tail()}")
            self.launch()
            return False
        return self.says_ready()

    def says_ready(self):
        try:
            with Client(self, timeout=2) as client:
                return client.get("/readyz").status == 200
        except (OSError, http.client.HTTPException):  # not there yet, or somebody else
            return False

    def is_running(self):
        return self.process is not None and self.process.poll() is None

    def kill(self):
        """SIGKILL, as a power cut would."""
        self.process.kill()
        self.process.wait()

    def await_kill(self, deadline=20.0):
        """Until its plan of faults has killed it; any other end is a failure."""
        code = self.process.wait(deadline)
        assert code == -signal.SIGKILL, f"it was not killed\n{self.log_tail()}"

    def check_store(self):
        """What `dioramad --check-store` says of the data folder, which nobody serves now: its lines,
        and the exit status (0 = it agrees with itself, 3 = it was mended)."""
        where = [f"--{key.replace('_', '.', 1)}={self.flags[key]}"
                 for key in ("data_dir", "store_uri", "store_allow_async") if self.flags.get(key)]
        done = subprocess.run([os.path.join(BIN, "dioramad"), "--check-store", *where], stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, timeout=120, check=False)
        charge = re.compile(r" info charge_(taken|left) ")  # beside a database
        return [line for line in done.stdout.decode().splitlines() if not charge.search(line)], done.returncode

    def stop(self, deadline=20.0):
        """SIGTERM; returns (exit code, seconds that it took)."""
        began = time.monotonic()
        self.process.send_signal(signal.SIGTERM)
        code = self.process.wait(deadline)
        return code, time.monotonic() - began

    def restart(self, **flags):
        """Stops in order, checks the exit code, and starts again on the same data."""
        code, _ = self.stop()
        assert code == 0, f"exit code {code} after SIGTERM\n{self.log_tail()}"
        return self.start(**flags)

    def crash(self, **flags):
        """kill -9, and a new start on the same data."""
        self.kill()
        return self.start(**flags)

    def end(self):
        """Ends the process and removes its folder. A sanitizer's report is a failure, and so is an
        actor that was held up for too long."""
        Server.alive.discard(self)
        if self.is_running():
            self.kill()
        Ports.give_back(self.http_port, self.udp_port, self.pub_port)
        log = self.log_text()
        shutil.rmtree(self.folder, ignore_errors=True)
        report = SANITIZER.search(log)
        assert not report, log[report.start():][:6000]
        limit = TURN_MS * 4 if is_sanitized() else TURN_MS
        slow = [line for line, cpu_ms in re.findall(r"^(.*turn_slow .*cpu_ms=([0-9.]+).*)$", REOPENING.sub("", log),
                                                    re.MULTILINE) if float(cpu_ms) > limit]
        assert len(slow) <= excused_turns(self.stolen_at_first, limit / 1000), \
            f"turns of more than {limit} ms:\n" + "\n".join(slow[:20])

    def log_path(self):
        return os.path.join(self.folder, "log")

    def log_text(self):
        try:
            with open(self.log_path(), errors="replace") as log:
                return log.read()
        except FileNotFoundError:
            return ""

    def log_tail(self):
        ended = self.process.poll() if self.process else None
        log = self.log_text()
        report = SANITIZER.search(log)
        lines = log[report.start():].splitlines()[:60] if report else log.splitlines()[-20:]
        words = "\n".join(lines)
        return f"--- the server's last words (exit code {ended}):\n{words}"

    def resident_bytes(self):
        with open(f"/proc/{self.process.pid}/status") as status:
            return int(re.search(r"VmRSS:\s+(\d+) kB", status.read()).group(1)) * 1024

    def heap_bytes(self):
        """What is resident of its own memory: pages of programs and libraries, which come as they are used, left out."""
        with open(f"/proc/{self.process.pid}/status") as status:
            return int(re.search(r"RssAnon:\s+(\d+) kB", status.read()).group(1)) * 1024

    def peak_bytes(self):
        """The most that was resident since the last call."""
        with open(f"/proc/{self.process.pid}/status") as status:
            peak = int(re.search(r"VmHWM:\s+(\d+) kB", status.read()).group(1)) * 1024
        with open(f"/proc/{self.process.pid}/clear_refs", "w") as refs:
            refs.write("5")
        return peak

    def awaits_delayed_commit(self, family, count=1):
        """A function that waits until a plan of faults (latency=) delays `count` more commits of this
        family: what the last of them writes is staged then, and not durable."""
        line = f"fault_commit_delayed family={family} "
        before = self.log_text().count(line)
        return lambda: wait_until(lambda: self.log_text().count(line) >= before + count,
                                  what=f"a delayed commit of {family}")

    def descriptors(self):
        """How many are open."""
        return len(os.listdir(f"/proc/{self.process.pid}/fd"))

    def threads(self):
        return len(os.listdir(f"/proc/{self.process.pid}/task"))

    def turns_beyond(self, seconds):
        """{actor: how many of its turns took more processor time}; `seconds` is a bound of the
        histogram."""
        name = 'diorama_turn_seconds_%s{clock="cpu",actor="%s"%s}'
        metrics = self.metrics()
        actors = re.findall(r'turn_seconds_count{clock="cpu",actor="([^"]*)"}', "\n".join(metrics))
        return {actor: metrics[name % ("count", actor, "")] -
                metrics[name % ("bucket", actor, f',le="{seconds:g}"')] for actor in actors}

    def slow_turns(self, seconds, *actors):
        """The same of the actors whose names begin so, where there are more than the host explains."""
        slow = {actor: int(turns) for actor, turns in self.turns_beyond(seconds).items()
                if turns and actor.startswith(actors)}
        return slow if sum(slow.values()) > excused_turns(self.stolen_before, seconds) else {}

    def metrics(self, after=None):
        """{'name{label="x"}': number} of /metrics. A request is counted when its answer has left: what
        the client `after` asked before is counted, as its next request follows on its connection."""
        if after:
            text = after.get("/metrics").text
        else:
            with Client(self) as client:
                text = client.get("/metrics").text
        return {name: float(value) for name, value in
                re.findall(r"^([a-z_]+(?:\{[^}]*\})?) ([0-9.e+]+)$", text, re.MULTILINE)}


@atexit.register
def end_all():
    for server in list(Server.alive):
        server.end()


def dump(client):
    """Everything that can be read, for comparisons: scene records and objects, by scene key."""
    return {found["key"]: (client.scene(found["key"]), client.objects(found["key"]))
            for found in client.all_scenes()}


def moved(x, y=0.0, z=0.0):
    """The identity with this translation."""
    matrix = list(IDENTITY)
    matrix[3], matrix[7], matrix[11] = float(x), float(y), float(z)
    return matrix


def write_plan(path, plan):
    """In one step, so that no half of a plan is read."""
    with open(path + ".new", "w") as file:
        file.write(plan)
    os.rename(path + ".new", path)


def with_shards(*counts):
    """Runs a test class once for each number of scene actors."""
    def multiply(case):
        module = sys.modules[case.__module__]
        for count in counts:
            name = f"{case.__name__}With{count}{'Shard' if count == 1 else 'Shards'}"
            members = {"shards": count, "__module__": case.__module__, "__qualname__": name}
            setattr(module, name, type(name, (case, unittest.TestCase), members))
        return case

    return multiply


class ServerCase:
    """Base of the test classes: one server for the class, one client and one scene for each test.

    A class that needs a fresh server for each test sets `flags = None` and calls start_server.
    """

    shards = 1
    flags = {}
    server = None
    last_words = ""

    @classmethod
    def setUpClass(cls):
        cls.server = None
        if cls.flags is not None:
            cls.server = cls.shared_server = Server(scene_actors=cls.shards, **cls.flags)
            cls.addClassCleanup(cls.server.end)
            cls.server.start()

    def setUp(self):
        self.scene = self._testMethodName
        if self.flags is not None:
            self.client = self.connect()

    def start_server(self, **flags):
        """A server of this test alone; its client becomes self.client."""
        self.server = Server(**{"scene_actors": self.shards, **flags})
        self.addCleanup(self.server.end)
        self.server.start()
        self.client = self.connect()
        return self.server

    def connect(self, server=None):
        client = Client(server or self.server)
        self.addCleanup(client.close)
        return client

    def restart(self, how="restart", **flags):
        """how: `restart` (SIGTERM) or `crash` (SIGKILL)."""
        getattr(self.server, how)(**flags)
        self.client = self.connect()

    def run(self, result=None):
        before = len(result.failures) + len(result.errors)
        super().run(result)
        if len(result.failures) + len(result.errors) > before and getattr(self, "server", None):
            print(f"{self.id()}\n{self.last_words}", file=sys.stderr)

    def tearDown(self):
        self.last_words = self.server.log_tail() if self.server else ""
