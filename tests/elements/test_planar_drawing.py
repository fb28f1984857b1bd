"""Planar mechanisms from drawings: bodies, points and contacts against geometry and statics."""

import math

import pytest

import symbody as sb
from symbody.elements.contact_laws import Felt, HuntCrossley
from symbody.elements.planar_drawing import MM, add_planar_bodies, add_planar_contacts, pad_law, planar_point
from symbody.model.plain_numbers import GRAVITY
from symbody.visual.planar_contacts import moved

BODIES = {
    "arm": {"carrier": "ground", "hinge": [10.0, 50.0], "mass": 100.0, "centre": [60.0, 50.0], "gyration": 30.0},
    "finger": {"carrier": "arm", "hinge": [110.0, 50.0], "mass": 20.0, "centre": [120.0, 40.0]},
    "plunger": {"carrier": "ground", "hinge": [40.0, 0.0], "joint": "T3", "mass": 50.0},
}
PAD = {"load": 5.0, "depth": 0.2, "exponent": 1.5, "damping": 5.0, "rub": 0.0}
CONTACTS = {"stop": {"disc": ["plunger", [40.0, 5.0], 3.0], "face": ["ground", [20.0, 1.0], [60.0, 1.0]], **PAD}}


def test_points_move_as_in_the_drawing():
    m = sb.Model("drawn")
    add_planar_bodies(m, BODIES, driven="")
    tip = planar_point(m, BODIES, "finger", "tip", (130.0, 20.0))
    m.signal("tip.x")(lambda s, p: s.point(tip.path).position[0])
    m.signal("tip.z")(lambda s, p: s.point(tip.path).position[2])
    s = sb.system(m, outputs=["*.q", "tip.*"])
    run = sb.simulate(s, until=0.05, dt=1e-3, method="rk4")
    q = {name: float(run[f"{name}.q"][-1]) for name in BODIES}
    assert abs(q["arm"]) > 0.05
    drawn = moved({"bodies": BODIES}, "finger", (130.0, 20.0), q)
    assert [run["tip.x"][-1], run["tip.z"][-1]] == pytest.approx(drawn * MM)


def test_a_hinged_body_swings_with_its_gyration_radius():
    pendulum = {"arm": BODIES["arm"] | {"centre": [10.0, 0.0]}}  # 50 mm below its hinge
    m = sb.Model("drawn")
    add_planar_bodies(m, pendulum, driven="", live=["arm"])
    assert m.parameters["arm_mass"].value == pytest.approx(0.1)
    modes = sb.modal(sb.system(m))
    assert 2.0 * math.pi * modes.frequencies[0] == pytest.approx(math.sqrt(GRAVITY * 0.05 / (0.05**2 + 0.03**2)))


def test_a_plunger_rests_at_the_depth_of_its_pad():
    m = sb.Model("drawn")
    bodies = {"plunger": BODIES["plunger"]}
    add_planar_bodies(m, bodies, driven="")
    raised = 1.5e-3  # m, of the face
    add_planar_contacts(m, CONTACTS, bodies, {"stop": raised})
    rest = sb.equilibrium(sb.system(m))
    depth = 0.2 * (0.05 * GRAVITY / 5.0) ** (1.0 / 1.5) * MM
    assert rest.states["plunger.q"] == pytest.approx(raised - 1e-3 - depth, abs=1e-9)


def test_pads_and_felts_bear_the_same_load_at_a_depth():
    pad, felt = pad_law(PAD), pad_law(PAD | {"hysteresis": 0.5, "relaxation": 5.0})
    assert isinstance(pad, HuntCrossley)
    assert isinstance(felt, Felt)
    assert pad.stiffness * (0.2 * MM) ** 1.5 == pytest.approx(5.0)
    assert felt.stiffness * (1.0 - felt.hysteresis) == pytest.approx(pad.stiffness)
    assert felt.relaxation == pytest.approx(5e-3)
