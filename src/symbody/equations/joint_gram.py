"""The distance of a joint chain from a singular position: the Gram determinant of its joint motions.

The columns S are the angular velocity and the velocity that each joint gives to the body at the end. det SᵀS is zero
where they are linearly dependent; for three hinges in a point it is cos² of the middle angle.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from symbody.equations.tree import Frame, Tree, arm, build_tree, up, with_motion
from symbody.expr.linear import ZeroPivot, factorise_sparse
from symbody.expr.node import ONE, ZERO, Expr, const
from symbody.expr.vector import Mat, Vec, cross, dot, unit, zeros
from symbody.model.joint_chains import JointChain, inertia_axes

Twist = tuple[Vec, Vec]  # angular velocity and velocity
LOCKED = 4e-4  # of its first value: a determinant below this ends a run: 0.02², a middle angle 1.1° before 90°


def gram_determinant(tree: Tree, chain: JointChain) -> Expr:
    """det SᵀS over the free joints of a chain, with angular velocity in rad/s and velocity in m/s.

    For a body without inertia only the velocity of its centre of mass counts; for one without mass only its rotation.
    """
    mass, axes = inertia_axes(tree.model, chain.body)
    free = {joint.name for joint in chain.joints if joint.nature in ("independent", "dependent")}
    frames = [f for f in tree.frames if f.name in {joint.name for joint in chain.joints}]
    at = zeros() if axes == 3 else tree.place(chain.body).offset + _centre(tree, chain.body)
    columns = [c for c in _columns(frames, at) if c[0] in free]
    gram = [
        Vec([(dot(a[0], b[0]) if axes else ZERO) + (dot(a[1], b[1]) if mass else ZERO) for _, b in columns])
        for _, a in columns
    ]
    return _determinant(Mat(gram))


def room_before_lock(tree: Tree, chain: JointChain, q0: Sequence[float]) -> Expr:
    """The margin of the determinant before its joints lock, relative to its value at q0; positive before they lock."""
    known = build_tree(tree.model, "none", loads=False)
    rest = zeros(known.nv)
    start = gram_determinant(with_motion(known, Vec([const(x) for x in q0]), rest, rest), chain)
    return gram_determinant(tree, chain) - LOCKED * start


def _centre(tree: Tree, body: str) -> Vec:
    """Centre of mass in the frame that carries the body."""
    return tree.numbers.vector(tree.model.bodies[body].com, f"{body}.com")


def _columns(frames: list[Frame], at: Vec) -> list[tuple[str, Twist]]:
    """Angular velocity and velocity of a point of the last frame for each joint, in the frame before the first."""
    found: list[tuple[str, Twist]] = []
    for f in reversed(frames):  # from the last joint inwards: columns of later joints are rotated into earlier frames
        own = [unit(axis) for axis in f.axes]
        twists = [(zeros(), e) if f.kind == "T" else (e, cross(e, at)) for e in own]
        found += [(f.name, twist) for twist in twists]
        found = [(name, (up(f, w), up(f, v))) for name, (w, v) in found]
        at = up(f, at) + arm(f)
    return found


def _determinant(gram: Mat) -> Expr:
    """The product of the pivots of L·U."""
    try:
        pivots = [row[k] for k, row in enumerate(factorise_sparse(gram).factors.LU)]
    except ZeroPivot:
        return ZERO
    return prod(pivots, start=ONE)
