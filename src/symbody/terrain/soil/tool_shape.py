"""Shapes of tools: plates and other boxes on a body, and the force points on their faces."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import ceil, isfinite

import numpy as np

from symbody.errors import ModelError
from symbody.model.rotation import matrix
from symbody.terrain.height_map import Array

MOST_POINTS = 6000  # force points of a tool
MOST_BOXES = 24


@dataclass(frozen=True)
class ToolBox:
    """A box of a tool: full lengths, centre, and roll, pitch and yaw (rad), in the frame of the tool's point (m).

    Parameters
    ----------
    size : tuple of 3 float
        Full lengths, m.
    centre : tuple of 3 float
        m, in the frame of the tool's point. Default: its origin.
    rpy : tuple of 3 float
        Roll, pitch and yaw, rad. Default 0.

    Examples
    --------
    >>> import symbody as sb
    >>> sb.ToolBox((0.1, 2.0, 0.6)).size
    (0.1, 2.0, 0.6)
    """

    size: tuple[float, float, float]
    centre: tuple[float, float, float] = (0.0, 0.0, 0.0)
    rpy: tuple[float, float, float] = (0.0, 0.0, 0.0)

    def check(self, name: str) -> None:
        """Raise ModelError for sizes that are not positive, or numbers that are not finite."""
        if not all(map(isfinite, (*self.size, *self.centre, *self.rpy))) or min(self.size) <= 0.0:
            cure = "give three positive lengths, and finite centres and angles"
            raise ModelError(f"a box of {self.size} m at {self.centre} m", element=name, cure=cure)

    @property
    def rotation(self) -> Array:
        """Axes of the box as columns (3, 3)."""
        return np.asarray(matrix(self.rpy), dtype=float)


def box_rows(boxes: Iterable[ToolBox]) -> Array:
    """Rows of box numbers for C: centre, rotation by rows, half sizes."""
    rows = [[*box.centre, *box.rotation.ravel(), *(0.5 * length for length in box.size)] for box in boxes]
    return np.array(rows, dtype=float)


def force_points(name: str, boxes: Sequence[ToolBox], spacing: float) -> Array:
    """Force points on all faces, at most `spacing` (m) apart: position, normal, area (m²), thickness of the box (m)."""
    rows = []
    for box in boxes:
        R, centre = box.rotation, np.array(box.centre)
        for axis in range(3):
            b, c = (axis + 1) % 3, (axis + 2) % 3
            nb, nc = (max(1, ceil(box.size[k] / spacing - 1e-9)) for k in (b, c))
            area = box.size[b] * box.size[c] / (nb * nc)
            if nb * nc > MOST_POINTS:
                break
            for sign in (-1.0, 1.0):
                local = np.zeros((nb * nc, 3))
                local[:, axis] = 0.5 * sign * box.size[axis]
                local[:, b] = np.repeat((np.arange(nb) + 0.5) / nb - 0.5, nc) * box.size[b]
                local[:, c] = np.tile((np.arange(nc) + 0.5) / nc - 0.5, nb) * box.size[c]
                normal = np.tile(sign * R[:, axis], (nb * nc, 1))
                same = np.tile((area, box.size[axis]), (nb * nc, 1))
                rows.append(np.column_stack([local @ R.T + centre, normal, same]))
    if sum(map(len, rows)) > MOST_POINTS or len(rows) < 6 * len(boxes):
        cure = f"use larger distances between force points: at most {MOST_POINTS} points"
        raise ModelError(f"too many force points {spacing:g} m apart on {len(boxes)} boxes", element=name, cure=cure)
    return np.ascontiguousarray(np.concatenate(rows))


def hull(boxes: Array) -> Array:
    """Least and largest coordinates of boxes (rows of `box_rows`)."""
    centres, halves = boxes[:, :3], np.einsum("nij,nj->ni", np.abs(boxes[:, 3:12].reshape(-1, 3, 3)), boxes[:, 12:])
    return np.concatenate([(centres - halves).min(axis=0), (centres + halves).max(axis=0)])
