"""`diorama health`, the exit code that supervisors of containers and services ask for."""

import os
import subprocess
import unittest

from support import BIN, Server, free_port


class Health(unittest.TestCase):
    def test_a_ready_server_is_exit_code_0(self):
        server = Server()
        self.addCleanup(server.end)
        server.start()
        self.assertEqual(self.ask(server.http_port), (0, "ready\n", ""))

    def test_no_server_is_exit_code_1_and_the_reason(self):
        code, said, complained = self.ask(free_port())
        self.assertEqual((code, said), (1, ""))
        self.assertRegex(complained, "^diorama health: GET .*/readyz: Failed to connect")

    @staticmethod
    def ask(port):
        done = subprocess.run([os.path.join(BIN, "diorama"), "health",
                               f"--http=http://127.0.0.1:{port}"],
                              capture_output=True, text=True, timeout=40, check=False)
        return done.returncode, done.stdout, done.stderr


if __name__ == "__main__":
    unittest.main()
