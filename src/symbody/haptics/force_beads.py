"""Contact forces as strings of beads, drawn from their points of action."""

from __future__ import annotations

import numpy as np

from symbody.haptics.scene import HapticScene
from symbody.haptics.shapes import Array

BEADS, ARROWS = 12, 8  # beads per arrow; arrows at once
LONG = 0.03  # m: length of an arrow for 10 N; the length grows with the logarithm of the force
FRONT = 0.012  # m, in front of the bodies of a planar scene


class ForceBeads:
    """Present positions of the beads, (n, 3) in m."""

    def __init__(self, scene: HapticScene):
        self._scene = scene

    def __call__(self) -> Array:
        made = []
        for contact in self._scene.contacts()[:ARROWS]:
            size = float(np.linalg.norm(contact.force))
            if not 1e-3 < size < 1e6:
                continue
            way = contact.force / size * LONG * np.log1p(size) / np.log1p(10.0)
            start = contact.point + np.array([0.0, 0.0, FRONT])
            made.append(start + np.linspace(0.0, 1.0, BEADS)[:, np.newaxis] * way)
        return np.concatenate(made) if made else np.zeros((0, 3))
