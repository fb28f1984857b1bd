"""Rotations: exact at multiples of 45°, and the inverse of each of them."""

import math

import numpy as np
import pytest

from symbody.errors import ModelError
from symbody.model.rotation import align, matrix, roll_pitch_yaw, turn


def test_cosine_and_sine_are_exact_at_multiples_of_45_degrees():
    half = math.sqrt(0.5)
    exact = {0: (1.0, 0.0), 1: (half, half), 2: (0.0, 1.0), 3: (-half, half), 4: (-1.0, 0.0), 6: (0.0, -1.0)}
    for eighth, expected in exact.items():
        for turns in (-1, 0, 3):
            assert turn((eighth + 8 * turns) * math.pi / 4) == expected
    assert turn(1.5707963268) == (0.0, 1.0)  # π/2 with ten digits, as files write it
    assert turn(0.3) == (math.cos(0.3), math.sin(0.3))


def test_angles_are_about_fixed_axes_roll_first():
    x, y, z = (matrix(angles) for angles in ((0.3, 0, 0), (0, -0.7, 0), (0, 0, 1.9)))
    np.testing.assert_allclose(x @ (0, 1, 0), (0, math.cos(0.3), math.sin(0.3)), atol=1e-15)
    np.testing.assert_allclose(y @ (0, 0, 1), (math.sin(-0.7), 0, math.cos(0.7)), atol=1e-15)
    np.testing.assert_allclose(z @ (1, 0, 0), (math.cos(1.9), math.sin(1.9), 0), atol=1e-15)
    np.testing.assert_allclose(matrix((0.3, -0.7, 1.9)), z @ y @ x, atol=1e-15)


def test_rotations_come_back():
    rng = np.random.default_rng(0)
    for _ in range(200):
        rpy = rng.uniform(-math.pi, math.pi, 3)
        rpy[1] = rng.choice([rpy[1] / 2, math.pi / 2, -math.pi / 2, math.pi / 2 - 1e-9, 0.0])
        np.testing.assert_allclose(matrix(roll_pitch_yaw(matrix(rpy))), matrix(rpy), atol=1e-12)
        axis = rng.choice([-1.0, 0.0, 1.0, 0.3], 3)
        if axis.any():
            k, turned = align(axis, "joint")
            np.testing.assert_allclose(turned[:, k - 1], axis / np.linalg.norm(axis), atol=1e-15)
            np.testing.assert_allclose(turned @ turned.T, np.eye(3), atol=1e-15)
            assert np.linalg.det(turned) > 0


@pytest.mark.parametrize("axis", [(0.0, 0.0, 0.0), (1e-12, 0.0, 0.0), (math.nan, 0.0, 1.0), (math.inf, 0.0, 0.0)])
def test_an_axis_without_direction_is_refused(axis):
    with pytest.raises(ModelError, match="elbow: the axis has no direction"):
        align(np.array(axis), "elbow")
