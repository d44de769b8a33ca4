"""tools/examples/three in a headless Chromium: what three.js has is what the scene has, also after a change. Skipped where
chromium, node or npm are missing."""

import http.server
import os
import sys
import threading
import unittest

from browser_test import Page, main
from console_browser import DRIVER
from support import Client, Server, moved, object_path, wait_until

HERE = os.path.dirname(os.path.abspath(__file__))
EXAMPLE = os.path.join(HERE, "../../tools/examples/three")
THREE = "three@0.187.0"
SCENE = "hall"
# By name: the translation of its matrix.
MESHES = "Object.fromEntries([...meshes.values()].map(mesh => [mesh.name, mesh.matrix.elements.slice(12, 15)]))"


class Files(http.server.SimpleHTTPRequestHandler):
    """The example, with three.js where npm puts it."""
    library = None

    def translate_path(self, path):
        path = path.partition("?")[0]
        if path.startswith("/node_modules/three/"):
            return os.path.join(self.library, path.removeprefix("/node_modules/three/"))
        return os.path.join(EXAMPLE, path.lstrip("/") or "index.html")

    def log_message(self, *_):
        pass


class Three(unittest.TestCase):
    driver = None

    def setUp(self):
        pages = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Files)
        threading.Thread(target=pages.serve_forever, daemon=True).start()
        self.addCleanup(pages.server_close)
        self.addCleanup(pages.shutdown)
        origin = f"http://127.0.0.1:{pages.server_address[1]}"
        self.server = Server(http_cors_origins=origin)
        self.addCleanup(self.server.end)
        self.server.start()
        self.client = Client(self.server)
        self.addCleanup(self.client.close)
        self.client.put_scene(SCENE)
        self.page = Page(self.driver, f"{origin}/?scene={SCENE}&server=http://127.0.0.1:{self.server.http_port}")
        self.addCleanup(self.page.close)

    def await_meshes(self, **places):
        wait_until(lambda: self.page.ask(MESHES) == places, 30, f"{places} in three.js")

    def test_objects_come_move_and_go_in_three_js_as_they_do_in_the_scene(self):
        self.await_meshes()
        key, _ = self.client.create(SCENE, {"name": "cube", "transform": moved(1, 2, 3)}, {"name": "lamp"})
        self.await_meshes(cube=[1, 2, 3], lamp=[0, 0, 0])
        self.client.update(SCENE, key, translation=[4, 5, 6])
        self.await_meshes(cube=[4, 5, 6], lamp=[0, 0, 0])
        self.client.ok("DELETE", object_path(SCENE, key))
        self.await_meshes(lamp=[0, 0, 0])
        self.assertGreater(self.page.ask("document.querySelector('canvas').width"), 0)


def take(driver, library):
    Three.driver, Files.library = driver, library


if __name__ == "__main__":
    sys.exit(main(take, DRIVER, THREE))
