"""Actions and keyframes of objects and properties, over HTTP and UDP."""

import unittest

from feeds import Subscriber, UdpDevice
from support import (IDENTITY, LONG, SHARD_COUNTS, ServerCase, moved, objects, scene_path,
                     wait_until, with_shards)

HANDLE = {"left_type": "vector", "left_x": 1.0, "left_y": 2.0,
          "right_type": "free", "right_x": 3.0, "right_y": 4.0}
VALUE = {"value": 103.0, "left_type": "t", "left_x": 15.0, "left_y": 16.2,
         "right_type": "u", "right_x": 17.1, "right_y": 18.3}
ONES = [1.0] * 16


class Kind:
    """What differs between objects and properties; `state(n)` is what a keyframe holds."""

    def __init__(self, noun, array, first, state):
        self.noun, self.array, self.first, self.state = noun, array, first, state


KINDS = (Kind("object", "objects", 15, lambda n: {"transform": moved(n)}),
         Kind("property", "properties", 23, lambda n: {"values": [float(n), VALUE]}))


class ActionCase(ServerCase):
    def make(self, kind, **members):
        """A thing of this kind; its path becomes self.path."""
        made = self.client.ok("POST", f"{scene_path(self.scene)}/{kind.noun}",
                              {kind.array: [{"name": "thing", **members}]})
        self.kind, self.key = kind, made[kind.array][0]["key"]
        self.path = f"{scene_path(self.scene)}/{kind.noun}/{self.key}"

    def each_kind(self, **members):
        for kind in KINDS:
            with self.subTest(kind.noun):
                self.make(kind, **members)
                yield kind

    def actions(self):
        return self.client.ok("GET", self.path)[self.kind.array][0]["actions"]

    def send(self, method, path, body=None):
        """A change that succeeds; returns its msg_type counted from that of a created keyframe."""
        answer = self.client.ok(method, self.path + path, body)
        self.assertEqual((answer["num_records"], answer[self.kind.array]), (0, []))
        return answer["msg_type"] - self.kind.first

    def frames(self, action=0):
        return [keyframe["frame"] for keyframe in self.actions()[action]["keyframes"]]


@with_shards(*SHARD_COUNTS)
class Actions(ActionCase):
    def test_an_action_is_created_and_replaced_by_its_name(self):
        for kind in self.each_kind():
            keyframe = {"frame": 1, **kind.state(1)}
            self.assertEqual(self.send("POST", "/action", {"name": "walk", "description": "d",
                                                           "keyframes": [keyframe]}), 4)
            self.assertEqual(self.actions(), [
                {"name": "walk", "description": "d", "keyframes": [keyframe]}])
            self.send("POST", "/action", {"name": "run", "keyframes": []})
            self.send("POST", "/action", {"name": "walk", "description": None})
            self.assertEqual(self.actions(), [
                {"name": "walk", "description": "", "keyframes": []},
                {"name": "run", "description": "", "keyframes": []}])

    def test_an_update_overwrites_what_was_sent_and_keeps_the_name(self):
        for kind in self.each_kind():
            self.send("POST", "/action", {"name": "a b", "description": "d",
                                          "keyframes": [{"frame": 1, **kind.state(1)}]})
            self.assertEqual(self.send("POST", "/action/a%20b",
                                       {"name": "other", "description": "new"}), 5)
            action = self.actions()[0]
            self.assertEqual((action["name"], action["description"], len(action["keyframes"])),
                             ("a b", "new", 1))
            self.send("POST", "/action/a%20b", {"keyframes": [{"frame": 3, **kind.state(3)},
                                                              {"frame": 2, **kind.state(2)}]})
            self.assertEqual(self.frames(), [2, 3])

    def test_a_deleted_action_is_gone(self):
        for _ in self.each_kind():
            for name in ("a", "b", "c"):
                self.send("POST", "/action", {"name": name})
            self.assertEqual(self.send("DELETE", "/action/b"), 7)
            self.assertEqual([action["name"] for action in self.actions()], ["a", "c"])
            self.client.refused(404, 102, "DELETE", self.path + "/action/b")
            self.client.refused(404, 102, "POST", self.path + "/action/b", {"description": "x"})

    def test_names_and_frames_are_needed(self):
        for _ in self.each_kind():
            for path, body, pointer in (
                    ("/action", {"description": "d"}, "/name"),
                    ("/action", {"name": "a", "keyframes": [{}]}, "/keyframes/0/frame"),
                    ("/action/walk/keyframe", {}, "/frame")):
                self.send("POST", "/action", {"name": "walk"})
                body = self.client.refused(400, 122, "POST", self.path + path, body)
                self.assertEqual(body["errors"][0]["pointer"], pointer)
            self.client.refused(400, 122, "POST", self.path + "/action")

    def test_wrong_types_are_refused_with_their_place(self):
        for _ in self.each_kind():
            for body, pointer in (({"name": 1}, "/name"), ({"name": "a", "keyframes": 1}, "/keyframes"),
                                  ({"name": "a", "keyframes": [{"frame": "x"}]},
                                   "/keyframes/0/frame")):
                body = self.client.refused(400, 110, "POST", self.path + "/action", body)
                self.assertEqual(body["errors"][0]["pointer"], pointer)

    def test_there_are_at_most_256_actions(self):
        for kind in self.each_kind():
            self.client.ok("POST", self.path, {kind.array: [
                {"actions": [{"name": str(n)} for n in range(256)]}]})
            self.client.refused(422, 111, "POST", self.path + "/action", {"name": "more"})
            self.send("POST", "/action", {"name": "7", "description": "replaced"})
            self.assertEqual(self.actions()[7]["description"], "replaced")

    def test_a_generated_key_is_found_whatever_the_scene_of_the_url(self):
        for kind in self.each_kind():
            self.client.ok("POST", f"/v1/scene/elsewhere/{kind.noun}/{self.key}/action",
                           {"name": "a"})
            self.assertEqual(len(self.actions()), 1)


@with_shards(*SHARD_COUNTS)
class Keyframes(ActionCase):
    def each_kind(self):
        for kind in super().each_kind():
            self.send("POST", "/action", {"name": "walk"})
            yield kind

    def test_keyframes_are_created_replaced_and_kept_in_the_order_of_frames(self):
        for kind in self.each_kind():
            for frame in (5, -3, 1, 5):
                self.assertEqual(self.send("POST", "/action/walk/keyframe",
                                           {"frame": frame, **kind.state(frame)}), 0)
            self.assertEqual(self.actions()[0]["keyframes"],
                             [{"frame": n, **kind.state(n)} for n in (-3, 1, 5)])

    def test_a_keyframe_is_updated_by_its_frame(self):
        for kind in self.each_kind():
            self.send("POST", "/action/walk/keyframe", {"frame": -3, **kind.state(1)})
            self.assertEqual(self.send("POST", "/action/walk/keyframe/-3",
                                       {"frame": 9, **kind.state(2)}), 1)
            self.assertEqual(self.actions()[0]["keyframes"], [{"frame": -3, **kind.state(2)}])

    def test_a_keyframe_is_deleted_by_its_frame(self):
        for kind in self.each_kind():
            for frame in (1, 2, 3):
                self.send("POST", "/action/walk/keyframe", {"frame": frame, **kind.state(1)})
            self.assertEqual(self.send("DELETE", "/action/walk/keyframe/2"), 3)
            self.assertEqual(self.frames(), [1, 3])

    def test_unknown_actions_and_frames_are_404(self):
        for kind in self.each_kind():
            self.send("POST", "/action/walk/keyframe", {"frame": 1, **kind.state(1)})
            state = {"frame": 1, **kind.state(1)}
            for method, path in (("POST", "/action/run/keyframe"), ("POST", "/action/walk/keyframe/2"),
                                 ("POST", "/action/run/keyframe/1"),
                                 ("DELETE", "/action/walk/keyframe/2"),
                                 ("DELETE", "/action/run/keyframe/1")):
                self.client.refused(404, 102, method, self.path + path,
                                    state if method == "POST" else None)
            self.client.refused(400, 110, "DELETE", self.path + "/action/walk/keyframe/x")

    def test_the_last_of_two_keyframes_of_one_frame_counts(self):
        for kind in self.each_kind():
            self.send("POST", "/action/walk", {"keyframes": [
                {"frame": 2, **kind.state(1)}, {"frame": 1, **kind.state(2)},
                {"frame": 2, **kind.state(3)}]})
            self.assertEqual(self.actions()[0]["keyframes"],
                             [{"frame": 1, **kind.state(2)}, {"frame": 2, **kind.state(3)}])

    def test_there_are_at_most_10000_keyframes(self):
        for kind in self.each_kind():
            state = kind.state(1) if kind.noun == "object" else {"values": [1]}
            self.send("POST", "/action", {"name": "walk", "keyframes": [
                {"frame": 2 * n, **state} for n in range(10000)]})
            self.client.refused(422, 111, "POST", self.path + "/action/walk/keyframe",
                                {"frame": 1, **state})
            self.send("POST", "/action/walk/keyframe", {"frame": 2, **kind.state(7)})
            self.send("DELETE", "/action/walk/keyframe/0")
            self.send("POST", "/action/walk/keyframe", {"frame": 1, **state})
            keyframes = self.actions()[0]["keyframes"]
            self.assertEqual(len(keyframes), 10000)
            self.assertEqual(keyframes[1], {"frame": 2, **kind.state(7)})
            self.client.refused(422, 111, "POST", self.path + "/action", {
                "name": "more", "keyframes": [{"frame": n} for n in range(10001)]})

    def test_what_no_commit_can_take_is_refused(self):
        self.make(KINDS[0])
        handles = {"translation_handle": [HANDLE] * 3, "rotation_handle": [HANDLE] * 4,
                   "scale_handle": [HANDLE] * 3}
        body = {"name": "walk", "keyframes": [{"frame": n, **handles} for n in range(4000)]}
        self.client.refused(413, 140, "POST", self.path + "/action", body)
        self.assertEqual(self.actions(), [])

    def test_a_stream_of_keyframes_is_kept(self):
        self.make(KINDS[1])
        self.send("POST", "/action", {"name": "walk"})
        count = 10000 if LONG else 300
        for n in range(count):
            self.send("POST", "/action/walk/keyframe", {"frame": n * 7 % count, "values": [n]})
        self.assertEqual(self.frames(), list(range(count)))


@with_shards(*SHARD_COUNTS)
class OfObjects(ActionCase):
    def setUp(self):
        super().setUp()
        self.make(KINDS[0])
        self.send("POST", "/action", {"name": "walk"})

    def keyframe(self):
        return self.actions()[0]["keyframes"][0]

    def test_parts_are_composed_and_handles_kept(self):
        self.send("POST", "/action/walk/keyframe", {
            "frame": 1, "translation": [1, 2, 3], "scale": [2, 2, 2],
            "scale_handle": [HANDLE]})
        self.assertEqual(self.keyframe(), {
            "frame": 1, "transform": [2.0, 0, 0, 1, 0, 2, 0, 2, 0, 0, 2, 3, 0, 0, 0, 1],
            "scale_handle": [HANDLE]})
        self.send("POST", "/action/walk/keyframe/1", {"translation": [7, 8, 9]})
        self.assertEqual(self.keyframe()["transform"],
                         [2.0, 0, 0, 7, 0, 2, 0, 8, 0, 0, 2, 9, 0, 0, 0, 1])
        self.assertEqual(self.keyframe()["scale_handle"], [HANDLE])

    def test_missing_parts_of_a_new_keyframe_are_the_identity(self):
        self.send("POST", "/action/walk/keyframe", {"frame": 1})
        self.assertEqual(self.keyframe(), {"frame": 1, "transform": IDENTITY})

    def test_a_rotation_that_is_none_is_refused(self):
        wrong = {"frame": 1, "quaternion_rotation": [9, 0, 0, 0]}
        for path, body, pointer in (
                ("/action/walk/keyframe", wrong, "/quaternion_rotation"),
                ("/action", {"name": "a", "keyframes": [wrong]},
                 "/keyframes/0/quaternion_rotation"),
                ("", objects({"actions": [{"name": "a", "keyframes": [wrong]}]}),
                 "/objects/0/actions/0/keyframes/0/quaternion_rotation")):
            body = self.client.refused(422, 111, "POST", self.path + path, body)
            self.assertEqual(body["errors"][0]["pointer"], pointer)

    def test_an_object_with_actions_keeps_them_when_it_moves(self):
        self.send("POST", "/action/walk/keyframe", {"frame": 1, "transform": ONES})
        before = self.actions()
        self.client.update(self.scene, self.key, translation=[1, 2, 3], actions=[])
        self.client.ok("GET", self.path + "/lock?device=d")
        self.client.ok("PUT", self.path + "/asset/a")
        self.assertEqual(self.actions(), before)


@with_shards(*SHARD_COUNTS)
class WithTheRecord(ActionCase):
    def test_create_and_update_carry_actions(self):
        for kind in KINDS:
            action = {"name": "walk", "description": "", "keyframes": [
                {"frame": 2, **kind.state(2)}, {"frame": -1, **kind.state(1)}]}
            other = {"name": "run", "description": "fast", "keyframes": []}
            self.make(kind, actions=[other, action, other])
            self.assertEqual(self.actions(),
                             [other, {**action, "keyframes": action["keyframes"][::-1]}])
            self.change(actions=[other])
            self.assertEqual(self.actions(), [other])

    def change(self, *, operation=None, **members):
        self.client.ok("POST", self.path, {self.kind.array: [members], "operation": operation})

    def test_operation_10_puts_actions_by_name_and_11_takes_them_out(self):
        for kind in KINDS:
            self.make(kind, actions=[{"name": "a"}, {"name": "b"}])
            self.change(operation=10, actions=[{"name": "a", "description": "new"}, {"name": "c"}])
            self.assertEqual([(a["name"], a["description"]) for a in self.actions()],
                             [("a", "new"), ("b", ""), ("c", "")])
            self.change(operation=11, actions=[{"name": "b"}, {"name": "none"}])
            self.assertEqual([a["name"] for a in self.actions()], ["a", "c"])
            self.change(operation=11, actions=[{"name": "a"}, {"name": "c"}])
            self.assertEqual(self.actions(), [])

    def test_operations_combine_the_keyframes_of_an_action(self):
        for kind in KINDS:
            self.make(kind, actions=[{"name": "a", "keyframes": [
                {"frame": n, **kind.state(n)} for n in (1, 3, 5)]}])
            self.client.ok("POST", self.path + "/action/a", {"operation": 10, "keyframes": [
                {"frame": n, **kind.state(9)} for n in (4, 3)]})
            self.assertEqual(self.frames(), [1, 3, 4, 5])
            self.assertEqual(self.actions()[0]["keyframes"][1], {"frame": 3, **kind.state(9)})
            self.client.ok("POST", self.path + "/action/a", {"operation": 11, "keyframes": [
                {"frame": n} for n in (5, 1, 7)]})
            self.assertEqual(self.frames(), [3, 4])


@with_shards(*SHARD_COUNTS)
class Feeds(ActionCase):
    def setUp(self):
        super().setUp()
        self.device = UdpDevice("d1")
        self.addCleanup(self.device.close)
        self.client.register(self.scene, self.device.record())

    def heard(self, msg_type):
        """The event of this type about the thing, as the device hears it."""
        return self.device.wait_for(lambda e: e["key"] == self.key and e["msg_type"] == msg_type,
                                    what=f"event {msg_type}")

    def dropped(self, reason):
        return self.server.metrics()[f'diorama_udp_dropped_datagrams_total{{reason="{reason}"}}']

    def test_each_change_has_its_event_with_the_actions(self):
        subscriber = Subscriber(self.server)
        self.addCleanup(subscriber.close)
        for kind in KINDS:
            self.make(kind)
            first = kind.first
            keyframe = {"frame": 1, **kind.state(1)}
            self.send("POST", "/action", {"name": "walk"})
            self.send("POST", "/action/walk", {"description": "d"})
            self.send("POST", "/action/walk/keyframe", keyframe)
            self.send("POST", "/action/walk/keyframe/1", kind.state(2))
            self.send("DELETE", "/action/walk/keyframe/1")
            self.send("DELETE", "/action/walk")
            last = self.heard(first + 7)
            self.assertEqual(last["actions"], [])
            self.assertEqual(self.heard(first)["actions"], [
                {"name": "walk", "description": "d", "keyframes": [keyframe]}])
            self.assertEqual(self.heard(first + 1)["actions"][0]["keyframes"],
                             [{"frame": 1, **kind.state(2)}])
            order = [e["msg_type"] - first for e in self.device.events() if e["key"] == self.key]
            self.assertEqual(order[1:], [4, 5, 0, 1, 3, 7])
            subscriber.wait_for(lambda m: m.topic.endswith(f".{kind.noun}.{first + 7}"))

    def test_other_events_show_no_actions(self):
        for kind in KINDS:
            self.make(kind, actions=[{"name": "walk"}])
            self.client.ok("POST", self.path, {kind.array: [{"name": "new"}]})
            self.assertEqual(self.heard(0 if kind.noun == "object" else 8)["actions"], [])
            self.assertEqual(self.heard(1 if kind.noun == "object" else 9)["actions"], [])

    def test_datagrams_of_real_clients_update_keyframes(self):
        # Word for word the example of the plain form, but for the key.
        self.make(KINDS[0], actions=[{"name": "walk", "keyframes": [{"frame": 1}]}])
        self.device.send(self.server, b'{"msg_type": 16, "key": "%s", "name": null, "scene": null, '
                         b'"transform": [], "actions": [{"name": "walk", "description": null, '
                         b'"keyframes": [{"frame": 1, "transform": [1.0, 1.0, 1.0, 1.0, 1.0, 1.0, '
                         b'1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0], "translation_handle": '
                         b'[{"left_type": "vector", "left_x": 1.0, "left_y": 2.0, "right_type": '
                         b'"free", "right_x": 3.0, "right_y": 4.0}], "rotation_handle": [], '
                         b'"scale_handle": []}]}]}' % self.key.encode())
        expected = [{"name": "walk", "description": "", "keyframes": [
            {"frame": 1, "transform": ONES, "translation_handle": [HANDLE]}]}]
        self.assertEqual(self.heard(16)["actions"], expected)
        self.assertEqual(self.actions(), expected)
        self.make(KINDS[1], actions=[{"name": "walk", "keyframes": [{"frame": 1, "values": [1]}]}])
        self.device.send(self.server, b'{"msg_type": 24, "key": "%s", "name": null, "scene": null, '
                         b'"values": [], "actions": [{"name": "walk", "description": null, '
                         b'"keyframes": [{"frame": 1, "values": [{"value": 103.0, "left_type": "t", '
                         b'"left_x": 15.0, "left_y": 16.2, "right_type": "u", "right_x": 17.1, '
                         b'"right_y": 18.3}]}]}]}' % self.key.encode())
        expected = [{"name": "walk", "description": "", "keyframes": [
            {"frame": 1, "values": [VALUE]}]}]
        self.assertEqual(self.heard(24)["actions"], expected)
        self.assertEqual(self.actions(), expected)

    def test_datagrams_of_real_clients_update_objects_and_properties(self):
        self.make(KINDS[0], actions=[{"name": "walk"}])
        self.device.send(self.server, b'{"msg_type": 1, "key": "%s", "name": "cube", "scene": "s1", '
                         b'"transform": [1.0, 0.0, 0.0, 5.0, 0.0, 1.0, 0.0, 6.0, 0.0, 0.0, 1.0, '
                         b'7.0, 0.0, 0.0, 0.0, 1.0], "actions": []}' % self.key.encode())
        event = self.heard(1)
        self.assertEqual((event["name"], event["transform"], event["scene"]),
                         ("cube", moved(5, 6, 7), self.scene))
        self.assertEqual(len(self.actions()), 1)
        self.make(KINDS[1], actions=[{"name": "walk"}], values=[VALUE, 2])
        self.device.send(self.server, b'{"msg_type": 9, "key": "%s", "name": "gravity", "scene": '
                         b'"s1", "values": [110.0], "actions": []}' % self.key.encode())
        event = self.heard(9)
        self.assertEqual((event["name"], event["values"], event["scene"]),
                         ("gravity", [110.0], self.scene))
        self.assertEqual(len(self.actions()), 1)

    def test_a_property_with_a_chosen_key_is_found_in_the_scene_of_the_datagram(self):
        self.make(KINDS[1], key="speed")
        self.device.send(self.server, {"msg_type": 9, "key": "speed", "scene": self.scene,
                                       "values": [5]})
        self.assertEqual(self.heard(9)["values"], [5.0])
        before = self.dropped("key"), self.dropped("unknown")
        self.device.send(self.server, {"msg_type": 9, "key": "speed", "values": [6]})
        self.device.send(self.server, {"msg_type": 9, "key": "speed", "scene": "none such"})
        wait_until(lambda: (self.dropped("key"), self.dropped("unknown")) ==
                   (before[0] + 1, before[1] + 1), what="two drops")

    def test_datagrams_update_actions(self):
        for kind in KINDS:
            self.make(kind, actions=[{"name": "walk", "keyframes": [{"frame": 1, **kind.state(1)}]}])
            self.device.send(self.server, {
                "msg_type": kind.first + 5, "key": self.key,
                "actions": [{"name": "walk", "description": "d"}]})
            self.assertEqual(self.heard(kind.first + 5)["actions"], [
                {"name": "walk", "description": "d",
                 "keyframes": [{"frame": 1, **kind.state(1)}]}])

    def test_what_is_unknown_is_dropped_and_counted(self):
        for kind in KINDS:
            self.make(kind, actions=[{"name": "walk", "keyframes": [{"frame": 1, **kind.state(1)}]}])
            before, actions = self.dropped("unknown"), self.actions()
            for offset, action in (
                    (1, {"name": "walk", "keyframes": [{"frame": 2, **kind.state(1)}]}),
                    (1, {"name": "run", "keyframes": [{"frame": 1, **kind.state(1)}]}),
                    (5, {"name": "run", "description": "d"})):
                self.device.send(self.server, {"msg_type": kind.first + offset, "key": self.key,
                                               "actions": [action]})
            wait_until(lambda: self.dropped("unknown") == before + 3, what="three drops")
            before = self.dropped("invalid")
            for actions_sent in ([], [{"name": "walk"}], [{"name": "walk", "keyframes": [{}]}]):
                self.device.send(self.server, {"msg_type": kind.first + 1, "key": self.key,
                                               "actions": actions_sent})
            wait_until(lambda: self.dropped("invalid") == before + 3, what="three drops")
            self.assertEqual(self.actions(), actions)

    def test_large_actions_are_left_out_of_datagrams(self):
        for kind in KINDS:
            self.make(kind)
            self.send("POST", "/action", {"name": "walk", "keyframes": [
                {"frame": n, **kind.state(n)} for n in range(500)]})
            event = self.heard(kind.first + 4)
            self.assertEqual((event["actions"], event["truncated"]), ([], True))


class Durability(ActionCase, unittest.TestCase):
    flags = None

    def test_what_was_answered_and_what_came_by_udp_survives(self):
        self.start_server()
        device = UdpDevice("d1")
        self.addCleanup(device.close)
        made = []
        for kind in KINDS:
            self.make(kind, actions=[{"name": "walk", "keyframes": [
                {"frame": n, **kind.state(n)} for n in (-1, 1)]}])
            made.append((kind, self.key, self.path))
            self.client.register(self.scene, device.record())
            device.send(self.server, {"msg_type": kind.first + 1, "key": self.key, "actions": [
                {"name": "walk", "keyframes": [{"frame": 1, **kind.state(8)}]}]})
            device.wait_for(lambda e: e["key"] == self.key and e["msg_type"] == kind.first + 1)
        self.restart()  # in order: nothing that came by UDP may be lost
        for kind, self.key, self.path in made:
            self.kind = kind
            self.assertEqual(self.actions()[0]["keyframes"],
                             [{"frame": -1, **kind.state(-1)}, {"frame": 1, **kind.state(8)}])
            self.send("DELETE", "/action/walk/keyframe/-1")
        self.restart("crash")
        for kind, self.key, self.path in made:
            self.kind = kind
            self.assertEqual(self.frames(), [1])


if __name__ == "__main__":
    unittest.main()
