#!/usr/bin/env python3
"""A scene as frames of ROS 2, both ways: each object is a frame below the scene's, on /tf, as it moves; a
PoseStamped on ~/set_pose, whose header names an object, moves that object in the scene.

    python3 scene_bridge.py http://127.0.0.1:8080 plaza
"""

import asyncio
import sys
import threading

import rclpy
from geometry_msgs.msg import PoseStamped, TransformStamped
from rclpy.node import Node
from tf2_ros import TransformBroadcaster

import diorama

RATE = 30


class Bridge(Node):
    def __init__(self, scene):
        super().__init__("scene_bridge")
        self.scene, self.loop = scene, asyncio.get_running_loop()
        self.frames = TransformBroadcaster(self)
        self.create_subscription(PoseStamped, "~/set_pose", self.on_pose, 10)

    def tell(self, thing):
        """One object as a frame; those that are sheared or flat are none."""
        parts = diorama.transforms.decompose(thing.transform)
        if parts is None:
            self.get_logger().warning(f"{thing.name or thing.key} has no rotation")
            return
        frame = TransformStamped()
        frame.header.stamp = self.get_clock().now().to_msg()
        frame.header.frame_id, frame.child_frame_id = self.scene.key, thing.name or thing.key
        at, turn = frame.transform.translation, frame.transform.rotation
        at.x, at.y, at.z = parts.translation
        turn.w, turn.x, turn.y, turn.z = parts.quaternion
        self.frames.sendTransform(frame)

    def on_pose(self, message):
        """Called by the thread of ROS; the scene belongs to the loop of asyncio."""
        at, turn = message.pose.position, message.pose.orientation
        self.loop.call_soon_threadsafe(self.move, message.header.frame_id, {
            "translation": [at.x, at.y, at.z], "quaternion_rotation": [turn.w, turn.x, turn.y, turn.z]})

    def move(self, name, members):
        thing = self.scene.find(name=name)
        if thing:
            thing.send(**members)
        else:
            self.get_logger().warning(f"the scene has no object {name}")


async def main(url, key):
    async with diorama.connect(url) as server:
        scene = await server.join(key, form="packed", device="ros", rate=RATE, convention="ros")
        bridge = Bridge(scene)
        threading.Thread(target=rclpy.spin, args=(bridge,), daemon=True).start()
        for thing in scene.objects:
            bridge.tell(thing)
        async for change in scene:
            if change.object.noun == "object" and change.kind != "deleted":
                bridge.tell(change.object)


if __name__ == "__main__":
    rclpy.init()
    asyncio.run(main(*sys.argv[1:3]))
