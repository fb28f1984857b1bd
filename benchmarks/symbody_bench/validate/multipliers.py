"""The equations of a closed mechanism with multipliers, in plain NumPy: a reference without `symbody.equations`.

Written from the data of the model alone, in the ground frame: Jacobians of each body, one dense mass matrix, and

    M q̈ + c = Q + Jᵀλ,   J q̈ + b = 0,

where J has the rows of the cuts, of gears and of prescribed joints. They are solved in the null space of J, so that
redundant equations do no harm and nearly singular positions lose few digits.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from scipy.integrate import DOP853

from symbody.model.body import Point
from symbody.model.formula import Number, evaluate
from symbody.model.model import Model
from symbody.model.tree import own_coordinates

Array = np.ndarray
SIZES = {"ball": (4, 3), "free": (7, 6)}
LENGTH = 0.3  # m: usual size of the rows of J, lengths of bodies
HUGE = 1e30  # of a coordinate or a rate, in SI units
CONTRADICTORY = 1e-6  # of the accelerations: a larger gap means that no motion satisfies all equations
RANK = 1e-9  # of the largest singular value of J: smaller ones are redundant equations


@dataclass(frozen=True)
class Spring:
    """The force −k (q − rest) − d q̇ of an elementary joint."""

    k: float
    d: float
    rest: float


@dataclass(frozen=True)
class Strut:
    """The tension k (l − rest) + d l̇ between two points."""

    a: str
    b: str
    k: float
    d: float
    rest: float


@dataclass(frozen=True)
class Sine:
    """amplitude · sin(ω t): the force of a joint that is an input."""

    amplitude: float
    omega: float


@dataclass(frozen=True)
class Drive:
    """The coordinate q0 + v0 t + amplitude (1 − cos ω t) of a joint; a locked joint has v0 = amplitude = 0."""

    q0: float
    v0: float = 0.0
    amplitude: float = 0.0
    omega: float = 1.0

    def acceleration(self, t: float) -> float:
        return float(self.amplitude * self.omega**2 * np.cos(self.omega * t))


@dataclass(frozen=True)
class Gear:
    """The equation q_i − q_i0 = ratio · sin(q_j − q_j0) between two elementary joints, by degree of freedom."""

    i: int
    j: int
    ratio: float
    qi0: float
    qj0: float


@dataclass(frozen=True)
class Acting:
    """Everything that acts besides gravity and cuts; joints by their degree of freedom."""

    springs: dict[int, Spring] = field(default_factory=dict)
    struts: dict[str, Strut] = field(default_factory=dict)
    forces: dict[int, Sine] = field(default_factory=dict)
    prescribed: dict[int, Drive] = field(default_factory=dict)
    gears: dict[str, Gear] = field(default_factory=dict)


NOTHING = Acting()


@dataclass
class Moving:
    """A frame in the ground frame: rotation, origin, and its angular and linear motion.

    Columns of W and V (3, 2 + nv): velocity, acceleration for q̈ = 0, and the Jacobian. One product treats them all.
    """

    R: Array
    P: Array
    W: Array
    V: Array
    spin: Array  # S(ω)


def skew(r: Array) -> Array:
    """S(r): S(r) x = r × x, of a vector or of columns x; NumPy's own cross product takes fifty times as long."""
    x, y, z = r.tolist()
    return np.array(((0.0, -z, y), (z, 0.0, -x), (-y, x, 0.0)))


EYE = np.eye(3)


def rpy(angles: Array) -> Array:
    """The rotation by roll, pitch and yaw."""
    x, y, z = angles
    if x == y == z == 0.0:
        return EYE
    cx, sx, cy, sy, cz, sz = np.cos(x), np.sin(x), np.cos(y), np.sin(y), np.cos(z), np.sin(z)
    Rx = np.array([[1, 0, 0], [0, cx, -sx], [0, sx, cx]])
    Ry = np.array([[cy, 0, sy], [0, 1, 0], [-sy, 0, cy]])
    Rz = np.array([[cz, -sz, 0], [sz, cz, 0], [0, 0, 1]])
    R: Array = Rz @ Ry @ Rx
    return R


def turn(axis: int, angle: float) -> Array:
    """The rotation about a coordinate axis."""
    R, i, j = np.eye(3), axis - 2, axis - 1
    R[i, i] = R[j, j] = math.cos(angle)
    R[j, i] = math.sin(angle)
    R[i, j] = -R[j, i]
    return R


def quaternion_rotation(q: Array) -> Array:
    """The rotation of a unit quaternion."""
    w, r = q[0], np.asarray(q[1:])
    S = np.array([[0, -r[2], r[1]], [r[2], 0, -r[0]], [-r[1], r[0], 0]])
    R: Array = np.eye(3) + 2 * w * S + 2 * S @ S
    return R


def numbers(model: Model, given: Sequence[Number]) -> Array:
    """`values` as an array."""
    return np.array(values(model, given))


def values(model: Model, given: Sequence[Number]) -> tuple[float, ...]:
    """Values of numbers that may be formulas of parameters."""
    return tuple([x if isinstance(x, float) else value(model, x) for x in given])


def value(model: Model, x: Number) -> float:
    """The value of a number that may be a formula of parameters."""
    return x if isinstance(x, float) else float(evaluate(x, model.values))


@lru_cache(maxsize=10_000)
def _place(position: tuple[float, ...], rotation: tuple[float, ...]) -> tuple[Array, Array]:
    return np.array(position), rpy(np.array(rotation))


def ground(nv: int) -> Moving:
    """The ground frame."""
    return Moving(EYE, np.zeros(3), np.zeros((3, 2 + nv)), np.zeros((3, 2 + nv)), np.zeros((3, 3)))


def on_point(model: Model, f: Moving, point: Point) -> Moving:
    """The frame of a point of a body."""
    local, turned_by = _place(values(model, point.position), values(model, point.rotation))
    r = f.R @ local
    V = f.V - skew(r) @ f.W
    V[:, 1] += f.spin @ (V[:, 0] - f.V[:, 0])
    R = f.R if turned_by is EYE else f.R @ turned_by
    return Moving(R, f.P + r, f.W, V, f.spin)


def slid(f: Moving, axis: int, q: float, v: float, dof: int) -> Moving:
    """After a translation along one of its axes."""
    e = f.R[:, axis]
    r = q * e
    V = f.V - skew(r) @ f.W
    V[:, 0] += v * e
    V[:, 1] += f.spin @ (V[:, 0] - f.V[:, 0] + v * e)  # ω × (ω × r) + 2 ω × v e
    V[:, 2 + dof] += e
    return Moving(f.R, f.P + r, f.W, V, f.spin)


def turned(f: Moving, R: Array, axes: Array, v: Array, dof: int) -> Moving:
    """After a rotation R within the frame, whose rates v are about the columns of `axes` (in the ground frame)."""
    w, W = axes @ v, f.W.copy()
    W[:, 0] += w
    W[:, 1] += f.spin @ w
    W[:, 2 + dof : 2 + dof + len(v)] += axes
    return Moving(f.R @ R, f.P, W, f.V, skew(W[:, 0]))


def frames(model: Model, q: Array, v: Array) -> dict[str, Moving]:
    """The frames of all bodies and of the ground."""
    place, iq, iv = {}, 0, 0
    for joint in model.joints():  # coordinates are in the order of the declared bodies
        nq_j, nv_j = SIZES.get(joint.type, (1, 1))
        place[joint.name] = (iq, iv)
        iq, iv = iq + nq_j, iv + nv_j
    found = {"ground": ground(len(v))}
    left = dict(model.bodies)
    while left:
        for name, body in list(left.items()):
            carrier = body.on.partition(".")[0]
            if carrier not in found:
                continue
            f = on_point(model, found[carrier], model.point_at(body.on))
            for joint in body.joints:
                k, d = place[joint.name]
                if joint.type in SIZES:
                    if joint.type == "free":
                        for axis in range(3):
                            f = slid(f, axis, q[k + axis], v[d + axis], d + axis)
                        k, d = k + 3, d + 3
                    R = quaternion_rotation(q[k : k + 4])
                    f = turned(f, R, f.R @ R, v[d : d + 3], d)
                    continue
                axis = int(joint.type[1]) - 1
                if joint.type[0] == "T":
                    f = slid(f, axis, q[k], v[d], d)
                else:
                    f = turned(f, turn(axis, q[k]), f.R[:, axis : axis + 1], v[d : d + 1], d)
            found[name] = f
            del left[name]
    return found


def mass_and_bias(model: Model, moving: dict[str, Moving]) -> tuple[Array, Array]:
    """M and c, gravity included."""
    g = numbers(model, model.gravity)
    motions, momenta, forces = [], [], []
    for name, body in model.bodies.items():
        m = value(model, body.mass)
        xx, yy, zz, xy, xz, yz = values(model, body.inertia)
        f = on_point(model, moving[name], Point(name, "com", body.com))
        inertia = f.R @ np.array(((xx, xy, xz), (xy, yy, yz), (xz, yz, zz))) @ f.R.T
        linear, angular = m * f.V, inertia @ f.W
        motions += [f.V, f.W]
        momenta += [linear, angular]
        forces += [linear[:, 1] - m * g, angular[:, 1] + f.spin @ angular[:, 0]]
    if not motions:
        return np.zeros((model.nv, model.nv)), np.zeros(model.nv)
    J = np.concatenate(motions)[:, 2:].T
    return J @ np.concatenate(momenta)[:, 2:], J @ np.concatenate(forces)


COINCIDE: dict[str, tuple[int, ...]] = {
    "ball": (0, 1, 2),
    "universal": (0, 1, 2),
    "revolute": (0, 1, 2),
    "solid": (0, 1, 2),
}
COINCIDE |= {"planar-ball": (1, 2), "planar-solid": (1, 2)}
ALIGNED: dict[str, list[tuple[int, int]]] = {
    "universal": [(0, 1)],
    "revolute": [(1, 0), (2, 0)],
    "solid": [(1, 0), (2, 0), (2, 1)],
}
ALIGNED |= {"planar-solid": [(2, 1)]}


@dataclass(frozen=True)
class LoopEquations:
    """h, J and J̇q̇ of cuts, and the unit wrenches (force, torque) of their multipliers on the second point."""

    h: Array
    J: Array
    bias: Array
    owners: list[str]
    wrenches: list[tuple[Array, Array]]


def loop_equations(model: Model, moving: dict[str, Moving]) -> LoopEquations:
    """The equations of all cuts in the ground frame: other rows than the package's, for the same loops."""
    h, J, bias, owners, wrenches, zero = [], [], [], [], [], np.zeros(3)
    for cut in model.cuts.values():
        A, B = (on_point(model, moving[p.partition(".")[0]], model.point_at(p)) for p in (cut.a, cut.b))
        d, D = B.P - A.P, B.V - A.V
        dv, da, dJ = D[:, 0], D[:, 1], D[:, 2:]
        if cut.kind == "rod":
            length = value(model, cut.length or 0.0)
            h.append((d @ d - length**2) / 2)
            J.append(d @ dJ)
            bias.append(d @ da + dv @ dv)
            owners.append(cut.name)
            wrenches.append((d, zero))
            continue
        for k in COINCIDE[cut.kind]:
            owners.append(cut.name)
            if not cut.kind.startswith("planar"):  # any three directions will do: those of the ground
                h.append(d[k])
                J.append(dJ[k])
                bias.append(da[k])
                wrenches.append((EYE[k], zero))
                continue
            x, xd, xdd, xJ = _direction(A, (cut.axis - 1 + k) % 3)
            h.append(x @ d)
            J.append(x @ dJ + d @ xJ)
            bias.append(x @ da + 2 * xd @ dv + xdd @ d)
            wrenches.append((x, zero))
        for i, j in ALIGNED.get(cut.kind, ()):
            x, xd, xdd, xJ = _direction(A, (cut.axis - 1 + i) % 3)
            y, yd, ydd, yJ = _direction(B, (cut.axis - 1 + j) % 3)
            h.append(x @ y)
            J.append(y @ xJ + x @ yJ)
            bias.append(xdd @ y + 2 * xd @ yd + x @ ydd)
            owners.append(cut.name)
            wrenches.append((zero, skew(y) @ x))
    count, nv = len(h), model.nv
    return LoopEquations(np.array(h), np.array(J).reshape(count, nv), np.array(bias), owners, wrenches)


def _direction(f: Moving, axis: int) -> tuple[Array, Array, Array, Array]:
    """An axis of a frame, its first and second derivative for q̈ = 0, and its Jacobian."""
    x = f.R[:, axis]
    X = -skew(x) @ f.W
    return x, X[:, 0], X[:, 1] + f.spin @ X[:, 0], X[:, 2:]


def gear_equations(model: Model, acting: Acting, q: Array, v: Array) -> tuple[Array, Array, Array]:
    """h, J and J̇q̇ of gears."""
    gears = list(acting.gears.values())
    own = own_coordinates(model) if gears else []
    h, J, bias = np.zeros(len(gears)), np.zeros((len(gears), len(v))), np.zeros(len(gears))
    for k, gear in enumerate(gears):
        turn = q[own[gear.j]] - gear.qj0
        h[k] = q[own[gear.i]] - gear.qi0 - gear.ratio * np.sin(turn)
        J[k, gear.i] += 1.0
        J[k, gear.j] -= gear.ratio * np.cos(turn)
        bias[k] = gear.ratio * np.sin(turn) * v[gear.j] ** 2
    return h, J, bias


@dataclass(frozen=True)
class Loads:
    """Generalised forces of springs, struts and inputs, their stored energy (J), and the power that they add (W)."""

    Q: Array
    stored: float
    power: float


def loads(model: Model, acting: Acting, moving: dict[str, Moving], t: float, q: Array, v: Array) -> Loads:
    """What acts at a state."""
    own, Q, stored, power = own_coordinates(model) if acting.springs else [], np.zeros(len(v)), 0.0, 0.0
    for i, spring in acting.springs.items():
        off = q[own[i]] - spring.rest
        Q[i] -= spring.k * off + spring.d * v[i]
        stored += 0.5 * spring.k * off**2
        power -= spring.d * v[i] ** 2
    for strut in acting.struts.values():
        A, B = (on_point(model, moving[p.partition(".")[0]], model.point_at(p)) for p in (strut.a, strut.b))
        length = float(np.linalg.norm(B.P - A.P))
        e = (B.P - A.P) / length
        rates = e @ (B.V - A.V)
        rate = float(rates[0])
        Q -= (strut.k * (length - strut.rest) + strut.d * rate) * rates[2:]
        stored += 0.5 * strut.k * (length - strut.rest) ** 2
        power -= strut.d * rate**2
    for i, sine in acting.forces.items():
        force = sine.amplitude * np.sin(sine.omega * t)
        Q[i] += force
        power += force * v[i]
    return Loads(Q, stored, power)


@dataclass(frozen=True)
class Reference:
    """What the multiplier equations say at a state."""

    qdd: Array
    h: Array  # of cuts and gears
    hd: Array
    energy: float  # J: kinetic, of gravity and of springs
    power: float  # W, of dampers, inputs and drives: energy' = power
    smallest: float  # nonzero singular value of J over the largest one, or over LENGTH if all are small
    rank: int
    gap: float  # by which redundant equations contradict each other: of J q̈ + b
    unique: bool  # whether no equation is redundant, so that the forces are known
    cuts: dict[str, tuple[Array, Array]]  # force and torque on the second point (N, N m)
    efforts: dict[int, float]  # of prescribed joints


class Accelerations(NamedTuple):
    """The solution of the multiplier equations at a state, and the equations: M q̈ = Q + rowsᵀλ, rows q̈ + bias = 0."""

    qdd: Array
    M: Array
    right: Array  # Q without the forces of the equations
    rows: Array  # of cuts, gears and prescribed joints
    bias: Array
    svd: tuple[Array, Array, Array]  # of the rows, as far as they are independent
    smallest: float  # as in `Reference`, like the next ones
    rank: int
    gap: float
    moving: dict[str, Moving]
    loops: LoopEquations
    gears: tuple[Array, Array, Array]
    load: Loads


def accelerations(
    model: Model, q: Array, v: Array, Q: Array | None = None, t: float = 0.0, acting: Acting = NOTHING
) -> Accelerations:
    """q̈ at a state; Q: further generalised forces."""
    moving = frames(model, q, v)
    M, c = mass_and_bias(model, moving)
    found, gears = loop_equations(model, moving), gear_equations(model, acting, q, v)
    load = loads(model, acting, moving, t, q, v)
    held = list(acting.prescribed)
    rows = np.concatenate([found.J, gears[1], np.eye(len(v))[held]])
    drive = [-acting.prescribed[i].acceleration(t) for i in held]
    bias = np.concatenate([found.bias, gears[2], drive])
    U, s, Vt = np.linalg.svd(rows)
    largest = s.max(initial=1e-300)
    rank = int(np.sum(s > RANK * largest))
    right = load.Q - c + (0.0 if Q is None else Q)
    met = -Vt[:rank].T @ ((U[:, :rank].T @ bias) / s[:rank])
    N = Vt[rank:].T
    qdd = met + N @ np.linalg.solve(N.T @ M @ N, N.T @ (right - M @ met))
    return Accelerations(
        qdd, M, right, rows, bias, (U[:, :rank], s[:rank], Vt[:rank]),
        float(s[rank - 1] / max(largest, LENGTH)) if rank else 1.0, rank,
        float(np.abs(rows @ qdd + bias).max(initial=0.0)), moving, found, gears, load,
    )  # fmt: skip


def reference(
    model: Model, q: Array, v: Array, Q: Array | None = None, t: float = 0.0, acting: Acting = NOTHING
) -> Reference:
    """Accelerations and forces of a state; Q: further generalised forces."""
    q, v = np.asarray(q, dtype=float), np.asarray(v, dtype=float)
    at = accelerations(model, q, v, Q, t, acting)
    U, s, Vt = at.svd
    multipliers = U @ ((Vt @ (at.M @ at.qdd - at.right)) / s)
    h = np.concatenate([at.loops.h, at.gears[0]])
    efforts = dict(zip(acting.prescribed, multipliers[len(h) :].tolist(), strict=True))
    cuts = {name: (np.zeros(3), np.zeros(3)) for name in model.cuts}
    for size, name, wrench in zip(multipliers, at.loops.owners, at.loops.wrenches, strict=False):
        cuts[name][0][:] += size * wrench[0]
        cuts[name][1][:] += size * wrench[1]
    return Reference(
        at.qdd, h, at.rows[: len(h)] @ v, _stored(model, at.moving, at.M, v) + at.load.stored,
        at.load.power + sum(effort * v[i] for i, effort in efforts.items()),
        at.smallest, at.rank, at.gap, at.rank == len(at.rows), cuts, efforts,
    )  # fmt: skip


def _stored(model: Model, moving: dict[str, Moving], M: Array, v: Array) -> float:
    """Kinetic energy, and potential energy of gravity (J)."""
    energy, g = 0.5 * float(v @ M @ v), numbers(model, model.gravity)
    for name, body in model.bodies.items():
        com = moving[name].P + moving[name].R @ numbers(model, body.com)
        energy -= value(model, body.mass) * float(g @ com)
    return energy


def _crosses(a: Array, b: Array) -> Array:
    """a × b of each pair of rows."""
    following, last = [1, 2, 0], [2, 0, 1]
    found: Array = a[:, following] * b[:, last] - a[:, last] * b[:, following]
    return found


def coordinate_rates(model: Model, q: Array, v: Array) -> Array:
    """dq/dt of rows (n, nq): the velocities, of quaternions ½ q ∘ (0, ω)."""
    found, iq, iv = np.zeros_like(q), 0, 0
    for joint in model.joints():
        for _ in range(joint.nq - 4 if joint.nq > 1 else 1):
            found[:, iq] = v[:, iv]
            iq, iv = iq + 1, iv + 1
        if joint.nq > 1:
            e, w = q[:, iq : iq + 4], v[:, iv : iv + 3]
            found[:, iq] = -0.5 * np.sum(e[:, 1:] * w, axis=1)
            found[:, iq + 1 : iq + 4] = 0.5 * (e[:, :1] * w + _crosses(e[:, 1:], w))
            iq, iv = iq + 4, iv + 3
    return found


@dataclass(frozen=True)
class Motion:
    """A solution of the multiplier equations at some times; it ends early where `ended` says why."""

    t: Array
    q: Array
    v: Array
    ended: str = ""


def solution(
    model: Model, q: Array, v: Array, times: Array, acting: Acting = NOTHING,
    rtol: float = 1e-9, singular: float = 0.0, most: int = 100_000,
) -> Motion:  # fmt: skip
    """The motion from q, v at increasing times (s), by DOP853 over all coordinates.

    It ends where a singular value of J falls below `singular` of the largest one, where equations contradict each
    other, or after `most` evaluations.
    """
    nq, calls, least, rank, gap = model.nq, 0, 1.0, -1, 0.0

    def rates(t: float, y: Array) -> Array:
        nonlocal calls, least, rank, gap
        if not np.all(np.abs(y) < HUGE):  # a trial step far too long: the solver takes a shorter one
            calls += 1
            return np.full_like(y, np.nan)
        found = accelerations(model, y[:nq], y[nq:], t=t, acting=acting)
        calls, least = calls + 1, min(least, found.smallest if rank in (-1, found.rank) else 0.0)
        rank, gap = found.rank, max(gap, found.gap / (1.0 + float(np.abs(found.qdd).max())))
        return np.concatenate([coordinate_rates(model, y[None, :nq], y[None, nq:])[0], found.qdd])

    solver = DOP853(rates, times[0], np.concatenate([q, v]), times[-1], rtol=rtol, atol=0.1 * rtol)
    rows, ended = [solver.y], ""
    while len(rows) < len(times) and not ended:
        failed = solver.step()
        ended = failed or ("contradictory" if gap > CONTRADICTORY else "")
        ended = ended or ("singular" if least < singular else "too many steps" if calls > most else "")
        if not ended:
            inside = times[len(rows) : int(np.searchsorted(times, solver.t, side="right"))]
            rows += list(solver.dense_output()(inside).T) if len(inside) else []
    y = np.array(rows)
    return Motion(times[: len(y)], y[:, :nq], y[:, nq:], ended)
