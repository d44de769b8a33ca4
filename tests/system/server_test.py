"""What `GET /v1/server` tells, and to whom; how the process was started."""

import os
import re
import time
import unittest
from unittest import mock

from people import FLAGS, PASSWORD, PeopleCase
from support import ServerCase, is_sanitized, scene_path, wait_until

MEMBERS = {"version", "epoch", "started_us", "uptime_s", "auth", "locks_enforce", "udp", "pub", "disk",
           "counts", "memory", "limits", "budgets", "budget_units"}


class Page(ServerCase, unittest.TestCase):
    flags = {"budget_uploads": "5", "locks_enforce": "true", "store_reserve": "1M"}

    def page(self):
        answer = self.client.get("/v1/server")
        self.assertEqual(answer.status, 200, answer)
        return answer.body

    def test_tells_what_it_is_and_where_it_listens(self):
        page = self.page()
        self.assertEqual(set(page), MEMBERS | {"settings"})
        self.assertEqual((page["auth"], page["locks_enforce"]), (False, True))
        self.assertEqual(page["udp"]["port"], self.server.udp_port)
        self.assertIn(str(self.server.pub_port), page["pub"]["endpoint"])
        self.assertIs(page["pub"]["curve"], False)
        self.assertEqual(page["disk"]["reserve"], 1 << 20)
        self.assertIs(page["disk"]["read_only"], False)
        self.assertGreater(page["disk"]["free"], 0)
        self.assertGreater(page["epoch"], 0)
        self.assertLess(abs(time.time() - page["started_us"] / 1e6 - page["uptime_s"]), 60)
        self.assertEqual(page["budgets"]["uploads"], 5)
        self.assertEqual(page["limits"]["key_bytes"], 128)

    def test_units_of_budgets_and_settings_are_told(self):
        page = self.page()
        settings = {row["name"]: row for row in page["settings"]}
        self.assertEqual(page["budget_units"],
                         {name: "bytes" for name in ("record_bytes", "asset_bytes",
                                                     "arriving_bytes", "parse_bytes",
                                                     "stream_bytes")})
        for name in page["budgets"]:
            if "budget." + name in settings:
                self.assertEqual(settings["budget." + name].get("unit"),
                                 page["budget_units"].get(name), name)
        self.assertEqual(settings["http.deadline"]["unit"], "ms")

    def test_counts_scenes_objects_and_devices(self):
        before = self.page()["counts"]
        self.client.put_scene("hall")
        self.client.create("hall", {}, {}, {})
        self.client.register("hall", {"key": "a"}, {"key": "b"})
        self.client.register("hall", {"key": "b"})

        def more():
            now = self.page()["counts"]
            return {name: now[name] - before[name] for name in before}

        self.assertEqual(more(), {"scenes": 1, "loaded": 1, "objects": 3, "devices": 2, "streams": 0})
        self.client.deregister("hall", "a")
        self.assertEqual(more()["devices"], 1)
        self.restart("crash")
        self.assertEqual(self.page()["counts"]["devices"], before["devices"] + 1)
        self.client.ok("DELETE", scene_path("hall"))
        self.assertEqual(self.page()["counts"]["devices"], before["devices"])

    def test_tells_memory_by_kind(self):
        before = self.page()["memory"]
        self.assertEqual(set(before), {"resident", "scenes", "library", "users", "objects", "shown",
                                       "requests", "block_cache", "memtables", "tables"})
        self.assertGreater(before["resident"], sum(before.values()) - before["resident"])
        for i in range(100):
            self.client.put_scene(f"m{i}", description="d" * 1000)
        self.client.create("m0", *({"name": f"object {i}"} for i in range(100)))
        made = self.client.request("POST", "/v1/project", {"name": "x" * 200, "description": "d" * 1000})
        self.assertEqual(made.status, 200)
        # An actor tells what it has at the end of the turn that answers.
        wait_until(lambda: self.page()["memory"]["library"] - before["library"] >= 1200, what="the project")
        full = self.page()["memory"]
        self.assertBetween(full["scenes"] - before["scenes"], 100 * 1000, 100 * 1500)
        self.assertBetween(full["objects"] - before["objects"], 100 * 150, 100 * 1000)
        self.assertBetween(full["library"] - before["library"], 1200, 3000)
        for i in range(100):
            self.client.ok("DELETE", scene_path(f"m{i}"))
        self.assertLess(self.page()["memory"]["scenes"] - before["scenes"], 10000)
        metrics = self.server.metrics()
        self.assertEqual(metrics['diorama_record_memory_bytes{kind="scenes"}'],
                         self.page()["memory"]["scenes"])

    def assertBetween(self, value, low, high):
        self.assertTrue(low <= value <= high, (low, value, high))

    def test_says_where_settings_come_from(self):
        settings = {row["name"]: row for row in self.page()["settings"]}
        self.assertEqual(settings["budget.uploads"],
                         {"name": "budget.uploads", "value": "5", "default": "8", "from": "flag"})
        self.assertEqual(settings["http.threads"]["from"], "default")
        self.assertEqual(settings["locks.enforce"]["value"], "true")


class Secrets(PeopleCase, unittest.TestCase):
    flags = FLAGS

    def test_settings_are_for_administrators_and_hide_secrets(self):
        self.sign_up("bob", self.admin)
        with self.enter(self.server, "bob") as bob:
            self.assertEqual(set(bob.get("/v1/server").body), MEMBERS)
        answer = self.admin.get("/v1/server")
        settings = {row["name"]: row["value"] for row in answer.body["settings"]}
        self.assertEqual(settings["auth.admin_password"], "***")
        self.assertNotIn(PASSWORD, answer.text)

    def test_is_for_those_who_are_logged_in(self):
        self.client.refused(401, 130, "GET", "/v1/server")


@unittest.skipIf(is_sanitized(), "a sanitizer has a heap of its own")
class Caches(ServerCase, unittest.TestCase):
    """What the threads keep of freed blocks is bounded by a variable that the process sets itself."""

    flags = None

    def tunables(self, said):
        with mock.patch.dict(os.environ):
            os.environ.pop("GLIBC_TUNABLES", None)
            os.environ.update(said)
            self.start_server()
        process = f"/proc/{self.server.process.pid}"
        with open(f"{process}/comm") as name, open(f"{process}/environ") as environment:
            self.assertEqual(name.read().strip(), "dioramad")
            # glibc cuts the text at its colons where it reads it.
            return re.findall(r"glibc\.[^:\0]+", environment.read())

    def test_are_bounded(self):
        self.assertEqual(self.tunables({}), ["glibc.malloc.tcache_max=128"])

    def test_are_bounded_beside_what_the_operator_sets(self):
        self.assertEqual(self.tunables({"GLIBC_TUNABLES": "glibc.malloc.check=0"}),
                         ["glibc.malloc.check=0", "glibc.malloc.tcache_max=128"])

    def test_are_as_the_operator_sets_them(self):
        said = "glibc.malloc.tcache_count=3"
        self.assertEqual(self.tunables({"GLIBC_TUNABLES": said}), [said])


if __name__ == "__main__":
    unittest.main()
