"""What answers take is given back when they are sent, not when their connection asks again."""

import os
import subprocess
import unittest

from support import BIN, ServerCase, is_sanitized, object_path, wait_until

MIB = 1 << 20
CONNECTIONS = 100


@unittest.skipIf(is_sanitized(), "it looks at memory")
class AnswerMemory(ServerCase, unittest.TestCase):
    def test_idle_connections_keep_nothing_of_large_answers(self):
        self.start_server()
        self.client.put_scene("hall")
        key, = self.client.create("hall", {"name": "large", "assets": ["a" * 4000] * 240})
        path = object_path("hall", key)
        self.assertGreater(len(self.client.get(path).content), 900000)
        before = self.server.resident_bytes()
        for _ in range(CONNECTIONS):
            self.assertEqual(200, self.connect().get(path).status)  # it stays open
        self.assertLess(self.server.resident_bytes() - before, 32 * MIB)

    def test_a_server_that_rests_gives_back_what_requests_took(self):
        self.start_server(http_threads=256)
        subprocess.run([os.path.join(BIN, "bench_connections"), str(self.server.http_port), "/readyz", "256", "2"],
                       check=True, stdout=subprocess.DEVNULL)
        busy = self.server.resident_bytes()
        wait_until(lambda: busy - self.server.resident_bytes() >= MIB)


if __name__ == "__main__":
    unittest.main()
