"""A model with loops in Pinocchio: its tree, and rigid constraints for its cuts; rods become bodies."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from symbody.model.components import Cut
from symbody.model.model import Model
from symbody_bench.clock import BuildError
from symbody_bench.numeric import Array
from symbody_bench.rods import RodBodies, with_rod_bodies
from symbody_bench.to_pinocchio import PinocchioTree, to_pinocchio

REDUNDANT = (1e-10, 1e-10, 5)  # mu, accuracy and most iterations of the proximal solver for redundant equations
FULL_RANK = (0.0, 1e-10, 1)  # Pinocchio's default: one solution, which is exact if J has full rank


@dataclass
class PinocchioLoops:
    """A Pinocchio tree with its constraints, called in symbody's order."""

    tree: PinocchioTree
    models: Any  # StdVec_RigidConstraintModel
    datas: Any
    proximal: tuple[float, float, int]
    rods: RodBodies

    @property
    def rows(self) -> int:
        """Number of equations."""
        return sum(int(made.residualSize()) for made in self.models)

    @property
    def independent(self) -> int:
        """Number of equations minus the degrees of freedom that rods add as bodies."""
        return self.rows - 2 * len(self.rods.rods)

    def direct(self, q: Array, v: Array, tau: Array) -> Array:
        """Accelerations at a closed state for given joint efforts."""
        import pinocchio as pin

        mu, accuracy, iterations = self.proximal
        settings = pin.ProximalSettings(accuracy, mu, iterations)
        tree, whole = self.tree, self.rods.state(self.tree, q, v)
        state = tree.q(whole[0]), tree.v(whole[1]), tree.v(self.rods.padded(tau))
        a = pin.constraintDynamics(tree.model, tree.data, *state, self.models, self.datas, settings)
        return tree.back(a)[: len(v)]

    def forces(self) -> Array:
        """Force of each constraint on the first end of its cut (N), in that point's frame, after `direct`."""
        return np.array([data.contact_force.linear for data in self.datas])


def to_pinocchio_loops(model: Model, freeflyer: bool = False) -> PinocchioLoops:
    """Translate a model with ball, solid, revolute and rod cuts; raises BuildError for any other cut."""
    import pinocchio as pin

    rods = with_rod_bodies(model)
    model = rods.model
    tree = to_pinocchio(model, freeflyer)
    models = pin.StdVec_RigidConstraintModel()
    for cut in model.cuts.values():
        for kind, along in _constraints(cut):
            ends = [x for path in (cut.a, cut.b) for x in _end(tree, model.point_at(path).path, along)]
            frame = pin.ReferenceFrame.LOCAL
            models.append(pin.RigidConstraintModel(getattr(pin.ContactType, kind), tree.model, *ends, frame))
    datas = pin.StdVec_RigidConstraintData()
    for made in models:
        datas.append(made.createData())
    pin.initConstraintDynamics(tree.model, tree.data, models, datas)
    return PinocchioLoops(tree, models, datas, REDUNDANT, rods)


def _constraints(cut: Cut) -> list[tuple[str, Array]]:
    """Kind of each rigid constraint of a cut, and its position in the frames of both points."""
    here = np.zeros(3)
    match cut.kind:
        case "ball":
            return [("CONTACT_3D", here)]
        case "solid":
            return [("CONTACT_6D", here)]
        case "revolute":  # two coinciding points on the axis: one of the six equations is redundant
            return [("CONTACT_3D", here), ("CONTACT_3D", np.eye(3)[cut.axis - 1])]
    raise BuildError(f"cut {cut.name}: Pinocchio's rigid constraints fix a point or a frame, a {cut.kind} is neither")


def _end(tree: PinocchioTree, path: str, along: Array) -> tuple[int, Any]:
    """Joint and placement of one end."""
    import pinocchio as pin

    frame = tree.model.frames[tree.model.getFrameId(path)]
    return frame.parentJoint, frame.placement * pin.SE3(np.eye(3), along)
