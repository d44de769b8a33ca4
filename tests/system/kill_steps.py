"""A program that is killed before its N-th change of files: kill_at.c, which is loaded before it.

What the steps are stands in no list that could lack one: a run that is only counted tells them, and a
new one is killed at because it is there."""

import os
import re
import unittest
from unittest import mock

from support import BIN, LONG, is_sanitized

LIBRARY = os.path.join(os.path.abspath(BIN), "kill_at.so")


def skip_unless_there():
    if is_sanitized() or not os.path.exists(LIBRARY):
        raise unittest.SkipTest("no library can be loaded before this program")


class Steps:
    """Changes below `folders` (beginnings of paths) of programs that start within run_at()."""

    def __init__(self, file, *folders):
        self.file, self.folders = file, folders

    def run_at(self, number):
        """Programs that start within it die before this change; 0 = they live, and are noted."""
        if os.path.exists(self.file):
            os.unlink(self.file)
        return mock.patch.dict(os.environ, LD_PRELOAD=LIBRARY, KILL_BELOW=":".join(self.folders),
                               KILL_AT=str(number), KILL_STEPS=self.file)

    def noted(self):
        with open(self.file, encoding="utf-8") as file:
            return file.read().splitlines()


def kind_of(step):
    """The step without what another run calls otherwise: numbers, times, digests; files of one part
    of what has no name yet are alike."""
    step = re.sub(r"[0-9a-f]{64}|20\d\d-[-0-9T.]+Z|\d{6,}", "#", step)
    step = re.sub(r"/[0-9a-f]{2}(?=/|$)", "/##", step)
    return re.sub(r"((?:partial|data|checkpoint(?:\.tmp)?)/[^/]*)/.*", r"\1/#", step)


def chosen(steps):
    """Numbers of steps, from 1: all in the long form, else the first of each kind and the last."""
    if LONG:
        return range(1, len(steps) + 1)
    first = {}
    for number, step in enumerate(steps, 1):
        first.setdefault(kind_of(step), number)
    return sorted({*first.values(), len(steps)})
