"""Drives: stall torque, no-load speed and time constants of a DC motor, limits of a servo drive, an encoder."""

import math

import numpy as np
import pytest

import symbody as sb
from symbody.analysis.balance import energy_balance
from symbody.elements.attach import on_joint
from symbody.elements.drives import DcMotor, ServoDrive, dc_motor, encoder, servo_drive, whole
from symbody.elements.springs import Damper

MOTOR = DcMotor(resistance=0.5, torque_constant=0.05, inductance=1e-3, ratio=20.0)
SERVO = ServoDrive(
    resistance=0.3, torque_constant=0.1, ratio=10.0, peak_torque=2.0, rated_speed=200.0, no_load_speed=400.0, lag=2e-3
)
INERTIA = 0.8  # kg m²


def flywheel(attach, drive, nature="independent", speed=0.0) -> sb.Model:
    m = sb.Model("flywheel", gravity=(0, 0, 0))
    m.body("wheel", joints=[sb.Joint("axle", "R3", nature, v0=(speed,))], mass=5.0, inertia=(1.0, 1.0, INERTIA))
    attach(m, "motor", "axle", drive)
    return m


def test_a_blocked_motor_stalls_after_its_electrical_time_constant():
    m = flywheel(dc_motor, MOTOR, "locked")
    run = sb.simulate(m, 0.02, 1e-5, inputs={"motor_voltage": 12.0}, outputs=["*"])
    expected = 12.0 / 0.5 * (1.0 - np.exp(-run.t * 0.5 / 1e-3))
    np.testing.assert_allclose(run["motor_current"], expected, rtol=1e-9, atol=1e-12)
    assert run["axle.Q"][-1] == pytest.approx(20.0 * 0.05 * 24.0, rel=1e-4)
    assert run["motor.supplied"][-1] == pytest.approx(run["motor.dissipated"][-1], rel=1e-4)


@pytest.mark.parametrize("inductance", [0.0, 1e-3])
def test_a_free_motor_runs_up_to_its_no_load_speed(inductance):
    motor = DcMotor(resistance=0.5, torque_constant=0.05, inductance=inductance, ratio=20.0)
    run = sb.simulate(flywheel(dc_motor, motor), 4.0, 1e-4, inputs={"motor_voltage": 12.0})
    top = 12.0 / (0.05 * 20.0)
    tau = INERTIA * 0.5 / (0.05 * 20.0) ** 2
    assert run["axle.qd"][-1] == pytest.approx(top * (1 - math.exp(-4.0 / tau)), rel=1e-4)
    if inductance == 0.0:
        np.testing.assert_allclose(run["axle.qd"], top * (1 - np.exp(-run.t / tau)), atol=1e-8)


def test_under_a_viscous_load_it_turns_where_torque_and_load_meet():
    m = flywheel(dc_motor, MOTOR)
    on_joint(m, "load", "axle", Damper(2.0))
    run = sb.simulate(m, 5.0, 1e-4, inputs={"motor_voltage": 12.0})
    n_k, R = 20.0 * 0.05, 0.5
    assert run["axle.qd"][-1] == pytest.approx(n_k * 12.0 / (n_k**2 + 2.0 * R), rel=1e-6)
    kept = energy_balance(run, elements=["motor", "load"])
    assert kept.drift < 1e-5 * kept.work


@pytest.mark.parametrize("efficiency", [1.0, 0.7])
def test_energy_adds_up_while_it_drives_and_brakes(efficiency):
    motor = DcMotor(**{**vars(MOTOR), "efficiency": efficiency, "current_limit": 15.0})
    course = lambda t: 12.0 * math.sin(3.0 * t) + 6.0 * math.sin(17.0 * t)  # noqa: E731
    run = sb.simulate(flywheel(dc_motor, motor), 3.0, 5e-5, inputs={"motor_voltage": course}, outputs=["*"])
    assert run["motor.supplied"].min() < -10.0  # it brakes into the supply
    assert run["motor.dissipated"].min() >= 0.0
    kept = energy_balance(run, elements=["motor"])
    assert kept.drift < 2e-4 * kept.work


@pytest.mark.parametrize("inductance", [0.0, 1e-3])
def test_the_current_stays_within_its_limit(inductance):
    motor = DcMotor(resistance=0.5, torque_constant=0.05, inductance=inductance, ratio=20.0, current_limit=5.0)
    course = lambda t: 24.0 if t < 0.5 else -24.0  # noqa: E731
    run = sb.simulate(flywheel(dc_motor, motor), 1.0, 1e-4, inputs={"motor_voltage": course})
    current = run["motor.current"]
    assert np.abs(current).max() == pytest.approx(5.0, rel=1e-6)
    accelerating = (run.t > 0.05) & (run.t < 0.45)
    np.testing.assert_allclose(np.gradient(run["axle.qd"], run.t)[accelerating], 20.0 * 0.05 * 5.0 / INERTIA, rtol=1e-6)


def test_a_gear_loses_its_share_either_way():
    motor = DcMotor(resistance=0.5, torque_constant=0.05, ratio=20.0, efficiency=0.8)
    for torque, speed in ((0.3, 5.0), (0.3, -5.0), (-0.3, 5.0)):
        assert float(motor.effort(torque, speed)) == pytest.approx(20 * torque - 0.2 * 6.0 * math.copysign(1, speed))
        copper = 0.5 * (torque / 0.05) ** 2
        assert float(motor.dissipated(torque, speed)) == pytest.approx(copper + 0.2 * 6.0 * 5.0)


def test_a_servo_drive_follows_its_command_with_its_lag():
    run = sb.simulate(flywheel(servo_drive, SERVO, "locked"), 0.02, 1e-5, inputs={"motor_command": 1.2}, outputs=["*"])
    np.testing.assert_allclose(run["axle.Q"], 12.0 * (1 - np.exp(-run.t / 2e-3)), atol=1e-8)


def test_a_servo_drive_gives_no_more_than_torque_and_voltage_allow():
    for speed, least, most in (
        (0.0, -2, 2),
        (20.0, -2, 2),
        (30.0, -2, 1),
        (40.0, -2, 0),
        (50.0, -2, 0),
        (-30.0, -1, 2),
    ):
        assert float(SERVO.allowed(99.0, speed)) == pytest.approx(most)
        assert float(SERVO.allowed(-99.0, speed)) == pytest.approx(least)
        assert float(SERVO.allowed(0.3 * most, speed)) == pytest.approx(0.3 * most)
    run = sb.simulate(flywheel(servo_drive, SERVO), 8.0, 2e-4, inputs={"motor_command": 5.0}, outputs=["*"])
    assert run["axle.qd"][-1] == pytest.approx(40.0, rel=1e-3)  # the no-load speed behind the gear
    early = (run.t > 0.1) & (run["axle.qd"] < 20.0)
    np.testing.assert_allclose(run["axle.qdd"][early], 20.0 / INERTIA, rtol=1e-9)
    kept = energy_balance(run, elements=["motor"])
    assert kept.drift < 1e-6 * kept.work


def test_an_encoder_counts_whole_steps():
    m = sb.Model("turntable", gravity=(0, 0, 0))
    m.body("table", joints=[sb.Joint("turn", "R3", v0=(1.3,), q0=(-2.0,))], mass=1.0, inertia=(1, 1, 1))
    encoder(m, "angle", "turn", 2 * math.pi / 500)
    run = sb.simulate(m, 10.0, 1e-3)
    steps = run["angle"] / (2 * math.pi / 500)
    np.testing.assert_allclose(steps, np.round(steps), atol=1e-9)
    assert np.abs(run["angle"] - run["turn.q"]).max() <= math.pi / 500 * (1 + 1e-9)
    assert len(np.unique(np.round(steps))) > 1000
    s = run.system
    s.parameters["angle_resolution"] = 0.5
    assert s.at(0.0, np.array([0.9, 0.0]))["angle"] == pytest.approx(1.0)
    assert s.linear(0.0, np.array([0.9, 0.0])).C[s.outputs.index("angle")] == pytest.approx([0.0, 0.0], abs=1e-12)


def test_whole_numbers_far_out():
    for x in (-1e6 - 0.3, 12345.49, 0.2, 0.5000001, 1e7 + 0.4):
        assert float(whole(x)) == pytest.approx(round(x), abs=1e-8)


@pytest.mark.parametrize(
    ("drive", "match"),
    [
        (DcMotor(resistance=0.0, torque_constant=0.1), "resistance"),
        (DcMotor(resistance=1.0, torque_constant=0.1, ratio=0.0), "ratio"),
        (DcMotor(resistance=1.0, torque_constant=0.1, efficiency=1.2), "efficiency"),
        (DcMotor(resistance=1.0, torque_constant=0.1, inductance=-1.0), "inductance"),
    ],
)
def test_impossible_drives_are_refused(drive, match):
    with pytest.raises(sb.ModelError, match=match):
        flywheel(dc_motor, drive)


def test_impossible_limits_and_steps_are_refused():
    with pytest.raises(sb.ModelError, match="speed"):
        flywheel(servo_drive, ServoDrive(**{**vars(SERVO), "no_load_speed": 200.0}))
    with pytest.raises(sb.ModelError, match="resolution"):
        encoder(flywheel(dc_motor, MOTOR), "angle", "axle", 0.0)
