"""Runs through singular positions of their coordinates: right, or ended by an error that names the position.

Tests of start_state.py and failure.py.
"""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import symbody as sb


def planar_3rrr(nature: str, spin: float = 2.0) -> sb.Model:
    """A platform on three arms of two links each; the joints of the arms are passive."""
    m = sb.Model("3-RRR")
    start = [sb.Joint("x", "T1", q0=(0.05,)), sb.Joint("z", "T3", q0=(0.02,))]
    start += [sb.Joint("th", "R2", q0=(0.3,), v0=(spin,))]
    platform = m.body("platform", joints=start, mass=2.0, inertia=(0.05, 0.05, 0.05))
    for k, a in enumerate(2 * np.pi * np.arange(3) / 3):
        base = m.ground.point(f"base{k}", (np.cos(a), 0, np.sin(a)))
        upper = m.body(
            f"upper{k}", base, [sb.Joint(f"a{k}", "R2", q0=(2.5 - a,))], 1.0, (0.3, 0, 0), (0.01, 0.03, 0.03)
        )
        lower = m.body(
            f"lower{k}", upper.point("tip", (0.6, 0, 0)), [sb.Joint(f"b{k}", "R2", q0=(1.0,))], 1.0,
            (0.3, 0, 0), (0.01, 0.03, 0.03),
        )  # fmt: skip
        corner = platform.point(f"corner{k}", (0.3 * np.cos(a), 0, 0.3 * np.sin(a)))
        m.cut(f"loop{k}", "planar-ball", lower.point("tip", (0.6, 0, 0)), corner, axis=2)
    for joint, q in zip(m.joints(), sb.assemble(m), strict=True):  # the same start, whatever the natures
        joint.q0 = (float(q),)
    for joint in list(m.joints())[3:]:
        joint.nature = nature
    return m


def energy(run: sb.Run) -> np.ndarray:
    return run.kinetic + run.potential


@pytest.mark.slow
@pytest.mark.parametrize("nature", ["independent", "dependent"])
@pytest.mark.parametrize(
    "how", [{"dt": 1e-4}, {"method": sb.VariableStep("dop853", rtol=1e-9, atol=1e-10)}], ids=["rk4", "dop853"]
)
def test_with_permission_a_platform_turns_through_singular_positions(nature, how):
    """Energy is kept whether or not the passive joints are named dependent, as files of other programs name them."""
    s = sb.system(planar_3rrr(nature), outputs=["*.q", "*.qd", "energy.*"])
    run = sb.simulate(s, 1.0, repartition=True, **how)
    assert run.t[-1] == pytest.approx(1.0)
    assert np.abs(energy(run) - energy(run)[0]).max() < 2e-5


def test_without_permission_the_run_ends_where_named_joints_are_hardly_determined():
    s = sb.system(planar_3rrr("dependent"), outputs=["*.q", "*.qd", "energy.*"])
    with pytest.raises(
        sb.SingularityError, match="no longer determine the motion; simulate with repartition"
    ) as caught:
        sb.simulate(s, 1.0, 1e-4)
    kept = caught.value.state
    assert 0.2 < kept.t[-1] < 0.3
    assert np.abs(energy(kept) - energy(kept)[0]).max() < 1e-3


def slider_crank(independent: str) -> sb.Model:
    """A crank that turns round, driven by its own momentum, described by the slider or by the crank."""
    nature = {name: "independent" if name == independent else "dependent" for name in ("crank", "rod", "slider")}
    m = sb.Model("slider-crank", gravity=(0, 0, 0))
    crank = m.body("crank", joints=[sb.Joint("crank", "R2", nature["crank"], q0=(-0.5,))], mass=1.0,
                   com=(0.15, 0, 0), inertia=(0.01, 0.2, 0.2))  # fmt: skip
    rod = m.body("rod", crank.point("tip", (0.3, 0, 0)), [sb.Joint("rod", "R2", nature["rod"], q0=(0.7,))], 1.0,
                 (0.4, 0, 0), (0.01, 0.05, 0.05))  # fmt: skip
    slider = m.body("slider", joints=[sb.Joint("slider", "T1", nature["slider"], q0=(1.0,), v0=(0.0,))], mass=0.5)
    m.cut("pin", "planar-ball", rod.point("tip", (0.8, 0, 0)), slider["origin"], axis=2)
    next(j for j in m.joints() if j.name == independent).v0 = (6.0 if independent == "crank" else 1.5,)
    return m


@pytest.mark.parametrize("dt", [1e-4, 1e-3, 1e-2])
def test_a_slider_crank_past_dead_centre_goes_on_or_names_the_position(dt):
    s = sb.system(slider_crank("slider"), outputs=["*.q", "*.qd", "energy.*"])
    with pytest.raises(sb.SingularityError, match="slider"):
        sb.simulate(s, 3.0, dt)
    try:
        run = sb.simulate(s, 3.0, dt, repartition=True)
    except sb.SingularityError:
        assert dt == 1e-2  # a step of such a size passes the position at once
    else:
        assert abs(run["crank.q"][-1] - run["crank.q"][0]) > 2 * np.pi
        # one run: a bound relative to the energy
        assert np.abs(energy(run) - energy(run)[0]).max() < max(1.0 * dt, 1e-4) * energy(run)[0]


@pytest.mark.parametrize("method", ["trapezoidal", "generalised-alpha", "rodas4"])
def test_implicit_steps_take_other_coordinates_too(method):
    s = sb.system(slider_crank("slider"), outputs=["*.q", "*.qd", "energy.*"])
    run = sb.simulate(s, 1.0, 1e-3, method=method, repartition=True)
    exact = sb.simulate(s, 1.0, method=sb.VariableStep(rtol=1e-10, atol=1e-12), repartition=True)
    assert run["crank.q"][-1] == pytest.approx(exact["crank.q"][-1], abs=1e-4)


def parallelogram(start: float = -0.5, spin: float = 3.0, bars: int = 2, nature: str = "independent") -> sb.Model:
    """Bars of 1 m side by side under a beam of 2 m; lying flat, it can go on as an antiparallelogram, too."""
    m = sb.Model("parallelogram", gravity=(0, 0, -9.81))
    rod = {"mass": 1.0, "com": (0.5, 0, 0), "inertia": (0, 1 / 12, 1 / 12)}
    crank = m.body("crank", joints=[sb.Joint("crank", "R2", nature, q0=(start,), v0=(spin,))], **rod)
    beam = m.body("beam", crank.point("tip", (1, 0, 0)), [sb.Joint("beam", "R2", "dependent", q0=(-start,))], mass=1.0)
    for k, x in enumerate(np.linspace(2.0, 0.0, bars)[: bars - 1]):
        foot = m.ground.point(f"foot{k}", (x, 0, 0))
        bar = m.body(f"bar{k}", foot, [sb.Joint(f"bar{k}", "R2", "dependent", q0=(start,))], **rod)
        m.cut(f"pin{k}", "planar-ball", beam.point(f"pin{k}", (x, 0, 0)), bar.point("tip", (1, 0, 0)), axis=2)
    return m


def angle(t: float, start: float = -0.5, spin: float = 3.0, bars: int = 2) -> float:
    """Of the crank: bars of 1 kg turn about their ends, a point mass of 1 kg goes round with their tips."""
    inertia, moment = bars / 3 + 1.0, 9.81 * (bars / 2 + 1.0)
    found = solve_ivp(
        lambda t, y: [y[1], moment * np.cos(y[0]) / inertia], (0, t), [start, spin], rtol=1e-11, atol=1e-12
    )
    return float(found.y[0, -1])


FLAT = 0.1343  # s: when it lies flat


@pytest.mark.parametrize("repartition", [False, True])
@pytest.mark.parametrize(
    "how",
    [
        {"dt": 1e-2}, {"dt": 1e-3}, {"dt": 1e-3, "backend": "python"}, {"dt": 1e-3, "method": "trapezoidal"},
        {"dt": 1e-3, "method": "rodas4"}, {"method": "dop853"}, {"method": "rk45"}, {"method": "bdf"},
    ],
    ids=str,
)  # fmt: skip
def test_a_parallelogram_is_not_led_into_its_other_branch(how, repartition):
    """The flat position is singular over any coordinates: the run ends before it, and is right up to there."""
    with pytest.raises(
        sb.SingularityError, match=r"near t = 0\.1.* singular position, where they can continue"
    ) as caught:
        sb.simulate(parallelogram(), 0.6, repartition=repartition, **how)
    kept = caught.value.state
    assert 0.08 < kept.t[-1] < FLAT
    np.testing.assert_allclose(kept["bar0.q"], kept["crank.q"], atol=1e-9)
    assert kept["crank.q"][-1] == pytest.approx(angle(kept.t[-1]), abs=1e-3 if how.get("dt") == 1e-2 else 2e-5)


def walked(stepper: sb.Stepper, x: np.ndarray, until: float) -> np.ndarray:
    for _ in range(round(until / stepper.dt)):
        x = stepper.step(x)
    return x


@pytest.mark.parametrize("backend", ["c", "python"])
@pytest.mark.parametrize("dt", [1e-3, 1e-2])
def test_a_stepper_does_not_lead_it_there_either(dt, backend):
    s = sb.system(parallelogram(), outputs=["*.q"], backend=backend)
    stepper = sb.stepper(s, "rk4", dt=dt)
    with pytest.raises(sb.SingularityError, match="several ways") as caught:
        walked(stepper, stepper.reset(), 0.6)
    before = caught.value.state[s.states.index("crank.q")]
    # one run: a bound
    assert -3.0 * 4.6 * dt < before < 0.0  # at most three steps (of 4.5 rad/s) before it lies flat
    assert before == pytest.approx(angle(caught.value.time), abs=1e-3 if dt == 1e-2 else 2e-5)


def test_of_many_states_the_one_that_would_be_led_there_is_named_and_jumps_are_no_alarm():
    s = sb.system(parallelogram(), outputs=["*.q"])
    stepper = sb.stepper(s, "rk4", dt=1e-3)
    swings = np.array([[-1.5, 0.1], s.x0])  # the first only hangs
    with pytest.raises(sb.SingularityError, match="state 1 of 2"):
        walked(stepper, swings, 0.6)
    rng = np.random.default_rng(0)
    stepper.reset()
    for _ in range(200):  # each from elsewhere, as a planner asks
        x = np.array([rng.uniform(-1.5, -0.3), rng.uniform(-1.0, 1.0)])
        assert stepper.step(x)[0] - x[0] == pytest.approx(1e-3 * x[1], abs=2e-5)


@pytest.mark.parametrize("bars", [2, 3])
def test_the_augmented_closure_goes_through_the_flat_position(bars):
    run = sb.simulate(parallelogram(bars=bars), 0.6, 1e-3, closure="augmented")
    assert run["crank.q"][-1] == pytest.approx(angle(0.6, bars=bars), abs=1e-5)
    np.testing.assert_allclose(run["bar0.q"], run["crank.q"], atol=1e-5)


def test_a_motion_that_only_comes_near_goes_on():
    """A crank of 0.3 m and a rod of 0.303 m: at a right angle a pivot has one per cent of its size."""
    m = slider_crank("crank")
    m.bodies["rod"].points["tip"].position = (0.303, 0, 0)
    m.bodies["slider"].joints[0].q0 = (0.55,)
    s = sb.system(m, outputs=["*.q", "*.qd", "energy.*"])
    rough, fine = (sb.simulate(s, 1.0, dt, repartition=True) for dt in (1e-3, 1e-4))
    assert rough["rod.q"][-1] == pytest.approx(fine["rod.q"][-1], abs=1e-3)
    # one run: a bound relative to the energy
    assert np.ptp(energy(fine)) < 1e-6 * energy(fine)[0]


def test_a_start_beyond_a_singular_position_is_refused():
    """A crank that is set across the flat position could stand in either branch."""
    s = sb.system(parallelogram(spin=0.0), outputs=["*.q"])
    assert sb.simulate(s, 1e-3, 1e-3, x0={"crank.q": -2.0})["bar0.q"][0] == pytest.approx(-2.0)
    with pytest.raises(sb.SingularityError, match="in between"):
        sb.simulate(s, 1e-3, 1e-3, x0={"crank.q": 0.5})


@pytest.mark.parametrize("how", [{"dt": 1.5e-3}, {}, {"method": "radau"}], ids=str)
def test_a_drive_that_would_tear_the_loops_apart_is_told(how):
    """A slider is driven further than crank and rod reach; nothing has a state, so that no error chooses steps."""
    m = slider_crank("crank")
    for joint, nature in zip(m.joints(), ("dependent", "dependent", "driven"), strict=True):
        joint.nature, joint.v0 = nature, (0.0,)
    m.trajectory("slider")(lambda t, p: 1.0 + 0.2 * t)
    with pytest.raises(sb.SingularityError, match="no longer be closed") as caught:
        sb.simulate(m, 1.0, **how)
    assert caught.value.time == pytest.approx(0.5, abs=0.02)  # at 1.1 m
