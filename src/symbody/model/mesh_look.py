"""The look of a body from a mesh file: a name beside the model's file, and where the mesh is on the body."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath, PureWindowsPath

import numpy as np

from symbody.errors import ModelError
from symbody.model.file_shape import FileShape
from symbody.model.rotation import Matrix, matrix

LONGEST_NAME = 200  # characters of a file name
_COLOUR = re.compile(r"#[0-9a-fA-F]{6}")
Triple = tuple[float, float, float]
ORIGIN_AT: Triple = (0.0, 0.0, 0.0)


@dataclass(frozen=True)
class MeshLook:
    """A mesh file that a body looks like.

    Parameters
    ----------
    file : str
        A .stl, .obj, .glb, .gltf or .dae file, relative to the folder of the model's file; never above that folder.
    scale : float
        Length of the file's unit in m. Default 1; 0.001 for a file in mm.
    position, rotation : tuple of 3 float
        Of the file's axes in the body frame: m, and roll, pitch, yaw in rad. Default 0.
    colour : str or None
        "#rrggbb"; None for the colours of the file.
    """

    file: str
    scale: float = 1.0
    position: Triple = ORIGIN_AT
    rotation: Triple = ORIGIN_AT
    colour: str | None = None

    def shape(self, folder: str) -> FileShape:
        """The mesh as a shape of the body; folder: of the model's file."""
        path = f"{folder}/{self.file}" if folder else self.file
        return FileShape("mesh", _place(self), self.colour, 1.0, path)


def mesh_look(
    file: str,
    scale: float = 1.0,
    position: Sequence[float] = ORIGIN_AT,
    rotation: Sequence[float] = ORIGIN_AT,
    colour: str | None = None,
    element: str = "look",
) -> MeshLook:
    """A checked look; element: its name in errors."""
    parts = PurePosixPath(file.replace("\\", "/")).parts
    outside = PurePosixPath(file).is_absolute() or PureWindowsPath(file).drive or PureWindowsPath(file).root
    if not parts or ".." in parts or outside or ":" in file or not file.isprintable() or len(file) > LONGEST_NAME:
        cure = "put it beside the model, and give its name such as rod.stl or meshes/rod.stl"
        raise ModelError("the mesh is not beside the model", element=f"{element}: {file[:80]}", cure=cure)
    numbers = [scale, *position, *rotation]
    if len(numbers) != 7 or not all(map(math.isfinite, numbers)) or scale <= 0.0:
        cure = "give a scale above 0, a position (m) and a rotation (roll, pitch, yaw in rad)"
        raise ModelError("the place of the mesh is wrong", element=element, cure=cure)
    if colour is not None and not _COLOUR.fullmatch(colour):
        raise ModelError(f"'{colour[:20]}' is not a colour", element=element, cure="write it as #rrggbb")
    (x, y, z), (roll, pitch, yaw) = position, rotation
    return MeshLook("/".join(parts), float(scale), (x, y, z), (roll, pitch, yaw), colour)


def _place(look: MeshLook) -> Matrix:
    """(3, 4): scaled, rotated, moved."""
    return np.column_stack([look.scale * matrix(look.rotation), look.position])
