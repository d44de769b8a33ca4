"""The folder of the data: stops and starts back to back, and whose it is."""

import os
import shutil
import stat
import subprocess
import tempfile
import unittest

from support import BIN, LONG, Client, Server, wait_until

ROUNDS = 300 if LONG else 12


class SealTest(unittest.TestCase):
    """A start that comes while the server before it still stops waits for it: no seal stands beside
    files that go on changing, and no later start is refused."""

    def test_restarts_back_to_back_refuse_no_later_start(self):
        server = Server().start()
        self.addCleanup(server.end)
        seal = os.path.join(server.flags["data_dir"], "store", "SEAL")
        for number in range(ROUNDS):
            old = server.process
            old.terminate()
            server.launch(keeps_ports=True)
            self.assertEqual(0, old.wait(20))
            wait_until(server.is_ready, 30, "readiness")
            self.assertFalse(os.path.exists(seal), f"round {number}: a seal beside a running server")
            with Client(server) as client:
                client.put_scene(f"r{number}", name="round")
            server.crash()
        with Client(server) as client:
            self.assertEqual(ROUNDS, len(client.all_scenes()))


class FolderTest(unittest.TestCase):
    def test_a_folder_that_others_could_read_is_closed_at_the_start(self):
        server = Server()
        self.addCleanup(server.end)
        folder = server.flags["data_dir"]
        os.mkdir(folder)
        os.chmod(folder, 0o755)
        server.start()
        self.assertEqual(0o700, stat.S_IMODE(os.stat(folder).st_mode))
        for where, folders, files in os.walk(folder):
            for name in folders + files:
                mode = stat.S_IMODE(os.stat(os.path.join(where, name)).st_mode)
                self.assertEqual(0, mode & 0o077, f"{name} has mode {mode:o}")

    @unittest.skipUnless(os.geteuid() == 0, "only root gives folders away")
    def test_a_folder_of_another_user_is_refused(self):
        folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, folder)
        os.chown(folder, 12345, 12345)
        end = subprocess.run([os.path.join(BIN, "dioramad"), f"--data.dir={folder}", "--http.port=0",
                              "--udp.port=0", "--pub.endpoint=tcp://127.0.0.1:*"],
                             capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual(1, end.returncode, end.stderr)
        self.assertIn("belongs to another user (12345)", end.stderr)


if __name__ == "__main__":
    unittest.main()
