"""A library that has far more than the memory that it may keep of it: whatever leaves memory is read
again, also after kills, and nothing that was acknowledged is lost or told wrongly."""

import unittest

from files import upload
from support import ServerCase

RELATIONSHIP = "/v1/relationship"
ASSETS, SCENES = 40, 4


class SmallMemory(ServerCase, unittest.TestCase):
    flags = {"library_memory": "64K"}

    def setUp(self):
        super().setUp()
        self.links = {}  # (asset, related) -> subtype

    def put(self, asset, related, subtype):
        answer = self.client.put(RELATIONSHIP, {
            "assetId": asset, "relationshipType": "t", "relatedId": related,
            "relationshipSubtype": subtype, "assetSubId": "x" * 200})
        self.assertEqual(answer.status, 200, answer)
        self.links[asset, related] = subtype

    def shown(self, query="?num_records=10000"):
        answer = self.client.get(RELATIONSHIP + query)
        self.assertEqual(answer.status, 200, answer)
        return {(link["assetId"], link["relatedId"]): link["relationshipSubtype"]
                for link in answer.body}

    def assert_all(self):
        self.assertEqual(self.shown(), self.links)
        for end in range(SCENES):
            self.assertEqual(self.shown(f"?related=scene{end}&num_records=10000"),
                             {key: value for key, value in self.links.items() if key[1] == f"scene{end}"})
        for asset in {asset for asset, _ in self.links}:
            self.assertEqual(self.shown(f"?asset={asset}"),
                             {key: value for key, value in self.links.items() if key[0] == asset})

    def kill(self):
        self.server.kill()
        self.server.start()
        self.client = self.connect()

    def test_relationships_are_what_was_acknowledged_after_kills(self):
        assets = [upload(self.client, "/v1/asset", b"v 1\n", f"{i}.obj").text for i in range(ASSETS)]
        for i, asset in enumerate(assets):
            for end in range(SCENES):
                self.put(asset, f"scene{end}", f"first{i}")
        self.kill()
        self.assert_all()
        for asset in assets[::3]:  # overwritten, not made again
            self.put(asset, "scene1", "second")
        for asset in assets[1::3]:  # a new version takes them along
            new = upload(self.client, f"/v1/asset/{asset}", b"v 2\n", "n.obj").text
            for end in range(SCENES):
                self.links[new, f"scene{end}"] = self.links.pop((asset, f"scene{end}"))
        for asset in assets[2::3]:
            self.assertEqual(self.client.delete(f"/v1/asset/{asset}").status, 200)
            for end in range(SCENES):
                del self.links[asset, f"scene{end}"]
        self.kill()
        self.assert_all()
        answer = self.client.put(RELATIONSHIP + "?related=scene2", {"relationshipSubtype": "all"})
        self.assertEqual(answer.status, 200)
        self.links.update({key: "all" for key in self.links if key[1] == "scene2"})
        self.assert_all()
        self.server.kill()
        self.assertEqual(self.server.check_store()[1], 0)


class ManyRelationships(ServerCase, unittest.TestCase):
    flags = {"library_memory": "64K"}

    def test_pages_of_all_that_many_ids_lead_to_have_each_relationship_once(self):
        for i in range(2300):  # more than a bulk request keeps at once
            link = {"assetId": f"a{i % 23}", "relationshipType": "t", "relatedId": f"r{i // 23}"}
            self.assertEqual(self.client.put(RELATIONSHIP, link).status, 200)
        wanted = {"assetIds": ["a1", "a2"], "relatedIds": [f"r{end}" for end in range(100)] + ["r5"]}
        shown, start = [], 0
        while page := self.client.post(f"/v1/bulk/relationship?start_record={start}&num_records=700", wanted).body:
            shown += [link["id"] for link in page]
            start += 700
        self.assertEqual(len(shown), 2300)
        self.assertEqual(shown, sorted(set(shown)))


if __name__ == "__main__":
    unittest.main()
