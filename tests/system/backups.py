"""What tests of backups share: backups of a server that runs, restored ones, and writers whose work
is known step by step."""

import glob
import os
import subprocess
import time
from datetime import datetime, timezone

from files import upload
from people import PASSWORD
from support import (BIN, LONG, Server, ServerCase, needs_files, object_path, objects, scene_path, scenes,
                     wait_until)

MIB = 1 << 20


def diorama(*arguments):
    """Runs the client program; returns (exit code, output, errors)."""
    done = subprocess.run([os.path.join(BIN, "diorama"), *arguments], capture_output=True, text=True,
                          timeout=120, check=False)
    return done.returncode, done.stdout, done.stderr


def ask(client, method, path, body=None):
    """The body of the answer, which must be good, in an envelope or not."""
    answer = client.request(method, path, body)
    assert answer.status == 200, f"{method} {path}: {answer}"
    return answer.body


def backups(client):
    return ask(client, "GET", "/v1/backup")


def make_backup(client):
    """Begins one and waits for its end; returns what the server says of it."""
    key = ask(client, "POST", "/v1/backup")["key"]

    def ended():
        found = [backup for backup in backups(client) if backup["key"] == key]
        return found and found[0]["state"] != "running" and found[0]

    return wait_until(ended, 60, "the end of the backup")


@needs_files
class BackupCase(ServerCase):
    flags = None

    def start_with_backups(self, **flags):
        server = Server(scene_actors=2)
        self.addCleanup(server.end)
        self.dir = os.path.join(server.folder, "backups")
        server.start(backup_dir=self.dir, **flags)
        self.server, self.client = server, self.connect(server)
        return server

    def path_of(self, key):
        return os.path.join(self.dir, key)

    def restored(self, key, **flags):
        """A running server on a folder that `diorama backup restore` made."""
        server = Server(scene_actors=1, **flags)
        self.addCleanup(server.end)
        code, said, why = diorama("backup", "restore", self.path_of(key), server.flags["data_dir"])
        self.assertEqual(0, code, said + why)
        return server.start()


def wait_for_epoch(client):
    return ask(client, "GET", "/v1/session")["epoch"]


def time_text(us):
    return datetime.fromtimestamp(us / 1e6, timezone.utc).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def now_us():
    return time.time_ns() // 1000


class LogCase(BackupCase):
    def start_with_log(self, log=None, **flags):
        self.log = log
        server = Server(scene_actors=2)
        self.log = self.log or os.path.join(server.folder, "commits")
        self.addCleanup(server.end)
        self.dir = os.path.join(server.folder, "backups")
        self.flags_of_log = {"backup_dir": self.dir, "backup_log": self.log, **flags}
        server.start(**self.flags_of_log)
        self.server, self.client = server, self.connect(server)
        self.await_base()
        return server

    def await_base(self):
        """The first backup, which comes by itself, with a log that goes on from it."""
        return wait_until(lambda: [backup for backup in backups(self.client)
                                   if "until_us" in backup and "reason" not in backup], 30,
                          "a backup that the log goes on from")

    def await_log(self, us=None):
        """Waits until the log has all that was written up to now; returns that time."""
        us = us or now_us()
        wait_until(lambda: any(backup.get("until_us", 0) >= us for backup in backups(self.client)),
                   30, "the log to come to now")
        return us

    def restore_at(self, at, to=None, source=None):
        self.to = to or os.path.join(self.server.folder, f"restored-{now_us()}")
        return diorama("backup", "restore", source or self.dir, self.to,
                       f"--at={at if isinstance(at, str) else time_text(at)}", f"--log={self.log}")

    def restored_at(self, at, **flags):
        server = Server(scene_actors=1, **flags)
        self.addCleanup(server.end)
        code, said, why = self.restore_at(at, server.flags["data_dir"])
        self.assertEqual(0, code, said + why)
        return server.start()

    def check_refused(self, at, *words):
        code, _, why = self.restore_at(at)
        self.assertEqual(1, code, why)
        for word in words:
            self.assertIn(word, why)
        self.assertFalse(os.path.exists(self.to))
        self.assertFalse(os.path.exists(self.to + ".partial"))

    def segments(self):
        return sorted(glob.glob(os.path.join(self.log, "*.log")))


# Between two steps: in the long form an asset would get more versions than it may have.
STEP_PAUSE_S = 0.03 if LONG else 0


class Writer:
    """Changes six kinds of things in turn, each to the number of its step; remembers how far the
    server has acknowledged it."""

    KINDS = 6

    def __init__(self, number):
        self.number, self.scene = number, f"scene-{number}"
        self.begun = self.acknowledged = 0

    def prepare(self, client):
        client.put_scene(self.scene, name="0")
        self.object = client.create(self.scene, {"name": "0", "translation": [0, 0, 0]})[0]
        self.property = ask(client, "POST", f"{scene_path(self.scene)}/property", {
            "properties": [{"name": "0", "values": [{"value": 0.0}]}]})["properties"][0]["key"]
        self.project = ask(client, "POST", "/v1/project", {"name": "0"})["id"]
        self.asset = self.first_version = upload(client, "/v1/asset", b"0").text
        self.user = ask(client, "POST", "/v1/users/sign-up", {
            "username": f"user{self.number}", "password": PASSWORD,
            "email": f"u{self.number}.0@example.org"})["id"]

    def step(self, client):
        time.sleep(STEP_PAUSE_S)
        number = self.begun = self.begun + 1
        name, kind = str(number), number % self.KINDS
        if kind == 0:
            ask(client, "PUT", scene_path(self.scene), scenes({"name": name}))
        elif kind == 1:
            ask(client, "POST", object_path(self.scene, self.object), objects({"name": name}))
        elif kind == 2:
            ask(client, "POST", f"{scene_path(self.scene)}/property/{self.property}",
                      {"properties": [{"name": name}]})
        elif kind == 3:
            ask(client, "POST", f"/v1/project/{self.project}", {"name": name})
        elif kind == 4:
            answer = upload(client, f"/v1/asset/{self.asset}", name.encode())
            assert answer.status == 200, answer
            self.asset = answer.text
        else:
            ask(client, "PUT", f"/v1/users/{self.user}", {"email": f"u{self.number}.{number}@example.org"})
        self.acknowledged = number

    def read(self, client):
        """The number of the last step of each kind, as a server has it."""
        email = ask(client, "GET", f"/v1/users/{self.user}")["email"][0]
        histories = ask(client, "GET", f"/v1/asset-history/{self.first_version}")
        versions = histories[0]["assetIds"] if histories else []  # one version has no history
        return {
            0: int(client.scene(self.scene)["name"]),
            1: int(client.object(self.scene, self.object)["name"]),
            2: int(ask(client, "GET", f"{scene_path(self.scene)}/property/{self.property}")
                   ["properties"][0]["name"]),
            3: int(ask(client, "GET", f"/v1/project/{self.project}")["name"]),
            4: self.step_of_version(len(versions)),
            5: int(email.split("@")[0].split(".")[1]),
        }

    def step_of_version(self, count):
        """The step that made version `count` of the asset; 0 = it has the first one alone."""
        return (count - 2) * self.KINDS + 4 if count > 1 else 0

    def last_of(self, kind, upto):
        """The last step of a kind among the first `upto`; 0 = there is none."""
        return max(upto - (upto - kind) % self.KINDS, 0)
