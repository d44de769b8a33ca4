"""The TypeScript SDK (tools/sdk/typescript): compiled strictly, golden packets, its first lines, gaps, restarts, errors,
leases; its types are those of /openapi.json; it is a package."""

import json
import random
import re
import subprocess
import sys
import tarfile
import tempfile
import unittest
from pathlib import Path

from sdk_case import Follower, SdkCase
from sdk_golden import FOLDER, gaps, lines
from support import BIN, is_sanitized

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
SDK = ROOT / "tools/sdk/typescript"
PLACE = Path(BIN).resolve().parent / "sdk-typescript"
STREAMS, UDP = ("sse", "delta"), ("packed", "plain")


def script(*words):
    return ["node", HERE / "sdk_typescript.mjs", PLACE / "dist", *words]


def run(*command, cwd=HERE, timeout=60):
    done = subprocess.run([str(word) for word in command], cwd=cwd, capture_output=True, text=True, check=False,
                          timeout=timeout)
    assert done.returncode == 0, f"{command}: {done.stdout[-4000:]}{done.stderr[-4000:]}"
    return done.stdout


class Package(unittest.TestCase):
    def test_golden_packets_say_what_they_say(self):
        wanted = sum(len(list(lines(form))) for form in ("packed", "plain", "controls", "updates", "pub", "sse", "delta"))
        self.assertEqual(int(run(*script("golden", FOLDER))), wanted)

    def test_it_does_about_gaps_what_the_document_says(self):
        wishes = [words for _, words, _ in gaps() if words[0] == "wish"]
        self.assertEqual(len(wishes), int(run(*script("gaps", FOLDER))))

    def test_comments_stand_among_events_however_a_stream_is_cut(self):
        run(*script("comments"))

    def test_a_tick_of_the_delta_form_is_told_by_things(self):
        run(*script("delta"))

    def test_a_stream_is_followed_however_often_it_breaks_off(self):
        run(*script("streams"))

    def test_a_request_is_sent_once_as_it_is_and_says_why_it_failed(self):
        run(*script("requests"))

    def test_an_operation_needs_its_name_and_all_parts_of_its_path(self):
        run(*script("calls"))

    def test_an_answer_is_json_only_where_it_says_so(self):
        run(*script("answers"))

    def test_it_says_what_is_wrong_with_an_address(self):
        run(*script("addresses"))

    def test_what_is_saved_shows_and_the_newest_state_wins(self):
        run(*script("order"))

    def test_an_answer_without_a_number_shows_until_the_server_says_what_is(self):
        run(*script("unnumbered"))

    def test_what_is_created_is_there_unless_it_has_gone_by_then(self):
        run(*script("creations"))

    def test_npm_packs_it(self):
        name = json.loads(run("npm", "pack", "--json", "--ignore-scripts", cwd=PLACE))[0]["filename"]
        with tarfile.open(PLACE / name) as package:
            names = package.getnames()
        (PLACE / name).unlink()
        for wanted in ("package.json", "README.md", "dist/index.js", "dist/index.d.ts", "dist/udp.js"):
            self.assertIn(f"package/{wanted}", names)


class Sdk(SdkCase, unittest.TestCase):
    def follow(self, form, loss=0):
        return Follower(self, form, *script("follow", self.url, self.scene, form, loss))

    def test_its_types_are_current(self):
        made = run("node", SDK / "generate.mjs", f"{self.url}/openapi.json")
        self.assertEqual(made, (SDK / "src/generated.ts").read_text(encoding="utf-8"),
                         "node generate.mjs URL/openapi.json > src/generated.ts")

    def test_the_lines_of_its_readme_errors_and_leases(self):
        run(*script("use", self.url, self.scene))

    def test_files_go_there_and_come_back(self):
        run(*script("files", self.url))

    def test_what_shows_after_a_write_is_what_the_server_has(self):
        for form in (*STREAMS, *UDP):
            with self.subTest(form=form):
                run(*script("writes", self.url, self.scene, form))

    def test_what_was_deleted_shows_what_it_showed_last(self):
        for form in (*STREAMS, *UDP):
            with self.subTest(form=form):
                run(*script("deletes", self.url, self.scene, form))

    def test_warnings_of_the_server_are_told(self):
        run(*script("warnings", self.url, self.scene))

    def test_changes_alone_tell_what_get_shows_with_a_tenth_lost(self):
        chance, keys = random.Random(21), []
        followers = [self.follow(form, 0.1 if form in UDP else 0) for form in (*STREAMS, *UDP)]
        for follower in followers:
            follower.await_joined()
        for _ in range(150):
            self.change_something(chance, keys)
        self.assertGreater(sum(follower.assert_knows_all()["gaps"] for follower in followers), 0)

    def test_a_kill_of_the_server_loses_no_change(self):
        chance, keys = random.Random(22), []
        self.start_server()
        followers = [self.follow(form) for form in (*STREAMS, *UDP)]
        for follower in followers:
            follower.await_joined()
        for _ in range(20):
            self.change_something(chance, keys)
        self.crash()
        for _ in range(20):
            self.change_something(chance, keys)
        for follower in followers:
            follower.assert_knows_all()


class Book(SdkCase, unittest.TestCase):
    """The chapter of the book, block by block, as a newcomer would."""

    def test_the_chapter_works_as_it_stands(self):
        text = (ROOT / "tools/docs/typescript.md").read_text(encoding="utf-8").replace("http://127.0.0.1:8080", self.url)
        blocks = re.findall(r"```sh\n(.*?)```", text, re.DOTALL)
        with tempfile.TemporaryDirectory() as folder:
            place = Path(folder)
            (place / "tools").symlink_to(ROOT / "tools")
            (place / "build").mkdir()
            (place / "build/client").symlink_to(PLACE)
            # It ends where something hangs: npm and the compiler take as long as the machine and the network let them.
            shown = run("bash", "-c", "set -e\n" + "\n".join(blocks), cwd=place, timeout=240)
        self.assertIn("hook updated: 5 6 0\nthe crane has put it down\nnow it is closed\n", shown)
        self.assertIn("/objects/0/name must have at most 4096 bytes\nhook\n", shown)


if __name__ == "__main__":
    if is_sanitized():
        sys.exit(77)  # what it asks of a server, the other tests ask too
    built = subprocess.run([SDK / "build", PLACE], check=False)
    if built.returncode:
        sys.exit(built.returncode)
    unittest.main()
