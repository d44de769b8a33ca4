"""A PostgreSQL of the tests' own: Debian's package, an unprivileged user, a temporary folder, a unix
socket. Nothing of the machine's own databases is touched.

    tests/support/with_database COMMAND...   runs a command beside one; its URI is $DIORAMA_DATABASE
"""

import atexit
import glob
import itertools
import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
import urllib.parse

USER, PASSWORD = "diorama", "not a secret"


def programs():
    """The folder of its programs, the newest; None where it is not installed."""
    found = glob.glob("/usr/lib/postgresql/*/bin/initdb")
    return os.path.dirname(max(found, key=lambda path: float(path.split("/")[4]))) if found else None


def who():
    """How a process is started that must not be root's: it refuses to run as root."""
    if os.geteuid() != 0:
        return {}
    names = {entry.pw_name for entry in pwd.getpwall()}
    user = pwd.getpwnam("postgres" if "postgres" in names else "nobody")
    return {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}


def place():
    """Where a cluster stands: in memory, as a server with fsync=off is refused, and tests make many
    databases. Not below $TMPDIR: the path of a socket has at most 107 bytes."""
    shared = "/dev/shm"
    has_room = os.access(shared, os.W_OK) and shutil.disk_usage(shared).free > 1 << 30
    return shared if has_room else "/tmp"


class Cluster:
    """One server. `Cluster(fsync="off")` is `-c fsync=off`; `parent` is where its folder stands."""

    numbers = itertools.count(1)

    def __init__(self, parent=None, **settings):
        self.folder = tempfile.mkdtemp(prefix="diorama-database-", dir=parent or place())
        self.data = os.path.join(self.folder, "data")
        self.settings = {"listen_addresses": "", "unix_socket_directories": self.folder,
                         "max_connections": "200", **settings}
        self.process = None
        self.make()
        atexit.register(self.end)

    def make(self):
        secret = os.path.join(self.folder, "password")
        with open(secret, "w") as file:
            file.write(PASSWORD + "\n")
        if who():
            for path in (self.folder, secret):
                os.chown(path, who()["user"], who()["group"])
        subprocess.run([os.path.join(programs(), "initdb"), "--pgdata", self.data, "--username", USER,
                        "--pwfile", secret, "--auth", "scram-sha-256", "--no-sync", "--locale", "C",
                        "--encoding", "UTF8"], stdout=subprocess.DEVNULL, check=True, cwd="/",
                       **who())

    def admit(self, network):
        """Lets a network (CIDR) in, with the password. Before the start."""
        with open(os.path.join(self.data, "pg_hba.conf"), "a") as file:
            file.write(f"host all all {network} scram-sha-256\n")

    def start(self):
        settings = [part for key, value in self.settings.items() for part in ("-c", f"{key}={value}")]
        with open(os.path.join(self.folder, "log"), "ab") as log:
            self.process = subprocess.Popen(
                [os.path.join(programs(), "postgres"), "-D", self.data, *settings], cwd="/",
                stdin=subprocess.DEVNULL, stdout=log, stderr=log, **who())
        end = time.monotonic() + 60
        while subprocess.run(["psql", self.uri(), "-c", "SELECT 1"], capture_output=True,
                             check=False).returncode:
            assert self.process.poll() is None and time.monotonic() < end, self.log_text()
            time.sleep(0.02)
        return self

    def log_text(self):
        with open(os.path.join(self.folder, "log"), errors="replace") as log:
            return log.read()

    def stop(self, how=signal.SIGINT):
        """SIGINT: ends all sessions first; SIGQUIT: at once, as a crash would."""
        self.process.send_signal(signal.SIGCONT)
        self.process.send_signal(how)
        self.process.wait(30)

    def restart(self, how=signal.SIGINT):
        self.stop(how)
        return self.start()

    def end(self):
        if self.process and self.process.poll() is None:
            self.stop(signal.SIGQUIT)
        shutil.rmtree(self.folder, ignore_errors=True)

    def processes(self):
        """The server and what it started, one for each connection among them."""
        found = subprocess.run(["ps", "-o", "pid=", "--ppid", str(self.process.pid)],
                               capture_output=True, text=True, check=False).stdout
        return [self.process.pid, *map(int, found.split())]

    def signal_all(self, number):
        for process in self.processes():
            try:
                os.kill(process, number)
            except ProcessLookupError:
                pass

    def uri(self, database="postgres", password=PASSWORD):
        return database_uri(self.folder, database, password, self.settings.get("port"))

    def network_uri(self, address, database):
        """The same for who comes over a network."""
        quote = urllib.parse.quote
        return f"postgresql://{USER}:{quote(PASSWORD)}@{address}:{self.settings['port']}/{database}"

    def create(self):
        """A fresh database; its URI."""
        return create(self.uri())

    def run(self, sql, database_uri=None):
        return run(database_uri or self.uri(), sql)


class Replica(Cluster):
    """A standby of a cluster, in step with it: what that one acknowledges is here too."""

    def __init__(self, primary):
        self.primary = primary
        super().__init__(os.path.dirname(primary.folder), cluster_name="replica")

    def make(self):
        if who():
            os.chown(self.folder, who()["user"], who()["group"])
        subprocess.run([os.path.join(programs(), "pg_basebackup"), "--dbname", self.primary.uri(),
                        "--pgdata", self.data, "--write-recovery-conf", "--checkpoint=fast",
                        "--no-sync"], check=True, cwd="/", **who())

    def start(self):
        super().start()
        self.primary.run("ALTER SYSTEM SET synchronous_standby_names = 'replica'")
        self.primary.run("SELECT pg_reload_conf()")
        end = time.monotonic() + 60
        while self.primary.run("SELECT max(sync_state) FROM pg_stat_replication") != "sync":
            assert time.monotonic() < end, self.log_text()
            time.sleep(0.02)
        return self


def database_uri(folder, database, password=PASSWORD, port=None):
    quote = urllib.parse.quote
    return (f"postgresql://{USER}:{quote(password)}@/{database}?host={quote(folder, safe='')}" +
            (f"&port={port}" if port else ""))


def run(uri, sql):
    """What psql prints of one statement."""
    done = subprocess.run(["psql", uri, "-X", "-q", "-t", "-A", "-v", "ON_ERROR_STOP=1", "-c", sql],
                          capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def create(uri, copy=False):
    """A fresh database in the cluster of this URI, or a copy of that one, which nobody uses; its URI."""
    name = f"d{os.getpid()}_{next(Cluster.numbers)}"
    parts = urllib.parse.urlsplit(uri)
    template = f" TEMPLATE {parts.path[1:]}" if copy else ""
    run(urllib.parse.urlunsplit(parts._replace(path="/postgres")), f"CREATE DATABASE {name}{template}")
    return urllib.parse.urlunsplit(parts._replace(path="/" + name))


def shared_uri():
    """Of a cluster that this process, or who started it, has for all of its servers."""
    if "DIORAMA_DATABASE" not in os.environ:
        os.environ["DIORAMA_DATABASE"] = Cluster().start().uri()
    return os.environ["DIORAMA_DATABASE"]
