"""Deformable ground in the studio: its surface and its particles, read while the loop runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from symbody.studio.balls import Balls
from symbody.studio.machine import ChangingSurface, Particles
from symbody.visual.scene import Cloud, HeightField

if TYPE_CHECKING:
    from symbody.terrain.soil.terrain import ParticleRows, Terrain

Array = np.ndarray
SAND, LOOSE = "#a98f63", "#c8ac74"
FRESH = 0.72  # brightness of soil that was just cut, of that of loose soil
SPREAD, TINT = 0.15, 0.12  # of the radii and of the brightness of particles: no two grains look the same
GOLDEN, SILVER = 0.6180339887, 0.4142135624  # shares of irrational numbers are spread evenly


def soil_view(ground: Terrain, colour: str = SAND, loose: str = LOOSE) -> tuple[ChangingSurface, Particles]:
    """The surface and the particles of a terrain: `Machine(terrains=[surface], particles=[particles], …)`.

    A particle is drawn with its radius, which grows while cut soil loosens, and becomes brighter with its void ratio.
    A variation by its number, without a meaning, is added to both.

    Parameters
    ----------
    ground : Terrain
        With its soil.
    colour, loose : str
        Of the ground and of particles, as "#rrggbb". Defaults "#a98f63", "#c8ac74".

    Returns
    -------
    (ChangingSurface, Particles)
        Both follow the terrain while it changes.

    Examples
    --------
    >>> import numpy as np
    >>> from symbody.studio import soil_view
    >>> from symbody.terrain import Terrain
    >>> ground = Terrain(np.zeros((20, 20)), 0.1, soil="sand", particles=100)
    >>> surface, loose = soil_view(ground)
    >>> surface.heights().shape
    (20, 20)
    """
    start = ground.start
    rows, columns = start.heights.shape
    corner = (float(start.origin[0]), float(start.origin[1]), 0.0)
    field = HeightField(0, (rows, columns), (start.spacing, start.spacing), corner, colour)
    cloud = Cloud(0, max(ground.capacity, 1), (1.0 + SPREAD) * ground.loose_radius, loose)
    shade = np.array([int(loose[k : k + 2], 16) for k in (1, 3, 5)])
    return ChangingSurface(field, lambda: ground.heights), Particles(cloud, lambda: _balls(ground, cloud, shade))


def _balls(ground: Terrain, cloud: Cloud, shade: Array) -> Balls:
    now = ground.particle_rows
    sizes = now.radii / cloud.radius * (1.0 + SPREAD * _varied(now.numbers, GOLDEN))
    bright = _loosened(ground, now) * (1.0 + TINT * _varied(now.numbers, SILVER))
    return Balls(now.centres, sizes, bright[:, None] * shade, now.numbers)


def _varied(numbers: Array, irrational: float) -> Array:
    """A value of −1 to 1 for each number, always the same."""
    return 2.0 * (numbers * irrational % 1.0) - 1.0


def _loosened(ground: Terrain, now: ParticleRows) -> Array:
    """Brightness by the void ratio: FRESH as in the ground, 1 in loose soil."""
    growth = ground.soil.loosening
    share = (now.void_ratios - ground.soil.void_ratio) / growth if growth else np.ones(len(now.void_ratios))
    return FRESH + (1.0 - FRESH) * share
