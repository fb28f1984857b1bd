"""Cameras, calibration, tracking and offsets on synthetic views, against the truth that made them."""

import numpy as np
import pytest

from symbody.errors import ModelError
from symbody.motion.optical_tracking import (
    TrackingCamera,
    calibrated,
    disagreement,
    offset_correction,
    placed,
    tracked_pose,
)

NOISE = 0.1  # pixels
# z of a camera is its line of sight: both look along −x of the world from 2.5 m, with z of the world upwards
SIGHT = np.array([np.pi / 2, 0.0, -np.pi / 2])
LEFT = TrackingCamera(
    SIGHT + np.array([0.02, -0.03, 0.05]), np.array([0.25, 0.1, 2.5]), (910.0, 905.0), (650.0, 500.0), -0.08
)
RIGHT = TrackingCamera(
    SIGHT + np.array([-0.01, 0.04, -0.2]), np.array([-0.45, 0.1, 2.4]), (880.0, 885.0), (630.0, 520.0), -0.05
)
MARKERS = np.array([(0.1, 0.0, 0.02), (-0.1, 0.08, 0.0), (-0.1, -0.08, 0.05), (0.02, 0.09, 0.1), (0.0, -0.1, 0.09)])
POSE = np.array([0.05, -0.12, 0.45, 0.1, -0.15, 0.2])


def calibration_points():
    """Places of a marker while the table and the hexapod go through their range (m)."""
    grid = np.linspace(-0.4, 0.4, 5)
    return np.array(np.meshgrid(grid, grid, np.linspace(0.3, 0.8, 4))).reshape(3, -1).T


def noisy(pixels, seed=0):
    return pixels + NOISE * np.random.default_rng(seed).normal(size=pixels.shape)


def test_a_camera_without_distortion_is_its_matrix():
    camera = TrackingCamera(LEFT.angles, LEFT.place, LEFT.focal, LEFT.centre)
    points = calibration_points()
    u, v, s = camera.matrix @ np.column_stack([points, np.ones(len(points))]).T
    np.testing.assert_allclose(camera.project(points), np.column_stack([u / s, v / s]), atol=1e-9)


def test_points_behind_and_beside_the_camera_are_not_seen():
    R = TrackingCamera(LEFT.angles, np.zeros(3)).matrix
    assert R.shape == (3, 4)
    camera = TrackingCamera(np.zeros(3), np.zeros(3))
    assert np.isnan(camera.project(np.array([0.0, 0.0, -1.0]))).all()
    assert np.isfinite(camera.project(np.array([5.0, 0.0, 1.0]))).all()
    assert np.isnan(camera.view(np.array([5.0, 0.0, 1.0]))).all()


@pytest.mark.parametrize("camera", [LEFT, RIGHT])
def test_slopes_of_pixels_are_differences(camera):
    points, h = calibration_points(), 1e-5
    found = [(camera.project(points + h * axis) - camera.project(points - h * axis)) / (2.0 * h) for axis in np.eye(3)]
    np.testing.assert_allclose(camera.slopes(points), np.stack(found, axis=-1), rtol=1e-6, atol=1e-5)


@pytest.mark.parametrize("camera", [LEFT, RIGHT])
def test_exact_views_give_the_camera_back(camera):
    points = calibration_points()
    found = calibrated(points, camera.view(points))
    assert found.rms < 1e-6
    np.testing.assert_allclose(found.camera.angles, camera.angles, atol=1e-7)
    np.testing.assert_allclose(found.camera.place, camera.place, atol=1e-6)
    np.testing.assert_allclose(found.camera.focal, camera.focal, rtol=1e-6)
    assert found.camera.distortion == pytest.approx(camera.distortion, abs=1e-6)


def test_the_deviation_of_a_calibration_is_what_it_says():
    """Over many noisy views the errors of all eleven numbers have the standard deviations of the calibration."""
    points, ratios = calibration_points(), []
    truth = np.array([*LEFT.angles, *LEFT.place, *LEFT.focal, *LEFT.centre, LEFT.distortion])
    for seed in range(12):
        found = calibrated(points, noisy(LEFT.view(points), seed))
        c = found.camera
        ratios.append((np.array([*c.angles, *c.place, *c.focal, *c.centre, c.distortion]) - truth) / found.sigma)
        assert found.rms == pytest.approx(NOISE, rel=0.3)
    spread = np.sqrt(np.mean(np.square(ratios)))
    assert 0.6 < spread < 1.5


def test_a_pose_is_found_to_a_tenth_of_a_millimetre_and_its_deviation_is_right():
    points = calibration_points()
    cameras = [calibrated(points, noisy(c.view(points), k)).camera for k, c in enumerate((LEFT, RIGHT))]
    exact = [tracked_pose([c], MARKERS, [c.project(placed(MARKERS, POSE))], 0.8 * POSE) for c in (LEFT, RIGHT)]
    for one in exact:
        np.testing.assert_allclose(one.pose, POSE, atol=1e-7)
    ratios, errors = [], []
    for seed in range(12):
        views = [noisy(c.view(placed(MARKERS, POSE)), 100 + 2 * seed + k) for k, c in enumerate((LEFT, RIGHT))]
        found = tracked_pose((LEFT, RIGHT), MARKERS, views, 0.9 * POSE)
        ratios.append((found.pose - POSE) / found.sigma)
        errors.append(np.abs(tracked_pose(cameras, MARKERS, views, 0.9 * POSE).pose - POSE)[:3])
    assert 0.6 < np.sqrt(np.mean(np.square(ratios))) < 1.6
    assert np.mean(errors) < 3e-4
    assert np.max(errors) < 1.5e-3


def test_hidden_markers_are_left_out_and_too_few_are_refused():
    views = [c.project(placed(MARKERS, POSE)) for c in (LEFT, RIGHT)]
    views[0][:3] = np.nan
    views[1][4] = np.nan
    np.testing.assert_allclose(tracked_pose((LEFT, RIGHT), MARKERS, views, 0.9 * POSE).pose, POSE, atol=1e-7)
    views[0][:], views[1][1:] = np.nan, np.nan
    with pytest.raises(ModelError, match="1 markers are seen"):
        tracked_pose((LEFT, RIGHT), MARKERS, views, POSE)
    with pytest.raises(ModelError, match="shapes"):
        tracked_pose((LEFT,), MARKERS, views, POSE)


def test_markers_in_a_line_do_not_determine_a_pose():
    line = np.linspace(-0.1, 0.1, 5)[:, None] * np.array([1.0, 0.0, 0.0])
    with pytest.raises(ModelError, match="do not determine"):
        tracked_pose([LEFT], line, [LEFT.project(placed(line, POSE))], POSE)


def test_encoders_that_disagree_with_the_camera_are_named():
    views = [noisy(c.view(placed(MARKERS, POSE)), k) for k, c in enumerate((LEFT, RIGHT))]
    found = tracked_pose((LEFT, RIGHT), MARKERS, views, POSE)
    assert disagreement(POSE, found, least=2e-3) == []
    slipped = POSE + np.array([0.0, 0.02, 0.0, 0.0, 0.0, 0.0])
    assert [word.split(":")[0] for word in disagreement(slipped, found, least=2e-3)] == ["y"]


def test_offsets_and_drifts_of_still_axes_are_subtracted():
    rng = np.random.default_rng(3)
    sweep = np.linspace(-0.4, 0.4, 41)
    reference = np.vstack([np.outer(sweep, axis) for axis in np.eye(3)])
    drift = np.eye(3) + 0.03 * rng.normal(size=(3, 3))  # scales, and drift of the axes that stand still
    offset = np.array([0.012, -0.007, 0.02])
    measured = reference @ drift.T + offset + 2e-5 * rng.normal(size=reference.shape)
    found = offset_correction(reference, measured)
    np.testing.assert_allclose(found.matrix, drift, atol=2e-4)
    np.testing.assert_allclose(found.offset, offset, atol=2e-5)
    places = rng.uniform(-0.4, 0.4, (50, 3))
    assert np.abs(found.corrected(places @ drift.T + offset) - places).max() < 1e-4
    assert found.rms == pytest.approx(2e-5, rel=0.3)


def test_moves_that_leave_an_axis_out_are_refused():
    reference = np.column_stack([np.linspace(0.0, 1.0, 20), np.linspace(1.0, 0.0, 20) ** 2, np.zeros(20)])
    with pytest.raises(ModelError, match="axis 2 hardly moves"):
        offset_correction(reference, reference)
    with pytest.raises(ModelError, match="shapes"):
        offset_correction(reference, reference[:5])


def test_points_in_a_plane_and_too_few_points_are_refused():
    points = calibration_points()
    points[:, 2] = 0.5
    with pytest.raises(ModelError, match="plane"):
        calibrated(points, LEFT.project(points))
    with pytest.raises(ModelError, match="5 points"):
        calibrated(points[:5], LEFT.project(points[:5]))
    with pytest.raises(ModelError, match="give"):
        calibrated(points, LEFT.project(points)[:7])
