"""Joints of a vehicle body that moves freely, and names of its corners."""

from __future__ import annotations

from symbody.model.body import Joint
from symbody.model.formula import Formula


def chassis_joints(prefix: str = "", x: float = 0.0, z: float = 0.0, pitch: float = 0.0) -> list[Joint]:
    """Joints PREFIXx … PREFIXroll of a body at position x, z (m) and pitch (rad), with the live parameter `speed`."""
    return [
        Joint(f"{prefix}x", "T1", q0=(x,), v0=(Formula("speed"),)),
        Joint(f"{prefix}y", "T2"),
        Joint(f"{prefix}z", "T3", q0=(z,)),
        Joint(f"{prefix}yaw", "R3"),
        Joint(f"{prefix}pitch", "R2", q0=(pitch,)),
        Joint(f"{prefix}roll", "R1"),
    ]


def corner_name(axle: str, side: float) -> str:
    """AXLE_left (side > 0) or AXLE_right."""
    return f"{axle}_{'left' if side > 0 else 'right'}"
