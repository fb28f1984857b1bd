"""Derivatives of rates through loops and accelerations (`system/derivatives.py`), against differences."""

import numpy as np
import pytest

import symbody as sb
from symbody import machines
from symbody.codegen.program import Output
from symbody.expr.node import wrap
from symbody.system.derivatives import columns_of, matrix_of
from symbody.system.trace import traced_system

STEP = 1e-6


def test_columns_become_a_matrix_by_rows():
    a, b, c, d = map(wrap, (1.0, 2.0, 3.0, 4.0))
    assert matrix_of([[a, b], [c, d]], 2) == Output((2, 2), (a, c, b, d))


def test_the_order_of_the_symbols_changes_no_column():
    d = sb.system(machines.model("four-bar"), backend="python").definition
    traced = traced_system(d.model, d.state_partition, d.options)
    columns = traced.make(lambda one: [columns_of(one, one.rates, chosen) for chosen in (one.x, one.x[::-1])])
    assert [[*column] for column in columns[0]] == [[*column] for column in columns[1][::-1]]


@pytest.mark.parametrize("name", ["double-pendulum", "four-bar", "quarter-car"])
def test_slopes_of_rates_are_those_of_differences(name):
    s, rng = sb.system(machines.model(name), backend="python"), np.random.default_rng(6)
    for _ in range(10):
        x = s.x0 + 0.02 * rng.normal(size=len(s.x0))
        A = s.linear(0.0, x, s.u0).A
        found = [(s.rates(0.0, x + h, s.u0) - s.rates(0.0, x - h, s.u0)) / (2 * STEP) for h in STEP * np.eye(len(x))]
        np.testing.assert_allclose(A, np.transpose(found), rtol=1e-5, atol=1e-5 * np.abs(A).max())
