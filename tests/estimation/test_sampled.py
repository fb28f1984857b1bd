"""Filters by samples (sampled.py, unscented.py, ensemble.py): on a linear machine the textbook's, elsewhere alike."""

import numpy as np
import pytest
from test_error_state import oscillator, pendulum

import symbody as sb
from symbody.errors import ModelError
from symbody.estimation.adaptive import adaptive_step
from symbody.estimation.estimate import FILTERS, estimate

DT, SIGMA = 5e-3, 0.02
TOLD = ["mass.q"], {"mass.q": SIGMA}, {"mass.qd": 0.3}
START = {"mass.q": 0.1, "mass.qd": 0.2}


def steps(twin, count=100, seed=0):
    rng = np.random.default_rng(seed)
    for _ in range(count):
        twin.step(z=[0.05 + SIGMA * rng.normal()])
    return twin


def test_on_a_linear_machine_the_unscented_filter_is_the_kalman_filter():
    one, other = (steps(estimate(oscillator(), *TOLD, dt=DT, start=START, filter=f)) for f in FILTERS[:2])
    assert other.x == pytest.approx(one.x, abs=1e-7)  # steps of rk4 are right to that
    assert np.allclose(other.P, one.P, rtol=1e-5)


def test_a_large_ensemble_comes_near_to_it():
    one = steps(estimate(oscillator(), *TOLD, dt=DT, start=START))
    many = steps(estimate(oscillator(), *TOLD, dt=DT, start=START, filter="ensemble", members=4000))
    assert np.all(np.abs(many.x - one.x) < 0.3 * np.sqrt(np.diag(one.P)))
    assert np.sqrt(np.diag(many.P)) == pytest.approx(np.sqrt(np.diag(one.P)), rel=0.1)


def test_the_mean_of_a_turned_arm_is_that_of_the_normal_distribution():
    """E sin(q) = e^{−σ²/2} sin q̄: samples know it, slopes do not."""
    m = sb.Model("arm", gravity=(0, 0, 0))
    body = m.body("arm", joints=[sb.Joint("arm", "R2", q0=1.0)], mass=1.0, com=(0, 0, -0.5), inertia=(0.1, 0.1, 0.1))
    m.sensor("tip", body.point("end", (1.0, 0, 0)), ("position",))
    s, spread = sb.system(m), 0.4
    sensor = next(name for name in s.outputs if name.startswith("tip") and name.endswith("z"))
    expected = -np.exp(-(spread**2) / 2) * np.sin(1.0)
    start = {"arm.q": spread, "arm.qd": 0.0}
    for kind, off in (("unscented", 2e-3), ("ensemble", 0.01)):
        twin = estimate(s, [sensor], {sensor: 1e3}, {}, start=start, filter=kind, members=4000)
        twin.correct([0.0])
        assert -twin.innovation[0] == pytest.approx(expected, abs=off)
    slopes = estimate(s, [sensor], {sensor: 1e3}, {}, start=start)
    slopes.correct([0.0])
    assert -slopes.innovation[0] == pytest.approx(-np.sin(1.0))


@pytest.mark.parametrize("kind", ["unscented", "ensemble"])
def test_through_loops_oil_and_parameters_they_agree(kind):
    """With a parameter considered: its part in the uncertainty is the same."""
    s = sb.system(sb.machines.open("four-bar-hydraulic"))
    moving = sb.simulate(
        s, 0.5, 1e-3, method="trapezoidal", inputs={"U_ref": 3.0}
    )  # valves at rest have infinite slopes
    s = s.starting_at(np.array([moving[name][-1] for name in s.states]), np.array([3.0]))
    noise = {"boom.q": 0.017, "piston_p": 1e5, "rod_p": 1e5}
    told = {"rocker.qd": 0.03, "piston_p": 3e5, "rod_p": 3e5, "hose_p": 3e5, "hydraulics_bulk": 1e7}
    start = {"rocker.q": 0.003, "rocker.qd": 1e-3, "hose_p": 3e4, "piston_p": 3e4, "rod_p": 3e4, "valve_spool": 1e-3}
    one, other = (
        estimate(s, list(noise), noise, told, method="rodas4", start=start, filter=name, members=400)
        for name in ("error-state", kind)
    )
    rng, u = np.random.default_rng(2), np.array([3.0])
    for _ in range(40):
        z = [one.mean[name] + sigma * rng.normal() for name, sigma in one.sensors.items()]
        for twin in (one, other):
            twin.step(u, z)
    sigma = np.sqrt(np.diag(one.P))
    assert np.all(np.abs(other.x - one.x) < (0.1 if kind == "unscented" else 0.7) * sigma)
    assert np.sqrt(np.diag(other.P)) == pytest.approx(sigma, rel=0.02 if kind == "unscented" else 0.2)


@pytest.mark.parametrize("kind", FILTERS)
def test_a_force_is_found_by_each(kind):
    m = sb.Model("cart", gravity=(0, 0, 0))
    m.input("push", unit="N")
    m.body("cart", joints="T1", mass=2.0)
    m.joint_force("cart")(lambda q, qd, p: p.push)
    s = sb.system(m)
    truth = sb.simulate(s, 2.0, 0.01, inputs={"push": 3.0})
    twin = estimate(s, ["cart.q"], {"cart.q": 1e-3}, {}, forces={"push": 2.0}, dt=0.01, filter=kind)
    rng = np.random.default_rng(0)
    for q in truth["cart.q"][1:]:
        twin.step(z=[q + 1e-3 * rng.normal()])
    assert abs(twin.mean["push"] - 3.0) < 3.0 * twin.sigma["push"]
    assert twin.sigma["push"] < 1.5


@pytest.mark.parametrize("kind", FILTERS)
def test_a_jump_is_refused_by_each(kind):
    twin = steps(estimate(oscillator(), *TOLD, dt=DT, start=START, filter=kind, gate=25.0))
    before = twin.x
    twin.correct([5.0])
    assert twin.used.tolist() == [-1]
    assert np.array_equal(twin.x, before)


@pytest.mark.parametrize("kind", FILTERS)
def test_noise_is_found_on_the_way(kind):
    s, rng = pendulum(), np.random.default_rng(3)
    truth = sb.simulate(s, 3.0, DT)
    twin = estimate(s, ["arm.q"], {"arm.q": 3 * SIGMA}, {"arm.qd": 0.02}, dt=DT, filter=kind)
    for q in truth["arm.q"][1:]:
        adaptive_step(twin, z=[q + SIGMA * rng.normal()], memory=100)
    assert np.sqrt(twin.R[0]) == pytest.approx(SIGMA, rel=0.2)


def test_what_cannot_be_meant_is_named():
    with pytest.raises(ModelError, match="unscented"):
        estimate(oscillator(), *TOLD, filter="particle")
    with pytest.raises(ModelError, match="10 or more"):
        estimate(oscillator(), *TOLD, filter="ensemble", members=2)
    with pytest.raises(ModelError, match="memory"):
        adaptive_step(estimate(oscillator(), *TOLD), memory=0.0)
