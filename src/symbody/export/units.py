"""Units of channels, from what the channels are, in the words of FMI."""

from __future__ import annotations

from collections.abc import Mapping

from symbody.model.body import QUATERNION, Joint
from symbody.model.model import Model

_ENDINGS = {
    "length": "m", "rate": "m/s", "tension": "N", "kinetic": "J", "potential": "J",
    "force": "N", "torque": "N m", "stored": "J", "dissipated": "W", "supplied": "W", "flow": "m3/s", "gas": "m3",
    "position": "m", "velocity": "m/s", "omega": "rad/s", "acceleration": "m/s2", "omega_dot": "rad/s2",
}  # fmt: skip
_TIMES = ("", "/s", "/s2")


def channel_units(model: Model) -> Mapping[str, str]:
    """Units of the motion by the names of the channels, for `channel_unit`."""
    found: dict[str, str] = {}
    for joint in model.joints():
        found |= _quaternion_units(joint) if joint.type in QUATERNION else _joint_units(joint)
    return found


def _joint_units(joint: Joint) -> dict[str, str]:
    way, force = ("rad", "N m") if joint.type.startswith("R") else ("m", "N")
    units = {f"{joint.name}.{name}": f"{way}{time}" for name, time in zip(("q", "qd", "qdd"), _TIMES, strict=True)}
    return units | {f"{joint.name}.Q": force, f"{joint.name}.effort": force}


def _quaternion_units(joint: Joint) -> dict[str, str]:
    units = {name: "m" for name in joint.coordinates if name[-2:] in (".x", ".y", ".z")}
    for name in joint.velocities:
        turns = name.rpartition(".")[2].startswith("w")
        way, force = ("rad", "N m") if turns else ("m", "N")
        units |= {name: f"{way}/s", f"{name}.dot": f"{way}/s2", f"{name}.Q": force, f"{name}.effort": force}
    return units


def channel_unit(model: Model, motion: Mapping[str, str], name: str) -> str:
    """The unit of a channel or an input; empty where only the user knows it."""
    if name in motion:
        return motion[name]
    if name in model.inputs:
        return model.inputs[name].unit
    if name in model.states or name in model.signals or name.rpartition(".")[0] in model.signals:
        return ""
    last = [word for word in name.split(".") if word not in ("x", "y", "z")][-1:]
    return _ENDINGS.get(last[0], "") if last and "." in name else ""
