"""A loader crane that lifts, slews, unfolds and lowers a swinging load on its cylinders."""

STEPS = {"method": "trapezoidal"}
