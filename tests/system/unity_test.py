"""tools/examples/unity against a real server, compiled with stand-ins for what it uses of UnityEngine and run by Mono. What they
cannot show is Unity itself. Skipped where there is no Mono."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import unittest

from support import Client, ServerCase, moved, object_path, wait_until

SKIPPED = 77
HERE = os.path.dirname(os.path.abspath(__file__))
SOURCES = [os.path.join(HERE, "../../tools/examples/unity/SceneFollower.cs"), os.path.join(HERE, "unity_stand_ins.cs")]
STILL = [0, 0, 0, 1, 1, 1, 1]  # no turn, no scale


class Unity(ServerCase, unittest.TestCase):
    program = None

    def setUp(self):
        super().setUp()
        self.scene = self._testMethodName
        self.client.put_scene(self.scene)
        self.key = self.client.create(self.scene, {"name": "lamp", "transform": moved(1, 2, 3)})[0]
        self.player = subprocess.Popen(
            ["mono", self.program, f"http://127.0.0.1:{self.server.http_port}", self.scene],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.lines = []
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()
        self.addCleanup(self.end)
        self.await_shown(lamp=[1, 2, -3, *STILL])

    def read(self):
        for line in self.player.stdout:
            self.lines.append(line)

    def end(self):
        self.player.stdin.close()
        self.player.wait(30)
        self.reader.join()
        self.player.stdout.close()

    def await_shown(self, **objects):
        def seen():
            assert self.player.poll() is None, f"the player ended: {self.player.returncode}"
            return self.lines and json.loads(self.lines[-1]) == objects
        wait_until(seen, 30, f"{objects} in Unity")

    def test_objects_come_move_and_go_in_unity_as_they_do_in_the_scene(self):
        self.client.update(self.scene, self.key, euler_rotation=[0, 1.5707963267948966, 0], scale=[2, 3, 4])
        self.await_shown(lamp=[1, 2, -3, 0, -0.7071, 0, 0.7071, 2, 3, 4])  # left-handed: the other way round
        self.client.create(self.scene, {"name": "bench"})
        self.await_shown(bench=[0, 0, 0, *STILL], lamp=[1, 2, -3, 0, -0.7071, 0, 0.7071, 2, 3, 4])
        self.client.ok("DELETE", object_path(self.scene, self.key))
        self.await_shown(bench=[0, 0, 0, *STILL])

    def test_a_move_is_in_the_axes_of_unity(self):
        self.player.stdin.write(f"{self.key} 4 5 6.5\n")
        self.player.stdin.flush()
        self.await_shown(lamp=[4, 5, 6.5, *STILL])
        record = self.client.ok("GET", object_path(self.scene, self.key))["objects"][0]
        self.assertEqual([4, 5, -6.5], [record["transform"][i] for i in (3, 7, 11)])

    def test_it_finds_back_after_the_server_was_started_again(self):
        self.server.restart(keeps_ports=True)
        with Client(self.server) as client:
            client.update(self.scene, self.key, translation=[7, 8, 9])
        self.await_shown(lamp=[7, 8, -9, *STILL])


def main():
    if not shutil.which("mcs") or not shutil.which("mono"):
        print("unity_test: skipped: there is no Mono")
        return SKIPPED
    with tempfile.TemporaryDirectory() as folder:
        Unity.program = os.path.join(folder, "follower.exe")
        subprocess.run(["mcs", "-warnaserror", f"-out:{Unity.program}", "-r:System.Runtime.Serialization", *SOURCES], check=True)
        return not unittest.main(exit=False).result.wasSuccessful()


if __name__ == "__main__":
    sys.exit(main())
