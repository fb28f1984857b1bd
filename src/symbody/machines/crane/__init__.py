"""A loader crane that lifts, slews, unfolds and lowers a swinging load on its cylinders."""

STEPS = {"method": "trapezoidal"}
STUDIO = {"start": "Move the valves with the sliders of the commands, and mind the swinging load."}
