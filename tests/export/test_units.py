"""Units of channels, and in terms of the base units."""

import pytest
from exported_systems import made

from symbody.export.units import channel_unit, channel_units
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
    assert channel_unit(m, channel_units(m), channel) == unit
