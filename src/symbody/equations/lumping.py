"""A mechanically equivalent tree with fewer numbers: same M, c and generalised forces, less to compute.

Three facts are used, all with parameters only, so they cost nothing at run time:
- a hinge's origin may move along its axis, a slide's origin anywhere: choose it where offsets vanish;
- mass on a hinge's axis is not moved by the hinge: its (m, ms_k, E_kk) may belong to the parent (barycentric lumping);
- a slide does not rotate: all of E may belong to the parent; a mass at the centre of a ball is not moved by it.
Inertia that reaches the ground has no effect and disappears.
"""

from __future__ import annotations

from dataclasses import replace

from symbody.equations.tree import Frame, Inertia, Load, Tree
from symbody.expr.node import ZERO
from symbody.expr.vector import XYZ, Vec, zeros


def lumped(tree: Tree) -> Tree:
    """The equivalent tree; only for functions of generalised forces, never for reactions or energies."""
    frames = [replace(f, inertia=f.inertia, loads=list(f.loads)) for f in tree.frames]
    _slide_origins(frames)
    for i in range(len(frames) - 1, -1, -1):
        f = frames[i]
        f.inertia, given = _split(f)
        if f.parent >= 0:
            parent = frames[f.parent]
            parent.inertia = parent.inertia + _in_parent(f, given)
    return replace(tree, frames=frames)


def _split(f: Frame) -> tuple[Inertia, Inertia]:
    """The part that the joint moves, and the part that may belong to the parent."""
    own, k = f.inertia, f.axis
    if f.kind == "T":
        return Inertia(own.m, own.ms), Inertia(E=own.E)
    if f.kind == "ball":
        return Inertia(ms=own.ms, E=own.E), Inertia(m=own.m)
    kept = Inertia(ms=own.ms.copy(), E=own.E.copy())
    given = Inertia(m=own.m)
    kept.ms[k], given.ms[k] = ZERO, own.ms[k]
    kept.E[k][k], given.E[k][k] = ZERO, own.E[k][k]
    return kept, given


def _in_parent(f: Frame, given: Inertia) -> Inertia:
    """The given part is not affected by the joint, so it is placed in the parent as at q = 0."""
    if f.turn is not None:
        given = given.turned(f.turn)
    return given.shifted(f.offset)


def _slide_origins(frames: list[Frame]) -> None:
    """Move each origin, within its joint's freedom, to where the fewest numbers remain."""
    children: list[list[Frame]] = [[] for _ in frames]
    for f in frames:
        if f.parent >= 0:
            children[f.parent].append(f)
    for f, below in zip(frames, children, strict=True):
        if f.kind == "ball":
            continue
        axes = (f.axis,) if f.kind == "R" else XYZ
        back = f.offset if f.turn is None else f.turn.T @ f.offset
        places = [-back, *(c.offset for c in below), *(load.offset + load.com for load in f.loads if load.R is None)]
        shifts = [zeros(), *(zeros().put(axes, p.take(axes)) for p in places)]
        best = min(shifts, key=lambda s: _numbers_left(f, below, s))
        _shift(f, below, best)


def _numbers_left(f: Frame, below: list[Frame], s: Vec) -> int:
    """The number of non-zero components if the origin moves by s; each costs a few operations."""
    moved = [f.offset + (s if f.turn is None else f.turn @ s)]
    moved += [c.offset - s for c in below] + [_arm(load, s) for load in f.loads]
    return sum(1 for v in moved for x in v if x is not ZERO)


def _shift(f: Frame, below: list[Frame], s: Vec) -> None:
    if all(x is ZERO for x in s):
        return
    f.offset = f.offset + (s if f.turn is None else f.turn @ s)
    f.inertia = f.inertia.shifted(-s)
    f.loads = [_moved(load, s) for load in f.loads]
    for c in below:
        c.offset = c.offset - s


def _arm(load: Load, s: Vec) -> Vec:
    moved = _moved(load, s)
    return moved.com if load.R is None else moved.offset


def _moved(load: Load, s: Vec) -> Load:
    """A load relative to an origin moved by s; a parallel body frame moves too, a rotated one gets a larger offset."""
    if load.R is None:
        return replace(load, com=load.com + load.offset - s, offset=zeros())
    return replace(load, offset=load.offset - s)
