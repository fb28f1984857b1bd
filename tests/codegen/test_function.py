"""Calling compiled functions: shapes, keywords, outputs to reuse, errors."""

from __future__ import annotations

import ctypes

import numpy as np
import pytest
from random_programs import random_program

from symbody.codegen import Function, build
from symbody.codegen.native import function_class
from symbody.codegen.program import Input, Output, Program
from symbody.expr.node import parameter, variable

q, u = (([variable(f"{s}[{i}]") for i in range(n)]) for s, n in (("q", 3), ("u", 2)))
ONE = Program(
    "sum", "m", "y = q + u", {"q": Input(3), "u": Input(2, optional=True)},
    {"y": Output((2,), (q[0] + q[1] + q[2] + u[1], u[0]))},
)  # fmt: skip


@pytest.fixture(params=["c", "plain c", "python"])
def f(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Function:
    """The same function on the fast caller, on ctypes and in Python."""
    if request.param == "plain c":
        monkeypatch.setattr("symbody.codegen.compiled.function_class", lambda: Function)
    return build(ONE, backend=request.param.split()[-1])


def test_ways_to_call(f: Function) -> None:
    x = np.array([1.0, 2.0, 3.0])
    assert f(x).tolist() == [6, 0]
    assert f(x, np.array([5.0, 7.0])).tolist() == [13, 5]
    assert f(x, u=np.array([5.0, 7.0])).tolist() == [13, 5]
    assert f(q=x, u=np.array([5.0, 7.0])).tolist() == [13, 5]
    assert f([1, 2, 3], u=[5, 7]).tolist() == [13, 5]
    assert f(np.arange(6.0)[::2], u=None).tolist() == [6, 0]
    assert f(x.astype(np.float32)).tolist() == [6, 0]
    out = np.empty(2)
    assert f(x, out=out) is out
    x[0] = 10.0
    assert f(x, out=out) is out
    assert out.tolist() == [15, 0]
    assert f(np.ones((4, 3))).shape == (4, 2)
    assert np.isnan(f(np.array([np.nan, 0.0, 0.0]))[0])


def test_wrong_calls_name_the_argument(f: Function) -> None:
    x = np.zeros(3)
    with pytest.raises(ValueError, match=r"q has the shape \(4,\); expected \(3,\)"):
        f(np.zeros(4))
    with pytest.raises(ValueError, match="u has 5 states"):
        f(np.zeros((4, 3)), np.zeros((5, 2)))
    with pytest.raises(TypeError, match="needs q"):
        f()
    with pytest.raises(TypeError, match="'v' is not one of q, u"):
        f(x, v=x)
    with pytest.raises(TypeError, match="given twice"):
        f(x, q=x)
    with pytest.raises(TypeError, match="3 arguments"):
        f(x, x, x)
    with pytest.raises(ValueError, match="out for y"):
        f(x, out=np.zeros(3))
    read_only = np.zeros(2)
    read_only.flags.writeable = False
    with pytest.raises(ValueError, match="out for y"):
        f(x, out=read_only)


def test_several_outputs_are_a_named_tuple() -> None:
    f = build(random_program(0), backend="c")
    result = f(np.ones(4), np.ones(3))
    assert result._fields == ("M", "c", "z")
    assert result.M.shape == (3, 4)
    out = tuple(np.empty_like(y) for y in result)
    assert f(np.ones(4), np.ones(3), out=out) is out
    np.testing.assert_array_equal(out[0], result.M)
    with pytest.raises(ValueError, match="3 arrays"):
        f(np.ones(4), np.ones(3), out=out[:2])


def test_facts_and_entry_for_c() -> None:
    mass = parameter("mass")
    program = Program("f", "m", "y", {"q": Input(3)}, {"y": Output((1,), (mass * mass * q[0],))}, {"mass": 2.0}, ("n",))
    f = build(program, backend="c")
    assert f.notes == ("n",)
    assert f.hoisted.tolist() == [4.0]
    assert f.path is not None
    assert f.path.exists()
    assert "m_f_hoist" in f.source
    assert f.operations.mul == 1
    pointer = ctypes.POINTER(ctypes.c_double)
    x, y = np.array([3.0, 0.0, 0.0]), np.zeros(1)
    call = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)(f.address)
    ins, outs = (pointer * 1)(x.ctypes.data_as(pointer)), (pointer * 1)(y.ctypes.data_as(pointer))
    call(ctypes.addressof(ins), ctypes.addressof(outs), f.hoisted.ctypes.data)
    assert y[0] == 12.0
    assert f.parameters == {"mass": 2.0}
    with pytest.raises(KeyError, match="did you mean mass"):
        f.parameters["masss"]
    with pytest.raises(KeyError):
        f.parameters.update({"mass": 5.0, "nothing": 1.0})
    assert f.parameters["mass"] == 2.0
    with pytest.raises(TypeError):
        del f.parameters["mass"]


def test_fast_caller_is_there() -> None:
    assert function_class() is not Function
