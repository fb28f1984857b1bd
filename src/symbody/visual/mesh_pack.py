"""Compact meshes for the browser: coordinates quantised in the bounding box, normals as bytes, index differences."""

from __future__ import annotations

import base64
import zlib
from collections.abc import Sequence
from typing import Any

import numpy as np

from symbody.files.mesh import Array, Mesh

WHOLE = 65535  # quantisation steps of a coordinate across the box: 0.06 mm of 4 m
FEW = 65536  # up to this number of vertices an index has two bytes


def with_coarser(meshes: Sequence[Mesh]) -> list[Mesh]:
    """The meshes, followed by all their coarser versions."""
    found = list(meshes)
    for mesh in found:  # the list grows during the loop
        found += [mesh.coarser] if mesh.coarser and mesh.coarser not in found else []
    return found


def mesh_rows(meshes: Sequence[Mesh]) -> list[list[Any]]:
    """For each: vertices, triangles, index of the next coarser one (or −1), deviation, least corner, extents (m).

    At last the box of its texture coordinates: least u and v, extents; None if it has none.
    """
    number = {id(mesh): k for k, mesh in enumerate(meshes)}
    return [
        [
            len(m.vertices),
            len(m.triangles),
            number.get(id(m.coarser), -1),
            short([m.deviation])[0],
            *map(short, _box(m.vertices)),
            None if m.uv is None else [x for part in _box(m.uv) for x in short(part)],
        ]
        for m in meshes
    ]


def packed(meshes: Sequence[Mesh]) -> str:
    """All meshes one after the other, zlib-compressed, in base64; differences of neighbours compress well."""
    return base64.b64encode(zlib.compress(b"".join(map(_bytes, meshes)))).decode("ascii") if meshes else ""


def short(values: Array | Sequence[float]) -> list[float]:
    """Rounded to six digits."""
    return [float(f"{x:.6g}") for x in np.asarray(values).ravel()]


def _box(places: Array) -> tuple[Array, Array]:
    low = places.min(axis=0)
    return low, places.max(axis=0) - low


def _steps(places: Array) -> bytes:
    """All first coordinates, then all second ones …, in steps of the box (uint16)."""
    low, extent = (np.array(short(x)) for x in _box(places))  # rounded as the browser gets them
    share = (places - low) / np.where(extent > 0.0, extent, 1.0)
    return bytes(np.clip(np.round(WHOLE * share), 0, WHOLE).astype("<u2").T.tobytes())


def _bytes(mesh: Mesh) -> bytes:
    """x of all vertices, then y, then z; the normals (int8); differences of vertex indices; texture coordinates."""
    normals = np.round(127 * mesh.normals).astype("i1")
    kind = "<u2" if len(mesh.vertices) < FEW else "<u4"
    numbers = np.diff(mesh.triangles.ravel().astype(np.int64), prepend=0).astype(kind)  # modulo 2¹⁶ or 2³²
    painted = b"" if mesh.uv is None else _steps(mesh.uv)
    return bytes(_steps(mesh.vertices) + normals.T.tobytes() + numbers.tobytes() + painted)
