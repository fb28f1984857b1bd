"""Where the platform is singular: the cubic beside LAPACK's determinant, the distance beside a search, the floors."""

from math import radians

import numpy as np
import pytest

import symbody as sb
from symbody.machines.platform.data import platform_data
from symbody.motion.geometry import leg_vectors
from symbody.motion.kinematics import inverse_jacobian
from symbody.motion.singularity import (
    MONOMIALS,
    along,
    cubic,
    determinant,
    distance,
    distance_function,
    locus,
    mode_floor,
    powers,
    roots,
    taylor,
    z_floor,
)

DATA = platform_data()
WORK = (0.35, 0.65)  # m, the heights of the work range


@pytest.fixture(scope="module")
def poses():
    half = np.array([0.2, 0.2, 0.3, 0.6, 0.6, 0.6])
    return DATA.neutral + half * np.random.default_rng(3).uniform(-1.0, 1.0, (200, 6))


def test_the_determinant_is_that_of_the_rows(poses):
    d, L = leg_vectors(poses, DATA)
    by_lapack = np.linalg.det(np.concatenate([d, np.cross(L, d)], axis=-1))
    np.testing.assert_allclose(determinant(poses, DATA), by_lapack, rtol=1e-9, atol=1e-16)


def test_for_an_orientation_it_is_a_cubic_of_twenty_terms(poses):
    assert len(MONOMIALS) == 20
    assert MONOMIALS[:4] == ((0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1))
    values = (powers(poses[:, :3]) * cubic(poses[:, 3:], DATA)).sum(axis=-1)
    size = np.abs(determinant(poses, DATA)).max()
    np.testing.assert_allclose(values, determinant(poses, DATA), atol=1e-12 * size)


def test_the_series_about_a_pose_gives_the_determinant_beside_it(poses):
    shift = np.random.default_rng(1).uniform(-0.3, 0.3, (len(poses), 3))
    moved = poses + np.hstack([shift, np.zeros_like(shift)])
    size = np.abs(determinant(moved, DATA)).max()
    np.testing.assert_allclose(
        (powers(shift) * taylor(poses, DATA)).sum(-1), determinant(moved, DATA), atol=1e-12 * size
    )


def test_roots_of_cubics():
    c = np.array([[-6.0, 11.0, -6.0, 1.0], [1.0, 0.0, 1.0, 0.0], [-1.0, 0.0, 0.0, 8.0], [-2.0, 1.0, 0.0, 0.0]])
    found = roots(c)
    np.testing.assert_allclose(found[0], [1.0, 2.0, 3.0], rtol=1e-9)
    assert np.abs(found[1][np.isfinite(found[1])]).min() > 1e3  # only one that is as good as infinite
    np.testing.assert_allclose(found[2][np.isfinite(found[2])], 0.5)
    assert np.isclose(found[3], 2.0).any()


def test_no_singular_place_is_nearer_than_the_distance(poses):
    """Along 400 directions the first zero of the determinant is searched for by the roots of its cubic."""
    rng = np.random.default_rng(5)
    directions = rng.normal(size=(400, 3))
    directions /= np.linalg.norm(directions, axis=1)[:, None]
    for pose in poses[:40]:
        c = taylor(pose, DATA)
        terms = powers(directions) * c
        degree = np.array([sum(e) for e in MONOMIALS])
        lines = np.stack([terms[:, degree == n].sum(axis=1) for n in range(4)], axis=1)
        nearest = np.nanmin(np.abs(roots(lines)))
        assert 0.2 * nearest < distance(pose, DATA) <= nearest * (1.0 + 1e-9)


def test_near_the_surface_the_distance_is_exact():
    pose = np.array([0.05, 0.02, 0.0, 0.5, 0.6, 0.3])
    surface = roots(along("z", pose, DATA))
    z = float(surface[np.isfinite(surface)][-1])
    at = np.array([*pose[:2], z, *pose[3:]])
    gradient = taylor(at, DATA)[1:4]
    off = 1e-5 * gradient / np.linalg.norm(gradient)
    assert distance(at + np.r_[off, 0.0, 0.0, 0.0], DATA) == pytest.approx(1e-5, rel=1e-2)
    assert distance(at, DATA) == pytest.approx(0.0, abs=1e-12)


def test_compiled_it_is_the_same(poses):
    np.testing.assert_allclose(distance_function(DATA)(poses), distance(poses, DATA), rtol=1e-9)


# -- the statements on floors, for this geometry -----------------------------------------------------------------------


def test_above_the_floor_nothing_is_singular_and_at_the_floor_the_platform_is():
    """x = y = 0, tilts to 45°: z ≥ 0.35 m is safe; shown by singular values, not by the cubic."""
    floor = z_floor(DATA, tilt=radians(45.0))
    assert 0.2 < floor.z <= WORK[0]
    rng = np.random.default_rng(8)
    pose = np.zeros((20000, 6))
    pose[:, 3:5] = rng.uniform(-1.0, 1.0, (len(pose), 2)) * radians(45.0)
    pose[:, 2] = rng.uniform(floor.z, WORK[1], len(pose))
    signs = np.sign(np.linalg.det(inverse_jacobian(pose, DATA)))
    assert len(set(signs)) == 1
    least = np.linalg.svd(inverse_jacobian(floor.pose, DATA), compute_uv=False)[-1]
    assert least < 1e-6
    below = floor.pose - np.array([0.0, 0.0, 0.01, 0.0, 0.0, 0.0])
    assert np.sign(np.linalg.det(inverse_jacobian(below, DATA))) != signs[0]


def test_the_floor_of_each_motion_mode():
    tilt = DATA.limits["roll"].high
    alone, all_axes = z_floor(DATA, tilt=tilt), z_floor(DATA, tilt=tilt, yaw=DATA.limits["yaw"].high, shift=0.1)
    # one run: the second set of poses contains the first
    assert alone.z < all_axes.z < WORK[0]  # everything that the limits allow is safe in the whole work range
    angles = np.linspace(-tilt, tilt, 61)
    for mode in ("surge", "transverse"):
        for z in (0.2, *WORK):
            found = locus(mode, [angles], DATA, z)
            assert not np.any(np.abs(found) <= 0.1), f"{mode} at z = {z}"
    up = locus("vertical", [angles], DATA)
    assert not np.any((up >= WORK[0]) & (up <= WORK[1]))
    tilted = locus("combined", np.meshgrid(angles, angles), DATA)
    assert np.nanmax(np.where(tilted < WORK[1], tilted, np.nan)) == pytest.approx(alone.z, rel=1e-6)


def test_each_mode_alone_from_the_ground_up():
    """Of this geometry surge is singular near the ground; the source, whose geometry is not printed, says nowhere."""
    surge, transverse, combined = (mode_floor(mode, DATA) for mode in ("surge", "transverse", "combined"))
    assert 0.04 < surge < 0.07
    assert transverse < 0.2
    assert combined == pytest.approx(z_floor(DATA, tilt=DATA.limits["roll"].high).z, rel=1e-3)
    angle, z = DATA.limits["pitch"].high, 0.04
    at = locus("surge", [np.linspace(-angle, angle, 61)], DATA, z)
    nearest = at[np.unravel_index(np.nanargmin(np.abs(at)), at.shape)]
    assert abs(nearest) <= DATA.limits["x"].high


def test_a_mode_that_does_not_exist_is_refused():
    with pytest.raises(sb.ModelError, match="surge"):
        locus("heave", [np.zeros(3)], DATA)
