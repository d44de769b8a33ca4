"""Things that are made and ended again: each verb of Churn makes some of one kind, ends them, and
returns how many there were. What stays of them in the server is a leak."""

import itertools
import json
import socket

from files import upload
from people import PASSWORD, bearer, log_in, token_of
from streams import EventStream
from support import Client, moved, object_path, objects, scene_path, scenes, wait_until
from zmtp import PLAIN, say, subscribe

OBJECTS = 20  # of a scene
DEVICES = 8   # names of them: each belongs to its user for ever
POSE = {"translation": [1, 2, 3], "rotation": [0, 0, 0]}


class Churn:
    """One who makes and ends things. `name` tells theirs from others'."""

    def __init__(self, server, person, name="churn"):
        self.server, self.person, self.name = server, person, name
        self.numbers = itertools.count()
        # The hall has a device, the gallery streams; nobody listens to the yard, so that nothing of it is
        # remembered for those who come again.
        self.hall, self.gallery, self.yard = (f"{name}-{place}" for place in ("hall", "gallery", "yard"))
        person.put_scene(self.gallery)
        person.put_scene(self.yard)
        self.keys = person.create(self.hall, *[{"name": "o"}] * OBJECTS)
        self.token = self.register(self.hall, self.device())
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)

    def close(self):
        self.socket.close()
        self.person.close()

    def new(self):
        """A name that nothing had before."""
        return f"{self.name}-{next(self.numbers)}"

    def device(self):
        return f"{self.name}-device-{next(self.numbers) % DEVICES}"

    def ok(self, method, path, body=None, headers=None):
        """An answer that must be a success, of whatever form."""
        answer = self.person.request(method, path, body, headers)
        assert answer.status == 200, f"{method} {path}: {answer}"
        return answer

    def register(self, scene, key):
        """A device whose port nobody reads; the token of its registration."""
        device = {"key": key, "hostname": "127.0.0.1", "port": 9009}
        return self.person.register(scene, device)["udp"]["token"]

    # Kinds

    def scenes(self):
        """With objects, a property, and a device that says where it stands."""
        key, device = self.new(), self.device()
        self.person.create(key, *[{"name": "o"}] * OBJECTS)
        self.ok("POST", scene_path(key) + "/property", {"properties": [{"key": "p", "values": [0]}]})
        self.register(key, device)
        body = scenes({"devices": [{"key": device, "transform": POSE}]})
        self.ok("POST", scene_path(key) + "/align", body)
        self.ok("DELETE", scene_path(key))
        return OBJECTS + 3

    def objects(self):
        keys = self.person.create(self.yard, *[{"name": self.name}] * OBJECTS)
        for key in keys:
            self.ok("PUT", f"{object_path(self.yard, key)}/lock?device={self.device()}")
            self.ok("DELETE", object_path(self.yard, key))
        return len(keys)

    def properties(self):
        path, key = scene_path(self.yard) + "/property", self.new()
        self.ok("POST", path, {"properties": [{"key": key, "values": [0]}]})
        self.ok("DELETE", f"{path}/{key}")
        return 1

    def devices(self):
        """They say nothing of where they stand: corrections stay when their device leaves."""
        key = self.device()
        self.register(self.gallery, key)
        self.person.deregister(self.gallery, key)
        return 1

    def assets(self):
        """With a second version and a relationship."""
        first = upload(self.person, "/v1/asset", self.new().encode()).text
        second = upload(self.person, f"/v1/asset/{first}", self.new().encode()).text
        self.ok("PUT", "/v1/relationship", {"assetId": second, "relationshipType": "scene",
                                            "relatedId": self.hall})
        for key in (first, second):
            self.ok("DELETE", f"/v1/asset/{key}")
        return 3

    def projects(self):
        for path in ("/v1/project", "/v1/collection"):
            key = self.ok("POST", path, {"name": self.new(), "tags": [self.new()]}).body["id"]
            self.ok("DELETE", f"{path}/{key}")
        return 2

    def streams(self):
        """Of a scene where nothing happens: the events of one that is watched are kept for minutes."""
        stream = wait_until(self.open_stream, what="a place for a stream")
        assert stream.next().name == "snapshot"
        stream.close()
        return 1

    def open_stream(self):
        """None: the places of those that were closed are not free yet."""
        stream = EventStream(self.server, scene_path(self.gallery) + "/events",
                             bearer(self.person.token))
        if stream.status != 503:
            return stream
        stream.close()
        return None

    def logins(self):
        with Client(self.server) as client:
            token = token_of(log_in(client, "admin"))
            answer = client.request("POST", "/v1/logout", None, bearer(token))
            assert answer.status == 200, answer
        return 1

    def failed_logins(self):
        with Client(self.server) as client:
            answer = log_in(client, self.new())
            assert answer.status in (401, 429), answer
        return 1

    def users(self):
        key = self.ok("POST", "/v1/users/sign-up",
                      {"username": self.new(), "password": PASSWORD}).body["id"]
        self.ok("DELETE", f"/v1/users/{key}")
        return 1

    def repeats(self):
        """A request with an Idempotency-Key. Its answer is kept as long as the setting says."""
        path, headers = scene_path(self.yard) + "/object/", {"Idempotency-Key": self.new()}
        for _ in range(2):
            answer = self.ok("POST", path, objects({"name": "o"}), headers)
        self.ok("DELETE", object_path(self.yard, answer.body["objects"][0]["key"]))
        return 1

    def updates(self):
        """Of all objects of the hall, by HTTP."""
        for key in self.keys:
            self.person.update(self.hall, key, name=self.new())
        return len(self.keys)

    def datagrams(self):
        """The same by UDP."""
        number = next(self.numbers)
        for key in self.keys:
            content = {"msg_type": 1, "key": key, "token": self.token, "transform": moved(number)}
            self.socket.sendto(json.dumps(content).encode(), ("127.0.0.1", self.server.udp_port))
        return len(self.keys)

    def subscribers(self):
        with socket.create_connection(("127.0.0.1", self.server.pub_port), 20) as raw:
            say(raw, PLAIN + subscribe(f"scene.{self.new()}".encode()))
        return 1

    def strangers(self):
        """Who asks for what there never was, over a connection of their own, without and with a body."""
        with Client(self.server) as client:
            for path in (scene_path(self.new()), f"/v1/asset/{self.new()}"):
                answer = client.request("GET", path, None, bearer(self.person.token))
                assert answer.status == 404, answer
            answer = client.request("POST", scene_path(self.new()) + "/object/query", objects({}),
                                    bearer(self.person.token))
            assert answer.status == 404, answer
        return 3
