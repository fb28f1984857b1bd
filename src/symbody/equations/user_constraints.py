"""Constraints of the user, h(q) = 0 as laws: traced over symbols, differentiated, and evaluated at the motion."""

from __future__ import annotations

from symbody.equations.kinematics import coordinate_rates, tangent_directions
from symbody.equations.laws import motion_values, view_of
from symbody.equations.tree import Tree, with_motion
from symbody.errors import ModelError
from symbody.expr.derive import total_derivative
from symbody.expr.graph import symbols
from symbody.expr.node import ZERO, Expr
from symbody.expr.node_table import section
from symbody.expr.substitute import substituted
from symbody.expr.vector import variables, zeros

Row = dict[int, Expr]  # by degree of freedom


def user_equations(tree: Tree) -> list[tuple[Expr, Row, Expr]]:
    """h, the row of its Jacobian, and J̇q̇ of each equation."""
    if not tree.model.constraints:
        return []
    q, v = variables("hq", tree.model.nq), variables("hv", tree.nv)
    over = with_motion(tree, q, v, zeros(tree.nv))
    h = _values(over, set(v))
    rates = dict(zip(q, coordinate_rates(over), strict=True))
    columns = {dof: total_derivative(h, seeds) for dof, seeds in tangent_directions(over).items()}
    bias = total_derivative(total_derivative(h, rates), rates)
    view = view_of(tree, [])
    motion = dict(zip([*q, *v], [*view.q.values(), *view.qd.values()], strict=True))
    found = []
    for i, value in enumerate(h):
        row = {dof: column[i] for dof, column in columns.items() if column[i] is not ZERO}
        value, slope, *entries = substituted([value, bias[i], *row.values()], motion)
        found.append((value, dict(zip(row, entries, strict=True)), slope))
    return found


def _values(tree: Tree, velocities: set[Expr]) -> list[Expr]:
    """The values of the laws, which may use coordinates and parameters only."""
    view = view_of(tree)
    h: list[Expr] = []
    for constraint in tree.model.constraints.values():
        section(f"constraint {constraint.name}")
        where = f"constraints.{constraint.name}"
        if constraint.law is None:
            raise ModelError("the constraint has no law", element=where, cure="attach one: @m.constraint(…)")
        values = motion_values(constraint.law, where, constraint.count, view, tree.numbers.names)
        if velocities & set(symbols(values)):
            raise ModelError(
                "its law depends on velocities", element=where, cure="use coordinates only, or m.nonholonomic"
            )
        h.extend(values)
    return h
