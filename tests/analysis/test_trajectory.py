"""Motions that are followed: efforts against driven joints, power balances and closed solutions."""

import argparse

import numpy as np
import pytest
from scipy.interpolate import CubicSpline

import symbody as sb
from symbody import machines
from symbody.analysis.trajectory import follow
from symbody.cli import inverse as command

T = np.linspace(0.0, 1.0, 101)


def driven(model, joint, law):
    """The same model with a driven joint, simulated."""
    next(j for j in model.joints() if j.name == joint).nature = "driven"
    model.trajectory(joint)(law)
    return sb.simulate(model, 1.0, T[1], outputs=["*"])


def test_a_followed_joint_needs_what_a_driven_one_needs():
    def law(t, p):
        return -1.0 + 0.5 * t * t + p.base * t

    found = follow(machines.model("four-bar"), {"crank": law}, T, outputs=["*"])
    known = driven(machines.model("four-bar"), "crank", law)
    for name in ("crank.effort", "rocker.q", "coupler.qdd", "loop.force.x"):
        np.testing.assert_allclose(found[name], known[name], atol=1e-9)
    assert np.abs(found["crank.effort"]).max() > 0.01


GIVEN = {
    "formula": lambda t: "-1 + 0.3*sin(2*t)",
    "samples": lambda t: -1 + 0.3 * np.sin(2 * t),
    "samples at other times": lambda t: (np.linspace(0, 1, 61), -1 + 0.3 * np.sin(2 * np.linspace(0, 1, 61))),
    "spline": lambda t: CubicSpline(np.linspace(0, 1, 801), -1 + 0.3 * np.sin(2 * np.linspace(0, 1, 801))),
    "all three": lambda t: (-1 + 0.3 * np.sin(2 * t), 0.6 * np.cos(2 * t), -1.2 * np.sin(2 * t)),
}


@pytest.mark.parametrize("how", GIVEN)
def test_a_motion_may_be_given_in_many_ways(how):
    found = follow(machines.model("four-bar"), {"crank": GIVEN[how](T)}, T, outputs=["crank.*"])
    np.testing.assert_allclose(found["crank.q"], -1 + 0.3 * np.sin(2 * T), atol=1e-12)
    np.testing.assert_allclose(found["crank.qd"], 0.6 * np.cos(2 * T), atol=1e-7)
    np.testing.assert_allclose(found["crank.qdd"], -1.2 * np.sin(2 * T), atol=1e-4)


def test_a_motor_elsewhere_gives_the_same_power():
    motion = {"crank": -1 + 0.5 * T * T}
    usual, other = (
        follow(machines.model("four-bar"), motion, T, actuators=a, outputs=["*"]) for a in (["crank"], ["rocker"])
    )
    np.testing.assert_allclose(
        other["rocker.effort"] * other["rocker.qd"], usual["crank.effort"] * usual["crank.qd"], atol=1e-10
    )
    np.testing.assert_allclose(other["crank.qdd"], 1.0, atol=1e-6)  # of the system with the motor at work
    assert np.abs(other["loop.force.x"] - usual["loop.force.x"]).max() > 0.01


def test_a_platform_is_turned_by_its_legs():
    """A quaternion through samples: the body's angular velocity and acceleration, and the power of all six legs."""
    m = machines.model("stewart")
    angle = 0.1 * np.sin(3 * T)
    motion = {f"platform.{c}": np.zeros_like(T) for c in ("x", "y", "qy", "qz")}
    size = 1 + 0.4 * T  # of the quaternion, which only has to point the right way
    motion |= {"platform.qw": size * np.cos(angle / 2), "platform.qx": size * np.sin(angle / 2)}
    motion["platform.z"] = 1.1 + 0.02 * T * T
    legs = [j.name for j in m.joints() if j.type == "T3"]
    found = follow(m, motion, T, actuators=legs, outputs=["*.q", "*.qd", "*.Q", "platform.*", "energy.*"])
    np.testing.assert_allclose(found["platform.wx"], 0.3 * np.cos(3 * T), atol=1e-7)
    np.testing.assert_allclose(found["platform.wx.dot"], -0.9 * np.sin(3 * T), atol=1e-4)
    power = sum(found[f"{leg}.Q"] * found[f"{leg}.qd"] for leg in legs)  # what they had before, and the effort
    energy = found["energy.kinetic"] + found["energy.potential"]
    work = np.concatenate([[0.0], np.cumsum((power[1:] + power[:-1]) / 2 * np.diff(T))])
    np.testing.assert_allclose(energy - energy[0], work, atol=2e-3 * np.ptp(energy))


def test_cranks_that_go_all_the_way_round():
    """The order of the loop's pivots must change on the way, the coordinates stay."""
    m = sb.Model("drag-link")
    pivot = m.ground.point("pivot", (0.2, 0, 0))
    crank = m.body("crank", joints=[sb.Joint("crank", "R2", q0=(0.1,))], mass=1.0, com=(0.25, 0, 0))
    coupler = m.body("coupler", crank.point("tip", (0.5, 0, 0)), [sb.Joint("coupler", "R2", q0=(1.0,))], mass=2.0)
    rocker = m.body("rocker", pivot, [sb.Joint("rocker", "R2", q0=(0.9,))], mass=1.5, com=(0.3, 0, 0))
    m.cut("loop", "ball", coupler.point("tip", (0.45, 0, 0)), rocker.point("tip", (0.48, 0, 0)))
    found = follow(m, {"crank": lambda t, p: 0.1 + 2 * np.pi * t}, T)
    assert np.abs(sb.compile(m, "constraints")(found.q).h).max() < 1e-12
    assert found["rocker.q"][-1] - found["rocker.q"][0] == pytest.approx(2 * np.pi)
    assert np.abs(np.diff(found["rocker.q"])).max() < 0.2
    assert np.all(np.isfinite(found.values))


def test_a_far_start_is_reached_on_the_same_branch():
    found = follow(machines.model("four-bar"), {"crank": np.pi - 1.0 + 0.1 * T}, T)
    whole = follow(machines.model("four-bar"), {"crank": -1.0 + (np.pi + 0.1) * T}, T)
    assert found["rocker.q"][-1] == pytest.approx(whole["rocker.q"][-1])


def test_a_mechanism_that_is_driven_already():
    m = machines.model("four-bar")
    next(j for j in m.joints() if j.name == "crank").nature = "driven"
    m.trajectory("crank")(lambda t, p: -1 + t)
    found = follow(m, {}, [0.0, 0.3, 1.0])
    np.testing.assert_allclose(found["crank.q"], [-1.0, -0.7, 0.0])


def test_what_cannot_be_followed_is_refused():
    m = machines.model("four-bar")
    for motion, t, error, words in (
        ({"crank": T, "rocker": T}, T, sb.SingularityError, "choose other joints"),
        ({"crank": T[:-3]}, T, sb.ModelError, "101 samples"),
        ({"crank": T}, T[::-1], sb.ModelError, "increasing"),
        ({"rocker": -1.3 + T}, T, sb.AssemblyError, "cannot be closed"),
        ({}, T, sb.ModelError, "crank"),
    ):
        with pytest.raises(error, match=words):
            follow(m, motion, t)
    with pytest.raises(sb.ModelError, match="degrees of freedom"):
        follow(machines.model("quarter-car"), {"heave": 0 * T, "travel": 0 * T}, T, actuators=["heave"])


def test_the_command_sums_up_the_efforts(tmp_path):
    table = np.column_stack([T, -1 + 0.5 * T * T])
    np.savetxt(tmp_path / "motion.csv", table, delimiter=",", header="t,crank", comments="")
    parser = argparse.ArgumentParser()
    command.options(parser)
    arguments = parser.parse_args(["four-bar", "--trajectory", str(tmp_path / "motion.csv"), "-o", str(tmp_path)])
    arguments.json = True
    said = command.run(arguments)
    exact = follow(machines.model("four-bar"), {"crank": -1 + 0.5 * T * T}, T)["crank.effort"]
    (row,) = said["efforts"]
    assert row == pytest.approx({**row, "largest": np.abs(exact).max(), "rms": np.sqrt(np.mean(exact**2))})
    assert len(sb.Run.load(said["table"])) == len(T)
    np.savetxt(tmp_path / "motion.csv", table, delimiter=",", header="t,crankk", comments="")
    with pytest.raises(sb.ModelError, match="no column is a coordinate"):
        command.run(arguments)


def equal_slider_crank() -> sb.Model:
    """Crank and rod of 1 m: at a right angle the slider stands on the crank's pivot, and may stay there."""
    m = sb.Model("equal lengths")
    rod = {"mass": 1.0, "com": (0.5, 0, 0), "inertia": (0.1, 0.1, 0.1)}
    crank = m.body("crank", joints=[sb.Joint("crank", "R2", q0=(1.0,))], **rod)
    other = m.body("rod", crank.point("tip", (1, 0, 0)), [sb.Joint("rod", "R2", "dependent", q0=(-2.0,))], **rod)
    slider = m.body("slider", joints=[sb.Joint("slider", "T1", "dependent", q0=(1.1,))], mass=0.5)
    m.cut("pin", "planar-ball", other.point("tip", (1, 0, 0)), slider["origin"], axis=2)
    return m


@pytest.mark.parametrize("count", [11, 100])
def test_a_motion_through_a_change_point_is_refused(count):
    with pytest.raises(sb.SingularityError, match="passed a singular position") as caught:
        sb.follow(equal_slider_crank(), {"crank": "1 + t"}, np.linspace(0, 1, count))
    assert 0.57 < caught.value.time < 0.57 + 2 / count
    run = sb.follow(equal_slider_crank(), {"crank": "1 + 0.55*t"}, np.linspace(0, 1, count), outputs=["*.q"])
    np.testing.assert_allclose(run["slider.q"], 2 * np.cos(run["crank.q"]), atol=1e-12)


def test_a_motor_at_its_dead_point_is_named():
    with pytest.raises(sb.SingularityError, match=r"at t = 0\.5 s slider cannot drive this motion \(dead point\)"):
        sb.follow(equal_slider_crank(), {"crank": "0.5 - t"}, np.linspace(0, 1, 11), actuators=["slider"])
    s = sb.system(equal_slider_crank())
    with pytest.raises(sb.SingularityError, match="cannot compute efforts of slider"):
        s.inverse(["slider"])(np.zeros(2), [1.0])
