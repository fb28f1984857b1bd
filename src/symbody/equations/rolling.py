"""Contact of a wheel, a ball or a knife edge with a plane, without slip: the contact point and its equations.

With n the plane's normal, a the axle and c = √(1 − (a·n)²), a disc of radius R touches at r = R ((a·n) a − n)/c from
its centre, a torus of tube ρ at (R − ρ) ((a·n) a − n)/c − ρ n. The touching points of both bodies have the same
velocity: n·w = 0 is the rate of a gap h = 0, and e·w = 0 along two directions of the plane is nonholonomic.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from symbody.equations.kinematics import Pose, coordinate_rates, pose_at, poses, unit_velocity
from symbody.equations.laws import view_of
from symbody.equations.tree import Place, Tree, with_motion
from symbody.expr.derive import total_derivative
from symbody.expr.node import ONE, Expr, sqrt
from symbody.expr.node_table import section
from symbody.expr.substitute import substituted
from symbody.expr.vector import Vec, cross, dot, variables, zeros
from symbody.model.components import RollingContact

Row = dict[int, Expr]  # by degree of freedom


@dataclass(frozen=True)
class Touch:
    """The contact point (ground frame) from the body's point and from the plane's; the directions without slip."""

    r: Vec
    from_plane: Vec
    at: Vec
    gap: Expr | None  # for contacts that stay on the plane
    directions: list[Vec]  # the normal, for contacts that stay on the plane; then the directions in the plane


def touch_of(contact: RollingContact, tree: Tree, all_poses: list[Pose]) -> Touch:
    """Contact point and directions: along and across a rolling wheel; across a blade; for a ball those of the plane."""
    section(f"contact {contact.name}")
    body, plane = (pose_at(tree.place(path), all_poses) for path in (contact.point, contact.plane))
    n, d = plane.R.column(2), body.P - plane.P
    R, tube = (tree.numbers(getattr(contact, key), f"{contact.name}.{key}") for key in ("radius", "tube"))
    if contact.kind == "ball":
        r, gap, along = -R * n, dot(n, d) - R, [plane.R.column(0), plane.R.column(1)]
        return Touch(r, d + r, body.P + r, gap, [n, *along])
    a = body.R.column(contact.axis - 1)
    lean = dot(a, n)
    c = sqrt(ONE - lean * lean)
    if contact.kind == "knife-edge":
        return Touch(zeros(), d, body.P, None, [1.0 / c * cross(n, a)])
    r = (R - tube) / c * (lean * a - n) - tube * n
    forward = 1.0 / c * cross(a, n)
    return Touch(r, d + r, body.P + r, dot(n, d) - (R - tube) * c - tube, [n, forward, cross(n, forward)])


@dataclass(frozen=True)
class RollingEquations:
    """For one contact: the gap, if it has one; for each direction e·w, its row over the velocities, and its rate."""

    gap: Expr | None
    slip: Vec
    rows: list[Row]
    bias: Vec

    def __iter__(self) -> Iterator[tuple[Expr, Row, Expr]]:
        return zip(self.slip, self.rows, self.bias, strict=True)


def rolling_equations(tree: Tree) -> list[RollingEquations]:
    """The equations of all contacts: traced over symbols, differentiated, and evaluated at the tree's motion."""
    contacts = tree.model.rolling_contacts.values()
    if not contacts:
        return []
    q, v = variables("hq", tree.model.nq), variables("hv", tree.nv)
    over = with_motion(tree, q, v, zeros(tree.nv))
    all_poses, rates = poses(over), dict(zip(q, coordinate_rates(over), strict=True))
    view = view_of(tree, [])
    motion = dict(zip([*q, *v], [*view.q.values(), *view.qd.values()], strict=True))
    found = []
    for contact in contacts:
        touch = touch_of(contact, over, all_poses)
        slip, rows = _slip(contact, touch, over, all_poses)
        bias = total_derivative(slip, rates)
        flat = [x for row in rows for x in row.values()]
        gap = [] if touch.gap is None else [touch.gap]
        known = substituted([*slip, *bias, *gap, *flat], motion)
        n, entries = len(slip), iter(known[len(slip) * 2 + len(gap) :])
        by_freedom = [dict(zip(row, entries, strict=False)) for row in rows]
        found.append(RollingEquations(known[2 * n] if gap else None, Vec(known[:n]), by_freedom, Vec(known[n : 2 * n])))
    return found


def _slip(contact: RollingContact, touch: Touch, tree: Tree, all_poses: list[Pose]) -> tuple[Vec, list[Row]]:
    """e·w along each direction; w is the velocity of the body's touching point relative to the plane's."""
    first, second = tree.place(contact.point), tree.place(contact.plane)
    body, plane = pose_at(first, all_poses), pose_at(second, all_poses)
    w = body.v + cross(body.omega, touch.r) - plane.v - cross(plane.omega, touch.from_plane)
    own, others = (_columns(tree, place, touch.at, all_poses) for place in (first, second))
    columns = {i: own.get(i, zeros()) - others.get(i, zeros()) for i in sorted({*own, *others})}
    slip = Vec([dot(e, w) for e in touch.directions])
    return slip, [{i: dot(e, column) for i, column in columns.items()} for e in touch.directions]


def _columns(tree: Tree, place: Place, at: Vec, all_poses: list[Pose]) -> dict[int, Vec]:
    """For each degree of freedom the velocity at a point of a body for unit speed of that degree of freedom."""
    found: dict[int, Vec] = {}
    i = place.frame
    while i >= 0:
        f = tree.frames[i]
        for dof, k in enumerate(f.axes, start=f.index):
            found[dof] = unit_velocity(f, all_poses[i], k, at)[0]
        i = f.parent
    return found
