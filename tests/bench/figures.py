"""The table of figures in tools/docs/figures.md: `run --table` writes it, and each run compares with it.

It stands between two lines that are comments of Markdown. Rows that were not measured stay as they are,
unless they are of other hardware.
"""

import re
import subprocess

BEGIN, END = "<!-- tests/bench/run --table writes from here -->", "<!-- to here -->"
HEAD = "| Row | What | Seen | Ratio | CPU µs | When |\n|---|---|---|---|---|---|\n"
WORSE = 1.05  # times the CPU of before


def commit(root):
    """Of the tree; with a plus if something in it is not committed."""
    def git(*arguments):
        return subprocess.run(["git", *arguments], cwd=root, capture_output=True, text=True, check=False).stdout.strip()
    return git("rev-parse", "--short=8", "HEAD") + ("+" if git("status", "--porcelain", "-uno") else "")


def parted(text, before):
    """What is measured, without figures, and what was seen. A text with two spaces goes on with the row before."""
    part = re.match(r"(.*?): (.*)|(\D*)(.*)", text.strip(), re.DOTALL)
    what, seen = (part[1], part[2]) if part[1] else (part[3].strip(), part[4])
    return (f"{before}: {what}" if text.startswith("  ") else what), seen


class Table:

    def __init__(self, path):
        self.path = path
        self.hardware = self.when = self.before = ""
        self.rows = {}  # by row and what: seen, verdict, cpu (text), when

    def begin(self, hardware, when):
        """Reads the rows of this hardware."""
        self.hardware, self.when, self.rows = hardware, when, {}
        block = self.path.read_text(encoding="utf-8").split(BEGIN)[1].split(END)[0]
        if f"On {hardware}:" not in block:
            return
        for line in block.split(HEAD)[1].strip().splitlines():
            row, what, *others = (cell.strip() for cell in line.strip().strip("|").split("|"))
            self.rows[row, what] = others

    def note(self, row, text, verdict, cpu):
        """Keeps a row, and says by how much it costs more than before, if it does."""
        what, seen = parted(text.replace("|", "/"), self.before)
        if not text.startswith("  "):
            self.before = what
        old = self.rows.get((row, what))
        self.rows[row, what] = [seen, verdict, f"{cpu:.2f}" if cpu else "", self.when]
        if not cpu or not old or not old[2] or cpu <= float(old[2]) * WORSE:
            return ""
        return f"  CPU {100 * (cpu / float(old[2]) - 1):+.0f} % against {old[2]} µs ({old[3]})"

    def write(self):
        before, rest = self.path.read_text(encoding="utf-8").split(BEGIN)
        lines = "".join(f"| {row} | {what} | {' | '.join(others)} |\n" for (row, what), others in self.rows.items())
        block = f"{BEGIN}\n\nOn {self.hardware}:\n\n{HEAD}{lines}\n{END}"
        self.path.write_text(before + block + rest.split(END)[1], encoding="utf-8")
