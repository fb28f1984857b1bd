"""Meshes from COLLADA (`.dae`): triangles of all nodes of a scene, placed and with the colours of their materials.

Read: positions, normals, polygons, diffuse colours and textures, opacity in mode A_ONE, the unit of length. Not read:
other textures, bones, morphs. The axes of the file are kept, as in robot viewers. COLLADA 1.4.1 specification, 2008.
"""

from __future__ import annotations

import warnings
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import numpy as np

from symbody.errors import ModelError
from symbody.files.mesh import Array, Mesh
from symbody.files.mesh_file import MAX_BYTES, check_count
from symbody.files.mesh_parts import PLACED, MeshPart, surface, transformed
from symbody.files.read_budget import ReadBudget, check_level
from symbody.files.safe_file import read_bytes
from symbody.files.safe_xml import parse_xml
from symbody.files.texture import Texture, left_out, read_texture
from symbody.model.file_shape import hex_colour

SHADERS = ("phong", "lambert", "blinn", "constant")
INVISIBLE = 0.02  # some programs write a lower opacity for an opaque material
Paint = tuple[str | None, float, Texture | None]


def read_collada(path: Path, budget: ReadBudget | None = None) -> list[MeshPart]:
    """The surfaces of a file. Raises ModelError if the file is invalid."""
    budget = budget or ReadBudget()
    return list(_Collada(parse_xml(read_bytes(path, MAX_BYTES, budget), budget).root, path.parent, budget).parts())


class _Collada:
    """A document, and its elements by id."""

    def __init__(self, root: ET.Element, folder: Path, budget: ReadBudget):
        if _tag(root) != "COLLADA":
            raise ModelError("not a COLLADA file", cure="export it again")
        for element in root.iter():  # programs differ in whether they write the namespace
            if isinstance(element.tag, str):
                element.tag = _tag(element)
        self._root = root
        self._known = {e.get("id"): e for e in root.iter() if isinstance(e.tag, str) and e.get("id")}
        unit = root.find("asset/unit")
        self._metre = _numbers(unit.get("meter", "1"), 1)[0] if unit is not None else 1.0
        self._folder, self._budget, self._count = folder, budget, 0
        self._images: dict[str, Texture | None] = {}  # by file
        self._places: dict[ET.Element, Array] = {}  # of nodes in their parents
        self._meshes: dict[str, list[tuple[str, Mesh]]] = {}  # by geometry: name of the material, surface

    def parts(self) -> Iterator[MeshPart]:
        scene = self._root.find("scene/instance_visual_scene")
        shown = self._named(scene.get("url")) if scene is not None else self._root.find(".//visual_scene")
        scale = np.diag([self._metre, self._metre, self._metre, 1.0])
        for node in shown.iterfind("node") if shown is not None else ():
            yield from self._node(node, scale, 0)

    def _named(self, url: str | None) -> ET.Element:
        """An element of this file by id. Other files are not opened."""
        found = self._known.get(url[1:]) if url and url.startswith("#") else None
        if found is None:
            raise ModelError(
                "the file has no element of this id", element=str(url)[:80], cure="export it again as one file"
            )
        return found

    def _node(self, node: ET.Element, above: Array, depth: int) -> Iterator[MeshPart]:
        self._budget.spend("elements", 1 + len(node))
        check_level(depth)
        if node not in self._places:
            self._places[node] = _placed(node)
        place = above @ self._places[node]
        for child in node:
            if child.tag == "node":
                yield from self._node(child, place, depth + 1)
            elif child.tag == "instance_node":
                yield from self._node(self._named(child.get("url")), place, depth + 1)
            elif child.tag == "instance_geometry":
                yield from self._geometry(child, place)
            elif child.tag == "instance_controller":
                warnings.warn("a skin with bones is left out: skins are not supported", stacklevel=2)

    def _geometry(self, instance: ET.Element, place: Array) -> Iterator[MeshPart]:
        materials = list(instance.iter("instance_material"))
        bound = {m.get("symbol", ""): m.get("target") for m in materials}
        surfaces = self._surfaces(instance.get("url", ""))
        self._budget.spend("elements", len(materials) + len(surfaces))
        self._budget.spend("steps", PLACED * len(surfaces))
        for material, mesh in surfaces:
            self._count += len(mesh.triangles)
            check_count(self._count)
            self._budget.spend("bytes", mesh.nbytes)
            colour, opacity, texture = self._painted(bound.get(material))
            seen = texture if mesh.uv is not None else None
            yield MeshPart(transformed(mesh, place), None if seen else colour, opacity, seen)

    # -- triangles ----------------------------------------------------------------------------------------------------

    def _surfaces(self, url: str) -> list[tuple[str, Mesh]]:
        """The surfaces of a geometry, each with the name of its material."""
        if url not in self._meshes:
            mesh = self._named(url).find("mesh")
            kinds = [e for e in mesh if e.tag in _CORNERS] if mesh is not None else []
            self._meshes[url] = [(kind.get("material", ""), self._surface(kind)) for kind in kinds]
        return self._meshes[url]

    def _surface(self, kind: ET.Element) -> Mesh:
        """Corners with the same position, normal and texture coordinates become one."""
        listed = [e for e in kind.iterfind("input") if e.get("semantic") != "TEXCOORD" or e.get("set", "0") == "0"]
        inputs = {e.get("semantic"): (_whole(e.get("offset", "0")), e) for e in listed}
        wide = 1 + max((offset for offset, _ in inputs.values()), default=0)
        if "VERTEX" not in inputs:
            raise ModelError("a surface has no corners", element=kind.get("material", ""), cure="export it again")
        corners = _CORNERS[str(kind.tag)](kind, wide)  # (triangles, 3, wide)
        check_count(len(corners))
        at, vertex = inputs["VERTEX"]
        own = {e.get("semantic"): e for e in self._named(vertex.get("source")).iterfind("input")}
        if "POSITION" not in own:
            raise ModelError("corners have no positions", element=vertex.get("source", ""), cure="export it again")
        places = self._rows(own["POSITION"])
        to, normal = inputs.get("NORMAL", (at, own.get("NORMAL")))
        normals = self._rows(normal) if normal is not None else None
        spot, painted = inputs.get("TEXCOORD", (at, None))
        spots = self._rows(painted, 2) if painted is not None else None
        pairs, number = np.unique(corners[:, :, [at, to, spot]].reshape(-1, 3), axis=0, return_inverse=True)
        if pairs.size and (pairs.min() < 0 or pairs[:, 0].max() >= len(places)):
            raise ModelError("a face refers to a missing corner", cure="export it again")
        if normals is not None and pairs.size and pairs[:, 1].max() >= len(normals):
            raise ModelError("a face refers to a missing normal", cure="export it again")
        if spots is not None and pairs.size and pairs[:, 2].max() >= len(spots):
            spots = None
        ways = None if normals is None else normals[pairs[:, 1]]
        uv = None if spots is None else spots[pairs[:, 2]]
        return surface(places[pairs[:, 0]], ways, number.reshape(-1, 3), uv)

    def _rows(self, entry: ET.Element, wide: int = 3) -> Array:
        """The numbers of a source, three or another number of them in each row."""
        source = self._named(entry.get("source"))
        array, accessor = source.find("float_array"), source.find("technique_common/accessor")
        values = _numbers(array.text if array is not None else "")
        stride = _whole(accessor.get("stride", str(wide))) if accessor is not None else wide
        if stride < wide or stride > max(len(values), wide):
            raise ModelError(f"corners have less than {wide} numbers", cure="export it again")
        return values[: len(values) // stride * stride].reshape(-1, stride)[:, :wide]

    # -- colours ------------------------------------------------------------------------------------------------------

    def _painted(self, target: str | None) -> Paint:
        """Diffuse colour, opacity and texture of a material; None if the file gives none."""
        if target is None:
            return None, 1.0, None
        effect = self._named(target).find("instance_effect")
        profile = self._named(effect.get("url")).find("profile_COMMON/technique") if effect is not None else None
        shaders = [e for e in profile if e.tag in SHADERS] if profile is not None else []
        if not shaders:
            return None, 1.0, None
        colour = shaders[0].find("diffuse/color")
        shares = _numbers(colour.text, 3) if colour is not None else None
        image = shaders[0].find("diffuse/texture")
        texture = self._texture(image.get("texture", "")) if image is not None else None
        return None if shares is None else hex_colour(shares[:3]), _opacity(shaders[0]), texture

    def _texture(self, name: str) -> Texture | None:
        """The image of a sampler, a surface or an image by name; an unusable one is left out with a warning."""
        named = {e.get("sid"): e for e in self._root.iter("newparam")}
        for _ in range(2):  # a sampler names a surface, which names an image
            sampler = named.get(name)
            found = sampler.find("sampler2D/source") if sampler is not None else None
            if found is None and sampler is not None:
                found = sampler.find("surface/init_from")
            name = (found.text or "").strip() if found is not None else name
        image = self._known.get(name)
        file = (image.findtext("init_from") or "").strip() if image is not None else ""
        if file not in self._images:
            try:
                self._images[file] = read_texture(file, self._folder, self._budget) if file else None
            except ModelError as error:
                warnings.warn(left_out(error), stacklevel=2)
                self._images[file] = None
        return self._images[file]


def _opacity(shader: ET.Element) -> float:
    """alpha · transparency in mode A_ONE; exporters disagree about the other modes."""
    transparent, share = shader.find("transparent"), shader.find("transparency/float")
    if transparent is None or transparent.get("opaque", "A_ONE") != "A_ONE":
        return 1.0
    colour = transparent.find("color")
    alpha = _numbers(colour.text, 4)[3] if colour is not None else 1.0
    found = float(alpha * (_numbers(share.text, 1)[0] if share is not None else 1.0))
    return found if INVISIBLE < found < 1.0 else 1.0


def _placed(node: ET.Element) -> Array:
    """The matrix (4, 4) from a node to its parent: the product of its transformations."""
    from scipy.spatial.transform import Rotation

    found = np.eye(4)
    for child in node:
        step = np.eye(4)
        if child.tag == "matrix":
            step = _numbers(child.text, 16)[:16].reshape(4, 4)
        elif child.tag == "translate":
            step[:3, 3] = _numbers(child.text, 3)[:3]
        elif child.tag == "scale":
            step[:3, :3] = np.diag(_numbers(child.text, 3)[:3])
        elif child.tag == "rotate":
            *axis, angle = _numbers(child.text, 4)[:4]
            length = np.linalg.norm(axis)
            if length > 0:
                step[:3, :3] = Rotation.from_rotvec(np.radians(angle) * np.array(axis) / length).as_matrix()
        else:
            continue
        found = found @ step
    return found


# -- corners of surfaces ----------------------------------------------------------------------------------------------


def _triangles(kind: ET.Element, wide: int) -> Array:
    return _indices(kind.findtext("p"), 3 * wide).reshape(-1, 3, wide)


def _polylist(kind: ET.Element, wide: int) -> Array:
    """Polygons with given numbers of corners, divided into triangles from their first corner."""
    counts, rows = _indices(kind.findtext("vcount"), 1), _indices(kind.findtext("p"), wide).reshape(-1, wide)
    if counts.size and (counts.min() < 0 or counts.sum() > len(rows)):
        raise ModelError("polygons refer to missing corners", cure="export it again")
    ends = np.cumsum(counts)
    check_count(int(np.maximum(counts - 2, 0).sum()))
    return _fans([rows[end - count : end] for end, count in zip(ends, counts, strict=True)], wide)


def _polygons(kind: ET.Element, wide: int) -> Array:
    return _fans([_indices(p.text, wide).reshape(-1, wide) for p in kind.iter("p")], wide)


def _strips(kind: ET.Element, wide: int) -> Array:
    found = [np.zeros((0, 3, wide), dtype=np.int64)]
    for p in kind.iterfind("p"):
        rows = _indices(p.text, wide).reshape(-1, wide)
        k = np.arange(max(len(rows) - 2, 0))
        found.append(rows[np.column_stack([k, k + 1 + k % 2, k + 2 - k % 2])])
    return np.concatenate(found)


def _fans(polygons: list[Array], wide: int) -> Array:
    divided = [(p[0], b, c) for p in polygons if len(p) for b, c in pairwise(p[1:])]
    return np.array(divided, dtype=np.int64).reshape(-1, 3, wide)


_CORNERS = {
    "triangles": _triangles, "polylist": _polylist, "polygons": _polygons, "tristrips": _strips, "trifans": _polygons,
}  # fmt: skip


# -- text -------------------------------------------------------------------------------------------------------------


def _tag(element: ET.Element) -> str:
    return str(element.tag).rpartition(":")[2]


def _numbers(text: str | None, least: int = 0) -> Array:
    try:
        found = np.array((text or "").split(), dtype=float)
    except ValueError as error:
        raise ModelError(f"not numbers: {error}"[:100], cure="export it again") from error
    if len(found) < least or not np.isfinite(found[:least]).all():
        raise ModelError(f"'{(text or '')[:40]}' does not have {least} numbers", cure="export it again")
    return found


def _indices(text: str | None, group: int) -> Array:
    """Whole numbers in complete groups."""
    try:
        found = np.array((text or "").split(), dtype=np.int64)
    except (ValueError, OverflowError) as error:
        raise ModelError(f"corner indices are not numbers: {error}"[:100], cure="export it again") from error
    return found[: len(found) // group * group]


def _whole(text: str) -> int:
    found = int(_indices(text, 1)[0]) if text.strip() else -1
    if not 0 <= found <= 64:
        raise ModelError(f"invalid offset '{text[:20]}'", cure="export it again")
    return found
