"""CONTRIBUTING.md holds: "Add a field" and "Add a route", done on a copy of the tree, which is built
and asked. Says how many files each touched, and fails where that are more than promised.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import support
from support import Client, Server

ROOT = Path(__file__).resolve().parents[2]
COPIED = ("proto", "store", "actors", "gateway", "tools", "CMakeLists.txt", "CMakePresets.json")
FILES_AT_MOST = {"a field": 2, "a route": 4}

# What stands in a file already, and the line that is added after it.
FIELD = [
    ("proto/records/project.h", "    PROJECT_COLLECTIONS = 9,", "    PROJECT_LANGUAGES = 10,"),
    ("proto/records/project.h", "    const struct texts *collections; // ids",
     "    const struct texts *languages;"),
    ("proto/records/project.c", "    FIELD(PROJECT_COLLECTIONS,",
     "    FIELD(PROJECT_LANGUAGES, struct project, languages, \"languages\","
     " \"Languages that it is told in.\", .limit = LIMIT_TAGS),"),
]
ROUTE = [
    ("proto/message/operations.h", "    X(PROJECT_ADD_TAG,",
     "    X(PROJECT_ADD_LANGUAGE, ASSET_ACTOR, SINGLE, NULL, &project_view_full, 0, ACCESS_CHANGE,"
     " BY_MINUTE(\"project\", PROJECT),"
     " \"Add a language to a project.\") \\"),
    ("actors/asset/asset_actor.c", "static const struct resource_list project_tags",
     "static const struct resource_list project_languages ="
     " {&project_resource, PROJECT_LANGUAGES, PARAMS_TAG};"),
    ("actors/asset/asset_actor.c", "        [PROJECT_ADD_TAG]",
     "        [PROJECT_ADD_LANGUAGE] = {resource_add, &project_languages},"),
    ("gateway/routes.c", "    ROUTE(DELETE, PROJECT \"/tags/{tag}\",",
     "    ROUTE(PUT, PROJECT \"/languages/{tag}\", PROJECT_ADD_LANGUAGE, NONE, RECORD),"),
]


def add_line(root, path, after, line):
    """Adds a line after the one that begins like this, of which there must be one."""
    lines = (root / path).read_text().splitlines()
    places = [i for i, old in enumerate(lines) if old.startswith(after)]
    assert len(places) == 1, f"{path}: {len(places)} lines begin with {after!r}"
    lines.insert(places[0] + 1, line)
    (root / path).write_text("\n".join(lines) + "\n")


def build(root):
    environment = {**os.environ, "CCACHE_BASEDIR": str(root), "CCACHE_NOHASHDIR": "1"}
    for command in (["--preset", "release", "-DBUILD_TESTING=OFF", "-DCONSOLE=OFF",
                     "--log-level=WARNING"],
                    ["--build", "--preset", "release", "--target", "dioramad", "--", "-j2"]):
        done = subprocess.run(["cmake", *command], cwd=root, env=environment, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        assert done.returncode == 0, done.stdout[-6000:]
    return root / "build/release/bin"


class Contributing(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.root = Path(tempfile.mkdtemp(prefix="diorama-contributing-"))
        cls.addClassCleanup(shutil.rmtree, cls.root, ignore_errors=True)
        for name in COPIED:
            copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copy
            copy(ROOT / name, cls.root / name)
        for change in FIELD + ROUTE:
            add_line(cls.root, *change)
        support.BIN = str(build(cls.root))
        cls.server = Server().start()
        cls.addClassCleanup(cls.server.end)

    def test_no_more_files_are_touched_than_promised(self):
        for what, changes in (("a field", FIELD), ("a route", ROUTE)):
            files = sorted({path for path, _, _ in changes})
            print(f"{what} touches {len(files)} files: {', '.join(files)}", file=sys.stderr)
            self.assertLessEqual(len(files), FILES_AT_MOST[what])

    def test_field_and_route_are_described(self):
        with Client(self.server) as client:
            document = client.get("/openapi.json").body
        self.assertIn("put", document["paths"]["/v1/project/{project}/languages/{tag}"])
        fields = document["components"]["schemas"]["Project"]["properties"]
        self.assertEqual(fields["languages"]["description"], "Languages that it is told in.")

    def test_what_the_route_adds_is_stored_and_answered(self):
        with Client(self.server) as client:
            made = client.post("/v1/project", {"name": "p", "languages": ["en"]}).body
            self.assertEqual(made["languages"], ["en"])
            path = f"/v1/project/{made['id']}"
            added = client.put(f"{path}/languages/fr").body
            self.assertEqual(added["languages"], ["en", "fr"])
            self.server.restart()
        with Client(self.server) as client:
            self.assertEqual(client.get(path).body["languages"], ["en", "fr"])


if __name__ == "__main__":
    unittest.main()
