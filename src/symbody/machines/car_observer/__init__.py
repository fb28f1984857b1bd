"""A car observed with few sensors: side-slip, tyre forces and friction, by a filter on a two-track model with roll."""

from symbody.machines.car_observer.experiment import case

__all__ = ["case"]

STEPS = {"until": 10.0, "dt": 5e-3}
STUDIO = {
    "start": "Steer with the slider and watch side-slip and tyre forces. Then make the road slippery.",
    "labels": {
        "steer": "Steering angle",
        "drive": "Torque on each rear wheel",
        "friction": "Friction",
        "slip": "side-slip",
    },
    "dials": ("steer", "drive", "friction"),
    "presets": {"Dry road": {"friction": 0.95}, "Wet road": {"friction": 0.5}},
    "plots": ["slip", "front.side", "rear.side"],
}
