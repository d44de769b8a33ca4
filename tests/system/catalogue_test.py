"""GET /v1/events?topic=scenes: which scenes are created, changed and deleted, for whom and from where."""

import unittest

from people import FLAGS, PeopleCase, bearer
from streams import EventStream
from support import SHARD_COUNTS, ServerCase, scene_path, scenes, with_shards

TARGET = "/v1/events?topic=scenes"
CREATED, UPDATED, DELETED = 40, 41, 42


class CatalogueCase:
    def watch(self, who=None, last=None, server=None):
        headers = dict(bearer(who.token) if who else {}, **({"Last-Event-ID": last} if last else {}))
        stream = EventStream(server or self.server, TARGET, headers=headers)
        self.addCleanup(stream.close)
        self.assertEqual(stream.status, 200)
        return stream

    def reset(self, stream):
        event = stream.next()
        self.assertEqual(event.name, "reset")
        self.assertEqual(event.id, "{epoch}-{seq}".format(**event.body))
        return event

    def told(self, stream, count):
        """(msg_type, scene) of the next events."""
        return [(body["msg_type"], body["scene"]) for body in (stream.change() for _ in range(count))]


@with_shards(*SHARD_COUNTS)
class Catalogue(CatalogueCase, ServerCase):
    def test_scenes_that_come_change_and_go_are_told_in_one_order(self):
        stream = self.watch()
        self.reset(stream)
        keys = [f"{self.scene}-{number}" for number in range(6)]
        for key in keys:
            self.client.put_scene(key, name="n")
        self.client.create(f"{self.scene}-made", {"name": "the scene is made by it"})
        self.client.put_scene(keys[0], name="m")
        self.client.ok("DELETE", scene_path(keys[0]))
        self.client.put_scene(keys[0])
        seqs, found = [], []
        while len(found) < 10:
            body = stream.change()
            seqs.append(body["seq"])
            found.append((body["msg_type"], body["scene"]))
        self.assertEqual(sorted(found[:7]), sorted((CREATED, key) for key in [*keys, f"{self.scene}-made"]))
        self.assertEqual(found[7:], [(UPDATED, keys[0]), (DELETED, keys[0]), (CREATED, keys[0])])
        self.assertEqual(seqs, list(range(seqs[0], seqs[0] + 10)))

    def test_an_event_has_the_whole_record(self):
        stream = self.watch()
        self.reset(stream)
        self.client.put_scene(self.scene, name="Hall", tags=["a"], latitude=3.5)
        body = stream.change()
        self.assertEqual((body["record"]["name"], body["record"]["tags"], body["record"]["latitude"]),
                         ("Hall", ["a"], 3.5))

    def test_who_comes_back_hears_what_they_missed(self):
        stream = self.watch()
        last = self.reset(stream).id
        stream.close()
        for number in range(5):
            self.client.put_scene(f"{self.scene}-{number}")
        stream = self.watch(last=last)
        self.assertEqual(stream.any().data, "resumed")
        found = [stream.next() for _ in range(5)]
        self.assertEqual({event.body["msg_type"] for event in found}, {CREATED})
        stream = self.watch(last=found[1].id)
        self.assertEqual(stream.any().data, "resumed")
        self.assertEqual([stream.next().id for _ in range(3)], [event.id for event in found[2:]])
        epoch, seq = found[-1].id.split("-")
        for unknown in (f"{epoch}-{int(seq) + 1}", f"{int(epoch) - 1}-{seq}", "x"):
            self.reset(self.watch(last=unknown))

    def test_what_is_too_old_is_listed_anew(self):
        stream = self.watch()
        last = self.reset(stream).id
        stream.close()
        for begin in range(0, 4200, 700):
            self.client.ok("POST", "/v1/scene", scenes(*({"key": f"{self.scene}-{n}"}
                                                         for n in range(begin, begin + 700))))
        self.reset(self.watch(last=last))

    def test_what_does_not_fit_is_refused(self):
        for query, status, code in (("topic=assets", 422, 111), ("topic=", 400, 122), ("", 400, 122),
                                    ("topic=scenes&scene=a", 422, 111), ("topic=scenes&rate=5", 422, 111),
                                    ("topic=scenes&form=delta", 422, 111)):
            self.client.refused(status, code, "GET", f"/v1/events?{query}")
        with EventStream(self.server, TARGET, method="HEAD") as stream:
            self.assertEqual(stream.status, 200)


class Access(CatalogueCase, PeopleCase, unittest.TestCase):
    flags = FLAGS

    def test_each_hears_of_what_they_may_read(self):
        owner, other = self.new_person("keeper"), self.new_person("passer")
        for person in (owner, other):
            self.addCleanup(person.close)
        streams = [self.watch(who) for who in (owner, other, self.admin)]
        for stream in streams:
            self.reset(stream)
        owner.put_scene("secret", public=False)
        owner.put_scene("open", public=True)
        owner.put_scene("open", public=False)
        owner.put_scene("open", name="still hidden")
        owner.put_scene("secret", public=True)
        owner.ok("DELETE", scene_path("open"))
        owner.ok("DELETE", scene_path("secret"))
        every = [(CREATED, "secret"), (CREATED, "open"), (UPDATED, "open"), (UPDATED, "open"),
                 (UPDATED, "secret"), (DELETED, "open"), (DELETED, "secret")]
        # Hidden: no more than its key. Shown: as if it were new.
        partly = [(CREATED, "open"), (DELETED, "open"), (UPDATED, "secret"), (DELETED, "secret")]
        for stream, expected in zip(streams, (every, partly, every)):
            self.assertEqual(sorted(self.told(stream, len(expected))), sorted(expected))

    def test_nobody_hears_without_a_session_and_none_longer_than_it(self):
        with EventStream(self.server, TARGET) as stream:
            self.assertEqual(stream.status, 401)
        person = self.new_person("leaver")
        self.addCleanup(person.close)
        stream = self.watch(person)
        self.reset(stream)
        person.post("/v1/logout")
        self.assertEqual(stream.rest(), [])

    def test_who_becomes_an_administrator_lists_anew(self):
        person = self.new_person("riser")
        self.addCleanup(person.close)
        stream = self.watch(person)
        self.reset(stream)
        self.assertEqual(self.admin.request("PUT", f"/v1/users/{person.id}/admin").status, 200)
        self.reset(stream)
        self.admin.put_scene("of-the-admin", public=False)
        self.assertEqual(self.told(stream, 1), [(CREATED, "of-the-admin")])


class Restart(CatalogueCase, ServerCase, unittest.TestCase):
    def test_after_a_restart_all_is_listed_anew(self):
        server = self.start_server()
        stream = self.watch(server=server)
        self.reset(stream)
        self.client.put_scene(self.scene)
        last = stream.next().id
        stream.close()
        self.restart("crash")
        self.reset(self.watch(last=last, server=self.server))


if __name__ == "__main__":
    unittest.main()
