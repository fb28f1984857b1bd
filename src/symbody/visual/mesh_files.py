"""Looks from files: STL, OBJ, MSH (`files/mesh_file.py`), glTF and COLLADA."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from symbody.errors import ModelError
from symbody.files.collada_file import read_collada
from symbody.files.gltf_file import read_gltf
from symbody.files.mesh import Array, Mesh, faceted, scaled
from symbody.files.mesh_file import KINDS, read_triangles
from symbody.files.mesh_parts import MeshPart
from symbody.files.obj_file import read_obj
from symbody.files.read_budget import ReadBudget
from symbody.files.safe_file import FilePath, naming
from symbody.files.texture import Texture
from symbody.model.model import Model
from symbody.visual.scene import Look, placed

MeshFile = FilePath | tuple[FilePath, float]  # a file in metres, or with the length of its unit (m)


def given_looks(model: Model, given: Mapping[str, MeshFile]) -> dict[str, list[Look]]:
    """Looks by body from the user's files, in body frames."""
    found = {}
    for body, entry in given.items():
        if body not in model.bodies:
            raise ModelError(
                "a mesh for an unknown body", element=body, cure=f"the bodies are {', '.join(model.bodies)}"
            )
        path, unit = entry if isinstance(entry, tuple) else (entry, 1.0)
        found[body] = [stretched(look, np.full(3, float(unit))) for look in read_looks(path)]
    return found


def read_looks(path: FilePath, budget: ReadBudget | None = None) -> list[Look]:
    """The surfaces in an .stl, .obj, .msh, .gltf, .glb or .dae file, one per colour; in its axes and its unit.

    budget: of the reading that the file is a part of.
    """
    file = Path(path)
    with naming(path):
        match file.suffix.lower():
            case ".gltf" | ".glb":
                return gathered(read_gltf(file, budget))
            case ".dae":
                return gathered(read_collada(file, budget))
            case ".obj":
                return gathered(read_obj(file, budget))
            case kind if kind in KINDS:
                return gathered([MeshPart(faceted(read_triangles(path, budget)))])
            case other:
                cure = "convert it to .stl, .obj, .glb or .dae"
                raise ModelError(f"mesh files of type '{other[:20]}' are not supported", cure=cure)


def stretched(look: Look, by: Array) -> Look:
    """A look whose mesh is stretched along its axes."""
    return replace(look, mesh=scaled(look.mesh, by)) if isinstance(look.mesh, Mesh) else look


def gathered(parts: Iterable[MeshPart]) -> list[Look]:
    """Looks in the frame of the file, one per colour and texture: each look costs one draw call."""
    alike: dict[tuple[str | None, float, Texture | None], list[Mesh]] = {}
    for part in parts:
        if len(part.mesh.triangles):
            alike.setdefault((part.colour, part.opacity, part.texture), []).append(part.mesh)
    if not alike:
        raise ModelError("the mesh has no triangles", cure="export it again")
    return [
        Look(_joined(meshes, texture is not None), placed(), colour, opacity, texture=texture)
        for (colour, opacity, texture), meshes in alike.items()
    ]


def _joined(meshes: Sequence[Mesh], textured: bool) -> Mesh:
    first = np.cumsum([0, *(len(m.vertices) for m in meshes[:-1])])
    triangles = np.vstack([m.triangles + start for m, start in zip(meshes, first, strict=True)])
    uv = np.vstack([m.uv for m in meshes if m.uv is not None]) if textured else None  # without an image of no use
    return Mesh(np.vstack([m.vertices for m in meshes]), np.vstack([m.normals for m in meshes]), triangles, uv=uv)
