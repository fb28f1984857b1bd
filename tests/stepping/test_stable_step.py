"""The largest stable steps of explicit methods, and what a diverged run says. Tests of stable_step.py."""

import numpy as np
import pytest

import symbody as sb
from symbody.stepping.registry import FIXED
from symbody.stepping.stable_step import eigenvalue_text, largest_stable_step, semi_implicit_growth


@pytest.mark.parametrize(
    ("growth", "eigenvalue", "expected"),
    [
        (FIXED["rk4"].growth, -1000.0, 2.785293563405282e-3),  # the real root of |R| = 1
        (FIXED["rk4"].growth, 1000.0j, 2 * np.sqrt(2) * 1e-3),
        (semi_implicit_growth, 1000.0j, 2e-3),
        (semi_implicit_growth, -1000.0 + 0.0j, 2e-3),
    ],
)
def test_known_limits(growth, eigenvalue, expected):
    assert largest_stable_step(growth, complex(eigenvalue)) == pytest.approx(expected, rel=1e-4)


def damped(stiffness: float, damping: float) -> sb.System:
    m = sb.Model("damped", gravity=(0, 0, 0))
    m.body("mass", joints=[sb.Joint("mass", "T1", q0=0.1)], mass=1.0)
    m.joint_force("mass")(lambda q, qd, p: -stiffness * q - damping * qd)
    return sb.system(m)


@pytest.mark.parametrize("method", [name for name, m in FIXED.items() if m.growth])
@pytest.mark.parametrize("damping", [0.0, 10.0, 60.0])
def test_runs_grow_beyond_the_limit_and_not_below(method, damping):
    s = damped(1e4, damping)
    eigenvalue = max(np.linalg.eigvals(s.linear(0.0, s.x0).A), key=abs)
    h = largest_stable_step(FIXED[method].growth, complex(eigenvalue))
    below = sb.simulate(s, 4000 * h, 0.97 * h, method=method, energy="ignore")
    assert np.abs(below["mass.q"]).max() < 1.0
    with pytest.raises(sb.DivergenceError, match=rf"{method} is stable below"):
        sb.simulate(s, 40000 * h, 1.05 * h, method=method, energy="ignore")


def test_the_message_names_eigenvalue_step_and_method():
    with pytest.raises(sb.DivergenceError) as said:
        sb.simulate(damped(1e6, 0.0), 10.0, 0.01)
    text = str(said.value)
    assert "0 ± 1e+03i 1/s" in text
    assert "rk4 is stable below 0.00283 s" in text
    assert "or the implicit method rodas4" in text


def test_the_method_that_is_named_does():
    run = sb.simulate(damped(1e6, 0.0), 1.0, 0.01, method="rodas4", energy="ignore")
    assert np.abs(run["mass.q"]).max() <= 0.11


def test_steps_chosen_by_their_error_tell_what_grew():
    """q̈ = 1000 q³ from q = 0.1, q̇ = 1 reaches infinity in a finite time."""
    m = sb.Model("runaway", gravity=(0, 0, 0))
    m.body("mass", joints=[sb.Joint("mass", "T1", q0=0.1, v0=1.0)], mass=1.0)
    m.joint_force("mass")(lambda q, qd, p: 1e3 * q * q * q)
    with pytest.raises(sb.DivergenceError, match=r"the fastest eigenvalue there is .*1/s \(the motion is unstable\)"):
        sb.simulate(m, 10.0)


def test_eigenvalues_in_words():
    assert eigenvalue_text(-1.2e5 + 0j) == "-1.2e+05 1/s"
    assert eigenvalue_text(-3 + 450j) == eigenvalue_text(-3 - 450j) == "-3 ± 450i 1/s"
