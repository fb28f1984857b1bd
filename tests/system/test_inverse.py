"""Inverse dynamics of the System is the inverse of its direct dynamics, for each kind of actuation, laws included."""

import numpy as np
import pytest

import symbody as sb
from symbody import machines

LEGS = [f"leg{i}.T3" for i in range(1, 7)]


def wanted(s, rng):
    """A state near the start and accelerations."""
    x = s.x0 + 0.01 * rng.normal(size=len(s.x0))
    for q, _ in s.quaternions:
        x[q : q + 4] /= np.linalg.norm(x[q : q + 4])
    return x, rng.normal(size=len(s.layout.velocities))


CASES = {
    "arm6, its joints": ("arm6", None, None),
    "four-bar, its crank": ("four-bar", None, None),
    "four-bar, on the rocker": ("four-bar", ["rocker"], None),
    "four-bar, three motors": ("four-bar", ["crank", "coupler", "rocker"], None),
    "four-bar, three unequal motors": ("four-bar", ["crank", "coupler", "rocker"], [1.0, 4.0, 0.25]),
    "quarter car, bounce and travel": ("quarter-car", None, None),
    "stewart, its legs": ("stewart", "legs", None),
}


@pytest.mark.parametrize("case", CASES)
def test_direct_dynamics_gives_back_the_accelerations(case):
    name, actuators, weights = CASES[case]
    model = machines.model(name)
    if actuators == "legs":
        actuators = [j.name for j in model.joints() if j.type == "T3"]
    plain = sb.system(model)
    names = actuators or [model.velocities[i] for i in plain.layout.velocities]
    s = sb.system(model, inputs=[f"{n}.Q" for n in names])
    x, a = wanted(s, np.random.default_rng(5))
    f = s.inverse(actuators, weights)
    phi = f(x, a)
    u = s.u0.copy()
    u[len(model.inputs) :] = phi
    back = s.rates(0.0, x, u)[len(s.layout.coordinates) :][: len(a)]
    np.testing.assert_allclose(back, a, atol=1e-7 * max(1.0, np.abs(phi).max()))
    assert f.actuators == names


def test_many_motors_share_with_the_least_norm():
    """No change of the efforts that leaves the motion as it is makes the weighted sum smaller."""
    s = sb.system(machines.model("four-bar"))
    x, a = wanted(s, np.random.default_rng(6))
    weights = np.array([1.0, 4.0, 0.25])
    phi = s.inverse(["crank", "coupler", "rocker"], weights)(x, a)
    J = sb.compile(s.model, "constraints")(s.motion(0.0, x)[0]).J  # efforts Jᵀλ move nothing
    np.testing.assert_allclose(J @ (phi / weights), 0, atol=1e-10 * np.abs(phi).max())


def test_too_few_actuators_drive_what_is_known():
    """An inverted pendulum on a driven cart: hybrid, the cart's effort and the pole's motion together."""
    m = sb.Model("cart-pole")
    m.parameter("amplitude", 0.3)
    cart = m.body("cart", joints=[sb.Joint("cart", "T1", "driven")], mass=2.0)
    m.body("pole", cart, [sb.Joint("pole", "R2", q0=(0.3,))], mass=0.5, com=(0, 0, 0.4), inertia=(0.01, 0.02, 0.01))
    m.trajectory("cart")(lambda t, p: p.amplitude * sb.functions.tanh(2 * t))
    hybrid = sb.simulate(m, 0.5, 1e-3, outputs=["*"])
    effort = hybrid["cart.effort"]
    free = sb.Model("free")
    cart = free.body("cart", joints=[sb.Joint("cart", "T1", v0=(0.6,))], mass=2.0)
    free.body("pole", cart, [sb.Joint("pole", "R2", q0=(0.3,))], mass=0.5, com=(0, 0, 0.4), inertia=(0.01, 0.02, 0.01))
    again = sb.simulate(free, 0.5, 1e-3, inputs={"cart.Q": effort})
    np.testing.assert_allclose(again["pole.q"], hybrid["pole.q"], atol=1e-6)
    np.testing.assert_allclose(again["cart.q"], hybrid["cart.q"], atol=1e-6)


def test_bad_actuation_is_refused():
    s = sb.system(machines.model("stewart"), outputs=["energy.kinetic"])
    with pytest.raises(sb.ModelError, match="driven"):
        s.inverse(["rod1"] if "rod1" in s.model.velocities else [s.model.velocities[-1]])
    s = sb.system(machines.model("four-bar"))
    with pytest.raises(sb.ModelError, match="nobody"):
        s.inverse(["nobody"])
    with pytest.raises(sb.ModelError, match="positive"):
        s.inverse(["crank", "rocker"], [1.0, -1.0])
    with pytest.raises(sb.ModelError, match="exact"):
        sb.system(machines.model("four-bar"), closure="penalty").inverse()
