"""Lists in pages: filters, orders, cursors, totals; the same form for every kind of record."""

import random
import time
import unittest
from urllib.parse import urlencode

from files import upload
from people import PeopleCase
from support import Client, ServerCase, scene_path, with_shards


def names(page, array, member="name"):
    return [record[member] for record in page[array]]


class ListCase(ServerCase):
    def ask(self, path, **query):
        return self.client.ok_page(path, query)


def ok_page(self, path, query):
    answer = self.get(path + "?" + urlencode(query))
    assert answer.status == 200, f"{path} {query}: {answer}"
    return answer.body


Client.ok_page = ok_page


def walk(client, path, array, **query):
    """All records, page by page; checks that each page but the last is full."""
    found, after = [], ""
    while True:
        page = client.ok_page(path, {**query, "after": after})
        found += page[array]
        if "next" not in page:
            return found, page["total"]
        assert len(page[array]) == query.get("limit", 50), page
        after = page["next"]


@with_shards(1)
class Objects(ListCase):
    def setUp(self):
        super().setUp()
        self.client.put_scene(self.scene)
        self.path = scene_path(self.scene) + "/object"

    def make(self, *records):
        keys = []
        for start in range(0, len(records), 500):
            keys += self.client.create(self.scene, *records[start:start + 500])
        return keys

    def page(self, **query):
        return self.ask(self.path, **query)

    def refused(self, pointer, **query):
        answer = self.client.refused(422, 111, "GET", self.path + "?" + urlencode(query))
        self.assertEqual(answer["errors"][0]["pointer"], pointer)
        return answer

    def test_a_page_has_key_order_total_and_no_next_where_it_is_the_last(self):
        keys = self.make({"name": "b"}, {"name": "a"})
        page = self.page()
        self.assertEqual(names(page, "objects", "key"), sorted(keys))
        self.assertEqual(page["total"], 2)
        self.assertEqual(set(page), {"objects", "total"})

    def test_an_empty_scene_has_an_empty_page(self):
        self.assertEqual(self.page(), {"objects": [], "total": 0})

    def test_every_order_walks_all_objects_once_in_both_directions(self):
        chance = random.Random(7)
        self.make(*({"name": chance.choice("abcdef") * chance.randint(1, 20),
                     "type": chance.choice(["Mesh", "Curve", ""]),
                     "parent": chance.choice(["p", "q"])} for _ in range(300)))
        for order in ("key", "name", "type", "parent", "changed"):
            member = {"changed": "changed_us"}.get(order, order)
            for sign, limit in (("", 7), ("-", 100)):
                with self.subTest(sign + order):
                    found, total = walk(self.client, self.path, "objects", sort=sign + order,
                                        limit=limit)
                    places = [(record[member].encode() if member != "changed_us" else record[member],
                               record["key"]) for record in found]
                    self.assertEqual(places, sorted(places, reverse=sign == "-"))
                    self.assertEqual((len(set(places)), total), (300, 300))

    def test_filters_find_what_a_look_at_all_objects_finds(self):
        chance = random.Random(11)
        self.make(*({"name": f"{chance.choice(['red', 'Blue', 'green'])} pump-{number}",
                     "type": chance.choice(["Mesh", "Curve"]), "subtype": chance.choice(["x", "y"]),
                     "parent": chance.choice(["p", "q", "r"]),
                     "tags": chance.sample(["hot", "cold", "old", "new"], chance.randint(0, 3))}
                    for number in range(400)))
        everything = self.client.objects(self.scene)
        for query, wanted in (
                ({"type": "Mesh"}, lambda o: o["type"] == "Mesh"),
                ({"parent": "q", "type": "Curve"},
                 lambda o: (o["parent"], o["type"]) == ("q", "Curve")),
                ({"tag": "hot"}, lambda o: "hot" in o.get("tags", [])),
                ({"tag": "hot", "tags": "old"},
                 lambda o: {"hot", "old"} <= set(o.get("tags", []))),
                ({"name": "red pump-7"}, lambda o: o["name"] == "red pump-7"),
                ({"subtype": "x", "parent": "r"},
                 lambda o: (o["subtype"], o["parent"]) == ("x", "r")),
                ({"q": "blu"}, lambda o: o["name"].startswith("Blue")),
                ({"q": "PUMP 39 me"}, lambda o: o["type"] == "Mesh" and any(
                    word.startswith("39") for word in o["name"].split("-"))),
                ({"q": "ho"}, lambda o: "hot" in o.get("tags", [])),
                ({"key": everything[5]["key"]}, lambda o: o["key"] == everything[5]["key"])):
            for sort in ("", "-name", "changed"):
                with self.subTest(query, sort=sort):
                    found, total = walk(self.client, self.path, "objects", limit=30, sort=sort,
                                        **query)
                    expected = {o["key"] for o in everything if wanted(o)}
                    self.assertEqual({o["key"] for o in found}, expected)
                    self.assertEqual((len(found), total), (len(expected), len(expected)))

    def test_lists_follow_every_change(self):
        first, second = self.make({"name": "one", "type": "A", "tags": ["t"]}, {"name": "two"})
        for sort in ("name", "type", "changed"):
            self.page(sort=sort)
        self.page(q="one", tag="t")
        self.client.update(self.scene, first, name="three", type="B", tags=["u"])
        self.assertEqual(names(self.page(sort="name"), "objects"), ["three", "two"])
        self.assertEqual(names(self.page(q="thr"), "objects"), ["three"])
        self.assertEqual(self.page(q="one")["total"], 0)
        self.assertEqual((self.page(tag="t")["total"], self.page(tag="u")["total"]), (0, 1))
        self.assertEqual(names(self.page(type="B"), "objects"), ["three"])
        self.assertEqual(names(self.page(sort="-changed", limit=1), "objects", "key"), [first])
        self.client.ok("DELETE", f"{self.path}/{first}")
        self.assertEqual(names(self.page(sort="name"), "objects", "key"), [second])
        self.assertEqual(self.page(q="thr")["total"], 0)

    def test_changed_lies_between_two_times(self):
        before = time.time_ns() // 1000
        old = self.make({"name": "old"})[0]
        moment = self.page()["objects"][0]["changed_us"]
        self.assertTrue(before - 10**6 <= moment <= time.time_ns() // 1000 + 10**6, moment)
        new = self.make({"name": "new"})[0]
        self.assertEqual(names(self.page(changed=f"..{moment}"), "objects", "key"), [old])
        self.assertEqual(names(self.page(changed=f"{moment + 1}.."), "objects", "key"), [new])
        self.assertEqual(self.page(changed=f"{moment}..{moment}")["total"], 1)
        self.refused("/changed", changed="yesterday")

    def test_a_total_is_exact_to_ten_thousand(self):
        self.make(*({"name": "even" if number % 2 else "odd"} for number in range(10001)))
        page = self.page(limit=1)
        self.assertEqual((page["total"], page["at_least"]), (10000, True))
        page = self.page(limit=1, after=page["next"])
        self.assertEqual((page["total"], page["at_least"]), (10000, True))
        page = self.page(name="even")
        self.assertEqual((page["total"], page.get("at_least")), (5000, None))
        self.assertEqual(self.page(q="od", limit=1)["total"], 5001)

    def test_fields_show_what_they_name(self):
        key = self.make({"name": "a", "type": "Mesh"})[0]
        self.assertEqual(self.page(fields="name")["objects"], [{"key": key, "name": "a"}])
        self.refused("/fields", fields="name,user")

    def test_an_unknown_order_is_refused(self):
        self.refused("/sort", sort="size")
        self.refused("/sort", sort="-created")
        self.refused("/sort", sort="-")

    def test_a_cursor_is_good_for_its_list_alone(self):
        self.make(*({"name": str(number)} for number in range(3)))
        cursor = self.page(sort="name", limit=1)["next"]
        self.assertEqual(names(self.page(sort="name", after=cursor), "objects"), ["1", "2"])
        self.refused("/after", sort="-name", after=cursor)
        self.refused("/after", sort="name", name="0", after=cursor)
        self.refused("/after", sort="name", after=cursor[:-4] + "AAAA")
        self.refused("/after", sort="name", after="no cursor")
        self.refused("/after", after="x" * 2000)
        other = scene_path(self.scene + "-other")
        self.client.put_scene(self.scene + "-other")
        answer = self.client.refused(422, 111, "GET", f"{other}/object?sort=name&after={cursor}")
        self.assertEqual(answer["errors"][0]["pointer"], "/after")

    def test_a_cursor_of_a_scene_that_was_deleted_is_refused(self):
        self.make({"name": "1"}, {"name": "2"})
        cursor = self.page(limit=1)["next"]
        self.client.ok("DELETE", scene_path(self.scene))
        self.client.put_scene(self.scene)
        self.refused("/after", after=cursor)

    def test_a_page_goes_on_where_the_last_one_ended_whatever_has_changed(self):
        keys = sorted(self.make(*({"name": "x"} for _ in range(6))))
        page = self.page(limit=3)
        for key in keys[1:3]:
            self.client.ok("DELETE", f"{self.path}/{key}")
        rest = self.page(after=page["next"])
        self.assertEqual(names(rest, "objects", "key"), keys[3:])

    def test_a_limit_has_a_bound(self):
        self.client.refused(422, 111, "GET", self.path + "?limit=1001")

    def test_a_search_without_letters_is_refused(self):
        self.refused("/q", q="--")

    def test_a_scene_that_is_not_there_is_not_found(self):
        self.client.refused(404, 102, "GET", "/v1/scene/nowhere/object")


@with_shards(1, 3)
class Scenes(ListCase):
    flags = None

    def setUp(self):
        super().setUp()
        self.start_server()

    def test_scenes_of_all_actors_are_one_list(self):
        for number in range(60):
            self.client.put_scene(f"s{number:02}", name=f"Hall {number * 7 % 60:02}",
                                  region=f"r{number % 3}", tags=["wet"] if number % 2 else [])
        found, total = walk(self.client, "/v1/scene", "scenes", sort="name", limit=7)
        self.assertEqual([scene["name"] for scene in found], [f"Hall {n:02}" for n in range(60)])
        self.assertEqual(total, 60)
        found, total = walk(self.client, "/v1/scene", "scenes", sort="-changed", limit=9, tag="wet",
                            type="r1", q="ha")
        self.assertEqual([scene["key"] for scene in found],
                         [f"s{number:02}" for number in range(59, -1, -1)
                          if number % 2 and number % 3 == 1])
        self.assertEqual(total, 10)
        page = self.ask("/v1/scene", region="r0", sort="created", limit=2)
        self.assertEqual((names(page, "scenes", "key"), page["total"]), (["s00", "s03"], 20))
        self.assertEqual(page["scenes"][0]["created_us"], page["scenes"][0]["changed_us"])
        self.client.put_scene("s03", name="Hall of fame")
        scene = self.ask("/v1/scene", key="s03")["scenes"][0]
        self.assertLess(scene["created_us"], scene["changed_us"])
        self.assertEqual(names(self.ask("/v1/scene", q="fame hall"), "scenes", "key"), ["s03"])
        self.client.ok("DELETE", "/v1/scene/s03")
        self.assertEqual(self.ask("/v1/scene", q="fame")["total"], 0)

    def place(self, *places):
        for key, latitude, longitude in places:
            self.client.put_scene(key, latitude=latitude, longitude=longitude)

    def test_a_box_has_the_scenes_that_lie_in_it(self):
        self.place(("a", 50, 6), ("b", 51, 7), ("c", 50.5, 8), ("d", -50, 6.5))
        self.client.put_scene("nowhere")
        page = self.ask("/v1/scene", box="50,6,51,7")
        self.assertEqual((names(page, "scenes", "key"), page["total"]), (["a", "b"], 2))
        page = self.ask("/v1/scene", box="50,6,51,7", q="b")
        self.assertEqual((names(page, "scenes", "key"), page["total"]), (["b"], 1))

    def test_a_box_may_lie_over_the_date_line(self):
        self.place(("east", 0, -179), ("line", 0, 180), ("west", 0, 179), ("far", 0, 0))
        page = self.ask("/v1/scene", box="-1,178,1,-178", sort="-key")
        self.assertEqual(names(page, "scenes", "key"), ["west", "line", "east"])

    def test_near_counts_kilometres_from_a_place(self):
        self.place(("here", 50, 6), ("far", 50.1, 6), ("farther", 50.2, 6))  # 11.1 and 22.2 km
        self.assertEqual(names(self.ask("/v1/scene", near="50,6,0"), "scenes", "key"), ["here"])
        self.assertEqual(names(self.ask("/v1/scene", near="50,6,11.2"), "scenes", "key"),
                         ["far", "here"])

    def test_pages_of_an_area_have_each_scene_once(self):
        chance = random.Random(3)
        self.place(*((f"s{number:03}", chance.uniform(-90, 90), chance.uniform(-180, 180))
                     for number in range(300)))
        for query, expected in (({"box": "-45,-90,45,90"},
                                 lambda s: abs(s["latitude"]) <= 45 and abs(s["longitude"]) <= 90),
                                ({"box": "-90,170,90,10", "q": "s1"},
                                 lambda s: s["key"].startswith("s1") and not 10 < s["longitude"] < 170)):
            with self.subTest(query):
                everything, _ = walk(self.client, "/v1/scene", "scenes", limit=300)
                found, total = walk(self.client, "/v1/scene", "scenes", limit=7, sort="-changed", **query)
                wanted = [s["key"] for s in everything if expected(s)]
                self.assertEqual(sorted(s["key"] for s in found), wanted)
                self.assertEqual(total, len(wanted))

    def test_scenes_remember_their_times_over_a_restart(self):
        self.client.put_scene("a", name="one")
        before = self.ask("/v1/scene")
        self.server.stop()
        self.server.start()
        self.client = self.connect()
        self.assertEqual(self.ask("/v1/scene"), before)

    def test_wrong_questions_are_refused(self):
        for number in range(3):
            self.client.put_scene(f"s{number}")
        cursor = self.ask("/v1/scene", limit=1)["next"]
        for query, pointer in (({"sort": "parent"}, "/sort"), ({"after": cursor, "q": "x"}, "/after"),
                               ({"after": "x"}, "/after"), ({"fields": "devices"}, "/fields"),
                               ({"created": "now"}, "/created"),
                               ({"after": cursor, "box": "0,0,1,1"}, "/after"),
                               ({"box": "0,0,1"}, "/box"), ({"box": "0,0,1,1,1"}, "/box"),
                               ({"box": "0,0,1,x"}, "/box"), ({"box": "0,0,1,nan"}, "/box"),
                               ({"box": "2,0,1,1"}, "/box"), ({"box": "0,0,91,1"}, "/box"),
                               ({"box": "0,-181,1,1"}, "/box"), ({"near": "0,0"}, "/near"),
                               ({"near": "0,0,-1"}, "/near"), ({"near": "0,0,1e999"}, "/near"),
                               ({"near": "0,0,1", "box": "0,0,1,1"}, "/near")):
            with self.subTest(query):
                answer = self.client.refused(422, 111, "GET", "/v1/scene?" + urlencode(query))
                self.assertEqual(answer["errors"][0]["pointer"], pointer)


@with_shards(3)
class Search(ListCase):
    flags = None

    def setUp(self):
        super().setUp()
        self.start_server()

    def hits(self, **query):
        return [(hit["kind"], hit["name"], hit.get("scene"))
                for hit in self.ask("/v1/search", **query)]

    def test_everything_with_a_name_is_found_by_beginnings_of_words(self):
        self.client.put_scene("hall", name="Pump hall")
        self.client.put_scene("mill", name="Mill")
        self.client.create("hall", {"name": "big pump"}, {"name": "door"})
        self.client.create("mill", {"name": "old pump"})
        self.client.request("POST", "/v1/project", {"name": "Pumps of the town"})
        self.client.request("POST", "/v1/collection", {"name": "pumpkins"})
        upload(self.client, "/v1/asset?name=pump.glb", b"bytes")
        others = [("scene", "Pump hall", None), ("asset", "pump.glb", None),
                  ("project", "Pumps of the town", None), ("collection", "pumpkins", None)]
        self.assertEqual(self.hits(q="PUM"), others)
        self.assertEqual(self.hits(q="pum", scene="hall"),
                         [others[0], ("object", "big pump", "hall"), *others[1:]])
        self.assertEqual(self.hits(q="pum town"), [others[2]])
        self.assertEqual(len(self.hits(q="pum", limit=2)), 2)
        self.assertEqual(self.hits(q="nothing"), [])

    def test_a_search_without_words_is_refused(self):
        self.client.refused(400, 122, "GET", "/v1/search")
        self.client.refused(422, 111, "GET", "/v1/search?q=.")
        self.client.refused(404, 102, "GET", "/v1/search?q=a&scene=nowhere")


@with_shards(1)
class Library(ListCase):
    """Projects, collections and assets."""

    def make(self, path, *records):
        return [self.client.request("POST", path, record).body["id"] for record in records]

    def upload(self, name, kind):
        answer = upload(self.client, "/v1/asset?" + urlencode({"name": name, "asset-type": kind}),
                        name.encode())
        self.assertEqual(answer.status, 200, answer)
        return answer.text

    def test_projects_are_found_by_words_tags_and_category(self):
        first, second = self.make("/v1/project",
                                  {"name": "Harbour Café", "category": "town", "tags": ["wet"]},
                                  {"name": "Mill", "category": "Mühle", "tags": ["dry"]})
        for query in ({"q": "cafe har"}, {"tag": "wet"}, {"type": "town"}, {"name": "Harbour Café"}):
            page = self.ask("/v1/project", after="", **query)
            self.assertEqual((names(page, "projects", "id"), page["total"]), ([first], 1), query)
        page = self.ask("/v1/project", after="", q="muhl")
        self.assertEqual(names(page, "projects", "id"), [second])
        found, total = walk(self.client, "/v1/project", "projects", sort="-name", limit=1)
        self.assertEqual(([project["id"] for project in found], total), ([second, first], 2))

    def test_collections_are_listed_in_pages(self):
        made = self.make("/v1/collection", *({"name": f"c{number:02}"} for number in range(12)))
        found, total = walk(self.client, "/v1/collection", "collections", sort="name", limit=5)
        self.assertEqual(([collection["id"] for collection in found], total), (made, 12))

    def test_assets_are_listed_by_time_type_and_words(self):
        keys = [self.upload(f"wheel {number}", "mesh" if number % 2 else "texture")
                for number in range(7)]
        found, total = walk(self.client, "/v1/asset", "assets", sort="-created", limit=3, q="whe")
        self.assertEqual(([asset["key"] for asset in found], total), (keys[::-1], 7))
        page = self.ask("/v1/asset", after="", type="mesh", sort="created")
        self.assertEqual(names(page, "assets", "key"), keys[1::2])
        self.client.ok_page("/v1/asset", {"after": "", "created": f"{time.time_ns() // 1000}.."})
        self.client.request("DELETE", f"/v1/asset/{keys[3]}")
        page = self.ask("/v1/asset", after="", type="mesh", sort="created")
        self.assertEqual(names(page, "assets", "key"), [keys[1], keys[5]])

    def test_without_after_lists_are_arrays_as_before(self):
        for path in ("/v1/project", "/v1/collection", "/v1/asset", "/v1/users"):
            plain = self.client.ok_page(path, {"sort": "nothing", "q": "-"})
            self.assertIsInstance(plain, list)

    def test_wrong_orders_and_cursors_are_refused(self):
        self.make("/v1/project", {"name": "a"}, {"name": "b"})
        cursor = self.ask("/v1/project", after="", limit=1)["next"]
        for path, query, pointer in (
                ("/v1/project", {"after": "", "sort": "created"}, "/sort"),
                ("/v1/collection", {"after": cursor}, "/after"),
                ("/v1/project", {"after": cursor, "sort": "name"}, "/after"),
                ("/v1/users", {"after": "", "sort": "type"}, "/sort"),
                ("/v1/asset", {"after": "", "fields": "nothing"}, "/fields")):
            with self.subTest(path, query=query):
                answer = self.client.refused(422, 111, "GET", path + "?" + urlencode(query))
                self.assertEqual(answer["errors"][0]["pointer"], pointer)


@with_shards(1)
class Access(PeopleCase):
    def page(self, person, path, **query):
        return person.ok_page(path, {"after": "", **query})

    def test_a_list_has_what_its_reader_may_see(self):
        ann, ben = self.new_person("ann"), self.new_person("ben")
        self.addCleanup(ann.close)
        self.addCleanup(ben.close)
        for person, name, public in ((ann, "ann's", False), (ben, "ben's", False),
                                     (ann, "everybody's", True)):
            self.assertEqual(person.post("/v1/project", {"name": name, "public": public}).status, 200)
        for person, wanted in ((ann, ["ann's", "everybody's"]), (ben, ["ben's", "everybody's"]),
                               (self.admin, ["ann's", "ben's", "everybody's"])):
            page = self.page(person, "/v1/project", sort="name")
            self.assertEqual((names(page, "projects"), page["total"]), (wanted, len(wanted)))
        self.assertEqual(ann.put("/v1/scene/hers", {"scenes": [
            {"public": False, "latitude": 15, "longitude": 15}]}).status, 200)
        for person, found in ((ann, ["hers"]), (ben, []), (self.admin, ["hers"])):
            hits = person.get("/v1/search?q=he").body
            self.assertEqual([hit["key"] for hit in hits], found)
        self.assertEqual([hit["kind"] for hit in self.admin.get("/v1/search?q=ben").body],
                         ["project", "user"])
        self.assertEqual([hit["kind"] for hit in ben.get("/v1/search?q=ben").body], ["project"])
        for person, total in ((ann, 1), (ben, 0), (self.admin, 1)):
            self.assertEqual(self.page(person, "/v1/scene")["total"], total)
            self.assertEqual(self.page(person, "/v1/scene", box="10,10,20,20")["total"], total)
        cursor = self.page(self.admin, "/v1/project", sort="name", limit=1)["next"]
        ann.refused(422, 111, "GET", f"/v1/project?sort=name&after={cursor}")

    def test_users_are_listed_to_administrators_alone(self):
        self.sign_up("zoe")
        self.sign_up("Zacharias")
        page = self.page(self.admin, "/v1/users", q="z", sort="name")
        self.assertEqual(names(page, "users", "username"), ["Zacharias", "zoe"])
        self.assertNotIn("hash", page["users"][0])
        ned = self.new_person("ned")
        self.addCleanup(ned.close)
        ned.refused(403, 131, "GET", "/v1/users?after=")


if __name__ == "__main__":
    unittest.main()
