"""Looks of the observed car: four wheels, and a body of glass through which the forces are seen."""

from __future__ import annotations

import numpy as np

from symbody.machines.car_observer.model import WHEELS
from symbody.vehicles.axles import HEIGHT
from symbody.visual.scene import Look, along, cuboid

WIDE = 0.2  # m, of a wheel
RUBBER, RIM, PAINT, GLASS = "#2b2e33", "#aeb6bf", "#3f7cac", 0.45
BODY = (4.3, 1.72, 0.5), (0.0, 0.0, 0.58)  # edges and middle (m)
CABIN = (2.1, 1.5, 0.48), (-0.25, 0.0, 1.05)
Y = np.array([0.0, 1.0, 0.0])


def looks() -> dict[str, list[Look]]:
    """Looks by body."""
    wheels = [look for x, y in WHEELS.values() for look in _wheel(np.array([x, y, HEIGHT]))]
    body = [Look("box", cuboid(edges, middle), PAINT, GLASS) for edges, middle in (BODY, CABIN)]
    return {"wheels": wheels, "body": body}


def _wheel(middle: np.ndarray) -> list[Look]:
    inner = middle - 0.5 * WIDE * Y
    tyre = along(Y, inner, HEIGHT, WIDE)
    rim = along(Y, inner - 0.005 * Y, 0.6 * HEIGHT, WIDE + 0.01)
    return [Look("cylinder", tyre, RUBBER), Look("cylinder", rim, RIM)]
