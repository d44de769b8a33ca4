"""What /openapi.json promises, in a form to test against: operations, requests, and whether an answer
keeps what was promised of it."""

import copy
import http.client
import json
import socket
from urllib.parse import quote, urlencode

from support import unique_members

METHODS = ("get", "post", "put", "delete")


def harden(schema):
    """Answers must have no members that the description does not know."""
    if isinstance(schema, dict):
        if "properties" in schema and "additionalProperties" not in schema:
            schema["additionalProperties"] = False
        for value in schema.values():
            harden(value)
    elif isinstance(schema, list):
        for value in schema:
            harden(value)


class Operation:
    """One method of one path."""

    def __init__(self, document, method, path, spec):
        self.document, self.method, self.path, self.spec = document, method.upper(), path, spec
        self.id = spec["operationId"]
        self.of = spec.get("x-alias-of", self.id)  # what it does
        parameters = spec.get("parameters", [])
        self.path_parameters = [p["name"] for p in parameters if p["in"] == "path"]
        self.query_parameters = {p["name"]: p for p in parameters if p["in"] == "query"}
        self.header_parameters = [p["name"] for p in parameters if p["in"] == "header"]
        self.needed = [p["name"] for p in self.query_parameters.values() if p["required"]]
        body = spec.get("requestBody", {})
        self.body_needed = body.get("required", False)
        self.content = body.get("content", {})

    def __repr__(self):
        return f"{self.method} {self.path} ({self.id})"

    @property
    def body_schema(self):
        return self.content.get("application/json", {}).get("schema")

    @property
    def takes_upload(self):
        return "multipart/form-data" in self.content

    @property
    def takes_image(self):
        return "image/png" in self.content

    def response(self, status):
        """What is declared for a status, references followed; None where nothing is."""
        found = self.spec["responses"].get(str(status))
        if found and "$ref" in found:
            return lookup(self.document, found["$ref"])
        return found

    def failures(self):
        """Every declared failure as (status, err_code)."""
        found = []
        for status in self.spec["responses"]:
            if int(status) >= 400:
                schema = self.response(status)["content"]["application/problem+json"]["schema"]
                codes = schema["allOf"][1]["properties"]["err_code"]["enum"]
                found += [(int(status), code) for code in codes]
        return found

    def target(self, path, query=()):
        """The request target; `path` has the parameters of the path."""
        target = self.path
        for name in self.path_parameters:
            target = target.replace("{" + name + "}", quote(str(path[name]), safe=""))
        pairs = query.items() if isinstance(query, dict) else query
        return target + ("?" + urlencode(list(pairs)) if pairs else "")


def lookup(document, reference):
    for name in reference.removeprefix("#/").split("/"):
        document = document[name]
    return document


class Interface:
    """The whole description. `validator(schema)` makes a function that raises where a value does
    not fit."""

    def __init__(self, content, make_validator):
        self.document = json.loads(content, object_pairs_hook=unique_members)
        self.operations = [Operation(self.document, method, path, spec)
                           for path, methods in self.document["paths"].items()
                           for method, spec in methods.items() if method in METHODS]
        self.hard = copy.deepcopy(self.document)
        for path in self.hard["paths"].values():
            for spec in path.values():
                harden(spec["responses"])
        harden(self.hard["components"])
        self.make_validator = make_validator
        self.validators = {}

    def operation(self, name):
        return next(found for found in self.operations if found.id == name)

    def validator(self, operation, status, media_type):
        """Checks bodies of that answer; None where it has none of that type."""
        response = self.hard["paths"][operation.path][operation.method.lower()]["responses"]
        declared = response.get(str(status), {})
        key = declared.get("$ref") or (operation.id, status)
        if key not in self.validators:
            if "$ref" in declared:
                declared = lookup(self.hard, declared["$ref"])
            content = declared.get("content", {})
            self.validators[key] = {
                kind: self.make_validator(self.hard, found["schema"])
                for kind, found in content.items() if "json" in kind}
        return self.validators[key].get(media_type)

    def check(self, operation, answer):
        """Raises AssertionError unless the answer is one that was declared."""
        declared = operation.response(answer.status)
        assert declared, f"{answer.status} is not declared: {answer}"
        media_type = answer.headers.get("Content-Type")
        content = declared.get("content", {})
        assert media_type in content or (media_type and "*/*" in content) or (
            not content and not answer.content), f"{media_type} is not declared: {answer}"
        check = self.validator(operation, answer.status, media_type)
        if check and operation.method != "HEAD":
            try:
                check(answer.body)
            except Exception as wrong:
                raise AssertionError(f"{wrong} in {answer}") from wrong


class Answer:
    def __init__(self, status, headers, content):
        self.status, self.headers, self.content = status, headers, content

    @property
    def body(self):
        return json.loads(self.content.decode("utf-8"), object_pairs_hook=unique_members)

    @property
    def err_code(self):
        return self.body.get("err_code") if self.content[:1] == b"{" else None

    def __repr__(self):
        return f"{self.status} {self.content[:400]!r}"


class Call:
    """One request as bytes; every part of it may be wrong. `body` that is no bytes is JSON."""

    def __init__(self, method, target, body=None, headers=None, host=True):
        self.method, self.target = method, target
        self.headers = {"Host": "127.0.0.1"} if host else {}
        self.headers.update(headers or {})
        self.body = body if body is None or isinstance(body, bytes) else json.dumps(body).encode()
        if self.body is not None:
            self.headers.setdefault("Content-Type", "application/json")
            self.headers.setdefault("Content-Length", str(len(self.body)))

    def text(self):
        lines = [f"{self.method} {self.target} HTTP/1.1"]
        lines += [f"{name}: {value}" for name, value in self.headers.items()]
        return "\r\n".join(lines).encode() + b"\r\n\r\n" + (self.body or b"")

    def __repr__(self):
        return f"{self.method} {self.target[:300]} {self.body[:600] if self.body else ''!r}"


def content_of(response):
    """The body; of a stream, which has no end, its first event."""
    if response.headers.get("Content-Type") != "text/event-stream":
        return response.read()
    content = b""
    while not content.endswith(b"\n\n"):
        line = response.readline()
        if not line:
            break
        content += line
    return content


def send(server, call, timeout=20.0):
    """Sends a call on a connection of its own and returns the answer."""
    with socket.create_connection(("127.0.0.1", server.http_port), timeout) as connection:
        try:
            connection.sendall(call.text())
        except (BrokenPipeError, ConnectionResetError):
            pass  # refused before all of it was there: the answer is there all the same
        response = http.client.HTTPResponse(connection, method=call.method)
        response.begin()
        return Answer(response.status, response.headers, content_of(response))


def multipart(parts, boundary="diorama-boundary"):
    """(body, content type) of parts (name, filename or None, bytes)."""
    out = b""
    for name, filename, content in parts:
        out += f'--{boundary}\r\nContent-Disposition: form-data; name="{name}"'.encode()
        out += f'; filename="{filename}"'.encode() if filename else b""
        out += b"\r\n\r\n" + content + b"\r\n"
    return out + f"--{boundary}--\r\n".encode(), f"multipart/form-data; boundary={boundary}"


def shortest_text(document, schema):
    """The way to the text with the smallest limit in a body of this schema, and the limit:
    (["scenes", 0, "name"], 4096). The first of several; None if there is none."""
    found = []
    for name, value in resolve(document, schema).get("properties", {}).items():
        value = resolve(document, value)
        if "items" in value:
            inner = shortest_text(document, value["items"])
            found += [([name, 0, *inner[0]], inner[1])] if inner else []
            found += [([name, 0], most) for most in limit_of(value["items"])]
        found += [([name], most) for most in limit_of(value)]
    return min(found, key=lambda way: way[1], default=None)


def limit_of(schema):
    return [schema["maxLength"]] if "maxLength" in schema else []


def resolve(document, schema):
    while "$ref" in schema or "anyOf" in schema:
        schema = (lookup(document, schema["$ref"]) if "$ref" in schema else schema["anyOf"][0])
    return schema


def body_with(way, value):
    """{"scenes": [{"name": value}]} for ["scenes", 0, "name"]."""
    for step in reversed(way):
        value = [value] if isinstance(step, int) else {step: value}
    return value

