"""What kind of file bytes are is told in bounded time: a file made to be slow for libmagic delays
neither its own upload nor those of others."""

import threading
import time
import unittest

from files import upload
from support import Client, ServerCase, is_sanitized, run_together

SLOW = b"\n" * (64 << 10)
PNG = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\1\0\0\0\1\x08\6\0\0\0\x1f\x15\xc4\x89"
LIMIT = 1.0 if is_sanitized() else 0.15  # an upload syncs its bytes to the disk


class Sniff(ServerCase, unittest.TestCase):
    def setUp(self):
        super().setUp()
        self.seconds(self.client, PNG)  # libmagic reads its data once

    @staticmethod
    def seconds(client, content):
        began = time.monotonic()
        answer = upload(client, "/v1/asset", content, "file")
        assert answer.status == 200, answer
        return time.monotonic() - began

    def test_slow_file_is_stored_in_time(self):
        self.assertLess(min(self.seconds(self.client, SLOW) for _ in range(3)), LIMIT)

    def seconds_beside_slow_files(self):
        took, first_is_answered = [], threading.Event()

        def slow():
            with Client(self.server) as client:
                self.seconds(client, SLOW)
                first_is_answered.set()

        def quick():
            with Client(self.server) as client:
                self.assertTrue(first_is_answered.wait(30))
                took.append(self.seconds(client, PNG))

        run_together(slow, slow, slow, slow, quick)
        return took[0]

    def test_slow_files_of_others_delay_no_upload(self):
        # The least of some: a disk or a machine that others use makes one longer, not each.
        self.assertLess(min(self.seconds_beside_slow_files() for _ in range(5)), 2 * LIMIT)

    def test_type_that_can_be_told_is_told(self):
        key = upload(self.client, "/v1/asset", PNG, "file").text
        self.assertEqual(self.client.get("/v1/asset/" + key).headers["Content-Type"], "image/png")


if __name__ == "__main__":
    unittest.main()
