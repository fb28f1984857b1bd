"""Random closed mechanisms against the multiplier equations: none is silently wrong (check_mechanisms.py does 10⁴)."""

import numpy as np
import pytest
from check_mechanisms import WAYS, check_structure, coordinate_rates, examined, structure
from multiplier_reference import reference
from random_mechanisms import random_mechanism
from scipy.integrate import solve_ivp

import symbody as sb
from symbody.errors import SymbodyError
from symbody.model.components import CUT_KINDS
from symbody.results.run import Run

FAST = [s for s in range(40) if random_mechanism(s, s % 2 == 0, s % 4 < 2) is not None][:20]


def wrongs(seed, starts):
    return [f"start {k}, {way}: {v.why}" for k, way, v in check_structure(seed, starts) if not v.sound]


@pytest.mark.parametrize("seed", FAST)
def test_a_few_runs_of_twenty_mechanisms(seed):
    assert wrongs(seed, 3) == []


@pytest.mark.slow
@pytest.mark.parametrize("first", [100, 200, 300, 400])
def test_some_hundred_runs(first):
    found = {seed: wrongs(seed, 9) for seed in range(first, first + 12)}
    assert {seed: wrong for seed, wrong in found.items() if wrong} == {}


def test_the_draws_cover_what_they_claim():
    """Planar and spatial, all kinds of cuts, natures given and not, ball joints, one loop and two."""
    drawn = [random_mechanism(s, s % 2 == 0, s % 4 < 2) for s in range(80)]
    models = [m.model for m in drawn if m is not None]
    assert {cut.kind for m in models for cut in m.cuts.values()} == set(CUT_KINDS)
    assert {len(m.cuts) for m in models} == {1, 2}
    assert {joint.nature for m in models for joint in m.joints()} == {"independent", "dependent"}
    assert "ball" in {joint.type for m in models for joint in m.joints()}


@pytest.mark.parametrize("seed", FAST[:6])
def test_a_run_is_the_solution_of_the_multiplier_equations(seed):
    """The reference integrated on its own, all coordinates free, to the same end."""
    s = structure(seed)
    if isinstance(s, SymbodyError):
        pytest.skip("refused by name")
    model, until = s.model, 0.1
    run = sb.simulate(s, until, method=sb.VariableStep("dop853", rtol=1e-9, atol=1e-10), repartition=True)
    nq = model.nq

    def rates(t, y):
        q, v = y[:nq], y[nq:]
        return np.concatenate([coordinate_rates(model, q[None], v[None])[0], reference(model, q, v).qdd])

    start = np.concatenate([run.q[0], run.qd[0]])
    end = solve_ivp(rates, (0.0, until), start, method="DOP853", rtol=1e-9, atol=1e-10).y[:, -1]
    np.testing.assert_allclose(np.concatenate([run.q[-1], run.qd[-1]]), end, rtol=1e-5, atol=1e-5)


def spoilt(run, column, change):
    values = run.values.copy()
    values[len(run) // 2 :, run.names.index(column)] += change
    return Run(run.system, run.t, values)


def test_the_check_finds_what_is_wrong():
    """A loop that opens, a velocity that jumps, an acceleration that is off, energy that grows."""
    s = structure(FAST[0])
    run = sb.simulate(s, 0.05, **WAYS[0])
    assert examined(run).what == "right"
    joint = s.model.velocities[s.partition.dependent[0]]
    assert "jumps" in examined(spoilt(run, f"{joint}.q", 0.1)).why
    assert "jumps" in examined(spoilt(run, f"{joint}.qd", 0.1)).why
    assert examined(spoilt(run, f"{joint}.qdd", 1.0)).what == "wrong"
    assert "energy" in examined(spoilt(run, "energy.kinetic", 10.0)).why
    shifted = Run(s, run.t, run.values + np.array([1e-3 * (name == f"{joint}.q") for name in run.names]))
    assert "open" in examined(shifted).why
