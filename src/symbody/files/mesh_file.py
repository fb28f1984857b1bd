"""Triangles from mesh files: STL (binary and text), OBJ, and MuJoCo's MSH, with limits and checks."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

import numpy as np

from symbody.errors import ModelError
from symbody.files.polygon_faces import Faces, triangulated
from symbody.files.read_budget import ReadBudget
from symbody.files.safe_file import FilePath, naming, read_bytes
from symbody.model.rotation import Matrix

MAX_BYTES = 100_000_000
MAX_TRIANGLES = 500_000
FARTHEST = 1e12  # of a corner from the origin, in the unit of the file: its square does not overflow
KINDS = (".stl", ".obj", ".msh")

_STL = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("attribute", "<u2")])
_VERTEX = re.compile(rb"vertex\s+(\S+)\s+(\S+)\s+(\S+)")
_AGAIN = "export it again"


def read_triangles(path: FilePath, budget: ReadBudget | None = None, first_object: bool = False) -> Matrix:
    """Corners (m, 3, 3) of the triangles of a file, counter-clockwise from outside, in the file's axes and unit.

    first_object: of an OBJ file, only the first object or group.
    """
    return cornered(*read_mesh(path, budget, first_object))


def read_mesh(path: FilePath, budget: ReadBudget | None = None, first_object: bool = False) -> tuple[Matrix, Faces]:
    """All points (n, 3) of a file, and its triangles (m, 3) as indices of points."""
    kind = Path(path).suffix.lower()
    with naming(path):
        if kind not in KINDS:
            raise ModelError(
                f"mesh files of kind '{kind[:20]}' are not supported", cure=f"convert it to {' or '.join(KINDS)}"
            )
        budget = budget or ReadBudget()
        data = read_bytes(path, MAX_BYTES, budget)
        points, faces = _obj(data, budget, first_object) if kind == ".obj" else {".stl": _stl, ".msh": _msh}[kind](data)
        budget.spend("bytes", points.nbytes + faces.nbytes)  # at most 10 per byte, so that they exist already
        check_near(points)
        check_corners(len(points), faces.ravel())
        return points, faces


def check_count(count: int) -> None:
    """Raise ModelError if there are too many triangles."""
    if count > MAX_TRIANGLES:
        raise ModelError(
            f"the mesh has {count} triangles, which is too many", cure=f"simplify the mesh to at most {MAX_TRIANGLES}"
        )


def check_near(corners: Matrix) -> None:
    """Raise ModelError if corners are not finite or too far away."""
    if not np.all(np.abs(corners) < FARTHEST):
        raise ModelError("corners are not finite or too far away", cure=_AGAIN)


def cornered(places: Matrix, numbers: Faces) -> Matrix:
    """Corners (m, 3, 3) of faces (m, 3), which are indices from 0."""
    return np.asarray(places[numbers], dtype=float).reshape(-1, 3, 3)


def check_corners(count: int, numbers: Iterable[int]) -> None:
    """Raise ModelError if faces refer to other corners than 0 … count − 1."""
    found = np.fromiter(numbers, dtype=int)
    if found.size and not (found.min() >= 0 and found.max() < count):
        raise ModelError("a face refers to a missing corner", cure=_AGAIN)


def _stl(data: bytes) -> tuple[Matrix, Faces]:
    """Points and triangles. Binary files are recognised by their length, which the number of triangles fixes."""
    count = int.from_bytes(data[80:84], "little") if len(data) >= 84 else -1
    if len(data) >= 84 + _STL.itemsize * count >= 84:
        check_count(count)
        return _apart(np.frombuffer(data, _STL, count, 84)["corners"].astype(float))
    words = _VERTEX.findall(data)
    check_count(len(words) // 3)
    if not data.lstrip().startswith(b"solid") or len(words) % 3:
        raise ModelError("not an STL file, or truncated", cure=_AGAIN)
    return _apart(floats(words))


def _apart(corners: Matrix) -> tuple[Matrix, Faces]:
    """Triangles that share no points."""
    points = corners.reshape(-1, 3)
    return points, np.arange(len(points)).reshape(-1, 3)


def _obj(data: bytes, budget: ReadBudget, first_object: bool = False) -> tuple[Matrix, Faces]:
    """Points, and faces divided into triangles."""
    vertices, faces, count = [], [], 0
    for line in data.splitlines():
        word, *rest = line.split() or [b""]
        if word == b"v":
            if len(rest) < 3:
                raise ModelError("a corner does not have three numbers", element="v", cure=_AGAIN)
            vertices.append(rest[:3])
        elif word == b"f":
            faces.append([corner_index(text.split(b"/")[0], len(vertices)) for text in rest])
            count += max(len(rest) - 2, 0)
            check_count(count)
        elif word in (b"o", b"g") and faces and first_object:
            break
    places = floats(vertices).reshape(-1, 3)
    check_corners(len(places), (corner for face in faces for corner in face))
    return places, triangulated(places, faces, budget)


def _msh(data: bytes) -> tuple[Matrix, Faces]:
    """MuJoCo's format: four counts, then corners, normals, texture coordinates, and faces as corner indices."""
    counts = np.frombuffer(data[:16], "<i4") if len(data) >= 16 else np.zeros(0, "<i4")
    corners, normals, textures, faces = (int(n) for n in counts) if len(counts) == 4 else (-1, 0, 0, 0)
    before = 16 + 4 * (3 * corners + 3 * normals + 2 * textures)
    if min(corners, normals, textures, faces) < 0 or len(data) != before + 12 * faces or not corners or not faces:
        raise ModelError("not an MSH file with faces, or truncated", cure=_AGAIN)
    check_count(faces)
    places = np.frombuffer(data, "<f4", 3 * corners, 16).reshape(-1, 3)
    return places.astype(float), np.frombuffer(data, "<i4", 3 * faces, before).reshape(-1, 3).astype(int)


def corner_index(text: bytes, count: int) -> int:
    """The index from 0 of the text of a face; count: corners before it, from which negative ones count back."""
    try:
        number = int(text)
    except ValueError as error:
        raise ModelError(f"'{text[:20]!r}' is not a corner", element="f", cure=_AGAIN) from error
    if abs(number) > MAX_BYTES:  # no file has this many, and the index would overflow
        raise ModelError("a face refers to a missing corner", element="f", cure=_AGAIN)
    return number - 1 if number > 0 else count + number


def floats(words: list[list[bytes]] | list[tuple[bytes, ...]]) -> Matrix:
    """Rows of numbers from their texts."""
    try:
        return np.array([[float(word) for word in row] for row in words], dtype=float)
    except ValueError as error:
        raise ModelError(f"corners are not numbers: {error}", cure=_AGAIN) from error
