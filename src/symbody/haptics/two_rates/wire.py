"""Packets of the two rates as values of frames (links/packet.py), without unused room, and back.

A packet in memory has a fixed size (packet.h). A frame contains only the numbers in use:

| values | of the world |
|---|---|
| 10 | sequence, nq, nv, nh, count, t (s), K (N/m), B (N s/m), e, energy paid (J) |
| nv², nv, nh² | mass matrix and weight of the tool, inertia of the held link (nh = 0: not sent) |
| 21 × count | constraints, field by field |

The proxy answers with sequence, acknowledged, nq, nv, t, energy paid, q, v. Malformed frames are `Rejected`.
"""

from __future__ import annotations

import ctypes

import numpy as np

from symbody.haptics.structures import HAND, NV
from symbody.haptics.two_rates.packet import CONSTRAINTS, MAGIC, VERSION, Array, ConstraintOf, ProxyPacket, WorldPacket
from symbody.links.rejected import Rejected

WORLD, PROXY = f"world {VERSION}", f"proxy {VERSION}"  # names of the values in each direction, with the version
WORLD_HEAD, PROXY_HEAD = 10, 6
WIDTH, WHOLE = ctypes.sizeof(ConstraintOf) // 8, 3  # numbers of a constraint; the first ones are integers


def world_values(packet: WorldPacket) -> Array:
    """A packet of the world as numbers."""
    nv, nh = int(packet.nv), held_size(packet)
    head = [packet.sequence, packet.nq, nv, nh, packet.count, packet.t]
    head += [packet.stiffness, packet.damping, packet.restitution, packet.paid]
    words = np.frombuffer(packet.constraints, np.int64).reshape(-1, WIDTH)[: packet.count]
    rows = np.hstack([words[:, :WHOLE].astype(float), words[:, WHOLE:].copy().view(float)])
    return np.concatenate([
        np.array(head, dtype=float), packet.D[: nv * nv], packet.G[:nv], packet.held[: nh * nh], rows.ravel()
    ])  # fmt: skip


def world_of(values: Array) -> WorldPacket:
    """A packet of the world from received numbers."""
    _check_size(len(values) >= WORLD_HEAD)
    sequence, nq, nv, nh, count = _whole(values[:5])
    if not (0 < nv <= NV and nv <= nq <= NV and nh in (0, 3, HAND) and 0 <= count <= CONSTRAINTS):
        raise Rejected("count")
    ends = np.cumsum([WORLD_HEAD, nv * nv, nv, nh * nh, WIDTH * count])
    _check_size(len(values) == ends[-1])
    t, stiffness, damping, restitution, paid = (float(x) for x in values[5:WORLD_HEAD])
    made = WorldPacket(MAGIC, VERSION, sequence, count, nq, nv, t, stiffness, damping, restitution)
    made.paid = paid
    made.D[: nv * nv], made.G[:nv] = values[ends[0] : ends[1]].tolist(), values[ends[1] : ends[2]].tolist()
    made.held[: nh * nh] = values[ends[2] : ends[3]].tolist()
    rows = values[ends[3] :].reshape(count, WIDTH)
    words = np.empty((count, WIDTH), np.int64)
    words[:, :WHOLE] = np.array(_whole(rows[:, :WHOLE].ravel()), np.int64).reshape(count, WHOLE)
    words[:, WHOLE:] = np.ascontiguousarray(rows[:, WHOLE:]).view(np.int64)
    ctypes.memmove(made.constraints, words.tobytes(), words.nbytes)
    return made


def proxy_values(packet: ProxyPacket) -> Array:
    """A packet of the proxy as numbers."""
    head = [packet.sequence, packet.acknowledged, packet.nq, packet.nv, packet.t, packet.paid]
    return np.array([*head, *packet.q[: packet.nq], *packet.v[: packet.nv]], dtype=float)


def proxy_of(values: Array) -> ProxyPacket:
    """A packet of the proxy from received numbers."""
    _check_size(len(values) >= PROXY_HEAD)
    sequence, acknowledged, nq, nv = _whole(values[:4])
    if not 0 < nv <= nq <= NV:
        raise Rejected("count")
    _check_size(len(values) == PROXY_HEAD + nq + nv)
    made = ProxyPacket(MAGIC, VERSION, sequence, acknowledged, nq, nv, float(values[4]))
    made.paid = float(values[5])
    made.q[:nq], made.v[:nv] = values[PROXY_HEAD : PROXY_HEAD + nq].tolist(), values[PROXY_HEAD + nq :].tolist()
    return made


def held_size(packet: WorldPacket) -> int:
    """Rows of the held link's inertia; 0: not sent."""
    held = np.flatnonzero(np.frombuffer(packet.held))
    return 0 if not len(held) else 3 if held[-1] < 9 else HAND


def _check_size(fits: bool) -> None:
    if not fits:
        raise Rejected("size")


def _whole(values: Array) -> list[int]:
    """Integers; raises `Rejected` if a received number is not an integer."""
    if not (np.isfinite(values).all() and np.all(np.abs(values) < 2.0**53) and np.all(values == np.round(values))):
        raise Rejected("whole numbers")
    return [int(x) for x in values]
