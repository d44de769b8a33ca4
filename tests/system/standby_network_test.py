"""A server in a network namespace of its own, so that its way to the database can be cut: packets go
nowhere, and neither end is told. Needs root and iproute2; else it is skipped, and says so."""

import os
import shutil
import subprocess
import sys
import unittest

import database
import standby_test
from support import Server, free_port

SKIPPED = 77  # as ctest knows it


def ip(*arguments):
    subprocess.run(["ip", *arguments], check=True, capture_output=True)


class Namespace:
    """A network with two ways out: `link` leads to the database, `front` to the clients."""

    def __init__(self):
        self.name = f"diorama{os.getpid()}"
        part = os.getpid() % 200
        self.database, self.front = f"10.213.{part}.1", f"10.214.{part}.2"
        self.link = f"dl{os.getpid()}"
        ip("netns", "add", self.name)
        for device, near, far in ((self.link, self.database, f"10.213.{part}.2"),
                                  (f"df{os.getpid()}", f"10.214.{part}.1", self.front)):
            inside = device + "i"
            ip("link", "add", device, "type", "veth", "peer", "name", inside, "netns", self.name)
            ip("address", "add", near + "/30", "dev", device)
            ip("link", "set", device, "up")
            ip("-n", self.name, "address", "add", far + "/30", "dev", inside)
            ip("-n", self.name, "link", "set", inside, "up")
        ip("-n", self.name, "link", "set", "lo", "up")

    def shut(self):
        ip("link", "set", self.link, "down")

    def open(self):
        ip("link", "set", self.link, "up")

    def close(self):
        ip("netns", "del", self.name)  # the devices go with it


class ServerInside(Server):
    """Listens on all addresses of the namespace."""

    def __init__(self, network, **flags):
        super().__init__(http_host="0.0.0.0", auth_allow_anonymous="true", **flags)
        self.network, self.address = network, network.front

    def program(self):
        script = os.path.join(self.folder, "inside")
        with open(script, "w") as file:
            file.write(f"#!/bin/sh\nexec ip netns exec {self.network.name} {os.path.abspath(super().program())} \"$@\"\n")
        os.chmod(script, 0o755)
        return script


class Cut(standby_test.StandbyCase, unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.network = Namespace()
        cls.addClassCleanup(cls.network.close)
        super().setUpClass()

    @classmethod
    def make_cluster(cls):
        cluster = database.Cluster(listen_addresses=cls.network.database, port=str(free_port()))
        cluster.admit(f"{cls.network.database}/30")
        return cluster

    def server_on(self, uri=None, **flags):
        if not uri and "store_uri" not in flags:
            return super().server_on(**flags)
        server = ServerInside(self.network, **{"store_allow_async": "true", **flags})
        self.addCleanup(server.end)
        return server

    def test_one_that_loses_the_network_stops_answering_before_it_is_replaced(self):
        name = self.uri.partition("?")[0].rpartition("/")[2]
        self.start_both(store_uri=self.cluster.network_uri(self.network.database, name))
        for _ in range(standby_test.ROUNDS):
            self.cut(self.network)


def main():
    if not database.programs():
        print("PostgreSQL is not installed (tools/install-packages test)")
        sys.exit(SKIPPED)
    if os.geteuid() != 0 or not shutil.which("ip") or subprocess.run(
            ["ip", "netns", "add", f"try{os.getpid()}"], capture_output=True, check=False).returncode:
        print("no network namespace can be made: that needs root and iproute2")
        sys.exit(SKIPPED)
    ip("netns", "del", f"try{os.getpid()}")
    unittest.main()


if __name__ == "__main__":
    main()
