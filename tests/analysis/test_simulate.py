"""Simulation of trees: order of the integrator, energy, quaternions, failures."""

import numpy as np
import pytest

import symbody as sb


def pendulum(angle=2.5):
    m = sb.Model("pendulum")
    m.body("arm", joints=[sb.Joint("arm", "R2", q0=(angle,))], mass=1.0, com=(0, 0, -0.5), inertia=(0.1, 0.1, 0.1))
    return m


def test_energy_is_conserved_to_the_integrators_order():
    drifts = [sb.simulate(pendulum(), 2.0, dt).energy_drift for dt in (0.02, 0.01)]
    assert 3.5 < np.log2(drifts[0] / drifts[1]) < 5.8


def test_small_swings_have_the_period_of_the_textbook():
    motion = sb.simulate(pendulum(0.01), 2.0, 1e-3)
    omega = np.sqrt(9.81 * 0.5 / (0.1 + 0.25))
    np.testing.assert_allclose(motion.q[:, 0], 0.01 * np.cos(omega * motion.t), atol=2e-6)


def test_free_body_keeps_its_momentum_and_unit_quaternion():
    m = sb.Model("stone", gravity=(0, 0, 0))
    joint = sb.Joint("stone", "free", v0=(1.0, 0.0, 2.0, 0.1, 3.0, 0.2))
    m.body("stone", joints=[joint], mass=2.0, inertia=(0.1, 0.2, 0.3))
    motion = sb.simulate(m, 5.0, 1e-3)
    assert motion.energy_drift < 1e-10
    np.testing.assert_allclose(motion.q[-1, :3], [5.0, 0.0, 10.0], atol=1e-9)
    np.testing.assert_allclose(np.linalg.norm(motion.q[:, 3:], axis=1), 1.0, atol=1e-12)
    pose = sb.compile(m, "kinematics")(motion.q, motion.qd)
    spin = np.einsum("nij,j,nkj,nk->ni", pose.rotation[:, 0], [0.1, 0.2, 0.3], pose.rotation[:, 0], pose.omega[:, 0])
    np.testing.assert_allclose(spin, np.tile(spin[0], (len(spin), 1)), atol=1e-9)


def test_joint_forces_do_work():
    m = sb.Model("cart", gravity=(0, 0, 0))
    m.body("cart", joints="T1", mass=2.0)
    m.joint_force("cart")(lambda q, qd, p: 4.0 * p.t)
    motion = sb.simulate(m, 1.0, 1e-2)
    assert motion["cart.q"][-1] == pytest.approx(4.0 / 6 / 2)


def test_divergence_keeps_what_was_computed():
    m = pendulum()
    m.joint_force("arm")(lambda q, qd, p: qd * qd * qd * 1e3 + 1)
    with pytest.raises(sb.DivergenceError, match="diverged") as caught:
        sb.simulate(m, 5.0, 1e-2)
    assert caught.value.time is not None
    assert len(caught.value.state) > 1


def test_progress_bar_ends_complete(capsys):
    sb.simulate(pendulum(), 0.25, 1e-3, progress=True)
    assert "250/250" in capsys.readouterr().err
