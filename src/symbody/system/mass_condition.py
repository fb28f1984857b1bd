"""Checks that some mass resists every motion that joints and loops allow: the weakest motion at one position.

With S = diag(M)^(−½) and Z an orthonormal basis of the kernel of J·S, the smallest eigenvalue λ of Zᵀ S M S Z compares
the inertia of a combined motion with that of its joints moved separately: of order 1 in sound models, rounding error in
singular ones. Accelerations keep about 16 + log₁₀ λ digits.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy as np

from symbody.equations.composite import mass_matrix
from symbody.equations.constraints import counts
from symbody.equations.tree import build_tree, with_motion
from symbody.errors import AssemblyError, MassWarning, ModelError, SingularityError
from symbody.expr.node import wrap
from symbody.expr.node_table import collection_paused, fresh_graph
from symbody.expr.vector import Vec, zeros
from symbody.model.model import Model
from symbody.system.assembly import ASIDE, assemble, constraint_function, jacobian_rank, velocity_constraints
from symbody.system.displacement import displaced, movable

Array = np.ndarray
SINGULAR_MASS = 1e-13  # below this λ, accelerations are rounding errors
WEAK_MASS = 1e-9  # below this λ, few digits remain
ROUNDING = 1e-16  # relative, of double precision
LIGHTEST = 1e-12  # of the largest diagonal element: lighter joints are scaled as if they moved this much
MOST_CHECKED = 250  # degrees of freedom: M has their square of elements, about 1 s
MOST_CLOSED = 12_000  # elements of the Jacobian of all loops, about 1 s
TAKES_PART = 0.1  # of the largest velocity of a motion: joints above it are named


@dataclass(frozen=True)
class WeakMotion:
    """The motion with the least inertia: its λ, the joints that take part, and the bodies that they carry."""

    share: float
    joints: tuple[str, ...]
    bodies: tuple[str, ...]

    @property
    def cure(self) -> str:
        """What the user can do."""
        carried = f"give {', '.join(self.bodies)} mass and inertia"
        return f"{carried}, or lock, drive or remove {'one of the joints' if len(self.joints) > 1 else 'the joint'}"

    def __str__(self) -> str:
        alone = "a motion of these joints together" if len(self.joints) > 1 else "this joint"
        least = f"the scaled mass matrix has an eigenvalue of {max(self.share, 0.0):.1e}"
        return f"{'nothing' if self.share < SINGULAR_MASS else 'hardly anything'} resists {alone}, as {least}"


def mass_at(model: Model, q: Array) -> Array:
    """M (nv, nv) at coordinates q, evaluated with constants: nothing is compiled."""
    with collection_paused(), fresh_graph():
        tree, still = build_tree(model, "none", loads=False), zeros(model.nv)
        moving = with_motion(tree, Vec([wrap(float(x)) for x in q]), still, still)
        return np.array([[float(x) for x in row] for row in mass_matrix(moving)]).reshape(model.nv, model.nv)


def weakest_motion(model: Model, q: Array) -> WeakMotion | None:
    """The weakest motion that joints, loops and rolling allow at a position; None if nothing can move."""
    free, loops = movable(model), constraint_function(model)
    M = mass_at(model, q)[np.ix_(free, free)]
    J = velocity_constraints(model, q)[0][:, free]
    if loops is not None:
        J = np.vstack([loops(q).J[:, free], J])
    rank = jacobian_rank(J)
    if rank == len(free):
        return None
    diagonal = np.diag(M)
    scale = 1.0 / np.sqrt(np.maximum(diagonal, LIGHTEST * (np.abs(diagonal).max() or 1.0)))
    shares, ways = np.linalg.eigh((Z := _kernel(J * scale, rank)).T @ (scale[:, None] * M * scale) @ Z)
    speeds = np.abs(scale * (Z @ ways[:, 0]))
    moving = [free[i] for i in np.flatnonzero(speeds > TAKES_PART * speeds.max())]
    return WeakMotion(float(shares[0]), tuple(model.velocities[i] for i in moving), _carried(model, moving))


def _kernel(rows: Array, rank: int) -> Array:
    """An orthonormal basis of the kernel of rows with known rank, in columns."""
    if not rank:
        return np.eye(rows.shape[1])
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    basis: Array = np.linalg.svd(rows / np.where(lengths > 0.0, lengths, 1.0))[2][rank:].T
    return basis


def _carried(model: Model, dofs: list[int]) -> tuple[str, ...]:
    """The bodies carried by the joints of these degrees of freedom."""
    owners = [body.name for body in model.bodies.values() for joint in body.joints for _ in range(joint.nv)]
    return tuple(dict.fromkeys(owners[i] for i in dofs))


def check_mass(model: Model, q: Array) -> bool:
    """Whether enough mass resists every motion at the start; a warning if it is little, an error if there is none."""
    weak = weakest_motion(model, q)
    if weak is None or weak.share >= WEAK_MASS:
        return True
    joints = ", ".join(weak.joints)
    if weak.share >= SINGULAR_MASS:
        digits = f"accelerations have relative errors of about {ROUNDING / weak.share:.0e}"
        warnings.warn(f"{model.name}: {joints}: {weak}; {digits} ({weak.cure})", MassWarning, stacklevel=2)
        return False
    if _only_here(model, q):
        cure = "change the initial values; a ball joint instead of three hinges has no such position"
        raise SingularityError(f"{model.name}: {joints}: at the start {weak}, but not at positions near it ({cure})")
    raise ModelError(str(weak), element=joints, cure=weak.cure, file=model.file)


def _only_here(model: Model, q: Array) -> bool:
    """Whether a singular position is isolated: at a position next to it every motion is resisted."""
    step = np.zeros(model.nv)
    step[movable(model)] = ASIDE * np.cos(np.arange(len(movable(model))))
    try:
        aside = weakest_motion(model, assemble(model, displaced(model, q, step)))
    except AssemblyError:
        return False
    return aside is not None and aside.share >= SINGULAR_MASS


def mass_warnings(model: Model) -> list[str]:
    """Remarks on a start where the mass matrix is singular, nearly singular, not available or too large to check."""
    if model.nv > MOST_CHECKED:
        why = f"as there are more than {MOST_CHECKED} (a simulation checks it)"
        return [f"the mass matrix of {model.nv} degrees of freedom is not checked here, {why}"]
    equations = sum(count for _, count in counts(model))
    if equations * model.nv > MOST_CLOSED:
        size = f"{equations} equations of loops for {model.nv} degrees of freedom"
        return [f"{size} are too many to be closed here, so the mass matrix is not checked (a simulation does both)"]
    try:
        weak = weakest_motion(model, assemble(model))
    except AssemblyError as problem:
        return [str(problem)]
    return [f"{', '.join(weak.joints)}: {weak} ({weak.cure})"] if weak is not None and weak.share < WEAK_MASS else []
