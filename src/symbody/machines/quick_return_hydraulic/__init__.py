"""A ram moved to and fro by a quick-return mechanism on a hydraulic cylinder (Jaiswal, Publication I)."""

STEPS = {"method": "trapezoidal"}
STUDIO = {"start": "Move the slider “U_ref”, the command of the valve: the cylinder moves the ram to and fro."}
