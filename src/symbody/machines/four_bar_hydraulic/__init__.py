"""A boom lifted and lowered by one hydraulic cylinder (Jaiswal, Publication I)."""

STEPS = {"method": "trapezoidal"}
STUDIO = {"start": "Move the slider “U_ref”, the command of the valve: the cylinder lifts and lowers the boom."}
