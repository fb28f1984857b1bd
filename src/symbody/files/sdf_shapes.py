"""Looks of SDF links: boxes, balls, cylinders, capsules, ellipsoids and meshes, in the colours of their materials."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from symbody.files.safe_file import local_name
from symbody.files.sdf_document import SdfDocument, pose_of, text_of, triple, value_of
from symbody.model.file_shape import FileShape, box, capsule, cylinder, ellipsoid, hex_colour, moved, placed_shapes
from symbody.model.formula import literal
from symbody.model.placement import AT_HOME
from symbody.model.rotation import Matrix


def link_shapes(document: SdfDocument, link: ET.Element, folder: Path, where: str) -> list[FileShape]:
    """The visuals of a link in its own frame. Unknown shapes are skipped."""
    found: list[FileShape] = []
    for visual in link.iterfind("visual"):
        geometry = visual.find("geometry")
        pose, _ = pose_of(visual)
        colour, opacity = _paint(visual)
        for shape in geometry if geometry is not None else ():
            if shape.tag == "mesh":
                scale = np.diag(triple(text_of(shape, "scale") or "1 1 1", where))
                place = moved(pose, np.column_stack([scale, np.zeros(3)]))
                found.append(FileShape("mesh", place, colour, opacity, _file(document, text_of(shape, "uri"), folder)))
            else:
                found += placed_shapes(_unit(shape, where), pose, AT_HOME, colour, opacity)
    return found


def _unit(shape: ET.Element, where: str) -> list[tuple[str, Matrix]]:
    radius = value_of(shape, "radius", where, 0.5)
    match shape.tag:
        case "box":
            return box(triple(text_of(shape, "size") or "1 1 1", where))
        case "sphere":
            return ellipsoid((radius,) * 3)
        case "ellipsoid":
            return ellipsoid(triple(text_of(shape, "radii") or "1 1 1", where))
        case "cylinder":
            return cylinder(radius, value_of(shape, "length", where, 1.0))
        case "capsule":
            return capsule(radius, value_of(shape, "length", where, 1.0))
    return []


def _paint(visual: ET.Element) -> tuple[str | None, float]:
    """Colour and opacity: the diffuse colour of the material."""
    material = visual.find("material")
    words: Sequence[str] = text_of(material, "diffuse").split() if material is not None else ()
    shares = [literal(word) for word in words[:3]]
    opaque = 1.0 - value_of(visual, "transparency", visual.get("name") or "visual", 0.0)
    if len(shares) < 3 or None in shares:
        return None, opaque
    return hex_colour(share for share in shares if share is not None), opaque


def _file(document: SdfDocument, uri: str, folder: Path) -> str:
    """The path of a mesh: in the file's folder, in a given package, or in a folder of that name above."""
    scheme, _, rest = uri.rpartition("://")
    if scheme not in ("model", "package"):
        return str(folder / local_name(rest))
    package, _, below = map(local_name, rest.partition("/"))
    if package in document.packages:
        return str(document.packages[package] / below)
    for above in (document.home, *document.home.parents):
        for inside in (above / package / below, above / below if above.name == package else None):
            if inside is not None and inside.is_file():
                return str(inside)
    return str(document.home / package / below)
