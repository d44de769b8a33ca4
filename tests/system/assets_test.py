"""Assets: bytes, versions, metadata, listings, what deleting leaves."""

import os
import random
import unittest

from files import models, sha256, stored_files, upload
from support import LONG, ServerCase, needs_folder, wait_until

ASSET = "/v1/asset"
FLIPS = 1000 if LONG else 50
IMMUTABLE = "private, max-age=31536000, immutable"


class AssetCase(ServerCase):
    def put(self, content, path=ASSET, filename="a.obj", media_type=None, query=""):
        """Uploads and returns the key."""
        answer = upload(self.client, path + query, content, filename, media_type)
        self.assertEqual(answer.status, 200, answer)
        self.assertEqual(answer.headers["Content-Type"], "text/plain")
        self.assertRegex(answer.text, r"^[0-9a-f]{24}$")
        self.assertEqual(answer.headers["Location"], f"{ASSET}/{answer.text}")
        return answer.text

    def get(self, key, method="GET", **headers):
        fields = {name.replace("_", "-"): value for name, value in headers.items()}
        return self.client.request(method, f"{ASSET}/{key}", None, fields)

    def list(self, query=""):
        answer = self.client.get(ASSET + query)
        self.assertEqual(answer.status, 200, answer)
        return answer.body

    def keys(self, query=""):
        return [record["key"] for record in self.list(query)]

    def about(self, key):
        [record] = self.list(f"?key={key}")
        return record

    def history(self, key, path="/v1/asset-history"):
        answer = self.client.get(f"{path}/{key}")
        self.assertEqual(answer.status, 200, answer)
        return answer.body

    def relate(self, key, related, type_="scene"):
        answer = self.client.put("/v1/relationship", {
            "assetId": key, "relatedId": related, "relationshipType": type_})
        self.assertEqual(answer.status, 200, answer)

    def related(self, related):
        answer = self.client.get(f"/v1/relationship?related={related}")
        self.assertEqual(answer.status, 200, answer)
        return [record["assetId"] for record in answer.body]

    def assert_files(self, count):
        """So many files remain, and nothing half done."""
        wait_until(lambda: tuple(map(len, stored_files(self.server))) == (count, 0),
                   what=f"{count} files, {stored_files(self.server)}")


class Bytes(AssetCase, unittest.TestCase):
    def test_what_was_uploaded_is_what_is_read(self):
        content = bytes(range(256)) * 1000
        key = self.put(content, filename="box.glb", media_type="model/gltf-binary")
        answer = self.get(key)
        self.assertEqual(answer.status, 200)
        self.assertEqual(answer.content, content)
        self.assertEqual(answer.headers["Content-Type"], "model/gltf-binary")
        self.assertEqual(answer.headers["ETag"], f'"{sha256(content)[:32]}"')
        self.assertEqual(answer.headers["Accept-Ranges"], "bytes")
        self.assertEqual(answer.headers["Cache-Control"], IMMUTABLE)
        self.assertEqual(answer.headers["X-Content-Type-Options"], "nosniff")
        self.assertEqual(answer.headers["Content-Disposition"], f'attachment; filename="{key}.glb"')

    def test_a_path_may_name_the_file(self):
        key = self.put(b"v 1 2 3\n")
        answer = self.get(f"{key}/h%C3%BCtte.obj")
        self.assertEqual(answer.content, b"v 1 2 3\n")
        self.assertEqual(answer.headers["Content-Disposition"],
                         "attachment; filename=\"h__tte.obj\"; filename*=UTF-8''h%C3%BCtte.obj")

    def test_a_name_leads_to_no_other_folder(self):
        key = self.put(b"v 1 2 3\n")
        answer = self.get(f"{key}/..%2F..%5Chut.obj")
        self.assertEqual(answer.headers["Content-Disposition"],
                         'attachment; filename=".._.._hut.obj"')

    def test_unknown_keys_are_not_found(self):
        for path in (f"{ASSET}/{'0' * 24}", f"{ASSET}/{'0' * 24}/a.obj",
                     f"/v1/asset-history/{'0' * 24}"):
            self.client.refused(404, 102, "GET", path)
        self.client.refused(404, 102, "DELETE", f"{ASSET}/{'0' * 24}")

    def test_head_is_get_without_its_bytes(self):
        for size in (10, 100000):
            key = self.put(b"x" * size)
            answer = self.get(key, "HEAD", Range="bytes=0-1")
            self.assertEqual((answer.status, answer.content), (200, b""))
            self.assertEqual(answer.headers["Content-Length"], str(size))

    def test_whoever_has_the_bytes_is_told_so(self):
        key = self.put(b"v 4\n")
        tag = self.get(key).headers["ETag"]
        answer = self.get(key, If_None_Match=tag)
        self.assertEqual((answer.status, answer.content), (304, b""))
        self.assertEqual(answer.headers["ETag"], tag)
        self.assertEqual(answer.headers["Cache-Control"], IMMUTABLE)
        self.assertEqual(self.get(key, If_None_Match='"other"').status, 200)
        self.assertEqual(self.get(key, If_Match='"other"').status, 412)

    def test_ranges_are_parts(self):
        for size in (1000, 200000):  # through memory, and straight from the file
            content = os.urandom(size)
            key = self.put(content)
            for wanted, part in (("0-0", content[:1]), ("10-99", content[10:100]),
                                 ("990-", content[990:]), ("-7", content[-7:]),
                                 (f"5-{size * 2}", content[5:])):
                answer = self.get(key, Range=f"bytes={wanted}")
                self.assertEqual(answer.status, 206, wanted)
                self.assertEqual(answer.content, part, wanted)
                first = content.index(part) if len(part) > 1 else 0
                self.assertEqual(answer.headers["Content-Range"],
                                 f"bytes {first}-{first + len(part) - 1}/{size}")

    def test_a_range_beyond_the_end_is_416(self):
        key = self.put(b"12345")
        answer = self.get(key, Range="bytes=5-")
        self.assertEqual(answer.status, 416)
        self.assertEqual(answer.body["err_code"], 111)
        self.assertEqual(answer.headers["Content-Range"], "bytes */5")
        self.assertNotIn("ETag", answer.headers)

    def test_several_ranges_and_other_states_are_the_whole(self):
        key = self.put(b"12345")
        tag = self.get(key).headers["ETag"]
        self.assertEqual(self.get(key, Range="bytes=0-1,3-4").content, b"12345")
        self.assertEqual(self.get(key, Range="bytes=0-1", If_Range='"other"').content, b"12345")
        self.assertEqual(self.get(key, Range="bytes=0-1", If_Range=tag).content, b"12")

    def test_json_that_was_uploaded_is_never_compressed(self):
        content = b'{"asset":{}}' * 1000
        key = self.put(content, media_type="application/json")
        answer = self.get(key, Accept_Encoding="gzip, zstd")
        self.assertNotIn("Content-Encoding", answer.headers)
        self.assertEqual(answer.content, content)

    def test_real_models_come_back_as_they_are(self):
        paths = models(self, with_controllers=LONG)
        paths = paths if LONG else paths[::5]
        seen = {}
        for path in paths:
            with open(path, "rb") as file:
                content = file.read()
            key = self.put(content, filename=os.path.basename(path).replace('"', ""))
            answer = self.get(key)
            self.assertEqual(sha256(answer.content), sha256(content), path)
            seen.setdefault(os.path.splitext(path)[1].lower(), set()).add(
                answer.headers["Content-Type"])
        self.assertEqual(seen.get(".png", {"image/png"}), {"image/png"})
        self.assertEqual(seen.get(".obj", {"model/obj"}), {"model/obj"})
        self.assertEqual(seen.get(".gltf", {"model/gltf+json"}), {"model/gltf+json"})
        self.assertEqual(seen.get(".glb", {"model/gltf-binary"}), {"model/gltf-binary"})


class Metadata(AssetCase, unittest.TestCase):
    def setUp(self):
        super().setUp()
        for key in self.keys("?limit=10000"):
            self.client.delete(f"{ASSET}/{key}")

    def test_everything_that_is_known(self):
        key = self.put(b"v 1\n", query="?name=Box&description=A%20box&asset-type=model")
        record = self.about(key)
        self.assertRegex(record.pop("createdTimestamp"), r"^\d{4}(\.\d\d){5}$")
        self.assertEqual(record, {
            "key": key, "name": "Box", "description": "A box", "contentType": "model/obj",
            "fileType": "obj", "assetType": "model", "size": 4, "sha256": sha256(b"v 1\n"),
            "user": "", "public": True})

    def test_the_query_wins_over_part_and_bytes(self):
        key = self.put(b"v 1\n", filename="a.obj", media_type="image/png",
                       query="?content-type=model%2Fx&file-type=zip&isPublic=false")
        record = self.about(key)
        self.assertEqual((record["contentType"], record["fileType"], record["public"]),
                         ("model/x", "zip", False))

    def test_what_nobody_says_is_found_out(self):
        png = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\1\0\0\0\1\x08\2\0\0\0"
        record = self.about(self.put(png, filename="picture", media_type="application/octet-stream"))
        self.assertEqual((record["contentType"], record["fileType"]), ("image/png", "png"))
        record = self.about(self.put(b"\1\2\3", filename="thing"))
        self.assertEqual((record["contentType"], record["fileType"]),
                         ("application/octet-stream", ""))

    def test_what_the_server_knows_cannot_be_said(self):
        key = self.put(b"v 2\n", query=f"?key={'a' * 24}&size=7&sha256=00&user=me&createdUs=1")
        record = self.about(key)
        self.assertNotEqual(key, "a" * 24)
        self.assertEqual((record["size"], record["sha256"], record["user"]),
                         (4, sha256(b"v 2\n"), ""))

    def test_listings_are_in_the_order_of_creation_and_paged(self):
        keys = [self.put(b"%d" % i, filename=f"f.{'obj' if i % 2 else 'glb'}") for i in range(6)]
        self.assertEqual(self.keys(), keys)
        self.assertEqual(self.keys("?limit=2&offset=1"), keys[1:3])
        self.assertEqual(self.keys("?file-type=obj"), keys[1::2])
        self.assertEqual(self.keys("?file-type=obj&offset=1&limit=1"), keys[3:4])
        self.assertEqual(self.keys(f"?file-type=glb&key={keys[1]}"), [])
        self.assertEqual(self.client.get(ASSET + "/count").body, {"count": 6})
        self.assertEqual(self.client.get(ASSET + "/count?file-type=obj").body, {"count": 3})
        self.assertEqual(self.client.get(ASSET + "/count?content-type=no/ne").body, {"count": 0})
        self.client.refused(422, 111, "GET", ASSET + "?limit=10001")

    def test_bulk_skips_what_it_does_not_know(self):
        keys = [self.put(b"%d" % i) for i in range(3)]
        answer = self.client.post("/v1/bulk/asset", {"ids": [keys[2], "0" * 24, keys[0]]})
        self.assertEqual([record["key"] for record in answer.body], [keys[2], keys[0]])

    def test_bytes_are_kept_once_and_go_with_the_last_that_needs_them(self):
        first, second = self.put(b"same"), self.put(b"same")
        self.assert_files(1)
        self.assertEqual(self.client.delete(f"{ASSET}/{first}").text, "Success")
        self.assertEqual(self.get(second).content, b"same")
        self.client.delete(f"{ASSET}/{second}")
        self.assert_files(0)


class Versions(AssetCase, unittest.TestCase):
    def chain(self):
        """Three versions with two relationships; their keys, the oldest first."""
        first = self.put(b"one", query=f"?name=Box&related-id={self.scene}&related-type=scene")
        self.relate(first, self.scene + ".2", "object")
        second = self.put(b"two", f"{ASSET}/{first}")
        third = self.put(b"three", f"{ASSET}/{second}", query="?name=Chest")
        return first, second, third

    def test_an_asset_that_was_never_updated_has_no_history(self):
        key = self.put(b"only")
        self.assertEqual(self.history(key), [])
        self.assertEqual(self.history(key, "/v1/history"), [])

    def test_every_version_knows_the_history(self):
        keys = self.chain()
        [history] = self.history(keys[0])
        self.assertRegex(history.pop("id"), r"^[0-9a-f]{24}$")
        self.assertEqual(history, {"scene": "", "object": "", "asset": keys[2],
                                   "assetIds": list(reversed(keys))})
        for key in keys:
            for path in ("/v1/asset-history", "/v1/history"):
                self.assertEqual(self.history(key, path), self.history(keys[0]))

    def test_old_versions_stay_readable_and_what_is_not_said_is_inherited(self):
        keys = self.chain()
        self.assertEqual([self.get(key).content for key in keys], [b"one", b"two", b"three"])
        self.assertEqual([self.about(key)["name"] for key in keys], ["Box", "Box", "Chest"])

    def test_relationships_move_to_the_newest(self):
        first, second, third = self.chain()
        self.assertEqual(self.related(self.scene), [third])
        self.assertEqual(self.related(self.scene + ".2"), [third])
        for key in (first, second):
            self.assertEqual(self.client.get(f"/v1/relationship?asset={key}").body, [])

    def test_a_relationship_that_moved_is_not_made_again(self):
        first = self.put(b"one", query=f"?related-id={self.scene}&related-type=scene")
        second = self.put(b"two", f"{ASSET}/{first}",
                          query=f"?related-id={self.scene}&related-type=scene")
        self.assertEqual(self.related(self.scene), [second])

    def test_an_asset_with_as_many_relationships_as_may_be_has_its_new_version(self):
        key = self.put(b"one")
        link = {"assetId": key, "relationshipType": "scene"}
        for n in range(900):
            self.assertEqual(
                self.client.put("/v1/relationship", {**link, "relatedId": f"s{n}"}).status, 200)
        answer = self.client.put("/v1/relationship", {**link, "relatedId": "one more"})
        self.assertEqual((answer.status, answer.body["err_code"]), (409, 124))
        answer = upload(self.client, f"{ASSET}?related-id={key}&related-type=asset", b"other")
        self.assertEqual((answer.status, answer.body["err_code"]), (409, 124))
        new = self.put(b"two", f"{ASSET}/{key}")
        self.assertEqual(len(self.client.get(f"/v1/relationship?asset={new}").body), 900)

    def test_one_of_the_two_ends_alone_relates_nothing(self):
        self.put(b"one", query=f"?related-id={self.scene}")
        self.assertEqual(self.related(self.scene), [])

    def test_updating_what_was_replaced_names_the_current_one(self):
        first, second, third = self.chain()
        for key in (first, second):
            answer = upload(self.client, f"{ASSET}/{key}", b"late")
            self.assertEqual((answer.status, answer.body["err_code"]), (409, 124))
            self.assertIn(third, answer.body["detail"])

    def test_the_newest_that_is_left_becomes_the_current_one(self):
        first, second, third = self.chain()
        self.assertEqual(self.client.delete(f"{ASSET}/{third}").text, "Success")
        self.assertEqual(self.get(third).status, 404)
        self.assertEqual(self.related(self.scene), [])
        [history] = self.history(first)
        self.assertEqual((history["asset"], history["assetIds"]), (second, [second, first]))
        fourth = self.put(b"four", f"{ASSET}/{second}")
        [history] = self.history(first)
        self.assertEqual(history["assetIds"], [fourth, second, first])

    def test_a_history_ends_with_its_last_version(self):
        for key in self.chain():
            self.client.delete(f"{ASSET}/{key}")
            self.client.refused(404, 102, "GET", f"/v1/asset-history/{key}")


class Durable(AssetCase, unittest.TestCase):
    flags = None

    def test_everything_is_there_after_kill_9(self):
        self.start_server()
        first = self.put(b"one", query="?name=Box&related-id=hall&related-type=scene")
        second = self.put(b"two", f"{ASSET}/{first}")
        gone = self.put(b"gone")
        self.client.delete(f"{ASSET}/{gone}")
        before = self.list(), self.history(first), self.related("hall")
        self.restart("crash")
        self.assertEqual((self.list(), self.history(first), self.related("hall")), before)
        self.assertEqual([self.get(key).content for key in (first, second)], [b"one", b"two"])
        self.assert_files(2)

    def test_what_nobody_refers_to_is_swept_at_the_start(self):
        self.start_server()
        key = self.put(b"kept")
        [path] = stored_files(self.server)[0]
        orphan = os.path.join(os.path.dirname(path), os.path.basename(path)[:2] + "0" * 62)
        self.server.kill()
        with open(orphan, "wb") as file:
            file.write(b"x")
        self.restart("start")
        self.assert_files(1)
        self.assertEqual(self.get(key).content, b"kept")

    @needs_folder
    def test_damaged_bytes_are_never_answered(self):
        """One flipped bit at a time, anywhere in a file that was read before."""
        self.start_server(log_level="error")
        content, choose = os.urandom(80000), random.Random(4)
        key, whole = self.put(content), self.put(b"whole")
        path = max(stored_files(self.server)[0], key=os.path.getsize)
        for _ in range(FLIPS):
            self.assertEqual(self.get(key).content, content)
            at, bit = choose.randrange(len(content)), 1 << choose.randrange(8)
            self.overwrite(path, at, content[at] ^ bit)
            answer = self.get(key, Range="bytes=0-1")
            self.assertEqual((answer.status, answer.body["err_code"]), (500, 101), at)
            self.assertEqual(self.get(key).status, 500)
            self.overwrite(path, at, content[at])
        self.assertIn("blob_damaged", self.server.log_text())
        self.assertEqual(self.get(whole).content, b"whole")

    @staticmethod
    def overwrite(path, at, byte):
        with open(path, "r+b") as file:
            file.seek(at)
            file.write(bytes([byte]))

    @needs_folder
    def test_the_same_bytes_again_mend_damaged_ones(self):
        self.start_server()
        key = self.put(b"precious" * 10000)
        [path] = stored_files(self.server)[0]
        os.truncate(path, 70000)
        self.assertEqual(self.get(key).status, 500)
        self.put(b"precious" * 10000)
        self.assertEqual(self.get(key).content, b"precious" * 10000)


if __name__ == "__main__":
    unittest.main()
