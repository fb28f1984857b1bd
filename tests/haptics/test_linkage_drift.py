"""Drift of device and linkage (three_link.py), E6: orderings of penalty and curvature over ten starts."""

from functools import cache

import numpy as np
import pytest

from orderings import Ordering, check
from symbody.haptics.thesis_scenes.three_link import drawn

WAYS = {"without": (False, False), "penalty": (True, False), "curving": (False, True), "both": (True, True)}


def drift(link):
    """Drift at the end (mm) by penalty and curving; a seed turns the joints and varies the force."""

    def value(name, seed):
        (penalty, curving), random = WAYS[name], np.random.default_rng(seed)
        turned, force = tuple(random.uniform(-0.1, 0.1, 3)), float(random.uniform(0.8, 1.2))
        return drawn(link, penalty, curving=curving, turned=turned, force=force).end

    return cache(value)


DRIFT = {link: drift(link) for link in (2, 3)}
ORDERINGS = [
    *(Ordering(f"drift at link {link}", "penalty", "without", DRIFT[link], 0.5) for link in DRIFT),
    *(Ordering(f"drift at link {link}", "curving", "without", DRIFT[link], 0.1) for link in DRIFT),
    *(Ordering(f"drift at link {link}", "both", "penalty", DRIFT[link], 0.2) for link in DRIFT),
]


@pytest.mark.slow
@pytest.mark.parametrize("ordering", ORDERINGS, ids=str)
def test_the_penalty_and_the_curvature_keep_the_device_at_the_linkage(ordering):
    check(ordering)
