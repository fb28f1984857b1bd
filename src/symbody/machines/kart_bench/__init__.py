"""A kart held on a conveyor belt: the side forces of its tyres, from a load cell and a potentiometer."""

from symbody.machines.kart_bench.experiment import case

__all__ = ["case"]

VARIANTS = {"tyres": ("law", "unknown")}
STEPS = {"until": 10.0, "dt": 2e-3}
STUDIO = {
    "start": "Steer the kart on its belt with the slider, and watch the side forces of its tyres.",
    "labels": {
        "steer": "Steering angle",
        "belt_command": "Speed of the belt",
        "toe_front": "Toe-in in front",
        "friction": "Friction",
        "cornering": "Cornering stiffness",
    },
    "dials": ("steer", "belt_command", "toe_front", "friction"),
    "plots": ["front.side", "rear.side"],
}
