"""Forces of contacts to be seen: strings of beads from where they act."""

from __future__ import annotations

import numpy as np

from symbody.haptics.scene import HapticScene
from symbody.haptics.shapes import Array

BEADS, ARROWS = 12, 8  # of an arrow; arrows at once
LONG = 0.03  # m: an arrow of 10 N; longer ones grow with the logarithm
FRONT = 0.012  # m, before the bodies of a planar scene


class ForceBeads:
    """Points of the strings as they are now, (n, 3) in m."""

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
