#!/usr/bin/env python3
"""Writes a generated crowd: rows `id frame x y z` in centimetres at 16 frames a second. Height is y,
as in a scene, and the file says so; with --up z it is z, as in recordings of pedestrians.

The same shape as the recorded one that the system tests prefer: people enter one after another at
one side, walk through an opening and leave at the other; rows are grouped by id. The same arguments
give the same bytes. An OUT that ends in .gz is compressed.
"""
import argparse
import gzip
import math
import random

FRAMES_PER_S = 16
ENTRY_Y, OPENING_Y, EXIT_Y = 700.0, 0.0, -700.0
ROOM_HALF_WIDTH, OPENING_HALF_WIDTH = 300.0, 45.0
SWAY_CM, SWAY_HZ = 4.0, 0.9


def row(person, frame, x, y, height, up):
    """They walk along y of the ground, which is -z of a scene."""
    place = (x, height, 0 - y) if up == "y" else (x, y, height)
    return f"{person} {frame} {place[0]:.3f} {place[1]:.3f} {place[2]:.3f}\n"


def walk(person, people, seconds, dice, up):
    """Rows of one person: straight to the opening, through it, then apart again."""
    frames = int(seconds * FRAMES_PER_S)
    speed = dice.uniform(90, 150) / FRAMES_PER_S  # cm a frame
    first = int((person - 1) * max(frames - (ENTRY_Y - EXIT_Y) / speed, 0) / max(people, 1))
    x_in, x_gap, x_out = (dice.uniform(-half, half)
                          for half in (ROOM_HALF_WIDTH, OPENING_HALF_WIDTH, ROOM_HALF_WIDTH))
    height, phase = dice.uniform(155, 195), dice.uniform(0, 2 * math.pi)
    for step in range(frames - first):
        y = ENTRY_Y - step * speed
        if y < EXIT_Y:
            return
        share = abs(y - OPENING_Y) / (ENTRY_Y - OPENING_Y)
        x = x_gap + ((x_in if y > OPENING_Y else x_out) - x_gap) * share
        x += SWAY_CM * math.sin(phase + 2 * math.pi * SWAY_HZ * step / FRAMES_PER_S)
        yield row(person, first + step, x, y, height, up)


def crowd(people, seconds, seed, up):
    if up == "y":
        yield "# up: y\n"
    for person in range(1, people + 1):
        # A generator a person: more people change nobody's height or speed.
        yield from walk(person, people, seconds, random.Random(f"{seed}/{person}"), up)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("out", metavar="OUT")
    parser.add_argument("--people", type=int, default=118)
    parser.add_argument("--seconds", type=float, default=66)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--up", choices="yz", default="y", help="axis of height")
    arguments = parser.parse_args()
    text = "".join(crowd(arguments.people, arguments.seconds, arguments.seed,
                         arguments.up)).encode()
    if arguments.out.endswith(".gz"):
        text = gzip.compress(text, mtime=0)
    with open(arguments.out, "wb") as file:
        file.write(text)


if __name__ == "__main__":
    main()
