"""What cannot work ends with the matching error, before anything runs where it can be known before.

Driven joints are held by model/tree.py.
"""

import numpy as np
import pytest
from test_constrained import four_bar

import symbody as sb


def test_a_driven_joint_without_a_trajectory():
    with pytest.raises(sb.ModelError, match=r"crank: the driven joint has no trajectory .*@m.trajectory"):
        sb.system(four_bar(driven=True))


def test_a_trajectory_for_a_joint_that_is_not_driven():
    m = four_bar()
    m.trajectory("crank")(lambda t, p: t)
    with pytest.raises(sb.ModelError, match=r"crank.*driven"):
        sb.system(m)


def test_a_trajectory_that_cannot_be_differentiated():
    m = four_bar(driven=True)
    m.trajectory("crank")(sb.numeric(lambda t, p: t))
    with pytest.raises(sb.ModelError, match="differentiated twice"):
        sb.system(m)


def test_an_unreachable_position_names_the_loop_and_its_gap():
    m = four_bar(driven=True)
    m.ground.points["pivot"].position = (7.0, 0.0, 0.5)
    m.trajectory("crank")(lambda t, p: 1.5)
    with pytest.raises(sb.AssemblyError, match=r"'loop' stays open by \d\.\d+ m at best"):
        sb.system(m)


def test_a_driven_crank_that_leaves_what_the_loop_can_reach():
    """A rocker-crank driven beyond its reach: the run ends at that time and keeps what it has."""
    m = four_bar(driven=True)
    m.ground.points["pivot"].position = (1.3, 0.0, 0.0)  # 0.3 + 1.3 > 0.8 + 0.6: the crank cannot turn round
    m.trajectory("crank")(lambda t, p: 1.2 + t)
    with pytest.raises((sb.SingularityError, sb.DivergenceError)) as caught:
        sb.simulate(m, 3.0, 1e-3)
    assert 0.1 < caught.value.time < 2.0
    assert len(caught.value.state) > 50
    assert np.isfinite(caught.value.state.values).all()


def test_two_drives_on_one_freedom():
    m = four_bar(driven=True)
    rocker = next(j for j in m.joints() if j.name == "rocker")
    start = sb.assemble(four_bar("planar-ball"))
    for joint, q in zip(m.joints(), start, strict=True):
        joint.q0 = (float(q),)
    rocker.nature = "driven"
    m.trajectory("crank")(lambda t, p: start[0] + t)
    m.trajectory("rocker")(lambda t, p: start[2] + t)
    with pytest.raises(sb.AssemblyError, match="driven joints crank, rocker contradicts the loops"):
        sb.system(m)


def test_a_truss_has_forces_but_no_motion():
    """A triangle of two rods, pinned: no state, but its weight is in the cut and in the joints."""
    m = sb.Model("truss")
    m.ground.point("right", (1.0, 0, 0))
    rod = {"mass": 2.0, "com": (0.25, 0, 0), "inertia": (0.1, 0.1, 0.1)}
    left = m.body("left", joints=[sb.Joint("left", "R2", q0=(-0.9,))], **rod)
    right = m.body("right", "ground.right", [sb.Joint("right", "R2", q0=(-2.2,))], **rod)
    m.cut("top", "planar-ball", left.point("end", (0.7, 0, 0)), right.point("end", (0.7, 0, 0)), axis=2)
    s = sb.system(m, outputs=["*.force.*"])
    assert s.states == []
    run = sb.simulate(s, 0.1, 1e-2)
    assert run["ground.reaction.force.z"][-1] == pytest.approx(4 * 9.81)
    assert run["top.force.z"][-1] == pytest.approx(0.0, abs=1e-9)  # symmetric: nothing up or down between the two
    assert abs(run["top.force.x"][-1]) > 1.0


def test_equations_that_contradict_each_other():
    m = four_bar()
    m.constraint("fixed")(lambda s, p: s.q["crank"] - 0.3)
    m.constraint("otherwise")(lambda s, p: s.q["crank"] - 0.4)
    with pytest.raises(sb.AssemblyError, match="stays open"):
        sb.system(m)


def test_a_state_far_from_any_closed_position():
    m = four_bar()
    s = sb.system(m)
    m.ground.points["pivot"].position = (1.3, 0.0, 0.0)
    t = sb.system(m)
    with pytest.raises(sb.AssemblyError, match=r"stays open by .* at best at this state"):
        sb.simulate(t, 0.1, 1e-3, x0=np.array([3.0, 0.0]))
    assert np.isfinite(s.rates(0.0, s.x0)).all()


def test_driven_joints_without_a_trajectory_are_told_at_once_and_can_be_held(tmp_path):
    m = sb.Model("m")
    for name, q0 in (("a", 0.3), ("b", 0.0), ("free", 0.0), ("c", 0.0)):
        nature = "independent" if name == "free" else "driven"
        m.body(name, joints=[sb.Joint(name, "R2", nature, q0=(q0,))], mass=1.0, com=(1, 0, 0), inertia=(1, 1, 1))
    m.trajectory("c")(lambda t, p: 0.5 * t)
    with pytest.raises(sb.ModelError, match=r"2 driven joints have no trajectory: a, b .*hold_driven=True"):
        sb.system(m)
    sb.save(m, tmp_path / "m.yaml")
    held = sb.load(tmp_path / "m.yaml", hold_driven=True)
    assert {j.name: j.nature for j in held.joints()} == {
        "a": "locked",
        "b": "locked",
        "free": "independent",
        "c": "driven",
    }
    run = sb.simulate(held, 0.1, 0.01)
    assert (run["a.q"] == 0.3).all()
    assert run["c.q"][-1] == pytest.approx(0.05)
