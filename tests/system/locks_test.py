"""Locks."""

import threading
import unittest

from feeds import UdpDevice
from support import (LONG, SHARD_COUNTS, Client, ServerCase, moved, object_path, objects,
                     run_together, with_shards)


class LockCase(ServerCase):
    def setUp(self):
        super().setUp()
        self.key = self.client.create(self.scene, {"name": "o"})[0]
        self.path = object_path(self.scene, self.key)

    def grant(self, device):
        return self.client.ok("GET", f"{self.path}/lock?device={device}")

    def release(self, device):
        return self.client.ok("DELETE", f"{self.path}/lock?device={device}")

    def owner(self):
        return self.client.object(self.scene, self.key)["owner"]

    def refused(self, holder, method, path, body=None):
        answer = self.client.refused(423, 123, method, path, body)
        self.assertEqual(answer["holder"], holder)


@with_shards(*SHARD_COUNTS)
class Locks(LockCase):
    def test_a_granted_lock_names_its_device_as_owner(self):
        answer = self.grant("d1")
        self.assertEqual((answer["msg_type"], answer["num_records"], answer["objects"]), (5, 0, []))
        self.assertEqual(self.owner(), "d1")

    def test_a_second_device_is_refused_and_told_the_holder(self):
        self.grant("d1")
        self.refused("d1", "GET", self.path + "/lock?device=d2")
        self.refused("d1", "DELETE", self.path + "/lock?device=d2")
        self.assertEqual(self.owner(), "d1")

    def test_the_holder_may_renew(self):
        self.grant("d1")
        self.grant("d1")
        self.assertEqual(self.owner(), "d1")

    def test_a_released_lock_goes_to_the_next(self):
        self.grant("d1")
        self.assertEqual(self.release("d1")["msg_type"], 6)
        self.assertEqual(self.owner(), "")
        self.grant("d2")
        self.assertEqual(self.owner(), "d2")

    def test_releasing_what_is_not_held_is_a_success(self):
        self.release("d1")
        self.assertEqual(self.owner(), "")

    def test_the_parameter_has_the_alias_owner(self):
        self.client.ok("GET", self.path + "/lock?owner=d1")
        self.assertEqual(self.owner(), "d1")
        self.client.ok("DELETE", self.path + "/lock?owner=d1")
        self.assertEqual(self.owner(), "")

    def test_the_device_is_percent_decoded(self):
        self.grant("a%20%C3%A4")
        self.assertEqual(self.owner(), "a ä")

    def test_a_missing_device_is_400(self):
        for method in ("GET", "DELETE"):
            for query in ("", "?", "?device=", "?other=d1"):
                self.client.refused(400, 122, method, f"{self.path}/lock{query}")
        self.assertEqual(self.owner(), "")

    def test_an_owner_at_creation_holds_the_lock(self):
        self.key = self.client.create(self.scene, {"owner": "d1"})[0]
        self.path = object_path(self.scene, self.key)
        self.refused("d1", "GET", self.path + "/lock?device=d2")
        self.release("d1")
        self.grant("d2")

    def test_an_update_changes_the_owner_only_where_no_other_holds_the_lock(self):
        self.client.update(self.scene, self.key, owner="d1")
        self.assertEqual(self.owner(), "d1")
        self.refused("d1", "GET", self.path + "/lock?device=d2")
        self.client.update(self.scene, self.key, owner="d2", name="renamed")
        record = self.client.object(self.scene, self.key)
        self.assertEqual((record["owner"], record["name"]), ("d1", "renamed"))

    def test_updates_of_others_pass_while_locks_are_not_enforced(self):
        self.grant("d1")
        self.client.update(self.scene, self.key, name="by another")
        self.assertEqual(self.client.object(self.scene, self.key)["name"], "by another")

    def test_the_locks_of_a_device_end_when_it_deregisters_from_the_scene(self):
        other_scene = self.scene + "-other"
        elsewhere = self.client.create(other_scene, {"owner": "d1"})[0]
        foreign = self.client.create(self.scene, {"owner": "d2"})[0]
        self.client.register(self.scene, {"key": "d1"}, {"key": "d2"})
        self.client.register(other_scene, {"key": "d1"})
        self.grant("d1")
        self.client.deregister(self.scene, "d1")
        self.assertEqual(self.owner(), "")
        self.assertEqual(self.client.object(self.scene, foreign)["owner"], "d2")
        self.assertEqual(self.client.object(other_scene, elsewhere)["owner"], "d1")
        self.grant("d2")

    def test_locks_survive_a_crash(self):
        self.start_server()
        self.key = self.client.create(self.scene, {"name": "o"})[0]
        self.path = object_path(self.scene, self.key)
        self.grant("d1")
        self.restart("crash")
        self.refused("d1", "GET", self.path + "/lock?device=d2")
        self.release("d1")
        self.restart("crash")
        self.grant("d2")


@with_shards(*SHARD_COUNTS)
class Contest(LockCase):
    CLIENTS = 64
    GRANTS = 10000 if LONG else 10  # by each client

    def test_64_clients_never_hold_the_lock_together(self):
        inside = threading.Lock()  # taken without waiting: a second holder finds it taken
        holders = []

        def contend(device):
            with Client(self.server) as client:
                for _ in range(self.GRANTS):
                    answer = client.get(f"{self.path}/lock?device={device}")
                    if answer.status == 423:
                        continue
                    self.assertEqual(answer.status, 200, answer)
                    self.assertTrue(inside.acquire(blocking=False), "two holders at once")
                    holders.append(device)
                    inside.release()
                    client.ok("DELETE", f"{self.path}/lock?device={device}")

        run_together(*(lambda n=n: contend(f"d{n}") for n in range(self.CLIENTS)))
        self.assertGreater(len(set(holders)), 1)
        self.assertEqual(self.owner(), "")

    def test_of_64_clients_at_once_exactly_one_is_granted(self):
        for _ in range(200 if LONG else 5):
            ready = threading.Barrier(self.CLIENTS)
            statuses = []

            def ask(device):
                with Client(self.server) as client:
                    client.get("/livez")
                    ready.wait()
                    answer = client.get(f"{self.path}/lock?device={device}")
                    statuses.append((answer.status, device))

            run_together(*(lambda n=n: ask(f"d{n}") for n in range(self.CLIENTS)))
            granted = [device for status, device in statuses if status == 200]
            self.assertEqual(len(granted), 1, statuses)
            self.assertEqual({status for status, _ in statuses}, {200, 423})
            self.assertEqual(self.owner(), granted[0])
            self.release(granted[0])


@with_shards(*SHARD_COUNTS)
class Enforced(LockCase):
    flags = {"locks_enforce": "true"}

    def test_a_write_of_another_device_is_refused(self):
        self.grant("d1")
        for query in ("", "?device=d2"):
            for method, path, body in (
                    ("POST", self.path + query, {"name": "x"}),
                    ("POST", self.path + query, objects({"name": "x"})),
                    ("PUT", f"{self.path}/asset/a{query}", None),
                    ("DELETE", f"{self.path}/asset/a{query}", None),
                    ("DELETE", self.path + query, None)):
                self.refused("d1", method, path, body)
        record = self.client.object(self.scene, self.key)
        self.assertEqual((record["name"], record["assets"]), ("o", []))

    def test_a_write_of_the_holder_passes(self):
        self.grant("d1")
        self.client.ok("POST", self.path + "?device=d1", {"name": "mine"})
        self.client.ok("PUT", self.path + "/asset/a?device=d1")
        record = self.client.object(self.scene, self.key)
        self.assertEqual((record["name"], record["assets"]), ("mine", ["a"]))
        self.client.ok("DELETE", self.path + "?device=d1")

    def test_a_write_to_what_is_not_locked_passes(self):
        self.client.ok("POST", self.path, {"name": "free"})
        self.assertEqual(self.client.object(self.scene, self.key)["name"], "free")

    def test_an_update_by_udp_of_another_device_is_dropped_and_counted(self):
        self.grant("d1")
        device = UdpDevice("d1")
        self.addCleanup(device.close)
        self.client.register(self.scene, device.record())
        before = self.server.metrics()
        update = {"msg_type": 1, "key": self.key, "transform": moved(5)}
        device.send(self.server, {**update, "device": "d2"})
        device.send(self.server, update)
        device.send(self.server, {**update, "device": "d1", "transform": moved(6)})
        device.wait_for(lambda event: event["transform"][3] == 6)
        self.assertEqual([event["transform"][3] for event in device.events()], [6])
        self.assertEqual(self.client.object(self.scene, self.key)["transform"], moved(6))
        name = 'diorama_udp_dropped_datagrams_total{reason="locked"}'
        self.assertEqual(self.server.metrics()[name] - before[name], 2)


if __name__ == "__main__":
    unittest.main()
