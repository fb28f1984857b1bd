"""Measured motion: filters with the properties they promise, in C as in the formula, and forces of a driven joint."""

from math import exp, sqrt, tau

import numpy as np
import pytest

import symbody as sb
from symbody import machines
from symbody.realtime import AlphaBetaGamma, Loop, LowPass, Safety, Smooth
from symbody.realtime.tracking import delay, response
from waiting import PATIENCE

DT = 1e-3
TRACKERS = [LowPass(), LowPass(20.0, 1.0), Smooth(), Smooth(40.0), AlphaBetaGamma(), AlphaBetaGamma(5.0)]


def tracked(tracker, z, dt=DT):
    """The filter over samples, from rest at the first."""
    A, b = tracker.matrices(dt)
    s, path = np.array([z[0], 0.0, 0.0]), []
    for x in z:
        s = A @ s + b * x
        path.append(s)
    return np.array(path)


@pytest.mark.parametrize("tracker", TRACKERS)
def test_rest_stays_rest(tracker):
    np.testing.assert_allclose(tracked(tracker, np.full(1000, 3.0)), np.tile([3.0, 0.0, 0.0], (1000, 1)), atol=1e-9)


@pytest.mark.parametrize("tracker", [t for t in TRACKERS if not isinstance(t, Smooth)])  # which holds its samples
def test_the_delay_is_that_of_a_ramp(tracker):
    """A steady velocity is measured exactly, the position late by `delay`."""
    t = np.arange(3000) * DT
    q, v, a = tracked(tracker, 2.0 * t)[-1]
    assert v == pytest.approx(2.0)
    assert a == pytest.approx(0.0, abs=1e-6)
    assert (2.0 * t[-1] - q) / 2.0 == pytest.approx(delay(tracker, DT), abs=1e-9)


def test_a_low_pass_is_two_damping_by_omega_late():
    for cutoff, damping in ((100.0, sqrt(0.5)), (20.0, 1.0)):
        assert delay(LowPass(cutoff, damping), DT) == pytest.approx(2.0 * damping / (tau * cutoff))


def test_a_low_pass_answers_a_jump_as_its_equation():
    """q = 1 − (1 + ωt) exp(−ωt) for ζ = 1; the sample needs a period for its jump, which tends to nothing."""
    omega, dt = tau * 20.0, 1e-6
    q, v, a = tracked(LowPass(20.0, 1.0), np.r_[0.0, np.ones(20000)], dt).T
    t = (np.arange(20001) - 0.5).clip(0.0) * dt
    np.testing.assert_allclose(q, 1.0 - (1.0 + omega * t) * np.exp(-omega * t), atol=1e-8)
    np.testing.assert_allclose(v, omega**2 * t * np.exp(-omega * t), atol=1e-5)
    np.testing.assert_allclose(a[1:], (omega**2 * (1.0 - omega * t) * np.exp(-omega * t))[1:], atol=1e-2)


def test_a_smooth_one_answers_a_jump_as_its_equation_in_steps_of_any_size():
    """q = 1 − (1 + ωt + ω²t²/2) exp(−ωt), its acceleration without a jump; 3/ω late less half a sample that is held."""
    omega = tau * 20.0
    for dt in (1e-3, 7e-3):
        q, v, a = tracked(Smooth(20.0), np.r_[0.0, np.ones(200)], dt).T
        t = np.arange(201) * dt
        np.testing.assert_allclose(q, 1.0 - (1.0 + omega * t + (omega * t) ** 2 / 2.0) * np.exp(-omega * t), atol=1e-12)
        np.testing.assert_allclose(v, omega**3 * t**2 / 2.0 * np.exp(-omega * t), atol=1e-9)
        np.testing.assert_allclose(a, omega**3 * (t - omega * t**2 / 2.0) * np.exp(-omega * t), atol=1e-7)
    assert delay(Smooth(20.0), DT) == pytest.approx(3.0 / omega - DT / 2.0, rel=0.03)


@pytest.mark.posix
def test_measured_motion_goes_on_between_sub_steps():
    """A loop with eight of them records every eighth state of the filter, and the free joint feels all of them."""
    m = machines.model("four-bar")
    m.bodies["crank"].joints[0].nature = "driven"
    s = sb.system(m, inputs=["crank.q"], outputs=["*.q", "*.qd", "crank.effort"])
    z, fine = -1.0 + 0.3 * np.sin(tau * 3.0 * np.arange(100) * DT), 8
    loop = Loop(s, track={"crank": Smooth()}, substeps=fine, safety=Safety(stale=None, overrun=None, watchdog=PATIENCE))
    loop.pause()
    with loop:
        for x in z:
            loop.give({"crank.q": x})
            loop.step()
    run = loop.history("crank.q", "crank.qd", "crank.qdd", "loop.state")
    made = np.stack([run[f"crank.{x}"] for x in ("q", "qd", "qdd")], axis=1)[run["loop.state"] == 1]
    motion = tracked(Smooth(), np.repeat(z, fine), DT / fine)[::fine]
    np.testing.assert_allclose(made, motion, atol=1e-9)


def test_the_poles_of_the_tracker_are_equal_and_constant_acceleration_is_met():
    for cutoff in (5.0, 30.0):
        A, _ = AlphaBetaGamma(cutoff).matrices(DT)
        theta = exp(-tau * cutoff * DT)
        np.testing.assert_allclose(np.poly(A), [1.0, -3.0 * theta, 3.0 * theta**2, -(theta**3)], atol=1e-9)
        t = np.arange(3000) * DT
        q, v, a = tracked(AlphaBetaGamma(cutoff), 1.5 * t**2)[-1]
        assert (q, v, a) == pytest.approx((1.5 * t[-1] ** 2, 3.0 * t[-1], 3.0), rel=1e-6)


@pytest.mark.parametrize("tracker", TRACKERS)
@pytest.mark.parametrize("frequency", [1.0, 17.0])
def test_the_response_is_that_of_a_sine(tracker, frequency):
    t = np.arange(4000) * DT
    path = tracked(tracker, np.sin(tau * frequency * t))[-1000:]
    wave = np.exp(1j * tau * frequency * t[-1000:])
    np.testing.assert_allclose(path, np.imag(wave[:, None] * response(tracker, frequency, DT)), atol=1e-6)


def test_slow_motion_passes_a_low_pass_whole_and_late():
    """(q, q̇, q̈) are derivatives of one another, all of them late by the same time."""
    for frequency in (0.5, 5.0):
        exact = (1j * tau * frequency) ** np.arange(3) * np.exp(-1j * tau * frequency * delay(LowPass(), DT))
        np.testing.assert_allclose(response(LowPass(), frequency, DT), exact, rtol=2e-3)


def test_a_cutoff_beyond_half_the_rate_is_refused():
    for bad in (0.0, 500.0):
        with pytest.raises(sb.ModelError, match="half the sampling rate"):
            LowPass(bad).matrices(DT)


@pytest.mark.parametrize("tracker", [LowPass(60.0), AlphaBetaGamma(20.0)])
@pytest.mark.posix
def test_measured_motion_gives_the_effort_of_the_driven_joint(tracker):
    """Position in, loops closed, effort out: as computed apart, and its power is what the energy gains."""
    m = machines.model("four-bar")
    m.bodies["crank"].joints[0].nature = "driven"
    m.parameters["friction"].value = 0.0
    s = sb.system(m, inputs=["crank.q"], outputs=["*.q", "*.qd", "crank.effort", "energy.*"])
    steps = 200
    t = np.arange(steps) * DT
    z = -1.0 + 0.4 * np.sin(tau * 2.0 * t) ** 2
    loop = Loop(s, track={"crank": tracker}, safety=Safety(stale=None, overrun=None, watchdog=PATIENCE))
    loop.pause()
    with loop:
        assert loop.channels.given == ["torque", "crank.q"]
        for x in z:
            loop.give({"crank.q": x})
            loop.step()
    run = loop.history(*s.outputs, "crank.qdd", "loop.state")
    made = run.values[run["loop.state"] == 1]
    column = {name: made[:, k] for k, name in enumerate(run.names)}
    motion = tracked(tracker, z)
    np.testing.assert_allclose(np.stack([column[f"crank.{x}"] for x in ("q", "qd", "qdd")], axis=1), motion, atol=1e-9)
    apart = [s.at(x, np.zeros(0), np.r_[0.0, state]) for x, state in zip(t, motion, strict=True)]
    np.testing.assert_allclose(column["crank.effort"], [y["crank.effort"] for y in apart], rtol=1e-9, atol=1e-12)
    if isinstance(tracker, LowPass):  # whose velocity and acceleration are the derivatives of its position
        power = column["crank.effort"] * column["crank.qd"]
        gained = np.gradient(column["energy.kinetic"] + column["energy.potential"], DT)
        np.testing.assert_allclose(power[1:-1], gained[1:-1], atol=1e-3 * np.abs(power).max())
    gaps = sb.compile(m, "constraints")(made[:, [run.names.index(f"{j}.q") for j in ("crank", "coupler", "rocker")]]).h
    assert np.abs(gaps).max() < 1e-12
