"""Balls of a cloud now: positions, and optional sizes, colours and numbers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from symbody.errors import ModelError

Array = np.ndarray
FULL = 255  # of a colour or a size in a message
SHAPES = {"points": (3,), "sizes": (), "colours": (3,), "numbers": ()}  # of one ball


@dataclass(frozen=True)
class Balls:
    """The balls of a cloud at one moment, a row each.

    Parameters
    ----------
    points : array (n, 3)
        Positions in their frame (m).
    sizes : array (n,), optional
        Radii as shares of the radius of the cloud, 0 to 1. Default: 1.
    colours : array (n, 3), optional
        Red, green and blue, 0 to 255. Default: the colour of the cloud.
    numbers : array (n,), optional
        A number below 2³² that each ball keeps. Rows may then change their order, and a ball with a new number appears
        where it is. Default: the row.
    """

    points: Array
    sizes: Array | None = None
    colours: Array | None = None
    numbers: Array | None = None

    def __post_init__(self) -> None:
        count = len(self.points)
        for name, shape in SHAPES.items():
            given = getattr(self, name)
            if given is not None and np.shape(given) != (count, *shape):
                problem = f"{name} of the shape {np.shape(given)} for {count} balls"
                raise ModelError(problem, element="balls", cure=f"give the shape {(count, *shape)}")

    def looks(self) -> Array | None:
        """Red, green, blue and size of each ball in bytes; None: all look like their cloud."""
        if self.sizes is None and self.colours is None:
            return None
        made = np.full((len(self.points), 4), FULL, dtype=np.uint8)
        if self.colours is not None:
            made[:, :3] = np.clip(self.colours, 0, FULL)
        if self.sizes is not None:
            made[:, 3] = np.rint(np.clip(self.sizes, 0.0, 1.0) * FULL)
        return made
