"""Meshes from glTF 2.0 (`.gltf`, `.glb`): triangles of all nodes, placed and with the colours of their materials.

Read: positions, normals, indices, base colours with their opacity and texture. Not read: other textures, bones,
animations. Compressed files raise an error. The axes of the file are kept; lengths are in metres. Khronos Group,
glTF 2.0 specification, 2021.
"""

from __future__ import annotations

import base64
import binascii
import json
import struct
import warnings
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import Any
from urllib.parse import unquote

import numpy as np

from symbody.errors import ModelError
from symbody.files.mesh import Array, Mesh
from symbody.files.mesh_file import MAX_BYTES, check_count
from symbody.files.mesh_parts import PLACED, MeshPart, surface, transformed
from symbody.files.read_budget import ReadBudget, check_level
from symbody.files.safe_file import decode, read_bytes
from symbody.files.texture import MAX_BYTES as TEXTURE_BYTES
from symbody.files.texture import Texture, left_out, texture_of
from symbody.model.file_shape import hex_colour

MAGIC, JSON_CHUNK, BINARY_CHUNK = b"glTF", b"JSON", b"BIN\0"
MOST_ROWS = 10_000_000  # of an accessor
KINDS = {5120: "<i1", 5121: "<u1", 5122: "<i2", 5123: "<u2", 5125: "<u4", 5126: "<f4"}
SIZES = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4}
TRIANGLES, STRIP, FAN = 4, 5, 6  # modes of primitives that are surfaces
PLAIN = ("KHR_mesh_quantization", "KHR_materials_unlit", "KHR_texture_transform")  # harmless extensions


def read_gltf(path: Path, budget: ReadBudget | None = None) -> list[MeshPart]:
    """The surfaces of a file. Raises ModelError if the file is invalid."""
    budget = budget or ReadBudget()
    document, own = _chunks(read_bytes(path, MAX_BYTES, budget))
    try:
        if not str(document["asset"]["version"]).startswith("2."):
            raise ModelError("not glTF 2.0", cure="export it again as glTF 2.0")
        strange = sorted(set(document.get("extensionsRequired", [])) - set(PLAIN))
        if strange:
            cure = "export it without compression"
            raise ModelError(f"it needs {', '.join(map(str, strange))[:80]}, which is not supported", cure=cure)
        return list(_parts(document, _buffers(document, own, path.parent, budget), path.parent, budget))
    except (KeyError, IndexError, TypeError, ValueError, AttributeError, OverflowError) as error:
        raise ModelError(f"a part of the file is missing or damaged: {error}"[:120], cure="export it again") from error


def _chunks(data: bytes) -> tuple[Any, bytes]:
    """The JSON of a file, and for a binary file its bytes."""
    text, own = data, b""
    if data[:4] == MAGIC:
        if len(data) < 20 or struct.unpack_from("<I", data, 4)[0] != 2:
            raise ModelError("not glTF 2.0, or truncated", cure="export it again as glTF 2.0")
        size = struct.unpack_from("<I", data, 12)[0]
        text, rest = data[20 : 20 + size], data[20 + size :]
        if data[16:20] != JSON_CHUNK or len(text) != size:
            raise ModelError("truncated, or without its JSON part", cure="export it again")
        if len(rest) >= 8 and rest[4:8] == BINARY_CHUNK:
            own = rest[8 : 8 + struct.unpack_from("<I", rest)[0]]
    try:
        document = json.loads(decode(text))
    except (ValueError, RecursionError) as error:
        raise ModelError("not a glTF file: its JSON part cannot be read", cure="export it again") from error
    return document, own


def _buffers(document: Mapping[str, Any], own: bytes, folder: Path, budget: ReadBudget) -> list[bytes]:
    left, found = MAX_BYTES, []
    for buffer in document.get("buffers", []):
        uri = buffer.get("uri")
        found.append(own if uri is None else _buffer(uri, folder, left, budget))
        left -= len(found[-1])
        if left < 0:
            raise ModelError(f"the buffers are larger than {MAX_BYTES // 1_000_000} MB", cure="simplify the mesh")
    return found


def _buffer(uri: str, folder: Path, limit: int, budget: ReadBudget) -> bytes:
    """The bytes of a buffer: in the URI itself, or in a file in the folder of the mesh or below."""
    head, comma, text = uri.partition(",")
    if head.startswith("data:"):
        try:
            return base64.b64decode(text if comma and head.endswith(";base64") else "*", validate=True)
        except binascii.Error as error:
            raise ModelError("a buffer is not base64", cure="export it again") from error
    name = PurePosixPath(unquote(uri))
    path = (folder / name).resolve()
    if name.is_absolute() or ":" in uri or "\\" in uri or not path.is_relative_to(folder.resolve()):
        cure = "put the buffers into the folder of the mesh, or export one .glb"
        raise ModelError("a buffer is outside the folder of the mesh", element=uri[:80], cure=cure)
    return read_bytes(path, limit, budget)


# -- nodes ------------------------------------------------------------------------------------------------------------


def _parts(document: Mapping[str, Any], buffers: list[bytes], folder: Path, budget: ReadBudget) -> Iterator[MeshPart]:
    nodes, scenes = document.get("nodes", []), document.get("scenes", [])
    children = {child for node in nodes for child in node.get("children", [])}
    roots = scenes[document.get("scene", 0)]["nodes"] if scenes else [k for k in range(len(nodes)) if k not in children]
    waiting, seen, count = [(root, np.eye(4), 0) for root in reversed(roots)], set[int](), 0
    surfaces: dict[int, list[tuple[Mesh, Any]]] = {}  # by mesh: surface and material of each primitive
    images = _Images(document, buffers, folder, budget)
    while waiting:
        number, above, depth = waiting.pop()
        check_level(depth)
        if number in seen or number < 0:
            raise ModelError("a node contains itself, or has two parents", cure="export it again")
        seen.add(number)
        node = nodes[number]
        place = above @ _placed(node)
        waiting += [(child, place, depth + 1) for child in reversed(node.get("children", []))]
        if "mesh" not in node:
            continue
        if node["mesh"] not in surfaces:
            given = document["meshes"][node["mesh"]]["primitives"]
            made = [(_primitive(one, document, buffers, budget), one.get("material")) for one in given]
            surfaces[node["mesh"]] = [(mesh, material) for mesh, material in made if mesh is not None]
        for mesh, material in surfaces[node["mesh"]]:
            count += len(mesh.triangles)
            check_count(count)
            budget.spend("elements")
            budget.spend("steps", PLACED)
            budget.spend("bytes", mesh.nbytes)
            texture = images.of(material) if mesh.uv is not None else None
            yield MeshPart(transformed(mesh, place), *_painted(material, document), texture)


def _placed(node: Mapping[str, Any]) -> Array:
    """The matrix (4, 4) from a node to its parent: given, or T R S."""
    from scipy.spatial.transform import Rotation

    if "matrix" in node:
        found = np.array(node["matrix"], dtype=float).reshape(4, 4).T
    else:
        found = np.eye(4)
        turn = Rotation.from_quat(node.get("rotation", (0, 0, 0, 1))).as_matrix()
        found[:3, :3] = turn * np.array(node.get("scale", (1, 1, 1)), dtype=float)
        found[:3, 3] = node.get("translation", (0, 0, 0))
    if not np.isfinite(found).all():
        raise ModelError("a node has a transformation that is not finite", cure="export it again")
    return found


# -- numbers ----------------------------------------------------------------------------------------------------------


def _primitive(
    primitive: Mapping[str, Any], document: Mapping[str, Any], buffers: list[bytes], budget: ReadBudget
) -> Mesh | None:
    mode, named = primitive.get("mode", TRIANGLES), primitive["attributes"]
    if mode not in (TRIANGLES, STRIP, FAN) or "POSITION" not in named:
        return None  # points and lines
    places = _numbers(named["POSITION"], document, buffers, budget)
    normals = _numbers(named["NORMAL"], document, buffers, budget) if "NORMAL" in named else None
    given = primitive.get("indices")
    listed = np.arange(len(places)) if given is None else _numbers(given, document, buffers, budget).ravel()
    if listed.dtype.kind not in "iu":
        raise ModelError("corner indices are not whole numbers", cure="export it again")
    corners = listed.astype(np.int64)
    check_count(len(corners) // 3 if mode == TRIANGLES else len(corners))
    spots = _numbers(named["TEXCOORD_0"], document, buffers, budget) if "TEXCOORD_0" in named else None
    uv = None if spots is None else np.column_stack([spots[:, 0], 1.0 - spots[:, 1]])  # v points down in the file
    return surface(places, normals, _triangles(corners, mode), uv)


def _triangles(corners: Array, mode: int) -> Array:
    """Triangles of a list, of a strip (every second one reversed), or of a fan about the first corner."""
    if mode == TRIANGLES:
        return corners[: len(corners) // 3 * 3].reshape(-1, 3)
    k = np.arange(max(len(corners) - 2, 0))
    if mode == FAN:
        return corners[np.column_stack([np.zeros_like(k), k + 1, k + 2])]
    return corners[np.column_stack([k, k + 1 + k % 2, k + 2 - k % 2])]


def _numbers(which: int, document: Mapping[str, Any], buffers: list[bytes], budget: ReadBudget) -> Array:
    """An accessor as rows; normalised integers become fractions."""
    accessor = document["accessors"][which]
    if "sparse" in accessor or "bufferView" not in accessor:
        raise ModelError("sparse accessors are not supported", cure="export it without sparse accessors")
    view = document["bufferViews"][accessor["bufferView"]]
    kind, wide, count = np.dtype(KINDS[accessor["componentType"]]), SIZES[accessor["type"]], accessor["count"]
    stride = view.get("byteStride") or wide * kind.itemsize
    start, length = view.get("byteOffset", 0), view["byteLength"]
    inside = buffers[view["buffer"]][start : start + length]
    if not (isinstance(count, int) and 0 <= count <= MOST_ROWS and kind.itemsize <= stride <= 252 and start >= 0):
        raise ModelError("an accessor lies outside its buffer", cure="export it again")
    budget.spend("bytes", 8 * count * wide)
    rows = np.ndarray((count, wide), kind, inside, accessor.get("byteOffset", 0), (stride, kind.itemsize))
    return rows / np.iinfo(kind).max if accessor.get("normalized") and kind.kind in "iu" else rows


# -- colours ----------------------------------------------------------------------------------------------------------


class _Images:
    """Textures of materials, each image read once; an unusable one is left out with a warning."""

    def __init__(self, document: Mapping[str, Any], buffers: list[bytes], folder: Path, budget: ReadBudget):
        self._document, self._buffers, self._folder, self._budget = document, buffers, folder, budget
        self._read: dict[int, Texture | None] = {}

    def of(self, material: int | None) -> Texture | None:
        """The base colour texture of a material on its first texture coordinates."""
        if material is None:
            return None
        used = self._document["materials"][material].get("pbrMetallicRoughness", {}).get("baseColorTexture")
        if used is None or used.get("texCoord", 0) != 0:
            return None
        source = self._document["textures"][used["index"]].get("source")
        if source is not None and source not in self._read:
            self._read[source] = self._image(self._document["images"][source])
        return None if source is None else self._read[source]

    def _image(self, image: Mapping[str, Any]) -> Texture | None:
        try:
            if "bufferView" in image:
                view = self._document["bufferViews"][image["bufferView"]]
                start = view.get("byteOffset", 0)
                data = self._buffers[view["buffer"]][start : start + view["byteLength"]]
            else:
                data = _buffer(image["uri"], self._folder, TEXTURE_BYTES, self._budget)
            return texture_of(data, self._budget)
        except ModelError as error:
            warnings.warn(left_out(error), stacklevel=2)
            return None


def _painted(which: int | None, document: Mapping[str, Any]) -> tuple[str | None, float]:
    """Base colour (linear in the file) and opacity of a material."""
    if which is None:
        return None, 1.0
    material = document["materials"][which]
    red, green, blue, alpha = map(float, material.get("pbrMetallicRoughness", {}).get("baseColorFactor", (1, 1, 1, 1)))
    opacity = min(max(alpha, 0.0), 1.0) if material.get("alphaMode") == "BLEND" else 1.0
    return hex_colour([_screen(x) for x in (red, green, blue)]), opacity


def _screen(x: float) -> float:
    """From linear light to display values (IEC 61966-2-1)."""
    x = min(max(x, 0.0), 1.0)
    return 12.92 * x if x <= 0.0031308 else 1.055 * x ** (1 / 2.4) - 0.055
