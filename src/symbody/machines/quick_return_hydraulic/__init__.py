"""A ram moved to and fro by a quick-return mechanism on a hydraulic cylinder (Jaiswal, Publication I)."""

STEPS = {"method": "trapezoidal"}
