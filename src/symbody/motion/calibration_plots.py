"""Plots of a calibration by cameras: views, residuals, moves of the axes before and after the correction, tracking."""

from __future__ import annotations

from typing import Any

import numpy as np

from symbody.motion.calibration_study import NOISE, SLIPPED, CalibrationStudy
from symbody.motion.data import POSE
from symbody.visual.report import Plot
from symbody.visual.report_plots import finish

MILLI = 1e3
SHOWN_ERROR = 5.0 * NOISE  # pixels
NAMES = ("left camera", "right camera")


def calibration_plots(study: CalibrationStudy) -> list[Plot]:
    """All plots of a study."""
    return [views_plot(study), residual_plot(study), drift_plot(study), tracking_plot(study), slip_plot(study)]


def views_plot(study: CalibrationStudy) -> Plot:
    """What the cameras see of the calibration places."""

    def draw(figure: Any) -> None:
        grid = figure.subplots(1, len(study.views), sharey=True)
        for axes, view, one, name in zip(grid, study.views, study.calibrations, NAMES, strict=True):
            axes.plot(*view.T, ".", ms=4, label="seen")
            axes.plot(*(view + one_error(study, name)).T, "x", ms=5, mew=0.6, label="calibrated camera")
            width, height = one.camera.size
            axes.set(title=name, xlabel="u (pixels)", xlim=(0, width), ylim=(height, 0), aspect="equal")
        grid[0].set(ylabel="v (pixels)")
        finish(*grid)

    return Plot(
        "Views of the calibration places", draw, "Pixels of a marker at 100 known places, and by the cameras.", 4.5
    )


def one_error(study: CalibrationStudy, name: str) -> Any:
    """Errors (n, 2) (pixels) of a camera after its calibration."""
    return study.residuals[NAMES.index(name)]


def residual_plot(study: CalibrationStudy) -> Plot:
    """Errors of the calibrated cameras."""

    def draw(figure: Any) -> None:
        grid = figure.subplots(1, len(study.residuals), sharey=True)
        for axes, error, one, name in zip(grid, study.residuals, study.calibrations, NAMES, strict=True):
            axes.plot(*error.T, ".", ms=4)
            ends = (-SHOWN_ERROR, SHOWN_ERROR)
            axes.set(title=f"{name}: rms {one.rms:.3f}", xlabel="Δu (pixels)", aspect="equal", xlim=ends, ylim=ends)
            axes.axhline(0.0, color="k", lw=0.6)
            axes.axvline(0.0, color="k", lw=0.6)
        grid[0].set(ylabel="Δv (pixels)")
        finish(*grid)

    return Plot("Errors of the calibrated cameras", draw, "Pixels by the calibrated camera less pixels seen.", 4.5)


def drift_plot(study: CalibrationStudy) -> Plot:
    """Errors of x, y and z while one axis moves alone, before and after the correction."""

    def draw(figure: Any) -> None:
        grid = figure.subplots(2, 1, sharex=True)
        for axes, values, title in zip(grid, (study.seen, study.corrected), ("as seen", "corrected"), strict=True):
            for k, axis in enumerate(POSE[:3]):
                axes.plot(MILLI * (values - study.moves)[:, k], ".-", ms=3, lw=0.8, label=axis)
            axes.set(title=title, ylabel="seen less encoder (mm)")
        grid[-1].set(xlabel="sample: x moves, then y, then z")
        finish(*grid)

    caption = "Scale error of the encoders, offset and cross-axis drift; and what is left after the linear correction."
    return Plot("Moves of one axis at a time", draw, caption, 6.0)


def tracking_plot(study: CalibrationStudy) -> Plot:
    """Errors of the tracked pose along the path, with their deviations."""

    def draw(figure: Any) -> None:
        grid = figure.subplots(2, 1, sharex=True)
        sigma = np.array([one.sigma for one in study.tracked])
        for axes, part, unit in zip(grid, (slice(0, 3), slice(3, 6)), ("mm", "mrad"), strict=True):
            for axis, error in zip(POSE[part], MILLI * study.tracking_errors[:, part].T, strict=True):
                axes.plot(error, lw=0.9, label=axis)
            for side in (-3.0, 3.0):
                axes.plot(side * MILLI * sigma[:, part].max(axis=1), "k--", lw=0.7)
            axes.set(ylabel=f"error ({unit})")
        grid[-1].set(xlabel="pose along the path")
        finish(*grid)

    return Plot(
        "Tracked pose", draw, "Tracked less true pose; dashed: three standard deviations of the worst axis.", 6.0
    )


def slip_plot(study: CalibrationStudy) -> Plot:
    """Encoders against cameras when a coupling slips."""

    def draw(figure: Any) -> None:
        axes = figure.add_subplot()
        k = POSE.index("z")
        axes.plot(MILLI * (study.encoders - np.array([one.pose for one in study.tracked]))[:, k], lw=1.0, label="z")
        flagged = [i for i, wrong in enumerate(study.disagreements) if wrong]
        axes.plot(flagged, np.zeros(len(flagged)), "rx", ms=4, label="disagreement")
        axes.axvline(SLIPPED, color="k", ls="--", lw=0.8, label="the coupling slips")
        axes.set(xlabel="pose along the path", ylabel="encoders less cameras (mm)")
        finish(axes)

    return Plot("A coupling that slips", draw, "Cameras are independent of the motors: they find the lost increments.")
