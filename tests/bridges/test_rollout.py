"""Gradients through rollouts against central differences of `simulate`, over random states, inputs and parameters."""

import numpy as np
import pytest

import symbody as sb
from symbody import machines
from symbody.bridges import jax_rollout, torch_rollout
from symbody.bridges.rollout import Rollout
from symbody.errors import ModelError

STEPS, DT, SMALL = 4, 5e-3, 1e-5
CASES = {
    "cart-pole": ["pole_mass"],
    "four-bar": [],
}


def spinning():
    """A free body with three different moments of inertia: its rotation is a quaternion."""
    m = sb.Model("spinning", gravity=(0, 0, -9.81))
    m.body("top", joints=[sb.Joint("top", "free")], mass=1.0, inertia=(0.1, 0.2, 0.35))
    return m


def made(name):
    s = sb.system(machines.model(name))
    return Rollout(s, DT, STEPS, [p for p in CASES[name] if p in s.parameters] or list(s.parameters)[:1])


def random_case(rollout, rng, n):
    s = rollout.system
    x = s.x0 + 0.05 * rng.normal(size=(n, len(s.states)))
    u = s.u0 + rng.normal(size=(STEPS, n, len(s.inputs)))
    p = rollout.present["p"] * rng.uniform(0.9, 1.1, (n, len(rollout.parameters)))
    return x, u, p, rng.normal(size=(STEPS + 1, n, len(s.states)))


def by_differences(rollout, x, u, p, w, into):
    """d(Σ w·x)/d(into) of one number in each state, by central differences of the forward pass."""
    both = []
    for sign in (1.0, -1.0):
        moved = [a + sign * SMALL * b for a, b in zip((x, u, p), into, strict=True)]
        both.append(np.sum(w * rollout.forward(*moved).x, axis=(0, 2)))
    return (both[0] - both[1]) / (2.0 * SMALL)


@pytest.mark.parametrize("name", CASES)
def test_the_adjoint_equals_central_differences(name):
    rollout, rng = made(name), np.random.default_rng(7)
    x, u, p, w = random_case(rollout, rng, 10)
    size = (np.ones_like(x), np.ones_like(u), np.abs(p) + 1e-12)
    trajectory = rollout.forward(x, u, p)
    found = rollout.backward(trajectory, u, p, w)
    for _ in range(3):  # random directions in all numbers at once
        into = [rng.normal(size=a.shape) * b for a, b in zip((x, u, p), size, strict=True)]
        wanted = by_differences(rollout, x, u, p, w, into)
        exact = np.sum(found["x"] * into[0], axis=1) + np.sum(found["p"] * into[2], axis=1)
        exact += np.sum(found["u"] * into[1], axis=(0, 2))
        np.testing.assert_allclose(exact, wanted, rtol=1e-5, atol=1e-6 * np.abs(wanted).max())


@pytest.mark.parametrize("name", CASES)
def test_the_trajectory_is_that_of_simulate(name):
    rollout = made(name)
    s = rollout.system
    x, u, _, _ = random_case(rollout, np.random.default_rng(8), 3)
    held = np.broadcast_to(u[0], u.shape)
    p = np.tile(rollout.present["p"], (3, 1))
    found = rollout.forward(x, held, p).x
    for i in range(3):
        inputs = dict(zip(s.inputs, map(float, u[0, i]), strict=True))
        start = dict(zip(s.states, map(float, x[i]), strict=True))
        run = sb.simulate(s, STEPS * DT, DT, inputs=inputs, x0=start, method="rk4", energy="ignore", outputs=s.states)
        np.testing.assert_allclose(found[:, i], np.stack([run[c] for c in s.states], axis=1), rtol=1e-9, atol=1e-11)


def test_unit_quaternions_are_differentiated_through_their_length():
    rollout = Rollout(sb.system(spinning()), DT, STEPS)
    s, rng, n = rollout.system, np.random.default_rng(9), 10
    x = np.tile(s.x0, (n, 1)) + 0.1 * rng.normal(size=(n, len(s.states)))
    for q in s.quaternion_places:
        x[:, q : q + 4] /= np.linalg.norm(x[:, q : q + 4], axis=1, keepdims=True)
    u, p, w = np.zeros((STEPS, n, 0)), np.zeros((n, 0)), rng.normal(size=(STEPS + 1, n, len(s.states)))
    found = rollout.backward(rollout.forward(x, u, p), u, p, w)["x"]
    into = [rng.normal(size=x.shape), u, p]
    wanted = by_differences(rollout, x, u, p, w, into)
    np.testing.assert_allclose(np.sum(found * into[0], axis=1), wanted, rtol=1e-5, atol=1e-6 * np.abs(wanted).max())


def test_jax_gives_the_same_gradient():
    jax = pytest.importorskip("jax")
    rollout = made("cart-pole")
    x, u, p, w = random_case(rollout, np.random.default_rng(10), 3)
    before = jax.config.jax_enable_x64
    jax.config.update("jax_enable_x64", True)
    try:
        f = jax_rollout(rollout.system, DT, STEPS, parameters=rollout.parameters)
        assert f(x[0]).shape == (STEPS + 1, x.shape[1])
        slopes = jax.jit(jax.grad(lambda *given: (w * f(*given)).sum(), argnums=(0, 1, 2)))(x, u, p)
    finally:
        jax.config.update("jax_enable_x64", before)
    wanted = rollout.backward(rollout.forward(x, u, p), u, p, w)
    for found, name in zip(slopes, ("x", "u", "p"), strict=True):
        np.testing.assert_allclose(found, wanted[name], rtol=1e-12, atol=1e-14)


def test_torch_gives_the_same_gradient():
    torch = pytest.importorskip("torch")
    rollout = made("cart-pole")
    x, u, p, w = random_case(rollout, np.random.default_rng(11), 3)
    f = torch_rollout(rollout.system, DT, STEPS, parameters=rollout.parameters)
    given = [torch.tensor(a, requires_grad=True) for a in (x, u, p)]
    (torch.tensor(w) * f(*given)).sum().backward()
    wanted = rollout.backward(rollout.forward(x, u, p), u, p, w)
    for found, name in zip(given, ("x", "u", "p"), strict=True):
        np.testing.assert_allclose(found.grad.numpy(), wanted[name], rtol=1e-12, atol=1e-14)


def test_wrong_arguments_are_reported():
    s = sb.system(machines.model("cart-pole"))
    with pytest.raises(ModelError, match="give at least one step"):
        Rollout(s, DT, 0)
    with pytest.raises(ModelError, match="expected a System"):
        Rollout(machines.model("cart-pole"), DT, 3)
    pytest.importorskip("jax")
    with pytest.raises(ValueError, match="one for each of 4 steps"):
        jax_rollout(s, DT, STEPS)(np.zeros((2, 4)), np.zeros((3, 2, len(s.inputs))))
    with pytest.raises(ValueError, match=r"x has the shape"):
        jax_rollout(s, DT, STEPS)(np.zeros((2, 5)))
