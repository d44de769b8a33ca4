"""Content codings of answers (RFC 9110, 8.4 and 12.5.3): which, when, and how they name a state."""

import json
import shutil
import subprocess
import unittest
import zlib

from support import ServerCase, Client, objects, object_path, run_together, scene_path, scenes

SMALLEST = 1024


def decode(answer):
    coding = answer.headers["Content-Encoding"]
    if coding == "gzip":
        return zlib.decompress(answer.content, 16 + zlib.MAX_WBITS)
    if coding == "zstd":
        return subprocess.run(["zstd", "-dcq"], input=answer.content, stdout=subprocess.PIPE,
                              check=True).stdout
    return answer.content


class Compression(ServerCase, unittest.TestCase):
    def setUp(self):
        super().setUp()
        self.path = scene_path(self.scene)
        self.client.put_scene(self.scene, description="a plaza with trees " * 100)

    def ask(self, accept, method="GET", path=None, body=None, **headers):
        fields = {name.replace("_", "-"): value for name, value in headers.items()}
        # http.client adds an Accept-Encoding of its own where there is none.
        fields["Accept-Encoding"] = accept
        return self.client.request(method, path or self.path, body, fields)

    def assert_coded(self, answer, coding):
        self.assertEqual(answer.headers["Content-Encoding"], coding, answer)
        self.assertEqual(answer.headers["Vary"], "Accept-Encoding")
        self.assertEqual(int(answer.headers["Content-Length"]), len(answer.content))

    def test_gzip_holds_the_same_body(self):
        plain, coded = self.ask("identity"), self.ask("gzip")
        self.assert_coded(plain, None)
        self.assert_coded(coded, "gzip")
        self.assertLess(len(coded.content), len(plain.content) / 2)
        self.assertEqual(decode(coded), plain.content)

    @unittest.skipUnless(shutil.which("zstd"), "no zstd to decode with")
    def test_zstd_holds_the_same_body(self):
        plain, coded = self.ask("identity"), self.ask("zstd")
        self.assert_coded(coded, "zstd")
        self.assertEqual(decode(coded), plain.content)

    def test_client_chooses(self):
        for accept, coding in (("gzip, zstd", "zstd"), ("gzip, zstd;q=0.5", "gzip"),
                               ("gzip;q=0", None), ("br", None), ("*;q=0, gzip", "gzip"),
                               ("identity, gzip;q=0.9", None), ("", None), ("identity;q=0", None)):
            self.assert_coded(self.ask(accept), coding)

    def test_several_fields_are_one_list(self):
        self.client.connection.putrequest("GET", self.path, skip_accept_encoding=True)
        self.client.connection.putheader("Accept-Encoding", "zstd;q=0.1")
        self.client.connection.putheader("Accept-Encoding", "gzip")
        self.client.connection.endheaders()
        response = self.client.connection.getresponse()
        response.read()
        self.assertEqual(response.headers["Content-Encoding"], "gzip")

    def test_only_bodies_of_1_kib_and_more(self):
        frame = len(self.ask("identity").content) - len("a plaza with trees " * 100)
        for size, coding in ((SMALLEST - frame - 1, None), (SMALLEST - frame, "gzip")):
            self.client.put_scene(self.scene, description="t" * size)
            self.assert_coded(self.ask("gzip"), coding)

    def test_smaller_bodies_where_nothing_else_is_taken(self):
        answer = self.ask("gzip, identity;q=0", path="/livez")
        self.assert_coded(answer, "gzip")
        self.assertEqual(decode(answer), b'{"status":"live"}')

    def test_errors_are_answers_too(self):
        key = "k" * 128
        answer = self.ask("gzip, identity;q=0", path=scene_path(key))
        self.assertEqual(answer.status, 404)
        self.assert_coded(answer, "gzip")
        self.assertEqual(json.loads(decode(answer))["err_code"], 102)

    def test_only_json(self):
        answer = self.ask("gzip", path="/metrics")
        self.assertNotIn("Content-Encoding", answer.headers)
        self.assertNotIn("Vary", answer.headers)

    def test_answer_of_a_write_is_coded(self):
        [key] = self.client.create(self.scene, {"name": "n" * 1500})
        answer = self.ask("gzip", "POST", object_path(self.scene, key), objects({"type": "Mesh"}))
        self.assert_coded(answer, "gzip")
        self.assertEqual(json.loads(decode(answer))["objects"][0]["type"], "Mesh")

    def test_head_says_what_get_says(self):
        get, head = self.ask("gzip"), self.ask("gzip", "HEAD")
        self.assertEqual(head.content, b"")
        for field in ("Content-Encoding", "Content-Length", "ETag", "Vary"):
            self.assertEqual(head.headers[field], get.headers[field], field)

    def test_other_bytes_have_another_tag(self):
        plain, gzip, zstd = (self.ask(accept).headers["ETag"]
                             for accept in ("identity", "gzip", "zstd"))
        self.assertEqual((gzip, zstd), (plain[:-1] + '-gzip"', plain[:-1] + '-zstd"'))

    def test_same_tag_means_same_bytes(self):
        one, other = self.ask("gzip"), self.ask("gzip")
        self.assertEqual(one.headers["ETag"], other.headers["ETag"])
        self.assertEqual(one.content, other.content)

    def test_known_state_is_304_in_its_coding(self):
        plain, gzip = (self.ask(accept).headers["ETag"] for accept in ("identity", "gzip"))
        for accept, known, status in (("gzip", gzip, 304), ("gzip", plain, 304),
                                      ("identity", plain, 304), ("identity", gzip, 200),
                                      ("gzip, identity;q=0", plain, 200)):
            answer = self.ask(accept, If_None_Match=known)
            self.assertEqual(answer.status, status, (accept, known))
            if status == 304:
                self.assertEqual(answer.headers["ETag"], known)
                self.assertNotIn("Content-Encoding", answer.headers)

    def test_tag_of_any_coding_names_the_state(self):
        gzip = self.ask("gzip").headers["ETag"]
        for status in (200, 412):
            answer = self.ask("identity", "POST", None, scenes({"name": "x"}), If_Match=gzip)
            self.assertEqual(answer.status, status)

    def test_many_at_the_same_time(self):
        plain = self.ask("identity").content

        def read():
            with Client(self.server) as client:
                for coding in ("gzip", "identity") * 50:
                    answer = client.request("GET", self.path, None, {"Accept-Encoding": coding})
                    self.assertEqual(decode(answer), plain)

        run_together(*[read] * 16)


if __name__ == "__main__":
    unittest.main()
