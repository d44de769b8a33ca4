"""The golden packets (tests/golden), as tests read them."""

import json
from pathlib import Path

FOLDER = Path(__file__).resolve().parent.parent / "golden"


def lines(form):
    """Pairs of the line and its bytes; of PUB a list of frames."""
    for text in (FOLDER / f"{form}.jsonl").read_text(encoding="utf-8").splitlines():
        line = json.loads(text)
        frames = [bytes.fromhex(frame) for frame in line["hex"].split(" ")]
        yield line, frames if form == "pub" else frames[0]


def gaps():
    """Triples of gaps.txt: the name of the case, the words of a line, and what a `wish` has to be."""
    name = ""
    for text in (FOLDER / "gaps.txt").read_text(encoding="utf-8").splitlines():
        if not text.startswith("#"):
            line, _, wanted = text.partition(" = ")
            words = line.split()
            name = line if words[0] == "begin" else name
            yield name, words, wanted


def exactly(value):
    """A text that is the same only for equal values: numbers to the bit, and 1 as 1.0 (JSON has one kind)."""
    if isinstance(value, bool) or value is None or isinstance(value, str):
        return json.dumps(value)
    if isinstance(value, (int, float)):
        return float(value).hex()
    if isinstance(value, list):
        return "[" + ",".join(map(exactly, value)) + "]"
    return "{" + ",".join(f"{name}:{exactly(value[name])}" for name in sorted(value)) + "}"
