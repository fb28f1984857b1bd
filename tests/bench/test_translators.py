"""Pinocchio and MuJoCo, fed by our translators, must agree on the same random trees."""

from __future__ import annotations

import numpy as np
import pytest

from symbody.analysis.random_states import random_state
from symbody.model.model import Model
from symbody_bench.models import arm7, chain, humanoid30, humanoid30_euler
from symbody_bench.numeric import Array, placement
from symbody_bench.random_trees import random_tree
from symbody_bench.to_mujoco import MujocoTree, to_mujoco
from symbody_bench.to_pinocchio import PinocchioTree, to_pinocchio

pin = pytest.importorskip("pinocchio")
pytest.importorskip("mujoco")

RELATIVE = 1e-9


def close(a: Array, b: Array) -> None:
    assert np.abs(a - b).max(initial=0.0) <= RELATIVE * max(1.0, np.abs(a).max(initial=0.0))


def check_agreement(model: Model, rng: np.random.Generator) -> None:
    ours, theirs = to_pinocchio(model), to_mujoco(model)
    q, v, u = random_state(model, rng)
    close(ours.mass_matrix(q), theirs.mass_matrix(q))
    close(ours.bias(q, v), theirs.bias(q, v))
    close(ours.inverse(q, v, u), theirs.inverse(q, v, u))
    # accelerations carry the condition of the mass matrix; the efforts they stand for do not
    acceleration = theirs.direct(q, v, u)
    close(ours.inverse(q, v, acceleration), u)
    close(ours.inverse(q, v, ours.direct(q, v, u)), u)
    close(np.array(ours.energy(q, v)), np.array(theirs.energy(q, v)))
    points_agree(model, ours, theirs, q)


def points_agree(model: Model, ours: PinocchioTree, theirs: MujocoTree, q: Array) -> None:
    for body in (model.ground, *list(model.bodies.values())[:4]):
        for point in body.points.values():
            close(ours.point_position(q, point.path), theirs.point_position(q, point.path))
            close(ours.point_rotation(q, point.path), theirs.point_rotation(q, point.path))
            close(ours.point_jacobian(q, point.path), theirs.point_jacobian(q, point.path))


@pytest.mark.parametrize("seed", range(60))
def test_random_trees(seed: int) -> None:
    rng = np.random.default_rng(seed)
    check_agreement(random_tree(rng, joints=1 + seed % 12, floating=seed % 3 == 0), rng)


@pytest.mark.parametrize("model", [arm7(), chain(10), humanoid30(), humanoid30_euler()], ids=lambda m: m.name)
def test_benchmark_models(model: Model) -> None:
    check_agreement(model, np.random.default_rng(1))


def test_turned_points_are_roll_pitch_yaw() -> None:
    model = Model("turned")
    seat = model.ground.point("seat", (1.0, 2.0, 3.0), (0.3, -0.4, 0.5))
    rotation, position = placement(model, seat)
    np.testing.assert_allclose(rotation, pin.rpy.rpyToMatrix(0.3, -0.4, 0.5), atol=1e-15)
    np.testing.assert_array_equal(position, (1.0, 2.0, 3.0))


def test_a_seed_gives_one_tree() -> None:
    assert random_tree(np.random.default_rng(7)) == random_tree(np.random.default_rng(7))


def test_sizes() -> None:
    assert [(m.nq, m.nv) for m in (arm7(), humanoid30(), humanoid30_euler(), chain(10))] == [
        (7, 7),
        (31, 30),
        (30, 30),
        (10, 10),
    ]


def test_arm_as_published() -> None:
    """Stretched upwards the flange of the iiwa 14 stands 1.306 m above the floor, and the arm weighs 17.5 kg."""
    model = arm7()
    pinocchio = to_pinocchio(model)
    top = pinocchio.point_position(np.zeros(7), "link7.flange")
    np.testing.assert_allclose(top, (0.0, 0.0, 1.306), atol=1e-12)
    assert sum(float(b.mass) for b in model.bodies.values() if isinstance(b.mass, float)) == pytest.approx(17.5)
    axes = pinocchio.point_jacobian(np.zeros(7), "link7.flange")[3:]
    np.testing.assert_allclose(
        axes.T, [(0, 0, 1), (0, 1, 0), (0, 0, 1), (0, -1, 0), (0, 0, 1), (0, 1, 0), (0, 0, 1)], atol=1e-12
    )


def test_free_joint_velocity_is_in_the_carrying_frame() -> None:
    """ẋ of a free body is the velocity of its origin in the frame of the point it hangs on, ω is in its own."""
    model = Model("free")
    seat = model.ground.point("seat", (1.0, 2.0, 3.0), (0.3, -0.4, 0.5))
    model.body("body", seat, "free", 1.0, (0.1, 0.2, 0.3), (1.0, 1.2, 1.4))
    q, _, _ = random_state(model, np.random.default_rng(3))
    for engine in (to_pinocchio(model), to_mujoco(model)):
        jacobian = engine.point_jacobian(q, "body.origin")
        np.testing.assert_allclose(jacobian[:3, :3], engine.point_rotation(q, "ground.seat"), atol=1e-12)
        np.testing.assert_allclose(jacobian[3:, 3:], engine.point_rotation(q, "body.origin"), atol=1e-12)
