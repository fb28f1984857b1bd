"""The pole and the rim of the hopper: boxes that bucket, dipper and boom must not hit.

Contacts are those of boxes with separating axes and a penalty force (Jaiswal, Pub. IV II-C and VI). The chain gives the
force of a step to the next one, as the soil does, so that the contacts cost one evaluation in a step.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import cos, radians, sin
from typing import Any

from symbody.elements.boxes import Box, box_box
from symbody.elements.contact import closing
from symbody.elements.contact_laws import Penalty
from symbody.elements.element import Motion, Named
from symbody.elements.vectors import cross, minus, scaled
from symbody.model.model import Model
from symbody.system.options import SITE_INPUTS

PLACE = 5.6, radians(62.0)  # m, rad: distance and direction of the hopper from the slewing ring
INSIDE, FLOOR, RIM = 2.6, 0.5, 1.5  # m: width of the hopper, heights of its floor and rim
WALL = 0.12  # m
POLE = (7.6, radians(30.0)), 0.15, 5.0  # distance and direction; half its width and its height (m)
LAW = Penalty(stiffness=4e6, damping=6e4)
# half sizes (m) of the boxes of the arm, at points of their bodies
ARM = {"bucket": ("bucket.hull", (0.56, 0.62, 0.36)), "dipper": ("dipper.middle", (1.35, 0.15, 0.18)),
       "boom": ("boom.middle", (2.2, 0.2, 0.22))}  # fmt: skip
TOUCHED = {"bucket": ("pole", "near", "far", "left", "right"), "dipper": ("pole", "near"), "boom": ("pole", "near")}


def hopper_centre() -> tuple[float, float]:
    """x, y (m) of the middle of the hopper."""
    far, way = PLACE
    return far * cos(way), far * sin(way)


def add_obstacles(m: Model, scale: Any) -> dict[str, str]:
    """Add contacts of the arm with pole and rim; signals ARM.hit (N). Returns the wires of the system's stage.

    scale: of the bucket's lengths, as a parameter.
    """
    boxes = _boxes(m)
    hull = tuple(k * scale for k in (0.6, 0.0, 0.36))
    m.bodies["bucket"].point("hull", hull)
    wires: dict[str, str] = {}
    for part, (path, halves) in ARM.items():
        m.force_site(f"{part}.contact", path)
        _add_contacts(m, part, path, halves, {name: boxes[name] for name in TOUCHED[part]})
        wires |= {f"{part}.contact.{x}": f"{part}.wrench.{k + 1}" for k, x in enumerate(SITE_INPUTS)}
    return wires


def _boxes(m: Model) -> dict[str, tuple[str, Box]]:
    """Obstacles by name: paths of their middles on the ground, and half sizes."""
    (far, way), half, high = POLE
    pole = m.ground.point("pole", (far * cos(way), far * sin(way), high / 2))
    found = {"pole": (pole.path, Box(half, half, high / 2))}
    x, y = hopper_centre()
    turned, out = PLACE[1], INSIDE / 2 + WALL / 2
    for name, along, aside in (("near", -out, 0.0), ("far", out, 0.0), ("left", 0.0, out), ("right", 0.0, -out)):
        at = (x + along * cos(turned) - aside * sin(turned), y + along * sin(turned) + aside * cos(turned), RIM - 0.2)
        rail = m.ground.point(f"rim_{name}", at, (0.0, 0.0, turned))
        across = (WALL / 2, INSIDE / 2, 0.2) if aside == 0.0 else (INSIDE / 2, WALL / 2, 0.2)
        found[name] = rail.path, Box(*across)
    return found


def _add_contacts(
    m: Model, part: str, path: str, halves: tuple[float, float, float], obstacles: Mapping[str, tuple[str, Box]]
) -> None:
    def met(s: Motion, p: Named) -> tuple[Any, list[Any]]:
        """The load (N), and force and torque on the part at its point."""
        at, loads, wrench = s.point(path), 0.0, [0.0] * 6
        k = p["bucket_scale"] if part == "bucket" else 1.0
        own = Box(*(k * h for h in halves))
        for place, box in obstacles.values():
            fixed = s.point(place)
            meeting = box_box(fixed, at, box, own)
            rate, _ = closing(fixed, at, meeting)
            load = LAW.force(meeting.depth, rate)
            force = scaled(load, meeting.normal)
            both = (*force, *cross(minus(meeting.place, at.position), force))
            loads, wrench = loads + load, [a + b for a, b in zip(wrench, both, strict=True)]
        return loads, wrench

    m.signal(f"{part}.wrench", 6)(lambda s, p: met(s, p)[1])
    m.signal(f"{part}.hit")(lambda s, p: met(s, p)[0])
