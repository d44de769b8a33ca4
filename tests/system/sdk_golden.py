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


def exactly(value):
    """A text that is the same only for equal values: numbers to the bit, and 1 as 1.0 (JSON has one kind)."""
    if isinstance(value, bool) or value is None or isinstance(value, str):
        return json.dumps(value)
    if isinstance(value, (int, float)):
        return float(value).hex()
    if isinstance(value, list):
        return "[" + ",".join(map(exactly, value)) + "]"
    return "{" + ",".join(f"{name}:{exactly(value[name])}" for name in sorted(value)) + "}"
