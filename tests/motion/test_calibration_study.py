"""The calibration by cameras as a whole: what it finds agrees with the truth that made the views.

Tests of motion/calibration_study.py, motion/calibration_plots.py and machines/calibration.
"""

from functools import cache

import numpy as np
import pytest

from symbody.machines.calibration.report import report
from symbody.motion.built_in_platform import platform_data
from symbody.motion.calibration_plots import calibration_plots
from symbody.motion.calibration_study import (
    CAMERAS,
    NOISE,
    SCALE,
    SHIFTED,
    SLIP,
    SLIPPED,
    TILTED,
    calibration_study,
)
from symbody.motion.geometry import rotation
from symbody.visual.report_options import ReportOptions


@cache
def study(seed=0):
    return calibration_study(platform_data(), seed)


def test_the_cameras_are_those_that_made_the_views():
    for one, true in zip(study().calibrations, CAMERAS, strict=True):
        assert one.rms == pytest.approx(NOISE, rel=0.25)
        np.testing.assert_allclose(one.camera.angles, true.angles, atol=5.0 * one.sigma[:3].max())
        np.testing.assert_allclose(one.camera.focal, true.focal, atol=5.0 * one.sigma[6:8].max())


def test_the_correction_is_the_frame_of_the_cameras_with_the_scale_of_the_encoders():
    found = study().correction
    exact = np.asarray(rotation(np.array(TILTED)), dtype=float) / SCALE
    np.testing.assert_allclose(found.matrix, exact, atol=4e-3)  # noise of the views over a range of 0.1 m
    np.testing.assert_allclose(found.offset, SHIFTED, atol=2e-4)


def test_the_correction_removes_drift_and_scale():
    s = study()
    assert np.abs(s.seen - s.moves).max() > 5e-3
    assert np.abs(s.corrected - s.moves).max() < 1e-3


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(10))
def test_a_slip_is_found_at_once_and_nothing_else(seed):
    s = study(seed)
    flagged = [k for k, wrong in enumerate(s.disagreements) if wrong]
    assert flagged == list(range(SLIPPED, len(s.true)))
    assert all(wrong[0].startswith("z: ") for wrong in s.disagreements[SLIPPED:])
    assert float(s.disagreements[SLIPPED][0].split()[1]) == pytest.approx(SLIP, rel=0.2)


def test_tracked_poses_are_within_their_deviations():
    s = study()
    sigma = np.array([one.sigma for one in s.tracked])
    assert np.mean((s.tracking_errors / sigma) ** 2) < 4.0  # calibration errors add to the noise of a view
    assert np.abs(s.tracking_errors[:, :3]).max() < 1e-3


def test_the_report_has_figures_and_plots_with_curves():
    made = report(ReportOptions())
    assert made.figures[0]["slip_found_after_poses"] == 0
    assert made.figures[0]["false_alarms"] == 0
    assert len(made.tables["Cameras"]) == len(CAMERAS)
    for plot in calibration_plots(study()):
        assert plot.figure.axes[0].lines
