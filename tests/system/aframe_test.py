"""tools/examples/aframe in two headless Chromiums: networked-aframe shows in one who stands where in the other, and the scene has
them as objects. Skipped where chromium, node or npm are missing."""

import http.server
import os
import sys
import threading
import unittest

from browser_test import Page, main
from console_browser import DRIVER
from support import Client, Server, wait_until

HERE = os.path.dirname(os.path.abspath(__file__))
EXAMPLE = os.path.join(HERE, "../../tools/examples/aframe")
AFRAME, NETWORKED = "aframe@1.7.0", "networked-aframe@0.14.3"
SCENE = "room"
# Where the page shows others, rounded.
OTHERS = ("[...document.querySelectorAll('[networked]')].filter(e => e.id !== 'me' && e.object3D)"
          ".map(e => e.object3D.position.toArray().map(n => Math.round(n * 100) / 100))")


class Files(http.server.SimpleHTTPRequestHandler):
    """The example, with the libraries where npm puts them."""
    libraries = {}

    def translate_path(self, path):
        path = path.partition("?")[0].lstrip("/")
        for name, folder in self.libraries.items():
            if path.startswith(f"node_modules/{name}/"):
                return os.path.join(folder, path.removeprefix(f"node_modules/{name}/"))
        return os.path.join(EXAMPLE, path or "index.html")

    def log_message(self, *_):
        pass


class AFrame(unittest.TestCase):
    driver = None

    def setUp(self):
        pages = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Files)
        threading.Thread(target=pages.serve_forever, daemon=True).start()
        self.addCleanup(pages.server_close)
        self.addCleanup(pages.shutdown)
        self.origin = f"http://127.0.0.1:{pages.server_address[1]}"
        self.server = Server(http_cors_origins=self.origin)
        self.addCleanup(self.server.end)
        self.server.start()
        self.client = Client(self.server)
        self.addCleanup(self.client.close)

    def open(self):
        page = Page(self.driver, f"{self.origin}/?scene={SCENE}&server=http://127.0.0.1:{self.server.http_port}")
        self.addCleanup(page.close)
        return page

    def stand(self, page, x, y, z):
        page.ask(f"void document.getElementById('me').setAttribute('position', '{x} {y} {z}')")

    def await_scene(self):
        """The first page makes the scene, when its libraries have come."""
        wait_until(lambda: self.client.get(f"/v1/scene/{SCENE}").status == 200, 60, "the scene")

    def await_others(self, page, *places):
        wait_until(lambda: page.ask(OTHERS) == [list(place) for place in places], 60, f"others at {places}")

    def test_each_sees_where_the_other_stands_and_that_they_left(self):
        first = self.open()
        self.stand(first, 1, 2, 3)
        self.await_scene()
        wait_until(lambda: [o["transform"][3] for o in self.client.objects(SCENE)] == [1], 60, "the first as an object")
        second = self.open()
        self.await_others(second, (1, 2, 3))
        self.stand(second, -4, 1.5, 0)
        self.await_others(first, (-4, 1.5, 0))
        self.stand(first, 0.25, 2, -6)
        self.await_others(second, (0.25, 2, -6))
        self.assertEqual(2, len(self.client.objects(SCENE)))
        second.ask("void (location.href = 'about:blank')")
        self.await_others(first)
        wait_until(lambda: len(self.client.objects(SCENE)) == 1, 60, "the scene without the second")


def take(driver, aframe, networked):
    AFrame.driver, Files.libraries = driver, {"aframe": aframe, "networked-aframe": networked}


if __name__ == "__main__":
    sys.exit(main(take, DRIVER, AFRAME, NETWORKED))
