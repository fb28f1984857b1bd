"""Inverse dynamics with loops: the inverse of the direct one, for every kind of actuation.

Tests of equations/closed.py, equations/closed_inverse.py.
"""

import numpy as np
import pytest
from test_constrained import MODELS, closed_state, four_bar

import symbody as sb
from symbody.equations.closed import first_guess, given_coordinates
from symbody.equations.compile import compile_closed_inverse, compile_constrained


def state(model, seed=9):
    rng = np.random.default_rng(seed)
    q, parts, ud = closed_state(model, rng)
    return parts, q[given_coordinates(model, parts)], ud, first_guess(model, parts, q), rng


def direct_of(model, parts, u, ud, guess, actuated, phi, passive):
    Q = np.array(passive)
    np.add.at(Q, list(actuated), phi)
    return compile_constrained(model, parts)(u, ud, Q, guess).udd


@pytest.mark.parametrize("name", MODELS)
def test_independent_actuators(name):
    model = MODELS[name]()
    parts, u, ud, guess, rng = state(model)
    udd, passive = rng.normal(size=len(parts.given)), rng.normal(size=model.nv)
    found = compile_closed_inverse(model, parts, live="all")(u, ud, udd, guess, Q=passive)
    back = direct_of(model, parts, u, ud, guess, parts.given, found.phi, passive)
    np.testing.assert_allclose(back, udd, atol=1e-8 * max(1, np.abs(found.phi).max()))


def test_actuator_on_a_passive_side():
    """The four-bar moved by a motor on its rocker, which is a dependent joint."""
    model = four_bar()
    parts, u, ud, guess, _ = state(model)
    rocker = model.velocities.index("rocker")
    assert rocker in parts.dependent
    found = compile_closed_inverse(model, parts, [rocker])(u, ud, np.array([3.0]), guess)
    assert direct_of(model, parts, u, ud, guess, [rocker], found.phi, np.zeros(3)) == pytest.approx(3.0)


@pytest.mark.parametrize("weights", [None, (1.0, 4.0, 0.5)])
def test_more_actuators_than_needed_share_with_least_norm(weights):
    model = four_bar()
    parts, u, ud, guess, _ = state(model)
    everything = [0, 1, 2]
    phi = compile_closed_inverse(model, parts, everything, weights)(u, ud, np.array([3.0]), guess).phi
    assert direct_of(model, parts, u, ud, guess, everything, phi, np.zeros(3)) == pytest.approx(3.0)
    J = sb.compile(model, "constraints")(sb.assemble(model)).J
    within = J[list(parts.rows)].T  # efforts that the loops take up: the directions in which phi may be changed
    cost = phi / np.array(weights or (1.0, 1.0, 1.0))
    np.testing.assert_allclose(within.T @ cost, 0, atol=1e-9 * np.abs(phi).max())


def test_too_few_actuators_are_refused_with_the_cure():
    model = MODELS["hexapod"]()
    parts = state(model)[0]
    with pytest.raises(sb.ModelError, match="driven"):
        compile_closed_inverse(model, parts, parts.given[:4])


def test_under_actuated_hybrid_by_driven_joints():
    """What is known of the motion is driven, the rest moves freely: the efforts then reproduce the motion."""
    m = sb.Model("cart-pole")
    cart = m.body("cart", joints=[sb.Joint("cart", "T1", "driven")], mass=2.0)
    m.body("pole", cart, [sb.Joint("pole", "R2", q0=(0.3,))], mass=0.5, com=(0, 0, 0.4), inertia=(0.01, 0.02, 0.01))
    parts, u, ud, guess, _ = state(m)
    hybrid = compile_constrained(m, parts)(u, ud, np.zeros(2), guess, add=np.array([1.7]))
    for joint in m.joints():
        joint.nature = "independent"
    qdd = sb.compile(m, "direct")(u, ud, np.array([hybrid.Qd[0], 0.0]))
    np.testing.assert_allclose(qdd, [1.7, hybrid.udd[0]], rtol=1e-12)
