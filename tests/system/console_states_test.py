"""What the console shows when something is in the way, in a headless Chromium: a full disk, a session
that ended elsewhere, another browser that holds a thing, many tabs. Skipped where console_test is."""

import sys
import time
import unittest

from console_test import ConsoleCase, VALUES, main
from disk_test import MIB, RESERVE_MIB, FullDisk
from people import FLAGS, PASSWORD, PeopleCase
from support import ServerCase, moved, wait_until

FREE = "[...document.querySelectorAll('.number input')].every(input => !input.disabled)"
GIZMO = "document.querySelector('.canvas').view.gizmo"


class Full(ConsoleCase, FullDisk, unittest.TestCase):
    def test_a_full_disk_is_told_everywhere_and_turns_changes_off_until_there_is_room(self):
        self.start_on_small_disk()
        page = self.open_scene(self.scene)
        page.click(".tree-row >> nth=0")
        page.await_js(FREE)
        with self.disk.kept_at((RESERVE_MIB - 4) * MIB):
            wait_until(self.is_refused, 20, "a refusal")
            page.fill("[aria-label='Position x']", "5")
            page.press("Enter")  # it is refused, and then known
            page.await_text("The disk of the server is nearly full", ".banner")
            page.await_js(f"!({FREE})")
            self.assertIn("Nothing can be changed until there is room", page.text(".panel.right"))
            self.assertEqual(page.do("axe"), [])
            page.click("nav a[href$='/assets']")
            page.await_text("nearly full", ".banner")
            second = self.open("/console/scenes", tab="second")
            second.await_text("nearly full", ".banner")
        page.await_js("!document.querySelector('.banner')", 30)
        second.await_js("!document.querySelector('.banner')", 30)


for inherited in [name for name in dir(FullDisk) if name.startswith("test_")]:
    setattr(Full, inherited, None)  # disk_test has them


class Fights(ConsoleCase, ServerCase, unittest.TestCase):
    def grab(self, page):
        page.press("g")
        page.await_js(f"{GIZMO}.mode === 'translate'")
        page.run(f"{GIZMO}.begin()")

    def test_of_two_browsers_that_grab_a_thing_one_has_it(self):
        self.client.create(self.scene, {"name": "lamp", "transform": moved(1)})
        one, other = (self.open_scene(self.scene, tab=name) for name in ("one", "other"))
        for page in (one, other):
            self.select(page, "lamp")
            page.run("document.activeElement.blur()")
        self.grab(one)
        other.await_text("Held by", ".panel.right")
        self.grab(other)
        other.await_text("holds lamp. Nothing was changed.")
        other.run(f"{GIZMO}.finish()")
        one.run(f"({GIZMO}.proxy.position.x = 4, {GIZMO}.finish())")
        other.await_js(f"{VALUES}[0] === 4")
        other.await_js("!document.querySelector('.held')")
        self.grab(other)
        one.await_text("Held by", ".panel.right")
        other.run(f"({GIZMO}.proxy.position.x = 6, {GIZMO}.finish())")
        one.await_js(f"{VALUES}[0] === 6")

    def test_seven_tabs_share_one_stream_and_requests_go_on(self):
        self.client.create(self.scene, {"name": "lamp", "transform": moved(1)})
        streams = lambda: self.client.get("/v1/server").body["counts"]["streams"]
        before = streams()
        first = self.open_scene(self.scene, tab="0")
        tabs = [first]
        for number in range(1, 7):
            page = self.open(f"/console/scene/{self.scene}", tab=str(number), beside=first.tab)
            page.await_js("document.querySelector('.stream [role=status]')?.textContent === 'live'")
            tabs.append(page)
        self.assertEqual(streams() - before, 1)
        began = time.monotonic()
        tabs[-1].run("fetch('/readyz').then(answer => answer.status)")
        self.assertLess(time.monotonic() - began, 5)


class Sessions(ConsoleCase, PeopleCase, unittest.TestCase):
    flags = FLAGS

    def test_a_session_that_ends_elsewhere_leads_to_the_sign_in_and_back(self):
        self.admin.put_scene("square", name="Square", public=True)
        page = self.open("/console/scene/square")
        page.await_text("Sign in to Diorama")
        page.fill("[autocomplete=username]", "admin")
        page.fill("[type=password]", "wrong words here")
        page.press("Enter")
        page.await_text("Name or password is wrong.")
        page.fill("[type=password]", PASSWORD)
        page.press("Enter")
        page.await_text("Put a cube here")
        page.run("fetch('/v1/logout', { method: 'POST' })")  # as another tab does
        page.await_text("Sign in to Diorama")
        page.fill("[autocomplete=username]", "admin")
        page.fill("[type=password]", PASSWORD)
        page.press("Enter")
        page.await_js("location.pathname === '/console/scene/square'")
        page.await_text("Put a cube here")


if __name__ == "__main__":
    sys.exit(main())
