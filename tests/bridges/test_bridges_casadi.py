"""Functions and systems in CasADi: the same values, derivatives of first and second order, loops, tables, Opti."""

import numpy as np
import pytest
from bridge_models import arm, cart_pole, differences, four_bar, tables

import symbody as sb
from far_states import crank_states, unreachable, wishbone
from symbody.bridges import to_casadi

ca = pytest.importorskip("casadi")
rng = np.random.default_rng(5)


def test_a_function_of_an_arm_has_the_same_values_and_slopes():
    f, g = arm(), to_casadi(arm())
    q, qd, qdd = rng.normal(size=(3, 6))
    np.testing.assert_allclose(np.ravel(g(q, qd, qdd)), f(q, qd, qdd), rtol=1e-12, atol=1e-12)
    assert g.name_in() == ["q", "qd", "qdd"]
    J = g.factory("J", ["q", "qd", "qdd"], ["jac:Q:q"])(q, qd, qdd)
    np.testing.assert_allclose(np.array(J), differences(lambda x: f(x, qd, qdd), q), rtol=1e-7, atol=1e-6)


def test_several_outputs_keep_their_shapes():
    M, c = to_casadi(sb.compile(sb.machines.model("arm6"), "dynamics", loads=False))(np.ones(6), np.zeros(6))
    mass, bias = sb.compile(sb.machines.model("arm6"), "dynamics", loads=False)(np.ones(6), np.zeros(6))
    np.testing.assert_allclose(np.array(M), mass, rtol=1e-12)
    np.testing.assert_allclose(np.ravel(c), bias, rtol=1e-12)


def test_a_system_with_loops_is_closed_and_differentiated_twice():
    s = four_bar()
    f = to_casadi(s)
    x, u = s.x0 + np.array([0.3, 2.0]), np.array([0.1])
    np.testing.assert_allclose(np.ravel(f(0.0, x, u)), s.rates(0.0, x, u), rtol=1e-9)
    A = np.array(f.factory("A", f.name_in(), ["jac:xd:x"])(0.0, x, u))
    np.testing.assert_allclose(A, s.linear(0.0, x, u).A, rtol=1e-8)
    X = ca.MX.sym("x", 2)
    hessian = ca.Function("H", [X], [ca.hessian(f(0.0, X, u)[1], X)[0]])
    curved = differences(lambda at: s.linear(0.0, at, u).A[1], x)
    np.testing.assert_allclose(np.array(hessian(x)), curved, rtol=1e-5, atol=1e-5 * np.abs(curved).max())


def test_the_first_guess_can_be_an_input():
    s = four_bar()
    f = to_casadi(s, "outputs", guess=True)
    assert f.name_in() == ["t", "x", "u", "guess"]
    found = np.ravel(f(0.0, s.x0, s.u0, s.start_guess))
    np.testing.assert_allclose(found, s.observe(0.0, s.x0), rtol=1e-9)


def test_tables_and_choices_are_translated():
    s = tables()
    f = to_casadi(s)
    slope = f.factory("A", f.name_in(), ["jac:xd:x"])
    for x in ([-1.7, 0.3], [-0.4, -0.6], [0.3, 0.2], [0.8, -2.0], [1.4, 1.5]):
        np.testing.assert_allclose(np.ravel(f(0.0, x, [])), s.rates(0.0, np.array(x)), rtol=1e-12)
        np.testing.assert_allclose(np.array(slope(0.0, x, [])), s.linear(0.0, np.array(x)).A, rtol=1e-12, atol=1e-12)


def test_parameters_become_an_input():
    s = cart_pole()
    f = to_casadi(s, parameters=["pole", "length"])
    x, u = np.array([0.1, 0.2, 0.3, 0.4]), np.array([1.5])
    slope = np.array(f.factory("P", f.name_in(), ["jac:xd:p"])(0.0, x, u, [0.1, 1.0]))
    names = list(s.parameters)
    expected = s.linear(0.0, x, u).P[:, [names.index("pole"), names.index("length")]]
    np.testing.assert_allclose(slope, expected, rtol=1e-10, atol=1e-12)


def test_opti_swings_a_pole_to_a_place_in_the_least_effort():
    """A double integrator in disguise: with the pole's mass at zero, the least ∫u² from rest to rest is 12 m²d²/T³."""
    s = cart_pole()
    f = to_casadi(s, parameters=["pole"])
    N, T, d = 40, 2.0, 0.5
    opti = ca.Opti()
    X, U = opti.variable(4, N + 1), opti.variable(1, N)
    h = T / N
    for k in range(N):
        x, u = X[:, k], U[:, k]
        k1 = f(0.0, x, u, 1e-9)
        k2 = f(0.0, x + h / 2 * k1, u, 1e-9)
        k3 = f(0.0, x + h / 2 * k2, u, 1e-9)
        k4 = f(0.0, x + h * k3, u, 1e-9)
        opti.subject_to(X[:, k + 1] == x + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4))
    cart = [0, 2]
    opti.subject_to(X[:, 0] == np.array([0.0, np.pi, 0.0, 0.0]))
    opti.subject_to(X[cart, N] == np.array([d, 0.0]))
    opti.minimize(h * ca.sumsqr(U))
    opti.set_initial(X, np.tile([[0.0], [np.pi], [0.0], [0.0]], N + 1))
    opti.solver("ipopt", {"print_time": False}, {"print_level": 0, "sb": "yes"})
    cost = opti.solve().value(h * ca.sumsqr(U))
    assert cost == pytest.approx(12 * d**2 / T**3, rel=2e-3)


def test_what_cannot_be_translated_is_named():
    m = sb.Model("called")
    m.body("mass", joints=[sb.Joint("x", "T1")], mass=1.0)
    m.joint_force("x")(sb.numeric(lambda q, qd, p: -3.0 * q))
    with pytest.raises(sb.ModelError, match="traceable"):
        to_casadi(sb.system(m))
    with pytest.raises(sb.ModelError, match="rates or outputs"):
        to_casadi(cart_pole(), "rate")
    with pytest.raises(sb.ModelError, match="mass_of_pole: not a live parameter"):
        to_casadi(cart_pole(), parameters=["mass_of_pole"])


@pytest.mark.parametrize(("kind", "expected"), [("rates", "rates"), ("outputs", "observe")])
def test_loops_far_from_the_start_are_in_its_assembly_mode(kind, expected):
    """23 of 62 crank angles were wrong, because the rootfinder began at the start."""
    s, x = four_bar(), crank_states()
    f, known = to_casadi(s, kind), getattr(s, expected)(0.0, x)
    found = [f(0.0, row, s.u0).full().ravel() for row in x]
    np.testing.assert_allclose(found, known, rtol=1e-9, atol=1e-9)


def test_slopes_far_from_the_start_are_exact():
    s = four_bar()
    f = to_casadi(s, parameters=["coupler_length"])
    A, P = (f.factory(f"by_{name}", f.name_in(), [f"jac:xd:{name}"]) for name in "xp")
    place = list(s.parameters).index("coupler_length")
    for row in crank_states()[:20]:
        given, exact = (0.0, row, s.u0, s.parameters["coupler_length"]), s.linear(0.0, row)
        np.testing.assert_allclose(A(*given).full(), exact.A, rtol=1e-8, atol=1e-8)
        np.testing.assert_allclose(P(*given).full().ravel(), exact.P[:, place], rtol=1e-8, atol=1e-8)


def test_a_state_that_does_not_close_is_named():
    s = wishbone()
    with pytest.raises(RuntimeError, match=r"double-wishbone: .*loop 'upper_ball' is open by 0\.057 m"):
        to_casadi(s)(0.0, unreachable(s), s.u0)


def test_a_function_with_a_guess_is_a_pure_graph():
    """CasADi can write it as C; the function that follows the loops calls this process."""
    s = four_bar()
    f, x = to_casadi(s, guess=True), np.array([-2.5, 0.3])
    np.testing.assert_allclose(f(0.0, x, s.u0, s.dependent(0.0, x)).full().ravel(), s.rates(0.0, x), rtol=1e-9)
    generator = ca.CodeGenerator("pure")
    generator.add(f)
    assert "rates_alone" in generator.dump()
