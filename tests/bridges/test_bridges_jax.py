"""Functions and systems in JAX (jax.py, differentiable.py): values, gradients, jit, vmap, single precision."""

import subprocess
import sys

import numpy as np
import pytest
from bridge_models import arm, cart_pole, differences, four_bar

import symbody as sb
from far_states import crank_states, unreachable, wishbone
from symbody.bridges import to_jax

rng = np.random.default_rng(7)


@pytest.fixture(scope="module", autouse=True)
def imported():
    """Here, and not at the top: who only collects the tests, or runs others, need not wait for it."""
    global jax, jnp
    jax = pytest.importorskip("jax")
    jnp = pytest.importorskip("jax.numpy")


@pytest.fixture(autouse=True)
def double(imported):
    """Double precision within these tests."""
    with jax.enable_x64(True) if hasattr(jax, "enable_x64") else jax.experimental.enable_x64():
        yield


def test_values_and_gradients_of_an_arm():
    f, g = arm(), to_jax(arm())
    q, qd, qdd = rng.normal(size=(3, 6))
    np.testing.assert_allclose(g(q, qd, qdd), f(q, qd, qdd), rtol=1e-12)
    J = jax.jacrev(g, argnums=(0, 1, 2))(q, qd, qdd)
    for k, at in enumerate((q, qd, qdd)):
        given = [q, qd, qdd]

        def moved(x, given=given, k=k):
            return f(*[x if i == k else y for i, y in enumerate(given)])

        np.testing.assert_allclose(J[k], differences(moved, at), rtol=1e-6, atol=1e-6)


def test_a_batch_by_shape_by_vmap_and_under_jit_is_the_same():
    f = to_jax(arm())
    q, qd, qdd = rng.normal(size=(3, 5, 6))

    def effort(q, qd, qdd):
        return jnp.sum(f(q, qd, qdd) ** 2)

    one_by_one = jnp.stack([jax.grad(effort)(*state) for state in zip(q, qd, qdd, strict=True)])
    np.testing.assert_allclose(jax.grad(effort)(q, qd, qdd), one_by_one, rtol=1e-10)
    np.testing.assert_allclose(jax.jit(jax.vmap(jax.grad(effort)))(q, qd, qdd), one_by_one, rtol=1e-10)
    np.testing.assert_allclose(jax.vmap(f, in_axes=(0, None, None))(q, qd[0], qdd[0]), f(q, qd[0], qdd[0]), rtol=1e-12)


def test_what_all_states_share_gets_the_sum_of_their_gradients():
    f = to_jax(arm())
    q, qd, qdd = rng.normal(size=(4, 6)), rng.normal(size=6), rng.normal(size=6)
    shared = jax.grad(lambda v: jnp.sum(f(q, v, qdd) ** 2))(qd)
    alone = sum(jax.grad(lambda v, at=at: jnp.sum(f(at, v, qdd) ** 2))(qd) for at in q)
    np.testing.assert_allclose(shared, alone, rtol=1e-10)


@pytest.mark.parametrize("make", [cart_pole, four_bar])
def test_a_system_has_its_exact_slopes_through_loops(make):
    s = make()
    f, y = to_jax(s), to_jax(s, "outputs")
    x, u = s.x0 + 0.2 * rng.normal(size=len(s.x0)), np.array([0.3])
    about = s.linear(0.0, x, u)
    np.testing.assert_allclose(f(0.0, x, u), s.rates(0.0, x, u), rtol=1e-9)
    A, B = jax.jacrev(f, argnums=(1, 2))(0.0, x, u)
    C = jax.jacrev(y, argnums=1)(0.0, x, u)
    scale = np.abs(about.A).max()
    np.testing.assert_allclose(A, about.A, atol=1e-9 * scale)
    np.testing.assert_allclose(B, about.B, atol=1e-9 * scale)
    np.testing.assert_allclose(C, about.C, atol=1e-9 * max(np.abs(about.C).max(), 1.0))


def test_second_derivatives_go_through_loops():
    s = four_bar()
    f = to_jax(s)
    x = s.x0 + np.array([0.3, 2.0])
    H = jax.jacrev(jax.grad(lambda x: f(0.0, x)[1]))(x)
    curved = differences(lambda at: s.linear(0.0, at).A[1], x)
    np.testing.assert_allclose(H, curved, rtol=1e-5, atol=1e-5 * np.abs(curved).max())


def test_parameters_are_learned_by_their_gradients():
    s = cart_pole()
    f = to_jax(s, parameters=["pole", "length"])
    x, u = rng.normal(size=(20, 4)), rng.normal(size=(20, 1))
    slope = jax.jacrev(lambda p: f(0.0, x[0], u[0], p))(np.array([0.1, 1.0]))
    names = list(s.parameters)
    expected = s.linear(0.0, x[0], u[0]).P[:, [names.index("pole"), names.index("length")]]
    np.testing.assert_allclose(slope, expected, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(f(0.0, x[0], u[0]), s.rates(0.0, x[0], u[0]), rtol=1e-12)  # as they are now
    truth = f(0.0, x, u, jnp.array([0.25, 0.7]))

    def wrong(p):
        return jnp.mean((f(0.0, x, u, p) - truth) ** 2)

    p, step = jnp.array([0.2, 0.8]), jax.jit(jax.value_and_grad(wrong))
    curve = jax.jit(jax.jacrev(jax.grad(wrong)))
    for _ in range(12):  # Newton's method, with exact second derivatives
        p = p - jnp.linalg.solve(curve(p) + 1e-9 * jnp.eye(2), step(p)[1])
    np.testing.assert_allclose(p, [0.25, 0.7], rtol=1e-5)


def test_live_parameters_take_effect():
    f = sb.compile(sb.machines.model("pendulum"), "inverse", loads=False)
    g = to_jax(f)
    state = np.array([0.3]), np.array([0.0]), np.array([1.0])
    light, slope = g(*state), jax.grad(lambda q: g(q, *state[1:])[0])(state[0])
    f.parameters["mass"] = 3.0
    np.testing.assert_allclose(g(*state), 3 * light, rtol=1e-12)
    np.testing.assert_allclose(jax.grad(lambda q: g(q, *state[1:])[0])(state[0]), 3 * slope, rtol=1e-12)


def test_wrong_calls_are_named():
    f = to_jax(cart_pole())
    with pytest.raises(TypeError, match="needs x"):
        f(0.0)
    with pytest.raises(TypeError, match="'force' is not one of"):
        f(0.0, np.zeros(4), force=1.0)
    with pytest.raises(ValueError, match=r"x has the shape \(3,\); expected \(4,\)"):
        f(0.0, np.zeros(3))


@pytest.mark.slow
def test_single_precision_is_rounded_not_refused():
    code = """
import jax, numpy as np, symbody as sb
from symbody.bridges import to_jax
f = sb.compile(sb.machines.model("arm6"), "inverse", loads=False)
g, x = to_jax(f), np.linspace(-1, 1, 18).reshape(3, 6)
y = jax.jit(g)(*x)
assert y.dtype == np.float32
np.testing.assert_allclose(y, f(*x), rtol=1e-5, atol=1e-4)
np.testing.assert_allclose(jax.jit(jax.vmap(g))(*[np.tile(v, (4, 1)) for v in x])[3], f(*x), rtol=1e-5, atol=1e-4)
assert jax.grad(lambda q: g(q, x[1], x[2]).sum())(x[0].astype(np.float32)).dtype == np.float32
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_without_the_handler_python_is_called(monkeypatch):
    monkeypatch.setattr("symbody.bridges.jax._registered", lambda: False)
    f, g = arm(), to_jax(arm())
    q, qd, qdd = rng.normal(size=(3, 4, 6))
    np.testing.assert_allclose(jax.jit(g)(q, qd, qdd), f(q, qd, qdd), rtol=1e-12)
    np.testing.assert_allclose(jax.vmap(g, in_axes=(0, None, 0))(q, qd[0], qdd), f(q, qd[0], qdd), rtol=1e-12)


@pytest.mark.parametrize(("kind", "expected"), [("rates", "rates"), ("outputs", "observe"), ("dependent", "dependent")])
def test_loops_far_from_the_start_are_in_its_assembly_mode(kind, expected):
    """17 % of these states were NaN, because Newton's method began at the start."""
    s, x = four_bar(), crank_states()
    known = getattr(s, expected)(0.0, x)
    f = to_jax(s, kind)
    np.testing.assert_allclose(f(0.0, x), known, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(jax.vmap(lambda x: f(0.0, x))(x), known, rtol=1e-9, atol=1e-9)
    for k in (0, 3, 1):
        np.testing.assert_allclose(jax.jit(f)(0.0, x[k]), known[k], rtol=1e-9, atol=1e-9)


def test_slopes_far_from_the_start_are_exact():
    s, x = four_bar(), crank_states()[:40]
    f = to_jax(s)
    found = jax.vmap(jax.jacrev(lambda x: f(0.0, x)))(x)
    np.testing.assert_allclose(found, [s.linear(0.0, row).A for row in x], rtol=1e-8, atol=1e-8)


def test_parameters_as_inputs_move_the_loops():
    s = sb.system(four_bar().model, outputs=["rocker.q"])
    f, x = to_jax(s, "outputs", parameters=["coupler_length"]), np.array([-2.5, 0.3])
    found = f(0.0, np.tile(x, (2, 1)), s.u0, np.array([[0.26], [0.25]]))
    for y, length in zip(found, (0.26, 0.25), strict=True):
        s.parameters["coupler_length"] = length
        np.testing.assert_allclose(y, s.observe(0.0, x), rtol=1e-9)


def test_a_guess_chooses_another_assembly_mode():
    s, x = four_bar(), np.array([-1.0, 0.0])
    other = s.assembly_modes(0.0, x)[1]
    y = to_jax(s, "outputs")(0.0, x, s.u0, other)
    np.testing.assert_allclose(y, s.observe(0.0, x, mode=1), rtol=1e-9)


@pytest.mark.parametrize("handler", [True, False])
def test_states_that_do_not_close_are_masked_or_named(monkeypatch, handler):
    monkeypatch.setattr("symbody.bridges.jax._registered", lambda: handler)
    s = wishbone()
    f, x = to_jax(s), np.array([s.x0, unreachable(s)])
    np.testing.assert_array_equal(jnp.isnan(f(0.0, x)).all(axis=1), [False, True])
    closed = jnp.isfinite(to_jax(s, "dependent")(0.0, x)).all(-1)
    np.testing.assert_array_equal(closed, [True, False])
    slopes = jax.grad(lambda x: jnp.where(closed[:, None], f(0.0, x), 0.0).sum())(x)
    assert jnp.isfinite(slopes[0]).all()
    with pytest.raises(Exception, match=r"double-wishbone: .*loop 'upper_ball' is open by 0\.057 m"):
        jax.block_until_ready(f(0.0, x[1]))
