"""THE table of the console's screens and their states, which tests walk: axe, hostile words, pictures.
A screen that is missing here fails (console_barriers_test)."""

import base64
import re
import struct
import zlib
from typing import Callable, NamedTuple
from urllib.parse import quote

from console_alignment_test import World
from console_test import ConsoleCase, make_glb
from feeds import UdpDevice
from files import upload
from support import Client, Server, ServerCase

UPLOADED = "model.glb"
LATITUDE, LONGITUDE = 50.9413, 6.9583


LIVE = "document.querySelector('.stream [role=status]')?.textContent === 'live'"


def select_lamp(page):
    page.await_js(LIVE)
    page.click(".tree-row:has-text('lamp')")
    page.await_js("document.querySelector('.title')?.value === 'lamp'")


GRAPH = "document.querySelector(\"[data-name^='link']\") !== null"
MAP = "document.querySelector('.map-canvas')?.dataset.drawn > 0"
TOLD = "document.body.innerText.includes('kept back')"


def choose_link(page):
    page.await_js(GRAPH)
    page.run("document.querySelector(\"[data-name^='link'] .align-hit\").dispatchEvent("
             "new MouseEvent('click', { bubbles: true }))")
    page.await_js("document.querySelector('.align-witnesses') !== null")


def see(*conditions):
    """What comes a while after the words of the state."""
    def act(page):
        for condition in conditions:
            page.await_js(condition)
    return act


def press(key, shows):
    def act(page):
        page.run("document.activeElement.blur()")
        page.press(key)
        page.await_js(f"document.querySelector({shows!r}) !== null")
    return act


def click(at, shows):
    def act(page):
        page.click(at)
        page.await_js(f"document.querySelector({shows!r}) !== null")
    return act


class State(NamedTuple):
    name: str
    address: str  # behind /console/; {hall} and the like are keys of what furnish makes
    ready: str  # what it shows when it is there
    act: Callable = None  # what is done then
    is_bare: bool = False  # of a server that holds nothing
    is_pictured: bool = True  # no: it looks like another one

    @property
    def screen(self):
        return re.match(r"\w*", self.address).group() if self.name != "no screen" else self.name


STATES = (
    State("overview", "", "Changed last",
          see(TOLD, "document.querySelectorAll('.chart').length === 4", "/fare well/.test(document.body.innerText)")),
    State("overview of nothing", "", "No scenes yet", see(TOLD), is_bare=True),
    State("sign in", "login", "Sign in"),
    State("scenes", "scenes", "Hall"),
    State("scenes that do not fit", "scenes?q=zzz", "Nothing fits"),
    State("new scene", "scenes", "Hall", click("text=New scene", "dialog[open]")),
    State("go to anything", "scenes", "Hall", press("Control+k", "[role=option]:nth-child(11)")),
    State("keys", "scenes", "Hall", press("?", "dialog[open]")),
    State("scene", "scene/{hall}", "lamp", select_lamp),
    State("scene without things", "scene/{attic}", "Put a cube here", see(LIVE)),
    State("scene that is not there", "scene/nowhere", "There is no such thing"),
    State("assets", "assets", UPLOADED),
    State("assets that do not fit", "assets?q=zzz", "Nothing fits", is_pictured=False),
    State("no assets", "assets", "No assets yet", is_bare=True),
    State("asset", "assets/{asset}", "1 use", see("/12 triangles/.test(document.body.innerText)")),
    State("map", "map", "3 scenes in view", see(MAP)),
    State("map with a circle", f"map?near={LATITUDE},{LONGITUDE},9", "3 scenes within", see(MAP)),
    State("alignment", "alignment", "Pick a scene"),
    State("alignment of a scene", "alignment?scene={hall}", "Links", see(GRAPH), is_pictured=False),
    State("alignment of two scenes", "alignment?scene={hall}", "Links", choose_link),
    State("devices", "devices", "phone"),
    State("no devices", "devices", "No devices yet", is_bare=True, is_pictured=False),
    State("server", "server", "store.sync", see("document.querySelectorAll('.chart').length === 8")),
    State("no screen", "nowhere", "There is no such page"),
)


# One of each screen; the others are for the long form of tests that take long.
FIRST = tuple({state.screen: state for state in reversed(STATES)}.values())[::-1]


def picture():
    """A PNG of 8 × 6 squares."""
    rows = b"".join(b"\0" + b"".join(struct.pack("3B", 40 + 20 * x, 90 + 10 * y, 160) for x in range(8))
                    for y in range(6))
    chunk = lambda kind, data: (struct.pack(">I", len(data)) + kind + data +
                                struct.pack(">I", zlib.crc32(kind + data)))
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">2I5B", 8, 6, 8, 2, 0, 0, 0)) +
            chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))


def put_file(client, name, content, kind):
    type_ = name.rpartition(".")[2]
    answer = upload(client, f"/v1/asset?name={quote(name)}&file-type={type_}", content, name, kind)
    assert answer.status == 200, answer
    return answer.text


def furnish(client, at_end):
    """Scenes, things, devices, files and alignment; returns the keys that addresses name."""
    world = World(client, "plaza").build()
    client.put_scene("plaza-attic", name="Attic", tags=["indoor"])
    for number, (name, members) in enumerate({
            "hall": {"tags": ["indoor", "museum"], "region": "Cologne"}, "lobby": {"tags": ["indoor"]},
            "roof": {"tags": ["outdoor"]}}.items()):
        client.put_scene(world.key(name), latitude=LATITUDE + number / 100, longitude=LONGITUDE + number / 50,
                         **members)
    asset = put_file(client, UPLOADED, base64.b64decode(make_glb()), "model/gltf-binary")
    answer = client.request("PUT", f"/v1/asset/{asset}/thumbnail", picture(), {"Content-Type": "image/png"})
    assert answer.status == 200, answer
    put_file(client, "notes.txt", b"words", "text/plain")
    client.create(world.key("hall"), {"name": "lamp", "type": "light", "assets": [asset]}, {"name": "door"})
    device = UdpDevice("phone")
    at_end(device.close)
    client.register(world.key("hall"), device.record())
    return {"hall": world.key("hall"), "attic": "plaza-attic", "asset": asset}


class ScreensCase(ConsoleCase, ServerCase):
    """Two servers for the class: one that holds what furnish makes, and one that holds nothing."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.furnished, cls.bare = cls.server, Server()
        cls.addClassCleanup(cls.bare.end)
        cls.bare.start()
        with Client(cls.furnished) as client:
            cls.keys = furnish(client, cls.addClassCleanup)

    def open_state(self, state, **asked):
        """A page of the console in this state."""
        self.server = self.bare if state.is_bare else self.furnished
        page = self.open("/console/" + state.address.format(**self.keys), tab=state.name, **asked)
        page.await_text(state.ready)
        if state.act:
            state.act(page)
        return page
