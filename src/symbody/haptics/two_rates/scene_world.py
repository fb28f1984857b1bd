"""A haptic scene as the slow world behind a local model: its tool goes where the proxy was, and what is near is told.

ε-active geometry (thesis 6.2.3): what is within ε of the tool is a constraint before it is touched. Contacts that lie
together are one (6.2.4).
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
from symbody.haptics.two_rates.rounds import Round, rounded

EPSILON = 0.005  # m: thesis
TOGETHER = 1e-3  # m, eps_tVE: contacts as near are one
OPPOSED = 0.1  # length of the sum of normals below which they say nothing


class SceneWorld:
    """A scene that nobody holds, and one object of it that is the tool: it moves as it is told.

    epsilon: ε (m). cluster: contacts within that distance (m) are one. rounds: what is round, by the names of walls and
    of the tool; it is told as a sphere or cylinder, though the scene collides facets.
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
            raise ModelError("no such tool", element=tool, cure=f"it is one of {', '.join(names)}")
        if scene.c.held >= 0:
            raise ModelError("a world that is held", element=tool, cure="make its scene without tool=")
        self.scene, self.index = scene, names.index(tool)
        self.epsilon, self.cluster = finite("epsilon", epsilon), finite("cluster", cluster)
        self.rounds = dict(rounds or {})
        if self.rounds and isinstance(self.tool, Linkage):
            raise ModelError("round things near a linkage", element=tool, cure="use a body as the tool")
        self._object = scene.c.objects[self.index]
        self._object.driven = 1
        self._found = (ConstraintOf * of.CONTACTS)()
        self.clusters: list[list[LocalConstraint]] = []  # of the last look: those that are told as one

    @property
    def tool(self) -> HapticBody | Linkage:
        """The object that is the tool."""
        return self.scene.objects[self.index]

    def tool_pose(self) -> Array:
        """q of the tool now."""
        made = self._object
        return np.array(self.scene.q[made.q : made.q + made.nq])

    def advance(self, q: Array, dt: float) -> WorldStep:
        """Move the tool to q within dt (s) at constant velocity, everything else by itself; what is near it then."""
        goal = self._pose(q)
        n = max(1, round(dt * self.scene.rate))
        given = np.zeros(2)
        move = local_library().world_move
        move(ctypes.byref(self.scene.c), self.index, goal.ctypes.data, n, given.ctypes.data)
        return self.look(*(float(x) for x in given))

    def place(self, q: Array) -> WorldStep:
        """Put the tool at q, at rest, without a way there; nothing else moves. What is near it then."""
        made = self._object
        self.scene.q[made.q : made.q + made.nq] = self._pose(q)
        self.scene.v[made.v : made.v + made.nv] = 0.0
        return self.look()

    def _pose(self, q: Array) -> Array:
        goal = np.ascontiguousarray(q, dtype=float)
        if goal.shape != (self._object.nq,) or not np.isfinite(goal).all():
            raise ModelError(f"a pose of the tool {np.asarray(q)}", cure=f"give {self._object.nq} finite numbers")
        return goal

    def look(self, work: float = 0.0, gained: float = 0.0) -> WorldStep:
        """What is near the tool where it is."""
        tool = tool_dynamics(self.scene, self.index)
        n = local_library().world_near(ctypes.byref(self.scene.c), self.index, self.epsilon, self._found)
        found = [constraint_from(one) for one in self._found[:n]]
        if self.rounds:
            found = rounded(found, self._rounds_by_shape(), self.tool_pose(), self.rounds.get(self.tool.name))
        self.clusters = clusters_of(found, self.cluster)
        return WorldStep(joined(self.clusters), tool, work, gained)

    def kept(self) -> bytes:
        """All that a step changes, to be put back."""
        return bytes(self.scene.c.memory)

    def restore(self, kept: Any) -> None:
        """Put back what was kept: a step is undone."""
        ctypes.memmove(ctypes.byref(self.scene.c.memory), kept, len(kept))

    def _rounds_by_shape(self) -> dict[int, Round]:
        """Rounds of the environment by the number of their shape, in world axes."""
        return {FIXED - k: self.rounds[name] for k, name in enumerate(self.scene.shape_names) if name in self.rounds}


def clusters_of(constraints: Sequence[LocalConstraint], within: float) -> list[list[LocalConstraint]]:
    """Those of the same bodies that lie within a distance (m), the deepest first."""
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
    """One constraint for each cluster: the deepest, with the mean normal."""
    return [_joined(cluster) for cluster in clusters]


def _joined(cluster: Sequence[LocalConstraint]) -> LocalConstraint:
    deepest = cluster[0]
    total = np.sum([one.normal for one in cluster], axis=0)
    size = float(np.linalg.norm(total))
    return deepest if len(cluster) == 1 or size < OPPOSED else replace(deepest, normal=tuple(total / size))
