"""The particle swarm, on functions with known minima, beside SciPy's differential evolution."""

import numpy as np
import pytest
from scipy.optimize import differential_evolution

from symbody.analysis.swarm import SwarmSchedule, swarm
from symbody.errors import ModelError


def rastrigin(x):
    """Many local minima; 0 at the origin."""
    return (x**2 - 10.0 * np.cos(2.0 * np.pi * x) + 10.0).sum(axis=-1)


@pytest.mark.parametrize("seed", range(10))
def test_a_bowl_is_found_to_its_bottom(seed):
    centre = np.array([0.3, -1.2, 2.0])
    found = swarm(lambda x: ((x - centre) ** 2).sum(axis=-1), [-5.0] * 3, [5.0] * 3, seed=seed)
    np.testing.assert_allclose(found.x, centre, atol=1e-3)
    assert (np.diff(found.history) <= 0.0).all()


def test_it_comes_as_near_as_differential_evolution():
    """Over ten seeds, with as many evaluations."""
    ours, theirs = [], []
    for seed in range(10):
        found = swarm(rastrigin, [-5.12] * 4, [5.12] * 4, seed=seed)
        ours.append(found.value)
        other = differential_evolution(
            rastrigin, [(-5.12, 5.12)] * 4, seed=seed, maxiter=found.evaluations // 60, polish=False
        )
        theirs.append(other.fun)
    assert np.median(ours) <= np.median(theirs) + 2.0


def test_the_inertia_falls_as_printed():
    plan = SwarmSchedule()
    assert [plan.inertia(k) for k in (0, 1, 50)] == pytest.approx([1.1, 0.99, 0.1])


def test_the_first_particle_starts_where_it_is_told_and_the_search_ends_at_its_target():
    found = swarm(lambda x: (x**2).sum(axis=-1), [-1.0], [1.0], start=[0.0], target=1e-9)
    assert found.value == 0.0
    assert len(found.history) == 1


def test_bounds_and_values_that_cannot_be_are_refused():
    with pytest.raises(ModelError, match="bounds"):
        swarm(rastrigin, [1.0], [0.0])
    with pytest.raises(ModelError, match="finite"):
        swarm(lambda x: np.full(len(x), np.nan), [0.0], [1.0], particles=3, iterations=2)
