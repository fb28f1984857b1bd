"""Round surfaces in a world with faceted shapes: constraints with their curvature for the local model.

n = (x − C)/|x − C|, s = |x − C| − r − ρ; x is the centre of a round tool of radius ρ, or the nearest point of another.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from symbody.errors import ModelError
from symbody.haptics.two_rates.packet import Array, LocalConstraint


@dataclass(frozen=True)
class Round:
    """A sphere, or a cylinder if it has an axis, in the frame of the ground or of the tool.

    Parameters
    ----------
    centre : sequence of float
        m.
    radius : float
        m.
    axis : sequence of float, optional
        Direction of a cylinder. None: a sphere.
    curved : bool
        Whether it is sent with its curvature, otherwise as its tangent plane. Default True.
    """

    centre: Sequence[float]
    radius: float
    axis: Sequence[float] | None = None
    curved: bool = True

    def __post_init__(self) -> None:
        if not (len(self.centre) == 3 and np.isfinite(self.centre).all() and 0.0 < self.radius < np.inf):
            raise ModelError(
                f"a round shape of radius {self.radius}", cure="give three finite numbers, and a radius above zero"
            )


@dataclass(frozen=True)
class ToolPose:
    """The pose of the tool's link: position (m) and rotation to world axes."""

    position: Array
    rotation: Array

    @classmethod
    def of(cls, q: Array) -> ToolPose:
        """From (x, y, angle), or (x, y, z, quaternion)."""
        if len(q) == 3:
            c, s = np.cos(q[2]), np.sin(q[2])
            return cls(np.array([q[0], q[1], 0.0]), np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]]))
        w, u = q[3], q[4:7]
        cross = np.array([[0.0, -u[2], u[1]], [u[2], 0.0, -u[0]], [-u[1], u[0], 0.0]])
        return cls(np.array(q[:3]), (w * w - u @ u) * np.eye(3) + 2.0 * np.outer(u, u) + 2.0 * w * cross)

    def outside(self, x: Sequence[float] | Array) -> Array:
        """A point of the tool in world axes."""
        return np.asarray(self.position + self.rotation @ np.asarray(x, dtype=float))

    def inside(self, x: Array) -> tuple[float, ...]:
        """A point of the world on the axes of the tool."""
        return tuple(self.rotation.T @ (x - self.position))


def rounded(
    found: Sequence[LocalConstraint], rounds: Mapping[int, Round], q: Array, tool: Round | None
) -> list[LocalConstraint]:
    """Constraints with round surfaces instead of facets: one per round body, or per face under a round tool."""
    pose = ToolPose.of(q)
    middle = None if tool is None else pose.outside(tool.centre)
    kept: dict[tuple[int, tuple[float, ...]], LocalConstraint] = {}
    for one in sorted(found, key=lambda c: c.s):
        surface = rounds.get(one.body)
        if surface is None and tool is None:
            kept[one.body, (*one.point, *one.normal)] = one
            continue
        x = np.add(one.point, one.s * np.array(one.normal)) if middle is None else middle
        face = () if surface else tuple(np.round(one.normal, 6))
        kept.setdefault((one.body, face), _touching(one, surface, x, pose, tool))
    return list(kept.values())


def _touching(
    one: LocalConstraint, surface: Round | None, x: Array, pose: ToolPose, tool: Round | None
) -> LocalConstraint:
    """A constraint at the point x of the tool, or at the centre x of a round tool."""
    n, rho = np.array(one.normal), tool.radius if tool else 0.0
    point = x - float(n @ (x - np.array(one.point))) * n
    if surface:
        d = x - np.array(surface.centre)
        if surface.axis is not None:
            d = d - float(d @ np.array(surface.axis)) * np.array(surface.axis)
        size = float(np.linalg.norm(d))
        n = d / size if size > 0.0 else n
        point = x - (size - surface.radius) * n
    s = float(n @ (x - point)) - rho
    curved = (surface or tool or Round((0, 0, 0), 1.0)).curved
    if not curved:
        return replace(one, point=tuple(point), normal=tuple(n), s=s, tool=pose.inside(x - rho * n))
    made = replace(one, point=tuple(point), normal=tuple(n), s=s, tool=pose.inside(x), tool_radius=rho)
    if surface is None:
        return made
    kind = "sphere" if surface.axis is None else "cylinder"
    return replace(made, kind=kind, radius=surface.radius, axis=tuple(surface.axis or made.axis))
