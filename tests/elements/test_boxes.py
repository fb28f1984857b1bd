"""Oriented boxes: apart or not against linear programming, depth against what parts them, tumbling without loss."""

from dataclasses import replace
from itertools import product
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.optimize import linprog
from scipy.spatial.transform import Rotation

import symbody as sb
from symbody.analysis.balance import energy_balance
from symbody.elements.boxes import Box, box_box, box_on_box
from symbody.elements.contact import closing
from symbody.elements.contact_laws import HuntCrossley, Penalty
from symbody.elements.friction import Coulomb
from symbody.expr.node_table import fresh_graph

SHARP = 1e-12  # m


def placed(position=(0.0, 0.0, 0.0), rotation=None, velocity=(0, 0, 0), omega=(0, 0, 0)) -> SimpleNamespace:
    matrix = np.eye(3) if rotation is None else rotation.as_matrix()
    return SimpleNamespace(position=tuple(position), rotation=matrix, velocity=tuple(velocity), omega=tuple(omega))


def pair(rng, spread=0.5, turned=True):
    """Two boxes at random; not turned: by a hair against each other."""
    halves = rng.uniform(0.1, 0.5, (2, 3))
    rotations = [Rotation.random(random_state=rng), Rotation.random(random_state=rng)]
    if not turned:
        rotations[1] = Rotation.from_rotvec(rng.normal(size=3) * 10.0 ** rng.uniform(-9, -1)) * rotations[0]
    places = rng.normal(size=(2, 3)) * spread
    a, b = (placed(x, r, rng.normal(size=3), rng.normal(size=3) * 2) for x, r in zip(places, rotations, strict=True))
    return a, b, Box(*halves[0], SHARP), Box(*halves[1], SHARP)


def met(a, b, box_a, box_b):
    """Depth, normal and place in plain numbers."""
    with fresh_graph():
        meeting = box_box(a, b, box_a, box_b)
        return float(meeting.depth), np.array([*map(float, meeting.normal)]), np.array([*map(float, meeting.place)])


def corners(at, box) -> np.ndarray:
    signs = np.array(list(product((-1, 1), repeat=3)))
    return np.array(at.position) + (signs * box.halves) @ at.rotation.T


def overlapping(a, b, box_a, box_b) -> bool:
    """Whether the hulls of the corners share a point: is there one weighting of each with the same sum?"""
    P, Q = corners(a, box_a), corners(b, box_b)
    A = np.vstack([np.hstack([P.T, -Q.T]), np.r_[np.ones(8), np.zeros(8)], np.r_[np.zeros(8), np.ones(8)]])
    return linprog(np.zeros(16), A_eq=A, b_eq=[0, 0, 0, 1, 1], method="highs").status == 0


@pytest.mark.slow
@pytest.mark.parametrize("turned", [True, False])
def test_boxes_overlap_where_linear_programming_says_so(turned):
    rng = np.random.default_rng(5)
    found = []
    for _ in range(120):
        boxes = pair(rng, turned=turned)
        depth = met(*boxes)[0]
        if abs(depth) > 1e-6:
            assert (depth > 0.0) == overlapping(*boxes)
            found.append(depth > 0.0)
    assert 0.2 < np.mean(found) < 0.8


@pytest.mark.parametrize("turned", [True, False])
def test_the_depth_is_the_least_way_that_parts_them(turned):
    rng = np.random.default_rng(6)
    checked = 0
    for _ in range(60):
        a, b, box_a, box_b = pair(rng, 0.2, turned)
        depth, normal, _ = met(a, b, box_a, box_b)
        if depth < 1e-3:
            continue
        for way, still in ((depth + 1e-5, False), (0.99 * depth - 1e-5, True)):
            moved = placed(np.array(b.position) + way * normal)
            moved.rotation = b.rotation
            assert overlapping(a, moved, box_a, box_b) == still
        ways = rng.normal(size=(4000, 3))
        ways = np.vstack([ways, normal + 0.05 * rng.normal(size=(1000, 3))])
        ways /= np.linalg.norm(ways, axis=1)[:, None]
        P, Q = corners(a, box_a), corners(b, box_b)
        needed = (P @ ways.T).max(axis=0) - (Q @ ways.T).min(axis=0)
        assert needed.min() >= depth - 1e-5 * (not turned) - 1e-9
        checked += 1
    assert checked > 20


@pytest.mark.slow
def test_the_place_is_in_both_boxes():
    rng = np.random.default_rng(7)
    inside = []
    for _ in range(300):
        a, b, box_a, box_b = pair(rng, 0.3)
        depth, _, place = met(a, b, box_a, box_b)
        if 0.0 < depth < 0.05:
            local = [np.abs(x.rotation.T @ (place - x.position)) - box.halves for x, box in ((a, box_a), (b, box_b))]
            inside.append(np.max(local) < 1e-9)
    assert len(inside) > 20
    assert np.mean(inside) > 0.9  # a corner may reach through a face beside the other's edge


@pytest.mark.parametrize("rounding", [SHARP, 0.01])
def test_the_closing_velocity_is_the_rate_of_the_depth(rounding):
    rng, h = np.random.default_rng(8), 1e-6
    seen = 0
    for _ in range(60):
        a, b, *sharp = pair(rng, 0.3)
        box_a, box_b = (replace(box, rounding=rounding) for box in sharp)
        depths, normals = [], []
        for s in (-h, h):
            later = [
                placed(np.array(x.position) + s * np.array(x.velocity), Rotation.from_rotvec(s * np.array(x.omega))
                       * Rotation.from_matrix(x.rotation)) for x in (a, b)
            ]  # fmt: skip
            depth, normal, _ = met(*later, box_a, box_b)
            depths.append(depth)
            normals.append(normal)
        if np.linalg.norm(normals[1] - normals[0]) > 1e-4:
            continue  # another axis has taken over in between
        with fresh_graph():
            rate = float(closing(a, b, box_box(a, b, box_a, box_b))[0])
        assert rate == pytest.approx((depths[1] - depths[0]) / (2 * h), abs=1e-5)
        seen += 1
    assert seen > 50


def test_a_flat_box_is_met_in_the_middle_of_its_face():
    depth, normal, place = met(placed(), placed((0.1, -0.2, 0.55)), Box(1, 1, 0.5), Box(0.2, 0.1, 0.1))
    assert depth == pytest.approx(0.05, abs=1e-12)
    assert normal == pytest.approx([0, 0, 1])
    assert place == pytest.approx([0.1, -0.2, 0.475])


# -- in motion ---------------------------------------------------------------------------------------------------------


def dropped(law, friction=None, tilt=(0.3, -0.5, 0.2), height=0.5, spin=(2.0, 1.0, -3.0)) -> sb.Model:
    """A box above a floor that is one."""
    m = sb.Model("dice")
    floor = m.ground.point("floor", (0.0, 0.0, -0.5))
    dice = m.body("dice", joints="free", mass=2.0, inertia=(0.02, 0.03, 0.04))
    x, y, z, w = Rotation.from_rotvec(tilt).as_quat()
    dice.joints[0].q0 = (0.0, 0.0, height, w, x, y, z)
    dice.joints[0].v0 = (0.3, 0.0, 0.0, *spin)
    box_on_box(m, "floor", floor, Box(3.0, 3.0, 0.5, 1e-6), dice, Box(0.2, 0.15, 0.1), law=law, friction=friction)
    return m


def test_a_tumbling_box_loses_nothing_to_an_elastic_floor():
    run = sb.simulate(dropped(HuntCrossley(stiffness=2e6)), 2.0, 2e-5, every=0.0001, outputs=["*"])
    touches = np.count_nonzero(np.diff(run["floor.depth"] > 0.0))
    assert touches >= 6
    assert energy_balance(run, elements=["floor"]).drift < 2e-4 * run.kinetic.max()


def test_a_box_falls_flat_on_a_rough_floor_and_stays_there():
    m = dropped(Penalty(stiffness=1e5, damping=500.0), Coulomb(Fc=0.5, v0=1e-2, sigma2=0.0), height=0.25)
    run = sb.simulate(m, 2.0, 2e-5, outputs=["*"])
    assert run["floor.dissipated"].min() >= 0.0
    kept = energy_balance(run, elements=["floor"])
    assert kept.drift < 2e-3 * kept.lost[-1]
    late = run.t > 1.5
    up = Rotation.from_quat(np.array([run[f"dice.q{k}"][late] for k in "xyzw"]).T).as_matrix()[:, 2]
    assert np.abs(up).max(axis=1).min() > 0.999  # one axis stands upright, but for a little rocking
    assert run["dice.z"][late] == pytest.approx(0.1, abs=5e-3)
    assert np.ptp(run["dice.x"][late]) < 1e-2
    assert run["floor.load"][late].mean() == pytest.approx(2.0 * 9.81, rel=0.02)


def test_half_sizes_are_live():
    s = sb.system(dropped(HuntCrossley(stiffness=2e6), tilt=(0, 0, 0), height=0.1001, spin=(0, 0, 0)))
    at = [name.removesuffix(".dot") for name in s.states].index("dice.vz")
    assert s.rates(0.0, s.x0)[at] == pytest.approx(-9.81)
    s.parameters["floor_b_z"] = 0.1011
    assert s.rates(0.0, s.x0)[at] == pytest.approx(-9.81 + 2e6 * 1e-3**1.5 / 2.0, rel=1e-6)
    assert all(np.isfinite(slope).all() for slope in s.linear(0.0, s.x0))


def test_a_box_without_size_is_refused():
    m = sb.Model("flat")
    body = m.body("sheet", joints="free", mass=1.0, inertia=(1, 1, 1))
    with pytest.raises(sb.ModelError, match="floor_b"):
        box_on_box(m, "floor", m.ground, Box(1, 1, 1), body, Box(1, 1, 0), law=Penalty(stiffness=1e5))
