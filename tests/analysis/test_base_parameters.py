"""Base parameters: their number, their expressions, and that nothing else is needed."""

import numpy as np
import pytest

import symbody as sb
from symbody.analysis.random_states import random_state
from symbody_bench.random_trees import random_tree


def test_base_parameters_of_a_planar_pendulum():
    """Three per body: two first moments and one inertia; the second mass counts with the first body's."""
    m = sb.Model("planar")
    arm = m.body("arm", joints="R2", mass=1.0, com=(0, 0, -0.5), inertia=(0.1, 0.1, 0.1))
    m.body("bob", on=arm.point("tip", (0, 0, -1.0)), joints="R2", mass=1.0, com=(0, 0, -0.5), inertia=(0.1, 0.1, 0.1))
    base = sb.base_parameters(m)
    assert base.number == 6
    assert "arm.Iyy + bob.m" in base.expressions
    assert "arm.mz - bob.m" in base.expressions


@pytest.mark.parametrize("seed", range(4))
def test_base_parameters_reproduce_the_joint_forces(seed):
    rng = np.random.default_rng(seed)
    m = random_tree(rng, joints=5)
    base = sb.base_parameters(m)
    q, v, a = random_state(m, rng)
    Y = sb.compile(m, "regressor", live="none")(q, v, a)
    delta = rng.normal(size=len(base.names))
    np.testing.assert_allclose(
        Y[:, base.independent] @ (base.combinations @ delta), Y @ delta, atol=1e-7 * np.abs(Y @ delta).max()
    )
    assert base.number < len(base.names)


def test_a_column_of_rounding_errors_is_no_parameter():
    """A forearm on a vertical axis: its first moment along the elbow's axis has no effect, Iyz has one."""
    m = sb.Model("arm")
    upper = m.body("upper", joints="R3", mass=4.0, com=(0.2, 0.01, 0), inertia=(0.01, 0.05, 0.06))
    m.body("fore", upper.point("elbow", (0.4, 0, 0)), "R2", 2.0, (0.15, 0, 0.02), (0.004, 0.02, 0.02))
    found = sb.base_parameters(m)
    leading = [found.names[k] for k in found.independent]
    assert "fore.Iyz" in leading
    assert np.abs(found.combinations).max() < 10.0
