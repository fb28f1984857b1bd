"""A linkage on a hydraulic cylinder whose seals rub, by four laws of friction (Jaiswal, Publication II)."""

from symbody.machines.four_bar_friction.model import COMMAND

__all__ = ["COMMAND"]

VARIANTS = {"seals": ("brown-mcphee", "bengisu-akay", "lugre", "modified-lugre")}
STEPS = {"method": "trapezoidal"}
STUDIO = {"start": "The cylinder moves the linkage by its program: press R to see it again."}
