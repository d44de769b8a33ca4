"""States of the console in a headless Chromium: a full disk, and many tabs. Skipped where
console_test is; the disk is a small tmpfs, which only root may mount."""

import os
import sys
import unittest

from console_test import ConsoleCase, STREAM, main
from small_disk import SmallDisk
from support import ServerCase, moved, scene_path, scenes, wait_until

RESERVE_MIB = 16
MIB = 1 << 20
TABS = 7  # more than a browser opens connections to a server
OFF = "[...document.querySelectorAll('.number input')].every(input => input.disabled)"


class FullDisk(ConsoleCase, ServerCase, unittest.TestCase):
    flags = None

    def test_a_full_disk_is_told_turns_editing_off_and_goes_by_itself(self):
        disk = SmallDisk(self)
        self.start_server(data_dir=os.path.join(disk.path, "data"), store_reserve=f"{RESERVE_MIB}M")
        self.client.create(self.scene, {"name": "lamp", "transform": moved(0, 1)})
        page = self.open_scene(self.scene)
        self.select(page, "lamp")
        with disk.kept_at(RESERVE_MIB * MIB // 2):
            wait_until(lambda: self.server.metrics()["diorama_store_read_only"] == 1)
            page.fill("[aria-label='Position x']", "5")
            page.press("Enter")
            page.await_text("The disk of the server is nearly full", ".banner")
            page.await_js(OFF)
            self.assertEqual(page.do("axe"), [])
        # Space comes back, and nobody writes anything.
        page.await_js("!document.querySelector('.banner')")
        page.await_js(f"!({OFF})")
        page.fill("[aria-label='Position x']", "6")
        page.press("Enter")
        page.await_js("Number(document.querySelector('[aria-label=\"Position x\"]').value) === 6")
        self.client.ok("PUT", scene_path("another"), scenes({}))


class Tabs(ConsoleCase, ServerCase, unittest.TestCase):
    def test_many_tabs_share_one_stream_and_all_are_live(self):
        key, = self.client.create(self.scene, {"name": "lamp"})
        gauge = "diorama_http_streams"
        before = self.server.metrics()[gauge]
        first = self.open_scene(self.scene, tab="first")
        pages = [first]
        for number in range(TABS - 1):
            page = self.open(f"/console/scene/{self.scene}", tab=str(number), beside=f"{self.id()} first")
            pages.append(page)
        for page in pages:
            page.await_js(f"{STREAM} === 'live'")
        self.client.update(self.scene, key, name="lantern")
        for page in pages:
            page.await_js("document.querySelector('.tree-name')?.textContent === 'lantern'")
        wait_until(lambda: self.server.metrics()[gauge] == before + 1, 60, "one stream")


if __name__ == "__main__":
    sys.exit(main())
