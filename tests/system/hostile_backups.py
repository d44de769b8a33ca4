"""Backups, logs and archives that lie: forged so that all digests agree with the lie."""

import hashlib
import io
import json
import os
import struct
import tarfile


def sha256(content):
    return hashlib.sha256(content).hexdigest()


class Backup:
    """A copy of a whole backup, which is changed and then agrees with itself again."""

    def __init__(self, folder):
        self.folder = folder

    def path(self, name):
        return os.path.join(self.folder, name)

    def lines(self):
        with open(self.path("SHA256SUMS"), encoding="utf-8") as file:
            return file.read().splitlines(keepends=True)

    def write(self, name, content):
        """In the place of what is there, which a server may share."""
        if os.path.lexists(self.path(name)):
            os.unlink(self.path(name))
        with open(self.path(name), "wb") as file:
            file.write(content)

    def tell(self, **members):
        """Changes what backup.json says."""
        with open(self.path("backup.json"), encoding="utf-8") as file:
            about = json.load(file)
        self.write("backup.json", json.dumps({**about, **members}).encode())

    def list(self, lines):
        """The lines become the list, and the root that of them."""
        content = "".join(lines).encode()
        self.write("SHA256SUMS", content)
        self.tell(root=sha256(content))

    def first_of(self, part):
        return next(line for line in self.lines() if line[66:].startswith(part)).rstrip()[66:]

    def relist(self, name, content):
        """The file has this content, and the list its digest."""
        self.write(name, content)
        self.list([f"{sha256(content)}  {name}\n" if line[66:].rstrip() == name else line
                   for line in self.lines()])


class Log:
    """One segment as frames, written anew with digests that agree. log_frame.h says the form."""

    def __init__(self, path):
        self.path = path
        with open(path, "rb") as file:
            content = file.read()
        self.bodies, at = [], 0
        while at < len(content):
            size = struct.unpack_from(">I", content, at)[0] & 0xffffff  # before it: its check
            self.bodies.append(content[at + 4:at + 4 + size])
            at += 4 + size + 16

    def places(self, kind):
        return [place for place, body in enumerate(self.bodies) if body[:1] == kind]

    def write(self, bodies, sizes=()):
        """`sizes`: what the frame at a place says before its body."""
        digest, content = bytes(16), b""
        for place, body in enumerate(bodies):
            size = len(body)
            head = dict(sizes).get(place, checked(size))
            digest = hashlib.blake2b(digest + struct.pack(">I", size) + body, digest_size=16).digest()
            content += struct.pack(">I", head) + body + digest
        os.unlink(self.path)
        with open(self.path, "wb") as file:
            file.write(content)


def checked(size):
    """A size with the check of it before it."""
    return (0xc0 | (size ^ size >> 6 ^ size >> 12 ^ size >> 18) & 0x3f) << 24 | size


def change_body(first, last, time_us, operations):
    """A commit: operations of (family, is_delete, part, size of the key, of the value, the rest)."""
    body = b"C" + struct.pack(">QQQQ", first, last, time_us, 7)
    return body + b"".join(struct.pack(">BBHHI", *operation[:5]) + operation[5]
                           for operation in operations)


def archive(file, entries):
    """Writes an archive of (name or TarInfo, bytes), with the sums of plain files behind them."""
    sums = ""
    with tarfile.open(file, "w", format=tarfile.USTAR_FORMAT) as tar:
        for entry, data in entries:
            info = entry if isinstance(entry, tarfile.TarInfo) else tarfile.TarInfo(entry)
            info.size = len(data)
            tar.addfile(info, io.BytesIO(data))
            sums += f"{sha256(data)}  {info.name}\n"
        info = tarfile.TarInfo("SHA256SUMS")
        info.size = len(sums)
        tar.addfile(info, io.BytesIO(sums.encode()))
