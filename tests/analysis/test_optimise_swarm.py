"""A swarm over whole runs in a batch, against single runs and closed solutions."""

import numpy as np
import pytest

import symbody as sb
from symbody import machines
from symbody.analysis.optimise_swarm import SwarmObjectives
from symbody.analysis.sensitivity import sensitivity_system
from symbody.errors import ModelError

UNTIL, DT, BOUNDS = 0.1, 1e-3, {"c_strut": (300.0, 6000.0), "k_strut": (1e4, 4e4)}
M, K, START = 2.0, 8.0, 0.5
SWARM = {"until": 24.0, "dt": 2e-2, "method": "swarm", "particles": 12, "iterations": 15}


@pytest.fixture(scope="module")
def s():
    return sb.system(machines.model("quarter-car"))


@pytest.fixture(scope="module")
def damped():
    """m ẍ + c ẋ + k x = 0 from rest: ∫x² dt = x₀² (m/2c + c/2k), least at c = √(km); ∫ẋ² dt = k x₀²/2c."""
    m = sb.Model("damped", gravity=(0, 0, 0))
    m.parameter("c", 1.0)
    m.body("cart", joints=[sb.Joint("cart", "T1", q0=(START,))], mass=M)
    m.joint_force("cart")(lambda q, qd, p: -K * q - p.c * qd)
    return sb.system(m)


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


def test_the_best_damping_of_an_oscillator(damped):
    found = sb.optimise(damped, "cart.q**2", {"c": (0.5, 10.0)}, **SWARM)
    assert found.finished
    assert found.parameters["c"] == pytest.approx(np.sqrt(K * M), rel=2e-2)
    assert found.value == pytest.approx(START**2 * np.sqrt(M / K), rel=1e-3)
    assert len(found.history) == 12 * 16
    assert sb.optimise(damped, "cart.q**2", {"c": (0.5, 10.0)}, **SWARM).value == found.value  # the same seed
    assert damped.parameters["c"] == 1.0  # as before


def test_a_constraint_that_binds(damped):
    bound = 0.6 * K * START**2 / (2 * np.sqrt(K * M))
    limits = {"speed": ("cart.qd**2", (None, bound))}
    found = sb.optimise(damped, "cart.q**2", {"c": (0.5, 20.0)}, constraints=limits, **SWARM)
    assert found.best.feasible
    assert found.best.values["speed"] <= bound * (1.0 + 1e-5)
    assert found.parameters["c"] == pytest.approx(K * START**2 / (2 * bound), rel=2e-2)


def test_wrong_arguments_are_reported(s):
    with pytest.raises(ModelError, match="only a swarm runs on a cluster"):
        sb.optimise(s, "heave.qdd**2", BOUNDS, UNTIL, DT, cluster=True)
    with pytest.raises(ModelError, match="a swarm starts at the initial state"):
        sb.optimise(s, "heave.qdd**2", BOUNDS, UNTIL, DT, method="swarm", x0={"heave.q": 0.01})
