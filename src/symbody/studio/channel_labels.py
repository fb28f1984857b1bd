"""Names of channels as people read them: "wheel torque" instead of `wheel.effort`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

# By the ending of a channel: words for what turns, and for what slides.
ENDINGS = {
    "q": ("angle", "position"),
    "qd": ("angular velocity", "velocity"),
    "qdd": ("angular acceleration", "acceleration"),
    "effort": ("torque", "force"),
    "Q": ("torque", "force"),
}
TURNS = ("rad", "N m")  # how units begin of what turns
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
    """What a page writes for channels, where that is not their name: own labels first, the usual words for the rest."""
    return {name: label for name, label in _labels(units, own) if label != name}


def _labels(units: Mapping[str, str], own: Mapping[str, str]) -> Iterable[tuple[str, str]]:
    for name, unit in units.items():
        of, _, ending = name.rpartition(".")
        yield name, own.get(name) or (_label(of, ending, unit) if of else name)


def _label(of: str, ending: str, unit: str) -> str:
    """The body or joint, then the word."""
    thing = of.replace("_", " ").replace(".", " ")
    if ending in ENDINGS:
        return f"{thing} {ENDINGS[ending][0 if unit.startswith(TURNS) else 1]}"
    return f"{thing} {ending.replace('_', ' ')}" if ending in PLAIN else f"{of}.{ending}"
