"""The tree of bodies: who carries whom, and where each joint's coordinates are."""

from __future__ import annotations

from symbody.model.body import QUATERNION, Body
from symbody.model.model import Model


def carrier(on: str) -> str:
    """Name of the body that a point's path belongs to."""
    return on.rpartition(".")[0] or on


def parents_first(bodies: dict[str, Body]) -> dict[str, Body]:
    """The same bodies, reordered only as far as needed for each to come after the one that carries it."""
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
    """For each degree of freedom the place in q of its own coordinate; −1 where a quaternion stands for several."""
    found: list[int] = []
    start = 0
    for joint in model.joints():
        turning = 3 if joint.type in QUATERNION else 0
        found += [*range(start, start + joint.nv - turning), *[-1] * turning]
        start += joint.nq
    return found


def without_trajectory(model: Model) -> list[str]:
    """Driven joints for which the model has no law of motion."""
    return [j.name for j in model.joints() if j.nature == "driven" and j.name not in model.trajectories]


def hold_driven(model: Model) -> None:
    """Lock driven joints without a law of motion where they start."""
    lost = set(without_trajectory(model))
    for joint in model.joints():
        if joint.name in lost:
            joint.nature = "locked"
    if lost:
        model.notes.append(f"{len(lost)} driven joints without a trajectory are held at q0")


def quaternion_tangents(model: Model) -> dict[int, tuple[int, int]]:
    """For each degree of freedom that turns a quaternion, the place of that in q, and which of its axes (0 to 2)."""
    found: dict[int, tuple[int, int]] = {}
    q = v = 0
    for joint in model.joints():
        q, v = q + joint.nq, v + joint.nv
        if joint.type in QUATERNION:
            found |= {v - 3 + k: (q - 4, k) for k in range(3)}
    return found
