"""Eigenvalues far apart: weak instability beside stiff oil, rounding told from motion, and what cannot be told."""

import numpy as np
import pytest

import symbody as sb
from symbody import machines
from symbody.analysis.eigenvalues import SLOW, eigenvalues
from symbody.analysis.equilibrium import equilibrium
from symbody.analysis.modal import modal
from symbody.analysis.tangent_coordinates import tangent_matrix

G = 9.81


def similar(values, seed):
    """A matrix with given real eigenvalues, its rows and columns over many orders of magnitude, as units make them."""
    rng = np.random.default_rng(seed)
    X = np.linalg.qr(rng.normal(size=(len(values), len(values))))[0] @ np.diag(rng.uniform(0.5, 2.0, len(values)))
    A = X @ np.diag(values) @ np.linalg.inv(X)
    units = 10.0 ** rng.uniform(-6, 6, len(values))
    return A * units / units[:, None]


@pytest.mark.parametrize("spread", [1e3, 1e7, 1e10])
@pytest.mark.parametrize("weak", [0.3, -0.3])
def test_a_slow_eigenvalue_is_judged_beside_fast_ones(spread, weak):
    for seed in range(20):
        known = np.array([weak, -2.0, -0.01 * spread, -spread])
        found = eigenvalues(similar(known, seed), 0, np.ones(4))
        assert found.stable is (weak < 0)
        error = np.abs(np.sort(found.values.real) - np.sort(known))
        assert np.all(error <= found.errors[np.argsort(found.values.real)])
        assert found.errors.max() < 1e-2


def test_what_rounding_hides_is_undecided_and_says_by_how_much():
    """A growth of 0.01 1/s beside 10¹³ 1/s: the digits of the matrix do not hold it."""
    decided = [eigenvalues(similar(np.array([0.01, -1e13, -2e12]), seed), 0, np.ones(3)) for seed in range(20)]
    assert all(found.stable is None for found in decided)
    assert all(found.errors[found.undecided].max() > SLOW for found in decided)


def oil_beside(height, rate=1e8):
    """An inverted pendulum, and a pressure that follows it at a given rate (1/s) and pushes back a little."""
    m = sb.Model("oil and pendulum")
    m.parameter("up", height, "m")
    m.body("mass", joints="R2", mass=2.0, com=(0, 0, "up"))
    m.state("p", 0.0, scale=1e5)(lambda s, p: -rate * p.p + 1e13 * s.qd["mass"])
    m.joint_force("mass")(lambda q, qd, p: -1e-6 * p.p)
    return m


@pytest.mark.parametrize("height", [0.5, 1e-3, -1e-3, -0.5])
def test_a_pendulum_beside_stiff_oil(height):
    """J φ̈ = m g h φ − c φ̇ with c = 1e-6·1e13/1e8 = 0.1 N m s, but for what the oil's own time of 10 ns changes."""
    J, c = 2.0 * height**2, 0.1
    roots = np.roots([J, c, -2.0 * G * height])
    found = equilibrium(oil_beside(height))
    assert found.stable is (height < 0)
    slowest = found.eigenvalues[0]
    assert slowest.real == pytest.approx(roots.real.max(), rel=1e-4)
    modes = modal(oil_beside(height), found)
    assert modes.stable is (height < 0)
    assert "rigid" not in [mode.kind for mode in modes]
    assert ("growth" in [mode.kind for mode in modes]) is (height > 0)


def test_masses_that_fly_together_are_rigid_at_any_stiffness():
    for stiffness in (1.0, 1e6, 1e9):
        m = sb.Model("pair", gravity=(0, 0, 0))
        first = m.body("first", joints="T1", mass=1.0)
        second = m.body("second", m.ground.point("aside", (2.0, 0, 0)), "T1", 3.0)
        m.link("spring", first, second)(lambda length, rate, p, k=stiffness: k * (length - 2.0))
        modes = modal(m)
        assert [mode.kind for mode in modes] == ["rigid", "rigid", "oscillation"]
        assert modes[2].eigenvalue.imag == pytest.approx(np.sqrt(stiffness * 4 / 3), rel=1e-9)


@pytest.mark.parametrize("name", ["four-bar-hydraulic", "quick-return-hydraulic"])
def test_hydraulic_machines_that_ship_are_judged(name):
    """Valves are shut at the start: the oil holds the machine. Its eigenvalues by arithmetic of 40 digits."""
    mpmath = pytest.importorskip("mpmath")
    s = sb.system(machines.model(name))
    found = equilibrium(s)
    assert found.stable is True
    with mpmath.workdps(40):
        A = mpmath.matrix(tangent_matrix(s, found.t, found.x, found.u))
        exact = [complex(value) for value in mpmath.eig(A, left=False, right=False)]
    assert np.abs(exact).max() > 1e4
    for value, error in zip(found.eigenvalues, found.eigenvalue_errors, strict=True):
        assert np.abs(np.array(exact) - value).min() <= error
        assert error < 1e-6


def test_the_crane_is_held_by_its_oil():
    assert equilibrium(machines.model("crane")).stable is True
