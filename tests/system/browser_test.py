"""tools/examples/moving.html in a headless Chromium: an object moves on the page as it is moved in the
scene, also after the server was started again. Skipped where chromium, node or npm are missing."""

import functools
import http.server
import json
import os
import shutil
import subprocess
import sys
import threading
import unittest
from urllib.parse import quote

from console_browser import DRIVER, fetch
from support import Server, Client, is_sanitized, moved, wait_until

SKIPPED = 77
HERE = os.path.dirname(os.path.abspath(__file__))
EXAMPLES = os.path.join(HERE, "../../tools/examples")
SCENE = "hall & yard"


class Pages(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


class Page:
    """The page in the browser."""

    def __init__(self, driver, address):
        self.process = subprocess.Popen(
            ["node", os.path.join(HERE, "browser.cjs"), driver, shutil.which("chromium"), address],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        assert self.answer() == "ready"

    def answer(self):
        line = self.process.stdout.readline()
        assert line, f"the browser ended: {self.process.wait(10)}"
        return json.loads(line)

    def ask(self, expression):
        self.process.stdin.write(expression + "\n")
        self.process.stdin.flush()
        return self.answer()

    def state(self):
        return self.ask("document.getElementById('state').textContent")

    def boxes(self):
        """Name, left and top of each object that is shown."""
        return self.ask("[...document.querySelectorAll('.object')].map(box => [box.textContent, "
                        "box.offsetLeft, box.offsetTop])")

    def await_boxes(self, *boxes):
        wait_until(lambda: self.boxes() == [list(box) for box in boxes], 30,
                   f"{boxes} on the page")

    def close(self):
        self.process.stdin.close()
        self.process.wait(30)
        self.process.stdout.close()


class Browser(unittest.TestCase):
    driver = None

    def setUp(self):
        pages = http.server.ThreadingHTTPServer(
            ("127.0.0.1", 0), functools.partial(Pages, directory=EXAMPLES))
        threading.Thread(target=pages.serve_forever, daemon=True).start()
        self.addCleanup(pages.server_close)
        self.addCleanup(pages.shutdown)
        self.origin = f"http://127.0.0.1:{pages.server_address[1]}"

    def start(self, **flags):
        self.server = Server(**flags)
        self.addCleanup(self.server.end)
        self.server.start()
        self.connect()
        self.key = self.client.create(SCENE, {"name": "cube", "transform": moved(10, 20)})[0]

    def connect(self):
        self.client = Client(self.server)
        self.addCleanup(self.client.close)

    def open(self):
        page = Page(self.driver, f"{self.origin}/moving.html?scene={quote(SCENE)}"
                                 f"&server=http://127.0.0.1:{self.server.http_port}")
        self.addCleanup(page.close)
        return page

    def move(self, x, y):
        self.client.update(SCENE, self.key, transform=moved(x, y))

    def test_an_object_moves_on_the_page(self):
        self.start(http_cors_origins=self.origin)
        page = self.open()
        page.await_boxes(("cube", 10, 20))
        for step in range(1, 6):
            self.move(10 + 50 * step, 20)
            page.await_boxes(("cube", 10 + 50 * step, 20))
        self.client.create(SCENE, {"name": "<b>bold</b>", "transform": moved(0, 300)})
        page.await_boxes(("cube", 260, 20), ("<b>bold</b>", 0, 300))
        self.client.ok("DELETE", f"/v1/scene/{quote(SCENE)}/object/{self.key}")
        page.await_boxes(("<b>bold</b>", 0, 300))

    def test_the_page_finds_back_after_the_server_was_started_again(self):
        self.start(http_cors_origins=self.origin)
        page = self.open()
        page.await_boxes(("cube", 10, 20))
        word, first, seq = page.state().replace("-", " ").split()
        self.assertEqual(("snapshot", "2"), (word, seq))
        self.server.restart(keeps_ports=True)
        self.connect()
        self.move(70, 80)
        page.await_boxes(("cube", 70, 80))  # Chromium asks again after some seconds
        epoch = page.state().split()[1].split("-")[0]
        self.assertGreater(int(epoch), int(first))
        self.move(90, 100)
        page.await_boxes(("cube", 90, 100))
        self.assertEqual(page.state().split()[0], "change")

    def test_a_page_of_an_origin_that_is_not_listed_sees_nothing(self):
        self.start()
        page = self.open()
        wait_until(lambda: page.ask("stream.readyState") == 2, 30, "the browser's refusal")
        self.assertEqual(page.boxes(), [])


def main():
    missing = [name for name in ("chromium", "node", "npm") if not shutil.which(name)]
    why_not = f"there is no {missing[0]}" if missing else "the server is slow" * is_sanitized()
    if not why_not:
        try:
            Browser.driver = fetch(DRIVER)
        except (OSError, subprocess.SubprocessError) as failure:
            why_not = f"npm did not fetch {DRIVER}: {failure}"
    if why_not:
        print(f"browser_test: skipped: {why_not}")
        return SKIPPED
    return not unittest.main(exit=False).result.wasSuccessful()


if __name__ == "__main__":
    sys.exit(main())
