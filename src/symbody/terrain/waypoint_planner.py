"""Waypoints (Houda 2020, section 6.2.3): ski straight towards a point, and from a radius on towards the next.

Speed and heading are constant between two switches, so the path has corners: the source gave it up for its jerks.
"""

from __future__ import annotations

import numpy as np

from symbody.errors import ModelError
from symbody.terrain.ground_path import GroundPath
from symbody.terrain.height_map import Array, HeightMap


def waypoint_path(
    points: Array, ground: HeightMap, speed: float = 12.0, radius: float = 5.0, step: float = 0.01
) -> GroundPath:
    """The path from waypoint to waypoint at a constant horizontal speed.

    Parameters
    ----------
    points : array, shape (n, 2) or (n, 3)
        Waypoints (m).
    ground : HeightMap
        Under the path.
    speed : float
        m/s. Default 12.
    radius : float
        A waypoint is reached at this distance (m). Default 5.
    step : float
        s. Default 0.01.

    Returns
    -------
    GroundPath
        Up to `radius` from the last waypoint.

    Raises
    ------
    ModelError
        For numbers that are not positive, and if all waypoints are within the radius.
    """
    places = checked_points(points, ground)
    if not (speed > 0.0 and radius >= speed * step and step > 0.0):
        cure = "use a positive speed and step, and a radius of at least speed · step"
        raise ModelError(f"speed {speed} m/s, radius {radius} m, step {step} s", element="waypoints", cure=cure)
    here, seen, headings = places[0].copy(), [places[0].copy()], list[float]()
    for target in places[1:]:
        while np.hypot(*(target - here)) > radius:
            heading = float(np.arctan2(*(target - here)[::-1]))
            here = here + speed * step * np.array([np.cos(heading), np.sin(heading)])
            seen.append(here)
            headings.append(heading)
    if not headings:
        raise ModelError("all waypoints are within the radius", element="waypoints", cure="use points further apart")
    xy = np.array(seen)
    position = np.column_stack([xy, ground.height(*xy.T)])
    turned = np.unwrap(np.append(headings, headings[-1]))
    return GroundPath(step * np.arange(len(xy)), position, turned, np.zeros(len(xy)))


def checked_points(points: Array, ground: HeightMap) -> Array:
    """The horizontal part (n, 2) of points that are on the map; an error names the first that is not."""
    places = np.asarray(points, dtype=float)
    if places.ndim != 2 or places.shape[1] not in (2, 3) or len(places) < 2:
        raise ModelError(
            f"points of the shape {places.shape}", element="waypoints", cure="give (n, 2) or (n, 3), n > 1"
        )
    places = places[:, :2]
    outside = ~(np.isfinite(places).all(axis=1) & ground.contains(*places.T))
    if outside.any():
        k = int(outside.argmax())
        cure = f"stay within x = {ground.x[0]:g} … {ground.x[-1]:g} m and y = {ground.y[0]:g} … {ground.y[-1]:g} m"
        raise ModelError(f"point {k} is not on the map", element="waypoints", cure=cure)
    return places
