"""What signals and the service manager mean: SIGHUP reads the configuration again and never kills;
sd_notify is told when the server is ready, alive, and stopping."""

import os
import signal
import socket
import tempfile
import unittest

from support import Client, Server, wait_until


class HangupTest(unittest.TestCase):
    def setUp(self):
        file = tempfile.NamedTemporaryFile("w", suffix=".zpl", delete=False)
        self.config = file.name
        self.addCleanup(os.unlink, self.config)
        self.write("log\n    level = info\n")
        self.server = Server(config=self.config)
        self.addCleanup(self.server.end)
        self.server.start()

    def write(self, text):
        with open(self.config, "w") as file:
            file.write(text)

    def hang_up(self, word):
        self.server.process.send_signal(signal.SIGHUP)
        wait_until(lambda: word in self.server.log_text(), what=word)

    def test_a_level_of_the_log_changes_at_once(self):
        self.write("log\n    level = debug\n")
        self.hang_up("setting_changed key=log.level")
        with Client(self.server) as client:
            client.put_scene("plaza", name="Plaza")
            wait_until(lambda: " debug " in self.server.log_text(), what="a line of debug")

    def test_what_needs_a_restart_is_named_and_kept(self):
        self.write("http\n    threads = 77\nlog\n    level = info\n")
        self.hang_up("setting_needs_restart key=http.threads")
        with Client(self.server) as client:
            self.assertEqual(200, client.get("/readyz").status)

    def test_a_configuration_that_is_wrong_changes_nothing(self):
        self.write("log\n    levle = debug\n")
        self.hang_up("configuration_kept")
        self.assertNotIn("setting_changed", self.server.log_text())
        self.assertTrue(self.server.is_running())


class ServiceManagerTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.manager = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.addCleanup(self.manager.close)
        path = os.path.join(self.folder, "notify")
        self.manager.bind(path)
        self.manager.settimeout(30)
        for name, value in (("NOTIFY_SOCKET", path), ("WATCHDOG_USEC", "400000")):
            os.environ[name] = value
            self.addCleanup(os.environ.pop, name)

    def test_it_hears_of_ready_then_of_life_then_of_the_end(self):
        server = Server()
        self.addCleanup(server.end)
        server.start()
        self.assertEqual(b"READY=1", self.manager.recv(100))
        self.assertEqual(b"WATCHDOG=1", self.manager.recv(100))
        server.process.terminate()
        said = self.manager.recv(100)
        while said == b"WATCHDOG=1":
            said = self.manager.recv(100)
        self.assertEqual(b"STOPPING=1", said)
        self.assertEqual(0, server.process.wait(20))


if __name__ == "__main__":
    unittest.main()
