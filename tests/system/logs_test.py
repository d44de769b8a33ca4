"""The log: one line an event, nothing of a request by default, and never a secret."""

import json
import os
import re
import socket
import subprocess
import unittest

from support import (BIN, Server, ServerCase, object_path, scene_path, scenes, wait_until,
                     write_plan)

PAIR = r' [a-z0-9_]+=(?:[^ "=\\]+|"(?:[^"\\]|\\.)*")'
LINE = re.compile(r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z (debug|info|warning|error) [a-z_]+"
                  rf"(?:{PAIR})*$")
BANNER = re.compile(r"^dioramad \S+ serves ")  # on standard output
SECRETS = ("tok-a-of-operators-1234", "tok-b-in-a-header-1234", "tok-c-in-a-cookie-1234",
           "tok-d-in-a-query-1234", "tok-e-in-a-body-1234", "tok-f-as-password-1234")
TOKEN, HEADER, COOKIE, QUERY, BODY, PASSWORD = SECRETS


class LogCase(ServerCase):
    flags = None

    def lines(self):
        return [line for line in self.server.log_text().splitlines() if not BANNER.match(line)]

    def requests(self):
        return [line for line in self.lines() if re.match(r"\S+ debug http ", line)]

    def wait_for_line(self, pattern):
        def find():
            return next((line for line in self.lines() if re.search(pattern, line)), None)
        return wait_until(find, what=f"a line with {pattern}")


class Lines(LogCase, unittest.TestCase):
    def work(self):
        self.client.put_scene("s")
        [key] = self.client.create("s", {"name": "a \"b\" = c"})
        self.client.ok("GET", object_path("s", key) + "/lock?device=d")
        self.client.refused(404, 102, "GET", scene_path("a b=\"c\"\\ \u00e9"))
        self.client.refused(400, 110, "POST", scene_path("s"), b"{")
        self.client.refused(404, 102, "GET", "/nowhere?x=%0A")
        with socket.create_connection(("127.0.0.1", self.server.http_port)) as client:
            client.sendall(b"GARBAGE\nlevel=error event=x\r\n\r\n")
            client.recv(65536)

    def test_every_line_is_an_event_with_pairs(self):
        self.start_server(log_level="debug")
        self.work()
        self.server.stop()
        self.assertGreater(len(self.lines()), 8)
        self.assertEqual([line for line in self.lines() if not LINE.match(line)], [])

    def test_every_line_is_a_json_object_where_that_is_asked_for(self):
        self.start_server(log_level="debug", log_format="json")
        self.work()
        self.server.stop()
        events = [json.loads(line) for line in self.lines()]
        self.assertEqual([event for event in events
                          if list(event)[:3] != ["time", "level", "event"]], [])
        [lock] = [event for event in events if "lock" in event.get("op", "")]
        self.assertEqual((lock["event"], lock["status"]), ("http", 200))
        self.assertGreater(lock["ms"], 0)

    def test_requests_are_not_logged_by_default(self):
        self.start_server()
        before = self.lines()
        self.client.put_scene("s")
        self.client.refused(404, 102, "GET", scene_path("nowhere"))
        self.client.refused(400, 110, "POST", scene_path("s"), b"{")
        self.assertEqual(self.lines(), before)

    def test_request_has_one_line_at_debug_level(self):
        self.start_server(log_level="debug")
        self.client.put_scene("plaza")
        self.client.request("GET", scene_path("plaza"), None, {"X-Request-Id": "client-17"})
        line = self.wait_for_line("client-17")
        self.assertRegex(line, r"^\S+Z debug http op=/v1/scene/\{scene\} method=GET status=200 "
                               r"id=client-17 peer=127\.0\.0\.1 ms=\d+\.\d{3}$")
        self.assertEqual(sum("client-17" in other for other in self.lines()), 1)

    def test_line_says_the_route_and_never_the_path(self):
        self.start_server(log_level="debug")
        self.client.request("GET", scene_path("plaza") + "?x=y", None, {"X-Request-Id": "r1"})
        self.client.request("GET", "/plaza", None, {"X-Request-Id": "r2"})
        self.assertIn(" op=/v1/scene/{scene} ", self.wait_for_line("id=r1"))
        self.assertIn(" op=- ", self.wait_for_line("id=r2"))
        self.assertNotIn("plaza", "".join(self.requests()))

    def test_answer_and_line_have_the_same_id(self):
        self.start_server(log_level="debug")
        ids = []
        for given in ("mine-1", "has spaces", "a" * 65, None):
            headers = {"X-Request-Id": given} if given else {}
            answer = self.client.request("GET", "/nowhere", None, headers)
            ids.append(answer.headers["X-Request-Id"])
            self.assertEqual(answer.body["request_id"], ids[-1])
        self.assertEqual(ids[0], "mine-1")
        self.assertEqual(len(set(ids)), 4)
        for each in ids:
            self.wait_for_line(rf" id={re.escape(each)} ")

    def test_failure_inside_is_logged_with_its_id(self):
        server = self.server = Server()
        self.addCleanup(server.end)
        plan = os.path.join(server.folder, "plan")
        write_plan(plan, "latency=0")
        server.start(store_fault=f"file={plan}")
        self.client = self.connect()
        write_plan(plan, "unavailable=1")
        answer = self.client.request("PUT", scene_path("s"), scenes({}), {"X-Request-Id": "r-503"})
        self.assertEqual(answer.status, 503)
        line = self.wait_for_line("http_failed .* id=r-503 ")
        self.assertRegex(line, r" warning http_failed op=/v1/scene/\{scene\} status=503 id=r-503 ")


class Secrets(LogCase, unittest.TestCase):
    def assert_unsaid(self, text):
        self.assertEqual([secret for secret in SECRETS if secret in text], [])

    def ask_everything(self):
        """Requests that carry secrets wherever a request can, good ones and broken ones."""
        headers = {"Authorization": f"Bearer {HEADER}", "Cookie": f"access_token={COOKIE}",
                   "X-Forwarded-For": "203.0.113.9"}
        body = {"username": "u", "password": PASSWORD, "token": BODY}
        [key] = self.client.create("s", {"name": "o"})
        for method, path in (("GET", "/metrics"), ("GET", scene_path("s")), ("GET", "/nowhere"),
                             ("POST", "/v1/login"), ("PUT", scene_path("s")), ("TRACE", "/livez"),
                             ("GET", object_path("s", key) + "/lock"), ("POST", "/v1/scene/query")):
            for content in (None, body, b"{" + BODY.encode()):
                target = f"{path}?token={QUERY}&device={QUERY}&password={PASSWORD}"
                self.client.request(method, target, content, headers)

    def send_raw(self, text):
        with socket.create_connection(("127.0.0.1", self.server.http_port), timeout=20) as client:
            client.sendall(text.encode())
            while client.recv(65536):
                pass

    def break_off(self):
        """What civetweb itself may complain about."""
        secrets = f"Authorization: Bearer {HEADER}\r\nCookie: access_token={COOKIE}\r\n"
        self.send_raw(f"GARBAGE {QUERY}\r\n{secrets}\r\n")
        self.send_raw(f"GET /livez?token={QUERY} HTTP/9.9\r\n{secrets}\r\n")
        self.send_raw(f"GET /livez?token={QUERY} HTTP/1.1\r\n{secrets}\r\n")  # no Host
        self.send_raw(f"GET http://x/{QUERY} HTTP/1.1\r\nHost: evil\r\n{secrets}\r\n")
        self.send_raw(f"GET /%zz?{QUERY} HTTP/1.0\r\nHost: localhost\r\n{secrets}"
                      "Content-Length: x\r\n\r\n")

    def test_no_secret_is_ever_logged(self):
        for log_format in ("text", "json"):
            self.start_server(log_level="debug", log_format=log_format, metrics_token=TOKEN,
                              http_trusted_proxies="127.0.0.1")
            self.client.put_scene("s")
            self.ask_everything()
            self.client.request("GET", "/metrics", None, {"Authorization": f"Bearer {TOKEN}",
                                                          "X-Forwarded-For": "203.0.113.9"})
            self.break_off()
            self.server.stop()
            self.assertGreater(len(self.lines()), 20)
            self.assert_unsaid(self.server.log_text())

    def test_no_answer_says_a_token_of_the_header(self):
        self.start_server(metrics_token=TOKEN, http_trusted_proxies="127.0.0.1")
        for authorization in (f"Bearer {HEADER}", HEADER):
            answer = self.client.request("GET", "/metrics", None,
                                         {"Authorization": authorization,
                                          "Cookie": f"access_token={COOKIE}",
                                          "X-Forwarded-For": "203.0.113.9"})
            self.assertEqual(answer.status, 401)
            self.assert_unsaid(answer.text + str(answer.headers))

    def say(self, *flags, **environment):
        """All that the program says and ends with."""
        done = subprocess.run([os.path.join(BIN, "dioramad"), *flags], stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, timeout=20, check=False,
                              env={**os.environ, **environment})
        return done.stdout.decode(), done.returncode

    def test_settings_are_printed_without_secrets(self):
        for flags, environment in (((f"--metrics.token={TOKEN}",), {}),
                                   ((), {"DIORAMA_METRICS_TOKEN": TOKEN})):
            for action in ("--print-config", "--check-config"):
                words, code = self.say(action, *flags, **environment)
                self.assertEqual(code, 0, words)
                self.assert_unsaid(words)
        self.assertIn('token = "***"', self.say("--print-config", f"--metrics.token={TOKEN}")[0])

    def test_refused_settings_do_not_say_secrets(self):
        for flags in ((f"--metrics.token={TOKEN} {TOKEN}",), (f"--metrics.tokn={TOKEN}",),
                      (f"--metrics.token={TOKEN}", "--metrics.token_file=/nowhere")):
            words, code = self.say("--check-config", *flags)
            self.assertEqual(code, 2, words)
            self.assert_unsaid(words)


if __name__ == "__main__":
    unittest.main()
