"""A haptic bench: a peg in the hand, walls and a corner, rigid at the instant of contact and compliant after it."""

STEPS = {"until": 3.0, "dt": 2e-4, "every": 0.002}
