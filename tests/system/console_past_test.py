"""The line of time of the console in a headless Chromium: what a tab saw is shown again, and nothing
can be changed in it. Skipped where console_test is."""

import sys
import unittest

from console_test import ConsoleCase, VALUES, main
from support import ServerCase, moved, object_path

TIME = "document.querySelector('.scrub-line input')"
ROWS = "[...document.querySelectorAll('.tree-name')].map(row => row.textContent).join()"
OFF = "[...document.querySelectorAll('.number input')].every(input => input.disabled)"


class Past(ConsoleCase, ServerCase, unittest.TestCase):
    def open_film(self):
        """A page that saw a lamp at 1, then at 5, and a door that was deleted."""
        lamp, door = self.client.create(self.scene, {"name": "lamp", "transform": moved(1)},
                                        {"name": "door"})
        page = self.open_scene(self.scene)
        self.select(page, "lamp")
        page.await_js(f"{VALUES}[0] === 1")
        page.await_js("document.querySelector('.canvas').view.model.tape.count > 0")
        self.client.update(self.scene, lamp, transform=moved(5))
        page.await_js(f"{VALUES}[0] === 5")
        self.client.ok("DELETE", object_path(self.scene, door))
        page.await_js(f"{ROWS} === 'lamp'")
        page.run(f"{TIME}.focus()")
        return page, lamp

    def test_what_was_is_shown_again_and_nothing_is_moved_in_it(self):
        page, lamp = self.open_film()
        page.press("Home")
        page.await_js(f"{VALUES}[0] === 1")
        page.await_js(f"{ROWS} === 'door,lamp'")
        self.assertTrue(page.run(OFF))
        self.assertIn("nothing is moved in it", page.text(".panel.right"))
        page.await_js("document.querySelector('[aria-label=\"Move (G)\"]').disabled")
        self.assertEqual(page.run("document.querySelector('.canvas').view.positionOf("
                                  "document.querySelector('.canvas').view.model.entry("
                                  f"'object {lamp}').index).x"), 1)
        for scheme in ("light", "dark"):
            page.do("scheme", value=scheme)
            page.await_js(f"document.documentElement.dataset.theme === '{scheme}'")
            self.assertEqual(page.do("axe"), [])
        # Others go on meanwhile, and are seen when one comes back.
        self.client.update(self.scene, lamp, transform=moved(9))
        page.press("End")
        page.await_js(f"{VALUES}[0] === 9")
        page.await_js(f"{ROWS} === 'lamp'")
        self.assertFalse(page.run(OFF))

    def test_the_past_plays_until_it_is_the_present(self):
        page, _ = self.open_film()
        page.press("Home")
        page.await_text("The past: ")
        page.run("(box => { box.value = '16'; box.dispatchEvent(new Event('change', { bubbles: true })) })"
                 "(document.querySelector('.scrub-speed'))")
        page.click("[aria-label=Play]")
        page.await_js("document.querySelector('.scrub-live').ariaPressed === 'true'")
        page.await_js(f"{VALUES}[0] === 5")

    def test_the_picture_can_be_held(self):
        page, lamp = self.open_film()
        page.press(" ")
        page.await_text("The past: ")
        self.client.update(self.scene, lamp, transform=moved(7))
        page.await_js("document.querySelector('.canvas').view.model.truth("
                      "[...document.querySelector('.canvas').view.model.entries.keys()][0])[0] === 7")
        self.assertEqual(page.run(f"{VALUES}[0]"), 5)
        page.click(".scrub-live")
        page.await_js(f"{VALUES}[0] === 7")


if __name__ == "__main__":
    sys.exit(main())
