"""A session that ended elsewhere, in a headless Chromium. Skipped where console_test is."""

import sys
import unittest

from console_test import ConsoleCase, main
from people import FLAGS, PASSWORD, PeopleCase


class Sessions(ConsoleCase, PeopleCase, unittest.TestCase):
    flags = FLAGS

    def test_a_session_that_ends_elsewhere_leads_to_the_sign_in_and_back(self):
        self.admin.put_scene("square", name="Square", public=True)
        page = self.open("/console/scene/square")
        page.await_text("Sign in to Diorama")
        page.fill("[autocomplete=username]", "admin")
        page.fill("[type=password]", "wrong words here")
        page.press("Enter")
        page.await_text("Name or password is wrong.")
        page.fill("[type=password]", PASSWORD)
        page.press("Enter")
        page.await_text("Put a cube here")
        page.run("fetch('/v1/logout', { method: 'POST' })")  # as another tab does
        page.await_text("Sign in to Diorama")
        page.fill("[autocomplete=username]", "admin")
        page.fill("[type=password]", PASSWORD)
        page.press("Enter")
        page.await_js("location.pathname === '/console/scene/square'")
        page.await_text("Put a cube here")


if __name__ == "__main__":
    sys.exit(main())
