"""Labels of channels: "wheel torque" for `wheel.effort`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

# By the ending of a channel: the words for rotation and for translation.
ENDINGS = {
    "q": ("angle", "position"),
    "qd": ("angular velocity", "velocity"),
    "qdd": ("angular acceleration", "acceleration"),
    "effort": ("torque", "force"),
    "Q": ("torque", "force"),
}
TURNS = ("rad", "N m")  # how units of rotation begin
PLAIN = (
    "length",
    "rate",
    "tension",
    "speed",
    "load",
    "force",
    "torque",
    "position",
    "velocity",
    "acceleration",
    "depth",
)


def channel_labels(units: Mapping[str, str], own: Mapping[str, str]) -> dict[str, str]:
    """Labels of channels that differ from their names; a label in `own` takes precedence."""
    return {name: label for name, label in _labels(units, own) if label != name}


def _labels(units: Mapping[str, str], own: Mapping[str, str]) -> Iterable[tuple[str, str]]:
    for name, unit in units.items():
        of, _, ending = name.rpartition(".")
        yield name, own.get(name) or (_label(of, ending, unit) if of else name)


def _label(of: str, ending: str, unit: str) -> str:
    """The body or joint, then the quantity."""
    thing = of.replace("_", " ").replace(".", " ")
    if ending in ENDINGS:
        return f"{thing} {ENDINGS[ending][0 if unit.startswith(TURNS) else 1]}"
    return f"{thing} {ending.replace('_', ' ')}" if ending in PLAIN else f"{of}.{ending}"
