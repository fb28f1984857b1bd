"""Mass matrix by composite bodies: M_ij is the force of joint j for a unit acceleration of joint i alone."""

from __future__ import annotations

from symbody.equations.kinematics import positions
from symbody.equations.newton_euler import Wrench, projected, to_parent
from symbody.equations.tree import Frame, Inertia, Tree, arm, turned_symmetric, up
from symbody.expr.node import ZERO
from symbody.expr.node_table import section
from symbody.expr.vector import Mat, Vec, cross, stack, unit, zero_matrix, zeros


def inertia_in_parent(f: Frame, body: Inertia) -> Inertia:
    """The inertia of a composite body in the parent frame, about the parent's origin."""
    return Inertia(body.m, up(f, body.ms), turned_symmetric(f, body.E)).shifted(arm(f))


def composites(tree: Tree) -> list[Inertia]:
    """For each frame the inertia of everything that it carries."""
    total = [f.inertia for f in tree.frames]
    for i in range(len(tree.frames) - 1, -1, -1):
        f = tree.frames[i]
        section(f"composite body at {f.name}")
        if f.parent >= 0:
            total[f.parent] = total[f.parent] + inertia_in_parent(f, total[i])
    return total


def _spin_wrench(body: Inertia, axis: int) -> Wrench:
    """Force e × ms and moment J e = (tr E) e − E e of a unit angular acceleration."""
    E, i, j = body.E, (axis + 1) % 3, (axis + 2) % 3
    moment = -E.column(axis)
    moment[axis] = E[i][i] + E[j][j]
    return cross(unit(axis), body.ms), moment


def _unit_wrenches(f: Frame, body: Inertia) -> list[Wrench]:
    """Force and moment of a unit acceleration of each degree of freedom of the joint."""
    if f.kind == "T":
        return [(body.m * unit(f.axis), cross(body.ms, unit(f.axis)))]
    return [_spin_wrench(body, axis) for axis in f.axes]


def depths(tree: Tree) -> list[int]:
    """For each frame the number of frames from the ground to it, including itself."""
    levels: list[int] = []
    for f in tree.frames:
        levels.append(1 + (levels[f.parent] if f.parent >= 0 else 0))
    return levels


def mass_matrix(tree: Tree) -> Mat:
    """M, symmetric, with zeros between branches.

    Each column's wrench is passed from frame to frame towards the ground: about 15 operations for each entry.
    """
    M = zero_matrix(tree.nv, tree.nv)
    for i, body in enumerate(composites(tree)):
        f = tree.frames[i]
        section(f"mass matrix, column of {f.name}")
        for column, (force, moment) in enumerate(_unit_wrenches(f, body), start=f.index):
            j = i
            while True:
                g = tree.frames[j]
                for row, value in enumerate(projected(g, force, moment), start=g.index):
                    M[row][column] = M[column][row] = value
                M[column][column] = M[column][column] + (f.armature if j == i else ZERO)
                if g.parent < 0:
                    break
                force, moment = to_parent(g, force, moment)
                j = g.parent
    return M


def mass_products(tree: Tree) -> tuple[Mat, list[Vec], list[Vec], list[tuple[int, int, int]]]:
    """M of a deep tree as products: entries within a joint, screws, wrenches, and spans of the other entries.

    Screws and wrenches are moved to the ground once, 70 operations for each joint. Then M_ij = wrench_i · screw_j costs
    11 operations in a loop, for each j that carries i.
    """
    poses = positions(tree)
    screws: list[Vec] = [Vec() for _ in range(tree.nv)]
    wrenches: list[Vec] = [Vec() for _ in range(tree.nv)]
    spans: list[tuple[int, int, int]] = []
    M = zero_matrix(tree.nv, tree.nv)
    for i, body in enumerate(composites(tree)):
        f, (R, P) = tree.frames[i], poses[i]
        section(f"mass matrix, column of {f.name}")
        for column, (force, moment) in enumerate(_unit_wrenches(f, body), start=f.index):
            for row, value in enumerate(projected(f, force, moment), start=f.index):
                M[row][column] = M[column][row] = value
            M[column][column] = M[column][column] + f.armature
            force = R @ force
            wrenches[column] = stack(R @ moment + cross(P, force), force)
            spans += [(column, first, end) for first, end in _runs(_carriers(tree, i))]
        for row, screw in enumerate(_screws(f, R, P), start=f.index):
            screws[row] = screw
    return M, screws, wrenches, spans


def _carriers(tree: Tree, i: int) -> list[int]:
    """Degrees of freedom that carry a frame, in order."""
    found: list[int] = []
    j = tree.frames[i].parent
    while j >= 0:
        g = tree.frames[j]
        found += range(g.index, g.index + len(g.v))
        j = g.parent
    return sorted(found)


def _runs(numbers: list[int]) -> list[tuple[int, int]]:
    """Sorted numbers as runs (first, one past the last)."""
    runs: list[tuple[int, int]] = []
    for x in numbers:
        runs[-1:] = [(runs[-1][0], x + 1)] if runs and runs[-1][1] == x else [*runs[-1:], (x, x + 1)]
    return runs


def _screws(f: Frame, R: Mat, P: Vec) -> list[Vec]:
    """For each degree of freedom the vectors on which a moment and a force about the ground's origin are projected."""
    axes = [R.column(k) for k in f.axes]
    return [stack(zeros(), n) if f.kind == "T" else stack(n, cross(P, n)) for n in axes]
