"""Direct geometry of the motion platform: Newton's method, from a guess and from scratch, and all assembly modes."""

from dataclasses import replace

import numpy as np
import pytest

from platform_stage import DATA, random_motion
from symbody.errors import AssemblyError
from symbody.motion.assembly_modes import MOST, assembly_modes, generic_solutions
from symbody.motion.compiled import direct_function, geometry_function
from symbody.motion.direct_geometry import _newton, direct_geometry, same_mode
from symbody.motion.geometry import inverse_geometry, leg_lengths


def test_from_a_guess_of_a_millisecond_before():
    motion = random_motion(100)
    pose = motion.axes[:, 2:]
    guess = pose - 1e-3 * motion.rates[:, 2:]
    assert direct_geometry(leg_lengths(pose, DATA), DATA, guess) == pytest.approx(pose, abs=1e-12)


def test_from_scratch_in_the_whole_work_range():
    pose = random_motion(300, seed=1).axes[:, 2:]
    assert direct_geometry(leg_lengths(pose, DATA), DATA) == pytest.approx(pose, abs=1e-11)


def test_compiled_newton_finds_the_same():
    motion = random_motion(50, seed=2)
    pose = motion.axes[:, 2:]
    lengths = leg_lengths(pose, DATA)
    found = direct_function(DATA)(lengths, pose - 1e-3 * motion.rates[:, 2:])
    assert found == pytest.approx(pose, abs=1e-12)


def test_compiled_inverse_geometry_is_the_same_formula():
    axes = random_motion(50, seed=3).axes
    found, (q, passive) = geometry_function(DATA)(axes), inverse_geometry(axes, DATA)
    assert found.q == pytest.approx(q, abs=1e-15)
    assert found.passive == pytest.approx(passive, abs=1e-14)


def test_lengths_that_no_pose_has_are_refused():
    lengths = np.array([0.3, 0.8, 0.3, 0.8, 0.3, 0.8])
    with pytest.raises(AssemblyError, match=r"legs are 0\.3, 0\.8"):
        direct_geometry(lengths, DATA, DATA.neutral)


@pytest.mark.slow
def test_from_scratch_far_away_and_where_there_is_nothing():
    pose = np.array([0.2, -0.15, 0.4, 0.4, -0.5, 0.6])
    assert direct_geometry(leg_lengths(pose, DATA), DATA) == pytest.approx(pose, abs=1e-9)
    with pytest.raises(AssemblyError, match="no pose was found"):
        direct_geometry(np.array([0.1, 5.0, 0.1, 5.0, 0.1, 5.0]), DATA)


@pytest.mark.slow
def test_forty_solutions_where_no_anchor_has_a_special_place():
    rng = np.random.default_rng(1)
    skewed = replace(
        DATA, feet=DATA.feet + 0.1 * rng.standard_normal((6, 3)), tops=DATA.tops + 0.1 * rng.standard_normal((6, 3))
    )
    modes = assembly_modes(leg_lengths(DATA.neutral, skewed), skewed)
    assert modes.followed == MOST
    assert modes.complete
    assert np.abs(modes.poses - DATA.neutral).max(axis=1).min() < 1e-8
    assert len(modes.poses) % 2 == 0  # complex ones come in pairs


@pytest.mark.slow
def test_all_assembly_modes_have_the_lengths_and_come_in_mirrored_pairs():
    known, _ = generic_solutions(DATA)
    assert len(known) == 28  # flat and symmetric plates have fewer than the 40 of a general hexapod
    for pose in random_motion(3, seed=4).axes[:, 2:]:
        lengths = leg_lengths(pose, DATA)
        modes = assembly_modes(lengths, DATA)
        assert np.abs(leg_lengths(modes.poses, DATA) - lengths).max() < 1e-10
        assert np.abs(modes.poses - pose).max(axis=1).min() < 1e-8  # the one it began with
        heights = modes.poses[:, 2]
        assert np.sort(heights) == pytest.approx(np.sort(-heights), abs=1e-8)  # both plates are flat
        assert same_mode(modes.poses, DATA).any()


@pytest.mark.slow
def test_no_start_finds_a_mode_that_was_missed():
    pose = np.array([0.03, -0.02, 0.45, 0.1, -0.05, 0.2])
    lengths = leg_lengths(pose, DATA)
    modes = assembly_modes(lengths, DATA)
    rng = np.random.default_rng(5)
    starts = np.column_stack([rng.uniform(-0.5, 0.5, (400, 3)), rng.uniform(-2.5, 2.5, (400, 3))])
    found = _newton(np.tile(lengths, (400, 1)), starts, DATA)
    found = found[np.isfinite(found).all(axis=1)]
    assert len(found) > 50
    places = found[:, None, :3] - modes.poses[None, :, :3]
    assert np.abs(places).max(axis=2).min(axis=1).max() < 1e-6
