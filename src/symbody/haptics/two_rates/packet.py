"""The packets between a slow world and a fast local model (packet.h), of fixed size in each direction.

World → local model: constraints near the tool, contact parameters, the tool's mass matrix and weight; back: the proxy.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from symbody.codegen.mirror import Mirror
from symbody.errors import ModelError
from symbody.haptics.structures import HAND, NV, integers, reals

Array = NDArray[np.float64]
MAGIC, VERSION, CONSTRAINTS = 0x53594D42, 1, 64
FIXED = -1  # bodies with a negative number cannot move
KINDS = ("plane", "sphere", "cylinder")
REASONS = ("taken", "size", "version", "count", "numbers", "mass", "stale")  # results of a packet, as in local_model.h


class ConstraintOf(Mirror):
    """constraint_t: a surface of the environment near the tool."""

    c_type = "constraint_t"
    _fields_ = (
        *integers("a b kind"),
        *reals("point normal axis", 3),
        *reals("radius"),
        *reals("tool", 3),
        *reals("tool_radius s v mu_s mu_k"),
    )


class WorldPacket(Mirror):
    """packet_t: the result of a world step for the local model."""

    c_type = "packet_t"
    _fields_ = (
        *integers("magic version sequence count nq nv"),
        *reals("t stiffness damping restitution"),
        *reals("D", NV * NV),
        *reals("G", NV),
        *reals("held", HAND * HAND),
        ("constraints", ConstraintOf * CONSTRAINTS),
        *reals("paid"),
    )


class ProxyPacket(Mirror):
    """proxy_packet_t: the pose of the proxy, and the last packet that was accepted."""

    c_type = "proxy_packet_t"
    _fields_ = (*integers("magic version sequence acknowledged nq nv"), *reals("t"), *reals("q v", NV), *reals("paid"))


@dataclass(frozen=True)
class LocalConstraint:
    """A surface of the environment near the tool, in the world frame.

    Parameters
    ----------
    point : sequence of float
        c_p on the surface (m).
    normal : sequence of float
        Unit normal, from environment to tool.
    tool : sequence of float
        Point p of the tool in the frame of its link (m); with `tool_radius` the centre of a rounding.
    s : float
        Separation in the world (m); negative: penetration.
    link : int
        Number of the tool's link. Default 0.
    body : int
        Number of the body in the environment; `FIXED` or below: it cannot move. Default `FIXED`.
    kind : str
        "plane", "sphere" or "cylinder". Default "plane".
    axis : sequence of float
        Direction of a cylinder. Default (0, 0, 1).
    radius : float
        Of a round surface (m), whose centre is point − radius·normal; negative: hollow. Default 0.
    tool_radius : float
        Rounding of the tool (m). Default 0.
    velocity : float
        v_constr along the normal (m/s). Default 0.
    mu_s, mu_k : float
        Coefficients of static and kinetic friction. Default 0.
    """

    point: Sequence[float]
    normal: Sequence[float]
    tool: Sequence[float]
    s: float
    link: int = 0
    body: int = FIXED
    kind: str = "plane"
    axis: Sequence[float] = (0.0, 0.0, 1.0)
    radius: float = 0.0
    tool_radius: float = 0.0
    velocity: float = 0.0
    mu_s: float = 0.0
    mu_k: float = 0.0

    def structure(self) -> ConstraintOf:
        """As in packets."""
        made = ConstraintOf(self.link, self.body, KINDS.index(self.kind))
        for name in ("point", "normal", "axis", "tool"):
            getattr(made, name)[:] = [float(x) for x in getattr(self, name)]
        made.radius, made.tool_radius, made.s, made.v = self.radius, self.tool_radius, self.s, self.velocity
        made.mu_s, made.mu_k = self.mu_s, self.mu_k
        return made


@dataclass(frozen=True)
class ToolDynamics:
    """The tool at its pose in the world: mass matrix D (nv, nv), weight G (nv), inertia of the held link."""

    D: Array
    G: Array
    nq: int
    held: Array = field(default_factory=lambda: np.zeros((0, 0)))  # at the hand, (nh, nh)


@dataclass(frozen=True)
class WorldStep:
    """Result of a world step: surfaces near the tool, the tool, its work on bodies, and the energy that they gained.

    The rest of the work is stored or dissipated in contacts.
    """

    constraints: Sequence[LocalConstraint]
    tool: ToolDynamics
    work: float = 0.0  # J
    gained: float = 0.0  # J


def world_packet(
    sequence: int,
    t: float,
    constraints: Sequence[LocalConstraint],
    tool: ToolDynamics,
    stiffness: float,
    damping: float,
    restitution: float = 0.0,
) -> WorldPacket:
    """A packet; if there are too many constraints, the nearest ones."""
    if tool.D.shape != (len(tool.G), len(tool.G)) or not 0 < len(tool.G) <= NV:
        raise ModelError(
            f"D of shape {tool.D.shape} and G of {len(tool.G)}", cure=f"give (nv, nv) and nv, at most {NV}"
        )
    nearest = sorted(constraints, key=lambda one: one.s)[:CONSTRAINTS]
    made = WorldPacket(MAGIC, VERSION, sequence, len(nearest), tool.nq, len(tool.G), t, stiffness, damping, restitution)
    made.D[: tool.D.size], made.G[: len(tool.G)] = list(tool.D.ravel()), list(tool.G)
    made.held[: tool.held.size] = list(tool.held.ravel())
    for k, one in enumerate(nearest):
        made.constraints[k] = one.structure()
    return made


def proxy_packet(sequence: int, acknowledged: int, t: float, q: Array, v: Array) -> ProxyPacket:
    """A packet with the pose of the proxy."""
    made = ProxyPacket(MAGIC, VERSION, sequence, acknowledged, len(q), len(v), t)
    made.q[: len(q)], made.v[: len(v)] = list(q), list(v)
    return made
