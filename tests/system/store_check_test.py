"""dioramad --check-store: whether records and their index records agree, and that it mends them."""

import unittest

from files import upload
from library_test import COLLECTION, PROJECT, LibraryCase
from people import PeopleCase
from recorded import unpack
from support import Server, ServerCase, needs_files

GOOD = "the store is good"


class Agreement(LibraryCase, PeopleCase, unittest.TestCase):
    flags = None

    def setUp(self):
        super().setUp()
        self.start_server(auth_enabled="true", pub_insecure="true",
                          auth_admin_password="correct horse battery")
        self.client = self.enter(self.server, "admin")
        self.addCleanup(self.client.close)

    def assert_good(self, *lines):
        self.assertEqual(self.server.check_store(), ([*lines, GOOD], 0))

    def test_what_was_created_changed_and_deleted_agrees_after_a_kill(self):
        first = upload(self.client, "/v1/asset", b"v 1\n", "a.obj").text
        second = upload(self.client, f"/v1/asset/{first}", b"v 2\n", "b.obj").text
        gone = upload(self.client, "/v1/asset", b"v 3\n", "c.obj").text
        collection = self.collection(name="c", tags=["x", "y"])
        project = self.project(name="p", tags=["x"],
                               assetCollectionIds=[collection.rpartition("/")[2]])
        doomed = self.project(name="q", tags=["z"])
        self.ask("POST", project, {"name": "p 2", "tags": ["y"]})
        self.relate(second, "hall", "scene")
        self.relate(gone, collection.rpartition("/")[2], "collection")
        self.assertEqual(self.client.delete(f"/v1/asset/{gone}").status, 200)
        self.ask("DELETE", doomed)
        user = self.sign_up("ann", admin=self.client)
        self.ask("PUT", f"/v1/users/{user['id']}", {"email": ["a@example.org"]})
        self.server.kill()
        # Assets: name, owner, time, type, bytes and who may see them of two; the relationship: both
        # ends, owner, identity; the collection: name, owner, category, two tags, three words, who
        # may see it; the project: name, owner, category, tag, collection, three words, who may.
        # Of each user: the name as it is compared and as it is, one word; the address of one, the
        # role of the other; the session: who, until when.
        self.assert_good("asset: 5 records, 34 index records; 0 missing, 0 stray, 0 damaged",
                         "user: 3 records, 10 index records; 0 missing, 0 stray, 0 damaged",
                         "scene: 0 records, 0 index records; 0 missing, 0 stray, 0 damaged",
                         "asset: 0 sums of what users pay for differ")

    def test_accounts_that_a_start_makes_and_closes_agree(self):
        self.server.restart(auth_enabled="false")
        with self.connect() as client:
            for name in ("ann", "bob"):
                client.post("/v1/users/sign-up", {"username": name, "password": "correct horse"})
        self.server.restart(auth_enabled="true")
        self.server.kill()
        lines, code = self.server.check_store()
        self.assertEqual((lines[-1], code), (GOOD, 0), lines)

    def test_a_folder_that_is_served_is_not_checked(self):
        lines, code = self.server.check_store()
        self.assertEqual(code, 1)
        self.assertIn("another server has it open", lines[-1])


@needs_files
class Mending(ServerCase, unittest.TestCase):
    flags = None

    def test_a_folder_without_index_records_gets_them(self):
        self.server = Server()
        self.addCleanup(self.server.end)
        unpack("store-0.1", "stopped", self.server.folder)
        lines, code = self.server.check_store()
        self.assertEqual((lines[-1], code), ("the store was mended", 3), lines)
        self.assertNotIn(" 0 missing", lines[0])
        lines, code = self.server.check_store()
        self.assertEqual((lines[-1], code), (GOOD, 0), lines)


if __name__ == "__main__":
    unittest.main()
