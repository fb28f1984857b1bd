"""Sweeps against closed solutions; workers (sweep_workers.py) change nothing, failures stay with their samples."""

import argparse
import os
import signal
import subprocess
import sys

import numpy as np
import pytest

import symbody as sb
from optimised_code import optimised_code
from symbody import machines
from symbody.analysis.sweep import drawn, monte_carlo, sweep
from symbody.analysis.sweep_result import NOT_RUN
from symbody.analysis.sweep_workers import DIED
from symbody.cli import sweep as command
from symbody.system.sensitivity_formula import measured

RUN = {"until": 1.0, "dt": 1e-2}


@pytest.fixture(scope="module")
def cart():
    """Pushed by a force from rest: x = F t²/2m; with a push against which nothing holds it flies away."""
    m = sb.Model("cart", gravity=(0, 0, 0))
    mass = m.parameter("mass", 2.0)
    m.parameter("flight", 0.0)
    m.input("force", 1.0)
    m.body("cart", joints="T1", mass=mass)
    m.joint_force("cart")(lambda q, qd, p: p.force + p.flight * qd * qd * qd * 1e6)
    return sb.system(m, outputs=["*.q", "*.qd"])


def test_a_grid_of_parameters_and_inputs(cart):
    masses, forces = [1.0, 2.0, 4.0], [1.0, -3.0]
    found = sweep(
        cart, {"mass": masses, "force": forces}, measures=["final(cart.q)", "peak(cart.qd*mass)"], workers=1, **RUN
    )
    exact = np.divide.outer(forces, masses).T / 2
    np.testing.assert_allclose(found["final(cart.q)"].reshape(found.shape), exact, rtol=1e-12)
    np.testing.assert_allclose(found["peak(cart.qd*mass)"], np.abs(found["force"]), rtol=1e-12)
    assert cart.parameters["mass"] == 2.0
    row = found.table[0]
    assert row["mean"] == pytest.approx(exact.mean())
    assert row["largest"] == pytest.approx(exact.max())


def test_workers_change_nothing_and_failures_stay_with_their_samples(cart):
    samples = {"mass": np.linspace(1, 3, 20), "flight": np.where(np.arange(20) % 7 == 3, 1.0, 0.0)}
    alone, together = (sweep(cart, samples, measures=["final(cart.q)"], grid=False, workers=n, **RUN) for n in (1, 2))
    np.testing.assert_array_equal(alone.values, together.values)
    assert list(alone.failures) == [3, 10, 17]
    assert alone.failures == together.failures
    assert "diverged" in alone.failures[3]
    sound = [i for i in range(20) if i not in alone.failures]
    np.testing.assert_allclose(alone.values[sound, 0], 0.5 / samples["mass"][sound], rtol=1e-12)
    assert np.isnan(alone.values[[3, 10, 17]]).all()


@pytest.mark.posix
def test_a_worker_that_dies_takes_only_its_own_sample_with_it(cart):
    def deadly(run):
        if abs(run.parameters["mass"] - 2.0) < 1e-9:
            os.kill(os.getpid(), signal.SIGKILL)
        return run["cart.q"][-1]

    masses = np.arange(1.0, 49.0)  # three in a chunk
    found = sweep(cart, {"mass": masses}, measures={"end": deadly}, workers=2, **RUN)
    assert found.failures == {1: DIED}
    np.testing.assert_allclose(np.delete(found["end"], 1), 0.5 / np.delete(masses, 1))


LOCKED = """
import symbody as sb
from tqdm import tqdm
m = sb.Model("cart", gravity=(0, 0, 0))
m.parameter("mass", 2.0)
m.body("cart", joints="T1", mass="mass")
tqdm.get_lock().acquire()
found = sb.sweep(sb.system(m), {"mass": [1.0, 2.0]}, measures=["final(cart.q)"], workers=2, until=0.1, dt=0.01)
assert not found.failures
"""


@pytest.mark.posix
def test_the_lock_of_progress_bars_is_not_that_of_workers():
    """A worker that is ended while it holds the lock of all processes would stop the others for ever."""
    subprocess.run([sys.executable, "-c", LOCKED], timeout=120, check=True)


def test_an_interrupted_sweep_keeps_what_was_run(cart):
    def stops(run):
        if run.parameters["mass"] > 2.5:
            raise KeyboardInterrupt
        return 1.0

    found = sweep(cart, {"mass": [1.0, 2.0, 3.0, 4.0]}, measures={"one": stops}, workers=1, **RUN)
    assert not found.finished
    assert found.failures == {2: NOT_RUN, 3: NOT_RUN}
    np.testing.assert_array_equal(found["one"][:2], 1.0)


def test_random_samples_are_those_of_their_seed(cart):
    how = {"mass": ("uniform", 1.0, 3.0), "force": ("normal", 2.0, 0.5)}
    first = monte_carlo(cart, how, 40, measures=["final(cart.q)"], seed=7, workers=1, **RUN)
    again = monte_carlo(cart, how, 40, measures=["final(cart.q)"], seed=7, workers=2, **RUN)
    np.testing.assert_array_equal(first.samples, again.samples)
    np.testing.assert_array_equal(first.values, again.values)
    np.testing.assert_allclose(first["final(cart.q)"], first["force"] / first["mass"] / 2, rtol=1e-12)
    assert not np.array_equal(first.samples, drawn(how, 40, 8)["mass"])
    np.testing.assert_array_equal(drawn({"mass": how["mass"]}, 40, 7)["mass"], first["mass"])  # whatever else is drawn
    twice = drawn({"mass": how["mass"], "weight": how["mass"]}, 40, 7)
    assert not np.array_equal(twice["mass"], twice["weight"])
    large = drawn(how, 20000, 1)
    assert large["force"].mean() == pytest.approx(2.0, abs=0.02)
    assert large["force"].std() == pytest.approx(0.5, abs=0.02)
    with pytest.raises(sb.ModelError, match="normal"):
        drawn({"mass": ("cauchy", 0, 1)}, 3, 0)


def test_processes_that_are_not_forked_make_the_system_anew():
    model = machines.open("double-pendulum")
    p = next(iter(model.parameters))
    values = {p: [model.parameters[p].value, 1.1 * model.parameters[p].value]}
    joint = model.coordinates[0]
    with optimised_code():  # of other processes, too: conftest.py optimises hand-written C in this one only
        found = [
            sweep(model, values, 0.2, 1e-2, [f"final({joint}.q)"], workers=n, processes=how)
            for n, how in ((2, "spawn"), (1, None))
        ]
    np.testing.assert_array_equal(found[0].values, found[1].values)
    assert not found[0].failures


def test_local_laws_are_sent_as_formulas(cart):
    how = {"measures": ["final(cart.q)"], **RUN}
    sent = sweep(cart, {"mass": [1.0, 2.0]}, workers=2, processes="spawn", **how)
    assert sent["final(cart.q)"] == pytest.approx(sweep(cart, {"mass": [1.0, 2.0]}, workers=1, **how)["final(cart.q)"])


def test_laws_that_cannot_be_sent_are_said_so():
    m = sb.Model("local")
    m.parameter("k", 1.0)
    m.body("cart", joints="T1", mass=1.0)
    m.joint_force("cart")(sb.numeric(lambda q, qd, p: -p.k * q))
    with pytest.raises(sb.ModelError, match="cart: its law cannot be sent to other processes"):
        sweep(m, {"k": [1.0, 2.0]}, measures=["final(cart.q)"], workers=2, processes="spawn", **RUN)


def test_measures_are_formulas_and_nothing_else():
    t = np.linspace(0, 2, 201)
    outputs = {"arm.q": np.sin(t), "arm.T1.qd": np.cos(t), "load": t}
    for text, value in {
        "max(arm.q)": 1.0, "final(2*arm.q + load)": 2 * np.sin(2) + 2, "integral(arm.T1.qd)": np.sin(2),
        "rms(arm.q*k)": 3 * np.sqrt(0.5 - np.sin(4) / 8), "spread(arm.q)": 1.0, "mean(load)": 1.0, "first(t + 1)": 1.0,
        "min(max(arm.q, 0.5))": 0.5, "peak(where(arm.q > 0.5, 0, load))": np.pi / 6,
    }.items():  # fmt: skip
        assert measured(text, t, outputs, {"k": 3.0}) == pytest.approx(value, abs=6e-3), text
    for text in ("arm.q", "max(arm.q, load, 3)", "max(arm.q).real", "__import__('os').getcwd()", "max(open('x'))",
                 "max(arm.q.__class__)", "max(arq.q)", "max(" + "(" * 3000, "max(" + "-" * 1000 + "1)"):  # fmt: skip
        with pytest.raises(sb.ModelError):
            measured(text, t, outputs, {})


def test_what_cannot_be_swept_is_refused(cart):
    for over, measures, words in (
        ({"xyz": [1.0]}, ["max(cart.q)"], "mass, flight, force"),
        ({"mas": [1.0]}, ["max(cart.q)"], r"did you mean mass\?"),
        ({"mass": [1.0]}, ["max(car.q)"], r"cart\.q"),
        ({}, ["max(cart.q)"], "nothing to sweep"),
    ):
        with pytest.raises(sb.ModelError, match=words):
            sweep(cart, over, measures=measures, **RUN)
    with pytest.raises(sb.ModelError, match="as many"):
        sweep(cart, {"mass": [1.0, 2.0], "force": [1.0]}, measures=["max(cart.q)"], grid=False, **RUN)


def test_the_command_writes_a_table(tmp_path):
    parser = argparse.ArgumentParser()
    command.options(parser)
    common = ["four-bar", "--measure", "max(crank.q)", "--until", "0.05", "--workers", "1", "-o", str(tmp_path)]
    arguments = parser.parse_args([*common, "--set", "friction=0:0.1:3", "--set", "torque=0.1,0.2"])
    arguments.json = True
    said = command.run(arguments)
    assert said["runs"] == 6
    assert said["failed"] == 0
    rows = np.genfromtxt(said["table"], delimiter=",", names=True)
    assert rows.shape == (6,)
    np.testing.assert_allclose(np.unique(rows["friction"]), [0, 0.05, 0.1])
    arguments = parser.parse_args([*common, "--draw", "density=normal:0.8:0.01", "--samples", "5"])
    arguments.json = True
    assert command.run(arguments)["measures"][0]["runs"] == 5
    for wrong in (["--set", "k=1:2"], ["--draw", "k=normal"], []):
        with pytest.raises(sb.ModelError):
            command.run(argparse.Namespace(**vars(parser.parse_args([*common, *wrong])), json=True))
