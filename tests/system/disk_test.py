"""The disk: full, and damaged.

The full one is a small tmpfs, which only root may mount; elsewhere these tests are skipped. Damage is
one flipped bit at a time, in a copy of a store that was closed in order.
"""

import os
import random
import shutil
import threading
import time
import unittest

from damage import files, flip, flip_text
from feeds import UdpDevice
from files import stored_files, upload
from small_disk import DISK_MIB, SmallDisk
from support import (LONG, LONG_SHARD_COUNTS, Client, Server, ServerCase, moved, needs_files, object_path,
                     objects, scene_path, scenes, wait_until, with_shards)

MIB = 1 << 20
RESERVE_MIB = 16
FULL_ROUNDS = 20 if LONG else 2
FLIPS = 1000 if LONG else 50
BACK_WITHIN_SECONDS = 15


class Load:
    """Writes by HTTP until it is told to end; knows what was acknowledged."""

    def __init__(self, server, scene, keys):
        self.server, self.scene, self.keys = server, scene, keys
        self.acknowledged = dict.fromkeys(keys, "before")
        self.refused = {}  # status -> how often
        self.ended = threading.Event()
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()

    def run(self):
        count = 0
        with Client(self.server) as client:
            while not self.ended.is_set():
                count += 1
                key, name = self.keys[count % len(self.keys)], f"n{count}" + "x" * 2000
                status = client.post(object_path(self.scene, key), {"name": name}).status
                if status == 200:
                    self.acknowledged[key] = name
                else:
                    self.refused[status] = self.refused.get(status, 0) + 1

    def written(self):
        return dict(self.acknowledged)

    def end(self):
        self.ended.set()
        self.thread.join(30)
        return self


@with_shards(*LONG_SHARD_COUNTS)
@needs_files
class FullDisk(ServerCase):
    flags = None

    def start_on_small_disk(self, reserve=RESERVE_MIB):
        self.disk = SmallDisk(self)
        self.start_server(data_dir=os.path.join(self.disk.path, "data"),
                          store_reserve=f"{reserve}M")
        self.device = UdpDevice("d1")
        self.addCleanup(self.device.close)
        self.client.register(self.scene, self.device.record())
        self.moving, *self.keys = self.client.create(self.scene, *[{"name": "before"}] * 9)

    def is_refused(self):
        answer = self.client.put(scene_path("another"), scenes({}))
        if answer.status == 200:
            return False
        self.assertEqual((answer.status, answer.body["err_code"]), (507, 120), answer)
        return True

    def write_until_refused(self):
        """Creates objects of 4 MB at a time; returns the status that ended it."""
        body = objects(*[{"name": "x" * 4000}] * 1000)
        for _ in range(100):
            status = self.client.post(scene_path("large") + "/object/", body).status
            if status != 200:
                return status
        self.fail(f"400 MB went to a disk of {DISK_MIB}")

    def is_back(self):
        """Writes are taken, and readiness says so."""
        return not self.is_refused() and self.client.get("/readyz").status == 200

    def check_that_reads_and_feeds_go_on(self, x):
        self.assertEqual(self.client.get("/livez").status, 200)
        self.assertEqual(len(self.client.objects(self.scene)), 9)
        self.assertEqual(self.client.scene(self.scene)["key"], self.scene)
        self.device.send(self.server, {"msg_type": 1, "key": self.moving, "transform": moved(x)})
        self.device.wait_for(lambda event: event["transform"][3] == x)
        self.assertEqual(self.client.object(self.scene, self.moving)["transform"], moved(x))

    def fill_and_give_back(self, left, x):
        """One round, with `left` bytes free in the end; returns how long the way back took."""
        with self.disk.kept_at(left):
            self.write_until_refused()
            wait_until(self.is_refused, 20, "the refusal of writes")
            wait_until(lambda: self.client.get("/readyz").status == 503, 5, "readiness to end")
            self.check_that_reads_and_feeds_go_on(x)
            self.assertTrue(self.is_refused(), "there is room though nobody made any")
        began = time.monotonic()
        wait_until(self.is_back, BACK_WITHIN_SECONDS, "the way back")
        return time.monotonic() - began

    def check_rounds(self, left, allowed):
        load, times = Load(self.server, self.scene, self.keys), []
        for number in range(FULL_ROUNDS):
            times.append(self.fill_and_give_back(left, 1.0 + number))
            before = load.written()
            wait_until(lambda: load.written() != before, 5, "the next write")
        load.end()
        self.assertLessEqual(set(load.refused), allowed)
        self.assertIn(507, load.refused)
        self.restart("crash")
        found = {record["key"]: record["name"] for record in self.client.objects(self.scene)}
        self.assertEqual({key: found[key] for key in self.keys}, load.acknowledged)
        print(f"\n{self.shards} shards, {FULL_ROUNDS} times full to {left} bytes: back within "
              f"{max(times):.1f} s, {sum(load.refused.values())} writes refused")

    def test_uploads_stop_before_records_must_and_leave_nothing(self):
        self.start_on_small_disk()
        kept = upload(self.client, "/v1/asset", b"kept" * 1000).text
        answer = upload(self.client, "/v1/asset", b"x" * DISK_MIB * MIB)
        self.assertEqual((answer.status, answer.body["err_code"]), (507, 120), answer)
        wait_until(lambda: tuple(map(len, stored_files(self.server))) == (1, 0), what="one file")
        with self.disk.kept_at(RESERVE_MIB * MIB * 3 // 2):
            answer = upload(self.client, "/v1/asset", b"small")
            self.assertEqual((answer.status, answer.body["err_code"]), (507, 120), answer)
            self.assertFalse(self.is_refused(), "records are refused while there is a reserve")
            self.assertEqual(self.client.get(f"/v1/asset/{kept}").content, b"kept" * 1000)
        self.assertEqual(upload(self.client, "/v1/asset", b"small").status, 200)

    def test_it_is_read_only_before_the_disk_is_full_and_back_by_itself(self):
        self.start_on_small_disk()
        self.check_rounds(RESERVE_MIB * MIB // 2, {507})
        self.assertNotIn("No space left", self.server.log_text())

    def test_it_comes_back_from_a_disk_that_is_full_to_the_last_byte(self):
        self.start_on_small_disk()
        self.check_rounds(0, {503, 507})

    def test_without_a_reserve_it_meets_the_end_of_the_disk_and_comes_back(self):
        self.start_on_small_disk(reserve=0)
        self.check_rounds(0, {503, 507})
        self.assertIn("No space left", self.server.log_text())

    def test_its_own_writes_never_fill_the_disk(self):
        self.start_on_small_disk()
        self.disk.take(40 * MIB)
        self.assertEqual(self.write_until_refused(), 507)
        self.assertGreater(self.disk.free_bytes(), RESERVE_MIB * MIB // 4)
        self.assertNotIn("store_write_failed", self.server.log_text())
        os.unlink(self.disk.ballast)
        wait_until(self.is_back, BACK_WITHIN_SECONDS, "the way back")

    def commits(self):
        return self.server.metrics()['diorama_store_commits_total{result="ok"}']

    def test_updates_by_udp_wait_in_memory_and_are_written_when_there_is_space(self):
        self.start_on_small_disk()
        with self.disk.kept_at(MIB):
            wait_until(self.is_refused, 20, "the refusal of writes")
            before = self.commits()
            for x in range(1, 101):
                self.device.send(self.server,
                                 {"msg_type": 1, "key": self.moving, "transform": moved(x)})
            self.device.wait_for(lambda event: event["transform"][3] == 100)
        wait_until(lambda: self.commits() > before, BACK_WITHIN_SECONDS, "the write behind")
        self.restart("crash")
        self.assertEqual(self.client.object(self.scene, self.moving)["transform"], moved(100))

    def test_it_starts_on_a_full_disk_and_serves_reads(self):
        self.start_on_small_disk()
        with self.disk.kept_at(RESERVE_MIB * MIB // 2):
            self.restart("crash")
            wait_until(self.is_refused, 20, "the refusal of writes")
            self.check_that_reads_and_feeds_go_on(1.0)
        wait_until(self.is_back, BACK_WITHIN_SECONDS, "the way back")


@needs_files
class DamagedDisk(ServerCase, unittest.TestCase):
    """Every test damages a copy of one store: scenes in tables, and the newest in the log."""

    flags = {}
    SCENES, OBJECTS, LARGE = 4, 40, 600

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        server, cls.expected = cls.shared_server, {}
        for turn in range(3):
            with Client(server) as client:
                cls.fill(client, turn)
                cls.expected = {key: cls.read(client, key) for key in
                                [scene["key"] for scene in client.all_scenes()]}
            code, _ = server.stop()
            assert code == 0
            if turn < 2:
                server.start()
        cls.template = server.flags["data_dir"]

    @classmethod
    def fill(cls, client, turn):
        """The log of each turn but the last becomes a table at the next start."""
        for number in range(cls.SCENES):
            key = f"turn{turn}-{number}"
            client.put_scene(key, name=key, region=os.urandom(12).hex(), tags=["damaged"])
            client.create(key, *({"name": f"{key}-{i}", "translation": [i, number, turn]}
                                 for i in range(cls.OBJECTS)))
            client.register(key, {"key": f"device-{key}"})
        if turn == 0:
            client.put_scene("large", name="large")
            client.create("large", *({"name": f"large-{os.urandom(12).hex()}"}
                                     for _ in range(cls.LARGE)))

    @staticmethod
    def read(client, key):
        """Scene and objects as two answers: (status, records)."""
        answers = (client.get(scene_path(key)),
                   client.post(scene_path(key) + "/object/query", {}))
        return tuple((answer.status, answer.body.get(array) if answer.status == 200 else None)
                     for answer, array in zip(answers, ("scenes", "objects")))

    def copy(self):
        """A server that was not started yet, on a copy of the store."""
        server = self.server = Server(scene_actors=2, http_threads=8)
        self.addCleanup(server.end)
        shutil.copytree(self.template, server.flags["data_dir"])
        return server, os.path.join(server.flags["data_dir"], "store")

    def serves(self, server, **flags):
        """Starts it; False where it refused, with words, and the right exit code."""
        server.launch(**flags)

        def decided():
            return not server.is_running() or server.says_ready()

        wait_until(decided, 30, "a start or a refusal")
        code = server.process.poll()
        if code is None:
            return True
        self.assertEqual(code, 1, server.log_tail())
        self.assertIn("dioramad: cannot start: ", server.log_text())
        return False

    def check(self, server, what):
        """Each answer is exactly right or 500; returns how many are 500."""
        lost = 0
        with Client(server) as client:
            for key, expected in self.expected.items():
                found = self.read(client, key)
                for answer, right in zip(found, expected):
                    if answer[0] == 500:
                        lost += 1
                    else:
                        self.assertEqual(answer, right, what)
                for record in expected[1][1][::13]:
                    answer = client.get(object_path(key, record["key"]))
                    if answer.status == 500:
                        lost += 1
                    else:
                        self.assertEqual(answer.status, 200, (what, answer))
                        self.assertEqual(answer.body["objects"], [record], what)
            found = [scene["key"] for scene in client.all_scenes()]
            self.assertEqual(sorted(found), sorted(self.expected), what)
        if lost:
            self.assertIn("store_read_failed", server.log_text(), what)
        return lost

    def test_a_flipped_bit_is_refused_or_answers_500_and_is_never_wrong(self):
        chance = random.Random(4)
        kinds = {".sst": 6, ".log": 2, "MANIFEST-": 1, "CURRENT": 1, "SEAL": 1}
        outcomes = {"refused": 0, "items lost": 0, "nothing lost": 0}
        for number in range(FLIPS):
            server, folder = self.copy()
            kind, = chance.choices(list(kinds), kinds.values())
            path = chance.choice(files(folder, kind))
            offset, bit = chance.randrange(os.path.getsize(path)), 1 << chance.randrange(8)
            what = f"flip {number}: {os.path.basename(path)} at {offset}, bit {bit}"
            flip(path, offset, bit)
            if not self.serves(server):
                outcomes["refused"] += 1
            elif self.check(server, what):
                outcomes["items lost"] += 1
            else:
                outcomes["nothing lost"] += 1
            if kind != ".sst":
                self.assertFalse(server.is_running(), what + " was not noticed")
            server.end()
        print(f"\n{FLIPS} flips: {outcomes}, 0 wrong answers")
        self.assertGreater(outcomes["refused"], 0)
        self.assertGreater(outcomes["items lost"], 0)

    def test_an_undamaged_copy_serves_everything(self):
        server, _ = self.copy()
        self.assertTrue(self.serves(server))
        self.assertEqual(self.check(server, "no flip"), 0)

    def test_a_corrupt_block_costs_the_items_in_it_and_no_others(self):
        server, folder = self.copy()
        records = self.expected["large"][1][1]
        middle = sorted(record["key"] for record in records)[self.LARGE // 2]
        name = next(record["name"] for record in records if record["key"] == middle)
        flip_text(folder, name[-12:])
        self.assertTrue(self.serves(server))
        with Client(server) as client:
            body = client.refused(500, 101, "POST", scene_path("large") + "/object/query", {})
            self.assertIn("cannot be read", body["detail"])
            client.refused(500, 101, "GET", object_path("large", middle))
            client.update("turn2-0", self.expected["turn2-0"][1][1][0]["key"],
                          name=self.expected["turn2-0"][1][1][0]["name"])
            self.assertEqual(client.get("/readyz").status, 200)
            lost = [key for key in self.expected if self.read(client, key) != self.expected[key]]
            self.assertEqual(lost, ["large"])
            self.assertEqual(client.scene("large")["name"], "large")
        self.assertIn("store_read_failed", server.log_text())

    def test_a_scene_whose_record_is_damaged_is_not_forgotten(self):
        server, folder = self.copy()
        flip_text(folder, self.expected["turn0-1"][0][1][0]["region"][-12:])
        self.assertFalse(self.serves(server))
        self.assertRegex(server.log_text(), "cannot start: the index of partition [0-9]+ is damaged")

    def test_a_corrupt_log_is_refused_unless_told_otherwise(self):
        server, folder = self.copy()
        path, = files(folder, ".log")
        flip(path, os.path.getsize(path) // 2, 16)
        for _ in range(2):
            self.assertFalse(self.serves(server))
            self.assertIn(f"{os.path.basename(path)}: it is damaged; restore a backup, or start once "
                          "with store.recover=point-in-time", server.log_text())
        self.assertTrue(self.serves(server, store_recover="point-in-time"))
        with Client(server) as client:
            found = {scene["key"]: self.read(client, scene["key"]) for scene in client.all_scenes()}
            for key, expected in self.expected.items():
                if not key.startswith("turn2"):
                    self.assertEqual(found[key], expected, "was in a table")
        self.assertLess(len(found), len(self.expected))
        code, _ = server.stop()
        self.assertEqual(code, 0)
        self.assertTrue(self.serves(server, store_recover=None), "it is whole again")

    def test_a_missing_file_is_refused(self):
        for kind in (".log", "MANIFEST-", "CURRENT", ".sst"):
            with self.subTest(kind):
                server, folder = self.copy()
                path = files(folder, kind)[0]
                os.unlink(path)
                self.assertFalse(self.serves(server))
                self.assertIn(f"{os.path.basename(path)}: it is damaged", server.log_text())


if __name__ == "__main__":
    unittest.main()
