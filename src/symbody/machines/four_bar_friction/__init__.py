"""A linkage on a hydraulic cylinder, with four friction laws of the seals (Jaiswal, Publication II)."""

from symbody.hydraulics.cylinder_drive import COMMAND

__all__ = ["COMMAND"]

VARIANTS = {"seals": ("brown-mcphee", "bengisu-akay", "lugre", "modified-lugre")}
STEPS = {"method": "trapezoidal"}
STUDIO = {"start": "The cylinder moves the linkage by a program. Press “Reset” to see it again."}
