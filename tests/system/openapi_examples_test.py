"""Each operation of /openapi.json has an example: a request that was sent to a server, and its answer. They
stand in gateway/docs/examples.txt. This test asks everything again and says which example is not what
the server answers now; `--write` writes the file anew.
"""

import json
import pathlib
import re
import sys
import unittest

import jsonschema

from contract import Call, Interface, send
from examples import EXAMPLES, WITH_ACCOUNTS, World, first
from support import Client, Server, needs_files, wait_until

FILE = pathlib.Path(__file__).resolve().parents[2] / "gateway" / "docs" / "examples.txt"
HEAD = """# An example of each operation: its name, the part, and that part as JSON. Written by
# tests/system/openapi_examples_test.py --write from what a server answered; keys and times are made up.
"""
LONGEST_ANSWER = 6000  # bytes: what is longer is a page, not an example
# What is there before something is read, so that there is something to see.
THERE = {"scenes": "scene", "features": "object", "objects": "object", "properties": "property",
         "devices": "device", "events": "object", "projects": "project", "collections": "collection",
         "assets": "asset", "relationships": "asset", "users": "user", "search": "object"}
# Names in place of those that the tests number, and in place of what is different in each run.
NAMES = [
    (r"\bscene-\d+\b", "plaza"),
    (r"\bdevice-\d+\b", "headset-1"),
    (r"\bproject-\d+\b", "Museum"),
    (r"\bcollection-\d+\b", "Lamps"),
    (r"\buser-\d+\b", "mara"),
    (r"\b20\d\d\.\d\d\.\d\d\.\d\d\.\d\d\.\d\d\b", "2026.11.24.12.00.00"),
    (r"\b20\d\d-\d\d-\d\dT\d\d(.)\d\d.\d\d\.\d+Z", r"2026-11-24T12\g<1>00\g<1>00.000Z"),
    (r"\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b", "974ec094-44a0-4478-8845-b05294301730"),
    (r"/tmp/diorama-system-\w+", "/var/lib/diorama"),
    (r'("event_destination_port": )\d+', r"\g<1>8762"),
    (r'("(?:token|publicKey)": )"[^"]+"', r'\1"…"'),
    (r'("(?:before|hash|request)": )"[0-9a-f-]+"', r'\1"…"'),
]


def validator(document, schema):
    resolver = jsonschema.RefResolver("", document)
    return jsonschema.Draft202012Validator(schema, resolver=resolver).validate


class Names:
    """Gives what is different in each run the same names: keys, times, ids of the process."""

    def __init__(self):
        self.given = {}

    def number(self, kind, found, form):
        names = self.given.setdefault(kind, {})
        return names.setdefault(found, form.format(len(names) + 1))

    def tidy(self, text):
        text = text.replace(r"\t", "\t")
        for pattern, name in NAMES:
            text = re.sub(pattern, name, text)
        text = re.sub(r"(?<![0-9a-f])[0-9a-f]{24}(?![0-9a-f])",
                      lambda found: self.number("key", found[0], "65f1a0c3e4b0{:012x}"), text)
        return re.sub(r"\b1[78]\d{14}\b",
                      lambda found: self.number("us", found[0], "17640000{:02}000000"), text)


def compact(value):
    return json.dumps(value, ensure_ascii=False, separators=(", ", ": "))


def shape(value, place=""):
    """Which members there are, and of which type. Items of a list are looked at together; how many numbers a series has
    depends on how long the server runs, so of plain items it does not matter whether there are any."""
    if isinstance(value, dict):
        return {place + "{}"}.union(*(shape(item, f"{place}/{name}") for name, item in value.items()))
    if isinstance(value, list):
        return {place + "[]"}.union(*(shape(item, place + "[]") for item in value if isinstance(item, (dict, list))))
    kind = "number" if isinstance(value, (int, float)) and not isinstance(value, bool) else type(value).__name__
    return {f"{place}: {kind}"}


def body_of(answer):
    """What is shown of a body: JSON, a line of text, the first event of a stream; else nothing."""
    kind = answer.headers.get("Content-Type", "").split(";")[0]
    if not answer.content or len(answer.content) > LONGEST_ANSWER:
        return None
    if "json" in kind:
        return answer.body
    return answer.content.decode() if kind in ("text/plain", "text/event-stream") else None


def as_declared(parameter, value):
    """A parameter that may stand several times is a list."""
    return [value] if parameter["schema"].get("type") == "array" else value


def some_audit(world):
    """A line of the audit log, which is written beside the request that it tells of."""
    assert world["user"]
    wait_until(lambda: world.ask("GET", "/v1/audit").body)


def whole_backup(world):
    world.ask("POST", "/v1/backup")
    wait_until(lambda: world.ask("GET", "/v1/backup").body[0]["state"] == "done")


# What must be there besides.
BEFORE = {"auditList": some_audit, "auditExport": some_audit, "backupList": whole_backup}


def parts_of(server, operation):
    """The example as {part: value}."""
    world = World(server)
    there = THERE.get(operation.spec["tags"][0])
    if there and (operation.method == "GET" or operation.id.endswith("Query")):
        assert world[there]
    BEFORE.get(operation.id, lambda world: None)(world)
    example = first(EXAMPLES, operation)
    made = example(world) if example else {}
    path = {name: made.get("path", {}).get(name) or world[name] for name in operation.path_parameters}
    query = {**{name: world[name] for name in operation.needed}, **made.get("query", {})}
    body = made.get("body")
    call = Call(operation.method, operation.target(path, query), body, dict(made.get("headers", {})))
    answer = send(server, call)
    assert answer.status == 200, f"{operation}: {answer}"
    shown = {"request": body if isinstance(body, dict) else None, "answer": body_of(answer)}
    parts = {"target": call.target, **{f"path.{name}": value for name, value in path.items()},
             **{f"query.{name}": as_declared(operation.query_parameters[name], value)
                for name, value in query.items()},
             **{part: value for part, value in shown.items() if value is not None}}
    names = Names()
    return {part: json.loads(names.tidy(compact(value)), strict=False) for part, value in parts.items()}


class Servers:
    """One server, and one of its own for each operation that tells what else was done there."""

    def start(self):
        server = Server(scene_actors=1)
        server.flags["pub_curve_dir"] = server.folder + "/pub"
        server.flags["backup_dir"] = server.folder + "/backups"
        return server.start()

    def ask(self, shared, operation):
        if operation.path_parameters and operation.id not in BEFORE:
            return parts_of(shared, operation)
        server = self.start()
        parts = parts_of(server, operation)
        server.end()
        return parts

    def ask_everything(self):
        """All operations but aliases, as the server answers now: {operation: {part: value}}."""
        server = self.start()
        with Client(server) as client:
            interface = Interface(client.get("/openapi.json").content, validator)
        found = {operation.id: self.ask(server, operation) for operation in interface.operations
                 if operation.of == operation.id and operation.id not in WITH_ACCOUNTS}
        server.end()
        return interface, found


def read_file():
    found = {}
    for line in FILE.read_text(encoding="utf-8").splitlines():
        if not line.startswith("#"):
            operation, part, value = line.split(" ", 2)
            found.setdefault(operation, {})[part] = json.loads(value)
    return found


def write_file(found):
    lines = [f"{operation} {part} {compact(value)}\n" for operation, parts in found.items()
             for part, value in parts.items()]
    asked = "".join(line for line in lines if line.split(" ", 2)[1] != "answer")
    assert "'" not in asked, "a single quote ends a word of the curl lines of /docs"
    FILE.write_text(HEAD + "".join(lines), encoding="utf-8")


@needs_files
class Examples(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.interface, cls.now = Servers().ask_everything()
        cls.written = read_file()

    def test_every_operation_has_an_example_and_no_other_has_one(self):
        self.assertEqual(list(self.now), list(self.written),
                         "run tests/system/openapi_examples_test.py --write, and build")

    def test_every_example_is_what_the_server_answers_now(self):
        for operation, parts in self.now.items():
            with self.subTest(operation):
                old = self.written.get(operation, {})
                self.assertEqual(list(parts), list(old))
                for part, value in parts.items():
                    self.assertEqual(shape(value), shape(old[part]), f"{operation} {part}")

    def test_every_answer_fits_what_is_declared(self):
        for operation in self.interface.operations:
            with self.subTest(operation.id):
                check = self.interface.validator(operation, 200, "application/json")
                parts = self.written.get(operation.id, {})
                if check and "answer" in parts:
                    check(parts["answer"])

    def test_the_document_has_the_examples(self):
        for operation in self.interface.operations:
            parts = self.written.get(operation.id, {})
            request = operation.content.get("application/json", {})
            self.assertEqual(parts.get("request"), request.get("example"), operation.id)
            declared = {f"{'path' if p['in'] == 'path' else 'query'}.{p['name']}": p["example"]
                        for p in operation.spec.get("parameters", []) if "example" in p}
            stated = {part: value for part, value in parts.items() if part.startswith(("path.", "query."))}
            self.assertEqual(stated, declared, operation.id)
            content = operation.response(200).get("content", {})
            answers = [media["example"] for media in content.values() if "example" in media]
            self.assertEqual([parts["answer"]] if "answer" in parts else [], answers, operation.id)


if __name__ == "__main__":
    if "--write" in sys.argv:
        write_file(Servers().ask_everything()[1])
        sys.exit(0)
    sys.exit(unittest.main())
