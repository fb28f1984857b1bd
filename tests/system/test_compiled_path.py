"""Loops followed in C (compiled_path.py, loop_programs.py, loop_path.h): the same as in NumPy, or a reason."""

import re
from pathlib import Path

import numpy as np
import pytest
from test_loop_closing import states

import symbody as sb
from symbody import machines
from symbody.system import loop_path, system
from symbody.system.compiled_path import CompiledPaths

HEADER = Path(sb.__file__).parent / "codegen/runtime/loop_path.h"


def closed(paths, s, x):
    return paths.rows({"t": np.zeros(1), "x": x, "u": s.u0})


@pytest.mark.parametrize("name", ["four-bar", "double-wishbone", "quarter-car", "stewart"])
def test_c_and_numpy_agree_at_random_states(name):
    s = sb.system(machines.model(name))
    x = states(s, 12, seed=7)
    expected, found = s.close_loops(0.0, x), closed(CompiledPaths(s), s, x)
    np.testing.assert_array_equal(np.isfinite(found).all(axis=1), expected.closed)
    np.testing.assert_allclose(found[expected.closed], expected.v[expected.closed], atol=1e-9)


def test_a_driven_crank_is_followed_in_its_own_coordinate():
    model = machines.model("four-bar")
    next(joint for joint in model.joints() if joint.name == "crank").nature = "driven"
    s = sb.system(model, inputs=["crank.q"])
    paths, place = CompiledPaths(s), s.inputs.index("crank.q")
    for angle in (-3.1, 2.0, 6.0):
        u = s.u0.copy()
        u[place] = angle
        found = paths.rows({"t": np.zeros(1), "x": s.x0[None], "u": u})[0]
        np.testing.assert_allclose(found, s.dependent(0.0, s.x0, u), atol=1e-9)


def test_states_that_are_not_finite_are_not_closed():
    s = sb.system(machines.model("four-bar"))
    assert np.isnan(closed(CompiledPaths(s), s, np.array([[np.nan, 0.0], [np.inf, 0.0]]))).all()


def test_the_reason_names_the_loop_and_its_gap():
    s = sb.system(machines.model("double-wishbone"))
    far = s.x0 + np.where(np.arange(len(s.x0)) < len(s.layout.positions), 1.4, 0.0)
    why = CompiledPaths(s).why({"t": np.zeros(1), "x": far, "u": s.u0})
    assert re.search(r"followed from the start over 0\.818 of the way .* loop 'upper_ball' is open by 0\.057 m", why)


def test_c_has_the_numbers_of_python():
    text = HEADER.read_text(encoding="utf-8")
    numbers = dict(re.findall(r"#define LOOP_(\w+) +([\w.()+-]+)", text))
    for name, value in numbers.items():
        if name != "WORK":
            known = getattr(loop_path, name) if hasattr(loop_path, name) else getattr(system, name)
            assert eval(value, {"log": np.log}) == pytest.approx(known, rel=1e-15)
    assert {"CONVERGED", "FIRST", "BEND", "DETERMINANT", "LEAP2", "PIVOT"} <= set(numbers)
