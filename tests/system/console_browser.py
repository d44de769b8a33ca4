"""The console in a headless Chromium (console_page.cjs), for tests: what they need of it in one line
each. Needs chromium, node, npm, and a server that was built with its console."""

import json
import os
import shutil
import subprocess
import tempfile
import time

from support import Server, is_sanitized, wait_until

CACHE = os.path.join(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "diorama")
HERE = os.path.dirname(os.path.abspath(__file__))
DRIVER = "playwright-core@1.65.1"  # has no browser of its own
AXE = "axe-core@4.14.1"


def fetch(package):
    """The folder of a package of npm, in the cache; raises OSError or SubprocessError."""
    folder = os.path.join(CACHE, package)
    if not os.path.isdir(folder):
        os.makedirs(CACHE, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=CACHE) as place:
            subprocess.run(["npm", "pack", "--silent", "--fetch-retries=1",
                            "--fetch-timeout=20000", package], cwd=place, check=True, timeout=120,
                           stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                           stderr=subprocess.DEVNULL)
            subprocess.run(["tar", "-xzf", package.replace("@", "-") + ".tgz"], cwd=place,
                           check=True, timeout=60)
            try:
                os.rename(os.path.join(place, "package"), folder)
            except OSError:  # another test was faster
                if not os.path.isdir(folder):
                    raise
    return folder


def why_not():
    """Why no browser can be had, or ''."""
    missing = [name for name in ("chromium", "node", "npm") if not shutil.which(name)]
    if missing or is_sanitized():
        return f"there is no {missing[0]}" if missing else "the server is slow"
    try:
        fetch(DRIVER)
        fetch(AXE)
    except (OSError, subprocess.SubprocessError) as failure:
        return f"npm did not fetch what drives the browser: {failure}"
    return ""


class Browser:
    """`fonts` is a file of fontconfig that says which fonts there are."""

    def __init__(self, fonts=None):
        self.process = subprocess.Popen(
            ["node", os.path.join(HERE, "console_page.cjs"), fetch(DRIVER),
             shutil.which("chromium"), os.path.join(fetch(AXE), "axe.min.js")],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
            env={**os.environ, **({"FONTCONFIG_FILE": fonts} if fonts else {})})
        self.answer()

    def answer(self):
        line = self.process.stdout.readline()
        assert line, f"the browser ended: {self.process.wait(10)}"
        answer = json.loads(line)
        if "failed" in answer:
            raise AssertionError(answer["failed"])
        return answer["ok"]

    def do(self, name, **asked):
        self.process.stdin.write(json.dumps({"do": name, **asked}) + "\n")
        self.process.stdin.flush()
        return self.answer()

    def open(self, url, tab="main", **asked):
        """A page in a browser profile of its own."""
        self.do("open", tab=tab, **asked)
        self.do("goto", tab=tab, url=url)
        return Page(self, tab)

    def close(self):
        self.process.stdin.close()
        self.process.wait(120)
        self.process.stdout.close()


class Page:
    def __init__(self, browser, tab):
        self.browser, self.tab = browser, tab

    def do(self, name, **asked):
        return self.browser.do(name, tab=self.tab, **asked)

    def run(self, js):
        return self.do("run", js=js)

    def click(self, at, **asked):
        self.do("click", at=at, **asked)

    def fill(self, at, text):
        self.do("fill", at=at, text=text)

    def press(self, key):
        self.do("press", key=key)

    def text(self, at="body"):
        return self.run(f"document.querySelector({json.dumps(at)})?.innerText ?? ''")

    def await_text(self, words, at="body", seconds=60):
        wait_until(self.rested(lambda: words in self.text(at)), seconds, f"{words!r} on the page")

    def await_js(self, js, seconds=60):
        wait_until(self.rested(lambda: self.run(js)), seconds, js)

    @staticmethod
    def rested(look):
        """Leaves the page the time to become what is waited for: each look costs it some."""
        def rest_and_look():
            found = look()
            if not found:
                time.sleep(0.05)
            return found
        return rest_and_look


def is_served():
    """Whether the server was built with its console."""
    server = Server()
    try:
        return "console http://" in server.start().log_text()
    finally:
        server.end()
