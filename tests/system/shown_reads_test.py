"""Reads of one record that workers answer without asking its actor (shown.memory): the same answer, never an
older one than was acknowledged, and nothing for who may not see it any more."""

import random
import threading
import time
import unittest

from feeds import UdpDevice
from files import upload
from people import FLAGS, PASSWORD, PeopleCase, bearer, log_in, token_of
from support import (LONG, SHARD_COUNTS, Client, ServerCase, is_sanitized, moved, object_path, objects,
                     run_together, scene_path, scenes, wait_until, with_shards)

SECONDS = 30 if LONG else 3
READERS = 4
READS = 'diorama_shown_reads_total{result="%s"}'
PAIR = 2


def seen(answer):
    """What an answer says, without what differs from request to request."""
    headers = {name.lower(): value for name, value in answer.headers.items()
               if name.lower() not in ("date", "x-request-id")}
    return answer.status, headers, answer.content


class Reads:
    """A client that reads, and how many of its reads no actor was asked for."""

    def __init__(self, case):
        self.client, self.server = case.client, case.server

    def hits(self):
        metrics = self.server.metrics(after=self.client)
        return metrics[READS % "hit"], metrics[READS % "miss"]

    def __call__(self, path, method="GET", **headers):
        """The answer; whether it was a hit, a miss, or neither."""
        before = self.hits()
        answer = self.client.request(method, path, None, headers)
        after = self.hits()
        return answer, {(1, 0): "hit", (0, 1): "miss", (0, 0): ""}[
            (after[0] - before[0], after[1] - before[1])]


@with_shards(*SHARD_COUNTS)
class Same(ServerCase):
    def setUp(self):
        super().setUp()
        self.client.put_scene(self.scene, latitude=48.1, longitude=11.5, name="hall")
        self.key, = self.client.create(self.scene, {"name": "cup", "transform": moved(1, 2, 3), "tags": ["a"]})
        self.path = object_path(self.scene, self.key)
        self.read = Reads(self)

    def assert_shown(self, path, **headers):
        """The answer of the actor comes first, then the same without it."""
        first, how = self.read(path, **headers)
        self.assertEqual((first.status, how), (200, "miss"), first)
        self.assert_hit(path, first, **headers)
        return first

    def assert_hit(self, path, first, **headers):
        second, how = self.read(path, **headers)
        self.assertEqual((seen(second), how), (seen(first), "hit"))

    def test_object_is_the_same_in_every_form(self):
        self.assert_shown(self.path)
        for query in ("?convention=unity", "?convention=unreal", "?form=trs"):
            answer, how = self.read(self.path + query)
            self.assertEqual((answer.status, how), (200, "hit"), query)
        self.assertEqual(self.read(self.path + "?form=geopose")[1], "")  # the actor works it out

    def test_object_is_the_same_whatever_scene_the_path_names(self):
        first = self.assert_shown(self.path)
        answer, how = self.read(object_path("elsewhere", self.key))
        self.assertEqual((answer.body["objects"], how), (first.body["objects"], "hit"))

    def test_tags_decide_as_before(self):
        first = self.assert_shown(self.path)
        tag = first.headers["ETag"]
        answer, how = self.read(self.path, **{"If-None-Match": tag})
        self.assertEqual((answer.status, answer.headers["ETag"], how), (304, tag, "hit"))
        self.client.update(self.scene, self.key, name="mug")
        answer, how = self.read(self.path, **{"If-None-Match": tag})
        self.assertEqual((answer.status, how), (200, "hit"))
        self.assertNotEqual(answer.headers["ETag"], tag)

    def test_head_is_a_read_too(self):
        self.assert_shown(self.path)
        answer, how = self.read(self.path, "HEAD")
        self.assertEqual((answer.status, answer.content, how), (200, b"", "hit"))

    def test_property_with_a_generated_key(self):
        made = self.client.ok("POST", scene_path(self.scene) + "/property/",
                              {"properties": [{"name": "p"}, {"key": "mine"}]})
        keys = [one["key"] for one in made["properties"]]
        path = scene_path(self.scene) + "/property/"
        self.assert_shown(path + next(key for key in keys if key != "mine"))
        for _ in range(2):
            self.assertEqual(self.read(path + "mine")[1], "miss")

    def test_scene_tells_its_newest_event(self):
        path = scene_path(self.scene)
        first = self.assert_shown(path)
        self.client.update(self.scene, self.key, name="mug")
        answer, how = self.read(path)
        self.assertEqual((how, answer.body["seq"]), ("hit", first.body["seq"] + 1))
        self.client.put_scene(self.scene, name="yard")
        answer, how = self.read(path)
        self.assertEqual((how, answer.body["seq"]), ("hit", first.body["seq"] + 2))
        self.assertEqual(answer.body["scenes"][0]["name"], "yard")
        self.assertEqual(self.read(path + "?form=geopose")[1], "")

    def test_scene_with_devices_is_asked_for(self):
        path = scene_path(self.scene)
        self.assert_shown(path)
        self.client.register(self.scene, {"key": "d1"})
        answer, how = self.read(path)
        self.assertEqual((how, [one["key"] for one in answer.body["scenes"][0]["devices"]]), ("miss", ["d1"]))
        self.assertEqual(self.read(self.path)[1], "miss")  # nobody has asked for it
        self.assertEqual(self.read(self.path)[1], "hit")
        self.client.deregister(self.scene, "d1")
        answer, how = self.read(path)
        self.assertEqual((how, answer.body["scenes"][0]["devices"]), ("hit", []))

    def test_asset_and_project_are_the_same_until_they_change(self):
        project = "/v1/project/" + self.client.post("/v1/project", {"name": "film"}).body["id"]
        self.assert_shown(project)
        self.assertEqual(self.client.post(project, {"name": "play"}).status, 200)
        self.assertEqual(self.assert_shown(project).body["name"], "play")
        made = upload(self.client, "/v1/asset?name=a", b"bytes")
        self.assertEqual(made.status, 200, made)
        asset = "/v1/asset/" + made.text
        first = self.assert_shown(asset)
        self.assertEqual(first.content, b"bytes")
        self.assertEqual(self.client.delete(asset).status, 200)
        self.assertEqual(self.read(asset)[0].status, 404)

    def test_lock_is_seen_at_once(self):
        self.assert_shown(self.path)
        for owner, method, query in (("d1", "GET", "?device=d1"), ("", "DELETE", "?device=d1")):
            self.client.ok(method, self.path + "/lock" + query)
            answer, how = self.read(self.path)
            self.assertEqual((answer.body["objects"][0].get("owner", ""), how), (owner, "hit"))

    def test_update_by_udp_is_seen_as_soon_as_it_is_told(self):
        device = UdpDevice("d1")
        self.addCleanup(device.close)
        self.client.register(self.scene, device.record())
        self.read(self.path)
        for x in range(20):
            device.send(self.server, {"msg_type": 1, "key": self.key, "transform": moved(x)})
            device.wait_for(lambda event: event["msg_type"] == 1 and event["transform"][3] == x)
            answer, how = self.read(self.path)
            self.assertEqual((answer.body["objects"][0]["transform"][3], how), (x, "hit"))

    def test_what_is_deleted_is_gone_and_what_is_made_again_is_new(self):
        self.assert_shown(self.path)
        self.assertEqual(self.read(scene_path(self.scene))[1], "hit")  # with what is in it
        self.client.ok("DELETE", self.path)
        self.assertEqual(self.read(self.path)[0].status, 404)
        other, = self.client.create(self.scene, {"name": "other"})
        self.read(object_path(self.scene, other))
        self.client.ok("DELETE", scene_path(self.scene))
        for path in (scene_path(self.scene), object_path(self.scene, other)):
            self.assertEqual(self.read(path)[0].status, 404)
        self.client.put_scene(self.scene, name="again")
        self.assertEqual(self.read(object_path(self.scene, other))[0].status, 404)
        self.assertEqual(self.assert_shown(scene_path(self.scene)).body["scenes"][0]["name"], "again")


class Off(ServerCase, unittest.TestCase):
    flags = {"shown_memory": 0}

    def test_without_memory_every_read_is_asked(self):
        key, = self.client.create(self.scene, {"name": "cup"})
        read = Reads(self)
        for _ in range(3):
            self.assertEqual(read(object_path(self.scene, key))[1], "miss")


class History:
    """What was acknowledged of each key, and what reads have found that must not be."""

    def __init__(self, keys):
        self.floors = dict.fromkeys(keys, 0)
        self.errors, self.reads = [], 0
        self.end = time.monotonic() + SECONDS

    def goes_on(self):
        return time.monotonic() < self.end and not self.errors

    def note(self, number, newest, floor, key):
        self.reads += 1
        if number < max(floor, newest.get(key, 0)):
            self.errors.append((key, number, floor, newest.get(key, 0)))
        newest[key] = number


@with_shards(*SHARD_COUNTS)
class Linearizable(ServerCase):
    """Versions of a key rise by one. A read finds none that is older than the newest acknowledged before it
    began, nor older than an earlier read of the same reader found."""

    def setUp(self):
        super().setUp()
        self.client.put_scene(self.scene)
        self.keys = self.client.create(self.scene, *({"name": "0"} for _ in range(2 * PAIR)))
        self.history = History([*self.keys, self.scene])

    def write(self, key):
        number = 0
        with Client(self.server) as client:
            while self.history.goes_on():
                number += 1
                client.update(self.scene, key, name=str(number))
                self.history.floors[key] = number

    def write_pair(self, keys):
        number = 0
        with Client(self.server) as client:
            while self.history.goes_on():
                number += 1
                answer = client.post(scene_path(self.scene) + "/bulk",
                                     {"update": [{"key": key, "name": str(number)} for key in keys]})
                assert answer.status == 200, answer
                for key in keys:
                    self.history.floors[key] = number

    def write_scene(self):
        number = 0
        with Client(self.server) as client:
            while self.history.goes_on():
                number += 1
                client.put_scene(self.scene, name=str(number))
                self.history.floors[self.scene] = number

    def name(self, client, key):
        if key == self.scene:
            return int(client.scene(key)["name"] or 0)
        return int(client.object(self.scene, key)["name"])

    def read(self):
        newest, pair = {}, self.keys[:PAIR]
        with Client(self.server) as client:
            while self.history.goes_on():
                for key in self.history.floors:
                    floor = self.history.floors[key]
                    self.history.note(self.name(client, key), newest, floor, key)
                one, other = (self.name(client, key) for key in pair)
                if other < one:
                    self.history.errors.append(("half of a commit", one, other))

    def test_reads_are_never_older_than_what_was_acknowledged(self):
        run_together(lambda: self.write_pair(self.keys[:PAIR]), self.write_scene,
                     *(lambda key=key: self.write(key) for key in self.keys[PAIR:]),
                     *[self.read] * READERS)
        self.assertEqual(self.history.errors, [])
        metrics = self.server.metrics()
        hits, misses = (metrics[READS % how] for how in ("hit", "miss"))
        print(f"\n{self.shards} shards: {self.history.reads} reads, {hits:.0f} hits, {misses:.0f} misses, "
              f"writes {self.history.floors.values()}")
        self.assertGreater(min(self.history.floors.values()), 10)
        self.assertGreater(hits, misses)


@with_shards(*SHARD_COUNTS)
class Evicted(ServerCase):
    """Scenes come and go, records have little room, and everything is read as it was written last."""

    flags = {"scene_memory": 1 << 20, "shown_memory": 256 << 10, "store_sync": "never"}

    def test_what_is_read_is_right_while_scenes_come_and_go(self):
        names = [f"s{number:03d}" for number in range(40)]
        keys = {name: self.client.create(name, *({"name": "0", "type": "x" * 2000} for _ in range(20)))
                for name in names}
        numbers = {key: 0 for name in names for key in keys[name]}
        dice = random.Random(7)
        for step in range(200 if is_sanitized() else 1000):
            name = dice.choice(names[:4] if step % 4 else names)
            key = dice.choice(keys[name])
            for _ in range(2):
                self.assertEqual(self.client.object(name, key)["name"], str(numbers[key]))
            if step % 3 == 0:
                numbers[key] = step
                self.client.update(name, key, name=str(step))
                self.assertEqual(self.client.object(name, key)["name"], str(step))
        metrics = self.server.metrics()
        self.assertLessEqual(metrics["diorama_shown_memory_bytes"], 256 << 10)
        self.assertGreater(metrics[READS % "hit"], 100)


class Access(PeopleCase, unittest.TestCase):
    def hammer(self, path, headers, seen, is_over):
        with Client(self.server) as client:
            while not is_over.is_set():
                began = time.monotonic()
                status = client.request("GET", path, None, headers).status
                seen.append((began, time.monotonic(), status))

    def begin(self, path, token):
        """Clients that read without a pause; what they saw, and how they are ended."""
        self.seen, is_over = [], threading.Event()
        threads = [threading.Thread(target=self.hammer, args=(path, bearer(token), self.seen, is_over), daemon=True)
                   for _ in range(READERS)]
        for thread in threads:
            thread.start()

        def end():
            is_over.set()
            for thread in threads:
                thread.join()
        self.addCleanup(end)
        return end

    def wait_for(self, status):
        count = len(self.seen)
        wait_until(lambda: sum(code == status for *_, code in self.seen[count:]) >= 2 * READERS, what=f"a {status}")

    @staticmethod
    def flip(person, is_public):
        person.ok("PUT", scene_path("flips"), scenes({"public": is_public}))
        return time.monotonic()

    def test_no_read_that_begins_after_a_scene_was_hidden_finds_anything(self):
        ann, bob = self.new_person("ann"), self.new_person("bob")
        ann.put_scene("flips", public=True)
        key, = ann.create("flips", {"name": "cup"})
        for path in (object_path("flips", key), scene_path("flips")):
            end = self.begin(path, bob.token)
            hidden = []
            for _ in range(100 if LONG else 15):
                self.wait_for(200)
                answered = self.flip(ann, False)
                self.wait_for(404)
                hidden.append((answered, time.monotonic()))
                self.flip(ann, True)
            end()
            late = {status for since, until in hidden for began, ended, status in self.seen
                    if since < began and ended < until}
            self.assertEqual(late, {404})
            self.assertEqual(ann.get(path).status, 200)

    def test_who_has_lost_access_reads_nothing_within_a_second(self):
        ann = self.sign_up("cat")
        self.admin.put_scene("open", public=True)
        key, = self.admin.create("open", {"name": "cup"})
        steps = {"logout": lambda token: self.client.request("POST", "/v1/logout", None, bearer(token)),
                 "deactivate": lambda _: self.admin.delete(f"/v1/users/{ann['id']}/active")}
        for kind, step in steps.items():
            token = token_of(log_in(self.client, "cat", PASSWORD))
            end = self.begin(object_path("open", key), token)
            self.wait_for(200)
            self.assertEqual(step(token).status, 200)
            answered = time.monotonic()
            self.wait_for(401)
            end()
            self.assertEqual({status for began, _, status in self.seen if began > answered}, {401}, kind)
            self.assertLess(max(began for began, _, status in self.seen if status == 200), answered + 1)

    def test_administrator_who_is_none_any_more_reads_nothing_that_is_private(self):
        eve = self.new_person("eve", isAdmin=True)
        self.admin.put_scene("closed", public=False)
        key, = self.admin.create("closed", {"name": "cup"})
        self.assertEqual([eve.get(object_path("closed", key)).status for _ in range(3)], [200] * 3)
        self.assertEqual(self.admin.delete(f"/v1/users/{eve.id}/admin").status, 200)
        self.assertIn(eve.get(object_path("closed", key)).status, (401, 404))
        again = self.enter(self.server, "eve")
        self.assertEqual([again.get(object_path("closed", key)).status for _ in range(3)], [404] * 3)


if __name__ == "__main__":
    unittest.main()
