"""Poles of the sampled loop, against a loop that is stepped; gains that are refused; PID for every passenger.

Tests of motion/control/stability.py, motion/control/pid.py.
"""

import numpy as np
import pytest

from symbody.errors import ModelError
from symbody.machines.platform.data import platform_data
from symbody.motion.control import SWARM, ComputedTorque, FeedForward, Pid
from symbody.motion.control.pid import holding_forces, pid_for
from symbody.motion.control.sampled_loop import DERIVATIVE, DT
from symbody.motion.control.stability import law_slopes, loop_poles, poles_of, require_stable, viscous_friction
from symbody.motion.data import laden
from symbody.motion.dynamics import mass_matrix

DATA = platform_data()
SEAT, PLATE = (0.0, 0.0, 0.2), DATA.bodies["platform"].com
USUAL = laden(DATA, SEAT, 20.0)
LOADS = [laden(DATA, SEAT, mass) for mass in (10.0, 20.0, 50.0)]


def stepped_growth(controller, data, seed, samples=3000):
    """Growth of a small error in a sample: the laws of the sampled loop, one after another, with fine steps between."""
    kq, kr, ki = law_slopes(controller, DATA)
    inverse, friction = np.linalg.inv(mass_matrix(data.neutral, data)), viscous_friction(data)
    q, v = 1e-6 * np.random.default_rng(seed).normal(size=(2, 8))
    integral, slope, before = np.zeros(8), np.zeros(8), -q
    blend, fine, sizes = 1.0 - np.exp(-DERIVATIVE * DT), 20, []
    for _ in range(samples):
        e = -q
        slope = slope + blend * ((e - before) / DT - slope)
        before = e
        force = kq @ q + kr @ -slope + ki @ integral
        integral = integral + DT * e
        for _ in range(fine):  # the midpoint rule
            middle = v + 0.5 * DT / fine * (inverse @ (force - friction * v))
            v, q = v + DT / fine * (inverse @ (force - friction * middle)), q + DT / fine * middle
        sizes.append(np.linalg.norm(q))
    late = np.log(np.array(sizes[samples // 2 :]) + 1e-300)
    return np.exp(np.polyfit(np.arange(len(late)), late, 1)[0])


@pytest.mark.slow
@pytest.mark.parametrize(("load", "reset"), [(0.0, 10.0), (16.0, 10.0), (50.0, 10.0), (50.0, 1.5)])
def test_the_largest_pole_is_the_growth_of_a_stepped_loop(load, reset):
    data, controller = laden(DATA, PLATE, load), Pid(reset=reset)
    largest = np.abs(loop_poles(controller, data, DATA)).max()
    assert stepped_growth(controller, data, seed=int(load)) == pytest.approx(largest, abs=1.5e-3 * largest)
    assert (largest > 1.0) == (load > 0.0 and reset == 10.0)


def test_pid_is_stable_up_to_the_bound_of_routh():
    """A mode of the mass m is stable if K_d + c > m/T; the heaviest modes are those along the platform."""
    data = laden(DATA, PLATE, 50.0)
    M = mass_matrix(data.neutral, data)
    heaviest = np.linalg.eigvalsh(M[2:, 2:])[-1]
    bound = (400.0 + viscous_friction(DATA)[-1]) / heaviest
    assert np.abs(loop_poles(Pid(reset=0.5 * bound), data, DATA)).max() < 1.0
    assert np.abs(loop_poles(Pid(reset=2.0 * bound), data, DATA)).max() > 1.0


PID = pid_for(LOADS, USUAL)


@pytest.mark.parametrize("controller", [PID, ComputedTorque(), SWARM, FeedForward(PID.stiffness, PID.damping)])
def test_the_controllers_of_the_ride_are_stable_with_every_passenger(controller):
    require_stable(controller, LOADS, USUAL)
    assert all(np.abs(loop_poles(controller, data, USUAL)).max() < 1.0 for data in LOADS)


def test_pid_for_a_passenger_holds_the_weight_at_once():
    pid = pid_for(LOADS, USUAL)
    np.testing.assert_allclose(pid.weight, holding_forces(USUAL))
    rod = np.asarray(pid.weight[2:])
    assert rod.sum() > 9.81 * (20.0 + DATA.bodies["platform"].mass)  # legs are inclined, and heavy themselves


@pytest.mark.parametrize(
    "controller",
    [
        Pid(reset=10.0),
        Pid(damping=2e4),
        Pid(stiffness=1e7),
        Pid(damping=-300.0),
        ComputedTorque(bandwidth=600.0),
        ComputedTorque(reset=400.0),
        FeedForward(stiffness=-1e4),
    ],
)
def test_gains_that_make_the_loop_unstable_are_refused(controller):
    with pytest.raises(ModelError, match="errors grow"):
        require_stable(controller, LOADS, USUAL)


def test_a_controller_that_does_nothing_is_refused():
    with pytest.raises(ModelError, match="do not decay"):
        require_stable(FeedForward(stiffness=0.0, damping=0.0), LOADS, USUAL)


def test_slopes_of_pid_are_its_gains():
    q, rate, integral = law_slopes(Pid(stiffness=3e4, damping=200.0, reset=2.0), DATA)
    for found, exact in ((q, -3e4), (rate, -200.0), (integral, 6e4)):
        np.testing.assert_allclose(found, exact * np.eye(8), atol=1e-3 * abs(exact))
    assert len(poles_of((q, rate, integral), DATA)) == 40
