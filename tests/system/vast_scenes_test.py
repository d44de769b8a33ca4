"""A scene with more in it than memory holds (scene.memory) is read from the store in pages, and
answers as it does where it is all in memory."""

import random
import threading
import time
import unittest

from support import LONG, Client, ServerCase, object_path, objects, run_together, scene_path, wait_until

MEMORY = "256K"
MANY = 2500  # objects of 0.5 KB
KEPT = 'diorama_scene_memory_bytes'
WHOLE = 'diorama_scene_loads_total{result="whole"}'
LOADED = 'diorama_objects_loaded'
ROUNDS = 20 if LONG else 3
TYPES = ("pump", "valve", "pipe", "tank")


class VastCase(ServerCase):
    flags = None

    def setUp(self):
        super().setUp()
        self.start_server(scene_memory=MEMORY, store_sync="never")
        self.keys = []
        dice = random.Random(3)
        for first in range(0, MANY, 500):
            self.keys += self.client.create("vast", *[
                {"name": f"part {first + n}", "type": TYPES[(first + n) % 4],
                 "tags": ["red"] if (first + n) % 5 == 0 else [],
                 "translation": [dice.uniform(-50, 50) for _ in range(3)]} for n in range(500)])
        self.keys.sort()

    def restart_with(self, memory):
        self.client.close()
        self.server.restart(scene_memory=memory)
        self.client = self.connect()

    def memory(self):
        return self.server.metrics()[KEPT]

    def pages_of(self, query):
        """All records of a list, and what each page says of the total."""
        found, totals, cursor = [], [], ""
        while cursor is not None:
            page = self.client.get(f"{scene_path('vast')}/object?{query}&after={cursor}")
            self.assertEqual(page.status, 200, page)
            found += page.body["objects"]
            totals.append(page.body.get("total"))
            cursor = page.body.get("next") or None
        return found, totals


class Reads(VastCase, unittest.TestCase):

    def test_answers_are_those_of_a_scene_in_memory_and_nothing_is_kept(self):
        queries = [{}, {"num_records": 7}, {"start_record": 2490, "num_records": 100},
                   {"start_record": 100, "num_records": 3, **objects({"type": "pipe"})},
                   objects({"type": "pump", "name": "part 400"}, {"name": "part 7"}), objects({"name": "none"})]
        lists = ["sort=key&limit=1000", "sort=key&type=valve&limit=100", "q=red&limit=200",
                 "tag=red&type=pump", "q=part%2077&limit=3", "name=part%2012", "sort=-key&limit=1000",
                 "sort=name&limit=500", f"key={self.keys[9]}", "key=none"]

        def all_answers():
            said = [self.client.ok("POST", scene_path("vast") + "/object/query", body) for body in queries]
            for answer in said:
                answer.pop("epoch", None), answer.pop("seq", None)
            return said, [self.pages_of(query) for query in lists], [
                self.client.object("vast", key) for key in self.keys[::100]]

        self.restart_with(MEMORY)
        read_in_pages = all_answers()
        self.restart_with("64M")
        in_memory = all_answers()
        self.assertEqual(in_memory, read_in_pages)
        self.assertGreater(self.memory(), MANY * 300)

    def test_a_scene_in_memory_stays_there(self):
        self.restart_with(MEMORY)
        self.client.create("small", {"name": "o"})
        for number in range(20):
            self.assertEqual(len(self.client.post(scene_path("vast") + "/object/query", {}).body["objects"]), MANY)
            self.assertEqual(self.client.object("vast", self.keys[number])["key"], self.keys[number])
        self.assertEqual(len(self.pages_of("sort=key&limit=1000")[0]), MANY)
        self.assertLess(self.memory(), 256 * 1024)
        self.assertEqual(self.server.log_text().count("scene_evicted"), 0)

    def test_no_object_of_that_key_is_404(self):
        self.restart_with(MEMORY)
        self.client.post(scene_path("vast") + "/object/query", {"num_records": 1})
        gone = self.keys[5]
        self.client.ok("DELETE", object_path("vast", gone))
        self.client.post(scene_path("vast") + "/object/query", {"num_records": 1})
        self.assertEqual(self.client.get(object_path("vast", gone)).status, 404)
        self.assertEqual(self.client.object("elsewhere", self.keys[6])["key"], self.keys[6])

    def test_properties_by_chosen_keys(self):
        for first in range(0, 1500, 500):
            self.client.ok("POST", scene_path("shelf") + "/property",
                           {"properties": [{"key": f"p{first + n}", "name": "x" * 300} for n in range(500)]})
        self.restart_with(MEMORY)
        found = self.client.ok("POST", scene_path("shelf") + "/property/query", {})
        self.assertEqual(sorted(f"p{n}" for n in range(1500)), [one["key"] for one in found["properties"]])
        found = self.client.ok("GET", scene_path("shelf") + "/property/p77")
        self.assertEqual(["p77"], [one["key"] for one in found["properties"]])
        self.assertEqual(self.client.get(scene_path("shelf") + "/property/p7777").status, 404)
        self.assertLess(self.memory(), 256 * 1024)


class Writes(VastCase, unittest.TestCase):

    def test_what_is_acknowledged_is_read(self):
        self.restart_with(MEMORY)

        def work(number):
            dice = random.Random(number)
            mine = {key: None for key in self.keys[number::4]}
            with Client(self.server, timeout=120) as client:
                for turn in range(12):
                    key, name = dice.choice(list(mine)), f"{number}.{turn}"
                    client.ok("POST", object_path("vast", key), objects({"name": name}))
                    mine[key] = name
                    self.assertEqual(client.object("vast", key)["name"], name)
                    made = client.create("vast", {"name": name})[0]
                    found = client.ok("POST", scene_path("vast") + "/object/query", objects({"name": name}))
                    self.assertEqual(sorted([key, made]), sorted(one["key"] for one in found["objects"]))
                    client.ok("DELETE", object_path("vast", made))
                    self.assertEqual(client.get(object_path("vast", made)).status, 404)

        run_together(*(lambda n=n: work(n) for n in range(4)))

    def test_a_query_finds_each_object_once_while_others_write(self):
        self.restart_with(MEMORY)
        still, moving = set(self.keys[::2]), self.keys[1::2]

        def write():
            with Client(self.server, timeout=120) as client:
                for key in moving[:15]:
                    client.ok("DELETE", object_path("vast", key))
                    client.create("vast", {"name": "new"})

        def read():
            with Client(self.server, timeout=120) as client:
                for _ in range(10):
                    found = [one["key"] for one in client.ok(
                        "POST", scene_path("vast") + "/object/query", {})["objects"]]
                    self.assertEqual(len(set(found)), len(found))
                    self.assertLessEqual(still, set(found))

        run_together(write, read, read)

    def test_a_lease_of_an_earlier_start_is_shown_with_its_end_in_this_one(self):
        locked = self.keys[3]
        self.client.ok("PUT", object_path("vast", locked) + "/lock", {"device": "phone", "lease_s": 3600})
        self.restart_with(MEMORY)
        for _ in range(2):
            shown = self.client.object("vast", locked)
            self.assertEqual("phone", shown["owner"])
            left_us = shown["lock"]["until_us"] - time.time_ns() // 1000
            self.assertLess(abs(left_us - 3600e6), 60e6)


class SingleWrites(VastCase, unittest.TestCase):

    def test_other_scenes_stay_in_memory_and_this_one_is_not_loaded(self):
        self.restart_with("64K")
        self.client.create("small", *[{"name": "o"} for _ in range(10)])
        for number in range(60):
            key, name = self.keys[number], f"new {number}"
            self.client.ok("POST", object_path("vast", key), objects({"name": name}))
            self.client.ok("PUT", object_path("vast", key) + "/lock", {"device": "phone", "lease_s": 3600})
            self.client.ok("DELETE", object_path("vast", key) + "/lock?device=phone")
            made = self.client.create("vast", {"name": "made"})[0]
            self.client.ok("POST", scene_path("vast") + "/property", {"properties": [{"name": "made"}]})
            self.client.ok("DELETE", object_path("vast", made if number % 2 else self.keys[100 + number]))
        now = self.server.metrics(after=self.client)
        self.assertEqual(0, now[WHOLE])
        self.assertEqual(10, now[LOADED])
        found = self.client.ok("POST", scene_path("vast") + "/object/query", objects({"name": "new 59"}))
        self.assertEqual([self.keys[59]], [one["key"] for one in found["objects"]])

    def test_a_lease_ends_without_the_other_objects(self):
        self.restart_with("64K")
        path = object_path("vast", self.keys[7]) + "/lock"
        self.client.ok("PUT", path, {"device": "phone", "lease_s": 1})
        wait_until(lambda: not self.client.object("vast", self.keys[7]).get("owner"), what="the end of the lease")
        self.assertEqual(0, self.server.metrics(after=self.client)[WHOLE])

    def test_whoever_writes_by_a_tag_of_what_was_is_refused(self):
        self.restart_with("64K")
        path = object_path("vast", self.keys[3])
        tag = self.client.get(path).headers["ETag"]
        self.client.ok("POST", path, objects({"name": "other"}))
        late = self.client.request("POST", path, objects({"name": "late"}), headers={"If-Match": tag})
        self.assertEqual(412, late.status)
        tag = self.client.get(path).headers["ETag"]
        good = self.client.request("POST", path, objects({"name": "good"}), headers={"If-Match": tag})
        self.assertEqual(200, good.status)
        self.assertEqual("good", self.client.object("vast", self.keys[3])["name"])

    def test_random_writes_and_kills_leave_what_a_dictionary_says(self):
        named = {one["key"]: one["name"] for one in self.pages_of("sort=key&limit=1000")[0]}
        self.restart_with("192K")
        writers = [Writer(number, {key: named[key] for key in self.keys[number::4]}) for number in range(4)]
        for number in range(ROUNDS):
            self.write_until_the_kill(writers, 150)
            self.server.start(scene_actors=1 + number % 3)
            self.client = self.connect()
            for writer in writers:
                writer.settle(self.client)
            expected = {key: name for writer in writers for key, name in writer.names.items()}
            lost = {name for writer in writers for name in writer.lost}
            found = {one["key"]: one["name"] for one in self.pages_of("sort=key&limit=1000")[0]}
            self.assertEqual(expected, {key: name for key, name in found.items() if name not in lost})

    def write_until_the_kill(self, writers, least):
        ended = threading.Event()
        before = sum(writer.done for writer in writers)
        threads = [threading.Thread(target=writer.run, args=(self.server, ended)) for writer in writers]
        for thread in threads:
            thread.start()
        try:
            wait_until(lambda: sum(writer.done for writer in writers) - before > least, 120, "the writes")
            self.assertEqual(0, self.server.metrics()[WHOLE])
        finally:
            ended.set()
            self.client.close()
            self.server.kill()
            for thread in threads:
                thread.join()
        self.assertEqual([], [writer.failure for writer in writers if writer.failure])


class Writer:
    """Changes its own objects of the scene at random, reads them, and knows their names."""

    def __init__(self, number, names):
        self.dice = random.Random(number)
        self.names = names
        self.unsure = None  # key and new name (None: deleted) of a change that was not answered
        self.lost = []      # names of creations that were not answered
        self.number, self.done, self.failure = number, 0, None

    def run(self, server, ended):
        try:
            with Client(server, timeout=60) as client:
                while not ended.is_set():
                    self.step(client)
                    self.done += 1
        except Exception as failure:
            if not ended.is_set():
                self.failure = failure

    def step(self, client):
        key, name = self.dice.choice(list(self.names)), f"{self.number}.{self.done}"
        what = self.dice.choice((self.create, self.update, self.update, self.delete, self.read))
        what(client, key, name)

    def create(self, client, _, name):
        self.lost.append(name)
        made = client.create("vast", {"name": name})[0]
        self.names[made] = self.lost.pop()

    def update(self, client, key, name):
        self.unsure = key, name
        client.ok("POST", object_path("vast", key), objects({"name": name}))
        self.names[key], self.unsure = name, None

    def delete(self, client, key, _):
        self.unsure = key, None
        client.ok("DELETE", object_path("vast", key))
        del self.names[key]
        self.unsure = None

    def read(self, client, key, _):
        found = client.object("vast", key)["name"]
        assert found == self.names[key], f"{key} is {found}, not {self.names[key]}"

    def settle(self, client):
        """What a change that was not answered has left."""
        if not self.unsure:
            return
        (key, name), self.unsure = self.unsure, None
        answer = client.get(object_path("vast", key))
        if name is None and answer.status == 404:
            del self.names[key]
        elif name and answer.body["objects"][0]["name"] == name:
            self.names[key] = name


if __name__ == "__main__":
    unittest.main()
