"""Fitting parameters to measured data (fit.py, fit_log.py, fit_search.py, initial_parameters.py).

The truth is within the 95 % bands as often as it should, through loops and in oil; what cannot be told apart is named.
"""

import argparse
import json

import numpy as np
import pytest

import symbody as sb
from symbody import machines
from symbody.analysis.fit import fit
from symbody.analysis.fit_log import measured
from symbody.analysis.initial_parameters import with_initial_parameters
from symbody.cli import fit as command
from symbody.system.sensitivity_start import started

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


@pytest.mark.slow
def test_the_truth_is_within_its_bands_as_often_as_it_should(swing):
    s, run = swing
    hits, pulls = [], []
    for seed in range(30):
        found = fit(s, noisy(run, ["bob.q"], 0.02, seed), ["length", "damping"], dt=0.025)
        hits += within(found, TRUTH)
        pulls += [(found.values[k] - TRUTH[k]) / found.deviations[k] for k in TRUTH]
        assert found.noise["bob.q"] == pytest.approx(0.02, rel=0.35)
    assert np.mean(hits) >= 0.83  # 60 tries at 95 %, two and two together
    assert 0.7 < np.std(pulls) < 1.4  # neither too sure nor too modest


@pytest.mark.slow
def test_a_four_bar_is_fitted_through_its_loops():
    s = sb.system(machines.model("four-bar"))
    truth = {"density": 0.9, "friction": 0.008, "rocker_length": 0.205}
    with started(s, truth) as true_system:
        run = sb.simulate(true_system, until=1.0, dt=1e-3, every=0.02, inputs={"torque": 0.1})
    hits = []
    for seed in range(4):
        log = {**noisy(run, ["crank.q", "rocker.q"], 0.003, seed), "torque": np.full(len(run.t), 0.1)}
        found = fit(s, log, list(truth), dt=2e-3)
        hits += within(found, truth)
    assert np.mean(hits) >= 0.75  # 12 tries at 95 %
    assert found.values == pytest.approx(truth, rel=0.1)


def rail() -> sb.Model:
    """A sledge on a cylinder behind a valve."""
    m = sb.Model("rail", gravity=(0.0, 0.0, 0.0))
    m.parameter("rub", 800.0, "N s/m")
    m.body("sledge", None, [sb.Joint("sledge", "T1", q0=(1.4,))], mass=400.0)
    m.joint_force("sledge")(lambda q, qd, p: -p.rub * qd)
    c = m.circuit("oil", density=850.0, bulk=1500e6)
    P, T = c.source("P", 7.6e6), c.tank("T", 1e5)
    a, b = c.volume("a", 3e-4, wall=550e6, start=2e6), c.volume("b", 8e-4, wall=550e6, start=2e6)
    c.valve("spool", P, T, a, b, cv=2e-8, command="u")
    c.cylinder("ram", "ground", "sledge", a, b, bore=0.08, rod_diameter=0.035, closed=1.0, stroke=1.0, wall=31500e6)
    return m


def test_oil_is_fitted_from_pressures_and_motion():
    s = sb.system(rail())
    truth = {"rub": 950.0, "spool_cv": 2.3e-8}
    before = {name: s.parameters[name] for name in truth}
    s.parameters.update(truth)
    run = sb.simulate(s, until=0.6, dt=2e-4, every=0.01, inputs={"u": lambda t: 5.0 if t < 0.3 else -4.0})
    s.parameters.update(before)
    sigma = {"a_p": 3e4, "b_p": 3e4, "sledge.q": 1e-4}  # Pa, m
    hits = []
    for seed in range(3):
        rng = np.random.default_rng(seed)
        log = {"t": run.t} | {name: run[name] + x * rng.normal(size=len(run.t)) for name, x in sigma.items()}
        found = fit(s, log, list(truth), inputs={"u": lambda t: 5.0 if t < 0.3 else -4.0}, dt=5e-4)
        hits += within(found, truth)
        assert found.noise == pytest.approx(sigma, rel=0.4)  # each channel its own
    assert np.mean(hits) >= 2 / 3  # 6 tries at 95 %
    assert found.values["spool_cv"] == pytest.approx(2.3e-8, rel=0.01)


def test_what_the_data_cannot_tell_apart_is_named(swing):
    """A swing depends on damping and mass by their ratio only."""
    s, run = swing
    with pytest.warns(UserWarning, match="do not distinguish these"):
        found = fit(s, noisy(run, ["bob.q"], 0.01, 1), ["length", "damping", "mass"], dt=0.01)
    (direction,) = found.indistinct
    assert "length" not in direction
    assert {part.split()[0]: part.split()[1] for part in direction.split(", ")} == {"damping": "+1.00", "mass": "+1.00"}
    assert found.deviations["mass"] == np.inf
    assert np.isfinite(found.deviations["length"])
    assert found.values["damping"] / found.values["mass"] == pytest.approx(0.15, rel=0.1)


def test_unknown_starts_are_fitted_for_each_log(swing):
    s, _ = swing
    logs, starts = [], [(2.5, 0.4), (3.4, -0.8)]
    s.parameters.update(TRUTH)
    for k, (q, v) in enumerate(starts):
        run = sb.simulate(s, until=2.0, dt=5e-3, every=0.05, x0=[q, v])
        logs.append(noisy(run, ["bob.q"], 0.005, k))
    s.parameters.update({"length": 1.0, "damping": 0.05})
    found = fit(s, logs, ["length", "damping"], initial=["bob.q", "bob.qd"], dt=0.01)
    assert found.names[2:] == [f"bob.{x} at the start of log {k}" for k in (1, 2) for x in ("q", "qd")]
    assert list(found.estimate[2:]) == pytest.approx([2.5, 0.4, 3.4, -0.8], abs=0.02)
    assert found.values["length"] == pytest.approx(1.1, rel=5e-3)


def test_bounds_hold_and_are_told(swing):
    s, run = swing
    found = fit(s, run, {"length": (0.9, 1.05)}, channels=["bob.q"], dt=0.01)
    assert found.values["length"] == pytest.approx(1.05)
    assert found.table[0]["note"] == "at its bound"


def test_gaps_and_uneven_times_are_met(swing):
    s, run = swing
    log = noisy(run, ["bob.q", "bob.qd"], 1e-3, 0)
    log["bob.qd"][::2] = np.nan
    keep = np.arange(len(run.t)) % 5 != 3
    uneven = {name: x[keep] for name, x in log.items()}
    found = fit(s, uneven, ["length", "damping"])
    assert found.values == pytest.approx(TRUTH, rel=5e-3)
    assert np.isnan(found.residuals("bob.qd")).any()
    with pytest.raises(sb.ModelError, match="times are not equidistant"):
        fit(s, uneven, ["length"], dt=0.01)


def test_logs_may_be_files_and_tables(swing, tmp_path):
    _, run = swing
    run.save(tmp_path / "swing.csv")
    assert measured(tmp_path / "swing.csv").columns["bob.q"] == pytest.approx(run["bob.q"])
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"bob.q": run["bob.q"]}, index=run.t)
    assert measured(frame).t == pytest.approx(run.t)
    assert measured(frame.rename_axis("time").reset_index()).t == pytest.approx(run.t)


@pytest.mark.parametrize(
    ("log", "more", "match"),
    [
        ({"bob.q": [1, 2]}, {}, "no column of times"),
        ({"t": [0, 1], "bob.x": [1, 2]}, {}, "no column is an output"),
        ({"t": [1, 0], "bob.q": [1, 2]}, {}, "do not increase"),
        ({"t": [0, 1], "bob.q": [1, 2]}, {"channels": ["bob.w"]}, "bob.w.*bob.q"),
        ({"t": [0, 1], "bob.q": [1, 2]}, {"bounds": {"mass": (1, 2)}}, "not fitted"),
        ({"t": [0, 1], "bob.q": [1, 2]}, {"bounds": {"length": (2, 1)}}, "lower one first"),
        ({"t": [0, 1], "bob.q": [1, 2]}, {"sigma": {"bob.q": 0.0}}, "positive"),
        ({"t": [0, 1], "bob.q": [1, 2]}, {"initial": ["bob"]}, "unknown state"),
        ({"t": [0, 1], "bob.q": [1, np.nan]}, {"dt": 0.01}, "values for 1 unknowns"),
        (3.0, {}, "cannot be a float"),
    ],
)
def test_what_cannot_be_meant_is_refused(swing, log, more, match):
    s, _ = swing
    with pytest.raises(sb.SymbodyError, match=match):
        fit(s, log, ["length"], **more)
    with pytest.raises(sb.ModelError, match="lenght: not a live parameter"):
        fit(s, {"t": [0, 1], "bob.q": [1, 2]}, ["lenght"])


def test_starts_become_parameters_of_the_same_motion(swing):
    s, _ = swing
    t = with_initial_parameters(s, ["bob.qd"])
    assert t.parameters["start_bob_qd"] == 0.0
    np.testing.assert_allclose(t.x0, s.x0)
    np.testing.assert_allclose(t.rates(0.0, t.x0), s.rates(0.0, s.x0))


def test_the_command_prints_a_table_and_writes_a_report(tmp_path, capsys):
    machines_log = tmp_path / "swing.csv"
    free = sb.system(machines.model("pendulum"))
    free.parameters["length"] = 1.07
    sb.simulate(free, until=2.0, dt=5e-3, every=0.05).save(machines_log)
    parser = argparse.ArgumentParser()
    command.options(parser)
    words = ["pendulum", "--log", str(machines_log), "--parameters", "length", "--channels", "bob.q", "--dt", "0.005"]
    arguments = parser.parse_args([*words, "--between", "length=0.5:2", "-o", str(tmp_path / "out")])
    arguments.json = True
    result = command.run(arguments)
    assert result["parameters"][0]["value"] == pytest.approx(1.07, rel=1e-6)
    json.dumps(result, allow_nan=False)
    assert "left over" not in capsys.readouterr().err
    page = (tmp_path / "out" / "pendulum-fit.html").read_text(encoding="utf-8")
    assert "length" in page
    assert "<img" in page
