"""Replacing a node by another expression must give the value that the replaced node's value gives."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from symbody.expr import functions as fn
from symbody.expr.graph import evaluate, needed
from symbody.expr.node import ONE, ZERO, const, cos, node_of, parameter, power, sin, sqrt, variable
from symbody.expr.substitute import substituted

VALUES = {"x": 0.7, "y": -1.3, "z": 0.4, "p": 0.45}
X, Y, Z, P = variable("x"), variable("y"), variable("z"), parameter("p")
LINE = ((-2.0, -1.0, 0.0, 1.0), (1.0, 3.0, -2.0, 5.0))
SURFACE = (0.0, 1.0, 2.0), (-2.0, -1.0, 0.0), ((1.0, 2.0, 4.0), (3.0, 1.0, 0.0), (2.0, 2.0, 5.0))
CELLS = (*SURFACE[:2], tuple(v for row in SURFACE[2] for v in row))

OPERATIONS = [
    lambda a, b: a + b,
    lambda a, b: a - b,
    lambda a, b: a * b,
    lambda a, b: -a,
    lambda a, b: a / (1.5 + b * b),
    lambda a, b: sin(a) * cos(b) + cos(a) * sin(b),
    lambda a, b: sqrt(1 + a * a) + fn.tan(b * 0.01),
    lambda a, b: power(1 + a * a, fn.tanh(b)),
    lambda a, b: fn.asin(fn.tanh(a)) + fn.acos(fn.tanh(b)) + fn.atan(a),
    lambda a, b: fn.atan2(a, 1 + b * b),
    lambda a, b: fn.exp(-a * a) + fn.log(1 + b * b),
    lambda a, b: fn.absolute(a) + fn.sign(b),
    lambda a, b: fn.minimum(a, b) + fn.maximum(a, 0.3),
    lambda a, b: fn.where(a < b, a, b * b) + fn.where(fn.either(a <= b, b < 0), 1.0, b),
    lambda a, b: fn.table(a, *LINE) + node_of("table_slope", (a,), LINE),
    lambda a, b: fn.table2(a, b, *SURFACE) + node_of("table2_slope_x", (a, b), CELLS),
]
REPLACEMENTS = [const(0.0), const(1.0), const(-0.8), P, Y, X + Z, sin(Z), -X, P * 2.0]


def grown(steps):
    """Expressions of x, y, z, p built by random operations; those that leave a handy range are left out."""
    pool = [X, Y, Z, P]
    for op, i, j in steps:
        new = OPERATIONS[op](pool[i % len(pool)], pool[-1 - j % len(pool)])
        if abs(evaluate([new], VALUES)[0]) < 1e3:
            pool.append(new)
    return pool


@settings(max_examples=200, deadline=None)
@given(
    st.lists(
        st.tuples(st.integers(0, len(OPERATIONS) - 1), st.integers(0, 50), st.integers(0, 50)), min_size=1, max_size=12
    ),
    st.integers(0, len(REPLACEMENTS) - 1),
)
def test_substitution_gives_the_value_at_the_replacement(steps, chosen):
    pool, by = grown(steps), REPLACEMENTS[chosen]
    at = VALUES | {"x": evaluate([by], VALUES)[0]}
    found = substituted(pool, {X: by})
    np.testing.assert_allclose(evaluate(found, VALUES), evaluate(pool, at), rtol=1e-9, atol=1e-9)
    for before, after in zip(pool, found, strict=True):
        assert X in needed([before]) or after is before
        if by.op == "const" and X in needed([before]):
            assert X not in needed([after])


@pytest.mark.parametrize("op", range(len(OPERATIONS)))
def test_numbers_fold_in_every_operation(op):
    e = OPERATIONS[op](X, Y)
    (found,) = substituted([e], {X: const(0.2), Y: const(-0.6)})
    assert found.op == "const"
    assert found.value == pytest.approx(evaluate([e], {"x": 0.2, "y": -0.6})[0], rel=1e-12)


def test_inner_nodes_can_be_replaced_and_replacement_happens_once():
    inner = X * Y
    assert substituted([sin(inner) + Z], {inner: Z})[0] is sin(Z) + Z
    assert substituted([X - Y], {X: Y, Y: X})[0] is Y - X
    assert substituted([ONE, X], {X: ZERO}) == [ONE, ZERO]


def test_a_choice_protects_from_what_it_does_not_choose():
    guarded = fn.where(fn.absolute(X) < 1e-9, 1.0, sin(X) / X)
    assert substituted([guarded], {X: ZERO})[0] is ONE
    with pytest.raises(ZeroDivisionError):
        substituted([sin(X) / X], {X: ZERO})
    with pytest.raises(ZeroDivisionError):
        substituted([fn.where(Y < 0, 1.0, 1 / X)], {X: ZERO})


def test_long_expressions_need_no_recursion():
    e = X
    for _ in range(20_000):
        e = sin(e)
    (found,) = substituted([e], {X: Y})
    assert len(needed([found])) == 20_001
    assert found is not e
