"""The corner on the pantograph (thesis_scenes/corner.py): full and limited impulses, springs; E5, from ten starts."""

from functools import cache

import numpy as np
import pytest

from orderings import Ordering, check
from symbody.haptics.thesis_scenes.corner import on_pantograph

REACH = 0.004  # m


@cache
def from_start(seed):
    """The three runs from a start within 4 mm of the usual one."""
    return on_pantograph(tuple(np.random.default_rng(seed).uniform(-REACH, REACH, 2)) if seed else (0.0, 0.0))


def of(measure):
    return lambda name, seed: float(np.max(getattr(from_start(seed)[name], measure)))


ORDERINGS = [
    *(
        Ordering(what, less, more, of(measure))
        for what, measure in (("settling", "settled"), ("penetration", "penetration"))
        for less, more in (("full", "limited"), ("limited", "springs"))
    ),
    *(Ordering("bounces", impulses, "springs", of("bounces")) for impulses in ("full", "limited")),
    Ordering("energy lost in a tick", "limited", "full", of("lost"), 0.5),
    Ordering("energy lost in a tick", "springs", "limited", of("lost")),
    Ordering("peak at the wall", "springs", "limited", lambda name, seed: from_start(seed)[name].peak[0], 0.8),
]


@pytest.mark.slow
@pytest.mark.parametrize("ordering", ORDERINGS, ids=str)
def test_limited_impulses_lie_between_full_ones_and_springs(ordering):
    check(ordering)


def test_figures_are_those_recomputed():
    """Settling (s), bounces, largest loss in a tick (mJ), penetration in y (mm)."""
    known = {"full": (0.86, 1, 13.6, 0.60), "limited": (1.35, 2, 3.2, 1.50), "springs": (2.45, 6, 2.2, 1.69)}
    for name, run in from_start(0).items():
        found = max(run.settled), run.bounces, 1e3 * run.lost, run.penetration[1]
        assert found == pytest.approx(known[name], rel=0.05)
