"""The Debian package: what is in it, that its server serves with its own settings, that its service may do
little."""

import gzip
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

from support import BIN, Client, Server

ROOT = pathlib.Path(__file__).resolve().parents[2]
DEB = ROOT / "tools" / "deb"
EXPOSURE_MOST = 25  # of 100


def build(folder):
    done = subprocess.run([DEB / "build", folder, BIN], check=True, stdout=subprocess.PIPE, text=True, timeout=120,
                          env={**os.environ, "SOURCE_DATE_EPOCH": "1700000000"})
    return pathlib.Path(done.stdout.strip())


@unittest.skipUnless(shutil.which("dpkg-deb"), "no dpkg-deb here")
class Package(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.temporary.cleanup)
        cls.folder = pathlib.Path(cls.temporary.name)
        cls.package = build(cls.folder)
        cls.root = cls.folder / "root"
        subprocess.run(["dpkg-deb", "-x", cls.package, cls.root], check=True, timeout=60)

    def field(self, name):
        return subprocess.run(["dpkg-deb", "-f", self.package, name], check=True, stdout=subprocess.PIPE,
                              text=True, timeout=60).stdout.strip()

    def test_its_server_serves_with_its_settings(self):
        server = PackagedServer(self.root, self.folder / "data")
        self.addCleanup(server.end)
        server.start()
        with Client(server) as client:
            self.assertEqual(client.put_scene("plaza"), {"key": "plaza"})
            told = client.get("/v1/server").body
        self.assertEqual(self.field("Version"), told["version"])
        done = subprocess.run([self.root / "usr/bin/diorama", "--url", f"http://127.0.0.1:{server.http_port}",
                               "scene", "get", "plaza"], check=False, timeout=60, stdout=subprocess.DEVNULL)
        self.assertEqual(0, done.returncode)

    def test_it_has_manuals_completions_the_service_and_the_timer(self):
        for path in ("usr/share/man/man1/diorama.1.gz", "usr/share/bash-completion/completions/diorama",
                     "usr/share/zsh/vendor-completions/_diorama", "usr/share/doc/diorama/copyright",
                     "usr/share/fish/vendor_completions.d/diorama.fish",
                     "lib/systemd/system/dioramad.service", "lib/systemd/system/diorama-backup.timer"):
            self.assertTrue((self.root / path).stat().st_size > 0, path)
        changes = gzip.decompress((self.root / "usr/share/doc/diorama/changelog.gz").read_bytes())
        self.assertTrue(changes.startswith(b"# Changelog"))

    def test_settings_are_the_administrators(self):
        control = self.folder / "control"
        subprocess.run(["dpkg-deb", "-e", self.package, control], check=True, timeout=60)
        self.assertEqual("/etc/diorama/dioramad.conf\n", (control / "conffiles").read_text())
        for script in ("postinst", "prerm", "postrm"):
            self.assertEqual(0, subprocess.run(["sh", "-n", control / script], check=False, timeout=60).returncode)

    def test_the_list_of_what_is_in_it_names_each_library_that_it_needs(self):
        listed = json.loads((self.root / "usr/share/doc/diorama/diorama.spdx.json").read_text())
        names = {package["name"]: package for package in listed["packages"]}
        needed = {name for name in self.field("Depends").split(", ") if name not in ("libc6", "adduser")}
        self.assertEqual(needed | {"diorama"}, set(names))
        self.assertEqual("SPDX-2.3", listed["spdxVersion"])
        self.assertEqual(len(names), len(listed["relationships"]))
        self.assertTrue(all(package["versionInfo"] for package in names.values()))

    def test_equal_programs_make_an_equal_package(self):
        self.assertEqual(self.package.read_bytes(), build(self.folder / "again").read_bytes())

    @unittest.skipUnless(shutil.which("systemd-analyze"), "no systemd-analyze here")
    def test_the_service_may_do_little(self):
        done = subprocess.run(["systemd-analyze", "security", "--offline=true", f"--threshold={EXPOSURE_MOST}",
                               DEB / "dioramad.service"], check=False, timeout=60, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True)
        self.assertEqual(0, done.returncode, done.stdout[-300:])


class PackagedServer(Server):
    """As the service starts it; but in a folder of its own, and at ports of its own."""

    def __init__(self, root, data):
        super().__init__()
        self.root = root
        self.flags["data_dir"] = os.fspath(data)
        self.flags["config"] = os.fspath(root / "etc/diorama/dioramad.conf")

    def program(self):
        return os.fspath(self.root / "usr/bin/dioramad")


if __name__ == "__main__":
    unittest.main()
