"""What there is to draw, as plain data: meshes on frames, meshes between frames, labels; and where to put them.

Frames are numbered: 0 is the ground, then the bodies in their order.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from symbody.visual.mesh import Array, Mesh

SCENERY = "scenery"  # the role of parts that stand about: not what the camera looks for


@dataclass(frozen=True)
class Part:
    """A mesh on a frame: `place` (3, 4) turns, stretches and moves it there; `role` says what it stands for."""

    mesh: str
    frame: int
    place: Array
    colour: str
    role: str
    opacity: float = 1.0


@dataclass(frozen=True)
class Span:
    """A mesh of unit length and radius along z, stretched between two places, each on a frame."""

    mesh: str
    frames: tuple[int, int]
    ends: Array  # (2, 3)
    radius: float
    colour: str
    role: str


@dataclass(frozen=True)
class Look:
    """How a body looks, or the ground: a mesh, or the name of one, on its frame; colour None: one of ours."""

    mesh: str | Mesh
    place: Array
    colour: str | None = None
    opacity: float = 1.0


@dataclass(frozen=True)
class Label:
    text: str
    frame: int
    position: Array


@dataclass(frozen=True)
class Cloud:
    """Balls of one radius (m) on a frame, at most `count`; where they are is told while they move."""

    frame: int
    count: int
    radius: float
    colour: str


@dataclass(frozen=True)
class HeightField:
    """A surface of heights (m, along z of its frame) over rows and columns of a grid; heights are told as they change.

    The height of row i and column j stands over corner + (j·spacing[0], i·spacing[1], 0).
    """

    frame: int
    shape: tuple[int, int]  # rows, columns
    spacing: tuple[float, float]  # m, along x and y
    corner: tuple[float, float, float]
    colour: str


@dataclass
class Scene:
    """All there is to draw of a model; `up` is against gravity, `unit` the radius of a bar (m)."""

    up: Array
    unit: float
    meshes: dict[str, Mesh] = field(default_factory=dict)
    parts: list[Part] = field(default_factory=list)
    spans: list[Span] = field(default_factory=list)
    labels: list[Label] = field(default_factory=list)
    clouds: list[Cloud] = field(default_factory=list)
    fields: list[HeightField] = field(default_factory=list)


def placed(at: Array | Sequence[float] = (0.0, 0.0, 0.0), size: float = 1.0) -> Array:
    return np.column_stack([size * np.eye(3), np.asarray(at, dtype=float)])


def upright(axis: Array) -> Array:
    """A rotation whose third axis is `axis`."""
    z = axis / np.linalg.norm(axis)
    x = np.cross(np.eye(3)[int(np.argmin(np.abs(z)))], z)
    x /= np.linalg.norm(x)
    return np.column_stack([x, np.cross(z, x), z])


def along(axis: Array, start: Array, radius: float, length: float) -> Array:
    """The unit cylinder from a place along an axis."""
    return np.column_stack([upright(axis) * (radius, radius, length), start])


def beam(axis: Array, at: Array, width: float, length: float) -> Array:
    """The unit box about a place along an axis."""
    return np.column_stack([upright(axis) * (width, width, length), at])
