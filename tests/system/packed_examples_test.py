"""The two readers of the packed feed, tools/examples/listen_packed.py and `diorama listen --packed`:
what they put together from changed members is what the server has."""

import json
import os
import pathlib
import signal
import socket
import subprocess
import threading
import unittest

from support import BIN, ServerCase, moved, scene_path, wait_until

EXAMPLE = pathlib.Path(__file__).resolve().parents[2] / "tools" / "examples" / "listen_packed.py"
SHEARED = [1.0, 0.5, 0.0, 1.0, 0.0, 1.0, 0.0, 2.0, 0.0, 0.0, 1.0, 3.0, 0.0, 0.0, 0.0, 1.0]


class Reader:
    """A reader of the feed as a process, and the states that its lines add up to."""

    def __init__(self, case, *command):
        self.states, self.gone, self.lines = {}, set(), []
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                        text=True)
        self.notes = [self.process.stderr.readline()]
        case.addCleanup(self.end)
        self.threads = [threading.Thread(target=read, daemon=True)
                        for read in (self.read_lines, self.read_notes)]
        for thread in self.threads:
            thread.start()

    def read_lines(self):
        for line in self.process.stdout:
            change = json.loads(line)
            self.lines.append(change)
            key = change.pop("key")
            if change["msg_type"] in (3, 11):
                self.gone.add(key)
                self.states.pop(key, None)
            elif key not in self.gone:
                self.states[key] = {**self.states.get(key, {}), **change}

    def read_notes(self):
        self.notes.extend(self.process.stderr)

    def finish(self):
        """Its exit code after SIGINT, once all that it printed is read."""
        self.process.send_signal(signal.SIGINT)
        code = self.process.wait(30)
        for thread in self.threads:
            thread.join()
        return code

    def end(self):
        if self.process.poll() is None:
            self.process.kill()
        with self.process:
            for thread in self.threads:
                thread.join()


def is_near(told, kept):
    """Whether a state is that of a record: numbers of a transform to a millionth of their column."""
    for name in ("name", "scene", "parent", "type", "subtype", "owner", "asset_sub_id", "frame",
                 "timestamp", "assets", "values"):
        if (told.get(name) or None) != (kept.get(name) or None):
            return False
    if ("transform" in told) != ("transform" in kept):
        return False
    pairs = list(zip(told.get("transform", []), kept.get("transform", [])))
    sizes = [max(abs(kept) for _, kept in pairs[column::4]) for column in range(4)] if pairs else []
    return all(abs(a - b) <= 2e-6 * sizes[i % 4] for i, (a, b) in enumerate(pairs))


class PackedExamples(ServerCase, unittest.TestCase):

    def setUp(self):
        super().setUp()
        self.url = f"http://127.0.0.1:{self.server.http_port}"

    def example(self):
        return Reader(self, "/usr/bin/python3", str(EXAMPLE), self.url, self.scene)

    def listen(self, *arguments):
        return Reader(self, os.path.join(BIN, "diorama"), "listen", "--packed", "--rate=100",
                      f"--http={self.url}", f"--scene={self.scene}", *arguments)

    def send(self, **update):
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as udp:
            udp.sendto(json.dumps(update).encode(), ("127.0.0.1", self.server.udp_port))

    def devices(self):
        return [device["key"] for device in self.client.scene(self.scene).get("devices", [])]

    def change_things(self):
        """Creates, moves, renames and deletes; returns what the server has in the end, by key."""
        cube, turned, sheared, doomed = self.client.create(
            self.scene, {"name": "cube", "type": "Mesh", "assets": ["a", "b"], "frame": 3},
            {"name": "turned", "translation": [1e6 + 0.1, 2, 3], "euler_rotation": [0.1, 0.2, 0.3],
             "scale": [1, 2, 1e-3]},
            {"name": "sheared", "transform": SHEARED}, {"name": "doomed"})
        prop = self.client.ok("POST", scene_path(self.scene) + "/property/",
                              {"properties": [{"name": "g", "values": [9.81, 1]}]})
        prop = prop["properties"][0]["key"]
        self.client.update(self.scene, cube, name="box", parent=turned, timestamp=7)
        self.client.ok("PUT", f"{scene_path(self.scene)}/object/{sheared}/asset/c")
        self.client.delete(f"{scene_path(self.scene)}/object/{doomed}")
        for x in range(50):
            self.send(msg_type=1, key=cube, transform=moved(x, -x, 0.1))
        self.send(msg_type=9, key=prop, values=[1.5])
        wait_until(lambda: self.client.object(self.scene, cube)["transform"] == moved(49, -49, 0.1))
        path = f"{scene_path(self.scene)}/property/{prop}"
        wait_until(lambda: self.client.ok("GET", path)["properties"][0]["values"] == [1.5])
        kept = {record["key"]: record for record in self.client.objects(self.scene)}
        kept[prop] = self.client.ok("GET", path)["properties"][0]
        self.assertEqual(len(kept), 4)
        return kept

    def expect_states(self, reader, kept):
        def is_there():
            told = dict(reader.states)
            return told.keys() == kept.keys() and all(is_near(told[key], kept[key]) for key in kept)

        try:
            wait_until(is_there, 20, "the server's state")
        except AssertionError as failure:
            raise AssertionError(f"{reader.states}\nis not\n{kept}\n{reader.notes}") from failure

    def test_both_readers_end_with_what_the_server_has(self):
        latest = os.path.join(self.server.folder, "latest.json")
        example, listen = self.example(), self.listen(f"--latest={latest}")
        self.assertRegex(example.notes[0], rf"^packed-\d+ listens to {self.scene}$")
        self.assertIn("udp=active", listen.notes[0])
        kept = self.change_things()
        for reader in (example, listen):
            self.expect_states(reader, kept)
            self.assertEqual(reader.finish(), 0)
            self.assertFalse([note for note in reader.notes if "gap" in note.split()[:2]])
        self.assertEqual(self.devices(), [])
        self.assertRegex(listen.notes[-1], r" gaps=0 lost=0 back=0 unreadable=0 ")
        with open(latest, encoding="utf-8") as file:
            states = json.load(file)
        moving = {key for key, record in kept.items() if "transform" in record}
        self.assertEqual(states.keys(), moving)

    def test_a_line_has_the_members_that_changed_and_its_place(self):
        listen = self.listen()
        key = self.client.create(self.scene, {"name": "cube", "transform": moved(0)})[0]
        wait_until(lambda: key in listen.states)
        created = listen.lines[0]
        self.assertEqual((created["msg_type"], created["name"], created["scene"]),
                         (0, "cube", self.scene))
        places = iter(range(1, 1000000))

        def moves_alone():
            """Repeats have the name too, until they have healed what might be lost."""
            self.client.update(self.scene, key, transform=moved(next(places)))
            return [line for line in list(listen.lines) if "transform" in line and "name" not in line]

        update = wait_until(moves_alone)[0]
        self.assertEqual(update["msg_type"], 1)
        self.assertEqual(update["epoch"], created["epoch"])
        self.assertLessEqual(created["seq"], update["prev"])
        self.assertLess(update["prev"], update["seq"])

    def test_actions_come_with_their_keyframes(self):
        example = self.example()
        key = self.client.create(self.scene, {"name": "cube"})[0]
        self.client.ok("POST", f"{scene_path(self.scene)}/object/{key}/action",
                       {"name": "walk", "keyframes": [{"frame": 2, "transform": moved(5)}]})
        wait_until(lambda: "actions" in example.states.get(key, {}))
        (action,) = example.states[key]["actions"]
        self.assertEqual(action["0"], "walk")
        self.assertEqual(action["2"], [{"0": 2, "10": moved(5)}])


if __name__ == "__main__":
    unittest.main()
