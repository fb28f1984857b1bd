"""Rounding of angles that files write with few digits to the multiple of 45° that they mean.

1.5708 rad is not exactly a right angle: entries that should be 0 or ±1 become general numbers, and the equations grow
to three times the size.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from symbody.errors import ModelError
from symbody.model.body import Point
from symbody.model.model import Model
from symbody.model.placement import compose, placement, placements
from symbody.model.rotation import EIGHTH

LARGEST = 0.01  # rad; a larger change would be another machine
POSITIONS = 10  # in which the shift of points is evaluated


@dataclass
class Snapping:
    """Rounds angles within a tolerance (rad); counts the changed ones and keeps the largest change (rad)."""

    tolerance: float
    count: int = 0
    largest: float = 0.0

    def __post_init__(self) -> None:
        if not 0.0 <= self.tolerance <= LARGEST:
            problem, cure = (
                f"snap={self.tolerance:g} is out of range",
                f"use an angle between 0 and {LARGEST:g} rad, such as 1e-5",
            )
            raise ModelError(problem, element="options", cure=cure)

    def angle(self, value: float) -> float:
        """The nearest multiple of 45° if it is within the tolerance, else the angle itself (rad)."""
        exact = round(value / EIGHTH) * EIGHTH
        return self._moved(value, exact, abs(value - exact))

    def axis(self, xyz: Sequence[float]) -> list[float]:
        """The direction (of any length), with components set to 0 that are 0 within the tolerance."""
        length = math.hypot(*xyz)
        small = [x for x in xyz if 0.0 < abs(x) < self.tolerance * length]
        off = math.asin(min(1.0, math.hypot(*small) / length)) if small else 0.0
        return [self._moved(x, 0.0, off) if x in small else x for x in xyz]

    def points(self, model: Model) -> None:
        """Snap the rotation of every point of a model whose rotation is plain numbers."""
        for body in (model.ground, *model.bodies.values()):
            for point in body.points.values():
                x, y, z = (self.angle(a) if isinstance(a, float) else a for a in point.rotation)
                point.rotation = x, y, z

    def _moved(self, value: float, exact: float, off: float) -> float:
        if off == 0.0 or off >= self.tolerance:
            return value
        if off > 1e-15 * max(1.0, abs(value)):  # angles with all digits are not counted
            self.count, self.largest = self.count + 1, max(self.largest, off)
        return exact


def shift(before: Model, after: Model) -> float:
    """The largest distance (m) of any point between two readings of a file, at several positions of its hinges."""
    rng = np.random.default_rng(0)
    turning = [joint.name for joint in before.joints() if joint.type.startswith("R")]
    largest = 0.0
    for _ in range(POSITIONS):
        q = dict(zip(turning, rng.uniform(-math.pi, math.pi, len(turning)).tolist(), strict=True))
        was, now = placements(before, q), placements(after, q)
        for body in before.bodies.values():
            for point in body.points.values():
                there = after.bodies[body.name].points[point.name]
                a, b = _position(was, point, before), _position(now, there, after)
                largest = max(largest, float(np.linalg.norm(a - b)))
    return largest


def _position(placed: dict[str, Any], point: Point, model: Model) -> Any:
    return compose(placed[point.body], placement(point, model.values))[1]


def note(snapping: Snapping, moved: float) -> str:
    """The effect of snapping, in a sentence."""
    if not snapping.count:
        return f"no angle within {snapping.tolerance:g} rad of a multiple of 45° had to be snapped"
    many = f"{snapping.count} angle{'s' if snapping.count > 1 else ''} snapped to multiples of 45°"
    return (
        f"{many}, by at most {snapping.largest:.2g} rad: points move by at most {moved:.2g} m ({POSITIONS} positions)"
    )
