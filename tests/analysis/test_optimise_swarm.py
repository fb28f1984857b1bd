"""A swarm over whole runs in a batch, against single runs, gradients and a grid."""

import numpy as np
import pytest

import symbody as sb
from symbody import machines
from symbody.analysis.optimise_swarm import SwarmObjectives
from symbody.analysis.sensitivity import sensitivity_system
from symbody.errors import ModelError

UNTIL, DT, BOUNDS = 0.1, 1e-3, {"c_strut": (300.0, 6000.0), "k_strut": (1e4, 4e4)}


@pytest.fixture(scope="module")
def s():
    return sb.system(machines.model("quarter-car"))


def test_objectives_of_a_batch_are_those_of_single_runs(s):
    plain = sensitivity_system(s, {"ψ": sb.Objective(integrand="heave.qdd**2", final="heave.q")}, [], [])
    rng, objectives = np.random.default_rng(1), SwarmObjectives(plain, list(BOUNDS), UNTIL, DT, {"road": 0.02})
    places = np.array([rng.uniform(*bounds, 10) for bounds in BOUNDS.values()]).T
    found = objectives(places)
    assert objectives._made is not None
    np.testing.assert_allclose(found, [objectives._alone(place) for place in places], rtol=1e-9)
    places[4, 0] = np.nan
    lost = objectives(places)
    assert np.isnan(lost[4]).all()
    np.testing.assert_allclose(np.delete(lost, 4, 0), np.delete(found, 4, 0), rtol=1e-12)


def test_a_swarm_is_at_least_as_good_as_gradients(s):
    options = {"inputs": {"road": 0.02}}
    by_gradient = sb.optimise(s, "heave.qdd**2", BOUNDS, UNTIL, DT, **options)
    by_swarm = sb.optimise(s, "heave.qdd**2", BOUNDS, UNTIL, DT, method="swarm", particles=20, iterations=25, **options)
    assert by_swarm.value < by_gradient.value * (1.0 + 1e-3)
    assert len(by_swarm.history) == 20 * 26
    again = sb.optimise(s, "heave.qdd**2", BOUNDS, UNTIL, DT, method="swarm", particles=20, iterations=25, **options)
    assert again.value == by_swarm.value


def test_a_swarm_keeps_constraints(s):
    limit = {"travel": ("heave.q", (0.0595, None))}
    found = sb.optimise(
        s, "heave.qdd**2", BOUNDS, UNTIL, DT, method="swarm", particles=20, iterations=10, constraints=limit
    )
    assert found.best.feasible
    assert found.best.values["travel"] >= 0.0595 - 1e-6


def test_wrong_arguments_are_reported(s):
    with pytest.raises(ModelError, match="only a swarm runs on a cluster"):
        sb.optimise(s, "heave.qdd**2", BOUNDS, UNTIL, DT, cluster=True)
    with pytest.raises(ModelError, match="a swarm starts at the initial state"):
        sb.optimise(s, "heave.qdd**2", BOUNDS, UNTIL, DT, method="swarm", x0={"heave.q": 0.01})
