"""Mass matrix by composite bodies: M_ij is what joint j must give when joint i alone accelerates by one."""

from __future__ import annotations

from symbody.equations.kinematics import positions
from symbody.equations.newton_euler import projected, to_parent
from symbody.equations.tree import Frame, Inertia, Tree, arm, turned_symmetric, up
from symbody.expr.node import ZERO, add, neg, section
from symbody.expr.vector import Mat, Vec, cross, dot, plus, scaled, times, transposed, unit, zeros

COMMON_FRAME_FROM = 40  # frames one above the other: from there on the common frame costs less than passing inwards


def inertia_in_parent(f: Frame, body: Inertia) -> Inertia:
    """A composite body's inertia, in the parent about the parent's origin."""
    return Inertia(body.m, up(f, body.ms), turned_symmetric(f, body.E)).shifted(arm(f))


def composites(tree: Tree) -> list[Inertia]:
    """Per frame, the inertia of all that it carries."""
    total = [f.inertia for f in tree.frames]
    for i in range(len(tree.frames) - 1, -1, -1):
        f = tree.frames[i]
        section(f"composite body at {f.name}")
        if f.parent >= 0:
            total[f.parent] = total[f.parent] + inertia_in_parent(f, total[i])
    return total


def _spin_wrench(body: Inertia, axis: int) -> tuple[Vec, Vec]:
    """Force e × ms and moment (tr E) e − E e of a unit angular acceleration."""
    i, j = (axis + 1) % 3, (axis + 2) % 3
    moment = [neg(body.E[row][axis]) for row in range(3)]
    moment[axis] = add(body.E[i][i], body.E[j][j])
    return cross(unit(axis), body.ms), moment


def _unit_wrenches(f: Frame, body: Inertia) -> list[tuple[Vec, Vec]]:
    """Force and moment of a unit acceleration of each degree of freedom of the joint."""
    if f.kind == "T":
        return [(scaled(body.m, unit(f.axis)), cross(body.ms, unit(f.axis)))]
    return [_spin_wrench(body, axis) for axis in ((0, 1, 2) if f.kind == "ball" else (f.axis,))]


def mass_matrix(tree: Tree) -> Mat:
    """M, symmetric, with zeros between branches."""
    deep = max(depths(tree), default=0) >= COMMON_FRAME_FROM
    return _by_common_frame(tree) if deep else _by_passing_inwards(tree)


def depths(tree: Tree) -> list[int]:
    """Per frame, how many carry it, itself included."""
    result: list[int] = []
    for f in tree.frames:
        result.append(1 + (result[f.parent] if f.parent >= 0 else 0))
    return result


def _by_passing_inwards(tree: Tree) -> Mat:
    """Each column's wrench is handed from frame to frame towards the ground: some 15 operations per entry."""
    M: Mat = [[ZERO] * tree.nv for _ in range(tree.nv)]
    for i, body in enumerate(composites(tree)):
        f = tree.frames[i]
        section(f"mass matrix, column of {f.name}")
        for column, (force, moment) in enumerate(_unit_wrenches(f, body), start=f.index):
            j = i
            while True:
                g = tree.frames[j]
                for row, value in enumerate(projected(g, force, moment), start=g.index):
                    M[row][column] = M[column][row] = value
                if g.parent < 0:
                    break
                force, moment = to_parent(g, force, moment)
                j = g.parent
    return M


def _by_common_frame(tree: Tree) -> Mat:
    """Wrenches and joint axes brought to the ground once, 70 operations per joint; then 11 per entry, all independent."""
    poses = positions(tree)
    axes = [_screws(f, R, P) for f, (R, P) in zip(tree.frames, poses, strict=True)]
    M: Mat = [[ZERO] * tree.nv for _ in range(tree.nv)]
    for i, body in enumerate(composites(tree)):
        f, (R, P) = tree.frames[i], poses[i]
        section(f"mass matrix, column of {f.name}")
        for column, (force, moment) in enumerate(_unit_wrenches(f, body), start=f.index):
            for row, value in enumerate(projected(f, force, moment), start=f.index):
                M[row][column] = M[column][row] = value
            force = times(R, force)
            moment = plus(times(R, moment), cross(P, force))
            j = f.parent
            while j >= 0:
                for row, (turn, shift) in enumerate(axes[j], start=tree.frames[j].index):
                    M[row][column] = M[column][row] = add(dot(turn, moment), dot(shift, force))
                j = tree.frames[j].parent
    return M


def _screws(f: Frame, R: Mat, P: Vec) -> list[tuple[Vec, Vec]]:
    """Per degree of freedom, what a moment and a force about the ground's origin are projected on."""
    if f.kind == "T":
        return [(zeros(), [row[f.axis] for row in R])]
    columns = transposed(R)
    turning = [columns[k] for k in ((0, 1, 2) if f.kind == "ball" else (f.axis,))]
    return [(axis, cross(P, axis)) for axis in turning]
