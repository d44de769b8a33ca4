#!/usr/bin/python3
"""A subscriber of Diorama's PUB: prints what happens in a scene, a line an event.

    watch.py tcp://127.0.0.1:8763 scene.plaza. [alice.key_secret server.key]

The last two are for a server with pub.curve_dir: our keys, as `diorama keygen alice.key` made them,
and the server's public one. Debian's packages: python3-zmq, python3-msgpack.
"""

import sys

import msgpack
import zmq
import zmq.auth

endpoint, topic, *keys = sys.argv[1:]
feed = zmq.Context.instance().socket(zmq.SUB)
if keys:
    feed.curve_publickey, feed.curve_secretkey = zmq.auth.load_certificate(keys[0])
    feed.curve_serverkey, _ = zmq.auth.load_certificate(keys[1])
feed.subscribe(topic)
feed.connect(endpoint)
last = {}
while True:
    frames = feed.recv_multipart()  # topic, header, body
    header, record = (msgpack.unpackb(frame) for frame in frames[1:])
    epoch, seq = last.get(header["scene"], (header["epoch"], header["seq"] - 1))
    if (header["epoch"], header["seq"]) != (epoch, seq + 1):
        print(f"missed what came after {seq}: read the scene again", flush=True)
    last[header["scene"]] = header["epoch"], header["seq"]
    print(frames[0].decode(), header["seq"], record.get("key"), record.get("transform"), flush=True)
