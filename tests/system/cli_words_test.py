"""What `diorama` says to people: help, words that were meant, completion, manual pages, and addresses
at which nobody is."""

import os
import re
import shlex
import shutil
import struct
import subprocess
import tempfile
import unittest

from cli_test import DONE, PROGRAM, UNREACHABLE, USAGE, CliCase
from support import free_port, needs_files

COMPLETE = """
eval "$(%s completion bash)"
COMP_WORDS=(%s)
COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
_diorama
printf '%%s\\n' "${COMPREPLY[@]}"
"""


def run(*arguments):
    return subprocess.run(arguments, capture_output=True, text=True, timeout=60, check=False)


class Words(CliCase, unittest.TestCase):
    def test_options_of_all_commands_stand_anywhere(self):
        self.run_("scene", "create", "key=anywhere")
        expected = self.asked("scene", "get", "anywhere")
        for line in (("--url", self.url, "scene", "get", "anywhere", "--json"),
                     (f"--url={self.url}", "--json", "scene", "get", "anywhere"),
                     ("scene", "--json", "get", "anywhere"),
                     ("--http", self.url, "--profile=here", "scene", "get", "--json", "anywhere")):
            self.assertEqual(self.run_(*line), self.run_("scene", "get", "anywhere", "--json"), line)
        self.assertEqual(expected["scenes"][0]["key"], "anywhere")

    def test_each_command_reads_the_address_from_url(self):
        self.assertEqual(self.run_("health", f"--url={self.url}"), "ready\n")
        self.assertEqual(self.run_("health", f"--http={self.url}"), "ready\n")

    def test_short_help_is_help(self):
        self.assertEqual(self.run_("watch", "-h"), self.run_("watch", "--help"))
        self.assertEqual(self.run_("-h", "watch"), self.run_("watch", "--help"))
        self.assertEqual(self.run_("scene", "-h"), self.run_("scene", "--help"))
        self.assertEqual(self.run_("-h"), self.run_("--help"))

    def test_nearest_word_is_named(self):
        for line, meant in ((("scen", "get"), "scene"), (("wacht",), "watch"),
                            (("scene", "creat"), "create"), (("scene", "get", "x", "--jsno"), "--json"),
                            (("--ulr=x", "health"), "--url")):
            self.run_(*line, code=USAGE)
            self.assertIn(f"; did you mean {meant}?", self.complaint)
        self.run_("nothing", code=USAGE)
        self.assertEqual(self.complaint, "diorama: there is no command nothing\n"
                                         "diorama --help lists them.\n")

    def test_output_into_a_pipe_has_no_styles(self):
        self.assertNotIn("\033", self.run_("watch", "--help", TERM="xterm"))

    def test_watch_of_a_dead_address_says_so(self):
        dead = f"tcp://127.0.0.1:{free_port()}"
        self.run_("watch", f"--pub={dead}", code=UNREACHABLE)
        self.assertEqual(self.complaint, f"diorama watch: {dead}: nobody publishes there; --pub names "
                                         "the server's pub.endpoint\n")

    def test_keygen_says_what_it_made(self):
        key = self.run_("keygen", "alice.key").strip()
        with open(os.path.join(self.folder, "alice.key"), encoding="utf-8") as file:
            self.assertIn(key, file.read())
        self.assertIn("this is the public key, also in alice.key", self.complaint)
        self.assertIn("alice.key_secret stays here", self.complaint)

    def test_listen_finds_its_own_address(self):
        self.run_("listen", "--scene=own", "--device=d", "--for=0.1",
                  f"--url=http://127.0.0.1:{self.server.http_port}")
        self.assertRegex(self.complaint, r"device=d scene=own host=127\.0\.0\.1 port=\d+ udp=\w+\n")
        self.run_("listen", "--scene=own", f"--url=http://{'a' * 300}:8080", code=USAGE)
        self.assertIn("the name of the host is too long", self.complaint)

    replays = 0

    def replayed(self, text, *arguments):
        """The transform of the only object that a recording becomes."""
        path = os.path.join(self.folder, "recorded.txt")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        self.replays += 1
        scene = f"{self._testMethodName}-{self.replays}"
        self.run_("replay", path, f"--scene={scene}", "--via=http", "--speed=0", *arguments)
        [record] = self.client.objects(scene)
        self.assertIn(record["name"], ("recorded", "7"))
        return record["transform"]

    def test_replay_turns_poses_into_the_axes_of_scenes(self):
        identity = [1, 0, 0, 1, 0, 1, 0, 3, 0, 0, 1, -2, 0, 0, 0, 1]  # at 1 2 3 where z is up
        self.assertEqual(self.replayed("0 1 2 3 0 0 0 1\n"), identity)
        self.assertEqual(self.replayed("0,1,2,3,1,0,0,0\n", "--format=euroc"), identity)
        self.assertEqual(self.replayed("0 7 1 3 2 0 0 0\n", "--format=eth"), identity)
        self.assertEqual(self.replayed("1 0 0 1 0 1 0 2 0 0 1 3\n"),  # y is down, z is forward
                         [1, 0, 0, 1, 0, 1, 0, -2, 0, 0, 1, -3, 0, 0, 0, 1])
        self.assertEqual(self.replayed("0 1 2 3 0 0 0 1\n", "--convention=gltf"),
                         [1, 0, 0, 1, 0, 1, 0, 2, 0, 0, 1, 3, 0, 0, 0, 1])

    def test_replay_keeps_rotations(self):
        """Half a turn about the axis that is up; exact in every step."""
        self.assertEqual(self.replayed("0 0 0 0 0 0 1 0\n"),
                         [-1, 0, 0, 0, 0, 1, 0, 0, 0, 0, -1, 0, 0, 0, 0, 1])

    def test_replay_refuses_axes_that_nobody_knows(self):
        with open(os.path.join(self.folder, "one"), "w", encoding="utf-8") as file:
            file.write("0 1 2 3 0 0 0 1\n")
        self.run_("replay", "one", "--scene=none", "--convention=maya", code=USAGE)
        self.assertIn("convention must be one of gltf,", self.complaint)
        self.run_("replay", "one", "--scene=none", "--convention=cv", "--up=y", code=USAGE)


@needs_files
class Examples(CliCase, unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        backups = tempfile.TemporaryDirectory()
        cls.addClassCleanup(backups.cleanup)
        cls.flags = {"backup_dir": backups.name}
        super().setUpClass()

    def make_files(self):
        """What the examples name."""
        model = b'{"asset":{"version":"2.0"}} '
        with open(os.path.join(self.folder, "cube.glb"), "wb") as file:
            file.write(struct.pack("<4sIIII", b"glTF", 2, 20 + len(model), len(model), 0x4E4F534A) + model)
        with open(os.path.join(self.folder, "alice.txt"), "w", encoding="utf-8") as file:
            file.write("a password\n")

    def test_examples_of_every_noun_go_well_in_the_order_of_the_help(self):
        self.make_files()
        nouns = re.findall(r"(?m)^  (\S+)", self.run_("--help").split("\nNouns:\n")[1].split("\n\n")[0])
        self.assertEqual(nouns[0], "scene")
        for noun in nouns:
            examples = re.findall(r"(?m)^  diorama (.*)$", self.run_(noun, "--help").split("\nExamples:\n")[1])
            self.assertTrue(examples, noun)
            for line in examples:
                with self.subTest(line):
                    self.assertTrue(line.startswith(f"{noun} "), line)
                    self.run_(*shlex.split(line))


class Shells(unittest.TestCase):
    def completed(self, *words):
        """What bash offers for the last of these words."""
        line = " ".join(f"'{word}'" for word in words)
        done = run("bash", "-c", COMPLETE % (PROGRAM, line))
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout.split()

    def test_bash_completes_commands_nouns_and_verbs(self):
        self.assertEqual(self.completed("diorama", "wat"), ["watch"])
        self.assertEqual(self.completed("diorama", "se"), ["session", "server", "search"])
        self.assertEqual(self.completed("diorama", "scene", "cr"), ["create"])

    def test_bash_completes_options_and_their_choices(self):
        self.assertEqual(self.completed("diorama", "scene", "get", "plaza", "--js"), ["--json"])
        self.assertEqual(self.completed("diorama", "replay", "--via", "=", "ht"), ["http"])
        self.assertEqual(self.completed("diorama", "replay", "--via", "="), ["udp", "http"])

    def test_bash_passes_over_options_before_the_command(self):
        self.assertEqual(self.completed("diorama", "--url", "=", "http", "scene", "cr"), ["create"])
        self.assertEqual(self.completed("diorama", "--profile", "x", "scene", "cr"), ["create"])

    def test_shells_read_their_scripts(self):
        for shell in ("bash", "zsh", "fish"):
            if not shutil.which(shell):
                continue
            with tempfile.NamedTemporaryFile("w", suffix=shell) as script:
                script.write(run(PROGRAM, "completion", shell).stdout)
                script.flush()
                done = run(shell, "-n", script.name)
                self.assertEqual((done.returncode, done.stderr), (0, ""), shell)

    @unittest.skipUnless(shutil.which("groff"), "groff is not there")
    def test_manual_pages_have_no_mistakes(self):
        with tempfile.TemporaryDirectory() as folder:
            self.assertEqual(run(PROGRAM, "man", folder).returncode, DONE)
            pages = sorted(os.path.join(folder, name) for name in os.listdir(folder))
            done = run("groff", "-k", "-ww", "-man", "-Tutf8", *pages)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        text = re.sub(".\b|\033\\[[0-9;]*m", "", done.stdout)
        self.assertIn("diorama watch [OPTION]...", text)
        self.assertIn("diorama scene get SCENE [OPTION]...", text)
        self.assertIn("diorama scene find q=pla\n", text)


if __name__ == "__main__":
    unittest.main()
