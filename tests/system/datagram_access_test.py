"""Updates by UDP where users log in: nobody can say yet who sends one, so none counts."""

import unittest

from feeds import UdpDevice
from people import PeopleCase
from support import moved, wait_until

DROPPED = 'diorama_udp_dropped_datagrams_total{reason="token"}'


class DatagramAccess(PeopleCase, unittest.TestCase):
    def test_an_update_without_a_token_changes_nothing_and_is_counted(self):
        [key] = self.admin.create(self.scene, {"name": "cube"})
        device = UdpDevice("d1")
        self.addCleanup(device.close)
        device.send(self.server, {"msg_type": 1, "key": key, "transform": moved(5)})
        wait_until(lambda: self.server.metrics()[DROPPED] == 1, what="the datagram's count")
        self.assertEqual(self.admin.object(self.scene, key)["transform"], moved(0))


if __name__ == "__main__":
    unittest.main()
