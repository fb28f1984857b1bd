"""How errors grow over a step (transition.py, transition.h): as the model's own steps, or by the exponential."""

import numpy as np
import pytest
from scipy.linalg import expm

import symbody as sb
from symbody.estimation.estimate import estimate
from symbody.estimation.transition import TRANSITIONS, exact, exponential, stepped, transition_of
from symbody.stepping.registry import FIXED

STEPS = {name: method.stability for name, method in FIXED.items() if method.stability}


@pytest.mark.parametrize("size", [1e-3, 1.0, 30.0])
def test_the_exponential_is_that_of_the_library_whatever_the_units(size):
    rng = np.random.default_rng(4)
    for n in (1, 2, 6, 15):
        units = 10.0 ** rng.uniform(-4, 4, n)
        plain = size * (rng.normal(size=(n, n)) - 3.0 * np.eye(n))
        A = plain * units[:, np.newaxis] / units
        found = exponential(A, 1.0) / units[:, np.newaxis] * units
        assert np.allclose(found, expm(plain), rtol=1e-9, atol=1e-11 * np.abs(expm(plain)).max())


@pytest.mark.parametrize("R", [None, *STEPS.values()])
def test_parameters_act_over_a_step(R):
    """Of a mass under a constant force all of them are exact, whatever the unit of the force."""
    A, G, dt = np.array([[0.0, 1.0], [0.0, 0.0]]), np.array([[0.0], [2e12]]), 0.1
    F = transition_of(R)(A, G, dt)
    assert np.allclose(F, [[1.0, dt, 1e12 * dt**2], [0.0, 1.0, 2e12 * dt], [0.0, 0.0, 1.0]], rtol=1e-12)


@pytest.mark.parametrize("R", [None, *STEPS.values()])
@pytest.mark.parametrize("dt", [1e-3, 1e-2, 0.1])
def test_what_is_in_balance_stays_in_balance(R, dt):
    """A δz + G δp = 0 moves nothing: a filter that has it moving learns from motions that never come."""
    rng = np.random.default_rng(2)
    A, z = rng.normal(size=(5, 5)) - 4.0 * np.eye(5), rng.normal(size=5)
    still = np.append(z, 1.0)
    assert np.allclose(transition_of(R)(A, -(A @ z)[:, np.newaxis], dt) @ still, still, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("name", STEPS)
def test_both_agree_to_the_order_of_the_method(name):
    A, G = np.array([[0.0, 1.0], [-25.0, -0.35]]), np.array([[0.0], [3.0]])
    coarse, fine = (np.abs(stepped(STEPS[name], A, G, dt) - exact(A, G, dt)).max() for dt in (1e-2, 5e-3))
    assert np.log2(coarse / fine) == pytest.approx(FIXED[name].order + 1, abs=0.1)


def hose():
    """A mass on a spring, pushed by a stiff state that a parameter and an input feed: linear."""
    m = sb.Model("hose", gravity=(0, 0, 0))
    m.input("feed", 0.0, "N")
    m.parameter("leak", 0.3, "N")
    m.body("mass", joints=[sb.Joint("mass", "T1", q0=0.1)], mass=1.0)
    m.state("push", 0.2)(lambda s, p: 800.0 * (p.feed - p.leak - p.push - 0.2 * s.qd["mass"]))
    m.coupling("law", "mass")(lambda s, p: (p.push - 400.0 * s.q["mass"] - 3.0 * s.qd["mass"],))
    return sb.system(m)


@pytest.mark.parametrize("backend", ["auto", "python"])
@pytest.mark.parametrize("method", ["trapezoidal", "rodas3", "rodas4", "rk4"])
def test_by_the_step_it_is_what_steps_make_of_errors(method, backend):
    """Differences of the model's own steps, by states, the input and the parameter; stiff but for rk4."""
    s, dt, n = hose(), 2e-3 if method == "rk4" else 5e-3, 3
    doubt = {"mass.qd": 0.1, "push": 0.1, "leak": 0.1}
    made = {"dt": dt, "method": method, "backend": backend}
    twin = estimate(s, ["mass.q"], {"mass.q": 1e-3}, doubt, forces={"feed": 1.0}, **made)
    twin.predict([0.5])
    found = twin.transition()

    def after(x, feed, leak):
        s.parameters["leak"] = leak
        return sb.stepper(s, method, dt).step(x, [feed])

    base = after(s.x0, 0.5, 0.3)
    columns = [after(s.x0 + 1e-2 * d, 0.5, 0.3) - base for d in np.eye(n)]
    columns += [after(s.x0, 0.51, 0.3) - base, after(s.x0, 0.5, 0.31) - base]
    assert np.allclose(found[:n], 100.0 * np.column_stack(columns), rtol=1e-8, atol=1e-10)
    assert np.array_equal(found[n:], np.eye(n + 2)[n:])


@pytest.mark.parametrize("method", ["trapezoidal", "semi-implicit"])
def test_the_exact_one_is_the_same_in_c_and_in_python(method):
    """Steps that are no function of A dt have the exponential."""
    s = hose()
    made = [
        estimate(s, ["mass.q"], {"mass.q": 1e-3}, {"push": 0.1, "leak": 0.1}, forces={"feed": 1.0}, dt=1e-3,
                 method=method, transition="exact" if method == "trapezoidal" else "step", backend=how)
        for how in ("auto", "python")
    ]  # fmt: skip
    for one in made:
        one.predict([0.5])
    fast, slow = (one.transition() for one in made)
    A, G = s.linear(0.0, s.x0).A, np.column_stack([s.linear(0.0, s.x0).B, s.linear(0.0, s.x0).P[:, :1]])
    assert np.allclose(fast, slow, rtol=1e-10, atol=1e-12)
    whole = np.zeros((5, 5))
    whole[:3] = np.hstack([A, G])
    assert np.allclose(slow, expm(1e-3 * whole), rtol=1e-10, atol=1e-12)


def test_along_a_motion_it_is_near_what_steps_make_of_errors():
    """A stays over a step only nearly: what is left over falls with the square of dt."""
    m = sb.Model("pendulum")
    m.body("arm", joints=[sb.Joint("arm", "R2", q0=1.2, v0=(3.0,))], mass=1.0, com=(0, 0, -0.5))
    s, left = sb.system(m), []
    for dt in (4e-3, 2e-3):
        twin = estimate(s, ["arm.q"], {"arm.q": 1e-3}, {}, dt=dt, method="trapezoidal")
        twin.predict()
        walk = sb.stepper(s, "trapezoidal", dt).step
        columns = [(walk(s.x0 + d, []) - walk(s.x0 - d, [])) / 2e-5 for d in 1e-5 * np.eye(2)]
        left.append(np.abs(twin.transition()[:2, :2] - np.column_stack(columns)).max())
    assert left[0] < 1e-3
    assert left[0] / left[1] > 3.5


@pytest.mark.parametrize("backend", ["auto", "python"])
def test_held_states_keep_their_errors(backend):
    """As by the step for coordinate and velocity if the state does not move; the rest is the identity."""
    s = hose()
    made = {"dt": 1e-3, "method": "trapezoidal", "backend": backend}
    held = estimate(s, ["mass.q"], {"mass.q": 1e-3}, {"leak": 0.1}, forces={"feed": 1.0}, transition="held", **made)
    held.predict([0.5])
    F, found = held.transition(), s.linear(0.0, s.x0)
    assert np.array_equal(F[2:], np.eye(5)[2:])
    whole = np.zeros((5, 5))
    whole[:2] = np.hstack([found.A, found.B, found.P[:, [list(s.parameters).index("leak")]]])[:2]
    assert np.allclose(F, np.linalg.solve(np.eye(5) - 5e-4 * whole, np.eye(5) + 5e-4 * whole), rtol=1e-9, atol=1e-12)
    assert not np.allclose(F[2, :2], 0.0) or np.abs(found.A[2, :2]).max() > 0.0


def test_the_transitions_are_named():
    assert TRANSITIONS == ("step", "exact", "held")
