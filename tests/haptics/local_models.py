"""Local models for tests: a peg over planes, packets of any constraints."""

import numpy as np

from symbody.haptics.thesis_scenes.corner import peg
from symbody.haptics.two_rates.local_model import LocalModel, tool_dynamics
from symbody.haptics.two_rates.packet import LocalConstraint, world_packet
from symbody.haptics.two_rates.round_shapes import ToolPose

HALF = 0.021, 0.0105  # m, of the peg
UP = (0.0, 1.0, 0.0)


def packet(local, constraints, sequence=1, t=0.0, stiffness=4000.0, damping=30.0, restitution=0.0):
    """A packet with the tool's own dynamics."""
    return world_packet(sequence, t, constraints, tool_dynamics(local.scene), stiffness, damping, restitution)


def plane(point=(0.0, -0.03, 0.0), normal=UP, tool=(0.0, -HALF[1], 0.0), **more):
    """A plane under the middle of the peg's lower side."""
    return LocalConstraint(point, normal, tool, **{"s": 0.0, **more})


def under_corners(height, **more):
    """A floor under both lower corners of the peg."""
    return [plane((x, height, 0.0), UP, (x, -HALF[1], 0.0), body=k, **more) for k, x in enumerate((-HALF[0], HALF[0]))]


def over(constraints=(), **settings):
    """The peg, after a packet with these constraints."""
    local = LocalModel(peg(), **settings)
    assert local.update(packet(local, constraints)) == "taken"
    return local


def separation(local, constraint):
    """n.(x − c) of the point that a constraint names, where the proxy is, in NumPy."""
    x = ToolPose.of(np.array(local.scene.q)).outside(constraint.tool)
    return float(np.dot(constraint.normal, x - np.array(constraint.point)))
