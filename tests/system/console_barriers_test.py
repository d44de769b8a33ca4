"""No screen of the console keeps anybody out: axe, on each of them, light, dark and in colours that people
force on it, in a headless Chromium; what is selected or has the focus is framed then; and none is wider
than a phone, or than a window that is enlarged to 200 %. What else opens inside a screen is looked at
where it is tested. Skipped where console_test is. DIORAMA_LONG=1: axe on each state of a screen, and on
the narrow ones too."""

import os
import re
import sys
import unittest

from console_screens import FIRST, STATES, ScreensCase
from console_test import main
from support import LONG

SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../tools/console/src/main.tsx")
NARROW = 390
SCHEMES = ("dark", "light")
ENLARGED = (720, 450)  # what a window of 1440 × 900 has at 200 %
# What has no frame of a colour of its own, and is selected, or has the focus then; `looks` are where the
# frame may be, beside the thing itself.
UNFRAMED = """(() => {
  const isFramed = one => { const style = one && getComputedStyle(one)
    return style && style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) >= 1 && style.outlineColor !== ground }
  const ground = getComputedStyle(document.body).backgroundColor
  const all = at => [...document.querySelectorAll(at)].filter(one => one.checkVisibility())
  const told = one => one.outerHTML.slice(0, 120)
  const selected = all('[aria-selected=true], [aria-pressed=true], [aria-current], .choices :checked + span').filter(one => !isFramed(one))
  const lost = all('a[href], button, input, select, summary, [tabindex="0"]').filter(one => {
    one.focus({ focusVisible: true })
    const looks = [one, one.nextElementSibling, one.closest('.search, .number, .combo')]
    return document.activeElement === one && !looks.some(isFramed)
  })
  return { selected: selected.map(told), lost: lost.map(told) }
})()"""


class Barriers(ScreensCase, unittest.TestCase):
    def look_at(self, state):
        page = self.open_state(state, width=1440)
        self.check_barriers(page, state.name)
        for scheme in SCHEMES if LONG else SCHEMES[:1]:
            page.do("scheme", value=scheme, forced=True)
            page.await_js(f"document.documentElement.dataset.theme === '{scheme}'")
            # Contrast is the palette's, and the browser tells others of it than it paints.
            self.assertEqual(page.do("axe", without=["color-contrast"]), [], f"{state.name} forced {scheme}")
            self.assertEqual(page.run(UNFRAMED), {"selected": [], "lost": []}, f"{state.name} {scheme}")
        page.do("scheme", value="light")
        for width, height in (ENLARGED, (NARROW, 844)):
            page.do("size", width=width, height=height)
            page.await_js(f"document.documentElement.scrollWidth <= {width}")
        if LONG:
            self.check_barriers(page, f"{state.name} {NARROW}")

    def test_the_table_has_every_screen(self):
        with open(SOURCE, encoding="utf-8") as source:
            screens = set(re.findall(r"case '(\w*)':|screen === '(\w+)'", source.read()))
        self.assertEqual({state.screen for state in STATES} - {"no screen"},
                         {one or other for one, other in screens})


for state in STATES if LONG else FIRST:
    setattr(Barriers, f"test_{state.name}".replace(" ", "_"), lambda self, state=state: self.look_at(state))

if __name__ == "__main__":
    sys.exit(main())
