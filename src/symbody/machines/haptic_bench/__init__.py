"""A haptic bench: a peg in the hand, walls, a corner and a hole, rigid at impact, compliant afterwards."""

from symbody.machines.haptic_bench.arena import bench

__all__ = ["bench"]

STEPS = {"until": 3.0, "dt": 2e-4, "every": 0.002}
