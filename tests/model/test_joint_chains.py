"""Which joints stand in a row without mass between them, which of them can lock, and what is advised."""

import pytest

import symbody as sb
from symbody.model.joint_chains import advice, joint_chains, watched_chains


def names(chains):
    return [[joint.name for joint in chain.joints] for chain in chains]


def carried(offset=(0.0, 0.0, 0.0), ring_mass=0.0):
    """A rotor on a ring on a fork; the latter two without mass unless told."""
    m = sb.Model("carried")
    fork = m.body("fork", joints="R3", mass=ring_mass)
    ring = m.body("ring", fork.point("seat", offset), "R1", ring_mass)
    m.body("rotor", ring, "R3", 1.0, inertia=(0.1, 0.1, 0.2))
    return m


def test_chains_go_through_bodies_without_mass():
    assert names(joint_chains(carried())) == [["fork", "ring", "rotor"]]
    assert names(watched_chains(carried())) == [["fork", "ring", "rotor"]]
    assert joint_chains(carried(ring_mass=1.0)) == []


def test_advice_names_three_hinges_in_a_point():
    assert len(advice(carried())) == 1
    assert "fork, ring, rotor meet in a point" in advice(carried())[0]
    assert advice(carried(offset=(0.1, 0, 0))) == []
    for joints, told in (("R1 R2 R3", 1), ("T1 T2 T3 R1 R2 R3", 1), ("R1 R2", 0), ("R1 T2 R3", 0), ("R1 R1 R2", 0)):
        m = sb.Model("one")
        m.body("b", joints=joints, mass=1.0, inertia=(1, 1, 1))
        assert len(advice(m)) == told, joints


def test_a_welded_mass_ends_a_chain():
    m = carried()
    m.body("weight", "ring", mass=1.0)
    assert names(joint_chains(m)) == [["fork", "ring"]]


@pytest.mark.parametrize(("inertia", "watched"), [((0, 0, 0), [["a", "r"]]), ((0.1, 0.1, 0.1), [])])
def test_a_point_mass_needs_two_joints_to_be_singular_and_a_body_three(inertia, watched):
    m = sb.Model("polar")
    m.body("mass", joints=[sb.Joint("a", "R2"), sb.Joint("r", "T3", q0=(1.0,))], mass=1.0, inertia=inertia)
    assert names(watched_chains(m)) == watched


def test_what_lies_in_loops_is_left_to_the_watch_on_loops():
    m = sb.Model("looped")
    body = m.body("b", joints="R1 R2 R3", mass=1.0, inertia=(1, 1, 1))
    assert len(watched_chains(m)) == 1
    m.cut("rod", "rod", body.point("tip", (1, 0, 0)), m.ground.point("eye", (1, 1, 0)), length=1.0)
    assert watched_chains(m) == []
