"""Accounts: sign-up, changes, favourites, roles; with and without authentication."""

import json
import pathlib
import re
import unittest

from people import FLAGS, PASSWORD, PeopleCase, Person, log_in, token_of
from support import ServerCase, run_together, scene_path

MEMBERS = {"id", "username", "email", "isAdmin", "isActive", "favoriteProjects", "favoriteScenes"}


class Accounts(PeopleCase, unittest.TestCase):
    def test_sign_up_answers_the_record_without_its_password(self):
        body = {"username": "ann", "password": PASSWORD, "email": "ann@example.org",
                "isAdmin": None, "favoriteScenes": ["s1"]}
        answer = self.admin.post("/v1/users/sign-up", body)
        self.assertEqual(answer.status, 200, answer)
        user = answer.body
        self.assertRegex(user["id"], "^[0-9a-f]{24}$")
        self.assertEqual(user, {"id": user["id"], "username": "ann", "email": ["ann@example.org"],
                                "isAdmin": False, "isActive": True, "favoriteProjects": [],
                                "favoriteScenes": ["s1"]})
        self.assertEqual(answer.headers["Location"], f"/v1/users/{user['id']}")
        found = self.admin.get(f"/v1/users/{user['id']}")
        self.assertEqual((found.status, found.body), (200, user))
        self.assertEqual(found.headers["ETag"], answer.headers["ETag"])

    def test_what_a_sign_up_needs(self):
        for body, pointer in (({"password": "x"}, "/username"), ({"username": "x"}, "/password"),
                              ({"username": "", "password": "x"}, "/username"),
                              ({"username": "x", "password": ""}, "/password")):
            refusal = self.admin.refused(400, 122, "POST", "/v1/users/sign-up", body)
            self.assertEqual(refusal["errors"][0]["pointer"], pointer)
        self.admin.refused(400, 110, "POST", "/v1/users/sign-up", {"username": 5, "password": "x"})
        self.admin.refused(422, 111, "POST", "/v1/users/sign-up",
                           {"username": "x" * 257, "password": "x"})

    def test_usernames_and_addresses_are_unique(self):
        first = self.sign_up("one", email=["one@x", "uno@x"])
        second = self.sign_up("two", email="two@x")
        for body in ({"username": "one", "password": PASSWORD},
                     {"username": "three", "password": PASSWORD, "email": "uno@x"}):
            self.admin.refused(409, 124, "POST", "/v1/users/sign-up", body)
        path = f"/v1/users/{second['id']}"
        self.admin.refused(409, 124, "PUT", path, {"username": "one"})
        self.admin.refused(409, 124, "PUT", path, {"email": "one@x"})
        self.assertEqual(self.admin.put(path, {"username": "two", "email": "two@x"}).status, 200)
        self.assertEqual(self.admin.get(f"/v1/users/{first['id']}").body, first)

    def test_of_sign_ups_at_the_same_time_one_wins(self):
        statuses = []

        def sign_up():
            with Person(self.server, self.admin.token) as person:
                body = {"username": "race", "password": PASSWORD, "email": "race@x"}
                statuses.append(person.post("/users/sign-up", body).status)

        run_together(*[sign_up] * 4)
        self.assertEqual(sorted(statuses), [200, 409, 409, 409])

    def test_user_is_found_by_name_and_address_in_two_shapes(self):
        user = self.sign_up("fay", email="fay@x")
        for query in ("username=fay", "email=fay%40x", "username=fay&email=fay%40x"):
            self.assertEqual(self.admin.get(f"/users/?{query}").body, [user])
            self.assertEqual(self.admin.get(f"/v1/users?{query}").body, user)
        for query in ("username=nobody", "email=nobody", "username=fay&email=nobody"):
            self.assertEqual(self.admin.get(f"/users?{query}").body, [])
            self.admin.refused(404, 102, "GET", f"/v1/users/?{query}")

    def test_administrators_page_through_all(self):
        self.sign_up("page")
        for path in ("/users", "/v1/users/"):
            everybody = self.admin.get(path).body
            self.assertIn("page", [user["username"] for user in everybody])
            self.assertEqual({frozenset(user) for user in everybody}, {frozenset(MEMBERS)})
            pages = [self.admin.get(f"{path}?num_records=1&page={n}").body
                     for n in range(len(everybody) + 1)]
            self.assertEqual([user for page in pages for user in page], everybody)

    def test_update_changes_name_address_and_password_alone(self):
        user = self.sign_up("gil", email="gil@x", favoriteScenes=["s"])
        body = {"id": "x", "username": "gilbert", "email": ["g@x"], "isAdmin": True,
                "isActive": False, "favoriteScenes": ["t"], "favoriteProjects": ["p"]}
        changed = self.admin.put(f"/users/{user['id']}", body)
        self.assertEqual(changed.status, 200, changed)
        self.assertEqual(changed.body, {**user, "username": "gilbert", "email": ["g@x"]})
        self.assertEqual(log_in(self.client, "gil").status, 401)
        self.assertEqual(log_in(self.client, "gilbert").status, 200)

    def test_members_that_an_update_does_not_change_are_warned_of(self):
        user = self.sign_up("una", favoriteScenes=["s"])
        path = f"/v1/users/{user['id']}"
        body = {"id": "x", "isAdmin": True, "isActive": False, "favoriteScenes": ["t"],
                "favoriteProjects": ["p"]}
        answer = self.admin.put(path, body)
        self.assertEqual((answer.status, answer.body), (200, user), answer)
        warnings = json.loads(answer.headers["Diorama-Warnings"])
        self.assertEqual({warning["pointer"] for warning in warnings}, {f"/{m}" for m in body})
        for member, value in body.items():
            refusal = self.admin.put(path + "?strict=true", {member: value, "email": "una@x"})
            self.assertEqual((refusal.status, refusal.body["err_code"]), (422, 111), refusal)
            self.assertEqual(refusal.body["errors"][0]["pointer"], f"/{member}")
        self.assertEqual(self.admin.get(path).body, user)

    def test_record_that_comes_back_as_it_was_shown_is_not_warned_of(self):
        user = self.sign_up("una2", email="una2@x", favoriteScenes=["s"])
        path = f"/v1/users/{user['id']}"
        answer = self.admin.put(path + "?strict=true", {**user, "username": "una3"})
        self.assertEqual((answer.status, answer.body), (200, {**user, "username": "una3"}), answer)
        self.assertNotIn("Diorama-Warnings", answer.headers)

    def test_what_an_update_does_not_say_stays(self):
        user = self.sign_up("hal", email="hal@x")
        for body in ({}, {"username": None, "password": None, "email": None}, {"password": ""},
                     {"username": "", "email": []}):
            self.assertEqual(self.admin.put(f"/v1/users/{user['id']}", body).body, user)
        self.assertEqual(log_in(self.client, "hal").status, 200)

    def test_favourites_are_added_and_removed_one_by_one(self):
        person = self.new_person("ida")
        path = f"/v1/users/{person.id}"
        for kind, member in (("projects", "favoriteProjects"), ("scenes", "favoriteScenes")):
            for key in ("a", "b", "a"):
                answer = person.put(f"{path}/{kind}/{key}")
                self.assertEqual(answer.status, 200, answer)
            self.assertEqual(answer.body[member], ["a", "b"])
            self.assertEqual(person.delete(f"{path}/{kind}/a").body[member], ["b"])
            self.assertEqual(person.delete(f"/users/{person.id}/{kind}/a").body[member], ["b"])
            self.assertEqual(person.get(path).body[member], ["b"])

    def test_favourites_of_many_clients_are_all_kept(self):
        user = self.sign_up("jo")

        def add(first):
            with Person(self.server, self.admin.token) as person:
                for n in range(first, first + 10):
                    person.put(f"/v1/users/{user['id']}/scenes/s{n}")

        run_together(*(lambda n=n: add(n * 10) for n in range(6)))
        found = self.admin.get(f"/v1/users/{user['id']}").body["favoriteScenes"]
        self.assertEqual(sorted(found), sorted(f"s{n}" for n in range(60)))

    def test_role_is_granted_to_a_session_at_once_and_taken_with_it(self):
        person = self.new_person("kim")
        path = f"/v1/users/{person.id}"
        person.refused(403, 131, "GET", "/v1/users")
        self.assertTrue(self.admin.put(f"{path}/admin").body["isAdmin"])
        self.assertTrue(self.admin.put(f"{path}/admin").body["isAdmin"])
        self.assertEqual(person.get("/v1/users").status, 200)
        self.assertFalse(self.admin.delete(f"{path}/admin").body["isAdmin"])
        self.assertFalse(self.admin.delete(f"{path}/admin").body["isAdmin"])
        person.refused(401, 130, "GET", path)
        with self.enter(self.server, "kim") as again:
            again.refused(403, 131, "GET", "/v1/users")

    def test_deleted_user_is_gone_and_the_name_inherits_nothing(self):
        person = self.new_person("lea")
        person.put_scene("of-lea", public=False)
        gone = person.delete(f"/v1/users/{person.id}")
        self.assertEqual((gone.status, gone.body["username"]), (200, "lea"))
        person.refused(401, 130, "GET", f"/v1/users/{person.id}")
        self.admin.refused(404, 102, "GET", f"/v1/users/{person.id}")
        with self.new_person("lea") as namesake:
            self.assertNotEqual(namesake.id, person.id)
            namesake.refused(404, 102, "GET", scene_path("of-lea"))
        self.assertEqual(self.admin.get(scene_path("of-lea")).status, 200)

    def test_unknown_users_are_404(self):
        path = "/v1/users/" + "0" * 24
        for method, tail in (("GET", ""), ("PUT", ""), ("DELETE", ""), ("PUT", "/admin"),
                             ("DELETE", "/active"), ("PUT", "/scenes/s")):
            body = {} if (method, tail) == ("PUT", "") else None
            self.admin.refused(404, 102, method, path + tail, body)

    def test_precondition_holds_for_users(self):
        user = self.sign_up("mia")
        path = f"/v1/users/{user['id']}"
        tag = self.admin.get(path).headers["ETag"]
        self.admin.put(f"{path}/scenes/s")
        answer = self.admin.request("PUT", path, {"email": "m@x"}, {"If-Match": tag})
        self.assertEqual(answer.status, 412, answer)

    def test_a_name_is_text_and_never_markup(self):
        name = "<script>alert('1')</script>&\"\\"
        user = self.sign_up(name)
        answer = self.admin.get(f"/v1/users/{user['id']}")
        self.assertEqual(answer.body["username"], name)
        self.assertEqual(answer.headers["Content-Type"], "application/json")
        self.assertEqual(answer.headers["X-Content-Type-Options"], "nosniff")


class Devices(PeopleCase, unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.ann, cls.bob = cls.new_person("ann"), cls.new_person("bob")

    def setUp(self):
        super().setUp()
        self.ann, self.bob = self.ann.again(), self.bob.again()

    def register(self, person, key):
        return person.post(f"{scene_path(self.scene)}/register",
                           {"scenes": [{"devices": [{"key": key}]}]})

    def lock_path(self, device):
        self.ann.put_scene(self.scene)
        [key] = self.ann.create(self.scene, {"name": "o"})
        return f"{scene_path(self.scene)}/object/{key}/lock?device={device}"

    def test_device_belongs_to_who_registered_it_first(self):
        path, lock = scene_path(self.scene), self.lock_path("tablet")
        self.assertEqual(self.register(self.ann, "tablet").status, 200)
        self.assertEqual(self.register(self.ann, "tablet").status, 200)
        devices = {"scenes": [{"devices": [{"key": "tablet", "transform": {
            "translation": [1, 2, 3], "rotation": [0, 0, 0]}}]}]}
        for method, target, body in (("POST", path + "/register", devices),
                                     ("POST", "/v1/scene/elsewhere/register", devices),
                                     ("POST", path + "/align", devices),
                                     ("PUT", path + "/align", devices),
                                     ("POST", path + "/deregister", devices),
                                     ("GET", lock, None), ("DELETE", lock, None)):
            self.bob.refused(403, 131, method, target, body)
        self.assertEqual(self.ann.get(lock).status, 200)
        update = lock.replace("/lock", "")
        self.bob.refused(403, 131, "POST", update, {"name": "in the name of the tablet"})
        self.assertEqual(self.ann.post(update, {"name": "mine"}).status, 200)
        self.assertEqual(self.admin.post(path + "/align", devices).status, 200)
        self.assertEqual(self.admin.delete(lock).status, 200)

    def test_device_of_another_that_is_not_in_the_scene_is_as_one_of_nobody(self):
        mine, hidden = scene_path(self.scene), scene_path(self.scene + "-hidden")
        self.assertEqual(self.register(self.bob, "lamp").status, 200)
        self.ann.put_scene(self.scene + "-hidden", public=False)
        for scene in (self.scene + "-else", self.scene + "-hidden"):
            self.assertEqual(self.ann.post(f"{scene_path(scene)}/register", {"scenes": [
                {"devices": [{"key": "watch"}]}]}).status, 200)

        def answers(path, device):
            body = {"scenes": [{"devices": [{"key": device, "transform": {
                "translation": [1, 2, 3], "rotation": [0, 0, 0]}}]}]}
            asked = (self.bob.delete(f"{path}/device/{device}"),
                     self.bob.post(f"{path}/deregister", body),
                     self.bob.post(f"{path}/align", body), self.bob.put(f"{path}/align", body))
            return [(answer.status, answer.body["err_code"],
                     answer.body["detail"].replace(device, "D")) for answer in asked]

        for path in (mine, hidden, scene_path(self.scene + "-none")):
            self.assertEqual(answers(path, "watch"), answers(path, "nobodys"), path)
            self.assertEqual({answer[0] for answer in answers(path, "watch")}, {404}, path)
        here = answers(scene_path(self.scene + "-else"), "watch")  # all who see the scene see it
        self.assertEqual({answer[0] for answer in here}, {403}, here)

    def test_owner_of_the_scene_unlocks_for_anybody(self):
        lock = self.lock_path("phone")
        self.assertEqual(self.register(self.bob, "phone").status, 200)
        self.assertEqual(self.bob.get(lock).status, 200)
        self.ann.refused(403, 131, "GET", lock)
        self.assertEqual(self.ann.delete(lock).status, 200)

    def test_device_without_a_key_gets_one_of_its_own(self):
        answer = self.ann.post(f"{scene_path(self.scene)}/register", {"scenes": [{"devices": [{}]}]})
        self.assertEqual(answer.status, 200, answer)
        [device] = answer.body["scenes"][0]["devices"]
        self.assertEqual(self.register(self.bob, device["key"]).status, 403)

    def test_many_devices_are_claimed_at_once(self):
        body = {"scenes": [{"devices": [{"key": f"many-{n}"} for n in range(1201)]}]}
        self.assertEqual(self.ann.post(f"{scene_path(self.scene)}/register", body).status, 200)
        self.assertEqual(self.register(self.bob, "many-1200").status, 403)


class LastAdministrator(PeopleCase, unittest.TestCase):
    def test_last_active_administrator_stays_one(self):
        [admin] = self.admin.get("/users?username=admin").body
        other = self.sign_up("other", isAdmin=True)
        path, others = f"/v1/users/{admin['id']}", f"/v1/users/{other['id']}"
        self.admin.delete(f"{others}/active")
        for method, tail in (("DELETE", "/admin"), ("DELETE", "/active"), ("DELETE", "")):
            self.admin.refused(409, 124, method, path + tail)
        self.assertEqual(self.admin.get(path).body, admin)
        self.admin.put(f"{others}/active")
        self.assertEqual(self.admin.delete(f"{path}/admin").status, 200)


class Modes(ServerCase, unittest.TestCase):
    flags = None

    def person(self, username, password=PASSWORD):
        return Person(self.server, token_of(log_in(self.client, username, password)))

    def test_everything_is_allowed_while_nobody_must_log_in(self):
        self.start_server()
        user = self.client.post("/users/sign-up", {"username": "ann", "password": PASSWORD}).body
        path = f"/v1/users/{user['id']}"
        for method, tail in (("PUT", "/admin"), ("DELETE", "/admin"), ("DELETE", "/active"),
                             ("PUT", "/active"), ("PUT", "/scenes/s"), ("DELETE", "")):
            answer = self.client.request(method, path + tail)
            self.assertEqual(answer.status, 200, answer)

    def test_who_is_logged_in_owns_what_they_make_all_the_same(self):
        self.start_server()
        user = self.client.post("/users/sign-up", {"username": "ann", "password": PASSWORD}).body
        with self.person("ann") as person:
            person.put_scene("mine")
        self.assertEqual(self.client.scene("mine")["user"], user["id"])

    def test_accounts_that_nobody_vouched_for_are_closed_once_users_log_in(self):
        self.start_server()
        for name in ("ann", "admin", "boss"):
            body = {"username": name, "password": "guessed", "isAdmin": name != "ann"}
            self.assertEqual(self.client.post("/users/sign-up", body).status, 200)
        old = self.person("ann", "guessed").token
        self.restart(**FLAGS)
        for name in ("ann", "admin", "boss"):
            self.assertEqual(log_in(self.client, name, "guessed").status, 401)
        with self.person("admin") as admin:
            ann = Person(self.server, old)
            [user] = admin.get("/users?username=ann").body
            self.assertFalse(user["isActive"])
            self.assertEqual(admin.put(f"/v1/users/{user['id']}/active").status, 200)
            ann.refused(401, 130, "GET", f"/v1/users/{user['id']}")
            self.restart("crash")
            ann.again().refused(401, 130, "GET", f"/v1/users/{user['id']}")
            self.assertEqual(log_in(self.client, "ann", "guessed").status, 200)

    def test_random_password_is_said_once_and_never_logged(self):
        self.start_server(auth_enabled="true", pub_insecure="true", log_level="debug")
        said = re.findall(r"administrator (\w+) has the password (\S+)", self.server.log_text())
        self.assertEqual(len(said), 1)
        name, password = said[0]
        self.assertGreaterEqual(len(password), 24)
        self.assertEqual(log_in(self.client, name, password).status, 200)
        self.restart()
        self.assertEqual(log_in(self.client, name, password).status, 200)
        self.assertEqual(self.server.log_text().count(password), 1)

    def test_accounts_sessions_and_devices_survive_a_crash(self):
        self.start_server(**FLAGS)
        with self.person("admin") as admin:
            user = admin.post("/users/sign-up", {"username": "ann", "password": PASSWORD}).body
            body = {"scenes": [{"devices": [{"key": "tablet"}]}]}
            with self.person("ann") as ann:
                self.assertEqual(ann.post("/v1/scene/s/register", body).status, 200)
            self.restart("crash")
            self.assertEqual(admin.again().get(f"/users/{user['id']}").body, user)
            admin.again().post("/users/sign-up", {"username": "bob", "password": PASSWORD})
        with self.person("bob") as bob, self.person("ann") as ann:
            bob.refused(403, 131, "POST", "/v1/scene/s/register", body)
            self.assertEqual(ann.delete(f"/users/{user['id']}").status, 200)
            self.assertEqual(bob.post("/v1/scene/s/register", body).status, 200)

    def test_password_is_in_no_file_of_the_server(self):
        secret = "a-password-to-look-for"
        self.start_server(**FLAGS)
        with self.person("admin") as admin:
            admin.post("/users/sign-up", {"username": "ann", "password": secret})
            token = self.person("ann", secret).token
        self.server.stop()
        self.assert_nowhere(secret.encode(), token.encode())

    def assert_nowhere(self, *secrets):

        for path in pathlib.Path(self.server.folder).rglob("*"):
            content = path.read_bytes() if path.is_file() else b""
            self.assertEqual([s for s in secrets if s in content], [], path)


if __name__ == "__main__":
    unittest.main()
