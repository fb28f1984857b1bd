"""All assembly modes of the hexapod: every pose at which its legs have given lengths, by continuation in complex numbers.

A 6-UPS hexapod has at most 40 of them, real and complex (Ronga and Vust 1992). Unknowns are p and a quaternion e; with
e·e = 1 the lengths are

    ½ q_3k² = ½ (p·p + t·t + b·b) + p·A t − p·b − b·A t.

Solutions for one set of complex lengths are gathered by monodromy: carried around loops of lengths they come back as
others, until 40 are known. From there each is followed along a path of lengths to those that are asked for.
"""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

import numpy as np

from symbody.machines.platform.data import Array, PlatformData

Complex = Any  # arrays of complex numbers

MOST = 40
IDLE = 15  # loops without a new solution after which no more are expected
SAME = 1e-6  # between solutions that are one
REAL = 1e-8  # largest imaginary part of a real one
STEP, SHORTEST = 0.05, 1e-7  # of a path from 0 to 1
CORRECTED = 1e-10  # of the last correction on a path
STRAYED = 0.05  # first correction beyond which a step was too long


class AssemblyModes(NamedTuple):
    """Real poses (n, 6), how many complex solutions were followed, and whether that is as many as there can be."""

    poses: Array
    followed: int
    complete: bool


def assembly_modes(lengths: Array, data: PlatformData) -> AssemblyModes:
    """All poses at which the legs have these lengths (6,).

    complete: all 40 solutions were known and every path arrived. Otherwise the loops stopped bringing new ones: probably
    all, and no proof.
    """
    known, start = generic_solutions(data)
    ends = _followed(known, start, 0.5 * np.asarray(lengths, dtype=complex) ** 2, data)
    arrived = ends[np.isfinite(ends).all(axis=-1)]
    real = arrived[np.abs(arrived.imag).max(axis=-1) < REAL].real
    return AssemblyModes(_poses(real), len(known), len(known) == MOST and len(arrived) == MOST)


@cache
def generic_solutions(data: PlatformData) -> tuple[Complex, Complex]:
    """Solutions (n, 7) at complex half squared lengths (6,) of no special kind."""
    random = np.random.default_rng(40)

    def complex_numbers(size: int) -> Complex:
        return random.standard_normal(size) + 1j * random.standard_normal(size)

    e = complex_numbers(4)
    first = np.concatenate([data.neutral[:3] + 0.3 * complex_numbers(3), e / np.sqrt(e @ e)])[None]
    start = _equations(first, np.zeros(6), data)[0][0, :6]
    known, idle = first, 0
    while len(known) < MOST and idle < IDLE:
        corners = [start + 0.3 * complex_numbers(6) for _ in range(2)]
        ends, here = known, start
        for there in (*corners, start):
            ends, here = _followed(ends, here, there, data), there
        count = len(known)
        known = _distinct(np.concatenate([known, ends[np.isfinite(ends).all(axis=-1)]]))
        idle = idle + 1 if len(known) == count else 0
    return known, start


def _equations(u: Complex, half_squares: Complex, data: PlatformData) -> tuple[Complex, Complex]:
    """Residuals (n, 7) of the lengths and of e·e = 1, and their Jacobian (n, 7, 7)."""
    p, w, r = u[:, None, :3], u[:, None, 3, None], u[:, None, 4:]
    t, b = data.tops, data.feet
    rt, rxt = (r * t).sum(axis=-1, keepdims=True), np.cross(r, t)
    At = (w * w - (r * r).sum(axis=-1, keepdims=True)) * t + 2.0 * r * rt + 2.0 * w * rxt
    fixed = 0.5 * ((t * t).sum(axis=-1) + (b * b).sum(axis=-1))
    f = fixed + (0.5 * p * p + (p - b) * At - p * b).sum(axis=-1) - half_squares
    unit = 0.5 * ((u[:, 3:] ** 2).sum(axis=-1, keepdims=True) - 1.0)
    J = np.zeros((len(u), 7, 7), dtype=complex)
    lever = p - b
    J[:, :6, :3] = lever + At
    J[:, :6, 3] = (lever * 2.0 * (w * t + rxt)).sum(axis=-1)
    dot_t, dot_r = (lever * t).sum(axis=-1, keepdims=True), (lever * r).sum(axis=-1, keepdims=True)
    J[:, :6, 4:] = 2.0 * (rt * lever - r * dot_t + dot_r * t + w * np.cross(t, lever))
    J[:, 6, 3:] = u[:, 3:]
    return np.concatenate([f, unit], axis=-1), J


def _followed(u: Complex, here: Complex, there: Complex, data: PlatformData) -> Complex:
    """Solutions along the straight path of half squared lengths; NaN where one was lost."""
    u, way = np.array(u), there - here
    s, h = np.zeros(len(u)), np.full(len(u), STEP)
    slope = np.concatenate([way, [0.0]])[:, None]
    while (on := (s < 1.0) & (h > SHORTEST)).any():
        step = np.minimum(h[on], 1.0 - s[on])
        at = (s[on] + step)[:, None]
        _, J = _equations(u[on], here + s[on, None] * way, data)
        v = u[on] + step[:, None] * _solved(J, np.broadcast_to(slope, (len(J), 7, 1)))
        sizes = []
        for _ in range(3):
            f, J = _equations(v, here + at * way, data)
            correction = _solved(J, f[..., None])
            v = v - correction
            sizes.append(np.abs(correction).max(axis=-1))
        good = (sizes[0] < STRAYED) & (sizes[-1] < CORRECTED)
        places = np.flatnonzero(on)
        u[places[good]] = v[good]
        s[places[good]] += step[good]
        h[places] *= np.where(good, 1.5, 0.4)
    u[s < 1.0] = np.nan
    return u


def _solved(J: Complex, f: Complex) -> Complex:
    try:
        return np.linalg.solve(J, f)[..., 0]
    except np.linalg.LinAlgError:  # one of the batch is singular: the others go on
        return (np.linalg.pinv(J) @ f)[..., 0]


def _distinct(u: Complex) -> Complex:
    """Each solution once; e and −e are one."""
    kept: list[Complex] = []
    for x in u:
        mirrored = np.concatenate([x[:3], -x[3:]])
        if not any(min(np.abs(x - y).max(), np.abs(mirrored - y).max()) < SAME for y in kept):
            kept.append(x)
    return np.array(kept)


def _poses(u: Array) -> Array:
    """[x y z φ θ ψ] of (n, 7) places and quaternions."""
    p, (w, x, y, z) = u[:, :3], u[:, 3:].T
    roll = np.arctan2(2.0 * (w * x + y * z), 1.0 - 2.0 * (x * x + y * y))
    pitch = np.arcsin(np.clip(2.0 * (w * y - x * z), -1.0, 1.0))
    yaw = np.arctan2(2.0 * (w * z + x * y), 1.0 - 2.0 * (y * y + z * z))
    return np.concatenate([p, np.stack([roll, pitch, yaw], axis=-1)], axis=-1)
