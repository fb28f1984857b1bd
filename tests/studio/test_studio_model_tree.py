"""Bodies and joints as the page lists them, and which numbers belong to which part."""

import numpy as np

import symbody as sb
from symbody import machines
from symbody.model.law import FormulaLaw
from symbody.studio.model_tree import anatomy, body_numbers


def cart():
    m = sb.Model("cart")
    mass = m.parameter("load", 2.0, "kg")
    length = m.parameter("length", 0.7, "m")
    m.parameter("pole_friction", 0.1)
    m.parameter("spring_stiffness", 10.0)
    m.parameter("other", 1.0)
    m.parameter("drag", 1.0)
    m.parameter("gain", 1.0)
    base = m.body("base", joints=[sb.Joint("slide", "T1")], mass=1.0)
    pole = m.body("pole", base, [sb.Joint("pole", "R2")], mass=mass, com=(0, 0, length / 2), inertia=(0.1, 0.2, 0.3))
    pole.point("tip", (0, 0, length))
    m.link("spring", m.ground, base)(lambda length, rate, p: p.spring_stiffness * length)
    m.joint_force("pole")(lambda q, qd, p: -p.drag * qd)
    m.joint_force("slide")(FormulaLaw(("-force",), ("q", "qd"), (("force", "gain*q"),)))
    m.body("ghost", pole["tip"], "ball")
    return m


CHANNELS = ["slide.q", "slide.qd", "pole.q", "pole.qd", "slide.effort", "ghost.qw", "ghost.wx"]


def test_bodies_are_on_what_carries_them_and_joints_have_their_channels():
    base, pole, ghost = anatomy(cart(), CHANNELS, [])
    assert [(card.name, card.frame, card.on) for card in (base, pole, ghost)] == [
        ("base", 1, 0), ("pole", 2, 1), ("ghost", 3, 2)
    ]  # fmt: skip
    assert base.channels == ["slide.q", "slide.qd", "slide.effort"]
    assert (pole.joints[0].type, pole.joints[0].nature, pole.channels) == ("R2", "independent", ["pole.q", "pole.qd"])
    assert ghost.channels == ["ghost.qw", "ghost.wx"]  # those that are recorded
    assert pole.row["joints"][0]["name"] == "pole"


def test_numbers_belong_to_the_parts_that_they_are_in_or_named_after():
    m = cart()
    base, pole, ghost = anatomy(m, CHANNELS, list(m.parameters))
    assert base.dials == ("spring_stiffness", "gain")
    assert pole.dials == ("load", "length", "pole_friction", "drag")
    assert ghost.dials == ()


def test_masses_follow_the_parameters():
    m = cart()
    np.testing.assert_allclose(body_numbers(m, "pole", {}), [2, 0, 0, 0.35, 0.1, 0.2, 0.3, 0, 0, 0])
    np.testing.assert_allclose(body_numbers(m, "pole", {"load": 5.0, "length": 2.0})[:4], [5, 0, 0, 1])


def test_every_body_of_a_machine_has_a_card():
    m = machines.model("car")
    cards = anatomy(m, [], list(m.parameters))
    assert [card.name for card in cards] == list(m.bodies)
    assert all(card.on < card.frame for card in cards)  # carriers come first
    assert sum(len(card.joints) for card in cards) == len(list(m.joints()))
