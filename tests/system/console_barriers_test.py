"""No screen of the console keeps anybody out: axe, on each of them, light and dark, in a headless
Chromium; and none is wider than a phone. What opens inside a screen is looked at where it is tested.
Skipped where console_test is. DIORAMA_LONG=1: axe on the narrow ones too."""

import os
import re
import sys
import unittest

from console_alignment_test import World
from console_assets_test import uploaded
from console_test import ConsoleCase, main
from support import LONG, ServerCase

SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../tools/console/src/main.tsx")
# Of each screen its states: the address behind /console/, {} is the scene; and what it shows when it
# is there.
SCREENS = {
    "": {"": "Changed last"},
    "login": {"login": "Sign in"},
    "scenes": {"scenes": "Hall", "scenes?q=zzz": "Nothing fits"},
    "scene": {"scene/nowhere": "There is no such thing", "scene/{}": "live"},
    "assets": {"assets": "model.glb", "assets?q=zzz": "Nothing fits"},
    "alignment": {"alignment": "Pick a scene", "alignment?scene={}": "Links"},
    "map": {"map": "in view", "map?near=50,7,9": "within"},
    "devices": {"devices": "phone"},
    "server": {"server": "store.sync"},
    "no screen": {"nowhere": "There is no such page"},
}
NARROW = 390


class Barriers(ConsoleCase, ServerCase, unittest.TestCase):
    def setUp(self):
        super().setUp()
        world = World(self.client, self.scene)
        world.link("hall", "lobby", "headset", 1)
        self.hall = world.key("hall")
        self.client.put_scene(self.hall, name="Hall", tags=["a"], latitude=50, longitude=7)
        self.client.create(self.hall, {"name": "lamp"}, {"name": "door"})
        self.client.register(self.hall, {"key": "phone", "transform": {
            "translation": [0, 1, 0], "rotation": [0, 0, 0]}})
        uploaded(self.client, "model.glb")

    def look_at(self, screen):
        for address, ready in SCREENS[screen].items():
            page = self.open("/console/" + address.format(self.hall), tab=address, width=1440)
            page.await_text(ready)
            if ready == "live":
                self.select(page, "lamp")
            self.check_barriers(page, address)
            page.do("size", width=NARROW, height=844)
            page.await_js(f"document.documentElement.scrollWidth <= {NARROW}")
            if LONG:
                self.check_barriers(page, f"{address} {NARROW}")

    def test_the_table_has_every_screen(self):
        with open(SOURCE, encoding="utf-8") as source:
            screens = set(re.findall(r"case '(\w*)':|screen === '(\w+)'", source.read()))
        self.assertEqual(set(SCREENS) - {"no screen"}, {one or other for one, other in screens})


for name in SCREENS:
    setattr(Barriers, f"test_{name or 'overview'}".replace(" ", "_"), lambda self, name=name: self.look_at(name))

if __name__ == "__main__":
    sys.exit(main())
