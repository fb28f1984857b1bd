"""Looks of the piano action, from the outlines of `looks.yaml`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from symbody.elements.planar_drawing import MM
from symbody.files.package_data import package_data
from symbody.machines.piano.model import drawing
from symbody.studio.appearance import Viewpoint
from symbody.visual.outline_parts import outline_looks
from symbody.visual.scene import Look

Data = Mapping[str, Any]


def outlines() -> Data:
    """The data of `looks.yaml` (mm)."""
    read: Data = package_data(__package__, "looks.yaml")
    return read


def looks(missing: set[str]) -> dict[str, list[Look]]:
    """Looks by body, without the missing bodies; the head is drawn with its hammer."""
    there = {body: parts for body, parts in outlines()["bodies"].items() if body not in missing}
    return {body: _drawn(parts, drawing()["bodies"][body]["hinge"]) for body, parts in there.items()} | {"head": []}


def scenery() -> list[Look]:
    """Rails, strings, the keys to the right, and their hammers and dampers at rest."""
    around, bodies = outlines()["neighbours"], outlines()["bodies"]
    beside = [
        {kind: given | {"each": around["each"]}} for body in around["bodies"] for part in bodies[body]
        for kind, given in part.items()
    ]  # fmt: skip
    return _drawn([*outlines()["scenery"], *beside], (0.0, 0.0))


def view() -> Viewpoint:
    """View from the left, where the neighbours are removed."""
    given = outlines()["view"]
    holds = [(x * MM, y * MM, z * MM) for x, y, z in given["holds"]]
    return Viewpoint(given["azimuth"], given["elevation"], holds)


def _drawn(parts: Sequence[Data], origin: Sequence[float]) -> list[Look]:
    """Parts relative to an origin [x, z] of the drawing (mm)."""
    return outline_looks(parts, origin, outlines()["materials"], MM)
