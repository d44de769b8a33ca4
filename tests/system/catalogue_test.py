"""GET /v1/events?topic=: which scenes, assets and so on are created, changed and deleted, for whom and from where."""

import os
import random
import threading
import unittest

from files import upload
from people import FLAGS, PeopleCase, bearer
from streams import EventStream
from support import SHARD_COUNTS, ServerCase, run_together, scene_path, scenes, with_shards

TARGET = "/v1/events?topic=scenes"
CREATED, UPDATED, DELETED = 40, 41, 42
LAST = "last"
MANY = 4000 if os.environ.get("DIORAMA_LONG") else 300  # changes of each writer


class CatalogueCase:
    def watch(self, who=None, last=None, server=None, target=TARGET):
        headers = dict(bearer(who.token) if who else {}, **({"Last-Event-ID": last} if last else {}))
        stream = EventStream(server or self.server, target, headers=headers)
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
        for query, status, code in (("topic=devices", 422, 111), ("topic=", 400, 122), ("", 400, 122),
                                    ("topic=scenes&topic=objects", 422, 111),
                                    ("topic=scenes&scene=a", 422, 111), ("topic=scenes&rate=5", 422, 111),
                                    ("topic=scenes&form=delta", 422, 111)):
            self.client.refused(status, code, "GET", f"/v1/events?{query}")
        with EventStream(self.server, TARGET, method="HEAD") as stream:
            self.assertEqual(stream.status, 200)


def topics(*names):
    return "/v1/events?" + "&".join(f"topic={name}" for name in names)


def answered(client, method, path, body=None):
    answer = client.request(method, path, body)
    assert answer.status == 200, f"{method} {path}: {answer}"
    return answer.body


class Topics(CatalogueCase, ServerCase, unittest.TestCase):
    """What stands beside scenes."""

    def new_project(self, **members):
        return answered(self.client, "POST", "/v1/project", {"name": "n", **members})["id"]

    def new_asset(self):
        return upload(self.client, "/v1/asset?name=lamp", b"bytes").content.decode()

    def test_assets_are_told_with_their_records_as_their_reads_show_them(self):
        stream = self.watch(target=topics("assets"))
        self.assertEqual(self.reset(stream).body["topic"], "assets")
        key = self.new_asset()
        body = stream.change()
        self.assertEqual((body["msg_type"], body["asset"]), (50, key))
        self.assertEqual(body["record"], answered(self.client, "POST", "/v1/bulk/asset", {"ids": [key]})[0])

    def test_a_new_version_is_a_new_asset_and_changes_the_old_one(self):
        stream = self.watch(target=topics("assets"))
        self.reset(stream)
        first = self.new_asset()
        self.assertEqual(stream.change()["asset"], first)
        second = upload(self.client, f"/v1/asset/{first}", b"newer").content.decode()
        self.assertEqual(sorted((body["msg_type"], body["asset"]) for body in (stream.change(), stream.change())),
                         [(50, second), (51, first)])

    def test_each_kind_comes_changes_and_goes(self):
        for noun, created in (("collection", 53), ("project", 56)):
            with self.subTest(noun):
                stream = self.watch(target=topics(noun + "s"))
                self.reset(stream)
                key = answered(self.client, "POST", f"/v1/{noun}", {"name": "n"})["id"]
                answered(self.client, "POST", f"/v1/{noun}/{key}", {"name": "m"})
                answered(self.client, "DELETE", f"/v1/{noun}/{key}")
                bodies = [stream.change() for _ in range(3)]
                self.assertEqual([(body["msg_type"], body[noun], body["record"]["name"]) for body in bodies],
                                 [(created, key, "n"), (created + 1, key, "m"), (created + 2, key, "m")])
                self.assertEqual([body["seq"] for body in bodies], list(range(bodies[0]["seq"], bodies[0]["seq"] + 3)))

    def test_a_stream_of_several_topics_goes_on_in_each(self):
        stream = self.watch(target=topics("assets", "projects"))
        resets = [stream.next() for _ in range(2)]
        self.assertEqual(sorted(event.body["topic"] for event in resets), ["assets", "projects"])
        stream.close()
        last = resets[1].id
        self.assertEqual([place.split(":")[0] for place in last.split(",")], ["assets", "projects"])
        asset, project = self.new_asset(), self.new_project()
        stream = self.watch(last=last, target=topics("assets", "projects"))
        told = [stream.any() for _ in range(4)]  # what was answered may be told a little later
        self.assertEqual([event.data for event in told].count("resumed"), 2)
        bodies = [event.body for event in told if event.name]
        self.assertEqual({body.get("asset") or body["project"] for body in bodies}, {asset, project})

    def test_a_topic_hears_nothing_of_the_others(self):
        stream = self.watch(target=topics("projects"))
        self.reset(stream)
        self.client.put_scene(self.scene)
        self.new_asset()
        project = self.new_project()
        body = stream.change()
        self.assertEqual((body["msg_type"], body["project"]), (56, project))

    def test_large_records_that_nobody_reads_cost_no_more_than_is_kept(self):
        stream = self.watch(target=topics("projects"))
        last = self.reset(stream).id
        stream.close()
        groups = [{"name": f"g{n}", "scenes": [f"{n}-{m:04}-" + "s" * 90 for m in range(100)]} for n in range(25)]
        for _ in range(30):  # 0.3 MB each
            self.new_project(sceneGroups=groups)
        self.reset(self.watch(last=last, target=topics("projects")))


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

    def test_of_the_library_too(self):
        owner, other = self.new_person("librarian"), self.new_person("reader")
        for person in (owner, other):
            self.addCleanup(person.close)
        streams = [self.watch(who, target=topics("collections")) for who in (owner, other, self.admin)]
        for stream in streams:
            self.reset(stream)
        path = "/v1/collection"
        key = answered(owner, "POST", path, {"name": "hidden", "isPublic": False})["id"]
        for public in (True, False):
            answered(owner, "POST", f"{path}/{key}", {"isPublic": public})
        answered(owner, "DELETE", f"{path}/{key}")
        told = [[stream.change() for _ in range(count)] for stream, count in zip(streams, (4, 2, 4))]
        self.assertEqual([[body["msg_type"] for body in bodies] for bodies in told],
                         [[53, 54, 54, 55], [54, 55], [53, 54, 54, 55]])
        self.assertEqual({body["collection"] for bodies in told for body in bodies}, {key})
        self.assertNotIn("record", told[1][1])

    def test_a_user_hears_of_themselves_and_administrators_of_all(self):
        of_admin = self.watch(self.admin, target=topics("users"))
        self.reset(of_admin)
        person = self.new_person("onlooker")
        self.addCleanup(person.close)
        self.assertEqual(of_admin.change()["user"], person.id)
        streams = [self.watch(person, target=topics("users")), of_admin]
        self.reset(streams[0])
        newcomer = self.sign_up("newcomer")["id"]
        answered(person, "PUT", f"/v1/users/{person.id}", {"email": ["onlooker@example.org"]})
        mine = streams[0].change()
        self.assertEqual((mine["msg_type"], mine["user"]), (60, person.id))
        self.assertEqual(mine["record"], answered(person, "GET", f"/v1/users/{person.id}"))
        told = [streams[1].change() for _ in range(2)]
        self.assertEqual([(body["msg_type"], body["user"]) for body in told], [(59, newcomer), (60, person.id)])
        self.assertNotIn("hash", told[0]["record"])

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


class Follower(threading.Thread):
    """Keeps what its reader may see as a program would: it lists after each reset, and takes every change."""

    KINDS = {"assets": "asset", "collections": "collection", "projects": "project"}

    def __init__(self, reader, seed):
        super().__init__(daemon=True)
        self.reader, self.random = reader, random.Random(seed)
        self.known = {topic: {} for topic in self.KINDS}
        self.last, self.resumed = None, 0
        self.failure = None

    def list(self, topic):
        noun = self.KINDS[topic]
        found, start = {}, 0
        while True:
            page = answered(self.reader, "GET", f"/v1/{noun}?num_records=1000&start_record={start}")
            found.update({record.get("key") or record["id"]: record for record in page})
            start += len(page)
            if len(page) < 1000:
                return found

    def take(self, event):
        self.last = event.id
        if event.name == "reset":
            self.known[event.body["topic"]] = self.list(event.body["topic"])
            return
        body = event.body
        topic, noun = next(pair for pair in self.KINDS.items() if pair[1] in body)
        if body["msg_type"] in (52, 55, 58):
            self.known[topic].pop(body[noun], None)
        else:
            self.known[topic][body[noun]] = body["record"]

    def read(self):
        headers = {**bearer(self.reader.token), **({"Last-Event-ID": self.last} if self.last else {})}
        with EventStream(self.reader.server, topics(*self.KINDS), headers=headers) as stream:
            for _ in range(self.random.randrange(5, 60)):
                event = stream.any()
                if event.name:
                    self.take(event)
                self.resumed += event.data == "resumed"
                if self.is_done():
                    return

    def is_done(self):
        """Whether it knows what was made last, of each kind."""
        return all(any(record["name"] == LAST for record in known.values()) for known in self.known.values())

    def run(self):
        try:
            while not self.is_done():
                self.read()
        except BaseException as failure:
            self.failure = failure


class Model(CatalogueCase, PeopleCase, unittest.TestCase):
    flags = FLAGS

    def change(self, person, seed, count):
        chance, mine = random.Random(seed), []
        for number in range(count):
            noun, at = chance.choice((("asset", 0), ("collection", 1), ("project", 2))), chance.random()
            noun, old = noun[0], [key for kind, key in mine if kind == noun[0]]
            path = f"/v1/{noun}"
            if old and at < 0.25:
                key = chance.choice(old)
                self.assertEqual(person.delete(f"{path}/{key}").status, 200)
                mine.remove((noun, key))
            elif noun == "asset":
                of = f"/{chance.choice(old)}" if old and at < 0.5 else ""
                answer = upload(person, f"{path}{of}?name=n{number}&public={'false' if at < 0.7 else 'true'}", b"b%d" % number)
                if answer.status == 200:  # else: of a version that is not the newest
                    mine.append((noun, answer.content.decode()))
            elif old and at < 0.7:
                answered(person, "POST", f"{path}/{chance.choice(old)}", {"name": f"n{number}", "isPublic": at < 0.5})
            else:
                mine.append((noun, answered(person, "POST", path, {"name": f"n{number}", "isPublic": at < 0.85})["id"]))

    def test_who_follows_knows_what_a_list_shows_however_often_the_stream_breaks_off(self):
        people = [self.new_person(f"writer{number}") for number in range(3)]
        readers = [self.enter(self.admin.server, f"writer{number}", user=person.user) for number, person in enumerate(people)]
        readers.append(self.enter(self.admin.server, "admin"))
        for person in (*people, *readers):
            self.addCleanup(person.close)
        followers = [Follower(reader, seed) for seed, reader in enumerate(readers)]
        for follower in followers:
            follower.start()
        run_together(*(lambda person=person, seed=seed: self.change(person, seed, MANY) for seed, person in enumerate(people)))
        self.assertEqual(upload(self.admin, f"/v1/asset?public=true&name={LAST}", b"last").status, 200)
        for path in ("/v1/collection", "/v1/project"):
            answered(self.admin, "POST", path, {"name": LAST, "isPublic": True})
        for follower in followers:
            follower.join(60)
            self.assertIsNone(follower.failure)
            self.assertFalse(follower.is_alive())
            self.assertGreater(follower.resumed, 3)
            for topic in Follower.KINDS:
                now = follower.list(topic)
                for key in set(now) | set(follower.known[topic]):
                    self.assertEqual(follower.known[topic].get(key), now.get(key), topic)


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
