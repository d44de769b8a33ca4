"""`diorama demo`: what it makes, that it moves, that a second time adds nothing, that it can be removed."""

import math
import signal
import subprocess
import unittest

import glb
from cli_test import DONE, FAILED, PROGRAM, UNAUTHENTICATED, UNREACHABLE, USAGE
from people import PeopleCase, bearer
from support import ServerCase, free_port, wait_until


class DemoCase(ServerCase):
    flags = None

    def setUp(self):
        super().setUp()
        self.start_server()
        self.url = f"http://127.0.0.1:{self.server.http_port}"

    def demo(self, *arguments, code=DONE, url=None, **environment):
        done = subprocess.run([PROGRAM, "demo", f"--url={url or self.url}", *arguments], timeout=60,
                              env={"XDG_CONFIG_HOME": self.server.folder, **environment},
                              capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        self.complaint = done.stderr
        return done.stdout

    def walkers(self):
        return {record["name"]: record for record in self.client.objects("demo")
                if record["name"].startswith("walker ")}

    def assets(self):
        return self.client.get("/v1/asset").body

    def corrections(self):
        return [self.client.get(f"/v1/scene/{key}/alignment").body["corrections"]
                for key in ("demo", "demo-pavilion")]


class Demo(DemoCase, unittest.TestCase):
    def test_it_says_where_to_look_what_to_try_and_how_to_remove_it(self):
        lines = self.demo("--seconds=0.5", "--people=3").splitlines()
        self.assertEqual(lines[0], self.url + "/console/scene/demo")
        self.assertEqual(3, sum(line.startswith("  ") for line in lines))
        self.assertIn("3 people walk", "\n".join(lines))
        self.assertTrue(lines[-1].endswith(f"diorama demo --remove --url={self.url}"), lines[-1])

    def test_walkers_move_upright_on_the_ground(self):
        process = subprocess.Popen([PROGRAM, "demo", f"--url={self.url}", "--people=5"],
                                   env={"XDG_CONFIG_HOME": self.server.folder},
                                   stdout=subprocess.PIPE, text=True)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.kill)
        for _ in range(10):  # lines before the walk begins
            if "people walk" in process.stdout.readline():
                break
        before = self.walkers()
        self.assertEqual(len(before), 5)

        def all_moved():
            after = self.walkers()
            return all(math.dist(after[name]["transform"][3::4][:3], one["transform"][3::4][:3]) > 0.5
                       for name, one in before.items())

        wait_until(all_moved, what="everybody has walked half a metre")
        for record in self.walkers().values():
            matrix = record["transform"]
            self.assertEqual(matrix[7], 0.0, "on the ground")
            self.assertEqual(matrix[1::4], [0.0, 1.0, 0.0, 0.0], "upright")
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(20), DONE)
        self.assertEqual(len(self.walkers()), 5, "the scene stays")

    def test_both_scenes_are_linked_by_devices(self):
        self.demo("--seconds=0.1", "--people=2")
        for key in ("demo", "demo-pavilion"):
            shown = self.client.scene(key)
            self.assertEqual((shown["latitude"], shown["tags"]), (50.9218, ["diorama-demo"]))
            self.assertEqual(len(shown["devices"]), 4)

        def link():
            links = self.client.get("/v1/alignment/graph?scene=demo&hops=3").body["links"]
            return [found for found in links if found["devices"] == 4]  # it may be solved with fewer first

        [found] = wait_until(link, what="the link is solved")
        self.assertEqual({found["scene"], found["from"]}, {"demo", "demo-pavilion"})
        self.assertEqual((found["status"], found["devices"]), ("predicted", 4))
        self.assertLess(found["sigma_t_m"], 0.03)

    def test_its_models_are_valid_and_in_use(self):
        self.demo("--seconds=0.1")
        made = {asset["key"]: asset for asset in self.assets()}
        self.assertEqual(len(made), 12)
        for key, asset in made.items():
            self.assertEqual(asset["contentType"], "model/gltf-binary")
            document = glb.check(self.client.get(f"/v1/asset/{key}").content)
            self.assertEqual(document["nodes"][0]["name"], asset["name"])
        things = self.client.objects("demo")
        used = {key for thing in things for key in thing["assets"]}
        self.assertEqual(used, set(made))
        self.assertTrue(any(not thing["assets"] for thing in things), "some are primitives")

    def test_a_second_time_adds_nothing(self):
        self.demo("--seconds=0.1")
        first = {record["name"]: record["key"] for record in self.client.objects("demo")}
        assets, corrections = self.assets(), self.corrections()
        self.demo("--seconds=0.1")
        self.assertEqual(first, {record["name"]: record["key"]
                                 for record in self.client.objects("demo")})
        self.assertEqual(self.assets(), assets)
        self.assertEqual([len(found) for found in self.corrections()],
                         [len(found) for found in corrections])

    def test_another_number_of_people_walks(self):
        self.demo("--seconds=0.1", "--people=6")
        [mine] = self.client.create("demo", {"name": "walker 7"})
        self.demo("--seconds=0.1", "--people=2")
        self.assertEqual(set(self.walkers()), {"walker 1", "walker 2", "walker 7"})
        self.assertEqual(self.client.object("demo", mine)["name"], "walker 7", "it is not the demo's")

    def test_remove_leaves_nothing(self):
        self.client.put_scene("else")
        self.demo("--seconds=0.1", "--people=2")
        self.assertEqual(self.demo("--remove"), "Removed demo and demo-pavilion.\n")
        for key in ("demo", "demo-pavilion"):
            self.assertEqual(self.client.get(f"/v1/scene/{key}").status, 404)
        self.assertEqual(self.assets(), [])
        self.assertEqual(self.client.get("/v1/device").body, [])
        self.assertEqual(self.client.get("/v1/scene/else").status, 200)
        self.assertEqual(self.demo("--remove"), "There is no demo and no demo-pavilion.\n")

    def test_a_scene_that_is_no_demo_stays_as_it_is(self):
        self.client.put_scene("demo", name="mine")
        for arguments in ((), ("--remove",)):
            self.demo(*arguments, code=FAILED)
            self.assertIn("there is a scene demo already", self.complaint)
            self.assertIn("--scene", self.complaint)
        self.assertEqual(self.client.scene("demo")["name"], "mine")
        self.assertEqual(self.client.get("/v1/scene/demo-pavilion").status, 404)
        self.demo("--scene=other", "--seconds=0.1", "--people=1")

    def test_no_server_is_said(self):
        self.demo(code=UNREACHABLE, url=f"http://127.0.0.1:{free_port()}")
        self.assertIn("start a server", self.complaint)

    def test_updates_that_do_not_arrive_are_said(self):
        self.demo("--seconds=2.5", "--people=1", f"--udp=127.0.0.1:{free_port()}")
        self.assertIn("nothing moves", self.complaint)

    def test_bad_arguments_are_refused(self):
        self.demo("--people=0", code=USAGE)
        self.demo("--scene=" + "k" * 128, code=USAGE)
        self.assertIn("--scene: must have at most 119 bytes", self.complaint)


class DemoOfPeople(PeopleCase, DemoCase, unittest.TestCase):
    flags = PeopleCase.flags

    def setUp(self):
        ServerCase.setUp(self)
        self.url = f"http://127.0.0.1:{self.server.http_port}"

    def test_one_must_be_logged_in(self):
        self.demo(code=UNAUTHENTICATED)
        self.assertIn("log in first", self.complaint)

    def test_who_is_logged_in_sees_their_own_walk(self):
        ann = self.new_person("ann")
        self.addCleanup(ann.close)
        self.demo("--seconds=2.5", "--scene=anns", DIORAMA_TOKEN=ann.token)
        self.assertEqual(self.complaint, "", "it moves")
        answer = self.client.request("GET", "/v1/scene/anns", headers=bearer(ann.token))
        self.assertEqual(answer.body["scenes"][0]["user"], ann.id)

    def test_a_demo_of_somebody_else_is_refused(self):
        bob, eve = self.new_person("bob"), self.new_person("eve")
        for person in (bob, eve):
            self.addCleanup(person.close)
        self.demo("--seconds=0.1", "--scene=bobs", DIORAMA_TOKEN=bob.token)
        for arguments in ((), ("--remove",)):
            self.demo("--scene=bobs", "--seconds=0.1", *arguments, code=FAILED,
                      DIORAMA_TOKEN=eve.token)
            self.assertIn("somebody else's", self.complaint)
        self.demo("--scene=bobs", "--remove", DIORAMA_TOKEN=bob.token)


if __name__ == "__main__":
    unittest.main()
