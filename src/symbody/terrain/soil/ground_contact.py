"""Bodies in contact with a terrain: what C needs of them, and the names of what they exchange."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass
from typing import Any

import numpy as np

from symbody.errors import ModelError
from symbody.system.options import SITE_INPUTS, XYZ
from symbody.terrain.height_map import Array
from symbody.terrain.soil.structures import POINT_STATE, TOOL, TYRE, WHEEL, SoilContactOf
from symbody.terrain.soil.tool_shape import MOST_BOXES, ToolBox, box_rows, force_points, hull

MOTION = (
    *(f"position.{axis}" for axis in XYZ),
    *(f"rotation.{i}{j}" for i in (1, 2, 3) for j in (1, 2, 3)),
    *(f"{kind}.{axis}" for kind in ("velocity", "omega") for axis in XYZ),
)
LOAD = "load"  # what a tyre says of itself
UNITS = {
    **{name: "N" if name.startswith("force") else "N m" for name in SITE_INPUTS},
    "height": "m", "slope.x": "1", "slope.y": "1", "carried": "kg",
}  # fmt: skip
GROUND = ("height", "slope.x", "slope.y")  # what a tyre gets
CARRIED = "carried"  # kg of particles in a tool


@dataclass(frozen=True)
class GroundContact:
    """A wheel, a tyre or a tool by its name.

    stiffness: radial, of a tyre (N/m). boxes, pitch (m): of a tool. bulldozing: whether a wheel pushes soil ahead.
    """

    name: str
    kind: int
    radius: float = 0.0
    width: float = 0.0
    stiffness: float = 0.0
    boxes: tuple[ToolBox, ...] = ()
    pitch: float = 0.0
    bulldozing: bool = False

    def __post_init__(self) -> None:
        numbers = {WHEEL: ("radius", "width"), TYRE: ("radius", "width", "stiffness"), TOOL: ("pitch",)}[self.kind]
        for number in numbers:
            value = getattr(self, number)
            if not (np.isfinite(value) and value > 0.0):
                raise ModelError(f"{number} is {value}", element=self.name, cure="use more than zero")
        if self.kind == TOOL and not 1 <= len(self.boxes) <= MOST_BOXES:
            raise ModelError(f"{len(self.boxes)} boxes", element=self.name, cure=f"give 1 to {MOST_BOXES}")
        for box in self.boxes:
            box.check(self.name)

    @property
    def site(self) -> str:
        """Name of the force site where the soil acts."""
        return f"{self.name}.soil"

    @property
    def inputs(self) -> list[str]:
        """Names of what the soil reads: the motion, and the load of a tyre."""
        return [f"{self.name}.{x}" for x in (*MOTION, *((LOAD,) if self.kind == TYRE else ()))]

    @property
    def outputs(self) -> dict[str, str]:
        """Names of what the soil gives, with their units."""
        more = {WHEEL: (), TYRE: GROUND, TOOL: (CARRIED,)}[self.kind]
        return {f"{self.site}.{x}": UNITS[x] for x in (*SITE_INPUTS, *more)}

    def memory(self) -> ContactMemory:
        """Its numbers for C."""
        if self.kind != TOOL:
            reach = float(np.hypot(self.radius, 0.5 * self.width))
            return ContactMemory(np.zeros(0), np.zeros(0), np.zeros(0), np.zeros(6), reach, self.width)
        boxes, points = box_rows(self.boxes), force_points(self.name, self.boxes, self.pitch)
        around = hull(boxes)
        reach = float(np.linalg.norm(np.abs(around.reshape(2, 3)).max(axis=0)))
        breadth = min(sorted(box.size)[1] for box in self.boxes)
        return ContactMemory(points, boxes, np.zeros(POINT_STATE * len(points)), around, reach, breadth)


@dataclass(frozen=True, eq=False)
class ContactMemory:
    """Arrays of a contact: force points, boxes, states of the points; hull, reach (m), and b of Bekker's law (m)."""

    points: Array
    boxes: Array
    states: Array
    hull: Array
    reach: float
    breadth: float

    def fill(self, to: Any, contact: GroundContact, u: int) -> None:
        """Write a soil_contact_t; u: address of its inputs."""
        to.kind, to.npoints, to.nboxes = contact.kind, len(self.points), len(self.boxes)
        to.u, to.points, to.boxes, to.memory = (
            u, self.points.ctypes.data, self.boxes.ctypes.data, self.states.ctypes.data,
        )  # fmt: skip
        to.radius, to.width, to.stiffness = contact.radius, contact.width, contact.stiffness
        to.reach, to.breadth, to.bulldozing = self.reach, self.breadth, float(contact.bulldozing)
        to.hull = (ctypes.c_double * 6)(*self.hull)


def contact_structures(contacts: list[GroundContact], u: Array) -> tuple[Any, list[ContactMemory]]:
    """An array of soil_contact_t that reads its inputs from u, one contact after another, and the memory behind it."""
    made, kept = (SoilContactOf * max(len(contacts), 1))(), []
    first = 0
    for k, contact in enumerate(contacts):
        memory = contact.memory()
        memory.fill(made[k], contact, u.ctypes.data + u.itemsize * first)
        kept.append(memory)
        first += len(contact.inputs)
    return made, kept
