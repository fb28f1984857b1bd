"""Meshes from files: STL (binary and text), OBJ, glTF and COLLADA, bounded and checked."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np

from symbody.errors import ModelError
from symbody.model.model import Model
from symbody.model.safe_file import FilePath, naming, read_bytes
from symbody.visual.collada_file import read_collada
from symbody.visual.gltf_file import read_gltf
from symbody.visual.mesh import Array, Mesh, faceted, scaled
from symbody.visual.mesh_parts import MAX_BYTES, MeshPart, check_count, check_near, gathered
from symbody.visual.scene import Look

MeshFile = FilePath | tuple[FilePath, float]  # a file in metres, or with the length of its unit (m)

_STL = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("attribute", "<u2")])
_VERTEX = re.compile(rb"vertex\s+(\S+)\s+(\S+)\s+(\S+)")


def given_looks(model: Model, given: Mapping[str, MeshFile]) -> dict[str, list[Look]]:
    """Looks by body from files that the user gives, in their body frames."""
    found = {}
    for body, entry in given.items():
        if body not in model.bodies:
            raise ModelError("a mesh for no body", element=body, cure=f"the bodies are {', '.join(model.bodies)}")
        path, unit = entry if isinstance(entry, tuple) else (entry, 1.0)
        found[body] = [stretched(look, np.full(3, float(unit))) for look in read_looks(path)]
    return found


def read_looks(path: FilePath) -> list[Look]:
    """The surfaces in an .stl, .obj, .gltf, .glb or .dae file, one for each colour; in its axes and its unit."""
    file = Path(path)
    with naming(path):
        match file.suffix.lower():
            case ".gltf" | ".glb":
                return gathered(read_gltf(file))
            case ".dae":
                return gathered(read_collada(file))
            case ".stl":
                return gathered([MeshPart(_faces(_stl(read_bytes(path, MAX_BYTES))))])
            case ".obj":
                return gathered([MeshPart(_faces(_obj(read_bytes(path, MAX_BYTES))))])
            case other:
                cure = "convert it to .stl, .obj, .glb or .dae"
                raise ModelError(f"meshes of kind '{other[:20]}' are not read", cure=cure)


def stretched(look: Look, by: Array) -> Look:
    """A look whose mesh is stretched along its axes."""
    return replace(look, mesh=scaled(look.mesh, by)) if isinstance(look.mesh, Mesh) else look


def _faces(corners: Array) -> Mesh:
    check_near(corners)
    return faceted(corners)


def _stl(data: bytes) -> Array:
    """Corners (m, 3, 3); binary files are known by their length, which their count of triangles fixes."""
    count = int.from_bytes(data[80:84], "little") if len(data) >= 84 else -1
    if len(data) >= 84 + _STL.itemsize * count >= 84:
        check_count(count)
        return np.frombuffer(data, _STL, count, 84)["corners"].astype(float)
    words = _VERTEX.findall(data)
    check_count(len(words) // 3)
    if not data.lstrip().startswith(b"solid") or len(words) % 3:
        raise ModelError("not an STL file, or one that is cut off", cure="export it again")
    return _floats(words).reshape(-1, 3, 3)


def _obj(data: bytes) -> Array:
    """Corners of the faces; those with more than three corners are divided from their first one."""
    vertices, faces = [], []
    for line in data.splitlines():
        word, *rest = line.split() or [b""]
        if word == b"v":
            if len(rest) < 3:
                raise ModelError("corners that are not numbers, three each", element="v", cure="export it again")
            vertices.append(rest[:3])
        elif word == b"f":
            corners = [_index(text, len(vertices)) for text in rest]
            faces += [(corners[0], b, c) for b, c in pairwise(corners[1:])]
            check_count(len(faces))
    places = _floats(vertices).reshape(-1, 3)
    numbers = np.array(faces, dtype=int).reshape(-1, 3)
    if numbers.size and not (numbers.min() >= 0 and numbers.max() < len(places)):
        raise ModelError("a face with a corner that does not exist", cure="export it again")
    return np.asarray(places[numbers])


def _index(text: bytes, count: int) -> int:
    try:
        number = int(text.split(b"/")[0])
    except ValueError as error:
        raise ModelError(f"'{text[:20]!r}' is not a corner", element="f", cure="export it again") from error
    if abs(number) > MAX_BYTES:  # no file holds as many: it would not fit an array's integers, either
        raise ModelError("a face with a corner that does not exist", element="f", cure="export it again")
    return number - 1 if number > 0 else count + number  # negative numbers count from the last vertex


def _floats(words: list[list[bytes]] | list[tuple[bytes, ...]]) -> Array:
    try:
        return np.array([[float(word) for word in row] for row in words], dtype=float)
    except ValueError as error:
        raise ModelError(f"corners that are not numbers: {error}", cure="export it again") from error
