#!/usr/bin/python3
"""Registers to a scene, takes the packed UDP feed and prints each change as a line of JSON.

    listen_packed.py http://127.0.0.1:8080 plaza

Needs python3-msgpack. proto/feed/README.md says what the bytes mean.
"""
import json
import socket
import struct
import sys
import urllib.parse
import urllib.request
import msgpack

FIELDS = {1: "name", 2: "scene", 3: "parent", 4: "asset_sub_id", 5: "type", 6: "subtype",
          7: "owner", 8: "frame", 9: "timestamp", 10: "transform", 11: "assets", 15: "actions",
          16: "values", 18: "tags", 19: "extras", 20: "visible", 63: "truncated"}

def matrix(data):
    """All bytes are matrices: 16 numbers, or translation, quaternion w x y z and scale."""
    if len(data) == 128:
        return struct.unpack("<16d", data)
    i, j, k, w, x, y, z, a, b, c = struct.unpack("<3d7f", data)
    return [a * (1 - 2 * (y * y + z * z)), b * 2 * (x * y - w * z), c * 2 * (x * z + w * y), i,
            a * 2 * (x * y + w * z), b * (1 - 2 * (x * x + z * z)), c * 2 * (y * z - w * x), j,
            a * 2 * (x * z - w * y), b * 2 * (y * z + w * x), c * (1 - 2 * (x * x + y * y)), k,
            0.0, 0.0, 0.0, 1.0]

def call(url, scene, verb, device):
    url = f"{url}/v1/scene/{urllib.parse.quote(scene, safe='')}/{verb}"
    body = json.dumps({"scenes": [{"key": scene, "devices": [device]}]}).encode()
    request = urllib.request.Request(url, body, {"Content-Type": "application/json"})
    urllib.request.urlopen(request).close()

def listen(feed):
    last = None
    while True:
        datagram = msgpack.unpackb(feed.recv(1200), strict_map_key=False)
        version, epoch, prev, seq, count, changes = datagram[:6]
        if last and (epoch != last[0] or prev > last[1]):
            print(f"gap: {last} to {(epoch, prev)}", file=sys.stderr, flush=True)
        last = max(last or (0, 0), (epoch, seq))
        for msg_type, key, fields, *_ in changes:
            named = {FIELDS[number]: fields[number] for number in fields if number in FIELDS}
            line = json.dumps({"msg_type": msg_type, "key": key, **named}, default=matrix)
            print(line, flush=True)

url, scene = sys.argv[1:]
feed = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
feed.bind(("127.0.0.1", 0))
host, port = feed.getsockname()
device = {"key": f"packed-{port}", "connection_string": f"udp+msgpack://{host}:{port}?rate=30"}
call(url, scene, "register", device)
print(f"{device['key']} listens to {scene}", file=sys.stderr, flush=True)
try:
    listen(feed)
except KeyboardInterrupt:
    call(url, scene, "deregister", device)
