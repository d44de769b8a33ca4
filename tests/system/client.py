"""A client of the server as tests use it: paths, bodies, requests, answers."""

import http.client
import json
import time
from urllib.parse import quote


def scenes(*records, **envelope):
    return {"scenes": list(records), **envelope}


def objects(*records, **envelope):
    return {"objects": list(records), **envelope}


def scene_path(key):
    return "/v1/scene/" + quote(key, safe="")


def object_path(scene, key):
    return f"{scene_path(scene)}/object/{key}"


def unique_members(pairs):
    names = [name for name, _ in pairs]
    assert len(names) == len(set(names)), f"a member stands twice: {names}"
    return dict(pairs)


def refuse_constant(word):
    raise AssertionError(f"{word} in an answer")


class Answer:
    def __init__(self, status, headers, content):
        self.status, self.headers, self.content = status, headers, content

    @property
    def text(self):
        return self.content.decode("utf-8")

    @property
    def body(self):
        return json.loads(self.text, object_pairs_hook=unique_members,
                          parse_constant=refuse_constant)

    def __repr__(self):
        return f"{self.status} {self.content[:600]!r}"


class Client:
    """One keep-alive connection. A body that is not bytes is sent as JSON."""

    def __init__(self, server, timeout=30.0, address=None):
        self.server = server
        address = address or getattr(server, "address", "127.0.0.1")
        self.connection = http.client.HTTPConnection(address, server.http_port, timeout=timeout)
        self.used = 0.0

    def request(self, method, path, body=None, headers=None):
        if time.monotonic() - self.used > 2.0:  # the server ends one that rests for 5 s
            self.connection.close()
        headers = dict(headers or {})
        if body is not None and not isinstance(body, bytes):
            body = json.dumps(body).encode()
        if body is not None:
            headers.setdefault("Content-Type", "application/json")
        try:
            self.connection.request(method, path, body, headers)
        except (BrokenPipeError, ConnectionResetError):
            if not self.connection.sock:
                raise  # not even connected: the server ends
            # Refused before the body was through: the answer is there all the same.
        response = self.connection.getresponse()
        self.used = time.monotonic()
        return Answer(response.status, response.headers, response.read())

    def get(self, path):
        return self.request("GET", path)

    def put(self, path, body=None):
        return self.request("PUT", path, body)

    def post(self, path, body=None):
        return self.request("POST", path, body)

    def delete(self, path):
        return self.request("DELETE", path)

    def ok(self, method, path, body=None):
        """The body of an answer that must be a success."""
        answer = self.request(method, path, body)
        assert answer.status == 200, f"{method} {path}: {answer}"
        assert answer.body["err_code"] == 100, f"{method} {path}: {answer}"
        return answer.body

    def refused(self, status, err_code, method, path, body=None):
        """The body of an answer that must be this failure."""
        answer = self.request(method, path, body)
        assert answer.status == status, f"{method} {path}: {status} expected, {answer}"
        assert answer.body["err_code"] == err_code, f"{method} {path}: {err_code} not in {answer}"
        return answer.body

    def close(self):
        self.connection.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    # What most tests need, in one line each.

    def put_scene(self, key, **members):
        return self.ok("PUT", scene_path(key), scenes(members))["scenes"][0]

    def scene(self, key):
        return self.ok("GET", scene_path(key))["scenes"][0]

    def create(self, scene, *records):
        """Creates objects and returns their keys."""
        body = self.ok("POST", scene_path(scene) + "/object/", objects(*records))
        return [record["key"] for record in body["objects"]]

    def object(self, scene, key):
        return self.ok("GET", object_path(scene, key))["objects"][0]

    def update(self, scene, key, **members):
        """A wrapped update; returns the merged record."""
        return self.ok("POST", object_path(scene, key), objects(members))["objects"][0]

    def objects(self, scene):
        """Every object of a scene, page by page."""
        found, start = [], 0
        while start is not None:
            page = self.ok("POST", scene_path(scene) + "/object/query", {"start_record": start})
            found += page["objects"]
            start = page.get("next_start_record")
        return found

    def all_scenes(self):
        """Every scene record of the server, ordered by key."""
        found = []
        while True:
            page = self.ok("POST", "/v1/scene/query",
                           scenes(num_records=1000, start_record=len(found)))
            found += page["scenes"]
            if page["num_records"] < 1000:
                return found

    def register(self, scene, *devices):
        return self.ok("POST", scene_path(scene) + "/register", scenes({"devices": list(devices)}))

    def deregister(self, scene, *keys):
        devices = [{"key": key} for key in keys]
        return self.ok("POST", scene_path(scene) + "/deregister", scenes({"devices": devices}))
