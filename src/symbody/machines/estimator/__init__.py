"""A filter on the hydraulic four-bar: motion and pressures from few sensors and a wrong model."""

STEPS = {"method": "trapezoidal"}
