"""Sealed datagrams: what is sent to devices and by them, and what is not taken."""

import json
import os
import signal
import subprocess
import threading
import unittest

from feeds import Subscriber, UdpDevice, hello
from packed import place
from people import FLAGS, PeopleCase
from sealed import HEAD, TAG, SealedDevice
from support import BIN, ServerCase, moved, wait_until

DROPPED = 'diorama_udp_dropped_datagrams_total{reason="%s"}'


class SealedCase(ServerCase):
    def setUp(self):
        super().setUp()
        self.who = self.client
        self.x = 0

    def sealed(self, address="127.0.0.1", **members):
        device = SealedDevice("s-" + self.scene, address=address)
        self.addCleanup(device.close)
        self.answer = self.who.register(self.scene, device.record(**members))
        device.take_key(self.answer)
        return device

    def cube(self):
        [key] = self.who.create(self.scene, {"name": "cube"})
        return key

    def move(self, key):
        self.x += 1
        return {"msg_type": 1, "key": key, "transform": moved(self.x)}

    def x_of(self, key):
        return self.who.object(self.scene, key)["transform"][3]

    def counted(self, reason):
        return self.server.metrics()[DROPPED % reason]

    def assert_moves(self, device, key):
        message = self.move(key)
        datagram = device.send(self.server, message)
        wait_until(lambda: self.x_of(key) == self.x, what="the update")
        return datagram

    def assert_dropped(self, reason, send):
        """What was sent is counted once, and changes nothing."""
        before = self.server.metrics()
        send()
        wait_until(lambda: self.counted(reason) == before[DROPPED % reason] + 1,
                   what=f"the count of {reason}")
        after = self.server.metrics()
        changed = [name for name in after if name.startswith("diorama_udp_dropped")
                   and after[name] != before.get(name)]
        self.assertEqual(changed, [DROPPED % reason])

    def assert_hears(self, device, key):
        self.assert_moves(device, key)
        wait_until(lambda: device.places().get(key) == [self.x, 0, 0], what="the event")


class Sealed(SealedCase, unittest.TestCase):
    def test_both_directions_are_sealed_with_39_bytes_more(self):
        device = self.sealed()
        key = self.cube()
        datagram = self.assert_moves(device, key)
        wait_until(lambda: device.places().get(key) == [1, 0, 0], what="the event")
        self.assertEqual(len(datagram) - HEAD - TAG, len(datagram) - 39)
        self.assertLessEqual(max(map(len, device.raw)), 1200)
        for raw in device.raw:
            self.assertNotIn(key.encode(), raw)
        wait_until(lambda: len(device.raw) == len(device.inbox.items), what="all that came is opened")
        self.assertEqual(device.gaps(), [])

    def test_the_answer_has_a_key_and_no_token_and_nobody_else_sees_the_key(self):
        subscriber = Subscriber(self.server)
        self.addCleanup(subscriber.close)
        device = self.sealed()
        feed = self.answer["udp"]
        self.assertEqual(sorted(feed), ["expires_s", "seal_id", "seal_key", "state"])
        self.assertEqual((len(feed["seal_id"]), len(feed["seal_key"]), feed["state"]),
                         (16, 43, "active"))
        found = subscriber.wait_for(lambda m: m.topic.endswith("device.43") and
                                    m.header["scene"] == self.scene)
        for shown in (str(found), self.who.get(f"/v1/scene/{self.scene}").text,
                      self.who.get("/v1/device").text, self.server.log_text()):
            self.assertNotIn(feed["seal_key"], shown)
        [listed] = [d for d in self.who.get(f"/v1/device?scene={self.scene}").body
                    if d["key"] == device.key]
        self.assertEqual((listed["form"], listed["rate"]), ("sealed", 60))

    def test_what_is_recorded_forged_or_cut_is_dropped_and_not_answered(self):
        device = self.sealed()
        key = self.cube()
        recorded = self.assert_moves(device, key)
        self.assert_moves(device, key)
        forged = device.sealed(self.move(key))
        flipped = forged[:-1] + bytes([forged[-1] ^ 1])
        counted_on = forged[:22] + bytes([forged[22] ^ 1]) + forged[23:]
        for reason, datagram in (
                ("replayed", recorded), ("forged", flipped), ("forged", counted_on),
                ("forged", forged[:-1]), ("forged", forged + b"\0"), ("malformed", forged[:38]),
                ("malformed", forged[:1]), ("token", forged[:1] + b"\0" * 8 + forged[9:]),
                ("too_large", forged.ljust(9000, b"\0"))):
            self.assert_dropped(reason, lambda d=datagram: device.send_raw(self.server, d))
        self.assertEqual(self.x_of(key), 2)
        self.assertEqual(device.answers(), [])
        device.send_raw(self.server, forged)
        wait_until(lambda: self.x_of(key) == 3, what="the update itself")

    def test_counters_may_come_in_another_order_but_not_far_behind(self):
        device = self.sealed()
        key = self.cube()
        late = [device.sealed(self.move(key)) for _ in range(3)]
        self.assert_moves(device, key)
        for number, datagram in reversed(list(enumerate(late, 1))):
            device.send_raw(self.server, datagram)
            wait_until(lambda: self.x_of(key) == number, what="a late update")
        old = device.sealed(self.move(key))
        device.counter += 1024
        self.assert_moves(device, key)
        self.assert_dropped("replayed", lambda: device.send_raw(self.server, old))

    def test_a_counter_that_jumps_to_its_end_leaves_all_but_its_window_behind(self):
        device = self.sealed()
        key = self.cube()
        self.assert_moves(device, key)
        device.counter = 2 ** 48 - 1
        self.assert_moves(device, key)
        for counter, is_taken in ((0, False), (2, False), (2 ** 48 - 1025, False), (2 ** 48 - 1024, True)):
            device.counter = counter
            if is_taken:
                self.assert_moves(device, key)
            else:
                self.assert_dropped("replayed", lambda: device.send(self.server, self.move(key)))

    def test_of_a_datagram_that_is_cut_anywhere_nothing_is_taken_or_answered(self):
        device = self.sealed()
        key = self.cube()
        whole = device.sealed(self.move(key))
        clear = json.dumps(self.move(key)).encode()
        wanted = {reason: self.counted(reason) for reason in ("malformed", "forged")}
        for datagram in (whole, clear):
            for size in range(len(datagram)):
                is_sealed = datagram is whole and size >= HEAD + TAG
                wanted["forged" if is_sealed else "malformed"] += 1
                device.send_raw(self.server, datagram[:size])
            # What one burst may have is left to no buffer of the kernel.
            wait_until(lambda: wanted == {reason: self.counted(reason) for reason in wanted},
                       what="the counts")
        self.assertEqual(device.answers(), [])
        self.assertEqual(0, self.x_of(key))

    def test_a_device_that_begins_again_has_to_say_hello(self):
        device = self.sealed()
        key = self.cube()
        recorded = self.assert_moves(device, key)
        echo = device.echo(self.server, None, device.answered_hello(self.server))
        device.begin()
        self.assert_dropped("session", lambda: device.send(self.server, self.move(key)))
        device.prove(self.server, None)
        self.assert_hears(device, key)
        for old in (recorded, echo):
            self.assert_dropped("session" if old is recorded else "proof",
                                lambda d=old: device.send_raw(self.server, d))
        self.assert_moves(device, key)

    def test_a_registration_that_is_renewed_has_another_key(self):
        device = self.sealed()
        key = self.cube()
        recorded = self.assert_moves(device, key)
        old = device.sealed(self.move(key))
        device.take_key(self.who.register(self.scene, device.record()))
        for datagram in (recorded, old):
            self.assert_dropped("token", lambda d=datagram: device.send_raw(self.server, d))
        self.assert_hears(device, key)

    def test_an_alignment_does_not_end_the_session(self):
        device = self.sealed()
        key = self.cube()
        recorded = self.assert_moves(device, key)
        pose = {"translation": [1, 0, 0], "rotation": [0, 0, 0]}
        self.who.ok("POST", f"/v1/scene/{self.scene}/align", {"scenes": [
            {"key": self.scene, "devices": [{"key": device.key, "transform": pose}]}]})
        self.assert_moves(device, key)
        self.assert_dropped("replayed", lambda: device.send_raw(self.server, recorded))

    def test_a_device_elsewhere_proves_its_address_inside_the_seal(self):
        device = self.sealed(address="127.0.0.21")
        key = self.cube()
        self.assertEqual(self.answer["udp"]["state"], "pending")
        self.assert_moves(device, key)
        self.assertEqual(device.changes(), [])
        device.prove(self.server, None)
        self.assert_hears(device, key)

    def test_who_only_sends_needs_no_address(self):
        device = SealedDevice("s")
        self.addCleanup(device.close)
        answer = self.who.register(self.scene, {"key": "s", "connection_string": "udp+sealed://"})
        self.assertEqual(answer["udp"]["state"], "none")
        device.take_key(answer)
        key = self.cube()
        self.assert_moves(device, key)
        device.prove(self.server, None)
        self.assert_hears(device, key)

    def test_what_was_lost_is_asked_for_inside_the_seal(self):
        device = self.sealed()
        key = self.cube()
        self.assert_hears(device, key)
        last = device.packets()[-1].seq
        before = len(device.packets())
        device.send(self.server, {"msg_type": 63, "from": last, "to": last})
        found = wait_until(lambda: [p for p in device.packets()[before:]
                                    if p.prev == last - 1 and p.seq == last], what="the answer")
        self.assertEqual(place(found[0].changes[0][2]["transform"]), [self.x, 0, 0])

    def test_it_ends_with_the_registration(self):
        device = self.sealed()
        key = self.cube()
        self.assert_hears(device, key)
        self.who.deregister(self.scene, device.key)
        self.assert_dropped("token", lambda: device.send(self.server, self.move(key)))

    def test_a_sealed_datagram_moves_what_is_in_its_scene_alone(self):
        device = self.sealed()
        self.who.put_scene(self.scene + "-b")
        [other] = self.who.create(self.scene + "-b", {"name": "cube"})
        self.assert_dropped("token", lambda: device.send(self.server, self.move(other)))

    def test_the_hash_that_names_a_sender_is_no_token_in_the_clear(self):
        device = self.sealed()
        key = self.cube()
        self.assert_moves(device, key)
        plain = UdpDevice("p")
        self.addCleanup(plain.close)
        for token in ("0" * 32, self.answer["udp"]["seal_id"] * 2, "\1" + "0" * 32):
            self.assert_dropped("token", lambda t=token: plain.send(
                self.server, {**self.move(key), "token": t}))

    def test_what_a_connection_string_may_ask_for(self):
        for wrong in ("udp+sealed://localhost", "udp+sealed://localhost:5000?rate=0",
                      "udp+sealed://localhost:5000?rate=241", "udp+sealed://localhost:5000/x",
                      "udp+sealed://:5000", "udp+sealed://localhost:80"):
            answer = self.who.post(f"/v1/scene/{self.scene}/register", {"scenes": [
                {"key": self.scene, "devices": [{"key": "w", "connection_string": wrong}]}]})
            self.assertEqual((answer.status, answer.body["errors"][0]["pointer"]),
                             (422, "/scenes/0/devices/0/connection_string"), wrong)


class SealedCommands(SealedCase, unittest.TestCase):
    """`diorama listen --sealed` hears what `diorama replay --sealed` says, also after a restart."""
    flags = {"udp_require_sealed": "true"}

    def listener(self):
        process = subprocess.Popen(
            [os.path.join(BIN, "diorama"), "listen", f"--scene={self.scene}", "--sealed",
             f"--http=http://127.0.0.1:{self.server.http_port}"],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(process.__exit__, None, None, None)
        self.addCleanup(process.kill)
        lines = []
        threading.Thread(target=lambda: lines.extend(process.stdout), daemon=True).start()
        self.assertIn("udp=active", process.stderr.readline())
        return process, lines

    def replay(self):
        path = os.path.join(self.server.folder, "walk")
        with open(path, "w") as walk:
            walk.writelines(f"7 {frame} {frame * 100} 0 0\n" for frame in range(11))
        subprocess.run([os.path.join(BIN, "diorama"), "replay", path, f"--scene={self.scene}",
                        f"--http=http://127.0.0.1:{self.server.http_port}", "--rate=50", "--sealed",
                        "--no-settle", f"--udp=127.0.0.1:{self.server.udp_port}"], check=True,
                       capture_output=True, timeout=60)

    def test_a_replay_is_heard(self):
        process, lines = self.listener()
        self.replay()
        place = lambda: [json.loads(line)["transform"][3] for line in list(lines)]
        wait_until(lambda: 10.0 in place(), what="the last place")
        process.send_signal(signal.SIGINT)
        self.assertIn("gaps=0 lost=0 back=0 unreadable=0", process.communicate()[1])


class SealedListenerAfterRestart(SealedCase, unittest.TestCase):
    flags = {}

    def test_a_listener_goes_on(self):
        _, lines = SealedCommands.listener(self)
        key = self.cube()
        wait_until(lambda: any(key in line for line in lines), what="the first event")
        self.restart("restart", keeps_ports=True)
        self.who = self.client

        def has_heard():
            self.x += 1
            self.who.update(self.scene, key, translation=[self.x, 0, 0])
            return len({json.loads(line)["epoch"] for line in list(lines)}) == 2
        wait_until(has_heard, what="an event of the second start")


class SealedAfterRestart(SealedCase, unittest.TestCase):
    flags = {}

    def test_nothing_recorded_before_is_taken_after_a_crash(self):
        device = self.sealed()
        key = self.cube()
        self.assert_hears(device, key)
        recorded = device.sealed(self.move(key))
        sessions = {raw[9:17] for raw in device.raw}
        self.restart("crash")
        self.who = self.client
        for datagram in (recorded, device.sealed(self.move(key))):
            self.assert_dropped("session", lambda d=datagram: device.send_raw(self.server, d))
        device.prove(self.server, None)
        self.assert_hears(device, key)
        self.assert_dropped("replayed", lambda: device.send_raw(self.server, recorded))
        now = {raw[9:17] for raw in device.raw} - sessions
        self.assertEqual((len(sessions), len(now)), (1, 1))


class SealedRequired(SealedCase, unittest.TestCase):
    flags = {"udp_require_sealed": "true"}

    def refusal(self, **members):
        answer = self.who.post(f"/v1/scene/{self.scene}/register", {"scenes": [
            {"key": self.scene, "devices": [{"key": "w", **members}]}]})
        self.assertEqual(answer.status, 422, answer)
        [error] = answer.body["errors"]
        self.assertIn("udp.require_sealed", error["detail"])
        return error["pointer"].removeprefix("/scenes/0/devices/0/")

    def test_a_feed_in_the_clear_is_refused(self):
        self.assertEqual([
            self.refusal(hostname="127.0.0.1", port=5000),
            self.refusal(connection_string="udp://127.0.0.1:5000"),
            self.refusal(connection_string="udp+msgpack://127.0.0.1:5000"),
        ], ["hostname", "connection_string", "connection_string"])

    def test_updates_in_the_clear_are_dropped_and_sealed_ones_taken(self):
        device = self.sealed()
        plain = UdpDevice("p")
        self.addCleanup(plain.close)
        token = self.who.register(self.scene, {"key": "p"})["udp"]["token"]
        key = self.cube()
        for message in (self.move(key), {**self.move(key), "token": token}, hello(token), b"\0"):
            self.assert_dropped("unsealed", lambda m=message: plain.send(self.server, m))
        self.assert_hears(device, key)
        self.assertEqual(plain.inbox.items, [])


class SealedRequiredLater(SealedCase, unittest.TestCase):
    flags = {}

    def test_feeds_that_were_asked_for_before_end(self):
        plain = UdpDevice("p")
        self.addCleanup(plain.close)
        self.client.register(self.scene, plain.record())
        key = self.cube()
        plain.wait_for(lambda event: event["key"] == key)
        self.restart("restart", udp_require_sealed="true")
        self.who = self.client
        before = len(plain.inbox.items)
        device = self.sealed()
        self.assert_hears(device, key)
        self.assertEqual(len(plain.inbox.items), before)


class SealedWithUsers(PeopleCase, SealedCase, unittest.TestCase):
    flags = FLAGS

    def setUp(self):
        super().setUp()
        self.who = self.admin
        self.admin.put_scene(self.scene, public=True)

    def test_it_ends_with_the_access_of_its_user(self):
        user = self.new_person("sealed-eve")
        self.addCleanup(user.close)
        key = self.cube()
        self.who = user
        device = self.sealed()
        self.who = self.admin
        self.assert_moves(device, key)
        self.assertEqual(self.admin.delete(f"/v1/users/{user.id}/active").status, 200)
        self.assert_dropped("token", lambda: device.send(self.server, self.move(key)))

    def test_it_ends_when_the_scene_becomes_private(self):
        user = self.new_person("sealed-mallory")
        self.addCleanup(user.close)
        key = self.cube()
        self.who = user
        device = self.sealed()
        self.who = self.admin
        self.assert_moves(device, key)
        self.admin.put_scene(self.scene, public=False)
        self.assert_dropped("token", lambda: device.send(self.server, self.move(key)))


if __name__ == "__main__":
    unittest.main()
