"""Writes share a commit, never a refusal: where the commit is too large for the store, only the
request that makes it so is refused."""

import os
import threading
import time
import unittest

from support import Client, ServerCase, object_path, write_plan

LIMIT = 100000
LARGE = [f"{number:04d}" + "x" * 1000 for number in range(110)]  # more than that
COMMIT_MS = 1500


class SharedBatch(ServerCase, unittest.TestCase):
    flags = None

    def setUp(self):
        super().setUp()
        self.start_server()
        self.plan_path = os.path.join(self.server.folder, "plan")
        write_plan(self.plan_path, "latency=0")
        self.restart("restart", store_fault=f"file={self.plan_path}")

    def ask(self, answers, name, *call):
        def run():
            with Client(self.server) as client:
                answers[name] = client.request(*call)

        thread = threading.Thread(target=run, daemon=True)
        thread.start()
        return thread

    def share(self, first, calls, family="scene"):
        """The answers of calls, by name, that come while the commit of `first` is slow: they share
        the next one."""
        answers = {}
        await_commit = self.server.awaits_delayed_commit(family)
        write_plan(self.plan_path, f"latency={COMMIT_MS}")
        threads = [self.ask(answers, "first", *first)]
        await_commit()
        write_plan(self.plan_path, f"limit={LIMIT}")
        threads += [self.ask(answers, name, *call) for name, call in calls.items()]
        for thread in threads:
            thread.join(30)
        self.assertEqual(answers["first"].status, 200, answers["first"])
        return answers

    def test_only_the_write_that_is_too_large_is_refused(self):
        first, one, two, large = self.client.create("hall", *[{"name": "before"}] * 4)
        answers = self.share(
            ("POST", object_path("hall", first), {"name": "after"}),
            {"one": ("POST", object_path("hall", one), {"name": "after"}),
             "large": ("POST", object_path("hall", large), {"assets": LARGE}),
             "two": ("POST", object_path("hall", two), {"name": "after"})})
        statuses = {name: answer.status for name, answer in answers.items()}
        self.assertEqual(statuses, {"first": 200, "one": 200, "two": 200, "large": 413})
        names = [self.client.object("hall", key)["name"] for key in (first, one, two, large)]
        self.assertEqual(names, ["after", "after", "after", "before"])

    def test_a_library_refuses_no_more(self):
        scenes = {"one": [], "large": LARGE, "two": []}
        answers = self.share(
            ("POST", "/v1/project", {"name": "first"}),
            {name: ("POST", "/v1/project", {"sceneGroups": [{"name": "g", "scenes": keys}]})
             for name, keys in scenes.items()}, family="asset")
        statuses = {name: answer.status for name, answer in answers.items()}
        self.assertEqual(statuses, {"first": 200, "one": 200, "two": 200, "large": 413})

    def test_writes_share_commits_again_afterwards(self):
        keys = self.client.create("hall", *[{"name": "before"}] * 12)
        self.share(("POST", object_path("hall", keys[0]), {"name": "after"}),
                   {key: ("POST", object_path("hall", key), {"assets": LARGE}) for key in keys[1:3]})
        write_plan(self.plan_path, "latency=200")
        answers = {}
        began = time.monotonic()
        threads = [self.ask(answers, key, "POST", object_path("hall", key), {"name": "after"})
                   for key in keys]
        for thread in threads:
            thread.join(30)
        took = time.monotonic() - began
        self.assertEqual({answer.status for answer in answers.values()}, {200})
        self.assertLess(took, 0.2 * len(keys), "each had a commit of its own")


if __name__ == "__main__":
    unittest.main()
