"""The listener of foxglove.port against what breaks rules: frames, heads, origins, tokens, numbers of
connections, clients that read nothing. It needs no package: the WebSocket is made by hand."""

import json
import socket
import time
import unittest

from foxglove_viewers import BINARY, CLOSE, PING, PONG, PROTOCOL, RawViewer, SDK, TEXT
from people import FLAGS, PeopleCase, Person, log_in, token_of
from support import ServerCase, free_port, is_sanitized, scene_path, wait_until

ORIGIN = "https://viewer.example"
MOST = 64
NORMAL, PROTOCOL_ERROR, NOT_UTF8, TOO_LARGE = 1000, 1002, 1007, 1009


class HostileCase(ServerCase):
    flags = None
    settings = {}

    def setUp(self):
        super().setUp()
        self.port = free_port()
        self.start_server(foxglove_port=self.port, http_cors_origins=ORIGIN, **self.settings)

    def raw(self, path="/hall", **options):
        viewer = RawViewer(self.port, path, **options)
        self.addCleanup(viewer.close)
        return viewer

    def gauge(self, name="diorama_foxglove_viewers"):
        return next(float(line.split(" ")[1]) for line in self.client.get("/metrics").text.splitlines()
                    if line.startswith(name + " "))

    def await_viewers(self, count):
        wait_until(lambda: self.gauge() == count, 20, f"{count} viewers")


class Frames(HostileCase, unittest.TestCase):
    def setUp(self):
        super().setUp()
        self.client.put_scene("hall")
        self.cube = self.client.create("hall", {"name": "cube"})[0].encode()

    def open(self):
        viewer = self.raw()
        self.assertEqual(viewer.status, 101)
        viewer.until_op("advertise")
        return viewer

    def assert_closed(self, status, viewer):
        self.assertEqual(viewer.closed(), status)
        self.assertIsNone(viewer.frame())

    def test_the_answer_proves_that_the_key_was_read(self):
        for protocol, chosen in ((PROTOCOL, PROTOCOL), (SDK, SDK), (f"other, {PROTOCOL}", PROTOCOL)):
            viewer = self.raw(protocol=protocol)
            self.assertEqual(viewer.status, 101)
            self.assertEqual(viewer.headers["Sec-WebSocket-Accept"], viewer.accept())
            self.assertEqual(viewer.headers["Sec-WebSocket-Protocol"], chosen)

    def test_who_breaks_a_rule_of_frames_is_told_which(self):
        for status, sent in ((PROTOCOL_ERROR, {"opcode": TEXT, "payload": b"{}", "masked": False}),
                             (PROTOCOL_ERROR, {"opcode": TEXT, "payload": b"{}", "reserved": 4}),
                             (PROTOCOL_ERROR, {"opcode": 3, "payload": b"{}"}),
                             (PROTOCOL_ERROR, {"opcode": 0, "payload": b"{}"}),
                             (PROTOCOL_ERROR, {"opcode": PING, "payload": b"x" * 126}),
                             (PROTOCOL_ERROR, {"opcode": PING, "final": False}),
                             (NOT_UTF8, {"opcode": TEXT, "payload": b"\xff\xfe"}),
                             (TOO_LARGE, {"opcode": BINARY, "length": 2 << 30}),
                             (TOO_LARGE, {"opcode": TEXT, "length": 1 << 63}),
                             (TOO_LARGE, {"opcode": TEXT, "length": 65537}),
                             (NORMAL, {"opcode": CLOSE, "payload": b"\x03\xe8"})):
            with self.subTest(**sent):
                viewer = self.open()
                viewer.send(**sent)
                self.assert_closed(status, viewer)

    def test_a_message_may_come_in_four_frames_with_a_ping_between_them(self):
        viewer = self.open()
        text = json.dumps({"op": "subscribe", "subscriptions": [{"id": 7, "channelId": 1}]}).encode()
        viewer.send(TEXT, text[:10], final=False)
        viewer.send(PING, b"are you there")
        viewer.send(0, text[10:20], final=False)
        viewer.send(0, b"", final=False)
        viewer.send(0, text[20:])
        self.assertEqual(viewer.until(PONG), b"are you there")
        self.assertEqual(viewer.until(BINARY)[:5], b"\x01\x07\0\0\0")
        for _ in range(4):
            viewer.send(TEXT if _ == 0 else 0, b" ", final=False)
        viewer.send(0, b" ")
        self.assert_closed(TOO_LARGE, viewer)

    def test_many_small_frames_are_no_large_message(self):
        viewer = self.open()
        viewer.send(TEXT, b"x" * 60000, final=False)
        viewer.send(0, b"x" * 6000)
        self.assert_closed(TOO_LARGE, viewer)

    def test_bytes_may_come_one_by_one_also_behind_the_head(self):
        viewer = self.raw(opens=False)
        text = json.dumps({"op": "subscribe", "subscriptions": [{"id": 1, "channelId": 1}]}).encode()
        frame = bytes([0x81, 0x80 | len(text), 0, 0, 0, 0]) + text
        for at in range(0, len(viewer.head), 50):
            viewer.socket.sendall(viewer.head[at:at + 50] + (frame if at + 50 >= len(viewer.head) else b""))
            time.sleep(0.005)
        self.assertEqual(viewer.read_answer().status, 101)
        self.assertIn(b'"hall/' + self.cube + b'"', viewer.until(BINARY))
        for byte in bytes([0x89, 0x82, 1, 2, 3, 4, ord("h") ^ 1, ord("i") ^ 2]):
            viewer.socket.sendall(bytes([byte]))
        self.assertEqual(viewer.until(PONG), b"hi")

    def test_nonsense_in_good_frames_gets_a_status_and_harms_nothing(self):
        viewer = self.open()
        for text in (b"", b"{", b"[]", b"1", b'"x"', b"{}", b'{"op":1}', b'{"op":"subscribe"}',
                     b'{"op":"subscribe","subscriptions":7}', b'{"op":"subscribe","subscriptions":[1,{},null]}',
                     b'{"op":"subscribe","subscriptions":[{"id":-1,"channelId":1}]}',
                     b'{"op":"subscribe","subscriptions":[{"id":4294967296,"channelId":1}]}',
                     b'{"op":"subscribe","subscriptions":[{"id":1.5,"channelId":1}]}',
                     b'{"op":"subscribe","subscriptions":[{"id":1,"channelId":99}]}',
                     b'{"op":"unsubscribe","subscriptionIds":[1,"x",{}]}', b'{"op":"advertise","channels":[]}',
                     b'{"op":"setParameters"}', b"[" * 30000):
            viewer.send(TEXT, text)
            message = viewer.until_op("status")
            self.assertIn(message["level"], (1, 2), text)
        viewer.send(BINARY, b"\x01\0\0\0\0")
        self.assertEqual(viewer.until_op("status")["level"], 1)
        viewer.say(op="subscribe", subscriptions=[{"id": 5, "channelId": 1}, {"id": 5, "channelId": 2}])
        self.assertIn(b'"hall/' + self.cube + b'"', viewer.until(BINARY))

    def test_complaints_are_bounded(self):
        viewer = self.open()
        before = self.server.resident_bytes()
        for _ in range(30):
            viewer.say(op="subscribe", subscriptions=[0] * 20000)
        viewer.send(PING, b"end")
        self.assertEqual(viewer.until(PONG), b"end")
        if not is_sanitized():
            self.assertLess(self.server.resident_bytes() - before, 16 << 20)


class Heads(HostileCase, unittest.TestCase):
    def setUp(self):
        super().setUp()
        self.client.put_scene("hall")

    def assert_refused(self, status, **options):
        viewer = self.raw(**options)
        self.assertEqual(viewer.status, status, options)

    def test_requests_that_open_nothing_are_told_why(self):
        self.assert_refused(404, path="/nowhere")
        self.assert_refused(404, path="/hall/more")
        self.assert_refused(400, headers={"Sec-WebSocket-Key": "short"})
        self.assert_refused(400, headers={"Sec-WebSocket-Version": "8"})
        self.assert_refused(400, headers={"Upgrade": None})
        self.assert_refused(400, headers={"Connection": "close"})
        self.assert_refused(422, protocol="chat")
        self.assert_refused(400, headers={"Content-Length": "5"})
        self.assert_refused(400, headers={"Bad Name": "x"})
        self.assert_refused(400, path="/%zz")
        self.assert_refused(400, path="/a%00b")
        self.assert_refused(431, headers={f"X-{n}": "x" for n in range(80)})
        self.assertEqual(self.gauge(), 0)

    def test_pages_of_other_origins_and_other_hosts_see_nothing(self):
        self.assert_refused(403, headers={"Origin": "https://elsewhere.example"})
        self.assert_refused(403, headers={"Origin": "null"})
        self.assert_refused(403, headers={"Origin": f"http://127.0.0.1:{self.port}"})
        self.assert_refused(403, headers={"Host": "elsewhere.example"})
        self.assert_refused(101, headers={"Origin": ORIGIN})

    def send_bytes(self, data):
        with socket.create_connection(("127.0.0.1", self.port), 10) as raw:
            raw.sendall(data)
            answer = b""
            while more := raw.recv(65536):
                answer += more
        return answer.split(b"\r\n")[0]

    def test_other_methods_and_garbage_are_refused(self):
        self.assertIn(b"405", self.send_bytes(b"POST / HTTP/1.1\r\nHost: localhost\r\n\r\n"))
        self.assertIn(b"400", self.send_bytes(b"GET / HTTP/1.0\r\n\r\n"))
        self.assertIn(b"400", self.send_bytes(b"\r\n\r\n"))
        self.assertIn(b"400", self.send_bytes(b"\x16\x03\x01\x02\0\x01\0\r\n\r\n"))
        self.assertIn(b"400", self.send_bytes(b"GET / HTTP/1.1\r\nA: \0b\r\n\r\n"))
        self.assertIn(b"400", self.send_bytes(b"GET / HTTP/1.1\nHost: x\r\n\r\n"))

    def test_a_head_without_an_end_ends(self):
        try:
            answer = self.send_bytes(b"GET / HTTP/1.1\r\n" + b"X-A: b\r\n" * 5000)
            self.assertIn(b"431", answer)
        except ConnectionResetError:
            pass

    def test_slow_heads_take_no_place_from_others(self):
        slow = [socket.create_connection(("127.0.0.1", self.port), 10) for _ in range(200)]
        for one in slow:
            self.addCleanup(one.close)
            try:
                one.sendall(b"GET /hall HTTP/1.1\r\n")
            except OSError:
                pass  # it made room
        began = time.monotonic()
        self.assertEqual(self.raw().status, 101)
        self.assertLess(time.monotonic() - began, 2)
        self.assertEqual(slow[-1].recv(1), b"")  # the listener waits 5 s
        self.assertLess(time.monotonic() - began, 9)

    def test_the_sixty_fifth_viewer_is_refused_until_one_leaves(self):
        viewers = [self.raw() for _ in range(MOST)]
        self.assertEqual({viewer.status for viewer in viewers}, {101})
        self.assert_refused(503)
        viewers[0].close()
        self.await_viewers(MOST - 1)
        self.assert_refused(101)

    def test_it_is_off_unless_it_has_a_port(self):
        self.server.restart(foxglove_port=0)
        with self.assertRaises(ConnectionRefusedError):
            self.raw()


class Tokens(HostileCase, unittest.TestCase):
    settings = FLAGS

    def setUp(self):
        super().setUp()
        self.admin = Person(self.server, token_of(log_in(self.client, "admin")))
        self.addCleanup(self.admin.close)
        self.admin.put_scene("hall", public=False)

    def test_a_token_opens_and_its_end_closes(self):
        self.assertEqual(self.raw().status, 401)
        self.assertEqual(self.raw("/").status, 401)
        self.assertEqual(self.raw("/hall?token=wrong").status, 401)
        token = token_of(log_in(self.client, "admin"))
        viewer = self.raw(f"/hall?token={token}")
        self.assertEqual(viewer.status, 101)
        self.assertEqual(self.raw(headers={"Authorization": f"Bearer {token}"}).status, 101)
        self.assertEqual(self.raw(f"/?token={token}").status, 101)
        viewer.until_op("advertise")
        leaving = Person(self.server, token)
        self.assertEqual(leaving.request("POST", "/v1/logout").status, 200)
        leaving.close()
        began = time.monotonic()
        while viewer.frame() is not None:
            pass
        self.assertLess(time.monotonic() - began, 5)
        self.await_viewers_of_admin(0)
        self.assertNotIn(token, self.server.log_text())

    def await_viewers_of_admin(self, count):
        wait_until(lambda: f"diorama_foxglove_viewers {count}\n" in self.admin.get("/metrics").text, 20,
                   f"{count} viewers")

    def test_others_see_no_private_scene(self):
        PeopleCase.sign_up("guest", self.admin)
        token = token_of(log_in(self.client, "guest"))
        self.assertIn(self.raw(f"/hall?token={token}").status, (403, 404))
        self.assertEqual(self.raw(f"/?token={token}").status, 404)


class Slow(HostileCase, unittest.TestCase):
    settings = {"events_memory": "16M"}

    def test_who_reads_nothing_holds_little_and_is_told_later(self):
        self.client.put_scene("hall")
        keys = [self.client.create("hall", *({"name": f"o{n}"} for n in range(500)))][0]
        viewer = self.raw(receive_bytes=4096)
        viewer.until_op("advertise")
        viewer.say(op="subscribe", subscriptions=[{"id": 1, "channelId": 1}, {"id": 2, "channelId": 2}])
        viewer.until(BINARY)
        before = self.server.resident_bytes()
        end = time.monotonic() + 4
        turn = 0
        while time.monotonic() < end:
            turn += 1
            answer = self.client.post(scene_path("hall") + "/bulk", {
                "update": [{"key": key, "translation": [turn, n, 0]} for n, key in enumerate(keys)]})
            self.assertEqual(answer.status, 200)
        if not is_sanitized():
            self.assertLess(self.server.resident_bytes() - before, 64 << 20)
        status = viewer.until_op("status")
        self.assertEqual(status["level"], 1)
        self.assertIn("newest states", status["message"])
        newest = {}
        while len(newest) < len(keys) or min(newest.values()) < turn:
            payload = viewer.until(BINARY)
            if payload[1] == 1:
                for frame in json.loads(payload[13:])["transforms"]:
                    newest[frame["child_frame_id"]] = frame["translation"]["x"]
        self.assertEqual(set(newest.values()), {turn})
        self.assertEqual(self.gauge("diorama_foxglove_behind_total"), 1)

    def test_who_never_reads_again_is_cut(self):
        self.client.put_scene("hall")
        keys = self.client.create("hall", *({"name": f"o{n}"} for n in range(500)))
        viewer = self.raw(receive_bytes=4096)
        viewer.until_op("advertise")
        viewer.say(op="subscribe", subscriptions=[{"id": 1, "channelId": 1}])
        end = time.monotonic() + 25
        while self.gauge() and time.monotonic() < end:
            self.client.post(scene_path("hall") + "/bulk", {
                "update": [{"key": key, "translation": [end - time.monotonic(), 0, 0]} for key in keys]})
            time.sleep(0.1)
        self.assertEqual(self.gauge(), 0)

    def test_who_says_nothing_is_asked_and_ended(self):
        self.client.put_scene("hall")
        viewer = self.raw()
        viewer.socket.settimeout(60)
        began = time.monotonic()
        self.assertEqual(viewer.until(PING), b"")
        self.assertEqual(viewer.closed(), 1001)
        self.assertGreater(time.monotonic() - began, 25)
        self.assertLess(time.monotonic() - began, 45)


if __name__ == "__main__":
    unittest.main()
