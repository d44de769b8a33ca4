"""OpenTrackIO as tests speak it, written from the text of the standard: packets, samples, and the
matrix that a pose means, by products of elementary rotations."""

import json
import math
import socket
import struct

GROUP = "239.135.1.1"
JSON, CBOR = 1, 2
HEADER = struct.Struct("!4sBBHIH")  # without the checksum


def fletcher16(data):
    low = high = 0
    for byte in data:
        low = (low + byte) % 256
        high = (high + low) % 256
    return high << 8 | low


def packet(segment, sequence=0, offset=0, last=True, encoding=JSON, reserved=0, length=None,
           checksum=None, identifier=b"OTrk"):
    """One datagram; what is named is said instead of the truth."""
    size = len(segment) if length is None else length
    head = HEADER.pack(identifier, reserved, encoding, sequence, offset, last << 15 | size)
    total = fletcher16(head + segment) if checksum is None else checksum
    return head + struct.pack("!H", total) + segment


def segments(sample, count, sequence=0, encoding=JSON, step=1):
    """The datagrams of a sample in so many segments, numbered in steps of `step`."""
    size = -(-len(sample) // count)
    parts = [sample[at:at + size] for at in range(0, len(sample), size)]
    return [packet(part, sequence + i * step, i * size, i == len(parts) - 1, encoding)
            for i, part in enumerate(parts)]


def read_packet(datagram):
    """(header, sample) of a datagram of one segment, checked."""
    identifier, reserved, encoding, sequence, offset, length = HEADER.unpack(datagram[:14])
    assert identifier == b"OTrk" and reserved == 0 and offset == 0 and length >> 15 == 1, datagram
    assert length & 0x7fff == len(datagram) - 16, datagram
    assert struct.unpack("!H", datagram[14:16])[0] == fletcher16(datagram[:14] + datagram[16:])
    return {"encoding": encoding, "sequence": sequence}, datagram[16:]


def transform(x=0.0, y=0.0, z=0.0, pan=0.0, tilt=0.0, roll=0.0, **members):
    return {"translation": {"x": x, "y": y, "z": z},
            "rotation": {"pan": pan, "tilt": tilt, "roll": roll}, "id": "Camera", **members}


def sample(*transforms, **members):
    return {"protocol": {"name": "OpenTrackIO", "version": [1, 0, 1]}, "sourceNumber": 1,
            "transforms": list(transforms), **members}


def encoded(value):
    return json.dumps(value).encode()


# --- matrices ---


def product(a, b):
    return [[sum(a[i][k] * b[k][j] for k in range(4)) for j in range(4)] for i in range(4)]


def turned(axis, degrees):
    """The elementary rotation about an axis: 0 x, 1 y, 2 z."""
    c, s = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
    i, j = (axis + 1) % 3, (axis + 2) % 3
    matrix = [[float(r == k) for k in range(4)] for r in range(4)]
    matrix[i][i], matrix[i][j], matrix[j][i], matrix[j][j] = c, -s, s, c
    return matrix


def shifted(x, y, z):
    matrix = turned(0, 0)
    for row, value in enumerate((x, y, z)):
        matrix[row][3] = value
    return matrix


def matrix_of(transforms):
    """What the transforms of a sample mean in axes X right, Y forward, Z up, row by row."""
    whole = shifted(0, 0, 0)
    for step in transforms:
        place, turn = step["translation"], step["rotation"]
        for part in (shifted(place["x"], place["y"], place["z"]), turned(2, turn["pan"]),
                     turned(0, turn["tilt"]), turned(1, turn["roll"])):
            whole = product(whole, part)
    return [number for row in whole for number in row]


class Sender:
    """A tracker on an address of this machine."""

    def __init__(self, place, address="127.0.0.1"):
        self.place = place
        self.sequence = 0
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_IF,
                               socket.inet_aton("127.0.0.1"))
        self.socket.bind((address, 0))

    def put(self, *datagrams):
        for datagram in datagrams:
            self.socket.sendto(datagram, self.place)

    def send(self, value, encoding=JSON, count=1, step=1):
        """Sends a sample, encoded already if it is bytes."""
        content = value if isinstance(value, bytes) else encoded(value)
        datagrams = segments(content, count, self.sequence, encoding, step)
        self.sequence = self.sequence + (len(datagrams) if step else 1) & 0xffff
        self.put(*datagrams)

    def close(self):
        self.socket.close()
