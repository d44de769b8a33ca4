"""Scenes for viewers of the WebSocket protocol of Foxglove: the client package that Lichtblick uses reads
them, and every message passes its published schema. Skipped where node or npm are missing."""

import math
import os
import select
import sys
import threading
import time
import unittest
from urllib.parse import quote

from feeds import UdpDevice
from foxglove_viewers import PING, PONG, PROTOCOL, RawViewer, SDK, Viewer, why_not
from streams import EventStream
from support import LONG, ServerCase, free_port, is_sanitized, moved, object_path, scene_path

SKIPPED = 77
MOVES = 10000 if LONG else 2000
MOVES_A_SECOND = 1000
VIEWERS, SECONDS = 60, 10 if LONG else 3
MANY = 10000 if LONG else 2000


def enu(matrix):
    """Translation and quaternion of a matrix of a scene as a viewer has them: X east, Y north, Z up."""
    swap = [0, 2, 1]
    sign = [1, -1, 1]
    turned = [[sign[i] * sign[j] * matrix[4 * swap[i] + swap[j]] for j in range(3)] for i in range(3)]
    place = [sign[i] * matrix[4 * swap[i] + 3] for i in range(3)]
    w = math.sqrt(max(0.0, 1 + turned[0][0] + turned[1][1] + turned[2][2])) / 2
    x, y, z = ((turned[2][1] - turned[1][2]) / (4 * w), (turned[0][2] - turned[2][0]) / (4 * w),
               (turned[1][0] - turned[0][1]) / (4 * w))
    return place + [x, y, z, w]


def flat(frame):
    """Parent, and the seven numbers of a frame."""
    parent, place, turn = frame
    return parent, [place[name] for name in "xyz"] + [turn[name] for name in "xyzw"]


class FoxgloveCase(ServerCase):
    flags = None

    def setUp(self):
        super().setUp()
        self.port = free_port()
        self.start_server(foxglove_port=self.port, events_memory="64M")
        self.client.put_scene(self.scene)

    def view(self, path=None, protocol=PROTOCOL):
        viewer = Viewer(self.port, quote(self.scene if path is None else path, safe=""), protocol)
        self.addCleanup(viewer.close)
        return viewer

    def raw(self, **options):
        viewer = RawViewer(self.port, f"/{quote(self.scene)}", **options)
        self.addCleanup(viewer.close)
        return viewer

    def topic(self, name):
        return f"/{self.scene}/{name}"

    def bulk(self, **body):
        answer = self.client.post(scene_path(self.scene) + "/bulk", body)
        self.assertEqual(answer.status, 200, answer)
        return answer.body


class Scenes(FoxgloveCase, unittest.TestCase):
    def assert_shows_the_scene(self, viewer):
        """What it knows is what a GET says."""
        objects = {f"{self.scene}/{one['key']}": one for one in self.client.objects(self.scene)}
        frames = viewer.part("frames")
        self.assertEqual(frames.keys(), objects.keys())
        for name, one in objects.items():
            parent, numbers = flat(frames[name])
            self.assertEqual(parent, self.scene)
            for seen, right in zip(numbers, enu(one["transform"])):
                self.assertAlmostEqual(seen, right, delta=1e-12)
        entities = viewer.part("entities")[self.topic("scene")]
        self.assertEqual({key: one["frame_id"] for key, one in entities.items()},
                         {one["key"]: name for name, one in objects.items()})

    def test_the_state_is_what_get_says_by_both_sub_protocols(self):
        keys = self.client.create(self.scene, {"name": "cube", "transform": moved(1, 2, 3)},
                                  {"name": "lamp"}, {"name": "sign \"x\"\n\u2603"})
        self.client.update(self.scene, keys[1], euler_rotation=[0.3, 0.2, -0.1], translation=[4, 5, 6])
        for protocol in (PROTOCOL, SDK):
            viewer = self.view(protocol=protocol).subscribe()
            viewer.await_part("counts", lambda counts: len(counts) == 3, "state")  # it has no place on the map
            self.assertEqual(viewer.part("protocol"), protocol)
            self.assert_shows_the_scene(viewer)
            self.assertEqual(viewer.part("info")["capabilities"], [])

    def test_an_object_that_moves_is_one_transform_and_no_entity(self):
        key = self.client.create(self.scene, {"name": "cube"})[0]
        viewer = self.view().subscribe()
        frame = f"{self.scene}/{key}"
        viewer.await_part("frames", lambda frames: frame in frames, frame)
        drawn = viewer.await_part("counts", lambda counts: self.topic("scene") in counts, "entities")
        self.client.update(self.scene, key, translation=[7, 8, 9])
        viewer.await_part("frames", lambda frames: flat(frames[frame])[1] == [7, -9, 8, 0, 0, 0, 1], "the move")
        self.assertEqual(viewer.part("counts")[self.topic("scene")], drawn[self.topic("scene")])
        self.client.update(self.scene, key, name="box")
        viewer.await_part("entities", lambda all_: all_[self.topic("scene")][key]["texts"][0]["text"] == "box",
                          "the name")
        self.client.update(self.scene, key, visible=False)
        viewer.await_part("entities", lambda all_: all_[self.topic("scene")] == {}, "nothing")
        self.client.update(self.scene, key, visible=True, scale=[2, 3, 4])
        size = viewer.await_part("entities", lambda all_: key in all_[self.topic("scene")], "it")
        self.assertEqual(size[self.topic("scene")][key]["cubes"][0]["size"], {"x": 0.4, "y": 0.8, "z": 0.6000000000000001})
        self.client.ok("DELETE", object_path(self.scene, key))
        viewer.await_part("entities", lambda all_: all_[self.topic("scene")] == {}, "nothing")
        viewer.await_part("logs", lambda lines: f"object {key} was deleted" in lines, "the deletion")

    def test_a_model_is_drawn_upright(self):
        key = self.client.create(self.scene, {"name": "chair", "assets": ["a1"]})[0]
        viewer = self.view().subscribe(self.topic("scene"))
        entities = viewer.await_part("entities", lambda all_: self.topic("scene") in all_ and
                                     all_[self.topic("scene")], "the chair")
        model = entities[self.topic("scene")][key]["models"][0]
        self.assertEqual(model["url"], f"http://127.0.0.1:{self.server.http_port}/v1/asset/a1/model.glb")
        self.assertAlmostEqual(model["pose"]["orientation"]["x"], math.sqrt(0.5))

    def test_properties_have_channels_that_come_and_go(self):
        viewer = self.view().subscribe()
        viewer.await_part("channels", lambda channels: len(channels) == 4, "four")
        self.client.ok("POST", scene_path(self.scene) + "/property/",
                       {"properties": [{"key": "p1", "name": "heat", "values": [1.5]},
                                       {"key": "p2", "name": "heat", "values": [2, 3]}]})
        viewer.await_part("values", lambda values: values == {
            self.topic("properties/heat"): [1.5], self.topic("properties/heat.p2"): [2, 3]}, "both")
        self.client.ok("POST", scene_path(self.scene) + "/property/p1", {"properties": [{"values": [4]}]})
        viewer.await_part("values", lambda values: values[self.topic("properties/heat")] == [4], "4")
        self.client.ok("DELETE", scene_path(self.scene) + "/property/p1")
        viewer.await_part("channels", lambda channels: self.topic("properties/heat") not in channels, "one less")

    def test_a_scene_on_the_map_has_a_place(self):
        self.client.put_scene(self.scene, latitude=48.25, longitude=16.5, height_m=171.5)
        viewer = self.view().subscribe(self.topic("location"))
        place = viewer.await_part("locations", len, "one")[self.topic("location")]
        self.assertEqual([place[name] for name in ("latitude", "longitude", "altitude")], [48.25, 16.5, 171.5])
        self.client.put_scene(self.scene, latitude=47.0)
        viewer.await_part("locations", lambda all_: all_[self.topic("location")]["latitude"] == 47, "the new one")

    def test_devices_and_linked_scenes_are_frames(self):
        self.client.put_scene("yard")
        both = [{"key": key, "devices": [{"key": "phone", "transform": {"translation": place, "rotation": [0, 0, 0]}}]}
                for key, place in ((self.scene, [1, 2, 3]), ("yard", [0, 0, 0]))]
        for scene in both:
            self.client.ok("POST", scene_path(scene["key"]) + "/register", {"scenes": [scene]})
            self.client.ok("POST", scene_path(scene["key"]) + "/align", {"scenes": [scene]})
        viewer = self.view().subscribe()
        device = f"{self.scene}/device/phone"
        frames = viewer.await_part("frames", lambda frames: device in frames and "yard" in frames, "both")
        self.assertEqual(flat(frames[device]), (self.scene, [1, -3, 2, 0, 0, 0, 1]))
        self.assertEqual(frames["yard"][0], self.scene)
        for seen, right in zip(flat(frames["yard"])[1], [1, -3, 2, 0, 0, 0, 1]):
            self.assertAlmostEqual(seen, right, places=6)
        roof = {"key": "roof", "devices": [{"key": "tablet", "transform": {"translation": [0, 0, 0], "rotation": [0, 0, 0]}}]}
        again = {"key": "yard", "devices": [{"key": "tablet", "transform": {"translation": [7, 0, 0], "rotation": [0, 0, 0]}}]}
        for scene in (again, roof):
            self.client.ok("POST", scene_path(scene["key"]) + "/register", {"scenes": [scene]})
            self.client.ok("POST", scene_path(scene["key"]) + "/align", {"scenes": [scene]})
        tree = self.view("").subscribe()
        tree.await_part("frames", lambda frames: "yard" in frames.keys() | {one[0] for one in frames.values()} and
                        sum("/" not in name for name in frames) == 2, "two of three scenes in the third")
        parents = {one[0] for name, one in tree.part("frames").items() if "/" not in name}
        self.assertEqual(len(parents), 1)
        both[0]["devices"][0]["transform"]["translation"] = [4, 2, 3]
        self.client.ok("POST", scene_path(self.scene) + "/align", {"scenes": [both[0]]})
        viewer.await_part("frames", lambda frames: abs(flat(frames["yard"])[1][0] - 4) < 1e-6 and
                          flat(frames[device])[1][0] == 4, "the correction")

    def test_all_scenes_have_one_tree(self):
        self.client.put_scene("yard")
        self.client.create("yard", {"key": "bench", "transform": moved(1, 0, 0)})
        self.client.create(self.scene, {"key": "lamp"})
        viewer = self.view("").subscribe()
        viewer.await_part("frames", lambda frames: len(frames) == 2, "two")
        self.assertEqual(len(viewer.part("channels")), 8)
        self.assertEqual(self.client.delete(scene_path("yard")).status, 200)
        viewer.await_part("channels", lambda channels: len(channels) == 4, "those of one scene")
        self.assertEqual(viewer.part("entities")["/yard/scene"], {})
        self.client.create(self.scene, {"name": "sofa"})
        viewer.await_part("frames", lambda frames: len(frames) == 3, "what comes in the other scene")

    def test_who_subscribes_late_is_told_the_state_first(self):
        key = self.client.create(self.scene, {"name": "cube", "transform": moved(1, 0, 0)})[0]
        viewer = self.view().subscribe(self.topic("events"))
        viewer.await_part("logs", len, "a line")
        self.client.update(self.scene, key, translation=[5, 0, 0])
        viewer.subscribe(self.topic("tf"))
        frames = viewer.await_part("frames", len, "one")
        self.assertEqual(flat(frames[f"{self.scene}/{key}"])[1][0], 5)
        viewer.ask(do="unsubscribe", topics=[self.topic("tf")])
        viewer.subscribe(self.topic("scene"))
        viewer.await_part("entities", len, "one")
        told = viewer.part("counts")[self.topic("tf")]
        self.client.update(self.scene, key, translation=[6, 0, 0], name="box")
        viewer.await_part("entities", lambda all_: all_[self.topic("scene")][key]["texts"][0]["text"] == "box", "it")
        self.assertEqual(viewer.part("counts")[self.topic("tf")], told)
        viewer.subscribe(self.topic("tf"))
        viewer.await_part("frames", lambda all_: flat(all_[f"{self.scene}/{key}"])[1][0] == 6, "the newest")

    def test_the_last_of_many_moves_is_what_get_says(self):
        keys = self.client.create(self.scene, *({"name": f"o{n}"} for n in range(50)))
        viewer = self.view().subscribe()
        viewer.await_part("frames", lambda frames: len(frames) == 50, "50")
        device = UdpDevice("d1")
        self.addCleanup(device.close)
        self.client.ok("POST", scene_path(self.scene) + "/register",
                       {"scenes": [{"key": self.scene, "devices": [device.record()]}]})
        began = time.monotonic()
        for n in range(MOVES):
            device.send(self.server, {"msg_type": 1, "key": keys[n % 50], "translation": [n, 1, 2]})
            time.sleep(max(0, began + n / MOVES_A_SECOND - time.monotonic()))
        last = self.client.create(self.scene, {"name": "last"})[0]
        frame = f"{self.scene}/{last}"
        viewer.await_part("frames", lambda frames: frame in frames, "the last")
        shown = {key.rpartition("/")[2]: flat(one)[1][0] for key, one in viewer.part("frames").items() if "device" not in key}
        stored = {one["key"]: one["transform"][3] for one in self.client.objects(self.scene)}
        self.assertEqual(shown, stored)
        counts = viewer.part("counts")[self.topic("tf")]
        print(f"{MOVES} moves at {MOVES_A_SECOND}/s: {counts['messages']} messages, "
              f"{counts['bytes'] / MOVES:.0f} B a move", flush=True)
        self.assertLess(counts["messages"], MOVES / 5)

    def test_a_server_that_starts_again_is_viewed_again(self):
        self.client.create(self.scene, {"key": "cube"})
        viewer = self.view().subscribe()
        viewer.await_part("frames", len, "one")
        self.restart()
        viewer.await_part("closed", lambda code: code is not None, "the end")
        again = self.view().subscribe()
        again.await_part("frames", len, "one")


class Figures(FoxgloveCase, unittest.TestCase):
    """What viewers cost, printed. The bounds have room for a busy machine; under sanitizers nothing is
    compared."""

    def cpu(self):
        with open(f"/proc/{self.server.process.pid}/stat") as stat:
            fields = stat.read().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def drain(self, sockets, ended):
        for one in sockets:
            one.setblocking(False)
        while not ended:
            for one in select.select(sockets, [], [], 0.05)[0]:
                try:
                    one.recv(1 << 20)
                except BlockingIOError:
                    pass

    def told(self):
        return next(float(line.split(" ")[1]) for line in self.client.get("/metrics").text.splitlines()
                    if line.startswith("diorama_stream_sent_events_total "))

    def measure(self, sockets, keys):
        """Seconds of the processor while so many move, 1,000 times a second, and changes that were told."""
        ended = []
        reader = threading.Thread(target=self.drain, args=(sockets, ended))
        reader.start()
        try:
            time.sleep(0.5)
            before, told, began = self.cpu(), self.told(), time.monotonic()
            for turn in range(SECONDS * 25):
                part = [keys[(turn * 40 + n) % len(keys)] for n in range(40)]
                self.bulk(update=[{"key": key, "translation": [turn, n, 0]} for n, key in enumerate(part)])
                time.sleep(max(0, began + turn / 25 - time.monotonic()))
            return self.cpu() - before, self.told() - told
        finally:
            ended.append(True)
            reader.join()

    def test_many_viewers_cost_no_more_than_streams(self):
        keys = self.client.create(self.scene, *({"name": f"o{n}"} for n in range(200)))
        alone, _ = self.measure([], keys)
        streams = [EventStream(self.server, scene_path(self.scene) + "/events") for _ in range(VIEWERS)]
        by_streams, told_streams = self.measure([one.socket for one in streams], keys)
        for one in streams:
            one.socket.close()
        viewers = [self.raw() for _ in range(VIEWERS)]
        for one in viewers:
            one.until_op("advertise")
            one.say(op="subscribe", subscriptions=[{"id": kind, "channelId": kind} for kind in range(1, 5)])
        by_viewers, told_viewers = self.measure([one.socket for one in viewers], keys)
        print(f"{VIEWERS} at 1000 moves/s, {SECONDS} s: {alone:.2f} s of the processor alone, {by_streams:.2f} s with "
              f"streams (told {told_streams:.0f}), {by_viewers:.2f} s with viewers (told {told_viewers:.0f})", flush=True)
        if not is_sanitized():
            self.assertLess(by_viewers, 1.5 * by_streams + 0.2)

    def test_an_idle_viewer_takes_little_memory(self):
        first = self.raw()
        first.until_op("advertise")
        before = self.server.resident_bytes()
        viewers = [self.raw() for _ in range(VIEWERS)]
        for one in viewers:
            one.until_op("advertise")
        each = (self.server.resident_bytes() - before) / VIEWERS
        print(f"an idle viewer: {each / 1024:.1f} KiB", flush=True)
        if not is_sanitized():
            self.assertLess(each, 32 << 10)

    def test_a_large_scene_is_joined_fast(self):
        for start in range(0, MANY, 1000):
            self.bulk(create=[{"name": f"o{n}", "transform": moved(n, 1.5, 2)} for n in range(start, start + 1000)])
        viewer = self.raw()
        viewer.until_op("advertise")
        began = time.monotonic()
        viewer.say(op="subscribe", subscriptions=[{"id": 1, "channelId": 1}, {"id": 2, "channelId": 2},
                                                  {"id": 4, "channelId": 4}])
        frames = entities = size = 0
        while frames < MANY or entities < MANY:
            _, payload = viewer.frame()
            size += len(payload)
            frames += payload.count(b'"child_frame_id"')
            entities += payload.count(b'"lifetime"')
        took = time.monotonic() - began
        print(f"{MANY} objects joined in {took:.3f} s, {size / MANY:.0f} B an object", flush=True)
        self.assertEqual((frames, entities), (MANY, MANY))
        viewer.send(PING, b"end")
        seen = []
        while not seen or seen[-1] != (PONG, b"end"):
            seen.append(viewer.frame())
        self.assertFalse([text for _, text in seen if b'"op":"status"' in text], "a large state is not slow")
        if not is_sanitized():
            self.assertLess(took, 1.0)


if __name__ == "__main__":
    reason = why_not()
    if reason:
        print(f"skipped: {reason}")
        sys.exit(SKIPPED)
    unittest.main()
