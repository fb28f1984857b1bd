"""Singular positions: watched, reported with the cure, passed with other coordinates where that is allowed."""

import numpy as np
import pytest

import symbody as sb
from symbody import machines


def turning():
    """A crank-rocker whose crank turns round and round: the rocker's extremes are singular for the rocker."""
    m = machines.model("four-bar")
    m.joint_laws.clear()
    next(j for j in m.joints() if j.name == "crank").v0 = (12.0,)
    return m


def by_the_rocker():
    """The same, with its velocity given at the rocker."""
    m = turning()
    s = sb.system(m)
    rates = s.motion(0.0, s.x0)[1]
    for joint, rate in zip(m.joints(), rates, strict=True):
        joint.v0 = (float(rate),)
    return m


def test_a_run_over_the_rocker_stops_before_its_extreme_and_says_what_would_help():
    m = by_the_rocker()
    s = sb.system(m, independent=["rocker"])
    with pytest.raises(sb.SingularityError, match=r"rocker no longer determine.*True, or make crank") as caught:
        sb.simulate(s, 2.0, 1e-3)
    kept = caught.value.state
    assert len(kept) > 1
    assert caught.value.time == pytest.approx(kept.t[-1], abs=2e-3)
    assert np.abs(sb.compile(m, "constraints")(kept.q).h).max() < 1e-10


def test_with_permission_the_motion_goes_on_and_is_the_same():
    reference = sb.simulate(turning(), 1.0, 1e-3)
    run = sb.simulate(by_the_rocker(), 1.0, 1e-3, independent=["rocker"], repartition=True)
    np.testing.assert_allclose(run.q, reference.q, atol=3e-4)
    assert run.energy_drift < 1e-5


def parallelogram(angle):
    """Equal bars, so that crank and rocker may go on together or against each other where all lie on one line."""
    m = sb.Model("parallelogram", gravity=(0, 0, 0))
    pivot = m.ground.point("pivot", (1.0, 0, 0))
    bar = {"mass": 1.0, "com": (0.25, 0, 0), "inertia": (0.01, 0.05, 0.05)}
    crank = m.body("crank", joints=[sb.Joint("crank", "R2", q0=(angle,), v0=(1.0,))], **bar)
    rod = {"mass": 1.0, "com": (0.5, 0, 0), "inertia": (0.01, 0.1, 0.1)}
    coupler = m.body("coupler", crank.point("tip", (0.5, 0, 0)), [sb.Joint("coupler", "R2", q0=(-angle,))], **rod)
    rocker = m.body("rocker", pivot, [sb.Joint("rocker", "R2", q0=(angle,))], **bar)
    m.cut("loop", "planar-ball", coupler.point("tip", (1.0, 0, 0)), rocker.point("tip", (0.5, 0, 0)), axis=2)
    return m


def test_a_singular_start_is_refused():
    with pytest.raises(sb.SingularityError, match="start is a singular position"):
        sb.system(parallelogram(0.0))


def test_a_position_that_no_coordinates_master_is_reported_with_its_time():
    with pytest.raises(sb.SingularityError, match=r"nor other joints|no longer determine") as caught:
        sb.simulate(parallelogram(-0.4), 1.0, 1e-4)
    assert caught.value.time == pytest.approx(0.4, abs=0.05)


def test_a_moving_joint_is_independent_and_its_velocity_kept():
    s = sb.system(parallelogram(-0.4))
    assert s.states == ["crank.q", "crank.qd"]
    assert s.x0[1] == 1.0


def test_velocities_that_contradict_the_loops_are_refused():
    m = parallelogram(-0.4)
    next(j for j in m.joints() if j.name == "rocker").v0 = (5.0,)
    with pytest.raises(sb.ModelError, match="contradicts the loops"):
        sb.system(m)


def test_another_order_of_the_same_coordinates_needs_no_permission():
    """A platform that falls and turns: its legs lean far over, the platform's coordinates stay the independent ones."""
    m = machines.model("stewart")
    m.joint_laws.clear()
    run = sb.simulate(m, 0.5, 1e-3, every=0.01)
    assert run.energy_drift < 1e-8
    assert np.abs(sb.compile(m, "constraints")(run.q).h).max() < 1e-10
