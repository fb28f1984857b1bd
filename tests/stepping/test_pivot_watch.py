"""Steps near singular positions: a step in which a pivot changes much is divided; pivots are compared with a reference.

Tests of pivot_watch.h, pivot_reference.py and the divided steps of fixed_step.h.
"""

from functools import cache

import numpy as np
import pytest
from test_singular_positions import slider_crank

import symbody as sb
from symbody.expr.functions import sin
from symbody.stepping.fixed_step import DONE, NEAR_SINGULAR, StepSettings
from symbody.stepping.pivot_reference import RESERVE, SWITCH, offered_pivots
from symbody.stepping.registry import suited_fixed
from symbody.stepping.start_state import NEARBY, StartState, start_state
from symbody.system.functions import SystemFunctions
from symbody_bench.validate.multipliers import Acting, Motion, solution


def crank_bar_rod(seed: int, near: float, independent: str, size: float = 1.0) -> sb.Model:
    """A crank, a bar on its tip and a rod to the ground; `near` rad from where the dependent joint is singular."""
    rng = np.random.default_rng(seed)
    m = sb.Model("crank-bar-rod", gravity=(0, 0, -9.81 * size))
    a, b = size * rng.uniform(0.2, 0.6, 2)
    light = {"inertia": 3 * (0.03 * size**2,)}
    joints = [sb.Joint(name, "R2", "independent" if name == independent else "dependent") for name in ("crank", "bar")]
    com = [(x / 2, 0, float(size * rng.uniform(-0.1, 0.1))) for x in (a, b)]
    masses = rng.uniform(0.5, 2, 2)
    crank = m.body("crank", joints=joints[:1], mass=float(masses[0]), com=com[0], **light)
    bar = m.body("bar", crank.point("tip", (a, 0, 0)), joints[1:], mass=float(masses[1]), com=com[1], **light)
    q = rng.uniform(-np.pi, np.pi, 2)
    tip = a * along(q[0])
    end = tip + b * along(q.sum())
    line = along(q.sum() + near) if independent == "crank" else along(-np.arctan2(end[2], end[0]) + near)
    rod = float(size * rng.uniform(0.2, 0.7))
    m.cut("rod", "rod", bar.point("end", (b, 0, 0)), m.ground.point("foot", tuple(end + rod * line)), length=rod)
    J = -rod * np.array([line @ across(end), line @ across(end - tip)])
    v = np.array([J[1], -J[0]]) / np.linalg.norm(J) * rng.uniform(2.0, 6.0)
    for joint, position, speed in zip(m.joints(), q, v, strict=True):
        joint.q0, joint.v0 = (float(position),), (float(speed),)
    return m


def two_bodies_and_a_rod(seed: int, near: float, independent: str) -> sb.Model:
    """Two bodies on the ground, their tips joined by a rod, along which the dependent body lies but for `near` rad."""
    rng = np.random.default_rng(seed)
    m = sb.Model("two-bodies-rod", gravity=(0, 0, -9.81))
    lengths, feet = rng.uniform(0.2, 0.6, 2), np.zeros((2, 3))
    feet[1, 0] = rng.uniform(0.3, 0.8)
    angles, names, points = rng.uniform(-np.pi, np.pi, 2), ("left", "right"), []
    for name, length, foot in zip(names, lengths, feet, strict=True):
        joint = sb.Joint(name, "R2", "independent" if name == independent else "dependent")
        mass, com = float(rng.uniform(0.5, 2)), (length / 2, 0, float(rng.uniform(-0.1, 0.1)))
        body = m.body(name, m.ground.point(f"{name}-foot", tuple(foot)), [joint], mass, com, 3 * (0.03,))
        points.append(body.point("tip", (length, 0, 0)))
    free, held = (0, 1) if independent == "left" else (1, 0)
    line = feet[free] + lengths[free] * along(angles[free]) - feet[held]
    angles[held] = -np.arctan2(line[2], line[0]) + near + (np.pi if rng.random() < 0.5 else 0.0)
    arms = [length * along(angle) for length, angle in zip(lengths, angles, strict=True)]
    rod = feet[1] + arms[1] - feet[0] - arms[0]
    m.cut("rod", "rod", *points, length=float(np.linalg.norm(rod)))
    J = np.array([-(rod @ across(arms[0])), rod @ across(arms[1])])
    v = np.array([J[1], -J[0]]) / np.linalg.norm(J) * rng.uniform(2, 6)
    for joint, position, speed in zip(m.joints(), angles, v, strict=True):
        joint.q0, joint.v0 = (float(position),), (float(speed),)
    return m


def along(angle: float) -> np.ndarray:
    """The direction of x after a rotation about y."""
    return np.array([np.cos(angle), 0.0, -np.sin(angle)])


def across(r: np.ndarray) -> np.ndarray:
    """y × r."""
    return np.array([r[2], 0.0, -r[0]])


def drift(run: sb.Run) -> float:
    """The largest change of energy, relative to the largest kinetic energy."""
    energy = run.kinetic + run.potential
    return float(np.abs(energy - energy[0]).max() / run.kinetic.max())


CASES = [(16, -0.01, "crank"), (5, 0.01, "bar"), (18, -0.04, "crank")]  # energy jumped by 22, 11 and 9 % in one step


@pytest.mark.parametrize(("seed", "near", "independent"), CASES)
@pytest.mark.parametrize("repartition", [False, True])
def test_energy_does_not_jump_in_a_step_near_a_singular_start(seed, near, independent, repartition):
    s = sb.system(crank_bar_rod(seed, near, independent), outputs=["*.q", "*.qd", "energy.*"])
    try:
        run = sb.simulate(s, 0.3, 2e-3, repartition=repartition, energy="ignore")
    except sb.SingularityError as error:
        assert not repartition
        run = error.state
    assert drift(run) < 3e-4


STARTS = {  # less than a step of 1 ms from a position where the independent joint turns back
    "bodies": lambda: two_bodies_and_a_rod(100, -0.002794467589438473, "left"),
    "crank": lambda: crank_bar_rod(109, 0.002760835006010083, "crank"),
}


@cache
def exact_motion(start: str) -> Motion:
    """The solution of the multiplier equations at 0, 1 … 5 ms."""
    m = STARTS[start]()
    q, v = (np.array([getattr(j, name)[0] for j in m.joints()]) for name in ("q0", "v0"))
    return solution(m, q, v, 1e-3 * np.arange(6), Acting())


@pytest.mark.parametrize("start", STARTS)
@pytest.mark.parametrize("method", ["rk4", "rodas4", "trapezoidal", "generalised-alpha", "dop853"])
@pytest.mark.parametrize("repartition", [False, True])
def test_the_dependent_body_does_not_turn_back_in_a_step_through_a_dead_centre(start, method, repartition):
    """Implicit steps have a second solution, with the same energy and the same pivots: the body turned back."""
    m = STARTS[start]()
    s = sb.system(m, outputs=["*.q", "*.qd"])
    how = {} if method == "dop853" else {"dt": 1e-3}
    try:
        run = sb.simulate(s, 5e-3, method=method, every=1e-3, repartition=repartition, energy="ignore", **how)
    except sb.SymbodyError as error:
        run = error.state
    exact = exact_motion(start)
    assert len(run) > (1 if repartition and method == "dop853" else 0)
    np.testing.assert_allclose(run.q, exact.q[: len(run)], atol=2e-3)
    np.testing.assert_allclose(run.qd, exact.v[: len(run)], atol=0.3 if "a" in method else 5e-2)


@pytest.mark.parametrize("method", ["rodas4", "trapezoidal"])
def test_other_methods_divide_their_steps_too(method):
    s = sb.system(crank_bar_rod(0, -0.01, "crank"), outputs=["*.q", "*.qd", "energy.*"])
    run = sb.simulate(s, 0.1, 2e-3, method=method, energy="ignore")
    assert drift(run) < {"rodas4": 1e-4, "trapezoidal": 2e-3}[method]


def test_python_steps_are_divided_like_those_in_c():
    """An input that changes within the step is interpolated in its parts."""
    m = crank_bar_rod(0, -0.01, "crank")
    compiled, slow = (sb.system(m, outputs=["*.q"], inputs=["crank.Q"], backend=b) for b in ("c", "python"))
    inputs = {"crank.Q": lambda t: 3.0 * t}
    runs = [sb.simulate(s, 0.02, 2e-3, inputs=inputs) for s in (compiled, slow)]
    np.testing.assert_allclose(runs[0].values, runs[1].values, atol=1e-9)
    fine = sb.simulate(compiled, 0.02, 1e-5, inputs=inputs, every=2e-3)
    np.testing.assert_allclose(runs[0].values, fine.values, atol=1e-4)


def test_steps_that_may_not_be_divided_end_before_the_singular_position():
    """As many parts as a real-time loop allows; the last good state and its dependent coordinates are kept."""
    s = sb.system(crank_bar_rod(16, -0.01, "crank"), outputs=["*.q"])
    for parts, status in ((1, NEAR_SINGULAR), (64, DONE)):
        steps = suited_fixed(s, "rk4").steps(start_state(s), StepSettings(2e-3, s.u0[None], watch=0.0, parts=parts))
        steps.run(1, 0)
        assert steps.status == status
        if status != DONE:
            np.testing.assert_allclose(steps.x, s.x0, atol=0)
            np.testing.assert_allclose(steps.guess, s.start_guess, atol=1e-9)


@pytest.mark.parametrize("size", [1.0, 1e-3])
def test_references_do_not_depend_on_the_start_nor_on_the_unit_of_length(size):
    """The rod turns the crank with a lever of the same size whether the bar lies along it or not."""
    s = sb.system(crank_bar_rod(16, -0.01, "crank", size))
    J = s.loops(s.definition.q0).J[0]
    assert offered_pivots(s, s.definition.q0)[0] == pytest.approx(RESERVE * np.abs(J).max())
    assert 0 < s.pivots[0] / start_state(s).pivots[0] < SWITCH / 5


@pytest.mark.parametrize("size", [1.0, 1e-3])
def test_slides_and_rotations_are_compared_by_a_length(size):
    """A slider-crank whose slider is independent starts far from a singular position, in m or in mm."""
    m = sb.Model("slider-crank", gravity=(0, 0, 0))
    mass = {"mass": 1.0, "inertia": 3 * (1e-2 * size**2,)}
    crank = m.body("crank", joints=[sb.Joint("crank", "R2", "dependent", q0=(-1.0,))], **mass)
    rod = m.body("rod", crank.point("tip", (0.3 * size, 0, 0)), [sb.Joint("rod", "R2", "dependent", q0=(1.3,))], **mass)
    slider = m.body("slider", joints=[sb.Joint("slider", "T1", q0=(0.9 * size,))], mass=1.0)
    m.cut("pin", "planar-ball", rod.point("tip", (0.8 * size, 0, 0)), slider["origin"], axis=2)
    s = sb.system(m)
    assert np.all(s.pivots / start_state(s).pivots > 0.5)


def test_coordinates_that_were_chosen_before_are_not_compiled_again(monkeypatch):
    """A slider-crank changes coordinates several times in a turn, among a few choices."""
    s = sb.system(slider_crank("slider"), outputs=["*.q", "energy.*"])
    made, original = [], SystemFunctions.__init__
    monkeypatch.setattr(SystemFunctions, "__init__", lambda self, *given: made.append(self) or original(self, *given))
    first = sb.simulate(s, 2.0, 1e-3, repartition=True)
    assert len(made) == len(s.functions.partitions) - 1 > 0
    again = sb.simulate(s, 2.0, 1e-3, repartition=True)
    assert len(made) == len(s.functions.partitions) - 1
    np.testing.assert_allclose(first.values, again.values, atol=1e-9)


def test_errors_of_runs_that_may_change_coordinates_do_not_recommend_it():
    m = slider_crank("crank")
    for joint, nature in zip(m.joints(), ("dependent", "dependent", "driven"), strict=True):
        joint.nature, joint.v0 = nature, (0.0,)
    m.trajectory("slider")(lambda t, p: 1.0 + 0.2 * t)
    for how in ({"dt": 1.5e-3}, {"method": "dop853"}):
        with pytest.raises(sb.SingularityError) as caught:
            sb.simulate(m, 1.0, repartition=True, **how)
        assert "repartition" not in str(caught.value)


WAVE = 4.0  # of `wave`


def wave() -> sb.Model:
    """v + 4 sin v = u: for most u there are several v, some of them with the same pivot 1 + 4 cos v."""
    m = sb.Model("wave", gravity=(0, 0, 0))
    for name, nature, q in (("u", "independent", 0.3 + WAVE * np.sin(0.3)), ("v", "dependent", 0.3)):
        m.body(name, joints=[sb.Joint(name, "R2", nature, q0=(q,))], mass=1.0, inertia=(1, 1, 1))
    m.constraint("wave")(lambda s, p: s.q["v"] + WAVE * sin(s.q["v"]) - s.q["u"])
    return m


def one_step(s: sb.System, method: str, v: float, speed: float, **numbers: float) -> tuple[int, float]:
    """The status of a step of 0.1 s from v, and v after it."""
    at = StartState(s, np.array([v + WAVE * np.sin(v), speed]), np.array([v]), np.array([1 + WAVE * np.cos(v)]))
    steps = suited_fixed(s, method).steps(at, StepSettings(0.1, s.u0[None], watch=0.0))
    for name, value in numbers.items():
        setattr(steps.structure, name, value)
    steps.run(1, 0)
    if steps.status == DONE:
        steps.observe()
    return steps.status, float(steps.guess[0])


FAR, FULL_TURN = 1e9, 2 * np.pi
END = np.arccos(-1 / WAVE)  # where the branch about v = 0 ends


def test_a_step_does_not_end_in_another_position_with_the_same_pivot():
    """One evaluation a step: v turned three times within 0.1 s, and its pivot was the same to 10 %."""
    s = sb.system(wave(), outputs=["*.q"])
    v, speed = -1.5975467725227857, 24.268318921401296
    status, after = one_step(s, "semi-implicit", v, speed, leap=FAR)
    assert status == DONE
    assert after > 2 * FULL_TURN
    status, after = one_step(s, "semi-implicit", v, speed)
    assert status != DONE
    assert after == v


@pytest.mark.parametrize("method", ["rk4", "rodas4", "trapezoidal", "semi-implicit"])
def test_dependent_coordinates_stay_on_their_course_in_every_method(method):
    """Without the watch on pivots the course alone keeps steps from other positions of the loops."""
    s, rng = sb.system(wave(), outputs=["*.q"]), np.random.default_rng(0)
    starts = [(rng.uniform(1.0, 1.75) * rng.choice([-1, 1]), rng.uniform(-30, 30)) for _ in range(200)]
    free, kept = (
        [one_step(s, method, v, speed, steep=FAR, leap=leap) for v, speed in starts] for leap in (FAR, NEARBY)
    )
    far, near = (max(abs(v) for status, v in found if status == DONE) for found in (free, kept))
    assert far > FULL_TURN / 2 > END > near
    assert sum(status == DONE for status, _ in kept) > 10


def test_fast_turning_dependent_joints_are_not_divided_for_ever():
    """A gear of 1:50: 2 rad a step are far more than a leap, but on the course of the last step."""
    m = sb.Model("gear", gravity=(0, 0, 0))
    m.body("slow", joints=[sb.Joint("slow", "R2", v0=(40.0,))], mass=1.0, inertia=(1, 1, 1))
    m.body("fast", joints=[sb.Joint("fast", "R2", "dependent")], mass=1.0, inertia=(1e-4, 1e-4, 1e-4))
    m.constraint("mesh")(lambda s, p: s.q["fast"] - 50.0 * s.q["slow"])
    s = sb.system(m, outputs=["*.q"])
    run = sb.simulate(s, 0.1, 1e-3)
    assert run["fast.q"][-1] == pytest.approx(50.0 * 40.0 * 0.1)
    steps = suited_fixed(s, "rk4").steps(start_state(s), StepSettings(1e-3, s.u0[None], parts=4))
    steps.run(1, 0)  # the first step has no course and is divided
    steps.structure.most_parts = 1
    steps.run(50, 0)
    assert steps.status == DONE
