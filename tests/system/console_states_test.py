"""States of the console in a headless Chromium: a full disk, many tabs, many devices. Skipped where
console_test is; the disk is a small tmpfs, which only root may mount."""

import os
import sys
import unittest

from console_test import ConsoleCase, STREAM, main
from small_disk import SmallDisk
from support import ServerCase, moved, scene_path, scenes, wait_until

RESERVE_MIB = 16
MIB = 1 << 20
DEVICES = 1500
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


class Many(ConsoleCase, ServerCase, unittest.TestCase):
    flags = None

    def test_the_overview_asks_for_those_of_many_devices_that_need_help(self):
        self.start_server()
        self.client.register("hall", *({"key": f"phone-{number}"} for number in range(DEVICES - 1)))
        self.client.register("hall", {"key": "lost", "hostname": "::1", "port": 9999})
        page = self.open("/console/")
        page.await_text("lost", ".columns")
        page.await_text("is to prove its address", ".columns")
        asked = page.run("performance.getEntriesByType('resource').filter(one => one.name.includes('/v1/device'))"
                         ".map(one => one.decodedBodySize)")
        print(f"asked for devices {len(asked)} times, {sum(asked)} bytes", file=sys.stderr)
        self.assertLess(max(asked), DEVICES)  # bytes: fewer than one a device


if __name__ == "__main__":
    sys.exit(main())
