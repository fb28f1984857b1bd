"""A calibration of a platform by two cameras, on synthetic views: cameras, axes, and a coupling that slips.

1. A marker goes through known places; each camera is calibrated from its views of them.
2. The axes x, y and z move alone, one after another. The cameras see them with scale errors, cross-axis drift and an
   offset, because the frame of the cameras is not that of the platform; a linear correction is fitted and subtracted.
3. The platform moves along a path; its tracked pose is compared with the encoders. At one time a coupling slips.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from symbody.motion.data import POSE, Array, PlatformData
from symbody.motion.optical_tracking import (
    Calibration,
    OffsetCorrection,
    TrackedPose,
    TrackingCamera,
    calibrated,
    disagreement,
    offset_correction,
    placed,
    tracked_pose,
)

NOISE = 0.03  # pixels, standard deviation: the centre of a reflecting marker
SIGHT = (np.pi / 2, 0.0, -np.pi / 2)  # rad: a camera that looks along −x of the world, with z upwards
CAMERAS = (  # true cameras, 2.5 m away: angles (rad), place (m), focal lengths and centre (pixels), distortion
    TrackingCamera(
        np.add(SIGHT, (0.02, -0.03, 0.05)), np.array([0.25, 0.1, 2.5]), (910.0, 905.0), (650.0, 500.0), -0.08
    ),
    TrackingCamera(
        np.add(SIGHT, (-0.01, 0.04, -0.2)), np.array([-0.45, 0.1, 2.4]), (880.0, 885.0), (630.0, 520.0), -0.05
    ),
)
MARKERS = np.array([(0.1, 0.0, 0.02), (-0.1, 0.08, 0.0), (-0.1, -0.08, 0.05), (0.02, 0.09, 0.1), (0.0, -0.1, 0.09)])
TILTED = (0.01, -0.015, 0.02)  # rad: the frame of the cameras, turned against that of the platform
SHIFTED = (0.012, -0.007, 0.004)  # m
SCALE = 1.05  # of an encoder: about 5 % of the theoretical displacement (Houda 2020, section 6.1.2)
REACH = 0.8  # of the range that the path and the moves use
MOVES, POSES = 21, 120  # samples of a move of an axis, and of the path
SLIPPED, SLIP = 80, 3e-3  # the pose from which on the coupling of z has slipped, and by how much (m)


@dataclass(frozen=True, eq=False)
class CalibrationStudy:
    """Results of a calibration, in the order of its steps.

    Calibrated cameras with the errors (pixels) of their views; moves of x, y and z by the encoders, as seen, and
    corrected (m); the true path (n, 6), by the encoders and as tracked, and the disagreements of each pose.
    """

    calibrations: tuple[Calibration, ...]
    residuals: tuple[Array, ...]
    views: tuple[Array, ...]
    moves: Array
    seen: Array
    corrected: Array
    correction: OffsetCorrection
    true: Array
    encoders: Array
    tracked: list[TrackedPose]
    disagreements: list[list[str]]

    @property
    def tracking_errors(self) -> Array:
        """Tracked less true poses (n, 6) (m, rad)."""
        return np.array([one.pose for one in self.tracked]) - self.true


def calibration_study(data: PlatformData, seed: int = 0) -> CalibrationStudy:
    """Calibrate, correct and track, with noise of a seed."""
    rng = np.random.default_rng(seed)
    points = calibration_places(data)
    views = tuple(_noisy(camera.view(points), rng) for camera in CAMERAS)
    calibrations = tuple(calibrated(points, view) for view in views)
    residuals = tuple(one.camera.project(points) - view for one, view in zip(calibrations, views, strict=True))
    cameras = [one.camera for one in calibrations]
    moves = axis_moves(data)
    seen = seen_moves(moves, cameras, data, rng)
    correction = offset_correction(moves, seen)
    true = path(data)
    encoders = true.copy()
    encoders[SLIPPED:, POSE.index("z")] += SLIP
    tracked, guess = [], true[0]
    for pose in true:
        found = tracked_pose(cameras, MARKERS, [_noisy(c.view(placed(MARKERS, pose)), rng) for c in CAMERAS], guess)
        tracked.append(found)
        guess = found.pose
    wrong = [disagreement(pose, one) for pose, one in zip(encoders, tracked, strict=True)]
    return CalibrationStudy(
        calibrations,
        residuals,
        views,
        moves,
        seen,
        correction.corrected(seen),
        correction,
        true,
        encoders,
        tracked,
        wrong,
    )


def calibration_places(data: PlatformData) -> Array:
    """Places (n, 3) (m) of a marker while table and hexapod go through their range."""
    x, y = (REACH * np.linspace(data.limits[a].low, data.limits[a].high, 5) for a in _wide_axes(data))
    z = np.linspace(data.limits["z"].low, data.limits["z"].high, 4)
    return np.array(np.meshgrid(x, y, z)).reshape(3, -1).T


def _wide_axes(data: PlatformData) -> tuple[str, str]:
    return ("table.x", "table.y") if data.moving[0] else ("x", "y")


def axis_moves(data: PlatformData) -> Array:
    """Positions (3·MOVES, 3) (m) of x, y and z about neutral: each moves alone, there and back."""
    rows = []
    for k, axis in enumerate(POSE[:3]):
        limit = data.limits[axis]
        far = REACH * 0.5 * (limit.high - limit.low) * np.sin(np.linspace(0.0, 2.0 * np.pi, MOVES))
        rows.append(np.outer(far, np.eye(3)[k]))
    return np.concatenate(rows)


def seen_moves(moves: Array, cameras: list[TrackingCamera], data: PlatformData, rng: np.random.Generator) -> Array:
    """Moves (n, 3) (m) as calibrated cameras see them, in their own frame; encoders have a scale error."""
    turned = np.array([*SHIFTED, *TILTED])
    found, guess = [], np.array([*SHIFTED, *TILTED]) + data.neutral
    for move in moves / SCALE:
        pose = data.neutral.copy()
        pose[:3] += placed(move[None], turned)[0]
        views = [_noisy(camera.view(placed(MARKERS, pose)), rng) for camera in CAMERAS]
        guess = tracked_pose(cameras, MARKERS, views, guess).pose
        found.append(guess[:3] - data.neutral[:3])
    return np.array(found)


def path(data: PlatformData) -> Array:
    """Poses (POSES, 6) along a path in which all axes move."""
    s = np.linspace(0.0, 2.0 * np.pi, POSES)
    pose = np.tile(data.neutral, (POSES, 1))
    for k, axis in enumerate(POSE):
        limit = data.limits[axis]
        pose[:, k] += 0.5 * REACH * 0.5 * (limit.high - limit.low) * np.sin((1 + k % 3) * s + 0.7 * k) * np.sin(0.5 * s)
    return pose


def _noisy(pixels: Array, rng: np.random.Generator) -> Array:
    return np.asarray(pixels + NOISE * rng.normal(size=pixels.shape))
