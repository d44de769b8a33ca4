"""What pages of other origins may read: assets, in ranges too, by http.cors_origins alone. The second part looks with a headless
Chromium; it is skipped where chromium, node or npm are missing."""

import http.server
import threading
import unittest

from browser_test import Page
from console_browser import DRIVER, fetch, why_not
from contract import multipart
from people import FLAGS, PASSWORD, log_in
from support import Client, Server, ServerCase

LISTED, OTHER = "https://maps.example", "https://other.example"
BYTES = bytes(range(256)) * 40
NO_BROWSER = why_not()


def upload(client):
    body, kind = multipart([("file", "tile.bin", BYTES)])
    answer = client.request("POST", "/v1/asset?name=tile", body, {"Content-Type": kind})
    assert answer.status == 200, answer
    return f"/v1/asset/{answer.text.strip()}"


class Headers(ServerCase, unittest.TestCase):
    flags = {"http_cors_origins": f"{LISTED},https://second.example"}

    def listed(self, header):
        return {name.strip() for name in header.split(",")}

    def test_a_script_of_a_listed_origin_reads_the_tag_and_the_range_of_an_asset(self):
        path = upload(self.client)
        answer = self.client.request("GET", path, headers={"Origin": LISTED, "Range": "bytes=-16"})
        self.assertEqual((206, LISTED, "true"), (answer.status, answer.headers["Access-Control-Allow-Origin"],
                                                 answer.headers["Access-Control-Allow-Credentials"]))
        self.assertLessEqual({"ETag", "Content-Range"}, self.listed(answer.headers["Access-Control-Expose-Headers"]))
        self.assertEqual(f"bytes {len(BYTES) - 16}-{len(BYTES) - 1}/{len(BYTES)}", answer.headers["Content-Range"])

    def test_what_a_cache_keeps_is_not_the_same_for_all_origins(self):
        path = upload(self.client)
        for origin in (LISTED, OTHER, None):
            answer = self.client.request("GET", path, headers={"Origin": origin} if origin else {})
            self.assertIn("Origin", answer.headers.get_all("Vary"), origin)

    def test_a_preflight_needs_no_token_and_permits_what_scripts_send(self):
        path = upload(self.client)
        asked = {"Access-Control-Request-Method": "GET", "Access-Control-Request-Headers": "range, if-none-match, authorization"}
        answer = self.client.request("OPTIONS", path, headers={"Origin": LISTED, **asked})
        self.assertEqual((204, LISTED), (answer.status, answer.headers["Access-Control-Allow-Origin"]))
        self.assertLessEqual({"Range", "If-Range", "If-None-Match", "Authorization"},
                             self.listed(answer.headers["Access-Control-Allow-Headers"]))
        self.assertIn("GET", self.listed(answer.headers["Access-Control-Allow-Methods"]))
        other = self.client.request("OPTIONS", path, headers={"Origin": OTHER, **asked})
        self.assertIsNone(other.headers["Access-Control-Allow-Origin"])

    def test_other_origins_are_told_nothing(self):
        path = upload(self.client)
        for origin in (OTHER, "null", LISTED + ".evil.example", LISTED.upper() + "x", "http://maps.example"):
            answer = self.client.request("GET", path, headers={"Origin": origin})
            for name in ("Origin", "Credentials"):
                self.assertIsNone(answer.headers[f"Access-Control-Allow-{name}"], origin)


class NoOrigins(ServerCase, unittest.TestCase):
    def test_without_origins_all_get_the_same(self):
        answer = self.client.request("GET", upload(self.client), headers={"Origin": LISTED})
        self.assertIsNone(answer.headers["Access-Control-Allow-Origin"])
        self.assertNotIn("Origin", answer.headers.get_all("Vary") or [])


class Empty(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(b"<!doctype html><title>elsewhere</title>")

    def log_message(self, *_):
        pass


@unittest.skipIf(NO_BROWSER, NO_BROWSER)
class InABrowser(unittest.TestCase):
    def page(self):
        pages = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Empty)
        threading.Thread(target=pages.serve_forever, daemon=True).start()
        self.addCleanup(pages.server_close)
        self.addCleanup(pages.shutdown)
        origin = f"http://127.0.0.1:{pages.server_address[1]}"
        page = Page(fetch(DRIVER), origin)
        self.addCleanup(page.close)
        return origin, page

    def start(self, **flags):
        server = Server(**flags)
        self.addCleanup(server.end)
        server.start()
        client = Client(server)
        self.addCleanup(client.close)
        return server, client

    @staticmethod
    def script(address, options):
        return (f"fetch('{address}', {options}).then(async a => [a.status, a.headers.get('ETag'), a.headers.get('Content-Range'),"
                "(await a.arrayBuffer()).byteLength], e => String(e))")

    def test_a_page_elsewhere_reads_a_range_also_behind_a_picture_of_the_same_address(self):
        origin, page = self.page()
        server, client = self.start(http_cors_origins=origin)
        path = upload(client)
        address = f"http://127.0.0.1:{server.http_port}{path}"
        page.ask(f"new Promise(done => {{ const i = new Image(); i.onload = i.onerror = () => done(1); i.src = '{address}' }})")
        whole = page.ask(self.script(address, "{}"))
        self.assertEqual([200, client.get(path).headers["ETag"], None, len(BYTES)], whole)
        part = page.ask(self.script(address, "{headers: {Range: 'bytes=-16'}}"))
        self.assertEqual([206, f"bytes {len(BYTES) - 16}-{len(BYTES) - 1}/{len(BYTES)}", 16], [part[0], *part[2:]])

    def test_a_page_that_is_not_listed_reads_nothing(self):
        _, page = self.page()
        server, client = self.start(http_cors_origins=LISTED)
        answer = page.ask(self.script(f"http://127.0.0.1:{server.http_port}{upload(client)}", "{}"))
        self.assertIn("TypeError", answer)

    def test_with_accounts_a_page_elsewhere_reads_with_its_token_and_not_without(self):
        origin, page = self.page()
        server, client = self.start(http_cors_origins=origin, **FLAGS)
        token = log_in(client, "admin", PASSWORD).headers["Authorization"]
        address = f"http://127.0.0.1:{server.http_port}/v1/scene?limit=1&after="
        self.assertEqual(401, page.ask(self.script(address, "{}"))[0])
        self.assertEqual(200, page.ask(self.script(address, f"{{headers: {{Authorization: '{token}'}}}}"))[0])


if __name__ == "__main__":
    unittest.main()
