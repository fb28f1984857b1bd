"""Masses of MJCF bodies: as written, or from the shapes of their geoms at uniform density (kg/m³)."""

from __future__ import annotations

import math
import xml.etree.ElementTree as ET
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from symbody.errors import ModelError
from symbody.files.mjcf_document import MjcfDocument, shortest_turn
from symbody.files.mjcf_meshes import MjcfMeshes
from symbody.files.mjcf_numbers import Attributes, real, reals, truth
from symbody.model.placement import Placement
from symbody.model.rotation import Matrix

DENSITY = 1000.0  # kg/m³, as MuJoCo
SHAPES = ("sphere", "capsule", "ellipsoid", "cylinder", "box")
WEIGHTLESS = ("plane", "hfield", "sdf")


@dataclass(frozen=True)
class MassPart:
    """Mass (kg), centre of mass (m) and inertia about it (kg m²), in a body's frame."""

    mass: float
    com: Matrix
    inertia: Matrix


@dataclass(frozen=True)
class Shape:
    """A primitive: its kind, its sizes as in MuJoCo (m: radius, half lengths), and its placement on the body."""

    kind: str
    size: tuple[float, ...]
    pose: Placement


def geom_kind(geom: Attributes) -> str:
    return geom.get("type", "mesh" if "mesh" in geom else "sphere")


def shape_of(document: MjcfDocument, geom: Attributes, where: str) -> Shape:
    """The shape of a geom. With fromto, its axis 3 lies along the line."""
    kind = geom_kind(geom)
    size = reals(geom, "size", where, (0.0, 0.0, 0.0))
    pose = document.pose(geom, where)
    if "fromto" in geom and kind in ("capsule", "cylinder", "ellipsoid", "box"):
        ends = np.array(reals(geom, "fromto", where, count=6))
        along = ends[:3] - ends[3:]  # axis 3 points to the first end, as in MuJoCo
        half = float(np.linalg.norm(along)) / 2
        pose = (shortest_turn(along, where), (ends[:3] + ends[3:]) / 2)
        size = (size[0], half, 0.0) if kind in ("capsule", "cylinder") else (size[0], size[0], half)
    return Shape(kind, size, pose)


def volume_and_moments(shape: Shape, where: str) -> tuple[float, tuple[float, float, float]]:
    """Volume (m³) and principal moments of unit mass (m²)."""
    a, b, c = shape.size
    if shape.kind == "sphere":
        return 4 / 3 * math.pi * a**3, (0.4 * a * a,) * 3
    if shape.kind == "ellipsoid":
        moments = (b * b + c * c) / 5, (a * a + c * c) / 5, (a * a + b * b) / 5
        return 4 / 3 * math.pi * a * b * c, moments
    if shape.kind == "box":
        return 8 * a * b * c, ((b * b + c * c) / 3, (a * a + c * c) / 3, (a * a + b * b) / 3)
    if shape.kind == "cylinder":  # radius a, half length b
        across = (3 * a * a + 4 * b * b) / 12
        return 2 * math.pi * a * a * b, (across, across, a * a / 2)
    if shape.kind == "capsule":
        return _capsule(a, b)
    cure = f"give the body an <inertial>, set the geom's mass to 0, or use {', '.join(SHAPES)}"
    raise ModelError(f"the mass of a geom of type '{shape.kind[:40]}' cannot be computed", element=where, cure=cure)


def _capsule(r: float, h: float) -> tuple[float, tuple[float, float, float]]:
    """A cylinder of half length h between two half balls, whose centres of mass are 3/8 r away."""
    cylinder, balls = 2 * math.pi * r * r * h, 4 / 3 * math.pi * r**3
    volume = cylinder + balls
    if not volume:
        return 0.0, (0.0, 0.0, 0.0)
    across = cylinder * (3 * r * r + 4 * h * h) / 12 + balls * (0.4 * r * r + h * h + 0.75 * h * r)
    along = cylinder * r * r / 2 + balls * 0.4 * r * r
    return volume, (across / volume, across / volume, along / volume)


def geom_mass(document: MjcfDocument, meshes: MjcfMeshes, geom: Attributes, where: str) -> MassPart | None:
    """Mass of a geom; None if it has no mass."""
    kind = geom_kind(geom)
    if kind in WEIGHTLESS:
        return None
    given = real(geom, "mass", where, -1.0)
    density = real(geom, "density", where, DENSITY)
    if given == 0.0 or (given < 0 and density == 0.0):
        return None
    if truth(geom, "shellinertia", False):
        raise ModelError(
            "hollow geoms (shellinertia) are not supported", element=where, cure="give the body an <inertial>"
        )
    shape = shape_of(document, geom, where)
    rotation, position = shape.pose
    if kind == "mesh":
        mesh = meshes.mass(geom.get("mesh", ""), where)
        mass = given if given > 0 else density * mesh.volume
        return MassPart(mass, position + rotation @ mesh.centre, rotation @ (mass * mesh.inertia) @ rotation.T)
    if "mesh" in geom:
        cure = "give the body an <inertial>, or the geom a size instead of a mesh"
        raise ModelError(
            f"the mass of a {kind[:40]} that is fitted to a mesh cannot be computed", element=where, cure=cure
        )
    volume, moments = volume_and_moments(shape, where)
    mass = given if given > 0 else density * volume
    return MassPart(mass, position, rotation @ np.diag(np.array(moments) * mass) @ rotation.T)


def written_mass(document: MjcfDocument, inertial: ET.Element, where: str) -> MassPart:
    """The mass of an <inertial>."""
    attributes = dict(inertial.attrib)
    rotation, position = document.pose(attributes, where)
    if "fullinertia" in attributes:
        xx, yy, zz, xy, xz, yz = reals(attributes, "fullinertia", where, count=6)
        inertia = np.array(((xx, xy, xz), (xy, yy, yz), (xz, yz, zz)))
    else:
        inertia = np.diag(reals(attributes, "diaginertia", where, count=3) or (0.0,) * 3)
    return MassPart(real(attributes, "mass", where), position, rotation @ inertia @ rotation.T)


def together(parts: Iterable[MassPart]) -> MassPart:
    """The total mass of several parts, its centre, and the inertia about it (Steiner)."""
    listed = list(parts)
    mass = sum(part.mass for part in listed)
    if mass <= 0.0:
        return MassPart(0.0, np.zeros(3), np.zeros((3, 3)))
    com = sum((part.mass * part.com for part in listed), np.zeros(3)) / mass
    inertia = np.zeros((3, 3))
    for part in listed:
        d = part.com - com
        inertia = inertia + part.inertia + part.mass * ((d @ d) * np.eye(3) - np.outer(d, d))
    return MassPart(mass, com, inertia)


def bounded(settings: Attributes, part: MassPart) -> MassPart:
    """The part with at least the compiler's minimum mass and inertia, and with possible moments."""
    where = "compiler"
    mass = max(part.mass, real(settings, "boundmass", where))
    least, balance = real(settings, "boundinertia", where), truth(settings, "balanceinertia", False)
    if not least and not balance:
        return MassPart(mass, part.com, part.inertia)
    moments, axes = np.linalg.eigh(part.inertia)
    moments = np.maximum(moments, least)
    if balance and moments[2] > moments[0] + moments[1]:
        moments[:] = moments.mean()
    return MassPart(mass, part.com, axes @ np.diag(moments) @ axes.T)
