"""Hostile words in a headless Chromium: as names of things and in every field of the console they are
text. Skipped where console_test is. DIORAMA_LONG=1: in every state, not only in those that have fields of their own."""

import json
import sys
import unittest

from console_screens import STATES, ScreensCase
from console_test import ConsoleCase, main
from hostile import HOSTILE, MORE_HOSTILE
from support import LONG, ServerCase

FIELDS = "input:not([type=radio], [type=checkbox], [type=file], [type=range], :disabled), textarea"
WITH_FIELDS = ("sign in", "scenes", "new scene", "go to anything", "scene", "assets", "map with a circle", "alignment",
               "devices")
# Whatever is shown and typed into; where it stands in the page.
SHOWN_FIELDS = f"""[...document.querySelectorAll({json.dumps(FIELDS)})].flatMap(
    (field, i) => field.checkVisibility() ? [i] : [])"""


class Hostile(ConsoleCase, ServerCase, unittest.TestCase):
    def test_hostile_names_are_text(self):
        for words in HOSTILE:
            self.client.put_scene(self.scene, name=words, description=words, region=words,
                                  tags=[words])
            self.client.create(self.scene, {"name": words, "type": words, "subtype": words,
                                            "parent": words})
            self.client.ok("POST", f"/v1/scene/{self.scene}/property",
                           {"properties": [{"name": words, "values": [1]}]})
            self.client.register(self.scene, {"key": words.replace("/", "_")})
        for screen in ("scenes", "devices"):
            page = self.open(f"/console/{screen}", tab=screen)
            page.await_text(HOSTILE[-1])
        page = self.open_scene(self.scene, tab="scene")
        page.await_js(f"document.querySelectorAll('.tree-row').length >= {len(HOSTILE)}")
        for index in range(len(HOSTILE) * 2):
            page.run("document.querySelector('.tree').focus()")
            page.press("ArrowDown")
        page.await_js(f"document.querySelectorAll('.device-row').length === {len(HOSTILE)}")
        self.assertEqual(page.run("document.querySelectorAll('script').length"), 1)
        self.assertEqual(page.run("document.querySelectorAll('iframe, img').length"), 0)
        self.assertTrue(set(HOSTILE) & set(page.text(".tree").split("\n")))


class Fields(ScreensCase, unittest.TestCase):
    def type_hostile_words(self, page, where):
        """Into each field that the page shows, with Enter behind each, or behind all of a form."""
        for number in page.run(SHOWN_FIELDS):
            page.fill(f":is({FIELDS}) >> nth={number}", " ".join(MORE_HOSTILE))
            if not page.run("document.activeElement.form"):
                page.press("Enter")
        page.press("Enter")
        self.assertEqual(page.run("document.querySelectorAll('script').length"), 1, where)
        self.assertEqual(page.run("document.querySelectorAll('iframe, object, embed, base').length"), 0, where)

    def test_hostile_words_in_any_field_are_text(self):
        fields = {}
        # Those in which things are changed come last: others wait for their names.
        states = [state for state in STATES if LONG or state.name in WITH_FIELDS]
        for state in sorted(states, key=lambda state: state.screen == "scene"):
            page = self.open_state(state)
            fields[state.name] = page.run(f"{SHOWN_FIELDS}.length")
            self.type_hostile_words(page, state.name)
            self.leave(page)
        for name in WITH_FIELDS:
            self.assertGreater(fields[name], 0, name)


if __name__ == "__main__":
    sys.exit(main())
