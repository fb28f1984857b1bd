"""Simplification: exact examples of the literature, the rules behind them, and values that never change.

Tests of node.py, theorems.py, compact.py.
"""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from symbody.equations.kinematics import pose_at, poses
from symbody.equations.tree import build_tree
from symbody.expr.compact import compacted
from symbody.expr.derive import derivative
from symbody.expr.graph import evaluate, operations
from symbody.expr.node import ONE, ZERO, const, cos, neg, parameter, sin, variable
from symbody.expr.node_table import fresh_graph
from symbody_bench.validate.documents.symbolic_engine import C, S, nine_joint_chain, six_terms

q = {i: variable(f"q[{i}]") for i in range(1, 10)}


def test_terms_that_cancel_leave_nothing_behind():
    a, b, c = variable("a"), variable("b"), variable("c")
    assert c + a + b - a is c + b


@pytest.mark.parametrize(
    ("expression", "condensed"),
    [
        (C(1) * C(1) + S(1) * S(1), ONE),
        (2 * C(1) * S(1), S(1, 1)),
        (C(1) * C(2) - S(1) * S(2), C(1, 2)),
        (S(1) * C(2) + C(1) * S(2), S(1, 2)),
        (C(1) * C(2) + S(1) * S(2), cos(q[1] - q[2])),
        (S(1) * C(2) - C(1) * S(2), sin(q[1] - q[2])),
    ],
)
def test_addition_theorems(expression, condensed):
    assert expression is condensed


def test_grouping_finds_the_theorems_inside_longer_products():
    assert six_terms() is C(2, 4) * S(8) + S(2, 4) * S(5, 6) * C(8)


def test_common_factor_is_taken_out():
    (condensed,) = compacted([six_terms(S(2))])
    assert condensed is S(2) * (C(2, 4) * S(8) + S(2, 4) * S(5, 6) * C(8))


def test_theorems_see_through_parameters():
    g = parameter("g")
    assert (g * S(1)) * C(2) + (g * C(1)) * S(2) is g * S(1, 2)


def test_jacobian_element_needs_at_most_62_operations():
    with fresh_graph():
        tree = build_tree(nine_joint_chain())
        position = pose_at(tree.places["b9"], poses(tree)).P
        element = derivative(position[2], variable("q[0]"))
        assert operations([element]).total <= 62


def test_signs_are_pulled_out_and_met_again():
    a, b = variable("a"), variable("b")
    assert (b - a) is neg(a - b)
    assert (-a) * b is neg(a * b)
    assert (-a) * (-b) is a * b
    assert sin(-a) is neg(sin(a))
    assert cos(a - b) is cos(b - a)


def test_one_node_whatever_the_order_it_is_built_in():
    a, b, c = variable("a"), variable("b"), variable("c")
    assert (a + b) + c is a + (c + b)
    assert (a * b) * c is (c * a) * b


def test_parameters_gather_so_that_they_can_be_hoisted():
    m, L, v, w = parameter("m"), parameter("L"), variable("v"), variable("w")
    assert operations([m * (L * v)]).total == 1
    assert operations([m * v + L * v]).total == 1
    assert operations([(m + v) + L]).total == 1
    assert operations([v / (m * L) + w / (m * L)]).div == 0


def test_numbers_fold_and_bad_ones_are_refused():
    a = variable("a")
    assert a * 0 is ZERO
    assert 2 * a + 3 * a is 5 * a
    assert const(2) * const(3) is const(6)
    with pytest.raises(ValueError, match="finite"):
        a + float("nan")
    with pytest.raises(ZeroDivisionError):
        a / 0.0
    with pytest.raises(TypeError, match="where"):
        bool(a < 1)


NAMES = {"x": 0.7, "y": -1.3, "z": 2.1, "p": 0.45, "r": -0.8}
LEAVES = [variable("x"), variable("y"), variable("z"), parameter("p"), parameter("r")]


def grown(steps):
    """A pool of expressions and, computed alongside with plain floats, the values they must have."""
    pool = [(e, NAMES[e.value]) for e in LEAVES] + [
        (f(e), g(NAMES[e.value])) for e in LEAVES[:3] for f, g in ((sin, math.sin), (cos, math.cos))
    ]
    for op, i, j in steps:
        (a, va), (b, vb) = pool[i % len(pool)], pool[j % len(pool)]
        match op:
            case 0:
                new = (a + b, va + vb)
            case 1:
                new = (a - b, va - vb)
            case 2:
                new = (a * b, va * vb)
            case 3:
                new = (-a, -va)
            case 4:
                new = (a * 2.0, va * 2.0)
            case _:
                new = (a / (1.5 + b * b), va / (1.5 + vb * vb))
        if abs(new[1]) < 1e6:
            pool.append(new)
    return pool


@settings(max_examples=300, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 200), st.integers(0, 200)), max_size=60))
def test_simplification_keeps_the_value(steps):
    pool = grown(steps)
    expressions = [e for e, _ in pool]
    expected = np.array([v for _, v in pool])
    for form in (expressions, compacted(expressions)):
        np.testing.assert_allclose(evaluate(form, NAMES), expected, rtol=1e-9, atol=1e-9)
