"""A data folder that version 0.1.0 wrote opens, says what it said then, and can be written. It lies in tests/fixtures/store-0.1, which is never made again."""

import unittest

from feeds import UdpDevice
from files import upload
from people import FLAGS, Person, log_in, token_of
from recorded import load, unpack
from support import (LONG_SHARD_COUNTS, Client, Server, ServerCase, moved, needs_files, object_path,
                     scene_path, wait_until, with_shards)

RELEASE = "store-0.1"
STARTS = {"stopped": 4, "outbox": 5, "sweep": 5}  # what was counted when it ended: its epoch


@needs_files
class StoreCase(ServerCase):
    flags = None

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.known, cls.answers = load(RELEASE)

    def open(self, state, **flags):
        """A server on a copy of the folder, when what the other one left undone is done."""
        # Its devices are all of one account, which was enough then.
        self.server = Server(**{"scene_actors": self.shards, "alignment_confirm_users": 1, **FLAGS,
                                **flags})
        self.addCleanup(self.server.end)
        unpack(RELEASE, state, self.server.folder)
        self.server.start()
        if state != "stopped":
            wait_until(lambda: "scene_swept" in self.server.log_text(), what="the end of the sweep")

    def person(self, name):
        """Who sends a token that the other server gave."""
        person = Person(self.server, self.known["people"][name]["token"])
        person.id = self.known["people"][name]["id"]
        self.addCleanup(person.close)
        return person

    def whoever(self, who):
        return self.connect() if who == "anybody" else self.person(who)

    def assert_answers(self, state, *people):
        """Once the solver has solved again, and the outbox is empty."""
        for who in people:
            client, as_whom, found = self.whoever(who), f"{state}/{who}", []

            def is_equal():
                found[:] = self.answers.differences(client, as_whom)
                return not found
            self.assertGreater(len(self.answers.of(as_whom)), 150, as_whom)
            try:
                wait_until(is_equal, 20)
            except AssertionError:
                self.fail("\n".join(found))


@with_shards(*LONG_SHARD_COUNTS)
class Answers(StoreCase):
    def test_everybody_reads_what_they_read_then(self):
        self.open("stopped")
        self.assert_answers("stopped", "admin", "alice", "bob")

    def test_without_authentication_it_reads_the_same(self):
        self.open("stopped", auth_enabled="false")
        self.assert_answers("stopped", "anybody")

    def test_what_a_kill_left_undone_is_done(self):
        for state in ("outbox", "sweep"):
            for enabled, who in (("true", "admin"), ("false", "anybody")):
                with self.subTest(state, users=enabled):
                    self.open(state, auth_enabled=enabled)
                    self.assert_answers(state, who)

    def test_the_epoch_goes_on_from_the_one_that_was_stored(self):
        for state, epoch in STARTS.items():
            self.open(state)
            for _ in range(2):
                found = self.person("admin").ok("GET", scene_path("hall"))["epoch"]
                self.assertGreater(found, epoch, state)
                epoch = found
                self.server.restart()

    def test_a_second_start_reads_the_same(self):
        self.open("stopped")
        for start in (self.server.restart, self.server.crash, self.server.restart):
            start()
            self.assert_answers("stopped", "admin", "alice")


@with_shards(*LONG_SHARD_COUNTS)
class Secrets(StoreCase):
    def test_passwords_still_let_in(self):
        self.open("stopped")
        with Client(self.server) as client:
            for name, known in self.known["people"].items():
                token = token_of(log_in(client, name, known["password"]))
                self.assertNotEqual(token, known["token"])
                self.assertEqual(log_in(client, name, "another").status, 401)

    def test_a_token_ends_with_its_logout(self):
        self.open("stopped")
        alice = self.person("alice")
        alice.scene("attic")
        self.assertEqual(alice.post("/v1/logout").status, 200)
        for start in (lambda: None, self.server.restart):
            start()
            self.person("alice").refused(401, 130, "GET", scene_path("attic"))

    def test_who_is_out_stays_out(self):
        self.open("outbox")
        with Client(self.server) as client:
            self.assertEqual(log_in(client, "dave").status, 401)

    def test_a_feed_token_still_names_its_device(self):
        self.open("stopped")
        feed, alice = self.known["feed"], self.person("alice")
        device = UdpDevice(feed["key"])
        self.addCleanup(device.close)
        device.prove(self.server, feed["token"])
        alice.update(feed["scene"], feed["object"], name="heard")
        device.wait_for(lambda event: event.get("name") == "heard")
        device.send(self.server, {"msg_type": 1, "key": feed["object"], "token": feed["token"],
                                  "transform": moved(7, 8, 9)})
        wait_until(lambda: alice.object(feed["scene"], feed["object"])["transform"]
                   == moved(7, 8, 9), what="the update")


@with_shards(*LONG_SHARD_COUNTS)
class Writing(StoreCase):
    def setUp(self):
        super().setUp()
        self.open("stopped", locks_enforce="true")
        self.alice, self.bob = self.person("alice"), self.person("bob")

    def again(self):
        self.server.crash()
        for person in (self.alice, self.bob):
            person.close()
        self.alice, self.bob = self.person("alice"), self.person("bob")

    def test_scenes_and_objects_change(self):
        locked = object_path("hall", self.known["locked"])
        self.alice.put_scene("new", name="n")
        [made] = self.alice.create("new", {"name": "o"})
        self.alice.ok("POST", "/v1/scene/hall", {"scenes": [{"name": "Hall of 2"}]})
        self.alice.refused(423, 123, "POST", locked + "?device=two", {"name": "theirs"})
        self.alice.ok("POST", locked + "?device=one", {"name": "mine"})
        self.alice.ok("DELETE", locked + "/lock?device=one")
        self.alice.ok("POST", "/v1/scene/hall/property/warmth", {"properties": [{"values": [3]}]})
        self.alice.ok("DELETE", scene_path("twice"))
        self.again()
        self.assertEqual(self.alice.object("new", made)["name"], "o")
        self.assertEqual(self.alice.scene("hall")["name"], "Hall of 2")
        self.assertEqual({name: self.alice.ok("GET", locked)["objects"][0][name]
                          for name in ("name", "owner")}, {"name": "mine", "owner": ""})
        heat = self.alice.ok("GET", "/v1/scene/hall/property/warmth")["properties"][0]
        self.assertEqual(heat["values"], [3.0])
        self.alice.refused(404, 102, "GET", scene_path("twice"))

    def test_devices_keep_whose_they_are_and_what_they_said(self):
        self.alice.refused(403, 131, "POST", scene_path("new") + "/register",
                           {"scenes": [{"devices": [{"key": "bobs"}]}]})
        self.bob.register("new", {"key": "bobs"})
        before = self.corrections()
        self.alice.ok("POST", scene_path("annex") + "/align", {"scenes": [{"devices": [
            {"key": "one", "transform": {"translation": [5, 0, 10], "rotation": [0, 0, 0]}}]}]})
        self.assertEqual(self.corrections()[:-1], before)
        self.alice.deregister("annex", "one", "axes")
        self.again()
        self.assertEqual(self.corrections()[:-1], before)
        self.assertEqual([device["key"] for device in self.alice.scene("annex")["devices"]],
                         ["two"])

    def corrections(self):
        """Ids in the order in which they came."""
        answer = self.alice.get(scene_path("annex") + "/alignment")
        return [found["id"] for found in answer.body["corrections"]]

    def test_assets_get_versions_and_lose_them(self):
        newest, picture = self.known["assets"][2], self.known["assets"][3]
        fourth = upload(self.alice, f"/v1/asset/{newest}", b"v 4\n", "box.obj").text
        self.assertEqual(self.alice.delete(f"/v1/asset/{picture}").status, 200)
        self.again()
        [history] = self.alice.get(f"/v1/history/{newest}").body
        self.assertEqual(history["assetIds"], [fourth, *reversed(self.known["assets"][:3])])
        related = self.alice.get(f"/v1/relationship?asset={fourth}").body
        self.assertEqual(len(related), 2)
        self.assertEqual(self.alice.get(f"/v1/relationship?asset={picture}").body, [])
        same = self.bob.get(f"/v1/asset/{self.known['assets'][4]}")  # bytes that both had
        self.assertTrue(same.content.startswith(b"\x89PNG"))

    def test_doomed_scenes_take_their_relationships_along(self):
        picture = f"/v1/relationship?asset={self.known['assets'][3]}"
        before = self.alice.get(picture).body
        for key in self.known["doomed"]:
            self.alice.ok("DELETE", scene_path(key))
        self.again()
        left = self.alice.get(picture).body
        self.assertEqual(left, [link for link in before if link["relationshipType"] != "thing"])
        self.assertEqual((len(before), len(left)), (16, 3))

    def test_users_and_their_favourites_change(self):
        path = f"/v1/users/{self.alice.id}"
        self.assertEqual(self.alice.delete(path + "/scenes/hall").body["favoriteScenes"], ["shed"])
        body = {"password": "another one",
                "currentPassword": self.known["people"]["alice"]["password"]}
        self.assertEqual(self.alice.put(path, body).status, 200)
        self.server.crash()
        with Client(self.server) as client:
            self.assertEqual(log_in(client, "alice").status, 401)
            alice = Person(self.server, token_of(log_in(client, "alice", "another one")))
        self.addCleanup(alice.close)
        self.assertEqual(alice.get(path).body["favoriteScenes"], ["shed"])


if __name__ == "__main__":
    unittest.main()
