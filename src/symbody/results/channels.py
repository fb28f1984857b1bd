"""Channels of a run: selection by name or pattern, and their units."""

from __future__ import annotations

import fnmatch
from collections.abc import Iterable, Mapping, Sequence

from symbody.errors import ChannelError
from symbody.model.body import QUATERNION, Joint
from symbody.model.model import Model
from symbody.suggestions import did_you_mean
from symbody.system.motion_names import acceleration_names, coordinate_names, velocity_names

DIMENSIONLESS = "1"
UNKNOWN = ""  # unit of user-defined states and signals without one

_ANGULAR = ("rad", "rad/s", "rad/s²", "N m")  # coordinate, velocity, acceleration, force
_LINEAR = ("m", "m/s", "m/s²", "N")
_MEASURED = {"length": "m", "rate": "m/s", "tension": "N"}  # of links
_ACCOUNTED = {"stored": "J", "dissipated": "W", "supplied": "W", "flow": "m³/s", "gas": "m³"}  # of elements
_VECTORS = {
    "position": "m", "velocity": "m/s", "omega": "rad/s", "acceleration": "m/s²", "omega_dot": "rad/s²",
    "rotation": DIMENSIONLESS, "force": "N", "torque": "N m", "gyro": "rad/s", "accelerometer": "m/s²",
}  # fmt: skip


def matching(names: Sequence[str], patterns: Sequence[str]) -> list[str]:
    """The names that are given or match a pattern; raises if a pattern matches none."""
    found: set[str] = set()
    for pattern in patterns:
        exact = [pattern] if pattern in names else [name for name in names if fnmatch.fnmatchcase(name, pattern)]
        if not exact:
            raise not_recorded(pattern, names)
        found.update(exact)
    return [name for name in names if name in found or not patterns]


def not_recorded(name: str, names: Sequence[str]) -> ChannelError:
    """The error for a missing channel; it suggests similar names."""
    cure = did_you_mean(name, names, "channels")
    return ChannelError(f"{name!r} was not recorded; {cure} Record other channels with outputs=[…]")


def channel_units(model: Model, names: Iterable[str]) -> dict[str, str]:
    """SI units of the channels of a model, as far as they are known."""
    known = _joint_units(model)
    own = {name: state.unit for name, state in model.states.items()}
    own |= {name: signal.unit for name, signal in model.signals.items()}
    return {name: _unit(name, own, known) for name in names}


def _unit(name: str, own: Mapping[str, str], known: Mapping[str, str]) -> str:
    """own: units of states and signals. known: of motion and forces."""
    of, _, ending = name.rpartition(".")
    if name in own or of in own:  # the latter is a signal of several values
        return own.get(name) or own.get(of) or _ACCOUNTED.get(ending, UNKNOWN)
    return known.get(name) or _measured(name)


def _joint_units(model: Model) -> dict[str, str]:
    """Units of motion and forces, from the types of the joints."""
    found: dict[str, str] = {}
    positions = [unit for joint in model.joints() for unit in _coordinate_units(joint)]
    kinds = [kind for joint in model.joints() for kind in _freedoms(joint)]
    found |= zip(coordinate_names(model), positions, strict=True)
    found |= ((name, kind[1]) for name, kind in zip(velocity_names(model), kinds, strict=True))
    found |= ((name, kind[2]) for name, kind in zip(acceleration_names(model), kinds, strict=True))
    for ending in ("Q", "effort"):
        found |= ((f"{name}.{ending}", kind[3]) for name, kind in zip(model.velocities, kinds, strict=True))
    return found


def _coordinate_units(joint: Joint) -> list[str]:
    if joint.type in QUATERNION:
        return ["m"] * (joint.nq - 4) + [DIMENSIONLESS] * 4
    return [_freedoms(joint)[0][0]]


def _freedoms(joint: Joint) -> list[tuple[str, str, str, str]]:
    """For each degree of freedom: units of coordinate, velocity, acceleration and force."""
    if joint.type in QUATERNION:
        return [_LINEAR] * (joint.nv - 3) + [_ANGULAR] * 3
    return [_ANGULAR if joint.type.startswith("R") else _LINEAR]


def _measured(name: str) -> str:
    """Units by the endings of `link.length`, `sensor.velocity.x`, `loop.force.z`, `energy.kinetic`."""
    if name.startswith("energy."):
        return "J"
    parts = name.split(".")
    return _MEASURED.get(parts[-1]) or _VECTORS.get(parts[-2] if len(parts) > 1 else "", UNKNOWN)
