"""Balls and free bodies whose turns the loops determine, against multipliers in NumPy and the balance of energy."""

from functools import cache

import numpy as np
import pytest

import symbody as sb
from symbody_bench.validate.multipliers import reference


def rssr(nature: str = "independent") -> sb.Model:
    """A crank and a rocker about crossed axes, a coupler on a ball between them; the coupler may spin."""
    m = sb.Model("rssr")
    crank = m.body(
        "crank", joints=[sb.Joint("crank", "R3", q0=(0.4,), v0=(3.0,))], mass=0.5, com=(0.1, 0, 0), inertia=(1e-3,) * 3
    )
    coupler = m.body("coupler", crank.point("end", (0.2, 0, 0)), [sb.Joint("coupler", "ball", nature)], 0.8,
                     (0.3, 0.02, 0.01), (2e-3, 0.02, 0.03))  # fmt: skip
    pivot = m.ground.point("pivot", (0.7, 0.1, 0.1))
    rocker = m.body("rocker", pivot, [sb.Joint("rocker", "R1", q0=(0.3,))], 0.6, (0, 0.15, 0), (0.01, 2e-3, 0.01))
    m.cut("ball", "ball", coupler.point("end", (0.6, 0, 0)), rocker.point("end", (0, 0.3, 0)))
    return m


def delta(nature: str = "independent") -> sb.Model:
    """A platform that only rods carry: three arms, two parallel rods each."""
    m = sb.Model("delta")
    platform = m.body(
        "platform", joints=[sb.Joint("platform", "free", q0=(0.02, 0.01, -0.55, 1, 0, 0, 0))], mass=0.5,
        com=(0.0, 0.0, 0.01), inertia=(2e-3, 2e-3, 4e-3),
    )  # fmt: skip
    for k, a in enumerate(2 * np.pi * np.arange(3) / 3):
        base = m.ground.point(f"base{k}", (0.2 * np.cos(a), 0.2 * np.sin(a), 0), (0, 0, a))
        joint = sb.Joint(f"arm{k}", "R2", q0=(0.3 + 0.1 * k,), v0=(0.5,) if k == 0 else (0.0,))
        arm = m.body(f"arm{k}", base, [joint], 0.4, (0.1, 0, 0), (1e-4, 2e-3, 2e-3))
        for side, y in (("l", 0.05), ("r", -0.05)):
            held = (0.05 * np.cos(a) - y * np.sin(a), 0.05 * np.sin(a) + y * np.cos(a), 0.0)
            ends = arm.point(side, (0.2, y, 0)), platform.point(f"{side}{k}", held)
            m.cut(f"rod{k}{side}", "rod", *ends, length=0.5)
    q = iter(sb.assemble(m))  # the same start, whatever the nature of the platform
    for joint in m.joints():
        joint.q0 = tuple(float(next(q)) for _ in range(joint.nq))
    platform.joints[0].nature = nature
    return m


CASES = {
    "rssr": rssr, "rssr, ball named": lambda: rssr("dependent"), "delta": delta,
    "delta, platform named": lambda: delta("dependent"),
}  # fmt: skip


@cache
def made(name: str, closure: str = "partitioning") -> sb.System:
    return sb.system(CASES[name](), closure=closure)


def turns(s: sb.System) -> list[str]:
    """Dependent turns of quaternions."""
    return [
        n for n in (s.model.velocities[i] for i in s.partition.dependent) if n.rpartition(".")[2] in ("wx", "wy", "wz")
    ]


def test_who_is_dependent():
    assert len(turns(made("rssr"))) >= 1
    assert len(turns(made("delta"))) >= 1
    named = made("delta, platform named")
    assert {named.model.velocities[i] for i in named.partition.free} == {"arm0", "arm1", "arm2"}


@pytest.mark.parametrize("name", CASES)
def test_accelerations_are_those_of_the_multipliers(name):
    s = made(name)
    rng = np.random.default_rng(1)
    nq, nv = len(s.layout.coordinates), len(s.layout.velocities)
    for _ in range(3):
        x = s.x0.copy()
        x[nq : nq + nv] += rng.uniform(-1, 1, nv)
        q, v = s.motion(0.0, x)
        truth = reference(s.model, q, v)
        assert np.abs(truth.h).max() < 1e-10
        assert np.abs(truth.hd).max() < 1e-10
        free = truth.qdd[list(s.partition.free)]
        assert s.rates(0.0, x)[nq : nq + nv] == pytest.approx(free, rel=1e-8, abs=1e-8 * np.abs(truth.qdd).max())


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize(
    "how",
    [
        {"dt": 5e-4},
        pytest.param({"method": "dop853", "rtol": 1e-10}, marks=pytest.mark.slow),
        pytest.param({"dt": 5e-4, "method": "rodas4"}, marks=pytest.mark.slow),
    ],
    ids=["rk4", "dop853", "rodas4"],
)
def test_energy_is_kept_and_loops_stay_closed(name, how):
    s = made(name)
    run = sb.simulate(s, 0.3, repartition=True, **how)
    assert run.t[-1] == pytest.approx(0.3)
    assert run.energy_drift < 1e-6
    truth = reference(s.model, run.q[-1], run.qd[-1])
    assert np.abs(truth.h).max() < 1e-10
    assert np.abs(truth.hd).max() < 1e-9


def test_a_platform_that_the_rods_keep_parallel_does_not_turn():
    run = sb.simulate(made("delta, platform named"), 0.3, 5e-4)
    assert np.abs(run.q[:, 3:7] - [1, 0, 0, 0]).max() < 1e-9
    assert np.ptp(run["platform.z"]) > 0.05


def test_the_motion_is_the_same_whoever_is_dependent():
    first = made("delta, platform named")
    model, v = delta(), iter(first.motion(0.0, first.x0)[1])
    for joint in model.joints():
        joint.v0 = tuple(float(next(v)) for _ in range(joint.nv))
    second = sb.system(model, independent=["platform.vx", "platform.vy", "platform.vz"])
    runs = [sb.simulate(s, 0.2, 5e-4, every=0.05) for s in (first, second)]
    assert len(turns(second)) == 3
    assert runs[0].q == pytest.approx(runs[1].q, abs=1e-7)


@pytest.mark.parametrize("closure", ["penalty", "augmented"])
@pytest.mark.parametrize("name", ["rssr", "delta"])
def test_closures_that_keep_all_coordinates_ask_for_no_partition(name, closure):
    """They agree with exact loops; a penalty lets them open by a little."""
    s = made(name, closure)
    assert len(s.layout.velocities) == s.model.nv
    method = {"method": "trapezoidal"} if closure == "augmented" else {}
    run = sb.simulate(s, 0.1, 1e-4, every=0.05, **method)
    exact = sb.simulate(made(name), 0.1, 1e-4, every=0.05, repartition=True)
    assert run.q == pytest.approx(exact.q, abs=2e-4)


def test_steps_that_cannot_follow_are_refused_by_name():
    for method in ("semi-implicit", "trapezoidal", "generalised-alpha"):
        with pytest.raises(sb.ModelError, match=r"the loops determine this rotation of a quaternion.*rk4"):
            sb.simulate(made("rssr"), 0.1, 1e-3, method=method)
    with pytest.raises(sb.ModelError, match=r"closure='penalty'"):
        sb.equilibrium(made("rssr"))


@pytest.mark.slow
def test_exact_slopes_are_those_of_differences():
    s, step = made("delta, platform named"), 1e-6
    A = s.linear(0.0, s.x0).A
    for k, name in enumerate(s.states):
        if name.endswith((".q", ".qd")):
            way = step * (np.arange(len(s.x0)) == k)
            slope = (s.rates(0.0, s.x0 + way) - s.rates(0.0, s.x0 - way)) / (2 * step)
            assert A[:, k] == pytest.approx(slope, rel=1e-5, abs=1e-5 * np.abs(A).max())
