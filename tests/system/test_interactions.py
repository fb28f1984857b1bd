"""Forces between two points, and forces of joints over the whole motion, against links and joint laws."""

import numpy as np
import pytest

import symbody as sb


def two_arms() -> sb.Model:
    m = sb.Model("two arms")
    for name, x in (("left", 0.0), ("right", 1.2)):
        m.ground.point(name, (x, 0.1 * x, 0.0))
        arm = m.body(name, m.ground[name], "R2 R1", mass=1.0, com=(0, 0, -0.4), inertia=(0.05, 0.06, 0.01))
        arm.point("tip", (0.05, 0.0, -0.8))
        for joint, q0, v0 in zip(arm.joints, (0.3, -0.2), (0.5, 1.0), strict=True):
            joint.q0, joint.v0 = (q0 * (1 + x),), (v0 * (1 - x),)
    m.parameter("k", 40.0)
    m.parameter("c", 1.5)
    return m


def spring_between(a, b, p):
    d = [y - x for x, y in zip(a.position, b.position, strict=True)]
    rate = [y - x for x, y in zip(a.velocity, b.velocity, strict=True)]
    length = sum(x * x for x in d) ** 0.5
    tension = p.k * (length - 1.0) + p.c * sum(x * y for x, y in zip(d, rate, strict=True)) / length
    return [-tension * x / length for x in d]


@pytest.mark.parametrize("law", [spring_between, sb.numeric(spring_between)])
def test_an_interaction_that_is_a_spring_equals_the_link(law):
    linked, paired = two_arms(), two_arms()
    linked.link("spring", "left.tip", "right.tip")(lambda length, rate, p: p.k * (length - 1.0) + p.c * rate)
    paired.interaction("spring", "left.tip", "right.tip")(law)
    one, other = sb.system(linked), sb.system(paired, outputs=["*"])
    np.testing.assert_allclose(other.rates(0.0, other.x0), one.rates(0.0, one.x0), rtol=1e-11)
    force = [other.at(0.0, other.x0)[f"spring.force.{x}"] for x in "xyz"]
    assert np.linalg.norm(force) == pytest.approx(abs(one.at(0.0, one.x0)["spring.tension"]))


def test_the_first_point_feels_the_opposite_at_the_place_of_the_second():
    """A free pair of bodies: whatever the law, momentum and moment of momentum of both together stay."""
    m = sb.Model("two free bodies", gravity=(0, 0, 0))
    for name, x in (("one", 0.0), ("two", 1.0)):
        body = m.body(name, m.ground, "free", mass=1.0 + x, inertia=(0.1, 0.2, 0.3))
        body.joints[0].q0 = (x, 0.2 * x, -x, 1.0, 0.0, 0.0, 0.0)
        body.point("hook", (0.1, 0.2, 0.3 * x))

    @m.interaction("odd", "one.hook", "two.hook")
    def odd(a, b, p):
        return 1.0, 2.0 * b.position[0], -3.0, 0.3, a.velocity[1], 0.7

    s = sb.system(m, outputs=["*"])
    at = s.at(0.0, s.x0)
    force, turn = np.zeros(3), np.zeros(3)
    for name, mass, inertia in (("one", 1.0, (0.1, 0.2, 0.3)), ("two", 2.0, (0.1, 0.2, 0.3))):
        f = mass * np.array([at[f"{name}.v{x}.dot"] for x in "xyz"])
        where = np.array([at[f"{name}.{x}"] for x in "xyz"])
        force += f
        turn += np.cross(where, f) + np.array(inertia) * [at[f"{name}.w{x}.dot"] for x in "xyz"]
    np.testing.assert_allclose(force, 0.0, atol=1e-12)
    np.testing.assert_allclose(turn, 0.0, atol=1e-12)


def test_a_coupling_twists_two_joints_against_each_other():
    m, plain = two_arms(), two_arms()

    @m.coupling("bar", "left.R2", "right.R2")
    def bar(s, p):
        twist = p.k * (s.q["left.R2"] - s.q["right.R2"])
        return -twist, twist

    m.joint_force("left.R2")(lambda q, qd, p: -p.c * qd)
    s, bare = sb.system(m, outputs=["bar.*"]), sb.system(plain, inputs=["left.R2.Q", "right.R2.Q"])
    twist = 40.0 * (0.3 - 0.3 * 2.2)
    u = np.array([-twist - 1.5 * 0.5, twist])
    np.testing.assert_allclose(s.rates(0.0, s.x0), bare.rates(0.0, bare.x0, u), rtol=1e-12)
    assert s.at(0.0, s.x0) == pytest.approx({"bar.left.R2.Q": -twist, "bar.right.R2.Q": twist})
