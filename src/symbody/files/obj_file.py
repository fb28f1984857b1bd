"""Surfaces of Wavefront OBJ files, one per material: corners, texture coordinates, and colours and images of their MTL.

Faces are flat: normals of the file are not read. Masses and contacts read the same file by `mesh_file.read_mesh`.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from symbody.errors import ModelError
from symbody.files.mesh import faceted
from symbody.files.mesh_file import FARTHEST, MAX_BYTES, check_corners, check_count, check_near, corner_index, floats
from symbody.files.mesh_parts import MeshPart
from symbody.files.polygon_faces import triangulated
from symbody.files.read_budget import ReadBudget
from symbody.files.safe_file import local_name, read_bytes
from symbody.files.texture import Texture, left_out, read_texture
from symbody.model.file_shape import hex_colour

Corner = tuple[int, int]  # indices of a point and of its texture coordinates; −1: none


@dataclass
class _Paint:
    colour: str | None = None
    opacity: float = 1.0
    texture: Texture | None = None


@dataclass
class _Obj:
    """The lines of a file, gathered."""

    points: list[list[bytes]] = field(default_factory=list)
    spots: list[list[bytes]] = field(default_factory=list)
    faces: dict[str, list[list[Corner]]] = field(default_factory=dict)  # by the name of the material
    libraries: list[str] = field(default_factory=list)


def read_obj(path: Path, budget: ReadBudget | None = None) -> list[MeshPart]:
    """The surfaces of a file. Raises ModelError if it is invalid; an unusable image is left out with a warning."""
    budget = budget or ReadBudget()
    read = _gathered(read_bytes(path, MAX_BYTES, budget))
    points = floats(read.points).reshape(-1, 3)
    check_near(points)
    check_corners(len(points), (corner for faces in read.faces.values() for face in faces for corner, _ in face))
    spots = floats(read.spots).reshape(-1, 2)
    spots = spots if np.all(np.abs(spots) < FARTHEST) else spots[:0]
    libraries = dict.fromkeys(read.libraries)  # each is read once
    paints = {name: paint for file in libraries for name, paint in _materials(file, path.parent, budget).items()}
    found = []
    for name, faces in read.faces.items():
        pairs, numbers = np.unique([corner for face in faces for corner in face], axis=0, return_inverse=True)
        ends = np.cumsum([len(face) for face in faces])
        polygons = [part.tolist() for part in np.split(numbers.ravel(), ends[:-1])]
        triangles = triangulated(points[pairs[:, 0]], polygons, budget)
        budget.spend("bytes", 200 * len(triangles))
        painted = len(spots) > 0 and bool((pairs[:, 1] >= 0).all() and (pairs[:, 1] < len(spots)).all())
        uv = spots[pairs[:, 1]][triangles] if painted else None
        paint = paints.get(name, _Paint())
        texture = paint.texture if painted else None
        colour = None if texture else paint.colour
        found.append(MeshPart(faceted(points[pairs[:, 0]][triangles], uv), colour, paint.opacity, texture))
    return found


def _gathered(data: bytes) -> _Obj:
    read, material, count = _Obj(), "", 0
    for line in data.splitlines():
        word, *rest = line.split() or [b""]
        if word == b"v":
            if len(rest) < 3:
                raise ModelError("a corner does not have three numbers", element="v", cure="export it again")
            read.points.append(rest[:3])
        elif word == b"vt" and len(rest) >= 2:
            read.spots.append(rest[:2])
        elif word == b"f" and rest:
            read.faces.setdefault(material, []).append([_corner(t, len(read.points), len(read.spots)) for t in rest])
            count += max(len(rest) - 2, 0)
            check_count(count)
        elif word == b"usemtl":
            material = _text(line)
        elif word == b"mtllib":
            read.libraries.append(_text(line))
    return read


def _corner(text: bytes, points: int, spots: int) -> Corner:
    """Indices from 0 of a corner such as 3, 3/1 or 3/1/2."""
    place, _, rest = text.partition(b"/")
    spot = rest.partition(b"/")[0]
    return corner_index(place, points), corner_index(spot, spots) if spot else -1


def _text(line: bytes) -> str:
    return line.decode("utf-8", "replace").partition(" ")[2].strip()[:200]


def _materials(file: str, folder: Path, budget: ReadBudget) -> dict[str, _Paint]:
    """Colour (Kd), opacity (d) and image (map_Kd) of each material of an MTL file; without the file, none."""
    path = (folder / local_name(file)).resolve()
    if not path.is_relative_to(folder.resolve()) or not path.is_file():
        return {}
    found: dict[str, _Paint] = {}
    paint = _Paint()
    lines = read_bytes(path, MAX_BYTES, budget).splitlines()
    budget.spend("steps", len(lines))
    for line in lines:
        word, *rest = line.split() or [b""]
        if word == b"newmtl":
            budget.spend("elements")
            found[_text(line)] = paint = _Paint()
        elif word == b"Kd" and len(rest) >= 3:
            paint.colour = hex_colour(floats([rest[:3]])[0])
        elif word == b"d" and rest:
            paint.opacity = float(np.clip(floats([rest[:1]])[0, 0], 0.0, 1.0))
        elif word == b"map_Kd" and rest:
            try:
                paint.texture = read_texture(rest[-1].decode("utf-8", "replace"), folder, budget)  # after its options
            except ModelError as error:
                warnings.warn(left_out(error), stacklevel=2)
    return found
