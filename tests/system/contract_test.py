"""The contract: every operation of /openapi.json is asked, every answer fits what was declared, and
every failure that is declared comes about. What a route needs stands in examples.py; a route without
an example fails this test with what to add.
"""

import sys
import unittest

import jsonschema

from contract import Call, Interface, body_with, shortest_text, send
from examples import (EXAMPLES, FAILURES, MAKERS, NEVER, Nobody, UNKNOWN, UNREACHABLE, WITH_ACCOUNTS, World,
                      first)
from support import HAS_FILES, Client, Server

TAG = '"00000000000000000000000000000000"'


def make_validator(document, schema):
    resolver = jsonschema.RefResolver("", document)
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema, resolver=resolver).validate


def missing(operation):
    """What examples.py must say before the operation can be asked, or None."""
    if operation.body_needed and not first(EXAMPLES, operation):
        return f"EXAMPLES[{operation.id!r}]"
    made = [name for name in operation.path_parameters + operation.needed if name not in MAKERS]
    return f"MAKERS[{made[0]!r}]" if made and not first(EXAMPLES, operation) else None


FOLLOWERS = (409, 125)  # what a follower answers: follow_test asks one for every operation


def is_unreachable(operation, status, code):
    return (status, code) == FOLLOWERS or bool(first(UNREACHABLE, operation, status) or
                                               first(UNREACHABLE, operation, status, code))


class Contract(unittest.TestCase):
    """One server; each operation gets what it needs on a fresh scene."""

    @classmethod
    def setUpClass(cls):
        cls.server = Server(scene_actors=3, locks_enforce="true")
        cls.server.flags["pub_curve_dir"] = cls.server.folder + "/pub"
        if HAS_FILES:
            cls.server.flags["backup_dir"] = cls.server.folder + "/backups"
        cls.server.start()
        with Client(cls.server) as client:
            content = client.get("/openapi.json").content
        cls.interface = Interface(content, make_validator)

    @classmethod
    def tearDownClass(cls):
        cls.server.end()

    def known(self):
        """The operations that can be asked; what is missing for the others is told once."""
        return [found for found in self.interface.operations if not missing(found) and found.id not in WITH_ACCOUNTS and
                (HAS_FILES or not found.id.startswith("backup"))]

    def test_every_operation_has_an_example(self):
        lacking = [f"{found}: {missing(found)}" for found in self.interface.operations
                   if missing(found)]
        self.assertFalse(lacking, "add to tests/system/examples.py\n" + "\n".join(lacking))

    def parts(self, operation, world, example=None):
        """Path parameters, query, body and headers of a request."""
        example = example or first(EXAMPLES, operation)
        made = example(world) if example else {}
        path = {name: world[name] for name in operation.path_parameters
                if name not in made.get("path", {})}
        query = {name: world[name] for name in operation.needed}
        return ({**path, **made.get("path", {})}, {**query, **made.get("query", {})},
                made.get("body"), dict(made.get("headers", {})))

    def call(self, operation, world, example=None):
        path, query, body, headers = self.parts(operation, world, example)
        return Call(operation.method, operation.target(path, query), body, headers)

    def ask(self, operation, call):
        answer = send(self.server, call)
        self.interface.check(operation, answer)
        return answer

    def test_every_operation_succeeds_as_declared(self):
        for operation in self.known():
            with self.subTest(operation.id):
                answer = self.ask(operation, self.call(operation, World(self.server)))
                self.assertEqual(answer.status, 200, answer)

    def test_a_record_that_is_known_is_not_sent_again(self):
        for operation in self.known():
            if not operation.response(304):
                continue
            with self.subTest(operation.id):
                call = self.call(operation, World(self.server))
                tag = send(self.server, call).headers["ETag"]
                call.headers["If-None-Match"] = tag
                self.assertEqual(self.ask(operation, call).status, 304)

    def test_every_declared_failure_comes_about(self):
        for operation in self.known():
            for status, code in operation.failures():
                if status == 401 and not first(FAILURES, operation, status, code):
                    continue  # see test_who_is_unknown_is_asked_who_they_are
                if status == 409 and "Idempotency-Key" in operation.header_parameters and not first(
                        FAILURES, operation, status, code):
                    continue  # while the first request runs: idempotency_test
                if status in NEVER or is_unreachable(operation, status, code):
                    continue
                with self.subTest(f"{operation.id} {status} {code}"):
                    self.check_failure(operation, status, code)

    def test_who_is_unknown_is_asked_who_they_are(self):
        server = Server(auth_enabled="true", pub_insecure="true").start()
        for operation in self.known():
            if not operation.response(401) or is_unreachable(operation, 401, 130):
                continue
            with self.subTest(operation.id):
                answer = send(server, self.call(operation, Nobody(server)))
                self.interface.check(operation, answer)
                self.assertEqual((answer.status, answer.err_code), (401, 130), answer)
                self.assertEqual(answer.headers["WWW-Authenticate"], "Bearer")
        server.end()

    def check_failure(self, operation, status, code):
        call = self.failing_call(operation, status, code)
        self.assertIsNotNone(call, (
            f"{operation} declares {status}/{code}, and nothing here brings it about: add "
            f"FAILURES[({operation.id!r}, {status}, {code})] or a reason in UNREACHABLE to "
            "tests/system/examples.py"))
        answer = self.ask(operation, call)
        self.assertEqual((answer.status, answer.err_code), (status, code), f"{call}: {answer}")

    def failing_call(self, operation, status, code):
        world = World(self.server)
        special = first(FAILURES, operation, status, code)
        if special:
            return self.call(operation, world, special)
        make = getattr(self, f"fail_{status}_{code}", None)
        return make(operation, world) if make else None

    # How each kind of failure comes about on any operation; None where it cannot.

    def fail_400_110(self, operation, world):
        call = self.call(operation, world)
        del call.headers["Host"]
        return call

    def fail_400_122(self, operation, world):
        path, query, body, headers = self.parts(operation, world)
        if operation.needed:
            query.clear()
        elif operation.body_needed:
            body = None
        else:
            return None
        return Call(operation.method, operation.target(path, query), body, headers)

    def fail_403_131(self, operation, world):
        call = self.call(operation, world)
        call.headers["Host"] = "elsewhere.example"
        return call

    def fail_404_102(self, operation, world):
        if not operation.path_parameters:
            return None
        keys = [name for name in operation.path_parameters if name not in ("tag", "filename")]
        path, query, body, headers = self.parts(operation, world)
        for name in [name for name in keys if name != "asset"] or keys:
            path[name] = UNKNOWN
        return Call(operation.method, operation.target(path, query), body, headers)

    def fail_412_124(self, operation, world):
        call = self.call(operation, world)
        call.headers["If-Match"] = TAG
        return call

    def fail_413_140(self, operation, world):
        call = self.call(operation, world)
        call.headers.setdefault("Content-Type", "application/json")
        call.headers["Content-Length"] = str(1 << 40)
        call.body = None
        return call

    def fail_414_140(self, operation, world):
        call = self.call(operation, world)
        call.target += ("&" if "?" in call.target else "?") + "x=" + "y" * 9000
        return call

    def fail_415_141(self, operation, world):
        call = self.call(operation, world)
        call.headers["Content-Type"] = "text/plain"
        call.body = call.body or b"{}"
        call.headers["Content-Length"] = str(len(call.body))
        return call

    def fail_422_111(self, operation, world):
        path, query, body, headers = self.parts(operation, world)
        found = operation.body_schema and shortest_text(self.interface.document, operation.body_schema)
        if found:
            way, most = found
            body = body_with(way, "x" * (most + 1))
        elif operation.path_parameters:
            path[operation.path_parameters[-1]] = "x" * 5000
        else:
            query["num_records"] = -1
        return Call(operation.method, operation.target(path, query), body, headers)

    def fail_431_140(self, operation, world):
        call = self.call(operation, world)
        call.headers["X-Large"] = "y" * 20000
        return call


if __name__ == "__main__":
    sys.exit(unittest.main())
