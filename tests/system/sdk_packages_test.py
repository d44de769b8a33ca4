"""The SDKs (tools/sdk) are what they promise beside what they do: strictly typed, current, and packages."""

import shutil
import subprocess
import sys
import tempfile
import unittest
import zipfile
from pathlib import Path

from support import is_sanitized

SDK = Path(__file__).resolve().parent.parent.parent / "tools/sdk"


def run(*command, cwd):
    done = subprocess.run([str(word) for word in command], cwd=cwd, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{command}: {done.stdout[-4000:]}{done.stderr[-4000:]}"
    return done.stdout


class Package(unittest.TestCase):
    """A copy of a folder of tools/sdk, in which a test may build."""

    language = None

    def setUp(self):
        self.folder = Path(tempfile.mkdtemp(prefix="diorama-sdk-"))
        self.addCleanup(shutil.rmtree, self.folder)
        self.copy = self.folder / "sdk"
        shutil.copytree(SDK / self.language, self.copy, ignore=shutil.ignore_patterns("__pycache__"))


class Python(Package):
    language = "python"

    @unittest.skipUnless(Path("/usr/bin/mypy").exists(), "no mypy")
    def test_its_types_are_strict(self):
        run("/usr/bin/mypy", "--strict", "--python-version", "3.11", "--cache-dir", self.folder, "diorama",
            cwd=self.copy)

    def test_a_wheel_has_all_its_modules(self):
        run(sys.executable, "-c", "from setuptools.build_meta import build_wheel; build_wheel('.')", cwd=self.copy)
        names = set(zipfile.ZipFile(next(self.copy.glob("*.whl"))).namelist())
        wanted = {f"diorama/{file.name}" for file in (SDK / "python/diorama").iterdir() if file.is_file()}
        self.assertEqual(wanted - names, set())
        self.assertIn("diorama/py.typed", names)


if __name__ == "__main__":
    if is_sanitized():
        sys.exit(77)  # nothing here runs the server
    unittest.main()
