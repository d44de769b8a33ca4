"""What survives an orderly end, a crash and another number of shards."""

import unittest

from feeds import UdpDevice
from support import (LONG_SHARD_COUNTS, Server, ServerCase, dump, moved, object_path, scene_path,
                     scenes, with_shards)

POSE = {"translation": [1.0, 2.0, 3.0], "rotation": [0.1, 0.2, 0.3]}
HANDLE = {"left_type": "vector", "left_x": 0.1, "left_y": 1e-300,
          "right_type": "free", "right_x": -1.5, "right_y": 2.0}


def fill(client):
    """Scenes, objects, locks and registrations of every kind, on every shard."""
    for number in range(12):
        scene = f"s{number} ä/€".replace("/", "-")
        client.put_scene(scene, name=f"n{number}", region="r", tags=["t", str(number)],
                         assets=["a"], latitude=number / 3, longitude=-number / 7,
                         public=number % 2 == 0)
        keys = client.create(scene, *(
            {"name": f"o{n}", "type": "Mesh", "frame": n - 3, "timestamp": 1 << 40,
             "assets": ["m", f"m{n}"], "euler_rotation": [n, 2, 3], "scale": [1, 2, n + 1],
             "translation_handle": [HANDLE] * 3} for n in range(7)))
        client.register(scene, {"key": "aligned", "transform": POSE}, {"key": "plain"},
                        {"key": "udp", "hostname": "127.0.0.1", "port": 9010 + number})
        client.ok("GET", object_path(scene, keys[0]) + "/lock?device=aligned")
        client.update(scene, keys[1], name="updated", translation=[0.1, 0.2, 0.3])
        client.ok("DELETE", object_path(scene, keys[2]))
        client.deregister(scene, "plain")
    client.ok("DELETE", scene_path("s3 ä-€"))
    client.put_scene("s3 ä-€", name="made again")


@with_shards(*LONG_SHARD_COUNTS)
class Restart(ServerCase):
    flags = None  # a fresh server for each test

    def setUp(self):
        super().setUp()
        self.start_server()

    def check_survival(self, *starts):
        fill(self.client)
        before = dump(self.client)
        self.assertEqual(len(before), 12)
        for how, flags in starts:
            self.restart(how, **flags)
            self.assertEqual(dump(self.client), before, (how, flags))

    def test_everything_is_equal_after_orderly_ends(self):
        self.check_survival(("restart", {}), ("restart", {}))

    def test_everything_is_equal_after_crashes(self):
        self.check_survival(("crash", {}), ("crash", {}))

    def test_everything_is_equal_after_any_change_of_the_number_of_shards(self):
        self.check_survival(*((how, {"scene_actors": count}) for how, count in (
            ("restart", 2), ("crash", 5), ("restart", 1), ("crash", 3))))

    def test_queries_find_the_same_after_a_restart(self):
        fill(self.client)
        filters = ({"name": "n4"}, {"tags": ["t", "5"]}, {"region": "r"},
                   {"latitude": 1.0, "longitude": 0.0, "distance": 100})

        def found():
            return [self.client.ok("POST", "/v1/scene/query", scenes(wanted, num_records=100))
                    for wanted in filters]

        before = found()
        self.assertEqual(before[0]["num_records"], 1)
        self.restart("crash")
        self.assertEqual(found(), before)

    def test_sigterm_ends_with_0_within_5_seconds(self):
        self.client.put_scene(self.scene)
        code, seconds = self.server.stop()
        self.assertEqual(code, 0, self.server.log_text())
        self.assertLess(seconds, 5)

    def test_sigterm_ends_in_time_with_idle_connections_and_half_a_request(self):
        idle = [self.connect() for _ in range(20)]
        for client in idle:
            client.get("/livez")
        half = self.connect()
        half.connection.connect()
        half.connection.sock.sendall(b"PUT /v1/scene/x HTTP/1.1\r\nHost: localhost\r\n")
        code, seconds = self.server.stop()
        self.assertEqual(code, 0, self.server.log_text())
        self.assertLess(seconds, 5)

    def test_an_update_by_udp_is_kept_by_an_orderly_end(self):
        device = UdpDevice("d1")
        self.addCleanup(device.close)
        self.client.register(self.scene, device.record())
        key = self.client.create(self.scene, {"name": "o"})[0]
        device.send(self.server, {"msg_type": 1, "key": key, "transform": moved(4)})
        device.wait_for(lambda event: event["transform"] == moved(4))
        self.restart()
        self.assertEqual(self.client.object(self.scene, key)["transform"], moved(4))

    def test_an_update_by_udp_is_durable_once_an_http_write_to_the_same_object_is(self):
        device = UdpDevice("d1")
        self.addCleanup(device.close)
        self.client.register(self.scene, device.record())
        key = self.client.create(self.scene, {"name": "o"})[0]
        for number in range(1, 6):
            device.send(self.server, {"msg_type": 1, "key": key, "transform": moved(number)})
            device.wait_for(lambda event: event["transform"] == moved(number))
            self.client.ok("POST", object_path(self.scene, key), {"name": f"n{number}"})
            self.restart("crash")
            record = self.client.object(self.scene, key)
            self.assertEqual((record["transform"], record["name"]), (moved(number), f"n{number}"))

    def test_a_registered_device_hears_its_scene_again_after_a_crash(self):
        device = UdpDevice("d1")
        self.addCleanup(device.close)
        self.client.register(self.scene, device.record())
        key = self.client.create(self.scene, {"name": "o"})[0]
        self.restart("crash")
        self.client.ok("POST", object_path(self.scene, key), {"name": "after"})
        device.wait_for(lambda event: event["name"] == "after")

    def test_deletes_stay_deleted(self):
        keys = self.client.create(self.scene, {"name": "a"}, {"name": "b"})
        self.client.ok("DELETE", object_path(self.scene, keys[0]))
        for how in ("crash", "restart"):
            self.restart(how)
            self.client.refused(404, 102, "GET", object_path(self.scene, keys[0]))
            self.assertEqual([record["key"] for record in self.client.objects(self.scene)],
                             keys[1:])
        self.client.ok("DELETE", scene_path(self.scene))
        for how in ("crash", "restart"):
            self.restart(how)
            self.client.refused(404, 102, "GET", scene_path(self.scene))
            self.client.refused(404, 102, "GET", object_path(self.scene, keys[1]))


class Configuration(unittest.TestCase):
    def test_a_bad_configuration_ends_with_2_and_names_the_key(self):
        for flags, word in (({"http_prot": "8080"}, "http.port"),
                            ({"http_threads": "x"}, "http.threads"),
                            ({"store_fault": "nonsense=1"}, "nonsense")):
            server = Server(**flags)
            self.addCleanup(server.end)
            server.launch()
            self.assertEqual(server.process.wait(10), 2, server.log_text())
            self.assertIn(word, server.log_text())

    def test_two_servers_never_share_a_data_folder(self):
        first = Server()
        self.addCleanup(first.end)
        first.start()
        second = Server(data_dir=first.flags["data_dir"])
        self.addCleanup(second.end)
        second.launch()
        self.assertNotEqual(second.process.wait(10), 0)
        self.assertTrue(first.is_running())


if __name__ == "__main__":
    unittest.main()
