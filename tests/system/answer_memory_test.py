"""What answers take is given back when they are sent, not when their connection asks again."""

import time
import unittest
from concurrent.futures import ThreadPoolExecutor

from support import ServerCase, is_sanitized, object_path, wait_until

MIB = 1 << 20
CONNECTIONS = 100


@unittest.skipIf(is_sanitized(), "it looks at memory")
class AnswerMemory(ServerCase, unittest.TestCase):
    def large_object(self):
        self.client.put_scene("hall")
        key, = self.client.create("hall", {"name": "large", "assets": ["a" * 4000] * 240})
        return object_path("hall", key)

    def test_idle_connections_keep_nothing_of_large_answers(self):
        self.start_server()
        path = self.large_object()
        self.assertGreater(len(self.client.get(path).content), 900000)
        before = self.server.resident_bytes()
        for _ in range(CONNECTIONS):
            self.assertEqual(200, self.connect().get(path).status)  # it stays open
        self.assertLess(self.server.resident_bytes() - before, 32 * MIB)

    def gives_back(self, path):
        """Whether a MiB goes in the seconds after many large answers. Where their end is slow, the server may have rested
        before anybody looks."""
        def read(_):
            client = self.connect()
            for _ in range(30):  # more than half a second of a processor in all
                client.get(path)

        with ThreadPoolExecutor(40) as pool:
            list(pool.map(read, range(40)))
        busy, end = self.server.resident_bytes(), time.monotonic() + 5
        while time.monotonic() < end:
            if busy - self.server.resident_bytes() >= MIB:
                return True
            time.sleep(0.05)
        return False

    def test_a_server_that_rests_gives_back_what_requests_took(self):
        self.start_server()
        path = self.large_object()
        wait_until(lambda: self.gives_back(path), 60)


if __name__ == "__main__":
    unittest.main()
