"""Writers that change all kinds of things and know, request by request, what must be there; and how
what a server has is read, to compare."""

import http.client
import random
import time
import uuid

from files import form
from support import Client, objects, scene_path, scenes, wait_until

CONNECTION_LOST = (OSError, http.client.HTTPException)
BUSY = (503, 507)  # nothing happened, or nobody knows
MOST_VERSIONS = 50  # of an asset: no writer comes to the limit of the server


class Unsettled(Exception):
    """The end of the request is not known: it is sent again after the next start."""


class Request:
    """One request, and what it makes of the model once it has happened."""

    def __init__(self, method, path, body, settle, content_type=None):
        self.method, self.path, self.body, self.settle = method, path, body, settle
        self.headers = {"Idempotency-Key": uuid.uuid4().hex} if method == "POST" else {}
        if content_type:
            self.headers["Content-Type"] = content_type

    def send(self, client, is_again):
        answer = client.request(self.method, self.path, self.body, self.headers)
        if answer.status == 409 and is_again and self.path.endswith("/sign-up"):
            # Sign-ups keep no answers: the name is taken because it has happened.
            answer = client.get("/v1/users?username=" + self.body["username"])
        if answer.status in BUSY or (answer.status == 409 and is_again):
            raise Unsettled
        ends = self.method == "DELETE" or self.path.endswith("/deregister")
        gone = ends and is_again and answer.status == 404
        assert answer.status == 200 or gone, f"{self.method} {self.path}: {answer}"
        self.settle(answer)


class Writer:
    """Its things, as they must be: by key, or by the key of their scene and their own."""

    def __init__(self, number):
        self.number = number
        self.chance = random.Random(number)
        self.pending = None
        self.count = 0
        self.scenes = {}         # key -> name
        self.objects = {}        # (scene, key) -> (name, x, actions)
        self.properties = {}     # (scene, key) -> (name, values)
        self.devices = set()     # (scene, key)
        self.corrections = {}    # (scene, key of a device) -> x of the newest
        self.locks = {}          # (scene, key) of an object -> key of the device
        self.users = {}          # id -> (name, favourite scenes, whether they may log in)
        self.records = {"project": {}, "collection": {}}  # id -> (name, tags)
        self.assets = {}         # newest key -> [(key, bytes), …], newest first
        self.links = {}          # id -> [asset, related]

    # --- the load ---

    def run(self, server, ended):
        try:
            with Client(server) as client:
                while not ended.is_set():
                    self.step(client)
        except CONNECTION_LOST:
            pass

    def step(self, client):
        is_again = bool(self.pending)
        if not is_again:
            self.count += 1
            self.pending = self.chance.choice(self.ways())()
        if not self.pending:
            return
        try:
            self.pending.send(client, is_again)
            self.pending = None
        except Unsettled:
            time.sleep(0.02)

    def ways(self):
        made = [self.new_scene, self.new_objects, self.bulk, self.new_property, self.new_record, self.new_asset]
        changed = [self.change_object, self.change_scene, self.change_property, self.change_record,
                   self.put_action, self.new_version, self.restore_asset, self.relate, self.register, self.align, self.lock,
                   self.change_user]
        ended = [self.delete_object, self.delete_record, self.delete_asset, self.unrelate,
                 self.deregister, self.delete_property, self.unlock]
        return made * 2 + changed * 3 + ended * 2 + [self.delete_scene, self.new_user,
                                                     self.delete_user]

    def pick(self, things):
        return self.chance.choice(sorted(things)) if things else None

    def name(self):
        return f"w{self.number}-{self.count}"

    def new_scene(self):
        if len(self.scenes) > 5:
            return None
        name = self.name()
        body = {"name": name} if self.chance.random() < 0.5 else {"name": name, "key": name}
        return Request("POST", "/v1/scene", scenes(body), lambda answer: self.scenes.update(
            {answer.body["scenes"][0]["key"]: name}))

    def change_scene(self):
        scene, name = self.pick(self.scenes), self.name()
        method = self.chance.choice(("PUT", "POST"))
        return scene and Request(method, scene_path(scene), scenes({"name": name}),
                                 lambda _: self.scenes.update({scene: name}))

    def delete_scene(self):
        scene = self.pick(self.scenes)
        return scene and Request("DELETE", scene_path(scene), None, lambda _: self.forget(scene))

    def forget(self, scene):
        gone = {scene} | {key for where, key in self.objects if where == scene}
        del self.scenes[scene]
        for things in (self.objects, self.properties, self.locks, self.corrections):
            for place in [place for place in things if place[0] == scene]:
                del things[place]
        self.devices = {place for place in self.devices if place[0] != scene}
        self.unlink(gone)

    def unlink(self, gone):
        self.links = {id_: ends for id_, ends in self.links.items() if not gone & set(ends)}

    def new_objects(self):
        scene = self.pick(self.scenes)
        count = self.chance.choice((1, 1, 2, 400))  # the last is two commits
        wanted = [(f"{self.name()}-{i}", float(i), ()) for i in range(count)]
        if not scene or len(self.objects) > 1500:
            return None

        def settle(answer):
            keys = [record["key"] for record in answer.body["objects"]]
            assert len(set(keys)) == count, f"{len(keys)} keys for {count} objects"
            self.objects.update({(scene, key): state for key, state in zip(keys, wanted)})

        body = objects(*({"name": name, "translation": [x, 0, 0]} for name, x, _ in wanted))
        return Request("POST", scene_path(scene) + "/object", body, settle)

    def change_object(self):
        place, name = self.pick(self.objects), self.name()
        if not place:
            return None
        state = (name, float(self.count), self.objects[place][2])
        return Request("POST", object_of(place), {"name": name, "translation": [self.count, 0, 0]},
                       lambda _: self.objects.update({place: state}))

    def put_action(self):
        place, action = self.pick(self.objects), f"a{self.count % 3}"
        if not place:
            return None
        name, x, actions = self.objects[place]
        state = (name, x, tuple(sorted({*actions, action})))
        return Request("POST", object_of(place) + "/action", {"name": action},
                       lambda _: self.objects.update({place: state}))

    def delete_object(self):
        place = self.pick(self.objects)

        def settle(_):
            del self.objects[place]
            self.locks.pop(place, None)
            self.unlink({place[1]})

        return place and Request("DELETE", object_of(place), None, settle)

    def bulk(self):
        """New objects, changed ones and one that is deleted, in one commit."""
        scene, name, made = self.pick(self.scenes), self.name(), self.chance.choice((1, 20, 300))
        own = self.chance.sample(here := sorted(place for place in self.objects if place[0] == scene),
                                 min(5, len(here)))
        if not scene or len(self.objects) > 1500:
            return None
        gone, kept = own[:1], own[1:]
        states = {place: (name, float(self.count), self.objects[place][2]) for place in kept}
        body = {"create": [{"name": f"{name}-{i}", "translation": [i, 0, 0]} for i in range(made)],
                "update": [{"key": key, "name": name, "translation": [self.count, 0, 0]}
                           for _, key in kept],
                "delete": [key for _, key in gone]}

        def settle(answer):
            keys = answer.body["created"]
            assert len(set(keys)) == made, f"{len(keys)} keys for {made} objects"
            self.objects.update(states)
            self.objects.update({(scene, key): (f"{name}-{i}", float(i), ())
                                 for i, key in enumerate(keys)})
            for place in gone:
                del self.objects[place]
                self.locks.pop(place, None)
                self.unlink({place[1]})

        return Request("POST", scene_path(scene) + "/bulk", body, settle)

    def new_property(self):
        scene, name = self.pick(self.scenes), self.name()
        body = {"name": name, "key": name} if self.chance.random() < 0.5 else {"name": name}
        return scene and Request(
            "POST", scene_path(scene) + "/property", {"properties": [{**body, "values": [1]}]},
            lambda answer: self.properties.update(
                {(scene, answer.body["properties"][0]["key"]): (name, (1.0,))}))

    def change_property(self):
        place = self.pick(self.properties)
        if not place:
            return None
        state = (self.properties[place][0], (float(self.count), 2.0))
        return Request("POST", property_of(place), {"properties": [{"values": list(state[1])}]},
                       lambda _: self.properties.update({place: state}))

    def delete_property(self):
        place = self.pick(self.properties)

        def settle(_):
            del self.properties[place]

        return place and Request("DELETE", property_of(place), None, settle)

    def register(self):
        scene, key = self.pick(self.scenes), f"d{self.number}-{self.count % 4}"
        return scene and Request("POST", scene_path(scene) + "/register",
                                 scenes({"devices": [{"key": key}]}),
                                 lambda _: self.devices.add((scene, key)))

    def deregister(self):
        place = self.pick(self.devices)

        def settle(_):
            self.devices.discard(place)
            self.locks = {of: device for of, device in self.locks.items()
                          if (of[0], device) != place}

        return place and Request("POST", scene_path(place[0]) + "/deregister",
                                 scenes({"devices": [{"key": place[1]}]}), settle)

    def align(self):
        place, x = self.pick(self.devices), float(self.count)
        pose = {"translation": [x, 0, 0], "rotation": [0, 0, 0]}
        return place and Request("POST", scene_path(place[0]) + "/align",
                                 scenes({"devices": [{"key": place[1], "transform": pose}]}),
                                 lambda _: self.corrections.update({place: x}))

    def lock(self):
        place = self.pick(self.objects)
        device = place and self.pick([key for scene, key in self.devices if scene == place[0]])
        if not device or self.locks.get(place, device) != device:
            return None
        return Request("PUT", f"{object_of(place)}/lock?device={device}", None,
                       lambda _: self.locks.update({place: device}))

    def unlock(self):
        place = self.pick(self.locks)
        return place and Request("DELETE", f"{object_of(place)}/lock?device={self.locks[place]}",
                                 None, lambda _: self.locks.pop(place))

    def new_user(self):
        if len(self.users) > 1:  # a sign-up costs a tenth of a second of a core
            return None
        name = self.name()
        return Request("POST", "/v1/users/sign-up", {"username": name, "password": "a b c d e f"},
                       lambda answer: self.users.update({answer.body["id"]: (name, (), True)}))

    def change_user(self):
        id_ = self.pick(self.users)
        if not id_:
            return None
        name, favourites, is_active = self.users[id_]
        change, scene = self.chance.randrange(3), f"s{self.count % 4}"
        if change == 0:
            state = (self.name(), favourites, is_active)
            return Request("PUT", f"/v1/users/{id_}", {"username": state[0]},
                           lambda _: self.users.update({id_: state}))
        if change == 1:
            state = (name, favourites, not is_active)
            return Request("DELETE" if is_active else "PUT", f"/v1/users/{id_}/active", None,
                           lambda _: self.users.update({id_: state}))
        state = (name, tuple(sorted({*favourites, scene})), is_active)
        return Request("PUT", f"/v1/users/{id_}/scenes/{scene}", None,
                       lambda _: self.users.update({id_: state}))

    def delete_user(self):
        id_ = self.pick(self.users)
        return id_ and Request("DELETE", f"/v1/users/{id_}", None, lambda _: self.users.pop(id_))

    def new_record(self):
        noun, name = self.chance.choice(sorted(self.records)), self.name()
        return Request("POST", f"/v1/{noun}", {"name": name, "tags": ["new"]},
                       lambda answer: self.records[noun].update({answer.body["id"]: (name, ("new",))}))

    def change_record(self):
        noun = self.chance.choice(sorted(self.records))
        id_, name, tag = self.pick(self.records[noun]), self.name(), f"t{self.count % 3}"
        if not id_:
            return None
        old, tags = self.records[noun][id_]
        if self.chance.random() < 0.5:
            return Request("POST", f"/v1/{noun}/{id_}", {"name": name},
                           lambda _: self.records[noun].update({id_: (name, tags)}))
        state = (old, tags if tag in tags else (*tags, tag))
        return Request("PUT", f"/v1/{noun}/{id_}/tags/{tag}", None,
                       lambda _: self.records[noun].update({id_: state}))

    def delete_record(self):
        noun = self.chance.choice(sorted(self.records))
        id_ = self.pick(self.records[noun])

        def settle(_):
            del self.records[noun][id_]
            self.unlink({id_})

        return id_ and Request("DELETE", f"/v1/{noun}/{id_}", None, settle)

    def upload(self, path, settle):
        content = f"{self.name()} ".encode() * self.chance.randint(1, 2000)
        content_type, body = form(("file", content, "a.bin", "application/x-thing"))
        return Request("POST", path, body, lambda answer: settle(answer.text, content), content_type)

    def new_asset(self):
        return self.upload("/v1/asset?name=" + self.name(),
                           lambda key, content: self.assets.update({key: [(key, content)]}))

    def with_room(self, key):
        """The key, unless the asset has versions enough."""
        return key if key and len(self.assets[key]) < MOST_VERSIONS else None

    def new_version(self):
        old = self.with_room(self.pick(self.assets))

        def settle(key, content):
            self.assets[key] = [(key, content), *self.assets.pop(old)]
            for ends in self.links.values():
                ends[:] = [key if end == old else end for end in ends]

        return old and self.upload("/v1/asset/" + old, settle)

    def restore_asset(self):
        current = self.with_room(self.pick(self.assets))
        if not current or len(self.assets[current]) < 2:
            return None
        version, content = self.chance.choice(self.assets[current][1:])

        def settle(answer):
            key = answer.body["key"]
            self.assets[key] = [(key, content), *self.assets.pop(current)]
            for ends in self.links.values():
                ends[:] = [key if end == current else end for end in ends]

        return Request("POST", f"/v1/asset/{current}/restore", {"version": version}, settle)

    def delete_asset(self):
        key = self.pick(self.assets)

        def settle(_):
            left = self.assets.pop(key)[1:]
            if left:
                self.assets[left[0][0]] = left
            self.unlink({key})

        return key and Request("DELETE", "/v1/asset/" + key, None, settle)

    def relate(self):
        asset = self.pick(self.assets)
        related = self.chance.choice((self.pick(self.scenes), (self.pick(self.objects) or [None])[-1],
                                      self.pick(self.records["project"])))
        if not asset or not related:
            return None
        body = {"assetId": asset, "relationshipType": "of", "relatedId": related}
        return Request("PUT", "/v1/relationship", body, lambda answer: self.links.update(
            {answer.body[0]["id"]: [asset, related]}))

    def unrelate(self):
        id_ = self.pick(self.links)
        if not id_:
            return None
        asset, related = self.links[id_]
        return Request("DELETE", f"/v1/relationship?asset={asset}&type=of&related={related}", None,
                       lambda _: self.links.pop(id_))

    # --- after a crash ---

    def settle(self, client):
        """The request that was under way is sent again, until its end is known."""
        wait_until(lambda: not self.pending or self.step(client), 120,
                   f"the end of {self.pending and self.pending.path}")


def object_of(place):
    return f"{scene_path(place[0])}/object/{place[1]}"


def property_of(place):
    return f"{scene_path(place[0])}/property/{place[1]}"


# --- what a server has, in the form of the writers ---

def read_scenes(client, others=()):
    """Scenes but for `others`, and all that is in them."""
    found = {record["key"]: record["name"] for record in client.all_scenes()
             if record["key"] not in others}
    things, properties, devices, locks, corrections = {}, {}, set(), {}, {}
    for scene in found:
        for record in client.objects(scene):
            actions = tuple(sorted(action["name"] for action in record.get("actions", ())))
            things[scene, record["key"]] = (record["name"], record["transform"][3], actions)
            if record["owner"]:
                locks[scene, record["key"]] = record["owner"]
        for record in client.ok("POST", scene_path(scene) + "/property/query", {})["properties"]:
            properties[scene, record["key"]] = (record["name"], values_of(record))
        for record in client.get(scene_path(scene) + "/alignment").body["corrections"]:
            if not record["superseded"]:
                corrections[scene, record["device"]] = record["transform"]["translation"][0]
        devices |= {(scene, device["key"]) for device in client.scene(scene)["devices"]}
    return {"scenes": found, "objects": things, "properties": properties, "devices": devices,
            "corrections": corrections, "locks": locks}


def read_users(client):
    return {user["id"]: (user["username"], tuple(sorted(user["favoriteScenes"])), user["isActive"])
            for user in client.get("/v1/users?num_records=1000").body}


def read_records(client, noun):
    return {record["id"]: (record["name"], tuple(record["tags"]))
            for record in client.get(f"/v1/{noun}?num_records=1000").body}


def read_versions(client, newest):
    """The keys of the versions of an asset, newest first."""
    history = client.get("/v1/asset-history/" + newest).body  # none of what has one version
    return history[0]["assetIds"] if history else [newest]


def read_links(client):
    return {link["id"]: (link["assetId"], link["relatedId"])
            for link in client.get("/v1/relationship").body}


def values_of(record):
    return tuple(value["value"] if isinstance(value, dict) else value for value in record["values"])
