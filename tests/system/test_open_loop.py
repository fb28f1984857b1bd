"""Loops that stay open: by how much, in which unit, and whether they close anywhere. Tests of open_loop.py."""

import numpy as np
import pytest

import symbody as sb


def two_arms(reach: float, kind: str = "ball", **more) -> sb.Model:
    """Two arms of 1 m, hinged one behind the other, whose end is to meet a point at a distance."""
    m = sb.Model("arms")
    first = m.body("first", joints=[sb.Joint("first", "R2", q0=0.1)], mass=1.0, inertia=0.1)
    elbow = first.point("elbow", (1, 0, 0))
    second = m.body("second", elbow, joints=[sb.Joint("second", "R2", q0=-0.2)], mass=1.0, inertia=0.1)
    m.cut("loop", kind, second.point("tip", (1, 0, 0)), m.ground.point("goal", (reach, 0, 0)), **more)
    return m


def test_a_loop_out_of_reach_is_told_with_its_gap():
    """Two arms of 1 m cannot reach 2.25 m: triangle inequality."""
    with pytest.raises(sb.AssemblyError, match=r"loop 'loop' stays open by 0\.25 m at best; no closed position"):
        sb.assemble(two_arms(2.25))


def test_a_rod_is_told_by_its_length():
    with pytest.raises(sb.AssemblyError, match=r"loop 'loop' stays open by 0\.5 m at best"):
        sb.assemble(two_arms(3.0, "rod", length=0.5))


def test_directions_are_told_in_radians():
    m = sb.Model("door")
    body = m.body("door", joints="R3", mass=1.0)
    frame = m.ground.point("frame", (0, 0, 0), (0.4, 0, 0))
    m.cut("hinge", "revolute", body, frame)
    with pytest.raises(sb.AssemblyError, match=r"'hinge' stays open by 0\.4 rad at best"):
        sb.assemble(m)


def test_a_loop_that_closes_elsewhere_says_where():
    """A start in which Newton's method runs in a circle, while the loop has closed positions."""
    m = sb.Model("cam")
    m.body("cam", joints=[sb.Joint("cam", "R2", q0=0.0)], mass=1.0, inertia=0.1)
    m.constraint("stop")(lambda s, p: sb.functions.cos(s.q["cam"]) - 0.5)
    with pytest.raises(
        sb.AssemblyError, match=r"near the initial values; it closes elsewhere, for example at cam = "
    ) as said:
        sb.assemble(m)
    closed = float(str(said.value).rpartition("cam = ")[2].partition(":")[0])
    assert np.cos(closed) == pytest.approx(0.5, abs=0.01)


def test_a_loop_within_reach_closes():
    q = sb.assemble(two_arms(1.5))
    assert np.cos(q[0]) + np.cos(q[0] + q[1]) == pytest.approx(1.5)


@pytest.mark.parametrize("tilt", [1e-10, 1e-9])
def test_axes_that_are_slightly_askew_are_told_by_how_much(tilt):
    """Four hinges in a plane whose axes do not quite agree close nowhere, and least of all where they started."""
    m = sb.Model("askew")
    crank = m.body("crank", joints=[sb.Joint("crank", "R2", q0=(-0.8,))], mass=1.0)
    coupler = m.body("coupler", crank.point("tip", (0.3, 0, 0)), [sb.Joint("coupler", "R2", q0=(0.5,))], mass=1.0)
    rocker = m.body("rocker", m.ground.point("B", (0.7, 0, 0)), [sb.Joint("rocker", "R2", q0=(-1.5,))], mass=1.0)
    m.cut("loop", "revolute", coupler.point("tip", (0.8, 0, 0), (tilt, 0, 0)), rocker.point("tip", (0.6, 0, 0)), axis=2)
    with pytest.raises(sb.AssemblyError, match=r"'loop' stays open by \d\S*e-(10|11|09) rad at best"):
        sb.assemble(m)


def test_a_wheel_that_lies_flat_is_refused_by_name():
    m = sb.Model("coin")
    turns = [sb.Joint("yaw", "R3"), sb.Joint("lean", "R1", q0=(np.pi / 2,)), sb.Joint("spin", "R2")]
    place = [sb.Joint("x", "T1"), sb.Joint("y", "T2"), sb.Joint("z", "T3", "dependent")]
    coin = m.body("coin", joints=place + turns, mass=1.0, inertia=(0.01, 0.02, 0.01))
    m.rolling("contact", "wheel", coin, radius=0.3)
    with pytest.raises(sb.SingularityError, match=r"'contact'.*lies flat"):
        sb.system(m)
