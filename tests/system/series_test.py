"""What `GET /v1/server/series` tells of each of the last seconds, how `diorama` shows it, and the
stream of the same, `GET /v1/server/events`."""

import os
import subprocess
import time
import unittest

import support
from people import PeopleCase, bearer
from streams import EventStream
from support import ServerCase, wait_until

REQUESTS = 50


class Series(ServerCase, unittest.TestCase):
    def setUp(self):
        self.start_server()

    def series(self, **query):
        words = "&".join(f"{name}={value}" for name, value in query.items())
        answer = self.client.get(f"/v1/server/series?{words}")
        self.assertEqual(answer.status, 200, answer)
        return answer.body

    def test_each_request_is_in_one_second(self):
        """Also those by which the test waits: the last sample has all before it."""
        asked = 0
        for _ in range(REQUESTS):
            self.client.get("/livez")
        known = len(self.series(names="http_requests")["series"]["http_requests"])
        asked += REQUESTS + 1

        def later():
            nonlocal asked
            page = self.series(names="http_requests")
            requests = [number for number in page["series"]["http_requests"] if number]
            asked += 1
            return requests if len(page["series"]["http_requests"]) > known + 1 else None
        total = sum(wait_until(later, 10, "two more samples"))
        self.assertGreaterEqual(total, REQUESTS + 1)
        self.assertLessEqual(total, asked + 1)  # support looks once whether the server is ready

    def test_samples_end_now_and_are_a_second_apart(self):
        wait_until(lambda: len(self.series(names="scenes")["series"]["scenes"]) >= 2, 10, "samples")
        page = self.series(names="scenes", seconds=2)
        self.assertEqual(page["step_ms"], 1000)
        self.assertLess(abs(time.time() - page["until_us"] / 1e6), 5)
        self.assertEqual(len(page["series"]["scenes"]), 2)

    def test_all_series_have_a_unit_and_are_equally_long(self):
        wait_until(lambda: self.series()["series"]["memory"], 10, "a sample")
        page = self.series(seconds=1)
        self.assertEqual(set(page["units"]), set(page["series"]))
        self.assertEqual({len(values) for values in page["series"].values()}, {1})
        self.assertGreater(page["series"]["memory"][0], 1 << 20)

    def test_what_cannot_be_told_is_refused(self):
        for query, detail in (("names=events,bytes", "there is no series bytes"),
                              ("seconds=0", "seconds must be from 1 to 3600"),
                              ("seconds=3601", "seconds must be from 1 to 3600")):
            answer = self.client.get(f"/v1/server/series?{query}")
            self.assertEqual((answer.status, answer.body["detail"]), (422, detail))

    def test_the_command_line_shows_them(self):
        wait_until(lambda: self.series(names="scenes")["series"]["scenes"], 10, "a sample")
        run = subprocess.run(
            [os.path.join(support.BIN, "diorama"), "server", "series", "names=scenes", "seconds=1",
             f"--url=http://127.0.0.1:{self.server.http_port}"],
            capture_output=True, text=True, timeout=60, check=True)
        self.assertIn("scenes", run.stdout)


class Stream(PeopleCase, unittest.TestCase):
    def watch(self, person, query=""):
        stream = EventStream(self.server, f"/v1/server/events{query}", bearer(person.token))
        self.addCleanup(stream.close)
        return stream

    def test_tells_each_second_once_of_what_the_server_does(self):
        stream = self.watch(self.admin, "?names=http_requests&seconds=1")
        first = stream.next()
        self.assertEqual(first.name, "sample")
        self.assertEqual(set(first.body),
                         {"disk", "counts", "step_ms", "until_us", "units", "series"})

        def seen():
            return sum(number or 0 for number in stream.next().body["series"]["http_requests"])
        asked = total = 0
        while total < REQUESTS:  # behind a second that a busy machine left out stands the mean of both
            for _ in range(REQUESTS):
                self.client.get("/livez")
            asked += REQUESTS
            total += seen()
        self.assertLess(total, asked + REQUESTS)

    def test_who_is_no_administrator_hears_what_the_server_holds(self):
        ann = self.new_person("ann")
        self.addCleanup(ann.close)
        before = ann.get("/v1/server").body["counts"]["scenes"]
        stream = self.watch(ann)
        self.assertEqual(set(stream.next().body), {"disk", "counts"})
        ann.put_scene("hall")
        wait_until(lambda: stream.next().body["counts"]["scenes"] == before + 1, 20, "a scene more")

    def test_ends_with_the_session(self):
        bob = self.new_person("bob")
        self.addCleanup(bob.close)
        stream = self.watch(bob)
        stream.next()
        bob.request("POST", "/v1/logout")
        while stream.next() is not None:
            pass
        self.assertTrue(stream.has_ended)

    def test_is_refused_to_strangers_and_for_names_that_no_series_has(self):
        self.client.refused(401, 130, "GET", "/v1/server/events")
        answer = self.admin.get("/v1/server/events?names=events,bytes")
        self.assertEqual((answer.status, answer.body["detail"]), (422, "there is no series bytes"))


if __name__ == "__main__":
    unittest.main()
