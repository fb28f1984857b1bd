"""Strings of beads that show a local model: its surfaces with normals, and merged contacts of the world."""

from __future__ import annotations

import numpy as np

from symbody.haptics.force_beads import FRONT
from symbody.haptics.shapes import Array
from symbody.haptics.two_rates.local_model import LocalModel
from symbody.haptics.two_rates.packet import CONSTRAINTS
from symbody.haptics.two_rates.scene_world import SceneWorld

ACROSS, ALONG = 15, 3  # beads of a surface, and of its normal
HALF, NORMAL = 0.009, 0.0045  # m: half length of a drawn surface, and length of its normal
SURFACE_BEADS = (ACROSS + ALONG) * CONSTRAINTS
MOST_MARKS = 2 * CONSTRAINTS
IN_FRONT = np.array([0.0, 0.0, FRONT])  # m


class SurfaceBeads:
    """Present surfaces of a planar local model: a string along each, and a short one along its normal (m)."""

    def __init__(self, local: LocalModel):
        self._local = local

    def __call__(self) -> Array:
        made = [np.zeros((0, 3))]
        for one in self._local.c.surfaces[: self._local.c.count]:
            point, n = np.array(one.now.point), np.array(one.now.normal)
            if not np.isfinite([*point, *n]).all():
                continue
            middle, along = point + IN_FRONT, np.array([-n[1], n[0], 0.0])
            made.append(middle + np.linspace(-HALF, HALF, ACROSS)[:, np.newaxis] * along)
            made.append(middle + np.linspace(NORMAL / ALONG, NORMAL, ALONG)[:, np.newaxis] * n)
        return np.concatenate(made)


class ClusterMarks:
    """Positions of contacts that the world merged into one (m)."""

    def __init__(self, world: SceneWorld):
        self._world = world

    def __call__(self) -> Array:
        members = [one.point for cluster in self._world.clusters if len(cluster) > 1 for one in cluster]
        return np.array(members[:MOST_MARKS], dtype=float).reshape(-1, 3) + 1.1 * IN_FRONT
