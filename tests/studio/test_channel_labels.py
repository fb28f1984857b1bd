"""Names of channels as people read them (channel_labels.py)."""

import pytest

from symbody.studio.channel_labels import channel_labels


@pytest.mark.parametrize(
    ("name", "unit", "label"),
    [
        ("wheel.q", "rad", "wheel angle"),
        ("rod1.q", "m", "rod1 position"),
        ("left_arm.qd", "rad/s", "left arm angular velocity"),
        ("rod1.qd", "m/s", "rod1 velocity"),
        ("wheel.effort", "N m", "wheel torque"),
        ("rod1.effort", "N", "rod1 force"),
        ("front_left.tyre.load", "N", "front left tyre load"),
    ],
)
def test_usual_words(name, unit, label):
    assert channel_labels({name: unit}, {}) == {name: label}


def test_own_labels_come_first_and_names_without_words_stay():
    assert channel_labels(
        {"wheel.effort": "N m", "torque": "N m", "a.x": "m"}, {"wheel.effort": "steering torque"}
    ) == {"wheel.effort": "steering torque"}
