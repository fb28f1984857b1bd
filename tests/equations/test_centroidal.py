"""Centroidal momentum and Jacobian rates: by sums over bodies, by differences, and against Pinocchio."""

import numpy as np
import pytest

import symbody as sb
from symbody.system.displacement import displaced


def machine() -> sb.Model:
    """A floating base with an arm, a slide and a ball joint: each kind of joint occurs."""
    m = sb.Model("floater")
    base = m.body("base", joints="free", mass=3.0, com=(0.1, 0.0, 0.2), inertia=(0.3, 0.2, 0.4, 0.01, 0.02, -0.01))
    arm = m.body(
        "arm", base.point("hip", (0.2, 0.1, 0.3), (0.3, -0.2, 0.5)), "R2", 1.5, (0.3, 0, 0), (0.02, 0.05, 0.06)
    )
    rod = m.body("rod", arm.point("end", (0.6, 0, 0)), "T1", 0.7, (0.1, 0.05, 0), (0.01, 0.02, 0.02))
    hand = m.body("hand", rod.point("end", (0.2, 0, 0)), "ball", 0.4, (0, 0, 0.1), (0.003, 0.002, 0.001))
    hand.point("tip", (0.05, 0.02, 0.1), (0.2, 0.4, -0.3))
    return m


def state(m: sb.Model, seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    q0 = np.array([x for joint in m.joints() for x in joint.q0], dtype=float)
    q = displaced(m, q0, rng.normal(size=m.nv))
    return q, rng.normal(size=m.nv), rng.normal(size=m.nv)


@pytest.mark.parametrize("seed", range(10))
def test_momentum_is_the_sum_over_the_bodies(seed: int) -> None:
    m = machine()
    q, qd, qdd = state(m, seed)
    found = sb.compile(m, "centroidal")(q, qd, qdd)
    each = sb.compile(m, "kinematics")(q, qd)
    masses = np.array([b.mass for b in m.bodies.values()])
    coms = np.array([p + R @ b.com for p, R, b in zip(each.position, each.rotation, m.bodies.values(), strict=True)])
    speeds = each.velocity + np.cross(each.omega, coms - each.position)
    centre = masses @ coms / masses.sum()
    spin = np.zeros(3)
    for b, R, w, c, v, mass in zip(m.bodies.values(), each.rotation, each.omega, coms, speeds, masses, strict=True):
        xx, yy, zz, xy, xz, yz = b.inertia
        inertia = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        spin += R @ inertia @ R.T @ w + mass * np.cross(c - centre, v)
    assert found.mass == pytest.approx(masses.sum(), rel=1e-14)
    np.testing.assert_allclose(found.com, centre, atol=1e-13)
    np.testing.assert_allclose(found.h, [*(masses @ speeds), *spin], atol=1e-12)
    np.testing.assert_allclose(found.A @ qd, found.h, atol=1e-12)


@pytest.mark.parametrize("seed", range(3))
def test_rates_are_derivatives_along_the_motion(seed: int) -> None:
    m, step = machine(), 1e-5
    q, qd, qdd = state(m, seed)
    momentum, jacobian = sb.compile(m, "centroidal"), {}
    before, after = ((displaced(m, q, k * step * qd), qd + k * step * qdd) for k in (-1, 1))
    change = (momentum(*after, qdd).h - momentum(*before, qdd).h) / (2 * step)
    np.testing.assert_allclose(momentum(q, qd, qdd).h_dot, change, atol=1e-7)
    for reference in ("aligned", "world", "local"):
        jacobian = sb.compile(m, "jacobian_rate", point="hand.tip", reference=reference)
        rate = (jacobian(after[0], qd).J - jacobian(before[0], qd).J) / (2 * step)
        np.testing.assert_allclose(jacobian(q, qd).dJ, rate, atol=1e-7)


def test_internal_forces_do_not_change_the_momentum() -> None:
    m = machine()
    m.gravity = (0.0, 0.0, 0.0)
    q, qd, _ = state(m, 7)
    Q = np.r_[np.zeros(6), np.random.default_rng(8).normal(size=m.nv - 6)]
    qdd = sb.compile(m, "direct")(q, qd, Q)
    np.testing.assert_allclose(sb.compile(m, "centroidal")(q, qd, qdd).h_dot, 0.0, atol=1e-11)


def test_pinocchio_has_the_same_matrices() -> None:
    pin = pytest.importorskip("pinocchio")
    from symbody_bench.to_pinocchio import to_pinocchio

    m = machine()
    tree = to_pinocchio(m)
    frame = tree.model.getFrameId("hand.tip")
    references = {"local": pin.LOCAL, "world": pin.WORLD, "aligned": pin.LOCAL_WORLD_ALIGNED}
    for seed in range(10):
        q, qd, qdd = state(m, seed)
        pq, pv = tree.q(q), tree.v(qd)
        ours = sb.compile(m, "centroidal")(q, qd, qdd)
        np.testing.assert_allclose(ours.A, tree.back(pin.computeCentroidalMap(tree.model, tree.data, pq)), atol=1e-11)
        pin.computeCentroidalMomentumTimeVariation(tree.model, tree.data, pq, pv, tree.v(qdd))
        np.testing.assert_allclose(ours.h, tree.data.hg.vector, atol=1e-11)
        np.testing.assert_allclose(ours.h_dot, tree.data.dhg.vector, atol=1e-10)
        pin.computeJointJacobiansTimeVariation(tree.model, tree.data, pq, pv)
        pin.updateFramePlacements(tree.model, tree.data)
        for name, reference in references.items():
            found = sb.compile(m, "jacobian_rate", point="hand.tip", reference=name)(q, qd)
            J = pin.getFrameJacobian(tree.model, tree.data, frame, reference)
            dJ = pin.getFrameJacobianTimeVariation(tree.model, tree.data, frame, reference)
            np.testing.assert_allclose(found.J, tree.back(J), atol=1e-11)
            np.testing.assert_allclose(found.dJ, tree.back(dJ), atol=1e-10)
