"""A refusal is as durable as what it rests on: after kill -9, what somebody was refused because of has
happened."""

import os
import threading
import unittest

from people import FLAGS, PeopleCase, bearer
from support import Client, ServerCase, object_path, objects, scene_path, write_plan

COMMIT_MS = 1000
ENDLESS_MS = 60000  # longer than a request may wait


class RefusedCase(ServerCase):
    """The first request's commit is slow; the second one is refused because of it. When it has its
    answer the server is killed."""

    flags = None
    family = "scene"

    def begin(self, **flags):
        self.start_server(**flags)
        self.plan_path = os.path.join(self.server.folder, "plan")
        write_plan(self.plan_path, "latency=0")
        self.restart("restart", store_fault=f"file={self.plan_path}")

    def ask(self, method, path, body=None, headers=None):
        with Client(self.server) as client:
            try:
                return client.request(method, path, body, headers)
            except OSError:
                return None  # the server was killed

    def commit_slowly(self, ask, *call, plan=f"latency={COMMIT_MS}"):
        """The thread of a request that is staged, and whose commit has begun and will take long."""
        await_commit = self.server.awaits_delayed_commit(self.family)
        write_plan(self.plan_path, plan)
        thread = threading.Thread(target=ask, args=call, daemon=True)
        thread.start()
        await_commit()
        return thread

    def refuse_and_kill(self, first, second):
        """The answer of the second request; the server runs again after a kill."""
        thread = self.commit_slowly(self.ask, *first)
        refusal = self.ask(*second)
        write_plan(self.plan_path, "latency=0")
        self.server.kill()
        thread.join(30)
        self.server.start()
        self.client = self.connect()
        return refusal


class Refused(RefusedCase, unittest.TestCase):
    def setUp(self):
        super().setUp()
        self.begin()
        self.client.put_scene("hall", name="before")
        self.key, = self.client.create("hall", {"name": "before"})
        self.path = object_path("hall", self.key)

    def test_404_of_what_is_being_deleted(self):
        refusal = self.refuse_and_kill(("DELETE", self.path), ("DELETE", self.path))
        self.assertEqual(refusal.status, 404, refusal)
        self.assertEqual(self.client.get(self.path).status, 404, "the object is back")

    def test_409_of_a_key_that_is_being_taken(self):
        body = {"properties": [{"key": "speed", "name": "speed"}]}
        path = scene_path("hall") + "/property"
        refusal = self.refuse_and_kill(("POST", path, body), ("POST", path, body))
        self.assertEqual(refusal.status, 409, refusal)
        self.assertEqual(self.client.get(path + "/speed").status, 200, "nothing has taken the key")

    def test_412_of_a_version_that_is_being_replaced(self):
        tag = self.client.get(self.path).headers["ETag"]
        body = objects({"name": "after"})
        refusal = self.refuse_and_kill(("POST", self.path, body),
                                       ("POST", self.path, body, {"If-Match": tag}))
        self.assertEqual(refusal.status, 412, refusal)
        self.assertEqual(self.client.object("hall", self.key)["name"], "after")

    def test_423_of_a_lock_that_is_being_granted(self):
        refusal = self.refuse_and_kill(("GET", self.path + "/lock?device=one"),
                                       ("GET", self.path + "/lock?device=two"))
        self.assertEqual(refusal.status, 423, refusal)
        self.assertEqual(self.client.object("hall", self.key)["owner"], "one")

    def test_404_in_a_scene_that_is_being_deleted(self):
        refusal = self.refuse_and_kill(("DELETE", scene_path("hall")), ("DELETE", self.path))
        self.assertEqual(refusal.status, 404, refusal)
        self.assertEqual(self.client.get(self.path).status, 404, "the object is back")

    def test_refusal_is_taken_back_when_what_it_rests_on_failed(self):
        statuses = {}

        def delete(name):
            statuses[name] = self.ask("DELETE", self.path).status

        first = self.commit_slowly(delete, "first", plan=f"latency={COMMIT_MS},unavailable=1")
        write_plan(self.plan_path, "latency=0")
        delete("second")
        first.join(30)
        self.assertEqual(statuses, {"first": 503, "second": 200})
        self.assertEqual(self.client.get(self.path).status, 404)

    def test_refusals_that_rest_on_nothing_staged_are_answered_at_once(self):
        """What waited for the commit would be answered 503, and lately."""
        other, = self.client.create("hall", {"name": "other"})
        thread = self.commit_slowly(self.ask, "DELETE", self.path, plan=f"latency={ENDLESS_MS}")
        self.addCleanup(thread.join, 30)
        self.addCleanup(self.server.kill)
        path = object_path("hall", other)
        statuses = [self.ask(*call).status for call in (
            ("DELETE", object_path("hall", "0" * 24)),
            ("GET", self.path + "1"),
            ("POST", path, objects({"name": "after"}), {"If-Match": '"nothing"'}),
            ("GET", path),
            ("DELETE", object_path("nowhere", "1" * 24)),
            ("DELETE", scene_path("nowhere")))]
        self.assertEqual(statuses, [404, 404, 412, 200, 404, 404])


class RefusedWithUsers(RefusedCase, PeopleCase, unittest.TestCase):
    family = "user"

    def setUp(self):
        super().setUp()
        self.begin(**FLAGS)
        self.admin = self.enter(self.server, "admin")
        self.addCleanup(self.admin.close)

    def test_200_of_a_second_logout(self):
        headers = bearer(self.admin.token)
        second = self.refuse_and_kill(("POST", "/v1/logout", None, headers),
                                      ("POST", "/v1/logout", None, headers))
        self.assertEqual(second.status, 200, second)
        answer = self.client.request("GET", "/v1/users", None, headers)
        self.assertEqual(answer.status, 401, "the session that was ended works")

    def test_409_of_the_last_administrator_while_another_one_is_leaving(self):
        other = self.sign_up("boss", self.admin, isAdmin=True)
        headers = bearer(self.admin.token)
        own = self.admin.get("/v1/users/?username=admin").body["id"]
        refusal = self.refuse_and_kill(
            ("DELETE", f"/v1/users/{other['id']}/admin", None, headers),
            ("DELETE", f"/v1/users/{own}/admin", None, headers))
        self.assertEqual(refusal.status, 409, refusal)
        found = self.client.request("GET", f"/v1/users/{other['id']}", None, headers)
        self.assertFalse(found.body["isAdmin"], "the other one is an administrator still")


if __name__ == "__main__":
    unittest.main()
