"""What one actor does at another happens once: neither a slow commit nor
kill -9 lets the end of a scene, or of a user's access, reach what was made after it.

An actor is busy with a commit of 7 seconds here, so that what reaches it is sent a second time."""

import os
import threading
import unittest

from people import FLAGS, PASSWORD, PeopleCase
from support import Client, ServerCase, scene_path, wait_until, write_plan

BUSY_MS = 7000  # longer than the time after which an effect is sent again
LINK = {"assetId": "chair", "relationshipType": "scene", "relatedId": "hall"}


class BusyCase:
    def begin(self, **flags):
        self.start_server(**flags)
        self.plan_path = os.path.join(self.server.folder, "plan")
        self.plan("latency=0")
        self.restart("restart", store_fault=f"file={self.plan_path}")

    def plan(self, text):
        write_plan(self.plan_path, text)

    def together(self, *call, server=None):
        """Asks in a thread; the list gets the answer, or the loss of the connection."""
        found = []

        def ask():
            with Client(server or self.server) as client:
                try:
                    found.append(client.request(*call))
                except OSError as lost:
                    found.append(lost)

        thread = threading.Thread(target=ask, daemon=True)
        thread.start()
        self.addCleanup(thread.join, 60)
        return found, thread

    def occupy(self, family, *call):
        """The actor of this write is busy with its commit, and with nobody else's."""
        await_commit = self.server.awaits_delayed_commit(family)
        self.plan(f"latency={BUSY_MS}")
        found = self.together(*call)
        await_commit()
        self.plan("latency=0")
        return found


class RelatedScene(BusyCase, ServerCase, unittest.TestCase):
    flags = None

    def setUp(self):
        super().setUp()
        self.begin()
        self.client.put_scene("hall")
        self.assertEqual(self.client.put("/v1/relationship", LINK).status, 200)

    def related(self):
        return [link["relatedId"] for link in self.connect().get("/v1/relationship?asset=chair").body]

    def make_again(self):
        """Deletes the scene, makes it again and relates the asset to the new one."""
        self.occupy("asset", "POST", "/v1/project", {"name": "busy"})
        deleted, _ = self.together("DELETE", scene_path("hall"))
        wait_until(lambda: self.client.get(scene_path("hall")).status == 404, what="the delete")
        self.client.put_scene("hall", name="again")
        return deleted, *self.together("PUT", "/v1/relationship", LINK)

    def test_effect_that_is_sent_again_spares_what_was_related_meanwhile(self):
        _, related, thread = self.make_again()
        thread.join(30)
        self.assertEqual(related[0].status, 200)
        self.assertEqual(self.related(), ["hall"])

    def test_effect_that_is_sent_again_after_a_crash_spares_what_was_related_meanwhile(self):
        _, related, thread = self.make_again()
        # The actor's commit is the first. That of the outbox is held until its answer is out, and
        # then never comes.
        self.plan("kill-before=2,latency=1000")
        thread.join(30)
        self.server.await_kill(30)
        self.assertEqual(getattr(related[0], "status", related[0]), 200)
        self.server.start(store_fault=None)
        self.assertEqual(self.settled(), ["hall"])

    def settled(self):
        """What is related once all effects of the start were done: a later delete waits for them."""
        with Client(self.server) as client:
            client.put_scene("other")
            client.ok("DELETE", scene_path("other"))
        return self.related()


class ExpelledUser(BusyCase, PeopleCase, unittest.TestCase):
    flags = None

    def setUp(self):
        super().setUp()
        self.begin(**FLAGS)
        self.admin = self.enter(self.server, "admin")
        self.addCleanup(self.admin.close)
        self.admin.put_scene("hall")
        self.user = self.sign_up("bob", self.admin)

    def test_user_who_is_active_again_keeps_what_they_registered_since(self):
        headers = {"Authorization": f"Bearer {self.admin.token}"}
        path = f"/v1/users/{self.user['id']}/active"
        self.occupy("scene", "PUT", scene_path("busy"), {"scenes": [{"name": "busy"}]}, headers)
        deactivated, thread = self.together("DELETE", path, None, headers)
        wait_until(lambda: not self.admin.get(path.rsplit("/", 1)[0]).body["isActive"],
                   what="the deactivation")
        self.assertEqual(self.admin.put(path).status, 200)
        bob = self.enter(self.server, "bob", PASSWORD)
        self.addCleanup(bob.close)
        bob.register("hall", {"key": "phone"})
        thread.join(30)
        devices = [device["key"] for device in self.admin.scene("hall")["devices"]]
        self.assertEqual(devices, ["phone"])


if __name__ == "__main__":
    unittest.main()
