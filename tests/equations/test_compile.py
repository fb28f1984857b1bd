"""Real models through the compiler: all functions, all languages, live parameters, and the largest size."""

import shutil
import subprocess

import numpy as np
import pytest
from programs import run

import symbody as sb
from symbody import machines
from symbody.analysis.random_states import random_state
from symbody.codegen import build, write_sources
from symbody.equations.functions import FUNCTIONS, GenerationOptions, make_program
from symbody.expr.graph import evaluate
from symbody.model.model import Model
from symbody_bench.models import chain
from symbody_bench.to_pinocchio import to_pinocchio


def inputs_of(program, model, rng):
    q, v, a = random_state(model, rng)
    known = {"q": q, "qd": v, "qdd": a, "Q": a}
    return {name: known.get(name, rng.normal(size=given.size)) for name, given in program.inputs.items()}


def arrays(result):
    return result if isinstance(result, tuple) else (result,)


@pytest.mark.parametrize("function", list(FUNCTIONS))
@pytest.mark.parametrize("name", ["double-pendulum", "arm6"])
def test_every_function_in_c_and_python(name, function):
    model = machines.open(name)
    rng = np.random.default_rng(3)
    body = list(model.bodies.values())[-1]
    model.link("extra", model.ground, body)
    model.force_site("site", body)
    model.sensor("eye", body)
    model.cut("loop", "revolute", model.ground, body)
    model.nonholonomic("tie")(lambda s, p: s.qd[model.velocities[0]] - 2.0 * s.qd[model.velocities[1]])
    program = make_program(model, function, GenerationOptions(live="all", point=body["origin"].path))
    given = inputs_of(program, model, rng)
    expected = run(program, **given)
    for backend in ("c", "python"):
        f = build(program, backend=backend)
        for found, wanted in zip(arrays(f(**given)), expected.values(), strict=True):
            np.testing.assert_allclose(found, wanted, rtol=1e-10, atol=1e-10 * max(1, np.abs(wanted).max(initial=0)))


@pytest.mark.skipif(not (shutil.which("octave-cli") or shutil.which("octave")), reason="Octave is not installed")
def test_octave_gives_the_same_numbers(tmp_path):
    model = machines.open("arm6")
    program = make_program(model, "direct", GenerationOptions(live="all"))
    given = inputs_of(program, model, np.random.default_rng(4))
    expected = run(program, **given)["qdd"]
    write_sources(program, "matlab", tmp_path)
    name = next(p.stem for p in tmp_path.glob("*.m") if "hoist" not in p.stem)
    values = " ".join(repr(float(x)) for x in program.parameters.values())
    lines = [f"{k} = [{' '.join(repr(float(x)) for x in v)}];" for k, v in given.items()]
    lines += [f"h = {name}_hoist([{values}]);", f"printf('%.17g ', {name}({', '.join(given)}, h));"]
    octave = shutil.which("octave-cli") or shutil.which("octave")
    said = subprocess.run(
        [octave, "--no-gui", "-q", "--eval", " ".join(lines)], cwd=tmp_path, capture_output=True, text=True
    )
    found = np.array(said.stdout.split(), dtype=float)
    np.testing.assert_allclose(found, expected, rtol=1e-10)


def test_published_files_compiled(public_model):
    pytest.importorskip("pinocchio")
    rng = np.random.default_rng(5)
    q, v, a = random_state(public_model, rng)
    engine = to_pinocchio(public_model)
    Q = sb.compile(public_model, "inverse", live="all")(q, v, a)
    np.testing.assert_allclose(Q, engine.inverse(q, v, a), atol=1e-9 * np.abs(Q).max())
    M, c = sb.compile(public_model, "dynamics", live="all")(q, v)
    np.testing.assert_allclose(M, engine.mass_matrix(q), atol=1e-9 * np.abs(M).max())
    np.testing.assert_allclose(c, engine.bias(q, v), atol=1e-9 * np.abs(c).max())


def test_a_parameter_changes_without_compiling_again():
    m = Model("pendulum")
    length = m.parameter("length", 0.5)
    m.body("arm", joints="R2", mass=1.0, com=(0, 0, -length), inertia=(0.0, 0.1, 0.0))
    f = sb.compile(m, "inverse")
    one = np.ones(1)
    for value in (0.5, 0.8, 1.3):
        f.parameters["length"] = value
        expected = 0.1 + value**2 + 9.81 * value * np.sin(1.0)
        assert f(one, one, one)[0] == pytest.approx(expected, rel=1e-13)


@pytest.mark.slow
def test_chain_of_four_hundred_bodies():
    """Direct dynamics of the largest chain agrees with Pinocchio as closely as its conditioning lets the two agree."""
    pytest.importorskip("pinocchio")
    model = chain(400)
    q, v, a = random_state(model, np.random.default_rng(6))
    engine = to_pinocchio(model)
    Q = sb.compile(model, "inverse", loads=False)(q, v, a)
    np.testing.assert_allclose(Q, engine.inverse(q, v, a), atol=1e-9 * np.abs(Q).max())
    f = sb.compile(model, "direct", loads=False)
    again = sb.compile(model, "inverse", loads=False)(q, v, f(q, v, Q))
    np.testing.assert_allclose(again, Q, atol=1e-9 * np.abs(Q).max())


def chain_of_hinges(n):
    model = Model("chain")
    place = model.ground
    for i in range(n):
        body = model.body(f"b{i}", place, ("R2", "R3")[i % 2], mass=1.0, com=(0.1, 0, 0), inertia=(0.1, 0.2, 0.3))
        place = body.point("tip", (0.2, 0, 0))
    return model


@pytest.mark.parametrize("n", [5, 31])
@pytest.mark.parametrize("backend", ["c", "python"])
def test_the_lower_half_of_a_mass_matrix(n, backend):
    """Packed row by row, element by element and formed by a loop, against the whole matrix."""
    model, q = chain_of_hinges(n), np.random.default_rng(1).normal(size=(3, n))
    half = sb.compile(model, "mass", symmetric="lower", backend=backend)
    wanted = np.array([M[np.tril_indices(n)] for M in sb.compile(model, "mass")(q)])
    np.testing.assert_allclose(half(q), wanted, rtol=1e-12, atol=1e-12 * np.abs(wanted).max())
    np.testing.assert_allclose(half(q[0]), wanted[0], rtol=1e-12, atol=1e-12 * np.abs(wanted).max())
    both = sb.compile(model, "dynamics", symmetric="lower", loads=False)(q[0], q[1])
    np.testing.assert_allclose(both.M, wanted[0], rtol=1e-12, atol=1e-12 * np.abs(wanted).max())
    with pytest.raises(sb.ModelError, match="unknown symmetric 'lwer'"):
        sb.compile(model, "mass", symmetric="lwer")


@pytest.mark.parametrize("n", [31, pytest.param(110, marks=pytest.mark.slow)])
def test_deep_mass_matrix_formed_by_a_loop(n):
    """One state and batches, narrow with lanes and wide without, against the same matrix element by element."""
    program = make_program(chain_of_hinges(n), "mass")
    assert program.grams
    f = build(program, backend="c")
    assert "products(" in f.source
    q = np.random.default_rng(0).normal(size=(3, n))
    M = f(q)
    np.testing.assert_array_equal(M, np.swapaxes(M, 1, 2))
    for state, matrix in zip(q, M, strict=True):
        np.testing.assert_allclose(f(state), matrix, atol=1e-12 * np.abs(matrix).max())
        values = {f"q[{i}]": x for i, x in enumerate(state)}
        plain = np.reshape(evaluate(program.expanded().results, values), (n, n))
        np.testing.assert_allclose(matrix, plain, rtol=1e-9, atol=1e-9 * np.abs(plain).max())
