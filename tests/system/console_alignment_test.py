"""The console's screen of alignment in a headless Chromium: the graph, what one sees of it by mouse
and by keyboard, and corrections that are pinned and removed. Skipped where console_test is."""

import sys
import unittest
from urllib.parse import quote

from console_test import ConsoleCase, main
from hostile import HOSTILE
from people import FLAGS, PASSWORD, PeopleCase
from support import ServerCase, wait_until

ORIGIN = {"translation": [0, 0, 0], "rotation": [0, 0, 0]}
LINES = "[...document.querySelectorAll('.align-line')].filter(line => line.closest('[data-name]'))"
NEWS = ".align-told"


class World:
    """Scenes that devices link, as people would see them: keys and names are those of the test."""

    def __init__(self, client, prefix):
        self.client, self.prefix = client, prefix[:60]

    def key(self, name):
        return f"{self.prefix}-{name}"

    def link(self, one, other, device, place, offset=(0, 0), **accuracy):
        """The device stands at x = place in one scene and `offset` from there in the other."""
        for name, at in ((one, (place, 0)), (other, (place - offset[0], -offset[1]))):
            pose = {**ORIGIN, "translation": [at[0], 0, at[1]]}
            self.client.register(self.key(name), {"key": self.key(device), "transform": pose,
                                                  "accuracy": accuracy})

    def build(self):
        """Hall and lobby agree; of lobby and roof two devices say different things, and the one that
        is wrong claims less."""
        for name in ("hall", "lobby", "roof"):
            self.client.put_scene(self.key(name), name=name.capitalize())
        for place in (1, 2):
            self.link("hall", "lobby", f"headset-{place}", place, (8, 3), sigma_t_m=0.02,
                      sigma_r_rad=0.01, method="marker")
        self.link("lobby", "roof", "phone", 3, (2, -6), sigma_t_m=0.02, sigma_r_rad=0.01,
                  method="marker")
        self.link("lobby", "roof", "tablet", 4, (4, -5), sigma_t_m=0.05, sigma_r_rad=0.01,
                  method="slam")
        wait_until(lambda: "conflicting" in self.statuses(), 60, "a solution with all of it")
        return self

    def statuses(self):
        path = f"/v1/alignment/graph?scene={quote(self.key('hall'), safe='')}&hops=3"
        return [link["status"] for link in self.client.get(path).body["links"]]


class AlignmentPages(ConsoleCase):
    def around(self, world, name, ready="Links", **asked):
        page = self.open(f"/console/alignment?scene={world.key(name)}", **asked)
        page.await_text(ready)
        page.await_js(f"{LINES}.length > 0")
        return page

    def mark(self, world, *names):
        kind = "link" if len(names) == 2 else "scene"
        return f"[data-name='{kind} {' '.join(sorted(map(world.key, names)))}']"

    def choose(self, page, at):
        page.click(f"{at} .align-hit")
        page.await_js(f'document.querySelector("{at}").ariaPressed === "true"')


class Alignment(AlignmentPages, ServerCase, unittest.TestCase):
    def build(self):
        return World(self.client, self.scene).build()

    def test_a_conflicting_alignment_is_found_and_removed_and_sigma_falls(self):
        world = self.build()
        page = self.open("/console/alignment")
        page.await_text("Pick a scene")
        page.fill("[aria-label='Filter scenes']", world.key("roof"))
        page.click(f"a[href*='{world.key('roof')}']")
        page.await_text("1 conflicting")
        self.choose(page, self.mark(world, "lobby", "roof"))
        page.await_text("one of them is wrong", ".align-side")
        page.await_text("tablet", ".align-witnesses")
        before = float(page.text(".align-figures strong").removesuffix(" cm"))
        tablet = world.key("tablet")
        page.click(f"[aria-label='Remove the correction of {tablet}']")
        page.await_text("goes for good", "dialog")
        self.assertEqual(page.do("axe"), [])
        page.click("text=Remove it")
        page.await_text("was conflicting and is unverified, σ fell from", NEWS)
        self.assertIn(f"{before:.1f} cm to", page.text(NEWS))
        after = float(page.text(".align-figures strong").removesuffix(" cm"))
        self.assertLess(after, before)
        self.assertNotIn("conflicting", page.text(".align-summary"))
        self.assertNotIn(tablet, page.text(".align-table"))
        self.assertEqual([found["device"] for found in self.client.get(
            f"/v1/scene/{world.key('roof')}/alignment").body["corrections"]], [world.key("phone")])

    def test_the_worst_correction_is_first_and_says_why_it_does_not_count(self):
        world = self.build()
        page = self.around(world, "roof", "It disagrees with the others")
        self.assertIn(world.key("phone"), page.text(".align-table tbody tr"))
        self.assertIn("It disagrees with the others", page.text(".align-table tbody tr"))
        page.click("label:has-text('rejected') input")
        page.await_js("document.querySelectorAll('.align-table tbody tr').length === 1")
        self.assertIn("show=rejected", page.run("location.search"))

    def test_a_correction_is_pinned_and_unpinned(self):
        world = self.build()
        page = self.around(world, "hall")
        name = world.key("headset-1")
        page.click(f"[aria-label='Pin the correction of {name}']")
        page.await_text("pinned", ".align-table tbody")
        page.await_js(f"document.querySelector(\"[aria-label='Unpin the correction of {name}']:enabled\")")
        page.click(f"[aria-label='Unpin the correction of {name}']")
        page.await_js("!document.querySelector('.align-table .tag')")
        found = self.client.get(f"/v1/scene/{world.key('hall')}/alignment").body["corrections"]
        self.assertFalse(any(each["pinned"] for each in found))

    def test_what_the_server_refuses_is_told_in_its_words(self):
        world = self.build()
        page = self.around(world, "hall")
        path = f"/v1/scene/{world.key('hall')}/alignment"
        wrong = self.client.get(path).body["corrections"][0]
        page.click(f"[aria-label='Remove the correction of {wrong['device']}']")
        self.assertEqual(self.client.delete(f"{path}/{wrong['id']}").status, 200)
        page.click("text=Remove it")
        page.await_text("there is no correction", "dialog [role=alert]")

    def test_lines_tell_status_and_certainty(self):
        world = self.build()
        page = self.around(world, "hall")
        page.await_js(f"{LINES}.length === 2")
        wide, narrow = [
            page.run(f'Number(document.querySelector("{self.mark(world, *names)} .align-line")'
                     '.getAttribute("stroke-width"))')
            for names in (("hall", "lobby"), ("lobby", "roof"))]
        self.assertGreater(wide, narrow)
        dashes = page.run(f"{LINES}.map(line => line.getAttribute('stroke-dasharray') ?? 'none')")
        self.assertEqual(len(set(dashes)), 2)
        self.assertIn("✕ σ", page.run("document.querySelector('.align-label.bad').textContent"))
        self.assertEqual(page.run("document.querySelectorAll('[style]').length"), 0)

    def test_everything_is_reached_by_keyboard(self):
        world = self.build()
        page = self.around(world, "hall")
        page.run(f"document.querySelector(\"{self.mark(world, 'hall')}\").focus()")
        page.press("ArrowRight")
        page.await_js("document.activeElement.ariaLabel.includes('predicted')")
        page.press("Enter")
        page.await_text("Several devices agree", ".align-side")
        page.press("Escape")
        page.await_js("document.querySelectorAll('.align-row').length === 5")
        # The lists say the same, and the focus goes where the row went.
        page.run("document.querySelector('.align-row').focus()")
        page.press("Enter")
        page.await_text("one of them is wrong", ".align-side")
        page.await_js("document.activeElement.ariaLabel === 'Back to all links'")
        page.press("Enter")
        page.await_js("document.activeElement.dataset.row?.startsWith('link')")
        page.run("document.querySelector('[role=combobox]').focus()")
        page.press("ArrowDown")
        page.do("type", text=world.key("roof"))
        page.await_text("Roof", "[role=option]")
        page.press("Enter")
        page.await_text("Corrections in Roof")
        page.press("Tab")
        page.press("1")
        page.await_js("location.search.endsWith('hops=1')")
        page.await_js(f"{LINES}.length === 1")

    def test_without_links_it_says_what_makes_one(self):
        self.client.put_scene(self.scene)
        page = self.open(f"/console/alignment?scene={self.scene}")
        page.await_text("No links yet")
        self.assertIn(f"{self.base}/v1/scene/{self.scene}/register", page.text(".code"))

    def test_a_scene_that_is_not_there_or_goes_says_so(self):
        world = self.build()
        page = self.open("/console/alignment?scene=nowhere")
        page.await_text("There is no such thing here")
        page = self.around(world, "roof", tab="second")
        self.client.ok("DELETE", f"/v1/scene/{world.key('roof')}")
        page.await_text("This scene is gone")

    def test_what_was_known_stays_while_the_server_is_away(self):
        server = self.start_server()
        world = self.build()
        page = self.around(world, "hall")
        server.kill()
        page.await_text("The server does not answer")
        self.assertIn("headset", page.text(".align-table"))
        page.await_js("document.querySelectorAll('.align-acts button:enabled').length === 0")
        self.assertEqual(page.do("axe"), [])
        server.start(keeps_ports=True)
        page.await_js("!document.querySelector('.align .banner')")

    def test_the_screen_of_a_scene_leads_there(self):
        world = self.build()
        page = self.open_scene(world.key("hall"))
        page.click(".devices a")
        page.await_text("Corrections in Hall")

    def test_hostile_names_are_text(self):
        world = World(self.client, self.scene)
        for words in HOSTILE:
            self.client.put_scene(world.key("a"), name=words)
            self.client.put_scene(world.key("b"), name=words)
            world.prefix = words.replace("/", "_")[:40]
            for name in "ab":
                self.client.register(f"{self.scene[:60]}-{name}", {
                    "key": world.prefix, "transform": ORIGIN,
                    "accuracy": {"sigma_t_m": 0.1, "method": words[:32]}})
            world.prefix = self.scene[:60]
        page = self.around(world, "a")
        page.await_js(f"document.querySelectorAll('.align-table tbody tr').length === {len(HOSTILE)}")
        page.click(".align-row")
        page.await_text(HOSTILE[0].replace("/", "_"), ".align-side")
        self.assertEqual(page.run("document.querySelectorAll('script').length"), 1)
        self.assertEqual(page.run("document.querySelectorAll('iframe, img').length"), 0)

    def test_no_state_has_a_barrier(self):
        world = self.build()
        link, scene = self.mark(world, "lobby", "roof"), self.mark(world, "lobby")
        for width, name, chosen in ((1440, "hall", ""), (1440, "roof", link), (390, "roof", link),
                                    (390, "hall", scene)):
            page = self.around(world, name, width=width, height=844, tab=f"{width} {name}")
            if chosen:
                self.choose(page, chosen)
            self.check_barriers(page, f"{name} {width}")
            self.assertLessEqual(page.run("document.documentElement.scrollWidth"), width)


class People(AlignmentPages, PeopleCase, unittest.TestCase):
    flags = FLAGS

    def test_only_administrators_pin_and_remove(self):
        world = World(self.admin, "house").build()
        self.admin.ok("POST", f"/v1/scene/{world.key('roof')}", {"scenes": [{"public": False}]})
        eve = self.new_person("eve")
        page = self.open(f"/console/alignment?scene={world.key('hall')}")
        page.await_text("Sign in to Diorama")
        page.fill("[autocomplete=username]", "eve")
        page.fill("[type=password]", PASSWORD)
        page.press("Enter")
        page.await_text("Administrators may pin")
        page.await_text("2 scenes")  # the third one is private
        self.assertEqual(page.run("document.querySelectorAll('.align-acts').length"), 0)
        page.do("goto", url=f"{self.base}/console/alignment?scene={world.key('roof')}")
        page.await_text("There is no such thing here")
        eve.close()


if __name__ == "__main__":
    sys.exit(main())
