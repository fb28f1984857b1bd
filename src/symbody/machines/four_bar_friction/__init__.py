"""A linkage on a hydraulic cylinder, with four friction laws of the seals (Jaiswal, Publication II)."""

from symbody.hydraulics.cylinder_drive import COMMAND

__all__ = ["COMMAND"]

VARIANTS = {"seals": ("brown-mcphee", "bengisu-akay", "lugre", "modified-lugre")}
STEPS = {"method": "trapezoidal"}
STUDIO = {"start": "Move the slider “U_ref”, the command of the valve: the cylinder tilts the linkage."}
