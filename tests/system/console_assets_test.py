"""Files in the console, in a headless Chromium: pictures of models, versions. Skipped where
console_test is."""

import base64
import sys
import unittest
from urllib.parse import quote

from console_test import KEEP_NEWS, NEWS, ConsoleCase, make_glb, main
from files import upload
from support import ServerCase, wait_until

GLB = base64.b64decode(make_glb())
FACES = "[...document.querySelectorAll('.asset-face img')]"
VERSIONS = "[...document.querySelectorAll('.version a')].map(link => link.textContent).join()"


def uploaded(client, name, content=GLB):
    answer = upload(client, f"/v1/asset?name={quote(name)}&file-type=glb", content, "a.glb",
                    "model/gltf-binary")
    assert answer.status == 200, answer
    return answer.text


def wrote(client, name, of=""):
    """A version that costs a browser nothing to show."""
    answer = upload(client, f"/v1/asset{of and '/' + of}?name={quote(name)}", name.encode(), "a.txt",
                    "text/plain")
    assert answer.status == 200, answer
    return answer.text


def assets_of(client):
    return client.get("/v1/asset?limit=1000").body


class Files(ConsoleCase, ServerCase, unittest.TestCase):
    flags = None

    def setUp(self):
        super().setUp()
        self.start_server()

    def picture_of(self, name):
        [asset] = [asset for asset in assets_of(self.client) if asset["name"] == name]
        return asset.get("thumbnail")

    def ask_for_picture(self, page):
        """Presses the button at once: a model that turns leaves a slow machine no time to be still."""
        page.await_text("Make its picture for lists")
        page.run("[...document.querySelectorAll('button')].find(one => "
                 "one.textContent === 'Make its picture for lists').click()")

    def test_a_model_that_is_uploaded_gets_one_picture_that_lists_show(self):
        page = self.open("/console/assets")
        page.await_text("No assets yet")
        page.do("drop", at=".drop", file="stool.glb", type="", bytes=make_glb())
        page.await_js(f"{FACES}.length === 1 && {FACES}[0].naturalWidth === 320")
        hash_ = self.picture_of("stool.glb")
        page.do("drop", at=".drop", file="words.txt", type="text/plain",
                bytes=base64.b64encode(b"words").decode())
        page.await_text("words.txt")
        again = self.open("/console/assets", tab="again")
        again.await_js(f"{FACES}.length === 1 && {FACES}[0].naturalWidth === 320")
        self.assertEqual(self.picture_of("stool.glb"), hash_)
        # Something is drawn in its middle, nothing in its corners.
        drawn = page.run(f"""(async () => {{ const canvas = new OffscreenCanvas(320, 240).getContext('2d')
            canvas.drawImage({FACES}[0], 0, 0)
            return [[160, 120], [2, 2]].map(([x, y]) => canvas.getImageData(x, y, 1, 1).data[3]) }})()""")
        self.assertEqual(drawn, [255, 0])

    def test_what_others_upload_and_delete_shows_at_once(self):
        page = self.open("/console/assets")
        page.await_text("No assets yet")
        key = wrote(self.client, "theirs.txt")
        page.await_text("theirs.txt")
        self.assertEqual(self.client.delete(f"/v1/asset/{key}").status, 200)
        page.await_text("No assets yet")

    def test_a_model_of_others_gets_its_picture_when_somebody_asks_for_it(self):
        key = uploaded(self.client, "stool")
        page = self.open(f"/console/assets/{key}")
        self.ask_for_picture(page)
        page.await_js(f"{FACES}.length === 1 && {FACES}[0].naturalWidth === 320")
        page.await_js("!document.body.innerText.includes('Make its picture')")
        self.assertTrue(self.picture_of("stool"))

    def test_what_cannot_be_drawn_keeps_its_sign_and_says_why_when_asked(self):
        key = uploaded(self.client, "broken", b"glTF is not in here")
        page = self.open(f"/console/assets/{key}")
        self.ask_for_picture(page)
        page.await_text("There is no picture")
        self.assertEqual(page.run(f"{FACES}.length"), 0)
        self.assertIsNone(self.picture_of("broken"))

    def test_what_names_a_file_is_shown_page_by_page(self):
        asset = wrote(self.client, "poster.txt")
        page = self.open(f"/console/assets/{asset}")
        page.await_text("0 uses")
        self.client.put_scene("hall", name="Hall", assets=[asset])
        self.client.create("hall", *({"name": f"wall {number}", "assets": [asset]} for number in range(24)))
        page = self.open(f"/console/assets/{asset}")
        page.await_text("25 uses")
        page.await_js("document.querySelectorAll('.uses li').length === 20")
        page.run("document.querySelector('.uses button').click()")
        page.await_js("document.querySelectorAll('.uses li').length === 25")
        page.run("[...document.querySelectorAll('.uses a')].find(link => link.textContent === 'the scene').click()")
        page.await_js("location.pathname === '/console/scene/hall'")

    def test_an_old_version_becomes_the_current_one_again(self):
        first = wrote(self.client, "stool")
        second = wrote(self.client, "chair", of=first)
        page = self.open(f"/console/assets/{second}")
        page.await_js(f"{VERSIONS} === 'Version 2,Version 1'")
        for scheme in ("light", "dark"):
            page.do("scheme", value=scheme)
            page.await_js(f"document.documentElement.dataset.theme === '{scheme}'")
            self.assertEqual(page.do("axe"), [])
        page.run(KEEP_NEWS)
        page.click("[aria-label='Make current again: version 1']")
        page.await_js(f"{VERSIONS} === 'Version 3,Version 2,Version 1'")
        page.await_js(f"{NEWS}.includes('Version 1 of stool is the current one again')")
        history = self.client.get(f"/v1/asset-history/{first}").body[0]
        self.assertEqual(history["assetIds"][1:], [second, first])
        wait_until(lambda: page.run("location.pathname").endswith(history["asset"]), 60, "its address")

    def test_a_version_that_was_replaced_meanwhile_says_so(self):
        first = wrote(self.client, "stool")
        second = wrote(self.client, "chair", of=first)
        page = self.open(f"/console/assets/{second}")
        page.await_js(f"{VERSIONS} === 'Version 2,Version 1'")
        third = wrote(self.client, "sofa", of=second)
        page.click("[aria-label='Make current again: version 1']")
        page.await_text(f"the current one is {third}")

    def test_a_narrow_window_shows_it_all(self):
        first = wrote(self.client, "a name that is rather long for a narrow window, and longer")
        second = wrote(self.client, "chair", of=first)
        page = self.open(f"/console/assets/{second}", width=390, height=780)
        page.await_js(f"{VERSIONS} === 'Version 2,Version 1'")
        self.assertLessEqual(page.run("document.documentElement.scrollWidth"), 390)
        self.assertEqual(page.do("axe"), [])


if __name__ == "__main__":
    sys.exit(main())
