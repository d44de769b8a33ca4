"""An old version of an asset becomes the current one again: what comes back, what stays, what moves."""

import unittest

from assets_test import ASSET, AssetCase
from files import PNG, upload
from people import PeopleCase
from support import wait_until


def restore(client, current, version, headers=None):
    return client.request("POST", f"{ASSET}/{current}/restore", {"version": version}, headers)


class Restore(AssetCase, unittest.TestCase):
    def chain(self):
        first = self.put(b"one", query="?name=Box&content-type=model/obj&description=old")
        self.client.request("PUT", f"{ASSET}/{first}/thumbnail", PNG, {"Content-Type": "image/png"})
        second = self.put(b"two", f"{ASSET}/{first}", query="?name=Chest&content-type=text/plain")
        return first, second

    def restored(self, current, version):
        answer = restore(self.client, current, version)
        self.assertEqual(answer.status, 200, answer)
        self.assertEqual(answer.headers["Location"], f"{ASSET}/{answer.body['key']}")
        return answer.body["key"]

    def test_it_comes_back_as_a_new_version_and_none_is_lost(self):
        first, second = self.chain()
        third = self.restored(second, first)
        [history] = self.history(first)
        self.assertEqual((history["asset"], history["assetIds"]), (third, [third, second, first]))
        self.assertEqual([self.get(key).content for key in (first, second, third)],
                         [b"one", b"two", b"one"])

    def test_what_describes_the_file_comes_back_with_it(self):
        first, second = self.chain()
        old, new = self.about(first), self.about(self.restored(second, first))
        for record in (old, new):
            for name in ("key", "createdTimestamp"):
                del record[name]
        self.assertEqual(new, old)
        self.assertEqual((new["name"], new["contentType"], new["description"]),
                         ("Box", "model/obj", "old"))
        self.assertIn("thumbnail", new)

    def test_relationships_move_to_it_at_both_ends(self):
        first, second = self.chain()
        other = self.put(b"other")
        collection = self.client.post("/v1/collection", {"name": "c"}).body["id"]
        self.relate(second, "hall")
        self.relate(second, collection, "collection")
        self.relate(other, second, "asset")
        third = self.restored(second, first)
        self.assertEqual([self.related(key) for key in ("hall", collection, third)],
                         [[third], [third], [other]])
        self.assertEqual(self.client.get(f"/v1/relationship?asset={second}").body, [])

    def test_what_cannot_be_restored_changes_nothing(self):
        first, second = self.chain()
        stranger = self.put(b"stranger")
        before = self.list(), self.history(first)
        path = f"{ASSET}/{second}/restore"
        for pointer, body, status, code in (
                ("/version", {}, 400, 122), ("/version", {"version": second}, 422, 111),
                ("/version", {"version": stranger}, 422, 111),
                ("/version", {"version": "0" * 24}, 422, 111)):
            answer = self.client.refused(status, code, "POST", path, body)
            self.assertEqual(answer["errors"][0]["pointer"], pointer)
        self.client.refused(409, 124, "POST", f"{ASSET}/{first}/restore", {"version": second})
        self.client.refused(404, 102, "POST", f"{ASSET}/{'0' * 24}/restore", {"version": first})
        self.assertEqual((self.list(), self.history(first)), before)

    def test_a_version_that_was_deleted_is_none(self):
        first, second = self.chain()
        self.client.delete(f"{ASSET}/{first}")
        self.client.refused(422, 111, "POST", f"{ASSET}/{second}/restore", {"version": first})

    def test_its_bytes_stay_when_the_old_version_goes(self):
        first, second = self.chain()
        third = self.restored(second, first)
        for key in (first, second):
            self.client.delete(f"{ASSET}/{key}")
        self.assertEqual(self.get(third).content, b"one")
        self.assertEqual(self.get(third + "/thumbnail").content, PNG)

    def test_a_request_that_comes_again_makes_one_version(self):
        first, second = self.chain()
        one, two = (restore(self.client, second, first, {"Idempotency-Key": "k"}) for _ in range(2))
        self.assertEqual((one.status, two.status, one.body["key"]), (200, 200, two.body["key"]))
        self.assertEqual(len(self.history(first)[0]["assetIds"]), 3)


class Durable(AssetCase, unittest.TestCase):
    flags = None

    def test_it_is_there_after_kill_9(self):
        self.start_server()
        first = self.put(b"one", query="?related-id=hall&related-type=scene")
        second = self.put(b"two", f"{ASSET}/{first}")
        third = restore(self.client, second, first).body["key"]
        before = self.list(), self.history(first), self.related("hall")
        self.restart("crash")
        self.assertEqual((self.list(), self.history(first), self.related("hall")), before)
        self.assertEqual((self.get(third).content, self.related("hall")), (b"one", [third]))
        self.assert_files(2)


class Access(PeopleCase, unittest.TestCase):
    def test_it_publishes_nothing_and_stays_its_owners(self):
        ann = self.new_person("ann")
        first = upload(ann, f"{ASSET}?public=true", b"one").text
        second = upload(ann, f"{ASSET}/{first}?public=false", b"two").text
        answer = restore(self.admin, second, first)
        self.assertEqual((answer.body["public"], answer.body["user"]), (False, ann.id))

    def test_it_is_a_line_of_the_audit_log(self):
        ann = self.new_person("ann2")
        first = upload(ann, ASSET, b"one").text
        second = upload(ann, f"{ASSET}/{first}", b"two").text
        restore(ann, second, first)
        path = f"/v1/audit?operation=asset_restore&key={second}"
        wait_until(lambda: self.admin.get(path).body, what="a line of it")
        self.assertEqual([line["user"] for line in self.admin.get(path).body], [ann.id])


if __name__ == "__main__":
    unittest.main()
