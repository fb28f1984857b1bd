"""A car or a bus drives into an attenuator behind a truck: more than 300 degrees of freedom."""

from symbody.machines.crash.severity import felt, severity

__all__ = ["felt", "severity"]

VARIANTS = {"vehicle": ("car", "bus")}
STEPS = {"until": 0.7, "dt": 2.5e-5, "every": 5e-4}
STUDIO = {"start": "The vehicle hits at once. Press “Reset” to see it again; choose a low speed for slow motion."}
