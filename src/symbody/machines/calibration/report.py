"""The report of a calibration: errors of cameras, of the corrected axes and of tracked poses."""

from __future__ import annotations

import numpy as np

from symbody.motion.calibration_plots import NAMES, calibration_plots
from symbody.motion.calibration_study import SLIPPED, CalibrationStudy, calibration_study
from symbody.motion.presets import named_platform
from symbody.visual.report import Record, Report, paragraphs
from symbody.visual.report_options import ReportOptions

TITLE = "Calibration of a motion platform by two cameras"
TEXT = """Encoders on the motors do not see what happens between motor and platform: scale errors of the transmission, a
coupling that slips. Cameras are independent of the motors. Two of them are calibrated from views of a marker at known
places, then follow five markers on the platform. All views are synthetic, with noise of 0.03 pixels.

The axes move alone, one after another. Offset, scale and cross-axis drift between encoders and cameras are fitted and
subtracted. Along a path of all axes the tracked pose is compared with the encoders; from pose 80 on a coupling has
slipped by 3 mm. Methods follow a thesis (T. Houda, Paris-Saclay 2020, section 6.1.2)."""


def report(options: ReportOptions, platform: str | None = None) -> Report:
    """Figures and plots of a calibration; platform: a file of another platform."""
    options.check()
    study = calibration_study(named_platform(platform))
    tables = {"Cameras": camera_rows(study)}
    return Report("calibration", TITLE, paragraphs(TEXT), [figures(study)], calibration_plots(study), tables=tables)


def figures(study: CalibrationStudy) -> Record:
    """Errors before and after the correction, of tracked poses, and when the slip is found."""
    before, after = (1e3 * float(np.abs(x - study.moves).max()) for x in (study.seen, study.corrected))
    errors = study.tracking_errors
    found = [k for k, wrong in enumerate(study.disagreements) if wrong]
    return {
        "camera_rms_pixels": max(one.rms for one in study.calibrations),
        "axis_error_before_mm": before,
        "axis_error_after_mm": after,
        "tracking_rms_mm": 1e3 * float(np.sqrt(np.mean(errors[:, :3] ** 2))),
        "tracking_rms_mrad": 1e3 * float(np.sqrt(np.mean(errors[:, 3:] ** 2))),
        "slip_found_after_poses": found[0] - SLIPPED if found else None,
        "false_alarms": sum(k < SLIPPED for k in found),
    }


def camera_rows(study: CalibrationStudy) -> list[Record]:
    """Calibrated numbers of the cameras."""
    return [
        {
            "camera": name,
            "f_u, f_v (pixels)": " ".join(f"{f:.1f}" for f in one.camera.focal),
            "u0, v0 (pixels)": " ".join(f"{c:.1f}" for c in one.camera.centre),
            "distortion": round(one.camera.distortion, 4),
            "rms (pixels)": round(one.rms, 4),
        }
        for name, one in zip(NAMES, study.calibrations, strict=True)
    ]
