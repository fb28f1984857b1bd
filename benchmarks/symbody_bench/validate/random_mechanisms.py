"""Random closed mechanisms, the same for the same seed and number: planar and spatial, one to four loops, all cuts.

Each is closed by construction: the second point of a cut is put where the first one is in a random position of the
tree, and velocities are drawn from the ones that loops and locked joints allow. Some start close to a dead centre,
some are fast enough to reach one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from symbody.expr.functions import cos, sin
from symbody.model.body import Joint
from symbody.model.components import CUT_KINDS
from symbody.model.model import Model
from symbody.model.tree import own_coordinates
from symbody_bench.validate.multipliers import (
    Acting,
    Array,
    Drive,
    Gear,
    Sine,
    Spring,
    Strut,
    frames,
    gear_equations,
    loop_equations,
    on_point,
)  # fmt: skip

PLANAR_JOINTS = ("R2", "R2", "R2", "T1", "T3")
SPATIAL_JOINTS = ("R1", "R2", "R3", "T1", "T2", "T3", "R1 R2", "R3 R1", "ball")
PLANAR_CUTS = ("planar-ball", "planar-ball", "planar-ball", "planar-solid", "rod", "rod", "ball", "revolute")
LARGEST = 12  # degrees of freedom of the tree
NEAR, SINGULAR = (
    1e-2,
    1e-4,
)  # smallest singular value of the loops over the largest: near a singular position, and at it
FAST = 10.0  # times the usual velocity, at most
Rng = np.random.Generator


@dataclass(frozen=True)
class Mechanism:
    """A model that is closed at its initial state, with everything that acts on it as data for the reference."""

    model: Model
    q: Array
    v: Array
    freedom: int  # degrees of freedom that loops, locked and driven joints leave
    acting: Acting
    traits: tuple[str, ...]  # words: planar, redundant, near-singular …
    inputs: dict[str, Callable[[float], float]] = field(default_factory=dict)


def random_mechanism(seed: int, number: int) -> Mechanism:
    """The mechanism of a seed and a number; draws that cannot move are drawn again."""
    rng = np.random.default_rng([seed, number])
    while True:
        found = _draw(rng, f"random-{seed}-{number}")
        if found is not None:
            return found


def _draw(rng: Rng, name: str) -> Mechanism | None:
    small, near = bool(rng.random() < 0.4), bool(rng.random() < 0.3)  # small ones reach singular positions sooner
    planar, fast = bool(rng.random() < (0.7 if small else 0.5)), bool(rng.random() < (0.7 if small else 0.3))
    model = Model(name, gravity=(0.0, 0.0, -9.81))
    q, acting = _tree(rng, model, planar, 3 if small else 6), Acting()
    if model.nv > LARGEST:
        return None
    for k in range(1 if small else 1 + int(rng.choice(4, p=[0.4, 0.3, 0.15, 0.15]))):
        _close(rng, model, f"loop{k}", q, planar, near and k == 0)
    if rng.random() < 0.15:
        _gear(rng, model, acting, q)
    J = _jacobian(model, acting, q)
    rank, smallest = _rank(J)
    if rank == 0 or smallest < (SINGULAR if near else NEAR):
        return None
    _prescribe(rng, model, acting, q)
    held = np.vstack([J, np.eye(model.nv)[[i for i, drive in acting.prescribed.items() if drive.amplitude == 0.0]]])
    allowed, least = _rank(held)
    if allowed == model.nv or least < SINGULAR:
        return None  # nothing moves
    v = (
        np.linalg.svd(held)[2][allowed:].T
        @ rng.normal(size=model.nv - allowed)
        * (rng.uniform(2.0, FAST) if fast else 1.0)
    )
    v[np.abs(v) < 1e-12] = 0.0
    for i, drive in acting.prescribed.items():
        if drive.amplitude:
            acting.prescribed[i] = Drive(drive.q0, float(v[i]), drive.amplitude, drive.omega)
    _set_start(model, q, v)
    traits = ["planar" if planar else "spatial", f"{len(model.cuts)} loops"]
    traits += [_name_dependent(rng, model, J, rank)] + ["near-singular"] * (smallest < NEAR) + ["fast"] * fast
    inputs = _load(rng, model, acting, q)
    fixed = np.vstack([J, np.eye(model.nv)[list(acting.prescribed)]])
    whole = _rank(fixed)[0]
    traits += ["redundant"] * (len(fixed) > whole) + ["driven"] * any(d.amplitude for d in acting.prescribed.values())
    traits += ["locked"] * any(not d.amplitude for d in acting.prescribed.values())
    traits += ["gear"] * bool(acting.gears) + ["laws"] * bool(acting.springs or acting.struts)
    _attach(model, acting)
    return Mechanism(model, q, v, model.nv - whole, acting, tuple(filter(None, traits)), inputs)


def _tree(rng: Rng, model: Model, planar: bool, most: int) -> Array:
    """Bodies in a tree, mostly on hinges, and a random position."""
    points = [model.ground["origin"]]
    for k in range(int(rng.integers(2, most + 1))):
        kinds = PLANAR_JOINTS if planar else SPATIAL_JOINTS
        kind = str(rng.choice(kinds[:3] if k % 3 else kinds))
        on = points[int(rng.integers(max(0, len(points) - 3), len(points)))]
        inertia = tuple(rng.uniform(0.02, 0.06, 3))
        body = model.body(f"b{k}", on, kind, float(rng.uniform(0.5, 2.0)), _place(rng, planar, 0.3), inertia)
        points.append(body.point("tip", _place(rng, planar, 0.6)))
    q, start = rng.uniform(-1.2, 1.2, model.nq), 0
    for joint in model.joints():
        if joint.type == "ball":
            quaternion = rng.normal(size=4)
            q[start : start + 4] = quaternion / np.linalg.norm(quaternion)
        start += joint.nq
    return q


def _place(rng: Rng, planar: bool, size: float) -> tuple[float, float, float]:
    x, y, z = rng.uniform(-size, size, 3)
    return (float(x), 0.0 if planar else float(y), float(z))


def _close(rng: Rng, model: Model, name: str, q: Array, planar: bool, near: bool) -> None:
    """A cut between two bodies, satisfied at q; near: a rod that almost lies along its body, a dead centre."""
    a, b = (str(n) for n in rng.choice([*model.bodies, "ground"], 2, replace=False))
    if near and a == "ground":
        a, b = b, a
    first_body, second_body = (model.ground if n == "ground" else model.bodies[n] for n in (a, b))
    moving = frames(model, q, np.zeros(model.nv))
    turn = (0.0, 0.0, 0.0) if planar else tuple(map(float, rng.uniform(-np.pi, np.pi, 3)))
    first = first_body.point(f"{name}a", _place(rng, planar, 0.5), turn)
    kind = "rod" if near else str(rng.choice(PLANAR_CUTS if planar else CUT_KINDS))
    A, B = on_point(model, moving[a], first), moving[b]
    if kind == "rod":
        local = _place(rng, planar, 0.5)
        if near:
            aside = rng.normal(size=3) * [1.0, 0.0 if planar else 1.0, 1.0]
            along = (A.P - moving[a].P) / np.linalg.norm(A.P - moving[a].P) + 10 ** rng.uniform(-3, -1) * aside
            local = _three(B.R.T @ (A.P + rng.uniform(0.3, 1.0) * along - B.P))
        second = second_body.point(f"{name}b", local)
        length = float(np.linalg.norm(on_point(model, B, second).P - A.P))
        model.cut(name, kind, first, second, length=length)
        return
    second = second_body.point(f"{name}b", _three(B.R.T @ (A.P - B.P)), _angles(B.R.T @ A.R))
    model.cut(name, kind, first, second, axis=2 if planar else int(rng.integers(1, 4)))


def _three(x: Array) -> tuple[float, float, float]:
    return float(x[0]), float(x[1]), float(x[2])


def _angles(R: Array) -> tuple[float, float, float]:
    """Roll, pitch and yaw of a rotation."""
    return (
        float(np.arctan2(R[2, 1], R[2, 2])),
        float(np.arcsin(np.clip(-R[2, 0], -1.0, 1.0))),
        float(np.arctan2(R[1, 0], R[0, 0])),
    )


def _elementary(model: Model) -> dict[int, Joint]:
    """Elementary joints by degree of freedom."""
    found, i = {}, 0
    for joint in model.joints():
        if joint.nv == 1:
            found[i] = joint
        i += joint.nv
    return found


def _gear(rng: Rng, model: Model, acting: Acting, q: Array) -> None:
    """A constraint of the user between two joints."""
    joints, own = _elementary(model), own_coordinates(model)
    if len(joints) < 2:
        return
    i, j = (int(k) for k in rng.choice(list(joints), 2, replace=False))
    acting.gears["gear"] = Gear(i, j, float(rng.uniform(-1.5, 1.5)), float(q[own[i]]), float(q[own[j]]))


def _jacobian(model: Model, acting: Acting, q: Array) -> Array:
    rest = np.zeros(model.nv)
    return np.vstack([loop_equations(model, frames(model, q, rest)).J, gear_equations(model, acting, q, rest)[1]])


def _rank(J: Array) -> tuple[int, float]:
    """Independent rows, and the least of their singular values over the largest one."""
    s = np.linalg.svd(J, compute_uv=False)
    rank = int(np.sum(s > 1e-9 * s.max(initial=1e-300)))
    return rank, float(s[rank - 1] / s[0]) if rank else 0.0


def _prescribe(rng: Rng, model: Model, acting: Acting, q: Array) -> None:
    """Lock or drive some joints."""
    joints, own = _elementary(model), own_coordinates(model)
    locked = rng.choice([0.0, 0.15, 0.4], p=[0.65, 0.2, 0.15])
    driven = rng.choice([0.0, 0.15, 0.4], p=[0.65, 0.25, 0.1])
    for i, joint in joints.items():
        if rng.random() < locked:
            joint.nature = "locked"
            acting.prescribed[i] = Drive(float(q[own[i]]))
        elif rng.random() < driven:
            joint.nature = "driven"
            size, omega = float(rng.uniform(0.05, 0.4)), float(rng.uniform(1.0, 8.0))
            acting.prescribed[i] = Drive(float(q[own[i]]), 0.0, size, omega)


def _set_start(model: Model, q: Array, v: Array) -> None:
    iq, iv = 0, 0
    for joint in model.joints():
        joint.q0 = tuple(float(x) for x in q[iq : iq + joint.nq])
        joint.v0 = tuple(float(x) for x in v[iv : iv + joint.nv])
        iq, iv = iq + joint.nq, iv + joint.nv


def _name_dependent(rng: Rng, model: Model, J: Array, rank: int) -> str:
    """Name joints dependent: none, the best determined ones, or any, as files of users do."""
    how = rng.choice(["", "dependent", "dependent at random"], p=[0.4, 0.35, 0.25])
    joints = {i: joint for i, joint in _elementary(model).items() if joint.nature == "independent"}
    if not how or not joints:
        return ""
    left, chosen = J.copy(), []
    for _ in range(min(rank, len(joints))):
        norms = {i: float(np.linalg.norm(left[:, i])) for i in joints if i not in chosen}
        held = {i: norm for i, norm in norms.items() if norm > (1e-6 if how == "dependent" else 1e-3)}
        if not held:
            break
        best = max(held, key=lambda i: held[i]) if how == "dependent" else int(rng.choice(list(held)))
        chosen.append(best)
        u = left[:, best] / held[best]
        left = left - np.outer(u, u @ left)
    for i in chosen:
        joints[i].nature = "dependent"
    return str(how)


def _load(rng: Rng, model: Model, acting: Acting, q: Array) -> dict[str, Callable[[float], float]]:
    """Springs and dampers of joints, struts between bodies, forces as inputs."""
    own, inputs = own_coordinates(model), {}
    if rng.random() < 0.5:
        for i in _elementary(model):
            if rng.random() < 0.5 and i not in acting.prescribed:
                k, d = float(rng.uniform(0.0, 20.0)), float(rng.choice([0.0, rng.uniform(0.0, 0.5)]))
                acting.springs[i] = Spring(k, d, float(q[own[i]] + rng.normal() * 0.3))
        if rng.random() < 0.5:
            a, b = (str(n) for n in rng.choice([*model.bodies, "ground"], 2, replace=False))
            ends = [
                (model.ground if n == "ground" else model.bodies[n]).point(f"strut{side}", _three(rng.normal(size=3)))
                for n, side in ((a, "a"), (b, "b"))
            ]
            k, d = float(rng.uniform(5.0, 50.0)), float(rng.choice([0.0, rng.uniform(0.0, 2.0)]))
            acting.struts["strut"] = Strut(ends[0].path, ends[1].path, k, d, float(rng.uniform(0.3, 2.0)))
    if rng.random() < 0.3:
        free = [i for i in _elementary(model) if i not in acting.prescribed]
        for i in free[: int(rng.integers(1, 3))]:
            sine = Sine(float(rng.uniform(-3.0, 3.0)), float(rng.uniform(2.0, 20.0)))
            acting.forces[i] = sine
            inputs[f"{model.velocities[i]}.Q"] = _sine(sine)
    return inputs


def _sine(sine: Sine) -> Callable[[float], float]:
    return lambda t: float(sine.amplitude * np.sin(sine.omega * t))


def _attach(model: Model, acting: Acting) -> None:
    """The same as laws of the model."""
    names = model.velocities
    for i, spring in acting.springs.items():
        model.joint_force(names[i])(_spring(spring))
    for name, strut in acting.struts.items():
        model.link(name, strut.a, strut.b)(_strut(strut))
    for name, gear in acting.gears.items():
        model.constraint(name)(_gear_law(gear, names[gear.i], names[gear.j]))
    for i, drive in acting.prescribed.items():
        if drive.amplitude:
            model.trajectory(names[i])(_trajectory(drive))


def _spring(spring: Spring) -> Callable[..., Any]:
    return lambda q, qd, p: -spring.k * (q - spring.rest) - spring.d * qd


def _strut(strut: Strut) -> Callable[..., Any]:
    return lambda length, rate, p: strut.k * (length - strut.rest) + strut.d * rate


def _gear_law(gear: Gear, i: str, j: str) -> Callable[..., Any]:
    return lambda s, p: s.q[i] - gear.qi0 - gear.ratio * sin(s.q[j] - gear.qj0)


def _trajectory(drive: Drive) -> Callable[..., Any]:
    return lambda t, p: drive.q0 + drive.v0 * t + drive.amplitude * (1.0 - cos(drive.omega * t))
