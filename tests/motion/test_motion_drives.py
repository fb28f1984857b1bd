"""Drive lines of the platform: printed figures, balances of power, limits named with axis, time and value."""

from dataclasses import replace
from math import pi

import numpy as np
import pytest

import symbody as sb
from symbody.links.cia402 import MODES
from symbody.machines.platform.data import platform_data
from symbody.motion.data import ACTUATORS, AXES
from symbody.motion.drives import (
    RPM,
    check,
    contradictions,
    quantised,
    require_drives,
    resolution,
    resolutions,
    set_points,
    turns_per_metre,
)
from symbody.motion.platform_motion import PlatformMotion

DATA = platform_data()


def swinging(axis, amplitude, frequency, data=DATA, seconds=3.0):
    """One axis that swings about the neutral pose."""
    t = np.arange(0.0, seconds, 2e-3)
    w = 2 * pi * frequency
    axes, rates, second = np.tile([0.0, 0.0, *data.neutral], (len(t), 1)), np.zeros((len(t), 8)), np.zeros((len(t), 8))
    k = AXES.index(axis)
    axes[:, k] += amplitude * np.sin(w * t)
    rates[:, k], second[:, k] = amplitude * w * np.cos(w * t), -amplitude * w * w * np.sin(w * t)
    return PlatformMotion(t, axes, rates, second, data)


@pytest.mark.parametrize(
    ("actuator", "travel", "speed", "force"), [("table.x", 20.42e-3, 1.19, 114), ("rod2", 4.71e-3, 0.275, 493)]
)
def test_printed_figures_of_the_transmissions(actuator, travel, speed, force):
    n = turns_per_metre(actuator, DATA)
    assert 2 * pi / n == pytest.approx(travel, rel=1e-3)
    assert DATA.drives["motor"]["speed"] * RPM / n == pytest.approx(speed, rel=5e-3)
    assert DATA.drives["motor"]["torque"] * n == pytest.approx(force, rel=2e-3)


def test_increments_of_the_encoders():
    """p_i = 2000 p_r/(6.5 π) of a slider, p_r in mm."""
    assert 1e-3 / resolution("table.y", DATA) == pytest.approx(2000 / (6.5 * pi))
    q = np.random.default_rng(0).uniform(0.3, 0.7, (50, 8))
    read = quantised(q, DATA)
    assert np.all(np.abs(read - q) <= 0.5 * resolutions(DATA) * (1 + 1e-9))
    np.testing.assert_allclose(read / resolutions(DATA), np.round(read / resolutions(DATA)), atol=1e-6)


def test_motors_give_the_power_that_the_actuators_take():
    motion = swinging("roll", 0.15, 0.3)
    found = check(motion)
    np.testing.assert_allclose((found.torque * found.speed).sum(axis=1), motion.power, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(0.37 * found.current, 8 * found.torque, atol=1e-12)
    assert found.ok
    assert require_drives(motion).passed == []


def test_a_motor_that_turns_too_fast_is_named():
    motion = swinging("table.x", 0.5, 0.6)  # 1.9 m/s
    found = check(motion)
    named = {excess.axis for excess in found.passed}
    assert named == {"table.x"}
    first = next(excess for excess in found.passed if excess.quantity == "motor speed")
    over = np.abs(motion.actuator_rates[:, 0]) > 3500 * RPM / turns_per_metre("table.x", DATA)
    assert first.time == pytest.approx(motion.t[over.argmax()])
    assert abs(first.value) == pytest.approx(np.abs(found.speed[:, 0]).max() / RPM)
    with pytest.raises(sb.LimitError, match=r"table.x.*t = ") as told:
        require_drives(motion)
    assert told.value.time == pytest.approx(min(excess.time for excess in found.passed))


def test_a_load_that_the_motors_cannot_hold_is_named():
    """Legs that carry 400 kg stand above their rated current for longer than a second, below their peak."""
    body = DATA.bodies["platform"]
    heavy = replace(DATA, bodies={**DATA.bodies, "platform": replace(body, mass=400.0)})
    found = check(swinging("yaw", 0.01, 0.1, heavy))
    told = {(excess.axis, excess.quantity) for excess in found.passed}
    assert told == {
        (axis, what)
        for axis in ACTUATORS[2:]
        for what in ("time above the rated current", "root mean square of the current")
    }
    assert check(swinging("yaw", 0.01, 0.1, heavy, seconds=0.5)).passed[0].quantity == "root mean square of the current"


def test_what_is_no_number_does_not_pass():
    motion = swinging("z", 0.05, 0.2)
    motion.axes[40, 2] = np.nan
    assert {excess.axis for excess in check(motion).passed} == set(ACTUATORS)
    assert check(motion).passed[0].time == pytest.approx(motion.t[40])


def test_set_points_are_whole_numbers_of_what_each_mode_takes():
    motion = swinging("y", 0.05, 0.3)
    told = {mode: set_points(motion, mode) for mode in MODES}
    assert all(points.dtype.kind == "i" for points in told.values())
    np.testing.assert_allclose(
        told["cyclic position"] * resolutions(DATA), quantised(motion.actuators, DATA), atol=1e-12
    )
    n = np.array([turns_per_metre(axis, DATA) for axis in ACTUATORS])
    np.testing.assert_allclose(told["profile velocity"], motion.actuator_rates * n / RPM, atol=0.5)
    np.testing.assert_allclose(told["cyclic torque"] / 1000 * 0.37 * n, motion.forces(), atol=0.5e-3 * 0.37 * n.max())
    with pytest.raises(sb.ModelError, match="cyclic"):
        set_points(motion, "cyclic positon")


def test_limits_that_contradict_each_other_are_found():
    """Printed 0.8 m/s along z needs legs at some 0.75 m/s; their motors end at 0.275 m/s."""
    found = {excess.axis: excess for excess in contradictions(DATA)}
    legs = found["z"].value * RPM / turns_per_metre("rod1", DATA)
    assert legs == pytest.approx(0.8 * 0.5 / 0.525, rel=0.01)  # height over length of a leg
    slower = {axis: replace(limit, speed=0.1 * limit.speed) for axis, limit in DATA.limits.items()}
    assert contradictions(replace(DATA, limits=slower)) == []
