"""How every screen of the console looks: dark and light, wide and narrow, against stored pictures. What
differs from run to run (times, figures, keys, curves) is fixed before a picture is taken; canvases of
3-D are empty. Skipped where console_test is, without the fonts, and with another Chromium. The short form
looks at one state of each screen, in two of the four looks; DIORAMA_LONG=1: all. --write [NAME…] makes
pictures anew: look at each before it is stored."""

import json
import os
import re
import subprocess
import sys
import tempfile
import time
import unittest

import console_browser
import console_test
from console_browser import Browser
from console_screens import FIRST, STATES, ScreensCase
from support import LONG

HERE = os.path.dirname(os.path.abspath(__file__))
STORED = os.path.join(HERE, "console_pictures")
WRITTEN = ""  # where pictures are written as they are, while they are made
PICTURED = [state for state in STATES if state.is_pictured]
SIZES = {"wide": (1440, 900), "narrow": (390, 844)}
SCHEMES = ("light", "dark")
LOOKS = [(size, scheme) for size in SIZES for scheme in SCHEMES]
CHROMIUM = 156  # that drew the stored pictures
QUICK = [("wide", "light"), ("narrow", "dark")]  # of the four looks
MOST = 0.001  # of the pixels may differ
TRIES = 10  # what is still being drawn is looked at again
STILL = 3  # looks at what is to be stored, without a change
FONTS = ["/usr/share/fonts/opentype/inter/Inter-Regular.otf", "/usr/share/fonts/opentype/inter/Inter-Medium.otf",
         "/usr/share/fonts/opentype/inter/Inter-SemiBold.otf", "/usr/share/fonts/opentype/inter/Inter-Bold.otf",
         "/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf", "/usr/share/fonts/truetype/dejavu/DejaVuSansMono.ttf"]
# Of all fonts of this machine these alone, drawn the same everywhere.
FONTCONFIG = """<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd"><fontconfig>
<dir>/usr/share/fonts/opentype/inter</dir><dir>/usr/share/fonts/truetype/dejavu</dir><cachedir>{folder}</cachedir>
<selectfont><rejectfont><glob>*</glob></rejectfont><acceptfont>{accepted}</acceptfont></selectfont>
{aliases}
<match target="font"><edit name="antialias" mode="assign"><bool>true</bool></edit>
<edit name="hinting" mode="assign"><bool>false</bool></edit><edit name="rgba" mode="assign"><const>none</const></edit></match>
</fontconfig>"""
ALIAS = '<alias binding="strong"><family>{}</family><prefer><family>{}</family></prefer></alias>'
ALIASES = {"system-ui": "Inter", "sans-serif": "Inter", "ui-monospace": "DejaVu Sans Mono", "monospace": "DejaVu Sans Mono"}

# A copy of the page takes its place, in which nothing changes any more: what differs from run to run has
# fixed words there. `thaw` brings the page back.
FREEZE = """(() => {
  const page = document.body, copy = page.cloneNode(true)
  const pairs = at => [...page.querySelectorAll(at)].map((one, i) => [one, copy.querySelectorAll(at)[i]])
  for (const [one, other] of pairs('select')) other.selectedIndex = one.selectedIndex
  const scrolled = pairs('*').filter(([one]) => one.scrollTop || one.scrollLeft)
    .map(([one, other]) => [other, one.scrollTop, one.scrollLeft])
  const drawn = pairs('canvas.map-canvas')
  window.thaw = () => { copy.replaceWith(page); delete window.thaw }
  page.replaceWith(copy)
  for (const [one, other] of drawn) other.getContext('2d').drawImage(one, 0, 0)
  for (const [other, top, left] of scrolled) other.scrollTo(left, top)
  for (const dialog of copy.querySelectorAll('dialog[open]')) { dialog.close(); dialog.showModal() }
  document.activeElement.blur() // what has the focus loses it with the first picture
  const fix = (at, words) => copy.querySelectorAll(at).forEach((one, i) => { one.textContent = words(i, one) })
  FIXED
  copy.normalize()
  const walk = document.createTreeWalker(copy, NodeFilter.SHOW_TEXT)
  while (walk.nextNode()) if (!walk.currentNode.parentElement.closest('.chart-ends')) walk.currentNode.data = WORDS.reduce(
    (text, [pattern, words]) => text.replace(new RegExp(pattern, 'g'), words), walk.currentNode.data)
  for (const one of copy.querySelectorAll('input:not([type=radio], [type=checkbox])')) one.value = one.value.replace(/\\b[0-9a-f]{24}\\b/g, KEY)
})(), 1"""
# A page that was away has no size; it is drawn anew.
DRAWN = "(map => !map || map.width === map.clientWidth)(document.querySelector('.map-canvas'))"
NEXT_FRAME = "new Promise(drawn => requestAnimationFrame(() => requestAnimationFrame(drawn)))"
KEY = "5b98880a270698496c36e392"
# Figures of the server, and the curves of the last minutes.
FIXED = """
  fix('.tile strong, .chart-top', (i, one) => /^[A-Z]/.test(one.textContent) ? one.textContent : `${(i + 1) * 12}`)
  fix('.curve strong', i => `${i + 1}.5`)
  copy.querySelectorAll('.overlay .label').forEach(one => one.remove()) // they stand where the 3-D has things
  copy.querySelectorAll('.chart [class^=line]').forEach((one, i) => one.setAttribute('d',
    `M60 ${44 - i}` + Array.from({ length: 40 }, (_, x) => `L${61 + x} ${(30 - 12 * Math.sin(x / (3 + i))).toFixed(1)}`).join('')))
  copy.querySelectorAll('.spark').forEach(one => one.replaceChildren())
"""
WORDS = [
    [r"\b[0-9a-f]{24}\b", KEY],
    [r"127\.0\.0\.1:\d+", "127.0.0.1:8080"],
    [r"^(\d+ (second|minute)s? ago|now)$|(?<=solved )(\d+ (second|minute)s? ago|now)", "2 minutes ago"],
    [r"\w{3} \d+, \d{4}, \d+:\d+\s[AP]M", "Nov 28, 2026, 12:00 PM"],
    [r"\d+:\d+:\d+\s[AP]M", "12:00:00 PM"],
    [r"\bversion \d[\w.]*|Diorama \d[\w.]*", "Diorama 1.0.0"],
]
def with_values(js, **values):
    for name, value in values.items():
        js = js.replace(name, value if name == "FIXED" else json.dumps(value))
    return js


def name_of(state, size, scheme):
    return f"{state.name} {size} {scheme}".replace(" ", "-")


class Pictures(ScreensCase, unittest.TestCase):
    @classmethod
    def make_browser(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        path = os.path.join(folder.name, "fonts.conf")
        with open(path, "w", encoding="utf-8") as file:
            file.write(FONTCONFIG.format(
                folder=folder.name, accepted="".join(f"<glob>{font}</glob>" for font in FONTS),
                aliases="".join(ALIAS.format(*alias) for alias in ALIASES.items())))
        return Browser(fonts=path)

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.differing = tempfile.mkdtemp(prefix="console-pictures-")

    def take(self, page, name, **asked):
        """The share of the pixels that differ from those that are stored."""
        page.await_js(DRAWN)
        page.run(NEXT_FRAME)
        page.run(with_values(FREEZE, FIXED=FIXED, WORDS=WORDS, KEY=KEY))
        share = page.do("picture", stored=os.path.join(STORED, f"{name}.png"), **asked)
        page.run("thaw(), 1")
        return share

    def compare(self, page, name):
        """The least share of some looks."""
        shares = []
        while not shares or min(shares) > MOST and len(shares) < TRIES:
            plain = os.path.join(self.differing, f"{name}.png")
            time.sleep(0.1 * len(shares))
            shares.append(self.take(page, name, plain=plain))
        if min(shares) <= MOST:
            os.unlink(plain)
        return min(shares)

    def write(self, page, name):
        """Stores it when it has stood still for a while."""
        plain = os.path.join(WRITTEN, f"{name}.png")
        self.take(page, name, write=True)
        still = 0
        while still < STILL:
            time.sleep(0.2)
            still = still + 1 if self.take(page, name, plain=plain) == 0 else 0
            if not still:
                self.take(page, name, write=True)

    def look_at(self, state):
        found = {}
        page = self.open_state(state, width=SIZES["wide"][0], height=SIZES["wide"][1])
        for size, (width, height) in SIZES.items():
            page.do("size", width=width, height=height)
            for scheme in SCHEMES:
                if not (LONG or WRITTEN) and (size, scheme) not in QUICK:
                    continue
                name = name_of(state, size, scheme)
                page.do("scheme", value=scheme)
                page.await_js(f"document.documentElement.dataset.theme === '{scheme}'")
                if WRITTEN:
                    self.write(page, name)
                elif (share := self.compare(page, name)) > MOST:
                    found[name] = f"{share:.2%}"
        self.assertEqual(found, {}, f"how they look now is in {self.differing}")

    def test_every_picture_is_of_a_screen(self):
        if WRITTEN:
            self.skipTest("they are being made")
        self.assertEqual({name.removesuffix(".png") for name in os.listdir(STORED)},
                         {name_of(state, *look) for state in PICTURED for look in LOOKS})


for state in PICTURED if LONG or "--write" in sys.argv else FIRST:
    setattr(Pictures, f"test_{state.name}".replace(" ", "_"), lambda self, state=state: self.look_at(state))


def chromium():
    """Its major version: another one may draw letters and shadows otherwise."""
    words = subprocess.run(["chromium", "--version"], capture_output=True, text=True, check=False).stdout
    return int((re.search(r"(\d+)\.", words) or ["", "0"])[1])


def main():
    missing = [font for font in FONTS if not os.path.isfile(font)]
    if missing and not console_browser.why_not():
        print(f"console_pictures_test: skipped: there is no {missing[0]}")
        return console_test.SKIPPED
    if not WRITTEN and not console_browser.why_not() and chromium() != CHROMIUM:
        print(f"console_pictures_test: skipped: the pictures are of Chromium {CHROMIUM}; --write makes them anew")
        return console_test.SKIPPED
    return console_test.main()


if __name__ == "__main__":
    if "--write" in sys.argv:
        at = sys.argv.index("--write")
        WRITTEN = tempfile.mkdtemp(prefix="console-pictures-")
        names = [f"Pictures.test_{name}".replace(" ", "_") for name in sys.argv[at + 1:]]
        sys.argv[at:] = names
        os.makedirs(STORED, exist_ok=True)
        print(f"as they are, to be looked at: {WRITTEN}")
    sys.exit(main())
