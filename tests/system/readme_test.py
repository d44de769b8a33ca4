#!/usr/bin/python3
"""The README and the chapters of tools/docs, run as a newcomer would: every sh block, in order, in one
shell.

`tools/run` stands for the server started here; `tools/test` is what runs this test; the demo gets its
Ctrl-C. A block after a
comment `<!-- not here: why -->` belongs to another test.
"""

import os
import pathlib
import re
import subprocess
import tempfile
import unittest

from support import BIN, Server

ROOT = pathlib.Path(__file__).resolve().parents[2]
README = ROOT / "README.md"
CHAPTERS = [ROOT / "tools" / "docs" / f"{name}.md" for name in (
    "phone", "python", "typescript", "three", "unity", "ros2", "docker", "objects", "maps", "foxglove", "feeds", "opentrackio", "alignment", "routes", "files", "accounts", "database", "backup", "operations",
    "promises", "figures")]
WORDS_MOST = 1500  # of the README
DEMO = "build/release/bin/diorama demo"
LINK = re.compile(r"\]\((?![a-z]+:|#)([^)#]+)")
BLOCK = re.compile(r"(?:<!-- (not here: [^>]*) -->\n)?```sh\n(.*?)```", re.DOTALL)


class NewcomersServer(Server):
    """What tools/run starts once it has built: no settings, data in ./data."""

    def launch(self, **flags):
        self.http_port, self.udp_port, self.pub_port = 8080, 8762, 8763
        with open(self.log_path(), "ab") as log:
            self.process = subprocess.Popen([pathlib.Path(BIN).resolve() / "dioramad"],
                                            cwd=self.folder, stdin=subprocess.DEVNULL,
                                            stdout=log, stderr=log)


def with_an_end(code):
    """The demo gets its Ctrl-C once it says that it may: many commits come before that."""
    if code != DEMO:
        return code
    return (f"{code} > demo.txt & DEMO=$!\n"
            "while kill -0 $DEMO && ! grep -qs Ctrl-C demo.txt; do sleep 0.1; done\n"
            "kill -INT $DEMO; wait $DEMO; cat demo.txt")


def blocks():
    """The sh blocks that are run here."""
    text = "\n".join(page.read_text(encoding="utf-8") for page in (README, *CHAPTERS))
    found = [code.strip() for note, code in BLOCK.findall(text) if not note]
    return [code for code in found if code not in ("tools/run", "tools/test")]


class Readme(unittest.TestCase):
    """One run of all blocks, then what each must have shown."""

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        place = pathlib.Path(cls.folder.name)
        (place / "build" / "release").mkdir(parents=True)
        (place / "build" / "release" / "bin").symlink_to(pathlib.Path(BIN).resolve())
        for name in ("tests", "tools", "README.md", "LICENSE"):
            (place / name).symlink_to(ROOT / name)
        cls.server = NewcomersServer().start()
        script = "set -e\n" + "".join(
            f"echo; echo '### block {number}'\n{with_an_end(code)}\n" for number, code in enumerate(blocks()))
        cls.run_ = subprocess.run(["bash", "-c", script], cwd=place, capture_output=True, text=True,
                                  env={**os.environ, "XDG_CONFIG_HOME": str(place)}, timeout=400,
                                  check=False)
        cls.outputs = re.split(r"^### block \d+\n", cls.run_.stdout, flags=re.MULTILINE)[1:]

    @classmethod
    def tearDownClass(cls):
        cls.server.stop()
        cls.server.end()
        cls.folder.cleanup()

    def output_of(self, words):
        """What the only block that contains `words` printed."""
        places = [i for i, code in enumerate(blocks()) if words in code]
        self.assertEqual(1, len(places), f"one block with {words!r}")
        return self.outputs[places[0]]

    def test_every_block_succeeds(self):
        self.assertEqual(0, self.run_.returncode, self.run_.stdout + self.run_.stderr)
        self.assertEqual(len(blocks()), len(self.outputs))

    def test_the_two_commands_stand_in_it(self):
        text = README.read_text(encoding="utf-8")
        for command in ("tools/run", "tools/test"):
            self.assertIn(f"```sh\n{command}\n```", text)
            self.assertTrue((ROOT / command).is_file())

    def test_the_demo_says_where_to_look(self):
        self.assertIn("http://127.0.0.1:8080/console/scene/demo\n", self.output_of(DEMO))

    def test_a_device_is_told_where_it_stands(self):
        shown = self.output_of("alignment?from=lobby&to=hall")
        self.assertIn('"translation":[6.0,0.0,10.0]', shown)
        self.assertEqual(re.findall(r'"status":"(\w+)"', shown),
                         ["unverified", "corrected", "none", "unverified"])

    def test_the_curls_answer_as_they_say(self):
        self.assertIn('"scenes":[{"key":"plaza"}]', self.output_of("-X PUT"))
        moved = self.output_of("[4,5,6]")
        for place in ("4.0,", "5.0,", "6.0,"):
            self.assertIn(place, moved)
        self.assertIn('"name":"cube"', self.output_of("object/query"))
        self.assertIn('"key":"plaza"', self.output_of("scene/query"))
        self.assertIn('"pointer":"/objects/0/translation"', self.output_of('"translation":[1,2]'))

    def test_the_client_shows_what_it_made(self):
        self.assertRegex(self.output_of("diorama object find mill"),
                         r"\ntransform +1\.0, 0\.0, 0\.0, 4\.0[^\n]*\n(.*\n)+[0-9a-f]{24}  cube  Mesh ")

    def test_a_matrix_of_three_js_goes_as_it_is(self):
        self.assertIn('"transform":[1.0,0.0,0.0,0.0,0.0,1.0,0.0,0.0,0.0,0.0,1.0,0.0,4.0,5.0,6.0,1.0]',
                      self.output_of("layout=column"))

    def test_a_transform_is_shown_in_parts(self):
        self.assertIn('"translation":[4.0,5.0,-6.0]', self.output_of("form=trs"))

    def test_a_geopose_is_where_the_object_is(self):
        shown = self.output_of("form=geopose")
        # 4 m to the right, 5 m up and 6 m back of a scene that looks to 30 degrees east of north.
        self.assertRegex(shown, r'"geopose":\{"position":\{"lat":50\.91993\d+,"lon":6\.360006\d+,'
                                r'"h":117\.50000\d+\},"quaternion":\{"x":')

    def test_a_scene_and_its_cube_are_on_the_map(self):
        scene = self.output_of("scenes/items/plaza")
        self.assertIn('"geometry":{"type":"Point","coordinates":[6.36,50.92,112.5]}', scene)
        # As its GeoPose above.
        self.assertRegex(self.output_of("objects.plaza/items"),
                         r'"coordinates":\[6\.360006\d+,50\.91993\d+,117\.50000\d+\]')

    def test_a_scene_is_a_tileset(self):
        shown = self.output_of("frame=local")
        self.assertEqual(2, shown.count('{"asset":{"version":"1.1","extras":{"objects":'))
        self.assertEqual(1, shown.count('"root":{"transform":['))

    def test_servers_hear_and_read_scenes(self):
        self.assertRegex(self.output_of("watch.py"), r"scene\.plaza\.object\.0 \d+ [0-9a-f]{24} \[")
        self.assertIn('{"topic":"snapshot","scene":"plaza"', self.output_of("--for 3 > plaza.jsonl"))
        self.assertIn('{"topic":"snapshot","scene":"mill","epoch":0', self.output_of("keygen"))

    def test_what_names_an_asset_is_told(self):
        self.assertRegex(self.output_of('$NEW/uses'),
                         r'\{"total":1,"uses":\[\{"kind":"object","key":"[0-9a-f]{24}","name":"poster","scene":"plaza"\}\]\}')

    def test_a_device_hears_the_crowd(self):
        self.assertRegex(self.output_of("--device phone"), r"replay: objects=20 rows=\d{3,}")
        self.assertIn('"scene":"plaza"', self.output_of("--device phone"))

    def test_the_crowd_is_seen_moving(self):
        self.assertRegex(self.output_of("headset-$n"), r"replay: objects=20 rows=\d{3,}")
        self.assertIn('"scene":"plaza"', self.output_of("cmp headset-1"))

    def test_a_stream_shows_the_state_and_the_change(self):
        self.assertIn("event: snapshot\nevent: change\n", self.output_of("timeout 3 curl"))

    def test_a_twin_in_python_keeps_a_scene(self):
        self.assertRegex(self.output_of("property list mill-7"), r"[0-9a-f]{24}  rotor(.*\n)+.*rpm")
        self.assertIn("the mill stands\n", self.output_of("cat stops.txt"))

    def test_stage_software_is_sent_a_pose(self):
        shown = self.output_of("opentrackio.py listen").rstrip().rpartition("\n")[2]
        self.assertIn('{"translation": {"x": 1.0, "y": 2.0, "z": 3.0}, "rotation": {', shown)

    def test_the_packed_feed_is_read_in_python(self):
        self.assertRegex(self.output_of("listen_packed.py"),
                         r'\n\{"msg_type": [01], "key": "[0-9a-f]{24}", .*"transform": \[1\.0, ')


class Pictures(unittest.TestCase):
    def test_the_picture_of_alignment_is_current(self):
        drawn = subprocess.run([ROOT / "tools/pictures/alignment"], capture_output=True, check=True, text=True,
                               timeout=60).stdout
        self.assertEqual((ROOT / "tools/pictures/alignment.svg").read_text(encoding="utf-8"), drawn,
                         "tools/pictures/alignment > tools/pictures/alignment.svg")
        alignment = (ROOT / "tools/docs/alignment.md").read_text(encoding="utf-8")
        self.assertIn("](../pictures/alignment.svg)", alignment)


class Pages(unittest.TestCase):
    def test_the_book_is_made_of_them_and_leads_nowhere_else(self):
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([ROOT / "tools/docs/build", folder], check=True, timeout=60,
                           stdout=subprocess.DEVNULL)
            book = pathlib.Path(folder)
            first = (book / "index.html").read_text(encoding="utf-8")
            for chapter in CHAPTERS:
                self.assertIn(f'<a href="{chapter.relative_to(ROOT).with_suffix(".html")}">', first)
            for page in book.rglob("*.html"):
                for target in re.findall(r'(?:href|src)="(?![a-z]+:|#)([^"#]+)', page.read_text(encoding="utf-8")):
                    with self.subTest(page=page, target=target):
                        self.assertTrue((page.parent / target).exists())

    def test_the_readme_is_short(self):
        self.assertLessEqual(len(README.read_text(encoding="utf-8").split()), WORDS_MOST)

    def test_the_readme_leads_to_every_chapter_and_there_are_no_others(self):
        text = README.read_text(encoding="utf-8")
        self.assertEqual(sorted(CHAPTERS), sorted((ROOT / "tools/docs").glob("*.md")))
        for chapter in CHAPTERS:
            self.assertIn(f"]({chapter.relative_to(ROOT)})", text)

    def test_links_lead_to_what_is_there(self):
        for page in (README, *CHAPTERS):
            for target in LINK.findall(page.read_text(encoding="utf-8")):
                with self.subTest(page=page.name, target=target):
                    self.assertTrue((page.parent / target).exists())


if __name__ == "__main__":
    unittest.main()
