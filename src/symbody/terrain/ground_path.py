"""A path over ground: where a skier is over time, and what the seat feels."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from symbody.model.plain_numbers import GRAVITY
from symbody.terrain.height_map import Array, HeightMap


@dataclass(frozen=True, eq=False)
class GroundPath:
    """A path on the ground, sampled at equal steps.

    Parameters
    ----------
    t : array, shape (n,)
        Times (s).
    position : array, shape (n, 3)
        m.
    heading : array, shape (n,)
        From the x axis, positive to the left (rad).
    lean : array, shape (n,)
        About the forward axis, positive to the right (rad).
    """

    t: Array
    position: Array
    heading: Array
    lean: Array

    @property
    def step(self) -> float:
        """Time between two samples (s)."""
        return float(self.t[-1] - self.t[0]) / (len(self.t) - 1)

    @property
    def velocity(self) -> Array:
        """(n, 3) (m/s)."""
        return np.gradient(self.position, self.step, axis=0)

    @property
    def speed(self) -> Array:
        """(n,) (m/s)."""
        return np.asarray(np.linalg.norm(self.velocity, axis=1))


def seat_frames(path: GroundPath, ground: HeightMap) -> Array:
    """Axes of a seat on a path: along the ground, turned by the lean.

    Parameters
    ----------
    path : GroundPath
        Of the seat.
    ground : HeightMap
        Under it.

    Returns
    -------
    array, shape (n, 3, 3)
        Columns forward, left, up.
    """
    up = ground.normal(path.position[:, 0], path.position[:, 1])
    flat = np.column_stack([np.cos(path.heading), np.sin(path.heading), np.zeros(len(path.t))])
    left = np.cross(up, flat)
    left /= np.linalg.norm(left, axis=1, keepdims=True)
    forward = np.cross(left, up)
    c, s = np.cos(path.lean)[:, None], np.sin(path.lean)[:, None]
    return np.stack([forward, c * left + s * up, c * up - s * left], axis=2)


def seat_motion(path: GroundPath, ground: HeightMap) -> tuple[Array, Array]:
    """Motion of a seat in its frame, as cueing expects it.

    The acceleration is the specific force less that of a seat at rest, Rᵀ(a + g e_z) − g e_z.

    Parameters
    ----------
    path : GroundPath
        Of the seat.
    ground : HeightMap
        Under it.

    Returns
    -------
    (array, array), shape (array, array), shapes (n, 3)
        Accelerations (m/s²) and turn rates (rad/s).
    """
    R = seat_frames(path, ground)
    a = np.gradient(path.velocity, path.step, axis=0) + np.array([0.0, 0.0, GRAVITY])
    turn = np.einsum("nji,njk->nik", R, np.gradient(R, path.step, axis=0))  # Rᵀ Ṙ = ω×
    rate = 0.5 * np.column_stack(
        [turn[:, 2, 1] - turn[:, 1, 2], turn[:, 0, 2] - turn[:, 2, 0], turn[:, 1, 0] - turn[:, 0, 1]]
    )
    return np.einsum("nji,nj->ni", R, a) - np.array([0.0, 0.0, GRAVITY]), rate
