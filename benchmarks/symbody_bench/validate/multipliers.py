"""The equations of a closed mechanism with multipliers, in plain NumPy: a reference without `symbody.equations`.

Written from the data of the model alone, in the ground frame: Jacobians of each body, one dense mass matrix, and

    M q̈ + c = Q + Jᵀλ,   J q̈ + b = 0,

where J has the rows of the cuts, of gears and of prescribed joints. They are solved in the null space of J, so that
redundant equations do no harm and nearly singular positions lose few digits.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache

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
    """A frame in the ground frame: rotation, origin, angular velocity, velocity; and the accelerations for q̈ = 0."""

    R: Array
    P: Array
    w: Array
    v: Array
    wd: Array
    a: Array
    Jw: Array  # (3, nv)
    Jv: Array


def cross(a: Array, b: Array) -> Array:
    """a × b = S(b)ᵀ a, of a vector or of rows a; NumPy's own takes fifty times as long."""
    x, y, z = b
    result: Array = a @ np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    return result


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


def quaternion_rotation(q: Array) -> Array:
    """The rotation of a unit quaternion."""
    w, r = q[0], np.asarray(q[1:])
    S = np.array([[0, -r[2], r[1]], [r[2], 0, -r[0]], [-r[1], r[0], 0]])
    R: Array = np.eye(3) + 2 * w * S + 2 * S @ S
    return R


def numbers(model: Model, values: Sequence[Number]) -> Array:
    """Values of numbers that may be formulas of parameters."""
    return np.array([value(model, x) for x in values])


def value(model: Model, x: Number) -> float:
    """The value of a number that may be a formula of parameters."""
    return x if isinstance(x, float) else float(evaluate(x, model.values))


@lru_cache(maxsize=10_000)
def _place(position: tuple[float, ...], rotation: tuple[float, ...]) -> tuple[Array, Array]:
    return np.array(position), rpy(np.array(rotation))


def ground(nv: int) -> Moving:
    """The ground frame."""
    z = np.zeros(3)
    return Moving(np.eye(3), z, z, z, z, z, np.zeros((3, nv)), np.zeros((3, nv)))


def on_point(model: Model, f: Moving, point: Point) -> Moving:
    """The frame of a point of a body."""
    position, rotation = (tuple(value(model, x) for x in three) for three in (point.position, point.rotation))
    local, turn = _place(position, rotation)
    r = f.R @ local
    S = cross(EYE, r)  # ω × r = ω S = Sᵀ ω
    wr = f.w @ S
    R = f.R if turn is EYE else f.R @ turn
    return Moving(R, f.P + r, f.w, f.v + wr, f.wd, f.a + f.wd @ S + cross(f.w, wr), f.Jw, f.Jv + S.T @ f.Jw)


def slid(f: Moving, axis: int, q: float, v: float, dof: int) -> Moving:
    """After a translation along one of its axes."""
    e = f.R[:, axis]
    r = q * e
    Jv = f.Jv + cross(EYE, r).T @ f.Jw
    Jv[:, dof] += e
    velocity = f.v + cross(f.w, r) + v * e
    a = f.a + cross(f.wd, r) + cross(f.w, cross(f.w, r)) + 2 * v * cross(f.w, e)
    return Moving(f.R, f.P + r, f.w, velocity, f.wd, a, f.Jw, Jv)


def turned(f: Moving, R: Array, axes: Array, v: Array, dofs: list[int]) -> Moving:
    """After a rotation R within the frame, whose rates v are about the columns of `axes` (in the ground frame)."""
    w = axes @ v
    Jw = f.Jw.copy()
    Jw[:, dofs] += axes
    return Moving(f.R @ R, f.P, f.w + w, f.v, f.wd + cross(f.w, w), f.a, Jw, f.Jv)


def frames(model: Model, q: Array, v: Array) -> dict[str, Moving]:
    """The frames of all bodies and of the ground."""
    nv = model.nv
    place, iq, iv = {}, 0, 0
    for joint in model.joints():  # coordinates are in the order of the declared bodies
        nq_j, nv_j = SIZES.get(joint.type, (1, 1))
        place[joint.name] = (iq, iv)
        iq, iv = iq + nq_j, iv + nv_j
    found = {"ground": ground(nv)}
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
                    f = turned(f, R, f.R @ R, np.asarray(v[d : d + 3]), [d, d + 1, d + 2])
                    continue
                axis = int(joint.type[1]) - 1
                if joint.type[0] == "T":
                    f = slid(f, axis, q[k], v[d], d)
                else:
                    angles = np.zeros(3)
                    angles[axis] = q[k]
                    f = turned(f, rpy(angles), f.R[:, [axis]], np.array([v[d]]), [d])
            found[name] = f
            del left[name]
    return found


def mass_and_bias(model: Model, moving: dict[str, Moving]) -> tuple[Array, Array]:
    """M and c, gravity included."""
    M, c = np.zeros((model.nv, model.nv)), np.zeros(model.nv)
    g = numbers(model, model.gravity)
    for name, body in model.bodies.items():
        m = value(model, body.mass)
        xx, yy, zz, xy, xz, yz = numbers(model, body.inertia)
        f = on_point(model, moving[name], Point(name, "com", body.com))
        inertia = f.R @ np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) @ f.R.T
        M += m * f.Jv.T @ f.Jv + f.Jw.T @ inertia @ f.Jw
        c += m * f.Jv.T @ (f.a - g) + f.Jw.T @ (inertia @ f.wd + cross(f.w, inertia @ f.w))
    return M, c


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
        d, dv, da, dJ = B.P - A.P, B.v - A.v, B.a - A.a, B.Jv - A.Jv
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
            x = A.R[:, (cut.axis - 1 + k) % 3]
            xd, xJ = cross(A.w, x), cross(A.Jw.T, x)  # rows: columns of ẋ
            xdd = cross(A.wd, x) + cross(A.w, xd)
            h.append(x @ d)
            J.append(x @ dJ + xJ @ d)
            bias.append(x @ da + 2 * xd @ dv + xdd @ d)
            wrenches.append((x, zero))
        for i, j in ALIGNED.get(cut.kind, ()):
            x, y = A.R[:, (cut.axis - 1 + i) % 3], B.R[:, (cut.axis - 1 + j) % 3]
            xd, yd = cross(A.w, x), cross(B.w, y)
            xdd = cross(A.wd, x) + cross(A.w, xd)
            ydd = cross(B.wd, y) + cross(B.w, yd)
            h.append(x @ y)
            J.append(cross(A.Jw.T, x) @ y + cross(B.Jw.T, y) @ x)
            bias.append(xdd @ y + 2 * xd @ yd + x @ ydd)
            owners.append(cut.name)
            wrenches.append((zero, cross(y, x)))
    count, nv = len(h), model.nv
    return LoopEquations(np.array(h), np.array(J).reshape(count, nv), np.array(bias), owners, wrenches)


def gear_equations(model: Model, acting: Acting, q: Array, v: Array) -> tuple[Array, Array, Array]:
    """h, J and J̇q̇ of gears."""
    own, gears = own_coordinates(model), list(acting.gears.values())
    h, J, bias = np.zeros(len(gears)), np.zeros((len(gears), model.nv)), np.zeros(len(gears))
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
    own, Q, stored, power = own_coordinates(model), np.zeros(model.nv), 0.0, 0.0
    for i, spring in acting.springs.items():
        off = q[own[i]] - spring.rest
        Q[i] -= spring.k * off + spring.d * v[i]
        stored += 0.5 * spring.k * off**2
        power -= spring.d * v[i] ** 2
    for strut in acting.struts.values():
        A, B = (on_point(model, moving[p.partition(".")[0]], model.point_at(p)) for p in (strut.a, strut.b))
        length = float(np.linalg.norm(B.P - A.P))
        e = (B.P - A.P) / length
        rate = float(e @ (B.v - A.v))
        Q -= (strut.k * (length - strut.rest) + strut.d * rate) * (e @ (B.Jv - A.Jv))
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


def reference(
    model: Model, q: Array, v: Array, Q: Array | None = None, t: float = 0.0, acting: Acting = NOTHING
) -> Reference:
    """Accelerations and forces of a state; Q: further generalised forces."""
    q, v = np.asarray(q, dtype=float), np.asarray(v, dtype=float)
    moving = frames(model, q, v)
    M, c = mass_and_bias(model, moving)
    found, gears = loop_equations(model, moving), gear_equations(model, acting, q, v)
    load = loads(model, acting, moving, t, q, v)
    held = list(acting.prescribed)
    h, J = np.concatenate([found.h, gears[0]]), np.vstack([found.J, gears[1]])
    rows = np.vstack([J, np.eye(model.nv)[held]])
    drive = [-acting.prescribed[i].acceleration(t) for i in held]
    bias = np.concatenate([found.bias, gears[2], drive])
    U, s, Vt = np.linalg.svd(rows)
    largest = s.max(initial=1e-300)
    rank = int(np.sum(s > RANK * largest))
    right = load.Q - c + (0.0 if Q is None else Q)
    met = -Vt[:rank].T @ ((U[:, :rank].T @ bias) / s[:rank])
    N = Vt[rank:].T
    qdd = met + N @ np.linalg.solve(N.T @ M @ N, N.T @ (right - M @ met))
    multipliers = U[:, :rank] @ ((Vt[:rank] @ (M @ qdd - right)) / s[:rank])
    efforts = dict(zip(held, multipliers[len(h) :].tolist(), strict=True))
    cuts = {name: (np.zeros(3), np.zeros(3)) for name in model.cuts}
    for size, name, wrench in zip(multipliers, found.owners, found.wrenches, strict=False):
        cuts[name][0][:] += size * wrench[0]
        cuts[name][1][:] += size * wrench[1]
    return Reference(
        qdd, h, J @ v, _stored(model, moving, M, v) + load.stored,
        load.power + sum(effort * v[i] for i, effort in efforts.items()),
        float(s[rank - 1] / max(largest, LENGTH)) if rank else 1.0, rank,
        float(np.abs(rows @ qdd + bias).max(initial=0.0)), rank == len(rows), cuts, efforts,
    )  # fmt: skip


def _stored(model: Model, moving: dict[str, Moving], M: Array, v: Array) -> float:
    """Kinetic energy, and potential energy of gravity (J)."""
    energy, g = 0.5 * float(v @ M @ v), numbers(model, model.gravity)
    for name, body in model.bodies.items():
        com = moving[name].P + moving[name].R @ numbers(model, body.com)
        energy -= value(model, body.mass) * float(g @ com)
    return energy


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
            found[:, iq + 1 : iq + 4] = 0.5 * (e[:, :1] * w + np.cross(e[:, 1:], w))
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
        found = reference(model, y[:nq], y[nq:], t=t, acting=acting)
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
