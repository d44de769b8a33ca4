"""More scenes than scene.memory holds: all stay readable and right, and memory stays bounded."""

import unittest

from support import (LONG, SHARD_COUNTS, Client, ServerCase, object_path, run_together, scene_path,
                     with_shards)

MEMORY = 4 << 20                    # scene.memory
SCENES = 1000 if LONG else 120
OBJECTS = 60                        # of each scene
FILLER = "x" * 4000                 # two of these make an object 8 KB: 58 MB in all
GROWTH = 40 << 20                   # of the resident set while all of it is read, twice


def record(scene, number):
    return {"name": f"{scene}-{number}", "type": FILLER, "subtype": FILLER,
            "translation": [number, 0, 0]}


@with_shards(*SHARD_COUNTS)
class Eviction(ServerCase):
    flags = {"scene_memory": MEMORY, "store_sync": "never"}

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.names = [f"s{number:04d}" for number in range(SCENES)]
        with Client(cls.server) as client:
            cls.keys = {name: client.create(name, *(record(name, n) for n in range(OBJECTS)))
                        for name in cls.names}
        cls.server.restart()  # what was written is out of the engine's write buffers

    def read_all(self, client, names=None):
        for name in names or self.names:
            found = {thing["key"]: thing for thing in client.objects(name)}
            assert set(found) == set(self.keys[name]), name
            for number, key in enumerate(self.keys[name]):
                thing = found[key]
                assert (thing["name"], thing["transform"][3], thing["scene"]) == \
                    (f"{name}-{number}", number, name), thing

    def test_1_every_scene_reads_right_again_and_again_in_bounded_memory(self):
        self.read_all(self.client, self.names[:10])
        before = self.server.resident_bytes()
        for _ in range(2):
            self.read_all(self.client)
        grown = self.server.resident_bytes() - before
        data = SCENES * OBJECTS * 2 * len(FILLER)
        print(f"\n{self.shards} shards: {data >> 20} MiB of objects read twice, "
              f"resident set grew by {grown >> 20} MiB, scene.memory {MEMORY >> 20} MiB")
        self.assertLess(grown, GROWTH)

    def test_2_generated_keys_find_scenes_that_were_put_out(self):
        for name in reversed(self.names):
            key = self.keys[name][7]
            self.assertEqual(self.client.object("elsewhere", key)["name"], f"{name}-7")

    def test_3_writes_to_scenes_that_come_and_go_are_kept(self):
        def change(part):
            with Client(self.server) as client:
                for name in self.names[part::4]:
                    client.ok("POST", object_path(name, self.keys[name][0]), {"parent": "changed"})

        run_together(*(lambda p=p: change(p) for p in range(4)))
        self.read_all(self.client)
        self.restart("crash")
        for name in self.names:
            self.assertEqual(self.client.object(name, self.keys[name][0])["parent"], "changed")

    def test_4_scenes_are_deleted_and_queried_while_they_are_out(self):
        doomed, kept = self.names[0], self.names[1]
        self.client.ok("DELETE", scene_path(doomed))
        self.client.refused(404, 102, "GET", object_path(kept, self.keys[doomed][0]))
        self.assertEqual(len(self.client.all_scenes()), SCENES - 1)
        self.read_all(self.client, self.names[1:20])

    def test_5_concurrent_readers_of_different_scenes_all_read_right(self):
        def read(part):
            with Client(self.server) as client:
                self.read_all(client, self.names[1 + part::8])

        run_together(*(lambda p=p: read(p) for p in range(8)))


if __name__ == "__main__":
    unittest.main()
