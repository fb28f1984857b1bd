"""Looks of the attenuator: honeycomb and its plate, and the impactor."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from symbody.model.model import Model
from symbody.vehicles.attenuator_looks import honeycomb
from symbody.visual.scene import Look, cuboid

WIDE = 1.4  # m, of a cartridge of 1.4 m²
IMPACTOR = (1.6, 1.2, 0.8)  # m
PAINT = "#b5503c"


def looks(model: Model) -> Mapping[str, Sequence[Look]]:
    """Looks by body."""
    cells = [body for name, body in model.bodies.items() if name.startswith("row")]
    return honeycomb(cells, WIDE) | {"impactor": [Look("box", cuboid(IMPACTOR, (-0.5 * IMPACTOR[0], 0.0, 0.0)), PAINT)]}
