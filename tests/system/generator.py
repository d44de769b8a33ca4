"""Requests made from /openapi.json: right ones, and wrong ones of many kinds. One Generator is one
seeded source of them; it keeps a pool of what answers told (keys, ids, names) and asks for that."""

import copy
import json
import math
import random
from urllib.parse import quote

from contract import multipart, resolve
from examples import EXAMPLES, first
from files import PNG, WEBP

POOL_SIZE = 200
WORLD_LASTS = 100  # examples
LIST_ITEMS = 3
TEXTS = ["", "a", "Mesh", "name with spaces", "a/b?c#d&e=f", "日本語", "👩‍🚀", "e\u0301", "\u202eabc",
         "\uffff", "\x7f", "\t\n", "\u0000", "%00", "'; --", "<script>", "x" * 200]
NUMBERS = [0, 1, -1, 0.5, -0.0, 1e-300, 1e308, -1e308, 2**31, 2**53, 2**63 - 1, -2**63, 100.25]
# Texts of JSON that no json.dumps writes.
ODD_LITERALS = ["1e999", "-1e999", "NaN", "Infinity", "01", "1.", "+1", "0x10", "18446744073709551616",
                "1" * 400, '"\\ud800"', '"\\u0000"', "\"\\x\"", "[1,]", "{,}", "'a'", "tru", "//"]
ODD_BODIES = [b"", b"{", b"[]", b"null", b"7", b'"x"', b"{}{}", b"{}x", b"\xff\xfe", b"\xef\xbb\xbf{}",
              b'{"a":1,"a":2}', b"[" * 100 + b"]" * 100, b'{"a":' * 40 + b"1" + b"}" * 40,
              b'{"objects":null}', b'{"scenes":{}}', b'{"objects":[[]]}', b'{"\\u006eame":"x"}',
              b'{"name":"\xc3\x28"}', b" \t\r\n"]
ODD_SEGMENTS = ["%00", "%zz", "%ff", "%2F", "%", "..", "%2e%2e", "x" * 200, "%0a", "a%20b", "%F0%9F%9A%80",
                ";", "~", "0" * 24, "f" * 24, "null", "-1", "%25"]
# Names go to a resolver: these are answered at once, and lead to nobody.
HOSTNAMES = ["127.0.0.77", "127.0.0.78", "", "300.1.1.1", "0.0.0.0", "255.255.255.255", "224.0.0.1"]
# Which parameter the records of an array, or of a noun, are the values of.
ARRAYS = {"scenes": "scene", "objects": "object", "properties": "property", "devices": "device",
          "sceneGroups": "group", "actions": "action"}
NOUNS = {"projects": "project", "collections": "collection", "users": "user", "assets": "asset"}


class Raw(str):
    """JSON that is written as it stands."""


def to_json(value):
    """json.dumps that lets Raw through."""
    if isinstance(value, Raw):
        return str(value)
    if isinstance(value, dict):
        return "{" + ",".join(f"{json.dumps(k)}:{to_json(v)}" for k, v in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(to_json, value)) + "]"
    if isinstance(value, float) and not math.isfinite(value):
        return "1e999"
    return json.dumps(value, ensure_ascii=False)


class Generator:
    """`make_world` makes what examples.py knows how to make; it is asked again now and then. The
    operations of `examples` are asked first, as it says."""

    def __init__(self, interface, seed, name, make_world, examples=()):
        self.examples = list(examples)
        self.make_world, self.world, self.asked = make_world, None, 0
        self.document = interface.document
        self.random = random.Random(seed)
        self.name = name
        self.made = 0
        self.pools = {}
        self.operations = interface.operations
        self.weights = [weight_of(operation) for operation in interface.operations]

    # --- what answers told -----------------------------------------------------------------------

    def remember(self, name, value):
        pool = self.pools.setdefault(name, [])
        if not isinstance(value, str) or not value or value in pool:
            return
        if len(pool) < POOL_SIZE:
            pool.append(value)
        else:
            pool[self.random.randrange(POOL_SIZE)] = value

    def forget(self, name, value):
        pool = self.pools.get(name, [])
        if value in pool:
            pool.remove(value)

    def learn(self, operation, path, answer):
        """Keeps what a success showed; forgets what was deleted."""
        if operation.method == "DELETE" and operation.path_parameters:
            self.forget(operation.path_parameters[-1], path[operation.path_parameters[-1]])
            return
        for name, value in path.items():
            self.remember(name, value)
        noun = NOUNS.get(operation.spec["tags"][0])
        if operation.takes_upload:
            self.remember(noun, answer.content.decode())
        elif answer.headers.get("Content-Type") == "application/json":
            self.learn_from(answer.body, noun)

    def learn_from(self, value, name):
        for item in (value if isinstance(value, list) else [value])[:20]:
            if not isinstance(item, dict):
                continue
            if name:
                self.remember(name, item.get("key") or item.get("id") or item.get("name"))
            for member, inside in item.items():
                if member in ARRAYS and isinstance(inside, list):
                    self.learn_from(inside, ARRAYS[member])

    # --- values ----------------------------------------------------------------------------------

    def chance(self, probability):
        return self.random.random() < probability

    def fresh(self):
        self.made += 1
        return f"{self.name}-{self.made}"

    def known(self, name):
        """A value of a parameter: mostly one that is there."""
        pool = self.pools.get(name)
        if pool and self.chance(0.9):
            return self.random.choice(pool)
        if name in ("scene", "tag", "device", "group", "action", "filename"):
            return self.fresh()
        if name == "frame":
            return str(self.random.randint(-5, 50))
        return "".join(self.random.choices("0123456789abcdef", k=24))

    def text(self, schema, name):
        if name in self.pools and self.chance(0.7):
            return self.known(name)
        if name == "hostname":
            return self.random.choice(HOSTNAMES)
        if "pattern" in schema:
            return self.fresh()
        text = self.random.choice(TEXTS) if self.chance(0.6) else self.fresh()
        return text[:schema.get("maxLength", 4096)]

    def number(self, schema):
        low, high = schema.get("minimum"), schema.get("maximum")
        if low is not None:
            value = self.random.choice([low, high, self.random.uniform(low, min(high, low + 100))])
        else:
            value = self.random.choice(NUMBERS + [self.random.uniform(-100, 100)] * 4)
        return int(value) if schema["kind"] == "integer" else value

    def value(self, schema, name="", depth=0):
        """A value that fits the schema."""
        if "$ref" in schema:
            schema = resolve(self.document, {"$ref": schema["$ref"]})
        for several in ("anyOf", "oneOf"):
            if several in schema:
                return self.value(self.random.choice(schema[several]), name, depth)
        kind = schema.get("type", "object")
        if isinstance(kind, list):
            if self.chance(0.03):
                return None
            kind = kind[0]
        if kind == "object":
            return self.record(schema, depth)
        if kind == "array":
            return self.array(schema, name, depth)
        if kind == "boolean":
            return self.chance(0.5)
        if kind == "string":
            return self.text(schema, name)
        return None if kind == "null" else self.number({**schema, "kind": kind})

    def array(self, schema, name, depth):
        low = schema.get("minItems", 0)
        high = min(schema.get("maxItems", LIST_ITEMS), max(LIST_ITEMS, low))
        count = self.random.randint(low, high)
        return [self.value(schema["items"], name, depth + 1) for _ in range(count)]

    def record(self, schema, depth):
        members = dict(schema.get("properties", {}))
        for part in schema.get("allOf", []):
            members = {**resolve(self.document, part).get("properties", {}), **members}
        needed = schema.get("required", [])
        share = 0.35 if depth < 2 else 0.7
        return {name: self.value(inside, name, depth + 1) for name, inside in members.items()
                if name in needed or self.chance(share)}

    # --- what is wrong with it -------------------------------------------------------------------

    def places(self, value, found):
        """Every (container, place) in a value."""
        items = value.items() if isinstance(value, dict) else enumerate(value)
        for place, inside in list(items):
            found.append((value, place))
            if isinstance(inside, (dict, list)):
                self.places(inside, found)
        return found

    def wrong_value(self):
        kind = self.random.randrange(7)
        if kind == 0:
            return Raw(self.random.choice(ODD_LITERALS))
        if kind == 1:
            return "x" * self.random.choice([129, 4097, 5000])
        if kind == 2:
            return [None] * self.random.choice([1, 65, 300])
        return self.random.choice([True, -1, 1e300, 2**62, "text", {}, {"a": {"b": []}}, [[]], ["x"],
                                   [1, 2], [{}], "\x01", "query", 10**18, 0.1, None, [""], "null"])

    def spoil(self, body):
        """Breaks a body in one or two places, and says it as bytes."""
        if self.chance(0.15):
            return self.random.choice(ODD_BODIES)
        for _ in range(self.random.choice([1, 1, 2])):
            places = self.places(body, [])
            if not places or self.chance(0.1):
                body[self.random.choice(["unknown", "", "op\u0000", "key", "name"])] = \
                    self.wrong_value()
                continue
            container, place = self.random.choice(places)
            if isinstance(container, dict) and self.chance(0.2):
                del container[place]
            else:
                container[place] = self.wrong_value()
        content = to_json(body).encode("utf-8", "surrogatepass")
        return content[:self.random.randrange(len(content))] if self.chance(0.05) else content

    # --- requests --------------------------------------------------------------------------------

    def path(self, operation):
        return {name: self.known(name) for name in operation.path_parameters}

    def query(self, operation):
        pairs = []
        for name, parameter in operation.query_parameters.items():
            if not (parameter["required"] or self.chance(0.25)):
                continue
            value = self.value(parameter["schema"], name)
            for one in value if isinstance(value, list) else [value]:
                pairs.append((name, str(one).lower() if isinstance(one, bool) else str(one)))
        return pairs

    def upload(self, is_wrong):
        content = bytes(self.random.randrange(256) for _ in range(self.random.randrange(64)))
        parts = [("file", self.random.choice(["a.png", "b.obj", "ü.bin", ""]), content)]
        if self.chance(0.2):
            parts.append(("other", None, b"x"))
        if is_wrong and self.chance(0.3):
            parts[0] = ("elsewhere",) + parts[0][1:]
        body, kind = multipart(parts)
        if is_wrong and self.chance(0.5):
            body = body[:self.random.randrange(len(body))]
        return body, kind

    def image(self, is_wrong):
        """(body, type) of an image that is the body itself."""
        body, kind = self.random.choice([(PNG, "image/png"), (WEBP, "image/webp")])
        if is_wrong and self.chance(0.5):
            body = body[:self.random.randrange(len(body))]
        elif is_wrong and self.chance(0.5):
            kind = self.random.choice(["image/png", "image/gif", "x"])
        return body + bytes(self.random.choice([0, 100, 1 << 17 if is_wrong else 1000])), kind

    def example(self, operation):
        """(path, query, body) that examples.py has for it, for things that are there."""
        if self.asked % WORLD_LASTS == 0:
            self.world = self.make_world()
        self.asked += 1
        try:
            make = first(EXAMPLES, operation)
            made = make(self.world) if make else {}
            path = {name: made.get("path", {}).get(name) or self.world[name]
                    for name in operation.path_parameters}
            query = {name: self.world[name] for name in operation.needed} | made.get("query", {})
        except AssertionError as why:  # something was deleted meanwhile
            self.asked, self.no_world = 0, why
            return None
        for name, value in path.items():
            self.remember(name, value)
        return path, list(query.items()), copy.deepcopy(made.get("body"))

    def parts(self, operation):
        if self.chance(0.3):
            found = self.example(operation)
            if found:
                return found
        body = None
        if operation.body_schema and (operation.body_needed or self.chance(0.9)):
            body = self.value(operation.body_schema, "")
        return self.path(operation), self.query(operation), body

    def next(self):
        """(operation, path parameters, target, headers, body, whether it was meant to be right)."""
        if self.examples:
            operation, is_right = self.examples.pop(), True
            found = self.example(operation) or self.example(operation)  # in a new world
            assert found, f"two worlds could not be made: {self.no_world}"
            path, query, value = found
        else:
            [operation] = self.random.choices(self.operations, self.weights)
            is_right = self.chance(0.6)
            path, query, value = self.parts(operation)
        headers, body = {}, None
        if operation.takes_upload:
            body, headers["Content-Type"] = self.upload(not is_right)
        elif operation.takes_image:
            body, headers["Content-Type"] = self.image(not is_right)
        elif value is not None:
            body = to_json(value).encode() if is_right or self.chance(0.3) else self.spoil(value)
        target = operation.target(path, query)
        if not is_right:
            target = self.spoil_target(operation, path, target)
            self.add_conditions(headers)
        if body is not None:
            headers.setdefault("Content-Type", "application/json")
        return operation, path, target, headers, body, is_right

    def spoil_target(self, operation, path, target):
        if operation.path_parameters and self.chance(0.25):
            name = self.random.choice(operation.path_parameters)
            segment = quote(str(path[name]), safe="")
            target = target.replace("/" + segment, "/" + self.random.choice(ODD_SEGMENTS), 1)
        if self.chance(0.3):
            names = list(operation.query_parameters) + ["unknown", "num_records", "page", "device"]
            odd = ["", "-1", "1e9", "%zz", "%ff", "nan", "99999999999999999999", "x" * 5000, "true"]
            target += "&" if "?" in target else "?"
            target += f"{self.random.choice(names)}={self.random.choice(odd)}"
        return target

    def add_conditions(self, headers):
        if self.chance(0.1):
            headers[self.random.choice(["If-Match", "If-None-Match"])] = self.random.choice(
                ["*", '"0"', 'W/"0"', '"0", "1"', "0", '"', ",", '"' + "a" * 500 + '"'])
        if self.chance(0.05):
            headers["Content-Type"] = self.random.choice(
                ["text/plain", "application/json; charset=utf-8", "multipart/form-data", "x"])
        if self.chance(0.05):
            headers["Range"] = self.random.choice(["bytes=0-1", "bytes=9-1", "bytes=-0", "x=1-"])
        if self.chance(0.05):
            headers["Accept-Encoding"] = self.random.choice(["gzip;q=0", "*;q=0", "br", "identity"])


def weight_of(operation):
    """Passwords take their time on purpose, and big pages are the same page again."""
    if operation.of in ("login", "signUp", "userUpdate"):
        return 0.05
    if operation.spec["tags"][0] == "server":
        return 0.1
    if operation.path.startswith("/users") or "users" in operation.spec["tags"]:
        return 0.4
    if operation.method == "DELETE":
        return 0.2  # or nothing is left to ask for
    return 1.0
