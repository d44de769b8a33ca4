"""The SDKs (tools/sdk) are what they promise beside what they do: strictly typed, current, and packages."""

import os
import re
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


def version_of_the_client():
    """What a user asks for: 1.2 of 1.2.3."""
    said = re.search(r"project\(Diorama VERSION (\d+\.\d+)\.", (SDK / "c/CMakeLists.txt").read_text(encoding="utf-8"))
    return said[1]


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


C_LINES = """
static void place(const char *key, const double *transform) { (void)key, (void)transform; }
int main(void)
{
    struct diorama *d = diorama_join("http://127.0.0.1:9", "plaza",
                                     &(struct diorama_options){.device = "rig", .rate = 60});
    for (struct diorama_event e; d && diorama_next(d, &e, 16);)
        if (e.kind == DIORAMA_MOVED)
            place(e.key, e.transform);
    diorama_leave(&d);
    return 0;
}
"""
C_STRICT = ("-std=c99", "-pedantic", "-Wall", "-Wextra", "-Wconversion", "-Wshadow", "-Werror")


class C(Package):
    language = "c"

    def test_its_one_header_is_strict_c99_for_each_compiler(self):
        (self.folder / "diorama.h").write_text(run(self.copy / "amalgamate", cwd=self.folder), encoding="utf-8")
        for defined in ("", "#define DIORAMA_CURL\n", "#define DIORAMA_CURL\n#define DIORAMA_SODIUM\n"):
            (self.folder / "one.c").write_text(f'#define DIORAMA_IMPLEMENTATION\n{defined}#include "diorama.h"\n'
                                               + C_LINES, encoding="utf-8")
            for compiler in filter(shutil.which, ("gcc", "clang")):
                run(compiler, *C_STRICT, "-fsyntax-only", "one.c", cwd=self.folder)

    def test_what_it_installs_is_found_by_cmake_and_pkg_config(self):
        run("cmake", "-G", "Ninja", "-B", "build", "-DCMAKE_INSTALL_LIBDIR=lib", "sdk", cwd=self.folder)
        run("cmake", "--build", "build", cwd=self.folder)
        run("cmake", "--install", "build", "--prefix", "installed", cwd=self.folder)
        (self.folder / "main.c").write_text('#include "diorama.h"\n' + C_LINES, encoding="utf-8")
        where = {"PKG_CONFIG_PATH": str(self.folder / "installed/lib/pkgconfig")}
        flags = subprocess.run(["pkg-config", "--cflags", "--libs", "diorama"], env={**os.environ, **where}, check=True,
                               capture_output=True, text=True).stdout.split()
        run("cc", "-std=c99", "main.c", "-o", "main", *flags, cwd=self.folder)
        run("./main", cwd=self.folder)
        (self.folder / "CMakeLists.txt").write_text(
            f"cmake_minimum_required(VERSION 3.18)\nproject(user C)\nfind_package(Diorama {version_of_the_client()} REQUIRED)\n"
            "add_executable(user main.c)\ntarget_link_libraries(user Diorama::diorama)\n", encoding="utf-8")
        run("cmake", "-G", "Ninja", "-B", "user", "-DCMAKE_PREFIX_PATH=" + str(self.folder / "installed"), ".",
            cwd=self.folder)
        run("cmake", "--build", "user", cwd=self.folder)


if __name__ == "__main__":
    if is_sanitized():
        sys.exit(77)  # nothing here runs the server
    unittest.main()
