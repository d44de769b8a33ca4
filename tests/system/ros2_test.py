"""tools/examples/ros2 against a real server, on stand-ins for the modules of ROS 2, which Debian does not have: they
write each frame as a line of JSON and read poses as such lines. What they cannot show is ROS itself."""

import json
import os
import subprocess
import sys
import threading
import unittest

from support import ServerCase, moved, object_path, wait_until

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PROGRAM = os.path.join(ROOT, "tools", "examples", "ros2", "scene_bridge.py")
# What the node uses of rclpy, geometry_msgs and tf2_ros, with the names and members that these have.
STAND_INS = {
    "rclpy/__init__.py": '''
import json, sys
from types import SimpleNamespace as Is

def init(): pass

def spin(node):
    for line in sys.stdin:
        said = json.loads(line)
        pose = Is(position=Is(**said["position"]), orientation=Is(**said["orientation"]))
        node.subscriptions[said["topic"]](Is(header=Is(frame_id=said["frame_id"]), pose=pose))
''',
    "rclpy/node.py": '''
import sys
from types import SimpleNamespace as Is

class Node:
    def __init__(self, name):
        self.name, self.subscriptions = name, {}

    def create_subscription(self, kind, topic, callback, depth):
        self.subscriptions[topic.replace("~", "/" + self.name)] = callback

    def get_clock(self):
        return Is(now=lambda: Is(to_msg=lambda: Is(sec=1, nanosec=0)))

    def get_logger(self):
        return Is(warning=lambda text: print(text, file=sys.stderr, flush=True))
''',
    "geometry_msgs/__init__.py": "",
    "geometry_msgs/msg.py": '''
from types import SimpleNamespace as Is

class PoseStamped: pass

class TransformStamped:
    def __init__(self):
        self.header, self.child_frame_id = Is(stamp=None, frame_id=""), ""
        self.transform = Is(translation=Is(x=0.0, y=0.0, z=0.0), rotation=Is(x=0.0, y=0.0, z=0.0, w=1.0))
''',
    "tf2_ros/__init__.py": '''
import json

class TransformBroadcaster:
    def __init__(self, node): pass

    def sendTransform(self, frame):
        at, turn = vars(frame.transform.translation), vars(frame.transform.rotation)
        print(json.dumps([frame.header.frame_id, frame.child_frame_id, at, turn]), flush=True)
''',
}


class Ros2(ServerCase, unittest.TestCase):
    def setUp(self):
        super().setUp()
        self.scene = self._testMethodName
        self.client.put_scene(self.scene)
        self.key = self.client.create(self.scene, {"name": "lamp", "transform": moved(1, 2, 3)})[0]
        folder = os.path.join(self.server.folder, self._testMethodName)
        for name, text in STAND_INS.items():
            path = os.path.join(folder, name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
        path = os.pathsep.join([folder, os.path.join(ROOT, "tools", "sdk", "python")])
        self.node = subprocess.Popen(
            [sys.executable, PROGRAM, f"http://127.0.0.1:{self.server.http_port}", self.scene],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            env={**os.environ, "PYTHONPATH": path})
        self.addCleanup(self.end)
        self.frames, self.warnings = [], []
        self.readers = [threading.Thread(target=self.read, args=pair, daemon=True) for pair in
                        ((self.node.stdout, self.frames), (self.node.stderr, self.warnings))]
        for reader in self.readers:
            reader.start()
        self.await_frame("lamp", -3, -1, 2)

    @staticmethod
    def read(stream, lines):
        for line in stream:
            lines.append(line)

    def end(self):
        self.node.stdin.close()
        self.node.terminate()
        self.node.wait(30)
        for reader in self.readers:
            reader.join()
        self.node.stdout.close()
        self.node.stderr.close()

    def await_frame(self, name, x, y, z):
        """The newest frame of that name is there, in the axes of ROS and not turned."""
        def seen():
            assert self.node.poll() is None, "".join(self.warnings)
            newest = [frame for frame in map(json.loads, list(self.frames)) if frame[1] == name][-1:]
            rounded = [{axis: round(value, 6) + 0.0 for axis, value in part.items()}
                       for part in newest[0][2:]] if newest else None
            return rounded == [{"x": x, "y": y, "z": z}, {"x": 0, "y": 0, "z": 0, "w": 1}]
        wait_until(seen, 30, f"{name} at {x}, {y}, {z}")

    def pose(self, name, x, y, z):
        said = {"topic": "/scene_bridge/set_pose", "frame_id": name, "position": {"x": x, "y": y, "z": z},
                "orientation": {"x": 0.0, "y": 0.0, "z": 0.0, "w": 1.0}}
        self.node.stdin.write(json.dumps(said) + "\n")
        self.node.stdin.flush()

    def test_an_object_that_moves_is_a_frame_that_moves(self):
        self.client.update(self.scene, self.key, transform=moved(4, 5, 6))
        self.await_frame("lamp", -6, -4, 5)
        self.client.create(self.scene, {"name": "bench", "transform": moved(0, 0, -1)})
        self.await_frame("bench", 1, 0, 0)

    def test_a_pose_moves_the_object_of_its_name(self):
        self.pose("lamp", 1.0, 2.0, 0.5)

        def place():
            record = self.client.ok("GET", object_path(self.scene, self.key))["objects"][0]
            return [round(record["transform"][i], 6) for i in (3, 7, 11)]
        wait_until(lambda: place() == [-2, 0.5, -1], 30, "the lamp there")

    def test_a_pose_of_nobody_is_warned_of(self):
        self.pose("ghost", 0.0, 0.0, 0.0)
        wait_until(lambda: "the scene has no object ghost\n" in self.warnings, 30, "the warning")


if __name__ == "__main__":
    unittest.main()
