"""Examples for tests/system/contract_test.py: how each operation of /openapi.json is asked with
success, and how each failure that it declares is brought about. A new route needs

* a maker in MAKERS for a parameter that no route had before,
* an entry in EXAMPLES where its body (or a query parameter) is needed,
* an entry in FAILURES for each failure that is not made by itself, or a reason in UNREACHABLE.
"""

import itertools
import json

from contract import Answer, Call, multipart, send
from files import PNG

NUMBERS = itertools.count()
UNKNOWN = "0123456789abcdef01234567"  # looks like a key, and is nobody's


class World:
    """Makes what a request needs to be there, when it is asked for, on a fresh scene of its own."""

    def __init__(self, server):
        self.server = server
        self.made = {}

    def __getitem__(self, name):
        if name not in self.made:
            assert name in MAKERS, (
                f"no example for the parameter {{{name}}}: add it to MAKERS in "
                "tests/system/examples.py")
            self.made[name] = MAKERS[name](self)
        return self.made[name]

    def ask(self, method, target, body=None, headers=None):
        answer = send(self.server, Call(method, target, body, headers), timeout=100)
        assert answer.status == 200, f"{method} {target}: {answer}"
        return answer

    @property
    def scene(self):
        return f"/v1/scene/{self['scene']}"

    @property
    def object(self):
        return f"{self.scene}/object/{self['object']}"

    def lock_by_another(self):
        self.ask("GET", f"{self.object}/lock?device=another")


class Nobody(World):
    """Makes nothing: for requests that are refused for who asks."""

    def __getitem__(self, name):
        return UNKNOWN

    def ask(self, method, target, body=None, headers=None):
        return Answer(200, {}, json.dumps({"id": UNKNOWN}).encode())


def make_scene(world):
    key = f"scene-{next(NUMBERS)}"
    world.ask("PUT", f"/v1/scene/{key}", {"scenes": [{"name": "Plaza", "tags": ["city"]}]})
    return key


def make_object(world):
    return world.ask("POST", f"{world.scene}/object",
                     {"objects": [{"name": "lamp", "type": "light"}]}).body["objects"][0]["key"]


def make_property(world):
    return world.ask("POST", f"{world.scene}/property",
                     {"properties": [{"name": "brightness", "values": [1]}]}).body["properties"][0]["key"]


# Of the object or of the property, whichever the path names.
def make_action(world):
    for thing in [f"{world.scene}/object/{world['object']}",
                  f"{world.scene}/property/{world['property']}"]:
        world.ask("POST", f"{thing}/action", {"name": "walk", "keyframes": [{"frame": 1}]})
    return "walk"


def make_device(world):
    key = f"device-{next(NUMBERS)}"
    world.ask("POST", f"{world.scene}/register", {"scenes": [{"devices": [{"key": key}]}]})
    return key


def make_feature(world):
    """A device that is aligned to a scene with a place."""
    world.ask("POST", world.scene, {"scenes": [{"latitude": 48.2, "longitude": 16.4}]})
    key = f"device-{next(NUMBERS)}"
    world.ask("POST", f"{world.scene}/register", {"scenes": [{"devices": [{"key": key, "transform": POSE}]}]})
    return f"{key}@{world['scene']}"


def make_project(world):
    return world.ask("POST", "/v1/project", {"name": f"project-{next(NUMBERS)}"}).body["id"]


def make_collection(world):
    return world.ask("POST", "/v1/collection", {"name": f"collection-{next(NUMBERS)}"}).body["id"]


def make_group(world):
    world.ask("POST", f"/v1/project/{world['project']}/groups", {"name": "floor-1"})
    return "floor-1"


def other_group(world):
    world.ask("POST", f"/v1/project/{world['project']}/groups", {"name": "other"})
    return "other"


def same_relationship(world):
    """One relationship is to become another that there is."""
    asset, scene = world["asset"], world["scene"]
    for kind in ("one", "two"):
        body = {"assetId": asset, "relationshipType": kind, "relatedId": scene}
        world.ask("PUT", "/v1/relationship", body)
    return {"query": {"asset": asset, "type": "one", "related": scene}, "body": body}


def new_user(world):
    name = f"user-{next(NUMBERS)}"
    return world.ask("POST", "/v1/users/sign-up", {"username": name, "password": "password"}).body["id"]


USERS = {}  # a user of each server: passwords take their time


def make_user(world):
    if world.server not in USERS:
        USERS[world.server] = new_user(world)
    return USERS[world.server]


def upload(content=b"bytes", part="file"):
    body, kind = multipart([(part, "a.bin", content)])
    return {"body": body, "headers": {"Content-Type": kind}}


def make_asset(world):
    return world.ask("POST", "/v1/asset", **upload()).content.decode()


def outdated_asset(world):
    key = make_asset(world)
    world.ask("POST", f"/v1/asset/{key}", **upload(b"newer"))
    return key


def restored(world):
    """A current version, and the one before it."""
    first = make_asset(world)
    second = world.ask("POST", f"/v1/asset/{first}", **upload(b"newer")).content.decode()
    return {"path": {"asset": second}, "body": {"version": first}}


def named(world):
    """An asset that an object names."""
    world.ask("PUT", f"{world.object}/asset/{world['asset']}")
    return {}


def picture(content=PNG, kind="image/png"):
    return {"body": content, "headers": {"Content-Type": kind}}


def with_picture(world):
    world.ask("PUT", f"/v1/asset/{world['asset']}/thumbnail", **picture())
    return {}


def make_evidence(world):
    """A correction of a fresh device; its id stands in what is known of the scene."""
    device = {"key": f"device-{next(NUMBERS)}", "transform": POSE}
    world.ask("POST", f"{world.scene}/register", {"scenes": [{"devices": [device]}]})
    corrections = world.ask("GET", f"{world.scene}/alignment").body.get("corrections", [])
    return corrections[-1]["id"] if corrections else UNKNOWN


# A value for each parameter of a path (and of a query string that needs one).
MAKERS = {
    "scene": make_scene,
    "object": make_object,
    "property": make_property,
    "action": make_action,
    "frame": lambda world: 1,
    "device": make_device,
    "feature": make_feature,
    "project": make_project,
    "collection": make_collection,
    "group": make_group,
    "user": make_user,
    "asset": make_asset,
    "filename": lambda world: "a.bin",
    "tag": lambda world: "city",
    "type": lambda world: "scene",
    "related": lambda world: world["scene"],
    "evidence": make_evidence,
    "from": lambda world: world["scene"],
    "to": lambda world: world["scene"],
    "q": lambda world: "plaza",
}


def wrapped(array, **members):
    return lambda world: {"body": {array: [members]}}


def bare(**members):
    return lambda world: {"body": members}


def devices(**members):
    """A body for the device of the world, which is registered."""
    return lambda world: {"body": {"scenes": [{"devices": [{"key": world["device"], **members}]}]}}


ACCOUNTS = {}  # of each server, for the same reason


def account(world):
    if world.server not in ACCOUNTS:
        ACCOUNTS[world.server] = {"username": f"user-{next(NUMBERS)}", "password": "password"}
        world.ask("POST", "/v1/users/sign-up", ACCOUNTS[world.server])
    return ACCOUNTS[world.server]


POSE = {"translation": [1, 2, 3], "rotation": [0, 0, 0]}

# What a request of success has beside its path: body, query, path (other parameters than those of
# MAKERS), headers.
def on_earth(world):
    """A scene with a place, and a lamp whose file is called a model."""
    model = world.ask("POST", "/v1/asset?content-type=model/gltf-binary", **upload()).content.decode()
    world.ask("POST", world.scene, {"scenes": [{"latitude": 50.9413, "longitude": 6.9583}]})
    world.ask("POST", f"{world.scene}/object", {"objects": [{"name": "lamp", "assets": [model]}]})
    return {}


EXAMPLES = {
    "sceneCreate": wrapped("scenes", name="Plaza", latitude=50.9413, longitude=6.9583),
    "scenePut": wrapped("scenes", name="Plaza", tags=["city"]),
    "sceneUpdate": wrapped("scenes", name="Old plaza"),
    "sceneBulk": lambda world: {"body": {
        "create": [{"name": "bench"}], "update": [{"key": world["object"], "name": "old lamp"}],
        "properties": {"create": [{"name": "brightness", "values": [1]}]}}},
    "scenesWatch": lambda world: {"query": {"scene": world["scene"]}},
    "sceneTileset": on_earth,
    "objectCreate": wrapped("objects", name="lamp", translation=[1, 2, 3]),
    "objectUpdate": wrapped("objects", name="old lamp"),
    "objectLock": bare(device="headset-1", lease_s=30),
    "objectAsk": lambda world: asked(world),
    "objectActionPut": bare(name="run", keyframes=[{"frame": 1, "translation": [1, 2, 3]}]),
    "objectActionUpdate": bare(description="Along the fountain"),
    "objectKeyframePut": bare(frame=2, translation=[1, 2, 3]),
    "objectKeyframeUpdate": bare(scale=[2, 2, 2]),
    "propertyCreate": wrapped("properties", name="brightness", values=[1, {"value": 2}]),
    "propertyUpdate": wrapped("properties", values=[3]),
    "propertyActionPut": bare(name="run", keyframes=[{"frame": 1, "values": [1]}]),
    "propertyActionUpdate": bare(description="Brighter"),
    "propertyKeyframePut": bare(frame=2, values=[1]),
    "propertyKeyframeUpdate": bare(values=[2]),
    "register": wrapped("scenes", devices=[{"key": "headset-1", "hostname": "127.0.0.1", "port": 40000}]),
    "deregister": devices(),
    "align": devices(transform=POSE),
    "projectCreate": bare(name="Museum", tags=["city"]),
    "projectUpdate": bare(name="Old museum"),
    "groupCreate": bare(name="floor-2"),
    "groupUpdate": bare(name="ground floor"),
    "collectionCreate": bare(name="Lamps"),
    "collectionUpdate": bare(name="Old lamps"),
    "collectionBulk": lambda world: {"body": {"ids": [world["collection"]]}},
    "signUp": lambda world: {"body": {"username": f"user-{next(NUMBERS)}", "password": "password"}},
    "userBudgetPut": lambda world: {"body": {"scenes": 5, "streams": 0}},
    "userUpdate": lambda world: {"body": {"username": f"user-{next(NUMBERS)}"}},
    "userDelete": lambda world: {"path": {"user": new_user(world)}},
    "userErase": lambda world: {"path": {"user": new_user(world)}},
    "login": lambda world: {"body": account(world)},
    "assetCreate": lambda world: upload(),
    "assetUpdate": lambda world: upload(b"newer"),
    "assetRestore": restored,
    "thumbnailPut": lambda world: picture(),
    "thumbnailGet": with_picture,
    "assetUses": named,
    "assetBulk": lambda world: {"body": {"ids": [world["asset"]]}},
    "relationshipPut": lambda world: {"body": {
        "assetId": world["asset"], "relationshipType": "scene", "relatedId": world["scene"]}},
    "relationshipBulk": lambda world: {"body": {"assetIds": [world["asset"]]}},
}


def chosen_property(world):
    world.ask("POST", f"{world.scene}/property", {"properties": [{"key": "chosen"}]})
    return "chosen"


def locked(world):
    world.lock_by_another()
    return {}


def locked_with(example):
    def make(world):
        world.lock_by_another()
        return example(world)
    return make


def asked(world):
    world.lock_by_another()
    return {"body": {"device": "headset-1", "message": "May I have it?"}}


def locked_action(example=lambda world: {}):
    def make(world):
        assert world["action"]  # made before the lock
        world.lock_by_another()
        return example(world)
    return make


def no_frame(world):
    return {"path": {"frame": "77"}, "body": {}}


def no_key(world):
    return {"path": {"scene": "k" * 129}, "body": {}}


def on_earth_too(world):
    key = make_scene(world)
    world.ask("POST", f"/v1/scene/{key}", {"scenes": [{"latitude": 1, "longitude": 2}]})
    return key


# Operations that have several routes are asked as their first one.
def first(table, operation, *rest):
    """The entry for an alias is that for what it is an alias of, unless it has its own."""
    for name in (operation.id, operation.of):
        key = (name, *rest) if rest else name
        if key in table:
            return table[key]
    return None


# How failures come about, by operation and (status, err_code): as in EXAMPLES.
FAILURES = {
    ("sceneCreate", 409, 124): lambda world: {"body": {"scenes": [{"key": world["scene"]}]}},
    ("sceneBulk", 404, 102): lambda world: {"body": {"delete": [UNKNOWN]}},
    ("sceneBulk", 409, 124): lambda world: {"body": {"properties": {"create": [
        {"key": chosen_property(world)}]}}},
    ("sceneBulk", 412, 124): lambda world: {"body": {"if": {UNKNOWN: "*"}}},
    ("sceneBulk", 423, 123): locked_with(lambda world: {"body": {"delete": [world["object"]]}}),
    ("sceneTileset", 409, 124): lambda world: {**on_earth(world), "query": {"frame": on_earth_too(world)}},
    ("objectUpdate", 423, 123): locked_with(EXAMPLES["objectUpdate"]),
    ("objectDelete", 423, 123): locked,
    ("objectLock", 423, 123): locked_with(EXAMPLES["objectLock"]),
    ("objectLock", 400, 122): bare(lease_s=30),
    ("getV1SceneSceneObjectObjectLock", 400, 122): lambda world: {"query": {"device": ""}},
    ("search", 404, 102): lambda world: {"query": {"q": "n", "scene": UNKNOWN}},
    ("objectAsk", 409, 124): bare(device="d1", message="nobody holds it"),
    ("objectUnlock", 423, 123): locked,
    ("objectAddAsset", 423, 123): locked,
    ("objectDropAsset", 423, 123): locked,
    ("objectActionPut", 423, 123): locked_with(EXAMPLES["objectActionPut"]),
    ("objectActionUpdate", 423, 123): locked_action(EXAMPLES["objectActionUpdate"]),
    ("objectActionDrop", 423, 123): locked_action(),
    ("objectKeyframePut", 423, 123): locked_action(EXAMPLES["objectKeyframePut"]),
    ("objectKeyframeUpdate", 423, 123): locked_action(EXAMPLES["objectKeyframeUpdate"]),
    ("objectKeyframeUpdate", 404, 102): no_frame,
    ("objectKeyframeDrop", 423, 123): locked_action(),
    ("objectKeyframeDrop", 404, 102): no_frame,
    ("objectKeyframeDrop", 422, 111): no_key,
    ("propertyKeyframeUpdate", 404, 102): no_frame,
    ("propertyKeyframeUpdate", 422, 111): no_key,
    ("propertyKeyframeDrop", 404, 102): no_frame,
    ("propertyKeyframeDrop", 422, 111): no_key,
    ("propertyCreate", 409, 124): lambda world: {
        "body": {"properties": [{"key": "twice"}, {"key": "twice"}]}},
    ("projectCreate", 409, 124): bare(sceneGroups=[{"name": "g"}, {"name": "g"}]),
    ("groupCreate", 409, 124): lambda world: {"body": {"name": world["group"]}},
    ("groupUpdate", 409, 124): lambda world: {
        "path": {"group": other_group(world)}, "body": {"name": world["group"]}},
    ("relationshipPut", 409, 124): lambda world: same_relationship(world),
    ("signUp", 409, 124): lambda world: {"body": account(world)},
    ("userUpdate", 409, 124): lambda world: {"body": {"username": account(world)["username"]}},
    ("scenesWatch", 400, 122): lambda world: {"query": {}},
    ("scenesWatch", 404, 102): lambda world: {"query": {"scene": "nowhere"}},
    ("userFind", 404, 102): lambda world: {"query": {"username": "nobody"}},
    ("userErase", 404, 102): lambda world: {"path": {"user": "nobody"}},  # others may have been there
    ("login", 401, 130): lambda world: {"body": {"username": "nobody", "password": "password"}},
    ("assetCreate", 400, 122): lambda world: upload(part="other"),
    ("assetUpdate", 400, 122): lambda world: upload(part="other"),
    ("assetUpdate", 409, 124): lambda world: {
        "path": {"asset": outdated_asset(world)}, **upload(b"third")},
    ("assetRestore", 409, 124): lambda world: {
        "path": {"asset": outdated_asset(world)}, "body": {"version": UNKNOWN}},
    ("thumbnailPut", 400, 122): lambda world: picture(b""),
    ("thumbnailPut", 413, 140): lambda world: picture(PNG + bytes(64 << 10)),
    ("thumbnailPut", 422, 111): lambda world: picture(b"GIF89a and so on"),
    ("thumbnailGet", 416, 111): lambda world: {
        **with_picture(world), "headers": {"Range": "bytes=1000-"}},
    ("assetGetFile", 416, 111): lambda world: {"headers": {"Range": "bytes=1000-"}},
    ("assetGet", 416, 111): lambda world: {"headers": {"Range": "bytes=1000-"}},
    ("alignmentRelate", 404, 102): lambda world: {"query": {"from": UNKNOWN}},
    ("alignmentGraph", 404, 102): lambda world: {"query": {"scene": UNKNOWN}},
    ("sceneQuery", 400, 122): lambda world: {"body": {"scenes": [{"latitude": 1.0}]}},
}

# Failures that no request can bring about on a healthy server, and who tests them.
NEVER = {
    408: "slow_http_test",
    500: "fault_test",
    503: "fault_test, health_test",
    507: "disk_test",
    429: "the tests of limits",
}

# Declared for the sake of other settings or states: why this test does not see them.
MADE = "what is not there is made"
LIST = "a query finds nothing instead"
GONE = "a part of an export does not know accounts: it is empty"
# They are there with accounts only: access_matrix_test and ogc_collections_test ask for them.
WITH_ACCOUNTS = {"ogcDeviceCollection", "ogcDevices", "ogcDevice"}

UNREACHABLE = {
    ("scenePut", 404): MADE,
    ("register", 404): MADE,
    ("objectCreate", 404): MADE,
    ("objectQuery", 404): LIST,
    ("propertyCreate", 404): MADE,
    ("propertyQuery", 404): LIST,
    ("sceneExport", 404): GONE,
    ("libraryExport", 404): GONE,
    ("auditExport", 404): GONE,
    ("projectCreate", 412): "a created record has no state yet",
    ("collectionCreate", 412): "a created record has no state yet",
    ("relationshipPut", 404): "anybody may read both ends where nobody logs in",
    ("alignmentPin", 409, 124): "as many pins as may be need as many corrections",
    ("userDelete", 409, 124): "anybody may go where nobody logs in",
    ("userErase", 409, 124): "nobody is logged in who could be that user",
    ("userDemote", 409, 124): "anybody may go where nobody logs in",
    ("userDeactivate", 409, 124): "anybody may go where nobody logs in",
    ("tokensRotate", 412): "a secret has no state to compare",
    ("pubKeyRotate", 412): "a secret has no state to compare",
    ("backupCreate", 412): "a backup is made, not changed",
    ("promote", 412): "who leads has no state to compare",
    ("backupCreate", 409, 124): "this server has a folder for backups: backup_test",
    ("backupList", 409, 124): "this server has a folder for backups: backup_test",
    ("pubKeyRotate", 409, 124): "this server has keys: rotation_test",
    ("getMetrics", 401): "open on loopback: metrics_test",
}
