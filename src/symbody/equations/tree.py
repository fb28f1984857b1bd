"""The model as a tree of elementary frames: one frame for each elementary joint, with numbers as expressions.

A body on a sequence of joints becomes a chain of frames; only the last one has inertia. A `free` joint is T1 T2 T3 and
a ball. A body without joints is welded to the frame that carries it. Inertia is stored as (m, ms, E): mass, first
moment m·c, and second moments E = ∫ρ x xᵀ about the frame's origin. This form transforms without divisions, and it
shows directly which mass lies on a hinge's axis and is not moved by it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Literal

from symbody.expr.node import ONE, ZERO, Expr, const, cos, parameter, sin
from symbody.expr.vector import (
    XYZ,
    Mat,
    Vec,
    congruent,
    identity,
    outer,
    symmetric_outer,
    unit,
    variables,
    zero_matrix,
    zeros,
)
from symbody.model.body import GROUND, Body, Point
from symbody.model.formula import Formula, Number, evaluate
from symbody.model.model import Model
from symbody.model.rotation import turn
from symbody.model.tree import parents_first

Live = Literal["all", "named", "none"]  # which numbers stay parameters: every non-zero one, the named ones, none


@dataclass
class Inertia:
    """Mass m, first moment ms = m·c, second moments E = ∫ρ x xᵀ, about the frame's origin, in the frame."""

    m: Expr = ZERO
    ms: Vec = field(default_factory=zeros)
    E: Mat = field(default_factory=zero_matrix)

    def __add__(self, other: Inertia) -> Inertia:
        return Inertia(self.m + other.m, self.ms + other.ms, self.E + other.E)

    @property
    def J(self) -> Mat:
        """Rotational inertia about the same point: (tr E) 1 − E."""
        E, J = self.E, -self.E
        for k in XYZ:
            i, j = (k + 1) % 3, (k + 2) % 3
            J[k][k] = E[i][i] + E[j][j]
        return J

    def shifted(self, p: Vec) -> Inertia:
        """About a point from which this origin is at p."""
        mp = self.m * p
        return Inertia(self.m, self.ms + mp, self.E + symmetric_outer(p, self.ms) + outer(mp, p))

    def turned(self, R: Mat) -> Inertia:
        """In a frame whose vectors are R times those of this one."""
        return Inertia(self.m, R @ self.ms, R @ self.E @ R.T)


@dataclass
class Load:
    """An external force frc at the centre of mass and torque trq, in the body frame, and the place of that frame."""

    body: str
    frc: Vec
    trq: Vec
    com: Vec  # in the body frame
    offset: Vec  # of the body frame, in the frame
    R: Mat | None = None  # from components in the body frame to components in the frame


@dataclass(kw_only=True)
class Carried:
    """Inertia and external loads that a frame, or the ground, carries."""

    inertia: Inertia = field(default_factory=Inertia)
    loads: list[Load] = field(default_factory=list)


@dataclass
class Frame(Carried):
    """One elementary joint (R or T about axis 0 1 2, or a ball) and what it carries."""

    parent: int
    kind: str  # "R", "T" or "ball"
    axis: int
    offset: Vec  # of the joint, in the parent frame
    turn: Mat | None  # fixed rotation from the joint frame to the parent frame; None: parallel
    q: Vec
    v: Vec
    a: Vec
    index: int  # of its first velocity in q̇
    place: int  # of its first coordinate in q
    name: str
    armature: Expr = ZERO  # inertia of the drive, which acts on the joint alone

    @cached_property
    def R(self) -> Mat | None:
        """The moving part of its rotation, child → joint frame; None for a prismatic joint."""
        if self.kind == "T":
            return None
        return quaternion_rotation(*self.q) if self.kind == "ball" else rotation_about(self.axis, *self.cosine_sine)

    @property
    def cosine_sine(self) -> tuple[Expr, Expr]:
        """Cosine and sine of a hinge's angle."""
        return cos(self.q[0]), sin(self.q[0])

    @property
    def axes(self) -> tuple[int, ...]:
        """The axes of its frame about which it rotates or along which it slides."""
        return XYZ if self.kind == "ball" else (self.axis,)

    def along(self, rates: Vec) -> Vec:
        """S q̇: its rates (or accelerations) along its axes, as a vector in its frame."""
        return rates if self.kind == "ball" else rates[0] * unit(self.axis)


@dataclass
class Place:
    """A frame fixed on a moving one: offset and rotation (None: parallel) in frame number `frame` (−1: ground)."""

    frame: int
    offset: Vec
    R: Mat | None


@dataclass
class Tree:
    """All frames, parents first, with gravity, places of the bodies, and the values of the live parameters."""

    model: Model
    frames: list[Frame]
    ground: Carried  # bodies welded to the ground: they only add weight
    gravity: Vec
    places: dict[str, Place]
    live: dict[str, float]
    numbers: Numbers

    @property
    def nv(self) -> int:
        return sum(len(f.v) for f in self.frames)

    def place(self, path: str) -> Place:
        """The place of a point of the model."""
        return _carried(self.places, self.model.point_at(path), self.numbers)


class Numbers:
    """Converts the model's numbers to expressions: constants, or parameters whose values are in `live`."""

    def __init__(self, model: Model, live: Live):
        self.mode = live
        self.live: dict[str, float] = {} if live == "none" else model.values
        self.names = {n: const(v) if live == "none" else parameter(n) for n, v in model.values.items()}

    def __call__(self, number: Number, name: str) -> Expr:
        if isinstance(number, Formula):
            value = evaluate(number, self.names)
            return value if isinstance(value, Expr) else const(value)
        if number == 0.0 or self.mode != "all":
            return const(number)
        self.live[name] = number
        return parameter(name)

    def vector(self, numbers: tuple[Number, ...], name: str, labels: str = "xyz") -> Vec:
        return Vec([self(n, f"{name}.{label}") for n, label in zip(numbers, labels, strict=True)])

    def angle(self, number: Number, name: str) -> Expr:
        """Angles of fixed rotations stay numbers unless they are named: a live right angle would have no zeros."""
        return const(number) if not isinstance(number, Formula) else self(number, name)


def _cosine_sine(angle: Expr) -> tuple[Expr, Expr]:
    """Of a fixed angle; right angles are exact, so that structural zeros stay zero."""
    if angle.op == "const":
        c, s = turn(angle.value)
        return const(c), const(s)
    return cos(angle), sin(angle)


def rotation_about(axis: int, c: Expr, s: Expr) -> Mat:
    """Rotation by the angle with cosine c and sine s, from components in the child to components in the parent."""
    R, i, j = identity(), (axis + 1) % 3, (axis + 2) % 3
    R[i][i], R[i][j], R[j][i], R[j][j] = c, -s, s, c
    return R


def _fixed_rotation(point: Point, numbers: Numbers) -> Mat | None:
    """Rz(yaw)·Ry(pitch)·Rx(roll); None for the identity."""
    result: Mat | None = None
    for axis in (2, 1, 0):
        if point.rotation[axis] == 0.0:
            continue
        angle = numbers.angle(point.rotation[axis], f"{point.path}.rotation")
        R = rotation_about(axis, *_cosine_sine(angle))
        result = R if result is None else result @ R
    return result


def _carried(places: dict[str, Place], point: Point, numbers: Numbers) -> Place:
    """The place of a point, given the places of the bodies."""
    base = places[point.body]
    offset = numbers.vector(point.position, point.path)
    R = _fixed_rotation(point, numbers)
    if base.R is not None:
        offset = base.R @ offset
        R = base.R if R is None else base.R @ R
    return Place(base.frame, base.offset + offset, R)


def body_inertia(body: Body, numbers: Numbers) -> Inertia:
    """(m, ms, E) of a body about its origin, from mass, centre of mass and inertia about that centre."""
    m = numbers(body.mass, f"{body.name}.mass")
    c = numbers.vector(body.com, f"{body.name}.com")
    labels = ("xx", "yy", "zz", "xy", "xz", "yz")
    xx, yy, zz, xy, xz, yz = (
        numbers(n, f"{body.name}.inertia.{label}") for n, label in zip(body.inertia, labels, strict=True)
    )
    half = 0.5 * (xx + yy + zz)  # E = ½ (tr I) 1 − I
    E = Mat([Vec([half - xx, -xy, -xz]), Vec([-xy, half - yy, -yz]), Vec([-xz, -yz, half - zz])])
    return Inertia(m, zeros(), E).shifted(c)


def build_tree(model: Model, live: Live = "named", loads: bool = True) -> Tree:
    """The tree of elementary frames; with `loads`, each body gets symbols frc, trq (at its centre of mass)."""
    numbers = Numbers(model, live)
    starts = _starts(model)
    places = {GROUND: Place(-1, zeros(), None)}
    frames: list[Frame] = []
    ground = Carried()
    position = {name: i for i, name in enumerate(model.bodies)}
    for body in parents_first(model.bodies).values():
        place = _carried(places, model.point_at(body.on), numbers)
        for joint in body.joints:
            for kind, axis, nq, first_q, first_v in _elementary(joint.type, *starts[joint.name]):
                frames.append(_frame(place, kind, axis, nq, first_q, first_v, joint.name))
                frames[-1].armature = numbers(joint.armature, f"{joint.name}.armature")
                place = Place(len(frames) - 1, zeros(), None)
        places[body.name] = place
        inertia = body_inertia(body, numbers)
        com = numbers.vector(body.com, f"{body.name}.com")
        if place.R is not None:
            inertia = inertia.turned(place.R)
        frame = frames[place.frame] if place.frame >= 0 else ground
        frame.inertia = frame.inertia + inertia.shifted(place.offset)
        if loads:
            n = 3 * position[body.name]
            frc, trq = (variables(s, 3, n) for s in ("frc", "trq"))
            frame.loads.append(Load(body.name, frc, trq, com, place.offset, place.R))
    gravity = numbers.vector(model.gravity, "gravity")
    return Tree(model, frames, ground, gravity, places, numbers.live, numbers)


def _starts(model: Model) -> dict[str, tuple[int, int]]:
    """First coordinate and first velocity of each joint."""
    starts, q, v = {}, 0, 0
    for joint in model.joints():
        starts[joint.name] = (q, v)
        q, v = q + joint.nq, v + joint.nv
    return starts


def _elementary(kind: str, q: int, v: int) -> list[tuple[str, int, int, int, int]]:
    """A joint as elementary joints: kind, axis, number of coordinates, first coordinate, first velocity."""
    if kind == "free":
        return [("T", i, 1, q + i, v + i) for i in range(3)] + [("ball", 0, 4, q + 3, v + 3)]
    if kind == "ball":
        return [("ball", 0, 4, q, v)]
    return [(kind[0], int(kind[1]) - 1, 1, q, v)]


def _frame(place: Place, kind: str, axis: int, nq: int, first_q: int, first_v: int, name: str) -> Frame:
    nv = 3 if kind == "ball" else 1
    q, v, a = variables("q", nq, first_q), variables("qd", nv, first_v), variables("qdd", nv, first_v)
    return Frame(place.frame, kind, axis, place.offset, place.R, q, v, a, first_v, first_q, name)


def with_motion(tree: Tree, q: Sequence[Expr], v: Sequence[Expr], a: Sequence[Expr]) -> Tree:
    """The tree with expressions instead of its coordinates, velocities and accelerations."""
    frames = []
    for f in tree.frames:
        n = slice(f.index, f.index + len(f.v))
        own = Vec(q[f.place : f.place + len(f.q)])
        frames.append(replace(f, q=own, v=Vec(v[n]), a=Vec(a[n])))
    return replace(tree, frames=frames)


# -- moving between a frame and its parent ------------------------------------------------------------------------


def quaternion_rotation(w: Expr, x: Expr, y: Expr, z: Expr) -> Mat:
    """R(q) of a unit quaternion, body → parent."""
    x2, y2, z2 = x + x, y + y, z + z
    xx, yy, zz = x * x2, y * y2, z * z2
    xy, xz, yz, wx, wy, wz = x * y2, x * z2, y * z2, w * x2, w * y2, w * z2
    return Mat(
        [
            Vec([ONE - yy - zz, xy - wz, xz + wy]),
            Vec([xy + wz, ONE - xx - zz, yz - wx]),
            Vec([xz - wy, yz + wx, ONE - xx - yy]),
        ]
    )


def up(f: Frame, x: Vec) -> Vec:
    """Components in the parent of a vector given in the frame."""
    x = x if f.R is None else f.R @ x
    return x if f.turn is None else f.turn @ x


def down(f: Frame, x: Vec) -> Vec:
    """Components in the frame of a vector given in the parent."""
    x = x if f.turn is None else f.turn.T @ x
    return x if f.R is None else f.R.T @ x


def arm(f: Frame) -> Vec:
    """From the parent's origin to the frame's, in the parent: the offset, and the displacement of a prismatic joint."""
    if f.kind != "T":
        return f.offset
    slide = f.along(f.q)
    return f.offset + (slide if f.turn is None else f.turn @ slide)


def turned_symmetric(f: Frame, E: Mat) -> Mat:
    """R·E·Rᵀ, child → parent, of a symmetric matrix; for a hinge with 10 operations in the plane and 6 for the rest."""
    if f.kind == "R":
        E = turned_plane(f.axis, *f.cosine_sine, E)
    elif f.R is not None:
        E = congruent(f.R, E)
    return E if f.turn is None else congruent(f.turn, E)


def turned_plane(axis: int, c: Expr, s: Expr, B: Mat) -> Mat:
    """R·B·Rᵀ for any 3×3 B and a rotation about one axis; u = s·(Bii−Bjj) + c·(Bij+Bji) is shared by four entries."""
    i, j, k = (axis + 1) % 3, (axis + 2) % 3, axis
    C = B.copy()
    u = s * (B[i][i] - B[j][j]) + c * (B[i][j] + B[j][i])
    su, cu = s * u, c * u
    C[i][i], C[j][j] = B[i][i] - su, B[j][j] + su
    C[i][j], C[j][i] = cu - B[j][i], cu - B[i][j]
    C[i][k], C[j][k] = c * B[i][k] - s * B[j][k], s * B[i][k] + c * B[j][k]
    C[k][i], C[k][j] = c * B[k][i] - s * B[k][j], s * B[k][i] + c * B[k][j]
    return C
