"""Generated keys, computed apart from the server: xxh64 and partitions."""

import re

MASK = (1 << 64) - 1
P1, P2, P3, P4, P5 = (0x9E3779B185EBCA87, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9,
                      0x85EBCA77C2B2AE63, 0x27D4EB2F165667C5)


def rotate(value, bits):
    value &= MASK
    return ((value << bits) | (value >> (64 - bits))) & MASK


def word(data, at, size):
    return int.from_bytes(data[at:at + size], "little")


def mix(lane, value):
    return rotate(lane + value * P2, 31) * P1 & MASK


def xxh64(data, seed=0):
    size, at = len(data), 0
    if size >= 32:
        lanes = [seed + P1 + P2, seed + P2, seed, seed - P1]
        while at + 32 <= size:
            lanes = [mix(lane, word(data, at + 8 * i, 8)) for i, lane in enumerate(lanes)]
            at += 32
        total = sum(rotate(lane, bits) for lane, bits in zip(lanes, (1, 7, 12, 18)))
        for lane in lanes:
            total = ((total ^ mix(0, lane)) * P1 + P4) & MASK
    else:
        total = seed + P5
    total = (total + size) & MASK
    while at + 8 <= size:
        total = (rotate(total ^ mix(0, word(data, at, 8)), 27) * P1 + P4) & MASK
        at += 8
    if at + 4 <= size:
        total = (rotate(total ^ word(data, at, 4) * P1 & MASK, 23) * P2 + P3) & MASK
        at += 4
    for byte in data[at:]:
        total = rotate(total ^ byte * P5 & MASK, 11) * P1 & MASK
    total = (total ^ total >> 33) * P2 & MASK
    total = (total ^ total >> 29) * P3 & MASK
    return total ^ total >> 32


# Published vectors: a wrong copy of the algorithm must not judge the server.
assert xxh64(b"") == 0xEF46DB3751D8E999
assert xxh64(b"abc") == 0x44BC2CF5AD770999
assert xxh64(b"Nobody inspects the spammish repetition") == 0xFBCEA83C8A378BF1


def is_generated(key):
    return re.fullmatch("[0-9a-f]{24}", key) is not None


def partition_of_scene(scene_key):
    return xxh64(scene_key.encode()) % 1024


def partition_of_key(key):
    return int(key[:3], 16)


def key_in_partition(partition):
    """A key that looks right and belongs to nothing."""
    return f"{partition:03x}" + "0123456789abcdef01234"


def keys_on_shards(prefix, shards):
    """One scene key for each shard, in the order of the shards."""
    found = {}
    for number in range(1000):
        key = f"{prefix}{number}"
        found.setdefault(partition_of_scene(key) % shards, key)
    return [found[shard] for shard in range(shards)]
