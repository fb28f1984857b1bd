"""A boom lifted and lowered by one hydraulic cylinder (Jaiswal, Publication I)."""

STEPS = {"method": "trapezoidal"}
