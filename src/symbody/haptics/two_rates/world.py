"""The interface of a world behind a local model: any engine that can place a tool and find the surfaces near it.

A world makes steps of 1/60 to 1/30 s. In a step its tool moves to the last known pose of the proxy, other bodies move
by the engine's own laws, and surfaces within reach of the tool become constraints of the local model.
"""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np

from symbody.haptics.two_rates.packet import Array, WorldStep


class World(Protocol):
    """An engine as a world.

    q of the tool: (x, y, angle), or (x, y, z, quaternion), at its centre of mass; for a linkage its coordinates.
    """

    def tool_pose(self) -> Array:
        """q of the tool now."""
        ...

    def advance(self, q: Array, dt: float) -> WorldStep:
        """Move the tool to q within dt (s) at constant velocity, whatever is in its way; other bodies move freely."""
        ...

    def place(self, q: Array) -> WorldStep:
        """Put the tool at q, at rest; nothing else moves. Returns the surfaces near it."""
        ...

    def kept(self) -> Any:
        """A copy of everything that a step changes."""
        ...

    def restore(self, kept: Any) -> None:
        """Return to a copy: undo a step."""
        ...


def between(a: Array, b: Array, share: float, nv: int) -> Array:
    """A pose between a and b: coordinates linearly, a quaternion (q is longer than v) along its arc."""
    q = np.asarray(a + share * (b - a))
    if len(a) != nv:
        near = b[3:] if a[3:] @ b[3:] >= 0.0 else -b[3:]
        angle = float(np.arccos(np.clip(a[3:] @ near, -1.0, 1.0)))
        weights = 1.0 - share, share
        if angle > 1e-6:
            weights = np.sin((1.0 - share) * angle) / np.sin(angle), np.sin(share * angle) / np.sin(angle)
        q[3:] = weights[0] * a[3:] + weights[1] * near
        q[3:] /= np.linalg.norm(q[3:])
    return q


def velocity_between(a: Array, b: Array, dt: float, nv: int) -> Array:
    """The constant velocity (and angular velocity, on world axes) from a to b in dt (s)."""
    if len(a) == nv:
        return np.asarray((b - a) / dt)
    (w, u), (w0, u0) = (b[3], b[4:]), (a[3], a[4:])
    scalar, turn = w * w0 + u @ u0, w0 * u - w * u0 - np.cross(u, u0)  # b ∘ conj(a)
    if scalar < 0.0:
        scalar, turn = -scalar, -turn
    size = float(np.linalg.norm(turn))
    rotation = turn * (2.0 * np.arctan2(size, scalar) / size if size > 1e-12 else 2.0)
    return np.concatenate([b[:3] - a[:3], rotation]) / dt
