"""Trees with driven and locked joints: the Order-N form against the semi-recursive one, and its cost.

Tests of prescribed.py.
"""

import numpy as np
import pytest

import symbody as sb
from symbody_bench.random_trees import random_tree


@pytest.mark.parametrize("seed", range(3))
def test_order_n_with_held_joints_agrees_with_the_semi_recursive_form(seed):
    rng = np.random.default_rng(seed)
    model = random_tree(rng, 4)
    joints = [j for j in model.joints() if j.nv == 1]
    for k, joint in enumerate(joints):
        joint.nature = ("driven", "locked", "independent")[rng.integers(3)] if k else "driven"
        if joint.nature == "driven":
            model.trajectory(joint.name)(lambda t, p, k=k: 0.3 + 0.2 * sb.functions.sin((1 + k) * t))
    one = sb.system(model, outputs=["*.effort", "*.qdd"])
    other = sb.system(model, outputs=["*.effort", "*.qdd"], formulation="semi-recursive")
    x = one.x0 + 0.1 * rng.normal(size=len(one.x0))
    for q, _ in one.quaternions:
        x[q : q + 4] /= np.linalg.norm(x[q : q + 4])
    np.testing.assert_allclose(one.rates(0.7, x), other.rates(0.7, x), rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(one.observe(0.7, x), other.observe(0.7, x), rtol=1e-8, atol=1e-8)
    np.testing.assert_allclose(one.linear(0.7, x).A, other.linear(0.7, x).A, rtol=1e-6, atol=1e-6)


def test_a_held_joint_does_not_cost_the_recursion():
    def operations(held: int | None) -> int:
        m = sb.Model("chain")
        on = m.ground["origin"]
        for k in range(24):
            body = m.body(f"b{k}", on, f"R{1 + k % 2}", mass=1.0, com=(0, 0, -0.5), inertia=(0.1, 0.1, 0.01))
            body.joints[0].nature = "locked" if k == held else "independent"
            on = body.point("tip", (0, 0, -1))
        return sb.system(m, outputs=["b0.q"]).rates_function.operations.total

    # one run: counted operations
    assert operations(12) < 1.1 * operations(None)
