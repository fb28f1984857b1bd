"""Geometry and kinematics of the motion platform: closed forms against the engine's loops and differences."""

import numpy as np
import pytest

from platform_stage import DATA, by_legs, engine, random_motion, rows
from symbody.model.rotation import matrix
from symbody.motion.geometry import inverse_geometry, leg_angles, leg_lengths, leg_vectors, rotation
from symbody.motion.kinematics import (
    euler_map,
    inverse_jacobian,
    leg_frames,
    leg_rates,
    rates_of_twist,
    twist_of_rates,
)

ROUNDING = 1e-11


def test_the_printed_lengths_of_the_suggested_geometry():
    heights = np.array([[0.0, 0.0, z, 0.0, 0.0, 0.0] for z in (0.35, 0.5, 0.65)])
    found = leg_lengths(heights, DATA)
    assert found == pytest.approx(np.repeat([[0.385], [0.525], [0.670]], 6, axis=1), abs=6e-4)
    corners = np.array(np.meshgrid(*[(limit.low, limit.high) for a, limit in DATA.limits.items() if "." not in a]))
    legs = leg_lengths(corners.reshape(6, -1).T, DATA)
    assert (legs.min(), legs.max()) == pytest.approx((0.288, 0.792), abs=2.5e-3)  # by another order of angles


def test_rotation_is_the_roll_pitch_yaw_of_points():
    angles = np.random.default_rng(1).standard_normal((4, 3))
    for angle, found in zip(angles, rotation(angles), strict=True):
        assert found == pytest.approx(matrix(angle), abs=1e-14)


def test_legs_and_passive_joints_are_those_of_the_engines_loops():
    for axes, rates, second in rows(random_motion(25)):
        found = engine()(axes, rates, second)
        q, passive = inverse_geometry(axes, DATA)
        assert by_legs(engine().places, found.q) == pytest.approx(np.column_stack([passive, q[2:]]), abs=ROUNDING)


def test_rates_and_second_derivatives_of_all_leg_joints_are_those_of_the_engine():
    motion = random_motion(25, seed=2)
    pose, twist, acceleration = motion.pose, motion.twist, motion.acceleration
    legs = leg_rates(pose, twist[:, 2:], acceleration[:, 2:], DATA)
    for k, (axes, rates, second) in enumerate(rows(motion)):
        found = engine()(axes, rates, second)
        ours = np.column_stack([rate[k] for rate in legs[:3]]), np.column_stack([rate[k] for rate in legs[3:]])
        for mine, values in zip(ours, (found.qd, found.qdd), strict=True):
            wanted = by_legs(engine().places, values)
            assert mine == pytest.approx(wanted, abs=1e-10 * max(1.0, np.abs(wanted).max()))


def test_active_rates_are_the_inverse_jacobian_times_the_twist():
    motion = random_motion(50, seed=3)
    pose, twist, acceleration = motion.pose, motion.twist, motion.acceleration
    legs = leg_rates(pose, twist[:, 2:], acceleration[:, 2:], DATA)
    assert legs.q3d == pytest.approx((inverse_jacobian(pose, DATA) @ twist[:, 2:, None])[..., 0], abs=1e-13)


def test_the_jacobian_is_the_slope_of_the_lengths():
    pose, h = random_motion(5, seed=4).axes[:, 2:], 1e-6
    E = euler_map(pose[:, 3:])
    for k in range(6):
        step = h * np.eye(6)[k]
        slope = (leg_lengths(pose + step, DATA) - leg_lengths(pose - step, DATA)) / (2.0 * h)
        J = inverse_jacobian(pose, DATA)
        wanted = J[..., k] if k < 3 else (J[..., 3:] @ E[..., k - 3, None])[..., 0]
        assert slope == pytest.approx(wanted, abs=1e-9)


def test_twist_and_rates_are_inverse_to_each_other():
    motion = random_motion(20, seed=5)
    pose, rates = motion.axes[:, 2:], motion.rates[:, 2:]
    assert rates_of_twist(pose, twist_of_rates(pose, rates)) == pytest.approx(rates, abs=1e-13)


def test_leg_frames_are_right_handed_and_point_along_the_legs():
    d, _ = leg_vectors(random_motion(20, seed=7).axes[:, 2:], DATA)
    f = leg_frames(d)
    assert np.cross(f.x, f.y) == pytest.approx(f.a, abs=1e-14)
    q1, q2 = np.moveaxis(leg_angles(d), -1, 0)
    along = np.stack([np.cos(q1) * np.sin(q2), -np.cos(q2), -np.sin(q1) * np.sin(q2)], axis=-1)
    assert f.a == pytest.approx(along, abs=1e-14)
    assert np.stack([f.s1, f.c1, f.s2, f.c2]) == pytest.approx(
        np.stack([np.sin(q1), np.cos(q1), np.sin(q2), np.cos(q2)])
    )
