"""A filter on the hydraulic four-bar: what few sensors and a wrong model tell of its motion and its pressures."""

STEPS = {"method": "trapezoidal"}
