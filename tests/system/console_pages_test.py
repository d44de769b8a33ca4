"""The console as files: what /console/ and / answer, in which coding and with which header."""

import re
import sys
import unittest

from contract import multipart
from support import ServerCase

HTML = {"Accept": "text/html,application/xhtml+xml"}


class Pages(ServerCase, unittest.TestCase):
    def setUp(self):
        super().setUp()
        self.there = "console http://" in self.server.log_text()

    def ask(self, path, **headers):
        return self.client.request("GET", path, headers=headers)

    def needs_console(self):
        if not self.there:
            self.skipTest("the server was built without its console")

    def test_without_a_console_the_start_and_the_page_say_why(self):
        if self.there:
            self.skipTest("the server was built with its console")
        self.assertIn("console none (built without npm)", self.server.log_text())
        answer = self.ask("/console/", **HTML)
        self.assertEqual(answer.status, 404)
        self.assertIn("npm", answer.body["detail"])
        self.assertEqual(self.ask("/", **HTML).status, 404)

    def test_screens_are_one_page_under_a_strict_policy(self):
        self.needs_console()
        for path in ("/console", "/console/", "/console/scene/a.b%2Fc", "/console/scenes?q=x"):
            answer = self.ask(path)
            self.assertEqual(answer.status, 200, path)
            policy = answer.headers["Content-Security-Policy"]
            for part in ("default-src 'none'", "script-src 'self'", "frame-ancestors 'none'",
                         "require-trusted-types-for 'script'"):
                self.assertIn(part, policy)
            self.assertEqual(answer.headers["Cross-Origin-Opener-Policy"], "same-origin")
            self.assertEqual(answer.headers["Cache-Control"], "private, no-cache")
        again = self.ask("/console/", **{"If-None-Match": answer.headers["ETag"]})
        self.assertEqual(again.status, 304)

    def test_files_are_kept_for_ever_and_come_compressed(self):
        self.needs_console()
        names = re.findall(r'"/console/([\w.-]+\.(?:js|css))"', self.ask("/console/").text)
        self.assertEqual(len(names), 2)
        for name in names:
            sizes = {}
            for coding in ("identity", "gzip", "zstd"):
                answer = self.ask(f"/console/{name}", **{"Accept-Encoding": coding})
                self.assertEqual(answer.headers["Cache-Control"],
                                 "public, max-age=31536000, immutable")
                self.assertEqual(answer.headers.get("Content-Encoding", "identity"), coding)
                self.assertEqual(answer.headers["X-Content-Type-Options"], "nosniff")
                sizes[coding] = len(answer.content)
            self.assertLess(sizes["gzip"], sizes["identity"] / 2)
            self.assertLess(sizes["zstd"], sizes["identity"] / 2)

    def test_a_page_after_a_file_of_a_client_has_its_own_policy(self):
        self.needs_console()
        body, kind = multipart([("file", "a.txt", b"words")])
        key = self.client.request("POST", "/v1/asset?name=a", body, {"Content-Type": kind}).text
        self.assertIn("sandbox", self.ask(f"/v1/asset/{key}").headers["Content-Security-Policy"])
        for path, part in (("/console/", "script-src 'self'"), ("/docs", "style-src 'self'")):
            policy = self.ask(path).headers["Content-Security-Policy"]
            self.assertIn(part, policy)
            self.assertNotIn("sandbox", policy)

    def test_the_root_leads_browsers_there(self):
        self.needs_console()
        answer = self.ask("/", **HTML)
        self.assertEqual((answer.status, answer.headers["Location"]), (302, "/console/"))
        self.assertEqual(self.ask("/").status, 404)

    def test_a_console_that_is_off_says_so(self):
        server = self.start_server(console_enabled="false")
        self.assertIn("console off", server.log_text())
        answer = self.ask("/console/")
        self.assertEqual(answer.status, 404)
        self.assertIn("console.enabled", answer.body["detail"])

    def test_it_is_no_part_of_the_described_interface(self):
        self.assertNotIn("/console", self.ask("/openapi.json").text)


if __name__ == "__main__":
    sys.exit(unittest.main())
