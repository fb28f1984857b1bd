"""Gyroscope and accelerometer of a sensor, in its own axes, beside textbook kinematics; system/channels.py."""

import numpy as np
import pytest

import symbody as sb
from symbody.errors import ModelError

RADIUS, SPEED, MOUNT = 0.7, 3.0, 0.3  # m, rad/s, rad
G = 9.81


def turntable(tilt=0.0):
    """A table that turns about the vertical, a unit on its rim that is turned by `tilt` about the radius."""
    m = sb.Model("turntable")
    table = m.body("table", joints=[sb.Joint("table", "R3", q0=(0.4,), v0=(SPEED,))], inertia=(1.0, 1.0, 1.0))
    m.sensor("unit", table.point("rim", (RADIUS, 0.0, 0.0), (tilt, 0.0, 0.0)), ("gyro", "accelerometer"))
    m.input("torque", 2.0, "N m")
    m.joint_force("table")(lambda q, qd, p: p.torque)
    return sb.system(m)


def outputs(s):
    return dict(zip(s.outputs, s.observe(0.0, s.x0, s.u0), strict=True))


@pytest.mark.parametrize("tilt", [0.0, MOUNT])
def test_on_a_turntable_it_tells_centripetal_tangential_and_weight(tilt):
    seen = outputs(turntable(tilt))
    c, s = np.cos(tilt), np.sin(tilt)
    tangential = 2.0 * RADIUS  # torque by inertia
    assert seen["unit.accelerometer.x"] == pytest.approx(-(SPEED**2) * RADIUS)
    assert seen["unit.accelerometer.y"] == pytest.approx(c * tangential + s * G)
    assert seen["unit.accelerometer.z"] == pytest.approx(c * G - s * tangential)
    assert [seen[f"unit.gyro.{a}"] for a in "xyz"] == pytest.approx([0.0, s * SPEED, c * SPEED])


def test_in_free_fall_it_tells_nothing():
    m = sb.Model("falling")
    body = m.body("body", joints="free", mass=1.0, inertia=(1.0, 1.0, 1.0))
    m.sensor("unit", body, ("accelerometer",))
    seen = outputs(sb.system(m))
    assert [seen[f"unit.accelerometer.{a}"] for a in "xyz"] == pytest.approx([0.0, 0.0, 0.0], abs=1e-12)


def test_its_units_are_known_and_files_hold_it(tmp_path):
    s = turntable()
    run = sb.simulate(s, 0.01, 1e-3)
    assert run.units["unit.gyro.x"] == "rad/s"
    assert run.units["unit.accelerometer.x"] == "m/s²"
    sb.save(s.model, tmp_path / "table.yaml")
    assert sb.load(tmp_path / "table.yaml").sensors["unit"].quantities == ("gyro", "accelerometer")


def test_a_quantity_that_is_none_is_named():
    m = sb.Model("pendulum")
    body = m.body("arm", joints="R2", mass=1.0)
    m.sensor("unit", body, ("magnetometer",))
    with pytest.raises(ModelError, match="accelerometer"):
        sb.check(m)
