"""Who asks is looked up when the request is complete, not when it began: a body that drips does not
carry what its sender was allowed before. DIORAMA_LONG=1: 1,000 trials."""

import json
import socket
import unittest

from people import PASSWORD, PeopleCase
from support import LONG

TRIALS = 1000 if LONG else 3


class Drip:
    """A request whose head has been read; its body follows when the test wants it to."""

    def __init__(self, person, method, path, body):
        self.body = json.dumps(body).encode()
        self.socket = socket.create_connection(("127.0.0.1", person.server.http_port), 20)
        self.socket.sendall(
            f"{method} {path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {person.token}\r\n"
            f"Content-Type: application/json\r\nContent-Length: {len(self.body)}\r\n"
            "Connection: close\r\nExpect: 100-continue\r\n\r\n".encode())
        # The server asks for the body once it has looked at who asks.
        self.until_read = self.socket.recv(65536)
        self.socket.sendall(self.body[:1])

    def finish(self):
        """The status of the answer."""
        self.socket.sendall(self.body[1:])
        answer = b"" if b"100" in self.until_read[:20] else self.until_read
        while part := self.socket.recv(65536):
            answer += part
        self.socket.close()
        return int(answer.split(b" ", 2)[1])


class DrippingUpload:
    """A file in chunks, of which the server has read the head."""

    def __init__(self, server, token):
        self.socket = socket.create_connection(("127.0.0.1", server.http_port), timeout=30)
        self.socket.sendall(
            f"POST /v1/asset HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n"
            f"Authorization: Bearer {token}\r\nContent-Type: multipart/form-data; boundary=xx\r\n"
            "Expect: 100-continue\r\n\r\n".encode())
        self.answer = self.socket.makefile("rb")
        invitation = self.answer.readline()  # the server has looked at who asks
        assert invitation.startswith(b"HTTP/1.1 100 "), invitation
        self.answer.readline()
        self.send(b'--xx\r\nContent-Disposition: form-data; name="file"; filename="a.bin"\r\n\r\n')

    def send(self, content):
        self.socket.sendall(b"%x\r\n%s\r\n" % (len(content), content))

    def finish(self):
        """The status of the answer."""
        self.send(b"the rest\r\n--xx--\r\n")
        self.socket.sendall(b"0\r\n\r\n")
        with self.socket, self.answer:
            return int(self.answer.readline().split(b" ")[1])


class Identity(PeopleCase, unittest.TestCase):
    def new_admin(self, number):
        return self.new_person(f"boss-{self.scene}-{number}", isAdmin=True)

    def sign_up_by(self, person, number):
        name = f"made-{self.scene}-{number}"
        return name, Drip(person, "POST", "/v1/users/sign-up",
                          {"username": name, "password": PASSWORD, "isAdmin": True})

    def exists(self, username):
        return bool(self.admin.get(f"/users/?username={username}").body)

    def assert_refused(self, status, allowed, number):
        self.assertIn(status, allowed, f"trial {number}")

    def test_administrator_who_is_deactivated_meanwhile_makes_nobody(self):
        for number in range(TRIALS):
            boss = self.new_admin(number)
            name, drip = self.sign_up_by(boss, number)
            self.assertEqual(self.admin.delete(f"/v1/users/{boss.id}/active").status, 200)
            self.assert_refused(drip.finish(), {401}, number)
            self.assertFalse(self.exists(name))

    def test_administrator_who_is_activated_again_has_to_log_in_again(self):
        boss = self.new_admin(0)
        name, drip = self.sign_up_by(boss, 0)
        for method in (self.admin.delete, self.admin.put):
            self.assertEqual(method(f"/v1/users/{boss.id}/active").status, 200)
        self.assert_refused(drip.finish(), {401}, 0)
        self.assertFalse(self.exists(name))

    def test_administrator_who_is_demoted_meanwhile_makes_nobody(self):
        boss = self.new_admin(0)
        name, drip = self.sign_up_by(boss, 0)
        self.assertEqual(self.admin.delete(f"/v1/users/{boss.id}/admin").status, 200)
        self.assert_refused(drip.finish(), {401, 403}, 0)
        self.assertFalse(self.exists(name))

    def test_user_who_logs_out_meanwhile_writes_nothing(self):
        user = self.new_person("ann")
        drip = Drip(user, "PUT", "/v1/scene/late", {"scenes": [{"name": "late"}]})
        self.assertEqual(user.post("/v1/logout").status, 200)
        self.assert_refused(drip.finish(), {401}, 0)
        self.admin.refused(404, 102, "GET", "/v1/scene/late")

    def test_upload_of_a_user_who_is_deactivated_meanwhile_is_not_stored(self):
        for number in range(TRIALS):
            user = self.new_person(f"uploader{number}")
            before = self.admin.get("/v1/asset/count").body
            upload = DrippingUpload(self.server, user.token)
            upload.send(b"half of it, and ")
            self.assertEqual(self.admin.delete(f"/v1/users/{user.id}/active").status, 200)
            self.assert_refused(upload.finish(), {401}, number)
            self.assertEqual(self.admin.get("/v1/asset/count").body, before)


if __name__ == "__main__":
    unittest.main()
