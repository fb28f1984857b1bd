"""Small gaps in the loops of files: numbers with few digits leave loops open by more than rounding.

Joints close a loop as far as they can. What remains is a gap along directions in which no joint moves, or between
redundant loops. If it is small, points of the loops are moved by it, and a note says by how much.
"""

from __future__ import annotations

import numpy as np

from symbody.files.file_tree import free_name
from symbody.files.mass_matrix import jacobians, moving_columns
from symbody.model.body import Point
from symbody.model.model import Model
from symbody.model.placement import compose, placement, placements
from symbody.model.rotation import Matrix

LARGEST = 1e-6  # m; a larger gap is a mistake of the file
ROUNDING = 1e-13  # m
ITERATIONS = 30
RANK = 1e-6  # singular values below this part of the largest one: directions in which no joint moves
MOVED = "were moved"  # words of the note
_HOLDS_POINTS = ("ball", "solid")


def close_gaps(model: Model, largest: float = LARGEST) -> None:
    """Move points of loops so that they meet where the joints bring them closest, by at most `largest` (m)."""
    cuts = [cut for cut in model.cuts.values() if cut.kind in _HOLDS_POINTS]
    ends = [(model.point_at(cut.a), model.point_at(cut.b)) for cut in cuts]
    if not cuts:
        return
    q = {joint.name: float(joint.q0[0]) for joint in model.joints() if joint.nq == 1}  # type: ignore[arg-type]
    names = [joint.name for joint in model.joints() for _ in range(joint.nv)]
    moving = [joint.nq == 1 and joint.nature != "locked" for joint in model.joints() for _ in range(joint.nv)]
    for _ in range(ITERATIONS):
        gaps, J = _gaps(model, ends, q)
        J[:, ~np.array(moving)] = 0.0
        step = np.linalg.pinv(J, rcond=RANK) @ gaps.ravel()
        q = {name: q[name] - step[names.index(name)] for name in q}
        if np.abs(step).max(initial=0.0) < ROUNDING:
            break
    gaps, _ = _gaps(model, ends, q)
    sizes = np.linalg.norm(gaps, axis=1)
    if not ROUNDING < sizes.max() < largest:
        return
    placed = placements(model, q)
    for cut, (_, end), gap in zip(cuts, ends, gaps, strict=True):
        body = model.ground if end.body == model.ground.name else model.bodies[end.body]
        moved = np.array(end.position, dtype=float) - placed[end.body][0].T @ gap
        cut.b = body.point(free_name(f"{end.name}_{cut.name}", body.points), moved.tolist(), end.rotation).path
    widest = cuts[int(np.argmax(sizes))].name
    model.notes.append(
        f"points of {len(cuts)} loop{'s' if len(cuts) > 1 else ''} {MOVED} by at most {sizes.max():.2g} m "
        f"(loop '{widest}') so that they close; gaps up to {largest:g} m are closed this way"
    )


def _gaps(model: Model, ends: list[tuple[Point, Point]], q: dict[str, float]) -> tuple[Matrix, Matrix]:
    """p_b − p_a of each loop (n, 3), and its derivatives by all joint velocities (3n, nv)."""
    columns, placed = moving_columns(model, q), placements(model, q)
    gaps, rows = [], []
    for pair in ends:
        a, b = (compose(placed[end.body], placement(end, model.values))[1] for end in pair)
        Ja, Jb = (jacobians(columns[end.body], model.nv, at)[0] for end, at in zip(pair, (a, b), strict=True))
        gaps.append(b - a)
        rows.append(Jb - Ja)
    return np.array(gaps), np.vstack(rows)
