"""The distal link between walls (enclosure.py): kinetic energy at impacts, over several starts and pushes."""

import numpy as np
import pytest

from symbody.machines.linkage.enclosure import STILL, shaken

SEEDS = range(5)


@pytest.mark.parametrize("seed", SEEDS)
def test_plastic_impacts_take_energy_and_elastic_ones_keep_it(seed):
    plastic, elastic = shaken(0.0, seed), shaken(1.0, seed)
    assert min(len(plastic.change), len(elastic.change)) > 8
    assert np.all(plastic.change < 0.0)
    assert np.all(np.abs(elastic.change) < STILL)
    assert np.mean(plastic.change) < -1e-3


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("restitution", [0.0, 0.5, 1.0])
def test_friction_takes_more_and_never_gives(restitution, seed):
    rough = shaken(restitution, seed, friction=0.4)
    assert np.all(rough.change < STILL)
    assert np.min(rough.change) < -1e-3


def test_several_contacts_are_struck_at_once_and_wrenches_of_impacts_are_far_above_those_of_rest():
    runs = [shaken(0.0, seed) for seed in SEEDS]
    assert max(np.max(run.struck) for run in runs) >= 2
    assert all(run.ratio > 10.0 for run in runs)
