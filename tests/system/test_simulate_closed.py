"""Closed mechanisms in motion: energy, loops that stay closed, driven joints, and a formula from the textbook."""

import numpy as np
import pytest
from test_constrained import four_bar, hexapod, spatial_slider

import symbody as sb
from symbody.analysis.random_states import random_state


@pytest.mark.parametrize("make", [four_bar, spatial_slider, hexapod])
def test_energy_is_conserved_and_loops_stay_closed(make):
    model = make()
    motion = sb.simulate(model, 0.3, 1e-3)
    assert motion.energy_drift < 1e-8
    constraints = sb.compile(model, "constraints")(motion.q)
    assert np.abs(constraints.h).max() < 1e-10
    assert np.abs(np.einsum("nij,nj->ni", constraints.J, motion.qd)).max() < 1e-9


def test_the_integrator_keeps_its_order_through_the_loops():
    drifts = [sb.simulate(four_bar(), 0.4, dt).energy_drift for dt in (0.02, 0.01)]
    assert 3.3 < np.log2(drifts[0] / drifts[1]) < 6.0


def test_driven_crank_moves_the_rocker_as_geometry_says():
    """With the crank driven, the rocker's angle follows from the distances alone."""
    model = four_bar(driven=True)
    rate = 2.0
    model.trajectory("crank")(lambda t, p: -1.2 + rate * t)
    motion = sb.simulate(model, 1.0, 1e-2)
    np.testing.assert_allclose(motion.q[:, 0], -1.2 + rate * motion.t, atol=1e-12)
    pin = 0.3 * np.stack([np.cos(motion.q[:, 0]), -np.sin(motion.q[:, 0])], axis=1)
    tip = np.array([0.7, 0]) + 0.6 * np.stack([np.cos(motion.q[:, 2]), -np.sin(motion.q[:, 2])], axis=1)
    np.testing.assert_allclose(np.linalg.norm(tip - pin, axis=1), 0.8, atol=1e-10)


def test_locked_joints_stay():
    m = sb.Model("two")
    arm = m.body("arm", joints="R2", mass=1.0, com=(0, 0, -0.5), inertia=(0.1, 0.1, 0.1))
    m.body(
        "bob", arm.point("tip", (0, 0, -1)), [sb.Joint("bob", "R2", "locked", q0=(0.7,))], mass=1.0, com=(0, 0, -0.3)
    )
    m.bodies["arm"].joints[0].q0 = (1.0,)
    motion = sb.simulate(m, 0.5, 1e-3)
    np.testing.assert_array_equal(motion.q[:, 1], 0.7)
    assert motion.energy_drift < 1e-9


def test_a_locked_quaternion_joint_is_refused():
    m = sb.Model("ball")
    m.body("stone", joints=[sb.Joint("stone", "ball", "locked")], mass=1.0, inertia=(1, 1, 1))
    with pytest.raises(sb.ModelError, match="quaternion"):
        sb.simulate(m, 0.1, 0.01)


def test_trees_by_partitioning_and_by_order_n_agree():
    from symbody.equations.compile import compile_constrained
    from symbody.system.partition import partition
    from symbody_bench.random_trees import random_tree

    rng = np.random.default_rng(11)
    model = random_tree(rng, joints=6)
    q, v, Q = random_state(model, rng)
    parts = partition(model, q)
    qdd = compile_constrained(model, parts)(q, v, Q, np.zeros(0)).qdd
    np.testing.assert_allclose(qdd, sb.compile(model, "direct")(q, v, Q), rtol=1e-9, atol=1e-9)
