"""Unknowns found by iteration inside the generated function: a four-bar linkage, against Newton's method in NumPy.

Tests of header.py, c_routine.py.
"""

from __future__ import annotations

import shutil
import subprocess
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from node import NODE, printed

from symbody.codegen import build, write_sources
from symbody.codegen.compiler import find_compiler
from symbody.codegen.function import Function
from symbody.codegen.program import Closure, Input, Output, Program
from symbody.codegen.schedule import schedule
from symbody.codegen.sources import LANGUAGES, sources
from symbody.codegen.targets.c import c_source
from symbody.expr.functions import acos
from symbody.expr.graph import evaluate
from symbody.expr.linear import factorise
from symbody.expr.node import ONE, Expr, const, cos, parameter, sin, variable

OCTAVE = shutil.which("octave-cli") or shutil.which("octave")
BACKENDS = ["c", "python"]
LENGTHS = {"crank": 0.3, "coupler": 1.0, "rocker": 0.8, "ground": 1.1}
GUESS = np.array([0.5, 1.5])
STRICT = ["-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-O1", "-c"]


def four_bar(unknowns: str = "x", outputs: tuple[str, str] = ("y", "z")) -> Program:
    """Crank and coupler end where the rocker does; coupler and rocker angles are unknown."""
    a, b, c, d = (parameter(name) for name in LENGTHS)
    q, x0, x1 = variable("q[0]"), variable(f"{unknowns}[0]"), variable(f"{unknowns}[1]")
    residual = (a * cos(q) + b * cos(x0) - c * cos(x1) - d, a * sin(q) + b * sin(x0) - c * sin(x1))
    jacobian = [[-b * sin(x0), c * sin(x1)], [b * cos(x0), -c * cos(x1)]]
    point = (a * cos(q) + b * 0.5 * cos(x0 + 0.3), a * sin(q) + b * 0.5 * sin(x0 + 0.3), q * q)
    y, z = outputs
    return Program(
        "loop", "fourbar", "y(q)", {"q": Input(1), "start": Input(2)},
        {y: Output((3,), point), z: Output((2,), (x0, x1))}, dict(LENGTHS),
        closure=Closure(unknowns, "start", tuple(factorise(jacobian).solve(list(residual)))),
    )  # fmt: skip


def one_unknown(residual: Expr, derivative: Expr, **options: Any) -> Program:
    """residual(x) = 0, where p is an input."""
    x, closure = variable("x[0]"), Closure("x", "start", (residual / derivative,), **options)
    inputs = {"p": Input(1), "start": Input(1)}
    return Program("root", "one", "x", inputs, {"y": Output((2,), (x, variable("p[0]")))}, closure=closure)


def solved(program: Program, parameters: dict[str, float], q: float) -> np.ndarray:
    """All outputs in a row, by Newton's method and the graph."""
    closure = program.closure
    assert closure is not None
    x = GUESS.copy()
    for _ in range(20):
        values = parameters | {"q[0]": q} | {f"{closure.unknowns}[{i}]": v for i, v in enumerate(x)}
        x = x - np.array(evaluate(closure.step, values))
    values |= {f"{closure.unknowns}[{i}]": v for i, v in enumerate(x)}
    return np.array(evaluate(program.results, values))


def row(f: Function, *inputs: Any) -> np.ndarray:
    return np.concatenate([*f(*inputs)], axis=-1)


@pytest.mark.parametrize("backend", BACKENDS)
def test_four_bar(backend: str) -> None:
    program = four_bar()
    f = build(program, backend=backend)
    start = GUESS.copy()
    for q in (0.0, 0.7, 2.5, -1.2):
        np.testing.assert_allclose(row(f, [q], start), solved(program, LENGTHS, q), rtol=1e-13, atol=1e-13)
    assert np.array_equal(start, GUESS)
    f.parameters["rocker"] = 0.9
    np.testing.assert_allclose(row(f, [0.7], start), solved(program, LENGTHS | {"rocker": 0.9}, 0.7), atol=1e-13)


@pytest.mark.parametrize("backend", BACKENDS)
def test_names_of_the_unknowns_and_outputs(backend: str) -> None:
    expected = row(build(four_bar(), backend=backend), [0.7], GUESS)
    for unknowns, outputs in {"x": ("x", "J"), "h": ("r", "step"), "t3": ("i", "h"), "sn": ("m", "w")}.items():
        f = build(four_bar(unknowns, outputs), backend=backend)
        np.testing.assert_allclose(row(f, [0.7], GUESS), expected, rtol=1e-13)


@pytest.mark.parametrize("backend", BACKENDS)
def test_batch_is_a_loop_of_single_states(backend: str) -> None:
    f = build(four_bar(), backend=backend)
    for n in (0, 1, 5):
        q = np.linspace(-2.0, 2.0, n)[:, None]
        batch = row(f, q, GUESS)
        assert batch.shape == (n, 5)
        for i in range(n):
            np.testing.assert_allclose(batch[i], row(f, q[i], GUESS), rtol=1e-13, atol=1e-13)
    starts = GUESS + np.array([[0.0, 0.0], [np.nan, 0.0], [0.1, 0.1]])  # one state fails, the others do not
    assert np.isnan(row(f, [0.7], starts)).any(axis=1).tolist() == [False, True, False]


@pytest.mark.parametrize("backend", BACKENDS)
def test_impossible_lengths_give_nan(backend: str) -> None:
    f = build(four_bar(), backend=backend)
    f.parameters["ground"] = 5.0
    began = time.process_time()
    y, x = f([0.7], GUESS)
    assert time.process_time() - began < 1.0
    assert np.isnan(x).all()
    assert np.isnan(y).tolist() == [True, True, False]  # what does not depend on the unknowns stays


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("start", [[0.5, 0.5], [np.inf, 0.0], [np.nan, 0.0]])
def test_singular_jacobian_gives_nan(backend: str, start: list[float]) -> None:
    assert np.isnan(build(four_bar(), backend=backend)([0.7], start).z).all()  # coupler and rocker in line


@pytest.mark.parametrize("backend", BACKENDS)
def test_failures_with_one_unknown(backend: str) -> None:
    x, p = variable("x[0]"), variable("p[0]")
    root = build(one_unknown(x * x - p, 2 * x), backend=backend)
    np.testing.assert_allclose(root([2.0], [1.0]), [2**0.5, 2.0], rtol=1e-15)
    assert np.isnan(root([2.0], [0.0])[0])  # flat
    assert np.isnan(root([-1.0], [0.3])[0])  # no root
    outside = build(one_unknown(acos(x) - p, const(-1.0)), backend=backend)  # acos(3)
    assert np.isnan(outside([0.5], [3.0])[0])
    far = build(one_unknown(x - p, const(1e-300)), backend=backend)
    assert np.isnan(far([1e300], [0.0])[0])  # the step overflows


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_small_step_is_the_last(backend: str) -> None:
    x, p = variable("x[0]"), variable("p[0]")
    for limit, enough in ((1, False), (2, True)):  # the first step reaches the root, the second one is zero
        f = build(one_unknown(x - p, ONE, limit=limit), backend=backend)
        assert np.isfinite(f([2.0], [1.0])[0]) == enough
    loose = build(one_unknown(x * x - p, 2 * x, tolerance=0.5), backend=backend)
    np.testing.assert_allclose(loose([2.0], [1.0])[0], 1.5)  # a step of 0.5 relative to 1 + 1.5


@pytest.mark.slow
@pytest.mark.parametrize(("part", "unit"), [(2, 100), (2, 1)])
def test_split_functions(part: int, unit: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("symbody.codegen.compiled.c_source", lambda plan: c_source(plan, part, unit))
    program = four_bar()
    f = build(program, backend="c")
    assert "fourbar_loop_step_2(" in f.source
    np.testing.assert_allclose(row(f, [0.7], GUESS), solved(program, LENGTHS, 0.7), rtol=1e-13)
    np.testing.assert_allclose(row(f, [[0.7], [0.2]], GUESS)[0], solved(program, LENGTHS, 0.7), rtol=1e-13)


def test_clean_c99(tmp_path: Path) -> None:
    compiler = find_compiler()
    assert compiler is not None
    file = next(p for p in write_sources(four_bar(), "c", tmp_path) if p.name == "fourbar_loop.c")
    batch = file.with_name("fourbar_loop_batch.c")
    cut = tmp_path / "cut.c"
    cut.write_text(c_source(schedule(four_bar()), 2, 1).code)
    for options in (
        [str(file)],
        [str(batch)],
        [str(cut)],
        [str(cut), "-DSYMBODY_UNIT=0"],
        [str(cut), "-DSYMBODY_UNIT=2"],
    ):
        subprocess.run([*compiler, *STRICT, *options, "-o", str(tmp_path / "x.o")], check=True)


def test_counts_and_header() -> None:
    program = four_bar()
    rest, plan = schedule(replace(program, closure=None)), schedule(program)
    assert plan.iteration is not None
    assert plan.operations.total == rest.operations.total + plan.iteration.operations.total
    assert plan.operations.trig == rest.operations.trig + 6
    assert plan.statements == rest.statements + len(plan.iteration.block.statements)
    assert program.operations.trig == plan.operations.trig
    assert program.operations.hoisted == plan.operations.hoisted
    line = f"2 unknowns, by Newton's method: {plan.iteration.operations.total} operations per iteration"
    for language in LANGUAGES:
        assert line in next(iter(sources(program, language).values()))


@pytest.mark.skipif(NODE is None, reason="Node is not installed")
def test_javascript(tmp_path: Path) -> None:
    program = four_bar("x", ("x", "J"))
    (path,) = write_sources(program, "javascript", tmp_path)
    calls = [
        f"{{ const {{x, J}} = f.{path.stem}([0.7], {start}, f.{path.stem}_hoist([0.3, 1, 0.8, {ground}]));"
        "console.log([...x, ...J].join(' ')); }"
        for start, ground in (("[0.5, 1.5]", 1.1), ("[0.5, 0.5]", 1.1), ("[0.5, 1.5]", 5.0))
    ]
    one, *failed = printed(f"import * as f from {path.as_uri()!r}; {' '.join(calls)}", tmp_path).reshape(3, 5)
    np.testing.assert_allclose(one, solved(program, LENGTHS, 0.7), rtol=1e-13, atol=1e-13)
    assert np.isnan(failed).tolist() == [[True, True, False, True, True]] * 2


@pytest.mark.skipif(OCTAVE is None, reason="Octave is not installed")
def test_octave(tmp_path: Path) -> None:
    program = four_bar("x", ("x", "J"))
    name = write_sources(program, "matlab", tmp_path)[0].stem
    calls = [
        f"[x, J] = {name}(0.7, {start}, {name}_hoist([0.3 1 0.8 {ground}])); printf('%.17g\\n', x, J);"
        for start, ground in (("[0.5 1.5]", 1.1), ("[0.5 0.5]", 1.1), ("[0.5 1.5]", 5.0))
    ]
    assert OCTAVE is not None
    done = subprocess.run([OCTAVE, "--eval", "".join(calls)], cwd=tmp_path, capture_output=True, text=True, check=True)
    one, *failed = np.array(done.stdout.split(), dtype=float).reshape(3, 5)
    np.testing.assert_allclose(one, solved(program, LENGTHS, 0.7), rtol=1e-13, atol=1e-13)
    assert np.isnan(failed).tolist() == [[True, True, False, True, True]] * 2
    assert "warning" not in done.stderr
