"""kill -9 again and again, with little memory, other numbers of scene actors at each start, and a store
that fails while it dies: all kinds of things are as a model of them says.

Each writer owns its things and does one request after the other. What it did not hear the end of, it
sends again after the crash, with the same Idempotency-Key: then it has happened once, and the model
knows exactly what must be there.
"""

import os
import random
import threading
import time
import unittest

from support import LONG, Client, ServerCase, is_sanitized, wait_until, write_plan
from thing_writers import Writer, read_links, read_records, read_scenes, read_users, read_versions

ROUNDS = 300 if LONG else 3 if is_sanitized() else 8
WRITERS = 4
HEAVY_SCENES, HEAVY_OBJECTS = 6, 250  # more than scene.memory=1M holds
PLANS = ("latency=0", "latency=0", "latency=20", "unavailable=7", "unknown=6", "full=9",
         "unavailable=5,unknown=4", "kill-after=40", "kill-before=40", "read-latency=5")


class Model(ServerCase, unittest.TestCase):
    flags = None

    def test_all_kinds_of_things_are_as_the_model_says_after_every_kill(self):
        chance = random.Random(4711)
        self.start_server(scene_memory="1M", library_memory="64K", http_deadline=2000)
        self.heavy = {}
        for number in range(HEAVY_SCENES):
            body = ({"name": f"h{i}", "description": "x" * 200} for i in range(HEAVY_OBJECTS))
            self.heavy[f"heavy{number}"] = set(self.client.create(f"heavy{number}", *body))
        plan = os.path.join(self.server.folder, "plan")
        write_plan(plan, "latency=0")
        self.server.restart(store_fault=f"file={plan}")
        writers = [Writer(number) for number in range(WRITERS)]
        for number in range(ROUNDS):
            self.load(writers, plan, chance)
            write_plan(plan, "latency=0")
            words, code = self.server.check_store()
            self.assertEqual(code, 0, words)
            self.server.start(scene_actors=chance.randint(1, 4))
            with self.subTest(round=number), Client(self.server) as client:
                for writer in writers:
                    writer.settle(client)
                self.check(client, writers, chance)
        count = sum(writer.count for writer in writers)
        print(f"\n{ROUNDS} kills, {count} requests, all as the model says")
        self.assertGreater(count, ROUNDS * WRITERS * 5, "too little load to show anything")

    def load(self, writers, plan, chance):
        """Writers at work, in a store that fails, until the end by kill -9."""
        ended, failures = threading.Event(), []

        def guarded(writer):
            try:
                writer.run(self.server, ended)
            except BaseException as failure:
                failures.append(failure)

        threads = [threading.Thread(target=guarded, args=(writer,), daemon=True)
                   for writer in writers]
        for thread in threads:
            thread.start()
        time.sleep(chance.uniform(0.1, 0.4))
        write_plan(plan, chance.choice(PLANS))
        time.sleep(chance.uniform(0.1, 0.9))  # the moment of the crash is left to chance
        self.server.kill()
        ended.set()
        for thread in threads:
            thread.join()
        self.assertEqual(failures, [])

    def check(self, client, writers, chance):
        self.check_scenes(client, writers)
        self.check_library(client, writers)
        self.check_users(client, writers)
        for scene, keys in self.heavy.items():
            if chance.random() < 0.5:  # read again, which puts others out
                self.assertEqual({found["key"] for found in client.objects(scene)}, keys)

    def check_scenes(self, client, writers):
        for kind, found in read_scenes(client, self.heavy).items():
            of_writers = [getattr(writer, kind) for writer in writers]
            expected = set().union(*of_writers) if kind == "devices" else merged(of_writers)
            self.assertEqual(found, expected, kind)

    def check_users(self, client, writers):
        self.assertEqual(read_users(client), merged(writer.users for writer in writers))

    def check_library(self, client, writers):
        for noun in ("project", "collection"):
            self.assertEqual(read_records(client, noun),
                             merged(writer.records[noun] for writer in writers))
        assets = merged(writer.assets for writer in writers)
        found = {record["key"] for record in client.get("/v1/asset?limit=10000").body}
        self.assertEqual(found, {key for versions in assets.values() for key, _ in versions})
        for versions in assets.values():
            key, content = versions[0]
            self.assertEqual(client.get("/v1/asset/" + key).content, content)
            self.assertEqual(read_versions(client, key), [key for key, _ in versions])
        links = merged(writer.links for writer in writers)
        wait_until(lambda: len(read_links(client)) <= len(links), 10, "the end of links")
        self.assertEqual(read_links(client), {id_: tuple(ends) for id_, ends in links.items()})


def merged(tables):
    return {key: value for table in tables for key, value in table.items()}


if __name__ == "__main__":
    unittest.main()
