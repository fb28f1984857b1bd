"""Extra inputs and the ghost body of a scene: numbers that a loop writes for others, and an object that others move."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from symbody.haptics.objects import HapticBody, Linkage
from symbody.haptics.shapes import Array
from symbody.haptics.two_rates.local_model import LocalModel

NUMBER, CHOICE, STANDING = range(3)  # kinds of inputs, as in stepper.c
STANDINGS = ("local model", "intermediate", "whole scene")  # ways to represent the world, as in stepper.c


def field_view(structure: Any, name: str) -> Array:
    """The numbers of a field of a C structure, as an array over the same memory."""
    place = getattr(type(structure), name)
    number = np.dtype(dict(structure._fields_)[name]).base
    view: Array = np.frombuffer(structure, number, place.size // number.itemsize, place.offset)
    return view


@dataclass(frozen=True)
class SceneInput:
    """An input of a scene: its kind, and the number that the loop writes before each tick."""

    kind: int
    place: Array  # one element, float64 for NUMBER, int64 for CHOICE

    @property
    def value(self) -> float:
        """The number now."""
        return float(self.place[0])


@dataclass(frozen=True)
class SceneExtras:
    """Extra inputs and the ghost body of a scene.

    Parameters
    ----------
    inputs : mapping of str to SceneInput, optional
        By name; they replace settings of the same name.
    ghost : HapticBody or Linkage, optional
        An object that is drawn but not felt.
    q, v : array, optional
        Its coordinates and velocities: views of memory that another thread writes.
    """

    inputs: Mapping[str, SceneInput] = field(default_factory=dict)
    ghost: HapticBody | Linkage | None = None
    q: Array = field(default_factory=lambda: np.zeros(0))
    v: Array = field(default_factory=lambda: np.zeros(0))


def local_inputs(local: LocalModel) -> dict[str, SceneInput]:
    """Live settings of a local model: local (index in STANDINGS); kinematic, exact, passive (0 or 1)."""
    return {
        "local": SceneInput(STANDING, field_view(local.c, "intermediate")),
        "kinematic": SceneInput(CHOICE, field_view(local.c, "kinematic")),
        "exact": SceneInput(CHOICE, field_view(local.c, "exact")),
        "passive": SceneInput(CHOICE, field_view(local.c.port, "on")),
    }


def number_inputs(names: tuple[str, ...], values: Array) -> dict[str, SceneInput]:
    """Inputs that are written into the elements of an array."""
    return {name: SceneInput(NUMBER, values[k : k + 1]) for k, name in enumerate(names)}
