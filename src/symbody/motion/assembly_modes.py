"""All assembly modes of the hexapod: every pose at which its legs have given lengths, by complex continuation.

A 6-UPS hexapod has at most 40 of them, real and complex (Ronga and Vust 1992). A pose is a dual quaternion (e, g) of
eight homogeneous numbers, p = 2 g ē/N, N = e·e. In these numbers the legs and Study's condition are quadrics (Husty
1996):

    2 g·g + N (½ t·t + ½ b·b − ½ q_3k²) + 2 t·(ē g) − 2 b·(g ē) − b·(e t ē) = 0,    e·g = 0.

Solutions for one set of complex lengths are collected by monodromy: a solution that is followed around a closed loop of
lengths returns as another solution. The set of poses is connected, so this reaches all of them. Each solution is then
followed along a path to the given lengths.
"""

from __future__ import annotations

from functools import cache
from itertools import combinations_with_replacement
from typing import Any, NamedTuple

import numpy as np

from symbody.motion.data import Array, PlatformData

Complex = Any  # arrays of complex numbers

MOST = 40
IDLE = 8  # loops without a new solution before the search ends
SAME = 1e-6  # largest difference between equal solutions
REAL = 1e-8  # largest imaginary part of a real solution
STEP, SHORTEST = 0.05, 1e-6  # of a path from 0 to 1
LONGER, SHORTER = 1.5, 0.4  # the next step after a good one, and after one that strayed
CORRECTED = 1e-11  # largest last correction of a good step
STRAYED = 0.02  # largest first correction of a good step
RADIUS = 0.5  # m², of the loops of half squared lengths


class AssemblyModes(NamedTuple):
    """Poses of a hexapod that have the same leg lengths.

    Parameters
    ----------
    poses : array, shape (n, 6)
        Real poses (m, rad).
    followed : int
        Number of solutions that were followed.
    complete : bool
        Whether all of them converged.
    """

    poses: Array
    followed: int
    complete: bool


def assembly_modes(lengths: Array, data: PlatformData) -> AssemblyModes:
    """All poses at which the legs have given lengths.

    All solutions are surely known only if there are 40; otherwise several loops in a row found no new one.

    Parameters
    ----------
    lengths : array, shape (6,)
        m.
    data : PlatformData
        The platform.

    Returns
    -------
    AssemblyModes
        `complete`: every known solution converged.

    Examples
    --------
    >>> from symbody.machines.platform import platform_data
    >>> from symbody.motion import AssemblyModes, assembly_modes, leg_lengths
    >>> data = platform_data()
    >>> found: AssemblyModes = assembly_modes(leg_lengths(data.neutral_axes[2:], data), data)
    >>> len(found.poses) >= 1
    True
    """
    known, start = generic_solutions(data)
    arrived = _followed(known, start, 0.5 * np.asarray(lengths, dtype=complex) ** 2, data)
    largest = np.take_along_axis(arrived, np.abs(arrived).argmax(axis=-1)[:, None], axis=-1)
    arrived = arrived / largest
    real = arrived[np.abs(arrived.imag).max(axis=-1) < REAL].real
    return AssemblyModes(_poses(real), len(known), len(arrived) == len(known))


@cache
def generic_solutions(data: PlatformData) -> tuple[Complex, Complex]:
    """Solutions (n, 8) at generic complex half squared lengths (6,), and these lengths."""
    random = np.random.default_rng(40)

    def complex_numbers(size: int) -> Complex:
        return random.standard_normal(size) + 1j * random.standard_normal(size)

    e, g = complex_numbers(4), complex_numbers(4)
    first = np.concatenate([e, 0.3 * (g - (e @ g) / (e @ e) * e)])[None]
    first = first / (first @ _patch())[:, None]
    start = _equations(first, np.zeros(6), data)[0][0, :6] / (first[0, :4] @ first[0, :4])
    known, idle = first, 0
    while len(known) < MOST and idle < IDLE:
        corners = [start + RADIUS * complex_numbers(6) for _ in range(2)]
        ends, here = known, start
        for there in (*corners, start):
            ends, here = _followed(ends, here, there, data), there
        count = len(known)
        known = _distinct(np.concatenate([known, ends, *_mirrored(ends, data)]))
        idle = idle + 1 if len(known) == count else 0
    return known, start


@cache
def _patch() -> Complex:
    """A generic c of c·u = 1, which fixes the scale of homogeneous numbers u."""
    return np.exp(1j * np.arange(1.0, 9.0) ** 2)


@cache
def _quadrics(data: PlatformData) -> Array:
    """Q (7, 8, 8) of uᵀQu: the legs without their lengths, and Study's condition, by polarisation."""
    unit, Q = np.eye(8), np.zeros((7, 8, 8))
    for i, j in combinations_with_replacement(range(8), 2):
        Q[:, i, j] = 0.5 * (_forms(unit[i] + unit[j], data) - _forms(unit[i], data) - _forms(unit[j], data))
        Q[:, j, i] = Q[:, i, j]
    return Q


@cache
def _gradients(data: PlatformData) -> Complex:
    """2 Q (8, 7·8): the gradients of all forms at u are u times this."""
    return 2.0 * np.swapaxes(_quadrics(data), 0, 1).reshape(8, 56).astype(complex)


def _forms(u: Array, data: PlatformData) -> Array:
    """The seven quadratic forms at real (e, g)."""
    e, g = u[:4], u[4:]
    conjugate = e * [1.0, -1.0, -1.0, -1.0]
    t, b = data.tops, data.feet
    turned = np.array([_product(_product(e, np.concatenate([[0.0], one])), conjugate)[1:] for one in t])
    fixed = 2.0 * g @ g + 0.5 * (e @ e) * ((t * t).sum(axis=-1) + (b * b).sum(axis=-1))
    legs = (
        fixed + 2.0 * t @ _product(conjugate, g)[1:] - 2.0 * b @ _product(g, conjugate)[1:] - (b * turned).sum(axis=-1)
    )
    return np.append(legs, e @ g)


def _product(a: Array, b: Array) -> Array:
    """Product of two quaternions."""
    return np.concatenate([[a[0] * b[0] - a[1:] @ b[1:]], a[0] * b[1:] + b[0] * a[1:] + np.cross(a[1:], b[1:])])


def _equations(u: Complex, half_squares: Complex, data: PlatformData) -> tuple[Complex, Complex]:
    """Residuals (n, 8) of legs, Study's condition and scale, and their Jacobian (n, 8, 8)."""
    J = _jacobian(u, half_squares, data)
    f = (J @ u[..., None])[..., 0]
    f[:, :7] *= 0.5  # of quadratic forms
    f[:, 7] -= 1.0
    return f, J


def _jacobian(u: Complex, half_squares: Complex, data: PlatformData) -> Complex:
    """Derivatives (n, 8, 8) of `_equations`."""
    J = np.empty((len(u), 8, 8), dtype=complex)
    J[:, :7] = (u @ _gradients(data)).reshape(-1, 7, 8)
    J[:, :6, :4] -= 2.0 * half_squares[..., None] * u[:, None, :4]
    J[:, 7] = _patch()
    return J


def _followed(u: Complex, here: Complex, there: Complex, data: PlatformData) -> Complex:
    """Follow solutions along the straight path of half squared lengths; solutions that fail are dropped.

    Classic Runge-Kutta steps, corrected by Newton's method; a step that strays is repeated with a shorter one.
    """
    u, way = np.array(u), there - here
    s, h = np.zeros(len(u)), np.full(len(u), STEP)
    while (on := (s < 1.0) & (h > SHORTEST)).any():
        step, w, s_on = np.minimum(h[on], 1.0 - s[on])[:, None], u[on], s[on, None]
        first = _slope(w, here + s_on * way, way, data)
        second = _slope(w + 0.5 * step * first, here + (s_on + 0.5 * step) * way, way, data)
        third = _slope(w + 0.5 * step * second, here + (s_on + 0.5 * step) * way, way, data)
        last = _slope(w + step * third, here + (s_on + step) * way, way, data)
        v, sizes = w + step * (first + 2.0 * (second + third) + last) / 6.0, []
        for _ in range(3):
            f, J = _equations(v, here + (s_on + step) * way, data)
            correction = _solved(J, f)
            v = v - correction
            sizes.append(np.abs(correction).max(axis=-1))
        good, places = (sizes[0] < STRAYED) & (sizes[-1] < CORRECTED), np.flatnonzero(on)
        u[places[good]] = v[good]
        s[places[good]] += step[good, 0]
        h[places] *= np.where(good, LONGER, SHORTER)
    return u[s >= 1.0]


def _slope(u: Complex, half_squares: Complex, way: Complex, data: PlatformData) -> Complex:
    """du/ds along a path of half squared lengths: J u' = N way."""
    right = np.zeros((len(u), 8), dtype=complex)
    right[:, :6] = (u[:, :4] ** 2).sum(axis=-1)[:, None] * way
    return _solved(_jacobian(u, half_squares, data), right)


def _solved(J: Complex, f: Complex) -> Complex:
    with np.errstate(all="ignore"):  # a step that was too long is repeated
        try:
            return np.linalg.solve(J, f[..., None])[..., 0]
        except np.linalg.LinAlgError:  # one of the batch is singular: solve the others
            return np.linalg.solve(J + 1e-14 * np.eye(8), f[..., None])[..., 0]


def _mirrored(u: Complex, data: PlatformData) -> list[Complex]:
    """Mirror images at the base, which are solutions if both plates are flat: e → k e k⁻¹, g → −k g k⁻¹."""
    if np.any(data.feet[:, 2]) or np.any(data.tops[:, 2]):
        return []
    other = u * [1.0, -1.0, -1.0, 1.0, -1.0, 1.0, 1.0, -1.0]
    return [other / (other @ _patch())[:, None]]


def _distinct(u: Complex) -> Complex:
    """Each solution once."""
    kept = [x for k, x in enumerate(u) if not (np.abs(u[:k] - x).max(axis=-1, initial=0.0) < SAME).any()]
    return np.array(kept)


def _poses(u: Array) -> Array:
    """[x y z φ θ ψ] of (n, 8) dual quaternions."""
    n = np.linalg.norm(u[:, :4], axis=-1)
    w, x, y, z = e = (u[:, :4] / n[:, None]).T
    g = u[:, 4:] / n[:, None]
    p = 2.0 * (w[:, None] * g[:, 1:] - g[:, :1] * e[1:].T + np.cross(e[1:].T, g[:, 1:]))
    roll = np.arctan2(2.0 * (w * x + y * z), 1.0 - 2.0 * (x * x + y * y))
    pitch = np.arcsin(np.clip(2.0 * (w * y - x * z), -1.0, 1.0))
    yaw = np.arctan2(2.0 * (w * z + x * y), 1.0 - 2.0 * (y * y + z * z))
    return np.concatenate([p, np.stack([roll, pitch, yaw], axis=-1)], axis=-1)
