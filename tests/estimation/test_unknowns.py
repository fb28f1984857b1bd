"""Inputs and parameters that nobody knows: estimated within their own bands, or considered."""

import numpy as np
import pytest

import symbody as sb
from symbody.errors import ModelError
from symbody.estimation.estimate import estimate


def pushed_mass():
    """A mass on a spring, pushed by an input; both numbers are live."""
    m = sb.Model("pushed", gravity=(0, 0, 0))
    m.input("push", unit="N")
    m.parameter("stiffness", 50.0)
    body = m.body("mass", joints="T1", mass=2.0)

    @m.link("spring", m.ground.point("wall", (-1.0, 0, 0)), body.point("hook", (0, 0, 0)))
    def spring(length, rate, p):
        return p.stiffness * (length - 1.0) + 0.7 * rate - p.push

    return sb.system(m)


def followed(twin, truth, sigma, seed=0):
    rng = np.random.default_rng(seed)
    for q in truth["mass.q"][1:]:
        twin.step(z=[q + sigma * rng.normal()])


@pytest.mark.parametrize("backend", ["auto", "python"])
def test_a_force_is_found_within_its_band(backend):
    s, sigma = pushed_mass(), 1e-4
    truth = sb.simulate(s, 2.0, 2e-3, inputs={"push": 3.0})
    told = {"mass.q": sigma}
    twin = estimate(s, ["mass.q"], told, {"mass.qd": 1e-3}, forces={"push": 5.0}, dt=2e-3, backend=backend)
    followed(twin, truth, sigma)
    assert abs(twin.mean["push"] - 3.0) < 3.0 * twin.sigma["push"]
    assert 0.0 < twin.sigma["push"] < 1.0
    assert s.u0[0] == 0.0


@pytest.mark.parametrize("backend", ["auto", "python"])
def test_the_band_of_a_force_begins_with_its_own_deviation(backend):
    s = pushed_mass()
    for start, sigma in ((None, 0.0), ({"push": 2.0}, 2.0), ({"mass.q": 0.1}, 0.0)):
        twin = estimate(s, ["mass.q"], {"mass.q": 1e-4}, 0.0, forces={"push": 5.0}, start=start, backend=backend)
        assert twin.sigma["push"] == pytest.approx(sigma)
    with pytest.raises(ModelError, match="unknown state"):
        estimate(s, ["mass.q"], {"mass.q": 1e-4}, 0.0, start={"push": 2.0})  # it is not estimated


@pytest.mark.slow
@pytest.mark.parametrize("backend", ["auto", "python"])
def test_a_parameter_is_found_and_the_users_own_stays(backend):
    s, sigma = pushed_mass(), 1e-4
    truth = sb.simulate(s, 3.0, 2e-3, inputs={"push": 3.0})
    s.parameters["stiffness"] = 40.0
    twin = estimate(
        s, ["mass.q"], {"mass.q": sigma}, {"mass.qd": 1e-3}, parameters={"stiffness": 10.0}, dt=2e-3, backend=backend
    )
    rng = np.random.default_rng(1)
    for q in truth["mass.q"][1:]:
        twin.step([3.0], [q + sigma * rng.normal()])
    assert abs(twin.mean["stiffness"] - 50.0) < 3.0 * twin.sigma["stiffness"]
    assert twin.sigma["stiffness"] < 0.5
    assert s.parameters["stiffness"] == 40.0


def test_c_and_python_estimate_the_same():
    s, sigma = pushed_mass(), 1e-3
    truth = sb.simulate(s, 0.2, 2e-3, inputs={"push": 3.0})
    made = [
        estimate(
            s, ["mass.q"], {"mass.q": sigma}, {"mass.qd": 1e-2, "stiffness": 2.0}, forces={"push": 5.0}, dt=2e-3,
            backend=backend,
        )
        for backend in ("auto", "python")
    ]  # fmt: skip
    for twin in made:
        followed(twin, truth, sigma)
    fast, slow = made
    assert np.allclose(fast.x, slow.x, rtol=1e-9, atol=1e-12)
    assert np.allclose(fast.P, slow.P, rtol=1e-8)
    assert fast.mean["push"] == pytest.approx(slow.mean["push"], rel=1e-9)
    rows = np.zeros((len(truth) - 1, 1))
    again = estimate(
        s, ["mass.q"], {"mass.q": sigma}, {"mass.qd": 1e-2, "stiffness": 2.0}, forces={"push": 5.0}, dt=2e-3
    )
    z = truth["mass.q"][1:] + sigma * np.random.default_rng(0).normal(size=len(rows))
    mean, spread, *_ = again.follow(rows, z[:, np.newaxis])
    assert mean[-1, 2] == pytest.approx(fast.mean["push"], rel=1e-9)
    assert spread[-1, 2] == pytest.approx(fast.sigma["push"], rel=1e-9)


def test_a_parameter_that_is_considered_keeps_the_estimate_unsure():
    s, sigma = pushed_mass(), 1e-3
    sure, honest = (
        estimate(s, ["mass.q"], {"mass.q": sigma}, {"mass.qd": 1e-3} | more, dt=2e-3)
        for more in ({}, {"stiffness": 5.0})
    )
    for twin in (sure, honest):
        for _ in range(500):
            twin.step([3.0], [0.06])
    # one run: covariances of a linear system do not depend on measurements
    assert honest.sigma["mass.q"] > 2.0 * sure.sigma["mass.q"]


def test_names_that_are_none_are_named():
    with pytest.raises(ModelError, match="did you mean push"):
        estimate(pushed_mass(), ["mass.q"], {"mass.q": 1e-3}, forces={"pull": 1.0})
    with pytest.raises(ModelError, match="did you mean stiffness"):
        estimate(pushed_mass(), ["mass.q"], {"mass.q": 1e-3}, parameters={"stifness": 1.0})
