"""What must be refused, and how.

One table of requests and one of raw bytes. After each case the server still answers and nothing
of what it stores has changed.
"""

import json
import socket
import unittest
from collections import namedtuple

from support import IDENTITY, SHARD_COUNTS, Client, ServerCase, dump, objects, scenes, with_shards

Case = namedtuple("Case", "what method path body status code pointer headers",
                  defaults=(None, None))
SCENE, OBJECT = "/v1/scene/home", "/v1/scene/home/object/{key}"
CREATE, QUERY = "/v1/scene/home/object/", "/v1/scene/home/object/query"
REGISTER, FIND = SCENE + "/register", "/v1/scene/query"


def scene(what, pointer, status, code, **members):
    return Case(what, "PUT", SCENE, scenes(members), status, code, "/scenes/0" + pointer)


def thing(what, pointer, status, code, **members):
    return Case(what, "POST", CREATE, objects(members), status, code, "/objects/0" + pointer)


def device(what, pointer, status, code, **members):
    return Case(what, "POST", REGISTER, scenes({"devices": [members]}), status, code,
                "/scenes/0/devices/0" + pointer)


def text(what, content, status, code, pointer=None, method="PUT", path=SCENE, **headers):
    content = content.encode() if isinstance(content, str) else content
    return Case(what, method, path, content, status, code, pointer,
                {name.replace("_", "-"): value for name, value in headers.items()})


def nested(depth):
    """A scene whose JSON is `depth` deep; the outer three are body, list and record."""
    inner = "[" * (depth - 3) + "]" * (depth - 3)
    return '{"scenes":[{"name":"x","deep":%s}]}' % inner


HANDLE = {"left_type": "a"}
WRONG_TYPES = (
    scene("a latitude of text", "/latitude", 400, 110, latitude="x"),
    scene("a name of a number", "/name", 400, 110, name=5),
    scene("tags of text", "/tags", 400, 110, tags="a"),
    scene("a tag of a number", "/tags/1", 400, 110, tags=["a", 1]),
    scene("a flag of text", "/public", 400, 110, public="yes"),
    scene("a flag of a number", "/active", 400, 110, active=1),
    Case("the second record", "POST", CREATE, objects({}, {"name": {"a": 1}}), 400, 110,
         "/objects/1/name"),
    Case("an object in place of the list", "PUT", SCENE, {"scenes": {}}, 400, 110, "/scenes"),
    Case("a number in place of a record", "PUT", SCENE, {"scenes": [5]}, 400, 110, "/scenes/0"),
    Case("a list in place of the body", "PUT", SCENE, [], 400, 110),
    text("text in place of the body", '"scenes"', 400, 110),
    text("null in place of the body", "null", 400, 110),
    thing("a matrix with text", "/transform/3", 400, 110, transform=[1.0] * 3 + ["x"] + [1.0] * 12),
    thing("a frame with decimals", "/frame", 400, 110, frame=1.5),
    thing("a frame of text", "/frame", 400, 110, frame="1"),
    thing("a timestamp of a flag", "/timestamp", 400, 110, timestamp=True),
    thing("a handle of text", "/scale_handle/0", 400, 110, scale_handle=["x"]),
    thing("a handle's number of text", "/translation_handle/1/left_x", 400, 110,
          translation_handle=[HANDLE, {"left_x": "a"}]),
    Case("a bare update", "POST", OBJECT, {"name": 5}, 400, 110, "/name"),
    Case("a wrapped update", "POST", OBJECT, objects({"name": 5}), 400, 110, "/objects/0/name"),
    Case("a bare filter", "POST", QUERY, {"type": 5}, 400, 110, "/type"),
    Case("a page of text", "POST", QUERY, {"num_records": "x"}, 400, 110, "/num_records"),
    Case("an operation of text", "POST", SCENE, scenes({}, operation="x"), 400, 110, "/operation"),
    device("a port of text", "/port", 400, 110, key="d", hostname="127.0.0.1", port="x"),
    device("a transform of text", "/transform", 400, 110, key="d", transform="x"),
    device("a translation of text", "/transform/translation/0", 400, 110, key="d",
           transform={"translation": ["a", 0, 0]}),
    Case("a device of text", "POST", REGISTER, scenes({"devices": ["d"]}), 400, 110,
         "/scenes/0/devices/0"),
)
MISSING = (
    Case("a latitude alone", "POST", FIND, scenes({"latitude": 1.0}), 400, 122),
    Case("no device on lock", "GET", OBJECT + "/lock", None, 400, 122),
    Case("no device on unlock", "DELETE", OBJECT + "/lock", None, 400, 122),
    Case("no device on register", "POST", REGISTER, scenes({}), 400, 122),
    Case("no scene on register", "POST", REGISTER, {}, 400, 122),
)
NOT_ALLOWED = (
    thing("15 numbers", "/transform", 422, 111, transform=[1.0] * 15),
    thing("17 numbers", "/transform", 422, 111, transform=[1.0] * 17),
    thing("2 angles", "/euler_rotation", 422, 111, euler_rotation=[0.0, 0.0]),
    thing("4 of translation", "/translation", 422, 111, translation=[0.0] * 4),
    thing("a quaternion of zero", "/quaternion_rotation", 422, 111, quaternion_rotation=[0.0] * 4),
    thing("a quaternion too long", "/quaternion_rotation", 422, 111,
          quaternion_rotation=[2.1, 0, 0, 0]),
    thing("a quaternion too short", "/quaternion_rotation", 422, 111,
          quaternion_rotation=[0, 0.4, 0, 0]),
    thing("5 handles of rotation", "/rotation_handle", 422, 111, rotation_handle=[HANDLE] * 5),
    thing("4 handles of translation", "/translation_handle", 422, 111,
          translation_handle=[HANDLE] * 4),
    thing("4 handles of scale", "/scale_handle", 422, 111, scale_handle=[HANDLE] * 4),
    thing("a name of 4,097 bytes", "/name", 422, 111, name="x" * 4097),
    thing("257 assets", "/assets", 422, 111, assets=[f"a{n}" for n in range(257)]),
    scene("65 tags", "/tags", 422, 111, tags=[f"t{n}" for n in range(65)]),
    scene("a tag of 4,097 bytes", "/tags/0", 422, 111, tags=["x" * 4097]),
    Case("10,001 objects", "POST", CREATE, objects(*[{}] * 10001), 422, 111, "/objects"),
    Case("an unknown operation", "POST", SCENE, scenes({"tags": ["a"]}, operation=12), 422, 111,
         "/operation"),
    Case("a negative page", "POST", QUERY, {"start_record": -1}, 422, 111, "/start_record"),
    device("a key of 129 bytes", "/key", 422, 111, key="k" * 129),
    device("a key with a slash", "/key", 422, 111, key="a/b"),
    device("a reserved key", "/key", 422, 111, key="query"),
    device("2 of translation", "/transform/translation", 422, 111, key="d",
           transform={"translation": [0.0, 0.0]}),
    device("a hostname that is none", "/hostname", 422, 111, key="d", hostname="a b", port=9000),
)
NUMBERS = tuple(
    text(f"a latitude of {word}", '{"scenes":[{"latitude":%s}]}' % word, status, code, pointer)
    for word, status, code, pointer in (
        ("NaN", 400, 110, None), ("Infinity", 400, 110, None), ("-Infinity", 400, 110, None),
        ("+1", 400, 110, None), ("01", 400, 110, None), ("1.", 400, 110, None),
        (".5", 400, 110, None), ("0x10", 400, 110, None), ("1e999", 400, 110, None),
        ("-1e999", 400, 110, None), ("1" + "0" * 400, 400, 110, None))
) + (
    text("a frame beyond 64 bits", '{"objects":[{"frame":9223372036854775808}]}', 422, 111,
         method="POST", path=CREATE),
    text("a matrix with 1e999", '{"objects":[{"transform":[%s]}]}' % ",".join(["1e999"] * 16),
         400, 110, method="POST", path=CREATE),
)
TEXTS = (
    text("half a body", '{"scenes":[{"name":"x"', 400, 110),
    text("more than a body", '{"scenes":[{"name":"x"}]} x', 400, 110),
    text("a comma at the end", '{"scenes":[{"name":"x",}]}', 400, 110),
    text("a comment", '{"scenes":[]/**/}', 400, 110),
    text("single quotes", "{'scenes':[]}", 400, 110),
    text("bytes that are not UTF-8", b'{"scenes":[{"name":"\xc3\x28"}]}', 400, 110),
    text("an overlong form", b'{"scenes":[{"name":"\xc0\xaf"}]}', 400, 110),
    text("half a surrogate pair", '{"scenes":[{"name":"\\ud800"}]}', 400, 110),
    text("a raw control character", '{"scenes":[{"name":"a\nb"}]}', 400, 110),
    text("a member twice", '{"scenes":[{"name":"a","name":"b"}]}', 400, 110),
    text("the list twice", '{"scenes":[],"scenes":[{}]}', 400, 110),
    text("a member twice where it is ignored", '{"scenes":[{"x":{"a":1,"a":2}}]}', 400, 110),
    text("33 levels", nested(33), 400, 110),
    text("100,000 levels", nested(100000), 400, 110),
    text("UTF-16", '{"scenes":[]}'.encode("utf-16"), 400, 110),
    text("more than 1 MiB", json.dumps(scenes({"x": "y" * (1 << 20)})), 413, 140),
    text("more than 1 MiB to an object", json.dumps({"x": "y" * (1 << 20)}), 413, 140,
         method="POST", path=OBJECT),
    text("more than 8 MiB of objects", json.dumps(objects({"x": "y" * (8 << 20)})), 413, 140,
         method="POST", path=CREATE),
)
ROUTES = tuple(Case(f"no such route {path}", "GET", path, None, 404, 102) for path in (
    "/", "/v1", "/nonsense", "/v2/scene/home", "/v1/scene/home/objekt/x",
    "/v1/scene/home/object/x/y", "/v1/scene/home/object/{key}/lock/x",
    "/v1/scene/home/register/x", "/v1/scene/nowhere",
)) + tuple(Case(f"{method} {path}", method, path, None, 405, 141) for method, path in (
    ("PATCH", SCENE), ("DELETE", "/livez"), ("PUT", OBJECT), ("POST", OBJECT + "/lock"),
    ("GET", REGISTER), ("PUT", FIND),
)) + (
    text("text", "a=b", 415, 141, Content_Type="text/plain"),
    text("a form", "a=b", 415, 141, Content_Type="application/x-www-form-urlencoded"),
    text("XML", "<a/>", 415, 141, Content_Type="application/xml"),
    text("almost JSON", "{}", 415, 141,
         Content_Type="application/jsonx"),
    Case("a long URI", "GET", "/v1/scene/" + "x" * 9000, None, 414, 140),
    Case("64 headers", "GET", SCENE, None, 431, 140, None, {f"X-{n}": "x" for n in range(70)}),
    text("a write from a foreign page", '{"scenes":[]}', 403, 131, Origin="http://evil.example"),
    text("a write from across sites", '{"scenes":[]}', 403, 131, Sec_Fetch_Site="cross-site"),
    Case("a lock from a foreign page", "GET", OBJECT + "/lock?device=d", None, 403, 131, None,
         {"Origin": "http://evil.example"}),
    Case("another host on loopback", "GET", SCENE, None, 403, 131, None, {"Host": "evil.example"}),
)

HEAD = b"PUT /v1/scene/home HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
RAW = (
    ("two lengths", HEAD + b"Content-Length: 2\r\nContent-Length: 2\r\n\r\n{}"),
    ("two lengths that differ", HEAD + b"Content-Length: 2\r\nContent-Length: 13\r\n\r\n{}"),
    ("both framings", HEAD + b"Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
    ("a negative length", HEAD + b"Content-Length: -1\r\n\r\n"),
    ("a length of text", HEAD + b"Content-Length: abc\r\n\r\n"),
    ("a length with a sign", HEAD + b"Content-Length: +2\r\n\r\n{}"),
    ("a length beyond 64 bits", HEAD + b"Content-Length: 99999999999999999999999\r\n\r\n"),
    ("an unknown framing", HEAD + b"Transfer-Encoding: gzip\r\n\r\n{}"),
    ("no host", b"GET /v1/scene/home HTTP/1.1\r\n\r\n"),
    ("an encoded NUL", b"GET /v1/scene/ho%00me HTTP/1.1\r\nHost: localhost\r\n\r\n"),
    ("half an escape", b"GET /v1/scene/ho%4 HTTP/1.1\r\nHost: localhost\r\n\r\n"),
    ("an escape that is none", b"GET /v1/scene/ho%zz HTTP/1.1\r\nHost: localhost\r\n\r\n"),
    ("a key that is not UTF-8", b"GET /v1/scene/%ff%fe HTTP/1.1\r\nHost: localhost\r\n\r\n"),
    ("no request line", b"\x00\x01\x02\x03\r\n\r\n"),
    ("half a request line", b"GET\r\n\r\n"),
    ("an unknown method", b"BREW /v1/scene/home HTTP/1.1\r\nHost: localhost\r\n\r\n"),
    ("a trace", b"TRACE /v1/scene/home HTTP/1.1\r\nHost: localhost\r\n\r\n"),
    ("a long header", HEAD + b"X: " + b"x" * 20000 + b"\r\n\r\n"),
    ("a huge header", HEAD + b"X: " + b"x" * 60000 + b"\r\n\r\n"),
)


@with_shards(*SHARD_COUNTS)
class BadInput(ServerCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        with Client(cls.server) as client:
            client.put_scene("home", name="home", tags=["a"], latitude=1.0, longitude=2.0)
            cls.key = client.create("home", {"name": "o", "transform": IDENTITY})[0]
            client.register("home", {"key": "d0"})
            cls.state = dump(client)

    def check_unchanged(self):
        with Client(self.server) as fresh:
            self.assertEqual(fresh.get("/livez").status, 200)
            self.assertEqual(dump(fresh), self.state)

    def check_problem(self, case, answer):
        """The body of an error, readable by clients of either school."""
        self.assertEqual(answer.status, case.status, answer)
        self.assertEqual(answer.headers["Content-Type"].split(";")[0], "application/problem+json")
        if case.method == "HEAD":
            return
        body = answer.body
        self.assertEqual((body["err_code"], body["status"]), (case.code, case.status), answer)
        self.assertTrue(body["type"].startswith("/problems/"), body)
        for member in ("title", "detail", "err_msg", "request_id"):
            self.assertTrue(body[member] and isinstance(body[member], str), (member, body))
        self.assertEqual((type(body["msg_type"]), body["num_records"]), (int, 0))
        if case.pointer is not None:
            self.assertEqual([error["pointer"] for error in body["errors"]], [case.pointer], body)
        if case.status == 405:
            self.assertTrue(answer.headers["Allow"], answer.headers)

    def run_table(self, table):
        for case in table:
            self.assertTrue(self.server.is_running(), "dead")
            with self.subTest(case.what):
                path = case.path.replace("{key}", self.key)
                with Client(self.server) as client:
                    self.check_problem(case, client.request(case.method, path, case.body,
                                                            case.headers))
                self.check_unchanged()

    def test_wrong_types_are_400_and_name_the_member(self):
        self.run_table(WRONG_TYPES)

    def test_missing_data_is_400(self):
        self.run_table(MISSING)

    def test_what_is_well_formed_but_not_allowed_is_422_and_names_the_member(self):
        self.run_table(NOT_ALLOWED)

    def test_numbers_that_are_none_or_not_finite_are_refused(self):
        self.run_table(NUMBERS)

    def test_texts_that_are_no_json_or_too_large_are_refused(self):
        self.run_table(TEXTS)

    def test_unknown_routes_wrong_methods_and_foreign_callers_are_refused(self):
        self.run_table(ROUTES)

    def test_errors_of_objects_and_scenes_have_their_empty_list(self):
        for path, array in ((SCENE + "x", "scenes"), (SCENE + "/object/nobody", "objects")):
            self.assertEqual(self.client.refused(404, 102, "GET", path)[array], [])

    def test_bytes_that_are_no_http_are_answered_400_or_cut(self):
        for what, content in RAW:
            self.assertTrue(self.server.is_running(), "dead")
            with self.subTest(what):
                answer = b""
                with socket.create_connection(("127.0.0.1", self.server.http_port), 20) as raw:
                    try:
                        raw.sendall(content)
                        raw.shutdown(socket.SHUT_WR)
                        while more := raw.recv(65536):
                            answer += more
                    except OSError as failure:
                        self.assertNotIsInstance(failure, TimeoutError, "no answer and no end")
                self.assertTrue(not answer or answer.startswith(b"HTTP/1.1 4"), answer[:300])
                self.check_unchanged()

    def test_what_is_just_allowed_is_accepted(self):
        """The other side of each limit, so that the tables above cannot pass by refusing all."""
        client = self.client
        client.ok("PUT", "/v1/scene/limits", scenes(
            {"tags": [f"t{n}" for n in range(64)], "assets": [f"a{n}" for n in range(256)],
             "name": "x" * 4096}))
        client.ok("PUT", "/v1/scene/limits", nested(32).encode())
        client.ok("POST", "/v1/scene/limits/object/", objects(*[{}] * 10000))
        client.ok("POST", "/v1/scene/limits/object/", objects(
            {"rotation_handle": [HANDLE] * 4, "frame": -(1 << 63), "timestamp": (1 << 63) - 1,
             "quaternion_rotation": [0.6, 0, 0, 0]}))
        padded = json.dumps(scenes({"name": "p"})).encode()
        client.ok("PUT", "/v1/scene/limits", padded + b" " * ((1 << 20) - len(padded)))
        for kind in ("application/json; charset=utf-8", "APPLICATION/JSON"):
            answer = client.request("PUT", "/v1/scene/limits", padded, {"Content-Type": kind})
            self.assertEqual(answer.status, 200, kind)
        own = {"Origin": f"http://127.0.0.1:{self.server.http_port}",
               "Sec-Fetch-Site": "same-origin"}
        self.assertEqual(client.request("PUT", "/v1/scene/limits", padded, own).status, 200)
        client.ok("DELETE", "/v1/scene/limits")

    def test_options_and_head_are_answered(self):
        allowed = self.client.request("OPTIONS", SCENE).headers["Allow"]
        self.assertEqual({word.strip() for word in allowed.split(",")},
                         {"GET", "HEAD", "PUT", "POST", "DELETE", "OPTIONS"})
        head, get = self.client.request("HEAD", SCENE), self.client.get(SCENE)
        self.assertEqual((head.status, head.content), (200, b""))
        self.assertEqual(head.headers["Content-Length"], get.headers["Content-Length"])


if __name__ == "__main__":
    unittest.main()
