"""What a URDF says of its joints beside their motion: ends, largest effort and speed, damping."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from dataclasses import dataclass
from math import isfinite
from pathlib import Path

from symbody.errors import ModelError
from symbody.model.model import Model
from symbody.model.safe_xml import number, read_xml
from symbody.model.urdf_file import clean_name


@dataclass(frozen=True)
class JointLimits:
    """Of one joint, in rad or m; None where the file says nothing that can be meant."""

    low: float | None = None
    high: float | None = None
    effort: float | None = None  # N m or N
    speed: float | None = None  # rad/s or m/s
    damping: float = 0.0  # N m s/rad or N s/m


def urdf_limits(model: Model) -> dict[str, JointLimits]:
    """Limits by joint, each joint of the file once; empty where the model is not from a URDF."""
    file = Path(model.file or "")
    if file.suffix.lower() != ".urdf" or not file.is_file():
        return {}
    joints = read_xml(file).root.iterfind("joint")
    return {clean_name(joint.get("name", ""), dots=True): _limits(joint) for joint in joints}


def _limits(joint: ET.Element) -> JointLimits:
    """A joint that turns without end has none; where low is not below high, neither is meant."""
    limit, dynamics = joint.find("limit"), joint.find("dynamics")
    low, high = _number(limit, "lower"), _number(limit, "upper")
    if joint.get("type") == "continuous" or low is None or high is None or not low < high:
        low = high = None
    effort, speed = (
        x if x is not None and x > 0.0 else None for x in (_number(limit, "effort"), _number(limit, "velocity"))
    )
    return JointLimits(low, high, effort, speed, max(_number(dynamics, "damping") or 0.0, 0.0))


def _number(element: ET.Element | None, key: str) -> float | None:
    """A finite number of an attribute; None where there is none: these are no part of the equations."""
    try:
        value = number(element.get(key) or "", key) if element is not None else None
    except ModelError:
        return None
    return value if value is not None and isfinite(value) else None
