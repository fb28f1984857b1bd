"""External functions called from generated code: Python through its address in h, C by its source."""

from __future__ import annotations

import ctypes
import math
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from symbody.codegen import Function, build, cached, write_sources
from symbody.codegen.compiler import find_compiler
from symbody.codegen.program import Closure, Gram, Input, Output, Program
from symbody.codegen.schedule import CallOut, schedule
from symbody.codegen.sources import LANGUAGES, sources
from symbody.codegen.targets.c import c_source
from symbody.errors import CompileError
from symbody.expr.derive import jacobian
from symbody.expr.external import External, call
from symbody.expr.functions import absolute, maximum
from symbody.expr.node import ZERO, Expr, const, cos, parameter, sin, variable

SOURCE = """
#include <math.h>
static double squared(double x) { return x*x; }
void swirl(const double *x, double *y)
{
    y[0] = x[0]*sin(x[1]);
    y[1] = squared(x[0]) + x[1];
}
"""
STRICT = ["-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-O1", "-c"]
Q = [variable(f"q[{i}]") for i in range(2)]


def swirl(x: float, y: float) -> tuple[float, float]:
    return x * math.sin(y), x * x + y


def in_python(function: Callable[..., Any] = swirl) -> External:
    return External("swirl", 2, 2, function)


def in_c() -> External:
    return External("swirl", 2, 2, source=SOURCE)


KINDS = [("c", in_python), ("c", in_c), ("python", in_python)]


def law(external: External, mass: Expr | float = 1.0) -> Program:
    """Forces and their slopes; an output is a plain call, another has constant arguments."""
    a, b = call(external, [Q[0] * mass + 1, sin(Q[1])])
    still = call(external, [const(2.0), const(0.5)])
    rows = jacobian([a * b, b], Q)
    return Program(
        "law", "m", "F(q)", {"q": Input(2)},
        {"F": Output((4,), (a * b + cos(a), b, *still)), "K": Output((2, 2), tuple(x for row in rows for x in row))},
        {"mass": 1.5} if isinstance(mass, Expr) else {},
    )  # fmt: skip


def law_values(q: np.ndarray, mass: float = 1.0) -> np.ndarray:
    x, y = q[0] * mass + 1, math.sin(q[1])
    a, b = swirl(x, y)
    da, db = np.array([math.sin(y) * mass, x * math.cos(y) * math.cos(q[1])]), np.array([2 * x * mass, math.cos(q[1])])
    slopes = np.array([da * b + a * db, db])
    return np.concatenate([[a * b + math.cos(a), b, *swirl(2.0, 0.5)], slopes.ravel()])


def row(f: Function, *inputs: Any) -> np.ndarray:
    return np.concatenate([np.ravel(y) for y in f(*inputs)])


@pytest.mark.parametrize(("backend", "external"), KINDS)
def test_values_and_slopes(backend: str, external: Callable[[], External]) -> None:
    f = build(law(external()), backend=backend)
    for q in np.array([[0.3, 0.8], [-2.0, 40.0]]):
        np.testing.assert_allclose(row(f, q), law_values(q), rtol=1e-8, atol=1e-8)
        np.testing.assert_allclose(f(q).F, law_values(q)[:4], rtol=1e-13)


@pytest.mark.parametrize(("backend", "external"), KINDS)
def test_live_parameters(backend: str, external: Callable[[], External]) -> None:
    f = build(law(external(), parameter("mass") * parameter("mass")), backend=backend)
    q = np.array([0.3, 0.8])
    np.testing.assert_allclose(row(f, q), law_values(q, 2.25), rtol=1e-8)
    f.parameters["mass"] = 2.0  # leaves what lies behind the hoisted values alone
    np.testing.assert_allclose(row(f, q), law_values(q, 4.0), rtol=1e-8)


@pytest.mark.parametrize(("backend", "external"), KINDS)
def test_batch_is_a_loop_of_single_states(backend: str, external: Callable[[], External]) -> None:
    f = build(law(external()), backend=backend)
    q = np.array([[0.3, 0.8], [-2.0, 4.0], [1.0, 0.0], [0.1, 0.2], [0.0, 0.0]])
    F, K = f(q)
    for i in range(len(q)):
        np.testing.assert_allclose([*F[i], *K[i].ravel()], row(f, q[i]), rtol=1e-14)
    assert f(q[:0]).F.shape == (0, 4)


@pytest.mark.parametrize("external", [in_python, in_c])
@pytest.mark.parametrize(("part", "unit"), [(3, 100), (2, 1)])
def test_split_functions(
    external: Callable[[], External], part: int, unit: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("symbody.codegen.compiled.c_source", lambda plan: c_source(plan, part, unit))
    f = build(law(external(), parameter("mass")), backend="c")
    assert "m_law_3(" in f.source
    q = np.array([0.3, 0.8])
    np.testing.assert_allclose(row(f, q), law_values(q, 1.5), rtol=1e-8)
    np.testing.assert_allclose(f(np.tile(q, (3, 1))).F[2], law_values(q, 1.5)[:4], rtol=1e-13)


def test_units_share_one_definition(monkeypatch: pytest.MonkeyPatch) -> None:
    counting = "static int calls;\nvoid link(const double *x, double *y) { y[0] = x[0] + ++calls; }"
    external = External("link", 1, 1, source=counting)  # libc has a link(), too
    x = Q[0]
    for _ in range(20):
        (x,) = call(external, [x])
    monkeypatch.setattr("symbody.codegen.compiled.c_source", lambda plan: c_source(plan, 3, 1))
    f = build(Program("f", "m", "y", {"q": Input(1)}, {"y": Output((1,), (x,))}), backend="c")
    assert "SYMBODY_UNIT == 3" in f.source
    assert f([0.0]) == 20 * 21 / 2


def rooted(external: External) -> Program:
    """x with swirl_1(x, q) = 5: x² + q = 5; |x| occurs in the residual only."""
    x = variable("x[0]")
    residual = call(external, [absolute(x), Q[0]])[1] - 5.0
    slope = jacobian([residual], [x])[0]
    closure = Closure("x", "start", (residual / slope[0],), tolerance=1e-11)
    return Program(
        "root", "m", "x", {"q": Input(1), "start": Input(1)}, {"y": Output((2,), (x, call(external, [x, x])[0]))},
        closure=closure,
    )  # fmt: skip


@pytest.mark.parametrize(("backend", "external"), KINDS)
def test_inside_a_closure(backend: str, external: Callable[[], External]) -> None:
    f = build(rooted(external()), backend=backend)
    np.testing.assert_allclose(f([1.0], [1.5]), [2.0, 2 * math.sin(2.0)], rtol=1e-10)
    np.testing.assert_allclose(f([[1.0], [-4.0]], [1.5])[:, 0], [2.0, 3.0], rtol=1e-10)


def test_selections_are_there_for_closures_and_loops() -> None:
    x = [variable(f"x[{i}]") for i in range(1)]
    step = (absolute(x[0]) * x[0] - 4.0) / (absolute(x[0]) * 2)
    inputs, closure = {"start": Input(1)}, Closure("x", "start", (step,))
    f = build(Program("f", "m", "y", inputs, {"y": Output((1,), tuple(x))}, closure=closure), backend="c")
    np.testing.assert_allclose(f([1.0]), [2.0])
    six = tuple(maximum(Q[0], float(i)) for i in range(6))
    gram = Gram((six, six), (six, six), ((1, 0, 1),))
    f = build(Program("g", "m", "M", {"q": Input(2)}, {"M": Output((2, 2), (ZERO,) * 4, gram)}), backend="c")
    assert f([2.5, 0.0]).tolist() == [[0.0, 3 * 2.5**2 + 50.0], [3 * 2.5**2 + 50.0, 0.0]]


def test_all_outputs_come_from_one_call() -> None:
    calls = []

    def counted(x: float, y: float) -> tuple[float, float]:
        calls.append((x, y))
        return swirl(x, y)

    program = law(in_python(counted))
    assert len([s for s in schedule(program).body.statements if isinstance(s, CallOut)]) == 4  # 2 calls, 2 slopes
    f = build(program, backend="c")
    f([0.3, 0.8])
    assert len(calls) == 2 + 2 * 2
    f([0.3, 0.8])
    assert len(calls) == 12  # nothing is remembered: the function may have changed its mind


def test_functions_of_equal_text_keep_their_own_callables(cache: Path) -> None:
    f = build(law(in_python()), backend="c")
    g = build(law(in_python(lambda x, y: (10.0, 20.0))), backend="c")
    assert f.path == g.path
    q = np.array([0.3, 0.8])
    for _ in range(2):
        np.testing.assert_allclose(f(q).F, law_values(q)[:4], rtol=1e-13)
        np.testing.assert_allclose(g(q).F, [200 + math.cos(10.0), 20.0, 10.0, 20.0], rtol=1e-13)
    np.testing.assert_allclose(f(q[None]).F[0], f(q).F)
    np.testing.assert_allclose(g(q[None]).F[0], g(q).F)


def moody(x: float, y: float) -> tuple[float, float]:
    if x > 3.0:
        raise LookupError("no force above 3")
    if x > 2.0:
        raise ValueError("nor here")  # as math would raise it
    return swirl(x, y)


@pytest.mark.parametrize("backend", ["c", "python"])
def test_exceptions_reach_the_caller(backend: str) -> None:
    f = build(law(in_python(moody)), backend=backend)
    for bad, kind in ((3.0, LookupError), (1.5, ValueError)):
        q = np.array([bad, 0.0])
        with pytest.raises(kind, match="no"):
            f(q)
        with pytest.raises(kind, match="no"):
            f(np.array([[0.0, 0.0], q, [0.0, 0.0]]))
        out = (np.zeros(4), np.zeros((2, 2)))
        with pytest.raises(kind, match="no"):
            f(q, out=out)
        assert np.isnan(out[0]).all()
        good = np.array([0.3, 0.8])
        np.testing.assert_allclose(f(good).F, law_values(good)[:4], rtol=1e-13)  # the error is gone
    f.raise_pending()


def test_exceptions_wait_where_c_calls() -> None:
    f = build(law(in_python(moody)), backend="c")
    q, F, K = np.array([5.0, 0.0]), np.zeros(4), np.zeros((2, 2))
    call_c = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)(f.address)
    pointers = [(ctypes.c_void_p * len(xs))(*[x.ctypes.data for x in xs]) for xs in ([q], [F, K])]

    def from_c(h: np.ndarray) -> None:
        call_c(*[ctypes.addressof(p) for p in pointers], h.ctypes.data)

    from_c(f.hoisted)
    assert np.isnan(F).all()
    with pytest.raises(LookupError):
        f.raise_pending()
    f.raise_pending()
    q[0] = 0.0
    from_c(f.hoisted)
    np.testing.assert_allclose(F, law_values(q)[:4], rtol=1e-13)
    from_c(np.zeros_like(f.hoisted))  # no address, no crash
    assert np.isnan(F).all()


def test_an_interrupt_is_not_lost() -> None:
    def interrupted(x: float, y: float) -> float:
        raise KeyboardInterrupt

    f = build(law(in_python(interrupted)), backend="c")
    with pytest.raises(KeyboardInterrupt):
        f([0.0, 0.0])


@pytest.mark.parametrize("backend", ["c", "python"])
def test_wrong_numbers_of_results(backend: str) -> None:
    for given in ([1.0], [1.0, 2.0, 3.0], 4.0):
        f = build(law(in_python(lambda x, y, given=given: given)), backend=backend)
        with pytest.raises(ValueError, match=f"'swirl' must return 2 numbers, not {np.size(given)}"):
            f([0.0, 0.0])


@pytest.mark.parametrize("backend", ["c", "python"])
def test_results_may_be_arrays_or_single_floats(backend: str) -> None:
    double = External("twice", 1, 1, lambda x: 2 * x)
    both = External("both", 2, 2, lambda x, y: np.array([y, x]))
    outputs = [*call(double, [Q[0]]), *call(both, Q)]
    f = build(Program("f", "m", "y", {"q": Input(2)}, {"y": Output((3,), tuple(outputs))}), backend=backend)
    assert f([1.0, 3.0]).tolist() == [2.0, 3.0, 1.0]


def test_python_where_floats_overflow() -> None:
    (y,) = call(External("twice", 1, 1, lambda x: 2 * x), [Q[0]])
    f = build(Program("f", "m", "y", {"q": Input(2)}, {"y": Output((2,), (y, y / Q[1]))}), backend="python")
    assert f([1.0, 0.0]).tolist() == [2.0, math.inf]


def test_two_functions_in_one_program() -> None:
    a, b = External("b_first", 1, 1, math.exp), External("a_second", 1, 1, math.cos)
    (x,), (y,) = call(a, [Q[0]]), call(b, [Q[0]])
    program = Program("f", "m", "y", {"q": Input(2)}, {"y": Output((3,), (x, y, call(a, [y])[0]))})
    assert program.externals == (b, a)
    for backend in ("c", "python"):
        values = build(program, backend=backend)([0.5, 0.0])
        np.testing.assert_allclose(values, [math.exp(0.5), math.cos(0.5), math.exp(math.cos(0.5))], rtol=1e-15)


def test_names_must_be_unique() -> None:
    for first, second in (("f", "f"), ("f", "q")):
        nodes = [*call(External(first, 1, 1, abs), [Q[0]]), *call(External(second, 1, 1, abs), [Q[0]])]
        program = Program("p", "m", "y", {"q": Input(2)}, {"y": Output((2,), tuple(nodes))})
        with pytest.raises(ValueError, match=f"'{second}' names an external function and something else"):
            build(program)


def test_names_that_the_code_uses_itself() -> None:
    for name in ("given", "h", "t1", "sn", "w"):
        external = External(name, 1, 1, source=f"void {name}(const double *x, double *y) {{ y[0] = 2*x[0]; }}")
        x = sin(Q[0]) + parameter("mass") * parameter("mass")
        outputs = {"y": Output((2,), (call(external, [x])[0], x * x))}
        f = build(Program("f", "m", "y", {"q": Input(2)}, outputs, {"mass": 2.0}), backend="c")
        np.testing.assert_allclose(f([0.5, 0.0]), [2 * (math.sin(0.5) + 4), (math.sin(0.5) + 4) ** 2], rtol=1e-14)


def test_no_key_leads_to_a_callable() -> None:
    assert cached("key", lambda: law(in_python()))([0.0, 0.0]).F[1] == 1.0
    assert cached("key", lambda: law(in_python(lambda x, y: (0.0, 7.0))))([0.0, 0.0]).F[1] == 7.0


def test_no_compiler(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CC", raising=False)
    monkeypatch.setenv("PATH", "")
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.warns(UserWarning, match="no C compiler"):
        f = build(law(in_python()))
    q = np.array([0.3, 0.8])
    np.testing.assert_allclose(row(f, q), law_values(q), rtol=1e-8)
    with pytest.raises(CompileError, match="'swirl' is C source and needs a C compiler"):
        build(law(in_c()), backend="python")


def test_text_that_leaves_the_process(tmp_path: Path) -> None:
    for language in LANGUAGES:
        with pytest.raises(CompileError, match="'swirl' is Python and cannot be exported"):
            sources(law(in_python()), language)
    for language in set(LANGUAGES) - {"c"}:
        with pytest.raises(CompileError, match=f"'swirl' is C source, which {language} cannot call"):
            write_sources(law(in_c()), language, tmp_path)
    assert list(tmp_path.iterdir()) == []
    text = sources(law(in_c()), "c")["m_law.c"]
    assert text.count(SOURCE.strip()) == 1
    assert "external    swirl: 2 -> 2, in C" in text


@pytest.mark.slow
def test_clean_c99(tmp_path: Path) -> None:
    compiler = find_compiler()
    assert compiler is not None
    for external in (in_python(), in_c()):
        for program in (law(external, parameter("mass")), rooted(external)):
            whole, cut = c_source(schedule(program)), c_source(schedule(program), 2, 1)
            (tmp_path / "whole.c").write_text(whole.code)
            (tmp_path / "cut.c").write_text(cut.code)
            (tmp_path / f"{whole.name}.c").write_text(whole.code)
            (tmp_path / "batch.c").write_text(whole.batch)
            for words in (["whole.c"], ["batch.c"], ["cut.c"], *(["cut.c", f"-DSYMBODY_UNIT={i}"] for i in range(3))):
                subprocess.run([*compiler, *STRICT, *words, "-o", "x.o"], check=True, cwd=tmp_path)
