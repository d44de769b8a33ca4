"""kill -9 under load, and at every step of a scene's deletion.

Each writer notes what was acknowledged and the one request that was under way when the server
died; afterwards each record must be in its acknowledged state or in that of the request under way.
"""

import http.client
import os
import random
import threading
import time
import unittest

from feeds import UdpDevice
from support import (LONG, LONG_SHARD_COUNTS, SHARD_COUNTS, Client, ServerCase, is_sanitized, moved, object_path,
                     objects, scene_path, scenes, wait_until, with_shards, write_plan)

ROUNDS = 500 if LONG else 3 if is_sanitized() else 6  # with each number of shards
UDP_LOSS_SECONDS = 0.05       # what a crash may cost of updates by UDP
CONNECTION_LOST = (OSError, http.client.HTTPException)


def state_of(record):
    return (record["name"], record["transform"][3], record["owner"])


class HttpWriter:
    """Creates, updates, locks and deletes objects of its own; knows what must be true of them."""

    def __init__(self, number, scene):
        self.number, self.scene = number, scene
        self.chance = random.Random(number)
        self.acknowledged = {}  # key -> state
        self.deleted = set()
        self.pending = None     # (key, or None for a creation; state, or None for a deletion)
        self.count = 0
        self.sent_at = 0        # when the last one that was acknowledged was sent

    def run(self, server, ended):
        try:
            with Client(server) as client:
                while not ended.is_set():
                    now = time.monotonic()
                    self.step(client)
                    self.sent_at = now
        except CONNECTION_LOST:
            pass

    def step(self, client):
        self.count += 1
        fresh = f"w{self.number}-{self.count}"
        keys = sorted(self.acknowledged)
        key = self.chance.choice(keys) if keys else None
        choice = self.chance.random() if key else 0.0
        if choice < 0.3:
            self.create(client, fresh)
        elif choice < 0.75:
            _, _, owner = self.acknowledged[key]
            self.write(client, "POST", key, (fresh, float(self.count), owner), "",
                       objects({"name": fresh, "translation": [self.count, 0, 0]}))
        elif choice < 0.85:
            name, x, owner = self.acknowledged[key]
            method, new = ("DELETE", "") if owner else ("GET", f"d{self.number}")
            self.write(client, method, key, (name, x, new), f"/lock?device=d{self.number}", None)
        else:
            self.write(client, "DELETE", key, None, "", None)

    def create(self, client, name):
        self.pending = (None, (name, float(self.count), ""))
        key, = client.create(self.scene, {"name": name, "translation": [self.count, 0, 0]})
        self.acknowledged[key] = self.pending[1]
        self.pending = None

    def write(self, client, method, key, state, suffix, body):
        self.pending = (key, state)
        client.ok(method, object_path(self.scene, key) + suffix, body)
        self.settle(key, state)

    def settle(self, key, state):
        self.pending = None
        if state is None:
            self.acknowledged.pop(key, None)
            self.deleted.add(key)
        else:
            self.acknowledged[key] = state

    def lost(self, found):
        """What is not as it must be, of the records found after a crash, by key."""
        problems = []
        pending_key, pending_state = self.pending or (None, None)
        for key, state in list(self.acknowledged.items()):
            actual = state_of(found[key]) if key in found else None
            allowed = [state] + ([pending_state] if key == pending_key else [])
            if actual not in allowed:
                problems.append(f"{key}: {actual}, not one of {allowed}")
            elif actual != state:
                self.settle(key, actual)
        problems += [f"{key}: deleted, and there again" for key in self.deleted & set(found)]
        if pending_key is None and pending_state:  # a creation whose answer never came
            made = [key for key, record in found.items() if state_of(record) == pending_state]
            self.acknowledged.update((key, pending_state) for key in made)
        self.pending = None
        return problems


class UdpWriter:
    """Moves one object by UDP, hears its own updates, and renames it by HTTP now and then."""

    def __init__(self, client, number, scene):
        self.scene = scene
        self.device = UdpDevice(f"udp{number}")
        self.key, = client.create(scene, {"name": "n0"})
        client.register(scene, self.device.record())
        self.sent = 0           # counts datagrams; the number is the x of the object
        self.durable = 0        # acknowledged by an HTTP write that came after it
        self.heard = []         # (time, number) of each update that came back

    def run(self, server, ended):
        try:
            with Client(server) as client:
                while not ended.is_set():
                    self.step(server, client)
        except CONNECTION_LOST + (AssertionError,):
            pass  # an AssertionError is an echo that never came: the server is dead

    def step(self, server, client):
        self.sent += 1
        self.device.send(server, {"msg_type": 1, "key": self.key, "transform": moved(self.sent)})
        self.device.wait_for(lambda event: event["transform"][3] == self.sent, 1.0)
        self.heard.append((time.monotonic(), self.sent))
        if self.sent % 20 == 0:
            client.ok("POST", object_path(self.scene, self.key), {"name": f"n{self.sent}"})
            self.durable = self.sent
        self.device.inbox.items.clear()

    def lost(self, found, durable_at):
        """What is not as it must be. What was heard UDP_LOSS_SECONDS before `durable_at`, when a write
        to the same scene was sent that is durable, is durable too, however long a commit takes."""
        horizon = durable_at - UDP_LOSS_SECONDS
        floor = max([self.durable] + [number for at, number in self.heard if at <= horizon])
        if self.key not in found:
            return [f"{self.key}: gone"]
        name, x, _ = state_of(found[self.key])
        problems = []
        if not floor <= x <= self.sent:
            problems.append(f"{self.key}: x is {x}, not within {floor} to {self.sent}")
        if int(name[1:]) < self.durable or int(name[1:]) > x:
            problems.append(f"{self.key}: name is {name}, {self.durable} was acknowledged, x {x}")
        self.heard.clear()
        return problems


@with_shards(*SHARD_COUNTS)
class MixedLoad(ServerCase):
    flags = None

    def test_no_acknowledged_write_is_lost_by_kill_9(self):
        self.start_server()
        chance = random.Random(self.shards)
        homes = [f"home{n}" for n in range(4)]
        for home in homes:
            self.client.put_scene(home)
        writers = [HttpWriter(n, homes[n % 4]) for n in range(6)]
        movers = [UdpWriter(self.client, n, homes[n]) for n in range(2)]
        for mover in movers:
            self.addCleanup(mover.device.close)
        for number in range(ROUNDS):
            ended = threading.Event()
            threads = [threading.Thread(target=worker.run, args=(self.server, ended), daemon=True)
                       for worker in writers + movers]
            for thread in threads:
                thread.start()
            time.sleep(chance.uniform(0.1, 0.9))  # the moment of the crash is left to chance
            self.server.kill()
            ended.set()
            for thread in threads:
                thread.join()
            if LONG or number % 2:  # crash_model_test does it in each of its rounds
                words, code = self.server.check_store()
                self.assertEqual((words[-1], code), ("the store is good", 0), f"{number}: {words}")
            self.server.start(deadline=5 if LONG else 60)
            self.check(f"round {number}", homes, writers, movers)
        written = sum(writer.count for writer in writers)
        print(f"\n{self.shards} shards: {ROUNDS} kills, {written} HTTP writes, "
              f"{sum(mover.sent for mover in movers)} UDP updates, 0 acknowledged writes lost")
        self.assertGreater(written, ROUNDS * 20, "too little load to show anything")

    def check(self, what, homes, writers, movers):
        with Client(self.server) as client:
            found = {record["key"]: record for home in homes for record in client.objects(home)}
            problems = [problem for writer in writers for problem in writer.lost(found)]
            for mover in movers:
                durable_at = max(w.sent_at for w in writers if w.scene == mover.scene)
                problems += mover.lost(found, durable_at)
            known = {mover.key for mover in movers}.union(*(w.acknowledged for w in writers))
            problems += [f"{key}: nobody made it: {found[key]}" for key in set(found) - known]
            for key in random.sample(sorted(found), min(30, len(found))):
                self.assertEqual(client.object(found[key]["scene"], key), found[key])
            for writer in writers:
                for key in random.sample(sorted(writer.deleted), min(5, len(writer.deleted))):
                    client.refused(404, 102, "GET", object_path(writer.scene, key))
        self.assertEqual(problems, [], what)


@with_shards(*LONG_SHARD_COUNTS)
class SceneDeletion(ServerCase):
    """A deletion that is killed before or after the N-th commit, for every N that it has."""

    OBJECTS = 5000 if LONG else 1300
    flags = {}

    @classmethod
    def setUpClass(cls):
        """Fills a data folder once; each kill works on a copy of it."""
        super().setUpClass()
        with Client(cls.server) as client:
            client.put_scene("doomed", name="doomed", tags=["doomed"])
            cls.keys = client.create("doomed", *({"name": f"o{n}"} for n in range(cls.OBJECTS)))
            client.register("doomed", {"key": "d1"}, {"key": "d2"})
            cls.other = client.create("bystander", {"name": "stays"})[0]
        cls.server.stop()
        cls.template = cls.server

    def setUp(self):
        self.scene = None

    def fresh_server(self):
        """A running server on a copy of the data, and the file that holds its plan."""
        server = self.server = type(self.shared_server)(scene_actors=self.shards, **self.flags)
        self.addCleanup(server.end)
        server.copy(self.template)
        plan = os.path.join(server.folder, "plan")
        write_plan(plan, "latency=0")
        server.start(store_fault=f"file={plan}")
        return server, plan

    def delete_scene(self, server):
        """Whether the deletion was answered; then waits until the server is dead or idle."""
        try:
            with Client(server) as client:
                answered = client.delete(scene_path("doomed")).status == 200
        except CONNECTION_LOST:
            answered = False
        wait_until(lambda: not server.is_running() or is_idle(server), 20, "the end of the sweep")
        return answered

    def check(self, server, answered):
        """All of the scene is there or nothing of it; nothing once the deletion was answered."""
        with Client(server) as client:
            self.assertEqual(client.object("bystander", self.other)["name"], "stays")
            status = client.get(scene_path("doomed")).status
            if status == 200:
                self.assertFalse(answered, "a deleted scene came back")
                self.assertEqual(len(client.objects("doomed")), self.OBJECTS)
                self.assertEqual(len(client.scene("doomed")["devices"]), 2)
                return "intact"
            self.assertEqual(status, 404)
            for key in self.keys[::97] + self.keys[-1:]:
                client.refused(404, 102, "GET", object_path("doomed", key))
            found = client.ok("POST", "/v1/scene/query", scenes({"tags": ["doomed"]}))
            self.assertEqual(found["scenes"], [])
            client.put_scene("doomed", name="again")
            self.assertEqual(client.objects("doomed"), [])
            self.assertEqual(client.scene("doomed")["devices"], [])
            return "gone"

    def kill_at_every_step(self, word):
        outcomes, number = [], 0
        while True:
            number += 1
            server, plan = self.fresh_server()
            write_plan(plan, f"{word}={number}")
            answered = self.delete_scene(server)
            survived = server.is_running()
            if survived:
                server.kill()
            server.await_kill()
            server.start(store_fault=None)
            outcomes.append(self.check(server, answered))
            server.end()
            if survived:
                break
            self.assertLess(number, 100, "the sweep has no end")
        return outcomes

    def test_killed_before_each_commit(self):
        outcomes = self.kill_at_every_step("kill-before")
        self.assertGreaterEqual(len(outcomes), 4, "the deletion was to have several commits")
        self.assertEqual(outcomes, ["intact"] + ["gone"] * (len(outcomes) - 1))

    def test_killed_after_each_commit(self):
        outcomes = self.kill_at_every_step("kill-after")
        self.assertGreaterEqual(len(outcomes), 4, "the deletion was to have several commits")
        self.assertEqual(outcomes, ["gone"] * len(outcomes))

    def test_a_sweep_that_is_killed_at_every_start_still_ends(self):
        server, plan = self.fresh_server()
        write_plan(plan, "kill-after=1")
        self.delete_scene(server)
        self.assertFalse(server.is_running())
        for number in range(2, 40):
            server.launch(store_fault=f"kill-after={number}")
            wait_until(lambda: not server.is_running() or is_idle(server), 20, "an end")
            if server.is_running():
                break
        self.assertTrue(server.is_running(), "every start was killed")
        server.kill()
        server.start(store_fault=None)
        self.assertEqual(self.check(server, True), "gone")


@with_shards(*(SHARD_COUNTS if LONG else SHARD_COUNTS[:1]))
class ToldSceneDeletion(SceneDeletion):
    """The same while each object is told of."""
    flags = {"events_cascade": "true"}


def is_idle(server):
    """Whether no commit happened for a third of a second."""
    try:
        before = commits(server)
        time.sleep(0.33)
        return commits(server) == before
    except (OSError, http.client.HTTPException):
        return False


def commits(server):
    metrics = server.metrics()
    return [value for name, value in sorted(metrics.items())
            if name.startswith("diorama_store_commits_total")]


if __name__ == "__main__":
    unittest.main()
