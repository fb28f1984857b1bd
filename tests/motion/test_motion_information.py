"""What motions tell of the parameters: information of force and energy rows, priors, essential parameters, bounds."""

from functools import cache

import numpy as np
import pytest

from orderings import Ordering, check
from symbody.machines.platform.data import platform_data
from symbody.motion.excitation import AxisMove, sampled
from symbody.motion.identification_study import faster, within_bounds
from symbody.motion.information import (
    alone,
    energy_information,
    expected_covariance,
    expected_sigma,
    force_information,
    informations,
    noise_for_bounds,
    noise_table,
)
from symbody.motion.parameter_groups import BOUNDS, LEG_INERTIA, group_of, groups, kind_of, largest_percent, sizes
from symbody.motion.platform_log import LogNoise
from symbody.motion.platform_motion import random_motion
from symbody.motion.prior_knowledge import essential, with_prior
from symbody.motion.regressors import force_regressor, parameter_set

DATA = platform_data()
NOISE = LogNoise()


@pytest.fixture(scope="module")
def what():
    return parameter_set(DATA)


@pytest.fixture(scope="module")
def motion():
    """Random poses are no motion, but their equations are those of a log."""
    return random_motion(DATA, 120, np.random.default_rng(2))


def test_every_parameter_has_a_group_a_kind_and_a_size(what):
    own = groups(what)
    assert [int(mask.sum()) for mask in own.values()] == [10, 5, 24, 42]
    assert group_of("rod4.dry.forward") == "friction of legs"
    assert {kind_of(lead) for lead in what.leads} == {"m", "mx", "I", "viscous", "dry"}
    assert np.all(sizes(what) > 0.0)
    assert set(own) == set(BOUNDS)


def test_information_is_what_least_squares_know(motion):
    """Λ⁻¹ of force rows is the covariance of weighted least squares; it grows with the square of the noise."""
    scale = np.repeat([NOISE.slider_force, NOISE.leg_force], (2, 6))[:, None]
    W = (force_regressor(motion) / scale).reshape(-1, 122)
    information = force_information(motion, NOISE, rate=1.0)
    np.testing.assert_allclose(information, W.T @ W, rtol=1e-9, atol=1e-9)
    louder = force_information(motion, LogNoise(3 * NOISE.slider_force, 3 * NOISE.leg_force), rate=1.0)
    np.testing.assert_allclose(expected_sigma(louder), 3.0 * expected_sigma(information), rtol=1e-3)
    unit = expected_covariance(information) @ information
    np.testing.assert_allclose(np.diag(unit), 1.0, atol=1e-2)


def test_knowing_the_other_groups_can_only_help(motion, what):
    information = force_information(motion, NOISE)
    given, together = alone(information, what), largest_percent(expected_sigma(information), what)
    assert all(given[group] <= together[group] * (1.0 + 1e-6) for group in BOUNDS)


def test_the_noise_that_meets_a_bound_meets_it(motion, what):
    needed = noise_for_bounds(force_information(motion, NOISE), NOISE, what)
    for group, bound in BOUNDS.items():
        level = needed[group] / NOISE.leg_force
        quiet = LogNoise(level * NOISE.slider_force, level * NOISE.leg_force)
        percent = largest_percent(expected_sigma(force_information(motion, quiet)), what)
        assert percent[group] == pytest.approx(bound, rel=1e-2)
    assert min(needed, key=needed.__getitem__) == LEG_INERTIA


HOME = DATA.neutral_axes
AWAY = [HOME + np.array([0.3, -0.2, 0.04, 0.03, 0.05, 0.1, -0.1, 0.1]),
        HOME + np.array([-0.2, 0.3, -0.05, 0.04, -0.06, -0.1, 0.12, -0.15])]  # fmt: skip


def two_moves(durations=(1.2, 1.5), share=1.0):
    """From home to one place and to another; share: of the way."""
    places = [HOME, *(HOME + share * (away - HOME) for away in AWAY)]
    kinds = ("triangular", "trapezoidal")
    return [AxisMove(*way) for way in zip(places, places[1:], durations, kinds, strict=False)]


def test_forces_tell_more_of_the_sliders_than_energies():
    """Over ten pairs of moves, of other lengths and durations."""

    @cache
    def percent(name, seed):
        random = np.random.default_rng(seed)
        motion = sampled(two_moves(random.uniform(1.0, 1.6, 2), random.uniform(0.7, 1.0)), 4e-3, DATA)
        made = force_information if name == "forces" else energy_information
        return largest_percent(expected_sigma(made(motion, NOISE)), parameter_set(DATA))["sliders"]

    check(Ordering("uncertainty of the sliders", "forces", "energies", percent))


def test_the_table_has_forces_and_energies_side_by_side():
    ways = two_moves()
    moves = {"moves": [sampled(ways, 2e-3, DATA)], "faster": [sampled(faster(ways, 2.0), 2e-3, DATA)]}
    known = {name: [informations(run, NOISE) for run in runs] for name, runs in moves.items()}
    rows = noise_table(known, parameter_set(DATA), NOISE, (1.0, 1e-3))
    assert [(row["motion"], row["noise of legs (N)"], row["group"]) for row in rows] == [
        (motion, level, group) for motion in moves for level in (0.5, 0.5e-3) for group in BOUNDS
    ]
    for kind, information in (("forces", force_information), ("energies", energy_information)):
        percent = largest_percent(expected_sigma(information(moves["moves"][0], NOISE)), parameter_set(DATA))
        assert [row[f"{kind} (%)"] for row in rows[:4]] == pytest.approx(list(percent.values()))
        assert [row[f"{kind} (%)"] for row in rows[4:8]] == pytest.approx([1e-3 * x for x in percent.values()])
        for row in rows:
            assert (kind in row["met"]) == (row[f"{kind} (%)"] <= BOUNDS[row["group"]])
    assert np.all(np.isfinite(energy_information(moves["moves"][0], NOISE)))
    assert within_bounds(dict.fromkeys(BOUNDS, 4.5)) == {
        "sliders": False, "platform": False, "friction of legs": True, "inertia of legs": True,
    }  # fmt: skip


# -- priors and essential parameters ---------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(10))
def test_a_prior_is_one_more_measurement(seed):
    """Together they are what least squares make of both."""
    rng = np.random.default_rng(seed)
    A, known = rng.normal(size=(30, 5)), rng.uniform(0.1, 10.0, 5)
    y, expected = rng.normal(size=30), rng.normal(size=5)
    C = np.linalg.inv(A.T @ A)
    found = with_prior(C @ A.T @ y, C, expected, known)
    both = np.vstack([A, np.diag(1.0 / known)])
    whole = np.linalg.inv(both.T @ both)
    np.testing.assert_allclose(found.covariance, whole, rtol=1e-9)
    np.testing.assert_allclose(found.x, whole @ both.T @ np.append(y, expected / known), rtol=1e-9)
    np.testing.assert_allclose(found.added, 1.0 - np.diag(whole) / known**2, rtol=1e-9)


def test_data_without_information_add_nothing():
    found = with_prior(np.array([3.0, 5.0]), np.diag([1e12, 1e-6]), np.array([1.0, 1.0]), np.array([0.2, 0.2]))
    np.testing.assert_allclose(found.added, [0.0, 1.0], atol=1e-4)
    np.testing.assert_allclose(found.x, [1.0, 5.0], atol=1e-3)


def test_parameters_that_the_data_do_not_tell_keep_their_values_and_the_others_become_surer():
    """Two columns that are alike tell only their sum: one is dropped, and the sum goes to the other."""
    rng = np.random.default_rng(1)
    a, b = rng.normal(size=(2, 200))
    W, true = np.column_stack([a, a + 1e-6 * rng.normal(size=200), b]), np.array([2.0, 1.0, 4.0])
    C = 1e-4 * np.linalg.inv(W.T @ W)
    x = np.linalg.lstsq(W, W @ true + 1e-2 * rng.normal(size=200))[0]
    found = essential(x, C, true, 0.05 * np.abs(true))
    assert found.chosen.sum() == 2
    assert found.chosen[2]
    np.testing.assert_allclose(found.x, true, atol=0.01)
    assert np.all(found.sigma[found.chosen] <= 0.05 * np.abs(true[found.chosen]))
    assert np.all(found.sigma[~found.chosen] == 0.0)
