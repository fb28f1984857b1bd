"""Units of channels, and in terms of the base units."""

import pytest
from exported_systems import made

import symbody as sb
from symbody.export.units import fmi_units
from symbody.units import base_units


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("N m s/rad", {"kg": 1, "m": 2, "s": -1, "rad": -1}),
        ("m/s2", {"m": 1, "s": -2}),
        ("m/s^2", {"m": 1, "s": -2}),
        ("kg·m²", {"kg": 1, "m": 2}),
        ("1/s", {"s": -1}),
        ("rad", {"rad": 1}),
        ("kg/m s", None),
        ("N/(m/s)", {"kg": 1, "s": -1}),
        ("km/h", None),  # not of base units alone
        ("furlong", None),
        ('<&"', None),
        ("", None),
    ],
)
def test_base_units(text, expected):
    assert base_units(text) == expected


@pytest.mark.parametrize(
    ("model", "channel", "unit"),
    [
        ("quarter-car", "heave.q", "m"),
        ("quarter-car", "camber.qd", "rad/s"),
        ("quarter-car", "strut.tension", "N"),
        ("quarter-car", "wheel_centre.velocity.z", "m/s"),
        ("quarter-car", "energy.kinetic", "J"),
        ("quarter-car", "road", "m"),
        ("quarter-car", "heave.reaction.torque.x", "N m"),
        ("stewart", "platform.x", "m"),
        ("stewart", "platform.qw", ""),
        ("stewart", "platform.wz", "rad/s"),
        ("stewart", "platform.vx.dot", "m/s2"),
        ("stewart", "ball1.force.y", "N"),
    ],
)
def test_channels(model, channel, unit):
    m = made(model).model
    assert fmi_units(m, [channel]) == {channel: unit}


def test_what_a_run_knows_an_fmu_knows():
    m = sb.Model("pole")
    pole = m.body("pole", joints=[sb.Joint("hinge", "R2")], mass=1.0, com=(0, 0, 1), inertia=1.0)
    m.sensor("unit", pole, ("gyro", "accelerometer"))
    m.signal("spring.stored")(lambda s, p: s.q["hinge"] ** 2)
    m.signal("own")(lambda s, p: s.q["hinge"])
    expected = {"unit.gyro.x": "rad/s", "unit.accelerometer.z": "m/s2", "spring.stored": "J", "own": ""}
    assert fmi_units(m, expected) == expected
    assert base_units(expected["unit.accelerometer.z"]) == base_units(
        sb.simulate(m, 0.1, 0.01).units["unit.accelerometer.z"]
    )
