"""Loop equations: each kind of cut against finite differences, and against what it must allow."""

import numpy as np
import pytest
from programs import run

from symbody.analysis.random_states import random_state
from symbody.equations.functions import make_program
from symbody.errors import ModelError
from symbody.model.components import CUT_KINDS
from symbody.model.model import Model
from symbody_bench.random_trees import random_tree

EQUATIONS = {"ball": 3, "rod": 1, "universal": 4, "revolute": 5, "solid": 6, "planar-ball": 2, "planar-solid": 3}


@pytest.mark.parametrize("kind", CUT_KINDS)
@pytest.mark.parametrize("seed", range(3))
def test_jacobian_and_bias_are_the_derivatives(kind, seed):
    rng = np.random.default_rng(200 + seed)
    model = random_tree(rng, joints=8)
    ends = [b for b in model.bodies.values() if b.joints][-2:]
    a, b = (body.point(f"end{i}", rng.normal(size=3), rng.normal(size=3)) for i, body in enumerate(ends))
    model.cut("loop", kind, a, b, axis=1 + seed, **({"length": 0.7} if kind == "rod" else {}))
    q, v, _ = random_state(model, rng)
    position, bias, rates = (make_program(model, f) for f in ("constraints", "constraint_bias", "rates"))
    assert len(run(position, q=q)["h"]) == EQUATIONS[kind]
    step = 1e-4

    def h(s):
        """h after moving for a time s at constant joint velocities, by a Taylor step of q that keeps quaternions."""
        n = 20
        moved = q
        for _ in range(n):
            middle = moved + 0.5 * s / n * run(rates, q=moved, qd=v)["q_dot"]
            moved = moved + s / n * run(rates, q=middle, qd=v)["q_dot"]
        return run(position, q=moved)["h"]

    before, here, after = h(-step), h(0.0), h(step)
    J = run(position, q=q)["J"]
    scale = max(1.0, np.abs(J @ v).max()) ** 2
    np.testing.assert_allclose(J @ v, (after - before) / (2 * step), atol=1e-5 * scale)
    np.testing.assert_allclose(run(bias, q=q, qd=v)["Jdqd"], (after - 2 * here + before) / step**2, atol=1e-3 * scale)


def hinged_square(kind):
    """Four rods of 1 m in the plane of axes 1 and 2, hinged about axis 3; the loop is cut at the last corner."""
    m = Model("square")
    place = m.ground
    for i in range(3):
        body = m.body(f"rod{i}", place, "R3", mass=1.0, com=(0.5, 0, 0), inertia=(0.01, 0.1, 0.1))
        place = body.point("tip", (1, 0, 0))
    m.ground.point("corner", (0, 1, 0))
    m.cut("loop", kind, place, "ground.corner", axis=3)
    return m


@pytest.mark.parametrize(("kind", "rank"), [("ball", 2), ("revolute", 2), ("planar-ball", 2), ("planar-solid", 3)])
def test_square_linkage_closes_and_keeps_one_freedom(kind, rank):
    m = hinged_square(kind)
    q = np.array([0.0, np.pi / 2, np.pi / 2])
    found = run(make_program(m, "constraints"), q=q)
    if kind != "planar-solid":
        np.testing.assert_allclose(found["h"], 0, atol=1e-15)
    assert np.linalg.matrix_rank(found["J"]) == rank


def test_joints_that_carry_both_ends_do_not_appear():
    m = Model("crane")
    tower = m.body("tower", joints="T1 R3", mass=1.0)
    left = m.body("left", tower.point("l", (0.1, 0, 0)), "R2", mass=1.0)
    right = m.body("right", tower.point("r", (-0.1, 0, 0)), "R2", mass=1.0)
    m.cut("loop", "ball", left.point("tip", (0, 0, 1)), right.point("tip", (0, 0, 1)))
    program = make_program(m, "constraints")
    J = run(program, q=np.array([0.3, 0.4, 0.1, -0.2]))["J"]
    assert not J[:, :2].any()
    assert J[:, 2:].any()


# operations printed by the program that these files belong to: (h, J) and J̇q̇
PRINTED = {"suspension": (29, 36), "coman_skywalker": (354, 453)}


def test_counts_of_published_files(public_model):
    if not public_model.cuts:
        pytest.skip("a tree")
    from pathlib import Path

    from symbody.equations.functions import GenerationOptions

    printed = PRINTED[Path(public_model.file).stem]
    functions, options = ("constraints", "constraint_bias"), GenerationOptions(live="all")
    found = [make_program(public_model, f, options).operations.total for f in functions]
    assert found[0] <= printed[0]
    assert found[1] <= printed[1]


def test_a_tree_says_that_it_has_no_loops():
    m = Model("tree")
    m.body("arm", joints="R2", mass=1.0)
    with pytest.raises(ModelError, match="cuts"):
        make_program(m, "constraints")
