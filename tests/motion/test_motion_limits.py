"""Limits of poses, strokes, speeds and singular poses; envelopes of simulators."""

from dataclasses import replace

import numpy as np
import pytest

from platform_stage import DATA
from symbody.errors import LimitError, ModelError, SingularityError
from symbody.machines.platform.cases import cases, swing
from symbody.motion.data import AXES, _limit
from symbody.motion.envelopes import envelope, envelope_of, envelopes, table
from symbody.motion.limits import check_motion, check_pose, leg_states
from symbody.motion.platform_motion import PlatformMotion

WIDE = {axis: replace(limit, low=-9.0, high=9.0) for axis, limit in DATA.limits.items()}
MIDDLE = np.concatenate([np.zeros(2), DATA.neutral])


def at(**places):
    axes = MIDDLE.copy()
    for axis, value in places.items():
        axes[AXES.index(axis)] = value
    return axes


def ramp(axis, begin, end, data=DATA, count=101):
    """An axis that goes from one place to another, seen at rest."""
    axes = np.tile(MIDDLE, (count, 1))
    axes[:, AXES.index(axis)] = np.linspace(begin, end, count)
    still = np.zeros_like(axes)
    return PlatformMotion(np.linspace(0.0, 1.0, count), axes, still, still, data)


def test_the_neutral_pose_and_all_corners_of_the_work_range_are_allowed():
    check_pose(MIDDLE, DATA)
    for corner in np.ndindex(*[2] * 6):
        limits = [DATA.limits[axis] for axis in AXES[2:]]
        pose = [(limit.low, limit.high)[k] for limit, k in zip(limits, corner, strict=True)]
        check_pose(np.array([0.5, -0.5, *pose]), DATA)


def test_a_pose_outside_is_named_with_axis_value_and_range():
    with pytest.raises(
        LimitError, match=r"roll = 0\.4 rad at t = 0 s \(keep it within -0\.2618 … 0\.2618 rad\)"
    ) as told:
        check_pose(at(roll=0.4), DATA)
    assert told.value.limit == "roll"
    assert told.value.value == pytest.approx(0.4)
    with pytest.raises(LimitError, match="z = nan m"):
        check_pose(at(z=np.nan), DATA)
    with pytest.raises(ModelError, match="6 numbers for a pose"):
        check_pose(DATA.neutral, DATA)


def test_legs_beyond_their_stroke_are_named_with_their_time():
    wide = replace(DATA, limits=WIDE)
    with pytest.raises(
        LimitError, match=r"leg \d = 0\.80\d+ m at t = 0\.\d+ s \(keep it within 0\.28 … 0\.8 m\)"
    ) as told:
        check_motion(ramp("z", 0.5, 0.9, wide))
    legs, _, _ = leg_states(np.array([0.0, 0.0, 0.5 + 0.4 * told.value.time, 0.0, 0.0, 0.0]), DATA)
    assert legs.max() == pytest.approx(told.value.value)


def test_speed_and_acceleration_are_watched():
    motion = swing(("z",), 1.0, DATA)
    check_motion(motion)
    with pytest.raises(LimitError, match="acceleration of z"):
        check_motion(replace(motion, second=1.3 * motion.second))
    with pytest.raises(LimitError, match=r"speed of table\.x"):
        check_motion(replace(motion, rates=motion.rates + 1.3 * np.eye(8)[0]))


def test_crossing_a_singular_pose_is_named_with_its_time():
    free = replace(DATA.legs, shortest=0.01, longest=9.0, foot_tilt=3.2, top_tilt=3.2)
    wide = replace(DATA, legs=free, limits=WIDE)
    with pytest.raises(SingularityError, match=r"singular pose at t = 0\.\d+ s: x 0, y 0, z 0\.5") as told:
        check_motion(ramp("yaw", 0.0, 2.0, wide))  # legs that lie around the axis hold no yaw
    assert 0.5 < told.value.time < 1.0
    coarse = ramp("yaw", 0.0, 3.0, wide, count=2)  # over it in one stride
    with pytest.raises(SingularityError, match="passes a singular pose"):
        check_motion(coarse)


def test_contradictory_limits_are_refused():
    with pytest.raises(ModelError, match=r"x: contradictory limits \[0\.1, -0\.1, 0\.8, 1\.1\]"):
        _limit("x", [0.1, -0.1, 0.8, 1.1])


# -- presets -----------------------------------------------------------------------------------------------------------


def test_the_catalogue_has_eight_simulators():
    catalogue = ["Renault", "VIRTTEX", "Daimler", "NADS", "Ultimate", "Toyota", "CableRobot", "IBISC"]
    assert list(envelopes()) == catalogue
    assert envelope("NADS").limits["table.x"].high == 9.75
    assert np.degrees(envelope("Daimler").turn) == pytest.approx((30.0, 32.0, 47.4))  # roll, pitch, yaw
    assert envelope("Renault").acceleration == pytest.approx((4.905, 4.905, 4.905))
    nads, ultimate, daimler = (envelope(name).limits for name in ("NADS", "Ultimate", "Daimler"))
    assert (nads["z"].high, nads["z"].speed, nads["x"].speed) == (0.6, 1.5, np.inf)
    assert np.degrees([nads["yaw"].speed, nads["pitch"].speed, nads["roll"].acceleration]) == pytest.approx(
        [60, 45, 120]
    )
    assert (ultimate["z"].speed, ultimate["table.x"].speed, ultimate["table.y"].speed) == (0.4, 2.5, 3.0)
    assert np.degrees(ultimate["yaw"].acceleration) == pytest.approx(600.0)
    assert (daimler["x"].low, daimler["x"].high) == (-1.8, 1.38)
    with pytest.raises(ModelError, match="unknown simulator"):
        envelope("Renalt")


def test_a_preset_judges_a_motion():
    by_name = {case.name: case.motion for case in cases(DATA)}
    envelope_of("ours", DATA).check(by_name["X + table XY, high"])
    envelope("Ultimate").check(by_name["Z + table XY, high"])
    with pytest.raises(LimitError, match=r"Ultimate: roll"):
        envelope("Ultimate").check(ramp("roll", 0.0, 0.5))
    envelope("Toyota").check(ramp("roll", 0.0, 0.5))  # nothing is printed of its turns


def test_the_table_has_a_row_for_each_and_leaves_out_what_is_not_printed():
    rows = {row["simulator"]: row for row in table([*envelopes().values(), envelope_of("ours", DATA)])}
    assert rows["Toyota"]["reach x y z (m)"] == ""
    assert rows["Toyota"]["rails x y (m)"] == "±17.5 ±10"
    assert rows["ours"]["roll pitch yaw (deg)"] == "±15 ±15 ±15"
    assert rows["Daimler"]["reach x y z (m)"] == "-1.8…1.38 ±1.5 ±1.7"
    assert rows["NADS"]["speed x y z (m/s)"] == "? ? 1.5"
    assert rows["Ultimate"]["their acceleration (deg/s²)"] == "300 300 600"
    assert rows["Renault"]["speed x y z (m/s)"] == "0.4"
