"""Exciting moves: profiles and their derivatives, limits that are kept, a condition number better than by chance."""

from functools import cache, partial

import numpy as np
import pytest
from scipy.integrate import trapezoid

import symbody as sb
from orderings import Ordering
from orderings import check as check_ordering
from symbody.machines.platform.data import platform_data
from symbody.motion.data import AXES
from symbody.motion.drives import check
from symbody.motion.excitation import TEMPLATES, AxisMove, exciting_motion, gram_condition, profile, sampled, shortest
from symbody.motion.identification import VAGUE, exciting
from symbody.motion.information import force_rows
from symbody.motion.parameter_groups import sizes
from symbody.motion.platform_log import LogNoise
from symbody.motion.regressors import parameter_set
from symbody.motion.workspace import margins

DATA = platform_data()


@pytest.mark.parametrize("template", TEMPLATES)
def test_profiles_go_from_rest_to_rest(template):
    tau = np.linspace(0.0, 1.0, 20001)
    s, sd, sdd = profile(tau, template)
    assert s[0] == sd[0] == sd[-1] == 0.0
    assert s[-1] == 1.0
    np.testing.assert_allclose(np.gradient(s, tau)[1:-1], sd[1:-1], atol=1e-3)
    assert trapezoid(sd, tau) == pytest.approx(1.0, rel=1e-6)
    assert trapezoid(np.abs(sdd), tau) == pytest.approx(2 * sd.max(), rel=1e-3)


@pytest.mark.parametrize("template", TEMPLATES)
def test_the_shortest_move_is_at_a_limit(template):
    home = np.array([0.0, 0.0, *DATA.neutral])
    end = home + np.array([0.4, 0, 0, 0, 0.1, 0, 0, 0.2])
    move = AxisMove(home, end, shortest(home, end, template, DATA), template)
    _, rates, second = move.at(np.linspace(0.0, move.duration, 1001))
    use = [np.abs(x).max(axis=0) for x in (rates, second)]
    share = [
        u / [getattr(DATA.limits[axis], kind) for axis in AXES]
        for u, kind in zip(use, ("speed", "acceleration"), strict=True)
    ]
    assert np.max(share) == pytest.approx(0.95, rel=1e-3)


@pytest.fixture(scope="module")
def found():
    return exciting(DATA, moves=8)


def test_moves_follow_each_other_and_keep_all_limits(found):
    for before, after in zip(found.moves, found.moves[1:], strict=False):
        assert np.array_equal(before.end, after.start)
    motion = sampled(found.moves, 5e-3, DATA)
    for k, axis in enumerate(AXES):
        limit = DATA.limits[axis]
        assert np.all((motion.axes[:, k] >= limit.low) & (motion.axes[:, k] <= limit.high))
        assert np.abs(motion.rates[:, k]).max() <= limit.speed
        assert np.abs(motion.second[:, k]).max() <= limit.acceleration
    assert np.min(margins(motion.pose, DATA)) > 0.0
    assert check(motion).ok
    assert {move.template for move in found.moves} == set(TEMPLATES)


@pytest.mark.slow
def test_moves_that_were_selected_excite_more_than_moves_by_chance():
    """log det of the information, over ten seeds; both of the same duration, eight moves of four candidates each."""
    known, rows = VAGUE * sizes(parameter_set(DATA)), partial(force_rows, noise=LogNoise())
    found = cache(lambda seed: exciting_motion(rows, known, DATA, moves=8, candidates=4, seed=seed))

    def uncertainty(name, seed):
        one = found(seed)
        return -np.linalg.slogdet(one.information if name == "selected" else one.by_chance)[1]

    check_ordering(Ordering("log det of the covariance", "selected", "by chance", uncertainty))


def test_the_same_seed_gives_the_same_moves(found):
    """Also after rounding errors of another build: what is known before decides where moves tell nothing yet."""
    again = exciting(DATA, moves=3)
    for one, other in zip(found.moves, again.moves, strict=False):
        assert np.array_equal(one.end, other.end)
        assert one.template == other.template
    known = np.diag(found.information - found.information * (1.0 - np.eye(len(found.information))))
    assert np.all(known > 0.0)


def test_condition_of_a_gram():
    W = np.random.default_rng(0).normal(size=(50, 4)) * [1, 10, 0.1, 5]
    scaled = W / np.linalg.norm(W, axis=0)
    assert gram_condition(W.T @ W) == pytest.approx(np.linalg.cond(scaled))


def test_too_few_moves_are_refused():
    with pytest.raises(sb.ModelError, match="moves"):
        exciting(DATA, moves=1)
