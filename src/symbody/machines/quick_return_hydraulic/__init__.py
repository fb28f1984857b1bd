"""A ram moved to and fro by a quick-return mechanism on a hydraulic cylinder (Jaiswal, Publication I)."""

STEPS = {"method": "trapezoidal"}
STUDIO = {"start": "The cylinder moves the ram to and fro by a program. Press “Reset” to see it again."}
