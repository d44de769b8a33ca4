"""What a browser can be made to do: names of hosts that only begin like ours, pages of sibling sites
that lock, files that are pages."""

import socket
import unittest

from files import upload
from support import ServerCase, object_path

WRONG_HOSTS = ("[::1].evil.example", "localhost:80@evil.example", "localhost:80.evil.example",
               "127.0.0.1:80:80", "[::1]evil", "[::1]:80x", "localhost:99999", "127.0.0.1.evil.example",
               "localhost/evil", "localhost#", "user@localhost", "[::1", "::1]", "local host")
RIGHT_HOSTS = ("localhost", "localhost:8080", "127.0.0.1", "127.0.0.1:1", "[::1]", "[::1]:65535",
               "a.localhost", "LOCALHOST:80")
PAGES = ("image/svg+xml", "application/xhtml+xml", "TEXT/HTML", "text/html; charset=utf-8", "text/xml",
         "application/pdf", "image/png", "application/octet-stream")


class Hosts(ServerCase, unittest.TestCase):
    def status(self, host):
        with socket.create_connection(("127.0.0.1", self.server.http_port), 20) as raw:
            raw.sendall(f"GET /v1/scene/none HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n"
                        .encode())
            return int(raw.makefile("rb").readline().split(b" ")[1])

    def test_host_that_only_begins_as_ours_is_refused(self):
        statuses = {host: self.status(host) for host in WRONG_HOSTS}
        self.assertEqual({host: status for host, status in statuses.items()
                          if status not in (400, 403)}, {})

    def test_names_and_addresses_of_loopback_are_served(self):
        for host in RIGHT_HOSTS:
            self.assertEqual(self.status(host), 404, host)


class SiblingSites(ServerCase, unittest.TestCase):
    def setUp(self):
        super().setUp()
        self.key, = self.client.create(self.scene, {"name": "o"})
        self.path = object_path(self.scene, self.key) + "/lock?device=phone"

    def test_lock_by_get_from_a_page_of_the_same_site_is_refused(self):
        for site in ("same-site", "cross-site"):
            answer = self.client.request("GET", self.path, None, {"Sec-Fetch-Site": site})
            self.assertEqual(answer.status, 403, f"{site}: {answer}")
        self.assertEqual(self.client.object(self.scene, self.key)["owner"], "")

    def test_lock_by_get_of_ones_own_page_and_of_a_program_is_granted(self):
        for headers in ({"Sec-Fetch-Site": "same-origin"}, {"Sec-Fetch-Site": "none"}, {}):
            answer = self.client.request("GET", self.path, None, headers)
            self.assertEqual(answer.status, 200, answer)

    def test_lock_is_granted_by_put(self):
        self.client.ok("PUT", self.path)
        self.assertEqual(self.client.object(self.scene, self.key)["owner"], "phone")


class Pages(ServerCase, unittest.TestCase):
    def test_file_of_whatever_type_is_no_page_of_ours(self):
        for media_type in PAGES:
            key = upload(self.client, "/v1/asset", b"<svg onload='alert(1)'/>", "a", media_type).text
            for path in (f"/v1/asset/{key}", f"/v1/asset/{key}/a.html"):
                headers = self.client.get(path).headers
                policy = headers.get("Content-Security-Policy", "")
                self.assertIn("sandbox", policy, f"{media_type}: {headers}")
                self.assertNotIn("allow-scripts", policy)

    def test_answer_after_a_file_on_the_same_connection_is_ours(self):
        key = upload(self.client, "/v1/asset", b"x", "a", "image/png").text
        for path in ("/v1/asset/" + key, "/livez", "/docs", "/v1/asset/none"):
            policy = self.client.get(path).headers.get("Content-Security-Policy", "")
            self.assertEqual("sandbox" in policy, key in path, f"{path}: {policy}")


if __name__ == "__main__":
    unittest.main()
