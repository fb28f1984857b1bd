"""Loops opened by cuts: h(q) = 0, its Jacobian, and J̇q̇, relative to the last frame that carries both points.

Joints below that frame move both points alike, so they do not appear. The equations of a cut are
- coinciding points: h = P_B − P_A (three, or two across the axis for the planar kinds);
- a rod: h = ½ (d·d − L²);
- perpendicular directions x on A and y on B: h = x·y, with ḣ = (ω_B − ω_A)·(y × x).
After them come the user's constraints and the gaps of rolling contacts.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace

from symbody.equations.kinematics import Pose, follow, ground_pose, pose_on, unit_velocity
from symbody.equations.rolling import rolling_equations
from symbody.equations.tree import Place, Tree
from symbody.equations.user_constraints import user_equations
from symbody.errors import ModelError
from symbody.expr.node import ZERO, Expr
from symbody.expr.node_table import section
from symbody.expr.vector import Mat, Vec, cross, dot, identity, unit, zeros
from symbody.model.components import Cut
from symbody.model.model import Model

# For a hinge axis or plane normal 0 (others by rotation of indices): components that coincide, and pairs of axes
# (of A, of B) that stay perpendicular.
_COINCIDE: dict[str, tuple[int, ...]] = {"planar-ball": (1, 2), "planar-solid": (1, 2)}
_COINCIDE |= dict.fromkeys(("ball", "universal", "revolute", "solid"), (0, 1, 2))
_ALIGNED: dict[str, tuple[tuple[int, int], ...]] = {
    "universal": ((0, 1),),
    "revolute": ((1, 0), (2, 0)),
    "solid": ((1, 0), (2, 0), (2, 1)),
    "planar-solid": ((2, 1),),
}


@dataclass
class End:
    """One point of a cut: its pose in the shared frame, and the columns of its velocity and angular velocity."""

    pose: Pose
    linear: dict[int, Vec]
    angular: dict[int, Vec]


@dataclass
class Equation:
    """One scalar equation: h, the row of its Jacobian by degree of freedom, and J̇q̇.

    For a cut also the force and torque of a unit multiplier on its second point, in the shared frame.
    """

    h: Expr
    row: dict[int, Expr]
    bias: Expr
    force: Vec = field(default_factory=zeros)
    torque: Vec = field(default_factory=zeros)


def constraints(tree: Tree) -> list[Equation]:
    """The equations of all cuts, in order, then of the user's constraints and of rolling contacts."""
    cuts = [e for cut in tree.model.cuts.values() for e in cut_equations(tree, cut)]
    users = [Equation(h, row, bias) for h, row, bias in user_equations(tree)]
    contacts = rolling_equations(tree)
    return cuts + users + [Equation(c.gap, c.rows[0], c.bias[0]) for c in contacts if c.gap is not None]


def cut_equations(tree: Tree, cut: Cut) -> list[Equation]:
    """The equations of one cut."""
    section(f"loop {cut.name}")
    a, b = tree.place(cut.a), tree.place(cut.b)
    shared = _shared_frame(tree, a.frame, b.frame)
    A, B = _end(tree, a, shared), _end(tree, b, shared)
    if cut.kind == "rod":
        if cut.length is None:
            raise ModelError("the rod has no length", element=f"cuts.{cut.name}", cure="set its length (m)")
        return [_rod(A, B, tree.numbers(cut.length, f"{cut.name}.length"))]
    first = cut.axis - 1
    equations = _coincidence(A, B, [(first + k) % 3 for k in sorted(_COINCIDE[cut.kind])], cut.kind)
    for i, j in _ALIGNED.get(cut.kind, ()):
        equations.append(_right_angle(A, B, (first + i) % 3, (first + j) % 3))
    return equations


def _shared_frame(tree: Tree, i: int, j: int) -> int:
    """The last frame that carries both, −1 for the ground."""
    carriers = set()
    while i >= 0:
        carriers.add(i)
        i = tree.frames[i].parent
    while j >= 0 and j not in carriers:
        j = tree.frames[j].parent
    return j


def _end(tree: Tree, place: Place, shared: int) -> End:
    """Kinematics of a place relative to the shared frame, with accelerations for q̈ = 0."""
    path: list[int] = []
    i = place.frame
    while i != shared:
        path.append(i)
        i = tree.frames[i].parent
    passed: list[tuple[int, Pose]] = []
    pose = ground_pose()
    for i in reversed(path):
        f = tree.frames[i]
        pose = follow(replace(f, a=zeros(len(f.v))), pose)
        passed.append((i, pose))
    at = pose_on(place, pose)
    linear: dict[int, Vec] = {}
    angular: dict[int, Vec] = {}
    for i, pose in passed:
        f = tree.frames[i]
        for dof, k in enumerate(f.axes, start=f.index):
            linear[dof], angular[dof] = unit_velocity(f, pose, k, at.P)
    return End(at, linear, angular)


def _difference(a: dict[int, Vec], b: dict[int, Vec]) -> dict[int, Vec]:
    """Columns of B minus those of A."""
    return {d: b.get(d, zeros()) - a.get(d, zeros()) for d in sorted({*a, *b})}


def _coincidence(A: End, B: End, axes: list[int], kind: str) -> list[Equation]:
    """Components of P_B − P_A: all in the shared frame, or for a plane those along axes of A."""
    d, bias, columns = B.pose.P - A.pose.P, B.pose.a - A.pose.a, _difference(A.linear, B.linear)
    if not kind.startswith("planar"):
        return [Equation(d[k], {j: c[k] for j, c in columns.items()}, bias[k], unit(k)) for k in sorted(axes)]
    return [_along(A, d, bias, columns, B.pose.v - A.pose.v, k) for k in axes]


def _along(A: End, d: Vec, bias: Vec, columns: dict[int, Vec], rate: Vec, k: int) -> Equation:
    """x·d with x fixed on A: ḣ = x·ḋ + ω_A·(x × d)."""
    x, w = A.pose.R.column(k), A.pose.omega
    x_dot = cross(w, x)
    turning = cross(x, d)
    row = {j: dot(x, c) for j, c in columns.items()}
    for j, axis in A.angular.items():
        row[j] = row[j] + dot(axis, turning)
    x_bias = cross(A.pose.omega_dot, x) + cross(w, x_dot)
    return Equation(dot(x, d), row, dot(x, bias) + 2.0 * dot(x_dot, rate) + dot(x_bias, d), x)


def _rod(A: End, B: End, length: Expr) -> Equation:
    """½ (d·d − L²): ḣ = d·ḋ."""
    d, rate = B.pose.P - A.pose.P, B.pose.v - A.pose.v
    row = {j: dot(d, c) for j, c in _difference(A.linear, B.linear).items()}
    bias = dot(rate, rate) + dot(d, B.pose.a - A.pose.a)
    return Equation(0.5 * (dot(d, d) - length * length), row, bias, d)


def _right_angle(A: End, B: End, i: int, j: int) -> Equation:
    """Axis x of A perpendicular to axis y of B: x·y, ḣ = (ω_B − ω_A)·(y × x)."""
    x, y = A.pose.R.column(i), B.pose.R.column(j)
    n, w = cross(y, x), B.pose.omega - A.pose.omega
    n_dot = cross(cross(B.pose.omega, y), x) + cross(y, cross(A.pose.omega, x))
    row = {d: dot(c, n) for d, c in _difference(A.angular, B.angular).items()}
    bias = dot(B.pose.omega_dot - A.pose.omega_dot, n) + dot(w, n_dot)
    return Equation(dot(x, y), row, bias, torque=n)


def cut_forces(tree: Tree, all_poses: list[Pose], multipliers: Sequence[Expr]) -> dict[str, tuple[Vec, Vec]]:
    """For each cut the force and torque on its second point (ground frame), from the multipliers of all equations.

    The first point gets the opposite at the same place.
    """
    found: dict[str, tuple[Vec, Vec]] = {}
    start = 0
    for cut in tree.model.cuts.values():
        equations = cut_equations(tree, cut)
        shared = _shared_frame(tree, tree.place(cut.a).frame, tree.place(cut.b).frame)
        force, torque = zeros(), zeros()
        for e, x in zip(equations, multipliers[start : start + len(equations)], strict=True):
            force, torque = force + x * e.force, torque + x * e.torque
        R = all_poses[shared].R if shared >= 0 else identity()
        found[cut.name] = R @ force, R @ torque
        start += len(equations)
    return found


def constraint_jacobian(equations: Sequence[Equation], dofs: Collection[int]) -> Mat:
    """The columns of J at these degrees of freedom, dense."""
    return Mat([Vec([e.row.get(j, ZERO) for j in dofs]) for e in equations])


def counts(model: Model) -> list[tuple[str, int]]:
    """The number of equations of each cut, constraint and contact, in the order of the equations."""
    found = [(c.name, _count(c)) for c in model.cuts.values()]
    found += [(c.name, c.count) for c in model.constraints.values()]
    return found + [(c.name, 1) for c in model.rolling_contacts.values() if c.touches]


def _count(cut: Cut) -> int:
    return 1 if cut.kind == "rod" else len(_COINCIDE[cut.kind]) + len(_ALIGNED.get(cut.kind, ()))


def equation_units(model: Model) -> list[str]:
    """The unit of each equation, in order: m for positions, m² for rods, rad for directions; "" for the user's own."""
    found: list[str] = []
    for cut in model.cuts.values():
        rod = cut.kind == "rod"
        found += ["m²"] if rod else ["m"] * len(_COINCIDE[cut.kind]) + ["rad"] * len(_ALIGNED.get(cut.kind, ()))
    found += ["" for c in model.constraints.values() for _ in range(c.count)]
    return found + ["m" for c in model.rolling_contacts.values() if c.touches]
