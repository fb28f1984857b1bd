"""What stands beside the ticks of a scene: numbers that ticks write for others, and an object that others move.

Both are part of the scene's system: the numbers as inputs, the object as bodies that loops and the studio show.
"""

from __future__ import annotations

import ctypes
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from symbody.haptics.objects import HapticBody, Linkage
from symbody.haptics.shapes import Array
from symbody.haptics.two_rates.local_model import LocalModel, LocalOf
from symbody.haptics.two_rates.port import PortOf

GIVEN, NUMBER, CHOICE, STANDING = range(4)  # what an input is, as in stepper.c
STANDINGS = ("local model", "intermediate", "whole scene")  # how a world is stood for, as in stepper.c


@dataclass(frozen=True)
class Sink:
    """Where an input goes at each tick: what it is, an address, and its value at first."""

    kind: int
    address: int
    value: float


@dataclass(frozen=True)
class Beside:
    """inputs: by name, in place of settings of that name. ghost: shown where `q` has it, under its own name."""

    inputs: Mapping[str, Sink] = field(default_factory=dict)
    ghost: HapticBody | Linkage | None = None
    q: Array = field(default_factory=lambda: np.zeros(0))
    v: Array = field(default_factory=lambda: np.zeros(0))
    kept: object = None  # whose memory the addresses are


def local_inputs(local: LocalModel) -> dict[str, Sink]:
    """What of a local model changes while it runs: local (of STANDINGS); kinematic, exact, passive (0 or 1)."""
    c, port = ctypes.addressof(local.c), ctypes.addressof(local.c) + LocalOf.port.offset
    return {
        "local": Sink(STANDING, c, float(local.c.intermediate)),
        "kinematic": Sink(CHOICE, c + LocalOf.kinematic.offset, float(local.c.kinematic)),
        "exact": Sink(CHOICE, c + LocalOf.exact.offset, float(local.c.exact)),
        "passive": Sink(CHOICE, port + PortOf.on.offset, float(local.c.port.on)),
    }


def number_inputs(names: tuple[str, ...], values: Array) -> dict[str, Sink]:
    """Inputs that ticks write into an array, one after the other."""
    start = values.ctypes.data
    return {name: Sink(NUMBER, start + 8 * k, float(values[k])) for k, name in enumerate(names)}
