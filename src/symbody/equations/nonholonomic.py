"""Constraints between velocities, ψ = A(q) q̇ + b(q) = 0: of rolling contacts, then of the user's laws.

Their rate is A q̈ + (Ȧq̇ + ḃ) = 0. Each is an `Equation` whose h is ψ, whose row is that of A, and whose bias is Ȧq̇ +
ḃ.
"""

from __future__ import annotations

from symbody.equations.constraints import Equation
from symbody.equations.kinematics import coordinate_rates
from symbody.equations.laws import motion_values, view_of
from symbody.equations.rolling import rolling_equations
from symbody.equations.tree import Tree, with_motion
from symbody.errors import ModelError
from symbody.expr.derive import total_derivative
from symbody.expr.graph import symbols
from symbody.expr.node import ONE, ZERO
from symbody.expr.node_table import section
from symbody.expr.substitute import substituted
from symbody.expr.vector import Vec, variables, zeros
from symbody.model.model import Model


def nonholonomic(tree: Tree) -> list[Equation]:
    """The equations of all contacts, in order, then of the user's constraints between velocities."""
    along = [e for contact in rolling_equations(tree) for e in [*contact][contact.gap is not None :]]
    return [Equation(slip, row, bias) for slip, row, bias in along] + _of_laws(tree)


def groups(model: Model) -> list[int]:
    """The number of equations of each contact, which rotate together as it changes direction; each law counts alone."""
    laws = sum(constraint.count for constraint in model.nonholonomic_constraints.values())
    return [contact.count for contact in model.rolling_contacts.values()] + [1] * laws


def _of_laws(tree: Tree) -> list[Equation]:
    if not tree.model.nonholonomic_constraints:
        return []
    q, v = variables("hq", tree.model.nq), variables("hv", tree.nv)
    over = with_motion(tree, q, v, zeros(tree.nv))
    psi = _values(over)
    columns = [total_derivative(psi, {x: ONE}) for x in v]
    bias = total_derivative(psi, dict(zip(q, coordinate_rates(over), strict=True)))
    _check(tree.model, columns, set(v))
    view = view_of(tree, [])
    motion = dict(zip([*q, *v], [*view.q.values(), *view.qd.values()], strict=True))
    found = []
    for i, value in enumerate(psi):
        row = {dof: column[i] for dof, column in enumerate(columns) if column[i] is not ZERO}
        value, slope, *entries = substituted([value, bias[i], *row.values()], motion)
        found.append(Equation(value, dict(zip(row, entries, strict=True)), slope))
    return found


def _values(tree: Tree) -> Vec:
    """The values of the laws, which may use the motion and parameters only."""
    view, psi = view_of(tree), Vec()
    for constraint in tree.model.nonholonomic_constraints.values():
        section(f"constraint {constraint.name}")
        where = f"nonholonomic_constraints.{constraint.name}"
        if constraint.law is None:
            raise ModelError("the constraint has no law", element=where, cure="attach one: @m.nonholonomic(…)")
        psi.extend(motion_values(constraint.law, where, constraint.count, view, tree.numbers.names))
    return psi


def _check(model: Model, columns: list[Vec], velocities: set) -> None:  # type: ignore[type-arg]
    """Check that each law is linear in the velocities and depends on one of them."""
    i = 0
    for constraint in model.nonholonomic_constraints.values():
        where = f"nonholonomic_constraints.{constraint.name}"
        for k in range(i, i + constraint.count):
            own = [column[k] for column in columns]
            if velocities & set(symbols(own)):
                raise ModelError("its law is not linear in the velocities", element=where, cure="write A(q) q̇ + b(q)")
            if all(x is ZERO for x in own):
                cure = "write it over velocities, or use m.constraint"
                raise ModelError("its law does not depend on velocities", element=where, cure=cure)
        i += constraint.count
