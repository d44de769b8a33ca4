"""The table that `tests/bench/run --table` writes: rows stay, change and are compared. No server is measured."""

import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "bench"))
import figures  # noqa: E402  (after the path is set)

PAGE = f"# Title\n\n{figures.BEGIN}\n{figures.END}\n\nMore.\n"


class FiguresTable(unittest.TestCase):

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.page = Path(folder.name, "figures.md")
        self.page.write_text(PAGE, encoding="utf-8")

    def run_of(self, when, *rows, hardware="2 × chip"):
        """What each row is told, and the page after it."""
        table = figures.Table(self.page)
        table.begin(hardware, when)
        told = [table.note(*row) for row in rows]
        table.write()
        return told

    def test_rows_have_what_was_seen_when_and_on_what(self):
        self.run_of("2026-11-28, abc", ("P1", "/livez, 16 connections: ours 5/s (11.1 µs CPU)", "0.60 (goal ≥ 0.55)", 11.1),
                    ("P1", "  against NATS", "1.10", None), ("P11", "idle server 47.1 MiB", "", None))
        self.assertEqual(self.page.read_text(encoding="utf-8").split(figures.BEGIN)[1], f"""

On 2 × chip:

{figures.HEAD}| P1 | /livez, 16 connections | ours 5/s (11.1 µs CPU) | 0.60 (goal ≥ 0.55) | 11.10 | 2026-11-28, abc |
| P1 | /livez, 16 connections: against NATS |  | 1.10 |  | 2026-11-28, abc |
| P11 | idle server | 47.1 MiB |  |  | 2026-11-28, abc |

{figures.END}

More.
""")

    def test_who_costs_five_percent_more_is_told(self):
        rows = [("P1", "a: 1/s", "", 10.0), ("P1", "b: 1/s", "", 10.0), ("P1", "c: 1/s", "", 10.0)]
        self.assertEqual(self.run_of("first", *rows), ["", "", ""])
        told = self.run_of("second", ("P1", "a: 2/s", "", 10.49), ("P1", "b: 2/s", "", 11.2), ("P1", "new: 2/s", "", 99.0))
        self.assertEqual(told, ["", "  CPU +12 % against 10.00 µs (first)", ""])

    def test_rows_that_were_not_measured_stay(self):
        self.run_of("first", ("P1", "a: 1/s", "", 10.0), ("P3", "b: 1/s", "", 5.0))
        self.run_of("second", ("P3", "b: 2/s", "", 4.0))
        text = self.page.read_text(encoding="utf-8")
        self.assertIn("| P1 | a | 1/s |  | 10.00 | first |\n| P3 | b | 2/s |  | 4.00 | second |\n", text)

    def test_other_hardware_begins_anew(self):
        self.run_of("first", ("P1", "a: 1/s", "", 10.0))
        self.assertEqual(self.run_of("second", ("P1", "a: 1/s", "", 90.0), hardware="1 × other"), [""])
        self.assertNotIn("first", self.page.read_text(encoding="utf-8"))


if __name__ == "__main__":
    unittest.main()
