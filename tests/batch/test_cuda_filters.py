"""Many filters in CUDA kernels (device_filters.py, filter_kernel.py), as C++ in a loop, against single filters."""

import shutil

import numpy as np
import pytest
from cuda_as_cpp import CppDevice

import symbody as sb
from symbody import machines
from symbody.codegen.mirror import Mirror
from symbody.errors import CompileError, ModelError
from symbody.estimation import FilterBatch, filter_batch
from symbody.estimation.device_filters import DeviceFilters
from symbody.estimation.filter_kernel import FiltersOf, filter_kernel

pytestmark = pytest.mark.skipif(shutil.which("g++") is None, reason="needs a C++ compiler")
N, DT, STEPS, GATE = 10, 2e-3, 8, 25.0
CASES = {  # sensors, estimated inputs, considered parameters, options
    "quarter-car": (["heave.q", "travel.q"], {"road": 0.5}, {"k_strut": 1e3}, {}),
    "pendulum": (["bob.q"], {}, {}, {"transition": "exact"}),
    "four-bar": (["crank.q"], {"torque": 2.0}, {}, {"method": "trapezoidal"}),
}


def made(name):
    """A filter, with a gate that refuses some measurements."""
    sensors, forces, considered, options = CASES[name]
    s = sb.system(machines.model(name))
    known = {one: size for one, size in forces.items() if one in s.inputs}
    errors = {one: size for one, size in considered.items() if one in s.parameters} or None
    return sb.estimate(s, sensors, dict.fromkeys(sensors, 0.01), errors, forces=known, dt=DT, gate=GATE, **options)


def measurements(one, rng):
    """Measurements near the start, some missing, some far outside of the gate."""
    s = one.system
    rows = [s.outputs.index(name) for name in one.sensors]
    z = s.observe(0.0, s.x0)[rows] + 0.01 * rng.normal(size=(STEPS, N, len(rows)))
    z[rng.uniform(size=z.shape) < 0.1] = np.nan
    z[rng.uniform(size=z.shape) < 0.1] += 1.0
    return z


@pytest.fixture
def card(monkeypatch, tmp_path):
    monkeypatch.setattr(filter_batch, "device_of", lambda name: CppDevice(tmp_path))


@pytest.mark.parametrize("name", CASES)
def test_filters_in_kernels_equal_single_filters(card, name):
    rng = np.random.default_rng(1)
    one = made(name)
    z = measurements(one, rng)
    u = one.system.u0 + 0.01 * rng.normal(size=(STEPS, N, len(one.system.inputs)))
    many, alone = FilterBatch(one, N, device="cuda"), [made(name) for _ in range(N)]
    for k in range(STEPS):
        many.step(u[k], z[k])
        for i, other in enumerate(alone):
            other.step(u[k, i], z[k, i])
    sigma = np.sqrt(np.diagonal(alone[0].covariance))
    size = np.outer(sigma, sigma)
    for i, other in enumerate(alone):
        np.testing.assert_allclose(many.x[i], other.x, rtol=1e-9, atol=1e-10)
        np.testing.assert_allclose(many.covariance[i] / size, other.covariance / size, atol=1e-9)
        np.testing.assert_allclose(many.shares[i], other.shares, rtol=1e-6, atol=1e-9)
        np.testing.assert_allclose(many.sigma[i], np.sqrt(np.diag(other.P)), rtol=1e-9)
    assert many.t == pytest.approx(STEPS * DT)
    assert many.failures == {}
    assert np.nanmax(many.shares) > GATE or np.isnan(z[-1]).any()


def test_a_filter_that_is_not_finite_fails_alone(card):
    one = made("quarter-car")
    x = np.tile(one.x, (N, 1))
    x[3, 0] = np.nan
    many = FilterBatch(one, N, x, device="cuda")
    assert isinstance(many._filters, DeviceFilters)
    many.step(z=measurements(one, np.random.default_rng(2))[0])
    assert list(many.failures) == [3]
    assert "not finite" in many.failures[3]
    assert np.isnan(many.x[3]).all()
    assert np.isfinite(np.delete(many.x, 3, axis=0)).all()


def test_a_structure_with_two_exchanged_fields_is_refused(tmp_path):
    fields = dict(FiltersOf._fields_)
    wrong = type("Wrong", (Mirror,), {"c_type": "filters_t", "_fields_": [*fields.items()][::-1]})
    with pytest.raises(CompileError, match=r"filters_t, n.* in Python"):
        CppDevice(tmp_path).compiled(filter_kernel(made("quarter-car"), 10**6, True).text, wrong)


def test_wrong_shapes_and_methods_are_reported(card):
    many = FilterBatch(made("quarter-car"), 3, device="cuda")
    with pytest.raises(ModelError, match=r"give \(3, 2\), or \(2,\) for all"):
        many.step(z=np.zeros((2, 1)))
    s = sb.system(machines.model("quarter-car"))
    other = sb.estimate(s, ["heave.q"], {"heave.q": 0.01}, method="rodas4")
    with pytest.raises(ModelError, match="filters with rodas4 have no kernel"):
        FilterBatch(other, 3, device="cuda")


def test_a_missing_card_is_reported():
    with pytest.raises(ModelError, match=r"graphics card|PyTorch or CuPy"):
        FilterBatch(made("pendulum"), 3, device="cuda")
