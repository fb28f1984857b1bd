"""The interface of cueing methods: scene signals in, references of table and hexapod out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from symbody.model.model import Model
from symbody.motion.filter_chain import Law, Reference

SCENE = {  # inputs: what the seat of the scene undergoes, in its own frame (x ahead, y left, z up)
    "scene_x": "m/s²", "scene_y": "m/s²", "scene_z": "m/s²",
    "scene_roll": "rad/s", "scene_pitch": "rad/s", "scene_yaw": "rad/s",
}  # fmt: skip


References = dict[str, Reference]  # by names of `AXES`; an axis that is missing stays at its neutral position


Number = tuple[str, str]  # a field of a method and the number in it: ("tilt", "cutoff")


class CueingMethod(Protocol):
    """A cueing method: numbers, and a function that adds its filters to a model."""

    @property
    def name(self) -> str:
        """As reports show it."""
        ...

    def add(self, m: Model) -> References:
        """Add states and parameters to a model that has the inputs `SCENE`; returns the references of the axes."""
        ...


class TunedMethod(CueingMethod, Protocol):
    """A cueing method whose numbers can be tuned: a dataclass of dataclasses, each number a parameter of the model."""

    def tuned_numbers(self) -> dict[Number, tuple[float, float]]:
        """Numbers for a tuning, with their bounds."""
        ...

    def parameters_of(self, number: Number) -> list[str]:
        """Parameters of the model that share a number."""
        ...


@dataclass(frozen=True)
class Channel:
    """A direction with its tilt: f = a_hexapod + a_table + g θ, where θ = sign · (roll or pitch)."""

    name: str
    axis: str  # of the acceleration: x, y
    turn: str  # the axis that tilts: pitch, roll
    sign: float


# With A = Rz Ry Rx and z up, a positive pitch lowers the nose: the seat feels −g sin(pitch) ahead and +g sin(roll) to
# the left.
CHANNELS = (Channel("surge", "x", "pitch", -1.0), Channel("sway", "y", "roll", 1.0))


def scaled(law: Law, factor: float) -> Law:
    """A law times a number."""
    return lambda s, p: factor * law(s, p)


def added(*laws: Law) -> Law:
    """The sum of laws."""
    return lambda s, p: sum((law(s, p) for law in laws[1:]), laws[0](s, p))


def scene(name: str) -> Law:
    """The law of an input of the scene."""
    return lambda s, p: p[f"scene_{name}"]
