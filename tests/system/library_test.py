"""Projects, scene groups, collections, relationships."""

import json
import unittest
from urllib.parse import quote

from support import ServerCase, run_together

PROJECT = "/v1/project"
COLLECTION = "/v1/collection"
RELATIONSHIP = "/v1/relationship"
NOBODY = "0123456789abcdef01234567"  # an id that is nobody's


class LibraryCase(ServerCase):
    def ask(self, method, path, body=None, **headers):
        """The body of an answer that must be a success."""
        fields = {name.replace("_", "-"): value for name, value in headers.items()}
        answer = self.client.request(method, path, body, fields)
        self.assertEqual(answer.status, 200, f"{method} {path}: {answer}")
        return answer.body

    def project(self, **members):
        return PROJECT + "/" + self.ask("POST", PROJECT, members)["id"]

    def collection(self, **members):
        return COLLECTION + "/" + self.ask("POST", COLLECTION, members)["id"]

    def relate(self, asset, related, type_="scene", query="", **members):
        return self.ask("PUT", RELATIONSHIP + query,
                        {"assetId": asset, "relationshipType": type_, "relatedId": related,
                         **members})

    def related(self, query=""):
        """(asset, sub id, type, subtype, related) of all that are found, sorted."""
        return sorted(tuple(record[name] for name in (
            "assetId", "assetSubId", "relationshipType", "relationshipSubtype", "relatedId"))
            for record in self.ask("GET", RELATIONSHIP + query))

    def everything(self):
        return [self.ask("GET", path + "?num_records=1000")
                for path in (PROJECT, COLLECTION)] + [self.ask("GET", RELATIONSHIP)]


class Projects(LibraryCase, unittest.TestCase):
    def test_a_project_is_created_read_changed_and_deleted(self):
        sent = {"name": "film", "description": "d", "category": "c", "tags": ["a", "b"],
                "isPublic": True, "thumbnail": "t", "assetCollectionIds": ["x"],
                "sceneGroups": [{"name": "g", "description": "gd", "category": "gc",
                                 "scenes": ["s"]}]}
        answer = self.client.post(PROJECT, {**sent, "id": "mine", "user": "me"})
        made = answer.body
        self.assertEqual(answer.status, 200)
        self.assertRegex(made["id"], "^[0-9a-f]{24}$")
        self.assertEqual(answer.headers["Location"], f"{PROJECT}/{made['id']}")
        self.assertEqual(made, {**{name: sent[name] for name in sent if name != "isPublic"},
                                "public": True, "id": made["id"], "user": ""})
        path = f"{PROJECT}/{made['id']}"
        self.assertEqual(self.ask("GET", path), made)
        changed = self.ask("POST", path, {"name": "new", "tags": ["z"], "sceneGroups": [
            {"name": "other"}]})
        self.assertEqual(changed, {**made, "name": "new"})
        self.assertEqual(self.ask("DELETE", path), changed)
        for method in ("GET", "POST", "DELETE"):
            self.client.refused(404, 102, method, path, {} if method == "POST" else None)

    def test_members_that_an_update_does_not_change_are_warned_of(self):
        path = self.project(name="p", tags=["a"])
        project = self.ask("GET", path)
        self.assertEqual(self.client.post(path + "?strict=true", {**project, "name": "q"}).status,
                         200)
        for member, value in (("tags", ["z"]), ("sceneGroups", [{"name": "g"}]), ("id", "mine"),
                              ("assetCollectionIds", ["x"]), ("user", "me")):
            answer = self.client.post(path, {member: value})
            self.assertEqual((answer.status, answer.body), (200, {**project, "name": "q"}))
            warning, = json.loads(answer.headers["Diorama-Warnings"])
            self.assertEqual(warning["pointer"], f"/{member}")
            refusal = self.client.post(path + "?strict=true", {member: value})
            self.assertEqual((refusal.status, refusal.body["err_code"]), (422, 111), refusal)

    def test_tags_and_collections_are_added_and_removed_once(self):
        path = self.project(tags=["a"])
        for name, member in (("tags", "tags"), ("collections", "assetCollectionIds")):
            before = self.ask("GET", path)[member]
            for _ in range(2):
                self.assertEqual(self.ask("PUT", f"{path}/{name}/x%20y")[member],
                                 before + ["x y"])
            for _ in range(2):
                self.assertEqual(self.ask("DELETE", f"{path}/{name}/x%20y")[member], before)
            self.client.refused(404, 102, "PUT", f"{PROJECT}/{NOBODY}/{name}/x")

    def test_bad_members_are_named(self):
        for status, code, body, pointer in (
                (400, 110, {"name": 1}, "/name"),
                (400, 110, {"tags": "a"}, "/tags"),
                (400, 110, {"tags": [1]}, "/tags/0"),
                (400, 110, {"isPublic": "yes"}, "/isPublic"),
                (400, 110, {"sceneGroups": [{"name": []}, {"name": {}}]}, "/sceneGroups/1/name"),
                (422, 111, {"tags": [str(n) for n in range(65)]}, "/tags"),
                (422, 111, {"name": "n" * 4097}, "/name"),
                (422, 111, {"sceneGroups": [{"name": str(n)} for n in range(257)]},
                 "/sceneGroups")):
            refused = self.client.refused(status, code, "POST", PROJECT, body)
            self.assertEqual(refused["errors"][0]["pointer"], pointer)
        self.client.refused(400, 122, "POST", PROJECT)
        self.client.refused(400, 110, "POST", PROJECT, [])
        self.client.refused(409, 124, "POST", PROJECT, {"sceneGroups": [{"name": "a"}] * 2})
        self.client.refused(400, 122, "POST", PROJECT, {"sceneGroups": [{"scenes": ["s"]}]})

    def test_entity_tags_follow_the_record(self):
        path = self.project(name="old")
        tag = self.client.get(path).headers["ETag"]
        head = self.client.request("HEAD", path)
        self.assertEqual((head.status, head.headers["ETag"], head.text), (200, tag, ""))
        known = self.client.request("GET", path, None, {"If-None-Match": tag})
        self.assertEqual((known.status, known.text), (304, ""))
        self.ask("POST", path, {"name": "new"}, If_Match=tag)
        for method, where, body in (("POST", path, {"name": "late"}), ("DELETE", path, None),
                                    ("PUT", path + "/tags/t", None),
                                    ("POST", path + "/groups", {"name": "g"})):
            late = self.client.request(method, where, body, {"If-Match": tag})
            self.assertEqual((late.status, late.body["err_code"]), (412, 124))
        now = self.client.get(path)
        self.assertEqual((now.body["name"], now.body["tags"]), ("new", []))
        self.ask("DELETE", path, If_Match=now.headers["ETag"])


class Groups(LibraryCase, unittest.TestCase):
    def test_groups_come_change_and_go(self):
        path = self.project(sceneGroups=[{"name": "first"}])
        odd = "a/b ä%2F"
        made = self.ask("POST", path + "/groups", {"name": odd, "description": "d"})
        self.assertEqual([group["name"] for group in made["sceneGroups"]], ["first", odd])
        group = f"{path}/groups/{quote(odd, safe='')}"
        self.ask("PUT", group + "/scenes/s%201")
        self.assertEqual(self.ask("PUT", group + "/scenes/s2")["sceneGroups"][1]["scenes"],
                         ["s 1", "s2"])
        self.assertEqual(self.ask("DELETE", group + "/scenes/s%201")["sceneGroups"][1]["scenes"],
                         ["s2"])
        renamed = self.ask("POST", group, {"name": "new", "category": "c"})
        self.assertEqual(renamed["sceneGroups"][1], {
            "name": "new", "description": "d", "category": "c", "scenes": ["s2"]})
        self.client.refused(404, 102, "DELETE", group)
        self.assertEqual(self.ask("DELETE", path + "/groups/new"), self.ask("GET", path))
        self.assertEqual(len(self.ask("GET", path)["sceneGroups"]), 1)

    def test_names_are_needed_and_taken_once(self):
        path = self.project(sceneGroups=[{"name": "a"}, {"name": "b"}])
        before = self.ask("GET", path)
        self.client.refused(409, 124, "POST", path + "/groups", {"name": "a"})
        self.client.refused(400, 122, "POST", path + "/groups", {"category": "c"})
        self.client.refused(409, 124, "POST", path + "/groups/b", {"name": "a"})
        for method, where in (("POST", ""), ("DELETE", ""), ("PUT", "/scenes/s"),
                              ("DELETE", "/scenes/s")):
            body = {} if method == "POST" else None
            self.client.refused(404, 102, method, f"{path}/groups/none{where}", body)
            self.client.refused(404, 102, method, f"{PROJECT}/{NOBODY}/groups/a{where}", body)
        self.assertEqual(self.ask("GET", path), before)

    def test_of_many_who_ask_for_one_name_one_gets_it(self):
        path = self.project()
        statuses = []

        def create():
            client = self.connect()
            for number in range(10):
                statuses.append(client.post(path + "/groups", {"name": f"g{number}"}).status)

        run_together(*[create] * 4)
        self.assertEqual(sorted(statuses), [200] * 10 + [409] * 30)
        self.assertEqual(len(self.ask("GET", path)["sceneGroups"]), 10)


class Collections(LibraryCase, unittest.TestCase):
    def test_a_collection_is_created_read_changed_and_deleted(self):
        answer = self.client.post(COLLECTION, {"name": "n", "tags": ["a"], "isPublic": True})
        made = answer.body
        path = f"{COLLECTION}/{made['id']}"
        self.assertEqual(answer.headers["Location"], path)
        self.assertEqual(made, {"id": made["id"], "name": "n", "description": "", "category": "",
                                "tags": ["a"], "thumbnail": "", "user": "", "public": True})
        changed = self.ask("POST", path, {"tags": ["b"], "category": "c"})
        self.assertEqual(changed, {**made, "tags": ["b"], "category": "c"})
        self.assertEqual(self.ask("PUT", path + "/tags/x")["tags"], ["b", "x"])
        self.assertEqual(self.ask("DELETE", path + "/tags/b")["tags"], ["x"])
        self.assertEqual(self.ask("GET", path)["tags"], ["x"])
        self.ask("DELETE", path)
        self.client.refused(404, 102, "GET", path)
        self.client.refused(404, 102, "DELETE", path)

    def test_many_are_read_at_once(self):
        ids = [self.collection(name=str(n)).rsplit("/", 1)[1] for n in range(3)]
        found = self.ask("POST", "/v1/bulk/collection", {"ids": [ids[2], NOBODY, ids[0]]})
        self.assertEqual([record["id"] for record in found], [ids[2], ids[0]])
        self.assertEqual(self.ask("POST", "/v1/bulk/collection", {"ids": []}), [])
        self.client.refused(400, 110, "POST", "/v1/bulk/collection", {"ids": "x"})

    def test_what_ends_takes_its_relationships_and_leaves_projects(self):
        path = self.collection()
        gone = path.rsplit("/", 1)[1]
        project = self.project(assetCollectionIds=["kept", gone])
        self.relate("a1", gone, "collection")
        self.relate("a1", "kept", "collection")
        self.ask("DELETE", path)
        self.assertEqual(self.ask("GET", project)["assetCollectionIds"], ["kept"])
        self.assertEqual(self.related("?asset=a1"), [("a1", "", "collection", "", "kept")])


class Listing(LibraryCase, unittest.TestCase):
    flags = None

    def setUp(self):
        super().setUp()
        self.start_server()

    def names(self, query, path=PROJECT):
        return sorted(record["name"] for record in self.ask("GET", path + query))

    def test_lists_are_filtered_and_paged(self):
        for path in (PROJECT, COLLECTION):
            for number in range(12):
                self.ask("POST", path, {"name": f"n{number}", "category": f"c{number % 2}",
                                        "description": "d", "tags": ["t", f"t{number % 3}"]})
            self.assertEqual(self.names("?name=n3", path), ["n3"])
            self.assertEqual(self.names("?name=n", path), [])
            self.assertEqual(len(self.names("?category=c1&description=d", path)), 6)
            self.assertEqual(self.names("?tag=t&tag=t0&category=c0", path), ["n0", "n6"])
            self.assertEqual(self.names("?tags=t1", path), ["n1", "n10", "n4", "n7"])
            self.assertEqual(len(self.names("", path)), 10)
            self.assertEqual(len(self.names("?num_records=12", path)), 12)
            pages = [self.ask("GET", f"{path}?num_records=5&page={page}") for page in range(4)]
            self.assertEqual([len(page) for page in pages], [5, 5, 2, 0])
            ids = [record["id"] for page in pages for record in page]
            self.assertEqual(ids, sorted(set(ids)))
            self.client.refused(422, 111, "GET", path + "?num_records=1001")
            self.client.refused(400, 110, "GET", path + "?page=x")
            self.client.refused(422, 111, "GET", path + "?page=-1")

    def test_relationships_are_found_by_anything(self):
        self.relate("a1", "s1", relationshipSubtype="mesh")
        self.relate("a1", "s2")
        self.relate("a2", "s1", "object", assetSubId="2")
        a1s1, a1s2 = ("a1", "", "scene", "mesh", "s1"), ("a1", "", "scene", "", "s2")
        a2s1 = ("a2", "2", "object", "", "s1")
        for query, expected in (
                ("", [a1s1, a1s2, a2s1]), ("?asset=a1", [a1s1, a1s2]),
                ("?related=s1", [a1s1, a2s1]), ("?type=scene&related=s1", [a1s1]),
                ("?type=object", [a2s1]), ("?subtype=mesh", [a1s1]), ("?asset=a3", [])):
            self.assertEqual(self.related(query), sorted(expected), query)
        pages = [self.related(f"?num_records=2&page={page}") for page in range(3)]
        self.assertEqual([len(page) for page in pages], [2, 1, 0])
        self.assertEqual(sorted(sum(pages, [])), sorted([a1s1, a1s2, a2s1]))
        self.client.refused(422, 111, "GET", RELATIONSHIP + "?num_records=10001")
        bulk = "/v1/bulk/relationship"
        for body, count in (({"assetIds": ["a1", "a1", "no"]}, 2), ({"relatedIds": ["s1"]}, 2),
                            ({"assetIds": ["a2"], "relatedIds": ["s2"]}, 2), ({}, 0)):
            self.assertEqual(len(self.ask("POST", bulk, body)), count, body)
        self.assertEqual(len(self.ask("POST", bulk + "?num_records=1", {"relatedIds": ["s1"]})), 1)


class Relationships(LibraryCase, unittest.TestCase):
    def test_put_makes_one_for_each_identity(self):
        [made] = self.relate("i1", "r", assetSubId=None)
        [again] = self.relate("i1", "r", relationshipSubtype="mesh")
        self.assertEqual(again, {**made, "relationshipSubtype": "mesh"})
        self.relate("i1", "r", assetSubId="part")
        self.assertEqual(self.related("?asset=i1"), [
            ("i1", "", "scene", "mesh", "r"), ("i1", "part", "scene", "", "r")])

    def test_put_overwrites_what_the_query_names(self):
        [made] = self.relate("o1", "r")
        [moved] = self.relate("o2", "r", query="?asset=o1&type=scene&related=r")
        self.assertEqual(moved, {**made, "assetId": "o2"})
        self.assertEqual(self.related("?asset=o1"), [])
        self.assertEqual(self.relate("o2", "r", query="?asset=o1&type=scene&related=r"), [moved])
        self.relate("o1", "r")
        self.client.refused(409, 124, "PUT", RELATIONSHIP + "?asset=o1", {"assetId": "o2"})

    def test_delete_answers_what_it_ended(self):
        made = self.relate("d1", "r")
        query = RELATIONSHIP + "?asset=d1&type=scene&related=r"
        for part in ("asset=d1", "type=scene", "related=r"):
            self.client.refused(400, 122, "DELETE",
                                query.replace(part, "x=y"))
        self.assertEqual(self.ask("DELETE", query), made)
        self.assertEqual(self.ask("DELETE", query), [])

    def test_bad_members_are_named(self):
        whole = {"assetId": "b", "relationshipType": "scene", "relatedId": "r"}
        for status, code, body, pointer in (
                (400, 122, {**whole, "assetId": ""}, "/assetId"),
                (400, 122, {**whole, "relationshipType": None}, "/relationshipType"),
                (400, 122, {**whole, "relatedId": []}, "/relatedId"),
                (400, 110, {**whole, "relatedId": 3}, "/relatedId"),
                (422, 111, {**whole, "assetId": "a/b"}, "/assetId"),
                (422, 111, {**whole, "assetSubId": "x" * 4097}, "/assetSubId")):
            refused = self.client.refused(status, code, "PUT", RELATIONSHIP, body)
            self.assertEqual(refused["errors"][0]["pointer"], pointer)
        self.client.refused(400, 122, "PUT", RELATIONSHIP)
        self.assertEqual(self.related("?asset=b"), [])

    def test_of_many_who_put_one_identity_one_is_made(self):
        def put():
            client = self.connect()
            for number in range(20):
                client.put(RELATIONSHIP, {"assetId": f"m{number}", "relationshipType": "scene",
                                          "relatedId": "many"})

        run_together(*[put] * 4)
        self.assertEqual(len(self.related("?related=many")), 20)


class Survival(LibraryCase, unittest.TestCase):
    flags = None

    def test_everything_is_there_after_an_end_and_after_a_kill(self):
        self.start_server()
        path = self.project(name="p", tags=["t"], sceneGroups=[{"name": "g", "scenes": ["s"]}])
        gone = self.project(name="gone")
        self.collection(name="c", public=False)
        self.relate("a", path.rsplit("/", 1)[1], "project")
        self.relate("a", gone.rsplit("/", 1)[1], "project")
        self.ask("PUT", path + "/groups/g/scenes/s2")
        self.ask("DELETE", gone)
        before = self.everything()
        self.assertEqual([len(part) for part in before], [1, 1, 1])
        for how in ("restart", "crash"):
            self.restart(how)
            self.assertEqual(self.everything(), before, how)

    def test_what_was_answered_before_a_kill_is_there_after_it(self):
        self.start_server(store_fault="kill-after=40")
        acknowledged = []
        try:
            while True:
                self.relate(f"a{len(acknowledged)}", "r")
                acknowledged.append(f"a{len(acknowledged)}")
        except (OSError, EOFError):
            pass
        except Exception as failure:  # the connection broke off within an answer
            self.assertFalse(isinstance(failure, AssertionError), failure)
        self.server.await_kill()
        self.assertGreater(len(acknowledged), 10)
        self.server.start(store_fault=None)
        self.client = self.connect()
        found = {record[0] for record in self.related("?related=r")}
        self.assertLessEqual(set(acknowledged), found)
        self.assertLessEqual(len(found), len(acknowledged) + 1)


if __name__ == "__main__":
    unittest.main(verbosity=2)
