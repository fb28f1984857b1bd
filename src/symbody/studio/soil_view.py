"""Deformable ground in the studio: its surface and its particles, read while the loop runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from symbody.studio.machine import ChangingSurface, Particles
from symbody.visual.scene import Cloud, HeightField

if TYPE_CHECKING:
    from symbody.terrain.soil.terrain import Terrain

SAND, LOOSE = "#a98f63", "#c8ac74"


def soil_view(ground: Terrain, colour: str = SAND, loose: str = LOOSE) -> tuple[ChangingSurface, Particles]:
    """The surface and the particles of a terrain: `Machine(terrains=[surface], particles=[particles], …)`.

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
    cloud = Cloud(0, max(ground.capacity, 1), ground.particle_radius, loose)
    return ChangingSurface(field, lambda: ground.heights), Particles(cloud, lambda: ground.particles)
