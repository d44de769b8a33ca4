"""The tools of the console in a headless Chromium: keys that lead everywhere, several things at once,
exact moves, the ruler, hiding, neighbouring scenes, other axes. Skipped where console_test is."""

import sys
import unittest

from console_alignment_test import World
from console_test import HOLD, MODEL, ConsoleCase, TITLE, VALUES, main
from support import ServerCase, moved, wait_until

SELECTED = "[...document.querySelectorAll('.tree-row[aria-selected=true] .tree-name')].map(row => row.textContent).join()"
LABELS = "[...document.querySelectorAll('.overlay .label')].filter(label => !label.hidden).map(label => label.textContent).join('; ')"


class Keys(ConsoleCase, ServerCase, unittest.TestCase):
    def lead_to(self, page, key, path):
        """The second key counts within 1.5 s of the first: a slow machine takes several attempts."""
        def led():
            page.press("g")
            page.press(key)
            return page.run("location.pathname") == path
        wait_until(led, 60, path)

    def test_keys_lead_to_every_screen(self):
        self.client.put_scene(self.scene, name="Hall of keys")
        page = self.open("/console/scenes")
        page.await_text("Hall of keys")
        for key, screen in zip("madlhs", ("map", "assets", "devices", "alignment", "server", "scenes")):
            self.lead_to(page, key, f"/console/{screen}")
        page.await_text("Hall of keys")
        page.press("/")
        page.await_js("document.activeElement.type === 'search'")
        page.press("Escape")
        page.run("document.activeElement.blur()")
        page.press("j")
        page.await_js("document.activeElement.className === 'row-link'")
        page.press("F6")
        page.await_js("document.activeElement.closest('.bar') !== null")
        page.press("?")
        page.await_text("move exactly")
        self.assertEqual(page.do("axe"), [])
        page.press("Escape")
        page.press("Control+k")
        page.await_js("document.activeElement.getAttribute('aria-label') === 'Go to'")
        page.do("type", text="hall of keys")
        page.await_text("scene", "[role=option]")
        self.assertEqual(page.do("axe"), [])
        page.press("Enter")
        page.await_js(f"location.pathname === '/console/scene/{self.scene}'")


class Tools(ConsoleCase, ServerCase, unittest.TestCase):
    def open_things(self, *records):
        self.keys = self.client.create(self.scene, *records)
        page = self.open_scene(self.scene)
        page.await_js(f"document.querySelectorAll('.tree-row').length === {len(records)}")
        return page

    def transform(self, number):
        return self.client.object(self.scene, self.keys[number])["transform"]

    def test_several_things_are_changed_in_one_commit_and_put_back(self):
        page = self.open_things(*({"name": f"o{i}", "transform": moved(i, 2)} for i in range(3)))
        self.select(page, "o0")
        page.run("document.querySelector('.tree').focus()")
        page.press("Shift+ArrowDown")
        page.press("Shift+ArrowDown")
        page.await_text("3 things", ".panel.right")
        self.assertEqual(page.run(SELECTED), "o0,o1,o2")
        values = "[...document.querySelectorAll('.number input')].slice(0, 3).map(input => input.value || input.placeholder).join()"
        self.assertEqual(page.run(values), "–,2,0")
        page.run(HOLD)
        page.fill("[aria-label='Position x of all']", "+10")
        page.press("Enter")
        page.run("document.activeElement.blur()")  # leaving the field writes nothing again
        page.run("letGo(), 1")
        wait_until(lambda: [self.transform(i)[3] for i in range(3)] == [10, 11, 12], 60, "three moves")
        page.fill("[aria-label='Position y of all']", "wide")
        page.press("Enter")
        page.await_js("document.querySelectorAll('.number.wrong').length === 1")
        page.press("Escape")
        page.run("document.activeElement.blur()")
        page.press("Control+z")
        wait_until(lambda: [self.transform(i)[3] for i in range(3)] == [0, 1, 2], 60, "three steps back")
        page.click("text=Delete 3 objects")
        page.await_js("document.querySelectorAll('.tree-row').length === 0")

    def test_numbers_that_are_typed_before_the_first_is_answered_are_all_kept(self):
        page = self.open_things({"name": "lamp", "transform": moved(1, 2, 3)})
        self.select(page, "lamp")
        page.await_js(f"{VALUES}.slice(0, 3).join() === '1,2,3'")
        page.run(HOLD)
        for axis, number in (("x", "5"), ("y", "6"), ("z", "7")):
            page.fill(f"[aria-label='Position {axis}']", number)
            page.press("Enter")
        page.run("letGo(), 1")
        wait_until(lambda: self.transform(0)[11] == 7, 60, "the last number")
        self.assertEqual(self.transform(0), moved(5, 6, 7))

    def test_a_tool_an_axis_and_a_number_move_exactly(self):
        page = self.open_things({"name": "lamp", "transform": moved(1, 2, 3)})
        self.select(page, "lamp")
        page.run("document.activeElement.blur()")
        for key in ("g", "z", "-", "2", ".", "5"):
            page.press(key)
        page.await_text("Move z -2.5 m")
        page.press("Enter")
        wait_until(lambda: self.transform(0)[3::4][:3] == [1, 2, 0.5], 60, "the move")
        for key in ("r", "y", "9", "0", "Enter"):
            page.press(key)
        wait_until(lambda: abs(self.transform(0)[2] - 1) < 1e-9, 60, "the turn")
        for key in ("g", "x", "7", "Escape"):
            page.press(key)
        page.await_js("!document.querySelector('.stage-news')")
        self.assertEqual(self.transform(0)[3], 1)

    def test_numbers_are_those_of_the_axes_that_are_chosen(self):
        page = self.open_things({"name": "lamp", "transform": moved(1, 2, 3)})
        self.select(page, "lamp")
        page.run("(box => { box.value = 'unreal'; box.dispatchEvent(new Event('change', { bubbles: true })) })"
                 "(document.querySelector('.stage-axes select'))")
        page.await_js(f"{VALUES}.slice(0, 3).join() === '-300,100,200'")
        page.fill("[aria-label='Position y']", "+50")
        page.press("Enter")
        wait_until(lambda: self.transform(0)[3::4][:3] == [1.5, 2, 3], 60, "the move")
        page.run("document.activeElement.blur()")
        page.press("Control+z")
        wait_until(lambda: self.transform(0)[3::4][:3] == [1, 2, 3], 60, "the way back")
        page.run("document.querySelector('details.events').open = true")
        page.await_text("-300", ".raw")
        self.assertEqual(page.do("axe"), [])

    def test_things_are_hidden_and_shown_alone(self):
        page = self.open_things({"name": "door"}, {"name": "lamp", "transform": moved(2)})
        self.select(page, "door")
        page.run("document.activeElement.blur()")
        hidden = f"[...{MODEL}.hidden.value].length"
        page.press("h")
        page.await_text("Show 1 hidden")
        page.press("Shift+H")
        page.await_js(f"{hidden} === 0")
        page.press("i")
        page.await_text("hidden", ".tree-row:nth-child(2)")
        page.press("i")
        page.await_js(f"{hidden} === 0")
        page.press("Escape")
        page.press("n")
        page.await_js(f"['door', 'lamp'].includes({TITLE})")

    def test_two_things_are_measured(self):
        page = self.open_things({"name": "a"}, {"name": "b", "transform": moved(3, 0, 4)})
        self.select(page, "a")
        page.run("document.querySelector('.tree').focus()")
        page.press("Shift+ArrowDown")
        page.run("document.activeElement.blur()")
        page.press("m")
        page.await_js(f"{LABELS}.includes('5.00 m')")
        page.press("Escape")
        page.await_js(f"!{LABELS}.includes('5.00 m')")

    def test_people_walk_in_an_empty_scene_until_they_are_removed(self):
        self.client.put_scene(self.scene)
        page = self.open_scene(self.scene)
        page.click("text=Let 20 people walk")
        page.await_js("document.querySelectorAll('.tree-row').length === 20")
        places = lambda: {one["key"]: one["transform"][3] for one in self.client.objects(self.scene)}
        before = places()
        wait_until(lambda: all(places()[key] != x for key, x in before.items()), 60, "a walk")
        page.click("text=Remove the walkers")
        page.await_text("Nothing is here yet")
        self.assertEqual(self.client.objects(self.scene), [])

    def test_neighbours_are_shown_where_alignment_places_them(self):
        world = World(self.client, self.scene).build()
        page = self.open_scene(world.key("hall"))
        page.press("a")
        page.await_js(f"{LABELS}.includes('{world.key('lobby')} σ')")
        page.press("a")
        page.await_js(f"!{LABELS}.includes('{world.key('lobby')} σ')")


if __name__ == "__main__":
    sys.exit(main())
