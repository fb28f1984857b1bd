"""Rods for engines without them: each becomes a light body on a universal joint at one end and a ball at the other.

The error of accelerations is proportional to the mass of these bodies, which can be very small without rounding errors.
"""

from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass

import numpy as np

from symbody.model.body import GROUND, Joint
from symbody.model.components import Cut
from symbody.model.model import Model
from symbody.system.assembly import assemble
from symbody_bench.numeric import Array, floats, placement
from symbody_bench.to_pinocchio import PinocchioTree, to_pinocchio

MASS = 1e-12  # kg


@dataclass(frozen=True)
class RodBody:
    """The points at a rod's ends, and on its body: the seat at the first end, and the tip that meets the second."""

    a: str
    b: str
    seat: str
    tip: str


@dataclass
class RodBodies:
    """A model whose rods are bodies, after all others."""

    model: Model
    rods: list[RodBody]

    def state(self, tree: PinocchioTree, q: Array, v: Array) -> tuple[Array, Array]:
        """Coordinates and velocities of this model from those of the given one; `tree` is this model's."""
        nq, nv = len(q), len(v)
        q, v = self.padded(q), self.padded(v)
        for k, rod in enumerate(self.rods):
            away = tree.point_position(q, rod.b) - tree.point_position(q, rod.a)
            x, y, z = tree.point_rotation(q, rod.seat).T @ away
            q[nq + 2 * k : nq + 2 * k + 2] = np.arctan2(-z, x), np.arctan2(y, np.hypot(x, z))
        for k, rod in enumerate(self.rods):
            own = slice(nv + 2 * k, nv + 2 * k + 2)
            tip, end = (tree.point_jacobian(q, path)[:3] for path in (rod.tip, rod.b))
            v[own] = np.linalg.lstsq(tip[:, own], (end - tip)[:, :nv] @ v[:nv], rcond=None)[0]
        return q, v

    def padded(self, x: Array) -> Array:
        """Numbers of the given model's joints, and zeros for the rods."""
        return np.concatenate([x, np.zeros(2 * len(self.rods))])


def with_rod_bodies(model: Model) -> RodBodies:
    """The same model with a body instead of each rod, with joints in the middle of their range."""
    cuts = [cut for cut in model.cuts.values() if cut.kind == "rod"]
    if not cuts:
        return RodBodies(model, [])
    made, tree, q = deepcopy(model), to_pinocchio(model), assemble(model)
    return RodBodies(made, [_replace(made, cut, tree, q) for cut in cuts])


def _replace(model: Model, cut: Cut, tree: PinocchioTree, q: Array) -> RodBody:
    """Replace a rod by a body."""
    a, b = model.point_at(cut.a), model.point_at(cut.b)
    length = float(floats(model, [cut.length or 0.0])[0])
    owner = model.ground if a.body == GROUND else model.bodies[a.body]
    away = tree.point_position(q, b.path) - tree.point_position(q, a.path)
    x, y, z = tree.point_rotation(q, owner["origin"].path).T @ away
    turned = (0.0, np.arctan2(-z, np.hypot(x, y)), np.arctan2(y, x))  # axis 1 along the rod
    seat = owner.point(f"{cut.name}_seat", [float(p) for p in placement(model, a)[1]], turned)
    joints = [Joint(f"{cut.name}.R{k}", f"R{k}") for k in (2, 3)]
    across = MASS * length**2 / 12
    body = model.body(f"{cut.name}_rod", seat, joints, MASS, (length / 2, 0.0, 0.0), (0.0, across, across))
    tip = body.point("tip", (length, 0.0, 0.0))
    model.cuts[cut.name] = Cut(cut.name, "ball", tip.path, b.path)
    return RodBody(a.path, b.path, seat.path, tip.path)
