"""Meshes of MJCF: which file an asset names, its triangles as its scale and reference say, and what they weigh."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

import numpy as np

from symbody.errors import ModelError
from symbody.model.file_tree import quaternion_matrix
from symbody.model.mesh_file import cornered, read_triangles
from symbody.model.mesh_mass import MESH_INERTIAS, MeshMass, hull, mesh_mass
from symbody.model.mjcf_document import Attributes, MjcfDocument, reals, truth
from symbody.model.rotation import Matrix
from symbody.nearest import did_you_mean

MAX_INLINE = 100_000  # numbers of a mesh that is written in the model's own file


@dataclass
class MjcfMeshes:
    """The meshes of a document by their names, read when they are asked for."""

    document: MjcfDocument
    assets: dict[str, Attributes] = field(default_factory=dict)
    _twice: set[str] = field(default_factory=set)
    _triangles: dict[str, Matrix] = field(default_factory=dict)
    _masses: dict[str, MeshMass] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for element in self.document.section("asset"):
            if element.tag == "mesh":
                name = element.get("name") or PurePosixPath(_slashed(element.get("file", ""))).stem
                if name in self.assets:
                    self._twice.add(name)
                self.assets[name] = self.document.attributes(element)

    def asset(self, name: str, where: str) -> Attributes:
        if name not in self.assets:
            raise ModelError(f"no mesh '{name[:80]}'", element=where, cure=did_you_mean(name, self.assets, "meshes"))
        if name in self._twice:
            raise ModelError(f"two meshes are named '{name[:80]}'", element=where, cure="rename one of them")
        return self.assets[name]

    def file(self, name: str, where: str) -> Path:
        """Where the file of a mesh is: in the folder of the settings, below that of the model."""
        written = _slashed(self.asset(name, where).get("file", ""))
        settings = self.document.compiler
        if truth(settings, "strippath", False):
            written = PurePosixPath(written).name
        return self.document.folder / _slashed(settings.get("meshdir") or settings.get("assetdir") or "") / written

    def triangles(self, name: str, where: str) -> Matrix:
        """Corners (m, 3, 3) in the frame that a geom's pose places (m)."""
        if name not in self._triangles:
            asset = self.asset(name, where)
            self._triangles[name] = _referred(self._corners(name, asset, where), asset, where)
        return self._triangles[name]

    def _corners(self, name: str, asset: Attributes, where: str) -> Matrix:
        if "builtin" in asset or "plugin" in asset:
            raise ModelError(f"the mesh '{name[:80]}' is made by MuJoCo", element=where, cure="save it as an .stl file")
        if "file" in asset:
            return read_triangles(self.file(name, where))
        points = _many(asset, "vertex", name)
        if "face" not in asset:
            return hull(points)
        return cornered(points, _many(asset, "face", name).astype(int))

    def mass(self, name: str, where: str) -> MeshMass:
        """What a mesh weighs at density 1."""
        if name not in self._masses:
            exact = truth(self.document.compiler, "exactmeshinertia", False)
            kind = self.asset(name, where).get("inertia", "exact" if exact else "legacy")
            if kind not in MESH_INERTIAS:
                cure = f"use {', '.join(MESH_INERTIAS)}"
                raise ModelError(f"inertia='{kind[:40]}' of the mesh '{name[:80]}'", element=where, cure=cure)
            self._masses[name] = mesh_mass(self.triangles(name, where), kind)
        return self._masses[name]


def _referred(corners: Matrix, asset: Attributes, where: str) -> Matrix:
    """Moved by −refpos, turned back by refquat, then stretched; a mirrored mesh has its faces turned round again."""
    single = corners.astype(np.float32).astype(float)  # as MuJoCo keeps them
    moved = single - np.array(reals(asset, "refpos", where, (0.0, 0.0, 0.0)))
    turned = moved @ quaternion_matrix(reals(asset, "refquat", where, (1.0, 0.0, 0.0, 0.0)), where)
    scale = np.array(reals(asset, "scale", where, (1.0, 1.0, 1.0)))
    stretched = turned * scale
    return np.asarray(stretched[:, ::-1] if np.prod(scale) < 0 else stretched)


def _many(asset: Attributes, key: str, name: str) -> Matrix:
    """Numbers that are written in the file, three in a row."""
    words = asset.get(key, "").split()
    try:
        values = np.array(words[: MAX_INLINE + 1], dtype=float)
    except ValueError as error:
        raise ModelError(f"{key} that are not numbers", element=name[:80], cure="correct them") from error
    if not 3 <= len(values) <= MAX_INLINE or len(values) % 3 or not np.isfinite(values).all():
        raise ModelError(f"{len(values)} numbers of {key}", element=name[:80], cure="write a file, or three for each")
    return values.reshape(-1, 3)


def _slashed(path: str) -> str:
    return re.sub(r"\\", "/", path.strip())
