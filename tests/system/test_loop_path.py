"""Continuation of closed loops: ends of paths, assembly modes, and singular positions in between (loop_path.py)."""

import numpy as np
import pytest

import symbody as sb
from symbody import machines
from symbody.system.loop_path import LoopEquations, corrected, follow


@pytest.fixture(scope="module")
def four_bar():
    s = sb.system(machines.model("four-bar"))
    loops = LoopEquations(s.model, s.definition.state_partition, s.functions.loop_equations)
    return s, loops, s.motion(0.0, s.x0, s.u0, s.start_guess)[0]


def at_cranks(q, *angles):
    """Given coordinates with other angles of the crank."""
    goal = np.tile(q, (len(angles), 1))
    goal[:, 0] = angles
    return goal


def test_paths_end_closed_and_in_one_piece(four_bar):
    s, loops, q = four_bar
    goal = at_cranks(q, -3.1, -1.0, 0.5, 3.0)
    found = follow(loops, q, s.start_guess, goal)
    assert found.reached.all()
    assert np.abs(loops.at(goal, found.v)[0]).max() < 1e-12
    halfway = follow(loops, q, s.start_guess, at_cranks(q, 1.0))
    there = loops.position(at_cranks(q, 1.0), halfway.v)[0]
    np.testing.assert_allclose(follow(loops, there, halfway.v[0], goal[3:]).v, found.v[3:], atol=1e-10)


def test_a_full_turn_of_the_crank_comes_back(four_bar):
    s, loops, q = four_bar
    turned = follow(loops, q, s.start_guess, at_cranks(q, q[0] + 2 * np.pi)).v[0]
    np.testing.assert_allclose(np.exp(1j * turned), np.exp(1j * s.start_guess), atol=1e-9)


def test_newton_reports_where_it_does_not_converge(four_bar):
    s, loops, q = four_bar
    far = np.array([s.start_guess, s.start_guess + 1e3])
    _, converged, sign, _, iterations = corrected(loops, at_cranks(q, q[0], q[0]), far)
    assert converged[0]
    assert sign[0] != 0
    assert iterations[0] <= 2


def test_a_change_point_stops_the_path():
    """Crank and rod of equal length: at a right angle two branches cross, and neither is the right one to go on."""
    m = sb.Model("equal lengths")
    rod = {"mass": 1.0, "com": (0.5, 0, 0), "inertia": (0.1, 0.1, 0.1)}
    crank = m.body("crank", joints=[sb.Joint("crank", "R2", q0=(1.0,))], **rod)
    other = m.body("rod", crank.point("tip", (1, 0, 0)), [sb.Joint("rod", "R2", "dependent", q0=(-2.0,))], **rod)
    slider = m.body("slider", joints=[sb.Joint("slider", "T1", "dependent", q0=(1.1,))], mass=0.5)
    m.cut("pin", "planar-ball", other.point("tip", (1, 0, 0)), slider["origin"], axis=2)
    s = sb.system(m)
    loops = LoopEquations(s.model, s.definition.state_partition, s.functions.loop_equations)
    q = s.motion(0.0, s.x0, s.u0, s.start_guess)[0]
    found = follow(loops, q, s.start_guess, at_cranks(q, 1.5, 1.6))
    np.testing.assert_array_equal(found.reached, [True, False])
    assert 1.0 + 0.6 * found.share[1] == pytest.approx(np.pi / 2, abs=1e-3)
    slide = s.dependent_names.index("slider")
    assert found.v[0, slide] == pytest.approx(2 * np.cos(1.5))
