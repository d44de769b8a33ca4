"""Passwords where users log in: not too short, and changed by whoever knows the current one, or by an
administrator. Without users, and for the administrator of the settings, nothing changes."""

import unittest

from people import FLAGS, PASSWORD, PeopleCase, log_in
from support import ServerCase

SHORT = "1234567"
ENOUGH = "12345678"


class Passwords(PeopleCase, unittest.TestCase):
    def logs_in(self, username, password):
        return log_in(self.client, username, password).status == 200

    def test_short_one_is_refused_at_sign_up(self):
        for password in ("x", SHORT):
            answer = self.admin.post("/v1/users/sign-up", {"username": "s", "password": password})
            self.assertEqual((answer.status, answer.body.get("err_code")), (422, 111), answer)
            self.assertEqual(answer.body["errors"][0]["pointer"], "/password")
        answer = self.admin.post("/v1/users/sign-up", {"username": "s", "password": ENOUGH})
        self.assertEqual(answer.status, 200, answer)

    def test_short_one_is_refused_at_a_change(self):
        user = self.sign_up("ann")
        answer = self.admin.put(f"/v1/users/{user['id']}", {"password": SHORT})
        self.assertEqual((answer.status, answer.body.get("err_code")), (422, 111), answer)
        self.assertTrue(self.logs_in("ann", PASSWORD))

    def test_setting_says_how_long(self):
        server = self.start_another(auth_password_min=12)
        admin = self.enter(server, "admin")
        self.addCleanup(admin.close)
        for password, status in (("x" * 11, 422), ("x" * 12, 200)):
            body = {"username": "u", "password": password}
            self.assertEqual(admin.post("/v1/users/sign-up", body).status, status)

    def start_another(self, **flags):
        self.start_server(**FLAGS, **flags)
        return self.server

    def test_user_who_does_not_know_the_current_one_cannot_change_it(self):
        bob = self.new_person("bob")
        self.addCleanup(bob.close)
        answer = bob.put(f"/v1/users/{bob.id}", {"password": "stolen session"})
        self.assertIn(answer.status, (400, 401, 403, 422), answer)
        self.assertFalse(self.logs_in("bob", "stolen session"))
        self.assertTrue(self.logs_in("bob", PASSWORD))

    def test_user_who_knows_the_current_one_changes_it(self):
        kim = self.new_person("kim")
        self.addCleanup(kim.close)
        body = {"password": "another one", "currentPassword": PASSWORD}
        answer = kim.put(f"/v1/users/{kim.id}", body)
        self.assertEqual(answer.status, 200, answer)
        self.assertTrue(self.logs_in("kim", "another one"))

    def test_wrong_current_one_is_refused_and_guessing_is_slowed(self):
        lee = self.new_person("lee")
        self.addCleanup(lee.close)
        statuses = []
        for number in range(7):
            body = {"password": "another one", "currentPassword": f"guess {number}"}
            statuses.append(lee.put(f"/v1/users/{lee.id}", body).status)
        self.assertEqual(statuses[0], 403)
        self.assertEqual(statuses[-1], 429)
        self.assertFalse(self.logs_in("lee", "another one"))

    def test_other_members_need_no_current_one(self):
        max_ = self.new_person("max")
        self.addCleanup(max_.close)
        answer = max_.put(f"/v1/users/{max_.id}", {"email": ["max@example.org"]})
        self.assertEqual(answer.status, 200, answer)

    def test_characters_count_and_not_bytes(self):
        for password, status in (("\u00e4" * 7, 422), ("\u00e4" * 8, 200)):
            body = {"username": f"umlaut{status}", "password": password}
            self.assertEqual(self.admin.post("/v1/users/sign-up", body).status, status)

    def test_administrator_changes_it_without(self):
        user = self.sign_up("eve")
        answer = self.admin.put(f"/v1/users/{user['id']}", {"password": "another one"})
        self.assertEqual(answer.status, 200, answer)
        self.assertTrue(self.logs_in("eve", "another one"))

    def test_administrator_of_the_settings_may_have_any(self):
        self.start_another(auth_admin_user="root")  # and the password of FLAGS
        self.server.restart()
        self.start_server(**{**FLAGS, "auth_admin_password": "x"})
        self.enter(self.server, "admin", "x").close()


class WithoutUsers(ServerCase, unittest.TestCase):
    def test_any_password_will_do(self):
        body = {"username": "s", "password": "x"}
        self.assertEqual(self.client.post("/v1/users/sign-up", body).status, 200)
        self.assertEqual(log_in(self.client, "s", "x").status, 200)


if __name__ == "__main__":
    unittest.main()
