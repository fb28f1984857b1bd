"""Poses on the way of a tool (world.py), against SciPy's rotations."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from symbody.haptics.two_rates.world import between, velocity_between


def pose(rng):
    e = rng.normal(size=4)
    return np.concatenate([rng.normal(size=3), e / np.linalg.norm(e)])


def rotation(q):
    return Rotation.from_quat([*q[4:], q[3]])


@pytest.mark.parametrize("seed", range(10))
def test_the_velocity_between_two_poses_leads_from_one_to_the_other(seed):
    rng = np.random.default_rng(seed)
    a, b, dt = pose(rng), pose(rng), 0.25
    v = velocity_between(a, b, dt, 6)
    np.testing.assert_allclose(a[:3] + dt * v[:3], b[:3], atol=1e-12)
    led = Rotation.from_rotvec(dt * v[3:]) * rotation(a)
    assert (led * rotation(b).inv()).magnitude() < 1e-12
    assert np.linalg.norm(dt * v[3:]) <= np.pi + 1e-12  # the shorter way


@pytest.mark.parametrize("share", [0.0, 0.3, 1.0])
def test_a_pose_between_is_where_the_constant_velocity_leads(share):
    rng = np.random.default_rng(3)
    a, b = pose(rng), pose(rng)
    q, v = between(a, b, share, 6), velocity_between(a, b, 1.0, 6)
    led = Rotation.from_rotvec(share * v[3:]) * rotation(a)
    assert (led * rotation(q).inv()).magnitude() < 1e-12
    np.testing.assert_allclose(q[:3], a[:3] + share * v[:3], atol=1e-12)


def test_coordinates_of_a_linkage_are_not_taken_for_a_quaternion():
    a, b = np.zeros(7), np.arange(7.0)
    np.testing.assert_allclose(between(a, b, 0.5, 7), 0.5 * b)
    np.testing.assert_allclose(velocity_between(a, b, 0.5, 7), 2.0 * b)
