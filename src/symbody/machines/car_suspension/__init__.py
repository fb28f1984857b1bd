"""The car on hydraulic dampers, separate or interconnected against roll."""

from symbody.machines.car_suspension.dampers import damper_rig

__all__ = ["damper_rig"]

VARIANTS = {"dampers": ("interconnected", "separate")}
STEPS = {"method": "trapezoidal"}
STUDIO = {"start": "The car changes lanes. Press “Reset” to see it again. Pull its body."}
