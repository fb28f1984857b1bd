"""An independent second path: the equations of a closed mechanism as one system with multipliers, in plain NumPy.

Written from the model's data alone, in the ground frame: columns of linear and angular velocity for each body, one
dense mass matrix, and   [M Jᵀ; J 0] [q̈; λ] = [Q − c; −J̇q̇]   solved by least squares, so that redundant
equations do no harm. Nothing of `symbody.equations` is used.
"""

from dataclasses import dataclass

import numpy as np

from symbody.model.body import Point
from symbody.model.formula import evaluate
from symbody.model.model import Model

SIZES = {"ball": (4, 3), "free": (7, 6)}


@dataclass
class Moving:
    """A frame in the ground frame: rotation, origin, angular velocity, velocity; and the accelerations for q̈ = 0."""

    R: np.ndarray
    P: np.ndarray
    w: np.ndarray
    v: np.ndarray
    wd: np.ndarray
    a: np.ndarray
    Jw: np.ndarray  # (3, nv)
    Jv: np.ndarray


def cross(a, b):
    """a × b = S(b)ᵀ a, of a vector or of rows a; NumPy's own takes fifty times as long."""
    x, y, z = b
    return a @ np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])


EYE = np.eye(3)


def rpy(angles):
    x, y, z = angles
    if x == y == z == 0.0:
        return EYE
    cx, sx, cy, sy, cz, sz = np.cos(x), np.sin(x), np.cos(y), np.sin(y), np.cos(z), np.sin(z)
    Rx = np.array([[1, 0, 0], [0, cx, -sx], [0, sx, cx]])
    Ry = np.array([[cy, 0, sy], [0, 1, 0], [-sy, 0, cy]])
    Rz = np.array([[cz, -sz, 0], [sz, cz, 0], [0, 0, 1]])
    return Rz @ Ry @ Rx


def quaternion_rotation(q):
    w, r = q[0], np.asarray(q[1:])
    S = np.array([[0, -r[2], r[1]], [r[2], 0, -r[0]], [-r[1], r[0], 0]])
    return np.eye(3) + 2 * w * S + 2 * S @ S


def numbers(model: Model, values):
    if all(isinstance(x, float) for x in values):
        return np.array(values)
    return np.array([float(evaluate(x, model.values)) for x in values])


def ground(nv: int) -> Moving:
    z = np.zeros(3)
    return Moving(np.eye(3), z, z, z, z, z, np.zeros((3, nv)), np.zeros((3, nv)))


def on_point(model: Model, f: Moving, point: Point) -> Moving:
    """The frame of a point of a body."""
    r = f.R @ numbers(model, point.position)
    skew = cross(EYE, r)  # columns: −r × e, so that (ω × r) = −r × ω
    return Moving(
        f.R @ rpy(numbers(model, point.rotation)), f.P + r, f.w, f.v + cross(f.w, r), f.wd,
        f.a + cross(f.wd, r) + cross(f.w, cross(f.w, r)), f.Jw, f.Jv + skew.T @ f.Jw,
    )  # fmt: skip


def slid(f: Moving, axis: int, q: float, v: float, dof: int) -> Moving:
    e = f.R[:, axis]
    r = q * e
    Jv = f.Jv + cross(EYE, r).T @ f.Jw
    Jv[:, dof] += e
    velocity = f.v + cross(f.w, r) + v * e
    a = f.a + cross(f.wd, r) + cross(f.w, cross(f.w, r)) + 2 * v * cross(f.w, e)
    return Moving(f.R, f.P + r, f.w, velocity, f.wd, a, f.Jw, Jv)


def turned(f: Moving, R: np.ndarray, axes: np.ndarray, v: np.ndarray, dofs) -> Moving:
    """By a rotation R within the frame, whose rates v are about the columns of `axes` (in the ground frame)."""
    w = axes @ v
    Jw = f.Jw.copy()
    Jw[:, dofs] += axes
    return Moving(f.R @ R, f.P, f.w + w, f.v, f.wd + cross(f.w, w), f.a, Jw, f.Jv)


def frames(model: Model, q, v) -> dict[str, Moving]:
    """All bodies in their motion."""
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


def mass_and_bias(model: Model, moving: dict[str, Moving]):
    """M and c, gravity included."""
    M, c = np.zeros((model.nv, model.nv)), np.zeros(model.nv)
    g = numbers(model, model.gravity)
    for name, body in model.bodies.items():
        m = float(evaluate(body.mass, model.values))
        xx, yy, zz, xy, xz, yz = numbers(model, body.inertia)
        f = on_point(model, moving[name], Point(name, "com", tuple(numbers(model, body.com))))
        inertia = f.R @ np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) @ f.R.T
        M += m * f.Jv.T @ f.Jv + f.Jw.T @ inertia @ f.Jw
        c += m * f.Jv.T @ (f.a - g) + f.Jw.T @ (inertia @ f.wd + cross(f.w, inertia @ f.w))
    return M, c


def kinetic(model: Model, moving: dict[str, Moving], v) -> float:
    return float(0.5 * np.asarray(v) @ mass_and_bias(model, moving)[0] @ np.asarray(v))


COINCIDE = {"ball": (0, 1, 2), "universal": (0, 1, 2), "revolute": (0, 1, 2), "solid": (0, 1, 2)}
COINCIDE |= {"planar-ball": (1, 2), "planar-solid": (1, 2)}
ALIGNED = {"universal": [(0, 1)], "revolute": [(1, 0), (2, 0)], "solid": [(1, 0), (2, 0), (2, 1)]}
ALIGNED |= {"planar-solid": [(2, 1)]}


def loop_equations(model: Model, moving: dict[str, Moving]):
    """h, J and J̇q̇ of all cuts, in the ground frame (other rows than the package's, for the same loops)."""
    h, J, bias = [], [], []
    for cut in model.cuts.values():
        A, B = (on_point(model, moving[p.partition(".")[0]], model.point_at(p)) for p in (cut.a, cut.b))
        d, dv, da, dJ = B.P - A.P, B.v - A.v, B.a - A.a, B.Jv - A.Jv
        if cut.kind == "rod":
            length = float(evaluate(cut.length, model.values))
            h.append((d @ d - length**2) / 2)
            J.append(d @ dJ)
            bias.append(d @ da + dv @ dv)
            continue
        for k in COINCIDE[cut.kind]:
            i = (cut.axis - 1 + k) % 3
            if not cut.kind.startswith("planar"):  # any three directions will do: those of the ground
                h.append(d[k])
                J.append(dJ[k])
                bias.append(da[k])
                continue
            x = A.R[:, i]
            xd, xJ = cross(A.w, x), cross(A.Jw.T, x)  # rows: columns of ẋ
            xdd = cross(A.wd, x) + cross(A.w, xd)
            h.append(x @ d)
            J.append(x @ dJ + xJ @ d)
            bias.append(x @ da + 2 * xd @ dv + xdd @ d)
        for i, j in ALIGNED.get(cut.kind, ()):
            x, y = A.R[:, (cut.axis - 1 + i) % 3], B.R[:, (cut.axis - 1 + j) % 3]
            xd, yd = cross(A.w, x), cross(B.w, y)
            xdd = cross(A.wd, x) + cross(A.w, xd)
            ydd = cross(B.wd, y) + cross(B.w, yd)
            h.append(x @ y)
            J.append(cross(A.Jw.T, x) @ y + cross(B.Jw.T, y) @ x)
            bias.append(xdd @ y + 2 * xd @ yd + x @ ydd)
    nv = model.nv
    return np.array(h), np.array(J).reshape(len(h), nv), np.array(bias)


@dataclass
class Reference:
    """What the multiplier equations say at a state: q̈ (unique), how far loops are open, and their conditioning."""

    qdd: np.ndarray
    h: np.ndarray
    hd: np.ndarray
    energy: float
    smallest: float  # singular value of J that counts, by the largest one
    rank: int


def reference(model: Model, q, v, Q=None, rank_tolerance: float = 1e-9) -> Reference:
    """The state of a mechanism with all joints free, by multipliers."""
    moving = frames(model, q, v)
    M, c = mass_and_bias(model, moving)
    h, J, bias = loop_equations(model, moving)
    nv, nh = len(c), len(h)
    K = np.block([[M, J.T], [J, np.zeros((nh, nh))]])
    right = np.concatenate([(np.zeros(nv) if Q is None else Q) - c, -bias])
    solution = np.linalg.lstsq(K, right, rcond=1e-13)[0]
    s = np.linalg.svd(J, compute_uv=False) if nh else np.ones(1)
    rank = int(np.sum(s > rank_tolerance * s[0]))
    energy = 0.5 * np.asarray(v) @ M @ np.asarray(v)
    g = numbers(model, model.gravity)
    for name, body in model.bodies.items():
        com = on_point(model, moving[name], Point(name, "com", tuple(numbers(model, body.com)))).P
        energy -= float(evaluate(body.mass, model.values)) * g @ com
    return Reference(solution[:nv], h, J @ np.asarray(v), float(energy), float(s[rank - 1] / s[0]), rank)
