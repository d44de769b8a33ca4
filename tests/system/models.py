"""glTF files for tests: a box under nodes, as GLB or as JSON."""

import base64
import json
import struct

CORNERS = [(x, y, z) for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)]
FACES = [0, 1, 3, 0, 3, 2, 4, 6, 7, 4, 7, 5, 0, 4, 5, 0, 5, 1, 2, 3, 7, 2, 7, 6, 0, 2, 6, 0, 6, 4, 1, 5, 7, 1, 7, 3]
BYTES = struct.pack("<24f", *(value for corner in CORNERS for value in corner)) + struct.pack("<36H", *FACES)


def box(nodes=({"mesh": 0},), roots=(0,), uri=None, **members):
    """The JSON of a box of one metre around its origin."""
    buffer = {"byteLength": len(BYTES), **({"uri": uri} if uri else {})}
    return {
        "asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": list(roots)}], "nodes": list(nodes),
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "indices": 1, "material": 0}]}],
        "materials": [{"pbrMetallicRoughness": {"baseColorFactor": [0.9, 0.4, 0.1, 1], "metallicFactor": 0}, "doubleSided": True}],
        "accessors": [
            {"bufferView": 0, "componentType": 5126, "count": 8, "type": "VEC3", "min": [-0.5] * 3, "max": [0.5] * 3},
            {"bufferView": 1, "componentType": 5123, "count": 36, "type": "SCALAR"}],
        "bufferViews": [{"buffer": 0, "byteOffset": 0, "byteLength": 96}, {"buffer": 0, "byteOffset": 96, "byteLength": 72}],
        "buffers": [buffer], **members}


def glb(document, data=BYTES):
    text = json.dumps(document).encode() if isinstance(document, dict) else document
    text += b" " * (-len(text) % 4)
    chunks = struct.pack("<2I", len(text), 0x4E4F534A) + text
    if data:
        chunks += struct.pack("<2I", len(data), 0x004E4942) + data
    return struct.pack("<3I", 0x46546C67, 2, 12 + len(chunks)) + chunks


def gltf(**members):
    return json.dumps(box(uri="data:application/octet-stream;base64," + base64.b64encode(BYTES).decode(), **members)).encode()
