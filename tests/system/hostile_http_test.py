"""HTTP that is malformed, ambiguous or meant to do harm, byte by byte.

A table of raw requests with the statuses that are right for each. Everything that the guard can see is
refused and the connection closed; nothing hangs, nothing crashes, nothing is changed.
"""

import re
import socket
import time
import unittest
from collections import namedtuple
from concurrent.futures import ThreadPoolExecutor

from support import Client, ServerCase, dump

# `closes`: the server has to end the connection itself. `ends`: we say that nothing more comes.
Case = namedtuple("Case", "what content statuses closes ends", defaults=(True, False))
CUT = 0  # in place of a status: closed without an answer
BATCH = 24
WITHIN = 15.0  # seconds for the slowest case

HOST = b"Host: localhost\r\n"
HOME = b"/v1/scene/home"
JSON = b"Content-Type: application/json\r\n"
BODY = b'{"scenes":[{"name":"hostile"}]}'
LENGTH = b"Content-Length: %d\r\n" % len(BODY)
CHUNKED = b"Transfer-Encoding: chunked\r\n"


def get(path=HOME, fields=HOST, line=b"GET %b HTTP/1.1\r\n"):
    return line % path + fields + b"\r\n"


def put(fields, body=BODY):
    return b"PUT " + HOME + b" HTTP/1.1\r\n" + HOST + JSON + fields + b"\r\n" + body


def chunks(content):
    return put(CHUNKED, content)


def chunked_as(value):
    return put(b"Transfer-Encoding: " + value + b"\r\n",
               b"%x\r\n%b\r\n0\r\n\r\n" % (len(BODY), BODY))


def show(content):
    return content[:60].decode("latin-1").encode("unicode_escape").decode()


def each(what, make, values, statuses, **other):
    return [Case(f"{what} {show(value)!r}", make(value), statuses, **other) for value in values]


REQUEST_LINES = [
    *each("a request line", lambda line: line + b"\r\n" + HOST + b"\r\n", (
        b"GET", b"GET ", b"GET /livez", b"GET /livez ", b"/livez HTTP/1.1", b"GET HTTP/1.1",
        b"GET  HTTP/1.1", b"GET /livez HTTP", b"GET /livez HTTP/", b"GET /livez HTTP/1",
        b"GET /livez http/1.1", b"GET /livez HTTP/1.1 x", b"GET /livez HTTP/1.1.1",
        b"GET /livez x HTTP/1.1", b"GET /livez HTTPS/1.1", b"GET /livez FTP/1.1",
        b"GET /livez HTTP/1,1", b"GET /livez HTTP/-1.1", b"GET\x00 /livez HTTP/1.1",
        b"GET /li\x00vez HTTP/1.1", b"G\xc3\x8bT /livez HTTP/1.1", b"\xff\xfe\xfd",
        b"GET\x0b/livez\x0bHTTP/1.1", b":", b"GET:/livez:HTTP/1.1",
        b"GET\\/livez HTTP/1.1"), {400}),
    *each("a version", lambda version: b"GET /livez " + version + b"\r\n" + HOST + b"\r\n", (
        b"HTTP/0.9", b"HTTP/1.2", b"HTTP/1.10", b"HTTP/1.01", b"HTTP/2.0", b"HTTP/2", b"HTTP/3",
        b"HTTP/9.9", b"HTTP/11", b"HTTP/1.1\x00"), {400, 505}),
    *each("a method", lambda method: method + b" /livez HTTP/1.1\r\n" + HOST + b"\r\n", (
        b"get", b"Get", b"GETT", b"GE", b"BREW", b"PRI", b"X" * 100, b"M-SEARCH", b"<GET>",
        b'"GET"', b"G@T", b"{}"), {400, 405}, closes=False),
    *each("a known method", lambda method: method + b" /livez HTTP/1.1\r\n" + HOST + b"\r\n", (
        b"TRACE", b"CONNECT", b"PATCH", b"PROPFIND", b"MKCOL", b"LOCK", b"MOVE", b"COPY"),
        {400, 405}, closes=False),
]

TARGETS = [
    *each("a target", get, (
        b"/v1/scene/%00", b"/v1/scene/a%00b", b"/livez?x=%00", b"/%00", b"/v1/scene/home%00.json"),
        {400}),
    *each("an escape", get, (
        b"/v1/scene/%", b"/v1/scene/%4", b"/v1/scene/%zz", b"/v1/scene/%g0", b"/v1/scene/%-1",
        b"/v1/scene/% 1", b"/v1/scene/%ff", b"/v1/scene/%c0%af", b"/v1/scene/%ed%a0%80",
        b"/v1/scene/%f5%80%80%80", b"/v1/scene/%e2%82"), {400, 404, 422}, closes=False),
    *each("a key", get, (
        b"/v1/scene/%01", b"/v1/scene/%0d%0aX:%20y", b"/v1/scene/a%2fb", b"/v1/scene/" + b"k" * 129,
        b"/v1/scene/%7f"), {404, 422}, closes=False),
    *each("a way out", get, (
        b"/../etc/passwd", b"/%2e%2e/etc/passwd", b"/v1/../../etc/passwd", b"/v1/scene/..%2f..%2f",
        b"/..%5c..%5cetc", b"/.git/config", b"/cgi-bin/test.cgi", b"/index.php", b"/.htpasswd",
        b"/v1/scene/%2e%2e%2fx", b"/./livez", b"//livez", b"/livez//", b"/livez/."),
        {400, 404, 422}, closes=False),
    *each("a form of target", get, (
        b"*", b"livez", b"?", b"#", b"http://", b"http:///livez", b"http://localhost",
        b"http://evil.example/livez", b"https://evil.example:1/livez", b"localhost:80",
        b"ftp://localhost/livez", b"javascript:alert(1)", b"mailto:a@b", b"http://[::1/livez",
        b"\\livez", b"@localhost/livez"), {400, 404, 405, CUT}),
    *each("bytes in a target", get, (
        b"/livez\x01", b"/liv\x7fez", b"/liv\x1bez", b"/v1/scene/\xc3\xa9", b"/v1/scene/\xff\xfe",
        b"/livez\tx"), {400, 404, 422}, closes=False),
    Case("a URI of 9,000 bytes", get(b"/v1/scene/" + b"x" * 9000), {414}),
    Case("a query of 9,000 bytes", get(b"/livez?" + b"x" * 9000), {414}),
    Case("a URI of 40,000 bytes", get(b"/" + b"x" * 40000), {400, 414, 431, CUT}),
]

HEADERS = [
    *each("a host", lambda host: get(fields=b"Host: " + host + b"\r\n"), (
        b"evil.example", b"evil.example:80", b"localhost.evil.example", b"127.0.0.1.evil.example",
        b"evil.example#localhost", b"localhost@evil.example", b"128.0.0.1", b"0.0.0.0", b"[::2]",
        b"", b" ", b"a b", b"localhost, evil.example", b"[::1", b"]", b":80", b"127.1",
        b"2130706433", b"0x7f.0.0.1", b"h" * 300, b"localhost\x00.evil"), {400, 403}),
    Case("no host", get(fields=b""), {400}),
    Case("two hosts", get(fields=HOST + HOST), {400}),
    Case("two hosts that differ", get(fields=HOST + b"Host: 127.0.0.1\r\n"), {400}),
    Case("two hosts in two cases", get(fields=HOST + b"hOST: 127.0.0.1\r\n"), {400}),
    *each("a field", lambda field: get(fields=HOST + field + b"\r\n"), (
        b"no colon", b": no name", b" : x", b"X y: z", b"\x00: x", b"X\x00: y", b"X: a\x00b",
        b"X\x7f: y"), {400}),
    *each("a folded field", lambda field: get(fields=HOST + field + b"\r\n"), (
        b"X: a\r\n b", b"X: a\r\n\tb", b" X: a",
        b"\xc3X: a"), {400}),
    *each("a line that ends in LF alone", bytes, (
        b"GET /livez HTTP/1.1\n" + HOST + b"\r\n", get(fields=b"Host: localhost\n"),
        b"GET /livez HTTP/1.1\nHost: localhost\n\n", get(fields=b"X: y\n" + HOST),
        b"GET /livez HTTP/1.1\r\nHost: localhost\n\n"), {400}, ends=True),
    *each("a space before a colon", lambda name: put(name + b": %d\r\n" % len(BODY)), (
        b"Content-Length ", b"Content-Length\t", b" Content-Length"), {400}),
    *each("fields", lambda count: get(fields=HOST + b"".join(
        b"X-%d: y\r\n" % n for n in range(int(count)))), (b"63", b"64", b"100", b"1000"),
        {431}),
    *each("a field of so many bytes", lambda size: get(fields=HOST + b"X: " + b"y" * int(size) +
                                                       b"\r\n"),
          (b"16400", b"20000", b"30000"), {431}),
    *each("a field beyond all bounds", lambda size: get(fields=HOST + b"X: " + b"y" * int(size) +
                                                        b"\r\n"),
          (b"40000", b"100000", b"1000000"), {400, 431, CUT}),
    Case("a name of 20,000 bytes", get(fields=HOST + b"x" * 20000 + b": y\r\n"), {431}),
    Case("lines that end in CR alone", b"GET /livez HTTP/1.1\rHost: localhost\r\r", {400, CUT},
         ends=True),
    Case("an end of lines that is none", b"GET /livez HTTP/1.1\n\rHost: localhost\n\r\n\r",
         {400, CUT}, ends=True),
]

FRAMING = [
    *each("a length", lambda value: put(b"Content-Length: " + value + b"\r\n"), (
        b"+31", b"-1", b"-31", b"0x1f", b"1f", b"31x", b"3 1", b"31,31", b"31;31", b"3.1", b"1e1",
        b"", b" ", b"NaN", b"99999999999999999999", b"18446744073709551647", b"9223372036854775808",
        b"-9223372036854775808", b"\xd9\xa3\xd9\xa1", b"'31'", b"31\x0b", b"31, 5"), {400}),
    *each("a length that is too large", lambda value: put(b"Content-Length: " + value + b"\r\n"), (
        b"1048577", b"999999999", b"999999999999999999"), {413}),
    *each("lengths", lambda value: put(LENGTH + b"Content-Length: " + value + b"\r\n"), (
        b"31", b"0", b"5", b"x"), {400}),
    Case("two lengths in two cases", put(LENGTH + b"content-length: 5\r\n"), {400}),
    *each("both framings", lambda fields: put(fields, b"0\r\n\r\n"), (
        LENGTH + CHUNKED, CHUNKED + LENGTH, CHUNKED + b"Content-Length: 0\r\n",
        CHUNKED + b"Content-Length: 5\r\n", b"Content-Length: 5\r\n" + CHUNKED), {400}),
    *each("an encoding", chunked_as, (
        b"gzip", b"identity", b"chunked, gzip", b"gzip, chunked", b"chunked, chunked", b"xchunked",
        b"chunkedx", b"chunked;q=1", b"\"chunked\"", b"cow", b"", b"chunked\x0b", b"\x0bchunked",
        b"chun ked", b"ch\xc3\xbcnked"), {400}),
    Case("two encodings", put(CHUNKED + CHUNKED, b"0\r\n\r\n"), {400}),
    Case("two encodings that differ", put(CHUNKED + b"Transfer-Encoding: identity\r\n",
                                          b"0\r\n\r\n"), {400}),
    Case("chunks on HTTP/1.0", b"PUT " + HOME + b" HTTP/1.0\r\n" + CHUNKED + b"\r\n0\r\n\r\n",
         {400}),
    Case("a request hidden by a space", put(LENGTH + b"Transfer-Encoding : chunked\r\n",
                                            b"0\r\n\r\n" + get(b"/livez")), {400}),
    Case("a request hidden in a fold", put(LENGTH + b"X: y\r\n Transfer-Encoding: chunked\r\n",
                                           b"0\r\n\r\n" + get(b"/livez")), {400}),
    *each("a chunk", chunks, (
        b"g\r\n", b"-1\r\n{}\r\n", b"+2\r\n{}\r\n0\r\n\r\n", b"0x2\r\n{}\r\n0\r\n\r\n",
        b" 2\r\n{}\r\n0\r\n\r\n", b"\r\n\r\n", b"2\n{}\n0\n\n", b"2;{}\r\n", b";\r\n",
        b"2\r\n{}0\r\n\r\n", b"2\r\n{}xx0\r\n\r\n", b"1\r\n{}\r\n0\r\n\r\n",
        b"3\r\n{}\r\n0\r\n\r\n",
        b"2,2\r\n{}\r\n", b"\x00\r\n", b"2\x00\r\n{}\r\n"), {400}),
    *each("a huge chunk", chunks, (
        b"FFFFFFFFFFFFFFFFF\r\n{}", b"FFFFFFFFFFFFFFFF\r\n{}", b"8000000000000000\r\n{}",
        b"7FFFFFFFFFFFFFFF\r\n{}", b"100000000\r\n{}", b"0" * 70 + b"2\r\n{}"),
        {400, 413}, ends=True),
    Case("chunks beyond the limit", chunks(b"10000\r\n" + b" " * 0x10000 + b"\r\n") +
         (b"10000\r\n" + b" " * 0x10000 + b"\r\n") * 20, {413}),
]


BODIES = [
    Case("a body that ends early", put(b"Content-Length: 100\r\n"), {400}, ends=True),
    Case("no body at all", put(LENGTH, b""), {400}, ends=True),
    Case("a chunk that ends early", chunks(b"20\r\n{"), {400}, ends=True),
    Case("chunks without an end", chunks(b"2\r\n{}\r\n"), {400}, ends=True),
    Case("a body that waits for ever", put(b"Content-Length: 100\r\n"), {408}),
    Case("chunks that wait for ever", chunks(b"2\r\n{}\r\n"), {408}),
    Case("half a chunk's length", chunks(b"2"), {400, 408}),
    Case("an expectation that is never met",
         put(b"Expect: 100-continue\r\nContent-Length: 100\r\n", b""), {100, 408}),
    *each("a coding", lambda value: put(b"Content-Encoding: " + value + b"\r\n" + LENGTH), (
        b"compress", b"bogus", b"gzip, gzip, gzip"), {400, 415}),
    *each("a type", lambda value: b"PUT " + HOME + b" HTTP/1.1\r\n" + HOST + LENGTH +
          b"Content-Type: " + value + b"\r\n\r\n" + BODY, (
        b"text/plain", b"application/x-www-form-urlencoded", b"multipart/form-data; boundary=x",
        b"multipart/form-data", b"application/xml", b"application/jsonp", b"*/*", b"x",
        b"application/json\x00"), {400, 415}, closes=False),
    *each("no JSON", lambda body: put(b"Content-Length: %d\r\n" % len(body), body), (
        b"a=b", b"\x00" * 31, b"\xff" * 31, b"[" * 5000, b"{" * 5000, b"GET / HTTP/1.1\r\n\r\n"),
        {400}, closes=False),
    Case("nothing", b"", {CUT}, ends=True),
    Case("nothing, for ever", b"", {CUT}),
    Case("half a header, for ever", b"GET /livez HTTP/1.1\r\nHost: ", {408}),
    Case("empty lines, for ever", b"\r\n", {400, 408, CUT}),
    Case("one byte", b"G", {400}, ends=True),
    Case("one byte, for ever", b"G", {408}),
]

PROTOCOLS = [
    *each("another protocol", bytes, (
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(range(64)),
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + bytes(9), b"SSH-2.0-OpenSSH_9.2\r\n",
        b"PROXY TCP4 1.2.3.4 1.2.3.4 5 80\r\nGET /livez HTTP/1.1\r\n" + HOST + b"\r\n",
        b"\x0d\x0a\x0d\x0a\x00\x0d\x0a\x51\x55\x49\x54\x0a", b"EHLO localhost\r\n",
        b"*1\r\n$4\r\nPING\r\n",
        b"\xff\x00\x00\x00\x00\x00\x00\x00\x01\x7f", b"\x05\x01\x00", b"stats\r\n",
        b"{\"scenes\":[]}\n", b"<?xml version=\"1.0\"?>\r\n", bytes(4000), b"\r\n" * 2000,
        b" " * 4000,
        b"\n\n\n\n"), {400, 405, 408, 505, CUT}, ends=True),
    Case("an upgrade to HTTP/2", get(fields=HOST + b"Connection: Upgrade, HTTP2-Settings\r\n"
                                     b"Upgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n"),
         {200, 400}, closes=False),
    Case("an upgrade to WebSocket", get(fields=HOST + b"Connection: Upgrade\r\n"
                                        b"Upgrade: websocket\r\n"
                                        b"Sec-WebSocket-Key: x\r\nSec-WebSocket-Version: 13\r\n"),
         {200, 400, 404, 426}, closes=False),
]

FOREIGN = {
    b"a foreign page": b"Origin: http://evil.example\r\n",
    b"a page of nobody": b"Origin: null\r\n",
    b"a page of another port": b"Origin: http://localhost:1\r\n",
    b"a page whose host begins like ours": b"Origin: http://localhost.evil.example\r\n",
    b"an origin that is none": b"Origin: localhost\r\n",
    b"another site": b"Sec-Fetch-Site: cross-site\r\n",
    b"another site in capitals": b"sec-fetch-site: CROSS-SITE\r\n",
}
WRITES = (b"PUT /v1/scene/home", b"POST /v1/scene/", b"POST /v1/scene/home/object",
          b"DELETE /v1/scene/home", b"POST /v1/scene/home/register",
          b"GET /v1/scene/home/object/0005555555555555555555ab/lock?device=d")
BROWSERS = [
    Case(f"{write.decode()} from {who.decode()}",
         write + b" HTTP/1.1\r\n" + HOST + JSON + field + LENGTH + b"\r\n" + BODY, {403})
    for who, field in FOREIGN.items() for write in WRITES
]

TABLES = {"request lines": REQUEST_LINES, "targets": TARGETS, "headers": HEADERS,
          "framing": FRAMING, "bodies": BODIES, "protocols": PROTOCOLS, "browsers": BROWSERS}


class Outcome(namedtuple("Outcome", "content closed seconds")):
    @property
    def statuses(self):
        """Of every answer on the connection; [CUT] where there is none."""
        return [int(status) for status in
                re.findall(rb"(?:^|\r\n\r\n|[^\r\n])HTTP/1\.1 (\d{3}) ", self.content)] or [CUT]

    @property
    def is_complete(self):
        """Whether the last answer has all of its body."""
        head, end, body = self.content.rpartition(b"HTTP/1.1 ")[2].partition(b"\r\n\r\n")
        length = re.search(rb"Content-Length: (\d+)", head)
        return bool(end) and (not length or len(body) >= int(length.group(1))) and \
            not head.startswith(b"100")


class HostileHttp(ServerCase, unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        with Client(cls.server) as client:
            client.put_scene("home", name="home")
            cls.state = dump(client)

    def run_case(self, case):
        began, content, closed = time.monotonic(), b"", False
        with socket.create_connection(("127.0.0.1", self.server.http_port), WITHIN + 2) as raw:
            try:
                raw.sendall(case.content)
                if case.ends:
                    raw.shutdown(socket.SHUT_WR)
            except OSError:
                pass  # refused before all was sent: the answer is there all the same
            try:
                while not (Outcome(content, False, 0).is_complete and not case.closes):
                    part = raw.recv(65536)
                    if not part:
                        closed = True
                        break
                    content += part
            except TimeoutError:
                pass
            except OSError:
                closed = True
        return Outcome(content, closed, time.monotonic() - began)

    def run_table(self, name):
        cases, slowest = TABLES[name], 0.0
        with ThreadPoolExecutor(BATCH) as pool:
            for case, outcome in zip(cases, pool.map(self.run_case, cases)):
                slowest = max(slowest, outcome.seconds)
                with self.subTest(case.what):
                    self.assertLessEqual(set(outcome.statuses), set(case.statuses),
                                         outcome.content[:400])
                    self.assertLess(outcome.seconds, WITHIN)
                    if case.closes:
                        self.assertTrue(outcome.closed, "the connection was kept")
        with Client(self.server) as client:
            self.assertEqual(client.get("/livez").status, 200)
            self.assertEqual(dump(client), self.state)
        print(f"\n{name}: {len(cases)} requests, the slowest took {slowest:.1f} s")

    def test_request_lines(self):
        self.run_table("request lines")

    def test_targets(self):
        self.run_table("targets")

    def test_headers(self):
        self.run_table("headers")

    def test_framing(self):
        self.run_table("framing")

    def test_bodies(self):
        self.run_table("bodies")

    def test_other_protocols(self):
        self.run_table("protocols")

    def test_pages_of_other_sites(self):
        self.run_table("browsers")

    def test_there_are_enough_and_each_is_another(self):
        contents = [(case.content, case.ends) for table in TABLES.values() for case in table]
        self.assertGreaterEqual(len(set(contents)), 200)
        self.assertEqual(len(set(contents)), len(contents))

    def test_no_descriptor_is_left_behind(self):
        count = self.server.descriptors
        cases = [case for case in FRAMING + HEADERS if not case.ends]
        for _ in range(2):  # the first round makes what workers keep
            with ThreadPoolExecutor(BATCH) as pool:
                list(pool.map(self.run_case, cases))
        before = count()
        with ThreadPoolExecutor(BATCH) as pool:
            list(pool.map(self.run_case, cases))
        self.assertLessEqual(count(), before + BATCH)


if __name__ == "__main__":
    unittest.main()
