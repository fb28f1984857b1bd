"""Differences between two scenes for a page: changed rows by index, and only the new meshes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from symbody.files.mesh import Mesh
from symbody.visual.mesh_pack import packed, with_coarser
from symbody.visual.page import shapes_data
from symbody.visual.scene import Scene

LISTS = ("meshes", "colours", "textures", "parts", "spans", "labels")


def scene_difference(before: Scene, after: Scene, sides: Sequence[int]) -> dict[str, Any]:
    """The message that changes a page from `before` to `after`; sides: of the spans, from `page.sides`."""
    old, new = shapes_data(before, sides), shapes_data(after, sides)
    meshes = _meshes(after)
    same = {k for k, (a, b) in enumerate(zip(_meshes(before), meshes, strict=False)) if _alike(a, b)}
    changed = {name: _changed(old, new, name) for name in LISTS}
    sent = sorted({k for k, _ in changed["meshes"]} | (set(range(len(meshes))) - same))
    changed["meshes"] = [[k, new["meshes"][k]] for k in sent]
    return {"count": {name: len(new[name]) for name in LISTS}, "geometry": packed([meshes[k] for k in sent]), **changed}


def _meshes(scene: Scene) -> list[Mesh]:
    return with_coarser(list(scene.meshes.values()))


def _alike(a: Mesh, b: Mesh) -> bool:
    return a is b or (
        a.vertices.tobytes() == b.vertices.tobytes()
        and a.normals.tobytes() == b.normals.tobytes()
        and a.triangles.tobytes() == b.triangles.tobytes()
    )


def _changed(old: Mapping[str, Any], new: Mapping[str, Any], name: str) -> list[list[Any]]:
    known = old[name]
    return [[k, row] for k, row in enumerate(new[name]) if k >= len(known) or known[k] != row]
