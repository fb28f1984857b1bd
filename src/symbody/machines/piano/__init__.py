"""A grand-piano action to play: touch, let-off and repetition, with double or single escapement."""

from symbody.machines.piano.play import action, front_force, played, slow_dip, varied
from symbody.machines.piano.strokes import FAST, Stroke, through

__all__ = ["FAST", "Stroke", "action", "front_force", "played", "slow_dip", "through", "varied"]

VARIANTS = {"escapement": ("double", "single")}
STEPS = {"until": 1.0, "dt": 5e-5, "every": 1e-3, "method": "trapezoidal"}
