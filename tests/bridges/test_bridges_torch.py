"""Functions and systems in PyTorch (torch.py): values, gradients, batches, vmap, precision; the same as in JAX."""

import numpy as np
import pytest
from bridge_models import arm, cart_pole, four_bar

import symbody as sb
from far_states import crank_states, unreachable, wishbone
from symbody import machines
from symbody.bridges import to_torch

rng = np.random.default_rng(9)


@pytest.fixture(scope="module", autouse=True)
def imported():
    """Here, and not at the top: who only collects the tests, or runs others, need not wait for it."""
    global torch
    torch = pytest.importorskip("torch")


def tensors(*arrays):
    return [torch.tensor(x, requires_grad=True) for x in arrays]


def test_gradients_agree_with_differences():
    f = to_torch(arm())
    assert torch.autograd.gradcheck(f, tensors(*rng.normal(size=(3, 2, 6))), atol=1e-5, rtol=1e-5)


def test_second_gradients_go_through_loops():
    s = four_bar()
    f = to_torch(s)
    x = torch.tensor(s.x0 + np.array([0.3, 2.0]), requires_grad=True)
    assert torch.autograd.gradgradcheck(lambda x: f(0.0, x)[1], (x,), atol=1e-3, rtol=1e-5)


@pytest.mark.parametrize("make", [cart_pole, four_bar])
def test_a_system_has_its_exact_slopes(make):
    s = make()
    f = to_torch(s)
    x, u = s.x0 + 0.2 * rng.normal(size=len(s.x0)), np.array([0.3])
    about = s.linear(0.0, x, u)
    A, B = torch.autograd.functional.jacobian(lambda x, u: f(0.0, x, u), tuple(tensors(x, u)))
    np.testing.assert_allclose(A, about.A, atol=1e-9 * np.abs(about.A).max())
    np.testing.assert_allclose(B, about.B, atol=1e-9 * np.abs(about.A).max())


@pytest.mark.slow
def test_batches_vmap_and_broadcasting_agree():
    f = to_torch(arm())
    q, qd, qdd = (torch.tensor(x) for x in rng.normal(size=(3, 5, 6)))
    expected = torch.tensor(arm()(q.numpy(), qd[0].numpy(), qdd.numpy()))
    torch.testing.assert_close(f(q, qd[0], qdd), expected)
    torch.testing.assert_close(torch.func.vmap(f, in_dims=(0, None, 0))(q, qd[0], qdd), expected)
    grad = torch.func.vmap(torch.func.grad(lambda q, qd, qdd: (f(q, qd, qdd) ** 2).sum()))(q, qd, qdd)
    q = q.clone().requires_grad_()
    (f(q, qd, qdd) ** 2).sum().backward()
    torch.testing.assert_close(q.grad, grad)


def test_single_precision_comes_back_as_such():
    f = to_torch(arm())
    x = [torch.tensor(v, dtype=torch.float32, requires_grad=True) for v in rng.normal(size=(3, 6))]
    y = f(*x)
    y.sum().backward()
    assert y.dtype == x[0].grad.dtype == torch.float32


def test_parameters_have_gradients():
    s = cart_pole()
    f = to_torch(s, parameters=["length"])
    x, p = rng.normal(size=4), torch.tensor([1.0], dtype=torch.float64, requires_grad=True)
    f(0.0, x, [0.5], p)[3].backward()
    expected = s.linear(0.0, x, np.array([0.5])).P[3, list(s.parameters).index("length")]
    assert float(p.grad[0]) == pytest.approx(expected, rel=1e-9)


def test_the_gradient_is_that_of_jax():
    jax = pytest.importorskip("jax")
    from symbody.bridges import to_jax

    q, qd, qdd = rng.normal(size=(3, 6))
    (x,) = tensors(q)
    (to_torch(arm())(x, qd, qdd) ** 2).sum().backward()
    with jax.enable_x64(True) if hasattr(jax, "enable_x64") else jax.experimental.enable_x64():
        there = jax.grad(lambda q: (to_jax(arm())(q, qd, qdd) ** 2).sum())(q)
    np.testing.assert_allclose(x.grad, there, rtol=1e-12)


def test_some_of_the_gradients_are_those_of_all():
    f, (q, qd, qdd) = to_torch(arm()), tensors(*rng.normal(size=(3, 4, 6)))
    y = (f(q, qd, qdd) ** 2).sum()
    every = torch.autograd.grad(y, (q, qd, qdd), retain_graph=True)
    (alone,) = torch.autograd.grad(y, (qd,))
    torch.testing.assert_close(alone, every[1])
    (only,) = torch.autograd.grad((f(q.detach(), qd.detach(), qdd) ** 2).sum(), (qdd,))
    torch.testing.assert_close(only, every[2])


def test_tensors_may_lie_in_any_order():
    f, (q, qd, qdd) = to_torch(arm()), tensors(*rng.normal(size=(3, 6, 5)))
    expected = arm()(*(x.detach().numpy().T.copy() for x in (q, qd, qdd)))
    y = f(q.T, qd.T, qdd.T)
    np.testing.assert_allclose(y.detach(), expected, rtol=1e-13)
    (y**2).sum().backward()
    (contiguous,) = tensors(q.detach().numpy().T.copy())
    (f(contiguous, qd.T.detach(), qdd.T.detach()) ** 2).sum().backward()
    torch.testing.assert_close(q.grad.T, contiguous.grad)


def test_a_matrix_has_gradients_in_batches_of_any_shape():
    mass = sb.compile(machines.model("arm6"), "mass", loads=False)
    f, (q,) = to_torch(mass), tensors(0.3 * rng.normal(size=(2, 3, 6)))
    assert f(q).shape == (2, 3, 6, 6)
    assert torch.autograd.gradcheck(f, (q[:1, :1],), atol=1e-5, rtol=1e-5)


def test_many_states_are_computed_by_as_many_threads_as_pytorch_has():
    f, before = to_torch(arm()), torch.get_num_threads()
    found = []
    try:
        for threads in (1, 3):
            torch.set_num_threads(threads)
            x = tensors(*np.random.default_rng(1).normal(size=(3, 4001, 6)))
            (f(*x) ** 2).sum().backward()
            found.append([one.grad for one in x])
    finally:
        torch.set_num_threads(before)
    for one, other in zip(*found, strict=True):
        torch.testing.assert_close(one, other, rtol=0.0, atol=0.0)


def test_without_a_compiler_gradients_are_the_same():
    s = sb.system(machines.model("cart-pole"), backend="python")
    (x,) = tensors(rng.normal(size=(2, 4)))
    to_torch(s)(torch.zeros(1), x).sum().backward()
    expected = [s.linear(0.0, one).A.sum(axis=0) for one in x.detach().numpy()]
    np.testing.assert_allclose(x.grad, expected, rtol=1e-10, atol=1e-12)


def test_loops_far_from_the_start_are_in_its_assembly_mode():
    s, states = four_bar(), crank_states()
    x = torch.tensor(states, requires_grad=True)
    found = to_torch(s)(torch.zeros(1, dtype=torch.float64), x)
    np.testing.assert_allclose(found.detach(), s.rates(0.0, states), rtol=1e-9, atol=1e-9)
    found.sum().backward()
    expected = [s.linear(0.0, row).A.sum(axis=0) for row in states[:30]]
    np.testing.assert_allclose(x.grad[:30], expected, rtol=1e-8, atol=1e-8)


def test_states_that_do_not_close_are_masked_or_named():
    s = wishbone()
    x = torch.tensor(np.array([s.x0, unreachable(s)]))
    t = torch.zeros(1, dtype=torch.float64)
    np.testing.assert_array_equal(torch.isnan(to_torch(s)(t, x)).all(-1), [False, True])
    np.testing.assert_array_equal(torch.isfinite(to_torch(s, "dependent")(t, x)).all(-1), [True, False])
    with pytest.raises(sb.AssemblyError, match=r"loop 'upper_ball' is open by 0\.057 m"):
        to_torch(s)(t, x[1])
