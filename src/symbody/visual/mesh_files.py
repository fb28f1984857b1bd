"""Looks from files: STL, OBJ, MSH (`model/mesh_file.py`), glTF and COLLADA."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np

from symbody.errors import ModelError
from symbody.model.mesh_file import KINDS, read_triangles
from symbody.model.model import Model
from symbody.model.safe_file import FilePath, naming
from symbody.visual.collada_file import read_collada
from symbody.visual.gltf_file import read_gltf
from symbody.visual.mesh import Array, Mesh, faceted, scaled
from symbody.visual.mesh_parts import MeshPart, gathered
from symbody.visual.scene import Look

MeshFile = FilePath | tuple[FilePath, float]  # a file in metres, or with the length of its unit (m)


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
    """The surfaces in an .stl, .obj, .msh, .gltf, .glb or .dae file, one for each colour; in its axes and its unit."""
    file = Path(path)
    with naming(path):
        match file.suffix.lower():
            case ".gltf" | ".glb":
                return gathered(read_gltf(file))
            case ".dae":
                return gathered(read_collada(file))
            case kind if kind in KINDS:
                return gathered([MeshPart(faceted(read_triangles(path)))])
            case other:
                cure = "convert it to .stl, .obj, .glb or .dae"
                raise ModelError(f"meshes of kind '{other[:20]}' are not read", cure=cure)


def stretched(look: Look, by: Array) -> Look:
    """A look whose mesh is stretched along its axes."""
    return replace(look, mesh=scaled(look.mesh, by)) if isinstance(look.mesh, Mesh) else look
