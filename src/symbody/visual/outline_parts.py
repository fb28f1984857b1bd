"""Looks of planar mechanisms from outlines in the plane x–z: plates, rods, rolls and balls, as data of a file.

A part is {KIND: numbers}, with `of` for its material and `each` for its positions along y. Kinds: plate: a convex
`outline` [[x, z], …] with optional `circles` [[x, z, radius], …], from `y` to `y`, edges `round` (radius). rod: `from`
[x, z] `to` [x, z] with a `radius`. roll: a disc `at` [x, z] with a `radius`, from `y` to `y`. ball: `at`, `radius`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, cast

import numpy as np

from symbody.files.mesh import Mesh
from symbody.visual.materials import Material
from symbody.visual.primitives import hull
from symbody.visual.scene import Look, along, placed

Array = np.ndarray
Data = Mapping[str, Any]
ACROSS = np.array([0.0, 1.0, 0.0])
CORNERS = 14  # of a circle in an outline


def outline_looks(
    parts: Sequence[Data], origin: Sequence[float], materials: Mapping[str, Sequence[str]], unit: float = 1.0
) -> list[Look]:
    """Looks of parts relative to an origin [x, z].

    materials: colour and material by name; unit: length (m) of 1 in the data.
    """
    found = []
    for part in parts:
        ((kind, given),) = part.items()
        mesh, place = KINDS[kind](given)
        for y in given.get("each", (0.0,)):
            moved = np.column_stack([np.zeros((3, 3)), np.array([-origin[0], y, -origin[1]])])
            colour, material = materials[given["of"]]
            found.append(Look(mesh, (place + moved) * unit, colour, material=cast(Material, material)))
    return found


def _plate(given: Data) -> tuple[Mesh, Array]:
    r, (left, right) = given["round"], given["y"]
    edge = list(given["outline"])
    for x, z, radius in given.get("circles", ()):
        turn = np.linspace(0.0, 2.0 * np.pi, CORNERS, endpoint=False)
        edge += [(x + (radius - r) * np.cos(a), z + (radius - r) * np.sin(a)) for a in turn]
    corners = [(x, y, z) for x, z in edge for y in (left + r, right - r)]
    return hull(np.array(corners, dtype=float), r, detail=1), placed()


def _rod(given: Data) -> tuple[str, Array]:
    (x0, z0), (x1, z1) = given["from"], given["to"]
    way = np.array([x1 - x0, 0.0, z1 - z0])
    return "cylinder", along(way, np.array([x0, 0.0, z0]), given["radius"], float(np.linalg.norm(way)))


def _roll(given: Data) -> tuple[str, Array]:
    (x, z), (left, right) = given["at"], given["y"]
    return "cylinder", along(ACROSS, np.array([x, left, z]), given["radius"], right - left)


def _ball(given: Data) -> tuple[str, Array]:
    x, z = given["at"]
    return "ball", placed((x, 0.0, z), given["radius"])


KINDS: dict[str, Callable[[Data], tuple[str | Mesh, Array]]] = {
    "plate": _plate,
    "rod": _rod,
    "roll": _roll,
    "ball": _ball,
}
