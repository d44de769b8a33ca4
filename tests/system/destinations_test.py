"""A registration must never be a weapon."""

import json
import os
import socket
import subprocess
import unittest

from feeds import UdpDevice, hello
from support import BIN, LONG, ServerCase, scene_path, scenes, wait_until

VICTIM = "127.0.0.66"  # never the peer of a request
ELSEWHERE = (f"127.0.5.{n}" for n in range(1, 255))  # of devices that are not where requests are from
REGISTRATIONS = 1000 if LONG else 300
DROPPED = 'diorama_udp_dropped_datagrams_total{reason="%s"}'
CHALLENGES = "diorama_udp_challenges_total"

# What must be refused, as a host of any member.
HOSTS = ("0.0.0.0", "0.1.2.3", "0.0.0.66", "224.0.0.1", "239.255.255.250", "240.0.0.1",
         "255.255.255.255", "169.254.169.254", "169.254.0.1", "127.1", "0x7f.1", "0x7f000001",
         "2130706433", "127.0.0.066", "0177.0.0.1", "1.2.3", "256.1.1.1", "a_b", "a/b", "x" * 254)
V6_HOSTS = ("::", "::2", "ff02::1", "fe80::1", "::ffff:0.0.0.0", "::ffff:224.0.0.1",
            "::ffff:169.254.1.1", "::ffff:255.255.255.255", "::127.0.0.66")
PORTS = (0, 1, 53, 123, 1023, 65536)


def hostile_records(own_port):
    """Registrations that must be 422, whoever sends them."""
    for host in HOSTS + V6_HOSTS:
        yield {"hostname": host, "port": 9000}
    for host in HOSTS + tuple(f"[{host}]" for host in V6_HOSTS):
        yield {"connection_string": f"udp://{host}:9000"}
    for port in (*PORTS[1:], own_port):
        yield {"hostname": VICTIM, "port": port}
    for host in (VICTIM, "::ffff:" + VICTIM):
        yield {"hostname": host, "port": own_port}
    for port in (*PORTS, own_port):
        yield {"connection_string": f"udp+msgpack://{VICTIM}:{port}?rate=240"}


class Feed(ServerCase):
    def setUp(self):
        super().setUp()
        self.elsewhere = next(ELSEWHERE)  # a fresh one: an address gets few challenges a minute
        self.friend = self.device("friend")
        self.client.register(self.scene, self.friend.record())

    def device(self, key, address="127.0.0.1"):
        device = UdpDevice(key, address)
        self.addCleanup(device.close)
        return device

    def happen(self):
        """Something happens in the scene; the key of it, when the friend has heard."""
        [key] = self.client.create(self.scene, {"name": "o"})
        self.friend.wait_for(lambda event: event.get("key") == key)
        return key

    def assert_hears(self, device):
        key = self.happen()
        device.wait_for(lambda event: event.get("key") == key)

    def assert_deaf(self, device, count=None):
        """It hears nothing of what happens; `count` is of the datagrams that it has."""
        before = len(device.inbox.items) if count is None else count
        self.happen()
        self.assertEqual(len(device.inbox.items), before)

    def counted(self, name):
        return self.server.metrics()[name]


class Victim(Feed, unittest.TestCase):
    def test_what_must_not_be_sent_to_is_refused(self):
        records = list(hostile_records(self.server.udp_port))
        self.assertGreaterEqual(len(records), 60)
        accepted = []
        for record in records:
            answer = self.client.post(scene_path(self.scene) + "/register",
                                      scenes({"devices": [{"key": "d", **record}]}))
            if answer.status != 422 or answer.body["err_code"] != 111:
                accepted.append((record, answer))
        self.assertEqual(accepted, [])

    def test_a_stranger_gets_less_than_was_sent_for_it_and_no_event(self):
        victims = [self.device(f"victim{n}", VICTIM) for n in range(3)]
        sent, tokens = 0, []
        for number in range(REGISTRATIONS):
            victim = victims[number % len(victims)]
            where = ({"hostname": VICTIM, "port": victim.port},
                     {"connection_string": f"udp://{VICTIM}:{victim.port}"},
                     {"connection_string": f"udp+msgpack://{VICTIM}:{victim.port}?rate=240"},
                     )[number % 7 % 3]
            record = {"key": f"d{number % 200}", **where}
            sent += len(json.dumps(scenes({"devices": [record]})))
            answer = self.client.register(self.scene, record)
            self.assertEqual(answer["udp"]["state"], "pending", record)
            tokens.append((victim, answer["udp"]["token"]))
        # As if from the victim: somebody else wrote its address on them.
        for victim, token in tokens[-200:]:
            victim.send(self.server, hello(token))
            victim.echo(self.server, token, "0" * 32)
            sent += 256
        for _ in range(20):
            self.happen()
        received = [datagram.content for victim in victims for datagram in victim.inbox.items]
        self.assertEqual({(json.loads(content)["msg_type"], len(content)) for content in received},
                         {(61, 62)})
        self.assertLessEqual(len(received), 10, "in a minute")
        self.assertLessEqual(sum(map(len, received)), sent)

    def test_hello_of_nobody_is_not_answered(self):
        stranger = self.device("stranger", VICTIM)
        # A streamer that is slow has too many of them under way: those are counted as busy.
        dropped = lambda: self.counted(DROPPED % "token") + self.counted(DROPPED % "busy")
        before = dropped(), self.counted(CHALLENGES)
        for _ in range(50):
            stranger.send(self.server, hello("A" * 22))
        wait_until(lambda: dropped() == before[0] + 50, what="the count")
        self.assertEqual(self.counted(CHALLENGES), before[1])
        self.assertEqual(stranger.inbox.items, [])


class Proof(Feed, unittest.TestCase):
    def pending(self, device):
        """The token of a device that is not where its request comes from."""
        answer = self.client.register(self.scene, device.record())
        self.assertEqual(answer["udp"]["state"], "pending")
        return answer["udp"]["token"]

    def test_who_answers_the_unasked_challenge_is_sent_to(self):
        device = self.device("d", self.elsewhere)
        token = self.pending(device)
        wait_until(device.challenges, what="the challenge")
        device.echo(self.server, token, device.challenges()[0])
        device.prove(self.server, token)
        self.assert_hears(device)

    def test_whoever_says_hello_is_sent_to_where_they_are(self):
        device = self.device("d", self.elsewhere)
        token = self.client.register(self.scene, {"key": "d"})["udp"]["token"]
        self.assert_deaf(device, 0)
        device.prove(self.server, token)
        self.assert_hears(device)

    def test_a_port_that_changes_is_followed(self):
        first, second = self.device("d", self.elsewhere), self.device("d", self.elsewhere)
        token = self.pending(first)
        first.prove(self.server, token)
        self.assert_hears(first)
        second.prove(self.server, token)
        self.assert_hears(second)
        self.assert_deaf(first)

    def test_the_echo_of_another_socket_proves_nothing(self):
        device, other = self.device("d", self.elsewhere), self.device("d", self.elsewhere)
        token = self.pending(device)
        before = self.counted(DROPPED % "proof")
        other.echo(self.server, token, device.answered_hello(self.server, token))
        wait_until(lambda: self.counted(DROPPED % "proof") == before + 1, what="the count")
        self.assert_deaf(other)

    def test_the_proof_ends_with_the_registration(self):
        device = self.device("d", self.elsewhere)
        token = self.pending(device)
        device.prove(self.server, token)
        self.client.deregister(self.scene, "d")
        self.happen()  # behind it: the streamer knows
        before = self.counted(DROPPED % "token")
        device.send(self.server, hello(token))
        wait_until(lambda: self.counted(DROPPED % "token") == before + 1, what="the count")
        self.assert_deaf(device)

    def test_only_where_it_is_sent_to_a_device_may_ask_for_more(self):
        device = self.device("d", self.elsewhere)
        token = self.pending(device)
        self.happen()  # behind the registration: the streamer knows
        ask = {"msg_type": 63, "token": token, "from": 1, "to": 2}
        before = self.counted(DROPPED % "proof")
        device.send(self.server, ask)
        wait_until(lambda: self.counted(DROPPED % "proof") == before + 1, what="the count")
        device.prove(self.server, token)
        device.send(self.server, ask)
        self.assert_hears(device)
        self.assertEqual(self.counted(DROPPED % "proof"), before + 1)

    def test_a_listener_proves_itself(self):
        process = subprocess.Popen(
            [os.path.join(BIN, "diorama"), "listen", f"--scene={self.scene}", f"--bind={self.elsewhere}",
             "--device=l", "--count=1", f"--http=http://127.0.0.1:{self.server.http_port}"],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)

        def has_heard():
            self.happen()
            return process.poll() is not None
        wait_until(has_heard, what="the listener's event")
        out, err = process.communicate()
        self.assertEqual(process.returncode, 0, err)
        self.assertIn("udp=pending", err)
        self.assertEqual([json.loads(line)["name"] for line in out.splitlines()], ["o"])


class ProofAfterRestart(Feed, unittest.TestCase):
    flags = {}

    def test_a_device_that_says_hello_after_a_restart_is_sent_to_again(self):
        device = self.device("d", self.elsewhere)
        token = self.client.register(self.scene, device.record())["udp"]["token"]
        device.prove(self.server, token)
        self.assert_hears(device)
        self.restart("crash")
        heard = len(device.inbox.items)
        self.assert_deaf(device, heard)
        device.prove(self.server, token)
        self.assert_hears(device)


class Ways(ServerCase, unittest.TestCase):
    """A socket that is connected hears only whom it is connected to."""
    flags = {"udp_host": "0.0.0.0", "auth_allow_anonymous": "true"}

    def speaker(self, address):
        speaker = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.addCleanup(speaker.close)
        speaker.settimeout(20)
        speaker.connect((address, self.server.udp_port))
        return speaker

    @staticmethod
    def hear(speaker, member):
        """The next message that has this member: a HELLO said twice is answered twice."""
        while member not in (message := json.loads(speaker.recv(8192))):
            pass
        return message

    def challenge(self, speaker, token):
        """The answer to a HELLO; None while the registration is not known yet."""
        speaker.settimeout(0.2)
        speaker.send(json.dumps({"msg_type": 60, "token": token, "_": " " * 256}).encode())
        try:
            return self.hear(speaker, "challenge")["challenge"]
        except TimeoutError:
            return None
        finally:
            speaker.settimeout(20)

    def test_what_a_device_is_sent_leaves_from_the_address_that_it_asked(self):
        for address in ("127.0.0.2", "127.0.0.1", "127.0.0.3"):
            speaker = self.speaker(address)
            token = self.client.register(self.scene, {"key": "d"})["udp"]["token"]
            challenge = wait_until(lambda: self.challenge(speaker, token), 20, "a challenge")
            speaker.send(json.dumps({"msg_type": 62, "token": token,
                                     "challenge": challenge}).encode())
            wait_until(lambda: self.challenge(speaker, token), 20, "an answer behind the ECHO")
            key, = self.client.create(self.scene, {"name": "a"})
            event = self.hear(speaker, "seq")
            self.assertEqual(event["key"], key)
            speaker.send(json.dumps({"msg_type": 63, "token": token, "from": event["seq"],
                                     "to": event["seq"]}).encode())
            again = self.hear(speaker, "seq")
            self.assertEqual((again["key"], again["seq"]), (key, event["seq"]))


if __name__ == "__main__":
    unittest.main()
