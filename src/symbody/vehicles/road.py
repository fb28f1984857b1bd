"""A straight road of two lanes with an obstacle, the way around it, and clearances."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from symbody.analysis import minimum_jerk
from symbody.elements.numbers import require_positive

Array = np.ndarray
Span = tuple[float, float]
LENGTH, WIDTH = 4.5, 1.82  # m, of the car body; the origin of the chassis is in its middle


@dataclass(frozen=True)
class Road:
    """Lanes along x about y = 0 and y = lane, the obstacle, and the way around it (m).

    A double lane change similar to obstacle avoidance by ISO 3888-2, but from lane to lane. The obstacle appears too
    late to stop: at 75 km/h a stop takes 27 m at 8 m/s², after 10 m of reaction.

    Parameters
    ----------
    lane : float
        Width of a lane (m), as on main roads. Default 3.5.
    begin : float
        Where the obstacle begins (m). Default 80.
    length : float
        Of the obstacle (m), a stopped car. Default 4.5.
    width : float
        Of the obstacle (m). Default 1.8.
    sight : float
        From the car's front to the obstacle when it appears (m). Default 33.
    reaction : float
        Distance of 0.5 s before the driver reacts (m). Default 10.4.
    aside : float
        Lateral shift of the way to the left (m). Default 3.
    out : float
        Along the road, from lane to lane (m). Default 33.
    back : float
        Along the road, to the first lane (m). Default 45.
    beyond : float
        From the obstacle to the car's rear when it begins to return (m). Default 2.
    """

    lane: float = 3.5
    begin: float = 80.0
    length: float = 4.5
    width: float = 1.8
    sight: float = 33.0
    reaction: float = 10.4
    aside: float = 3.0
    out: float = 33.0
    back: float = 45.0
    beyond: float = 2.0

    def __post_init__(self) -> None:
        require_positive("road", self, "lane", "length", "width", "sight", "out", "back")
        require_positive("road", self, "reaction", zero=True)

    @property
    def appears(self) -> float:
        """Position x of the middle of the car when the obstacle appears."""
        return self.begin - self.sight - LENGTH / 2.0

    @property
    def leaves(self) -> float:
        """Position x of the middle of the car when the driver reacts."""
        return self.appears + self.reaction

    @property
    def returns(self) -> float:
        """Position x of the middle of the car when it begins to return."""
        return self.begin + self.length + self.beyond + LENGTH / 2.0

    @property
    def obstacle(self) -> tuple[Span, Span]:
        """Extent of the obstacle along x and y."""
        return (self.begin, self.begin + self.length), (-self.width / 2.0, self.width / 2.0)

    @property
    def borders(self) -> Span:
        """The right and the left edge of the road (y)."""
        return -self.lane / 2.0, 1.5 * self.lane

    def way(self, x: Array | float) -> Array:
        """y of the way around the obstacle."""
        there, back = (
            minimum_jerk.position((x - self.leaves) / self.out),
            minimum_jerk.position((x - self.returns) / self.back),
        )
        return np.asarray(self.aside * (there - back))


def corners(x: Array, y: Array, yaw: Array) -> Array:
    """Corners of the car body (instant, corner, axis): front left, rear left, rear right, front right (m)."""
    along, aside = np.array([1.0, -1.0, -1.0, 1.0]) * LENGTH / 2.0, np.array([1.0, 1.0, -1.0, -1.0]) * WIDTH / 2.0
    c, s = np.cos(yaw)[:, None], np.sin(yaw)[:, None]
    return np.stack([x[:, None] + c * along - s * aside, y[:, None] + s * along + c * aside], axis=-1)


def clearance(road: Road, x: Array, y: Array, yaw: Array) -> Array:
    """Distance (m) of the body from the obstacle; negative if they overlap.

    The largest gap along the four axes of both rectangles (separating axes).
    """
    body = corners(x, y, yaw)
    spans = np.asarray(road.obstacle)
    block = np.array([[a, b] for a in spans[0] for b in spans[1]])
    angles = np.stack([0.0 * yaw, yaw]) + np.array([[[0.0]], [[np.pi / 2.0]]])
    axes = np.stack([np.cos(angles), np.sin(angles)], axis=-1).reshape(4, len(yaw), 2)
    ours, its = np.einsum("tck,atk->atc", body, axes), np.einsum("ck,atk->atc", block, axes)
    gaps = np.maximum(ours.min(-1) - its.max(-1), its.min(-1) - ours.max(-1))
    return np.asarray(gaps.max(axis=0))


def room(road: Road, x: Array, y: Array, yaw: Array) -> Array:
    """Distance (m) of the body from the edges of the road; negative outside."""
    across = corners(x, y, yaw)[..., 1]
    right, left = road.borders
    return np.asarray(np.minimum(across.min(axis=1) - right, left - across.max(axis=1)))
