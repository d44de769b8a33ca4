"""Reads glTF 2.0 binary files (GLB) and says what is wrong with them; shares nothing with their maker."""

import json
import struct

MAGIC, JSON_CHUNK, BIN_CHUNK = 0x46546C67, 0x4E4F534A, 0x004E4942
COMPONENTS = {5121: ("B", 1), 5123: ("H", 2), 5125: ("I", 4), 5126: ("f", 4)}
WIDTHS = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4}


def chunks(content):
    """The JSON and the bytes of a file."""
    magic, version, size = struct.unpack_from("<3I", content)
    assert (magic, version, size) == (MAGIC, 2, len(content)), (hex(magic), version, size)
    found, at = [], 12
    while at < size:
        length, kind = struct.unpack_from("<2I", content, at)
        assert length % 4 == 0 and at + 8 + length <= size, (length, at, size)
        found.append((kind, content[at + 8:at + 8 + length]))
        at += 8 + length
    assert [kind for kind, _ in found] == [JSON_CHUNK, BIN_CHUNK], found
    return json.loads(found[0][1]), found[1][1]


def values(document, data, index):
    """What an accessor shows: a tuple for each element."""
    accessor = document["accessors"][index]
    view = document["bufferViews"][accessor["bufferView"]]
    letter, size = COMPONENTS[accessor["componentType"]]
    width = WIDTHS[accessor["type"]]
    assert view["byteOffset"] % size == 0
    assert accessor["count"] * width * size == view["byteLength"]
    assert view["byteOffset"] + view["byteLength"] <= len(data)
    part = data[view["byteOffset"]:view["byteOffset"] + view["byteLength"]]
    return list(struct.iter_unpack(f"<{width}{letter}", part))


def check_primitive(document, data, primitive):
    attributes = primitive["attributes"]
    places = values(document, data, attributes["POSITION"])
    told = document["accessors"][attributes["POSITION"]]
    for bound, pick in (("min", min), ("max", max)):
        found = [pick(place[axis] for place in places) for axis in range(3)]
        assert all(abs(a - b) < 1e-6 for a, b in zip(found, told[bound])), (bound, found, told)
    normals = values(document, data, attributes["NORMAL"])
    assert len(normals) == len(places)
    assert all(abs(sum(part * part for part in normal) - 1) < 1e-4 for normal in normals)
    assert len(values(document, data, attributes["COLOR_0"])) == len(places)
    indices = [number for number, in values(document, data, primitive["indices"])]
    assert len(indices) % 3 == 0 and len(indices) > 0
    assert max(indices) < len(places)
    assert 0 <= primitive["material"] < len(document["materials"])


def check(content):
    """Raises AssertionError for a file that is not valid; returns its JSON."""
    document, data = chunks(content)
    assert document["asset"]["version"] == "2.0"
    assert document["buffers"] == [{"byteLength": len(data)}]
    used = set(document.get("extensionsUsed", []))
    for material in document["materials"]:
        assert set(material.get("extensions", {})) <= used
    assert document["scenes"][document["scene"]]["nodes"] == [0]
    for mesh in document["meshes"]:
        assert mesh["primitives"]
        for primitive in mesh["primitives"]:
            check_primitive(document, data, primitive)
    return document
