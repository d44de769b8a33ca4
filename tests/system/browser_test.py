"""/docs/moving.html in a headless Chromium: an object moves on the page as it is moved in the scene, also
after the server was started again. Skipped where chromium, node or npm are missing."""

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
EXAMPLES = os.path.join(HERE, "../../tools/examples/moving")
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

    def shown(self):
        """What is on the page: where each dot is by the name beside it, in pixels."""
        return dict(self.ask("[...document.querySelectorAll('#objects text')].map(label => [label.textContent, "
                             "['cx', 'cy'].map(name => +label.previousSibling.getAttribute(name))])"))

    def await_names(self, *names):
        wait_until(lambda: self.shown().keys() == set(names), 30, f"{names} on the page")

    def await_cube(self, x, z):
        """The place of the cube, in metres from the origin: x to the right, z down."""
        def seen():
            shown = self.shown()
            if not {"origin", "cube"} <= shown.keys():
                return None
            scale = self.ask("viewOf().size")
            return [round((of_cube - of_origin) / scale, 3)
                    for of_cube, of_origin in zip(shown["cube"], shown["origin"])]
        wait_until(lambda: seen() == [x, z], 30, f"the cube at {x}, {z} on the page")

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
        self.client.create(SCENE, {"name": "origin", "transform": moved(0, 0, 0)})
        self.key = self.client.create(SCENE, {"name": "cube", "transform": moved(10, 0, 20)})[0]

    def connect(self):
        self.client = Client(self.server)
        self.addCleanup(self.client.close)

    def open(self, address):
        page = Page(self.driver, address)
        self.addCleanup(page.close)
        return page

    def open_served(self):
        return self.open(f"http://127.0.0.1:{self.server.http_port}/docs/moving.html?scene={quote(SCENE)}")

    def open_copy(self):
        """The same files from another origin."""
        return self.open(f"{self.origin}/moving.html?scene={quote(SCENE)}"
                         f"&server=http://127.0.0.1:{self.server.http_port}")

    def move(self, x, z):
        self.client.update(SCENE, self.key, transform=moved(x, 0, z))

    def test_an_object_moves_on_the_page(self):
        self.start()
        page = self.open_served()
        page.await_cube(10, 20)
        for step in range(1, 6):
            self.move(10 + 5 * step, 20)
            page.await_cube(10 + 5 * step, 20)
        self.client.create(SCENE, {"name": "<b>bold</b>", "transform": moved(0, 0, 3)})
        page.await_names("origin", "cube", "<b>bold</b>")
        self.client.ok("DELETE", f"/v1/scene/{quote(SCENE)}/object/{self.key}")
        page.await_names("origin", "<b>bold</b>")
        self.assertEqual(page.state(), "live · 2 objects")

    def test_the_picture_follows_its_room_when_that_shrinks_after_it_was_drawn(self):
        self.start()
        page = self.open_served()
        page.await_cube(10, 20)
        page.ask("void (document.getElementById('scale').style.height = '20rem')")
        page.await_cube(10, 20)

    def test_the_page_finds_back_after_the_server_was_started_again(self):
        self.start()
        page = self.open_served()
        page.await_cube(10, 20)
        self.server.restart(keeps_ports=True)
        self.connect()
        self.move(7, 8)
        page.await_cube(7, 8)  # Chromium asks again after some seconds
        self.move(9, 10)
        page.await_cube(9, 10)

    def test_a_page_of_another_origin_sees_the_scene_if_that_is_listed(self):
        self.start(http_cors_origins=self.origin)
        self.open_copy().await_cube(10, 20)

    def test_a_page_of_an_origin_that_is_not_listed_sees_nothing(self):
        self.start()
        page = self.open_copy()
        wait_until(lambda: page.ask("stream.readyState") == 2, 30, "the browser's refusal")
        self.assertEqual(page.shown(), {})


def main(take, *packages):
    """Runs the tests of the program where a browser can be had; the exit code. `take` gets the folders of the packages of
    npm that they need."""
    missing = [name for name in ("chromium", "node", "npm") if not shutil.which(name)]
    why_not = f"there is no {missing[0]}" if missing else "the server is slow" * is_sanitized()
    if not why_not:
        try:
            take(*(fetch(package) for package in packages))
        except (OSError, subprocess.SubprocessError) as failure:
            why_not = f"npm did not fetch {' or '.join(packages)}: {failure}"
    if why_not:
        print(f"{os.path.basename(sys.argv[0])}: skipped: {why_not}")
        return SKIPPED
    return not unittest.main(exit=False).result.wasSuccessful()


if __name__ == "__main__":
    sys.exit(main(lambda driver: setattr(Browser, "driver", driver), DRIVER))
