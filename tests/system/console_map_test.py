"""The console's map in a headless Chromium: scenes by place, circles that the server searches, pins
that become scenes. Skipped where console_test is."""

import sys
import unittest

from console_test import ConsoleCase, main
from hostile import HOSTILE
from support import ServerCase

ROWS = "[...document.querySelectorAll('.map-row strong')].map(row => row.textContent)"
DRAWN = "document.querySelector('.map-canvas')?.dataset.drawn > 0"
PLACES = {"cathedral": (50.9413, 6.9583), "bridge": (50.9414, 6.9650), "airport": (50.8659, 7.1427),
          "opera": (-33.8568, 151.2153)}


class Map(ConsoleCase, ServerCase, unittest.TestCase):
    flags = {}

    def setUp(self):
        super().setUp()
        self.start_server()  # others' scenes would be in the map

    def put(self, *names, **members):
        for name in names:
            latitude, longitude = PLACES[name]
            self.client.put_scene(name, name=name, latitude=latitude, longitude=longitude, **members)

    def open_map(self, asked="", **how):
        page = self.open("/console/map" + asked, **how)
        page.await_js(DRAWN)
        return page

    def middle(self, page):
        return page.run("(box => [box.left + box.width / 2, box.top + box.height / 2])"
                        "(document.querySelector('.map-canvas').getBoundingClientRect())")

    def click(self, page, at):
        page.do("drag", **{"from": at, "to": at})

    def test_the_list_follows_the_view(self):
        self.put(*PLACES)
        self.client.put_scene("nowhere", name="nowhere")
        page = self.open_map()
        page.await_text("4 scenes in view")
        page.await_text("1 scene without a place")
        # From far away three are one mark, which leads nearer, until each has a mark of its own.
        page = self.open_map("?at=50.93,7,300", tab="near")
        self.click(page, self.middle(page))
        page.await_js(f"{ROWS}.length === 3")
        page.await_js("new URL(location).searchParams.get('at').split(',')[2] > 10000")
        page.click("[aria-label='Show opera on the map'], [aria-label='The whole world']")
        page.await_js(f"{ROWS}.length === 4")
        page.click("[aria-label='Show opera on the map']")
        page.await_js(f"{ROWS}.join() === 'opera'")
        page.click(".map-row")
        page.await_js("location.pathname === '/console/scene/opera'")

    def test_scenes_at_one_place_are_listed_by_their_mark(self):
        self.put("cathedral")
        self.client.put_scene("crypt", name="crypt", latitude=50.9413, longitude=6.9583)
        self.put("airport")
        page = self.open_map("?at=50.9413,6.9583,20000")
        page.await_js(f"{ROWS}.length === 3")
        self.click(page, self.middle(page))
        page.await_text("2 scenes here")
        self.assertEqual(page.run(ROWS), ["cathedral", "crypt"])
        page.click("text=Show all in view")
        page.await_text("3 scenes in view")

    def test_a_circle_that_is_drawn_is_searched_by_the_server(self):
        self.put(*PLACES)
        page = self.open_map("?at=50.9413,6.9583,300000")  # 75 pixels a kilometre
        x, y = self.middle(page)
        page.click("[aria-label^='Draw a circle']")
        page.do("drag", **{"from": [x, y], "to": [x + 150, y]})
        page.await_text("2 scenes within 2.0 km")
        self.assertEqual(page.run(ROWS), ["cathedral", "bridge"])
        self.assertIn("470 m", page.text(".map-list"))
        self.assertEqual(page.do("axe"), [])
        # The address keeps it, and numbers change it.
        page.do("goto", url=page.run("location.href"))
        page.await_text("2 scenes within 2.0 km")
        page.fill(".map-fields input >> nth=0", "30")
        self.client.put_scene("nowhere", name="nowhere")  # what is typed stays while scenes come
        page.await_text("1 scene without a place")
        page.press("Tab")
        page.await_text("3 scenes within 30.0 km")
        self.assertEqual(page.run(ROWS), ["cathedral", "bridge", "airport"])
        page.fill(".map-fields input >> nth=1", "95")
        page.press("Tab")
        page.await_text("90", ".map-head [role=alert]")
        self.assertEqual(page.run("document.querySelectorAll('.map-fields [aria-invalid]').length"), 1)
        page.click("[aria-label='Remove the circle']")
        page.await_js("!location.search.includes('near')")

    def test_a_pin_that_is_dropped_becomes_a_scene_there(self):
        page = self.open_map("?at=50.9413,6.9583,300000")
        page.await_text("No scenes yet")
        page.click("text=Make one here")
        self.click(page, self.middle(page))
        page.await_text("Latitude", "dialog")
        self.assertEqual(page.do("axe"), [])
        page.fill("dialog input >> nth=0", "Dome")
        page.fill("dialog input >> nth=3", "east")
        page.press("Enter")
        page.await_js("document.activeElement.ariaInvalid === 'true'")
        page.fill("dialog input >> nth=3", "6.9583")
        page.press("Enter")
        page.await_js("location.pathname === '/console/scene/dome'")
        scene = self.client.scene("dome")
        self.assertAlmostEqual(scene["latitude"], 50.9413, places=3)
        self.assertEqual(scene["longitude"], 6.9583)

    def test_everything_is_reached_by_keyboard(self):
        self.put("cathedral", "opera")
        page = self.open_map("?at=50.9413,6.9583,300000")
        page.await_js(f"{ROWS}.join() === 'cathedral'")
        page.run("document.querySelector('.map-canvas').focus()")
        page.press("0")
        page.await_js(f"{ROWS}.length === 2")
        for _ in range(3):
            page.press("+")
        page.press("ArrowDown")
        page.run("document.querySelector('[aria-label^=\"Draw a circle\"]').focus()")
        page.press("Enter")
        page.await_text("Drag from the middle")
        page.run("document.querySelector('.map-canvas').focus()")
        page.press("Enter")
        page.await_text(" within ", ".map-head")
        page.press("Escape")
        page.await_text("in view")
        page.run("document.querySelector('[aria-label^=\"Drop a pin\"]').focus()")
        page.press("Enter")
        page.run("document.querySelector('.map-canvas').focus()")
        page.press("Enter")
        page.await_text("Latitude", "dialog")

    def test_coasts_are_loaded_when_the_map_is_opened(self):
        loaded = "performance.getEntriesByType('resource').some(({ name }) => name.includes('/drawing-'))"
        page = self.open("/console/scenes")
        page.await_text("No scenes yet")
        self.assertFalse(page.run(loaded))
        page.click("nav a[href$='/map']")
        page.await_js(DRAWN)
        self.assertTrue(page.run(loaded))

    def test_hostile_names_are_text(self):
        for i, words in enumerate(HOSTILE):
            self.client.put_scene(f"s{i}", name=words, latitude=50 + i, longitude=7)
        page = self.open_map()
        page.await_js(f"{ROWS}.length === {len(HOSTILE)}")
        self.assertEqual(sorted(page.run(ROWS)), sorted(HOSTILE))
        self.assertEqual(page.run("document.querySelectorAll('script').length"), 1)

    def test_no_state_has_a_barrier(self):
        self.put(*PLACES)
        for width in (1440, 390):
            page = self.open_map(width=width, height=844, tab=str(width))
            self.check_barriers(page, width)
            self.assertLessEqual(page.run("document.documentElement.scrollWidth"), width)


if __name__ == "__main__":
    sys.exit(main())
