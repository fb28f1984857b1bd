"""Servos (servos.py): the start pose is held, targets are reached as far as a spring against gravity reaches."""

import numpy as np
import pytest
from scipy.optimize import brentq

import symbody as sb
from symbody import machines
from symbody.model.joint_limits import JointLimits
from symbody.studio.model_machine import model_machine
from symbody.studio.servos import FREQUENCY, Servo, robot_servos, target_input, with_servos

MASS, REACH, INERTIA, GRAVITY = 2.0, 0.5, 0.05, 9.81


def arm(q0=0.3):
    """A body on one hinge; at the angle q its weight turns it by −m g r cos q."""
    m = sb.Model("arm")
    m.body(
        "arm", joints=[sb.Joint("lift", "R2", q0=(q0,))], mass=MASS, com=(-REACH, 0, 0), inertia=(0, INERTIA, INERTIA)
    )
    return m


def two_joints():
    m = sb.Model("two")
    upper = m.body(
        "upper", joints=[sb.Joint("a", "R2", q0=(0.4,))], mass=3.0, com=(0.2, 0, 0), inertia=(0.01, 0.1, 0.1)
    )
    m.body(
        "lower",
        upper.point("tip", (0.4, 0, 0)),
        [sb.Joint("b", "R2", q0=(-0.7,))],
        1.0,
        (0.1, 0, 0),
        (0.001, 0.01, 0.01),
    )
    return m


def run(model, until, **targets):
    return sb.simulate(sb.system(model), until, 1e-3, inputs=targets)


def test_the_start_pose_is_held_to_rounding():
    found = run(with_servos(two_joints(), [Servo("a"), Servo("b")]), 1.0, target_a=0.4, target_b=-0.7)
    assert np.abs(found["a.q"] - 0.4).max() < 1e-5  # gains have six digits
    assert np.abs(found["b.q"] + 0.7).max() < 1e-5


def test_a_target_is_reached_as_far_as_the_spring_bears_the_weight():
    target, start = 1.2, 0.3
    found = run(with_servos(arm(start), [Servo("lift")]), 3.0, target_lift=target)
    stiffness = FREQUENCY**2 * (INERTIA + MASS * REACH**2)

    def torque(q):  # of the weight, less what carries it at the start, and of the spring
        return MASS * GRAVITY * REACH * (np.cos(start) - np.cos(q)) + stiffness * (target - q)

    assert found["lift.q"][-1] == pytest.approx(brentq(torque, 0.5, 2.0), abs=1e-4)
    assert abs(found["lift.qd"][-1]) < 1e-3


def test_a_servo_goes_no_faster_than_it_may():
    servo = Servo("lift", JointLimits(velocity=0.5))
    found = run(with_servos(arm(), [servo]), 2.0, target_lift=1.2)
    assert 0.45 < np.abs(found["lift.qd"]).max() < 0.6


def test_what_is_pushed_beyond_its_end_is_pushed_back_and_weak_servos_give_way():
    def pushed(limits, torque):
        s = sb.system(with_servos(arm(), [Servo("lift", limits)]), inputs=["lift.Q"])
        return sb.simulate(s, 2.0, 1e-3, inputs={"lift.Q": torque, "target_lift": 0.3})["lift.q"]

    assert 0.5 < pushed(JointLimits(-1.0, 0.5), 150.0)[-1] < pushed(JointLimits(), 150.0)[-1]
    strong, weak = pushed(JointLimits(), 30.0), pushed(JointLimits(effort=12.0), 30.0)  # the weight takes 9.4 N m
    assert np.abs(strong - 0.3).max() < 0.2
    assert np.abs(weak - 0.3).max() > 1.0


def test_a_joint_starts_within_its_ends():
    held = with_servos(arm(), [Servo("lift", JointLimits(0.6, 1.0))])
    assert sb.system(held).x0[0] == pytest.approx(0.8)
    assert (held.inputs["target_lift"].low, held.inputs["target_lift"].high) == (0.6, 1.0)


def test_an_arm_from_a_file_holds_all_its_joints_within_their_limits():
    model = machines.entry("arm6").open()
    servos = robot_servos(model)
    assert [servo.joint for servo in servos] == [joint.name for joint in model.joints()]
    machine = machines.entry("arm6").page()
    labels = {dial.name: dial.label for dial in machine.dials}
    for servo in servos:
        dial = next(d for d in machine.dials if d.name == target_input(servo.joint))
        assert labels[dial.name] == servo.joint
        assert not servo.limits.bounded or (dial.low, dial.high) == (servo.limits.lower, servo.limits.upper)
    s = machine.system
    found = sb.simulate(s, 1.0, 1e-3, inputs=dict(zip(s.inputs, s.u0, strict=True)))
    assert max(np.abs(found[f"{servo.joint}.q"] - found[f"{servo.joint}.q"][0]).max() for servo in servos) < 1e-4


def test_the_platform_is_held_and_its_legs_go_where_they_are_told():
    s = machines.entry("stewart").page().system
    first = dict(zip(s.inputs, map(float, s.u0), strict=True))
    still = sb.simulate(s, 1.0, 1e-3, inputs=first)
    assert np.abs(still["rod1.q"] - still["rod1.q"][0]).max() < 1e-4
    legs = {name: value + 0.15 for name, value in first.items() if name.startswith("target_")}
    raised = sb.simulate(s, 2.0, 1e-3, inputs=first | legs)
    for k in range(1, 7):
        assert raised[f"rod{k}.q"][-1] == pytest.approx(legs[f"target_rod{k}"], abs=2e-3)


def test_the_crank_of_andrews_mechanism_follows_each_target_against_its_spring():
    machine = machines.entry("andrews").page()
    s = machine.system
    x, given = s.x0.copy(), dict(zip(s.inputs, map(float, s.u0), strict=True))
    for target in (2.9, -2.9, 1.0):
        moved = sb.simulate(s, 4.5, 1e-4, inputs=given | {"target_beta": target}, x0=x, every=0.1)
        assert moved["beta.q"][-1] == pytest.approx(target, abs=0.06)
        x = np.array([moved[name][-1] for name in s.states])


def test_servos_that_are_off_let_go():
    m = with_servos(arm(), [Servo("lift")])
    m.parameters["servo_share"].value = 0.0
    assert np.ptp(run(m, 1.0, target_lift=0.3)["lift.q"]) > 1.0


def test_a_robot_that_floats_is_held_where_it_is(tmp_path):
    path = tmp_path / "float.urdf"
    body = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'
    path.write_text(
        f"""<robot name="f"><link name="world"/><link name="base">{body}</link><link name="arm">{body}</link>
        <joint name="free" type="floating"><parent link="world"/><child link="base"/></joint>
        <joint name="j" type="revolute"><parent link="base"/><child link="arm"/><axis xyz="0 1 0"/>
        <limit lower="-1" upper="1" effort="9" velocity="1"/></joint></robot>"""
    )
    machine = model_machine(sb.load(path), 1000.0, None, {})
    assert [name for name in machine.system.states if "free" in name] == []
    assert machine.start
