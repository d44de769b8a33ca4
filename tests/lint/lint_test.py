#!/usr/bin/python3
"""Each lint finds what it is for: small trees that break one rule each, and one that breaks none."""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

LINTS = Path(__file__).resolve().parents[2] / "tools/lint"
sys.path.insert(0, str(LINTS))
sys.dont_write_bytecode = True
import house

# A tree that keeps every rule.
HOUSE = {
    "proto/base/text.h": "// text.h - bytes that may hold anything.\n",
    "store/store.h": '// store.h - what is kept.\n#include "proto/base/text.h"\n',
    "actors/scene/scene_actor.h": "// scene_actor.h - the door.\n",
    "actors/scene/scene_cache.h": "// scene_cache.h - behind the door.\n",
    "actors/scene/scene_cache.c": '// scene_cache.c - what is kept in memory.\n'
    '#include "actors/scene/scene_cache.h"\n\n#include <stdio.h>\n\n#include "store/store.h"\n'
    "int family = FAMILY_SCENE;\n",
    "actors/supervisor.c": '// supervisor.c - starts.\n#include "actors/scene/scene_actor.h"\n',
}


def run(lint, files, *arguments):
    """What a lint says of a tree of these files: its status and its words."""
    with tempfile.TemporaryDirectory() as root:
        for path, text in files.items():
            file = Path(root, path)
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)
        done = subprocess.run(
            [LINTS / lint, root, *arguments], capture_output=True, text=True, check=False
        )
    return done.returncode, done.stderr


class LintTest(unittest.TestCase):
    def assert_found(self, lint, path, text, words):
        """A file more makes the lint fail, and say these words of it."""
        status, said = run(lint, {**HOUSE, path: text})
        self.assertEqual(status, 1, said)
        self.assertIn(f"{path}:", said)
        self.assertIn(words, said)

    def test_a_tree_that_keeps_the_rules_passes(self):
        for lint in ("includes", "families", "first_lines", "citations", "texts", "mirror"):
            self.assertEqual(run(lint, HOUSE), (0, ""), lint)

    def test_a_version_that_is_behind_is_found(self):
        files = {"CMakeLists.txt": "project(diorama VERSION 1.2.3 LANGUAGES C)\n",
                 "CHANGELOG.md": "## Unreleased\n\n## 1.2.3 - 2026-11-28\n",
                 "tools/sdk/c/CMakeLists.txt": "project(Diorama VERSION 1.2.3 LANGUAGES C)\n",
                 "tools/sdk/python/pyproject.toml": 'version = "1.2.3"\n',
                 "tools/sdk/typescript/package.json": '{\n  "version": "1.2.3"\n}\n',
                 "tools/sdk/typescript/package-lock.json": '{\n  "version": "1.2.3"\n}\n'}
        self.assertEqual((0, ""), run("versions", files))
        for path in files.keys() - {"CMakeLists.txt"}:
            old = {**files, path: files[path].replace("1.2.3", "1.2.2")}
            self.assertEqual((1, f"{path}: says 1.2.2, not 1.2.3\n"), run("versions", old))
        status, said = run("versions", {**files, "CHANGELOG.md": "## Unreleased\n"})
        self.assertEqual((1, "CHANGELOG.md: says no version, not 1.2.3\n"), (status, said))

    def test_a_lower_layer_may_not_include_a_higher(self):
        text = '#include "store/store.h"\n'
        self.assert_found("includes", "proto/base/text.c", text, "proto/base may include only itself")

    def test_two_actors_may_not_include_each_other(self):
        text = '#include "actors/scene/scene_actor.h"\n'
        self.assert_found("includes", "actors/user/logins.c", text, "actors/user may include only")

    def test_only_the_door_of_a_room_is_included_from_elsewhere(self):
        text = '#include "actors/scene/scene_cache.h"\n'
        self.assert_found("includes", "actors/start.c", text, "the doors of actors/scene are")

    def test_a_room_inside_a_room_sees_its_headers(self):
        files = {"actors/scene/device/axes.c": '#include "actors/scene/scene_cache.h"\n'}
        self.assertEqual(run("includes", {**HOUSE, **files}), (0, ""))

    def test_a_folder_without_a_rule_is_found(self):
        self.assert_found("includes", "actors/new/a.c", "// a.c - new.\n", "has no row in")

    def test_a_header_that_is_not_there_is_found(self):
        self.assert_found("includes", "store/a.c", '#include "store/b.h"\n', "no such file")

    def test_the_own_header_comes_first(self):
        text = '#include <stdio.h>\n#include "proto/base/text.h"\n'
        self.assert_found("includes", "proto/base/text.c", text, "own header comes first")

    def test_a_library_belongs_to_its_file(self):
        self.assert_found("includes", "store/a.c", "#include <zstd.h>\n", "gateway/http/compressor")

    def test_a_family_belongs_to_its_actor(self):
        text = "int family = FAMILY_SCENE;\n"
        self.assert_found("families", "actors/user/a.c", text, "belongs to actors/scene alone")

    def test_the_first_line_names_the_file(self):
        self.assert_found("first_lines", "store/a.c", "// b.c - another.\n", 'begins "// a.c - "')

    def test_bytes_of_a_text_are_used_with_its_size(self):
        text = "int f(const struct text *a) { return strcmp(text_bytes(a), word); }\n"
        self.assert_found("texts", "store/a.c", text, "without text_size")

    def test_a_citation_of_a_document_that_is_not_here_is_found(self):
        text = f"// a.c - who holds what (decisions {5}).\n"
        self.assert_found("citations", "store/a.c", text, "cites a document")

    def test_a_test_without_its_unit_is_found(self):
        text = "// user_test.c - tests nothing.\n"
        self.assert_found("mirror", "tests/store/user_test.c", text, "no unit of this name")

    def test_logic_without_a_test_is_found_unless_excepted(self):
        logic = "// a.c - logic.\n" + "int f(void)\n{\n}\n" * 4
        self.assert_found("mirror", "store/a.c", logic, "no test of its own")
        tested = {**HOUSE, "store/a.c": logic, "tests/store/a_order_test.c": "// a test.\n"}
        self.assertEqual(run("mirror", tested), (0, ""))
        files = {**HOUSE, "store/a.c": logic, "tests/system/a_test.py": ""}
        excepted = {"tools/lint/untested": "store/a.c tests/system/a_test.py: asks for it\n"}
        self.assertEqual(run("mirror", {**files, **excepted}), (0, ""))

    def test_an_exception_that_is_not_needed_or_not_true_is_found(self):
        path, logic = "tools/lint/untested", "int f(void)\n{\n}\n" * 4
        self.assert_found("mirror", path, "store/a.c tests/a.py: by asking\n", "needs no exception")
        self.assert_found("mirror", path, "store/a.c\n", "a line is a unit, a test, a colon")
        status, said = run(
            "mirror", {"store/a.c": logic, path: "# Units.\n\nstore/a.c tests/a.py: by asking\n"}
        )
        self.assertEqual((status, said), (1, f"{path}:3: tests/a.py is not there\n"))

    def test_headers_in_a_circle_are_found(self):
        files = {"store/a.h": '#include "store/b.h"\n', "store/b.h": '#include "store/a.h"\n'}
        said = self.circles({**files, "store/a.c": "int a;\n"})
        self.assertIn("2 files stand in a circle: store/a.h store/b.h", said)
        self.assertIn("store/a.h -> store/b.h: #include", said)

    def test_units_that_call_each_other_are_found_with_what_they_call(self):
        said = self.circles({
            "store/a.c": "int b(void); int a(void) { return b(); }",
            "store/b.c": "int c(void); int b(void) { return c(); }",
            "store/c.c": "int a(void); int (*const table[])(void) = {a}; int c(void) { return 1; }",
        })
        self.assertIn("3 files stand in a circle: store/a.c store/b.c store/c.c", said)
        for arrow in ("a.c -> store/b.c: b", "b.c -> store/c.c: c", "c.c -> store/a.c: a"):
            self.assertIn(f"store/{arrow}\n", said)

    def test_a_call_into_a_higher_layer_is_found(self):
        files = {"proto/base/a.c": "int b(void); int a(void) { return b(); }", "store/b.c": "int b(void) { return 1; }"}
        self.assertIn("proto/base/a.c: b of store/b.c: proto/base may", self.circles(files))

    def test_a_name_that_two_programs_define_makes_no_circle(self):
        said = self.circles({
            "proto/base/a.c": "int b(void); int a(void) { return b(); }",
            "proto/base/b.c": "int b(void) { return 1; }",
            "tools/cli/b.c": "int a(void); int b(void) { return a(); }",
        })
        self.assertEqual(said, "")

    def test_nothing_built_is_no_success(self):
        self.assertIn("nothing is built", self.circles({}))

    def circles(self, files):
        """What `circles` says of a tree that was compiled as CMake does."""
        with tempfile.TemporaryDirectory() as folder:
            root, build = Path(folder, "root"), Path(folder, "build")
            for path, text in files.items():
                room, unit = house.room_of(path), Path(root, path)
                unit.parent.mkdir(parents=True, exist_ok=True)
                unit.write_text(text)
                object_file = build / room / f"CMakeFiles/library.dir/{unit.name}.o"
                object_file.parent.mkdir(parents=True, exist_ok=True)
                if path.endswith(".c"):
                    subprocess.run(["cc", "-c", "-o", object_file, unit], check=True)
            done = subprocess.run(
                [LINTS / "circles", build, root], capture_output=True, text=True, check=False
            )
        self.assertEqual(done.returncode, 1 if done.stderr else 0)
        return done.stderr


if __name__ == "__main__":
    sys.exit(unittest.main())
