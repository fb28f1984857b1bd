"""Looks of MJCF geoms: the groups that MuJoCo's viewer shows, in the colours of their materials."""

from __future__ import annotations

import numpy as np

from symbody.files.file_tree import quaternion_matrix
from symbody.files.mjcf_document import MjcfDocument
from symbody.files.mjcf_inertia import Shape, shape_of
from symbody.files.mjcf_meshes import MjcfMeshes
from symbody.files.mjcf_numbers import Attributes, real, reals
from symbody.model.file_shape import FileShape, box, capsule, cylinder, ellipsoid, hex_colour, moved, placed_shapes
from symbody.model.placement import Placement, compose

SHOWN = 2  # by convention, higher groups are for collisions only
_GREY = (0.5, 0.5, 0.5, 1.0)


def collides(geom: Attributes) -> bool:
    """Whether a geom can collide; one that cannot is only for show."""
    return geom.get("contype", "1") != "0" or geom.get("conaffinity", "1") != "0"


def is_shown(geom: Attributes, where: str) -> bool:
    return real(geom, "group", where) <= SHOWN


def geom_shapes(
    document: MjcfDocument, meshes: MjcfMeshes, geom: Attributes, frame: Placement, seat: Placement, where: str
) -> list[FileShape]:
    """The shapes of a geom on its body; empty if it is transparent, infinite or of an unknown kind."""
    rgba = _rgba(document, geom, where)
    if rgba[3] <= 0.0:
        return []
    shape = shape_of(document, geom, where)
    pose = compose(frame, shape.pose)
    colour = hex_colour(rgba[:3]) if rgba != _GREY else None
    if shape.kind == "mesh":
        name = geom.get("mesh", "")
        if "file" not in meshes.assets.get(name, {}):
            return []
        place = moved(compose(seat, pose), _reference(meshes.asset(name, where), where))
        return [FileShape("mesh", place, colour, rgba[3], str(meshes.file(name, where)))]
    return placed_shapes(_unit(shape), pose, seat, colour, rgba[3]) if "mesh" not in geom else []


def _unit(shape: Shape) -> list[tuple[str, np.ndarray]]:
    a, b, c = shape.size
    match shape.kind:
        case "box":
            return box((2 * a, 2 * b, 2 * c))
        case "sphere":
            return ellipsoid((a, a, a))
        case "ellipsoid":
            return ellipsoid((a, b, c))
        case "cylinder":
            return cylinder(a, 2 * b)
        case "capsule":
            return capsule(a, 2 * b)
    return []


def _reference(asset: Attributes, where: str) -> np.ndarray:
    """From a mesh file to the frame of the geom: x = scale (Rᵀ (v − refpos))."""
    R = quaternion_matrix(reals(asset, "refquat", where, (1.0, 0.0, 0.0, 0.0)), where)
    linear = np.diag(reals(asset, "scale", where, (1.0, 1.0, 1.0))) @ R.T
    return np.column_stack([linear, -linear @ np.array(reals(asset, "refpos", where, (0.0, 0.0, 0.0)))])


def _rgba(document: MjcfDocument, geom: Attributes, where: str) -> tuple[float, ...]:
    """A geom's own colour, or its material's."""
    if "rgba" in geom or "material" not in geom:
        return reals(geom, "rgba", where, _GREY)
    for element in document.section("asset"):
        if element.tag == "material" and element.get("name") == geom["material"]:
            return reals(document.attributes(element), "rgba", where, (1.0, 1.0, 1.0, 1.0))
    return _GREY
