"""(epoch, seq) of a scene never names two states: not after restarts, not after a backup was put back.
A client that reconnects is told `resumed` only where nothing is missing."""

import os
import shutil
import time
import unittest

from streams import EventStream
from support import ServerCase, scene_path

LARGEST_DOUBLE = 1 << 53


class Epoch(ServerCase, unittest.TestCase):
    flags = None

    def setUp(self):
        super().setUp()
        self.start_server()
        self.key, = self.client.create("hall", {"name": "first"})

    def state(self):
        with EventStream(self.server, scene_path("hall") + "/events") as stream:
            return stream.snapshot()

    def back_up(self):
        self.server.stop()
        data = self.server.flags["data_dir"]
        backup = os.path.join(self.server.folder, "backup")
        shutil.copytree(data, backup)
        self.server.start()
        self.client = self.connect()
        return backup

    def put_back(self, backup):
        self.server.kill()
        shutil.rmtree(self.server.flags["data_dir"])
        shutil.copytree(backup, self.server.flags["data_dir"])
        self.server.start()
        self.client = self.connect()

    def test_server_on_a_backup_has_an_epoch_that_nobody_saw(self):
        backup = self.back_up()
        before = self.state()["epoch"]
        self.put_back(backup)
        self.assertGreater(self.state()["epoch"], before)

    def test_client_that_saw_what_the_backup_has_not_is_not_told_that_it_resumed(self):
        backup = self.back_up()
        with EventStream(self.server, scene_path("hall") + "/events") as stream:
            stream.snapshot()
            self.client.update("hall", self.key, name="lost with the disk")
            had = stream.next().id
        self.put_back(backup)
        with EventStream(self.server, scene_path("hall") + "/events") as watcher:
            watcher.snapshot()  # the scene keeps its events from now on
            self.client.update("hall", self.key, name="another history")
            watcher.next()
            with EventStream(self.server, scene_path("hall") + "/events",
                             {"Last-Event-ID": had}) as stream:
                event = stream.any()
        self.assertEqual(event.name, "snapshot", event.data)
        self.assertEqual(event.body["objects"][0]["name"], "another history")

    def test_epoch_is_of_the_calendar_and_grows_at_every_start(self):
        epochs = []
        for how in ("restart", "crash", "restart"):
            began_ms = int(time.time() * 1000)
            self.restart(how)
            epochs.append(self.state()["epoch"])
            self.assertGreaterEqual(epochs[-1], began_ms * 1024)
            self.assertLess(epochs[-1], LARGEST_DOUBLE)
        self.assertEqual(epochs, sorted(set(epochs)))


if __name__ == "__main__":
    unittest.main()
