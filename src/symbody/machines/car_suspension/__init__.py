"""The car on hydraulic dampers, separate or interconnected against roll."""

VARIANTS = {"dampers": ("interconnected", "separate")}
STEPS = {"method": "trapezoidal"}
