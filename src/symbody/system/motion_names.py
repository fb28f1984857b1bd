"""Names of the channels of a model's motion."""

from __future__ import annotations

from collections.abc import Sequence

from symbody.model.body import QUATERNION, Joint
from symbody.model.model import Model


def coordinate_names(model: Model) -> list[str]:
    """Channels of q: `arm.q`; for quaternion joints `base.x` … `base.qw` …"""
    return [name for joint in model.joints() for name in _named(joint.coordinates, joint.type, "q")]


def velocity_names(model: Model) -> list[str]:
    """Channels of q̇: `arm.qd`; for quaternion joints `base.vx` … `base.wx` …"""
    return [name for joint in model.joints() for name in _named(joint.velocities, joint.type, "qd")]


def joint_channels(joint: Joint) -> list[str]:
    """Channels of a joint's coordinates and velocities."""
    return [*_named(joint.coordinates, joint.type, "q"), *_named(joint.velocities, joint.type, "qd")]


def acceleration_names(model: Model) -> list[str]:
    """Channels of q̈: `arm.qdd`; for quaternion joints `base.vx.dot` …"""
    return [
        name
        for joint in model.joints()
        for name in ([f"{v}.dot" for v in joint.velocities] if joint.type in QUATERNION else [f"{joint.name}.qdd"])
    ]


def _named(names: Sequence[str], kind: str, ending: str) -> list[str]:
    return list(names) if kind in QUATERNION else [f"{name}.{ending}" for name in names]
