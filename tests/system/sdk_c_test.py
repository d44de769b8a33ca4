"""The C client (tools/sdk/c): golden packets, its use, gaps, restarts, errors, leases."""

import random
import struct
import subprocess
import unittest
from pathlib import Path

from sdk_case import Follower, SdkCase
from sdk_golden import FOLDER, gaps, lines
from support import BIN

TOOL = Path(BIN) / "sdk_c"


def exactly(value):
    """As put_exactly of sdk_c.c writes it."""
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, str):
        return f'"{value.encode().hex()}"'
    if isinstance(value, (int, float)):
        return struct.pack(">d", value).hex()
    if isinstance(value, list):
        return "[" + "".join(exactly(item) + "," for item in value) + "]"
    return "{" + "".join(exactly(name) + exactly(value[name]) + "," for name in sorted(value)) + "}"


def packed(said):
    note = said.get("note")
    return "".join(f"{name} {exactly(said[name])} " for name in ("epoch", "prev", "seq")) + \
        exactly(said["changes"]) + (f" refused {note[1]} {note[2]}" if note else "")


def events(said):
    return "".join(f"event {event['event']} id {event['id'] or 'null'} data {exactly(event['data'])} "
                   for event in said["events"])


def pub(said):
    return f"topic {said['topic'].encode().hex()} {exactly(said['header'])} {exactly(said['body'])}"


WRITTEN = {"packed": packed, "sse": events, "delta": events, "pub": pub, "plain": exactly, "controls": exactly,
           "updates": exactly, "sealed": lambda said: said["content"]}


class Sdk(SdkCase, unittest.TestCase):

    def follow(self, form, loss=0.0):
        return Follower(self, form, TOOL, "follow", self.url, self.scene, form, loss)

    def test_golden_packets_say_what_they_say(self):
        for form, write in WRITTEN.items():
            with open(FOLDER / f"{form}.jsonl", "rb") as file:
                told = subprocess.run([TOOL, "golden", form], stdin=file, capture_output=True, text=True, check=True)
            wanted = [(line["name"], write(line["json"])) for line, _ in lines(form)]
            self.assertEqual(list(zip([name for name, _ in wanted], told.stdout.split("\n")[:-1])), wanted)

    def test_it_does_about_gaps_what_the_document_says(self):
        with open(FOLDER / "gaps.txt", "rb") as file:
            told = subprocess.run([TOOL, "gaps"], stdin=file, capture_output=True, text=True, check=True)
        wishes = [(name, words, wanted) for name, words, wanted in gaps() if words[0] == "wish"]
        said = [(*wish[:2], line) for wish, line in zip(wishes, told.stdout.splitlines(), strict=True)]
        self.assertEqual(wishes, said)

    def test_what_is_saved_shows_and_the_newest_state_wins(self):
        done = subprocess.run([TOOL, "order"], capture_output=True, text=True, check=False, timeout=60)
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_its_use_errors_and_leases(self):
        done = subprocess.run([TOOL, "use", self.url, self.scene], capture_output=True, text=True, check=False,
                              timeout=60)
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_changes_alone_tell_what_get_shows_with_a_tenth_lost(self):
        chance, keys = random.Random(31), []
        followers = [self.follow(form, 0.1) for form in ("packed", "plain")]
        for follower in followers:
            follower.await_joined()
        for _ in range(150):
            self.change_something(chance, keys)
        self.assertGreater(sum(follower.assert_knows_all()["gaps"] for follower in followers), 0)

    def test_a_kill_of_the_server_loses_no_change(self):
        chance, keys = random.Random(32), []
        self.start_server()
        followers = [self.follow(form) for form in ("packed", "plain")]
        for follower in followers:
            follower.await_joined()
        for _ in range(20):
            self.change_something(chance, keys)
        self.crash()
        for _ in range(20):
            self.change_something(chance, keys)
        for follower in followers:
            follower.assert_knows_all()


if __name__ == "__main__":
    unittest.main()
