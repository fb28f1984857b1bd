"""Optical tracking of the platform: camera model, calibration, pose of a marker body, correction of offsets.

The projection is s [u v 1]ᵀ = C [R, T] [X 1]ᵀ with C = [[f_u 0 u₀], [0 f_v v₀], [0 0 1]] and R = R_z(ψ) R_y(θ) R_x(φ),
with radial distortion x ← x (1 + k r²) of the ray x = (X/Z, Y/Z) (Houda 2020, section 6.1.2; the print mixes signs of
rotations, R is that of the platform here). A camera is a sensor that is independent of the motors: `disagreement`
compares both.

Examples
--------
Two views of known points calibrate a camera; then it tracks a body with markers:

>>> import numpy as np
>>> from symbody.motion.optical_tracking import Calibration, OffsetCorrection, TrackedPose, TrackingCamera
>>> from symbody.motion.optical_tracking import calibrated, disagreement, offset_correction, placed, tracked_pose
>>> camera = TrackingCamera(np.array([np.pi / 2, 0.0, -np.pi / 2]), np.array([0.2, 0.1, 2.5]))
>>> grid = np.linspace(-0.4, 0.4, 4)
>>> points = np.array(np.meshgrid(grid, grid, 0.5 + grid)).reshape(3, -1).T
>>> found: Calibration = calibrated(points, camera.project(points))
>>> found.rms < 1e-3
True
>>> markers = np.array([(0.1, 0.0, 0.02), (-0.1, 0.08, 0.0), (-0.1, -0.08, 0.05), (0.02, 0.09, 0.1)])
>>> pose = np.array([0.05, -0.12, 0.45, 0.1, -0.15, 0.2])
>>> seen: TrackedPose = tracked_pose([camera], markers, [camera.project(placed(markers, pose))], pose + 0.02)
>>> np.allclose(seen.pose, pose, atol=1e-6), disagreement(pose, seen)
(True, [])
>>> moves = np.random.default_rng(0).normal(size=(20, 3))
>>> correction: OffsetCorrection = offset_correction(moves, 1.01 * moves + 0.002)
>>> correction.offset.round(3)
array([0.002, 0.002, 0.002])
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from scipy.optimize import least_squares

from symbody.errors import ModelError
from symbody.motion.data import POSE, Array
from symbody.motion.geometry import rotation
from symbody.motion.kinematics import euler_map

__all__ = [
    "Calibration",
    "OffsetCorrection",
    "TrackedPose",
    "TrackingCamera",
    "calibrated",
    "disagreement",
    "offset_correction",
    "placed",
    "tracked_pose",
]

FEWEST_POINTS, FEWEST_MARKERS = 6, 4
FLAT = 1e-3  # smallest extent of a calibration body by its largest, below which it counts as flat
UNSEEN = 1e-10  # slope of all pixels by a number, relative to the largest, below which it is rounding


@dataclass(frozen=True, eq=False)
class TrackingCamera:
    """A camera whose z is its line of sight.

    Parameters
    ----------
    angles : array, shape (3,)
        φ, θ, ψ from the world to the camera (rad).
    place : array, shape (3,)
        T from the world to the camera (m).
    focal : (float, float)
        f_u, f_v (pixels). Default (900, 900).
    centre : (float, float)
        u₀, v₀ (pixels). Default (640, 512).
    distortion : float
        k. Default 0.
    size : (int, int)
        Of the picture (pixels). Default (1280, 1024).
    """

    angles: Array
    place: Array
    focal: tuple[float, float] = (900.0, 900.0)
    centre: tuple[float, float] = (640.0, 512.0)
    distortion: float = 0.0
    size: tuple[int, int] = (1280, 1024)

    @cached_property
    def rotation(self) -> Array:
        """R from the world to the camera, (3, 3)."""
        return np.asarray(rotation(self.angles), dtype=float)

    @property
    def matrix(self) -> Array:
        """P = C [R | T], (3, 4)."""
        (fu, fv), (u0, v0) = self.focal, self.centre
        C = np.array([[fu, 0.0, u0], [0.0, fv, v0], [0.0, 0.0, 1.0]])
        return np.asarray(C @ np.column_stack([self.rotation, self.place]))

    def project(self, points: Array) -> Array:
        """Pixels (…, 2) of points (…, 3) (m); NaN for points behind the camera."""
        ray, _ = self._rays(points)
        ray = ray * (1.0 + self.distortion * np.sum(ray**2, axis=-1, keepdims=True))
        return np.asarray(np.asarray(self.centre) + np.asarray(self.focal) * ray)

    def slopes(self, points: Array) -> Array:
        """∂(u, v)/∂X (…, 2, 3) of points (…, 3) (pixels/m)."""
        ray, depth = self._rays(points)
        square = np.sum(ray**2, axis=-1)[..., None, None]
        bent = (1.0 + self.distortion * square) * np.eye(2) + 2.0 * self.distortion * ray[..., :, None] * ray[
            ..., None, :
        ]
        flat = (np.eye(2, 3) - ray[..., :, None] * np.array([0.0, 0.0, 1.0])) / depth[..., None]
        return np.asarray(np.asarray(self.focal)[:, None] * (bent @ flat @ self.rotation))

    def _rays(self, points: Array) -> tuple[Array, Array]:
        """Rays (X/Z, Y/Z) (…, 2) to points (…, 3), and Z (…, 1) (m); NaN for points behind the camera."""
        seen = np.asarray(points) @ self.rotation.T + self.place
        depth = np.where(seen[..., 2:] > 0.0, seen[..., 2:], np.nan)
        return seen[..., :2] / depth, depth

    def view(self, points: Array) -> Array:
        """As `project`, but NaN for points outside the picture, too."""
        pixels = self.project(points)
        with np.errstate(invalid="ignore"):
            inside = ((pixels >= 0.0) & (pixels <= np.asarray(self.size) - 1.0)).all(axis=-1, keepdims=True)
        return np.where(inside, pixels, np.nan)


@dataclass(frozen=True, eq=False)
class Calibration:
    """A calibrated camera.

    Parameters
    ----------
    camera : TrackingCamera
        With the identified numbers.
    rms : float
        Of the pixel errors.
    sigma : array
        Standard deviations of φ θ ψ, T, f_u, f_v, u₀, v₀, k.
    """

    camera: TrackingCamera
    rms: float
    sigma: Array


def calibrated(points: Array, pixels: Array, size: tuple[int, int] = (1280, 1024)) -> Calibration:
    """A camera from pixels of known points: the linear solution, then least squares of the pixels.

    Parameters
    ----------
    points : array, shape (n, 3)
        m.
    pixels : array, shape (n, 2)
        Rows with NaN are left out.
    size : (int, int)
        Of the picture (pixels). Default (1280, 1024).

    Returns
    -------
    Calibration
        With standard deviations.

    Raises
    ------
    ModelError
        For fewer than six points, and for points in a plane.
    """
    points, pixels = _seen("calibration", points, pixels, FEWEST_POINTS)
    extents = np.linalg.svd(points - points.mean(axis=0), compute_uv=False)
    if extents[2] < FLAT * extents[0]:
        raise ModelError("all points lie in a plane", element="calibration", cure="move the markers in height, too")
    start = _linear_camera(points, pixels, size)

    def errors(x: Array) -> Array:
        return (_camera(x, size).project(points) - pixels).ravel()

    found = _fitted(errors, _numbers(start), "calibration")
    return Calibration(_camera(found.x, size), found.rms, found.sigma)


def _linear_camera(points: Array, pixels: Array, size: tuple[int, int]) -> TrackingCamera:
    """P from the linear equations u (p₃·X) = p₁·X, v (p₃·X) = p₂·X, on scaled numbers, and its parts by RQ."""
    middle, wide = points.mean(axis=0), float(np.abs(points - points.mean(axis=0)).max())
    shift, zoom = pixels.mean(axis=0), float(np.abs(pixels - pixels.mean(axis=0)).max())
    X = np.column_stack([(points - middle) / wide, np.ones(len(points))])
    u, v = ((pixels - shift) / zoom).T
    zero = np.zeros_like(X)
    rows = np.vstack([np.hstack([X, zero, -u[:, None] * X]), np.hstack([zero, X, -v[:, None] * X])])
    P = np.linalg.svd(rows)[2][-1].reshape(3, 4)
    back = np.array([[zoom, 0.0, shift[0]], [0.0, zoom, shift[1]], [0.0, 0.0, 1.0]])
    scale = np.eye(4) / wide
    scale[3, 3] = 1.0
    scale[:3, 3] = -middle / wide
    P = back @ P @ scale
    P *= np.sign(np.median(P[2] @ np.column_stack([points, np.ones(len(points))]).T)) / np.linalg.norm(P[2, :3])
    flip = np.eye(3)[::-1]
    Q, U = np.linalg.qr((flip @ P[:, :3]).T)  # RQ of P by QR of its reversed transpose
    C, R = flip @ U.T @ flip, flip @ Q.T
    signs = np.diag(np.sign(np.diag(C)))
    C, R = C @ signs, signs @ R
    T = np.linalg.solve(C, P[:, 3])
    C = C / C[2, 2]
    return TrackingCamera(_angles(R), T, (float(C[0, 0]), float(C[1, 1])), (float(C[0, 2]), float(C[1, 2])), 0.0, size)


def _angles(R: Array) -> Array:
    """φ, θ, ψ of R = R_z(ψ) R_y(θ) R_x(φ)."""
    return np.array(
        [np.arctan2(R[2, 1], R[2, 2]), np.arcsin(np.clip(-R[2, 0], -1.0, 1.0)), np.arctan2(R[1, 0], R[0, 0])]
    )


def _numbers(camera: TrackingCamera) -> Array:
    return np.array([*camera.angles, *camera.place, *camera.focal, *camera.centre, camera.distortion])


def _camera(x: Array, size: tuple[int, int]) -> TrackingCamera:
    return TrackingCamera(x[:3], x[3:6], (float(x[6]), float(x[7])), (float(x[8]), float(x[9])), float(x[10]), size)


# -- pose --------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class TrackedPose:
    """Pose of a body with markers.

    Parameters
    ----------
    pose : array, shape (6,)
        x y z roll pitch yaw (m, rad).
    sigma : array, shape (6,)
        Standard deviations.
    rms : float
        Of the pixel errors.
    """

    pose: Array
    sigma: Array
    rms: float


def placed(markers: Array, pose: Array) -> Array:
    """Markers of a body at a pose.

    Parameters
    ----------
    markers : array, shape (m, 3)
        In the body frame (m).
    pose : array, shape (6,)
        m, rad.

    Returns
    -------
    array, shape (m, 3)
        In the world frame (m).
    """
    return np.asarray(markers @ np.asarray(rotation(pose[3:]), dtype=float).T + pose[:3])


def tracked_pose(
    cameras: Sequence[TrackingCamera], markers: Array, views: Sequence[Array], guess: Array
) -> TrackedPose:
    """The pose of a body with known markers from one or more cameras, by least squares.

    Parameters
    ----------
    cameras : sequence of TrackingCamera
        Calibrated ones.
    markers : array, shape (m, 3)
        In the body frame (m).
    views : sequence of array
        For each camera pixels (m, 2); NaN for markers that it does not see.
    guess : array, shape (6,)
        The pose before (m, rad).

    Returns
    -------
    TrackedPose
        With standard deviations.

    Raises
    ------
    ModelError
        If too few markers are seen, or the pose is not determined.
    """
    markers = np.asarray(markers, dtype=float)
    if len(cameras) != len(views) or any(np.shape(view) != (len(markers), 2) for view in views):
        shapes = [np.shape(view) for view in views]
        cure = f"give a view of shape {(len(markers), 2)} for each camera"
        raise ModelError(f"views of the shapes {shapes}", element="tracking", cure=cure)
    seen = [np.isfinite(view).all(axis=1) for view in views]
    total = int(sum(np.sum(one) for one in seen))
    if total < FEWEST_MARKERS:
        problem = f"{total} markers are seen"
        raise ModelError(problem, element="tracking", cure=f"show at least {FEWEST_MARKERS} to the cameras")

    def errors(pose: Array) -> Array:
        points = placed(markers, pose)
        parts = [
            (c.project(points[k]) - np.asarray(v)[k]).ravel() for c, v, k in zip(cameras, views, seen, strict=True)
        ]
        return np.concatenate(parts)

    def slopes(pose: Array) -> Array:
        """∂errors/∂pose: a marker moves with the place, and by axis × arm with an angle."""
        points = placed(markers, pose)
        turned = np.cross(euler_map(pose[3:]).T, (points - pose[:3])[:, None])
        moved = np.concatenate([np.tile(np.eye(3), (len(points), 1, 1)), np.swapaxes(turned, -1, -2)], axis=-1)
        parts = [(c.slopes(points[k]) @ moved[k]).reshape(-1, 6) for c, k in zip(cameras, seen, strict=True)]
        return np.concatenate(parts)

    found = _fitted(errors, np.asarray(guess, dtype=float), "tracking", slopes)
    return TrackedPose(found.x, found.sigma, found.rms)


def disagreement(pose: Array, tracked: TrackedPose, sigmas: float = 5.0, least: Array | float = 1e-3) -> list[str]:
    """Axes whose pose by encoders differs from the tracked one.

    Parameters
    ----------
    pose : array, shape (6,)
        By encoders (m, rad).
    tracked : TrackedPose
        By cameras.
    sigmas : float
        Least difference in standard deviations. Default 5.
    least : array or float
        Least difference (m, rad). Default 0.001.

    Returns
    -------
    list of str
        One text for each axis; empty if they agree.
    """
    far = np.abs(np.asarray(pose) - tracked.pose)
    wrong = far > np.maximum(sigmas * tracked.sigma, least)
    return [f"{axis}: {x:.4g}" for axis, x, bad in zip(POSE, far, wrong, strict=True) if bad]


# -- offsets -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class OffsetCorrection:
    """measured = M reference + b.

    Parameters
    ----------
    matrix : array, shape (k, k)
        M, with scales and cross-axis drifts.
    offset : array, shape (k,)
        b.
    rms : float
        Of the residuals. Default 0.
    """

    matrix: Array
    offset: Array
    rms: float = field(default=0.0)

    def corrected(self, measured: Array) -> Array:
        """Measurements (…, k) without offset, scale errors and drift of the other axes."""
        return np.asarray(np.linalg.solve(self.matrix, (np.asarray(measured) - self.offset)[..., None])[..., 0])


def offset_correction(reference: Array, measured: Array) -> OffsetCorrection:
    """Fit a correction to moves in which every axis moves, one at a time or together.

    Parameters
    ----------
    reference, measured : array, shape (n, k)
        Positions of the axes.

    Returns
    -------
    OffsetCorrection
        With the rms of the residuals.

    Raises
    ------
    ModelError
        For different shapes, values that are not finite, and axes that do not move.
    """
    reference, measured = np.asarray(reference, dtype=float), np.asarray(measured, dtype=float)
    if reference.ndim != 2 or reference.shape != measured.shape or not np.isfinite([reference, measured]).all():
        problem = f"moves of the shapes {reference.shape} and {measured.shape}"
        raise ModelError(problem, element="offsets", cure="give equal shapes (n, k) of finite numbers")
    moved = np.column_stack([reference, np.ones(len(reference))])
    spread = np.linalg.svd(reference - reference.mean(axis=0), compute_uv=False)
    if len(reference) <= reference.shape[1] or spread[-1] < FLAT * spread[0]:
        still = int(np.argmin(np.ptp(reference, axis=0)))
        raise ModelError(
            f"axis {still} hardly moves", element="offsets", cure="move each axis alone, one after another"
        )
    solution = np.linalg.lstsq(moved, measured, rcond=None)[0]
    rest = measured - moved @ solution
    return OffsetCorrection(
        np.asarray(solution[:-1].T, dtype=float),
        np.asarray(solution[-1], dtype=float),
        float(np.sqrt(np.mean(rest**2))),
    )


# -- least squares -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class _Fit:
    x: Array
    rms: float
    sigma: Array


def _fitted(
    errors: Callable[[Array], Array], start: Array, element: str, slopes: Callable[[Array], Array] | None = None
) -> _Fit:
    """Least squares with standard deviations σ² (JᵀJ)⁻¹; raises if pixels do not determine the numbers."""
    cure = "show more markers, not all in a line or a plane, and begin near the pose"
    try:
        found = least_squares(errors, start, slopes or "2-point", x_scale="jac", method="lm")
    except ValueError as error:  # a point behind the camera
        raise ModelError(f"no solution near the guess ({error})", element=element, cure=cure) from error
    n, k = found.jac.shape
    normal = found.jac.T @ found.jac
    size = np.sqrt(np.diag(normal))
    if (
        not found.success
        or not (size > UNSEEN * size.max()).all()
        or np.linalg.cond(normal / np.outer(size, size)) > 1e14
    ):
        raise ModelError("the pixels do not determine the result", element=element, cure=cure)
    variance = 2.0 * found.cost / max(n - k, 1)
    sigma = np.sqrt(variance * np.diag(np.linalg.inv(normal)))
    return _Fit(found.x, float(np.sqrt(np.mean(found.fun**2))), sigma)


def _seen(element: str, points: Array, pixels: Array, fewest: int) -> tuple[Array, Array]:
    points, pixels = np.asarray(points, dtype=float), np.asarray(pixels, dtype=float)
    if points.ndim != 2 or points.shape[1] != 3 or pixels.shape != (len(points), 2):
        problem = f"points {points.shape} and pixels {pixels.shape}"
        raise ModelError(problem, element=element, cure="give (n, 3) and (n, 2)")
    kept = np.isfinite(points).all(axis=1) & np.isfinite(pixels).all(axis=1)
    if kept.sum() < fewest:
        raise ModelError(f"{kept.sum()} points", element=element, cure=f"give at least {fewest}")
    return points[kept], pixels[kept]
