"""Singular poses of a hexapod: det J⁻¹ = 0, a cubic surface for each orientation (Houda 2020, §3.7).

With rows [d_k, L_k × d_k], d_k the leg from foot to top and L_k the arm of its top, the determinant is an exact cubic
in the position (x, y, z) of the platform: 20 monomials for each orientation. Arrays may hold numbers or expressions.

Examples
--------
>>> import numpy as np
>>> from symbody.machines.platform import platform_data
>>> from symbody.motion.singularity import ZFloor, along, cubic, determinant, distance, distance_function, locus
>>> from symbody.motion.singularity import roots
>>> from symbody.motion.singularity import taylor, z_floor
>>> data = platform_data()
>>> pose = np.array([0.0, 0.0, 0.5, 0.1, 0.2, 0.0])
>>> surface = cubic(pose[3:], data)
>>> surface.shape, bool(np.isclose(taylor(pose, data)[0], determinant(pose, data)))
((20,), True)
>>> heights = roots(along("z", pose, data))
>>> bool(distance(pose, data) > 0.1), bool(np.isclose(distance_function(data)(pose), distance(pose, data)))
(True, True)
>>> locus("vertical", [np.array([0.5])], data).shape
(1, 3)
>>> floor: ZFloor = z_floor(data, samples=5)
>>> floor.z < 0.5
True
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations, product
from math import factorial, prod, radians

import numpy as np

from symbody.codegen import Function, build
from symbody.codegen.program import Input, Output, Program
from symbody.errors import ModelError
from symbody.expr.node_table import fresh_graph
from symbody.expr.vector import variables
from symbody.motion.data import POSE, Array, PlatformData
from symbody.motion.geometry import Values, leg_vectors
from symbody.motion.kinematics import leg_rows

__all__ = [
    "ZFloor",
    "along",
    "cubic",
    "determinant",
    "distance",
    "distance_function",
    "locus",
    "roots",
    "taylor",
    "z_floor",
]

# Exponents (i, j, k) of the 20 monomials xⁱ yʲ zᵏ, by degree: 1, then x, y, z, …
MONOMIALS = tuple(
    sorted((e for e in product(range(4), repeat=3) if sum(e) <= 3), key=lambda e: (sum(e), [-i for i in e]))
)
_DEGREE = np.array([sum(e) for e in MONOMIALS])
_MULTINOMIAL = np.array([factorial(sum(e)) / prod(map(factorial, e)) for e in MONOMIALS])
_STEP = 0.1  # m, of the lattice at which the cubic is sampled
_LATTICE = _STEP * np.array(MONOMIALS)  # values at this tetrahedron of points determine a cubic
_NEWTON = 8  # Newton steps for the distance; the start is within a factor of three
# Unknown of a motion mode, and its angles; "combined": the sliders move along x and y
MODES = {
    "surge": ("x", ("pitch",)),
    "transverse": ("y", ("roll",)),
    "vertical": ("z", ("yaw",)),
    "combined": ("z", ("roll", "pitch")),
}


def powers(place: Values) -> Values:
    """The 20 monomials of positions (…, 3)."""
    place = np.asarray(place)
    return np.stack([place[..., 0] ** i * place[..., 1] ** j * place[..., 2] ** k for i, j, k in MONOMIALS], axis=-1)


_FROM_LATTICE = np.linalg.inv(powers(_LATTICE))


def determinant(pose: Values, data: PlatformData) -> Values:
    """det of the rows [d_k, L_k × d_k], by Laplace's expansion along the first three columns.

    Parameters
    ----------
    pose : array, shape (…, 6)
        m, rad.
    data : PlatformData
        The platform.

    Returns
    -------
    array, shape (…,)
        m⁹.
    """
    rows = np.moveaxis(leg_rows(*leg_vectors(pose, data)), (-2, -1), (0, 1))
    return _laplace(rows[:, :3], rows[:, 3:])


def _laplace(left: Values, right: Values) -> Values:
    """det [left right] of six rows: Σ ± det(three rows of left) · det(the other three of right)."""
    total: Values = 0.0
    for chosen in combinations(range(6), 3):
        rest = tuple(k for k in range(6) if k not in chosen)
        sign = -1.0 if (sum(chosen) - 3) % 2 else 1.0
        total = total + sign * _triple(*(left[k] for k in chosen)) * _triple(*(right[k] for k in rest))
    return total


def _triple(a: Values, b: Values, c: Values) -> Values:
    """a · (b × c), components along the first axis."""
    x, y, z = b[1] * c[2] - b[2] * c[1], b[2] * c[0] - b[0] * c[2], b[0] * c[1] - b[1] * c[0]
    return a[0] * x + a[1] * y + a[2] * z


def taylor(pose: Values, data: PlatformData) -> Values:
    """The determinant at pose + (u, 0) as a cubic in the shift u; exact.

    Parameters
    ----------
    pose : array, shape (…, 6)
        m, rad.
    data : PlatformData
        The platform.

    Returns
    -------
    array, shape (…, 20)
        Coefficients by `MONOMIALS`.
    """
    pose = np.asarray(pose)
    shifted = pose[..., None, :] + np.hstack([_LATTICE, np.zeros_like(_LATTICE)])
    return determinant(shifted, data) @ _FROM_LATTICE.T


def cubic(angles: Values, data: PlatformData) -> Values:
    """The coefficients of the singular surface Σ c xⁱyʲzᵏ = 0.

    Parameters
    ----------
    angles : array, shape (…, 3)
        Roll, pitch, yaw (rad).
    data : PlatformData
        The platform.

    Returns
    -------
    array, shape (…, 20)
        By `MONOMIALS`.
    """
    angles = np.asarray(angles)
    return taylor(np.concatenate([np.zeros_like(angles), angles], axis=-1), data)


# -- distance to a singular position -----------------------------------------------------------------------------------


def distance(pose: Values, data: PlatformData) -> Values:
    """Distance (m) to the nearest singular position at this orientation, as a lower bound.

    det(u) = c₀ + c₁(u) + c₂(u) + c₃(u) with |c_n(u)| ≤ N_n |u|ⁿ, N_n² = Σ c²/multinomial; the root r of
    N₁ r + N₂ r² + N₃ r³ = |c₀| is a lower bound of the true distance, and converges to it near the surface.

    Parameters
    ----------
    pose : array, shape (…, 6)
        m, rad.
    data : PlatformData
        The platform.

    Returns
    -------
    array, shape (…,)
        m.
    """
    c = taylor(pose, data)
    squares = c * c / _MULTINOMIAL
    n1, n2, n3 = (np.sqrt(squares[..., n == _DEGREE].sum(axis=-1)) for n in (1, 2, 3))
    f = np.abs(c[..., 0])
    r = f / (n1 + np.sqrt(n2 * f) + np.cbrt(n3 * f * f))
    for _ in range(_NEWTON):
        r = r - (r * (n1 + r * (n2 + r * n3)) - f) / (n1 + r * (2.0 * n2 + 3.0 * r * n3))
    return r


@cache
def distance_function(data: PlatformData) -> Function:
    """`distance` of one pose, compiled for control loops: some microseconds a call.

    Parameters
    ----------
    data : PlatformData
        The platform.

    Returns
    -------
    Function
        `address` is that of the C code.
    """
    with fresh_graph():
        pose = np.array(variables("pose", len(POSE)), dtype=object)
        found = distance(pose, data)
        outputs = {"distance": Output((), (found.item() if isinstance(found, np.ndarray) else found,))}
        summary = "distance (m) to the nearest singular position at this orientation, a lower bound"
        return build(Program("singularity_distance", "platform", summary, {"pose": Input(len(POSE))}, outputs))


# -- loci, and the lowest safe height ----------------------------------------------------------------------------------


def roots(coefficients: Array) -> Array:
    """Real roots of cubics c₀ + c₁s + c₂s² + c₃s³.

    Parameters
    ----------
    coefficients : array, shape (…, 4)
        c₀ to c₃.

    Returns
    -------
    array, shape (…, 3)
        In ascending order; NaN for complex roots.
    """
    c = np.asarray(coefficients, dtype=float)
    size = np.max(np.abs(c), axis=-1, keepdims=True)
    lead = c[..., 3:]
    least = 1e-12 * np.where(size > 0.0, size, 1.0)
    lead = np.where(np.abs(lead) < least, least, lead)  # this root goes to infinity
    companion = np.zeros((*c.shape[:-1], 3, 3))
    companion[..., 1, 0] = companion[..., 2, 1] = 1.0
    companion[..., :, 2] = -c[..., :3] / lead
    found = np.linalg.eigvals(companion)
    real = np.abs(found.imag) <= 1e-7 * (1.0 + np.abs(found))
    return np.sort(np.where(real, found.real, np.nan), axis=-1)


def along(axis: str, pose: Array, data: PlatformData) -> Array:
    """The cubic of the singular surface in one of x, y, z; all other axes as in the poses.

    Parameters
    ----------
    axis : str
        "x", "y" or "z".
    pose : array, shape (…, 6)
        m, rad.
    data : PlatformData
        The platform.

    Returns
    -------
    array, shape (…, 4)
        Coefficients c₀ to c₃.
    """
    place = POSE.index(axis)
    start = np.array(pose, dtype=float)
    start[..., place] = 0.0
    c = taylor(start, data)
    alone = [MONOMIALS.index(tuple(n if i == place else 0 for i in range(3))) for n in range(4)]
    return np.asarray(c[..., alone])


def locus(mode: str, angles: Sequence[Array], data: PlatformData, z: float | Array = 0.0) -> Array:
    """Singular positions of a motion mode; all other axes are at zero.

    Parameters
    ----------
    mode : str
        surge: x by pitch; transverse: y by roll, both at heights z; vertical: z by yaw; combined: z by roll and pitch.
    angles : sequence of array
        An array for each of the mode's angles (rad).
    data : PlatformData
        The platform.
    z : float or array
        Heights (m). Default 0.

    Returns
    -------
    array, shape (…, 3)
        m, padded with NaN.

    Raises
    ------
    ModelError
        For an unknown mode or another number of angles.
    """
    if mode not in MODES or len(angles) != len(MODES[mode][1]):
        listed = ", ".join(f"{name} ({' and '.join(turns)})" for name, (_, turns) in MODES.items())
        raise ModelError(f"no motion mode '{mode}' with {len(angles)} angles", cure=f"the modes are {listed}")
    axis, turns = MODES[mode]
    height, *tilts = np.broadcast_arrays(z, *angles)
    pose = np.zeros((*height.shape, len(POSE)))
    pose[..., 2] = height
    for turn, angle in zip(turns, tilts, strict=True):
        pose[..., POSE.index(turn)] = angle
    return roots(along(axis, pose, data))


def mode_floor(mode: str, data: PlatformData, step: float = 5e-3, samples: int = 61) -> float:
    """Highest z (m) at which a motion mode has a singular position within the limits of its axes; 0 if it has none.

    surge and transverse: heights from `step` to the top of the work range, in steps; the others: roots in z.
    """
    axis, turns = MODES[mode]
    ends = [data.limits[turn].high for turn in turns]
    angles = np.meshgrid(*[np.linspace(-end, end, samples) for end in ends])
    top = data.limits["z"].high
    if axis == "z":
        found = locus(mode, angles, data)
        return float(np.max(np.where((found > 0.0) & (found <= top), found, 0.0)))
    heights = np.arange(step, top + 0.5 * step, step)
    z, angle = np.meshgrid(heights, angles[0], indexing="ij")
    met = np.any(np.abs(locus(mode, [angle], data, z)) <= data.limits[axis].high, axis=(1, 2))
    return float(np.max(np.where(met, heights, 0.0)))


@dataclass(frozen=True)
class ZFloor:
    """Result of `z_floor`.

    Parameters
    ----------
    z : float
        Height above which no pose of the range is singular (m).
    pose : array, shape (6,)
        The singular pose at this height (m, rad).
    """

    z: float
    pose: Array


def z_floor(
    data: PlatformData,
    *,
    tilt: float = radians(15.0),
    yaw: float = 0.0,
    shift: float = 0.0,
    top: float = 0.65,
    samples: int = 13,
) -> ZFloor:
    """Lowest safe height of a range.

    No pose with floor < z ≤ top, |roll|, |pitch| ≤ tilt, |yaw| ≤ yaw and |x|, |y| ≤ shift is singular. The floor is the
    largest root of the cubic in z over a grid of the range, refined by Nelder–Mead. With shift = 0 the sliders do the
    travel, and the hexapod stays over its middle.

    Parameters
    ----------
    data : PlatformData
        The platform.
    tilt, yaw : float
        Half ranges of the angles (rad). Defaults 0.2618, 0.
    shift : float
        Half range of x and y (m). Default 0.
    top : float
        Highest z (m). Default 0.65.
    samples : int
        Grid points of each axis. Default 13.

    Returns
    -------
    ZFloor
        Height and pose.
    """
    from scipy.optimize import minimize  # here, because it takes longer to import than all of symbody

    box = np.array([shift, shift, 0.0, tilt, tilt, yaw])
    moving = np.flatnonzero(box)

    def highest(some: Array) -> Array:
        """Highest root at values of the free axes (…, n), in units of their range."""
        pose = np.zeros((*some.shape[:-1], len(POSE)))
        pose[..., moving] = np.clip(some, -1.0, 1.0) * box[moving]
        found = roots(along("z", pose, data))
        return np.asarray(np.max(np.where((found > 0.0) & (found <= top), found, 0.0), axis=-1))

    side = max(3, round(samples ** min(1.0, 3.0 / max(len(moving), 1))))
    grid = np.stack(np.meshgrid(*[np.linspace(-1.0, 1.0, side)] * len(moving), indexing="ij"), axis=-1)
    grid = grid.reshape(-1, len(moving))
    heights = highest(grid)
    best, where = 0.0, np.zeros(len(moving))
    for place in np.argsort(heights)[-4:]:
        found = minimize(lambda s: -float(highest(s)), grid[place], method="Nelder-Mead")
        for value, at in ((heights[place], grid[place]), (-found.fun, found.x)):
            if value > best:
                best, where = float(value), np.clip(at, -1.0, 1.0)
    pose = np.zeros(len(POSE))
    pose[moving], pose[2] = where * box[moving], best
    return ZFloor(best, pose)
