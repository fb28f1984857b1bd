"""The filter in C is that in Python: see test_error_state.py and test_unknowns.py; here, what it refuses and meets."""

import numpy as np
import pytest

import symbody as sb
from symbody.errors import DivergenceError
from symbody.estimation.compiled import can_compile
from symbody.estimation.error_state import estimate


def top():
    m = sb.Model("top")
    m.body("top", joints="ball", mass=1.0, com=(0, 0, 0.1), inertia=(0.01, 0.01, 0.02))
    return sb.system(m)


def test_a_ball_is_filtered_in_python_with_unit_quaternions():
    s = top()
    assert not can_compile(s)
    sensor = s.states[-1]
    twin = estimate(s, [sensor], {sensor: 0.01}, 0.01, dt=2e-3)
    assert twin.backend == "python"
    for _ in range(20):
        twin.step(z=[0.3])
    for q in s.quaternion_places:
        assert np.linalg.norm(twin.x[q : q + 4]) == pytest.approx(1.0, abs=1e-12)
    assert twin.P.shape == (6, 6)
    assert np.linalg.eigvalsh(twin.P).min() > 0.0


def test_measurements_that_are_far_off_are_refused_and_counted():
    m = sb.Model("pendulum")
    m.body("arm", joints=[sb.Joint("arm", "R2", q0=0.3)], mass=1.0, com=(0, 0, -0.5))
    twin = estimate(sb.system(m), ["arm.q"], {"arm.q": 0.01}, {"arm.qd": 0.01}, start={"arm.q": 0.01}, gate=9.0)
    before = twin.x
    twin.step(z=[5.0])
    assert twin.used.tolist() == [-1]
    assert twin.refused == {"arm.q": 1}
    assert np.abs(twin.x - before).max() < 0.01


def test_what_is_not_finite_is_not_measured_and_an_infinite_covariance_is_told():
    m = sb.Model("pendulum")
    m.body("arm", joints=[sb.Joint("arm", "R2", q0=0.3)], mass=1.0, com=(0, 0, -0.5))
    twin = estimate(sb.system(m), ["arm.q"], {"arm.q": 0.01}, {"arm.qd": 1e160})
    twin.step(z=[np.inf])
    assert twin.used.tolist() == [0]
    with pytest.raises(DivergenceError, match="covariance"):
        twin.step(z=[0.1])
    assert np.all(np.isfinite(twin.x))
