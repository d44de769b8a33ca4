"""Axes of clients (proto/spatial/README.md, "Conventions"): each writes and reads in its own."""

import json
import math
import socket
import struct
import unittest

from feeds import UdpDevice
from packed import PackedDevice, place
from support import IDENTITY, SHARD_COUNTS, ServerCase, moved, object_path, objects, scene_path
from support import scenes, wait_until, with_shards

# What the stored point 1, 2, 3 is in each convention; centimetres in unreal.
POINTS = {
    "gltf": (1, 2, 3),
    "unity": (1, 2, -3),
    "unreal": (-300, 100, 200),
    "ros": (-3, -1, 2),
    "enu": (1, -3, 2),
    "cv": (1, -2, -3),
    "ned": (-3, 1, -2),
}
# Angles of a turn by 0.5 to the left, for who stands upright.
TO_THE_LEFT = {
    "gltf": (0, 0.5, 0),
    "unity": (0, -0.5, 0),
    "unreal": (0, 0, -0.5),
    "ros": (0, 0, 0.5),
    "enu": (0, 0, 0.5),
    "cv": (0, -0.5, 0),
    "ned": (0, 0, -0.5),
}
NO_MATRIX = [float(n) / 7 for n in range(1, 17)]  # any 16 numbers are kept
REFUSAL = "convention must be one of gltf, unity, unreal, ros, enu, cv, ned, blender, godot, three"


def at(point):
    return moved(*point)


class ConventionCase(ServerCase):
    def setUp(self):
        super().setUp()
        self.path = scene_path(self.scene)

    def create(self, convention, **members):
        return self.client.ok("POST", f"{self.path}/object?convention={convention}",
                              objects(members))["objects"][0]

    def read(self, key, convention=None):
        query = f"?convention={convention}" if convention else ""
        return self.client.ok("GET", object_path(self.scene, key) + query)["objects"][0]

    def register(self, *devices, query=""):
        return self.client.ok("POST", f"{self.path}/register{query}",
                              scenes({"devices": list(devices)}))["scenes"]

    def listener(self, key, convention, make=UdpDevice):
        device = make(key)
        self.addCleanup(device.close)
        self.register(device.record(convention=convention))
        return device


@with_shards(*SHARD_COUNTS)
class Requests(ConventionCase):
    def test_objects_are_read_as_they_were_written_and_stored_in_one_convention(self):
        for convention, point in POINTS.items():
            created = self.create(convention, transform=at(point))
            self.assertEqual(created["transform"], at(point), convention)
            self.assertEqual(self.read(created["key"], convention)["transform"], at(point))
            self.assertEqual(self.read(created["key"])["transform"], at((1, 2, 3)), convention)

    def test_programs_name_their_axes_by_themselves(self):
        key = self.create("gltf", transform=at(POINTS["gltf"]))["key"]
        for alias, convention in (("blender", "enu"), ("godot", "gltf"), ("three", "gltf")):
            self.assertEqual(self.read(key, alias)["transform"], at(POINTS[convention]), alias)

    def test_any_matrix_comes_back_bit_by_bit_where_the_unit_is_the_metre(self):
        for convention in POINTS:
            created = self.create(convention, transform=NO_MATRIX)
            for mine, sent in zip(self.read(created["key"], convention)["transform"], NO_MATRIX):
                if convention == "unreal":
                    self.assertAlmostEqual(mine, sent, delta=sent * 2.3e-16)
                else:
                    self.assertEqual(mine, sent, convention)

    def test_parts_of_a_transform_are_those_of_the_clients_axes(self):
        expected = self.create("gltf", translation=POINTS["gltf"], scale=[2, 2, 2],
                               euler_rotation=TO_THE_LEFT["gltf"])["transform"]
        for convention, point in POINTS.items():
            key = self.create(convention, translation=point, scale=[2, 2, 2],
                              euler_rotation=TO_THE_LEFT[convention])["key"]
            for stored, wanted in zip(self.read(key)["transform"], expected):
                self.assertAlmostEqual(stored, wanted, delta=1e-12, msg=convention)

    def test_an_update_is_read_and_answered_in_the_axes_of_its_request(self):
        key = self.create("gltf", transform=IDENTITY)["key"]
        path = object_path(self.scene, key) + "?convention=ros"
        answer = self.client.ok("POST", path, objects({"translation": POINTS["ros"]}))
        self.assertEqual(answer["objects"][0]["transform"], at(POINTS["ros"]))
        self.assertEqual(self.read(key)["transform"], at((1, 2, 3)))

    def test_queries_are_answered_in_the_axes_of_their_request(self):
        self.create("gltf", transform=at((1, 2, 3)))
        found = self.client.ok("POST", f"{self.path}/object/query?convention=enu", {})
        self.assertEqual(found["objects"][0]["transform"], at(POINTS["enu"]))

    def test_keyframes_and_their_handles_are_converted(self):
        key = self.create("gltf", transform=IDENTITY)["key"]
        action = object_path(self.scene, key) + "/action"
        handles = [{"left_y": float(n), "right_y": 10.0 * n} for n in (1, 2, 3)]
        keyframes = [{"frame": 1, "transform": at(POINTS["ros"]), "translation_handle": handles}]
        self.client.ok("POST", action + "?convention=ros", {"name": "go", "keyframes": keyframes})
        self.client.ok("POST", action + "/go/keyframe?convention=unity",
                       {"frame": 2, "translation": POINTS["unity"]})
        stored = self.read(key)["actions"][0]["keyframes"]
        self.assertEqual([frame["transform"] for frame in stored], [at((1, 2, 3))] * 2)
        # X is -Y of ROS, Y its Z, Z its -X.
        self.assertEqual([handle["left_y"] for handle in stored[0]["translation_handle"]],
                         [-2.0, 3.0, -1.0])
        mine = self.read(key, "ros")["actions"][0]["keyframes"][0]
        self.assertEqual(mine["transform"], at(POINTS["ros"]))
        self.assertEqual([handle["right_y"] for handle in mine["translation_handle"]],
                         [10.0, 20.0, 30.0])

    def test_tags_are_of_what_is_stored_and_say_the_convention(self):
        key = self.create("gltf", transform=at((1, 2, 3)))["key"]
        path = object_path(self.scene, key)
        plain = self.client.get(path).headers["ETag"]
        mine = self.client.get(path + "?convention=unity").headers["ETag"]
        self.assertEqual(mine, plain[:-1] + '-unity"')
        ask = {"If-None-Match": mine}
        self.assertEqual(self.client.request("GET", path + "?convention=unity", None, ask).status,
                         304)
        self.assertEqual(self.client.request("GET", path, None, ask).status, 200)
        update = objects({"translation": [0, 0, 5]})
        answer = self.client.request("POST", path + "?convention=unity", update,
                                     {"If-Match": mine})
        self.assertEqual(answer.status, 200)
        self.assertEqual(self.read(key)["transform"], at((0, 0, -5)))
        answer = self.client.request("POST", path + "?convention=unity", update,
                                     {"If-Match": mine})
        self.assertEqual(answer.status, 412)

    def test_matrices_are_written_column_by_column_where_a_request_says_so(self):
        rows = at((1, 2, 3))
        columns = [rows[4 * (i % 4) + i // 4] for i in range(16)]
        path = f"{self.path}/object"
        answer = self.client.ok("POST", f"{path}?layout=column&strict=true", objects({"transform": columns}))
        self.assertEqual(columns, answer["objects"][0]["transform"])
        key = answer["objects"][0]["key"]
        self.assertEqual(rows, self.read(key)["transform"])
        one = object_path(self.scene, key)
        self.assertEqual(columns, self.client.ok("GET", f"{one}?layout=column")["objects"][0]["transform"])
        self.assertEqual(columns, self.client.get(f"{path}?layout=column").body["objects"][0]["transform"])
        self.assertEqual(columns, self.client.ok("POST", f"{path}/query?layout=column", {})["objects"][0]["transform"])
        unity = self.client.ok("GET", f"{one}?layout=column&convention=unity")["objects"][0]["transform"]
        self.assertEqual([1, 2, -3], unity[12:15])
        answer = self.client.ok("POST", f"{one}?layout=column&convention=unity", objects({"translation": [4, 5, 6]}))
        self.assertEqual([4, 5, 6, 1], answer["objects"][0]["transform"][12:])
        self.assertEqual(at((4, 5, -6)), self.read(key)["transform"])
        plain, mine = (self.client.get(one + query).headers["ETag"] for query in ("", "?layout=column"))
        self.assertEqual(mine, plain[:-1] + '-gltf-column"')

    def test_the_parts_of_transforms_are_shown_where_a_request_asks_for_them(self):
        half = math.sqrt(0.5)
        key = self.client.create(self.scene, {"translation": [1, 2, 3], "euler_rotation": [0, math.pi / 2, 0],
                                              "scale": [2, 1, 1]})[0]
        one, path = object_path(self.scene, key), f"{self.path}/object"
        expected = {"translation": [1, 2, 3], "euler_rotation": [0, math.pi / 2, 0],
                    "quaternion_rotation": [half, 0, half, 0], "scale": [2, 1, 1]}
        for query in ("", "&layout=column"):
            for found in (self.client.ok("GET", f"{one}?form=trs{query}"), self.client.get(f"{path}?form=trs{query}").body):
                for name, numbers in expected.items():
                    for wanted, number in zip(numbers, found["objects"][0][name], strict=True):
                        self.assertAlmostEqual(wanted, number, 14, (name, found))
        mine = self.client.ok("GET", f"{one}?form=trs&convention=unreal")["objects"][0]
        self.assertEqual(list(POINTS["unreal"]), mine["translation"])
        again = {name: mine[name] for name in ("translation", "quaternion_rotation", "scale")}
        self.client.ok("POST", f"{one}?convention=unreal", objects(again))
        for wanted, number in zip(self.read(key)["transform"], [0, 0, 1, 1, 0, 1, 0, 2, -2, 0, 0, 3, 0, 0, 0, 1]):
            self.assertAlmostEqual(wanted, number, 14)
        self.assertNotIn("translation", self.read(key))

    def test_angles_are_read_in_the_order_that_stands_beside_them(self):
        # A quarter about x, then one about z: of the product Rz Rx, whatever the angle about y.
        quarter = math.pi / 2
        expected = [0, 0, 1, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1]
        for order in ("ZYX", "ZXY", "YZX"):
            key = self.create("gltf", euler_rotation=[quarter, 0, quarter], euler_order=order)["key"]
            for value, number in zip(self.read(key)["transform"], expected):
                self.assertAlmostEqual(value, number, 12, order)
        self.assertNotIn("euler_order", self.read(key))

    def test_angles_in_an_order_turn_the_same_thing_in_all_axes(self):
        for convention in POINTS:
            key = self.create(convention, euler_rotation=[0.3, -0.2, 0.9], euler_order="ZYX")["key"]
            shown = self.client.ok("GET", f"{object_path(self.scene, key)}?form=trs&convention={convention}")
            again = self.create(convention, quaternion_rotation=shown["objects"][0]["quaternion_rotation"])
            cosine, sine = math.cos(0.9), math.sin(0.9)
            transform = self.read(key, convention)["transform"]
            # The first column of Rz Ry Rx has neither the last angle nor rounding of any conversion.
            for value, number in zip(transform[0:12:4], (cosine * math.cos(-0.2), sine * math.cos(-0.2), -math.sin(-0.2))):
                self.assertAlmostEqual(value, number, 12, convention)
            for value, number in zip(transform, self.read(again["key"], convention)["transform"]):
                self.assertAlmostEqual(value, number, 12, convention)

    def test_keyframes_and_datagrams_may_say_an_order_too(self):
        quarter = math.pi / 2
        turn = {"euler_rotation": [quarter, 0, quarter], "euler_order": "ZYX"}
        expected = self.read(self.create("gltf", **turn)["key"])["transform"]
        key = self.create("gltf", actions=[{"name": "walk", "keyframes": [{"frame": 1, **turn}]}])["key"]
        self.assertEqual(expected, self.read(key)["actions"][0]["keyframes"][0]["transform"])
        device = self.listener("turner", "gltf")
        device.send(self.server, {"msg_type": 1, "key": key, **turn})
        wait_until(lambda: self.read(key)["transform"] == expected, 10, "the datagram")

    def test_an_order_that_is_none_is_refused_at_its_place(self):
        for body, pointer in (({"objects": [{"name": "a"}, {"euler_rotation": [1, 2, 3], "euler_order": "XYX"}]},
                               "/objects/1/euler_order"),
                              ({"objects": [{"actions": [{"name": "walk", "keyframes": [
                                  {"frame": 1, "euler_order": "xyz"}]}]}]},
                               "/objects/0/actions/0/keyframes/0/euler_order")):
            answer = self.client.request("POST", f"{self.path}/object", body)
            self.assertEqual((422, pointer), (answer.status, answer.body["errors"][0]["pointer"]))
        self.assertEqual(404, self.client.get(self.path).status, "something was made")

    def test_what_has_no_parts_is_shown_without_them(self):
        key = self.create("gltf", transform=NO_MATRIX)["key"]
        shown = self.client.ok("GET", object_path(self.scene, key) + "?form=trs")["objects"][0]
        self.assertEqual(NO_MATRIX, shown["transform"])
        self.assertNotIn("translation", shown)

    def test_a_tag_says_the_form_and_the_layout(self):
        path = object_path(self.scene, self.create("gltf")["key"])
        plain = self.client.get(path).headers["ETag"]
        for query, variant in (("form=trs", "-trs"), ("form=trs&convention=ros", "-ros-trs"),
                               ("form=trs&layout=column", "-gltf-column-trs")):
            answer = self.client.get(f"{path}?{query}")
            self.assertEqual(plain[:-1] + variant + '"', answer.headers["ETag"])
            ask = {"If-None-Match": answer.headers["ETag"]}
            self.assertEqual(304, self.client.request("GET", f"{path}?{query}", None, ask).status)
            self.assertEqual(200, self.client.request("GET", path, None, ask).status)

    def test_a_form_that_is_none_is_refused(self):
        path = object_path(self.scene, self.create("gltf")["key"])
        refusal = self.client.refused(422, 111, "GET", path + "?form=euler")
        self.assertEqual("form must be geopose or trs", refusal["detail"])
        refusal = self.client.refused(422, 111, "GET", self.path + "?form=trs")
        self.assertEqual("form must be geopose", refusal["detail"])

    def test_a_matrix_in_the_other_layout_is_warned_of(self):
        rows = at((1, 2, 3))
        answer = self.client.ok("POST", f"{self.path}/object?layout=column", objects({"transform": rows}))
        self.assertEqual("/objects/0/transform", answer["warnings"][0]["pointer"])
        self.assertIn("column by column", answer["warnings"][0]["detail"])
        refusal = self.client.refused(422, 111, "POST", f"{self.path}/object?layout=columns", objects({"transform": rows}))
        self.assertEqual("/layout", refusal["errors"][0]["pointer"])

    def test_keyframes_are_written_column_by_column_too(self):
        rows = at((1, 2, 3))
        columns = [rows[4 * (i % 4) + i // 4] for i in range(16)]
        key = self.create("gltf")["key"]
        self.client.ok("POST", object_path(self.scene, key) + "/action?layout=column",
                       {"name": "go", "keyframes": [{"frame": 1, "transform": columns}]})
        self.assertEqual(rows, self.read(key)["actions"][0]["keyframes"][0]["transform"])

    def test_an_unknown_convention_is_refused(self):
        key = self.create("gltf")["key"]
        for path in (object_path(self.scene, key), self.path):
            refusal = self.client.refused(422, 111, "GET", path + "?convention=maya")
            self.assertEqual(refusal["detail"], REFUSAL)
        for verb in ("register", "align"):
            device = {"key": "d", "convention": "maya",
                      "transform": {"translation": [0, 0, 0], "rotation": [0, 0, 0]}}
            if verb == "align":
                self.register({"key": "d"})
            refusal = self.client.refused(422, 111, "POST", f"{self.path}/{verb}",
                                          scenes({"devices": [device]}))
            self.assertEqual(refusal["errors"], [
                {"pointer": "/scenes/0/devices/0/convention", "detail": REFUSAL}])


@with_shards(*SHARD_COUNTS)
class Devices(ConventionCase):
    def pose(self, convention):
        return {"translation": [float(x) for x in POINTS[convention]],
                "rotation": [float(x) for x in TO_THE_LEFT[convention]]}

    def expect_pose(self, pose, convention):
        self.assertEqual(pose["translation"], self.pose(convention)["translation"], convention)
        for angle, wanted in zip(pose["rotation"], self.pose(convention)["rotation"]):
            self.assertAlmostEqual(angle, wanted, delta=1e-12, msg=convention)

    def stored_pose(self, key, query=""):
        scene = self.client.ok("GET", self.path + query)["scenes"][0]
        return next(device for device in scene["devices"] if device["key"] == key)["transform"]

    def test_a_device_registers_and_aligns_in_its_own_axes(self):
        for convention in POINTS:
            device = {"key": convention, "transform": self.pose(convention)}
            target, origin = self.register({**device, "convention": convention})
            mine = next(d for d in target["devices"] if d["key"] == convention)
            self.expect_pose(mine["transform"], convention)
            self.assertEqual(origin["transform"]["translation"], [0, 0, 0])
            self.expect_pose(self.stored_pose(convention), "gltf")
            # It is known from now on.
            device["transform"]["translation"] = [0.0, 0.0, 0.0]
            aligned = self.client.ok("PUT", self.path + "/align", scenes({"devices": [device]}))
            mine = next(d for d in aligned["scenes"][0]["devices"] if d["key"] == convention)
            self.assertEqual(mine["transform"]["translation"], [0, 0, 0])
            for angle, wanted in zip(self.stored_pose(convention)["rotation"],
                                     TO_THE_LEFT["gltf"]):
                self.assertAlmostEqual(angle, wanted, delta=1e-12, msg=convention)

    def test_the_convention_of_the_request_wins_over_that_of_the_device(self):
        device = {"key": "d", "convention": "unity", "transform": self.pose("ned")}
        target, _ = self.register(device, query="?convention=ned")
        self.expect_pose(target["devices"][0]["transform"], "ned")
        self.expect_pose(self.stored_pose("d"), "gltf")
        self.expect_pose(self.stored_pose("d", "?convention=enu"), "enu")

    def test_what_relates_two_scenes_is_the_same_motion_in_the_axes_of_who_asks(self):
        quarter = [0.0, 0.0, math.pi / 2]  # to the left
        there = self.scene + "-there"
        for scene, place_, rotation in ((self.scene, [1.0, 2.0, 3.0], [0.0, 0.0, 0.0]),
                                        (there, [4.0, 6.0, 8.0], quarter)):
            self.client.register(scene, {"key": "robot", "convention": "ros", "transform": {
                "translation": place_, "rotation": rotation}})
        path = f"/v1/alignment?from={self.scene}&to={there}&convention=ros"
        relation = wait_until(lambda: (lambda r: r["status"] != "none" and r)(
            self.client.get(path).body))
        # What maps 1, 2, 3 to 4, 6, 8 and turns left: the point goes to -2, 1, 3 first.
        for got, wanted in zip(relation["transform"]["translation"] +
                               relation["transform"]["rotation"], [6.0, 5.0, 5.0, *quarter]):
            self.assertAlmostEqual(got, wanted, delta=1e-9)
        links = self.client.get(scene_path(there) + "/alignment?convention=ros").body
        correction = links["corrections"][0]["transform"]
        self.assertEqual(correction["translation"], [4.0, 6.0, 8.0])

    def test_a_device_sends_updates_by_udp_in_its_own_axes(self):
        listener = self.listener("listener", "gltf")
        for convention, point in POINTS.items():
            sender = UdpDevice(convention)
            self.addCleanup(sender.close)
            token = self.register({"key": convention, "convention": convention})[0]["devices"]
            token = next(d for d in token if d["key"] == convention)["udp"]["token"]
            key = self.create("gltf", transform=IDENTITY)["key"]
            for x, named in enumerate(({"device": convention}, {"token": token})):
                seen = (1 + x, 2, 3)
                mine = list(point)
                axis = {"unreal": 1, "ros": 1, "ned": 1}.get(convention, 0)
                mine[axis] *= 1 + x  # where its point has the stored X
                sender.send(self.server, {"msg_type": 1, "key": key, "transform": at(mine),
                                          **named})
                listener.wait_for(lambda event, key=key, seen=seen: event["key"] == key and
                                  event["transform"] == at(seen), what=f"{convention} {named}")
                self.assertEqual(self.read(key, convention)["transform"], at(mine))


@with_shards(*SHARD_COUNTS)
class Feeds(ConventionCase):
    """A Unity headset and a ROS robot in one scene."""

    def listeners(self, make):
        return {name: self.listener(name, name, make) for name in ("unity", "ros", "gltf")}

    def send(self, writer, key, **members):
        stranger = UdpDevice("stranger")
        self.addCleanup(stranger.close)
        stranger.send(self.server, {"key": key, "device": writer, **members})

    def test_each_hears_of_the_other_in_its_own_axes(self):
        devices = self.listeners(UdpDevice)
        for writer in ("unity", "ros"):
            key = self.create("gltf", transform=IDENTITY)["key"]
            self.send(writer, key, msg_type=1, transform=at(POINTS[writer]))
            for name, device in devices.items():
                event = device.wait_for(lambda event, key=key: event["key"] == key and
                                        event["msg_type"] == 1)
                self.assertEqual(event["transform"], at(POINTS[name]), (writer, name))

    def test_so_it_does_in_the_packed_form(self):
        devices = self.listeners(PackedDevice)
        for writer in ("unity", "ros"):
            # Created where it will not be, so that its first state says nothing of the update.
            key = self.create("gltf", transform=IDENTITY)["key"]
            self.client.ok("POST", object_path(self.scene, key) + f"?convention={writer}",
                           objects({"translation": POINTS[writer],
                                    "euler_rotation": TO_THE_LEFT[writer]}))
            for name, device in devices.items():
                wanted = [float(x) for x in POINTS[name]]
                wait_until(lambda d=device, k=key, w=wanted: d.places().get(k) == w,
                           what=f"{writer} {name}")
                transform = device.state()[key]["transform"]
                self.assertEqual(place(transform), wanted)
                half = [math.sin(angle / 2) for angle in TO_THE_LEFT[name]]
                for got, part in zip(struct.unpack_from("<4f", transform, 24),
                                     [math.cos(0.25), *half]):
                    self.assertAlmostEqual(got, part, delta=1e-6, msg=(writer, name))

    def test_keyframes_are_heard_in_the_axes_of_who_hears_them(self):
        key = self.create("gltf", transform=IDENTITY)["key"]
        device = self.listener("robot", "ros")
        self.client.ok("POST", object_path(self.scene, key) + "/action?convention=unity",
                       {"name": "go", "keyframes": [{"frame": 1,
                                                     "transform": at(POINTS["unity"])}]})
        event = device.wait_for(lambda event: event["msg_type"] == 19)
        self.assertEqual(event["actions"][0]["keyframes"][0]["transform"], at(POINTS["ros"]))

    def test_a_stream_of_events_is_in_the_axes_that_it_is_asked_for_in(self):
        key = self.create("gltf", transform=at((1, 2, 3)))["key"]
        with socket.create_connection(("127.0.0.1", self.server.http_port), 20) as connection:
            connection.sendall(f"GET {self.path}/events?convention=ros HTTP/1.1\r\n"
                               "Host: localhost\r\n\r\n".encode())
            lines = connection.makefile("rb")
            data = (json.loads(line[5:]) for line in lines if line.startswith(b"data:"))
            self.assertEqual(next(data)["objects"][0]["transform"], at(POINTS["ros"]))
            self.client.ok("POST", object_path(self.scene, key) + "?convention=unity",
                           objects({"translation": [0, 0, 1]}))
            self.assertEqual(next(data)["object"]["transform"], at((1, 0, 0)))

    def test_a_stream_is_column_by_column_where_it_is_asked_for_so_and_its_poses_are_what_they_are(self):
        key = self.create("gltf", transform=at((1, 2, 3)))["key"]
        for form, expected in (("", [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 1, 2, 3, 1]), ("&form=delta", None)):
            with socket.create_connection(("127.0.0.1", self.server.http_port), 20) as connection:
                connection.sendall(f"GET {self.path}/events?layout=column{form} HTTP/1.1\r\n"
                                   "Host: localhost\r\n\r\n".encode())
                lines = connection.makefile("rb")
                data = (json.loads(line[5:]) for line in lines if line.startswith(b"data:"))
                state = next(data)
                if expected:
                    self.assertEqual((key, expected), (state["objects"][0]["key"], state["objects"][0]["transform"]))
                    continue
                self.client.update(self.scene, key, translation=[4, 5, 6])
                self.assertEqual([[0, 4, 5, 6, 1, 0, 0, 0]], next(data)["p"])

    def test_who_registers_with_another_convention_hears_in_that_one(self):
        device = self.listener("headset", "unity")
        self.register(device.record(convention="ned"))
        self.create("gltf", transform=at((1, 2, 3)))
        event = device.wait_for(lambda event: event["msg_type"] == 0)
        self.assertEqual(event["transform"], at(POINTS["ned"]))


if __name__ == "__main__":
    unittest.main()
