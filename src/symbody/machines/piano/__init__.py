"""A grand-piano action to be played: touch, let-off and repetition, with double or single escapement."""

VARIANTS = {"escapement": ("double", "single")}
STEPS = {"method": "semi-implicit", "dt": 2.5e-5}
