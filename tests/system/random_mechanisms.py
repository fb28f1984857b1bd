"""Random closed mechanisms, the same for the same seed: planar and spatial, all kinds of cuts, natures given or not.

Each is closed by construction: the second point of a cut is put where the first one is in a random position of the
tree, and velocities are drawn from those that the loops allow.
"""

from dataclasses import dataclass

import numpy as np
from multiplier_reference import frames, loop_equations, on_point

from symbody.model.components import CUT_KINDS
from symbody.model.model import Model

PLANAR_JOINTS = ("R2", "R2", "R2", "T1", "T3")
SPATIAL_JOINTS = ("R1", "R2", "R3", "T1", "T2", "T3", "R1 R2", "R3 R1", "ball")
PLANAR_CUTS = ("planar-ball", "planar-ball", "planar-solid", "rod")
SPATIAL_CUTS = tuple(CUT_KINDS)


@dataclass(frozen=True)
class Mechanism:
    """A model that is closed at its initial state, and how many degrees of freedom the loops leave."""

    model: Model
    q: np.ndarray
    v: np.ndarray
    freedom: int


def random_mechanism(seed: int, planar: bool, natures: bool) -> Mechanism | None:
    """A mechanism with at least one degree of freedom; None where the draw has none."""
    rng = np.random.default_rng(seed)
    model = Model(f"random-{seed}", gravity=(0.0, 0.0, -9.81))
    points = [model.ground["origin"]]
    count = int(rng.integers(3, 7))
    for k in range(count):
        kinds = PLANAR_JOINTS if planar else SPATIAL_JOINTS
        kind = str(rng.choice(kinds[:3] if k % 3 else kinds))  # mostly hinges, so that things turn
        body = model.body(
            f"b{k}", points[int(rng.integers(max(0, len(points) - 3), len(points)))], kind,
            float(rng.uniform(0.5, 2.0)), _place(rng, planar, 0.3), tuple(rng.uniform(0.02, 0.06, 3)),
        )  # fmt: skip
        points.append(body.point("tip", _place(rng, planar, 0.6)))
    q = rng.uniform(-1.2, 1.2, model.nq)
    start = 0
    for joint in model.joints():
        if joint.type == "ball":
            quaternion = rng.normal(size=4)
            q[start : start + 4] = quaternion / np.linalg.norm(quaternion)
        start += joint.nq
    for k in range(int(rng.integers(1, 3))):
        _close(rng, model, f"loop{k}", q, planar)
    moving = frames(model, q, np.zeros(model.nv))
    J = loop_equations(model, moving)[1]
    _, s, V = np.linalg.svd(J)
    rank = int(np.sum(s > 1e-9 * max(s[0], 1e-300)))
    if rank == model.nv or rank == 0 or s[rank - 1] < 1e-2 * s[0]:
        return None  # rigid, nothing closed, or singular where it starts
    v = V[rank:].T @ rng.normal(size=model.nv - rank)
    _set_start(model, q, v)
    if natures:
        _name_dependent(model, J, rank)
    return Mechanism(model, q, v, model.nv - rank)


def _place(rng, planar, size):
    x, y, z = rng.uniform(-size, size, 3)
    return (float(x), 0.0 if planar else float(y), float(z))


def _close(rng, model, name, q, planar):
    """A cut between two bodies, satisfied at q."""
    names = [*model.bodies, "ground"]
    a, b = (str(n) for n in rng.choice(names, 2, replace=False))
    moving = frames(model, q, np.zeros(model.nv))
    turn = (0.0, 0.0, 0.0) if planar else tuple(rng.uniform(-np.pi, np.pi, 3))
    first = (model.ground if a == "ground" else model.bodies[a]).point(f"{name}a", _place(rng, planar, 0.5), turn)
    kind = str(rng.choice(PLANAR_CUTS if planar else SPATIAL_CUTS))
    second_body = model.ground if b == "ground" else model.bodies[b]
    A, B = on_point(model, moving[a], first), moving[b]
    if kind == "rod":
        second = second_body.point(f"{name}b", _place(rng, planar, 0.5))
        length = float(np.linalg.norm(on_point(model, B, second).P - A.P))
        model.cut(name, kind, first, second, length=length)
        return
    second = second_body.point(f"{name}b", tuple(B.R.T @ (A.P - B.P)), _angles(B.R.T @ A.R))
    model.cut(name, kind, first, second, axis=2 if planar else int(rng.integers(1, 4)))


def _angles(R):
    """Roll, pitch and yaw of a rotation."""
    return (
        float(np.arctan2(R[2, 1], R[2, 2])),
        float(np.arcsin(np.clip(-R[2, 0], -1.0, 1.0))),
        float(np.arctan2(R[1, 0], R[0, 0])),
    )


def _set_start(model, q, v):
    iq, iv = 0, 0
    for joint in model.joints():
        joint.q0 = tuple(float(x) for x in q[iq : iq + joint.nq])
        joint.v0 = tuple(float(x) for x in v[iv : iv + joint.nv])
        iq, iv = iq + joint.nq, iv + joint.nv


def _name_dependent(model, J, rank):
    """Name as many joints dependent as there are equations, chosen so that they can be, as a user of a file would."""
    left, chosen, dofs, iv = J.copy(), [], {}, 0
    for joint in model.joints():
        if joint.nv == 1:
            dofs[iv] = joint
        iv += joint.nv
    for _ in range(rank):
        norms = {i: np.linalg.norm(left[:, i]) for i in dofs if i not in chosen}
        if not norms or max(norms.values()) < 1e-6:
            break
        best = max(norms, key=norms.get)
        chosen.append(best)
        u = left[:, best] / norms[best]
        left = left - np.outer(u, u @ left)
    for i in chosen:
        dofs[i].nature = "dependent"
