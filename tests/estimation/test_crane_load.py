"""The crane weighs its load: by pressures in its cylinders and two angles, within the filter's own band."""

import numpy as np
import pytest

from symbody.machines.crane.model import LOAD_MASS
from symbody.machines.crane.weighing import case, compiled

SEEDS = range(4)


@pytest.mark.slow
@pytest.mark.parametrize("mass", [650.0, 950.0])
def test_a_load_that_is_not_what_was_told_is_found(mass):
    runs = case(mass, until=0.3).observed(SEEDS)
    k = runs[0].place("load_mass")
    errors, sigma = np.array([[one.error("load_mass")[-1], one.sigma[-1, k]] for one in runs]).T
    assert np.all(sigma < 15.0)
    assert np.all(np.abs(errors) < 3.0 * sigma)
    assert np.sum((errors / sigma) ** 2) < 9.49 * 1.5  # 95 % of χ² with four degrees of freedom
    assert compiled().parameters["load_mass"] == LOAD_MASS
