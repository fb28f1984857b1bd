"""The references themselves: independent of the engine, and right where that can be said without it."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import symbody as sb
from symbody import machines
from symbody_bench.validate import andrews_book, n_four_bar, pendulum
from symbody_bench.validate import bricard as cube
from symbody_bench.validate import flyball as governor
from symbody_bench.validate.figures import largest


def test_the_closed_form_of_the_pendulum_obeys_its_equation():
    t = np.linspace(0.0, 10.0, 51)
    found = solve_ivp(
        lambda _, y: (y[1], -9.81 * np.cos(y[0])), (0, 10), (np.pi, 0), "DOP853", t_eval=t, rtol=1e-12, atol=1e-12
    )
    exact = np.stack([np.cos(found.y[0]), np.sin(found.y[0])], axis=1)
    np.testing.assert_allclose(pendulum.closed_form(t), exact, atol=1e-9)


@pytest.mark.parametrize("n", [2, 40])
def test_the_row_of_windows_keeps_its_energy(n):
    t = np.linspace(0.0, 5.0, 101)
    angle = np.unwrap(np.arctan2(*n_four_bar.reduced(n, t).T[::-1]))
    speed = np.gradient(angle, t, edge_order=2)
    kinetic = ((n + 1) / 3 + n) * speed**2 / 2
    potential = 9.81 * ((n + 1) / 2 + n) * np.sin(angle)
    total = (kinetic + potential)[1:-1]
    assert np.ptp(total) < 0.02 * kinetic.max()  # differences of 50 ms


def test_the_library_s_table_of_the_windows_is_met_by_the_reduced_equation():
    t, places = n_four_bar.PUBLISHED[:, 0], n_four_bar.PUBLISHED[:, 1:]
    assert largest(n_four_bar.reduced(40, np.r_[0.0, t])[1:] - places) < 2e-6


def test_the_book_s_equations_give_the_book_s_accelerations():
    start = np.array([*andrews_book.START, *[0.0] * 7])
    found = andrews_book.rates(0.0, start)[7:]
    np.testing.assert_allclose(found[:2], (14222.4439199541138706, -10666.8329399655854), rtol=1e-13)
    np.testing.assert_allclose(found[2:], 0.0, atol=1e-9)


def test_the_squeezer_starts_closed_and_accelerates_as_in_the_book():
    model = machines.model("andrews")
    q = sb.assemble(model)
    np.testing.assert_array_equal(q, [joint.q0[0] for joint in model.joints()])
    s = sb.system(model, outputs=["*.qdd"])
    assert s.at(0.0, s.x0)["beta.qdd"] == pytest.approx(14222.4439199541138706, rel=1e-12)
    assert s.at(0.0, s.x0)["Theta.qdd"] == pytest.approx(-10666.8329399655854, rel=1e-12)


def test_the_shape_of_the_cube_closes_its_loop():
    model = machines.model("bricard")
    constraints = sb.compile(model, "constraints")
    for phi in np.linspace(0.0, np.pi, 9):
        psi, slope = cube.shape(phi)
        h, J = constraints(np.array([phi, psi, phi, psi, phi]))
        assert np.abs(h).max() < 1e-14
        assert np.abs(J @ np.array([1.0, slope, 1.0, slope, 1.0])).max() < 1e-14
        assert np.linalg.matrix_rank(J, tol=1e-8) == 4  # of five


def test_the_cube_s_one_inertia_is_the_engine_s():
    model = machines.model("bricard")
    mass, energy = sb.compile(model, "mass", loads=False), sb.compile(model, "energy", loads=False)
    for phi in (0.3, 1.4, 2.6):
        psi, slope = cube.shape(phi)
        way = np.array([1.0, slope, 1.0, slope, 1.0])
        q = np.array([phi, psi, phi, psi, phi])
        inertia, height = cube.energies(phi)
        assert inertia.real == pytest.approx(way @ mass(q) @ way, rel=1e-12)
        assert height.real == pytest.approx(energy(q, 0 * q).potential, rel=1e-12)


def test_the_governor_s_inertia_about_its_shaft_is_the_engine_s():
    mass = sb.compile(machines.model("flyball"), "mass", loads=False)
    for alpha in (0.1, 0.5, 1.1):
        inertia, slope = governor.about_shaft(alpha)
        assert inertia == pytest.approx(mass(np.array([0.0, 0.5, alpha, -alpha]))[0, 0], rel=1e-12)
        near = [governor.about_shaft(alpha + d)[0] for d in (-1e-5, 1e-5)]
        assert slope == pytest.approx((near[1] - near[0]) / 2e-5, rel=1e-6)
