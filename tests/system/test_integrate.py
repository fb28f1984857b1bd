"""Integration in C: the same motion as step by step from Python, a million steps, both methods, and failures."""

import numpy as np
import pytest
from test_constrained import four_bar, hexapod, spatial_slider

import symbody as sb
from symbody.analysis.states import random_state
from symbody.bench.random_trees import random_tree
from symbody.system.flow import flow
from symbody.system.integrate import Stepper


@pytest.fixture(autouse=True)
def own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("SYMBODY_CACHE", str(tmp_path / "cache"))


def tumbling():
    """A tree with quaternion joints, on its way."""
    rng = np.random.default_rng(21)
    model = random_tree(rng, joints=4, floating=True)
    q, v, _ = random_state(model, rng)
    for joint in model.joints():
        joint.q0, joint.v0 = tuple(q[: joint.nq]), tuple(v[: joint.nv])
        q, v = q[joint.nq :], v[joint.nv :]
    return model


@pytest.mark.parametrize("make", [four_bar, spatial_slider, hexapod, tumbling, lambda: four_bar(driven=True)])
def test_c_and_python_take_the_same_steps(make):
    model = make()
    fast = sb.simulate(model, 0.1, 1e-3)
    slow = sb.simulate(model, 0.1, 1e-3, forces=lambda t, q, v: np.zeros(model.nv))
    np.testing.assert_allclose(fast.q, slow.q, atol=1e-10 * max(1, np.abs(slow.q).max()))
    np.testing.assert_allclose(fast.qd, slow.qd, atol=1e-9 * max(1, np.abs(slow.qd).max()))


def test_a_million_steps_keep_the_loops_closed():
    model = four_bar()
    made, q, qd = Stepper(flow(model)).run(1_000_000, 1e-3, every=1000)
    assert made == 1_000_000
    assert np.abs(sb.compile(model, "constraints")(q).h).max() < 1e-10
    energy = sb.compile(model, "energy")(q, qd)
    total = energy.kinetic + energy.potential
    assert np.abs(total - total[0]).max() < 1e-6 * energy.kinetic.max()


def test_semi_implicit_steps_are_of_first_order_and_bounded():
    errors = []
    reference = sb.simulate(four_bar(), 0.5, 1e-4, every=5000).q[-1]
    for dt in (2e-3, 1e-3):
        errors.append(np.abs(sb.simulate(four_bar(), 0.5, dt, method="semi-implicit").q[-1] - reference).max())
    assert 1.6 < errors[0] / errors[1] < 2.5


def test_recording_now_and_then_gives_the_same_instants():
    whole, some = (sb.simulate(four_bar(), 0.1, 1e-3, every=k) for k in (1, 7))
    np.testing.assert_array_equal(some.q, whole.q[::7][: len(some.q)])
    np.testing.assert_allclose(some.t, whole.t[::7][: len(some.t)])


def test_numbers_that_blow_up_stop_the_run_and_are_kept():
    m = sb.Model("spin", gravity=(0, 0, 0))
    m.body("stone", joints=[sb.Joint("stone", "free", v0=(0, 0, 0, 1e155, 1e155, 1e154))], mass=1.0, inertia=(1, 2, 3))
    with pytest.raises(sb.DivergenceError) as caught:
        sb.simulate(m, 1.0, 1e-2)
    assert len(caught.value.state) >= 1


def test_unknown_methods_are_refused():
    with pytest.raises(ValueError, match="semi-implicit"):
        sb.simulate(four_bar(), 0.1, 1e-3, method="euler")
    with pytest.raises(sb.ModelError, match="rk4"):
        sb.simulate(four_bar(), 0.1, 1e-3, method="semi-implicit", forces=lambda t, q, v: np.zeros(3))
