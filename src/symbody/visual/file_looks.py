"""Looks of bodies from the model's file: a URDF is read again; the readers of MJCF and SDF keep them."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from symbody.errors import ModelError
from symbody.files.mesh import Array, Mesh
from symbody.files.mesh_parts import transformed
from symbody.files.read_budget import ReadBudget
from symbody.model.body import GROUND
from symbody.model.file_shape import FileShape
from symbody.model.model import Model
from symbody.visual.mesh_files import read_looks
from symbody.visual.scene import Look
from symbody.visual.urdf_shapes import urdf_looks


def file_looks(model: Model, known: dict[str, list[Look]] | None = None) -> dict[str, list[Look]]:
    """Looks by body, and of the ground, in body frames. Unreadable looks are left out with a warning.

    If the file of a robot gives looks to some bodies, the other bodies have none. Meshes that a .yaml file attaches to
    a body replace its derived look, and leave the other bodies as they are. known: meshes by file that need not be read
    again; newly read meshes are added.
    """
    read, budget = {} if known is None else known, ReadBudget()
    made = {body: _looks(body, shapes, read, budget) for body, shapes in model.shapes.items()}
    found = {body: looks for body, looks in made.items() if looks}
    if found.keys() - {GROUND}:
        found |= {body: [] for body in model.bodies if body not in model.shapes}
    return urdf_looks(model) | found | _attached(model, read, budget)


def _attached(model: Model, read: dict[str, list[Look]], budget: ReadBudget) -> dict[str, list[Look]]:
    """Meshes that the model's own file attaches; a body whose meshes cannot be read keeps its derived look."""
    folder = str(Path(model.file).parent) if model.file else ""
    bodies = [body for body in (model.ground, *model.bodies.values()) if body.looks]
    made = {body.name: _looks(body.name, [one.shape(folder) for one in body.looks], read, budget) for body in bodies}
    return {body: looks for body, looks in made.items() if looks}


def _looks(body: str, shapes: Sequence[FileShape], read: dict[str, list[Look]], budget: ReadBudget) -> list[Look]:
    found: list[Look] = []
    for shape in shapes:
        if shape.kind != "mesh":
            found.append(Look(shape.kind, shape.place, shape.colour, shape.opacity))
            continue
        try:
            if shape.file not in read:
                read[shape.file] = []  # warn only once about an unreadable file
                read[shape.file] = read_looks(shape.file, budget)
        except ModelError as error:
            warnings.warn(f"the look of {body} is left out: {error}", stacklevel=3)
        found += [_placed(look, shape, budget) for look in read[shape.file]]
    return found


def _placed(look: Look, shape: FileShape, budget: ReadBudget) -> Look:
    """The mesh of a file at the place of the shape; mirrored triangles are reversed again."""
    mesh, place = look.mesh, shape.place
    if np.linalg.det(place[:, :3]) < 0 and isinstance(mesh, Mesh):
        budget.spend("bytes", mesh.nbytes)
        mesh, place = transformed(mesh, np.vstack([place, (0.0, 0.0, 0.0, 1.0)])), np.eye(3, 4)
    colour = look.colour or (None if look.texture else shape.colour)
    return replace(
        look, mesh=mesh, place=_after(place, look.place), colour=colour, opacity=min(look.opacity, shape.opacity)
    )


def _after(outer: Array, inner: Array) -> Array:
    """The product of two transforms (3, 4): first inner, then outer."""
    return np.column_stack([outer[:, :3] @ inner[:, :3], outer[:, :3] @ inner[:, 3] + outer[:, 3]])
