"""/openapi.json is valid OpenAPI 3.1 in the eyes of `redocly lint`, /ogc/api valid OpenAPI 3.0, and /docs stands on its
own.

The table of routes in tools/docs/routes.md is that of the server; `--write` writes it anew.

The linter comes from npm, its version pinned, into a cache outside of the repository. Where there is
no npm, or no way to its registry, that part is skipped, and ctest says so.
"""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from support import Client, Server, unique_members

SKIPPED = 77  # as ctest knows it
LINTER = "@redocly/cli"
VERSION = "2.77.0"
NODE_MAJOR = 20  # what that version needs
CACHE = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache")
# Our paths tell literals from keys, which the interface's reserved words make unambiguous.
RULES = {"extends": ["recommended"], "rules": {"no-ambiguous-paths": "off"}}


CHAPTER = pathlib.Path(__file__).resolve().parents[2] / "tools" / "docs" / "routes.md"
MARKS = ("<!-- routes: written by tests/system/openapi_test.py --write -->\n", "<!-- end of routes -->\n")


def install_linter():
    """The path of the linter, or None and a word why not."""
    if not shutil.which("npm") or not shutil.which("node"):
        return None, "no npm is installed"
    node = subprocess.run(["node", "--version"], capture_output=True, text=True, check=True).stdout
    if int(re.match(r"v(\d+)", node).group(1)) < NODE_MAJOR:
        return None, f"node {node.strip()} is older than {NODE_MAJOR}"
    folder = CACHE / "diorama" / f"redocly-{VERSION}"
    program = folder / "node_modules" / ".bin" / "redocly"
    if program.exists():
        return program, ""
    folder.mkdir(parents=True, exist_ok=True)
    install = subprocess.run(
        ["npm", "install", "--prefix", folder, "--ignore-scripts", "--no-audit", "--no-fund",
         "--fetch-retries=1", "--fetch-timeout=20000", f"{LINTER}@{VERSION}"],
        capture_output=True, text=True, timeout=180, check=False)
    if install.returncode or not program.exists():
        return None, f"{LINTER} cannot be had: {install.stderr.strip()[-300:]}"
    return program, ""


def check_references(document):
    """Every $ref leads somewhere, and every record and failure is referred to."""
    text = json.dumps(document)
    used = set(re.findall(r'"\$ref": "#/components/(\w+/[\w-]+)"', text))
    made = {f"{kind}/{name}" for kind, items in document["components"].items() for name in items
            if kind != "securitySchemes"}
    shown = {name for name in made if name.startswith(("schemas/", "responses/"))}
    assert used <= made, f"referred to, but not there: {sorted(used - made)}"
    assert shown <= used, f"there, but never referred to: {sorted(shown - used)}"


def check_document(client, path, media_type, version):
    answer = client.get(path)
    assert answer.status == 200 and answer.headers["Content-Type"] == media_type, answer.headers
    document = json.loads(answer.text, object_pairs_hook=unique_members)
    assert document["openapi"] == version
    ids = [operation["operationId"] for path in document["paths"].values()
           for operation in path.values()]
    assert len(ids) == len(set(ids)), "an operationId stands twice"
    check_references(document)
    return answer.content


def check_page(client):
    """The page asks for nothing but its style and its script, and may run no other."""
    answer = client.get("/docs")
    assert answer.status == 200 and answer.headers["Content-Type"].startswith("text/html")
    policy = answer.headers["Content-Security-Policy"]
    assert "default-src 'none'; script-src 'self';" in policy and "unsafe" not in policy, policy
    wanted = re.findall(r'(?:src|href)="([^"#][^"]*)"', answer.text)
    assert set(wanted) == {"/docs/docs.js", "/docs/style.css", "/openapi.json"}, wanted
    style = client.get("/docs/style.css")
    assert style.status == 200 and style.headers["Content-Type"].startswith("text/css")
    assert "prefers-color-scheme:dark" in style.text and "url(" not in style.text


def chapter_table(document):
    """Every path with its methods, by noun; of paths that differ in their prefix alone the first."""
    rows = {tag["name"]: (tag["description"], {}) for tag in document["tags"]}
    for path, operations in document["paths"].items():
        if "/v1" + path in document["paths"]:
            continue
        [noun] = {operation["tags"][0] for operation in operations.values()}
        rows[noun][1][path] = " ".join(method.upper() for method in operations)
    lines = ["| About | Routes |", "|---|---|"]
    for noun, (about, paths) in rows.items():
        routes = "<br>".join(f"`{methods} {path}`" for path, methods in paths.items())
        if routes:
            lines.append(f"| **{noun}**: {about[0].lower()}{about[1:]} | {routes} |")
    return "\n".join(lines) + "\n"


def check_chapter(content, is_to_be_written):
    """The chapter has the table between its two marks."""
    table = chapter_table(json.loads(content))
    text = CHAPTER.read_text(encoding="utf-8")
    before, rest = text.split(MARKS[0], 1)
    old, after = rest.split(MARKS[1], 1)
    if is_to_be_written:
        CHAPTER.write_text(before + MARKS[0] + table + MARKS[1] + after, encoding="utf-8")
    else:
        assert old == table, "the table of routes in tools/docs/routes.md is old: run openapi_test.py --write"


def lint(program, content):
    with tempfile.TemporaryDirectory() as folder:
        place = pathlib.Path(folder)
        (place / "openapi.json").write_bytes(content)
        (place / "redocly.yaml").write_text(json.dumps(RULES))
        check = subprocess.run([program, "lint", "openapi.json", "--format=json"], cwd=place,
                               capture_output=True, text=True, timeout=120, check=False,
                               env={**os.environ, "REDOCLY_TELEMETRY": "off",
                                    "REDOCLY_SUPPRESS_UPDATE_NOTICE": "true"})
    result = json.loads(check.stdout[check.stdout.index("{"):])
    for problem in result["problems"]:
        print(problem["severity"], problem["ruleId"], problem["message"],
              problem["location"][0].get("pointer", ""))
    print(f"redocly {VERSION}: {result['totals']}")
    assert result["totals"]["errors"] == 0 and check.returncode == 0, check.stderr


def main():
    server = Server().start()
    with Client(server) as client:
        content = check_document(client, "/openapi.json", "application/json", "3.1.0")
        for_maps = check_document(client, "/ogc/api", "application/vnd.oai.openapi+json;version=3.0", "3.0.3")
        check_page(client)
    server.end()
    check_chapter(content, "--write" in sys.argv)
    program, why_not = install_linter()
    if not program:
        print(f"openapi_test: the linter is skipped: {why_not}")
        return SKIPPED
    lint(program, content)
    lint(program, for_maps)
    return 0


if __name__ == "__main__":
    sys.exit(main())
