"""What is blamed when a motion leaves the numbers: what is not finite first, a step too large, a missing mass.

Tests of failure.py and of system/not_finite.py.
"""

import numpy as np
import pytest

import symbody as sb
from symbody import machines
from symbody.stepping.failure import failed
from symbody.stepping.start_state import StartState


def oscillator(stiffness: float = 100.0, law=None) -> sb.Model:
    """A mass of 1 kg on a spring; ω = √stiffness."""
    m = sb.Model("oscillator", gravity=(0, 0, 0))
    m.parameter("k", stiffness, "N/m")
    m.input("push", 0.0, "N")
    m.body("mass", joints=[sb.Joint("mass", "T1", q0=(0.1,))], mass=1.0)
    m.joint_force("mass")(law or (lambda q, qd, p: p.push - p.k * q))
    return m


@pytest.mark.parametrize("name", ["pendulum", "four-bar"])
@pytest.mark.parametrize("how", [{"dt": 1e-3}, {"method": "dop853"}, {"dt": 1e-3, "method": "trapezoidal"}])
def test_a_start_that_is_no_number_is_named(name, how):
    s = sb.system(machines.model(name))
    with pytest.raises(sb.ModelError, match=rf"the state {s.states[1]} is nan at the start"):
        sb.simulate(s, 0.1, x0=[s.x0[0], np.nan], **how)
    with pytest.raises(sb.ModelError, match=rf"the state {s.states[0]} is inf at the start"):
        sb.stepper(s, "rk4", 1e-3).reset(np.array([np.inf, 0.0]))
    with pytest.raises(sb.ModelError, match=r"shape \(3,\)"):
        sb.simulate(s, 0.1, x0=[0.0, 0.0, 0.0], **how)


@pytest.mark.parametrize("how", [{"dt": 1e-3}, {"method": "dop853"}])
def test_inputs_and_parameters_that_are_no_numbers_are_named(how):
    s = sb.system(oscillator())
    with pytest.raises(sb.ModelError, match=r"push: the value in row 2, t = 0\.05 s is nan"):
        sb.simulate(s, 0.1, inputs={"push": ([0.0, 0.05, 0.1], [0.0, np.nan, 0.0])}, **how)
    with pytest.raises(sb.DivergenceError, match=r"the input push .*is nan"):
        sb.simulate(s, 0.1, inputs={"push": lambda t: np.nan if t > 0.05 else 0.0}, **how)
    with pytest.raises(sb.DivergenceError, match=r"the input push .*is nan"):
        sb.simulate(s, 0.1, inputs={"push": np.nan}, x0=s.x0, **how)
    s.parameters["k"] = np.nan
    with pytest.raises(sb.DivergenceError, match="the parameter k is nan"):
        sb.simulate(s, 0.1, **how)


def test_a_law_is_blamed_not_the_reactions_that_follow_from_it():
    m = oscillator(law=lambda q, qd, p: sb.functions.sqrt(0.5 - p.t))
    with pytest.raises(sb.DivergenceError, match=r"the law of mass\.Q gives nan") as caught:
        sb.simulate(m, 1.0, 1e-2)
    assert caught.value.time == pytest.approx(0.5, abs=0.02)
    m = machines.model("four-bar")
    m.force_site("wind", "rocker.tip")(lambda at, p: (0.0, 0.0, sb.functions.sqrt(0.05 - p.t)))
    with pytest.raises(sb.DivergenceError, match=r"the law of wind\.force\.z gives nan"):
        sb.simulate(m, 1.0, 1e-3)


def test_a_trajectory_is_blamed():
    m = machines.model("four-bar")
    m.joint_laws.clear()
    next(iter(m.joints())).nature = "driven"
    m.trajectory("crank")(lambda t, p: sb.functions.sqrt(0.25 - t) - 1.5)
    with pytest.raises(sb.DivergenceError, match=r"the trajectory of crank\.q gives nan"):
        sb.simulate(m, 1.0, 1e-2, method="rodas4")


@pytest.mark.parametrize(("method", "limit"), [("rk4", r"0\.00283"), ("semi-implicit", r"0\.002")])
def test_a_step_that_is_too_large_is_named_with_the_step_that_would_do(method, limit):
    """ω = 1000 rad/s: explicit steps bear 2/ω to 2.8/ω."""
    s = sb.system(oscillator(1e6))
    with pytest.raises(sb.DivergenceError, match=rf"step of 0\.01 s is too large.*± 1e\+03i 1/s.*below {limit} s"):
        sb.simulate(s, 10.0, 0.01, method=method)
    run = sb.simulate(s, 0.1, 1e-4, method=method)
    assert np.abs(run["mass.q"]).max() < 0.11


def test_a_step_too_large_for_a_closed_system_is_no_matter_of_its_loops():
    m = machines.model("four-bar")
    m.joint_force("crank")(lambda q, qd, p: -1e4 * (q + 1.0) - 10.0 * qd)
    with pytest.raises(sb.DivergenceError, match=r"step of 0.01 s is too large for rk4"):
        sb.simulate(m, 1.0, 0.01, x0=[-1.1, 0.0])


def test_a_motion_that_runs_away_by_itself_is_told_with_what_grew():
    """q̈ = q³ reaches infinity in a finite time, whatever the step."""
    m = oscillator(law=lambda q, qd, p: 1e3 * q * q * q)
    with pytest.raises(sb.DivergenceError, match=r"mass\.qd? has grown to|step of 0.0001 s is too large"):
        sb.simulate(m, 10.0, 1e-4)


def stopped_at_lock(ring: float) -> sb.SymbodyError:
    """What is said of a run that stopped where the outer ring of a gimbal and its top turn about one axis."""
    m = sb.Model("gimbal", gravity=(0, 0, 0))
    outer = m.body("outer", joints="R1", inertia=(ring,) * 3)
    inner = m.body("inner", outer, [sb.Joint("inner", "R2", q0=(1.0,))], inertia=(0.1, 0.1, ring))
    m.body("top", inner, [sb.Joint("top", "R3")], inertia=(0.1, 0.1, 0.2), mass=1.0)
    s = sb.system(m)
    x = np.array([0.3, np.pi / 2, 0.2, 0.0, 0.0, 0.0])
    return failed(StartState(s, x, s.start_guess, s.pivots), 0.7, s.u0, None, "its steps became too small")


def test_a_motion_that_lost_its_mass_on_the_way_is_named():
    error = stopped_at_lock(0.0)
    assert isinstance(error, sb.SingularityError)
    assert error.time == 0.7
    assert "at t = 0.7 s outer, top: nothing resists a motion of these joints together" in str(error)


def test_little_mass_is_mentioned_where_a_motion_diverged():
    error = stopped_at_lock(1e-11)
    assert isinstance(error, sb.DivergenceError)
    assert "its steps became too small; outer, top: hardly anything resists" in str(error)
    assert "e-11" in str(error)
    assert "resists" not in str(stopped_at_lock(1e-3))


@pytest.mark.parametrize("how", [{"dt": 1e-3}, {"dt": 1e-3, "method": "trapezoidal"}])
def test_a_law_that_has_no_value_a_little_further_is_blamed(how):
    """√q of a pole that falls through q = 0: sound at the last state, nothing beyond."""
    m = sb.Model("rooted")
    m.body("pole", joints=[sb.Joint("hinge", "R2", q0=(0.5,))], mass=1.0, com=(0, 0, -0.5), inertia=(0.1, 0.1, 0.01))
    m.joint_force("hinge")(lambda q, qd, p: 0.1 * sb.functions.sqrt(q))
    with pytest.raises(sb.DivergenceError, match=r"the law of hinge\.Q gives nan") as caught:
        sb.simulate(m, 3.0, **how)
    assert 0.0 <= caught.value.state["hinge.q"][-1] < 0.01
