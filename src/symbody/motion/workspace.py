"""Where the platform can be: strokes, tilts of the joints, gaps between legs and singular poses, scanned over a grid.

`margins` is written once over arrays: numbers give NumPy, expressions the compiled scan.

Examples
--------
>>> from symbody.machines.platform import platform_data
>>> from symbody.motion.workspace import Grid, Workspace, explain, margins, margins_function, require_consistent, scan
>>> from symbody.motion.workspace import work_range_grid
>>> data = platform_data()
>>> require_consistent(data)
>>> grid: Grid = work_range_grid(data, places=(5, 5, 5), turns=(1, 1, 1))
>>> found: Workspace = scan(data, grid, threads=1)
>>> found.allowed.shape
(5, 5, 5)
>>> neutral = data.neutral_axes[2:]
>>> explain(neutral, data), min(float(one) for one in margins(neutral, data)) > 0.0
([], True)
>>> margins_function(data)(neutral[:3], neutral[3:]).shape
(5,)
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache, reduce
from itertools import combinations, product
from math import cos, prod
from time import perf_counter

import numpy as np
from numpy.typing import NDArray

from symbody.codegen import Function, build
from symbody.codegen.program import Input, Output, Program
from symbody.errors import ModelError
from symbody.expr.node_table import fresh_graph
from symbody.expr.vector import variables
from symbody.motion.data import FIXED, TABLE, TURNS, Array, PlatformData
from symbody.motion.geometry import Values, leg_lengths, leg_vectors, rotation
from symbody.motion.singularity import determinant

__all__ = [
    "Grid",
    "Workspace",
    "explain",
    "margins",
    "margins_function",
    "require_consistent",
    "scan",
    "work_range_grid",
]

# Each must be positive: strokes (m), cosines of the tilts at feet and tops minus the cosine of the limit, gap between
# legs (m), determinant of the unit legs relative to the neutral pose minus its lowest allowed value.
MARGINS = ("stroke", "foot tilt", "top tilt", "leg gap", "singularity")
LEAST_DETERMINANT = 0.02  # of the neutral pose's
PARALLEL = 1e-12  # m⁴, added to |d₁|²|d₂|² − (d₁·d₂)² of two legs
Bools = NDArray[np.bool_]


def margins(pose: Values, data: PlatformData) -> list[Values]:
    """The five `MARGINS` of poses; a pose is allowed if all are positive.

    Parameters
    ----------
    pose : array, shape (…, 6)
        m, rad.
    data : PlatformData
        The platform.

    Returns
    -------
    list of array
        In the order of `MARGINS`.
    """
    pose, limits = np.asarray(pose), data.legs
    d = np.moveaxis(leg_vectors(pose, data)[0], (-2, -1), (0, 1))
    legs = [[d[k, i] for i in range(3)] for k in range(6)]
    q = [np.sqrt(_dot(leg, leg)) for leg in legs]
    A = np.moveaxis(rotation(pose[..., 3:]), (-2, -1), (0, 1))
    normal = [A[i, 2] for i in range(3)]
    stroke = [np.minimum(qk - limits.shortest, limits.longest - qk) for qk in q]
    foot = [leg[2] / qk - cos(limits.foot_tilt) for leg, qk in zip(legs, q, strict=True)]
    top = [_dot(leg, normal) / qk - cos(limits.top_tilt) for leg, qk in zip(legs, q, strict=True)]
    squares = [_squared_gap(data.feet[i] - data.feet[j], legs[i], legs[j]) for i, j in combinations(range(6), 2)]
    gap = np.sqrt(_least(squares)) - 2.0 * limits.radius
    held = determinant(pose, data) / (prod(q) * _neutral_determinant(data)) - LEAST_DETERMINANT
    return [_least(stroke), _least(foot), _least(top), gap, held]


@cache
def _neutral_determinant(data: PlatformData) -> float:
    """det of the rows [a_k, L_k × a_k] (m³) at the neutral pose."""
    return float(determinant(data.neutral, data) / np.prod(leg_lengths(data.neutral, data)))


def _dot(a: Sequence[Values], b: Sequence[Values]) -> Values:
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def _least(values: Sequence[Values]) -> Values:
    return reduce(np.minimum, values)


def _squared_gap(r: Sequence[Values], d1: Sequence[Values], d2: Sequence[Values]) -> Values:
    """Smallest squared distance of the segments r + s d₁ and t d₂, 0 ≤ s, t ≤ 1.

    s of the nearest points of both lines, then the nearest t, then the nearest s, each limited to its segment.
    """
    a, b, e, c, f = _dot(d1, d1), _dot(d1, d2), _dot(d2, d2), _dot(d1, r), _dot(d2, r)
    s = np.clip((b * f - c * e) / (a * e - b * b + PARALLEL), 0.0, 1.0)
    t = np.clip((b * s + f) / e, 0.0, 1.0)
    s = np.clip((b * t - c) / a, 0.0, 1.0)
    apart = [r[i] + s * d1[i] - t * d2[i] for i in range(3)]
    return _dot(apart, apart)


@cache
def margins_function(data: PlatformData) -> Function:
    """`margins` compiled: (place (3,), angles (3,)) → (5,).

    Parameters
    ----------
    data : PlatformData
        The platform.

    Returns
    -------
    Function
        A batch takes many positions and one orientation.
    """
    with fresh_graph():
        pose = np.array([*variables("place", 3), *variables("angles", 3)], dtype=object)
        outputs = {"margins": Output((len(MARGINS),), tuple(margins(pose, data)))}
        summary = f"{', '.join(MARGINS)} of a pose: allowed if all are positive"
        return build(Program("margins", "platform", summary, {"place": Input(3), "angles": Input(3)}, outputs))


# -- the scan ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Grid:
    """Poses to test.

    Parameters
    ----------
    x, y, z : array
        Positions (m).
    angles : array, shape (m, 3)
        Orientations to test at each of them: roll, pitch, yaw (rad).
    """

    x: Array
    y: Array
    z: Array
    angles: Array

    @property
    def shape(self) -> tuple[int, int, int]:
        """Numbers of places along x, y and z."""
        return len(self.x), len(self.y), len(self.z)

    @property
    def poses(self) -> int:
        """Number of places times orientations."""
        return prod(self.shape) * len(self.angles)

    def places(self) -> Array:
        """All positions (n, 3) (m); z changes fastest."""
        return np.stack(np.meshgrid(self.x, self.y, self.z, indexing="ij"), axis=-1).reshape(-1, 3)


def require_consistent(data: PlatformData) -> None:
    """Check the limits of a platform.

    Parameters
    ----------
    data : PlatformData
        The platform.

    Raises
    ------
    ModelError
        For contradictory limits: low ≥ high, or a neutral pose that is not allowed.
    """
    ends = {axis: (limit.low, limit.high) for axis, limit in data.limits.items() if limit != FIXED}
    ends["legs"] = data.legs.shortest, data.legs.longest
    for name, (low, high) in ends.items():
        if not low < high:
            raise ModelError(f"contradictory limits: from {low:g} to {high:g}", element=name, cure="give low < high")
    wrong = explain(data.neutral, data)
    if wrong:
        cure = "change the neutral height, or the limits of the legs"
        raise ModelError(
            f"contradictory limits: the neutral pose is not allowed ({'; '.join(wrong)})", element="legs", cure=cure
        )


def work_range_grid(
    data: PlatformData,
    places: tuple[int, int, int] = (31, 31, 31),
    turns: tuple[int, int, int] = (3, 3, 3),
) -> Grid:
    """Positions around all that the legs can reach, and orientations within the limits of roll, pitch and yaw.

    Parameters
    ----------
    data : PlatformData
        The platform.
    places : (int, int, int)
        Numbers of x, y and z. Default (31, 31, 31).
    turns : (int, int, int)
        Numbers of roll, pitch and yaw. Default (3, 3, 3).

    Returns
    -------
    Grid
        For `scan`.
    """
    require_consistent(data)
    reach = data.legs.longest
    wide = np.linspace(-0.6 * reach, 0.6 * reach, places[0])
    angles = [
        np.linspace(data.limits[axis].low, data.limits[axis].high, n) if n > 1 else np.zeros(1)
        for axis, n in zip(TURNS, turns, strict=True)
    ]
    z = np.linspace(0.2 * reach, 1.05 * reach, places[2])
    return Grid(wide, np.linspace(-0.6 * reach, 0.6 * reach, places[1]), z, np.array(list(product(*angles))))


@dataclass(frozen=True, eq=False)
class Workspace:
    """Result of a scan.

    Parameters
    ----------
    grid : Grid
        The tested poses.
    allowed : array of int, shape (nx, ny, nz)
        Number of allowed orientations, of len(grid.angles), at each position.
    refused : mapping of str to int
        Poses by the margin that is not positive; a pose may count several times.
    seconds : float
        Time of the scan (s).
    """

    grid: Grid
    allowed: NDArray[np.int64]
    refused: Mapping[str, int]
    seconds: float

    @property
    def reachable(self) -> Bools:
        """Positions with at least one allowed orientation."""
        return np.asarray(self.allowed > 0)

    @property
    def dexterous(self) -> Bools:
        """Positions at which all orientations are allowed."""
        return np.asarray(self.allowed == len(self.grid.angles))

    def volume(self, places: Bools) -> float:
        """Volume (m³) of a set of positions; each represents a cell of the grid."""
        cell = prod(float(axis[1] - axis[0]) for axis in (self.grid.x, self.grid.y, self.grid.z))
        return cell * int(np.sum(places))


def scan(data: PlatformData, grid: Grid | None = None, *, table: bool = False, threads: int | None = None) -> Workspace:
    """Test every orientation at every position with compiled code on all cores.

    Parameters
    ----------
    data : PlatformData
        The platform.
    grid : Grid, optional
        Positions and orientations. Default: `work_range_grid(data)`.
    table : bool
        Whether positions are relative to the ground, and the sliders help to reach them; else relative to the X slider.
        Default False.
    threads : int, optional
        Default: one for each core.

    Returns
    -------
    Workspace
        Counts by position and reason.

    Raises
    ------
    ModelError
        For fewer than two positions along an axis, and angles of another shape than (m, 3).
    """
    grid = grid or work_range_grid(data)
    if min(grid.shape) < 2 or grid.angles.ndim != 2 or not len(grid.angles):
        cure = "give at least two positions along each axis, and orientations (m, 3)"
        raise ModelError(
            f"a grid of {grid.shape} positions and {np.shape(grid.angles)} angles", element="grid", cure=cure
        )
    function, places = margins_function(data), grid.places()
    travel = _travel(data, grid) if table else (0, 0)
    began = perf_counter()

    def orientation(angles: Array) -> tuple[Bools, NDArray[np.int64]]:
        found = function(places, angles) > 0.0
        allowed = np.logical_and.reduce(found, axis=1).reshape(grid.shape)
        return _carried(allowed, travel), len(found) - np.sum(found, axis=0)

    counts, refused = np.zeros(grid.shape, dtype=np.int64), np.zeros(len(MARGINS), dtype=np.int64)
    with ThreadPoolExecutor(threads or os.cpu_count() or 1) as pool:
        for allowed, no in pool.map(orientation, grid.angles):
            counts += allowed
            refused += no
    by_name = {name: int(n) for name, n in zip(MARGINS, refused, strict=True)}
    return Workspace(grid, counts, by_name, perf_counter() - began)


def _travel(data: PlatformData, grid: Grid) -> tuple[int, int]:
    """Travel of the table to each side along x and y, in steps of the grid."""
    strokes = [(data.limits[axis].high - data.limits[axis].low) / 2.0 for axis in TABLE]
    steps = [float(axis[1] - axis[0]) for axis in (grid.x, grid.y)]
    return int(strokes[0] / steps[0] + 1e-9), int(strokes[1] / steps[1] + 1e-9)


def _carried(allowed: Bools, travel: tuple[int, int]) -> Bools:
    """Allowed positions spread by the travel of the table, a rectangle of steps (a Minkowski sum)."""
    for axis, steps in enumerate(travel):
        if steps:
            total = np.cumsum(np.moveaxis(allowed, axis, 0).astype(np.int64), axis=0)
            n = len(total)
            upper = total[np.minimum(np.arange(n) + steps, n - 1)]
            below = np.arange(n) - steps - 1
            lower = np.where((below >= 0)[:, None, None], total[np.maximum(below, 0)], 0)
            allowed = np.moveaxis(upper > lower, 0, axis)
    return allowed


def explain(pose: Array, data: PlatformData) -> list[str]:
    """Why a pose is not allowed.

    Parameters
    ----------
    pose : array, shape (6,)
        m, rad.
    data : PlatformData
        The platform.

    Returns
    -------
    list of str
        Each margin that is not positive, with its value.
    """
    values = [float(x) for x in margins(np.asarray(pose, dtype=float), data)]
    return [
        f"{name}: {value:.4g}, must be above 0" for name, value in zip(MARGINS, values, strict=True) if value <= 0.0
    ]
