"""Springs wound for their length at the start: round wire, and turns that suit a coil so slender."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from symbody.visual.motion import BodyMotion
from symbody.visual.primitives import coil
from symbody.visual.scene import COIL, Scene

FEWEST, MOST = 4, 14  # turns
PITCH = 0.9  # radii between two turns, at the length of the start
WIRE = 0.16  # radius of the wire, as a share of the radius of the coil


def wound(scene: Scene, start: BodyMotion) -> Scene:
    """The scene with each coil as a mesh that suits its length at the start of a motion."""
    P, R = start.position[0], start.rotation[0]
    for k, span in enumerate(scene.spans):
        if span.mesh != COIL:
            continue
        a, b = (P[frame] + R[frame] @ end for frame, end in zip(span.frames, span.ends, strict=True))
        slender = max(float(np.linalg.norm(b - a)) / span.radius, 1.0)
        turns, rounded = int(np.clip(round(slender / PITCH), FEWEST, MOST)), float(f"{slender:.2g}")
        name = f"{COIL} {turns} {rounded:g}"
        scene.meshes.setdefault(name, coil(turns, WIRE, rounded))
        scene.spans[k] = replace(span, mesh=name)
    return scene
