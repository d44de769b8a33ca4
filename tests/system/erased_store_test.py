"""A user is erased: the store itself is searched for what knew them, key by key and value by value
(store_search.c), whatever they did just before, were about to do, or was in the way."""

import os
import subprocess
import threading
import unittest

from damage import flip_text
from erase_test import POSE, erase, fill, stored_about
from files import upload
from identity_test import Drip, DrippingUpload
from people import FLAGS, PASSWORD, PeopleCase, Person
from support import (BIN, LONG_SHARD_COUNTS, needs_files, object_path, scene_path, scenes, wait_until,
                     with_shards, write_plan)

FILLER = 4000  # characters of a text


def noise(size):
    return os.urandom(size // 2).hex()


@needs_files
class RawCase(PeopleCase):
    """`bob` is erased; their name is random, so that a search finds nothing else."""

    def setUp(self):
        super().setUp()
        self.tag = noise(8)
        self.name = f"bob-{self.tag}"
        if self.flags is not None:
            self.bob = self.new_person(self.name)
            self.addCleanup(self.bob.close)

    def found(self):
        """[[family, part, tag, key, place, text]] of all that has their id or their name."""
        folder = os.path.join(self.server.flags["data_dir"], "store")
        done = subprocess.run([os.path.join(BIN, "store_search"), folder, self.bob.id, self.name],
                              capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return [line.split(" ", 5) for line in done.stdout.splitlines()]

    def found_kinds(self):
        """{"scene O"}: families and tags."""
        return {f"{family} {tag}" for family, _, tag, _, _, _ in self.found()}

    def assert_gone(self):
        """What was answered before its marks are removed (outbox, sweeps, device keys) goes by itself."""
        try:
            wait_until(lambda: not self.found(), 30)
        except AssertionError:
            self.assertEqual(self.found(), [], "it knows them")
        self.assertEqual(stored_about(self.admin, self.bob.id), [])

    def files_with(self, text):
        """Folders below data.dir, but the store, with a file that has the text."""
        top, places = self.server.flags["data_dir"], set()
        for folder, _, names in os.walk(top):
            place = os.path.relpath(folder, top).split(os.sep)[0]
            if place == "store":
                continue  # RocksDB removes files of it meanwhile
            for name in names:
                with open(os.path.join(folder, name), "rb") as file:
                    if text.encode() in file.read():
                        places.add(place)
        return places

    def send(self, person, method, path, body=None):
        answer = person.request(method, path, body, {"Idempotency-Key": noise(16)})
        self.assertEqual(answer.status, 200, answer)
        return answer


@with_shards(*LONG_SHARD_COUNTS)
class Everything(RawCase):
    """One thing of each kind that knows a user."""

    def live(self):
        """What the user does before they are erased, and what others do with it."""
        bob, made = self.bob, fill(self.bob, self.admin, self.tag)
        scene, (asset, project, collection) = made["shown"], made["keys"][1]
        self.carl = self.new_person(f"carl-{self.tag}")
        self.addCleanup(self.carl.close)
        bob.post(f"/v1/scene/{made['ann']}/property/", {"properties": [{"name": "heat"}]})
        bob.ok("POST", scene_path(made["ann"]) + "/align",
               scenes({"devices": [{"key": made["phone"], "transform": POSE}]}))
        self.admin.put(f"/v1/users/{bob.id}/budget", {"scenes": 100})
        bob.put(f"/v1/users/{bob.id}/scenes/{scene}")
        self.admin.put("/v1/relationship", {"assetId": asset, "relationshipType": "user",
                                            "relatedId": bob.id})
        for path, body in ((f"/v1/project/{project}", {"description": "d"}),
                           (f"/v1/collection/{collection}", {"description": "d"}),
                           (f"/v1/project/{project}/groups", {"name": "g"}),
                           (scene_path(scene), scenes({"name": "n"}))):
            self.send(bob, "POST", path, body)
            self.send(self.admin, "POST", path, {**body, "name": "g2"} if "groups" in path else body)
        held, = bob.create(made["ann"], {"name": "paid by bob"})
        self.send(self.carl, "POST", object_path(made["ann"], held), {"name": "n" * 10})
        upload(bob, f"/v1/asset/{asset}", b"the next version")
        bob.put_scene("swept" + self.tag, public=True)
        bob.create("swept" + self.tag, *({"name": "o"} for _ in range(50)))
        bob.delete(scene_path("swept" + self.tag))
        return made

    def test_nothing_in_the_store_knows_them(self):
        self.live()
        kinds = wait_until(lambda: self.found_kinds(), what="something")
        self.assertLessEqual({f"scene {tag}" for tag in "SOPDEHI"} | {f"asset {tag}" for tag in "ARLJI"} |
                             {f"user {tag}" for tag in "UTGQ"}, kinds, "the search finds too little")
        answer = erase(self.admin, self.bob.id)
        self.assertEqual(answer.status, 200, answer)
        self.assert_gone()
        self.assertEqual(self.files_with(self.name), set())
        self.assertEqual(self.files_with(self.bob.id), {"audit"})

    def test_nor_after_a_restart(self):
        self.live()
        erase(self.admin, self.bob.id)
        self.server.restart()
        self.admin = type(self).admin = self.enter(self.server, "admin")
        self.addClassCleanup(self.admin.close)
        self.assert_gone()


class ServedAlone(RawCase):
    """A server for each test, which may be restarted."""

    flags = None

    def begin(self, **flags):
        self.start_server(**{**FLAGS, **flags})
        self.admin = self.enter(self.server, "admin")
        self.bob = self.enter(self.server, self.name,
                              user=self.sign_up(self.name, admin=self.admin))
        for person in (self.admin, self.bob):
            self.addCleanup(person.close)

    def plan(self, text):
        write_plan(self.plan_path, text)

    def begin_with_plan(self, **flags):
        self.begin(**flags)
        self.plan_path = os.path.join(self.server.folder, "plan")
        self.plan("latency=0")
        self.again("restart", store_fault=f"file={self.plan_path}")

    def again(self, how, **flags):
        getattr(self.server, how)(**flags)
        self.admin, self.bob = self.admin.again(), self.bob.again()
        for person in (self.admin, self.bob):
            self.addCleanup(person.close)

    def rooms(self, count, size, each=FILLER):
        """Public scenes of the administrator with objects that bob pays for."""
        names = [f"room{number:02d}" for number in range(count)]
        for name in names:
            self.admin.put_scene(name, public=True)
            self.bob.create(name, *({"name": noise(each)} for _ in range(size)))
        return names


@with_shards(*LONG_SHARD_COUNTS)
class OutOfMemory(ServedAlone):
    def test_scenes_that_are_not_in_memory_are_read_for_it(self):
        self.begin(scene_memory="1M")
        rooms = self.rooms(8, 60)  # each takes about a quarter of what may be in memory
        self.bob.put_scene("own", public=True)
        self.admin.create("own", *({"name": noise(FILLER)} for _ in range(60)))
        self.again("restart")
        self.assertIn("scene O", self.found_kinds())
        self.assertEqual(erase(self.admin, self.bob.id).status, 200)
        self.assert_gone()
        for room in (*rooms, "own"):
            self.assertEqual(len(self.admin.objects(room)), 60)


@with_shards(*LONG_SHARD_COUNTS)
class Damage(ServedAlone):
    def test_what_cannot_be_read_is_passed_and_done_when_it_can(self):
        self.begin(http_deadline=2000)
        rooms = self.rooms(3, 40)
        project = self.bob.post("/v1/project", {"name": "p", "public": True}).body["id"]
        self.bob.register(rooms[2], {"key": "phone", "transform": POSE})
        text = self.admin.objects(rooms[0])[20]["name"]
        self.again("restart")  # the log becomes a table
        self.server.stop()
        mend = flip_text(os.path.join(self.server.flags["data_dir"], "store"), text[:60])
        self.server.start()
        self.admin, self.bob = self.admin.again(), self.bob.again()
        self.admin.refused(503, 120, "DELETE", f"/v1/users/{self.bob.id}/data")
        wait_until(lambda: "cannot be read" in self.server.log_text(), 10, "the line of the log")
        self.assertEqual(self.admin.get(f"/v1/project/{project}").body["user"], "")
        self.assertEqual(self.admin.scene(rooms[2])["devices"], [])
        self.admin.refused(404, 102, "GET", f"/v1/users/{self.bob.id}")
        self.assertEqual(len(self.admin.objects(rooms[1])), 40)
        mend()
        self.assertEqual(erase(self.admin, self.bob.id).status, 200)
        self.assert_gone()
        self.assertEqual(len(self.admin.objects(rooms[0])), 40)


@with_shards(*LONG_SHARD_COUNTS)
class WhileTheyAsk(ServedAlone):
    """Requests of the user that are under way when they are erased leave nothing."""

    def erase_now(self):
        answer = erase(self.admin, self.bob.id)
        self.assertEqual(answer.status, 200, answer)

    def test_bodies_that_drip_come_too_late(self):
        self.begin()
        self.admin.put_scene("hall", public=True)
        drips = [Drip(self.bob, "PUT", "/v1/scene/late", {"scenes": [{"name": "late"}]}),
                 Drip(self.bob, "POST", "/v1/scene/hall/object", {"objects": [{"name": "late"}]}),
                 Drip(self.bob, "POST", "/v1/scene/hall/register",
                      scenes({"devices": [{"key": "phone", "transform": POSE}]})),
                 Drip(self.bob, "POST", "/v1/project", {"name": "late"}),
                 Drip(self.bob, "PUT", f"/v1/users/{self.bob.id}", {"email": "late@example.com"})]
        uploading = DrippingUpload(self.server, self.bob.token)
        uploading.send(b"half of it, and ")
        self.erase_now()
        for request in (*drips, uploading):
            self.assertEqual(request.finish(), 401)
        self.assert_gone()

    def test_what_waits_for_its_scene_is_refused(self):
        self.begin_with_plan()
        rooms = self.rooms(2, 2)
        keys = {room: self.admin.objects(room)[0]["key"] for room in rooms}
        self.again("restart")
        self.plan("read-latency=700")
        statuses = []

        def ask(room):
            with Person(self.server, self.bob.token) as bob:
                statuses.append(bob.post(object_path(room, keys[room]), {"name": "n" * 4000}).status)
        threads = [threading.Thread(target=ask, args=(room,)) for room in rooms]
        for thread in threads:
            thread.start()
        self.plan("read-latency=700,latency=20")
        self.erase_now()
        for thread in threads:
            thread.join()
        self.plan("latency=0")
        self.assertLessEqual(set(statuses), {200, 401})
        self.assert_gone()

    def test_many_at_once_of_every_kind(self):
        self.begin_with_plan()
        rooms, ended, refused = self.rooms(3, 2), threading.Event(), []
        requests = [
            lambda bob: ("POST", scene_path(rooms[0]) + "/object", {"objects": [{"name": "o"}] * 3}),
            lambda bob: ("POST", "/v1/project", {"name": "p", "public": True}),
            lambda bob: ("PUT", scene_path(noise(8)), {"scenes": [{"public": True}]}),
            lambda bob: ("POST", scene_path(rooms[1]) + "/register",
                         scenes({"devices": [{"key": noise(8), "transform": POSE}]})),
            lambda bob: ("POST", "/v1/scene", {"scenes": [{"name": "a"}, {"name": "b"}]}),
            lambda bob: ("PUT", f"/v1/users/{bob.id}/scenes/{noise(8)}", None),
            lambda bob: ("POST", "/v1/login", {"username": self.name, "password": PASSWORD}),
        ]

        def ask(make):
            with Person(self.server, self.bob.token, self.bob.user) as bob:
                while not ended.is_set():
                    method, path, body = make(bob)
                    answer = bob.request(method, path, body, {"Idempotency-Key": noise(16)})
                    if answer.status == 401:
                        refused.append(path)
                        return
                    self.assertIn(answer.status, (200, 404, 429, 503), answer)
        threads = [threading.Thread(target=ask, args=(make,)) for make in requests]
        for thread in threads:
            thread.start()
        wait_until(lambda: {"user G", "asset J", "scene O"} <= self.found_kinds(), 20, "their work")
        self.plan("latency=30")
        self.erase_now()
        self.plan("latency=0")
        for thread in threads:
            thread.join(20)
        ended.set()
        self.assertEqual(len(refused), len(requests))
        self.assert_gone()


@with_shards(*LONG_SHARD_COUNTS)
class FailingStore(ServedAlone):
    # How often it is erased meanwhile, and for how long: what is larger than a commit may be waits in vain.
    PLANS = {"unavailable=2": (3, 10000), "full=3": (3, 10000), "conflict=3": (3, 10000),
             "limit=3000": (1, 4000)}

    def commits_that_failed(self):
        return sum(count for name, count in self.server.metrics().items()
                   if name.startswith("diorama_store_commits_total{") and '"ok"' not in name)

    def test_commits_that_fail_are_done_again(self):
        for plan, (times, deadline_ms) in self.PLANS.items():
            with self.subTest(plan):
                self.name, self.tag = f"bob-{noise(8)}", noise(8)
                self.begin_with_plan(http_deadline=deadline_ms)
                made = fill(self.bob, self.admin, self.tag)
                self.bob.create(made["ann"], *({"name": "o" * 200} for _ in range(30)))
                self.plan(plan)
                for _ in range(times):
                    erase(self.admin, self.bob.id)
                self.assertGreater(self.commits_that_failed(), 0)
                self.plan("latency=0")
                self.assertEqual(erase(self.admin, self.bob.id).status, 200)
                self.assert_gone()
                self.assertEqual(len(self.admin.objects(made["ann"])), 31)


if __name__ == "__main__":
    unittest.main()
