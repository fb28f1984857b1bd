"""Calibration of a motion platform by two cameras: camera model, offsets of the axes, a coupling that slips."""
