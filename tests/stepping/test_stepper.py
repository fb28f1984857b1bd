"""A system stepped from outside: the numbers of `simulate`, one state or many, and what goes wrong is told."""

import tracemalloc

import numpy as np
import pytest

import symbody as sb
from symbody import machines
from symbody.stepping.registry import FIXED


def stone():
    """A quaternion, a state of the user's, and gravity."""
    m = sb.Model("stone")
    start = sb.Joint("stone", "free", v0=(1.0, 0.0, 2.0, 0.1, 3.0, 0.2))
    m.body("stone", joints=[start], mass=2.0, inertia=(0.1, 0.2, 0.3))
    m.state("clock", 0.0)(lambda s, p: 1.0 - p.clock)
    return m


def pushed():
    m = sb.Model("cart", gravity=(0, 0, 0))
    m.parameter("drag", 0.5)
    m.input("push", 0.0)
    m.body("cart", joints="T1", mass=2.0)
    m.joint_force("cart")(lambda q, qd, p: p.push - p.drag * qd + p.t)
    return m


def stepped(walker, x, steps):
    for _ in range(steps):
        x = walker.step(x)
    return x


MACHINES = {
    "four-bar": machines.entry("four-bar").model,
    "quarter-car": machines.entry("quarter-car").model,
    "stone": stone,
}
CASES = [(name, "partitioning", method) for name in MACHINES for method in FIXED]
CASES += [("four-bar", "augmented", "trapezoidal"), ("four-bar", "penalty", "rk4")]


@pytest.mark.parametrize(("name", "closure", "method"), CASES)
def test_steps_are_those_of_simulate(name, closure, method):
    s = sb.system(MACHINES[name](), closure=closure)
    run = sb.simulate(s, 0.1, 1e-3, method=method)
    walker = sb.stepper(s, method, dt=1e-3)
    x, rows = walker.reset(), [walker.observe()]
    for _ in range(100):
        x = walker.step(x)
        rows.append(walker.observe())
    np.testing.assert_allclose(rows, run.values, atol=1e-12 * np.abs(run.values).max())
    assert walker.t == pytest.approx(0.1)
    np.testing.assert_array_equal(walker.x, x)


def test_inputs_are_held_and_parameters_live():
    s = sb.system(pushed())
    walker, x = sb.stepper(s, dt=0.1, substeps=10), np.array([0.0, 1.0])
    forces = [0.0, 3.0, -2.0]
    for k, force in enumerate(forces):
        s.parameters["drag"] = 0.5 + k
        x = walker.step(x, [force])
    expected, t = np.array([0.0, 1.0]), 0.0
    for k, force in enumerate(forces):
        s.parameters["drag"] = 0.5 + k
        run = sb.simulate(s, t + 0.1, 0.01, start=t, x0=expected, inputs={"push": force}, at=[t + 0.1])
        expected, t = run.values[-1][[run.names.index(n) for n in s.states]], t + 0.1
    np.testing.assert_allclose(x, expected, rtol=1e-12)


@pytest.mark.parametrize("method", FIXED)
def test_a_step_of_another_size(method):
    """Two halves are a stepper of half the step; the time goes on."""
    s = sb.system(machines.model("four-bar"))
    one, other = sb.stepper(s, method, dt=2e-3), sb.stepper(s, method, dt=1e-3)
    x, y = one.reset(), other.reset()
    for _ in range(20):
        x, y = one.step(x, dt=1e-3), other.step(y)
    np.testing.assert_allclose(x, y, rtol=1e-12)
    assert one.t == pytest.approx(other.t) == pytest.approx(0.02)


@pytest.mark.parametrize("method", ["rk4", "rodas4", "trapezoidal"])
def test_any_state_can_be_stepped_from(method):
    """States of another motion, in any order, give what a stepper that was reset there gives."""
    s = sb.system(machines.model("four-bar"))
    run = sb.simulate(s, 0.5, 1e-3, every=0.05)
    states = run.values[:, [run.names.index(n) for n in s.states]]
    walker, placed = sb.stepper(s, method), sb.stepper(s, method)
    for x in states[[7, 2, 9, 0]]:
        placed.reset(x)
        np.testing.assert_allclose(walker.step(x), placed.step(x), atol=1e-11)


@pytest.mark.parametrize("method", ["rk4", "semi-implicit", "rodas3", "trapezoidal"])
@pytest.mark.parametrize("name", ["four-bar", "quarter-car", "stone"])
def test_many_states_at_once_are_each_stepped_alone(name, method):
    s = sb.system(MACHINES[name]())
    rng = np.random.default_rng(3)
    X = s.x0 + 1e-3 * rng.normal(size=(5, len(s.x0)))
    U = s.u0 + rng.normal(size=(5, len(s.u0)))
    for q, _ in s.quaternions:
        X[:, q : q + 4] /= np.linalg.norm(X[:, q : q + 4], axis=1, keepdims=True)
    crowd, alone = sb.stepper(s, method), [sb.stepper(s, method) for _ in X]
    singles = [w.reset(x) for w, x in zip(alone, X, strict=True)]
    for _ in range(10):
        X = crowd.step(X, U)
        singles = [w.step(x, u) for w, x, u in zip(alone, singles, U, strict=True)]
    np.testing.assert_allclose(X, singles, atol=1e-11)
    np.testing.assert_allclose(crowd.observe(), [w.observe() for w in alone], atol=1e-8)
    np.testing.assert_array_equal(crowd.x, X)
    assert crowd.t == pytest.approx(alone[0].t)


@pytest.mark.parametrize("method", ["rk4", "trapezoidal"])
def test_many_states_may_jump(method):
    """Rows that come from elsewhere, far from what was remembered, are found again."""
    s = sb.system(machines.model("four-bar"))
    run = sb.simulate(s, 0.5, 1e-3, every=0.05)
    states = run.values[:, [run.names.index(n) for n in s.states]]
    crowd, alone = sb.stepper(s, method), sb.stepper(s, method)
    for rows in ([0, 1, 2], [9, 5, 7], [2, 8, 0]):
        expected = []
        for x in states[rows]:
            alone.reset(x)
            expected.append(alone.step(x))
        np.testing.assert_allclose(crowd.step(states[rows]), expected, atol=1e-10)


def test_one_row_of_inputs_serves_for_many_states():
    s = sb.system(pushed())
    X = np.array([[0.0, 0.0], [1.0, 2.0]])
    same, each = sb.stepper(s).step(X, [3.0]), sb.stepper(s).step(X, [[3.0], [3.0]])
    np.testing.assert_array_equal(same, each)


def test_nothing_is_allocated_but_the_result():
    s = sb.system(machines.model("four-bar"))
    walker, u = sb.stepper(s), np.zeros(1)
    x = walker.reset()
    walker.step(x, u, out=x)
    tracemalloc.start()
    try:
        for _ in range(2000):
            walker.step(x, u, out=x)
        kept, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert kept < 2000
    assert most < 4000


# -- what goes wrong -------------------------------------------------------------------------------------------------


def test_a_motion_that_leaves_the_numbers_is_told_with_time_and_state():
    m = sb.Model("rocket", gravity=(0, 0, 0))
    m.body("rocket", joints=[sb.Joint("rocket", "T1", v0=(1.0,))], mass=1.0)
    m.joint_force("rocket")(lambda q, qd, p: sb.functions.sqrt(0.5 - q))
    walker = sb.stepper(sb.system(m), dt=1e-2)
    x = walker.reset()
    with pytest.raises(sb.DivergenceError, match=r"motion of rocket diverged after t = 0.4") as caught:
        stepped(walker, x, 100)
    assert 0.3 < caught.value.time < 0.5
    np.testing.assert_array_equal(caught.value.state, walker.x)
    with pytest.raises(sb.DivergenceError, match="state 1 of 2"):
        walker.step(np.array([[0.0, 0.0], [0.6, 0.0]]))


def test_a_limit_and_a_singular_position_are_told():
    m = sb.Model("falling")
    m.body("stone", joints="T3", mass=1.0)
    m.limit("stone.height")(lambda s, p: s.q["stone"] + 1.0)
    walker = sb.stepper(sb.system(m))
    x = walker.reset()
    with pytest.raises(sb.LimitError, match=r"stone.height .* at t = 0.452"):
        stepped(walker, x, 1000)
    m = machines.model("four-bar")
    m.joint_laws.clear()
    m.bodies["crank"].joints[0].v0 = (12.0,)
    s = sb.system(m)
    for joint, rate in zip(m.joints(), s.motion(0.0, s.x0)[1], strict=True):
        joint.v0 = (float(rate),)
    walker = sb.stepper(sb.system(m, independent=["rocker"]))
    x = walker.reset()
    with pytest.raises(sb.SingularityError, match="rocker no longer determine") as caught:
        stepped(walker, x, 1000)
    np.testing.assert_allclose(caught.value.state, walker.x)


def test_a_mechanism_that_turns_round_goes_on_as_in_simulate():
    """Where another order of the same coordinates is needed it is taken, and parameters stay live."""
    m = machines.model("four-bar")
    m.joint_laws.clear()
    m.bodies["crank"].joints[0].v0 = (12.0,)
    s = sb.system(m)
    run = sb.simulate(s, 1.0, 1e-3)
    walker = sb.stepper(s)
    x = walker.reset()
    x = stepped(walker, x, 1000)
    assert x[0] == pytest.approx(run["crank.q"][-1], abs=1e-9)


def test_wrong_numbers_are_refused_with_the_cure():
    s = sb.system(pushed())
    walker = sb.stepper(s)
    for wrong in (np.zeros(3), 1.0, np.zeros((2, 3)), np.zeros((1, 1, 2))):
        with pytest.raises(sb.ModelError, match="use 2 numbers"):
            walker.step(wrong)
    for wrong in (np.zeros(2), 1.0, np.zeros((1, 1))):
        with pytest.raises(sb.ModelError, match="one for each of push"):
            walker.step(s.x0, wrong)
    with pytest.raises(sb.ModelError, match="positive"):
        walker.step(s.x0, dt=0.0)
    for wrong in ({"dt": 0.0}, {"substeps": 0}, {"dt": np.nan}):
        with pytest.raises(sb.ModelError, match="positive dt"):
            sb.stepper(s, **wrong)
    with pytest.raises(sb.ModelError, match="is a variable-step method"):
        sb.stepper(s, "dop853")


@pytest.mark.parametrize("method", ["rk4", "semi-implicit", "rodas4"])
def test_without_a_compiler_python_steps(method):
    fast, slow = (sb.stepper(sb.system(machines.model("four-bar"), backend=b), method) for b in ("c", "python"))
    x, y = fast.reset(), slow.reset()
    for _ in range(5):
        x, y = fast.step(x), slow.step(y)
    np.testing.assert_allclose(x, y, atol=1e-12)
    np.testing.assert_allclose(fast.observe(), slow.observe(), atol=1e-9)
    with pytest.raises(sb.ModelError, match="needs a C compiler"):
        slow.step(np.array([x, x]))


def test_an_exception_of_a_law_in_python_comes_out():
    m = sb.Model("cart", gravity=(0, 0, 0))
    m.body("cart", joints=[sb.Joint("cart", "T1", v0=(1.0,))], mass=1.0)

    @m.joint_force("cart")
    @sb.numeric
    def late(q, qd, p):
        if p.t > 0.0055:
            raise RuntimeError("too late")
        return 0.0

    walker = sb.stepper(sb.system(m))
    x = walker.reset()
    with pytest.raises(RuntimeError, match="too late"):
        stepped(walker, x, 10)
    assert walker.t == pytest.approx(0.005)
