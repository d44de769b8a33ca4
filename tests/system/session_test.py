"""GET /v1/session: who one is to the server. Strangers are told too, and that users log in."""

import os
import subprocess
import sys
import unittest

from people import PeopleCase
from support import BIN, ServerCase


class WithoutUsers(ServerCase, unittest.TestCase):
    def test_everybody_may_do_everything(self):
        body = self.client.get("/v1/session").body
        self.assertEqual((body["auth"], body["admin"]), (False, True))
        self.assertNotIn("user", body)
        self.assertNotIn("expires_s", body)
        self.assertIn(f"epoch {body['epoch']} ", self.server.log_text())

    def test_the_client_shows_it(self):
        done = subprocess.run([os.path.join(BIN, "diorama"), "session", "get", "--json",
                               f"--url=http://127.0.0.1:{self.server.http_port}"],
                              capture_output=True, text=True, check=True)
        self.assertIn('"auth":false', done.stdout)


class WithUsers(PeopleCase, unittest.TestCase):
    def test_a_stranger_is_told_that_users_log_in(self):
        body = self.client.get("/v1/session").body
        self.assertEqual((body["auth"], body["admin"]), (True, False))
        self.assertNotIn("user", body)
        wrong = {"Authorization": "Bearer " + "x" * 43}
        self.assertEqual(self.client.request("GET", "/v1/session", headers=wrong).body, body)

    def test_a_user_is_told_who_they_are_until_they_log_out(self):
        ann = self.new_person("ann")
        body = ann.get("/v1/session").body
        self.assertEqual((body["user"]["username"], body["admin"]), ("ann", False))
        self.assertNotIn("password", body["user"])
        self.assertNotIn("hash", body["user"])
        self.assertTrue(86000 < body["expires_s"] <= 86400, body)
        ann.post("/v1/logout")
        self.assertNotIn("user", ann.get("/v1/session").body)

    def test_an_administrator_is_told_so(self):
        self.assertTrue(self.admin.get("/v1/session").body["admin"])


if __name__ == "__main__":
    sys.exit(unittest.main())
