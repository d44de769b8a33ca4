"""Names that look alike are one: usernames are unique whatever their case and width (RFC 8265), every
text counts with its length, and a step of a path is no key."""

import unittest

from people import FLAGS, PASSWORD, PeopleCase, log_in
from support import objects, scene_path, scenes

GUESSES = 36


class Usernames(PeopleCase, unittest.TestCase):
    def sign_up_as(self, username):
        return self.admin.post("/v1/users/sign-up", {"username": username, "password": PASSWORD})

    def test_name_with_a_nul_is_refused(self):
        answer = self.sign_up_as("nul\0x")
        self.assertEqual((answer.status, answer.body.get("err_code")), (422, 111), answer)

    def test_account_whose_name_has_a_nul_does_not_reset_the_throttle_of_another(self):
        self.sign_up("victim")
        self.sign_up_as("victim\0x")  # refused, where names are looked at
        statuses = []
        for number in range(GUESSES):
            statuses.append(log_in(self.client, "victim", f"guess {number}").status)
            if number % 4 == 3:
                log_in(self.client, "victim\0x")
        self.assertIn(429, statuses)

    def test_names_that_differ_in_case_or_width_are_one(self):
        self.sign_up("Straße")
        for other in ("straße", "STRAßE", "Ｓtraße", "Stra\u00dfe"):
            answer = self.sign_up_as(other)
            self.assertEqual((answer.status, answer.body.get("err_code")), (409, 124), other)

    def test_name_is_kept_as_it_is_written(self):
        self.assertEqual(self.sign_up("Ann-Kathrin")["username"], "Ann-Kathrin")

    def test_name_that_is_composed_of_parts_is_the_composed_one(self):
        self.sign_up("Zoë")
        answer = self.sign_up_as("Zoe\u0308")
        self.assertEqual((answer.status, answer.body.get("err_code")), (409, 124), answer)

    def test_names_that_cannot_be_compared_are_refused(self):
        for name in ("tab\t", "zero\u200bwidth", "\u202egnp", "line\u2028", "\u00a0", "\ue000"):
            answer = self.sign_up_as(name)
            self.assertEqual((answer.status, answer.body.get("err_code")), (422, 111), ascii(name))

    def test_user_logs_in_whatever_the_case(self):
        user = self.sign_up("Käthe")
        for name in ("käthe", "KÄTHE", "Ka\u0308the"):
            self.assertEqual(log_in(self.client, name).status, 200, name)
        answer = self.admin.get(f"/v1/users/{user['id']}")
        self.assertEqual(answer.body["username"], "Käthe")

    def test_other_case_is_no_further_account_for_the_throttle(self):
        self.sign_up("target")
        statuses = []
        for number in range(12):
            name = "".join(c.upper() if number >> i & 1 else c for i, c in enumerate("target"))
            statuses.append(log_in(self.client, name, f"guess {number}").status)
        self.assertIn(429, statuses)

    def test_name_of_a_user_who_is_gone_is_free(self):
        user = self.sign_up("Leaver")
        self.assertEqual(self.admin.delete(f"/v1/users/{user['id']}").status, 200)
        self.assertEqual(self.sign_up_as("leaver").status, 200)

    def test_user_who_is_renamed_obeys_the_same_rules(self):
        self.sign_up("Taken")
        user = self.sign_up("renamed")
        for name, expected in (("taken", (409, 124)), ("nul\0x", (422, 111))):
            answer = self.admin.put(f"/v1/users/{user['id']}", {"username": name})
            self.assertEqual((answer.status, answer.body.get("err_code")), expected, answer)


class OwnName(PeopleCase, unittest.TestCase):
    """A user may change the case of their own name, and keeps it when something else changes."""

    flags = None

    def test_user_changes_the_case_of_their_own_name(self):
        self.start_server(**FLAGS)
        admin = self.enter(self.server, "admin")
        self.addCleanup(admin.close)
        user = self.sign_up("Plain", admin)
        for body in ({"username": "Plain"}, {"username": "PLAIN"}, {"email": ["p@example.org"]}):
            answer = admin.put(f"/v1/users/{user['id']}", body)
            self.assertEqual(answer.status, 200, body)


class Keys(PeopleCase, unittest.TestCase):
    def test_step_of_a_path_is_no_key(self):
        for key in (".", ".."):
            for path in (scene_path(key), scene_path(key).replace(".", "%2E")):
                self.admin.refused(422, 111, "PUT", path, scenes({"name": "n"}))
            self.admin.put_scene("hall")
            self.admin.refused(422, 111, "POST", scene_path("hall") + "/register",
                               scenes({"devices": [{"key": key}]}))
            self.admin.refused(422, 111, "POST", scene_path("hall") + "/property",
                               {"properties": [{"key": key}]})

    def test_key_with_a_nul_is_refused(self):
        self.admin.put_scene("hall")
        self.admin.refused(422, 111, "POST", scene_path("hall") + "/register",
                           scenes({"devices": [{"key": "a\0b"}]}))

    def test_texts_with_a_nul_count_with_their_length(self):
        self.admin.put_scene("hall")
        key, = self.admin.create("hall", {"name": "a\0b", "type": "t"})
        self.assertEqual(self.admin.object("hall", key)["name"], "a\0b")
        found = self.admin.ok("POST", scene_path("hall") + "/object/query", objects({"name": "a"}))
        self.assertEqual(found["objects"], [])


if __name__ == "__main__":
    unittest.main()
