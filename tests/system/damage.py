"""Damage to a closed store: one flipped bit at a place that a test chooses."""

import os


def files(folder, kind):
    return sorted(os.path.join(folder, name) for name in os.listdir(folder)
                  if name.startswith(kind) or name.endswith(kind))


def flip(path, offset, bit):
    with open(path, "r+b") as file:
        file.seek(offset)
        byte = file.read(1)[0]
        file.seek(offset)
        file.write(bytes([byte ^ bit]))


def flip_text(folder, text):
    """Flips a bit of a random text that stands in a table. Compression leaves alone what is random,
    but for four characters or more that happen to have been there before: what is left of the text
    then is looked for. Returns what flips it back."""
    tables = {}
    for path in files(folder, ".sst"):
        with open(path, "rb") as file:
            tables[path] = file.read()
    for size in range(len(text), 5, -1):
        for first in range(len(text) - size + 1):
            for path, content in tables.items():
                at = content.find(text[first:first + size].encode())
                if at >= 0:
                    place = path, at + size // 2, 1
                    flip(*place)
                    return lambda: flip(*place)
    raise AssertionError(f"{text} is in no table")
