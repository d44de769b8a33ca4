"""Thumbnails of assets: what is taken, how it is served, what it comes and goes with."""

import http.client
import unittest

from assets_test import ASSET, AssetCase
from files import PNG, WEBP, sha256, stored_files, upload
from people import FLAGS, PeopleCase
from support import wait_until

MOST = 64 << 10


def put(client, key, content=PNG, kind="image/png", **headers):
    return client.request("PUT", f"{ASSET}/{key}/thumbnail", content, {"Content-Type": kind, **headers})


def large(size):
    return PNG + bytes(size - len(PNG))


class Thumbnails(AssetCase, unittest.TestCase):
    def test_an_image_comes_back_as_it_was(self):
        key = self.put(b"one")
        self.assertEqual(self.get(f"{key}/thumbnail").status, 404)
        self.assertNotIn("thumbnail", self.about(key))
        for content, kind in ((PNG, "image/png"), (WEBP, "image/webp"),
                              (large(MOST), "image/png")):
            answer = put(self.client, key, content, kind)
            self.assertEqual(answer.status, 200, answer)
            self.assertEqual(answer.body["thumbnail"], sha256(content))
            self.assertEqual(self.about(key), answer.body)
            got = self.get(f"{key}/thumbnail")
            self.assertEqual((got.content, got.headers["Content-Type"]), (content, kind))
        self.assertEqual((self.get(key).content, answer.body["size"]), (b"one", 3))

    def test_it_is_asked_for_again_with_its_tag_and_runs_nothing(self):
        key = self.put(b"one")
        put(self.client, key)
        got = self.get(f"{key}/thumbnail")
        self.assertEqual(got.headers["Cache-Control"], "private, no-cache")
        self.assertIn("sandbox", got.headers["Content-Security-Policy"])
        self.assertEqual(got.headers["X-Content-Type-Options"], "nosniff")
        tag = got.headers["ETag"]
        self.assertEqual(self.get(f"{key}/thumbnail", If_None_Match=tag).status, 304)
        put(self.client, key, WEBP, "image/webp")
        self.assertEqual(self.get(f"{key}/thumbnail", If_None_Match=tag).status, 200)

    def test_what_is_no_such_image_is_refused_and_changes_nothing(self):
        key = self.put(b"one")
        put(self.client, key)
        before = self.about(key)
        for content, kind, status, code in (
                (PNG, "text/html", 415, 141), (PNG, "image/gif", 415, 141),
                (b"<svg onload=alert(1)>", "image/png", 422, 111), (PNG[:12], "image/png", 422, 111),
                (WEBP, "image/png", 422, 111), (b"RIFF1234WAVE", "image/webp", 422, 111),
                (large(MOST + 1), "image/png", 413, 140), (b"", "image/png", 400, 122)):
            with self.subTest((content[:8], kind)):
                answer = put(self.client, key, content, kind)
                self.assertEqual((answer.status, answer.body["err_code"]), (status, code), answer)
        answer = put(self.client, key, **{"Content-Encoding": "gzip"})
        self.assertEqual(answer.status, 415)
        self.assertEqual(self.about(key), before)
        self.assertEqual(put(self.client, "0" * 24).status, 404)

    def test_a_type_that_is_not_named_follows_from_the_bytes(self):
        key = self.put(b"one")
        connection = http.client.HTTPConnection("127.0.0.1", self.server.http_port, timeout=20)
        connection.request("PUT", f"{ASSET}/{key}/thumbnail", WEBP)
        self.assertEqual(connection.getresponse().status, 200)
        connection.close()
        self.assertEqual(self.get(f"{key}/thumbnail").headers["Content-Type"], "image/webp")

    def test_a_new_version_has_none_until_it_gets_one(self):
        first = self.put(b"one")
        put(self.client, first)
        second = self.put(b"two", f"{ASSET}/{first}")
        self.assertNotIn("thumbnail", self.about(second))
        self.assertEqual(self.get(f"{second}/thumbnail").status, 404)
        self.assertEqual(self.get(f"{first}/thumbnail").content, PNG)

    def test_a_file_stays_called_thumbnail_under_other_paths(self):
        key = self.put(b"one")
        self.assertEqual(self.get(f"{key}/thumbnail.png").content, b"one")


class Durable(AssetCase, unittest.TestCase):
    flags = None

    def test_it_is_there_after_kill_9_and_goes_with_the_asset(self):
        self.start_server()
        key = self.put(b"one")
        put(self.client, key, WEBP, "image/webp")
        put(self.client, key)
        self.restart("crash")
        self.assertEqual(self.get(f"{key}/thumbnail").content, PNG)
        self.assert_files(2)
        self.client.delete(f"{ASSET}/{key}")
        self.assert_files(0)

    def test_it_may_have_the_bytes_of_assets(self):
        self.start_server()
        key, other = self.put(PNG), self.put(PNG)
        put(self.client, key)
        self.client.delete(f"{ASSET}/{key}")
        self.restart("crash")
        self.assertEqual(self.get(other).content, PNG)
        self.assert_files(1)


class Owners(PeopleCase, unittest.TestCase):
    flags = None

    def begin(self, **flags):
        self.start_server(**FLAGS, **flags)
        cls = type(self)
        cls.admin = self.enter(self.server, "admin")
        self.addCleanup(cls.admin.close)
        people = self.new_person("ann"), self.new_person("bob")
        for person in people:
            self.addCleanup(person.close)
        return people

    def held(self):
        return self.server.metrics()['diorama_budget_held{budget="asset_bytes"}']

    def test_it_counts_to_the_budget_of_the_assets_owner(self):
        ann, _ = self.begin(budget_asset_bytes="100K")
        key = upload(ann, ASSET, b"x" * 50000).text
        self.assertEqual(put(self.admin, key, large(30000)).status, 200)
        self.assertEqual(self.held(), 80000)
        answer = put(ann, key, large(60000))
        self.assertEqual((answer.status, answer.body["budget"]), (507, "asset_bytes"))
        self.assertEqual(put(ann, key, large(20000)).status, 200)
        self.assertEqual(self.held(), 70000)
        self.server.crash()
        self.assertEqual(self.held(), 70000)

    def test_it_is_exported_and_erased_with_the_asset(self):
        ann, bob = self.begin()
        key = upload(ann, ASSET, b"one").text
        put(ann, key)
        [item] = [item for item in ann.get(f"/v1/users/{ann.id}/export/library").body
                  if "asset" in item]
        self.assertEqual(item["asset"]["thumbnail"], sha256(PNG))
        self.assertEqual(put(bob, key).status, 404)
        self.assertEqual(bob.get(f"{ASSET}/{key}/thumbnail").status, 404)
        self.assertEqual(self.admin.delete(f"/v1/users/{ann.id}/data").status, 200)
        wait_until(lambda: tuple(map(len, stored_files(self.server))) == (0, 0), what="no files")


if __name__ == "__main__":
    unittest.main()
