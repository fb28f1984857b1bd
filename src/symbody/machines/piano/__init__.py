"""A grand-piano action to be played: touch, let-off and repetition, with double or single escapement."""

VARIANTS = {"escapement": ("double", "single")}
STEPS = {"until": 1.0, "dt": 2.5e-5, "method": "semi-implicit"}
