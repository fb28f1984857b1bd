"""A boom lifted and lowered by one hydraulic cylinder (Jaiswal, Publication I)."""

STEPS = {"method": "trapezoidal"}
STUDIO = {"start": "The cylinder lifts and lowers the boom by a program. Press “Reset” to see it again."}
