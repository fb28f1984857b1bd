"""The error-state filter (state_filter.py): the textbook's on a linear machine, another on a pendulum, twins."""

import numpy as np
import pytest
from scipy.linalg import expm

import symbody as sb
from symbody.errors import ModelError
from symbody.estimation.estimate import estimate


def oscillator():
    m = sb.Model("oscillator", gravity=(0, 0, 0))
    body = m.body("mass", joints="T1", mass=2.0)

    @m.link("spring", m.ground.point("wall", (-1.0, 0, 0)), body.point("hook", (0.0, 0, 0)))
    def spring(length, rate, p):
        return 50.0 * (length - 1.0) + 0.7 * rate

    return sb.system(m)


def test_of_a_linear_machine_it_is_the_textbooks_filter():
    s, dt, sigma, density = oscillator(), 1e-3, 0.01, 0.3
    twin = estimate(
        s, ["mass.q"], {"mass.q": sigma}, {"mass.qd": density}, dt=dt, start={"mass.q": 0.1, "mass.qd": 0.2}
    )
    A = np.array([[0.0, 1.0], [-25.0, -0.35]])
    F, H, R = expm(A * dt), np.array([[1.0, 0.0]]), sigma**2
    Q = density**2 * np.array([[dt**3 / 3, dt**2 / 2], [dt**2 / 2, dt]])
    x, P = s.x0.copy(), np.diag([0.1**2, 0.2**2])
    rng = np.random.default_rng(0)
    for _ in range(200):
        z = 0.05 + sigma * rng.normal()
        twin.step(z=[z])
        x, P = F @ x, F @ P @ F.T + Q
        K = P @ H.T / (H @ P @ H.T + R)
        x, P = x + K[:, 0] * (z - x[0]), P - K @ H @ P
    assert np.allclose(twin.P, P, rtol=1e-9, atol=0)
    assert np.allclose(twin.x, x, rtol=0, atol=1e-10)  # steps of rk4 are right to that
    assert twin.sigma["mass.q"] == pytest.approx(np.sqrt(P[0, 0]))


def pendulum():
    m = sb.Model("pendulum")
    m.body("arm", joints=[sb.Joint("arm", "R2", q0=0.8)], mass=1.0, com=(0, 0, -0.5), inertia=(0.08, 0.08, 0.001))
    return sb.system(m)


def independent_pendulum(measured, dt, sigma, density):
    """An extended Kalman filter of I θ̈ = −m g l sin θ, written out; its own steps, its own slopes."""
    inertia, weight = 0.08 + 0.25, 9.81 * 0.5

    def rates(x):
        return np.array([x[1], -weight * np.sin(x[0]) / inertia])

    x, P, found = np.array([0.8, 0.0]), np.diag([0.05**2, 0.05**2]), []
    Q = density**2 * np.array([[dt**3 / 3, dt**2 / 2], [dt**2 / 2, dt]])
    for z in measured:
        F = expm(np.array([[0.0, 1.0], [-weight * np.cos(x[0]) / inertia, 0.0]]) * dt)
        k1 = rates(x)
        k2 = rates(x + dt / 2 * k1)
        k3 = rates(x + dt / 2 * k2)
        x, P = x + dt / 6 * (k1 + 2 * k2 + 2 * k3 + rates(x + dt * k3)), F @ P @ F.T + Q
        K = P[:, 0] / (P[0, 0] + sigma**2)
        x, P = x + K * (z - x[0]), P - np.outer(K, P[0])
        found.append(x)
    return np.array(found), P


def test_of_a_pendulum_it_agrees_with_one_written_out():
    s, dt, sigma, density = pendulum(), 2e-3, 0.02, 0.1
    truth = sb.simulate(s, 1.0, dt)
    measured = truth["arm.q"][1:] + sigma * np.random.default_rng(3).normal(size=len(truth) - 1)
    twin = estimate(s, ["arm.q"], {"arm.q": sigma}, {"arm.qd": density}, dt=dt)
    mine = []
    for z in measured:
        twin.step(z=[z])
        mine.append(twin.x)
    other, P = independent_pendulum(measured, dt, sigma, density)
    assert np.abs(np.array(mine) - other).max() < 1e-9
    assert np.allclose(twin.P, P, rtol=1e-7, atol=1e-12)
    error = np.abs(np.array(mine)[:, 0] - truth["arm.q"][1:])
    assert error[-100:].max() < sigma  # better than its sensor


def test_a_sensor_that_is_missing_is_not_used():
    s = pendulum()
    twin = estimate(s, ["arm.q"], {"arm.q": 0.01}, {"arm.qd": 0.1})
    twin.step(z=[np.nan])
    assert twin.nis is None
    unsure = twin.sigma["arm.q"]
    twin.step(z={"arm.q": 0.8})
    assert twin.sigma["arm.q"] < unsure


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"sensors": ["arm.w"]}, "did you mean arm.q"),
        ({"noise": {"arm.q": -1.0}}, "noise is not given"),
        ({"model_error": {"arm.v": 1.0}}, "did you mean arm.qd"),
        ({"model_error": {"arm.qd": np.nan}}, "not negative"),
        ({"transition": "guess"}, "step, exact"),
        ({"start": {"leg.q": 1.0}}, "unknown state"),
    ],
)
def test_what_cannot_be_meant_is_named(change, told):
    with pytest.raises(ModelError, match=told):
        estimate(pendulum(), **{"sensors": ["arm.q"], "noise": {"arm.q": 0.1}} | change)


def test_bands_of_a_twin_hold_the_truth():
    """A wrong start and white acceleration: 95 % of the errors lie within 1.96 σ."""
    s, dt, sigma, density = pendulum(), 5e-3, 0.02, 0.5
    rng, inside = np.random.default_rng(7), []
    walker = sb.stepper(s, dt=dt)
    for _ in range(20):
        x = s.x0 + 0.05 * rng.normal(size=2)
        twin = estimate(s, ["arm.q"], {"arm.q": sigma}, {"arm.qd": density}, dt=dt)
        for _ in range(100):
            x = walker.step(x)
            kick = rng.normal(size=2)
            x = x + density * np.array([dt**1.5 * (kick[0] / 2 + kick[1] / 12**0.5), dt**0.5 * kick[0]])
            twin.step(z=[x[0] + sigma * rng.normal()])
            inside.append(np.abs(x - twin.x) < 1.96 * np.sqrt(np.diag(twin.P)))
    assert np.all(np.abs(np.mean(inside, axis=0) - 0.95) < 0.03)


def hydraulic_twin(backend, gate=np.inf):
    s = sb.system(sb.machines.open("four-bar-hydraulic"))
    noise = {"boom.q": 0.017, "piston_p": 1e5, "rod_p": 1e5}
    unsure = {"rocker.qd": 0.03, "piston_p": 3e5, "rod_p": 3e5, "hose_p": 3e5, "hydraulics_bulk": 1e7}
    start = {"rocker.q": 0.03, "rocker.qd": 0.01, "hose_p": 1e5, "piston_p": 1e5, "rod_p": 1e5, "valve_spool": 1e-3}
    return estimate(s, list(noise), noise, unsure, method="trapezoidal", start=start, gate=gate, backend=backend)


def test_c_and_python_are_the_same_filter_through_loops_and_oil():
    fast, slow = (hydraulic_twin(backend, gate=9.0) for backend in ("auto", "python"))
    assert (fast.backend, slow.backend) == ("c", "python")
    rng, u = np.random.default_rng(2), np.array([3.0])
    for k in range(60):
        z = [fast.mean[name] + 1.5 * sigma * rng.normal() for name, sigma in fast.sensors.items()]
        z[k % 3] = np.nan
        for twin in (fast, slow):
            twin.step(u, z)
        assert fast.used.tolist() == slow.used.tolist()
    assert np.allclose(fast.x, slow.x, rtol=1e-9)
    assert np.allclose(fast.P, slow.P, rtol=1e-6, atol=1e-9 * np.sqrt(np.outer(np.diag(slow.P), np.diag(slow.P))).max())
    assert fast.refused == slow.refused
    assert sum(fast.refused.values()) > 0


def test_a_sensor_of_a_dependent_coordinate_tells_of_the_free_one():
    twin = hydraulic_twin("auto")
    before = twin.sigma["rocker.q"]
    twin.step([0.0], {"boom.q": twin.mean["boom.q"]})
    assert twin.sigma["rocker.q"] < 0.9 * before
