"""GET /v1/asset/{asset}/uses: which objects and scenes name an asset, from index records that are in the commit of what
they lead to, however that is written and removed.

DIORAMA_LONG=1: an asset that 20,000 objects name."""

import json
import random
import socket
import time
import unittest
from urllib.parse import quote

from people import PeopleCase
from support import LONG, Server, ServerCase, moved, scene_path, wait_until, with_shards

MANY = 20000 if LONG else 1200
GOOD = "the store is good"


def uses_path(asset, **query):
    words = "&".join(f"{name}={quote(str(value))}" for name, value in query.items())
    return f"/v1/asset/{quote(asset, safe='')}/uses" + ("?" + words if words else "")


class UsesCase(ServerCase):
    def page(self, asset, client=None, **query):
        answer = (client or self.client).get(uses_path(asset, **query))
        self.assertEqual(200, answer.status, answer)
        return answer.body

    def uses(self, asset, client=None, **query):
        """All of them, page by page: {(kind, scene, key)}; none twice."""
        found, after = [], ""
        while True:
            page = self.page(asset, client, after=after, **query)
            found += [(use["kind"], use.get("scene", ""), use["key"]) for use in page["uses"]]
            after = page.get("next", "")
            if not after:
                break
        self.assertEqual(len(found), len(set(found)), "one stands twice")
        return set(found)

    def assert_index_is_good(self):
        """As it is after a kill. The client's connection ends with the server."""
        self.client.close()
        self.server.kill()
        lines, code = self.server.check_store()
        self.assertEqual((GOOD, 0), (lines[-1], code), lines)
        self.server.start()
        self.client = self.connect()


@with_shards(1, 3)
class Uses(UsesCase):
    def test_objects_and_scenes_are_told_with_their_names(self):
        asset = f"chair of {self.scene}"
        self.client.put_scene(self.scene, name="Hall", assets=[asset])
        [key] = self.client.create(self.scene, {"name": "seat", "assets": ["other", asset, asset]})
        page = self.page(asset)
        self.assertEqual(2, page["total"])
        self.assertNotIn("next", page)
        self.assertCountEqual(
            [{"kind": "object", "key": key, "name": "seat", "scene": self.scene},
             {"kind": "scene", "key": self.scene, "name": "Hall"}], page["uses"])

    def test_what_names_an_asset_no_more_is_no_use(self):
        old, new = f"old {self.scene}", f"new {self.scene}"
        self.client.put_scene(self.scene, assets=[old])
        [key, gone] = self.client.create(self.scene, {"assets": [old]}, {"assets": [old]})
        self.assertEqual(3, len(self.uses(old)))
        self.client.update(self.scene, key, assets=[new])
        path = f"{scene_path(self.scene)}/object/{gone}"
        self.assertEqual(200, self.client.delete(f"{path}/asset/{quote(old)}").status)
        self.client.put_scene(self.scene, name="as before")
        self.assertEqual({("scene", "", self.scene)}, self.uses(old))
        self.assertEqual({("object", self.scene, key)}, self.uses(new))
        self.assertEqual(200, self.client.put(f"{path}/asset/{quote(new)}", b"").status)
        self.assertEqual(200, self.client.delete(path).status)
        self.assertEqual({("object", self.scene, key)}, self.uses(new))
        self.assert_index_is_good()
        self.assertEqual({("object", self.scene, key)}, self.uses(new))

    def test_a_deleted_scene_uses_nothing(self):
        asset = f"lamp {self.scene}"
        self.client.put_scene(self.scene, assets=[asset])
        self.client.create(self.scene, *[{"assets": [asset, f"a{n}", f"b{n}"]} for n in range(300)])
        self.client.create(self.scene, {"assets": [asset, *(f"c{n}" for n in range(255))]})
        swept = self.server.log_text().count("scene_swept")
        self.assertEqual(200, self.client.delete(scene_path(self.scene)).status)
        self.assertEqual(set(), self.uses(asset))
        self.client.put_scene(self.scene)
        self.assertEqual(set(), self.uses(asset))
        wait_until(lambda: self.server.log_text().count("scene_swept") > swept, what="the end of the sweep")
        self.assert_index_is_good()

    def test_many_changes_of_one_commit_are_indexed(self):
        asset = f"brick {self.scene}"
        keys = self.client.create(self.scene, *[{"assets": [asset]} for _ in range(3)])
        body = {"create": [{"assets": [asset]}], "update": [{"key": keys[0], "assets": ["other"]}], "delete": [keys[1]]}
        answer = self.client.post(f"{scene_path(self.scene)}/bulk", body)
        self.assertEqual(200, answer.status, answer)
        [made] = answer.body["created"]
        self.assertEqual({("object", self.scene, keys[2]), ("object", self.scene, made)}, self.uses(asset))
        self.assert_index_is_good()

    def test_assets_that_come_by_udp_are_indexed(self):
        first, second = f"first {self.scene}", f"second {self.scene}"
        [key] = self.client.create(self.scene, {"assets": [first]})
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
            def send(**members):
                body = json.dumps({"msg_type": 1, "key": key, **members}).encode()
                sender.sendto(body, ("127.0.0.1", self.server.udp_port))
            for number in range(50):
                send(transform=moved(number))
                send(assets=[second if number % 2 else first])
            send(transform=moved(99), assets=[second])
            wait_until(lambda: self.client.objects(self.scene)[0]["transform"] == moved(99), what="the last datagram")
        wait_until(lambda: self.uses(second) == {("object", self.scene, key)}, what="its commit")
        self.assertEqual(set(), self.uses(first))
        self.assert_index_is_good()

    def test_pages_have_each_use_once(self):
        asset, wanted = f"tree {self.scene}", set()
        for number in range(4):
            scene = f"{self.scene} {number}"
            self.client.put_scene(scene, assets=[asset])
            keys = self.client.create(scene, *[{"assets": [asset]}] * (MANY // 4))
            wanted |= {("scene", "", scene), *(("object", scene, key) for key in keys)}
        self.assertEqual(wanted, self.uses(asset, limit=1000))
        self.assertEqual(wanted, self.uses(asset, limit=min(1000, MANY // 7)))
        page = self.page(asset)
        self.assertEqual((50, min(10000, len(wanted))), (len(page["uses"]), page["total"]))
        if LONG:
            began = time.monotonic()
            self.page(asset, limit=100)
            print(f"first page, counted: {time.monotonic() - began:.3f} s; ", end="")
            began = time.monotonic()
            self.page(asset, limit=100, after=self.page(asset, limit=100)["next"])
            print(f"two pages: {time.monotonic() - began:.3f} s")

    def test_names_that_share_their_beginning_are_told_apart(self):
        long = self.scene + "x" * (127 - len(self.scene))
        [one] = self.client.create(self.scene, {"assets": [long + "1"]})
        [other] = self.client.create(self.scene, {"assets": [long + "2"]})
        self.assertEqual({("object", self.scene, one)}, self.uses(long + "1"))
        self.assertEqual({("object", self.scene, other)}, self.uses(long + "2"))
        self.assertEqual(set(), self.uses("no such asset"))

    def test_more_assets_than_a_commit_takes_are_parted_or_refused_whole(self):
        names = [f"{self.scene} {number}" for number in range(256)]
        keys = self.client.create(self.scene, *[{"assets": names}] * 200)
        self.assertEqual(200, len(self.uses(names[255], limit=1000)))
        updates = [{"key": key, "assets": [name + "'" for name in names]} for key in keys]
        answer = self.client.post(f"{scene_path(self.scene)}/bulk", {"update": updates})
        self.assertEqual(413, answer.status, answer)
        self.assertEqual(200, len(self.uses(names[0], limit=1000)))
        answer = self.client.post(f"{scene_path(self.scene)}/bulk", {"update": updates[:20]})
        self.assertEqual(200, answer.status, answer)
        self.assertEqual((180, 20), (len(self.uses(names[0], limit=1000)), len(self.uses(names[0] + "'", limit=1000))))
        self.assert_index_is_good()

    def test_a_cursor_is_good_for_its_asset_alone(self):
        one, other = f"one {self.scene}", f"other {self.scene}"
        self.client.create(self.scene, *[{"assets": [one, other]}] * 2)
        after = self.page(one, limit=1)["next"]
        self.assertEqual(1, len(self.page(one, limit=1, after=after)["uses"]))
        self.client.refused(422, 111, "GET", uses_path(other, limit=1, after=after))

    def test_large_objects_are_told_over_several_slices_none_twice(self):
        asset, frames = f"huge {self.scene}", [{"frame": n, "translation": [n, 0, 0]} for n in range(8000)]
        keys = self.client.create(self.scene, *[{"assets": [asset]}] * 12)
        for key in keys:
            self.client.ok("POST", f"{scene_path(self.scene)}/object/{key}/action", {"name": "run", "keyframes": frames})
        self.assertEqual({("object", self.scene, key) for key in keys}, self.uses(asset))

    def test_a_page_that_makes_no_sense_is_refused(self):
        self.client.refused(422, 111, "GET", uses_path("a", after="zz"))
        self.client.refused(422, 111, "GET", uses_path("a", limit=1001))


class Access(UsesCase, PeopleCase, unittest.TestCase):
    flags = {"auth_enabled": "true", "pub_insecure": "true", "auth_admin_password": "correct horse battery"}

    def test_scenes_that_one_may_not_see_are_left_out(self):
        ann, bob = self.new_person("ann"), self.new_person("bob")
        for person, scene, public in ((ann, "shown", True), (ann, "hidden", False), (bob, "own", False)):
            person.put_scene(scene, public=public, assets=["door"])
            person.create(scene, {"assets": ["door"]})
        seen = lambda person: {scene or key for _, scene, key in self.uses("door", person)}
        self.assertEqual({"shown", "hidden"}, seen(ann))
        self.assertEqual({"shown", "own"}, seen(bob))
        self.assertEqual(4, self.page("door", bob)["total"])
        self.assertEqual(401, self.client.get(uses_path("door")).status)


class Model(UsesCase, unittest.TestCase):
    """Random changes, killed in between: what is told is what a reader of all objects finds."""
    flags = None

    def test_the_list_is_what_the_objects_say(self):
        chance = random.Random(28)
        self.server = Server(scene_actors=2)
        self.addCleanup(self.server.end)
        self.server.start()
        self.client = self.connect()
        names, halls = [f"a{number}" for number in range(8)], ["one", "two", "three"]
        some = lambda: chance.sample(names, chance.randrange(4))
        for hall in halls:
            self.client.put_scene(hall)
        for turn in range(3):
            for _ in range(150):
                hall = chance.choice(halls)
                there = self.client.objects(hall) if chance.random() < 0.7 else []
                what = chance.random()
                if not there or what < 0.3:
                    self.client.create(hall, *[{"assets": some()} for _ in range(chance.randrange(1, 5))])
                elif what < 0.8:
                    self.client.update(hall, chance.choice(there)["key"], assets=some())
                elif what < 0.97:
                    self.client.delete(f"{scene_path(hall)}/object/{chance.choice(there)['key']}")
                else:
                    self.client.delete(scene_path(hall))
                    self.client.put_scene(hall, assets=some())
            self.assert_index_is_good()
            for name in names:
                wanted = {("object", hall, thing["key"]) for hall in halls for thing in self.client.objects(hall)
                          if name in thing["assets"]}
                self.assertEqual(wanted, {use for use in self.uses(name) if use[0] == "object"}, (turn, name))


if __name__ == "__main__":
    unittest.main()
