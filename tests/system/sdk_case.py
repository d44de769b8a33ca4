"""What the tests of all SDKs stand on: somebody who changes a scene, what GET shows of it, and followers, programs that
take every change and know nothing else."""

import json
import subprocess
import threading
import time

from support import ServerCase, wait_until

UNSHOWN = ("lock", "actions", "asset_sub_id", "translation_handle", "rotation_handle", "scale_handle")


def shown(record):
    """A record of GET as an entity shows it."""
    return {name: value for name, value in record.items()
            if name not in UNSHOWN and name != "key" and value not in (None, "", [])}


def nearly(a, b):
    if isinstance(a, list):
        return isinstance(b, list) and len(a) == len(b) and all(map(nearly, a, b))
    if isinstance(a, (int, float)) and isinstance(b, (int, float)):
        return abs(a - b) <= 1e-4 * max(1, abs(a))
    return a == b


class SdkCase(ServerCase):
    """A server, and somebody else who changes its scene."""

    flags = {}
    ignored = ()  # members that a follower does not tell

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server.http_port}"

    def records(self):
        """What GET shows, by key."""
        found = {}
        for noun, plural in (("object", "objects"), ("property", "properties")):
            page = self.client.ok("POST", f"/v1/scene/{self.scene}/{noun}/query", {})
            found.update({record["key"]: shown(record) for record in page[plural]})
        return found

    def difference(self, known):
        """None, or where a follower knows something else than GET shows."""
        wanted = self.records()
        if wanted.keys() != known.keys():
            return sorted(wanted.keys() ^ known.keys())
        for key, record in wanted.items():
            has, record = ({name: value for name, value in members.items() if name not in self.ignored}
                           for members in (shown(known[key]), record))
            if record.keys() != has.keys() or any(not nearly(record[name], has[name]) for name in record):
                return key, record, has
        return None

    def change_something(self, chance, keys):
        """One change of one of many kinds, by somebody else."""
        client, scene = self.client, self.scene
        what = chance.choice(("move", "move", "move", "name", "tags", "hide", "new", "delete", "property"))
        if what == "new" or len(keys) < 2:
            keys.extend(client.create(scene, {"name": f"n{chance.random()}"}))
        elif what == "delete":
            client.ok("DELETE", f"/v1/scene/{scene}/object/{keys.pop(chance.randrange(len(keys)))}")
        elif what == "property":
            client.ok("POST", f"/v1/scene/{scene}/property",
                      {"properties": [{"key": f"p{chance.random()}", "name": "p", "values": [chance.random()]}]})
        else:
            members = {"move": {"translation": [chance.random() for _ in range(3)]},
                       "name": {"name": f"n{chance.random()}"}, "tags": {"tags": [f"t{chance.random()}"]},
                       "hide": {"visible": chance.random() < 0.5}}[what]
            client.update(scene, chance.choice(keys), **members)

    def crash(self):
        """kill -9 of the server, and its next start at the same address."""
        self.server.kill()
        self.server.start(keeps_ports=True)
        self.client = self.connect()


class Follower:
    """A program that joins a scene and answers each line "state" with {"known": {key: members}, "state", "gaps"},
    made of the changes that it was told alone."""

    def __init__(self, case, name, *command):
        self.case, self.name = case, name
        self.process = subprocess.Popen([str(word) for word in command], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True)
        case.addCleanup(self.end)
        self.lock = threading.Lock()

    def ask(self):
        with self.lock:
            self.process.stdin.write("state\n")
            self.process.stdin.flush()
            line = self.process.stdout.readline()
        assert line, f"{self.name} ended: {self.process.wait()}"
        return json.loads(line)

    def assert_knows_all(self, deadline=15.0):
        """Waits until it knows what GET shows, and is live."""
        end = time.monotonic() + deadline
        while True:
            told = self.ask()
            difference = self.case.difference(told["known"])
            if difference is None and told["state"] == "live":
                return told
            assert time.monotonic() < end, f"{self.name}: {difference}, {told['state']}, {told['gaps']} gaps"
            time.sleep(0.02)

    def await_joined(self):
        wait_until(lambda: self.ask()["state"] == "live", 15, f"{self.name}")

    def end(self):
        self.process.stdin.close()
        self.process.stdout.close()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
        assert self.process.wait() == 0, f"{self.name} ended with {self.process.returncode}"
