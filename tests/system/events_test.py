"""Server-sent events: a snapshot and every change after it, resumed and bounded."""

import socket
import threading
import time
import unittest
from urllib.parse import quote

from streams import EventStream
from support import (LONG, SHARD_COUNTS, ServerCase, is_sanitized, moved, object_path, run_together,
                     scene_path, wait_until, with_shards)

STREAMS = "diorama_http_streams"


class StreamCase(ServerCase):
    def watch(self, *keys, query="", **options):
        """A stream of the scene of this test, or of these."""
        if keys:
            query = "&".join([f"scene={quote(key, safe='')}" for key in keys] + [query] * bool(query))
            target = f"/v1/events?{query}"
        else:
            target = f"{scene_path(self.scene)}/events{'?' + query if query else ''}"
        stream = EventStream(self.server, target, **options)
        self.addCleanup(stream.close)
        return stream

    def property(self, **members):
        path = f"{scene_path(self.scene)}/property"
        return self.client.ok("POST", path, {"properties": [members]})["properties"][0]["key"]

    def streams(self):
        return self.server.metrics()[STREAMS]


@with_shards(*SHARD_COUNTS)
class Events(StreamCase):
    def test_first_the_state_then_every_change(self):
        self.client.put_scene(self.scene)
        key = self.client.create(self.scene, {"name": "a"})[0]
        value = self.property(name="v", values=[1.5])
        stream = self.watch()
        first = stream.next()
        self.assertEqual(first.name, "snapshot")
        state = first.body
        self.assertEqual(first.id, f"{state['epoch']}-{state['seq']}")
        self.assertEqual(list(state), ["scene", "epoch", "seq", "objects", "properties"])
        self.assertEqual(state["scene"], self.scene)
        seq = state["seq"]
        self.assertEqual(state["objects"], [self.client.object(self.scene, key)])
        self.assertEqual([(p["key"], p["values"]) for p in state["properties"]], [(value, [1.5])])
        changed = self.client.update(self.scene, key, transform=moved(1, 2, 3))
        event = stream.next()
        self.assertEqual((event.name, event.id), ("change", f"{state['epoch']}-{seq + 1}"))
        self.assertEqual(event.body,
                         {"msg_type": 1, "seq": seq + 1, "scene": self.scene, "object": changed})

    def test_each_kind_of_event_has_its_record(self):
        self.client.put_scene(self.scene)
        key = self.client.create(self.scene, {"name": "a"})[0]
        stream = self.watch()
        seq = stream.snapshot()["seq"]
        self.client.register(self.scene, {"key": "d", "hostname": "127.0.0.1", "port": 40000})
        self.client.ok("GET", f"{object_path(self.scene, key)}/lock?device=d")
        self.client.ok("DELETE", f"{object_path(self.scene, key)}/lock?device=d")
        self.property(name="v")
        self.client.deregister(self.scene, "d")
        self.client.ok("DELETE", object_path(self.scene, key))
        self.client.ok("DELETE", scene_path(self.scene))
        found = [event.body for event in stream.rest()]
        self.assertEqual([(event["msg_type"], list(event)[3]) for event in found], [
            (43, "device"), (46, "lock"), (47, "lock"), (8, "property"), (44, "device"),
            (3, "object"), (42, "record")])
        self.assertEqual([event["seq"] for event in found], list(range(seq + 1, seq + 8)))
        self.assertEqual([found[1]["lock"]["owner"], found[2]["lock"]["owner"]], ["d", ""])
        self.assertNotIn("hostname", found[0]["device"])
        self.assertTrue(stream.has_ended)

    def test_the_head_lets_everything_through_as_it_comes(self):
        self.client.put_scene(self.scene)
        for method in ("GET", "HEAD"):
            stream = self.watch(method=method, headers={"Accept-Encoding": "gzip, zstd"})
            self.assertEqual(stream.status, 200)
            self.assertEqual(stream.headers["Content-Type"], "text/event-stream")
            self.assertEqual(stream.headers["Cache-Control"], "no-store")
            self.assertEqual(stream.headers["X-Accel-Buffering"], "no")
            self.assertFalse({"Content-Length", "Content-Encoding"} & set(stream.headers))
        self.assertIsNone(stream.next(), "HEAD has no body")

    def test_other_origins_read_it_as_they_read_the_rest(self):
        self.client.put_scene(self.scene)
        stream = self.watch(headers={"Origin": "http://elsewhere.example"})
        self.assertEqual(stream.status, 200)
        self.assertNotIn("Access-Control-Allow-Origin", stream.headers)

    def test_what_is_no_stream(self):
        self.client.put_scene(self.scene)
        path = scene_path(self.scene) + "/events"
        self.client.refused(404, 102, "GET", scene_path("nowhere") + "/events")
        self.client.refused(404, 102, "GET", f"/v1/events?scene={self.scene}&scene=nowhere")
        self.client.refused(400, 122, "GET", "/v1/events")
        self.client.refused(405, 141, "POST", path)
        for rate in ("0", "241", "-1"):
            self.client.refused(422, 111, "GET", f"{path}?rate={rate}")
        self.client.refused(400, 110, "GET", f"{path}?rate=often")
        many = "&".join(f"scene=s{i}" for i in range(65))
        self.client.refused(422, 111, "GET", f"/v1/events?{many}")
        long = "&".join(f"scene={n:03}{'!' * 110}" for n in range(30))  # no header holds its ids
        self.client.refused(422, 111, "GET", f"/v1/events?{long}")
        self.assertEqual(wait_until(lambda: self.streams() == 0), True)

    def test_a_stream_goes_on_after_the_event_that_the_client_has(self):
        self.client.put_scene(self.scene)
        key = self.client.create(self.scene, {"name": "a"})[0]
        with self.watch() as stream:
            stream.snapshot()
            self.client.update(self.scene, key, name="b")
            had = stream.next().id
        self.client.update(self.scene, key, name="c")
        self.client.update(self.scene, key, name="d")
        for again in (self.watch(headers={"Last-Event-ID": had}),
                      self.watch(query=f"last_event={had}"),
                      self.watch(query="last_event=1-1", headers={"Last-Event-ID": had})):
            self.assertEqual(again.any().data, "resumed")
            self.assertEqual([again.change()["object"]["name"] for _ in range(2)], ["c", "d"])
        self.client.update(self.scene, key, name="e")
        self.assertEqual(again.change()["object"]["name"], "e")

    def test_who_has_missed_nothing_gets_nothing_twice(self):
        self.client.put_scene(self.scene)
        with self.watch() as stream:
            had = stream.next().id
        again = self.watch(headers={"Last-Event-ID": had})
        self.client.create(self.scene, {"name": "a"})
        self.assertEqual(again.change()["seq"], int(had.partition("-")[2]) + 1)

    def test_an_id_that_is_none_gets_the_state(self):
        self.client.put_scene(self.scene)
        with self.watch() as stream:
            epoch, _, seq = stream.next().id.partition("-")
        for had in ("", "x", f"{epoch}", f"{epoch}-", f"{epoch}-{seq}x", f"{epoch}-{int(seq) + 1}",
                    f"{int(epoch) + 1}-{seq}", "9" * 400, f"other:{epoch}-{seq}", "-1--1", ",,:-"):
            with self.subTest(had), self.watch(headers={"Last-Event-ID": had}) as stream:
                self.assertEqual(stream.snapshot()["seq"], int(seq))

    def test_several_scenes_in_one_stream(self):
        odd = f"{self.scene},%:ü"
        keys = [self.scene, odd]
        for key in keys:
            self.client.put_scene(key)
        stream = self.watch(*keys, self.scene)
        states = [stream.snapshot() for _ in keys]
        self.assertEqual([state["scene"] for state in states], keys)
        self.client.create(odd, {"name": "a"})
        event = stream.next()
        epoch, one, two = states[0]["epoch"], states[0]["seq"], states[1]["seq"] + 1
        self.assertEqual(event.id, f"{self.scene}:{epoch}-{one},{quote(odd, safe='')}:{epoch}-{two}")
        self.assertEqual(event.body["scene"], odd)
        stream.close()
        self.client.create(self.scene, {"name": "b"})
        again = self.watch(*keys, headers={"Last-Event-ID": event.id})
        self.assertEqual(again.change()["object"]["name"], "b")
        again.close()
        part = self.watch(*keys, headers={"Last-Event-ID": event.id.split(",")[1]})
        self.assertEqual(part.snapshot()["scene"], self.scene)

    def test_a_deleted_scene_ends_and_the_stream_with_the_last(self):
        keys = [self.scene, self.scene + "2"]
        for key in keys:
            self.client.put_scene(key)
        stream = self.watch(*keys)
        self.assertEqual([stream.snapshot()["scene"] for _ in keys], keys)
        self.client.ok("DELETE", scene_path(keys[0]))
        self.client.create(keys[1], {"name": "a"})
        self.client.ok("DELETE", scene_path(keys[1]))
        found = [(event.body["scene"], event.body["msg_type"]) for event in stream.rest()]
        self.assertEqual(sorted(found), [(keys[0], 42), (keys[1], 0), (keys[1], 42)])

    def test_with_a_rate_the_newest_state_wins(self):
        self.client.put_scene(self.scene)
        keys = self.client.create(self.scene, {"name": "a"}, {"name": "b"})
        stream = self.watch(query="rate=2")
        known = stream.snapshot()["seq"]
        names = {}
        for number in range(40):
            key = keys[number % 2]
            names[key] = self.client.update(self.scene, key, name=str(number))["name"]
        newest, count, seen = known + 40, 0, {}
        while known < newest:
            event = stream.change()
            self.assertEqual(event["prev"], known)
            self.assertGreater(event["seq"], known)
            seen[event["object"]["key"]] = event["object"]["name"]
            known, count = event["seq"], count + 1
        self.assertEqual(seen, names)
        self.assertLess(count, 40)

    def test_who_joins_while_others_write_misses_nothing_and_gets_nothing_twice(self):
        self.client.put_scene(self.scene)
        keys = self.client.create(self.scene, *[{"name": "0"} for _ in range(8)])
        joins, writes = (200, 2000) if LONG else (12, 60)

        def write(key):
            with self.connect() as client:
                for number in range(writes):
                    client.update(self.scene, key, name=str(number))

        with self.watch() as stream:
            newest = stream.snapshot()["seq"] + len(keys) * writes
        streams = []
        run_together(*[lambda key=key: write(key) for key in keys],
                     lambda: streams.extend(self.watch() for _ in range(joins)))
        for stream in streams:
            state = stream.snapshot()
            known, names = state["seq"], {o["key"]: o["name"] for o in state["objects"]}
            while known < newest:
                event = stream.change()
                self.assertEqual(event["seq"], known + 1)
                names[event["object"]["key"]] = event["object"]["name"]
                known += 1
            self.assertEqual(names, {key: str(writes - 1) for key in keys})
            stream.close()


class Life(StreamCase, unittest.TestCase):
    flags = None

    def test_heartbeats_come_although_nothing_happens(self):
        self.start_server(events_heartbeat=200)
        self.client.put_scene(self.scene)
        stream = self.watch()
        stream.snapshot()
        self.assertEqual([stream.any().data for _ in range(3)], ["heartbeat"] * 3)

    def test_what_history_does_not_have_is_told_by_a_snapshot(self):
        self.start_server(events_history=3)
        self.client.put_scene(self.scene)
        key = self.client.create(self.scene, {"name": "a"})[0]
        with self.watch() as stream:
            epoch = stream.snapshot()["epoch"]
        for number in range(5):
            self.client.update(self.scene, key, name=str(number))  # 3 to 7
        with self.watch(headers={"Last-Event-ID": f"{epoch}-4"}) as stream:
            self.assertEqual(stream.change()["seq"], 5)
        with self.watch(headers={"Last-Event-ID": f"{epoch}-3"}) as stream:
            self.assertEqual(stream.snapshot()["seq"], 7)

    def test_a_restart_is_another_epoch(self):
        for how in ("restart", "crash"):
            with self.subTest(how):
                self.start_server()
                self.client.put_scene(self.scene)
                key = self.client.create(self.scene, {"name": "a"})[0]
                stream = self.watch()
                first = stream.next()
                self.restart(how)
                self.assertIsNone(stream.next())
                again = self.watch(headers={"Last-Event-ID": first.id}).snapshot()
                self.assertGreater(again["epoch"], first.body["epoch"])
                self.assertEqual([found["key"] for found in again["objects"]], [key])

    def test_a_server_that_stops_ends_streams_at_once(self):
        self.start_server()
        self.client.put_scene(self.scene)
        streams = [self.watch() for _ in range(20)]
        for stream in streams:
            stream.snapshot()
        code, took = self.server.stop()
        self.assertEqual(code, 0)
        self.assertLess(took, 10 if is_sanitized() else 5)
        for stream in streams:
            self.assertEqual(stream.rest(), [])

    def test_who_falls_behind_is_told_so_and_gets_the_state_anew(self):
        self.start_server()
        self.client.put_scene(self.scene)
        texts = [f"{number:04}" + "x" * 1000 for number in range(30)]  # 30 KB in each event
        key = self.client.create(self.scene, {"name": "a", "assets": texts})[0]
        stream = self.watch(receive_bytes=4096)
        for number in range(250):  # 7.5 MB
            last = self.client.update(self.scene, key, name=str(number))
        newest = self.client.ok("POST", f"{scene_path(self.scene)}/object/query", {})["seq"]
        known, words, state = None, [], None
        while known != newest:
            event = stream.any()
            if not event.name:
                words.append(event.data)
                continue
            if event.name == "change":
                self.assertEqual(event.body["seq"], known + 1)
            else:
                self.assertEqual(words.count("behind"), known is not None)
            known = event.body["seq"]
            state = event.body["object"] if event.name == "change" else event.body["objects"][0]
        self.assertEqual(words.count("behind"), 1)
        self.assertEqual(state, last)

    @unittest.skipIf(is_sanitized(), "it looks at time and memory")
    def test_who_does_not_read_is_cut_and_costs_no_memory(self):
        self.start_server()
        self.client.put_scene(self.scene)
        texts = [f"{number:04}" + "x" * 1000 for number in range(30)]  # 30 KB in each event
        key = self.client.create(self.scene, {"name": "a", "assets": texts})[0]
        stalled = self.watch(receive_bytes=4096)
        healthy = self.watch()
        known = healthy.snapshot()["seq"]
        numbers, before = [], self.server.resident_bytes()

        def read():
            while (event := healthy.next(60)) is not None:
                numbers.append(event.body["seq"])

        reader = threading.Thread(target=read, daemon=True)
        reader.start()
        began, written = time.monotonic(), known
        while self.streams() == 2:
            self.assertLess(time.monotonic() - began, 60)
            for _ in range(10):
                self.client.update(self.scene, key, name=str(written))
                written += 1
            # Its reader is a thread of this program and may be slow itself: 4 MiB may wait for it.
            wait_until(lambda: len(numbers) > written - known - 50, 60, "what the other one hears")
        self.assertGreater(time.monotonic() - began, 8)
        wait_until(lambda: numbers and numbers[-1] == written)
        # History has its 64 MiB, and so has what the store writes next.
        self.assertLess(self.server.resident_bytes() - before, 192 << 20)
        metrics = self.server.metrics()
        self.assertEqual(metrics['diorama_http_cut_connections_total{reason="late"}'], 1)
        self.assertEqual(numbers, list(range(known + 1, written + 1)))
        self.assertGreater(len(numbers) * 30000, 8 << 20, "more than a stream may have waiting")
        healthy.socket.shutdown(socket.SHUT_RDWR)
        reader.join()


if __name__ == "__main__":
    unittest.main()
