"""Bodies, joints and points as data: sizes and names of joints, points by name, and what is refused."""

import pytest

from symbody.errors import ModelError
from symbody.model.body import ELEMENTARY, JOINT_TYPES, Body, Joint, Point


@pytest.mark.parametrize("kind", JOINT_TYPES)
def test_a_joint_has_a_name_and_a_start_for_each_coordinate_and_velocity(kind):
    joint = Joint("j", kind)
    nq, nv = {"ball": (4, 3), "free": (7, 6)}.get(kind, (1, 1))
    assert (joint.nq, joint.nv) == (nq, nv)
    assert (len(joint.q0), len(joint.v0)) == (nq, nv)
    assert (len(set(joint.coordinates)), len(set(joint.velocities))) == (nq, nv)


def test_quaternion_joints_start_without_rotation():
    assert Joint("j", "ball").q0 == (1.0, 0.0, 0.0, 0.0)
    assert Joint("j", "free").q0 == (0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0)
    assert Joint("j", "free").coordinates[2:4] == ["j.z", "j.qw"]
    assert Joint("j", "free").velocities[2:4] == ["j.vz", "j.wx"]
    for kind in ELEMENTARY:
        assert Joint("j", kind).coordinates == Joint("j", kind).velocities == ["j"]


def test_one_number_is_a_start():
    assert Joint("j", "R1", q0=0.3, v0=-2.0).q0 == (0.3,)
    assert Joint("j", "R1", q0=0.3, v0=-2.0).v0 == (-2.0,)


def test_points_are_found_by_name():
    arm = Body("arm", "ground.origin")
    tip = arm.point("tip", (0, 0, -1))
    assert arm["tip"] is tip
    assert tip == Point("arm", "tip", (0.0, 0.0, -1.0), (0.0, 0.0, 0.0))
    assert tip.path == "arm.tip"
    assert arm["origin"].position == (0.0, 0.0, 0.0)


def test_the_origin_may_be_turned_but_no_name_is_given_twice():
    arm = Body("arm", "ground.origin")
    assert arm.point("origin", (0, 0, 0), (0, 0, 1.0)).rotation == (0.0, 0.0, 1.0)
    arm.point("tip", (0, 0, -1))
    with pytest.raises(ModelError, match=r"arm\.tip: the body already has a point of this name"):
        arm.point("tip", (0, 0, -2))
    assert arm["tip"].position == (0.0, 0.0, -1.0)


def test_a_wrong_name_suggests_a_right_one():
    arm = Body("arm", "ground.origin")
    arm.point("elbow", (0, 0, -1))
    with pytest.raises(ModelError, match=r"arm\.elbwo: unknown point.*elbow"):
        arm["elbwo"]
