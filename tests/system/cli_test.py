"""`diorama NOUN VERB` against a real server: each command, what it prints, how it ends."""

import json
import os
import pty
import re
import signal
import stat
import subprocess
import termios
import unittest

from files import PNG
from support import BIN, ServerCase, free_port, wait_until

PROGRAM = os.path.abspath(os.path.join(BIN, "diorama"))
DONE, FAILED, USAGE, UNREACHABLE, UNAUTHENTICATED, FILE = range(6)


class CliCase(ServerCase):
    """Commands run with a folder of profiles of their own, and a profile for the server."""

    def setUp(self):
        super().setUp()
        self.folder = os.path.join(self.server.folder, self._testMethodName)
        os.mkdir(self.folder)
        self.url = f"http://127.0.0.1:{self.server.http_port}"
        self.environment = {name: value for name, value in os.environ.items()
                            if not name.startswith("DIORAMA_")}
        self.environment["XDG_CONFIG_HOME"] = self.folder
        self.run_("profile", "add", "here", f"--url={self.url}")

    def run_(self, *arguments, code=DONE, given="", **environment):
        """Runs a command that must end with `code`; what it printed, and what it complained."""
        done = subprocess.run([PROGRAM, *arguments], input=given,
                              env={**self.environment, **environment}, cwd=self.folder,
                              capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual(done.returncode, code, f"{arguments}: {done.stdout}{done.stderr}")
        self.complaint = done.stderr
        return done.stdout

    def asked(self, *arguments, **others):
        """What a command printed with --json, parsed; it is one line."""
        printed = self.run_(*arguments, "--json", **others)
        self.assertEqual(printed.count("\n"), 1, printed)
        return json.loads(printed)


class Cli(CliCase, unittest.TestCase):
    flags = {"log_level": "debug"}

    def test_replay_puts_height_on_y(self):
        walk = os.path.join(self.folder, "walk.txt")
        for scene, comment, arguments, expected in (
                ("recorded", "", (), [1.0, 1.75, -2.0]), ("said", "# up: y\n", (), [1.0, 2.0, 1.75]),
                ("told", "", ("--up=y",), [1.0, 2.0, 1.75])):
            with open(walk, "w", encoding="utf-8") as file:
                file.write(comment + "1 1 1 2 1.75\n")
            self.run_("replay", walk, f"--scene={scene}", "--scale=1", "--via=http", *arguments)
            [record] = self.client.objects(scene)
            self.assertEqual(record["transform"][3:12:4], expected)

    def test_scene(self):
        self.assertEqual(self.run_("scene", "create", "key=a", "name=Ä", "latitude=1.5",
                                   'tags=["x","y"]'), "a\n")
        self.assertEqual(self.run_("scene", "put", "b c", "region=here"), "b c\n")
        self.assertEqual(self.run_("scene", "create", "name=7", code=FAILED), "")
        self.assertRegex(self.complaint, r"^diorama scene create: 400 err_code 110: /scenes/0/name")
        self.assertEqual(self.run_("scene", "query", 'tags=["x"]'),
                         "key  name  region  latitude  longitude  distance  tags\n"
                         "a    Ä     -       1.5       0.0        0.0       x, y\n")
        self.assertRegex(self.run_("scene", "list"), r"(?m)^b c +- +here +0\.0 ")
        self.assertEqual(self.run_("scene", "update", "b c", 'name="7"'), "")
        self.assertIn("name         7\n", self.run_("scene", "get", "b c"))
        self.assertRegex(self.run_("scene", "query", "region=here"), r"^key .*\nb c .*\n$")
        self.assertEqual(self.run_("scene", "add-asset", "a", "f"), "")
        self.assertEqual(self.asked("scene", "get", "a")["scenes"][0]["assets"], ["f"])
        self.run_("scene", "drop-asset", "a", "f")
        self.assertRegex(self.run_("scene", "register", "a", "key=d"), r"devices +\[\{\"key\":\"d\"")
        self.assertRegex(self.run_("scene", "align", "a", "key=d",
                                   'transform={"translation":[1,0,0]}'), r"\[1\.0,0\.0,0\.0\]")
        self.assertEqual(self.run_("scene", "deregister", "a", "key=d"), "")
        self.assertEqual(self.run_("scene", "delete", "a"), "")
        self.run_("scene", "get", "a", code=FAILED)
        self.assertEqual(self.complaint,
                         "diorama scene get: 404 err_code 102: there is no scene a\n")

    def test_object(self):
        key = self.run_("object", "create", "s", "name=cube", "translation=[1,2,3]").strip()
        self.assertRegex(key, "^[0-9a-f]{24}$")
        self.assertIn("name          cube\n", self.run_("object", "get", "s", key))
        self.assertIn("type          Mesh\n", self.run_("object", "update", "s", key, "type=Mesh"))
        self.assertEqual(self.run_("object", "list", "s"),
                         f"{'key':24}  name  type  subtype  owner  position\n"
                         f"{key:24}  cube  Mesh  -        -      1.0 2.0 3.0\n")
        self.assertEqual(self.run_("object", "query", "s", "name=ball").count("\n"), 1)
        self.run_("object", "lock", "s", key, "one")
        self.run_("object", "lock", "s", key, "two", code=FAILED)
        self.assertRegex(self.complaint, "^diorama object lock: 423 err_code 123: ")
        self.run_("object", "unlock", "s", key, "one")
        self.run_("object", "add-asset", "s", key, "f")
        self.assertEqual(self.asked("object", "get", "s", key)["objects"][0]["assets"], ["f"])
        self.run_("object", "drop-asset", "s", key, "f")
        self.assertEqual(self.run_("object", "delete", "s", key), "")
        self.assertEqual(self.asked("object", "list", "s")["objects"], [])

    def test_property(self):
        key = self.run_("property", "create", "p", "name=speed", "values=[1.5,2]").strip()
        self.assertIn("values        1.5, 2.0\n", self.run_("property", "get", "p", key))
        self.assertIn("values        3.0\n", self.run_("property", "update", "p", key, "values=[3]"))
        self.assertEqual(self.run_("property", "list", "p"),
                         f"{'key':24}  name   parent  frame  values\n"
                         f"{key:24}  speed  -       -      3.0\n")
        self.assertEqual(self.run_("property", "query", "p", "name=slow").count("\n"), 1)
        self.assertEqual(self.run_("property", "delete", "p", key), "")
        self.assertEqual(self.asked("property", "list", "p")["properties"], [])

    def test_actions(self):
        for noun, frame in (("object", "translation=[1,2,3]"), ("property", "values=[1]")):
            key = self.run_(noun, "create", "w", "name=n").strip()

            def keyframes():
                array = "objects" if noun == "object" else "properties"
                actions = self.asked(noun, "get", "w", key)[array][0]["actions"]
                return [[keyframe["frame"] for keyframe in action["keyframes"]]
                        for action in actions]

            self.run_(noun, "put-action", "w", key, "name=walk")
            self.run_(noun, "update-action", "w", key, "walk", "description=slowly")
            self.run_(noun, "put-keyframe", "w", key, "walk", "frame=-3", frame)
            self.run_(noun, "update-keyframe", "w", key, "walk", "-3", frame)
            self.assertEqual(keyframes(), [[-3]])
            self.run_(noun, "drop-keyframe", "w", key, "walk", "-3")
            self.assertEqual(keyframes(), [[]])
            self.run_(noun, "drop-action", "w", key, "walk")
            self.assertEqual(keyframes(), [])

    def test_project(self):
        key = self.run_("project", "create", "name=film", "category=short").strip()
        self.assertIn("category            short\n", self.run_("project", "get", key))
        self.run_("project", "update", key, "name=movie")
        self.run_("project", "add-tag", key, "blue")
        self.assertEqual(self.run_("project", "query", "name=movie"),
                         f"{'id':24}  name   category  tags  description\n"
                         f"{key:24}  movie  short     blue  -\n")
        self.run_("project", "drop-tag", key, "blue")
        collection = self.run_("collection", "create", "name=props").strip()
        self.run_("project", "add-collection", key, collection)
        self.assertEqual(self.asked("project", "get", key)["assetCollectionIds"], [collection])
        self.run_("project", "drop-collection", key, collection)
        self.run_("project", "add-group", key, "name=act 1")
        self.run_("project", "update-group", key, "act 1", "description=dawn")
        self.run_("project", "add-scene", key, "act 1", "s")
        group = self.asked("project", "get", key)["sceneGroups"][0]
        self.assertEqual((group["description"], group["scenes"]), ("dawn", ["s"]))
        self.run_("project", "drop-scene", key, "act 1", "s")
        self.run_("project", "drop-group", key, "act 1")
        self.assertEqual(len(self.asked("project", "list", "--limit=1", "--page=0")), 1)
        self.assertEqual(self.run_("project", "delete", key), "")
        self.run_("project", "get", key, code=FAILED)

    def test_collection(self):
        key = self.run_("collection", "create", "name=props").strip()
        self.assertIn("tags         a, b\n", self.run_("collection", "update", key,
                                                     'tags=["a","b"]'))
        self.run_("collection", "add-tag", key, "c")
        self.run_("collection", "drop-tag", key, "a")
        self.assertEqual(self.asked("collection", "get", key)["tags"], ["b", "c"])
        self.assertIn(key, self.run_("collection", "query", "name=props", "tag=c"))
        self.assertIn(key, self.run_("collection", "list"))
        self.run_("collection", "delete", key)

    def test_relationship(self):
        key = self.run_("relationship", "create", "assetId=a", "relationshipType=scene",
                        "relatedId=b").strip()
        self.assertIn(f"\n{key}  a ", self.run_("relationship", "query", "asset=a"))
        self.run_("relationship", "delete", "scene", "b", "a")
        self.assertEqual(self.asked("relationship", "query", "asset=a"), [])
        self.assertRegex(self.run_("relationship", "list", "--limit=1"), "^id +assetId ")

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, content):
        with open(self.path(name), "wb") as file:
            file.write(content)

    def read(self, name):
        with open(self.path(name), "rb") as file:
            return file.read()

    def test_asset(self):
        self.write("cube.obj", b"v 0 0 0\n")
        first = self.run_("asset", "upload", "cube.obj", "--name=a cube", "--asset-type=mesh",
                          "--content-type=model/obj", "--related-id=s", "--related-type=scene",
                          "--public").strip()
        known = self.asked("asset", "get", first)[0]
        self.assertEqual([known[name] for name in ("name", "assetType", "contentType", "fileType",
                                                   "size", "public")],
                         ["a cube", "mesh", "model/obj", "obj", 8, True])
        self.write("cube.obj", b"v 1 1 1 1\n")
        second = self.run_("asset", "upload", "cube.obj", f"--update={first}").strip()
        self.assertIn(f"assetIds  {second}, {first}\n", self.run_("asset", "history", first))
        self.assertRegex(self.run_("relationship", "query", "related=s"), rf"\n\w+  {second} ")
        self.run_("asset", "upload", "cube.obj", f"--update={first}", code=FAILED)
        self.assertRegex(self.complaint, f"409 err_code 124: .*{second}")
        self.assertEqual(self.run_("asset", "query", "name=a cube").count("\n"), 1 + 2)
        self.assertIn(second, self.run_("asset", "list", "--limit=1", "--start=1"))
        self.assertEqual(self.asked("asset", "count", "asset-type=mesh"), {"count": 2})
        self.assertEqual(self.run_("asset", "download", first, "-o", "-"), "v 0 0 0\n")
        self.assertEqual(self.run_("asset", "delete", first), "")
        self.assertEqual(self.run_("asset", "history", second).count("\n"), 5)
        self.run_("asset", "get", first, code=FAILED)
        self.run_("asset", "upload", "absent", code=FILE)
        self.run_("asset", "upload", "cube.obj", "--related-id=s", code=USAGE)

    def test_old_version_of_an_asset_becomes_the_current_one_again(self):
        self.write("a", b"one")
        first = self.run_("asset", "upload", "a").strip()
        self.write("a", b"two")
        second = self.run_("asset", "upload", "a", f"--update={first}").strip()
        third = self.run_("asset", "restore", second, f"version={first}").strip()
        self.assertIn(f"assetIds  {third}, {second}, {first}\n", self.run_("asset", "history", first))
        self.assertEqual(self.run_("asset", "download", third, "-o", "-"), "one")
        self.run_("asset", "restore", third, f"version={third}", code=FAILED)
        self.assertRegex(self.complaint, "422 err_code 111: /version: is the current version")

    def test_uses_of_an_asset_are_listed(self):
        self.write("a", b"one")
        asset = self.run_("asset", "upload", "a").strip()
        key = self.run_("object", "create", "hall", "name=seat", f'assets=["{asset}"]').strip()
        self.run_("scene", "update", "hall", f'assets=["{asset}"]')
        shown = self.run_("use", "list", asset)
        self.assertRegex(shown, rf"\nobject +{key} +seat +hall\n")
        self.assertRegex(shown, r"\nscene +hall +")

    def test_thumbnail_is_set_and_read(self):
        self.write("a", b"bytes")
        self.write("a.png", PNG)
        key = self.run_("asset", "upload", "a").strip()
        self.run_("asset", "thumbnail", key, code=FAILED)
        self.assertEqual(self.run_("asset", "thumbnail", key, "--set=a.png"), "")
        self.assertEqual(self.run_("asset", "thumbnail", key, "-o", "b.png"), "")
        self.assertEqual(self.read("b.png"), PNG)
        self.run_("asset", "thumbnail", key, "--set=a", code=FAILED)
        self.assertRegex(self.complaint, "422 err_code 111")
        self.run_("asset", "thumbnail", key, "--set=absent", code=FILE)

    def test_download_goes_on_where_it_stopped(self):
        content = bytes(range(256)) * 5000
        self.write("up", content)
        key = self.run_("asset", "upload", "up").strip()
        part = f"{key}.{key}.part"
        for left, statuses in ((b"", [200]), (content[:1000], [206]), (content, [416]),
                               (bytes(1000), [206, 200]), (content + b"more", [416, 200])):
            self.write(part, left)
            before = len(self.statuses())
            self.assertEqual(self.run_("asset", "download", key), "")
            self.assertEqual(self.read(key), content, statuses)
            wait_until(lambda: self.statuses()[before:] == statuses, what=f"{statuses} in the log")
            self.assertEqual(sorted(os.listdir(self.folder)), sorted(["diorama", "up", key]))

    def statuses(self):
        """How the server answered each request for bytes of an asset."""
        return [int(status) for status in
                re.findall(r" op=/v1/asset/{asset} method=GET status=(\d+)", self.server.log_text())]

    def test_download_that_fails_leaves_nothing(self):
        self.run_("asset", "download", "0" * 24, code=FAILED)
        self.assertEqual(os.listdir(self.folder), ["diorama"])
        self.write("up", b"bytes")
        key = self.run_("asset", "upload", "up").strip()
        self.run_("asset", "download", key, "--output=/dev/full", code=FILE)
        self.assertEqual(self.complaint, "diorama asset download: /dev/full: "
                                         "No space left on device\n")
        self.assertFalse(stat.S_ISREG(os.stat("/dev/full").st_mode))

    def test_records_come_from_a_file(self):
        many = json.dumps([{"name": f"o{number}"} for number in range(30)])
        keys = self.run_("object", "create", "f", "--file=-", "type=Mesh", given=many).split()
        self.assertEqual(len(keys), 30)
        self.assertEqual(self.client.object("f", keys[7])["type"], "Mesh")
        page = self.run_("object", "list", "f", "--limit=10", "--start=25")
        self.assertEqual(page.count("\n"), 1 + 5)
        self.run_("object", "list", "f", "--limit=10")
        self.assertEqual(self.complaint, "diorama object list: there are more records: --start=10\n")
        found = self.run_("object", "find", "f", "sort=-name", "q=O2", "limit=2")
        self.assertEqual([line.split()[1] for line in found.splitlines()], ["name", "o29", "o28"])
        self.assertRegex(self.complaint, "^diorama object find: there are more records: after=")
        found = self.run_("object", "find", "f", "sort=-name", "q=O2", "limit=2",
                          self.complaint.split()[-1])
        self.assertEqual([line.split()[1] for line in found.splitlines()], ["name", "o27", "o26"])
        self.run_("object", "create", "f", "--file=absent", code=FILE)
        self.run_("object", "create", "f", "--file=-", given="{", code=USAGE)

    def test_failures_tell_themselves_apart(self):
        self.run_("scene", "frob", code=USAGE)
        self.run_("scene", "get", code=USAGE)
        self.run_("scene", "create", "name", code=USAGE)
        self.run_("scene", "list", "--profile=none", code=USAGE)
        self.run_("scene", "list", f"--url=http://127.0.0.1:{free_port()}", code=UNREACHABLE)
        self.assertRegex(self.complaint, "^diorama scene list: .*Failed to connect")
        printed = self.asked("object", "create", "s", "translation=[1,2]", code=FAILED)
        self.assertEqual(printed["errors"][0]["pointer"], "/objects/0/translation")
        self.assertEqual(self.complaint, "diorama object create: 422 err_code 111: "
                                         "/objects/0/translation: must have 3 numbers\n")

    def test_profile(self):
        path = os.path.join(self.folder, "diorama", "profiles")
        self.assertEqual(os.stat(path).st_mode & 0o777, 0o600)
        self.run_("profile", "add", "far", "--url=http://127.0.0.1:1/", "--username=alice")
        self.run_("profile", "add", "far", "--url=http://127.0.0.1:1", code=USAGE)
        self.run_("profile", "add", "odd", "--url=127.0.0.1", code=USAGE)
        self.assertRegex(self.run_("profile", "list"),
                         r"^name  url +username  login  current\n"
                         r"here  http://127.0.0.1:\d+ +- +no +yes\n"
                         r"far   http://127.0.0.1:1 +alice +no +no\n$")
        self.run_("scene", "list")
        self.run_("scene", "list", code=UNREACHABLE, DIORAMA_PROFILE="far")
        self.run_("scene", "list", "--profile=here", DIORAMA_PROFILE="far")
        self.run_("scene", "list", DIORAMA_PROFILE="far", DIORAMA_URL=self.url)
        self.run_("profile", "use", "far")
        self.run_("scene", "list", code=UNREACHABLE)
        self.run_("profile", "remove", "far")
        self.run_("profile", "use", "far", code=USAGE)
        os.chmod(path, 0o644)
        self.run_("scene", "list", code=FILE)

    def test_help_is_found_by_both_ways(self):
        self.assertEqual(self.run_("object", "get", "--help"),
                         self.run_("help", "object", "get"))
        self.assertIn("Usage: diorama object get SCENE OBJECT [OPTION]...",
                      self.run_("help", "object", "get"))
        self.run_("nothing", code=USAGE)


def echoes(terminal):
    return bool(termios.tcgetattr(terminal)[3] & termios.ECHO)


class Accounts(CliCase, unittest.TestCase):
    flags = {"auth_enabled": "true", "auth_admin_user": "root", "auth_admin_password": "s3cret",
             "pub_insecure": "true"}

    def log_in(self, username="root", password="s3cret", profile="here", **others):
        return self.run_("login", username, f"--profile={profile}", given=password + "\n", **others)

    def profiles(self):
        with open(os.path.join(self.folder, "diorama", "profiles"), encoding="utf-8") as file:
            return json.load(file)["profiles"]

    def test_login_keeps_a_token_until_logout(self):
        self.run_("scene", "list", code=UNAUTHENTICATED)
        self.assertRegex(self.complaint, "^diorama scene list: 401 err_code 130: ")
        self.log_in(password="wrong", code=UNAUTHENTICATED)
        self.assertNotIn("token", self.profiles()["here"])
        self.assertEqual(self.log_in(), "")
        self.assertEqual(self.complaint, f"login: root at {self.url}, profile here\n")
        self.run_("scene", "list")
        token = self.profiles()["here"]["token"]
        self.run_("scene", "list", f"--url={self.url}", DIORAMA_TOKEN=token, XDG_CONFIG_HOME="/none")
        self.assertNotIn(token, self.run_("profile", "list"))
        self.run_("logout")
        self.assertNotIn("token", self.profiles()["here"])
        self.run_("scene", "list", code=UNAUTHENTICATED, DIORAMA_TOKEN=token)
        self.run_("logout", code=USAGE)

    def test_login_makes_a_profile_of_the_server_alone(self):
        self.log_in(profile="new", DIORAMA_URL=self.url)
        self.run_("scene", "list", "--profile=new")
        self.log_in(profile="new", DIORAMA_URL="http://127.0.0.1:1", code=USAGE)

    def test_user(self):
        self.log_in()
        key = self.run_("user", "create", "username=bob", "email=b@x", given="the first\n").strip()
        self.run_("user", "create", "username=eve", "password=p", code=USAGE)
        self.assertIn("username          bob\n", self.run_("user", "get", key))
        self.assertIn(key, self.run_("user", "list"))
        self.assertIn(key, self.run_("user", "query", "username=bob"))
        self.assertIn("email             c@x\n", self.run_("user", "update", key, "email=c@x"))
        self.run_("user", "update", key, "--password-file=-", given="the second\n")
        self.run_("profile", "add", "bob", f"--url={self.url}")
        self.log_in("bob", "the first", "bob", code=UNAUTHENTICATED)
        self.log_in("bob", "the second", "bob")
        self.run_("user", "list", "--profile=bob", code=FAILED)
        self.run_("user", "promote", key)
        self.run_("user", "list", "--profile=bob")
        self.run_("user", "demote", key)
        self.run_("user", "deactivate", key)
        self.run_("scene", "list", "--profile=bob", code=UNAUTHENTICATED)
        self.run_("user", "activate", key)
        for what in ("scene", "project"):
            self.run_("user", f"add-{what}", key, "k")
            favourites = self.asked("user", "get", key)[f"favorite{what.title()}s"]
            self.assertEqual(favourites, ["k"])
            self.run_("user", f"drop-{what}", key, "k")
        self.run_("user", "delete", key)
        self.run_("user", "get", key, code=FAILED)

    def at_terminal(self, *arguments):
        """A command that asks for a password at a terminal of its own, and that terminal."""
        terminal, its_end = pty.openpty()
        self.addCleanup(os.close, terminal)
        process = subprocess.Popen([PROGRAM, *arguments], stdin=its_end, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, env=self.environment, text=True)
        self.addCleanup(process.kill)
        os.close(its_end)
        wait_until(lambda: not echoes(terminal), what="a terminal without echo")
        return process, terminal

    def test_password_is_typed_without_echo(self):
        process, terminal = self.at_terminal("login", "root")
        os.write(terminal, b"s3cret\n")
        _, complaint = process.communicate(timeout=30)
        self.assertEqual(process.returncode, DONE, complaint)
        self.assertRegex(complaint, "^Password: \nlogin: root at ")
        self.assertTrue(echoes(terminal))
        self.run_("scene", "list")

    def test_signal_gives_the_terminal_its_echo_back(self):
        process, terminal = self.at_terminal("login", "root")
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=30)
        self.assertEqual(process.returncode, -signal.SIGINT)
        self.assertTrue(echoes(terminal))


if __name__ == "__main__":
    unittest.main()
