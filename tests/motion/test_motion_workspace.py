"""Where the platform can be: each margin beside another way to it, and the scan beside a plain loop."""

from dataclasses import replace

import numpy as np
import pytest

import symbody as sb
from symbody.machines.platform.data import platform_data
from symbody.motion.data import AxisLimit
from symbody.motion.kinematics import inverse_jacobian
from symbody.motion.limits import leg_states
from symbody.motion.workspace import (
    LEAST_DETERMINANT,
    Grid,
    _squared_gap,
    explain,
    margins,
    margins_function,
    scan,
    work_range_grid,
)

DATA = platform_data()


@pytest.fixture(scope="module")
def poses():
    half = np.array([0.3, 0.3, 0.35, 0.6, 0.6, 0.6])
    return DATA.neutral + half * np.random.default_rng(3).uniform(-1.0, 1.0, (300, 6))


def segments_apart(p1, d1, p2, d2, n=60):
    """Least distance of two segments on a grid that closes in on the nearest points."""
    low, high = np.zeros(2), np.ones(2)
    for _ in range(12):
        s, t = np.linspace(low[0], high[0], n), np.linspace(low[1], high[1], n)
        apart = np.linalg.norm((p1 + np.outer(s, d1))[:, None] - (p2 + np.outer(t, d2))[None], axis=-1)
        i, j = np.unravel_index(apart.argmin(), apart.shape)
        step = (high - low) / (n - 1)
        low, high = np.maximum([s[i], t[j]] - 2 * step, 0.0), np.minimum([s[i], t[j]] + 2 * step, 1.0)
    return apart.min()


def test_distances_of_segments():
    rng = np.random.default_rng(2)
    for k in range(60):
        p1, d1, p2, d2 = rng.uniform(-1.0, 1.0, (4, 3))
        if k % 10 == 0:
            d2 = (1.0 if k % 20 else -0.5) * d1  # parallel
        found = float(np.sqrt(_squared_gap(p1 - p2, d1, d2)))
        assert found == pytest.approx(segments_apart(p1, d1, p2, d2), abs=1e-5)


def test_margins_are_strokes_tilts_gaps_and_determinants(poses):
    stroke, foot, top, gap, held = margins(poses, DATA)
    legs, at_foot, at_top = leg_states(poses, DATA)
    np.testing.assert_allclose(stroke, np.minimum(legs - 0.28, 0.80 - legs).min(axis=1), atol=1e-12)
    np.testing.assert_allclose(foot, (np.cos(at_foot) - np.cos(DATA.legs.foot_tilt)).min(axis=1), atol=1e-12)
    np.testing.assert_allclose(top, (np.cos(at_top) - np.cos(DATA.legs.top_tilt)).min(axis=1), atol=1e-12)
    relative = np.linalg.det(inverse_jacobian(poses, DATA)) / np.linalg.det(inverse_jacobian(DATA.neutral, DATA))
    np.testing.assert_allclose(held, relative - LEAST_DETERMINANT, atol=1e-9)
    assert gap.min() < 0.0 < gap.max() < 0.1


def test_compiled_they_are_the_same(poses):
    found = margins_function(DATA)(poses[:, :3], poses[:, 3:])
    np.testing.assert_allclose(found, np.stack(margins(poses, DATA), axis=1), atol=1e-10)


@pytest.fixture(scope="module")
def found():
    return scan(DATA, work_range_grid(DATA, (13, 11, 12), (3, 3, 2)), threads=2)


def test_the_scan_counts_what_a_plain_loop_counts(found):
    places, counts = found.grid.places(), np.zeros(found.grid.shape, dtype=int)
    for angles in found.grid.angles:
        pose = np.hstack([places, np.broadcast_to(angles, places.shape)])
        counts += np.all(np.stack(margins(pose, DATA)) > 0.0, axis=0).reshape(found.grid.shape)
    assert np.array_equal(found.allowed, counts)
    assert found.grid.poses == 13 * 11 * 12 * 18 > sum(found.refused.values()) / 5
    # one run: a set and a part of it
    assert 0.0 < found.volume(found.dexterous) < found.volume(found.reachable)
    assert np.all(found.reachable[found.dexterous])


def test_it_is_symmetric_as_the_platform_is(found):
    """The mirror x → −x takes the anchors into each other, and (roll, pitch, yaw) into (roll, −pitch, −yaw)."""
    assert np.array_equal(found.allowed, found.allowed[::-1])


def test_the_printed_limits_are_within_the_workspace():
    """x, y ± 0.1 m, z 0.35 … 0.65 m: level, all of it can be reached, and no leg meets another."""
    corners = Grid(np.array([-0.1, 0.0, 0.1]), np.array([-0.1, 0.0, 0.1]), np.linspace(0.35, 0.65, 7), np.zeros((1, 3)))
    assert np.all(scan(DATA, corners).dexterous)


def test_the_table_carries_the_workspace_along():
    """Place p is reached where an allowed place lies within the table's stroke of it, for each orientation."""
    grid = Grid(
        np.arange(-8, 9) / 10.0, np.arange(-7, 8) / 10.0, np.array([0.4, 0.5]), np.array([[0.0] * 3, [0.2, 0, 0]])
    )
    alone, carried = scan(DATA, grid), scan(DATA, grid, table=True)
    expected = np.zeros(grid.shape, dtype=int)
    for angles in grid.angles:
        one = scan(DATA, replace(grid, angles=angles[None])).reachable
        reached = np.zeros_like(one)
        for i, j, k in np.argwhere(one):
            reached[max(i - 5, 0) : i + 6, max(j - 5, 0) : j + 6, k] = True
        expected += reached
    assert np.array_equal(carried.allowed, expected)
    # one run: a set and a part of it
    assert carried.reachable.sum() > 2 * alone.reachable.sum()


def test_bad_grids_and_contradictory_limits_are_refused():
    with pytest.raises(sb.ModelError, match="grid"):
        scan(DATA, Grid(np.zeros(1), np.zeros(2), np.zeros(2), np.zeros((1, 3))))
    wrong = replace(DATA, limits={**DATA.limits, "roll": AxisLimit(0.3, -0.3, 1.0, 1.0)})
    with pytest.raises(sb.ModelError, match=r"roll.*contradictory.*0.3 to -0.3"):
        work_range_grid(wrong)
    with pytest.raises(sb.ModelError, match=r"legs.*contradictory.*0.6 to 0.5"):
        scan(replace(DATA, legs=replace(DATA.legs, shortest=0.6, longest=0.5)))
    with pytest.raises(sb.ModelError, match=r"neutral pose.*stroke: -0.02468"):
        scan(replace(DATA, legs=replace(DATA.legs, shortest=0.55)))


def test_what_forbids_a_pose_is_named():
    assert explain(DATA.neutral, DATA) == []
    assert [line.split(":")[0] for line in explain(DATA.neutral + np.array([0, 0, 0.4, 0, 0, 0]), DATA)] == ["stroke"]
    assert "foot tilt" in " ".join(explain(DATA.neutral + np.array([0.45, 0, -0.2, 0, 0, 0]), DATA))
