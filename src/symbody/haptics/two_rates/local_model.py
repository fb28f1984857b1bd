"""A local model: the fast half of a slow world. A proxy of the tool touches surfaces from the world's packets.

local = LocalModel(peg, rate=512.0)
local.update(packet)                # between two ticks; returns one of packet.REASONS
log = local.run(0.03, push=(0.5, 0.0, 0.0))
local.acknowledgement()             # to the world: the pose of the proxy
"""

from __future__ import annotations

import ctypes
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np

from symbody.codegen.mirror import Mirror
from symbody.codegen.native import runtime_library
from symbody.errors import ModelError
from symbody.haptics.device import HapticDevice, HapticHand
from symbody.haptics.objects import HapticBody, Linkage
from symbody.haptics.scene import HapticScene, Log, Push
from symbody.haptics.settings import Controller, Rendering
from symbody.haptics.shapes import Shape
from symbody.haptics.structures import HAND, NV, RECORD, SceneOf, integers, reals
from symbody.haptics.two_rates.packet import (
    CONSTRAINTS,
    KINDS,
    REASONS,
    Array,
    ConstraintOf,
    LocalConstraint,
    ProxyPacket,
    ToolDynamics,
    WorldPacket,
    proxy_packet,
)
from symbody.haptics.two_rates.packet_use import PacketUse
from symbody.haptics.two_rates.port import Port, PortOf

STEPS_KEPT = 5  # periods of the world in the mean
COUNTED = ("skipped", "bounded", "added", "matched", "removed", "deformed")  # constraints


class SurfaceOf(Mirror):
    """surface_t: the present state of a constraint."""

    c_type = "surface_t"
    _fields_ = (
        ("now", ConstraintOf),
        *reals("origin along", 3),
        *reals("share"),
        *integers("key deformed"),
        *reals("moving yielding"),
    )


class FullRankOf(Mirror):
    """full_rank_t: J = U S Vᵀ of the hold."""

    c_type = "full_rank_t"
    _fields_ = (*integers("m n rank"), *reals("Ut", HAND * HAND), *reals("S", HAND), *reals("Vt", HAND * NV))


class LocalOf(Mirror):
    """struct local: the data of a local model besides the scene of its proxy."""

    c_type = "local_t"
    _fields_ = (
        *integers("intermediate kinematic exact frozen_hold reported whole contact controller"),
        ("seen", ctypes.c_void_p),
        *reals("interpolation deformation v_max w_max theta_max deepest fastest stiffest most_damping restart firm"),
        *integers("count keys sequence frozen silent nperiods"),
        *reals("t"),
        *reals("periods", STEPS_KEPT),
        *reals("least most", NV),
        *reals("D", NV * NV),
        *reals("G", NV),
        *reals("held", HAND * HAND),
        ("factors", FullRankOf),
        *integers("factored"),
        ("surfaces", SurfaceOf * CONSTRAINTS),
        ("reasons", ctypes.c_int64 * len(REASONS)),
        *integers(" ".join(COUNTED)),
        ("port", PortOf),
    )


MIRRORED = (SceneOf, WorldPacket, ProxyPacket, LocalOf)


def local_library() -> Any:
    """The C library for packets and for surfaces near a tool."""
    return _declared(runtime_library("local.c", *MIRRORED, package="symbody.haptics.tick"))


@cache
def _declared(made: Any) -> Any:
    """A build with the types of its functions."""
    pointer = ctypes.c_void_p
    made.local_take.restype, made.local_take.argtypes = ctypes.c_int64, [pointer] * 2
    made.local_post.restype, made.local_post.argtypes = None, [pointer] * 2
    made.local_proxy.restype, made.local_proxy.argtypes = ctypes.c_int, [pointer] * 2
    made.local_separations.restype, made.local_separations.argtypes = None, [pointer] * 3
    made.local_know.restype, made.local_know.argtypes = None, [pointer]
    made.object_dynamics.restype, made.object_dynamics.argtypes = None, [pointer, ctypes.c_int64, pointer, pointer]
    made.world_near.restype = ctypes.c_int64
    made.world_near.argtypes = [pointer, ctypes.c_int64, ctypes.c_double, pointer]
    made.world_move.restype = None
    made.world_move.argtypes = [pointer, ctypes.c_int64, pointer, ctypes.c_int64, pointer]
    return made


def tool_dynamics(scene: HapticScene, place: int = 0) -> ToolDynamics:
    """Mass matrix and weight of an object of a scene at its present position."""
    made = scene.c.objects[place]
    D, G = np.zeros((made.nv, made.nv)), np.zeros(made.nv)
    local_library().object_dynamics(ctypes.byref(scene.c), place, D.ctypes.data, G.ctypes.data)
    return ToolDynamics(D, G, int(made.nq))


class LocalModel:
    """The proxy of a tool between surfaces; `scene` is its scene, for the loop, logs and recordings.

    Parameters
    ----------
    tool : HapticBody or Linkage
        The tool.
    hold : str, optional
        Its name, or "LINKAGE.LINK".
    at, rate, rendering, device, hand, gravity
        As in `HapticScene`.
    packets : PacketUse, optional
        How the packets of the world are used.
    port : Port, optional
        Energy and silence of the link to the world.
    others, walls : optional
        The rest of the scene, used if the whole scene is rendered instead (`steps.STANDING`).
    """

    def __init__(
        self,
        tool: HapticBody | Linkage,
        hold: str | None = None,
        *,
        at: Sequence[float] | None = None,
        rate: float = 512.0,
        rendering: Rendering | None = None,
        device: HapticDevice | None = None,
        hand: HapticHand | None = None,
        gravity: Sequence[float] = (0.0, 0.0, 0.0),
        packets: PacketUse | None = None,
        port: Port | None = None,
        others: Sequence[HapticBody | Linkage] = (),
        walls: Mapping[str, Shape] | None = None,
    ):
        rendering, packets = rendering or Rendering(), packets or PacketUse()
        if packets.intermediate:
            rendering = intermediate_rendering(rendering)
        self.scene = HapticScene(
            [tool, *others],
            walls,
            tool=hold or tool.name,
            at=at,
            rate=rate,
            rendering=rendering,
            device=device,
            hand=hand,
            gravity=gravity,
        )
        self.c = LocalOf(firm=1.0)
        for name, value in packets.numbers().items():
            setattr(self.c, name, value)
        self.c.port = (port or Port()).structure()
        self.c.contact, self.c.controller = self.scene.c.settings.contact, self.scene.c.settings.controller
        self.c.factored = -1
        self._first = bytes(self.c)
        self._sent = 0
        self.kept: object = None  # owner of memory that C points to
        self._seen: Array | None = None
        self.scene.c.local = ctypes.addressof(self.c)
        local_library().local_know(ctypes.byref(self.scene.c))

    def use(self, rendering: Rendering) -> None:
        """Use another rendering; stiffness, damping and restitution then come from the next packet."""
        self.scene.use(intermediate_rendering(rendering) if self.c.intermediate else rendering)
        self.c.contact, self.c.controller = self.scene.c.settings.contact, self.scene.c.settings.controller

    # -- packets -----------------------------------------------------------------------------------------------------

    def update(self, packet: WorldPacket) -> str:
        """Process a packet of the world between two ticks; return "taken", or the reason of its rejection."""
        return REASONS[local_library().local_take(ctypes.byref(self.scene.c), ctypes.byref(packet))]

    def follow(self, seen: Array) -> None:
        """Let the other objects follow a world: an array that it fills with q and v of all objects."""
        size = int(self.scene.c.nq + self.scene.c.nv)
        if seen.shape != (size,) or seen.dtype != np.float64 or not seen.flags.c_contiguous:
            raise ModelError(
                f"an array of shape {seen.shape}", element="world", cure=f"give {size} doubles: q and v of all objects"
            )
        self._seen, self.c.seen = seen, seen.ctypes.data

    def acknowledgement(self) -> ProxyPacket:
        """To the world: the pose of the proxy, and the last packet that was accepted."""
        self._sent += 1
        made = proxy_packet(self._sent, int(self.c.sequence), self.t, self.tool_q, self.tool_v)
        made.paid = self.c.port.paid
        return made

    @property
    def tool_q(self) -> Array:
        """Coordinates of the proxy."""
        made = self.scene.c.objects[self.scene.c.held]
        return self.scene.q[made.q : made.q + made.nq]

    @property
    def tool_v(self) -> Array:
        """Velocities of the proxy."""
        made = self.scene.c.objects[self.scene.c.held]
        return self.scene.v[made.v : made.v + made.nv]

    # -- ticks -------------------------------------------------------------------------------------------------------

    @property
    def t(self) -> float:
        """Time of the ticks (s)."""
        return float(self.scene.c.memory.ticks * self.scene.dt)

    def tick(self, push: Push | None = None, pose: Push | None = None) -> Log:
        """One tick; returns its record, a log of one row."""
        log = np.zeros(1, dtype=RECORD)
        self.scene.advance(self.scene.inputs(1, push, pose), log)
        return log

    def run(self, seconds: float, push: Push | None = None, pose: Push | None = None, *, strict: bool = True) -> Log:
        """Ticks between two packets; returns a record of each."""
        return self.scene.run(seconds, push, pose, strict=strict)

    def reset(self) -> None:
        """Return to the initial state."""
        self.scene.reset()
        mail, seen = (self.c.port.packets, self.c.port.proxies), self.c.seen
        used = self.c.contact, self.c.controller
        ctypes.memmove(ctypes.byref(self.c), self._first, len(self._first))
        (self.c.port.packets, self.c.port.proxies), self.c.seen = mail, seen
        self.c.contact, self.c.controller = used
        self._sent = 0
        local_library().local_know(ctypes.byref(self.scene.c))

    # -- state -------------------------------------------------------------------------------------------------------

    @property
    def constraints(self) -> list[LocalConstraint]:
        """The present surfaces: s is the separation of the proxy, tool its point there."""
        n = int(self.c.count)
        apart, normals = np.zeros(CONSTRAINTS), np.zeros((CONSTRAINTS, 3))
        local_library().local_separations(ctypes.byref(self.scene.c), apart.ctypes.data, normals.ctypes.data)
        return [constraint_from(one.now, float(s)) for one, s in zip(self.c.surfaces[:n], apart[:n], strict=True)]

    @property
    def separations(self) -> Array:
        """Separations of the proxy from all surfaces (m)."""
        return np.array([one.s for one in self.constraints])

    @property
    def counts(self) -> dict[str, int]:
        """Counters of packets by result, of constraints, and of ticks."""
        packets = {reason: int(self.c.reasons[k]) for k, reason in enumerate(REASONS)}
        ticks = {f"ticks_{name}": n for name, n in self.scene.counts.items()}
        return {**packets, **{name: int(getattr(self.c, name)) for name in COUNTED}, **ticks}


def constraint_from(c: ConstraintOf, s: float | None = None) -> LocalConstraint:
    """A constraint of C as a Python object; s: another separation (m)."""
    return LocalConstraint(
        tuple(c.point), tuple(c.normal), tuple(c.tool), c.s if s is None else s, c.a, c.b, KINDS[c.kind],
        tuple(c.axis), c.radius, c.tool_radius, c.v, c.mu_s, c.mu_k,
    )  # fmt: skip


def intermediate_rendering(rendering: Rendering) -> Rendering:
    """Springs only, with the tool at the device."""
    contact = replace(rendering.contact, model="penalty")
    return replace(rendering, contact=contact, controller=Controller("direct", shaping=rendering.controller.shaping))
