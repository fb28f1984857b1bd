"""A piano action in space, from the outlines of `looks.yaml`: parts on bodies, and what stands about."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any

import numpy as np
import yaml

from symbody.machines.piano.model import MM, drawing
from symbody.studio.machine import Viewpoint
from symbody.visual.mesh import Mesh, hull
from symbody.visual.scene import Look, along, placed

Array = np.ndarray
Data = Mapping[str, Any]
ACROSS = np.array([0.0, 1.0, 0.0])
CORNERS = 14  # of a circle in an outline


@cache
def outlines() -> Data:
    """The numbers of the data file: mm."""
    read: Data = yaml.safe_load((files(__package__) / "looks.yaml").read_text(encoding="utf-8"))
    return read


def looks(missing: set[str]) -> dict[str, list[Look]]:
    """Parts of the bodies but those that are missing, in their frames; the head is drawn with its hammer."""
    there = {body: parts for body, parts in outlines()["bodies"].items() if body not in missing}
    return {body: _looks(parts, drawing()["bodies"][body]["hinge"]) for body, parts in there.items()} | {"head": []}


def scenery() -> list[Look]:
    """Rails, strings, the keys to the right, and their hammers and dampers at rest."""
    around, bodies = outlines()["neighbours"], outlines()["bodies"]
    beside = [
        {kind: given | {"each": around["each"]}} for body in around["bodies"] for part in bodies[body]
        for kind, given in part.items()
    ]  # fmt: skip
    return _looks([*outlines()["scenery"], *beside], (0.0, 0.0))


def view() -> Viewpoint:
    """From the left, where the neighbours are taken away."""
    given = outlines()["view"]
    holds = [(x * MM, y * MM, z * MM) for x, y, z in given["holds"]]
    return Viewpoint(given["azimuth"], given["elevation"], holds)


def _looks(parts: Sequence[Data], origin: Sequence[float]) -> list[Look]:
    """Parts seen from an origin (x, z) of the drawing."""
    found = []
    for part in parts:
        ((kind, given),) = part.items()
        mesh, place = KINDS[kind](given)
        for y in given.get("each", (0.0,)):
            moved = np.column_stack([np.zeros((3, 3)), np.array([-origin[0], y, -origin[1]])])
            found.append(Look(mesh, (place + moved) * MM, outlines()["materials"][given["of"]]))
    return found


# -- kinds of parts: a mesh and its place (mm) -------------------------------------------------------------------------


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
