"""C, Python, Octave and JavaScript compute what the graph says.

Tests of c.py, infix.py, c_routine.py, parts.py, python.py, script.py, interpreted.py, matlab.py, javascript.py.
"""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest
from node import NODE, printed
from random_programs import expected, flat, random_program

from symbody.codegen import build, write_sources
from symbody.codegen.compiled import c_source
from symbody.codegen.compiler import find_compiler
from symbody.codegen.schedule import schedule

OCTAVE = shutil.which("octave-cli") or shutil.which("octave")
TOLERANCE = 2e-12


@pytest.mark.parametrize("backend", ["c", "python"])
@pytest.mark.parametrize("live", [True, False])
def test_every_operation(backend: str, live: bool) -> None:
    rng = np.random.default_rng(3)
    for seed in range(3 if backend == "c" else 8):
        program = random_program(seed, live=live)
        f = build(program, backend=backend)
        assert f.backend == backend
        q, u = rng.standard_normal(4), rng.standard_normal(3)
        np.testing.assert_allclose(
            flat(f(q, u)), expected(program, program.parameters, q=q, u=u), rtol=TOLERANCE, atol=TOLERANCE
        )


@pytest.mark.parametrize("backend", ["c", "python"])
def test_changed_parameter(backend: str) -> None:
    program = random_program(1)
    f = build(program, backend=backend)
    q, u = np.array([0.3, -0.2, 1.0, 0.5]), np.array([0.1, 0.2, -0.7])
    changed = dict(program.parameters) | {"body.mass": 3.5}
    f.parameters["body.mass"] = 3.5
    np.testing.assert_allclose(flat(f(q, u)), expected(program, changed, q=q, u=u), rtol=TOLERANCE, atol=TOLERANCE)
    f.parameters.update(program.parameters)
    np.testing.assert_allclose(
        flat(f(q, u)), expected(program, program.parameters, q=q, u=u), rtol=TOLERANCE, atol=TOLERANCE
    )
    with pytest.raises(KeyError, match=r"body\.mass"):
        f.parameters["body.mas"] = 1.0


@pytest.mark.parametrize(("part", "unit"), [(7, 100), (5, 2)])
def test_split_functions(part: int, unit: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("symbody.codegen.compiled.c_source", lambda plan: c_source(plan, part, unit))
    program = random_program(2)
    f = build(program, backend="c")
    q, u = np.array([0.3, -0.2, 1.0, 0.5]), np.array([0.1, 0.2, -0.7])
    assert "_2(" in f.source
    one = f(q, u)
    np.testing.assert_allclose(
        flat(one), expected(program, program.parameters, q=q, u=u), rtol=TOLERANCE, atol=TOLERANCE
    )
    many = f(np.tile(q, (3, 1)), np.tile(u, (3, 1)))
    np.testing.assert_allclose(many.M[2], one.M, rtol=TOLERANCE, atol=TOLERANCE)


@pytest.mark.parametrize("backend", ["c", "python"])
def test_batch_is_a_loop_of_single_states(backend: str) -> None:
    program = random_program(4)
    f = build(program, backend=backend)
    rng = np.random.default_rng(5)
    for n in (0, 1, 2, 3, 8, 13):
        q, u = rng.standard_normal((n, 4)), rng.standard_normal((n, 3))
        batch = f(q, u)
        assert batch.M.shape == (n, 3, 4)
        for i in range(n):
            single = f(q[i], u[i])
            for many, one in zip(batch, single, strict=True):
                np.testing.assert_allclose(many[i], one, rtol=TOLERANCE, atol=TOLERANCE)
    shared = f(q, u[0])  # an input with one dimension is the same for all states
    np.testing.assert_allclose(flat([*shared][1][3]), flat(f(q[3], u[0]).c), rtol=TOLERANCE, atol=TOLERANCE)


def test_scalar_c_is_clean_c99(tmp_path: Path) -> None:
    compiler = find_compiler()
    assert compiler is not None
    strict = ["-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-O1", "-c"]
    for program in (random_program(0), random_program(0, live=False)):
        path = next(p for p in write_sources(program, "c", tmp_path) if p.name.endswith("dynamics.c"))
        subprocess.run([*compiler, *strict, str(path), "-o", str(tmp_path / "x.o")], check=True)
    split = tmp_path / "split.c"
    split.write_text(c_source(schedule(random_program(0)), 5, 2).code)
    subprocess.run([*compiler, *strict, str(split), "-o", str(tmp_path / "x.o")], check=True)


@pytest.mark.skipif(OCTAVE is None, reason="Octave is not installed")
def test_octave(tmp_path: Path) -> None:
    program = random_program(6)
    name = write_sources(program, "matlab", tmp_path)[0].stem
    q, u = np.array([0.3, -0.2, 1.0, 0.5]), np.array([0.1, 0.2, -0.7])
    call = (
        f"h = {name}_hoist({list(program.parameters.values())});"
        f"[M, c, z] = {name}({q.tolist()}, {u.tolist()}, [0 0], h);"
        "printf('%.17g\\n', M', c, z);"
    )
    assert OCTAVE is not None
    done = subprocess.run([OCTAVE, "--eval", call], cwd=tmp_path, capture_output=True, text=True, check=True)
    np.testing.assert_allclose(
        np.array(done.stdout.split(), dtype=float),
        expected(program, program.parameters, q=q, u=u),
        rtol=TOLERANCE,
        atol=TOLERANCE,
    )


@pytest.mark.skipif(NODE is None, reason="Node is not installed")
@pytest.mark.parametrize("live", [True, False])
def test_javascript(tmp_path: Path, live: bool) -> None:
    q, u = np.array([0.3, -0.2, 1.0, 0.5]), np.array([0.1, 0.2, -0.7])
    for seed in range(6, 10):
        program = random_program(seed, live=live)
        (path,) = write_sources(program, "javascript", tmp_path)
        hoisted = f"f.{path.stem}_hoist({list(program.parameters.values())})" if live else "0"
        script = (
            f"import * as f from {path.as_uri()!r};"
            f"const {{M, c, z}} = f.{path.stem}({q.tolist()}, {u.tolist()}, undefined, {hoisted});"
            "console.log([...M, ...c, ...z].join(' '));"
        )
        values = expected(program, program.parameters, q=q, u=u)
        np.testing.assert_allclose(printed(script, tmp_path), values, rtol=TOLERANCE, atol=TOLERANCE)
