"""Many filters at once (filter_batch.py, host_filters.py, kalman.py) against single ones, in C and in Python."""

import numpy as np
import pytest

import symbody as sb
from symbody import machines
from symbody.errors import ModelError
from symbody.estimation import FilterBatch
from symbody.estimation.row_steps import RowSteps

DT, STEPS = 2e-3, 12
CASES = {
    "quarter-car": (["heave.q", "wheel.q"], {"road": 0.5}),
    "four-bar": (["crank.q"], {"torque": 2.0}),
}


@pytest.fixture(scope="module", params=CASES)
def case(request):
    sensors, forces = CASES[request.param]
    s = sb.system(machines.model(request.param))
    return s, sensors, {name: forces[name] for name in forces if name in s.inputs}


def made(case, **options):
    s, sensors, forces = case
    sensors = [name for name in sensors if name in s.outputs]
    return sb.estimate(s, sensors, dict.fromkeys(sensors, 0.01), forces=forces, dt=DT, **options)


def measurements(case, n, rng):
    """Rows of measurements near the start, some missing, some far outside of a gate."""
    s, sensors, _ = case
    rows = [s.outputs.index(name) for name in sensors if name in s.outputs]
    z = s.observe(0.0, s.x0)[rows] + 0.01 * rng.normal(size=(STEPS, n, len(rows)))
    z[rng.uniform(size=z.shape) < 0.1] = np.nan
    z[rng.uniform(size=z.shape) < 0.1] += 1.0
    return z


@pytest.mark.parametrize("backend", ["auto", "python"])
def test_a_batch_equals_single_filters_to_rounding(case, backend):
    n, s = 10, case[0]
    z = measurements(case, n, np.random.default_rng(1))
    u = s.u0 + 0.01 * np.random.default_rng(2).normal(size=(STEPS, n, len(s.inputs)))
    many = FilterBatch(made(case, gate=25.0, backend=backend), n)
    alone = [made(case, gate=25.0, backend=backend) for _ in range(n)]
    for k in range(STEPS):
        many.step(u[k], z[k])
        for i, one in enumerate(alone):
            one.step(u[k, i], z[k, i])
    sigma = np.sqrt(np.diagonal(alone[0].covariance))
    size = np.outer(sigma, sigma)
    for i, one in enumerate(alone):
        np.testing.assert_allclose(many.x[i], one.x, rtol=1e-9, atol=1e-10)
        np.testing.assert_allclose(many.covariance[i] / size, one.covariance / size, atol=1e-9)
        np.testing.assert_allclose(many.shares[i], one.shares, rtol=1e-6, atol=1e-9)
    assert many.t == pytest.approx(STEPS * DT)
    assert not many.failures


def test_many_filters_step_in_a_batch_and_agree(case):
    n, s = 70, case[0]
    z = measurements(case, n, np.random.default_rng(3))
    together, apart = (FilterBatch(made(case, gate=25.0), n) for _ in range(2))
    apart._filters._steps._possible = False  # each state alone
    for k in range(STEPS):
        together.step(z=z[k])
        apart.step(z=z[k])
    assert together._filters._steps._batch is not None
    np.testing.assert_allclose(together.x, apart.x, rtol=1e-9, atol=1e-10)
    np.testing.assert_allclose(together.sigma, apart.sigma, rtol=1e-7)
    assert together.x.shape == (n, len(s.states))


def test_members_of_an_ensemble_step_in_a_batch(case):
    twins = [made(case, filter="ensemble", members=80, seed=1) for _ in range(2)]
    twins[1]._row_steps._possible = False
    z = measurements(case, 1, np.random.default_rng(4))
    for k in range(STEPS):
        for twin in twins:
            twin.step(z=z[k, 0])
    assert twins[0]._row_steps._batch is not None
    np.testing.assert_allclose(twins[0].x, twins[1].x, rtol=1e-8, atol=1e-9)
    np.testing.assert_allclose(twins[0].P, twins[1].P, rtol=1e-6, atol=1e-9)


def test_a_state_that_is_not_finite_is_left_to_single_steps():
    s = sb.system(machines.model("quarter-car"))
    rows, x = RowSteps(s, None, DT), np.tile(s.x0, (70, 1))
    u = np.tile(s.u0, (70, 1))
    assert rows.step(0.0, x, u).shape == x.shape
    x[3, 0] = np.nan
    assert rows.step(0.0, x, u) is None
    assert RowSteps(s, None, DT).step(0.0, x[:5], u[:5]) is None  # too few


def test_wrong_filters_and_shapes_are_reported():
    s = sb.system(machines.model("quarter-car"))
    twin = sb.estimate(s, ["heave.q"], {"heave.q": 0.01})
    with pytest.raises(ModelError, match="give at least one"):
        FilterBatch(twin, 0)
    with pytest.raises(ModelError, match=r"give \(3, 1\), or \(1,\) for all"):
        FilterBatch(twin, 3).step(z=np.zeros((2, 1)))
    with pytest.raises(ModelError, match="consider parameters"):
        FilterBatch(sb.estimate(s, ["heave.q"], {"heave.q": 0.01}, parameters={"k_strut": 1e3}), 3)
    with pytest.raises(ModelError, match="not an error-state filter"):
        FilterBatch(sb.estimate(s, ["heave.q"], {"heave.q": 0.01}, filter="ensemble"), 3)
