"""A piste: its middle line, distances along it and beside it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import hypot
from typing import ClassVar

import numpy as np
from scipy.spatial import cKDTree

from symbody.errors import ModelError
from symbody.terrain.height_map import Array


@dataclass(frozen=True, eq=False)
class Piste:
    """The middle line of a piste.

    Parameters
    ----------
    line : array, shape (n, 3)
        From its start to its end (m).
    """

    line: Array
    WIDTH: ClassVar[float] = 20.0  # m from the middle to the edge

    def __post_init__(self) -> None:
        if self.line.ndim != 2 or self.line.shape[1] != 3 or len(self.line) < 2 or not np.isfinite(self.line).all():
            raise ModelError(
                f"a line of the shape {self.line.shape}", element="piste", cure="give finite points (n, 3)"
            )

    @cached_property
    def distance(self) -> Array:
        """Length of the line up to each point (n,) (m)."""
        return np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(self.line, axis=0), axis=1))])

    @property
    def length(self) -> float:
        """Length of the line (m)."""
        return float(self.distance[-1])

    @cached_property
    def _near(self) -> cKDTree:
        return cKDTree(self.line[:, :2])

    def at(self, distance: float) -> Array:
        """The point (3,) at a distance from the start (m); the ends of the line beyond them."""
        return np.array([np.interp(distance, self.distance, column) for column in self.line.T])

    def nearest(self, x: float, y: float) -> tuple[float, float]:
        """Distance along the line (m) of the point nearest to (x, y), and distance from it, positive to the left."""
        k = int(self._near.query((x, y))[1])
        ahead_x, ahead_y, _ = self.line[min(k + 1, len(self.line) - 1)] - self.line[max(k - 1, 0)]
        dx, dy = x - self.line[k, 0], y - self.line[k, 1]
        return float(self.distance[k]), float((ahead_x * dy - ahead_y * dx) / hypot(ahead_x, ahead_y))
