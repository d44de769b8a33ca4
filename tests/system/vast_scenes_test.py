"""A scene with more in it than memory holds (scene.memory) is read from the store in pages, and
answers as it does where it is all in memory."""

import random
import time
import unittest

from support import Client, ServerCase, object_path, objects, run_together, scene_path

MEMORY = "256K"
MANY = 2500  # objects of 0.5 KB
KEPT = 'diorama_scene_memory_bytes'
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


if __name__ == "__main__":
    unittest.main()
