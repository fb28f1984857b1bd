"""Indices in the state x."""

from __future__ import annotations

from symbody.system.system import System


def velocity_places(system: System) -> list[int]:
    """For each coordinate in x, the index in x of its velocity; −1 inside a quaternion."""
    layout, found, q, v = system.layout, [], 0, 0
    place = {dof: len(layout.coordinates) + k for k, dof in enumerate(layout.velocities)}
    own: dict[int, int] = {}
    for joint in system.model.joints():
        slides = min(joint.nq, joint.nv) if joint.type != "ball" else 0
        slides = 3 if joint.type == "free" else slides
        own |= {q + k: v + k for k in range(slides)}
        q, v = q + joint.nq, v + joint.nv
    for i in layout.coordinates:
        found.append(place[own[i]] if i in own else -1)
    return found
