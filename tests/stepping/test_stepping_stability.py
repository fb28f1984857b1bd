"""Stability functions of fixed steps (stability.py): what the steps themselves make of a linear system."""

import numpy as np
import pytest

import symbody as sb
from symbody.stepping.registry import FIXED
from symbody.stepping.stability import StabilityFunction

KNOWN = [name for name, method in FIXED.items() if method.stability]


def stiff():
    """A mass on a spring and a damper, and a state that follows it within 0.1 ms and pulls it."""
    m = sb.Model("stiff", gravity=(0, 0, 0))
    m.body("mass", joints=[sb.Joint("mass", "T1", q0=0.1)], mass=1.0)
    m.state("pull", 0.02)(lambda s, p: 1e4 * (s.q["mass"] - p.pull))
    m.coupling("law", "mass")(lambda s, p: (-400.0 * s.q["mass"] - 3.0 * s.qd["mass"] - p.pull,))
    return sb.system(m)


@pytest.mark.parametrize("name", KNOWN)
def test_a_step_of_a_linear_system_is_its_stability_function(name):
    s, dt = stiff(), 2e-4 if name == "rk4" else 5e-3
    A = s.linear(0.0, s.x0).A
    after = sb.stepper(s, name, dt).step(s.x0, s.u0)
    assert np.allclose(after, FIXED[name].stability.matrix(A * dt) @ s.x0, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("name", KNOWN)
def test_it_is_the_exponential_to_the_order_of_the_method(name):
    R, order = FIXED[name].stability, FIXED[name].order
    z = 0.1 * np.exp(0.7j)
    coarse, fine = (abs(R(x) - np.exp(x)) for x in (z, z / 2))
    assert np.log2(coarse / fine) == pytest.approx(order + 1, abs=0.15)


@pytest.mark.parametrize(("name", "far"), [("trapezoidal", -1.0), ("rodas3", 0.0), ("rodas4", 0.0)])
def test_far_left_the_rule_rings_and_rosenbrock_steps_decay(name, far):
    assert FIXED[name].stability(-1e9) == pytest.approx(far, abs=1e-6)


@pytest.mark.parametrize("name", KNOWN)
def test_of_constants_is_what_a_step_makes_of_a_constant_rate(name):
    """ẋ = λx + 1 from zero: (R(z) − 1)/z of dt."""
    R, z = FIXED[name].stability, -0.7
    y = 1.0 / (1.0 - R.gamma * z) if R.gamma else z
    powers = [y ** (k if R.gamma else k - 1) for k in range(1, len(R.c))]
    found = np.dot(R.of_constants, powers) * (R.gamma or 1.0)
    assert found == pytest.approx((R(z) - 1.0).real / z, rel=1e-12)


def test_of_a_matrix_it_acts_on_eigenvalues():
    R = StabilityFunction(0.3, (0.2, 0.5, 0.3))
    V, values = np.array([[1.0, 2.0], [-1.0, 3.0]]), np.array([-1.0, 0.5])
    found = R.matrix(V @ np.diag(values) @ np.linalg.inv(V))
    assert np.allclose(found, V @ np.diag([R(x).real for x in values]) @ np.linalg.inv(V))
