"""A scene as plain data: meshes on frames, meshes between frames, labels; and transforms to place them.

Frames are numbered: 0 is the ground, then the bodies in their order.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from symbody.files.mesh import Array, Mesh
from symbody.files.texture import Texture
from symbody.visual.materials import Material, check_material

SCENERY = "scenery"  # role of surroundings: the camera ignores them
COIL = "coil"  # mesh of springs, see `springs.wound`


@dataclass(frozen=True)
class Part:
    """A mesh on a frame: `place` (3, 4) rotates, stretches and moves it; `role` says what it represents."""

    mesh: str
    frame: int
    place: Array
    colour: str
    role: str
    opacity: float = 1.0
    material: Material | None = None  # None: by its role
    texture: Texture | None = None  # on the texture coordinates of the mesh


@dataclass(frozen=True)
class Span:
    """A mesh of unit length and radius along z, stretched between two points, each on a frame."""

    mesh: str
    frames: tuple[int, int]
    ends: Array  # (2, 3)
    radius: float
    colour: str
    role: str
    material: Material | None = None


@dataclass(frozen=True)
class Look:
    """The look of a body or the ground.

    Parameters
    ----------
    mesh : str or Mesh
        A mesh, or the name of one.
    place : array, shape (4, 4)
        Its frame in the body frame (m).
    colour : str, optional
        As "#rrggbb". None: the default colour.
    opacity : float
        From 0 to 1. Default 1.
    material : Material, optional
        One of `visual.materials`; None: painted.
    texture : Texture, optional
        An image on the texture coordinates of the mesh.
    """

    mesh: str | Mesh
    place: Array
    colour: str | None = None
    opacity: float = 1.0
    material: Material | None = None
    texture: Texture | None = None

    def __post_init__(self) -> None:
        check_material(self.material or "")


@dataclass(frozen=True)
class StretchedLook(Look):
    """A mesh of unit length and radius along z, stretched from its own body to `other`; `place`: both ends (2, 3)."""

    other: str = ""
    radius: float = 1.0  # m


@dataclass(frozen=True)
class Label:
    text: str
    frame: int
    position: Array


@dataclass(frozen=True)
class Cloud:
    """Balls on a frame; their positions are sent while they move.

    Parameters
    ----------
    frame : int
        Number of the frame; 0: the ground.
    count : int
        Largest number of balls.
    radius : float
        m; of the largest ball, if they have sizes.
    colour : str
        As "#rrggbb"; of balls without a colour of their own.
    """

    frame: int
    count: int
    radius: float
    colour: str


@dataclass(frozen=True)
class HeightField:
    """A surface of heights (m, along z of its frame) over the rows and columns of a grid; changed heights are sent.

    The height of row i and column j is above corner + (j·spacing[0], i·spacing[1], 0).

    Parameters
    ----------
    frame : int
        Number of the frame; 0: the ground.
    shape : (int, int)
        Rows, columns.
    spacing : (float, float)
        Along x and y (m).
    corner : (float, float, float)
        Place of row 0 and column 0 (m).
    colour : str
        As "#rrggbb".
    """

    frame: int
    shape: tuple[int, int]
    spacing: tuple[float, float]
    corner: tuple[float, float, float]
    colour: str


@dataclass
class Scene:
    """Everything to draw of a model; `up` points against gravity, `unit` is the radius of a bar (m)."""

    up: Array
    unit: float
    meshes: dict[str, Mesh] = field(default_factory=dict)
    parts: list[Part] = field(default_factory=list)
    spans: list[Span] = field(default_factory=list)
    labels: list[Label] = field(default_factory=list)
    clouds: list[Cloud] = field(default_factory=list)
    fields: list[HeightField] = field(default_factory=list)


def transform(turned: Array, at: Array | Sequence[float]) -> Array:
    """[R | r] (3, 4) of a scaled rotation and a place (m)."""
    made = np.empty((3, 4))
    made[:, :3], made[:, 3] = turned, at
    return made


def placed(at: Array | Sequence[float] = (0.0, 0.0, 0.0), size: float = 1.0) -> Array:
    return transform(size * np.eye(3), at)


def cuboid(edges: Sequence[float], middle: Sequence[float]) -> Array:
    """Transform of the unit box: lengths of its edges, and its middle (m)."""
    return transform(np.diag(edges), middle)


def upright(axis: Array) -> Array:
    """A rotation whose third axis is `axis`: x = e × z for the coordinate axis e furthest from z, and y = z × x.

    Written out, because a scene has thousands of them and NumPy's cross product takes 30 µs.
    """
    a, b, c = z = (axis / np.linalg.norm(axis)).tolist()
    across = ((0.0, -c, b), (c, 0.0, -a), (-b, a, 0.0))[min(range(3), key=lambda k: abs(z[k]))]
    length = math.hypot(*across)
    d, e, f = (x / length for x in across)
    return np.array([[d, b * f - c * e, a], [e, c * d - a * f, b], [f, a * e - b * d, c]])


def along(axis: Array, start: Array, radius: float, length: float) -> Array:
    """Transform of the unit cylinder: from a point along an axis."""
    return transform(upright(axis) * (radius, radius, length), start)


def beam(axis: Array, at: Array, width: float, length: float) -> Array:
    """Transform of the unit box: about a point, along an axis."""
    return transform(upright(axis) * (width, width, length), at)
