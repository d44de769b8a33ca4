"""Connections share the mailboxes in which actors answer. An answer that comes after its deadline lies
in one that somebody else asks from next: nobody may get it."""

import itertools
import os
import threading
import unittest

from support import Client, ServerCase, object_path, scene_path, scenes, wait_until, write_plan

DEADLINE_MS = 300
CONNECTIONS = 32
SCENES = 20
LATE = "diorama_http_late_replies_total"
# Some answers are late at each of these, and some are not: commits and reads take other times.
PLANS = ("latency=350,read-latency=150", "latency=200,read-latency=350", "latency=350", "latency=1")


class LateAnswers(ServerCase, unittest.TestCase):
    flags = None

    def setUp(self):
        super().setUp()
        self.wrong = []
        self.served = []  # a number for each answer in time
        self.plan = None

    def begin(self):
        self.start_server()
        self.plan = os.path.join(self.server.folder, "plan")
        write_plan(self.plan, "latency=0")
        self.restart(store_fault=f"file={self.plan}", scene_memory="64K", scene_actors=3)
        with Client(self.server) as client:
            for number in range(SCENES):
                client.put_scene(f"s{number}", name=f"name {number}")
        self.keys = []
        with Client(self.server) as client:
            for number in range(SCENES):
                self.keys += client.create(f"s{number}", {"name": f"name {number}", "type": "t" * 4000})
        self.restart(http_deadline=DEADLINE_MS)

    def ask(self, client, kind, asker, turn):
        """Asks for something that nobody else asks for at this time: what of the answer is not so."""
        number = (asker * 7 + turn) % SCENES
        if kind == 0:
            answer = client.get(object_path(f"s{number}", self.keys[number]))
            wanted, found = "objects", {"key": self.keys[number], "name": f"name {number}"}
        elif kind == 1:
            answer = client.get(scene_path(f"s{number}"))
            wanted, found = "scenes", {"key": f"s{number}", "name": f"name {number}"}
        elif kind == 2:
            key = f"p{asker}.{turn}"
            answer = client.post(scene_path(f"s{number}") + "/property",
                                 {"properties": [{"key": key}]})
            wanted, found = "properties", {"key": key}
        else:
            keys = [f"n{asker}.{turn}.{part}" for part in range(4)]
            answer = client.post("/v1/scene", scenes(*[{"key": key} for key in keys]))
            if answer.status == 200 and [made["key"] for made in answer.body["scenes"]] != keys:
                self.wrong.append((keys, answer))
            wanted, found = "scenes", {"key": keys[0]}
        if answer.status == 503:
            return
        self.served.append(asker)
        record = answer.body[wanted][0] if answer.status == 200 else {}
        if any(record.get(name) != value for name, value in found.items()):
            self.wrong.append((found, answer))

    def work(self, asker, ends):
        with Client(self.server) as client:
            for turn in itertools.count():
                if ends.is_set():
                    return
                self.ask(client, (asker + turn) % 4, asker, turn)

    def test_an_answer_that_is_late_reaches_no_other_request(self):
        self.begin()
        ends = threading.Event()
        threads = [threading.Thread(target=self.work, args=(asker, ends))
                   for asker in range(CONNECTIONS)]
        for thread in threads:
            thread.start()
        try:
            for plan in PLANS * 2:
                before = len(self.served)
                write_plan(self.plan, plan)
                wait_until(lambda: len(self.served) > before + 2 * CONNECTIONS, 30, "answers")
        finally:
            ends.set()
            for thread in threads:
                thread.join()
        self.assertEqual(self.wrong, [])
        self.assertGreater(self.server.metrics()[LATE], CONNECTIONS, "answers that were late")


if __name__ == "__main__":
    unittest.main()
