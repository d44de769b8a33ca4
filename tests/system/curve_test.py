#!/usr/bin/python3
"""PUB with CURVE: who may subscribe, and consumers of each kind."""

import os
import pathlib
import shutil
import stat
import subprocess
import tempfile
import unittest

import zmq
import zmq.auth

from feeds import Subscriber
from support import BIN, Server, ServerCase, wait_until, with_shards

ROOT = pathlib.Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "tools" / "examples"
REFUSED = "diorama_pub_refused_connections_total"


class CurveCase(ServerCase):
    """A server with CURVE, and keys of alice, whom it knows, and of mallory, whom it does not."""

    flags = None

    def setUp(self):
        super().setUp()
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="diorama-curve-"))
        self.addCleanup(shutil.rmtree, self.folder)
        self.curve = self.folder / "curve"
        self.start_server(pub_curve_dir=self.curve)
        for name in ("alice", "mallory"):
            subprocess.run([os.path.join(BIN, "diorama"), "keygen", self.folder / f"{name}.key"],
                           check=True, capture_output=True)
        self.admit("alice")

    def admit(self, name):
        shutil.copy(self.folder / f"{name}.key", self.curve / "clients")

    def keys(self, name):
        return str(self.folder / f"{name}.key_secret"), str(self.curve / "server.key")

    def subscriber(self, name="alice"):
        subscriber = Subscriber(self.server, keys=self.keys(name))
        self.addCleanup(subscriber.close)
        return subscriber

    def hears(self, subscriber, name):
        self.client.put_scene(self.scene, name=name)
        subscriber.wait_for(lambda message: message.body and message.body.get("name") == name)

    def refused(self):
        return self.server.metrics()[REFUSED]


@with_shards(1)
class Keys(CurveCase):
    def test_the_server_makes_its_key_at_the_first_start_and_keeps_it(self):
        secret = self.curve / "server.key_secret"
        self.assertEqual(stat.S_IMODE(secret.stat().st_mode), 0o600)
        self.assertNotIn("secret-key", (self.curve / "server.key").read_text())
        before = secret.read_bytes()
        self.restart()
        self.assertEqual(secret.read_bytes(), before)
        self.hears(self.subscriber(), "again")

    def test_a_client_is_added_without_restart(self):
        other = self.folder / "bob"
        other.mkdir()
        zmq.auth.create_certificates(other, "bob")  # the other way to make keys
        shutil.move(other / "bob.key", self.curve / "clients")
        shutil.move(other / "bob.key_secret", self.folder)
        self.hears(self.subscriber("bob"), "b")

    def test_a_removed_client_is_out_within_seconds_and_others_come_back(self):
        self.admit("mallory")
        alice, mallory = self.subscriber(), self.subscriber("mallory")
        (self.curve / "clients" / "mallory.key").unlink()
        wait_until(lambda: self.refused() == 1, what="the refusal of who comes again")
        heard = len(mallory.inbox.items)
        wait_until(lambda: self.server.metrics()["diorama_pub_subscribers"] == 1, what="alice alone")
        beats = len(alice.inbox.items)
        wait_until(lambda: len(alice.inbox.items) > beats, what="a heartbeat for alice")
        self.hears(alice, "after")
        self.assertEqual(len(mallory.inbox.items), heard)

    def test_a_key_that_was_replaced_in_its_file_is_another_one(self):
        clients = self.curve / "clients"
        (clients / "alice.key").write_bytes((self.folder / "mallory.key").read_bytes())
        self.hears(self.subscriber("mallory"), "m")
        self.stranger("alice")

    def test_files_that_are_no_keys_let_nobody_in_and_keep_nobody_out(self):
        clients = self.curve / "clients"
        (clients / "broken.key").write_bytes(b"\xff\x00 nonsense" * 1000)
        (clients / "empty.key").touch()
        (clients / "folder.key").mkdir()
        (clients / "dangling.key").symlink_to("nowhere")
        self.hears(self.subscriber(), "a")
        self.stranger("mallory")

    def test_who_has_no_keys_at_all_hears_nothing(self):
        with zmq.Context() as context, context.socket(zmq.SUB) as socket:
            socket.linger = 0
            socket.subscribe("")
            socket.rcvtimeo = 1500
            socket.connect(f"tcp://127.0.0.1:{self.server.pub_port}")
            with self.assertRaises(zmq.Again):  # a heartbeat comes each second
                socket.recv()
        self.hears(self.subscriber(), "a")

    def stranger(self, name):
        """Is refused: ZeroMQ tells so, and does not try again."""
        before = self.refused()
        with zmq.Context() as context, context.socket(zmq.SUB) as socket:
            socket.linger = 0
            secret, server = self.keys(name)
            socket.curve_publickey, socket.curve_secretkey = zmq.auth.load_certificate(secret)
            socket.curve_serverkey, _ = zmq.auth.load_certificate(server)
            monitor = socket.get_monitor_socket(zmq.EVENT_HANDSHAKE_FAILED_AUTH)
            socket.connect(f"tcp://127.0.0.1:{self.server.pub_port}")
            self.assertTrue(monitor.poll(20000), "no refusal")
            socket.disable_monitor()
            monitor.close(0)
        self.assertEqual(self.refused(), before + 1)


class Settings(unittest.TestCase):
    def ended(self, **flags):
        """The exit code and last words of a server that does not start."""
        server = Server(**flags)
        self.addCleanup(server.end)
        server.launch()
        code = server.process.wait(20)
        return code, server.log_tail()

    def folder(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        return folder.name

    def test_a_broken_key_of_the_server_is_said_and_not_replaced(self):
        folder = self.folder()
        path = pathlib.Path(folder, "server.key_secret")
        path.write_text("curve\n")
        code, words = self.ended(pub_curve_dir=folder)
        self.assertEqual(code, 2)
        self.assertIn("server.key_secret", words)
        self.assertEqual(path.read_text(), "curve\n")

    def test_a_folder_that_cannot_be_made_is_said(self):
        code, words = self.ended(pub_curve_dir="/proc/nowhere/keys")
        self.assertEqual(code, 2)
        self.assertIn("pub.curve_dir", words)

    def test_keygen_makes_a_pair_once(self):
        path = pathlib.Path(self.folder(), "bob.key")
        command = [os.path.join(BIN, "diorama"), "keygen", path]
        made = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        self.assertIn(made.strip(), path.read_text())
        secret = path.with_name("bob.key_secret")
        self.assertEqual(stat.S_IMODE(secret.stat().st_mode), 0o600)
        before = secret.read_bytes()
        self.assertEqual(subprocess.run(command, capture_output=True, check=False).returncode, 5)
        self.assertEqual(secret.read_bytes(), before)

    def test_watch_wants_both_keys_and_says_which_file_is_none(self):
        def failed(*options):
            watch = subprocess.run([os.path.join(BIN, "diorama"), "watch", *options],
                                   capture_output=True, text=True, check=False)
            self.assertEqual(watch.returncode, 2)
            return watch.stderr

        self.assertIn("need each other", failed("--curve-key", "alice.key"))
        self.assertIn("nobody.key_secret", failed("--curve-key", "nobody.key",
                                                  "--curve-server-key", "server.key"))
        self.assertIn("--snapshot needs --scene", failed("--snapshot"))

    def test_with_curve_users_and_pub_go_together(self):
        server = Server(pub_curve_dir=self.folder(), auth_enabled="true", auth_admin_password="secret")
        self.addCleanup(server.end)
        server.start()


@with_shards(1)
class Consumers(CurveCase):
    """The examples and `diorama watch`, as they stand in the chapter of feeds."""

    def lines_of(self, *command):
        """Starts it, and makes events until it has printed a line."""
        process = subprocess.Popen([str(word) for word in command], stdout=subprocess.PIPE,
                                   stderr=subprocess.DEVNULL)
        self.addCleanup(process.wait)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.kill)
        os.set_blocking(process.stdout.fileno(), False)

        def heard():
            self.client.put_scene(self.scene, name="a")
            return process.stdout.read()

        return wait_until(heard, what=f"a line of {command[0]}").decode()

    def example_in_c(self):
        program = self.folder / "watch"
        subprocess.run(["cc", EXAMPLES / "watch.c", "-o", program, "-lczmq"], check=True)
        return program

    def consumers(self, *options):
        endpoint, topic = f"tcp://127.0.0.1:{self.server.pub_port}", f"scene.{self.scene}."
        secret, server = self.keys("alice")
        in_c = [secret.removesuffix("_secret"), server] if options else []
        in_python = [secret, server] if options else []
        yield [self.example_in_c(), endpoint, topic, *in_c]
        yield ["/usr/bin/python3", EXAMPLES / "watch.py", endpoint, topic, *in_python]
        yield [os.path.join(BIN, "diorama"), "watch", "--pub", endpoint, "--scene", self.scene,
               *options]

    def test_each_hears_events_with_its_keys(self):
        secret, server = self.keys("alice")
        for command in self.consumers("--curve-key", secret, "--curve-server-key", server):
            with self.subTest(str(command[0])):
                self.assertIn(f"scene.{self.scene}.scene.4", self.lines_of(*command))

    def test_each_hears_events_without_curve(self):
        self.server.restart(pub_curve_dir=None)
        self.client = self.connect()
        for command in self.consumers():
            with self.subTest(str(command[0])):
                self.assertIn(f"scene.{self.scene}.scene.4", self.lines_of(*command))


if __name__ == "__main__":
    unittest.main()
