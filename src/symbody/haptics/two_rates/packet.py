"""The packets between a slow world and a fast local model (packet.h): one of one size each way.

World → local model: constraints near the tool, contact numbers, the tool's mass matrix and weight; back: the proxy.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from symbody.errors import ModelError
from symbody.haptics.structures import HAND, NV, integers, reals

Array = NDArray[np.float64]
MAGIC, VERSION, CONSTRAINTS = 0x53594D42, 1, 64
FIXED = -1  # of bodies: those below zero are not moved by anything
KINDS = ("plane", "sphere", "cylinder")
REASONS = ("taken", "size", "version", "count", "numbers", "mass", "stale")  # what became of a packet, as local_model.h


class ConstraintOf(ctypes.Structure):
    """constraint_t: a surface of the environment near the tool."""

    _fields_ = (
        *integers("a b kind"),
        *reals("point normal axis", 3),
        *reals("radius"),
        *reals("tool", 3),
        *reals("tool_radius s v mu_s mu_k"),
    )


class WorldPacket(ctypes.Structure):
    """packet_t: what a world step tells the local model."""

    _fields_ = (
        *integers("magic version sequence count nq nv"),
        *reals("t stiffness damping restitution"),
        *reals("D", NV * NV),
        *reals("G", NV),
        *reals("held", HAND * HAND),
        ("constraints", ConstraintOf * CONSTRAINTS),
        *reals("paid"),
    )


class ProxyPacket(ctypes.Structure):
    """proxy_packet_t: where the proxy is, and the last packet that was taken."""

    _fields_ = (*integers("magic version sequence acknowledged nq nv"), *reals("t"), *reals("q v", NV), *reals("paid"))


@dataclass(frozen=True)
class LocalConstraint:
    """A surface of the environment near the tool, in world axes.

    kind: "plane", "sphere" or "cylinder"; the centre of a round one is point − radius·normal (radius < 0: hollow).
    tool: the tool's point on the axes of its link (m); with tool_radius the middle of a rounding of the tool.
    """

    point: Sequence[float]  # c_p: m
    normal: Sequence[float]  # from environment to tool
    tool: Sequence[float]  # p: m
    s: float  # m, where the world saw it; below zero: penetration
    link: int = 0  # of the tool
    body: int = FIXED  # of the environment; FIXED or below: it cannot move
    kind: str = "plane"
    axis: Sequence[float] = (0.0, 0.0, 1.0)
    radius: float = 0.0  # m
    tool_radius: float = 0.0  # m
    velocity: float = 0.0  # v_constr: m/s along the normal
    mu_s: float = 0.0
    mu_k: float = 0.0

    def structure(self) -> ConstraintOf:
        """As packets have it."""
        made = ConstraintOf(self.link, self.body, KINDS.index(self.kind))
        for name in ("point", "normal", "axis", "tool"):
            getattr(made, name)[:] = [float(x) for x in getattr(self, name)]
        made.radius, made.tool_radius, made.s, made.v = self.radius, self.tool_radius, self.s, self.velocity
        made.mu_s, made.mu_k = self.mu_s, self.mu_k
        return made


@dataclass(frozen=True)
class ToolDynamics:
    """The tool as it is where the world saw it: mass matrix D (nv, nv), weight G (nv), inertia of the held link."""

    D: Array
    G: Array
    nq: int
    held: Array = field(default_factory=lambda: np.zeros((0, 0)))  # at the hand, (nh, nh)


@dataclass(frozen=True)
class WorldStep:
    """After a step of a world: surfaces near the tool, the tool, its work on bodies, and what they have of it.

    The rest of the work is stored in contacts, or lost there.
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
    """A packet; of more constraints than have room, the nearest."""
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
    """Where the proxy is."""
    made = ProxyPacket(MAGIC, VERSION, sequence, acknowledged, len(q), len(v), t)
    made.q[: len(q)], made.v[: len(v)] = list(q), list(v)
    return made


def world_from(data: bytes) -> WorldPacket | None:
    """A packet of the world from what came over a line, or None; its numbers are judged when it is taken."""
    if len(data) != ctypes.sizeof(WorldPacket):
        return None
    made = WorldPacket.from_buffer_copy(data)
    return made if (made.magic, made.version) == (MAGIC, VERSION) and 0 <= made.count <= CONSTRAINTS else None


def proxy_from(data: bytes) -> ProxyPacket | None:
    """A packet of the local model from what came over a line; None where it is none, or has what is no number."""
    if len(data) != ctypes.sizeof(ProxyPacket):
        return None
    made = ProxyPacket.from_buffer_copy(data)
    known = (made.magic, made.version) == (MAGIC, VERSION) and 0 < made.nq <= NV and 0 < made.nv <= NV
    return made if known and np.isfinite([made.t, *made.q, *made.v]).all() else None
