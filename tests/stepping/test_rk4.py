"""Integration in C: the same motion as step by step from Python, a million steps, both methods, and failures."""

import numpy as np
import pytest
from test_constrained import four_bar, hexapod, spatial_slider

import symbody as sb
from symbody import machines
from symbody.analysis.random_states import random_state
from symbody_bench.random_trees import random_tree


def tumbling():
    """A tree with quaternion joints, on its way."""
    rng = np.random.default_rng(21)
    model = random_tree(rng, joints=4, floating=True)
    q, v, _ = random_state(model, rng)
    for joint in model.joints():
        joint.q0, joint.v0 = tuple(q[: joint.nq]), tuple(v[: joint.nv])
        q, v = q[joint.nq :], v[joint.nv :]
    return model


def driven():
    model = four_bar(driven=True)
    model.trajectory("crank")(lambda t, p: -1.2 + 0.3 * t * t)
    return model


@pytest.mark.parametrize("make", [four_bar, spatial_slider, hexapod, tumbling, driven])
@pytest.mark.parametrize("method", ["rk4", "semi-implicit"])
def test_c_and_python_take_the_same_steps(make, method):
    model = make()
    few = 10 if make is hexapod else 50
    fast, slow = (sb.simulate(model, few * 1e-3, 1e-3, method=method, backend=b) for b in ("c", "python"))
    np.testing.assert_allclose(fast.q, slow.q, atol=1e-10 * max(1, np.abs(slow.q).max()))
    np.testing.assert_allclose(fast.qd, slow.qd, atol=1e-9 * max(1, np.abs(slow.qd).max()))


@pytest.mark.slow
@pytest.mark.parametrize("make", [four_bar, spatial_slider, lambda: machines.open("slider-crank")])
def test_a_million_steps_keep_the_loops_closed_and_the_energy(make):
    model = make()
    for joint in model.joints():
        model.joint_laws.pop(joint.name, None)  # friction, in the shipped models
    run = sb.simulate(model, 1000.0, 1e-3, every=1.0)
    assert len(run) == 1001
    assert np.abs(sb.compile(model, "constraints")(run.q).h).max() < 1e-10
    assert run.energy_drift < 1e-6


def test_semi_implicit_steps_are_of_first_order_and_bounded():
    errors = []
    reference = sb.simulate(four_bar(), 0.5, 1e-4, every=0.5).q[-1]
    for dt in (2e-3, 1e-3):
        errors.append(np.abs(sb.simulate(four_bar(), 0.5, dt, method="semi-implicit").q[-1] - reference).max())
    assert 1.6 < errors[0] / errors[1] < 2.5


def test_recording_now_and_then_gives_the_same_instants():
    whole, some = (sb.simulate(four_bar(), 0.1, 1e-3, every=every) for every in (1e-3, 7e-3))
    np.testing.assert_array_equal(some.q, whole.q[::7][: len(some.q)])
    np.testing.assert_allclose(some.t, whole.t[::7][: len(some.t)])


def test_numbers_that_blow_up_stop_the_run_and_are_kept():
    m = sb.Model("spin", gravity=(0, 0, 0))
    m.body("stone", joints=[sb.Joint("stone", "free", v0=(0, 0, 0, 1e150, 1e150, 1e149))], mass=1.0, inertia=(1, 2, 3))
    with pytest.raises(sb.DivergenceError) as caught:
        sb.simulate(m, 1.0, 1e-2)
    assert len(caught.value.state) >= 1


def test_inputs_are_numbers_functions_or_samples():
    m = sb.Model("cart", gravity=(0, 0, 0))
    m.body("cart", joints="T1", mass=2.0)
    for signal in (lambda t: 4.0 * t, 4.0 * np.arange(101) * 1e-2):
        run = sb.simulate(m, 1.0, 1e-2, inputs={"cart.Q": signal})
        assert run["cart.q"][-1] == pytest.approx(4.0 / 6 / 2)
    assert sb.simulate(m, 1.0, 1e-2, inputs={"cart.Q": 3.0})["cart.q"][-1] == pytest.approx(0.75)


def test_wrong_inputs_and_methods_are_refused():
    with pytest.raises(sb.ModelError, match="semi-implicit"):
        sb.simulate(four_bar(), 0.1, 1e-3, method="euler")
    with pytest.raises(sb.ModelError, match="push"):
        sb.simulate(four_bar(), 0.1, 1e-3, inputs={"push": 1.0})
    with pytest.raises(sb.ModelError, match="101 values"):
        sb.simulate(four_bar(), 0.1, 1e-3, inputs={"crank.Q": np.zeros(3)})
    with pytest.raises(sb.ModelError, match="`dt` above 0"):
        sb.simulate(four_bar(), 0.1, -1e-3)
