"""A create that takes several commits and a delete of its scene between two of them: what is
acknowledged holds, and the scene does not come back."""

import os
import threading
import unittest

from support import Client, ServerCase, objects, scene_path, wait_until, write_plan

OBJECTS = 900  # three commits
COMMITS = 'diorama_store_commits_total{result="ok"}'


class LateSlices(ServerCase, unittest.TestCase):
    flags = None

    def setUp(self):
        super().setUp()
        self.start_server()
        self.plan_path = os.path.join(self.server.folder, "plan")
        write_plan(self.plan_path, "latency=0")
        self.restart("restart", store_fault=f"file={self.plan_path}")
        self.client.put_scene("hall")

    def create_and_delete(self):
        """The answers of both: the delete comes when the first commit of the create is done."""
        answers, before = {}, self.server.metrics()[COMMITS]

        def create():
            with Client(self.server) as client:
                answers["create"] = client.post(scene_path("hall") + "/object/",
                                                objects(*[{"name": "o"}] * OBJECTS))

        write_plan(self.plan_path, "latency=700")
        thread = threading.Thread(target=create, daemon=True)
        thread.start()
        wait_until(lambda: self.server.metrics()[COMMITS] > before, what="the first slice")
        answers["delete"] = self.client.delete(scene_path("hall"))
        thread.join(30)
        write_plan(self.plan_path, "latency=0")
        return answers["create"], answers["delete"]

    def test_scene_that_was_deleted_does_not_come_back(self):
        _, deleted = self.create_and_delete()
        self.assertEqual(deleted.status, 200, deleted)
        self.client.refused(404, 102, "GET", scene_path("hall"))

    def test_create_that_a_delete_ended_says_how_many_were_made(self):
        created, deleted = self.create_and_delete()
        if deleted.status == 200:  # unless it was refused while the create went on
            self.assertIn(created.status, (404, 409), f"{created.status}: both were acknowledged")
            self.assertRegex(created.body["detail"], r"\b(300|600)\b")

    def test_all_that_is_acknowledged_is_there_unless_its_scene_is_gone(self):
        created, _ = self.create_and_delete()
        if created.status == 200 and self.client.get(scene_path("hall")).status == 200:
            self.assertEqual(len(self.client.objects("hall")), OBJECTS)


if __name__ == "__main__":
    unittest.main()
