"""Tracking controllers: laws over numbers, their compiled form, the surface of sliding mode.

Tests of motion/control/controller.py, motion/control/pid.py, motion/control/computed_torque.py,
motion/control/sliding_mode.py.
"""

from dataclasses import replace

import numpy as np
import pytest

from symbody.machines.platform.data import platform_data
from symbody.motion.control import ComputedTorque, FeedForward, Pid, SlidingMode, control_function
from symbody.motion.control.controller import LoopState, forces_of, gains, wanted, with_gains
from symbody.motion.control.sliding_mode import saturated
from symbody.motion.dynamics import forward_dynamics, inverse_dynamics
from symbody.motion.kinematics import rates_of_twist
from symbody.motion.platform_motion import PlatformMotion, random_motion
from symbody.motion.servo import ReferenceMotion

DATA = platform_data()
KINDS = [Pid, FeedForward, ComputedTorque, SlidingMode]


def at(k=0, error=0.0, slope=0.0):
    """The state of a loop at a random motion, with an error and its rate on all actuators."""
    motion = random_motion(DATA, 4, np.random.default_rng(5))
    reference = ReferenceMotion(motion.axes[k], motion.rates[k], motion.second[k])
    target = wanted(reference, DATA)
    return LoopState(reference, target.q - error, target.qd - slope, np.full(8, 1e-4)), target


@pytest.mark.parametrize("kind", KINDS)
def test_the_compiled_controller_is_that_of_arrays(kind):
    controller, (now, target) = kind(), at(1, 1e-3, 2e-3)
    given = (*now.reference, now.q, now.qd, now.integral, gains(controller).ravel())
    found = control_function(kind, DATA)(*map(np.asarray, given))
    np.testing.assert_allclose(found.forces, controller.forces(now, DATA), rtol=1e-9, atol=1e-7)
    np.testing.assert_allclose(found.error, target.q - now.q, atol=1e-12)


@pytest.mark.parametrize("kind", [FeedForward, ComputedTorque, SlidingMode])
def test_without_an_error_model_based_forces_are_the_inverse_dynamics(kind):
    now, target = at()
    still = now._replace(integral=np.zeros(8))
    exact = inverse_dynamics(target.pose, target.twist, target.acceleration, DATA)
    np.testing.assert_allclose(kind().forces(still, DATA), exact, rtol=1e-9, atol=1e-7)


def test_forces_of_accelerations_make_these_accelerations():
    now, target = at(2)
    wanted_now = target.qdd + np.linspace(-1.0, 1.0, 8)
    gamma = forces_of(wanted_now, now, target, DATA)
    second = forward_dynamics(target.pose, target.twist, gamma, DATA)
    rates = np.concatenate([target.twist[:2], rates_of_twist(target.pose, target.twist[2:])])
    made = PlatformMotion(np.zeros(1), now.reference.axes[None], rates[None], np.zeros((1, 8)), DATA)
    made.__dict__["acceleration"] = second[None]
    found = np.concatenate([second[:2], made.legs.q3dd[0]])
    np.testing.assert_allclose(found, wanted_now, atol=1e-8)


def test_pid_knows_no_model():
    now, _ = at(0, 1e-3, 2e-3)
    force = Pid(stiffness=1e4, damping=10.0, reset=2.0).forces(now, DATA)
    np.testing.assert_allclose(force, 1e4 * (1e-3 + 2.0 * 1e-4) + 10.0 * 2e-3, rtol=1e-9)


def test_sliding_mode_with_an_exact_model_approaches_its_surface():
    """ṡ = −K sat(s/ξ) − ζ s, so that s ṡ < 0."""
    mode = SlidingMode()
    for error in (-2e-3, 1e-5, 3e-3):
        now, target = at(0, error, 10.0 * error)
        s = mode.surface(target.q - now.q, target.qd - now.qd, now.integral)
        rate = -mode.reach * saturated(s / mode.layer) - mode.pull * s
        command = target.qdd + mode.slope * (target.qd - now.qd) + mode.integral_slope * (target.q - now.q) - rate
        np.testing.assert_allclose(mode.forces(now, DATA), forces_of(command, now, target, DATA), rtol=1e-9, atol=1e-6)
        assert (s * rate < 0.0).all()


def test_saturation_is_linear_inside_and_one_outside():
    assert saturated(np.array([-9.0, -1.0, -0.3, 0.0, 0.3, 1.0, 7.0])) == pytest.approx([-1, -1, -0.3, 0, 0.3, 1, 1])


def test_gains_are_rows_of_eight_and_can_be_replaced():
    mode = SlidingMode(slope=(1.0, 2.0, *6 * (3.0,)))
    rows = gains(mode)
    assert rows.shape == (5, 8)
    assert rows[0, :3].tolist() == [1.0, 2.0, 3.0]
    assert with_gains(mode, 2.0 * rows).slope == (2.0, 4.0, *6 * (6.0,))
    assert replace(mode, slope=4.0).slope == 4.0
