"""The hand is the spring and damper it says it is, never stronger than its limit, and nothing while it lets go."""

import numpy as np
import pytest

import symbody as sb
from symbody.studio.pull import AT, HELD, LIMIT, STIFFNESS, TO, grip, pullable, pullable_frames

M, K = 2.0, 50.0  # kg, N/m


def drifting():
    """A box that nothing holds, and a massless frame that carries nothing."""
    m = sb.Model("box", gravity=(0, 0, 0))
    m.body("frame", joints=[sb.Joint("x", "T1")])
    m.body("box", "frame", [sb.Joint("y", "T2"), sb.Joint("turn", "R3")], M, inertia=(0.1, 0.1, 0.1))
    return m


@pytest.fixture(scope="module")
def system():
    s = sb.system(pullable(drifting()))
    s.parameters.update({STIFFNESS: K, LIMIT: 100.0})
    return s


def pulled(s, at, to, until=2.0):
    return sb.simulate(s, until, 1e-3, inputs=dict(grip(2, at, to)))


def test_bodies_with_mass_are_pulled_and_the_model_is_left_alone():
    m = drifting()
    assert pullable_frames(m) == {2: "box"}
    more = pullable(m)
    assert {HELD, *AT, *TO} <= set(more.inputs)
    assert not set(m.inputs) & set(more.inputs)


def test_a_pulled_box_is_a_damped_oscillator(system):
    """x = X (1 − e^(−ζωt) (cos ω_d t + ζω/ω_d sin ω_d t)), ω² = k/m, ζ = 1/2: √(k m) is half of critical."""
    run = pulled(system, (0, 0, 0), (0.5, -0.25, 0.0))
    w = np.sqrt(K / M)
    d = w * np.sqrt(0.75)
    free = 1 - np.exp(-w / 2 * run.t) * (np.cos(d * run.t) + w / 2 / d * np.sin(d * run.t))
    np.testing.assert_allclose(run["x.q"], 0.5 * free, atol=1e-8)
    np.testing.assert_allclose(run["y.q"], -0.25 * free, atol=1e-8)
    np.testing.assert_allclose(run["turn.q"], 0.0, atol=1e-12)


def test_far_away_it_pulls_with_its_limit(system):
    run = pulled(system, (0, 0, 0), (1e5, 0, 0), until=0.5)
    np.testing.assert_allclose(run["x.q"], 0.5 * 100.0 / M * run.t**2, rtol=1e-6, atol=1e-9)


def test_beside_the_centre_it_turns(system):
    """At the first instant: force k (to − at), torque at × force about the centre of mass."""
    x0 = system.x0
    u = dict(zip(system.inputs, system.u0, strict=True)) | grip(2, (0.0, 0.2, 0.0), (0.3, 0.2, 0.0))
    rates = dict(zip(system.states, system.rates(0.0, x0, np.array([u[n] for n in system.inputs])), strict=True))
    assert rates["x.qd"] == pytest.approx(K * 0.3 / M)
    assert rates["turn.qd"] == pytest.approx(-0.2 * K * 0.3 / 0.1)


@pytest.mark.parametrize("frame", [0, 1, 3])
def test_what_is_not_held_feels_nothing(system, frame):
    run = sb.simulate(system, 0.1, 1e-3, inputs=dict(grip(frame, (0, 0, 0), (5, 5, 5))))
    np.testing.assert_array_equal(run["x.q"], 0.0)
