"""Transforms: 16 numbers, row-major, translation at 3, 7, 11; quaternions are w x y z."""

from __future__ import annotations

import math
import struct
from typing import NamedTuple, Sequence

from .errors import Malformed

Matrix = list[float]
IDENTITY: Matrix = [1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0]


class Parts(NamedTuple):
    """M = T * R * S."""

    translation: tuple[float, float, float]
    quaternion: tuple[float, float, float, float]
    scale: tuple[float, float, float]


def compose(parts: Parts) -> Matrix:
    """The order of operations is that of the server, so the numbers are the same to the bit."""
    tx, ty, tz = parts.translation
    w, x, y, z = parts.quaternion
    sx, sy, sz = parts.scale
    f = 2 / (w * w + x * x + y * y + z * z)
    return [(1 - f * (y * y + z * z)) * sx, (f * (x * y - w * z)) * sy, (f * (x * z + w * y)) * sz, tx,
            (f * (x * y + w * z)) * sx, (1 - f * (x * x + z * z)) * sy, (f * (y * z - w * x)) * sz, ty,
            (f * (x * z - w * y)) * sx, (f * (y * z + w * x)) * sy, (1 - f * (x * x + y * y)) * sz, tz,
            0.0, 0.0, 0.0, 1.0]


def from_bytes(data: bytes) -> Matrix:
    """The transform of a packed datagram."""
    if len(data) == 128:
        matrix = list(struct.unpack("<16d", data))
    elif len(data) == 52:
        x, y, z, *rest = struct.unpack("<3d7f", data)
        q0, q1, q2, q3, s0, s1, s2 = rest
        if not 0.25 <= q0 * q0 + q1 * q1 + q2 * q2 + q3 * q3 <= 4:
            raise Malformed("packed: a quaternion is far from length 1")
        matrix = compose(Parts((x, y, z), (q0, q1, q2, q3), (s0, s1, s2)))
    else:
        raise Malformed("packed: a transform has neither 52 nor 128 bytes")
    if not all(map(math.isfinite, matrix)):
        raise Malformed("packed: a transform is not finite")
    return matrix


def decompose(matrix: Sequence[float]) -> Parts | None:
    """None: it is sheared, flat or not affine. A mirror is in the first scale."""
    if list(matrix[12:]) != [0, 0, 0, 1]:
        return None
    axes = [[matrix[row * 4 + column] for row in range(3)] for column in range(3)]
    scale = [math.hypot(*axis) for axis in axes]
    if min(scale) == 0 or not all(map(math.isfinite, scale)):
        return None
    a, b, c = ([value / length for value in axis] for axis, length in zip(axes, scale))
    if max(abs(sum(map(float.__mul__, p, q))) for p, q in ((a, b), (a, c), (b, c))) > 1e-5:
        return None
    determinant = (a[0] * (b[1] * c[2] - b[2] * c[1]) - a[1] * (b[0] * c[2] - b[2] * c[0])
                   + a[2] * (b[0] * c[1] - b[1] * c[0]))
    if determinant < 0:
        scale[0], a = -scale[0], [-value for value in a]
    return Parts((matrix[3], matrix[7], matrix[11]), _quaternion(a, b, c),
                 (scale[0], scale[1], scale[2]))


def _quaternion(a: list[float], b: list[float], c: list[float]) -> tuple[float, float, float, float]:
    """Of the rotation with these columns; from the largest member, so that nothing is divided by little."""
    squares = (1 + a[0] + b[1] + c[2], 1 + a[0] - b[1] - c[2], 1 - a[0] + b[1] - c[2], 1 - a[0] - b[1] + c[2])
    wx, wy, wz = b[2] - c[1], c[0] - a[2], a[1] - b[0]
    xy, xz, yz = b[0] + a[1], c[0] + a[2], c[1] + b[2]
    rows = ((squares[0], wx, wy, wz), (wx, squares[1], xy, xz), (wy, xy, squares[2], yz),
            (wz, xz, yz, squares[3]))
    row = rows[max(range(4), key=lambda i: squares[i])]
    norm = math.copysign(math.hypot(*row), row[0])
    return row[0] / norm, row[1] / norm, row[2] / norm, row[3] / norm


def between(before: Matrix, after: Matrix, share: float) -> Matrix:
    """`share` 0: before, 1: after. Matrices that do not split jump."""
    if share <= 0 or share >= 1:
        return list(before if share <= 0 else after)
    a, b = decompose(before), decompose(after)
    if a is None or b is None:
        return list(after)
    sign = -1.0 if sum(map(float.__mul__, map(float, a.quaternion), map(float, b.quaternion))) < 0 else 1.0
    mix = [(1 - share) * p + share * sign * q for p, q in zip(a.quaternion, b.quaternion)]

    def linear(p: tuple[float, float, float], q: tuple[float, float, float]) -> tuple[float, float, float]:
        x, y, z = ((1 - share) * i + share * j for i, j in zip(p, q))
        return x, y, z
    return compose(Parts(linear(a.translation, b.translation), (mix[0], mix[1], mix[2], mix[3]),
                         linear(a.scale, b.scale)))


def moved(matrix: Sequence[float], translation: Sequence[float]) -> Matrix:
    """The same with another translation."""
    result = [float(value) for value in matrix]
    result[3], result[7], result[11] = (float(value) for value in translation)
    return result
