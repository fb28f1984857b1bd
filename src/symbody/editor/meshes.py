"""Mesh files that are dropped on a body: read once within the budgets of the readers, and kept beside the model."""

from __future__ import annotations

import tempfile
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from symbody.errors import ModelError
from symbody.files.mesh import Mesh
from symbody.files.read_budget import ReadBudget
from symbody.files.safe_file import read_bytes
from symbody.output_file import replacing
from symbody.safe_name import file_name
from symbody.visual.mesh_files import read_looks

KINDS = (".stl", ".obj", ".glb", ".gltf", ".dae", ".msh")
MILLIMETRES = 50.0  # an extent of more units than this is taken as mm
MOST_NAMES = 1000  # files of one name


@dataclass(frozen=True)
class ReadMesh:
    """What a mesh file holds: its triangles, its largest extent (in its unit) and the unit that is assumed (m)."""

    triangles: int
    extent: float
    scale: float


def read_dropped_mesh(name: str, content: bytes) -> ReadMesh:
    """Read a file from memory as the readers do, with their limits; ModelError says why it cannot be used."""
    suffix = Path(name).suffix.lower()
    if suffix not in KINDS:
        cure = f"convert it to {', '.join(KINDS[:3])} or .dae"
        raise ModelError(f"mesh files of kind '{suffix[:20]}' are not supported", element=name[:80], cure=cure)
    with tempfile.TemporaryDirectory(prefix="symbody-mesh-") as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # images beside the file do not come with it
        path = Path(folder) / f"mesh{suffix}"
        path.write_bytes(content)
        try:
            looks = read_looks(path, ReadBudget())
        except ModelError as error:
            raise ModelError(error.problem, element=name[:80], cure=error.cure) from error
    meshes = [(look.mesh, look.place) for look in looks if isinstance(look.mesh, Mesh)]
    corners = np.vstack([mesh.vertices @ place[:, :3].T + place[:, 3] for mesh, place in meshes])
    extent = float(np.ptp(corners, axis=0).max())
    triangles = sum(len(mesh.triangles) for mesh, _ in meshes)
    return ReadMesh(triangles, extent, 1e-3 if extent > MILLIMETRES else 1.0)


def kept_beside(folder: Path, name: str, content: bytes) -> str:
    """Write a file into the folder of the model under its own name, or NAME-2 …; a file of equal content is used."""
    wanted = Path(file_name(Path(name.replace("\\", "/")).name))
    for k in range(1, MOST_NAMES):
        path = folder / (wanted if k == 1 else wanted.with_stem(f"{wanted.stem}-{k}"))
        if path.is_symlink():
            continue
        if not path.exists():
            with replacing(path) as partial:
                partial.write_bytes(content)
            return path.name
        if path.is_file() and path.stat().st_size == len(content) and read_bytes(path, len(content)) == content:
            return path.name
    raise ModelError("there are too many files of this name", element=wanted.name, cure="rename the file")


def look_entry(file: str, mesh: ReadMesh) -> dict[str, Any]:
    """The look as the model's file has it."""
    return {"file": file} if mesh.scale == 1.0 else {"file": file, "scale": mesh.scale}
