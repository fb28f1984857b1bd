"""Adaptive steps: the motion of tiny fixed steps, events at known instants, dense output, stiffness, failures.

Tests of variable_step.py, variable_trajectory.py, cvode.py.
"""

import sys

import numpy as np
import pytest

import symbody as sb
from symbody import machines
from symbody.stepping.events import Event
from symbody.stepping.registry import VARIABLE
from symbody.stepping.variable_step import RatesAndJacobian

G = 9.81
IMPLICIT = [name for name, method in VARIABLE.items() if method.implicit]


@pytest.fixture(params=VARIABLE)
def method(request):
    if request.param == "cvode":
        pytest.importorskip("sksundae")
    return request.param


@pytest.fixture(scope="module")
def reference():
    s = sb.system(machines.model("four-bar"))
    return s, sb.simulate(s, 0.3, 1e-5, every=0.03)


def test_the_motion_of_tiny_fixed_steps(reference, method):
    s, fixed = reference
    run = sb.simulate(s, 0.3, method=sb.VariableStep(method, rtol=1e-11, atol=1e-12), every=0.03)
    np.testing.assert_allclose(run.t, fixed.t, atol=1e-12)
    np.testing.assert_allclose(run.values, fixed.values, atol=1e-8 * np.abs(fixed.values).max())
    assert run.names == fixed.names
    assert (run.meta["jacobians"] == 0) or method in IMPLICIT


def test_a_stiff_suspension_falls_on_its_tyre_the_same_way():
    s = sb.system(machines.model("quarter-car"), outputs=["*.q"])
    fixed = sb.simulate(s, 0.3, 1e-5, every=0.03)
    for method in ("dop853", "radau"):
        run = sb.simulate(s, 0.3, method=sb.VariableStep(method, rtol=1e-10, atol=1e-11), every=0.03)
        np.testing.assert_allclose(run.values, fixed.values, atol=1e-8)


def ball(height=1.0):
    m = sb.Model("ball")
    m.body("ball", joints=[sb.Joint("ball", "T3", q0=(height,))], mass=1.0)
    return m


def bounce(restitution, floor=0.0, **more):
    return Event(
        "ball.q",
        floor,
        direction=-1,
        action=lambda t, at: {"ball.qd": -restitution * at["ball.qd"]},
        name="bounce",
        **more,
    )


def test_a_ball_bounces_at_the_known_instants(method):
    e, fall = 0.8, np.sqrt(2 * 1.0 / G)
    run = sb.simulate(ball(1.3), 3.0, method=sb.VariableStep(method, rtol=1e-10, atol=1e-12, events=[bounce(e, 0.3)]))
    expected = [fall + 2 * fall * e * (1 - e**k) / (1 - e) for k in range(6)]
    assert [event.t for event in run.events] == pytest.approx(expected, abs=2e-8)
    for k, event in enumerate(run.events):
        assert event.x == pytest.approx([0.3, -G * fall * e**k], abs=1e-7)
        assert event.after == pytest.approx([0.3, G * fall * e ** (k + 1)], abs=1e-7)
    assert run["ball.q"].min() > 0.3 - 1e-9
    assert np.sum(np.diff(run.t) == 0.0) == 6  # before and after


@pytest.mark.parametrize("method", ["dop853", "radau", "bdf", "lsoda"])
def test_bounces_that_pile_up_are_refused_where_they_do(method):
    """Also by methods whose tolerance hides the last flights: the ball would fall through the floor."""
    with pytest.raises(sb.DivergenceError, match=r"bounce occurs again and again at t = 1.354.*terminal") as caught:
        sb.simulate(ball(), 3.0, method=sb.VariableStep(method, events=[bounce(0.5)]))
    assert caught.value.time == pytest.approx(np.sqrt(2 / G) * 3, abs=1e-4)
    assert len(caught.value.state.events) > 12


@pytest.mark.parametrize("records", [{}, {"every": 0.01}])
def test_a_limit_ends_a_run_where_it_is_passed_within_a_long_step(method, records):
    """A throw through a ceiling, and down again before the step ends."""
    m = ball(0.0)
    m.limit("ceiling")(lambda s, p: 1.2 - s.q["ball"])
    with pytest.raises(sb.LimitError, match="ceiling must stay positive") as caught:
        sb.simulate(m, 1.01, x0={"ball.qd": 5.0}, method=method, **records)
    exact = (5.0 - np.sqrt(25.0 - 2 * G * 1.2)) / G
    assert caught.value.time == pytest.approx(exact, abs=1e-6)
    kept = caught.value.state
    assert exact - 0.01 < kept.t[-1] < exact + 1e-6
    assert kept["ball.q"].max() < 1.2 + 1e-6


@pytest.mark.parametrize("above", [1e-3, 1e-6, 1e-9])
def test_a_height_that_is_just_passed_is_passed_twice(above):
    """A throw is one step of dop853: up and down through a height lie between two places where signs are compared."""
    top = 1.0 + 2.0**2 / (2 * G)
    run = sb.simulate(
        ball(1.0), 1.0, method=sb.VariableStep(events=[Event("ball.q", top - above)]), x0={"ball.qd": 2.0}
    )
    half = np.sqrt(2 * above / G)
    assert [event.t for event in run.events] == pytest.approx([2.0 / G - half, 2.0 / G + half], abs=1e-7)
    assert not sb.simulate(
        ball(1.0), 1.0, method=sb.VariableStep(events=[Event("ball.q", top + above)]), x0={"ball.qd": 2.0}
    ).events


@pytest.mark.parametrize(
    ("event", "error", "words"),
    [
        (Event(lambda t, x: float("nan"), name="lost"), sb.DivergenceError, "the event lost is nan at t"),
        (
            Event("ball.q", 0.5, action=lambda t, at: {"ball.qd": np.nan}),
            sb.DivergenceError,
            "sets ball.qd to nan at t",
        ),
        (Event("ball.q", 0.5, action=lambda t, at: [1.0]), sb.ModelError, "the action returns a list"),
    ],
)
def test_events_without_numbers_are_told(event, error, words):
    with pytest.raises(error, match=words):
        sb.simulate(ball(), 1.0, method=sb.VariableStep(events=[event]))


def test_events_end_a_run_count_and_know_their_direction():
    up, turns = Event("ball.qd", 3.0, name="fast"), Event(lambda t, x: x[1] + G * t - 0.5, name="never")
    run = sb.simulate(ball(), 9.0, method=sb.VariableStep(events=[bounce(0.9, terminal=3), up, turns]))
    assert [event.name for event in run.events].count("bounce") == 3
    assert run.t[-1] == run.events[-1].t
    half = Event(lambda t, x: x[0] - 0.5, direction=-1, terminal=True, name="half")
    rising = Event("ball.q", 0.5, direction=1, terminal=True)
    run = sb.simulate(ball(), 9.0, method=sb.VariableStep(events=[half, rising]), every=0.01)
    assert [event.name for event in run.events] == ["half"]
    assert run.events[0].t == pytest.approx(np.sqrt(1 / G))
    assert run.t[-1] == pytest.approx(0.31)  # of the times that were asked for, those before


def test_an_event_that_starts_at_its_value_waits_for_the_next_crossing():
    m = sb.Model("swing", gravity=(0, 0, 0))
    m.body("mass", joints=[sb.Joint("mass", "T1", v0=(1.0,))], mass=1.0)
    m.joint_force("mass")(lambda q, qd, p: -4.0 * q)
    run = sb.simulate(m, 4.0, method=sb.VariableStep(events=[Event("mass.q")]))
    assert [event.t for event in run.events] == pytest.approx([np.pi / 2, np.pi], abs=1e-6)


def test_dense_output_is_the_motion_at_any_time(reference, method):
    s, fixed = reference
    run = sb.simulate(s, 0.3, method=sb.VariableStep(method, rtol=1e-9, atol=1e-11, dense=True))
    between = run.dense(fixed.t)
    np.testing.assert_allclose(between.q, fixed.q, atol=2e-6)
    assert run.state(0.3) == pytest.approx([fixed["crank.q"][-1], fixed["crank.qd"][-1]], abs=1e-5)
    assert run.dense(0.1)["rocker.q"].shape == (1,)
    with pytest.raises(sb.ModelError, match=r"outside the run \(give a time from 0 s to 0.3 s\)"):
        run.dense(0.4)
    with pytest.raises(sb.ModelError, match="dense=True"):
        sb.simulate(s, 0.1).dense(0.05)


@pytest.mark.parametrize("method", ["radau", "bdf", "lsoda", "cvode"])
def test_a_stiff_van_der_pol_oscillator(method):
    """μ = 1000 at t = 2000: the reference of the test set for initial value problems (Bari), time in units of μ."""
    if method == "cvode":
        pytest.importorskip("sksundae")
    m = sb.Model("van der pol")
    m.state("y", 2.0)(lambda s, p: p.z)
    m.state("z", 0.0)(lambda s, p: 1000.0 * (1 - p.y * p.y) * p.z - p.y)
    run = sb.simulate(m, 2000.0, method=sb.VariableStep(method, rtol=1e-6, atol=1e-9), at=[2000.0])
    assert run["y"][-1] == pytest.approx(1.706167732170483, rel=2e-4)
    assert run["z"][-1] * 1000 == pytest.approx(-0.8928097010247975, rel=5e-4)
    assert run.steps < 5000


def test_quaternions_stay_units_and_their_drift_is_told(method):
    m = sb.Model("stone", gravity=(0, 0, 0))
    start = sb.Joint("stone", "free", v0=(1.0, 0.0, 2.0, 0.1, 3.0, 0.2))
    m.body("stone", joints=[start], mass=2.0, inertia=(0.1, 0.2, 0.3))
    fixed = sb.simulate(m, 5.0, 1e-3, every=1.0)
    run = sb.simulate(m, 5.0, method=sb.VariableStep(method, rtol=1e-8, atol=1e-10), every=1.0)
    np.testing.assert_allclose(np.linalg.norm(run.q[:, 3:], axis=1), 1.0, atol=1e-14)
    np.testing.assert_allclose(run.q, fixed.q, atol=2e-5)
    assert 0.0 < run.meta["drift"] < 1e-6


def pushed() -> sb.Model:
    m = sb.Model("pushed", gravity=(0, 0, 0))
    m.input("push")
    m.body("mass", joints=[sb.Joint("mass", "T1")], mass=1.0)
    m.joint_force("mass")(lambda q, qd, p: p.push)
    return m


@pytest.mark.parametrize("more", [0, 200])
def test_a_short_pulse_of_a_table_is_not_passed_over(method, more, monkeypatch):
    """0.05 N s within 0.1 s of ten in which nothing else happens, alone or among many rows."""
    monkeypatch.setattr("symbody.stepping.variable_trajectory.MOST_BENDS", 100)
    times = np.unique([0.0, 5.0, 5.05, 5.1, 10.0, *np.linspace(0, 4.9, more)])
    ripple = 1e-9 * (-1.0) ** np.arange(len(times)) if more else 0.0
    values = np.where(times == 5.05, 1.0, 0.0) + ripple
    run = sb.simulate(pushed(), 10.0, method=method, inputs={"push": (times, values)})
    assert run["mass.qd"][-1] == pytest.approx(0.05, abs=1e-5)


def test_inputs_are_numbers_functions_or_tables():
    m = sb.Model("cart", gravity=(0, 0, 0))
    m.body("cart", joints="T1", mass=2.0)
    table = (np.array([0.0, 1.0]), np.array([0.0, 4.0]))
    for signal in (lambda t: 4.0 * t, table):
        run = sb.simulate(m, 1.0, inputs={"cart.Q": signal}, at=[0.5, 1.0])
        assert run["cart.q"] == pytest.approx([4.0 / 6 / 2 / 8, 4.0 / 6 / 2])
    later = sb.simulate(m, 2.0, start=1.0, inputs={"cart.Q": 3.0}, x0=[1.0, 0.0])
    assert later["cart.q"][-1] == pytest.approx(1.75)


def pendulum(law):
    m = sb.Model("pendulum")
    joint = sb.Joint("arm", "R2", q0=(2.5,))
    m.body("arm", joints=[joint], mass=1.0, com=(0, 0, -0.5), inertia=(0.1, 0.1, 0.1))
    m.joint_force("arm")(law)
    return m


@pytest.mark.parametrize("law", [lambda q, qd, p: 1e3 * qd**3 + 1, lambda q, qd, p: sb.functions.sqrt(q - 1.0)])
def test_what_leaves_the_numbers_is_kept_up_to_there(method, law):
    with pytest.raises(sb.DivergenceError, match="pendulum diverged after t = 0") as caught:
        sb.simulate(pendulum(law), 5.0, method=method)
    assert len(caught.value.state) > 10
    assert caught.value.state.t[-1] == pytest.approx(caught.value.time)
    assert np.all(np.isfinite(caught.value.state.q))


def test_singular_positions_are_passed_with_other_coordinates_or_reported():
    m = machines.model("four-bar")
    m.joint_laws.clear()
    joints = list(m.joints())
    joints[0].v0 = (12.0,)
    free = sb.system(m)
    fixed = sb.simulate(free, 0.6, 1e-4, every=0.01)
    for joint, rate in zip(joints, free.motion(0.0, free.x0)[1], strict=True):
        joint.v0 = (float(rate),)
    s = sb.system(m, independent=["rocker"])
    run = sb.simulate(s, 0.6, method=sb.VariableStep(rtol=1e-10, atol=1e-12, dense=True), every=0.01, repartition=True)
    np.testing.assert_allclose(run.q, fixed.q, atol=1e-7)
    np.testing.assert_allclose(run.dense(fixed.t).q, fixed.q, atol=1e-7)
    with pytest.raises(sb.SingularityError, match=r"rocker no longer determine.*True, or make crank") as caught:
        sb.simulate(s, 0.6)
    assert 0.0 < caught.value.time < 0.1
    assert len(caught.value.state) > 1


def test_what_cannot_be_is_refused_with_the_cure(monkeypatch, reference):
    s, _ = reference
    for wrong, words in (
        ({"method": "euler"}, "semi"), ({"until": -1.0}, "later than the start"), ({"at": [0.2, 0.1]}, "increasing"),
        ({"at": [2.0]}, "between 0 s and 1 s"), ({"inputs": {"push": 1.0}}, "torque"),
        ({"inputs": {"torque": np.zeros(5)}}, "times, values"),
    ):  # fmt: skip
        with pytest.raises(sb.ModelError, match=words):
            sb.simulate(s, **{"until": 1.0, **wrong})
    for event, words in (
        (Event("crank.qdd"), "outputs="), (Event("nobody.q"), "crank.q"), (Event("crank.q", direction=2), "-1, 0 or 1"),
        (Event("crank.qd", action=lambda t, at: {"rocker.q": 0.0}), "the states are crank.q"),
    ):  # fmt: skip
        with pytest.raises(sb.ModelError, match=words):
            sb.simulate(s, 1.0, method=sb.VariableStep(events=[event]))
    monkeypatch.setitem(sys.modules, "sksundae.cvode", None)
    with pytest.raises(sb.ModelError, match=r'pip install "scikit-sundae"'):
        sb.simulate(s, 1.0, method="cvode")


def test_the_progress_bar_ends_complete(capsys):
    sb.simulate(ball(), 0.2, progress=True)
    assert "100%" in capsys.readouterr().err


def test_records_within_long_steps_follow_the_loops():
    """Steps of a four-bar without gravity are long; what is recorded within them stays on the same way to close it."""
    m = machines.model("four-bar")
    m.gravity = (0.0, 0.0, 0.0)
    s = sb.system(m, outputs=["*.q", "*.qd"])
    x = s.x0.copy()
    x[1] = 80.0
    run = sb.simulate(s, 0.3, x0=x, method=sb.VariableStep("dop853", rtol=1e-2, atol=1e-2, dense=True), every=1e-3)
    assert np.all(np.isfinite(run.values))
    jumps = np.abs(np.diff(run.q, axis=0) - 0.5e-3 * (run.qd[1:] + run.qd[:-1]))
    assert jumps.max() < 0.1
    np.testing.assert_allclose(run.dense(run.t[:-1]).values, run.values[:-1], atol=1e-9)


@pytest.fixture(scope="module")
def flywheel():
    """A four-bar whose crank is a flywheel: it turns almost evenly, so steps of a radian are accurate."""
    m = machines.model("four-bar")
    m.gravity = (0.0, 0.0, 0.0)
    m.bodies["crank"].inertia = (300.0, 300.0, 300.0, 0.0, 0.0, 0.0)
    return sb.system(m, outputs=["crank.q", "crank.qd"])


def error_of_records(s, x=(-1.0, 1.0), seconds=20.0):
    """The largest error of records within steps of dop853 of 1.05 rad, against small steps of rk4."""
    long = sb.VariableStep("dop853", rtol=1e-2, atol=1e-2, max_step=1.05)
    run = sb.simulate(s, seconds, x0=np.array(x), method=long, every=0.05)
    small = sb.simulate(s, seconds, 2.5e-3, x0=np.array(x), method="rk4")
    return np.abs(run.values - small.values[::20]).max()


def test_records_between_long_steps_of_a_mechanism_are_right(flywheel):
    assert error_of_records(flywheel) < 1e-6


def test_stages_that_close_loops_from_the_beginning_of_a_step_would_be_seen(flywheel, monkeypatch):
    """Then the extra stages of the interpolant find another assembly mode, and records are wrong by 3e-5."""
    monkeypatch.setattr(RatesAndJacobian, "stage", RatesAndJacobian.evaluated)
    assert not error_of_records(flywheel) < 1e-5
