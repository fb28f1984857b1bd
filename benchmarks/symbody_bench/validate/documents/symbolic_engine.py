"""Simplification and generation of equations (Docquier 2013, sections 3.1 to 3.5): exact examples, sizes, times."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from symbody.equations.kinematics import pose_at, poses
from symbody.equations.tree import build_tree
from symbody.expr.compact import compacted
from symbody.expr.derive import derivative
from symbody.expr.graph import operations
from symbody.expr.node import ONE, ZERO, Expr, cos, neg, sin, variable
from symbody.expr.node_table import fresh_graph
from symbody.model.body import Body, Point
from symbody.model.model import Model
from symbody_bench.ours import cold_figures
from symbody_bench.throughput import sensitivity_record
from symbody_bench.validate.documents.row import Outcome, Row, at_most, holds, number

SOURCE = "Docquier 2013"
sensitivities = cache(sensitivity_record)


def angle(*joints: int) -> Expr:
    """q_i + q_j + …"""
    whole = variable(f"q[{joints[0]}]")
    for j in joints[1:]:
        whole = whole + variable(f"q[{j}]")
    return whole


def C(*joints: int) -> Expr:
    return cos(angle(*joints))


def S(*joints: int) -> Expr:
    return sin(angle(*joints))


def six_terms(factor: Expr = ONE) -> Expr:
    """The sum of the document whose terms condense in three steps."""
    terms = [
        C(2) * C(4) * C(5, 6) * C(5, 6) * S(8),
        C(2) * C(4) * S(5, 6) * S(5, 6) * S(8),
        C(2) * S(4) * S(5, 6) * C(8),
        S(2) * C(4) * S(5, 6) * C(8),
        neg(S(2) * S(4) * C(5, 6) * C(5, 6) * S(8)),
        neg(S(2) * S(4) * S(5, 6) * S(5, 6) * S(8)),
    ]
    result = ZERO
    for term in terms:
        result = result + factor * term
    return result


def condensed() -> Expr:
    """C24 S8 + S24 S56 C8."""
    return C(2, 4) * S(8) + S(2, 4) * S(5, 6) * C(8)


def nine_joint_chain() -> Model:
    """Joints R1 R2 R3 R1 R2 R3 R2 T3 and a last one, offsets along x: the chain of the printed Jacobian element."""
    m = Model("chain")
    place: Body | Point = m.ground
    for i, joint in enumerate(("R1", "R2", "R3", "R1", "R2", "R3", "R2", "T3", "R1"), start=1):
        body = m.body(f"b{i}", place, joint)
        if i >= 2:
            body.point("next", (m.parameter(f"D1{i + 1}", 0.1 * i), 0, 0))
        place = body["next"] if i >= 2 else body
    return m


def jacobian_operations() -> int:
    """Operations of the element J(3, 1) of its position Jacobian."""
    with fresh_graph():
        tree = build_tree(nine_joint_chain())
        position = pose_at(tree.places["b9"], poses(tree)).P
        return operations([derivative(position[2], variable("q[0]"))]).total


def exact(pair: Callable[[], tuple[Expr, Expr]]) -> Outcome:
    """An expression and what it must become: the same node."""
    found, wanted = pair()
    return holds([found is wanted], "the same expression")


def cancelled() -> tuple[Expr, Expr]:
    a, b, c = variable("a"), variable("b"), variable("c")
    return c + a + b - a, c + b


def generated() -> Outcome:
    """Seconds to write the inverse dynamics of a chain of 100 bodies, without the compiler, from an empty cache."""
    return at_most(cold_figures("chain100", "inverse", "none")["generate_s"], 1.0, "s")


ROWS = [
    Row(SOURCE, "engine", "c + a + b − a", "c + b", lambda: exact(cancelled)),
    Row(SOURCE, "engine", "C1 C1 + S1 S1", "1", lambda: exact(lambda: (C(1) * C(1) + S(1) * S(1), ONE))),
    Row(SOURCE, "engine", "2 C1 S1", "S11", lambda: exact(lambda: (2 * C(1) * S(1), S(1, 1)))),
    Row(SOURCE, "engine", "C1 C2 − S1 S2", "C12", lambda: exact(lambda: (C(1) * C(2) - S(1) * S(2), C(1, 2)))),
    Row(
        SOURCE,
        "engine",
        "sum of six products",
        "C24 S8 + S24 S56 C8",
        lambda: exact(lambda: (six_terms(), condensed())),
    ),
    Row(
        SOURCE,
        "engine",
        "the same sum, each product times S2",
        "S2 (C24 S8 + S24 S56 C8)",
        lambda: exact(lambda: (compacted([six_terms(S(2))])[0], S(2) * condensed())),
    ),
    Row(
        SOURCE,
        "engine",
        "operations of J(3, 1) of a chain of nine joints",
        "62 (220 without recursion)",
        lambda: at_most(jacobian_operations(), 62),
    ),
    Row(
        SOURCE,
        "engine",
        "equations of 100 degrees of freedom",
        "in less than 1 s",
        generated,
        "depends on the computer and its load",
    ),
    Row(
        SOURCE,
        "sensitivities",
        "sensitivities of an integral objective",
        "8 to 10 times faster than numerical ones",
        lambda: number(sensitivities()["times_faster"], 9.0, "times", 0.12),
        "by the number of parameters (7) and the computer",
    ),
    Row(
        SOURCE,
        "sensitivities",
        "sensitivities and finite differences",
        "equal",
        lambda: at_most(sensitivities()["deviation"], 1e-6, "relative"),
    ),
]
