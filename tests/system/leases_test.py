"""Leases of locks: they end by themselves, have fences, are renewed, taken over and asked for."""

import time
import unittest

import msgpack

from feeds import Subscriber, UdpDevice
from people import PeopleCase
from streams import EventStream
from support import (LONG_SHARD_COUNTS, Client, ServerCase, moved, object_path, objects, scene_path,
                     wait_until, with_shards)


class LeaseCase(ServerCase):
    def setUp(self):
        super().setUp()
        self.key = self.client.create(self.scene, {"name": "o"})[0]
        self.path = object_path(self.scene, self.key)
        self.lock = self.path + "/lock"

    def lease(self, device="d1", client=None, **wish):
        return (client or self.client).ok("PUT", self.lock, {"device": device, **wish})

    def owner(self):
        return self.client.object(self.scene, self.key)["owner"]

    def watch(self, query=""):
        stream = EventStream(self.server, f"{scene_path(self.scene)}/events{query}")
        self.addCleanup(stream.close)
        return stream

    def write(self, fence, client=None, **members):
        return (client or self.client).request("POST", self.path, members or {"name": "x"},
                                               {"X-Fence": str(fence)})


@with_shards(*LONG_SHARD_COUNTS)
class Leases(LeaseCase):
    def test_lease_has_a_holder_an_end_and_a_fence(self):
        before_us = time.time_ns() // 1000
        answer = self.lease(lease_s=60)
        self.assertEqual(answer["holder"], "d1")
        self.assertLessEqual(before_us, answer["since_us"])
        self.assertLess(abs(answer["until_us"] - answer["since_us"] - 60_000_000), 1000)
        self.assertGreater(answer["fence"], 0)
        self.assertNotIn("user", answer)
        lock = {name: answer[name] for name in ("holder", "since_us", "until_us", "fence")}
        record = self.client.object(self.scene, self.key)
        self.assertEqual((record["owner"], record["lock"]), ("d1", lock))

    def test_lease_is_of_30_s_where_nobody_says_how_long(self):
        answer = self.lease()
        self.assertLess(abs(answer["until_us"] - answer["since_us"] - 30_000_000), 1000)

    def test_lock_without_a_body_has_no_end_as_ever(self):
        for method in ("PUT", "GET"):
            answer = self.client.ok(method, self.lock + "?device=d1")
            self.assertEqual(answer, {"msg_type": 5, "err_code": 100, "num_records": 0, "objects": []})
            lock = self.client.object(self.scene, self.key)["lock"]
            self.assertEqual(sorted(lock), ["fence", "holder", "since_us"])
            self.client.ok("DELETE", self.lock + "?device=d1")
            self.assertNotIn("lock", self.client.object(self.scene, self.key))

    def test_lease_ends_by_itself_and_the_next_has_a_larger_fence(self):
        stream = self.watch()
        stream.snapshot()
        first = self.lease(lease_s=2)
        self.client.refused(423, 123, "PUT", self.lock, {"device": "d2"})
        granted, ended = stream.next().body, stream.next().body
        self.assertEqual((granted["msg_type"], granted["lock"]["lock"]["fence"]), (46, first["fence"]))
        self.assertEqual((ended["msg_type"], ended["reason"], ended["lock"]["owner"]), (47, "expired", ""))
        self.assertNotIn("lock", ended["lock"])
        self.assertGreaterEqual(time.time_ns() // 1000, first["until_us"])
        self.assertGreater(self.lease("d2")["fence"], first["fence"])

    def test_same_device_renews_and_keeps_fence_and_since(self):
        first = self.lease(lease_s=2)
        again = self.lease(lease_s=60)
        self.assertEqual([again[name] for name in ("since_us", "fence")],
                         [first[name] for name in ("since_us", "fence")])
        self.assertGreater(again["until_us"], first["until_us"])
        time.sleep(2.3)
        self.assertEqual(self.owner(), "d1")

    def test_get_of_the_holder_makes_it_a_lock_without_an_end(self):
        self.lease(lease_s=2)
        self.client.ok("GET", self.lock + "?device=d1")
        self.assertNotIn("until_us", self.client.object(self.scene, self.key)["lock"])
        time.sleep(2.3)
        self.assertEqual(self.owner(), "d1")

    def test_what_is_no_lease_is_refused_at_its_place(self):
        for body, status, code, pointer in (
                ({"device": "d1", "lease_s": 0}, 422, 111, "/lease_s"),
                ({"device": "d1", "lease_s": 3601}, 422, 111, "/lease_s"),
                ({"device": "d1", "lease_s": 1.5}, 400, 110, "/lease_s"),
                ({"device": "d1", "renew": 1}, 400, 110, "/renew"),
                ({"lease_s": 5}, 400, 122, "/device")):
            answer = self.client.refused(status, code, "PUT", self.lock, body)
            self.assertEqual(answer["errors"][0]["pointer"], pointer)
        answer = self.client.refused(422, 111, "PUT", self.lock + "?device=d2", {"device": "d1"})
        self.assertEqual(answer["errors"][0]["pointer"], "/device")
        self.assertEqual(self.owner(), "")

    def test_a_lease_that_ends_is_over_in_delta_streams_too(self):
        stream = self.watch("?form=delta")
        index = stream.snapshot()["objects"][0]["i"]
        first = self.lease(lease_s=1)
        taken = stream.next().body["r"][0]
        self.assertEqual((taken["i"], taken["owner"], taken["lock"]["fence"]), (index, "d1", first["fence"]))
        self.assertEqual(stream.next().body["r"], [{"i": index, "owner": "", "lock": None, "reason": "expired"}])

    def test_every_end_has_its_reason(self):
        stream = self.watch()
        stream.snapshot()
        self.client.register(self.scene, {"key": "d1"})
        self.lease()
        self.client.ok("DELETE", self.lock + "?device=d1")
        self.lease()
        self.lease("d2", force=True)
        self.client.ok("DELETE", self.lock + "?device=d2")
        self.lease()
        self.client.deregister(self.scene, "d1")
        self.lease()
        self.client.ok("DELETE", self.path)
        events = []
        while not events or events[-1]["msg_type"] != 3:
            events.append(stream.next().body)
        self.assertEqual([event.get("reason") for event in events if event["msg_type"] == 47],
                         ["released", "taken", "released", "device_gone"])

    def test_leases_of_many_objects_end_together(self):
        keys = self.client.create(self.scene, *({"name": "n"} for _ in range(700)))
        for key in keys:
            self.client.ok("PUT", object_path(self.scene, key) + "/lock", {"device": "d1", "lease_s": 2})
        wait_until(lambda: not any(one["owner"] for one in self.client.objects(self.scene)), 20)

    def test_a_scene_that_is_deleted_and_made_again_goes_on_with_its_fences(self):
        first = self.lease(lease_s=1)["fence"]
        self.client.ok("DELETE", scene_path(self.scene))
        self.key = self.client.create(self.scene, {"name": "o"})[0]
        self.path = object_path(self.scene, self.key)
        self.lock = self.path + "/lock"
        self.assertGreater(self.lease(lease_s=60)["fence"], first)
        time.sleep(1.3)
        self.assertEqual(self.owner(), "d1")


@with_shards(*LONG_SHARD_COUNTS)
class Fences(LeaseCase):
    def refused(self, answer, status, code):
        self.assertEqual((answer.status, answer.body["err_code"]), (status, code), answer)
        return answer.body

    def test_write_with_the_fence_of_an_older_lock_is_refused(self):
        old = self.lease()["fence"]
        self.client.ok("DELETE", self.lock + "?device=d1")
        self.assertEqual(self.write(old, name="still mine").status, 200)
        new = self.lease("d2")["fence"]
        answer = self.refused(self.write(old, name="late"), 423, 123)
        self.assertEqual((answer["holder"], answer["fence"]), ("d2", new))
        for method, path, body in (
                ("POST", self.path, {"name": "late", "fence": old}),
                ("POST", self.path, objects({"name": "late"}, fence=old)),
                ("POST", self.path, objects({"name": "late", "fence": old})),
                ("POST", self.path + "/action", {"name": "late", "fence": old})):
            self.client.refused(423, 123, method, path, body)
        for method, path in (("DELETE", self.path), ("DELETE", self.lock + "?device=d2"),
                             ("PUT", self.path + "/asset/a"), ("PUT", self.lock + "?device=d2")):
            self.refused(self.client.request(method, path, None, {"X-Fence": str(old)}), 423, 123)
        record = self.client.object(self.scene, self.key)
        self.assertEqual((record["name"], record["owner"], record["assets"]), ("still mine", "d2", []))
        self.assertEqual(self.write(new, name="mine").status, 200)

    def test_fence_that_was_never_given_out_is_422(self):
        fence = self.lease()["fence"]
        for wrong in (fence + 1, 0, 1, 2**62):
            self.refused(self.write(wrong), 422, 111)
        for wrong in ("x", "-1", "", "1.0", "9" * 40):
            self.refused(self.write(wrong), 400, 110)

    def test_bulk_names_a_fence_for_each_object(self):
        other, = self.client.create(self.scene, {"name": "other"})
        old = self.lease()["fence"]
        self.lease("d2", force=True)
        bulk = scene_path(self.scene) + "/bulk"
        update = [{"key": self.key, "name": "late"}, {"key": other, "name": "late"}]
        for fences in ({self.key: old}, {self.key: old, other: old}):
            answer = self.client.refused(423, 123, "POST", bulk, {"update": update, "fence": fences})
            self.assertEqual(answer["errors"][0]["pointer"], "/update/0")
        self.client.refused(423, 123, "POST", bulk, {"delete": [self.key], "fence": {self.key: old}})
        answer = self.client.refused(422, 111, "POST", bulk, {"update": update[:1], "fence": {other: old}})
        self.assertEqual(answer["errors"][0]["pointer"], "/fence/" + other)
        self.client.refused(422, 111, "POST", bulk, {"update": update, "fence": {self.key: 2**60}})
        self.assertEqual({one["name"] for one in self.client.objects(self.scene)}, {"o", "other"})
        self.assertEqual(self.client.post(bulk, {"update": update[1:], "fence": {other: old}}).status, 200)
        self.assertEqual(self.client.object(self.scene, other)["name"], "late")

    def test_datagram_with_an_older_fence_is_dropped_and_counted(self):
        old = self.lease()["fence"]
        new = self.lease("d2", force=True)["fence"]
        name = 'diorama_udp_dropped_datagrams_total{reason="fence"}'
        before = self.server.metrics()[name]
        device = UdpDevice("d2")
        self.addCleanup(device.close)
        for fence in (old, 2**60):
            device.send(self.server, {"msg_type": 1, "key": self.key, "transform": moved(9), "fence": fence})
        wait_until(lambda: self.server.metrics()[name] == before + 2)
        self.assertEqual(self.client.object(self.scene, self.key)["transform"][3], 0)
        device.send(self.server, {"msg_type": 1, "key": self.key, "transform": moved(3), "fence": new})
        wait_until(lambda: self.client.object(self.scene, self.key)["transform"][3] == 3)

    def test_locks_of_updates_have_fences_too(self):
        first, = self.client.create(self.scene, {"owner": "d1"})
        created = self.client.object(self.scene, first)["lock"]["fence"]
        updated = self.client.update(self.scene, self.key, owner="d1")["lock"]["fence"]
        self.assertGreater(updated, created)
        third, = self.client.create(self.scene, {"name": "udp"})
        device = UdpDevice("d1")
        self.addCleanup(device.close)
        device.send(self.server, {"msg_type": 1, "key": third, "owner": "d1"})
        wait_until(lambda: self.client.object(self.scene, third)["owner"] == "d1")
        self.assertGreater(self.client.object(self.scene, third)["lock"]["fence"], updated)


@with_shards(*LONG_SHARD_COUNTS)
class Enforced(LeaseCase):
    flags = {"locks_enforce": "true"}

    def test_fence_of_the_lock_shows_its_holder(self):
        other, = self.client.create(self.scene, {"name": "other"})
        fence = self.lease()["fence"]
        others = self.client.ok("PUT", object_path(self.scene, other) + "/lock", {"device": "d2"})["fence"]
        self.assertEqual(self.write(fence, name="by fence").status, 200)
        self.client.refused(423, 123, "POST", self.path, {"name": "by nobody"})
        self.assertEqual(self.write(others, name="of another object").status, 423)
        self.assertEqual(self.client.object(self.scene, self.key)["name"], "by fence")


@with_shards(*LONG_SHARD_COUNTS)
class Renewal(LeaseCase):
    def test_each_write_of_the_holder_renews_where_that_was_asked_for(self):
        first = self.lease(lease_s=2, renew=True)
        for number in range(10):
            time.sleep(0.25)
            if number % 2:
                self.client.ok("POST", self.path + "?device=d1", {"name": f"n{number}"})
            else:
                self.assertEqual(self.write(first["fence"], name=f"n{number}").status, 200)
        lock = self.client.object(self.scene, self.key)["lock"]
        self.assertEqual(lock["fence"], first["fence"])
        self.assertGreater(lock["until_us"], first["until_us"] + 1_000_000)
        wait_until(lambda: self.owner() == "", 10)

    def test_writes_of_others_and_leases_without_it_renew_nothing(self):
        end = time.monotonic() + 1.2
        self.lease(lease_s=1, renew=True)
        other, = self.client.create(self.scene, {"name": "plain"})
        path = object_path(self.scene, other)
        self.client.ok("PUT", path + "/lock", {"device": "d1", "lease_s": 1})
        while time.monotonic() < end:
            self.client.ok("POST", self.path + "?device=d2", {"name": "x"})
            self.client.ok("POST", path + "?device=d1", {"name": "x"})
        wait_until(lambda: self.owner() == "" and self.client.object(self.scene, other)["owner"] == "", 5)

    def test_updates_by_udp_of_the_holder_renew(self):
        first = self.lease(lease_s=2, renew=True)
        device = UdpDevice("d1")
        self.addCleanup(device.close)
        end = time.monotonic() + 2.5
        while time.monotonic() < end:
            device.send(self.server, {"msg_type": 1, "key": self.key, "device": "d1",
                                      "transform": moved(end - time.monotonic())})
            time.sleep(0.03)
        lock = self.client.object(self.scene, self.key)["lock"]
        self.assertEqual(lock["fence"], first["fence"])
        self.assertGreater(lock["until_us"], first["until_us"] + 1_000_000)
        wait_until(lambda: self.owner() == "", 10)
        self.assertLess(lock["until_us"], time.time_ns() // 1000)


class Restarts(LeaseCase, unittest.TestCase):
    flags = None

    def setUp(self):
        self.start_server()
        super().setUp()

    def test_lease_runs_anew_after_a_crash_and_fences_go_on(self):
        first = self.lease(lease_s=2, renew=True)
        time.sleep(1.5)
        crash_us = time.time_ns() // 1000
        self.restart("crash")
        lock = self.client.object(self.scene, self.key)["lock"]
        self.assertEqual((lock["holder"], lock["fence"]), ("d1", first["fence"]))
        self.assertGreaterEqual(lock["until_us"], crash_us + 2_000_000)
        self.assertLessEqual(lock["until_us"], time.time_ns() // 1000 + 2_000_000)
        wait_until(lambda: self.owner() == "", 10)
        self.assertGreaterEqual(time.time_ns() // 1000, lock["until_us"])
        self.assertGreater(self.lease("d2")["fence"], first["fence"])

    def test_fence_of_before_the_crash_is_still_compared(self):
        old = self.lease()["fence"]
        new = self.lease("d2", force=True)["fence"]
        self.restart("crash")
        self.assertEqual(self.write(old).status, 423)
        self.assertEqual(self.write(new).status, 200)
        self.assertEqual(self.write(new + 1).status, 422)

    def test_lease_ends_in_a_scene_that_is_not_in_memory(self):
        self.lease(lease_s=2)
        self.restart("restart", scene_memory="1M")
        subscriber = Subscriber(self.server)
        self.addCleanup(subscriber.close)
        filler = "x" * 4000
        for number in range(4):  # the scene leaves memory, or is not even read
            self.client.create(f"{self.scene}-{number}", *({"type": filler, "subtype": filler}
                                                           for _ in range(60)))
        subscriber.wait_for(lambda event: event.header.get("reason") == "expired")
        self.assertEqual(self.owner(), "")


@with_shards(*LONG_SHARD_COUNTS)
class Asking(LeaseCase):
    def ask(self, status=200, device="d2", message="may I?"):
        answer = self.client.post(self.lock + "/ask", {"device": device, "message": message})
        self.assertEqual(answer.status, status, answer)
        return answer

    def test_holder_hears_it_in_streams_and_on_pub_without_a_number(self):
        streams = [self.watch(), self.watch("?form=delta"), self.watch("?rate=10")]
        for stream in streams:
            stream.snapshot()  # it has joined
        subscriber = Subscriber(self.server)
        self.addCleanup(subscriber.close)
        self.lease()
        self.assertEqual(self.ask().body["holder"], "d1")
        self.client.update(self.scene, self.key, name="after")
        for stream in streams:
            asked = None
            while asked is None:
                event = stream.next()
                asked = event if event.name == "ask" else None
            self.assertEqual(asked.body["msg_type"], 48)
            self.assertEqual(asked.body["ask"], {"object": self.key, "scene": self.scene, "holder": "d1",
                                                 "device": "d2", "message": "may I?"})
        told = subscriber.wait_for(lambda event: event.topic.startswith("ask."))
        self.assertEqual((told.topic, "seq" in told.header, told.body["message"]),
                         (f"ask.{self.scene}.48", False, "may I?"))

    def device(self, key, scheme="udp", wish="?events=all"):
        device = UdpDevice(key)
        self.addCleanup(device.close)
        self.client.register(self.scene, {
            "key": key, "connection_string": f"{scheme}://{device.address}:{device.port}{wish}"})
        return device

    def told(self, device):
        """What came up to the next change."""
        return [event for event in device.events() if event["msg_type"] == 48]

    def test_device_that_holds_the_lock_hears_it_by_udp_if_it_wants_to(self):
        holder, other = self.device("d1"), self.device("d3")
        self.lease()
        self.ask()
        told = holder.wait_for(lambda event: event["msg_type"] == 48)
        self.assertEqual(told.pop("ask"), {"object": self.key, "scene": self.scene, "holder": "d1",
                                           "device": "d2", "message": "may I?"})
        self.assertEqual((told["scene"], "seq" in told), (self.scene, False))
        self.client.update(self.scene, self.key, name="after")
        other.wait_for(lambda event: event.get("name") == "after")
        self.assertEqual(self.told(other), [])

    def test_device_that_did_not_ask_for_all_events_is_not_told(self):
        holder = self.device("d1", wish="")
        self.lease()
        self.ask()
        self.client.update(self.scene, self.key, name="after")
        holder.wait_for(lambda event: event.get("name") == "after")
        self.assertEqual(self.told(holder), [])

    def test_packed_device_hears_it_as_a_seventh_item(self):
        holder = self.device("d1", "udp+msgpack")
        self.lease()
        self.ask()
        datagram = holder.inbox.wait_for(
            lambda d: len(msgpack.unpackb(d.content, strict_map_key=False)) == 7, 20.0, "the question")
        version, _, prev, seq, count, changes, note = msgpack.unpackb(datagram.content)
        self.assertEqual((version, prev, count, changes), (1, seq, 0, []))
        self.assertEqual((note[0], note[2]["message"]), (48, "may I?"))

    def test_holder_is_asked_once_a_second(self):
        self.lease()
        took_s = 1.0
        while took_s >= 1:  # on a machine that is too slow the next second has begun
            time.sleep(1.1)
            began = time.monotonic()
            self.ask()
            answer = self.client.post(self.lock + "/ask", {"device": "d3", "message": "may I?"})
            took_s = time.monotonic() - began
        self.assertEqual((429, "1"), (answer.status, answer.headers["Retry-After"]))
        time.sleep(1.1)
        self.ask()

    def test_there_must_be_another_holder(self):
        self.ask(409)
        self.lease("d2")
        self.ask(409)
        self.assertEqual(self.client.post(self.lock + "/ask", {"message": "x"}).status, 400)
        self.lease("d1", force=True)
        self.ask(422, message="x" * 257)


class TakingOver(PeopleCase, unittest.TestCase):
    def admin_id(self):
        return self.admin.get("/v1/session").body["user"]["id"]

    def test_owner_editors_and_administrators_take_over_and_that_is_audited(self):
        owner, editor, other = (self.new_person(name) for name in ("owner", "editor", "other"))
        for person in (owner, editor, other):
            self.addCleanup(person.close)
        owner.put_scene("plaza")
        key, = owner.create("plaza", {"name": "lamp"})
        path = object_path("plaza", key) + "/lock"
        owner.register("plaza", {"key": "owners"})
        first = editor.ok("PUT", path, {"device": "editors"})
        self.assertEqual(first["user"], editor.id)
        for person, device in ((other, "others"), (owner, "owners"), (self.admin, "admins")):
            answer = person.refused(423, 123, "PUT", path, {"device": device})
            self.assertEqual(answer["fence"], first["fence"])
            taken = person.ok("PUT", path, {"device": device, "force": True})
            self.assertGreater(taken["fence"], first["fence"])
            first = taken
        other.refused(403, 131, "PUT", path, {"device": "owners", "force": True})
        def lines_of_force():
            found = self.admin.get("/v1/audit?class=security&operation=object_lock").body
            return found if len(found) >= 3 else None

        lines = wait_until(lines_of_force)
        self.assertEqual([line["user"] for line in lines], [other.id, owner.id, self.admin_id()])

    def test_only_the_user_of_the_holder_hears_that_somebody_asks(self):
        owner, guest = self.new_person("host"), self.new_person("visitor")
        for person in (owner, guest):
            self.addCleanup(person.close)
        owner.put_scene("hall")
        key, = owner.create("hall", {"name": "lamp"})
        path = object_path("hall", key) + "/lock"
        streams = []
        for person in (owner, guest):
            streams.append(EventStream(self.server, "/v1/scene/hall/events",
                                  headers={"Authorization": f"Bearer {person.token}"}))
            self.addCleanup(streams[-1].close)
            streams[-1].snapshot()
        owner.ok("PUT", path, {"device": "hosts"})
        guest.ok("POST", path + "/ask", {"device": "guests", "message": "please"})
        owner.update("hall", key, name="after")
        heard = [[], []]
        for number, stream in enumerate(streams):
            while not heard[number] or heard[number][-1][1] != 1:
                event = stream.next()
                heard[number].append((event.name, event.body["msg_type"]))
        self.assertEqual(heard, [[("change", 46), ("ask", 48), ("change", 1)],
                                 [("change", 46), ("change", 1)]])


if __name__ == "__main__":
    unittest.main()
