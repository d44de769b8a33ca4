"""The cities of the world as scenes: what lies within a distance, against a look at every city.

DIORAMA_LONG=1: all 135,233 cities and 1,000 searches instead of 20,000 cities and 300 searches.
Skipped where npm cannot fetch them.
"""

import bisect
import math
import random
import sys
import unittest

from cities import NotToBeHad, cities
from support import LONG, SHARD_COUNTS, ServerCase, scene_path, scenes, with_shards

SKIPPED = 77  # as ctest knows it
CITIES, SEARCHES = (135233, 1000) if LONG else (20000, 300)
PER_REQUEST = 4000
RADIUS_KM = 6371.0


def distance_km(a, b):
    """Haversine on the sphere of 6,371 km."""
    north = math.sin(math.radians(b["latitude"] - a["latitude"]) / 2)
    east = math.sin(math.radians(b["longitude"] - a["longitude"]) / 2)
    h = north * north + (math.cos(math.radians(a["latitude"])) *
                         math.cos(math.radians(b["latitude"])) * east * east)
    return 2 * RADIUS_KM * math.asin(math.sqrt(min(1.0, h)))


def slack_km(km):
    """What two ways to compute a distance may differ by: near the antipode the sine is flat."""
    return 1e-3 if km > 19000 else 1e-8


def distances(record, filters, slack=slack_km):
    """From the points of those filters that find the record; at their edges where slack says."""
    found = []
    for each in filters:
        km = distance_km(record, each)
        if (each.get("region", record["region"]) == record["region"] and
                km <= each["distance"] + slack(km)):
            found.append(km)
    return found


def clear_distance(record, filters):
    """The shortest from those that find it clearly, not at their edge; infinite where none does."""
    return min(distances(record, filters, lambda km: -slack_km(km)), default=math.inf)


class Oracle:
    """Every city by latitude; a search looks at each in the bands that its circles touch."""

    def __init__(self, records):
        self.records = {record["key"]: record for record in records}
        self.sort()

    def sort(self):
        self.by_latitude = sorted(self.records.values(), key=lambda record: record["latitude"])
        self.latitudes = [record["latitude"] for record in self.by_latitude]

    def within(self, filters):
        """{key: distances}, also of those at an edge."""
        found = {}
        for each in filters:
            reach = each["distance"] / (RADIUS_KM * math.pi / 180) + 0.01
            low = bisect.bisect_left(self.latitudes, each["latitude"] - reach)
            high = bisect.bisect_right(self.latitudes, each["latitude"] + reach)
            for record in self.by_latitude[low:high]:
                if record["key"] not in found and distances(record, [each]):
                    found[record["key"]] = distances(record, filters)
        return found


def random_point(dice, records):
    kind = dice.randrange(6)
    if kind == 0:  # near a pole
        return {"latitude": dice.choice([-1, 1]) * dice.choice([90, dice.uniform(80, 90)]),
                "longitude": dice.uniform(-180, 180)}
    if kind == 1:  # near the date line
        return {"latitude": dice.uniform(-60, 70),
                "longitude": dice.choice([-1, 1]) * dice.choice([180, dice.uniform(175, 180)])}
    if kind == 2:
        return {"latitude": dice.uniform(-90, 90), "longitude": dice.uniform(-180, 180)}
    city = dice.choice(records)
    return {name: city[name] for name in ("latitude", "longitude")}


def random_filters(dice, records):
    """A point and a radius, sometimes with a region, sometimes two of them."""
    filters = []
    for _ in range(2 if dice.random() < 0.2 else 1):
        size = dice.random()
        radius = (0 if size < 0.03 else dice.uniform(19000, 21000) if size < 0.06
                  else 10 ** dice.uniform(0, 3.5))
        each = {**random_point(dice, records), "distance": radius}
        if dice.random() < 0.2:
            each["region"] = dice.choice(records)["region"]
        filters.append(each)
    return filters


@with_shards(*SHARD_COUNTS)
class Cities(ServerCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.dice = random.Random(6371)
        chosen = ALL if LONG else cls.dice.sample(ALL, CITIES)
        cls.records = [{"key": f"c{number}", **city} for number, city in enumerate(chosen)]

    def search(self, filters, num_records, start_record=0):
        return self.client.ok("POST", "/v1/scene/query", scenes(
            *filters, num_records=num_records, start_record=start_record))

    def check_order(self, found):
        order = [(record["distance"], record["key"]) for record in found]
        self.assertEqual(order, sorted(order))
        self.assertEqual(len({key for _, key in order}), len(order))

    def check_search(self, oracle, filters, num_records):
        """The answer has what lies nearer than its last, nothing else, and says if more come."""
        answer = self.search(filters, num_records)
        found, expected = answer["scenes"], oracle.within(filters)
        has_more = "next_start_record" in answer
        self.assertTrue(not has_more or len(found) == num_records, filters)
        self.check_order(found)
        for record in found:
            km = record["distance"]
            self.assertTrue(any(abs(km - other) < slack_km(km)
                                for other in expected.get(record["key"], [])), (filters, record))
            self.assertLess(km, clear_distance(record, filters) + slack_km(km), filters)
        last_km = found[-1]["distance"] if has_more else math.inf
        for key in set(expected) - {record["key"] for record in found}:
            km = clear_distance(oracle.records[key], filters)
            self.assertTrue(km >= last_km - slack_km(km), (filters, key))

    def check_searches(self, oracle, count):
        for _ in range(count):
            filters = random_filters(self.dice, self.records)
            self.check_search(oracle, filters, self.dice.choice([1, 10, 100, 1000, 10000]))

    def change_some(self, oracle, count):
        """Moves as many cities to another one's place as it deletes, and one off the map."""
        chosen = self.dice.sample(sorted(oracle.records), 2 * count + 1)
        for key in chosen[:count]:
            place = random_point(self.dice, self.records)
            self.client.put_scene(key, **place)
            oracle.records[key].update(place)
        for key in chosen[count:2 * count]:
            self.client.ok("DELETE", scene_path(key))
            del oracle.records[key]
        self.client.put_scene(chosen[-1], latitude=100.0)
        del oracle.records[chosen[-1]]
        oracle.sort()

    def test_searches_find_what_a_look_at_every_city_finds(self):
        for first in range(0, len(self.records), PER_REQUEST):
            self.client.ok("POST", "/v1/scene/",
                           scenes(*self.records[first:first + PER_REQUEST]))
        oracle = Oracle([dict(record) for record in self.records])
        self.check_searches(oracle, SEARCHES)
        self.change_some(oracle, SEARCHES // 10)
        self.check_searches(oracle, SEARCHES // 5)
        self.restart()
        self.check_searches(oracle, SEARCHES // 5)
        self.check_pages(oracle)

    def check_pages(self, oracle):
        """Pages of a search make up the whole."""
        filters = [{"latitude": 48.2, "longitude": 16.4, "distance": 1500}]
        whole = oracle.within(filters)
        found, start = [], 0
        while start is not None:
            answer = self.search(filters, 777, start)
            found += answer["scenes"]
            start = answer.get("next_start_record")
        self.check_order(found)
        self.assertEqual({record["key"] for record in found}, set(whole))


if __name__ == "__main__":
    try:
        ALL = cities()
    except NotToBeHad as reason:
        print(f"skipped: {reason}")
        sys.exit(SKIPPED)
    unittest.main()
