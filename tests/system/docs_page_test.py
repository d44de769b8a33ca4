"""/docs in a headless Chromium: a route is found by words, an example is a command with this server's
address, and can be sent from the page. Skipped where chromium, node or npm are missing."""

import json
import sys
import unittest

from browser_test import Page, main
from console_browser import DRIVER
from support import Server, wait_until

FORM = "document.querySelector('#{} details.example form')"


class DocsPage(unittest.TestCase):
    driver = None

    def setUp(self):
        self.server = Server()
        self.addCleanup(self.server.end)
        self.server.start()
        self.page = Page(self.driver, f"http://127.0.0.1:{self.server.http_port}/docs")
        self.addCleanup(self.page.close)

    def open_example(self, operation):
        self.page.ask(f"void (document.querySelector('#{operation} details.example').open = true)")
        wait_until(lambda: self.page.ask(f"Boolean({FORM.format(operation)})"), 10, "the form")

    def send(self, operation):
        """Sends the example as it is; what was answered."""
        form = FORM.format(operation)
        self.page.ask(f"void {form}.requestSubmit()")
        wait_until(lambda: self.page.ask(f"{form}.querySelector('pre').textContent") not in ("", "…"),
                   20, "an answer")
        return self.page.ask(f"{form}.querySelector('pre').textContent")

    def find(self, words):
        self.page.ask("{ const input = document.querySelector('nav input'); input.value = "
                      + json.dumps(words) + "; void input.dispatchEvent(new Event('input')) }")
        shown = "[...document.querySelectorAll('nav h2 + ul a')].filter(a => a.offsetParent).map(a => a.textContent)"
        return self.page.ask(shown), self.page.ask("document.querySelector('nav p').textContent")

    def test_a_route_is_found_by_words_of_its_sentence(self):
        found, told = self.find("alignment graph")
        self.assertEqual((["alignmentGraph"], True), (found, told.startswith("1 of ")), found)
        found, _ = self.find("")
        self.assertIn("sceneDelete", found)

    def test_nothing_found_is_said(self):
        found, told = self.find("zeppelin")
        self.assertEqual(([], True), (found, told.startswith("0 of ")))

    def test_a_command_has_the_address_of_this_server(self):
        self.open_example("scenePut")
        command = self.page.ask("document.querySelector('#scenePut .curl').textContent")
        self.assertTrue(command.startswith(
            f"curl -X PUT 'http://127.0.0.1:{self.server.http_port}/v1/scene/plaza' -H "), command)

    def test_an_example_is_sent_to_this_server(self):
        self.open_example("scenePut")
        answer = self.send("scenePut")
        self.assertEqual("200 application/json", answer.splitlines()[0])
        self.open_example("sceneGet")
        self.assertIn('"name": "Plaza"', self.send("sceneGet"))

    def test_an_error_is_shown_as_it_came(self):
        self.open_example("sceneDelete")
        self.assertEqual("404 application/problem+json", self.send("sceneDelete").splitlines()[0])

    def test_a_stream_is_listened_to_for_a_moment(self):
        self.open_example("scenePut")
        self.send("scenePut")
        self.open_example("sceneWatch")
        answer = self.send("sceneWatch").splitlines()
        self.assertEqual(["200 text/event-stream", "event: snapshot"], answer[:2])

    def test_another_server_is_not_asked(self):
        self.open_example("getLivez")
        self.page.ask(f"void ({FORM.format('getLivez')}.querySelector('input').value = '//127.0.0.2/livez')")
        self.assertIn("a path begins with one /", self.send("getLivez"))


if __name__ == "__main__":
    sys.exit(main(lambda driver: setattr(DocsPage, "driver", driver), DRIVER))
