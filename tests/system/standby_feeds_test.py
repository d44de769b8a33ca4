"""Feeds of a server that is cut off from the database: they go on over a short cut, and nothing is missed;
after a longer one they end and say so, and nobody is let in. So are they of a server that was replaced."""

import socket
import sys
import threading
import time
import unittest

import database
import standby_test
from feeds import Subscriber, UdpDevice, gaps, hello
from foxglove_viewers import RawViewer
from shared_store import ClusterCase
from streams import EventStream
from support import LONG, Client, free_port, objects, scene_path, wait_until

WORDS = "this server is cut off from its database: connect again"
CUT_S = 4  # of a cut that is short: the lease is over after 1.5 s at the latest
BLIND_S = 10 if LONG else 1
ENDED = "diorama_lease_ended_streams_total"
DROPPED = 'diorama_udp_dropped_datagrams_total{reason="lease"}'


class FeedsCase(ClusterCase):
    def start(self, **flags):
        self.gate_, uri = self.gate()
        self.viewer_port = free_port()
        self.server = self.server_on(uri, foxglove_port=self.viewer_port, **flags).start()
        self.device = UdpDevice("phone")
        self.addCleanup(self.device.close)
        with Client(self.server) as client:
            client.put_scene(self.scene)
            self.token = client.register(self.scene, self.device.record())["udp"]["token"]
        self.device.prove(self.server, self.token)

    def stream(self, target="", headers=None):
        stream = EventStream(self.server, target or scene_path(self.scene) + "/events", headers)
        self.addCleanup(stream.close)
        return stream

    def viewer(self):
        viewer = RawViewer(self.viewer_port, f"/{self.scene}")
        self.addCleanup(viewer.close)
        return viewer

    def subscriber(self):
        subscriber = Subscriber(self.server)
        self.addCleanup(subscriber.close)
        return subscriber

    def create(self, *names):
        with Client(self.server) as client:
            for name in names:
                client.create(self.scene, {"name": name})

    def is_refused(self):
        return "another server may be in charge" in (self.why_not_ready(self.server) or "")

    def await_refusal(self):
        wait_until(self.is_refused, 20, "a refusal")

    def await_ready(self):
        wait_until(self.server.says_ready, 20, "readiness")

    def check_nobody_is_let_in(self):
        for target in (scene_path(self.scene) + "/events", "/v1/events?topic=scenes",
                       "/v1/events?topic=assets", f"/v1/events?scene={self.scene}",
                       f"{scene_path(self.scene)}/events?form=delta"):
            with self.stream(target) as stream:
                self.assertEqual(stream.status, 503, target)
                self.assertEqual(stream.headers["Retry-After"], "1")
        self.assertEqual(self.viewer().status, 503)
        heard, dropped = len(self.device.challenges()), self.server.metrics()[DROPPED]
        self.device.send(self.server, hello(self.token))
        wait_until(lambda: self.server.metrics()[DROPPED] > dropped, 20, "a drop")
        self.assertEqual(len(self.device.challenges()), heard)


class ShortCut(FeedsCase, unittest.TestCase):

    def test_feeds_go_on_over_a_short_cut_and_nothing_is_missed(self):
        self.start()
        stream, catalogue, viewer = self.stream(), self.stream("/v1/events?topic=scenes"), self.viewer()
        stream.snapshot()
        self.assertEqual(catalogue.next().name, "reset")
        self.assertIsNotNone(viewer.until_op("advertise"))
        subscriber = self.subscriber()
        self.create("before")
        began = time.monotonic()
        self.gate_.shut()
        late = threading.Thread(target=self.create_late, daemon=True)
        late.start()
        self.await_refusal()
        self.check_nobody_is_let_in()
        time.sleep(max(0, CUT_S - (time.monotonic() - began)))
        self.gate_.open()
        late.join()
        self.await_ready()
        self.create("after")
        seqs, names = [], []
        while not names or names[-1] != "after":
            change = stream.change()
            seqs.append(change["seq"])
            names.append(change["object"]["name"])
        self.assertEqual(gaps(seqs), [])
        self.assertEqual(names, ["before", "late", "after"])
        wait_until(lambda: len(subscriber.events(self.scene)) == len(names), 20, "all events by PUB")
        self.device.wait_for(lambda event: event.get("name") == "after")
        self.check_is_there(catalogue)
        viewer.send(9, b"there")
        self.assertEqual(viewer.until(10), b"there")
        self.assertEqual(self.server.metrics()[ENDED], 0)

    def create_late(self):
        """Its answer is 503, as no answer is given, or late; its event comes."""
        with Client(self.server) as client:
            client.post(f"{scene_path(self.scene)}/object/", objects({"name": "late"}))

    def check_is_there(self, catalogue):
        with Client(self.server) as client:
            client.put_scene(f"{self.scene}.more")
        self.assertEqual(catalogue.change()["scene"], f"{self.scene}.more")


class LongCut(FeedsCase, unittest.TestCase):

    def test_feeds_end_after_a_long_cut_and_begin_where_they_ended(self):
        self.start(events_blind=str(BLIND_S * 1000))
        stream, catalogue, viewer = self.stream(), self.stream("/v1/events?topic=scenes"), self.viewer()
        own = self.stream("/v1/server/events")
        stream.snapshot()
        self.create("before")
        place = stream.next().id
        subscriber = self.subscriber()
        self.gate_.shut()
        began = time.monotonic()
        self.assertEqual(self.last_words_of(stream), WORDS)
        took = time.monotonic() - began
        self.assertGreater(took, BLIND_S + 1.0 - 0.25)  # the last beat was a half second ago at most
        self.assertLess(took, BLIND_S + 5.0)
        self.assertEqual(self.last_words_of(catalogue), WORDS)
        self.assertEqual(viewer.until(8), b"\x03\xf5" + WORDS.encode())
        wait_until(lambda: self.server.metrics()[ENDED] == 3, 20, "three ends")
        self.check_nobody_is_let_in()
        self.check_nothing_is_published(subscriber)
        for _ in range(3):  # of the server itself
            self.assertEqual(own.next().name, "sample")
        self.gate_.open()
        self.await_ready()
        heard = len(subscriber.inbox.items)
        wait_until(lambda: len(subscriber.inbox.items) > heard, 20, "a connection of PUB")
        self.create("after")
        stream = self.stream(headers={"Last-Event-ID": place})
        self.assertEqual(stream.any().data, "resumed")
        self.assertEqual(stream.change()["object"]["name"], "after")
        subscriber.wait_for(lambda message: message.body and "after" in repr(message.body))
        self.device.wait_for(lambda event: event.get("name") == "after")
        self.assertEqual(self.viewer().status, 101)

    def test_a_port_that_somebody_took_meanwhile_is_tried_again_and_holds_no_feed_up(self):
        self.start(events_blind="0")
        self.gate_.shut()
        wait_until(lambda: "pub_rests" in self.server.log_text(), 20, "the end of PUB")
        with socket.create_server(("127.0.0.1", self.server.pub_port)):
            self.gate_.open()
            self.await_ready()
            for i in range(10):
                self.create(f"object {i}")
                self.device.wait_for(lambda event, i=i: event.get("name") == f"object {i}")
            wait_until(lambda: "pub_not_bound" in self.server.log_text(), 20, "a try")
        wait_until(lambda: "pub_bound_again" in self.server.log_text(), 20, "another try")
        self.assertEqual(self.server.log_text().count("pub_not_bound"), 1)
        self.assertNotIn("pub_reopened", self.server.log_text())

    def last_words_of(self, stream):
        last = None
        while (event := stream.any()) is not None:
            last = event
        return last.data

    def check_nothing_is_published(self, subscriber):
        def is_closed():
            try:
                socket.create_connection(("127.0.0.1", self.server.pub_port), 1).close()
                return False
            except ConnectionRefusedError:
                return True
        wait_until(is_closed, 20, "the end of PUB")
        heard = len(subscriber.inbox.items)
        time.sleep(2.5)  # two heartbeats
        self.assertEqual(len(subscriber.inbox.items), heard)


class Replaced(standby_test.StandbyCase, unittest.TestCase):

    def test_feeds_of_a_server_that_was_replaced_end_at_once(self):
        gate, uri = self.gate()
        self.start_both(store_uri=uri, events_blind="600000")
        stream = EventStream(self.first, scene_path(self.scene) + "/events")
        self.addCleanup(stream.close)
        stream.snapshot()
        gate.shut()
        self.await_ready(self.second)
        self.assertFalse(stream.has_ended)
        gate.open()
        began = time.monotonic()
        self.assertEqual(stream.rest(), [])
        self.assertLess(time.monotonic() - began, 5)
        with EventStream(self.second, scene_path(self.scene) + "/events") as other:
            other.snapshot()


if __name__ == "__main__":
    if not database.programs():
        print("PostgreSQL is not installed (tools/install-packages test)")
        sys.exit(77)
    unittest.main()
