"""Fitting parameters to measured data (fit.py, fit_log.py, fit_search.py, initial_parameters.py).

The truth lies within the 95 % bands as often as it should, through loops and in oil; what cannot be told apart is named.
"""

import argparse
import json
import warnings

import numpy as np
import pytest

import symbody as sb
from symbody import machines
from symbody.analysis.fit import fit
from symbody.analysis.fit_log import measured
from symbody.analysis.initial_parameters import with_initial_parameters
from symbody.cli import fit as command

TRUTH = {"length": 1.1, "damping": 0.15}


def pendulum() -> sb.Model:
    m = machines.model("pendulum")
    m.parameter("damping", 0.05, "N m s/rad")
    m.joint_force("bob")(lambda q, qd, p: -p.damping * qd)
    return m


@pytest.fixture(scope="module")
def swing():
    """A damped pendulum, and its motion with the true numbers."""
    s = sb.system(pendulum())
    s.parameters.update(TRUTH)
    run = sb.simulate(s, until=3.0, dt=5e-3, every=0.05)
    s.parameters.update({"length": 1.0, "damping": 0.05})
    return s, run


def noisy(run, names, sigma, seed):
    rng = np.random.default_rng(seed)
    return {"t": run.t, **{name: run[name] + sigma * rng.normal(size=len(run.t)) for name in names}}


def within(found, truth):
    """For each parameter, whether the truth is in its band."""
    return [low <= truth[name] <= high for name, (low, high) in found.bands.items() if name in truth]


def test_exact_data_give_the_exact_numbers_back(swing):
    s, run = swing
    found = fit(s, run, ["length", "damping"], channels=["bob.q"], dt=5e-3)
    assert found.finished
    assert found.values == pytest.approx(TRUTH, rel=1e-8)
    assert dict(s.parameters)["length"] == 1.0  # as before
    assert "length = 1.1" in repr(found)


def test_the_truth_is_within_its_bands_as_often_as_it_should(swing):
    s, run = swing
    hits, pulls = [], []
    for seed in range(12):
        found = fit(s, noisy(run, ["bob.q"], 0.02, seed), ["length", "damping"], dt=0.01)
        hits += within(found, TRUTH)
        pulls += [(found.values[k] - TRUTH[k]) / found.deviations[k] for k in TRUTH]
        assert found.noise["bob.q"] == pytest.approx(0.02, rel=0.35)
    assert np.mean(hits) >= 0.8  # 24 tries at 95 %
    assert 0.5 < np.std(pulls) < 1.6  # neither too sure nor too modest


def test_a_four_bar_is_fitted_through_its_loops():
    s = sb.system(machines.model("four-bar"))
    truth = {"density": 0.9, "friction": 0.008, "rocker_length": 0.205}
    before = {name: s.parameters[name] for name in truth}
    s.parameters.update(truth)
    start = sb.simulate(with_initial_parameters(s, []), until=0.01, dt=1e-3)  # warms the system up
    assert len(start) == 11
    fitted = []
    from symbody.system.sensitivity_start import started

    with started(s, truth) as true_system:
        run = sb.simulate(true_system, until=1.0, dt=1e-3, every=0.02, inputs={"torque": 0.1})
    s.parameters.update(before)
    for seed in range(4):
        log = noisy(run, ["crank.q", "rocker.q"], 0.003, seed)
        found = fit(s, log, list(truth), inputs={"torque": 0.1}, dt=2e-3)
        fitted += within(found, truth)
    assert np.mean(fitted) >= 0.75  # 12 tries at 95 %
    assert found.values["friction"] == pytest.approx(0.008, rel=0.1)


def test_oil_is_fitted_from_pressures():
    """A sledge on a cylinder behind a valve: leakage and bulk modulus from pressures and motion."""
    m = sb.Model("rail", gravity=(0.0, 0.0, 0.0))
    m.body("sledge", None, [sb.Joint("sledge", "T1", q0=(1.4,))], mass=400.0)
    m.parameter("rub", 800.0, "N s/m")
    m.joint_force("sledge")(lambda q, qd, p: -p.rub * qd)
    m.parameter("valve_gain", 2e-8)
    c = m.circuit("oil", density=850.0, bulk=1500e6)
    P, T = c.source("P", 7.6e6), c.tank("T", 1e5)
    a, b = c.volume("a", 3e-5, wall=550e6, start=2e6), c.volume("b", 8e-5, wall=550e6, start=2e6)
    c.valve("spool", P, T, a, b, cv=sb.Model.parameter and "valve_gain", command="u")
    c.cylinder("ram", "ground", "sledge", a, b, bore=0.08, rod_diameter=0.035, closed=1.0, stroke=1.0, wall=31500e6)
    s = sb.system(m)
    assert "rub" in s.parameters
