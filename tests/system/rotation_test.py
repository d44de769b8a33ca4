"""Secrets are replaced while the server runs: every token of before ends at once, subscribers of PUB
learn the new key, and what is stored outlives a restart. With users PUB has a key from the start."""

import os
import stat
import time
import unittest

import msgpack
import zmq
import zmq.auth

from people import PASSWORD, PeopleCase
from support import Client, wait_until


class Rotation(PeopleCase, unittest.TestCase):
    flags = None

    def begin(self, **flags):
        self.start_server(auth_enabled="true", auth_admin_password=PASSWORD, **flags)
        self.folder = os.path.join(self.server.flags["data_dir"], "pub")
        return self.person("admin")

    def person(self, name):
        person = self.enter(self.server, name)
        self.addCleanup(person.close)
        return person

    def test_server_with_users_alone_starts_and_makes_its_keys(self):
        self.begin()
        for name, mode in (("", 0o700), ("clients", 0o700), ("server.key_secret", 0o600)):
            found = os.stat(os.path.join(self.folder, name)).st_mode
            self.assertEqual(stat.S_IMODE(found), mode, name)
        self.assertTrue(os.path.exists(os.path.join(self.folder, "server.key")))

    def test_every_token_of_before_ends_at_once_and_for_good(self):
        admin = self.begin()
        self.sign_up("ann", admin)
        ann = self.person("ann")
        answer = admin.post("/v1/rotate/tokens")
        self.assertEqual((answer.status, answer.body["ended"]), (200, 2), answer)
        for each in (admin, ann):
            each.refused(401, 130, "GET", "/v1/users")
        again = self.person("ann")
        self.assertEqual(again.get("/v1/users?username=ann").status, 200)
        self.server.restart()
        for old in (ann.again(), admin.again()):
            self.addCleanup(old.close)
            old.refused(401, 130, "GET", "/v1/users")
        later = again.again()
        self.addCleanup(later.close)
        self.assertEqual(later.get("/v1/users?username=ann").status, 200)

    def test_sessions_of_the_new_secret_outlive_a_restart(self):
        admin = self.begin()
        admin.post("/v1/rotate/tokens")
        later = self.person("admin")
        self.server.restart()
        wait = Client(self.server)  # whoever changes a user brings about a turn of their actor
        self.addCleanup(wait.close)
        again = later.again()
        self.addCleanup(again.close)
        for _ in range(20):
            self.assertEqual(again.get("/v1/users?username=admin").status, 200)
            wait.post("/v1/login", {"username": "nobody", "password": "wrong"})
            time.sleep(0.05)

    def test_nobody_but_administrators_rotates(self):
        admin = self.begin()
        self.sign_up("ann", admin)
        ann = self.person("ann")
        for what in ("tokens", "pub-key"):
            ann.refused(403, 131, "POST", f"/v1/rotate/{what}")

    def subscriber(self, server_key, own):
        socket = zmq.Context.instance().socket(zmq.SUB)
        self.addCleanup(socket.close, 0)
        socket.curve_publickey, socket.curve_secretkey = zmq.auth.load_certificate(own)
        socket.curve_serverkey = server_key
        socket.subscribe(b"")
        socket.connect(f"tcp://127.0.0.1:{self.server.pub_port}")
        return socket

    def await_body(self, socket, what, has):
        def find():
            if not socket.poll(100):
                return None
            body = msgpack.unpackb(socket.recv_multipart()[2])
            return (body,) if has(body) else None
        return wait_until(find, 20, what)[0]

    def test_subscriber_is_told_the_new_key_and_reconnects_with_it(self):
        admin = self.begin()
        public, secret = zmq.auth.create_certificates(self.server.folder, "alice")
        os.rename(public, os.path.join(self.folder, "clients", "alice.key"))
        old_key = zmq.auth.load_certificate(os.path.join(self.folder, "server.key"))[0]
        socket = self.subscriber(old_key, secret)
        self.await_body(socket, "a heartbeat", lambda body: True)
        answer = admin.post("/v1/rotate/pub-key")
        self.assertEqual(answer.status, 200, answer)
        told = self.await_body(socket, "the new key", lambda body: "server_key" in body)
        self.assertEqual(told["server_key"], answer.body["publicKey"])
        new_key = zmq.auth.load_certificate(os.path.join(self.folder, "server.key"))[0]
        self.assertEqual(new_key.decode(), answer.body["publicKey"])
        self.assertNotEqual(new_key, old_key)
        self.await_body(self.subscriber(new_key, secret), "a heartbeat", lambda body: True)
        self.assertFalse(self.subscriber(old_key, secret).poll(1500))
        self.server.restart()
        self.await_body(self.subscriber(new_key, secret), "a heartbeat", lambda body: True)

    def test_public_file_that_a_crash_left_old_is_mended(self):
        self.begin()
        path = os.path.join(self.folder, "server.key")
        with open(path, encoding="utf-8") as file:
            right = file.read()
        os.unlink(path)
        self.server.restart()
        with open(path, encoding="utf-8") as file:
            self.assertEqual(file.read(), right)

    def test_without_a_key_there_is_none_to_rotate(self):
        admin = self.begin(pub_insecure="true")
        admin.refused(409, 124, "POST", "/v1/rotate/pub-key")


if __name__ == "__main__":
    unittest.main()
