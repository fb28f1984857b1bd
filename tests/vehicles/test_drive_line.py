"""A drive line: speeds of the governor, power through the clutch, fuel, against closed forms.

Tests of vehicles/drive_line.py.
"""

import numpy as np
import pytest

import symbody as sb
from symbody.vehicles.drive_line import Diesel, DriveLine, drive_line

ENGINE = Diesel(
    speeds=[60.0, 230.0, 245.0], torques=[400.0, 400.0, 0.0], idle=90.0, rated=230.0, governor=10.0, drag=30.0,
    inertia=1.5, consumption=6e-8, idle_fuel=4e-4, tank=100.0,
)  # fmt: skip
LINE = DriveLine(
    gears=[-1.0, 0.0, 1.0], ratios=[-20.0, 0.0, 20.0], clutch=600.0, slip=20.0, wheels={"spin": 1.0},
    brakes={"spin": 5000.0}, brake_slow=0.2,
)  # fmt: skip
DRIVES = {"throttle": 0.5, "clutch": 0.0, "brake": 0.0}
LEVER = 90.0 + 0.5 * 140.0  # rad/s


@pytest.fixture(scope="module")
def s():
    m = sb.Model("wheel")
    m.parameter("drag", 100.0, "N m s/rad")
    m.body("wheel", joints=[sb.Joint("spin", "R2")], mass=10.0, inertia=(20.0, 40.0, 20.0))
    m.joint_force("spin")(lambda q, qd, p: -p.drag * qd)
    drive_line(m, ENGINE, LINE)
    return sb.system(m, outputs=["spin.qd", "engine_speed", "fuel", "engine.torque", "engine.power"])


def run(s, until=20.0, **inputs):
    return sb.simulate(s, until, 2e-3, inputs=DRIVES | inputs)


def test_in_neutral_the_engine_has_the_speed_of_its_lever(s):
    end = run(s, gear=0.0)
    assert end["engine_speed"][-1] == pytest.approx(LEVER, abs=0.1)
    assert abs(end["spin.qd"][-1]) < 1e-9


@pytest.mark.parametrize("gear", [1.0, -1.0])
def test_the_wheel_follows_the_gear_and_torques_balance(s, gear):
    end = run(s, gear=gear)
    engine, wheel = end["engine_speed"][-1], end["spin.qd"][-1]
    passed = 600.0 * np.tanh(2.0 * (engine - 20.0 * gear * wheel) / 20.0)
    assert 20.0 * gear * passed == pytest.approx(100.0 * wheel, rel=1e-3)  # at the wheel
    assert end["engine.torque"][-1] == pytest.approx(30.0 + passed, rel=1e-3)  # at the engine
    assert engine == pytest.approx(LEVER - passed / 10.0, rel=1e-3)  # droop of the governor


def test_fuel_is_idle_flow_and_power(s):
    end = run(s, 10.0, gear=1.0)
    burnt = 100.0 - end["fuel"][-1]
    assert burnt == pytest.approx(4e-4 * 10.0 + 6e-8 * np.trapezoid(end["engine.power"], end.t), rel=1e-4)


def test_a_brake_holds_the_wheel(s):
    end = run(s, 20.0, gear=0.0, brake=1.0)
    assert abs(end["spin.qd"][-1]) < 1e-6


def test_invalid_numbers_are_named():
    with pytest.raises(sb.ModelError, match="drive_line"):
        drive_line(sb.Model("m"), ENGINE, DriveLine(**vars(LINE) | {"slip": 0.0}))
