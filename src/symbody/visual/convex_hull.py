"""The convex hull of points, cached on disk: importing the library for it takes half a second."""

from __future__ import annotations

import hashlib
from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from symbody.codegen.cache import remember, remembered
from symbody.files.mesh_mass import hull_triangles

Array = npt.NDArray[np.float64]


def convex_hull(points: Array) -> npt.NDArray[np.int64]:
    """Triangles (m, 3) of the hull of points (n, 3) as indices of points, counter-clockwise from outside."""
    return kept("convex hull", points, hull_triangles).astype(np.int64)


def kept(what: str, given: Array, compute: Callable[[Array], Array]) -> Array:
    """compute(given), from the disk cache if it was computed before for the same numbers."""
    given = np.ascontiguousarray(given, dtype=float)
    key = f"{what} {given.shape} {hashlib.sha256(given.tobytes()).hexdigest()}"
    facts = remembered(key)
    if facts is None:
        facts = {"values": compute(given).tolist()}
        remember(key, facts)
    return np.array(facts["values"])
