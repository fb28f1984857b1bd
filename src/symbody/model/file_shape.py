"""Looks of bodies from files, as data: unit shapes with a matrix that scales, rotates and moves them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from symbody.model.rotation import Matrix

Sizes = Sequence[float]
Pose = tuple[Matrix, Matrix]  # rotation and position, as a Placement


@dataclass(frozen=True, eq=False)
class FileShape:
    """A box of edge 1, a ball of radius 1, a cylinder of radius 1 from z = 0 to 1, or a file's mesh in its own unit."""

    kind: str
    place: Matrix  # (3, 4), into the frame of the body
    colour: str | None = None  # #rrggbb
    opacity: float = 1.0
    file: str = ""


def box(edges: Sizes) -> list[tuple[str, Matrix]]:
    return [("box", _stretched(edges))]


def ellipsoid(radii: Sizes) -> list[tuple[str, Matrix]]:
    return [("ball", _stretched(radii))]


def cylinder(radius: float, length: float) -> list[tuple[str, Matrix]]:
    """Along axis 3, its middle at the origin."""
    return [("cylinder", _stretched((radius, radius, length), -length / 2))]


def capsule(radius: float, length: float) -> list[tuple[str, Matrix]]:
    """A cylinder of this length with a ball at each end."""
    ends = [("ball", _stretched((radius,) * 3, z)) for z in (-length / 2, length / 2)]
    return [*cylinder(radius, length), *ends]


def placed_shapes(
    made: Iterable[tuple[str, Matrix]], pose: Pose, seat: Pose, colour: str | None, opacity: float = 1.0
) -> list[FileShape]:
    """Shapes at a pose in the body frame of the file; that frame is at `seat` in our body frame."""
    return [FileShape(kind, moved(seat, moved(pose, place)), colour, opacity) for kind, place in made]


def moved(pose: Pose, place: Matrix) -> Matrix:
    """A matrix (3, 4) followed by a pose."""
    rotation, position = pose
    return np.column_stack([rotation @ place[:, :3], rotation @ place[:, 3] + position])


def hex_colour(shares: Iterable[float]) -> str:
    """#rrggbb from red, green and blue between 0 and 1 (display values)."""
    return "#" + "".join(f"{round(255 * min(max(share, 0.0), 1.0)):02x}" for share in shares)


def _stretched(by: Sizes, z: float = 0.0) -> Matrix:
    return np.column_stack([np.diag(by), (0.0, 0.0, z)])
