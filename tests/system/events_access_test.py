"""Server-sent events: who gets a stream of a scene, and when it ends with the right to read."""

import time
import unittest

from events_test import StreamCase
from people import PASSWORD, PeopleCase, bearer
from support import is_sanitized, object_path, scene_path, scenes, wait_until

ACCESS_S = 3.0 if is_sanitized() else 1.0  # after losing access


class Access(StreamCase, PeopleCase, unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.owner, cls.number = cls.new_person("owner"), 0
        cls.addClassCleanup(cls.owner.close)

    def other(self):
        """Somebody who is logged in and owns nothing."""
        type(self).number += 1
        person = self.new_person(f"other{self.number}")
        self.addCleanup(person.close)
        return person

    def begin(self, is_public=True):
        self.owner.put_scene(self.scene, public=is_public)
        return self.owner.create(self.scene, {"name": "a"})[0]

    def watch_as(self, who, **options):
        stream = self.watch(headers=bearer(who.token), **options)
        if stream.status == 200:
            stream.snapshot()
        return stream

    def assert_ends(self, begin, change, within=ACCESS_S):
        """A stream that begins tells nothing more, and ends so many seconds after the change was answered. A machine
        that is busy may try again."""
        took = []
        while not took or took[-1] >= within:
            self.assertLess(len(took), 4, took)
            stream = begin()
            change()
            began = time.monotonic()
            self.assertEqual(stream.rest(), [])
            took.append(time.monotonic() - began)

    def test_who_may_not_read_the_scene_gets_no_stream(self):
        self.begin(is_public=False)
        other = self.other()
        self.assertEqual(self.watch().status, 401)
        self.assertEqual(self.watch_as(other).status, 404)
        self.assertEqual(self.watch_as(other, method="HEAD").status, 404)
        self.assertEqual(self.watch_as(self.owner).status, 200)
        self.assertEqual(self.watch_as(self.admin).status, 200)
        cookie = {"Cookie": f"access_token={self.owner.token}"}
        self.assertEqual(self.watch(headers=cookie).snapshot()["scene"], self.scene)

    def test_a_stream_ends_with_the_session(self):
        self.begin()
        for name, end in (
                ("logout", lambda who: who.post("/v1/logout")),
                ("deactivated", lambda who: self.admin.delete(f"/v1/users/{who.id}/active")),
                ("deleted", lambda who: self.admin.delete(f"/v1/users/{who.id}")),
                ("password", lambda who: who.put(
                    f"/v1/users/{who.id}",
                    {"password": "another one", "currentPassword": PASSWORD}))):
            with self.subTest(name):
                others, own = [], self.watch_as(self.owner)

                def begin():
                    others.append(self.other())
                    return self.watch_as(others[-1])

                self.assert_ends(begin, lambda: self.assertEqual(end(others[-1]).status, 200))
                self.owner.create(self.scene, {"name": "b"})
                self.assertEqual(own.change()["object"]["name"], "b")

    def test_a_stream_ends_when_an_administrator_is_one_no_more(self):
        self.begin(is_public=False)
        other = self.other()

        def begin():
            self.admin.put(f"/v1/users/{other.id}/admin")
            return self.watch_as(other)

        self.assert_ends(begin, lambda: self.admin.delete(f"/v1/users/{other.id}/admin"))

    def show_to(self, who, **options):
        """The stream of somebody of a scene that is public again."""
        self.owner.ok("POST", scene_path(self.scene), scenes({"public": True}))
        return self.watch_as(who, **options)

    def test_nothing_is_told_of_a_scene_from_the_moment_that_it_is_private(self):
        key = self.begin(is_public=False)
        other, streams = self.other(), []

        def begin():
            stream = self.show_to(other)
            streams.append(self.watch_as(self.owner))
            return stream

        def hide():
            self.owner.ok("POST", scene_path(self.scene), scenes({"public": False}))
            self.owner.update(self.scene, key, name="secret")

        self.assert_ends(begin, hide)
        found = [streams[-1].change() for _ in range(3)]
        self.assertEqual([event["msg_type"] for event in found], [41, 1, 1])
        self.assertEqual(found[2]["object"]["name"], "secret")

    def test_the_slowest_rate_hears_in_time_that_a_scene_is_private(self):
        key = self.begin(is_public=False)
        other = self.other()

        def begin():
            stream = self.show_to(other, query="rate=1")
            self.owner.update(self.scene, key, name="told")
            stream.change()  # from here on it is a second to the next tick
            return stream

        self.assert_ends(
            begin, lambda: self.owner.ok("POST", scene_path(self.scene), scenes({"public": False})),
            within=0.75 * ACCESS_S)  # well before that tick

    def test_a_state_that_is_read_slowly_ends_too(self):
        self.begin()
        texts = [f"{number:04}" + "x" * 1000 for number in range(200)]  # 200 KB in each object
        for _ in range(20):
            self.owner.create(self.scene, {"name": "a", "assets": texts})
        other = self.other()
        stream = self.watch(headers=bearer(other.token), receive_bytes=4096)
        other.post("/v1/logout")
        wait_until(lambda: self.streams() == 0, 10, "the end of the stream")  # nobody reads meanwhile
        self.assertLess(len(stream.content()), 2 << 20, "of 4 MB")

    def test_a_change_of_the_scene_that_takes_nothing_away_ends_nothing(self):
        self.begin()
        stream = self.watch_as(self.other())
        self.owner.ok("POST", scene_path(self.scene), scenes({"name": "n"}))
        self.assertEqual(stream.change()["record"]["name"], "n")
        self.assertEqual(stream.change()["msg_type"], 1)

    def test_who_continues_is_told_nothing_of_the_time_when_the_scene_was_private(self):
        self.begin(is_public=False)
        own = self.watch_as(self.owner)
        [key] = self.owner.create(self.scene, {"name": "secret"})
        began = own.next()
        epoch, seq = began.id.split("-")
        self.owner.ok("DELETE", object_path(self.scene, key))
        self.owner.ok("POST", scene_path(self.scene), scenes({"public": True}))
        lie = {**bearer(self.other().token), "Last-Event-ID": f"{epoch}-{int(seq) - 1}"}
        with self.watch(headers=lie) as stream:
            self.assertEqual("snapshot", stream.next().name)
        with self.watch(headers={**lie, **bearer(self.owner.token)}) as stream:
            self.assertEqual("secret", stream.change()["object"]["name"])

    def test_of_devices_of_others_key_and_transform_are_told(self):
        self.begin()
        stream = self.watch_as(self.other())
        self.owner.register(self.scene, {"key": f"d-{self.scene}", "hostname": "127.0.0.1",
                                         "port": 40001})
        event = stream.change()
        self.assertEqual(event["msg_type"], 43)
        self.assertEqual(set(event["device"]), {"key", "transform"})


if __name__ == "__main__":
    unittest.main()
