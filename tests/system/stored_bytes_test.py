"""Bytes of objects and properties count towards `record_bytes` of who made them, or made them larger
last. The sum lies in the same commit as they do: it is the same after a kill, before anything is
read and after all of it was."""

import random
import unittest

from budgets_test import BudgetCase
from feeds import UdpDevice
from people import FLAGS, Person
from recorded import load, unpack
from support import (LONG_SHARD_COUNTS, Server, ServerCase, moved, needs_files, object_path, objects,
                     scene_path, wait_until, with_shards)

HELD = 'diorama_budget_held{budget="record_bytes"}'
LARGE = {"name": "n" * 4000, "type": "t" * 4000}
DROPPED = 'diorama_udp_dropped_datagrams_total{reason="budget"}'


class HoldingCase(BudgetCase):
    def again(self, *people):
        """The same persons after a restart."""
        people = [person.again() for person in people]
        for person in people:
            self.addCleanup(person.close)
        return people

    def held(self):
        return self.server.metrics()[HELD]

    def fill(self, person, scene, *, most=1000):
        """Makes large objects until there is no room: their keys, and the refusal."""
        keys = []
        for _ in range(most):
            answer = person.post(scene_path(scene) + "/object", objects(LARGE))
            if answer.status != 200:
                return keys, answer
            keys.append(answer.body["objects"][0]["key"])
        return self.fail("no budget ended it")


class Refused(HoldingCase, unittest.TestCase):
    flags = None

    def test_objects_beyond_the_budget_and_others_work_on(self):
        self.begin(budget_record_bytes="1M")
        self.greedy.put_scene("hall")
        body = objects(*[LARGE] * 100)
        answers = [self.greedy.post(scene_path("hall") + "/object", body) for _ in range(6)]
        self.assert_over(answers[-1], 507, 120, "record_bytes")
        self.assertEqual(len(self.greedy.objects("hall")), 100, "a refused request leaves nothing")
        self.modest.put_scene("yard")
        self.modest.create("yard", *[LARGE] * 100)

    def test_who_writes_into_the_scene_of_another_pays(self):
        self.begin(budget_record_bytes="100K")
        self.modest.put_scene("hall", public=True)
        [key] = self.modest.create("hall", {"name": "small"})
        before = self.held()
        _, answer = self.fill(self.greedy, "hall")
        self.assert_over(answer, 507, 120, "record_bytes")
        self.assertGreater(self.held(), before + 90000)
        self.assert_over(self.greedy.post(object_path("hall", key), objects(LARGE)),
                         507, 120, "record_bytes")
        self.modest.create("hall", *[LARGE] * 5)
        self.assertEqual(self.modest.post(object_path("hall", key), objects(LARGE)).status, 200)

    def test_extras_and_tags_count(self):
        self.begin(budget_record_bytes="100K")
        self.greedy.put_scene("hall")
        path = scene_path("hall") + "/object"
        for members in ({"extras": {"note": "n" * 4000}}, {"tags": ["t" * 1000] * 4}):
            self.assert_over(self.greedy.post(path, objects(*[members] * 40)), 507, 120, "record_bytes")
        self.greedy.create("hall", *[{"name": "small"}] * 40)

    def test_properties_and_actions_count(self):
        self.begin(budget_record_bytes="100K")
        path = scene_path("hall")
        self.greedy.put_scene("hall")
        body = {"properties": [{"key": f"p{n}", "name": "n" * 4000} for n in range(40)]}
        self.assert_over(self.greedy.post(path + "/property", body), 507, 120, "record_bytes")
        [key] = self.greedy.create("hall", {"name": "o"})
        frames = [{"frame": n, "transform": moved(n)} for n in range(1000)]
        answer = self.greedy.post(object_path("hall", key),
                                  objects({"actions": [{"name": "a", "keyframes": frames}]}))
        self.assert_over(answer, 507, 120, "record_bytes")

    def test_a_move_and_a_smaller_object_pass_without_room(self):
        self.begin(budget_record_bytes="100K")
        self.greedy.put_scene("hall")
        keys, _ = self.fill(self.greedy, "hall")
        answer = self.admin.put(f"/v1/users/{self.greedy_id}/budget", {"record_bytes": 1000})
        self.assertEqual(answer.status, 200, answer)
        path = object_path("hall", keys[0])
        self.assertEqual(self.greedy.post(path, objects({"transform": moved(1)})).status, 200)
        self.assertEqual(self.greedy.post(path, objects({"name": "short"})).status, 200)
        self.assert_over(self.greedy.post(path, objects({"name": "longer than that"})),
                         507, 120, "record_bytes")

    def test_what_is_deleted_or_made_smaller_is_given_back(self):
        self.begin(budget_record_bytes="100K")
        empty = self.held()
        self.greedy.put_scene("hall")
        bare = self.held()
        keys, _ = self.fill(self.greedy, "hall")
        for key in keys[:5]:
            self.greedy.ok("DELETE", object_path("hall", key))
        again, _ = self.fill(self.greedy, "hall")
        self.assertEqual(len(again), 5)
        for key in keys[5:] + again:
            self.greedy.ok("DELETE", object_path("hall", key))
        self.assertEqual(self.held(), bare)
        self.fill(self.greedy, "hall")
        self.greedy.ok("DELETE", scene_path("hall"))
        self.assertEqual(self.held(), empty)
        self.greedy.put_scene("yard")
        self.fill(self.greedy, "yard")

    def test_a_datagram_that_makes_an_object_larger_is_dropped_without_room(self):
        self.begin(budget_record_bytes="100K")
        self.greedy.put_scene("hall")
        device = UdpDevice("drone")
        self.addCleanup(device.close)
        token = self.greedy.register("hall", device.record())["udp"]["token"]
        keys, _ = self.fill(self.greedy, "hall")
        [small] = self.greedy.create("hall", {"name": "small"})
        before = self.held()

        def send(**members):
            device.send(self.server, {"msg_type": 1, "key": small, "token": token, **members})

        send(name="x" * 5000)  # no text has more than 4,096 bytes
        send(name="x" * 4000, type="t" * 3000)
        wait_until(lambda: self.server.metrics().get(DROPPED) == 1, 20, "the refusal")
        self.assertEqual(self.greedy.object("hall", small)["name"], "small")
        self.assertEqual(self.held(), before)
        self.greedy.ok("DELETE", object_path("hall", keys[0]))
        send(name="x" * 4000)
        wait_until(lambda: self.greedy.object("hall", small)["name"] != "small", 20, "the name")
        self.assertGreater(self.held(), before - 5000)


@with_shards(*LONG_SHARD_COUNTS)
class Kept(HoldingCase):
    flags = None

    def change(self, people, dice, device, token, known):
        """One change of a kind that dice choose. The device belongs to the first of the people."""
        person = people[dice.random() < 0.3]
        scene = f"s{dice.randrange(4)}"
        text = "x" * dice.randrange(3000)
        key = dice.choice(known[scene]) if known[scene] else None
        kind = dice.randrange(7)
        if kind < 2 or not key:
            known[scene] += person.create(scene, *[{"name": text}] * dice.choice((1, 3, 40)))
        elif kind == 2:
            person.update(scene, key, name=text)
        elif kind == 3:
            person.ok("DELETE", object_path(scene, key))
            known[scene].remove(key)
        elif kind == 4:
            people[0].ok("PUT", object_path(scene, key) + "/lock?device=drone")
            people[0].ok("DELETE", object_path(scene, key) + "/lock?device=drone")
        elif kind == 5:
            device.send(self.server, {"msg_type": 1, "key": key, "token": token, "name": text})
        else:
            device.send(self.server, {"msg_type": 1, "key": key, "token": token,
                                      "transform": moved(1)})

    def read_all(self, person):
        for number in range(4):
            person.objects(f"s{number}")

    def test_sums_are_the_same_after_kills_before_and_after_everything_is_read(self):
        self.begin()
        dice = random.Random(11)
        device = UdpDevice("drone")
        self.addCleanup(device.close)
        known = {f"s{number}": [] for number in range(4)}
        people = [self.greedy, self.modest]
        for number in range(4):
            people[0].put_scene(f"s{number}", public=True)
        for number in range(3):
            token = people[0].register("s0", device.record())["udp"]["token"]
            for scene in ("s1", "s2", "s3"):
                people[0].register(scene, device.record())
            for _ in range(80):
                self.change(people, dice, device, token, known)
            if number != 1:  # once the kill comes while updates by UDP are not on the disk yet
                people[0].update("s0", known["s0"][0], name="the last one")
                now = self.held_at_rest()
                self.restart("crash")
                self.assertEqual(self.held(), now)
            else:
                self.restart("crash")
                now = self.held()
            people = self.again(*people)
            self.read_all(people[0])
            self.assertEqual(self.held(), now, "what was read is not what was counted")
            self.assertNotIn("holding_counted", self.server.log_text())
        for number in range(4):
            people[0].ok("DELETE", scene_path(f"s{number}"))
        bare = self.held()
        self.restart("crash")
        self.assertEqual(self.held(), bare)

    def held_at_rest(self):
        """Once the last datagrams are on the disk."""
        settled = []

        def is_same():
            settled.append(self.held())
            return len(settled) > 5 and len(set(settled[-5:])) == 1

        wait_until(is_same, 20, "an end of changes")
        return settled[-1]

    def test_scenes_that_leave_memory_count_as_before(self):
        self.begin(scene_memory="1M")
        for number in range(20):
            self.greedy.put_scene(f"s{number}")
            self.greedy.create(f"s{number}", *[LARGE] * 12)
        now = self.held()
        for number in range(20):
            self.greedy.objects(f"s{number}")
        self.assertEqual(self.held(), now)
        for number in range(20):
            self.greedy.ok("DELETE", scene_path(f"s{number}"))
        self.assertLess(self.held(), 20000)


@with_shards(*LONG_SHARD_COUNTS)
@needs_files
class Older(ServerCase):
    """A data folder that has no sums: those of a scene are made when it is read first."""

    flags = None

    def test_a_folder_of_an_older_version_counts_what_is_read(self):
        known, _ = load("store-0.1")
        self.server = Server(scene_actors=self.shards, **FLAGS)
        self.addCleanup(self.server.end)
        unpack("store-0.1", "stopped", self.server.folder)
        self.server.start()

        def read_all():
            with Person(self.server, known["people"]["admin"]["token"]) as admin:
                for scene in admin.all_scenes():
                    admin.objects(scene["key"])

        before = self.server.metrics()[HELD]
        read_all()
        after = self.server.metrics()[HELD]
        self.assertGreater(after, before)
        with Person(self.server, known["people"]["admin"]["token"]) as admin:
            admin.put_scene("later")  # its commit comes after that of the sums
        now = self.server.metrics()[HELD]
        for start in (self.server.crash, self.server.restart):
            start()
            self.assertEqual(self.server.metrics()[HELD], now)
            read_all()
            self.assertEqual(self.server.metrics()[HELD], now)


if __name__ == "__main__":
    unittest.main()
