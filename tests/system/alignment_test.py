"""Alignment over HTTP: what devices say of where they stand, what follows for others, what becomes of
it when devices leave, scenes go, the server ends."""

import math
import os
import re
import subprocess
import unittest

from feeds import Subscriber
from people import PeopleCase
from support import BIN, SHARD_COUNTS, ServerCase, scene_path, scenes, wait_until, with_shards

ORIGIN = {"translation": [0, 0, 0], "rotation": [0, 0, 0]}


def pose(x=0.0, y=0.0, z=0.0, yaw=0.0):
    return {"translation": [x, y, z], "rotation": [0.0, 0.0, yaw]}


class AlignmentCase(ServerCase):
    """Scenes have the test's name before theirs: tests share a server."""

    def key(self, name):
        return f"{self.scene[:60]}-{name}"

    def path(self, name):
        return scene_path(self.key(name))

    def register(self, name, key, transform=None, **members):
        """The device as it is answered, and the origin scene."""
        device = {"key": self.key(key), **members}
        if transform:
            device["transform"] = transform
        answer = self.client.register(self.key(name), device)
        target, origin = answer["scenes"]
        shown = next(found for found in target["devices"] if found["key"] == device["key"])
        return shown, origin

    def device(self, name, key):
        """The device as the scene shows it now."""
        devices = self.client.scene(self.key(name))["devices"]
        return next(found for found in devices if found["key"] == self.key(key))

    def align(self, name, key, transform, **members):
        device = {"key": self.key(key), "transform": transform, **members}
        return self.client.ok("POST", self.path(name) + "/align", scenes({"devices": [device]}))

    def report(self, name):
        answer = self.client.get(self.path(name) + "/alignment")
        self.assertEqual(answer.status, 200, answer)
        return answer.body

    def relation(self, source, target):
        answer = self.client.get(f"/v1/alignment?from={self.key(source)}&to={self.key(target)}")
        self.assertEqual(answer.status, 200, answer)
        return answer.body

    def await_status(self, source, target, status):
        """The relation, once the solver came to know it so."""
        def settled():
            found = self.relation(source, target)
            return found if found["status"] == status else None
        return wait_until(settled, what=f"{source} to {target} is {status}")

    def await_links(self, name, count):
        return wait_until(lambda: (lambda found: found if len(found["links"]) == count else None)(
            self.report(name)), what=f"{name} has {count} links")

    def assert_near(self, found, expected, limit=1e-6):
        for member in ("translation", "rotation"):
            for one, other in zip(found[member], expected[member]):
                self.assertLess(abs(one - other), limit, (found, expected))

    def link(self, source, target, *keys, moved=None):
        """Each device stands at x = its place in `source`, 4 m further and 10 m up in `target`."""
        for place, key in enumerate(keys):
            self.register(source, key, pose(place, 0, 0))
            self.register(target, key, moved or pose(place + 4, 0, 10))


@with_shards(*SHARD_COUNTS)
class Derivation(AlignmentCase):
    def test_a_later_device_is_told_where_it_stands(self):
        self.register("a", "one", pose(1, 0, 0))
        self.register("b", "one", pose(0, 5, 0, math.pi / 2))
        self.await_status("a", "b", "unverified")
        self.register("a", "two", pose(2, 0, 0))
        shown, origin = self.register("b", "two")
        # One metre further along x of a, which is y of b.
        self.assert_near(shown["transform"], pose(0, 6, 0, math.pi / 2))
        self.assertEqual(origin["key"], self.key("a"))
        self.assert_near(origin["transform"], pose(0, 4, 0, math.pi / 2))
        alignment = shown["alignment"]
        self.assertEqual(alignment["status"], "unverified")
        self.assertEqual(alignment["path"], [self.key("a"), self.key("b")])
        self.assertEqual((alignment["observations"], alignment["devices"]), (1, 1))
        self.assertEqual(alignment["confidence"], "certified")
        self.assertGreater(alignment["sigma_t_m"], 0.05)
        self.assertGreater(alignment["sigma_r_rad"], math.radians(1))
        self.assertGreater(alignment["epoch"], 0)
        self.assertEqual(self.device("b", "two"),
                         {name: shown[name] for name in ("key", "transform", "alignment")})

    def test_a_second_device_that_agrees_confirms_the_link(self):
        self.link("a", "b", "one", "two")
        self.await_status("a", "b", "predicted")
        self.register("a", "three", pose(9, 0, 0))
        shown, _ = self.register("b", "three")
        self.assertEqual(shown["alignment"]["status"], "predicted")
        self.assertEqual(shown["alignment"]["devices"], 2)
        self.assert_near(shown["transform"], pose(13, 0, 10), 1e-3)

    def test_how_scenes_relate_is_told_with_its_confidence(self):
        self.link("a", "b", "one", "two")
        self.register("c", "three", pose(0, 0, 0))
        self.assertEqual(self.await_status("a", "b", "predicted")["confidence"], "certified")
        self.assertEqual(self.report("a")["confidence"], "certified")
        self.assertNotIn("confidence", self.report("c"))
        self.assertNotIn("confidence", self.relation("a", "c"))

    def test_three_scenes_are_a_chain_that_a_device_walks(self):
        self.link("a", "b", "one", "two")
        self.register("b", "three", pose(0, 0, 0))
        self.register("c", "three", pose(0, 7, 0))
        self.await_status("a", "c", "unverified")
        self.register("a", "four", pose(1, 0, 0))
        shown, origin = self.register("c", "four")
        self.assert_near(shown["transform"], pose(5, 7, 10), 1e-3)
        self.assertEqual(shown["alignment"]["path"], [self.key(name) for name in "abc"])
        self.assertEqual(origin["key"], self.key("a"))

    def test_the_graph_has_the_scenes_around_one_and_their_links(self):
        self.link("a", "b", "one", "two")
        self.link("b", "c", "three")
        self.await_status("a", "c", "unverified")
        graph = self.client.get(f"/v1/alignment/graph?scene={self.key('a')}").body
        self.assertEqual([found["key"] for found in graph["scenes"]],
                         [self.key(name) for name in "abc"])
        self.assertEqual({found["fragment"] for found in graph["scenes"]}, {self.key("a")})
        self.assert_near(graph["scenes"][2]["pose"], pose(-8, 0, -20), 1e-3)
        self.assertGreater(graph["scenes"][2]["sigma_t_m"], graph["scenes"][1]["sigma_t_m"])
        self.assertEqual([(found["from"], found["scene"], found["status"], found["observations"])
                          for found in graph["links"]],
                         [(self.key("a"), self.key("b"), "predicted", 2),
                          (self.key("b"), self.key("c"), "unverified", 1)])
        self.assertEqual((graph["corrections"], graph["cut"]), (6, False))
        axes = self.client.get(f"/v1/alignment/graph?scene={self.key('a')}&convention=enu").body
        for found, link in zip(axes["scenes"][1:], axes["links"]):
            there = self.client.get(f"/v1/alignment?from={found['key']}&to={self.key('a')}"
                                    "&convention=enu").body
            self.assert_near(found["pose"], there["transform"])
            there = self.client.get(f"/v1/alignment?from={link['from']}&to={link['scene']}"
                                    "&convention=enu").body
            self.assert_near(link["transform"], there["transform"])
        near = self.client.get(f"/v1/alignment/graph?scene={self.key('a')}&hops=1").body
        self.assertEqual([found["key"] for found in near["scenes"]], [self.key("a"), self.key("b")])
        for hops in (0, 9):
            self.client.refused(422, 111, "GET",
                                f"/v1/alignment/graph?scene={self.key('a')}&hops={hops}")

    def test_devices_that_disagree_are_conflicting(self):
        self.link("a", "b", "one")
        self.link("a", "b", "two", moved=pose(-40, 30, 2, 1.0))
        self.await_status("a", "b", "conflicting")
        self.register("a", "three", pose(1, 0, 0))
        shown, _ = self.register("b", "three")
        self.assertEqual(shown["alignment"]["status"], "conflicting")

    def test_what_is_not_connected_is_none_and_says_so(self):
        self.register("a", "one", pose(1, 2, 3))
        shown, origin = self.register("b", "one")
        self.assertEqual(shown["transform"], ORIGIN)
        self.assertEqual(shown["alignment"], {"status": "none"})
        self.assertIn(origin.get("key"), (None, ""))
        self.assertEqual(origin["transform"], ORIGIN)
        found = self.relation("a", "b")
        self.assertEqual((found["status"], found["path"], found["transform"]),
                         ("none", [], ORIGIN))

    def test_what_was_derived_says_nothing_of_its_own(self):
        self.link("a", "b", "one")
        self.await_status("a", "b", "unverified")
        self.register("a", "two", pose(1, 0, 0))
        self.register("b", "two")
        self.assertEqual([found["device"] for found in self.report("b")["corrections"]],
                         [self.key("one")])
        # Until it confirms it.
        self.align("b", "two", self.device("b", "two")["transform"])
        self.await_status("a", "b", "predicted")
        self.assertEqual(self.device("b", "two")["alignment"]["status"], "corrected")

    def test_the_newest_pose_of_a_device_is_used_at_once(self):
        self.link("a", "b", "one")
        self.await_status("a", "b", "unverified")
        for x in (1, 2, 3):
            self.register("a", "two", pose(x, 0, 0))
            shown, _ = self.register("b", "two")
            self.assert_near(shown["transform"], pose(x + 4, 0, 10))

    def test_there_and_back_is_nowhere(self):
        self.link("a", "b", "one", moved=pose(4, -3, 10, 2.5))
        there = self.await_status("a", "b", "unverified")["transform"]
        back = self.relation("b", "a")["transform"]
        yaw = there["rotation"][2]
        x, y, z = back["translation"]
        expected = [-(math.cos(yaw) * x - math.sin(yaw) * y),
                    -(math.sin(yaw) * x + math.cos(yaw) * y), -z]
        for one, other in zip(there["translation"], expected):
            self.assertAlmostEqual(one, other, 9)
        self.assertEqual(self.relation("a", "a")["status"], "predicted")
        self.assertEqual(self.relation("a", "a")["transform"], ORIGIN)

    def test_how_sure_a_device_is_does_not_depend_on_where_the_origin_of_a_scene_is(self):
        far = 100000
        self.link("near", "there", "one", "two")
        self.register("far", "one", pose(far, 0, 0))
        self.register("far", "two", pose(far + 1, 0, 0))
        self.await_status("near", "far", "predicted")
        self.register("near", "three", pose(2, 0, 0))
        near, _ = self.register("there", "three")
        shown, _ = self.register("far", "three")
        self.assert_near(shown["transform"], pose(far + 2, 0, 0))
        self.assertAlmostEqual(near["alignment"]["sigma_t_m"], shown["alignment"]["sigma_t_m"], 4)
        self.assertLess(shown["alignment"]["sigma_t_m"], 0.15)

    def test_the_covariance_is_told_to_who_asks(self):
        self.link("a", "b", "one", "two")
        self.await_status("a", "b", "predicted")
        self.register("a", "three", pose(2, 0, 0))
        path = self.path("b") + "/register?covariance=true"
        for axes, lengthwise in (("gltf", 0), ("ned", 1)):  # x of a scene is east, y of ned
            answer = self.client.ok("POST", f"{path}&convention={axes}",
                                    scenes({"devices": [{"key": self.key("three")}]}))
            shown = next(found for found in answer["scenes"][0]["devices"]
                         if found["key"] == self.key("three"))
            covariance, at = shown["alignment"]["covariance"], shown["transform"]["translation"]
            self.assertEqual(len(covariance), 36)
            for row in range(6):
                for column in range(6):
                    self.assertEqual(covariance[6 * row + column], covariance[6 * column + row])
            there = self.about(covariance, at)
            self.assertAlmostEqual(shown["alignment"]["sigma_t_m"],
                                   math.sqrt(sum(there[7 * i] for i in range(3)) / 3), 9)
            self.assertAlmostEqual(shown["alignment"]["sigma_r_rad"],
                                   math.sqrt(sum(there[7 * i] for i in range(3, 6)) / 3), 9)
            # Along the line on which the devices stand a rotation has no lever.
            along = [there[7 * i] for i in range(3)]
            self.assertEqual(along.index(min(along)), lengthwise, along)
        self.assertNotIn("covariance", self.register("b", "three")[0]["alignment"])
        path = f"/v1/alignment?from={self.key('a')}&to={self.key('b')}"
        found = self.client.get(path + "&covariance=true")
        self.assertEqual(len(found.body["covariance"]), 36)
        self.assertNotIn("covariance", self.relation("a", "b"))

    @staticmethod
    def about(covariance, point):
        """The covariance of twists as they are felt at a point: v + w x p."""
        x, y, z = point
        lever = [[0, z, -y], [-z, 0, x], [y, -x, 0]]
        jacobian = [[float(row == column) for column in range(6)] for row in range(6)]
        for row in range(3):
            jacobian[row][3:] = lever[row]
        half = [[sum(jacobian[row][i] * covariance[6 * i + column] for i in range(6))
                 for column in range(6)] for row in range(6)]
        return [sum(half[row][i] * jacobian[column][i] for i in range(6))
                for row in range(6) for column in range(6)]

    def test_accuracy_is_what_the_device_says(self):
        accuracy = {"sigma_t_m": 0.5, "sigma_r_rad": 0.1, "method": "marker"}
        shown, _ = self.register("a", "one", pose(1), accuracy=accuracy)
        self.assertEqual(shown["alignment"],
                         {"status": "corrected", "sigma_t_m": 0.5, "sigma_r_rad": 0.1})
        correction, = self.report("a")["corrections"]
        for member, value in accuracy.items():
            self.assertEqual(correction[member], value)
        self.align("a", "one", pose(2), accuracy={"sigma_t_m": 0.25})
        newest = self.report("a")["corrections"][-1]
        self.assertEqual((newest["sigma_t_m"], newest["sigma_r_rad"]), (0.25, math.radians(1)))


@with_shards(*SHARD_COUNTS)
class Evidence(AlignmentCase):
    def test_a_newer_correction_supersedes_the_older_one(self):
        self.register("a", "one", pose(1))
        self.align("a", "one", pose(2))
        first, second = wait_until(lambda: self.judged("a", 2))
        self.assertEqual((first["superseded"], second["superseded"]), (True, False))
        self.assertEqual(first["transform"], pose(1))
        self.assertEqual(second["transform"], pose(2))
        self.assertLess(first["time_us"], second["time_us"])
        self.assertLess(first["id"], second["id"])
        self.assertNotIn("weight", first)
        self.assertEqual(second["weight"], 1)

    def judged(self, name, count):
        """The corrections, once the solver has judged the newest."""
        found = self.report(name)["corrections"]
        return found if len(found) == count and "residual_t_m" in found[-1] else None

    def test_deregistering_keeps_what_was_said(self):
        self.link("a", "b", "one", "two")
        before = self.await_status("a", "b", "predicted")
        for name in "ab":
            self.client.deregister(self.key(name), self.key("one"), self.key("two"))
        self.assertEqual(len(self.report("a")["corrections"]), 2)
        self.assert_near(self.relation("a", "b")["transform"], before["transform"])
        self.register("a", "three", pose(1))
        self.assertEqual(self.register("b", "three")[0]["alignment"]["status"], "predicted")

    def test_corrections_of_different_sessions_are_not_paired(self):
        self.register("a", "one", pose(1))
        self.client.deregister(self.key("a"), self.key("one"))
        self.register("b", "one", pose(2))
        self.register("b", "two", pose(2))
        self.register("c", "two", pose(3))
        self.await_status("b", "c", "unverified")  # so the solver knows of all of them
        self.assertEqual(self.relation("a", "b")["status"], "none")

    def test_a_removed_correction_leaves_the_end_of_its_registration(self):
        for name, removes_first in (("a", True), ("d", False)):
            self.register(name, name, pose(1))
            self.align(name, name, pose(2))
            newest = f"{self.path(name)}/alignment/{self.report(name)['corrections'][-1]['id']}"
            if removes_first:
                self.assertEqual(self.client.delete(newest).status, 200)
            self.client.deregister(self.key(name), self.key(name))
            if not removes_first:
                self.assertEqual(self.client.delete(newest).status, 200)
            self.register("b", name, pose(2))
        self.register("b", "two", pose(2))
        self.register("c", "two", pose(3))
        self.await_status("b", "c", "unverified")  # so the solver knows of all of them
        for name in "ad":
            self.assertEqual(self.relation(name, "b")["status"], "none")

    def test_a_session_reaches_from_scene_to_scene(self):
        self.register("a", "one", pose(1))
        self.register("b", "one", pose(2))
        self.client.deregister(self.key("a"), self.key("one"))
        self.register("c", "one", pose(3))
        self.await_status("a", "c", "unverified")

    def test_a_session_reaches_through_a_scene_where_nothing_was_said(self):
        self.register("a", "one", pose(1))
        self.register("b", "one")
        self.client.deregister(self.key("a"), self.key("one"))
        self.register("c", "one", pose(3))
        self.await_status("a", "c", "unverified")
        for name in "bc":
            self.client.deregister(self.key(name), self.key("one"))
        self.register("d", "one", pose(3))
        self.register("e", "one", pose(3))
        self.await_status("d", "e", "unverified")
        self.assertEqual(self.relation("a", "d")["status"], "none")

    def test_a_deleted_scene_takes_its_evidence_along(self):
        self.link("a", "b", "one")
        self.await_status("a", "b", "unverified")
        self.client.ok("DELETE", self.path("b"))
        self.await_links("a", 0)
        self.client.refused(404, 102, "GET", self.path("b") + "/alignment")
        self.client.put_scene(self.key("b"))
        self.assertEqual(self.report("b")["corrections"], [])
        self.register("a", "two", pose(1))
        self.assertEqual(self.register("b", "two")[0]["alignment"]["status"], "none")

    def test_removing_a_correction_restores_the_earlier_answer(self):
        self.link("a", "b", "one")
        before = self.await_status("a", "b", "unverified")
        self.link("a", "b", "two", moved=pose(4, 0.2, 10.2))
        wait_until(lambda: self.relation("a", "b")["observations"] == 2)
        wrong = self.report("b")["corrections"][-1]
        self.assertEqual(wrong["device"], self.key("two"))
        removed = self.client.delete(f"{self.path('b')}/alignment/{wrong['id']}")
        self.assertEqual((removed.status, removed.body["id"]), (200, wrong["id"]))
        after = self.await_status("a", "b", "unverified")
        self.assert_near(after["transform"], before["transform"], 1e-9)
        self.assertEqual(self.client.delete(f"{self.path('b')}/alignment/{wrong['id']}").status,
                         404)

    def test_a_correction_is_pinned_and_unpinned(self):
        self.register("a", "one", pose(1))
        correction, = self.report("a")["corrections"]
        path = f"{self.path('a')}/alignment/{correction['id']}"
        self.assertFalse(correction["pinned"])
        self.assertTrue(self.client.put(path).body["pinned"])
        self.assertTrue(self.report("a")["corrections"][0]["pinned"])
        self.assertFalse(self.client.put(path + "?operation=11").body["pinned"])
        self.assertFalse(self.report("a")["corrections"][0]["pinned"])
        self.assertEqual(self.client.put(self.path("a") + "/alignment/nothing").status, 404)

    def test_a_flood_of_one_device_is_bounded_and_moves_little(self):
        self.link("a", "b", "one", "two", "three")
        before = self.await_status("a", "b", "predicted")["transform"]
        self.register("a", "hostile", pose(0))
        for n in range(300):
            device = {"key": self.key("hostile"), "transform": pose(40 + n % 7, 20, 3)}
            self.client.ok("POST", self.path("b") + ("/align" if n else "/register"),
                           scenes({"devices": [device]}))
        wait_until(lambda: self.is_judged("b", "hostile"))
        after = self.relation("a", "b")["transform"]
        self.assert_near(after, before, 0.05)
        theirs = [found for found in self.report("b")["corrections"]
                  if found["device"] == self.key("hostile")]
        self.assertLessEqual(len(theirs), 66)
        self.assertTrue(theirs[-1]["rejected"], theirs[-1])

    def is_judged(self, name, key):
        return [found for found in self.report(name)["corrections"]
                if found["device"] == self.key(key)][-1].get("residual_t_m") is not None

    def test_absurd_transforms_are_refused(self):
        self.register("a", "one")
        bad = [({"translation": [1e9, 0, 0], "rotation": [0, 0, 0]}, 422),
               ({"translation": [0, 0, 0], "rotation": [1e9, 0, 0]}, 422),
               ({"translation": [0, 0], "rotation": [0, 0, 0]}, 422),
               ({"translation": [0, 0, "0"], "rotation": [0, 0, 0]}, 400),
               ([1.0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1], 400)]
        for transform, status in bad:
            for verb in ("register", "align"):
                body = scenes({"devices": [{"key": self.key("one"), "transform": transform}]})
                answer = self.client.post(f"{self.path('a')}/{verb}", body)
                self.assertEqual(answer.status, status, (transform, answer))
        for word in ("NaN", "Infinity", "1e999"):
            body = ('{"scenes":[{"devices":[{"key":"one","transform":{"translation":[%s,0,0],'
                    '"rotation":[0,0,0]}}]}]}' % word).encode()
            self.assertIn(self.client.post(self.path("a") + "/align", body).status, (400, 422))
        self.assertEqual(self.report("a")["corrections"], [])
        for sigma in (0, -1, 1e9):
            body = scenes({"devices": [{"key": self.key("one"), "transform": pose(1),
                                        "accuracy": {"sigma_t_m": sigma}}]})
            self.assertEqual(self.client.post(self.path("a") + "/align", body).status, 422, sigma)

    def test_what_is_missing_or_unknown_is_named(self):
        self.client.put_scene(self.key("a"))
        for query, status in (("", 400), (f"?from={self.key('a')}", 400),
                              (f"?from={self.key('a')}&to=nowhere", 404),
                              (f"?from=nowhere&to={self.key('a')}", 404)):
            self.assertEqual(self.client.get("/v1/alignment" + query).status, status, query)
        self.assertEqual(self.client.get(self.path("b") + "/alignment").status, 404)


@with_shards(*SHARD_COUNTS)
class Survival(AlignmentCase):
    flags = None

    def answers(self):
        reports = {name: self.report(name) for name in "abc"}
        relations = [self.relation(*names) for names in ("ab", "ac", "cb")]
        for found in [*reports.values(), *relations]:
            del found["epoch"], found["as_of_us"]  # rise with each start
        return reports, relations

    def test_a_restart_and_a_crash_change_no_answer(self):
        self.start_server()
        self.link("a", "b", "one", "two")
        self.link("b", "c", "two")
        self.align("b", "one", pose(4.05, 0, 10))
        self.client.deregister(self.key("b"), self.key("one"))
        correction = self.report("c")["corrections"][0]["id"]
        self.client.put(f"{self.path('c')}/alignment/{correction}")
        # Four ninths disagree until the pin is solved too, as it weighs more: then a third.
        wait_until(lambda: all("residual_t_m" in found for name in "abc"
                               for found in self.report(name)["corrections"]
                               if not found["superseded"]))
        wait_until(lambda: abs(self.report("a")["rejected_share"] - 1 / 3) < 1e-9)
        before, epoch = self.answers(), self.relation("a", "b")["epoch"]
        for end in (self.server.restart, self.server.crash):
            end()
            self.client = self.connect()
            self.assertEqual(self.answers(), before)
            self.assertGreater(self.relation("a", "b")["epoch"], epoch)
        self.register("a", "four", pose(1))
        self.assertNotEqual(self.register("c", "four")[0]["alignment"]["status"], "none")


class Events(AlignmentCase, unittest.TestCase):
    shards = 3

    def hear(self, subscriber, name, is_wanted):
        topic = f"scene.{self.key(name)}.alignment.45"
        return subscriber.wait_for(lambda event: event.topic == topic and is_wanted(event.body))

    def test_links_that_move_are_told_in_both_scenes(self):
        subscriber = Subscriber(self.server)
        self.addCleanup(subscriber.close)
        self.link("a", "b", "one")
        for name in "ab":
            event = self.hear(subscriber, name, lambda body: "device" not in body)
            self.assertEqual(event.body["scene"], self.key(name))
            first = event.body["epoch"]
        self.align("b", "one", pose(4, 1, 10))
        mine = self.hear(subscriber, "b", lambda body: body.get("device") == self.key("one"))
        self.assertEqual(mine.body["transform"], pose(4, 1, 10))
        for name in "ab":
            event = self.hear(subscriber, name,
                              lambda body: "device" not in body and body["epoch"] > first)
            self.assertEqual(event.body["epoch"], self.relation("a", "b")["epoch"])

    def test_a_change_within_the_dead_band_is_not_told(self):
        subscriber = Subscriber(self.server)
        self.addCleanup(subscriber.close)
        self.link("a", "b", "one")
        epoch = self.await_status("a", "b", "unverified")["epoch"]
        self.align("b", "one", pose(4.005, 0, 10))
        wait_until(lambda: self.relation("a", "b")["transform"]["translation"][0] > 4.004)
        self.assertEqual(self.relation("a", "b")["epoch"], epoch)


class Shown(AlignmentCase, unittest.TestCase):
    """`diorama alignment`."""

    def show(self, *arguments, code=0):
        url = f"http://127.0.0.1:{self.server.http_port}"
        done = subprocess.run([os.path.join(BIN, "diorama"), "alignment", *arguments,
                               f"--url={url}"], capture_output=True, text=True, timeout=60,
                              check=False)
        self.assertEqual(done.returncode, code, done)
        return done.stdout

    def test_links_and_corrections_are_tables(self):
        self.link("a", "b", "one", "two")
        self.await_status("a", "b", "predicted")
        links, corrections = self.show(self.key("a")).split("\n\n")
        title, row = links.splitlines()
        self.assertRegex(title, r"^link to +status +origin there +turned +sigma m ")
        self.assertRegex(row, rf"^{self.key('b')} +predicted +4\.00 -?0\.00 10\.00 +0\.0 ")
        self.assertEqual(corrections, "2 corrections, none is rejected\n")
        every = self.show(self.key("a"), "--all").split("\n\n")[1].splitlines()
        self.assertRegex(every[0], r"^correction +device +state +weight")
        self.assertRegex(every[1], rf"^[0-9a-f]{{24}} +{self.key('one')} +counts ")
        self.assertEqual(len(every), 3)

    def test_a_fragment_is_a_graph(self):
        self.link("a", "b", "one", "two")
        self.link("b", "c", "three")
        self.await_status("a", "c", "unverified")
        graph = self.show(self.key("c"), "--dot")
        a, b, c = (f'"{self.key(name)}"' for name in "abc")
        self.assertEqual(re.findall(r'^  (".*?") -- (".*?") \[label="(\w+)', graph, re.M),
                         [(b, c, "unverified"), (a, b, "predicted")])
        self.assertRegex(graph, r"(?s)^graph alignment \{\n.*\}\n$")

    def test_nothing_to_show_is_said(self):
        self.client.put_scene(self.key("a"))
        self.assertEqual(self.show(self.key("a")), "no links\n\n0 corrections, none is rejected\n")
        self.show("nowhere", code=1)


class Access(PeopleCase, AlignmentCase, unittest.TestCase):
    """What a caller may not read is left out. Between `a` and `b` there is a way through `hidden`."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.owner, cls.other = cls.new_person("owner"), cls.new_person("other")

    def setUp(self):
        super().setUp()
        self.client = self.owner
        self.client.put_scene(self.key("hidden"), public=False)
        for name in ("a", "b"):
            self.client.put_scene(self.key(name))
        self.link("a", "hidden", "one")
        self.link("hidden", "b", "two")
        self.await_status("a", "b", "unverified")

    def test_a_hidden_scene_leads_nowhere(self):
        self.assertEqual(self.relation("a", "b")["path"],
                         [self.key(name) for name in ("a", "hidden", "b")])
        self.client = self.other
        self.assertEqual((self.relation("a", "b")["status"], self.relation("a", "b")["path"]),
                         ("none", []))
        self.register("a", "three", pose(1))
        shown, origin = self.register("b", "three")
        self.assertEqual((shown["transform"], shown["alignment"]), (ORIGIN, {"status": "none"}))
        self.assertIn(origin.get("key"), (None, ""))
        self.client = self.owner
        self.client.put_scene(self.key("hidden"), public=True)
        self.client = self.other
        self.assertEqual(self.device("b", "three")["alignment"]["status"], "unverified")
        self.client = self.owner
        self.client.put_scene(self.key("hidden"), public=False)
        self.client = self.other
        self.assertEqual(self.device("b", "three")["alignment"]["status"], "none")

    def test_the_graph_names_no_hidden_scene_to_others(self):
        target = f"/v1/alignment/graph?scene={self.key('a')}"
        self.assertEqual([found["key"] for found in self.client.get(target).body["scenes"]],
                         [self.key(name) for name in ("a", "hidden", "b")])
        self.client = self.other
        graph = self.client.get(target).body
        self.assertEqual(([found["key"] for found in graph["scenes"]], graph["links"]),
                         ([self.key("a")], []))
        self.client.refused(404, 102, "GET", f"/v1/alignment/graph?scene={self.key('hidden')}")

    def test_a_device_in_a_hidden_scene_says_nothing_to_others(self):
        self.client = self.other
        shown = self.client.scene(self.key("b"))["devices"]
        self.assertEqual([sorted(found) for found in shown], [["key", "transform"]])
        for target in (self.path("hidden") + "/alignment",
                       f"/v1/alignment?from={self.key('a')}&to={self.key('hidden')}",
                       f"/v1/alignment?from={self.key('hidden')}&to={self.key('a')}"):
            self.client.refused(404, 102, "GET", target)
        self.assertEqual(self.report("a")["links"], [])
        self.assertNotIn("user", self.report("a")["corrections"][0])
        self.client = self.owner
        self.assertEqual([found["scene"] for found in self.report("a")["links"]],
                         [self.key("hidden")])
        self.assertEqual(self.report("a")["corrections"][0]["user"], self.owner.id)

    def test_administrators_alone_pin_and_remove(self):
        correction, = self.report("a")["corrections"]
        path = f"{self.path('a')}/alignment/{correction['id']}"
        for method in ("PUT", "DELETE"):
            for person in (self.other, self.owner):
                person.refused(403, 131, method, path)
            self.assertEqual(self.admin.request(method, path).status, 200)
        self.assertEqual(self.report("a")["corrections"], [])


if __name__ == "__main__":
    unittest.main()
