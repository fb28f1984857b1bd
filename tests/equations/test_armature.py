"""Inertia of drives, seen at their joints: in all formulations, and in the energy."""

import numpy as np
import pytest

import symbody as sb
from symbody import machines
from symbody.errors import ModelError


def arm(armature):
    m = machines.model("arm6")
    for k, joint in enumerate(m.joints()):
        joint.armature = armature * (1 + k)
    return m


def floating(armature):
    m = sb.Model("chain")
    base = m.body("base", joints="free", mass=3.0, com=(0.1, 0, 0.2), inertia=(0.1, 0.2, 0.3))
    ball = m.body("ball", base.point("tip", (0.3, 0.1, 0)), "ball", 1.0, (0.2, 0.1, 0), (0.1, 0.1, 0.05))
    m.body("slide", ball.point("end", (0, 0.4, 0)), "T1 R2", 0.7, (0, 0.1, 0.2), (0.01, 0.02, 0.03))
    for joint in m.joints():
        joint.armature = armature
    return m


@pytest.mark.parametrize("build", [arm, floating])
@pytest.mark.parametrize("form", ["order-n", "factorised"])
def test_all_functions_agree_with_the_mass_matrix(build, form):
    """M = M₀ + diag(a); Q of q̈ and q̈ of Q belong together; T = ½ q̇ᵀ M q̇."""
    plain, m = build(0.0), build(0.4)
    rng = np.random.default_rng(2)
    q, v, a = rng.uniform(-1, 1, m.nq), rng.uniform(-1, 1, m.nv), rng.uniform(-1, 1, m.nv)
    for joint, place in zip(m.joints(), np.cumsum([0] + [j.nq for j in m.joints()]), strict=False):
        if joint.nq > 1:
            q[place + joint.nq - 4 : place + joint.nq] /= np.linalg.norm(q[place + joint.nq - 4 : place + joint.nq])
    extra = np.diag([joint.armature for joint in m.joints() for _ in range(joint.nv)])
    M = sb.compile(m, "mass")(q)
    np.testing.assert_allclose(M, sb.compile(plain, "mass")(q) + extra, atol=1e-12)
    Q = sb.compile(m, "inverse")(q, v, a)
    np.testing.assert_allclose(Q, sb.compile(plain, "inverse")(q, v, a) + extra @ a, atol=1e-10)
    np.testing.assert_allclose(sb.compile(m, "direct", form=form)(q, v, Q), a, atol=1e-8)
    assert sb.compile(m, "energy")(q, v)[0] == pytest.approx(0.5 * v @ M @ v)


def test_a_system_moves_with_it_in_every_formulation():
    m = arm(0.3)
    inputs = [f"{joint.name}.Q" for joint in m.joints()]
    rng = np.random.default_rng(4)
    x, u = rng.uniform(-1, 1, 12), rng.uniform(-5, 5, 6)
    recursive, semi = (sb.system(m, inputs=inputs, formulation=form) for form in ("recursive", "semi-recursive"))
    np.testing.assert_allclose(recursive.rates(0.0, x, u), semi.rates(0.0, x, u), atol=1e-9)
    expected = sb.compile(m, "direct")(x[:6], x[6:], u)
    np.testing.assert_allclose(recursive.rates(0.0, x, u)[6:], expected, atol=1e-9)


def test_a_drive_alone_makes_a_joint_turn():
    """A hinge that carries nothing turns by its drive: a q̈ = Q."""
    m = sb.Model("drive")
    m.body("rotor", joints=[sb.Joint("rotor", "R3", armature=0.5)])
    assert sb.compile(m, "direct")([0.0], [0.0], [2.0]) == pytest.approx([4.0])


def test_regressor_refuses_it():
    with pytest.raises(ModelError, match="armature"):
        sb.compile(arm(0.1), "regressor")


def test_a_negative_one_is_refused():
    with pytest.raises(ModelError, match="armature is -1"):
        sb.check(arm(-1.0))
