"""Implicit fixed steps: their order, stiffness beyond the steps, the same motion as the explicit ones, C as Python."""

import numpy as np
import pytest

import symbody as sb
from symbody import machines
from symbody.stepping.fixed_step import DONE, NEAR_SINGULAR, NOT_FINITE, StepSettings
from symbody.stepping.rates_jacobian import input_matrix, rates_jacobian
from symbody.stepping.registry import FIXED, suited_fixed
from symbody.stepping.start_state import start_state

ORDER = {name: FIXED[name].order for name in ("rodas3", "rodas4")}


@pytest.fixture(params=ORDER)
def method(request):
    return request.param


def steps(s, until, dt, method, u=None, every=1):
    """A run, and its recorded rows."""
    run = FIXED[method].steps(start_state(s), StepSettings(dt, np.array([s.u0]) if u is None else u))
    rows = run.run(round(until / dt), every)
    return run, rows


@pytest.fixture(scope="module")
def four_bar():
    return sb.system(machines.model("four-bar"))


@pytest.mark.parametrize("moving", [False, True])
def test_the_order_with_loops_and_moving_inputs(four_bar, method, moving):
    """An input that grows with time is linear between the steps: f_t is exact, and so is the order."""
    ramp = 0.3 if moving else 0.0
    exact = sb.simulate(four_bar, 0.4, 1e-5, every=0.4, inputs={"torque": lambda t: ramp * t})["crank.q"][-1]
    errors = []
    for dt in (2e-3, 1e-3, 5e-4):
        u = ramp * dt * np.arange(round(0.4 / dt) + 2)[:, None]
        errors.append(abs(steps(four_bar, 0.4, dt, method, u)[0].x[0] - exact))
    assert np.log2(errors[0] / errors[2]) / 2 > ORDER[method] - 0.4
    assert errors[2] < 1e-6


def test_exact_derivatives_by_time_and_inputs():
    m = sb.Model("cart", gravity=(0, 0, 0))
    m.input("push", 1.0)
    m.body("cart", joints="T1", mass=2.0)
    m.joint_force("cart")(lambda q, qd, p: p.push * sb.functions.exp(-3.0 * p.t) - 5.0 * q * q)
    s = sb.system(m)
    x, u = np.array([0.7, 0.2]), np.array([4.0])
    found = rates_jacobian(s, 0.4, x, u, np.zeros(0))
    np.testing.assert_allclose(found.fx, [[0.0, 1.0], [-5.0 * 0.7, 0.0]])
    np.testing.assert_allclose(found.ft, [0.0, -4.0 * 3.0 * np.exp(-1.2) / 2.0])
    np.testing.assert_allclose(input_matrix(s, 0.4, x, u, np.zeros(0)), [[0.0], [np.exp(-1.2) / 2.0]])


def test_an_explicit_time_is_of_full_order(method):
    m = sb.Model("cart", gravity=(0, 0, 0))
    m.body("cart", joints="T1", mass=1.0)
    m.joint_force("cart")(lambda q, qd, p: sb.functions.exp(-5.0 * p.t) - qd)
    s = sb.system(m)
    exact = (np.exp(-1.0) - np.exp(-5.0)) / 4.0  # the velocity
    errors = [abs(steps(s, 1.0, dt, method)[0].x[1] - exact) for dt in (0.04, 0.02)]
    assert np.log2(errors[0] / errors[1]) > ORDER[method] - 0.4


def spring(stiffness):
    m = sb.Model("stiff")
    m.body("mass", joints=[sb.Joint("mass", "T3", q0=(1e-6,))], mass=1.0)
    m.joint_force("mass")(lambda q, qd, p: -stiffness * q)
    return sb.system(m)


def test_what_is_much_faster_than_the_steps_dies_out(method):
    """8e8 N/m on 1 kg: 4.5 kHz, undamped, in steps of 1 ms; explicit steps explode."""
    run, _ = steps(spring(8e8), 0.1, 1e-3, method)
    assert run.status == DONE
    assert run.x == pytest.approx([-9.81 / 8e8, 0.0], abs=1e-16)
    with pytest.raises(sb.DivergenceError):
        sb.simulate(spring(8e8), 0.1, 1e-3)


def test_a_stiff_and_a_slow_mass_together(method):
    """A mass on a spring of 8e8 N/m carries another on a slow one: the slow motion is that of the textbook."""
    m = sb.Model("pair", gravity=(0, 0, 0))
    hard = m.body("hard", joints="T1", mass=1.0)
    m.body("soft", hard, [sb.Joint("soft", "T1", q0=(0.1,))], mass=1.0)
    m.joint_force("hard")(lambda q, qd, p: -8e8 * q)
    m.joint_force("soft")(lambda q, qd, p: -100.0 * q)
    s = sb.system(m)
    run, rows = steps(s, 1.0, 1e-3, method)
    slow = rows[:, s.outputs.index("soft.q")]
    np.testing.assert_allclose(slow, 0.1 * np.cos(10.0 * np.arange(1000) * 1e-3), atol=2e-7)
    assert run.status == DONE


@pytest.mark.parametrize("name", ["quarter-car", "arm6"])
def test_the_same_motion_as_explicit_steps(name):
    s = sb.system(machines.model(name), outputs=["*.q"])
    fixed = sb.simulate(s, 0.3, 1e-4, every=0.01)
    _, rows = steps(s, 0.3 + 1e-3, 1e-3, "rodas4", every=10)
    np.testing.assert_allclose(rows, fixed.values, atol=1e-6)


def tumbling():
    m = sb.Model("stone", gravity=(0, 0, -9.81))
    start = sb.Joint("stone", "free", v0=(1.0, 0.0, 2.0, 0.1, 3.0, 0.2))
    m.body("stone", joints=[start], mass=2.0, inertia=(0.1, 0.2, 0.3))
    m.state("clock", 0.0)(lambda s, p: 1.0 - p.clock)
    return sb.system(m)


def test_quaternions_and_user_states(method):
    s = tumbling()
    fixed = sb.simulate(s, 1.0, 1e-4, every=1.0)
    errors = []
    for dt in (1e-2, 5e-3):
        run, _ = steps(s, 1.0, dt, method)
        errors.append(np.abs(run.x[:7] - fixed.q[-1]).max())
        assert np.linalg.norm(run.x[3:7]) == pytest.approx(1.0, abs=1e-14)
        assert run.x[-1] == pytest.approx(1 - np.exp(-1.0), abs=1e-6)
    assert np.log2(errors[0] / errors[1]) > ORDER[method] - 0.4


@pytest.mark.parametrize("make", [tumbling, lambda: sb.system(machines.model("four-bar"))])
def test_c_and_python_take_the_same_steps(method, make):
    fast = make()
    slow = sb.system(fast.model, backend="python")
    u = np.random.default_rng(5).normal(size=(42, 1))[:, : len(fast.inputs)]
    (a, rows), (b, same) = (steps(s, 0.04, 1e-3, method, u) for s in (fast, slow))
    np.testing.assert_allclose(a.x, b.x, atol=1e-11)
    np.testing.assert_allclose(rows, same, atol=1e-10)
    assert a.done == b.done == 40


def test_where_it_cannot_go_on_it_says_so(method):
    m = sb.Model("rocket", gravity=(0, 0, 0))
    m.body("rocket", joints=[sb.Joint("rocket", "T1", v0=(1.0,))], mass=1.0)
    m.joint_force("rocket")(lambda q, qd, p: sb.functions.sqrt(0.5 - q))
    run, rows = steps(sb.system(m), 5.0, 1e-2, method)
    assert run.status == NOT_FINITE
    assert len(rows) == run.done + 1 or len(rows) == run.done
    assert np.all(np.isfinite(run.x))
    m = machines.model("four-bar")
    m.joint_laws.clear()
    m.bodies["crank"].joints[0].v0 = (12.0,)
    s = sb.system(m)
    for joint, rate in zip(m.joints(), s.motion(0.0, s.x0)[1], strict=True):
        joint.v0 = (float(rate),)
    assert steps(sb.system(m, independent=["rocker"]), 0.1, 1e-4, method)[0].status == NEAR_SINGULAR


def test_wrong_methods_and_closures_are_refused(four_bar):
    with pytest.raises(sb.ModelError, match="did you mean rodas4 or rodas3"):
        suited_fixed(four_bar, "rodas9")
    s = sb.system(machines.model("four-bar"), closure="augmented")
    with pytest.raises(
        sb.ModelError, match=r"'rodas3' does not support the augmented closure \(use trapezoidal or generalised-alpha"
    ):
        suited_fixed(s, "rodas3")
