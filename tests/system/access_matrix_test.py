"""The access table: every route × who asks × whose item it is, public or private.

The routes come from /openapi.json, their requests from examples.py, what must happen from the two
tables here. A new route needs a line in RULES that its path matches.
"""

import itertools
import re
import unittest

from contract import Call, Interface, send
from examples import ACCOUNTS, EXAMPLES, MAKERS, World, first
from people import PASSWORD, PeopleCase, bearer

# "METHOD path" -> kind; the first that matches.
RULES = [
    (r"GET /(livez|readyz|health|openapi\.json|docs.*|metrics|v1/session)", "open"),
    (r"GET /ogc(/api|/conformance|/collections/(scenes|objects|devices))?", "open"),
    (r"GET /ogc/collections(/(scenes|objects|devices)/items)?", "list"),
    (r"GET /ogc/collections/(objects|devices)/items/.*", "share"),
    (r"GET /ogc/collections/scenes/items/\{scene\}", "read"),
    (r"GET /ogc/collections/objects\.\{scene\}", "read"),
    (r"GET /ogc/collections/objects\.\{scene\}/.*", "share"),
    (r"POST /(v1/)?login", "open"),
    (r"POST /(v1/)?logout", "session"),
    (r"\w+ /(v1/)?users/\{user\}/(admin|active)", "admin"),
    (r"PUT /v1/users/\{user\}/budget", "admin"),
    (r"DELETE /v1/users/\{user\}/data", "admin"),
    (r"GET /v1/audit", "admin"),
    (r"\w+ /(v1/)?users/\{user\}.*", "self"),
    (r"\w+ /(v1/)?users.*", "admin"),
    (r"\w+ /v1/scene/cache/.*", "admin"),
    (r"POST /v1/(scene|project|collection|asset)", "user"),
    (r"GET /v1/server(/events)?", "user"),
    (r"GET /v1/server/series", "admin"),
    (r"GET /v1/audit", "admin"),
    (r"POST /v1/rotate/.*", "secret"),
    (r"\w+ /v1/(backup|promote)", "operator"),
    (r"POST /v1/(scene/query|bulk/\w+)", "list"),
    (r"GET /v1/(scene|search|project|collection|asset|asset/count|device)", "list"),
    (r"\w+ /v1/relationship", "relationship"),
    (r"GET /v1/(project|collection)/\{\w+\}", "read"),
    (r"GET /v1/asset/\{asset\}/uses", "list"),
    (r"GET /v1/(asset|asset-history|history)/.*", "read"),
    (r"GET /v1/scene/\{scene\}", "read"),
    (r"GET /v1/events", "share"),
    (r"\w+ /v1/scene/\{scene\}(/asset/\{asset\})?", "change"),
    (r"(PUT|DELETE) /v1/scene/\{scene\}/alignment/.*", "admin"),
    (r"GET /v1/alignment(/graph)?", "share"),
    (r"\w+ /v1/scene/\{scene\}/.*", "share"),
    (r"\w+ /v1/(project|collection|asset)/.*", "change"),
]

WHO = ("anonymous", "deactivated", "other", "owner", "administrator")

# What each of them gets of a public item, and of a private one; by kind.
OUTCOMES = {
    "open":         ((200, 200, 200, 200, 200), (200, 200, 200, 200, 200)),
    "user":         ((401, 401, 200, 200, 200), (401, 401, 200, 200, 200)),
    "list":         ((401, 401, 200, 200, 200), (401, 401, 200, 200, 200)),
    "read":         ((401, 401, 200, 200, 200), (401, 401, 404, 200, 200)),
    "share":        ((401, 401, 200, 200, 200), (401, 401, 404, 200, 200)),
    "change":       ((401, 401, 403, 200, 200), (401, 401, 404, 200, 200)),
    "self":         ((401, 401, 403, 200, 200), (401, 401, 403, 200, 200)),
    "admin":        ((401, 401, 403, 403, 200), (401, 401, 403, 403, 200)),
    "relationship": ((401, 401, None, 200, 200), (401, 401, None, 200, 200)),
    "secret":       ((401, 401, 403, 403, None), (401, 401, 403, 403, None)),  # rotation_test
    "operator":     ((401, 401, 403, 403, None), (401, 401, 403, 403, None)),  # backup_test
    "session":      ((401, 401, None, None, None), (401, 401, None, None, None)),
}
ONCE = ("open", "user", "self", "admin", "secret", "session")  # no item is asked for
ERR_CODES = {401: 130, 403: 131, 404: 102}
NUMBERS = itertools.count()


def kind_of(operation):
    name = f"{operation.method} {operation.path}"
    return next((kind for pattern, kind in RULES if re.fullmatch(pattern, name)), None)


class Owned(World):
    """A world that one user makes, public or private."""

    def __init__(self, server, token, is_public):
        super().__init__(server)
        self.token, self.is_public = token, is_public

    def ask(self, method, target, body=None, headers=None):
        if (method, target) in (("POST", "/v1/project"), ("POST", "/v1/collection")):
            body = {**body, "public": self.is_public}
        if (method, target) == ("POST", "/v1/asset"):
            target += f"?isPublic={str(self.is_public).lower()}"
        if re.fullmatch(r"PUT /v1/scene/[^/]+", f"{method} {target}"):
            body = {"scenes": [{**body["scenes"][0], "public": self.is_public}]}
        return super().ask(method, target, body, {**bearer(self.token), **(headers or {})})


class Matrix(PeopleCase, unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.owner, cls.other = cls.new_person("owner"), cls.new_person("other")
        cls.spare = cls.sign_up("spare")
        gone = cls.new_person("gone")
        cls.admin.delete(f"/v1/users/{gone.id}/active")
        ACCOUNTS[cls.shared_server] = {"username": "login", "password": PASSWORD}
        cls.sign_up("login")
        cls.headers = {"anonymous": {}, "deactivated": bearer(gone.token),
                       "other": bearer(cls.other.token), "owner": bearer(cls.owner.token),
                       "administrator": bearer(cls.admin.token)}
        content = cls.admin.get("/openapi.json").content
        cls.interface = Interface(content, lambda document, schema: None)

    def world(self, operation, who, is_public):
        world = Owned(self.server, self.owner.token, is_public)
        world.made["user"] = self.spare["id"] if kind_of(operation) == "admin" else self.owner.id
        world.made["device"] = f"device{next(NUMBERS)}"
        if operation.of in ("align", "deregister", "deviceDelete"):
            self.register(world, who)
        return world

    def register(self, world, who):
        """The device of who asks, where they may."""
        body = {"scenes": [{"devices": [{"key": world["device"]}]}]}
        target = f"{world.scene}/register"
        send(self.server, Call("POST", target, body, self.headers[who]))

    def example(self, operation, world):
        name = operation.of
        if name == "register":
            return {"body": {"scenes": [{"devices": [{"key": world["device"]}]}]}}
        if name in ("userDelete", "userErase"):
            return {}
        example = first(EXAMPLES, operation)
        return example(world) if example else {}

    def call(self, operation, who, world):
        made = self.example(operation, world)
        path = {name: world[name] for name in operation.path_parameters}
        query = {name: world[name] for name in operation.needed}
        return Call(operation.method,
                    operation.target({**path, **made.get("path", {})},
                                     {**query, **made.get("query", {})}),
                    made.get("body"), {**made.get("headers", {}), **self.headers[who]})

    def check(self, operation, who, is_public, expected):
        if operation.of.startswith(("userDelete", "userErase")) and expected == 200:
            return  # users_test, erase_test
        call = self.call(operation, who, self.world(operation, who, is_public))
        answer = send(self.server, call)
        self.assertEqual(answer.status, expected, f"{call}: {answer}")
        if expected != 200:
            self.assertEqual(answer.err_code, ERR_CODES[expected], answer)

    def test_every_route_has_a_rule(self):
        lacking = [str(found) for found in self.interface.operations if not kind_of(found)]
        self.assertEqual(lacking, [], "add to RULES")

    def test_every_route_and_everybody(self):
        cases = 0
        for operation in self.interface.operations:
            kind = kind_of(operation)
            if any(name not in MAKERS for name in operation.path_parameters + operation.needed):
                continue  # contract_test says so
            if operation.body_needed and not first(EXAMPLES, operation):
                continue
            for is_public, outcomes in zip((True, False), OUTCOMES[kind]):
                for who, expected in zip(WHO, outcomes):
                    if expected is None or (kind in ONCE and not is_public):
                        continue
                    with self.subTest(f"{operation} {who} {'public' if is_public else 'private'}"):
                        self.check(operation, who, is_public, expected)
                        cases += 1
        self.assertGreater(cases, 450)

    def test_queries_leave_out_what_may_not_be_read(self):
        world = {is_public: Owned(self.server, self.owner.token, is_public)
                 for is_public in (True, False)}
        for noun, target, body in (("scene", "/v1/scene/query",
                                    {"num_records": 10000, "scenes": []}),
                                   ("project", "/v1/project?num_records=1000", None),
                                   ("collection", "/v1/collection?num_records=1000", None)):
            keys = {is_public: world[is_public][noun] for is_public in (True, False)}
            method = "POST" if body else "GET"
            for who, seen in (("owner", [True, False]), ("other", [True]),
                              ("administrator", [True, False])):
                with self.subTest(f"{noun} {who}"):
                    answer = send(self.server, Call(method, target, body, self.headers[who]))
                    text = answer.content.decode()
                    found = [is_public for is_public in (True, False)
                             if f'"{keys[is_public]}"' in text]
                    self.assertEqual(found, seen)

    def operation(self, name):
        return next(found for found in self.interface.operations if found.id == name)

    def test_bulk_answers_leave_out_what_may_not_be_read(self):
        worlds = [Owned(self.server, self.owner.token, is_public) for is_public in (True, False)]
        ids = [world["collection"] for world in worlds]
        for who, expected in (("owner", ids), ("other", ids[:1]), ("administrator", ids)):
            answer = send(self.server, Call("POST", "/v1/bulk/collection", {"ids": ids},
                                            self.headers[who]))
            self.assertEqual([found["id"] for found in answer.body], expected)

    def test_relationships_are_seen_with_both_ends_and_changed_by_who_made_them(self):
        for is_public in (True, False):
            world = Owned(self.server, self.owner.token, is_public)
            body = {"assetId": world["asset"], "relationshipType": "scene",
                    "relatedId": world["scene"]}
            query = f"/v1/relationship?asset={world['asset']}"
            ends = f"{query}&type=scene&related={world['scene']}"
            [made] = self.owner.put("/v1/relationship", body).body
            if not is_public:
                self.assertEqual(self.other.put("/v1/relationship", body).status, 404)
                self.assertTrue(self.operation("relationshipPut").response(404), "not declared")
            self.assertEqual(self.other.get(query).body, [made] if is_public else [])
            self.other.delete(ends)
            self.assertEqual(self.owner.get(query).body, [made])
            self.assertEqual(self.admin.get(query).body, [made])
            self.assertEqual(self.owner.delete(ends).body, [made])
            self.assertEqual(self.admin.get(query).body, [])

    def test_private_item_looks_like_one_that_is_not_there(self):
        world = Owned(self.server, self.owner.token, False)
        for noun, prefix in (("scene", "/v1/scene/"), ("project", "/v1/project/"),
                             ("collection", "/v1/collection/"), ("asset", "/v1/asset/")):
            key, absent = world[noun], "0123456789abcdef01234567"
            bodies = []
            for each in (key, absent):
                answer = self.other.request("GET", prefix + each, None, {"X-Request-Id": "same"})
                self.assertEqual(answer.status, 404)
                bodies.append(answer.text.replace(each, "KEY"))
            self.assertEqual(bodies[0], bodies[1])


if __name__ == "__main__":
    unittest.main()
