"""A haptic scene as the slow world of a local model: its tool follows the proxy, and it returns near surfaces.

ε-active geometry (thesis 6.2.3): a surface within ε of the tool is a constraint before it is touched. Contacts close
together are merged (6.2.4).
"""

from __future__ import annotations

import ctypes
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from symbody.errors import ModelError
from symbody.haptics import structures as of
from symbody.haptics.objects import HapticBody, Linkage
from symbody.haptics.scene import HapticScene
from symbody.haptics.settings import finite
from symbody.haptics.two_rates.local_model import constraint_from, local_library, tool_dynamics
from symbody.haptics.two_rates.packet import FIXED, Array, ConstraintOf, LocalConstraint, WorldStep
from symbody.haptics.two_rates.round_shapes import Round, rounded

EPSILON = 0.005  # m: thesis
TOGETHER = 1e-3  # m, eps_tVE: contacts within this distance are merged
OPPOSED = 0.1  # a sum of unit normals shorter than this has no direction


class SceneWorld:
    """A scene without a held object; one of its objects is the tool, a kinematic body.

    Parameters
    ----------
    scene : HapticScene
        Walls and all objects.
    tool : str
        Name of the tool.
    epsilon : float
        Distance ε (m) up to which surfaces are sent. Default 0.005.
    cluster : float
        Contacts within this distance (m) are merged. Default 0.001.
    rounds : mapping of str to Round, optional
        Round shapes by names of walls and of the tool. They are sent as spheres or cylinders although the scene uses
        facets.
    """

    def __init__(
        self,
        scene: HapticScene,
        tool: str,
        *,
        epsilon: float = EPSILON,
        cluster: float = TOGETHER,
        rounds: Mapping[str, Round] | None = None,
    ):
        names = [one.name for one in scene.objects]
        if tool not in names:
            raise ModelError("unknown tool", element=tool, cure=f"use one of {', '.join(names)}")
        if scene.c.held >= 0:
            raise ModelError(
                "the scene of a world must not hold a tool", element=tool, cure="make the scene without tool="
            )
        self.scene, self.index = scene, names.index(tool)
        self.epsilon, self.cluster = finite("epsilon", epsilon), finite("cluster", cluster)
        self.rounds = dict(rounds or {})
        if self.rounds and isinstance(self.tool, Linkage):
            raise ModelError(
                "round shapes need a body as the tool, not a linkage", element=tool, cure="use a body as the tool"
            )
        self._object = scene.c.objects[self.index]
        self._object.driven = 1
        self._found = (ConstraintOf * of.CONTACTS)()
        self.clusters: list[list[LocalConstraint]] = []  # contacts merged in the last step

    @property
    def tool(self) -> HapticBody | Linkage:
        """The object that is the tool."""
        return self.scene.objects[self.index]

    def tool_pose(self) -> Array:
        """q of the tool now."""
        made = self._object
        return np.array(self.scene.q[made.q : made.q + made.nq])

    def advance(self, q: Array, dt: float) -> WorldStep:
        """Move the tool to q within dt (s) at constant velocity; other bodies move freely. Returns near surfaces."""
        goal = self._pose(q)
        n = max(1, round(dt * self.scene.rate))
        given = np.zeros(2)
        move = local_library().world_move
        move(ctypes.byref(self.scene.c), self.index, goal.ctypes.data, n, given.ctypes.data)
        return self.look(*(float(x) for x in given))

    def place(self, q: Array) -> WorldStep:
        """Put the tool at q, at rest; nothing else moves. Returns the surfaces near it."""
        made = self._object
        self.scene.q[made.q : made.q + made.nq] = self._pose(q)
        self.scene.v[made.v : made.v + made.nv] = 0.0
        return self.look()

    def _pose(self, q: Array) -> Array:
        goal = np.ascontiguousarray(q, dtype=float)
        if goal.shape != (self._object.nq,) or not np.isfinite(goal).all():
            raise ModelError(f"a pose {np.asarray(q)} of the tool", cure=f"give {self._object.nq} finite numbers")
        return goal

    def look(self, work: float = 0.0, gained: float = 0.0) -> WorldStep:
        """The surfaces near the tool at its present pose."""
        tool = tool_dynamics(self.scene, self.index)
        n = local_library().world_near(ctypes.byref(self.scene.c), self.index, self.epsilon, self._found)
        found = [constraint_from(one) for one in self._found[:n]]
        if self.rounds:
            found = rounded(found, self._rounds_by_shape(), self.tool_pose(), self.rounds.get(self.tool.name))
        self.clusters = clusters_of(found, self.cluster)
        return WorldStep(joined(self.clusters), tool, work, gained)

    def kept(self) -> bytes:
        """A copy of everything that a step changes."""
        return bytes(self.scene.c.memory)

    def restore(self, kept: Any) -> None:
        """Return to a copy: undo a step."""
        ctypes.memmove(ctypes.byref(self.scene.c.memory), kept, len(kept))

    def _rounds_by_shape(self) -> dict[int, Round]:
        """Round shapes of the environment by the index of their shape, in world axes."""
        return {FIXED - k: self.rounds[name] for k, name in enumerate(self.scene.shape_names) if name in self.rounds}


def clusters_of(constraints: Sequence[LocalConstraint], within: float) -> list[list[LocalConstraint]]:
    """Contacts of the same bodies within a distance (m), the deepest first."""
    clusters: list[list[LocalConstraint]] = []
    for one in sorted(constraints, key=lambda c: c.s):
        for cluster in clusters:
            if all(_together(one, other, within) for other in cluster):
                cluster.append(one)
                break
        else:
            clusters.append([one])
    return clusters


def _together(a: LocalConstraint, b: LocalConstraint, within: float) -> bool:
    alike = (a.link, a.body, a.kind) == (b.link, b.body, b.kind)
    return alike and float(np.linalg.norm(np.subtract(a.point, b.point))) <= within


def joined(clusters: Sequence[Sequence[LocalConstraint]]) -> list[LocalConstraint]:
    """One constraint per cluster: the deepest, with the mean normal."""
    return [_joined(cluster) for cluster in clusters]


def _joined(cluster: Sequence[LocalConstraint]) -> LocalConstraint:
    deepest = cluster[0]
    total = np.sum([one.normal for one in cluster], axis=0)
    size = float(np.linalg.norm(total))
    return deepest if len(cluster) == 1 or size < OPPOSED else replace(deepest, normal=tuple(total / size))
