"""The tree of bodies: which body carries which, and where each joint's coordinates are."""

from __future__ import annotations

from symbody.model.body import QUATERNION, Body
from symbody.model.model import Model


def carrier(on: str) -> str:
    """Name of the body that a point's path belongs to."""
    return on.rpartition(".")[0] or on


def parents_first(bodies: dict[str, Body]) -> dict[str, Body]:
    """The same bodies, each after its carrier; the order changes only where needed."""
    ordered: dict[str, Body] = {}
    for name in bodies:
        chain = []
        seen = set()
        while name in bodies and name not in ordered and name not in seen:
            chain.append(name)
            seen.add(name)
            name = carrier(bodies[name].on)
        for link in reversed(chain):
            ordered[link] = bodies[link]
    return ordered


def own_coordinates(model: Model) -> list[int]:
    """For each degree of freedom the index of its own coordinate in q; −1 for rotations of a quaternion."""
    found: list[int] = []
    start = 0
    for joint in model.joints():
        turning = 3 if joint.type in QUATERNION else 0
        found += [*range(start, start + joint.nv - turning), *[-1] * turning]
        start += joint.nq
    return found


def without_trajectory(model: Model) -> list[str]:
    """Driven joints without a law of motion in the model."""
    return [j.name for j in model.joints() if j.nature == "driven" and j.name not in model.trajectories]


def hold_driven(model: Model) -> None:
    """Lock driven joints without a law of motion at their initial coordinates."""
    lost = set(without_trajectory(model))
    for joint in model.joints():
        if joint.name in lost:
            joint.nature = "locked"
    if lost:
        model.notes.append(f"{len(lost)} driven joints without a trajectory are held at q0")


def quaternion_tangents(model: Model) -> dict[int, tuple[int, int]]:
    """For each rotational degree of freedom of a quaternion: the quaternion's index in q, and the axis (0 to 2)."""
    found: dict[int, tuple[int, int]] = {}
    q = v = 0
    for joint in model.joints():
        q, v = q + joint.nq, v + joint.nv
        if joint.type in QUATERNION:
            found |= {v - 3 + k: (q - 4, k) for k in range(3)}
    return found
