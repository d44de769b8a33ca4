"""A listener of the packed UDP form: what it was sent, and the state that it makes of that."""

import struct
from collections import namedtuple

import msgpack

from feeds import UdpDevice

Packed = namedtuple("Packed", "time size epoch prev seq changes")

FIELDS = {1: "name", 2: "scene", 3: "parent", 4: "asset_sub_id", 5: "type", 6: "subtype",
          7: "owner", 8: "frame", 9: "timestamp", 10: "transform", 11: "assets", 15: "actions",
          16: "values", 18: "tags", 19: "extras", 20: "visible", 63: "truncated"}
DELETES = (3, 11)


def place(transform):
    """The translation of either form of a transform, as feed_packed.h has it."""
    numbers = struct.unpack_from("<16d" if len(transform) == 128 else "<3d", transform)
    return [numbers[3], numbers[7], numbers[11]] if len(numbers) == 16 else list(numbers)


class PackedDevice(UdpDevice):
    """The first datagram with changes after the number `loses_after` is lost to it."""

    def __init__(self, key, rate=60, address="127.0.0.1"):
        self.rate, self.loses_after = rate, None
        super().__init__(key, address)

    def record(self, **members):
        return {"key": self.key, **members,
                "connection_string": f"udp+msgpack://{self.address}:{self.port}?rate={self.rate}"}

    def arrived(self):
        """All datagrams, also the one that it loses."""
        return self.arrived_of(list(self.inbox.items))

    @staticmethod
    def arrived_of(datagrams):
        packets = []
        for time, content in datagrams:
            version, epoch, prev, seq, count, changes = msgpack.unpackb(content,
                                                                        strict_map_key=False)
            assert (version, count) == (1, len(changes)), content
            packets.append(Packed(time, len(content), epoch, prev, seq, [
                (kind, key, {FIELDS[field]: value for field, value in fields.items()})
                for kind, key, fields in changes]))
        return packets

    def lost(self):
        return next((packet for packet in self.arrived()
                     if packet.prev == self.loses_after < packet.seq), None)

    def packets(self):
        packets = self.arrived()
        if self.loses_after is not None and self.lost():
            packets.remove(self.lost())
        return packets

    def changes(self):
        return [change for packet in self.packets() for change in packet.changes]

    def gaps(self):
        """Where a datagram does not go on from what came before it."""
        last, found = None, []
        for packet in self.packets():
            if last is not None and packet.prev > last:
                found.append((last, packet.prev))
            last = max(last or 0, packet.seq)
        return found

    def state(self):
        """Members of all things by key, as the changes left them."""
        things = {}
        for kind, key, fields in self.changes():
            if kind in DELETES:
                things.pop(key, None)
            else:
                things.setdefault(key, {}).update(fields)
        return things

    def places(self):
        return {key: place(thing["transform"]) for key, thing in self.state().items()
                if "transform" in thing}
