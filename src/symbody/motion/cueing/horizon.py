"""The horizon of predictive cueing: accelerations in blocks, and the positions and velocities that follow from them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from symbody.errors import ModelError
from symbody.motion.data import Array

ENDS = (0.02, 0.05, 0.1, 0.2, 0.35, 0.55, 0.8, 1.1, 1.5, 2.0)  # s: fine at first, coarse later


@dataclass(frozen=True)
class Horizon:
    """Blocks of constant acceleration.

    Parameters
    ----------
    ends : tuple of float, optional
        Times at which they end (s). Default: up to some seconds, finer at first.
    """

    ends: tuple[float, ...] = ENDS

    def __post_init__(self) -> None:
        if not self.ends or not (np.diff((0.0, *self.ends)) > 0.0).all():
            raise ModelError(
                f"blocks that end at {self.ends}", element="horizon", cure="give increasing times above zero"
            )

    @property
    def blocks(self) -> int:
        """Number of blocks."""
        return len(self.ends)

    @cached_property
    def middles(self) -> Array:
        """Middle of each block (s)."""
        edges = np.array((0.0, *self.ends))
        return np.asarray(0.5 * (edges[1:] + edges[:-1]))

    @cached_property
    def lengths(self) -> Array:
        """Length of each block (s)."""
        return np.diff(np.array((0.0, *self.ends)))

    def velocity(self, t: Array) -> Array:
        """∂v(t)/∂a, (times, blocks): time that each block has acted."""
        begins = np.array((0.0, *self.ends[:-1]))
        return np.asarray(np.clip(np.asarray(t)[:, None] - begins, 0.0, self.lengths))

    def position(self, t: Array) -> Array:
        """∂x(t)/∂a, (times, blocks): ½ τ² while a block acts, and its velocity times the time after it."""
        times = np.asarray(t)[:, None]
        acted = self.velocity(t)
        return np.asarray(0.5 * acted**2 + acted * np.maximum(times - np.array(self.ends), 0.0))
