"""The sessions of existing clients, of both generations: the bodies are the ones that they send,
with every attribute of their classes, the empty ones as null or [] (decisions, introduction)."""

import unittest

from feeds import UdpDevice
from support import ServerCase, moved

ONES = [1.0] * 16
HANDLE = {"left_type": "vector", "left_x": 1.0, "left_y": 2.0,
          "right_type": "free", "right_x": 3.0, "right_y": 4.0}
EMPTY_HANDLE = {"left_type": None, "left_x": [], "left_y": [],
                "right_type": None, "right_x": [], "right_y": []}


def value(number):
    return {"value": number, **HANDLE}


class GenerationA(ServerCase, unittest.TestCase):
    """frame, timestamp, vectors and handles at the top level; values are records."""

    def test_an_object_keeps_its_frame_and_handles(self):
        created = self.client.ok("POST", "/v1/scene/a/object/", {"msg_type": 0, "objects": [{
            "name": "cube", "type": "Mesh", "subtype": "Cube", "owner": "", "frame": 10,
            "timestamp": 123456789, "translation": [1, 2, 3], "quaternion_rotation": [],
            "euler_rotation": [0, 0, 0], "scale": [1, 1, 1], "assets": ["m1"],
            "translation_handle": [HANDLE] * 3, "rotation_handle": [HANDLE, EMPTY_HANDLE],
            "scale_handle": []}]})
        [record] = created["objects"]
        shown = self.client.object("a", record["key"])
        self.assertEqual((shown["frame"], shown["timestamp"]), (10, 123456789))
        self.assertEqual(shown["transform"], moved(1, 2, 3))
        self.assertEqual(shown["translation_handle"], [HANDLE] * 3)
        self.assertEqual(shown["rotation_handle"][0], HANDLE)

    def test_a_bare_update_is_answered_as_the_document_shows(self):
        [key] = self.client.create("a", {"name": "cube"})
        answer = self.client.ok("POST", f"/v1/scene/a/object/{key}", {
            "name": "ball", "type": None, "subtype": None, "owner": None, "translation": [4, 5, 6],
            "quaternion_rotation": None, "euler_rotation": [], "scale": None, "assets": []})
        self.assertEqual((answer["num_records"], answer["objects"]), (0, []))
        shown = self.client.object("a", key)
        self.assertEqual((shown["name"], shown["transform"]), ("ball", moved(4, 5, 6)))

    def test_a_property_keeps_its_value_records(self):
        created = self.client.ok("POST", "/v1/scene/a/property/", {"properties": [{
            "key": "gravity", "name": "gravity", "parent": "", "asset_sub_id": "", "scene": "a",
            "frame": 1, "timestamp": 2, "values": [value(9.81), value(0.5)]}]})
        self.assertEqual(created["objects"], [{"key": "gravity"}])
        self.client.ok("POST", "/v1/scene/a/property/gravity", {"properties": [{
            "name": None, "values": [value(1.62)]}]})
        [shown] = self.client.ok("GET", "/v1/scene/a/property/gravity")["properties"]
        self.assertEqual((shown["name"], shown["values"]), ("gravity", [value(1.62)]))


class GenerationB(ServerCase, unittest.TestCase):
    """actions with keyframes, transform in requests; values are numbers."""

    def register(self):
        device = UdpDevice("blender-1")
        self.addCleanup(device.close)
        answer = self.client.ok("POST", "/v1/scene/b/register", {"scenes": [{
            "key": "b", "name": None, "tags": [], "devices": [{
                **device.record(), "connection_string": None,
                "transform": {"translation": [0.0, 0.0, 0.0], "rotation": [0.0, 0.0, 0.0]}}]}]})
        self.assertEqual(answer["num_records"], 2)
        return device

    def test_an_animated_object_is_made_moved_and_heard(self):
        device = self.register()
        [record] = self.client.ok("POST", "/v1/scene/b/object/", {"objects": [{
            "key": None, "name": "cube", "scene": "b", "type": None, "subtype": None,
            "owner": None, "parent": None, "transform": ONES, "assets": [], "actions": [],
            "translation": [], "euler_rotation": [], "quaternion_rotation": [], "scale": []}],
            "num_records": 1, "start_record": None, "operation": None})["objects"]
        key = record["key"]
        path = f"/v1/scene/b/object/{key}"
        self.client.ok("POST", path + "/action", {"name": "walk", "description": None,
                                                  "keyframes": []})
        self.client.ok("POST", path + "/action/walk/keyframe", {
            "frame": 1, "transform": ONES, "translation_handle": [HANDLE],
            "rotation_handle": [], "scale_handle": []})
        device.send(self.server, {"msg_type": 1, "key": key, "name": "cube", "scene": None,
                                  "transform": moved(5, 6, 7), "actions": []})
        heard = device.wait_for(lambda event: event["key"] == key and
                                event["transform"] == moved(5, 6, 7))
        self.assertEqual((heard["msg_type"], heard["key"], heard["actions"]), (1, key, []))
        [action] = self.client.object("b", key)["actions"]
        self.assertEqual((action["name"], action["keyframes"][0]["frame"]), ("walk", 1))

    def test_a_property_with_numbers_gives_numbers(self):
        self.register()
        [record] = self.client.ok("POST", "/v1/scene/b/property", {"properties": [{
            "key": None, "name": "temperature", "parent": "", "asset_sub_id": None,
            "scene": "b", "values": [100.0], "actions": []}]})["properties"]
        [shown] = self.client.ok("GET", f"/v1/scene/b/property/{record['key']}")["properties"]
        self.assertEqual((shown["values"], shown["parent"]), ([100.0], ""))

    def test_a_wrapped_update_answers_the_whole_record(self):
        [key] = self.client.create("b", {"name": "cube", "transform": ONES})
        answer = self.client.ok("POST", f"/v1/scene/b/object/{key}", {"objects": [{
            "key": key, "name": "ball", "transform": [], "assets": [], "actions": None}]})
        self.assertEqual((answer["num_records"], answer["objects"][0]["name"],
                          answer["objects"][0]["transform"]), (1, "ball", ONES))


class BothGenerations(ServerCase, unittest.TestCase):
    def test_a_library_is_made_as_the_collections_do(self):
        for prefix in ("", "/v1"):
            answer = self.client.post(prefix + "/users/sign-up", {
                "username": f"ann{prefix}", "password": "secret", "email": f"ann{prefix}@x.org",
                "isAdmin": False, "isActive": True, "favoriteProjects": [], "favoriteScenes": []})
            self.assertEqual(answer.status, 200)
        [user] = self.client.get("/users/?username=ann").body
        self.assertEqual(self.client.get("/v1/users/?username=ann").body, user)
        project = self.client.post("/v1/project", {
            "name": "film", "description": "d", "category": "c", "tags": ["t"], "isPublic": True,
            "sceneGroups": [{"name": "act1", "description": "", "category": "", "scenes": ["b"]}],
            "assetCollectionIds": []}).body
        answer = self.client.put(f"/v1/users/{user['id']}/projects/{project['id']}")
        self.assertEqual(answer.body["favoriteProjects"], [project["id"]])
        self.client.put(f"/v1/project/{project['id']}/groups/act1/scenes/a")
        [shown] = self.client.get("/v1/project?name=film&num_records=10&page=0").body
        self.assertEqual(shown["sceneGroups"][0]["scenes"], ["b", "a"])

    def test_a_relationship_is_put_found_and_deleted(self):
        self.client.put_scene("b")
        link = {"assetId": "m1", "assetSubId": None, "relationshipType": "scene",
                "relationshipSubtype": "mesh", "relatedId": "b"}
        [made] = self.client.put("/v1/relationship", link).body
        self.assertEqual(self.client.get("/v1/relationship?type=scene&related=b").body, [made])
        self.assertEqual(
            self.client.delete("/v1/relationship?type=scene&related=b&asset=m1").body, [made])
        self.assertEqual(self.client.get("/v1/relationship?type=scene&related=b").body, [])


if __name__ == "__main__":
    unittest.main()
