"""The sines and cosines of generated C, against libm."""

from __future__ import annotations

import numpy as np
import pytest

from symbody.codegen import Function, build
from symbody.codegen.program import Input, Output, Program
from symbody.expr.node import cos, sin, variable

N = 16


@pytest.fixture
def f() -> Function:
    q = [variable(f"q[{i}]") for i in range(N)]
    outputs = {"s": Output((N,), tuple(map(sin, q))), "c": Output((N,), tuple(map(cos, q)))}
    return build(Program("trig", "angles", "s, c = sin q, cos q", {"q": Input(N)}, outputs), backend="c")


def test_error_in_units_of_the_last_place(f: Function) -> None:
    rng = np.random.default_rng(1)
    x = rng.uniform(-1, 1, (20000, N)) * 10.0 ** rng.uniform(-8, 5.3, (20000, 1))
    x[::3] = np.round(x[::3] / (np.pi / 2)) * (np.pi / 2)  # beside the zeros, where relative errors are hard
    got = f(x)
    for result, exact in ((got.s, np.sin(x)), (got.c, np.cos(x))):
        assert np.max(np.abs(result - exact) / np.spacing(np.abs(exact))) <= 3.0


def test_far_and_infinite_angles(f: Function) -> None:
    x = np.linspace(-1, 1, N)
    x[:4] = np.nan, np.inf, 1e300, -3e7
    got = f(x)
    with np.errstate(invalid="ignore"):
        np.testing.assert_allclose(got.s, np.sin(x), rtol=1e-15)
        np.testing.assert_allclose(got.c, np.cos(x), rtol=1e-15)
    assert np.isnan(got.s[:2]).all()
    assert np.isfinite(got.s[2:]).all()
