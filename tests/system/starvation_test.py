"""A request that waits for room in a commit keeps its scene in memory: however little memory there is
and however many others write, it has its turn."""

import os
import threading
import unittest

from support import Client, ServerCase, objects, scene_path, write_plan

COMMIT_MS = 30
RIVALS = 6
PER_REQUEST = 300  # of which a commit takes one request


class Starvation(ServerCase, unittest.TestCase):
    flags = None

    def setUp(self):
        super().setUp()
        self.start_server(scene_memory="64K")
        plan = os.path.join(self.server.folder, "plan")
        write_plan(plan, "latency=0")
        self.client.create("large", *[{"name": "x" * 4000}] * 60)  # 240 kB: it goes whenever it may
        self.restart("restart", store_fault=f"file={plan}")
        write_plan(plan, f"latency={COMMIT_MS}")
        self.ended, self.done = threading.Event(), [0] * RIVALS

    def rival(self, number):
        """Creates without a pause, in a scene that is in memory."""
        with Client(self.server) as client:
            while not self.ended.is_set():
                client.post(scene_path(f"rival{number}-{self.done[number]}") + "/object/",
                            objects(*[{}] * PER_REQUEST))
                self.done[number] += 1

    def test_create_in_a_scene_that_does_not_stay_in_memory_has_its_turn(self):
        threads = [threading.Thread(target=self.rival, args=(number,), daemon=True)
                   for number in range(RIVALS)]
        for thread in threads:
            thread.start()
        answers = []
        for _ in range(3):
            answers.append(self.client.post(scene_path("large") + "/object/",
                                            objects(*[{}] * PER_REQUEST)))
        self.ended.set()
        for thread in threads:
            thread.join(60)
        print(f"\n{sum(self.done)} creates of others meanwhile")
        self.assertEqual([answer.status for answer in answers], [200] * 3, answers)


if __name__ == "__main__":
    unittest.main()
