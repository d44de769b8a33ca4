"""What /metrics says (Prometheus text), to whom, and that the dashboard asks for what there is."""

import json
import os
import re
import threading
import time
import unittest

from feeds import Subscriber, UdpDevice
from support import (Client, Server, ServerCase, moved, run_together, scene_path, scenes,
                     wait_until, write_plan)

DASHBOARD = os.path.join(os.path.dirname(os.path.abspath(__file__)),
                         "../../tools/grafana-dashboard.json")
REQUESTS = 'diorama_http_requests_total{operation="%s",status="%s"}'
TIME = "diorama_http_request_duration_seconds"
QUEUE = 'diorama_actor_queued_messages{actor="%s"}'
TOKEN = "a-token-of-operators-4711"
STRANGER = "203.0.113.9"


def bare(name):
    return name.split("{")[0]


class Numbers(ServerCase, unittest.TestCase):
    def test_every_number_is_declared_once_and_named_by_convention(self):
        with Client(self.server) as client:
            answer = client.get("/metrics")
        self.assertEqual(answer.headers["Content-Type"], "text/plain; version=0.0.4; charset=utf-8")
        kinds = re.findall(r"^# TYPE (\S+) (\S+)$", answer.text, re.MULTILINE)
        helps = re.findall(r"^# HELP (\S+) \S.*$", answer.text, re.MULTILINE)
        self.assertEqual([name for name, _ in kinds], helps)
        self.assertEqual(len(helps), len(set(helps)))
        for name, kind in kinds:
            self.assertRegex(name, r"^diorama_[a-z_]+$")
            self.assertEqual(name.endswith("_total"), kind == "counter", name)
        known = set(helps) | {name + suffix for name, kind in kinds if kind == "histogram"
                              for suffix in ("_bucket", "_sum", "_count")}
        lines = [line for line in answer.text.splitlines() if not line.startswith("#")]
        self.assertEqual({re.split(r"[{ ]", line)[0] for line in lines} - known, set())
        names = [line.rsplit(" ", 1)[0] for line in lines]
        self.assertEqual(len(names), len(set(names)), "a number stands twice")

    def test_requests_are_counted_by_operation_and_status(self):
        before = self.server.metrics(after=self.client)
        self.client.put_scene(self.scene)
        self.client.put_scene(self.scene)
        self.client.refused(404, 102, "GET", scene_path("nowhere"))
        self.client.refused(404, 102, "GET", "/nowhere")
        tag = self.client.get(scene_path(self.scene)).headers["ETag"]
        self.client.request("GET", scene_path(self.scene), None, {"If-None-Match": tag})
        now = self.server.metrics(after=self.client)
        for operation, status, count in (("scene_put", "2xx", 2), ("scene_get", "4xx", 1),
                                         ("scene_get", "2xx", 1), ("scene_get", "3xx", 1),
                                         ("none", "4xx", 1), ("scene_put", "5xx", 0)):
            name = REQUESTS % (operation, status)
            self.assertEqual(now[name] - before[name], count, name)

    def test_histogram_has_every_request(self):
        self.client.put_scene(self.scene)
        for _ in range(10):
            self.client.scene(self.scene)
        now = self.server.metrics(after=self.client)
        answered = sum(now[REQUESTS % ("scene_get", f"{n}xx")] for n in (2, 3, 4, 5))
        labels = 'operation="scene_get"'
        self.assertEqual(now[f"{TIME}_count{{{labels}}}"], answered)
        buckets = [value for name, value in now.items()
                   if name.startswith(f'{TIME}_bucket{{{labels},')]
        self.assertEqual(len(buckets), 16)
        self.assertEqual(buckets, sorted(buckets))
        self.assertEqual(buckets[-1], answered)
        self.assertGreater(now[f"{TIME}_sum{{{labels}}}"], 0)

    def test_commits_are_measured(self):
        before = self.server.metrics(after=self.client)
        self.client.put_scene(self.scene)
        self.client.create(self.scene, *[{"name": f"o{n}"} for n in range(100)])
        now = self.server.metrics(after=self.client)
        commits = now['diorama_store_commits_total{result="ok"}']
        self.assertEqual(now["diorama_store_commit_writes_count"], commits)
        self.assertEqual(now["diorama_store_commit_duration_seconds_count"], commits)
        # The scene; a hundred objects with a hundred look-up keys.
        self.assertEqual(now["diorama_store_commit_writes_sum"]
                         - before["diorama_store_commit_writes_sum"], 201)

    def test_scenes_and_their_memory_come_and_go(self):
        before = self.server.metrics(after=self.client)
        self.client.put_scene(self.scene)
        self.client.create(self.scene, *[{"name": "n" * 1000} for _ in range(50)])
        full = self.server.metrics(after=self.client)
        self.client.ok("DELETE", scene_path(self.scene))
        after = self.server.metrics(after=self.client)
        for name, more in (("diorama_scenes", 1), ("diorama_scenes_loaded", 1),
                           ("diorama_objects_loaded", 50)):
            self.assertEqual(full[name] - before[name], more, name)
            self.assertEqual(after[name], before[name], name)
        more = full["diorama_scene_memory_bytes"] - before["diorama_scene_memory_bytes"]
        self.assertGreater(more, 50 * 1000)
        self.assertLess(more, 50 * 2000)
        self.assertEqual(after["diorama_scene_memory_bytes"], before["diorama_scene_memory_bytes"])

    def test_events_and_datagrams_are_counted(self):
        sent = 'diorama_udp_sent_datagrams_total{form="plain"}'
        device = UdpDevice("d1")
        self.addCleanup(device.close)
        self.client.put_scene(self.scene)
        self.client.register(self.scene, device.record())
        before = self.server.metrics(after=self.client)
        [key] = self.client.create(self.scene, {"name": "o"})
        self.await_counts(before, sent)
        before = self.server.metrics(after=self.client)
        device.send(self.server, {"msg_type": 1, "key": key, "transform": moved(5)})
        device.wait_for(lambda event: event["transform"] == moved(5))
        self.await_counts(before, sent, "diorama_events_total",
                          "diorama_udp_received_datagrams_total",
                          "diorama_udp_applied_updates_total")

    def await_counts(self, before, *names):
        """Each counts one more. The kernel has a datagram before its sender has counted it."""
        for name in names:
            wait_until(lambda n=name: self.server.metrics()[n] - before[n] == 1, what=name)

    def test_subscribers_are_counted_while_they_are_there(self):
        before = self.server.metrics()["diorama_pub_subscribers"]
        subscribers = [Subscriber(self.server) for _ in range(3)]
        for subscriber in subscribers:
            self.addCleanup(lambda s=subscriber: s.ended.is_set() or s.close())

        def are(count):
            return lambda: self.server.metrics()["diorama_pub_subscribers"] - before == count

        wait_until(are(3), what="three subscribers")
        self.client.put_scene(self.scene)
        wait_until(lambda: self.server.metrics()["diorama_pub_sent_messages_total"] >= 1)
        subscribers[0].close()
        wait_until(are(2), what="two subscribers")

    def test_connections_are_counted_while_they_are_there(self):
        def are(count):
            """With the one that asks; what was closed before is counted until the server has seen it."""
            return lambda: self.server.metrics()["diorama_http_connections"] == count + 1

        wait_until(are(0), what="no other connection")
        others = [self.connect() for _ in range(5)]
        for other in others:
            self.assertEqual(other.get("/livez").status, 200)
        wait_until(are(5), 4, "five others")  # before the server ends what rests for 5 s
        for other in others:
            other.close()
        wait_until(are(0), 4, "no other connection")

    def test_scrape_takes_at_most_20_ms(self):
        times = []
        while len(times) < 10 or min(times) >= 0.020 and len(times) < 200:
            began = time.perf_counter()
            self.assertEqual(self.client.get("/metrics").status, 200)
            times.append(time.perf_counter() - began)
        self.assertLess(min(times), 0.020)  # the others may have waited for the machine

    def test_scrapes_under_load_never_go_back(self):
        self.client.put_scene(self.scene)
        ended = threading.Event()

        def load():
            with Client(self.server) as client:
                while not ended.is_set():
                    client.get(scene_path(self.scene))

        def scrape():
            try:
                last = self.server.metrics()
                for _ in range(50):
                    now = self.server.metrics(after=self.client)
                    gone_back = [name for name in now if now[name] < last[name]
                                 and re.search(r"_(total|count|sum|bucket)(\{|$)", name)]
                    self.assertEqual(gone_back, [])
                    last = now
            finally:
                ended.set()

        run_together(scrape, load, load, load)


class Faults(ServerCase, unittest.TestCase):
    flags = None

    def start_with_plan(self):
        """A server whose store does what is written into self.plan later."""
        server = self.server = Server()
        self.addCleanup(server.end)
        self.plan = os.path.join(server.folder, "plan")
        write_plan(self.plan, "latency=0")
        server.start(store_fault=f"file={self.plan}")
        self.client = self.connect()

    def test_errors_of_the_store_are_counted(self):
        self.start_with_plan()
        write_plan(self.plan, "unavailable=1")
        self.client.refused(503, 120, "PUT", scene_path("s"), scenes({"name": "x"}))
        now = self.server.metrics(after=self.client)
        # Not one alone: a scene actor that was asked whether it is ready looks by a commit of its own.
        failed = now['diorama_store_commits_total{result="failed"}']
        self.assertIn(failed, (1, 2))
        self.assertEqual(now['diorama_store_errors_total{result="unavailable"}'], failed)
        self.assertEqual(now['diorama_store_errors_total{result="unknown"}'], 0)
        self.assertEqual(now[REQUESTS % ("scene_put", "5xx")], 1)

    def test_what_waits_for_an_actor_is_counted(self):
        self.start_with_plan()
        names = [f"s{n}" for n in range(6)]
        keys = {}
        for name in names:
            self.client.put_scene(name)
            [keys[name]] = self.client.create(name, {"name": "o"})
        self.restart()
        write_plan(self.plan, "read-latency=300")

        def read(name):
            with Client(self.server) as client:
                self.assertEqual(client.object(name, keys[name])["name"], "o")

        def watch():
            wait_until(lambda: self.server.metrics()[QUEUE % "loader.0"] >= 2, what="a queue")

        run_together(watch, *[lambda n=name: read(n) for name in names])
        for actor in ("scene.0", "loader.0", "committer.0"):
            wait_until(lambda a=actor: self.server.metrics()[QUEUE % a] == 0, what="no queue")


class Operators(ServerCase, unittest.TestCase):
    """A peer behind a trusted proxy is never loopback."""

    flags = None

    def scrape(self, authorization=None, peer=STRANGER):
        headers = {"X-Forwarded-For": peer} if peer else {}
        if authorization is not None:
            headers["Authorization"] = authorization
        return self.client.request("GET", "/metrics", None, headers)

    def test_loopback_needs_no_token(self):
        self.start_server(metrics_token=TOKEN, http_trusted_proxies="127.0.0.1")
        self.assertEqual(self.scrape(peer=None).status, 200)

    def test_stranger_needs_the_token(self):
        self.start_server(metrics_token=TOKEN, http_trusted_proxies="127.0.0.1")
        for wrong in (None, "Bearer wrong", TOKEN, f"Basic {TOKEN}"):
            answer = self.scrape(wrong)
            self.assertEqual((answer.status, answer.body["err_code"]), (401, 130), wrong)
            self.assertEqual(answer.headers["WWW-Authenticate"], "Bearer")
            self.assertNotIn("diorama_", answer.text)
        answer = self.scrape(f"Bearer {TOKEN}")
        self.assertEqual(answer.status, 200)
        self.assertIn("diorama_scenes 0\n", answer.text)

    def test_stranger_is_refused_where_no_token_is_set(self):
        self.start_server(http_trusted_proxies="127.0.0.1")
        for authorization in (None, "Bearer ", f"Bearer {TOKEN}"):
            answer = self.scrape(authorization)
            self.assertEqual((answer.status, answer.body["err_code"]), (403, 131))

    def test_token_comes_from_a_file(self):
        server = Server(http_trusted_proxies="127.0.0.1")
        self.addCleanup(server.end)
        path = os.path.join(server.folder, "token")
        with open(path, "w") as file:
            file.write(TOKEN + "\n")
        self.server = server.start(metrics_token_file=path)
        self.client = self.connect()
        self.assertEqual(self.scrape(f"Bearer {TOKEN}").status, 200)
        self.assertEqual(self.scrape("Bearer wrong").status, 401)

    def test_other_probes_stay_open(self):
        self.start_server(http_trusted_proxies="127.0.0.1")
        for path in ("/livez", "/readyz", "/health"):
            answer = self.client.request("GET", path, None, {"X-Forwarded-For": STRANGER})
            self.assertEqual(answer.status, 200)


class Dashboard(ServerCase, unittest.TestCase):
    def test_asks_for_what_there_is(self):
        with open(DASHBOARD) as file:
            dashboard = json.load(file)
        expressions = [target["expr"] for panel in dashboard["panels"]
                       for target in panel.get("targets", [])]
        self.assertGreater(len(expressions), 10)
        asked = set(re.findall(r"\bdiorama_[a-z_]+", " ".join(expressions)))
        there = {bare(name) for name in self.server.metrics()}
        self.assertEqual(asked - there, set())
        kinds = {re.sub(r"_(bucket|sum|count)$", "", name) for name in there}
        self.assertEqual(kinds - {re.sub(r"_(bucket|sum|count)$", "", name) for name in asked},
                         set(), "what is measured and not shown")


if __name__ == "__main__":
    unittest.main()
