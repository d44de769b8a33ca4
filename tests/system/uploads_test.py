"""Uploads and downloads that go wrong, and large ones: no part of a file is ever seen,
nothing is left behind, memory does not grow with the file.

The long form uses 512 MiB instead of 64, and kills at 500 points instead of 20.
"""

import contextlib
import hashlib
import os
import random
import socket
import threading
import time
import unittest

from files import form, sha256, stored_files, upload
from support import BLOBS, LONG, Client, Server, ServerCase, is_sanitized, run_together, wait_until

MIB = 1 << 20
ASSET = "/v1/asset"
LARGE = (512 if LONG else 64) * MIB
SANITIZED = {"ASAN_OPTIONS", "TSAN_OPTIONS"} & set(os.environ)
KILLS = 500 if LONG else 6 if SANITIZED else 20
GROWS_AT_MOST = (8 if BLOBS == "folder" else 24) * MIB  # a piece on its way to the database, twice
CUT = 'diorama_http_cut_connections_total{reason="late"}'


def assert_nothing_is_left(case, server, files=0):
    wait_until(lambda: tuple(map(len, stored_files(server))) == (files, 0),
               what=f"{files} files: {stored_files(server)}")


class RawUpload:
    """An upload by hand, as slow and as incomplete as wanted."""

    def __init__(self, server, path=ASSET, length=None, content_type=None, boundary="xx"):
        self.socket = socket.create_connection(("127.0.0.1", server.http_port), timeout=30)
        self.boundary = boundary
        framing = f"Content-Length: {length}" if length is not None else "Transfer-Encoding: chunked"
        self.socket.sendall(
            f"POST {path} HTTP/1.1\r\nHost: localhost\r\n{framing}\r\nContent-Type: "
            f"{content_type or 'multipart/form-data; boundary=' + boundary}\r\n\r\n".encode())

    def send(self, content):
        self.socket.sendall(content)

    def begin_file(self):
        self.send(f'--{self.boundary}\r\nContent-Disposition: form-data; name="file"; '
                  'filename="a.bin"\r\n\r\n'.encode())

    def answer(self):
        """The status line, or b"" where the connection just ended."""
        with contextlib.suppress(ConnectionError):
            return self.socket.makefile("rb").readline()
        return b""

    def close(self):
        self.socket.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


class Refused(ServerCase, unittest.TestCase):
    def setUp(self):
        super().setUp()
        assert_nothing_is_left(self, self.server)

    def tearDown(self):
        assert_nothing_is_left(self, self.server)
        self.assertEqual(self.client.get(ASSET).body, [])
        super().tearDown()

    def assert_refused(self, status, err_code, body, content_type, path=ASSET):
        answer = self.client.request("POST", path, body, {"Content-Type": content_type})
        self.assertEqual((answer.status, answer.body["err_code"]), (status, err_code), answer)
        return answer.body

    def test_other_media_types(self):
        for content_type in ("application/json", "application/x-www-form-urlencoded",
                             "multipart/mixed; boundary=xx", "image/png"):
            self.assert_refused(415, 141, b"x=1", content_type)

    def test_no_boundary(self):
        self.assert_refused(400, 110, b"--xx--\r\n", "multipart/form-data")

    def test_no_file(self):
        content_type, body = form(("other", b"1", "a.bin", None))
        self.assertIn("`file`", self.assert_refused(400, 122, body, content_type)["detail"])
        self.assert_refused(400, 122, b"--xx--\r\n", "multipart/form-data; boundary=xx")

    def test_no_file_chosen(self):
        content_type, body = form(("file", b"", "", "application/octet-stream"))
        self.assert_refused(400, 122, body, content_type)

    def test_no_body(self):
        self.assert_refused(400, 110, b"", "multipart/form-data; boundary=xx")

    def test_a_form_that_is_no_form(self):
        for body in (b"hello", b"--yy\r\n\r\n", b"--xx\r\nbad header\r\n\r\n1\r\n--xx--"):
            self.assert_refused(400, 110, body, "multipart/form-data; boundary=xx")

    def test_a_form_that_ends_too_early(self):
        content_type, body = form(("file", b"x" * 1000, "a.bin", None))
        for size in (len(body) - 5, len(body) - 40, 500, 60):
            self.assert_refused(400, 110, body[:size], content_type)

    def test_a_content_type_that_is_none(self):
        content_type, body = form(("file", b"1", "a.bin", None))
        for wrong in ("no", "a/b%0D%0AX:%201", "a/%C3%BC"):
            self.assert_refused(422, 111, body, content_type, f"{ASSET}?content-type={wrong}")

    def test_an_unknown_asset(self):
        content_type, body = form(("file", b"1", "a.bin", None))
        self.assert_refused(404, 102, body, content_type, f"{ASSET}/{'0' * 24}")

    def test_more_than_512_mib_are_refused_when_they_are_announced(self):
        with RawUpload(self.server, length=514 * MIB) as raw:
            self.assertIn(b" 413 ", raw.answer())

    def test_a_client_that_goes_away(self):
        for size in (0, 10, 100000, 3 * MIB):
            with RawUpload(self.server, length=10 * MIB) as raw:
                if size:
                    raw.begin_file()
                    raw.send(b"x" * size)

    def test_a_body_shorter_than_announced(self):
        with RawUpload(self.server, length=MIB) as raw:
            raw.begin_file()
            raw.send(b"x" * 5000)
            raw.socket.shutdown(socket.SHUT_WR)
            self.assertIn(b" 400 ", raw.answer())

    def test_chunks_that_end_in_the_middle(self):
        with RawUpload(self.server) as raw:
            raw.send(b"5\r\n--xx")
            raw.socket.shutdown(socket.SHUT_WR)
            self.assertIn(raw.answer()[:12], (b"HTTP/1.1 400", b""))


class Accepted(ServerCase, unittest.TestCase):
    def test_chunks_are_a_body(self):
        content_type, body = form(("file", b"abc" * 50000, "a.bin", None))
        pieces = (body[at:at + 7001] for at in range(0, len(body), 7001))
        self.client.connection.request("POST", ASSET, pieces, {"Content-Type": content_type},
                                       encode_chunked=True)
        key = self.client.connection.getresponse().read().decode()
        self.assertEqual(self.client.get(f"{ASSET}/{key}").content, b"abc" * 50000)

    def test_other_parts_are_passed_over(self):
        content_type, body = form(("name", b"n", None, None), ("more", b"x" * 100000, "m", None),
                                  ("file", b"this", "a.bin", None), ("file", b"not", "b", None),
                                  ("last", b"\r\n--", None, None))
        answer = self.client.request("POST", ASSET, body, {"Content-Type": content_type})
        self.assertEqual(self.client.get(f"{ASSET}/{answer.text}").content, b"this")

    def test_an_empty_file_with_a_name_is_a_file(self):
        answer = upload(self.client, ASSET, b"", "empty.txt")
        got = self.client.get(f"{ASSET}/{answer.text}")
        self.assertEqual((got.status, got.content), (200, b""))
        ranged = self.client.request("GET", f"{ASSET}/{answer.text}", None, {"Range": "bytes=0-"})
        self.assertEqual(ranged.status, 416)

    def test_who_waits_to_be_told_is_told(self):
        content_type, body = form(("file", b"abc", "a.bin", None))
        with socket.create_connection(("127.0.0.1", self.server.http_port), timeout=10) as raw:
            raw.sendall(f"POST {ASSET} HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\n"
                        f"Content-Type: {content_type}\r\nContent-Length: {len(body)}\r\n\r\n"
                        .encode())
            reader = raw.makefile("rb")
            self.assertEqual(reader.readline(), b"HTTP/1.1 100 Continue\r\n")
            self.assertEqual(reader.readline(), b"\r\n")
            raw.sendall(body)
            self.assertEqual(reader.readline(), b"HTTP/1.1 200 OK\r\n")

    def test_the_same_file_from_many_at_once_is_one_file(self):
        def put(client):
            self.assertEqual(upload(client, ASSET, b"crowd" * 20000).status, 200)

        before = len(stored_files(self.server)[0])
        run_together(*(lambda c=self.connect(): put(c) for _ in range(8)))
        assert_nothing_is_left(self, self.server, before + 1)

    def test_files_that_come_and_go_at_once_are_always_whole(self):
        """Eight clients upload and delete the same few contents: whoever holds a key reads it."""
        contents = [bytes([number]) * 50000 for number in range(3)]

        def work(client, seed):
            choose = random.Random(seed)
            for _ in range(15):
                content = choose.choice(contents)
                key = upload(client, ASSET, content).text
                self.assertEqual(client.get(f"{ASSET}/{key}").content, content)
                self.assertEqual(client.delete(f"{ASSET}/{key}").text, "Success")

        before = len(stored_files(self.server)[0])
        run_together(*(lambda c=self.connect(), s=s: work(c, s) for s in range(8)))
        assert_nothing_is_left(self, self.server, before)


class Killed(ServerCase, unittest.TestCase):
    """kill -9 at random moments of an upload of 2 MiB, and a new start."""

    flags = None

    def test_no_part_of_a_file_is_seen_and_nothing_is_left(self):
        server = Server(log_level="error")
        self.addCleanup(server.end)
        server.start()
        choose = random.Random(3)
        known, latest = {}, 2.5 * self.time_of_upload(server, choose.randbytes(2 * MIB))
        for _ in range(KILLS):
            content = choose.randbytes(2 * MIB)
            key = self.upload_and_kill(server, content, choose.random() * latest)
            latest *= 0.7 if key else 1.3  # however fast the machine is just now
            server.start()
            known = self.check(server, known, key, content)
        print(f"{len(known)} of {KILLS} uploads were over before the kill")
        self.assertLess(len(known), KILLS, "no kill came before the end of an upload")

    @staticmethod
    def time_of_upload(server, content):
        with Client(server) as client:
            began = time.monotonic()
            key = upload(client, ASSET, content).text
            took = time.monotonic() - began
            client.delete(f"{ASSET}/{key}")
        return took

    @staticmethod
    def upload_and_kill(server, content, after):
        """The key, where the answer came before the end."""
        content_type, body = form(("file", content, "a.bin", None))
        answer = b""
        with RawUpload(server, length=len(body), content_type=content_type) as raw:
            raw.send(body[:MIB])
            killer = threading.Timer(after, server.kill)
            killer.start()
            with contextlib.suppress(OSError):
                raw.send(body[MIB:])
                while piece := raw.socket.recv(4096):
                    answer += piece
            killer.join()
        head, _, key = answer.partition(b"\r\n\r\n")
        return key.decode() if b" 200 " in head[:13] and len(key) == 24 else None

    def check(self, server, known, key, content):
        with Client(server) as client:
            listed = {r["key"]: r["sha256"] for r in client.get(ASSET + "?limit=10000").body}
            if key:
                self.assertEqual(listed.get(key), sha256(content), "an answered upload is lost")
            for known_key, known_hash in known.items():
                self.assertEqual(listed.get(known_key), known_hash)
            self.assertLessEqual(len(listed), len(known) + 1)
            for new in listed.keys() - known.keys():
                self.assertEqual(sha256(client.get(f"{ASSET}/{new}").content), sha256(content))
        assert_nothing_is_left(self, server, len(set(listed.values())))
        return listed


class Large(ServerCase, unittest.TestCase):
    flags = {"log_level": "warning"}

    @staticmethod
    def blocks():
        block = random.Random(7).randbytes(MIB)
        return (block for _ in range(LARGE // MIB))

    @unittest.skipIf(is_sanitized(), "a sanitizer keeps what is freed")
    def test_memory_does_not_grow_with_the_file(self):
        upload(self.client, ASSET, b"warm", "warm")
        before = self.server.heap_bytes()
        key, most_up = self.watched(self.put_large)
        most_down = self.watched(lambda: self.get_large(key))[1]
        print(f"{LARGE // MIB} MiB: {(most_up - before) / MIB:.1f} MiB more while it came, "
              f"{(most_down - before) / MIB:.1f} MiB while it went")
        self.assertLess(most_up - before, GROWS_AT_MOST)
        self.assertLess(most_down - before, GROWS_AT_MOST)
        self.assertEqual(self.client.delete(f"{ASSET}/{key}").text, "Success")
        assert_nothing_is_left(self, self.server, 1)

    def watched(self, work):
        """What `work` returns, and the most memory that the server had meanwhile."""
        done, seen = [], [0]

        def watch():
            while not done:
                seen.append(self.server.heap_bytes())
                time.sleep(0.01)

        def run():
            try:
                done.append(work())
            finally:
                done.append(None)

        run_together(watch, run)
        return done[0], max(seen)

    def put_large(self):
        head = b'--xx\r\nContent-Disposition: form-data; name="file"; filename="l.bin"\r\n\r\n'
        tail = b"\r\n--xx--\r\n"
        with RawUpload(self.server, length=len(head) + LARGE + len(tail)) as raw:
            raw.send(head)
            for block in self.blocks():
                raw.send(block)
            raw.send(tail)
            reader = raw.socket.makefile("rb")
            self.assertIn(b" 200 ", reader.readline())
            while reader.readline() != b"\r\n":
                pass
            return reader.read(24).decode()

    def get_large(self, key):
        expected, found = hashlib.sha256(), hashlib.sha256()
        for block in self.blocks():
            expected.update(block)
        connection = self.client.connection
        connection.request("GET", f"{ASSET}/{key}")
        response = connection.getresponse()
        self.assertEqual(int(response.headers["Content-Length"]), LARGE)
        while block := response.read(MIB):
            found.update(block)
        self.assertEqual(found.digest(), expected.digest())

    def test_one_byte_more_than_512_mib_is_refused(self):
        """In chunks, so that nothing is announced."""
        if not LONG:
            self.skipTest("long form alone")
        with RawUpload(self.server) as raw:
            chunk = b"100000\r\n" + b"x" * MIB + b"\r\n"
            head = b'--xx\r\nContent-Disposition: form-data; name="file"\r\n\r\n'
            raw.send(b"%x\r\n%s\r\n" % (len(head), head))
            with contextlib.suppress(OSError):
                for _ in range(513):
                    raw.send(chunk)
            self.assertIn(raw.answer()[:12], (b"HTTP/1.1 413", b""))
        assert_nothing_is_left(self, self.server, len(stored_files(self.server)[0]))

    def test_readers_that_go_away_harm_nobody(self):
        key = upload(self.client, ASSET, b"x" * 20 * MIB).text
        for size in (0, 1, 100000, 5 * MIB):
            with socket.create_connection(("127.0.0.1", self.server.http_port)) as gone:
                gone.sendall(f"GET {ASSET}/{key} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
                while size > 0:
                    size -= len(gone.recv(min(size, MIB)))
        self.assertEqual(len(self.client.get(f"{ASSET}/{key}").content), 20 * MIB)
        self.client.delete(f"{ASSET}/{key}")

    def test_clients_that_stall_are_cut_and_others_go_on(self):
        key = upload(self.client, ASSET, b"x" * 20 * MIB).text
        with socket.socket() as reader, RawUpload(self.server, length=MIB) as writer:
            writer.begin_file()
            writer.send(b"x" * 1000)
            reader.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            reader.connect(("127.0.0.1", self.server.http_port))
            reader.sendall(f"GET {ASSET}/{key} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
            reader.recv(100)
            with self.connect() as other:
                self.assertEqual(len(other.get(f"{ASSET}/{key}").content), 20 * MIB)
            self.assertIn(b" 408 ", writer.answer())
            wait_until(lambda: self.server.metrics()[CUT] >= 2, 20, "the end of both")
        self.client.delete(f"{ASSET}/{key}")
        assert_nothing_is_left(self, self.server, len(self.client.get(ASSET).body))


if __name__ == "__main__":
    unittest.main()
