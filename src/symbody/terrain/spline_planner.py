"""A uniform cubic B-spline, S(t) = Σ pᵢ Bᵢ(t) (Houda 2020, eq. 6.2.1), at constant speed with a lean for each bend."""

from __future__ import annotations

import numpy as np
from scipy.interpolate import BSpline

from symbody.errors import ModelError
from symbody.model.plain_numbers import GRAVITY
from symbody.terrain.ground_path import GroundPath
from symbody.terrain.height_map import Array, HeightMap
from symbody.terrain.waypoint_planner import checked_points

FINE = 1000  # points per segment, for the length of the curve
LARGEST_LEAN = np.radians(35.0)


def spline_path(points: Array, ground: HeightMap, speed: float = 12.0, step: float = 0.01) -> GroundPath:
    """The path of a spline through control points at a constant horizontal speed.

    The lean is that of a balanced turn, tan φ = v²κ/g, up to 35°.

    Parameters
    ----------
    points : array, shape (n, 2) or (n, 3)
        Control points (m).
    ground : HeightMap
        Under the path.
    speed : float
        m/s. Default 12.
    step : float
        s. Default 0.01.

    Returns
    -------
    GroundPath
        From the first point to the last.

    Raises
    ------
    ModelError
        For a speed or step that is not positive, and for equal points.
    """
    places = checked_points(points, ground)
    if not (speed > 0.0 and step > 0.0):
        cure = "use a positive speed and step"
        raise ModelError(f"speed {speed} m/s, step {step} s", element="spline", cure=cure)
    ends = np.concatenate([[places[0]] * 2, places, [places[-1]] * 2])  # repeated ends: the curve reaches them
    count = len(ends)
    curve = BSpline(np.arange(count + 4), ends, 3)
    u = np.linspace(3.0, count, FINE * (count - 3) + 1)
    length = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(curve(u), axis=0), axis=1))])
    if length[-1] < speed * step:
        raise ModelError("the points are equal", element="spline", cure="use points further apart")
    t = np.arange(0.0, length[-1] / speed, step)
    at = np.interp(speed * t, length, u)
    xy, d1, d2 = curve(at), curve.derivative(1)(at), curve.derivative(2)(at)
    moves = np.linalg.norm(d1, axis=1)
    curvature = (d1[:, 0] * d2[:, 1] - d1[:, 1] * d2[:, 0]) / np.maximum(moves, 1e-9) ** 3
    lean = np.clip(-np.arctan(speed**2 * curvature / GRAVITY), -LARGEST_LEAN, LARGEST_LEAN)
    heading = np.unwrap(np.arctan2(d1[:, 1], d1[:, 0]))
    still = moves < 1e-6  # the first and the last point, where all control points coincide
    heading[still] = np.interp(t[still], t[~still], heading[~still])
    lean[still] = 0.0
    return GroundPath(t, np.column_stack([xy, ground.height(*xy.T)]), heading, lean)
