"""Division of a translation between hexapod and table: the example of the document, sums, limits, return (item 8)."""

import numpy as np
import pytest

from symbody.machines.platform.data import platform_data
from symbody.motion.redundancy import (
    DirectionMotion,
    alpha_split,
    null_space_split,
    share_of,
    split_share,
    weighted_split,
)

TABLE, HEXAPOD = (platform_data().limits[axis] for axis in ("table.x", "x"))
DT = 1e-2


def swing(travel, speed):
    """A sine with a travel from end to end (m) and a largest speed (m/s)."""
    w = 2.0 * speed / travel
    t = np.arange(0.0, 4.0 * np.pi / w, DT)
    return DirectionMotion(
        0.5 * travel * np.sin(w * t), 0.5 * travel * w * np.cos(w * t), -0.5 * travel * w * w * np.sin(w * t)
    )


def test_the_share_is_that_of_the_document():
    """Section 5.2: 1.276 m, 0.313 m/s and 0.798 m/s² lack 0.276 m: 21.6 % for the hexapod, 78.4 % for the table."""
    share = share_of((1.276, 0.313, 0.798), (1.0, 1.2, 1.7))
    assert share == pytest.approx(0.276 / 1.276, abs=1e-15)
    assert round(share, 3) == 0.216
    assert round(1.0 - share, 3) == 0.784


def test_table_and_hexapod_of_the_example_reach_one_metre_and_the_rest():
    motion = swing(1.276, 0.313)
    motion = motion.times(1.276 / np.ptp(motion.x))
    found = alpha_split(motion, TABLE)
    assert np.ptp(found.table.x) == pytest.approx(1.0, abs=1e-12)
    assert np.ptp(found.hexapod.x) == pytest.approx(0.276, abs=1e-12)


def test_speed_and_acceleration_count_like_travel_and_the_cap_holds():
    assert share_of((0.5, 1.5, 1.0), (1.0, 1.2, 1.7)) == pytest.approx(0.3 / 1.5)
    assert share_of((0.5, 1.0, 2.0), (1.0, 1.2, 1.7)) == pytest.approx(0.15)
    assert share_of((9.0, 1.0, 2.0), (1.0, 1.2, 1.7)) == 0.285
    assert split_share(*swing(0.9, 0.3), TABLE) == 0.0  # the table alone


SPLITS = {
    "alpha": lambda motion: alpha_split(motion, TABLE),
    "weighted": lambda motion: weighted_split(motion, DT, TABLE, HEXAPOD),
    "null space": lambda motion: null_space_split(motion, DT),
}


@pytest.mark.parametrize("name", SPLITS)
def test_parts_add_up_and_rates_belong_to_positions(name):
    motion = swing(1.1, 0.4)
    found = SPLITS[name](motion)
    for whole, a, b in zip(motion, found.hexapod, found.table, strict=True):
        np.testing.assert_allclose(a + b, whole, atol=1e-12)
    for part in found:
        np.testing.assert_allclose(np.gradient(part.x, DT)[2:-2], part.v[2:-2], atol=0.02)
        np.testing.assert_allclose(np.gradient(part.v, DT)[2:-2], part.a[2:-2], atol=0.05)


def test_the_weighted_split_keeps_both_parts_within_their_ranges():
    found = weighted_split(swing(1.15, 0.3), DT, TABLE, HEXAPOD)  # 1.2 m together
    assert np.abs(found.table.x).max() <= TABLE.high
    assert np.abs(found.hexapod.x).max() <= HEXAPOD.high
    small = weighted_split(swing(0.2, 0.1), DT, TABLE, HEXAPOD)
    # one run: shares of one split
    assert np.ptp(small.hexapod.x) < 0.1 * np.ptp(small.table.x)


def test_in_the_null_space_the_hexapod_takes_fast_motion_and_returns():
    t = np.arange(0.0, 20.0, DT)
    v = np.where(t < 1.0, 0.2, 0.0)
    motion = DirectionMotion(np.cumsum(v) * DT, v, np.gradient(v, DT))
    found = null_space_split(motion, DT, share=0.5, back=0.5)
    peak = found.hexapod.x.max()
    assert peak == pytest.approx(0.1 * (1.0 - np.exp(-0.5)) / 0.5, rel=0.02)
    assert abs(found.hexapod.x[-1]) < 1e-3 * peak + 1e-5
    assert found.table.x[-1] == pytest.approx(motion.x[-1], abs=1e-4)
