"""Nobody's request delays another user's: while one scene is queried, updated, deleted or left at
great cost, GET of another scene on the same scene actor goes on, as no turn of that takes long.

DIORAMA_LONG=1: large sizes, for a machine that does nothing else: p99 of the GET is 20 ms at most."""

import sys
import time
import unittest

from pace import Pace
from people import FLAGS, PeopleCase
from support import (LONG, Client, ServerCase, is_sanitized, objects, run_together, scene_path,
                     scenes, wait_until)

P99 = 0.02 if LONG and not is_sanitized() else 0.2
TURN = 0.25 if is_sanitized() else 0.025  # of the processor, as the machine may be busy
FILTERS, ASSETS = 100, 256
OBJECTS = 100000 if LONG else 10000          # queried by 100 filters
ASSET_OBJECTS = 10000 if LONG else 600       # each with 256 assets
RESTREAMED = 100000 if LONG else 20000
UPDATES = 40
SWEPT = 50000 if LONG else 15000
DELETED = 100000 if LONG else 40000
LINKS = 60000 if LONG else 6000   # relationships to one scene, of so many assets as needed
EXPELLED_SCENES = 2500 if LONG else 400
OTHER_SCENES = 400000 if LONG else 100000
EVENTS = "diorama_events_total"


def fill(client, scene, count, **members):
    for first in range(0, count, 1000):
        client.create(scene, *[members] * min(1000, count - first))


class FairCase(ServerCase):
    flags = None

    def setUp(self):
        super().setUp()
        self.addCleanup(sys.setswitchinterval, sys.getswitchinterval())
        sys.setswitchinterval(0.0005)

    def begin(self, **flags):
        self.start_server(store_sync="never", **flags)
        self.client.put_scene("other")

    def assert_fair(self, pace, what, turn=TURN):
        print(f"\nbeside {what}: {pace}")
        self.assertEqual(pace.failures[:3], [], f"{what}: {pace}")
        self.assertLess(pace.p99(), P99, what)
        self.assert_short_turns(what, turn)

    def assert_short_turns(self, what, turn=TURN):
        self.assertEqual(self.server.slow_turns(turn, "scene.", "streamer"), {},
                         f"turns of more than {turn} s beside {what}")


class Queries(FairCase, unittest.TestCase):
    NAMES = objects(*({"name": f"no{number}"} for number in range(FILTERS)))

    @staticmethod
    def assets(last):
        return [f"a{number}" for number in range(ASSETS - 1)] + [last]

    def by_assets(self):
        return objects(*({"assets": self.assets(f"no{number}")} for number in range(FILTERS)))

    def fill_with_assets(self):
        """A few at a time: each asset of each object is an index record."""
        for _ in range(0, ASSET_OBJECTS, 10):
            self.client.create("big", *[{"assets": self.assets("last")}] * 10)

    def query(self, body, times):
        with Client(self.server, timeout=120) as client:
            for _ in range(times):
                client.post(scene_path("big") + "/object/query", body)

    def test_query_of_many_filters_delays_nobody(self):
        self.begin()
        fill(self.client, "big", OBJECTS, name="o")
        with Pace(self.server, "other") as pace:
            run_together(*[lambda: self.query(self.NAMES, 10)] * 4)
        self.assert_fair(pace, f"{FILTERS} filters over {OBJECTS} objects")

    def test_query_of_many_assets_delays_nobody(self):
        self.begin()
        self.fill_with_assets()
        with Pace(self.server, "other") as pace:
            self.query(self.by_assets(), 1)
        self.assert_fair(pace, f"{FILTERS} filters of {ASSETS} assets over {ASSET_OBJECTS} objects")

    def test_query_ends_with_the_patience_of_its_asker(self):
        self.begin(http_deadline=200)
        self.fill_with_assets()
        answer = self.client.post(scene_path("big") + "/object/query", self.by_assets())
        if answer.status == 200:
            return  # it was quick
        self.assertEqual(answer.status, 503, answer)
        for _ in range(5):  # whoever comes next finds the actor free
            self.client.ok("GET", scene_path("other"))


class Restreams(FairCase, unittest.TestCase):
    def begin_and_update(self):
        self.begin()
        fill(self.client, "big", RESTREAMED, name="o")
        before = self.server.metrics()[EVENTS]

        def update(number):
            with Client(self.server, timeout=120) as client:
                client.ok("POST", scene_path("big"), scenes({"name": f"n{number}"}))

        with Pace(self.server, "other") as pace:
            run_together(*(lambda n=n: update(n) for n in range(UPDATES)))
            wait_until(lambda: self.server.metrics()[EVENTS] - before >= RESTREAMED,
                       what="one restream")
        return pace, lambda: self.server.metrics()[EVENTS] - before

    def test_updates_of_a_large_scene_delay_nobody(self):
        pace, _ = self.begin_and_update()
        self.assert_fair(pace, f"{UPDATES} updates of a scene of {RESTREAMED} objects")

    def test_restreams_of_updates_that_cross_are_merged(self):
        _, events = self.begin_and_update()
        time.sleep(1.0)  # another one would be under way
        self.assertLess(events(), RESTREAMED * UPDATES / 2)


class Sweeps(FairCase, unittest.TestCase):
    def seconds_to_sweep(self, scene):
        swept = self.server.log_text().count("scene_swept")
        began = time.monotonic()
        self.client.ok("DELETE", scene_path(scene))
        wait_until(lambda: self.server.log_text().count("scene_swept") > swept, 300, "the sweep")
        return time.monotonic() - began

    def test_four_times_the_objects_take_four_times_as_long(self):
        self.begin()
        fill(self.client, "small", SWEPT, name="o")
        fill(self.client, "large", 4 * SWEPT, name="o")
        small, large = self.seconds_to_sweep("small"), self.seconds_to_sweep("large")
        if large >= 6 * small:  # a machine that others use makes one longer, not each
            fill(self.client, "large", 4 * SWEPT, name="o")
            large = min(large, self.seconds_to_sweep("large"))
        print(f"\n{SWEPT} objects: {small:.2f} s, {4 * SWEPT}: {large:.2f} s")
        self.assertLess(large, 6 * small)

    def test_delete_of_a_large_scene_delays_no_read_from_the_disk(self):
        self.begin(scene_memory="64K")
        for number in range(200):
            self.client.create(f"on disk {number}", {"name": "x" * 4000})
        fill(self.client, "large", 2 * SWEPT, name="o")
        swept, times = self.server.log_text().count("scene_swept"), []
        self.client.ok("DELETE", scene_path("large"))
        while self.server.log_text().count("scene_swept") == swept:
            began = time.perf_counter()
            self.client.objects(f"on disk {len(times) % 200}")
            times.append(time.perf_counter() - began)
        worst = sorted(times)[int(len(times) * 0.99)]
        print(f"\n{len(times)} loads beside the sweep: p99 {1000 * worst:.1f} ms")
        self.assertLess(worst, 2 * P99)
        self.assert_short_turns("the sweep")


class Deletions(FairCase, unittest.TestCase):
    """The end of a large scene holds up nobody, whether its objects are told of (events.cascade) or
    not."""
    TURN = 0.01 if LONG and not is_sanitized() else TURN

    def begin_and_delete(self, **flags):
        self.begin(**flags)
        fill(self.client, "big", DELETED, name="o")
        self.client.register("big", {"key": "d", "hostname": "127.0.0.1", "port": 9009})
        with Pace(self.server, "other") as pace:
            self.client.ok("DELETE", scene_path("big"))
            self.client.put_scene("big")  # made again, behind the farewell
        return pace

    def test_farewell_to_many_objects_delays_nobody(self):
        pace = self.begin_and_delete(events_cascade="true")
        self.assertGreater(self.server.metrics()[EVENTS], 2 * DELETED)
        self.assert_fair(pace, f"the end of a scene of {DELETED} objects, each told of", self.TURN)

    def test_end_of_many_objects_delays_nobody(self):
        pace = self.begin_and_delete()
        self.assert_fair(pace, f"the end of a scene of {DELETED} objects", self.TURN)


class Creations(FairCase, unittest.TestCase):
    """What waits for room in a batch was tried again as a whole after each commit."""

    def test_ten_thousand_scenes_of_one_request_delay_nobody(self):
        self.begin(budget_scenes=0)
        body = scenes(*[{"name": "n", "tags": ["a", "b", "c", "d"]}] * 10000)
        with Pace(self.server, "other") as pace:
            for _ in range(2):
                self.client.ok("POST", "/v1/scene/", body)
        self.assert_fair(pace, "10,000 scenes of one request", Deletions.TURN)


class Relationships(FairCase, unittest.TestCase):
    """They hold up no request of the asset actor, however many lead to one scene."""
    EACH = 500

    def link(self, assets):
        with Client(self.server, timeout=120) as client:
            for asset in assets:
                for number in range(self.EACH):
                    answer = client.put("/v1/relationship", {"assetId": asset, "relatedId": "hall",
                                                             "relationshipType": f"t{number}"})
                    self.assertEqual(answer.status, 200, answer)

    def test_listing_and_ending_many_delays_nobody(self):
        self.begin()
        self.client.put_scene("hall")
        assets = [f"a{number}" for number in range(LINKS // self.EACH)]
        run_together(*(lambda part=part: self.link(assets[part::4]) for part in range(4)))
        for query in ("related=hall", "related=hall&type=none", "num_records=10"):
            self.assertEqual(self.client.get(f"/v1/relationship?{query}").status, 200)
        answer = self.client.post("/v1/bulk/relationship", {"relatedIds": ["hall"] * 100})
        self.assertEqual(len(answer.body), min(LINKS, 10000))
        self.assertEqual(len({link["id"] for link in answer.body}), len(answer.body))
        self.client.ok("DELETE", scene_path("hall"))
        self.assertEqual(self.client.get("/v1/relationship?related=hall").body, [])
        self.assertEqual(self.server.slow_turns(Deletions.TURN, "asset"), {},
                         f"turns of more than {Deletions.TURN} s")

    def test_change_of_all_that_an_asset_may_have_delays_nobody(self):
        """What a request made of each was compared with what it made of each other one. All are
        changed or none, in one turn."""
        self.begin()
        for number in range(900):
            self.client.put("/v1/relationship", {"assetId": "a", "relatedId": "hall",
                                                 "relationshipType": f"t{number}"})
        for related in ("stage", "hall"):
            answer = self.client.put("/v1/relationship?asset=a", {"relatedId": related})
            self.assertEqual(len(answer.body), 900)
        answer = self.client.put("/v1/relationship?related=hall", {"relationshipSubtype": "s"})
        self.assertEqual(len(answer.body), 900)
        turn = 0.25 if is_sanitized() else 0.01 if LONG else 0.025
        self.assertEqual(self.server.slow_turns(turn, "asset"), {}, f"turns of more than {turn} s")


class Registrations(FairCase, unittest.TestCase):
    """Each commit of a large registration looked at all devices that were left: what one costs must
    not grow with their number."""
    SPENT = 'diorama_turn_seconds_sum{clock="cpu",actor="scene.0"}'

    def seconds_of(self, count):
        """Processor time of the scene actor to register so many devices in one body, and to
        deregister them."""
        devices = [{"key": f"d{number}"} for number in range(count)]
        body = scenes({"devices": devices})
        before = self.server.metrics()[self.SPENT]
        for verb in ("register", "deregister"):
            self.client.ok("POST", f"{scene_path('full')}/{verb}", body)
        return self.server.metrics()[self.SPENT] - before

    def test_ten_times_the_devices_take_about_ten_times_as_long(self):
        self.begin(budget_registrations=0)
        few, many = self.seconds_of(1000), self.seconds_of(10000)
        print(f"\n1,000 devices: {few:.3f} s, 10,000: {many:.3f} s")
        self.assertLess(many, 20 * few)

    def test_as_many_as_a_scene_takes_delay_nobody(self):
        self.begin(budget_registrations=0)
        body = scenes({"devices": [{"key": f"d{number}"} for number in range(10000)]})
        path = scene_path("full")
        with Pace(self.server, "other") as pace:
            self.client.ok("POST", path + "/register", body)
            self.assertEqual(len(self.client.scene("full")["devices"]), 10000)
            self.client.register("full", {"key": "d7"})
            self.client.ok("POST", path + "/deregister", body)
            self.client.ok("POST", path + "/register", body)
            self.client.ok("DELETE", path)
        self.assert_fair(pace, "10,000 devices in one body", Deletions.TURN)


class Departures(FairCase, unittest.TestCase):
    """A device that leaves ends its locks: those, and not all objects of the scene, are looked at."""
    TURN = 0.1 if is_sanitized() else 0.01 if LONG else TURN

    def test_departure_from_a_large_scene_delays_nobody(self):
        self.begin()
        fill(self.client, "full", DELETED)
        with Pace(self.server, "other") as pace:
            for _ in range(20):
                self.client.register("full", {"key": "phone"})
                held = self.client.create("full", {"owner": "phone"})[0]
                self.client.deregister("full", "phone")
                self.assertEqual(self.client.object("full", held).get("owner", ""), "")
        self.assert_fair(pace, f"20 departures from {DELETED} objects", self.TURN)


class Expulsions(FairCase, PeopleCase, unittest.TestCase):
    """A user with a device in each of so many scenes, all on the disk, is deactivated."""

    def seconds_to_expel(self, others):
        """How long it takes where there are so many other scenes."""
        self.start_server(store_sync="never", http_deadline=60000, budget_scenes=0,
                          budget_registrations=0, **FLAGS)
        self.admin = self.enter(self.server, "admin")
        user = self.sign_up("guest", self.admin)
        guest = self.enter(self.server, "guest", user=user)
        names = [f"room{number}" for number in range(EXPELLED_SCENES)]
        for name in names:
            guest.create(name, {"name": "o"})
            guest.register(name, {"key": "phone"})
        guest.close()
        for first in range(0, others, 4000):
            self.admin.ok("POST", "/v1/scene/", scenes(*[{"name": "n"}] * min(4000, others - first)))
        self.admin.put_scene("other")
        self.restart("restart")
        admin = self.admin.again()
        with Pace(self.server, "other", f"Authorization: Bearer {admin.token}\r\n") as pace:
            began = time.monotonic()
            answer = admin.delete(f"/v1/users/{user['id']}/active")
            took = time.monotonic() - began
        self.assertEqual(answer.status, 200, answer)
        self.assertEqual([name for name in names if admin.scene(name)["devices"]], [])
        admin.close()
        self.assert_fair(pace, f"expulsion from {EXPELLED_SCENES} of {others} more scenes, {took:.2f} s")
        return took

    def test_scenes_that_the_user_is_not_in_cost_next_to_nothing(self):
        alone, beside = self.seconds_to_expel(0), self.seconds_to_expel(OTHER_SCENES)
        if beside >= 3 * alone + 0.5:  # a machine that others use makes one longer, not each
            beside = min(beside, self.seconds_to_expel(OTHER_SCENES))
        self.assertLess(beside, 3 * alone + 0.5)


if __name__ == "__main__":
    unittest.main()
