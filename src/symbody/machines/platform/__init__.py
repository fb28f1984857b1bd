"""A motion platform to move: a hexapod on an XY table with eight axes."""

from symbody.machines.platform.data import platform_data

__all__ = ["platform_data"]

VARIANTS = {"drive": ("force", "servo")}
