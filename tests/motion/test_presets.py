"""Platforms by name: hexapods of the catalogue reach what it prints, and gaps of the catalogue are refused."""

import numpy as np
import pytest

from symbody.errors import ModelError, SymbodyError
from symbody.motion.built_in_platform import platform_data
from symbody.motion.data import POSE
from symbody.motion.drives import leg_speed
from symbody.motion.envelopes import envelope
from symbody.motion.presets import named_platform
from symbody.motion.servo import drive_force
from symbody.motion.workspace import margins


def test_the_usual_platform_has_no_name():
    assert named_platform(None) is platform_data() or named_platform(None).payload == platform_data().payload


def test_a_hexapod_of_the_catalogue_reaches_each_axis_alone():
    data, printed = named_platform("Renault"), envelope("Renault").limits
    assert not data.moving[:2].any()
    for axis in POSE:
        limit = data.limits[axis]
        assert (limit.speed, limit.acceleration) == (printed[axis].speed, printed[axis].acceleration)
        for end in (limit.low, limit.high):
            pose = data.neutral.copy()
            pose[POSE.index(axis)] = end
            assert np.min(margins(pose, data)) > 0.0, axis
    assert leg_speed(data) > data.limits["z"].speed


def test_its_drives_carry_it():
    data = named_platform("Renault")
    weight = 9.81 * (data.payload + data.bodies["platform"].mass)
    assert 6.0 * 0.8 * drive_force("rod1", data, peak=False) > weight


@pytest.mark.parametrize(
    ("name", "problem"), [("NADS", "does not print"), ("VIRTTEX", "larger than"), ("Toyota", "does not")]
)
def test_entries_that_are_not_enough_are_refused(name, problem):
    with pytest.raises(ModelError, match=problem):
        named_platform(name)


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(SymbodyError, match="no such file"):
        named_platform(str(tmp_path / "nothing.yaml"))
