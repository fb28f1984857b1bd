"""The scripts under Octave, against the simulation in this package."""

import shutil
import subprocess

import numpy as np
import pytest
from exported_systems import CHANGED, made

import symbody as sb
from symbody.export import export_octave

OCTAVE = shutil.which("octave-cli") or shutil.which("octave")
needs_octave = pytest.mark.skipif(OCTAVE is None, reason="Octave is not installed")
SLOW = [pytest.param(name, marks=pytest.mark.slow) for name in ("quarter-car", "stewart")]


def ran(folder, *lines):
    assert OCTAVE is not None
    command = [OCTAVE, "--no-gui", "--norc", "--eval", " ".join(lines)]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    assert "warning" not in done.stderr
    return done


@needs_octave
@pytest.mark.parametrize("name", ["double-pendulum", "four-bar", *SLOW])
def test_both_ways_of_integration(tmp_path, name):
    s = sb.system(made(name).model)
    export_octave(s, tmp_path)
    parameters, inputs = CHANGED[name]
    s.parameters.update(parameters)
    expected = sb.simulate(s, 0.05, 1e-3, inputs=inputs)
    words = "".join(f", '{key}', {value!r}" for key, value in (parameters | inputs).items())
    done = ran(
        tmp_path,
        f"r = simulate_{name.replace('-', '_')}(0.05, 1e-3{words});",
        "printf('%s\\n', r.names{:});",
        "printf('%.17g\\n', r.y', r.ode45.t(end), r.ode45.y(end, :));",
    )
    lines, n = done.stdout.splitlines(), len(s.outputs)
    assert lines[:n] == s.outputs
    numbers = np.array(lines[n:], dtype=float)
    size = 1.0 + np.abs(expected.values).max(axis=0)
    fixed, variable = numbers[: 51 * n].reshape(51, n), numbers[-n:]
    assert np.abs((fixed - expected.values) / size).max() < 1e-12
    assert numbers[-n - 1] == 0.05
    finest = sb.simulate(s, 0.05, 1e-4, inputs=inputs).values[-1]
    assert np.abs((variable - finest) / size).max() < 1e-6


@needs_octave
def test_inputs_over_time_and_wrong_names(tmp_path):
    s = made("four-bar")
    export_octave(s, tmp_path)
    expected = sb.simulate(s, 0.02, 1e-3, inputs={"torque": lambda t: 0.1 + 3 * t})
    call = "r = simulate_four_bar(0.02, 1e-3, 'torque', @(t) 0.1 + 3*t);"
    done = ran(tmp_path, call, "printf('%.17g\\n', r.y(end, :));")
    np.testing.assert_allclose(np.array(done.stdout.split(), float), expected.values[-1], rtol=0, atol=1e-12)
    assert "unknown parameter or input torqe" in ran(tmp_path, "simulate_four_bar(1, 1e-3, 'torqe', 1)").stderr
    assert "do not close" in ran(tmp_path, "simulate_four_bar(1, 1e-3, 'base', 9)").stderr


@needs_octave
def test_no_states(tmp_path):
    m = sb.Model("driven")
    m.body("crank", joints=[sb.Joint("crank", "R2", "driven")], mass=1.0, com=(0.1, 0, 0), inertia=(0.1, 0.1, 0.1))
    m.trajectory("crank")(lambda t, p: 0.2 + 3.0 * t * t)
    s = sb.system(m)
    export_octave(s, tmp_path)
    done = ran(tmp_path, "r = simulate_driven(0.1, 0.01); printf('%.17g\\n', r.y(end, :));")
    np.testing.assert_allclose(np.array(done.stdout.split(), float), sb.simulate(s, 0.1, 0.01).values[-1], atol=1e-12)


def test_what_cannot_be_written(tmp_path):
    (tmp_path / "simulate_four_bar.m").write_text("mine")
    with pytest.raises(sb.ModelError, match="not empty"):
        export_octave(made("four-bar"), tmp_path)
    m = sb.Model("c")
    m.body("arm", joints="R2", mass=1.0, inertia=(0.1, 0.1, 0.1))
    m.joint_force("arm")(sb.c_law("f", "double f(double q, double qd) { return -q; }"))
    with pytest.raises(sb.CompileError, match="which matlab cannot call"):
        export_octave(sb.system(m), tmp_path / "new")
    assert not (tmp_path / "new").exists()
