"""The same problems in MuJoCo: its fourth-order steps, loops as equality constraints, springs as tendons."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from time import thread_time
from typing import Any

import numpy as np

from symbody.model.components import Cut
from symbody.model.model import Model
from symbody_bench.to_mujoco import MujocoTree, to_mujoco
from symbody_bench.validate.figures import Array, Peer, largest

_IMPEDANCE = 0.9999  # the largest that MuJoCo accepts; it makes compliance R = (1 − d)/d · inverse weights
_DISABLED = ("mjDSBL_REFSAFE", "mjDSBL_ISLAND")


@dataclass(frozen=True)
class TendonSpring:
    """A spring and damper along a link of the model: N/m, N s/m, m."""

    stiffness: float
    damping: float
    rest: float


@dataclass(frozen=True)
class Peering:
    """MuJoCo's settings for a problem: step (s), compliance of loops (1/kg), their recovery (s), forces."""

    point: str  # path of the compared point
    dt: float
    softness: float = 1e-12
    recovery: float = 0.02
    springs: Mapping[str, TendonSpring] = field(default_factory=dict)  # by link
    efforts: Mapping[int, float] = field(default_factory=dict)  # constant, by degree of freedom (N m)


def by_mujoco(model: Model, how: Peering, q: Array, v: Array, t: Array, reference: Array) -> Peer | None:
    """MuJoCo's error at equidistant times t from 0, for a reference over axes 1, 2 …; None if it is not installed."""
    try:
        import mujoco
    except ImportError:
        return None
    tree = _translated(model, how)
    engine, data = tree.model, tree.data
    engine.opt.timestep, engine.opt.integrator = how.dt, mujoco.mjtIntegrator.mjINT_RK4
    tree.set(q, v)
    for dof, effort in how.efforts.items():
        data.qfrc_applied[tree.v_order.index(dof)] = effort
    site, steps, seconds, places = engine.site(how.point).id, round((t[1] - t[0]) / how.dt), 0.0, []
    for _ in t:
        mujoco.mj_kinematics(engine, data)
        places.append(data.site_xpos[site].copy())
        start = thread_time()
        mujoco.mj_step(engine, data, steps)
        seconds += thread_time() - start
    error = largest(np.array(places)[:, : reference.shape[1]] - reference)
    return Peer(f"MuJoCo {mujoco.__version__}, RK4, {how.dt:g} s", error, seconds)


def _translated(model: Model, how: Peering) -> MujocoTree:
    def add(spec: Any) -> None:
        import mujoco

        spec.option.solver, spec.option.tolerance, spec.option.iterations = mujoco.mjtSolver.mjSOL_NEWTON, 1e-16, 20
        for flag in _DISABLED:
            spec.option.disableflags |= int(getattr(mujoco.mjtDisableBit, flag, 0))
        for cut in model.cuts.values():
            for made in _joined(spec, cut):
                made.solref, made.solimp = (how.recovery, 1.0), (_IMPEDANCE, _IMPEDANCE, 1.0, 0.5, 1.0)
        for name, spring in how.springs.items():
            _add_spring(spec, model, name, spring)

    tree = to_mujoco(model, add)
    tree.model.body_invweight0[:] = how.softness / 2 * _IMPEDANCE / (1 - _IMPEDANCE)
    return tree


def _joined(spec: Any, cut: Cut) -> list[Any]:
    """Two coinciding points; for a hinge two more, a metre along its axis."""
    import mujoco

    pairs = [(cut.a, cut.b)]
    if cut.kind == "revolute":
        along = np.eye(3)[cut.axis - 1]
        further = []
        for path, end in zip(pairs[0], "ab", strict=True):
            site = spec.site(path)  # in these models its frame is parallel to its body's
            further.append(f"{cut.name}.{end}")
            site.parent.add_site(name=further[-1], pos=np.asarray(site.pos) + along)
        pairs.append((further[0], further[1]))
    kind = {"type": mujoco.mjtEq.mjEQ_CONNECT, "objtype": mujoco.mjtObj.mjOBJ_SITE}
    return [spec.add_equality(name=f"{cut.name}{k}", name1=a, name2=b, **kind) for k, (a, b) in enumerate(pairs)]


def _add_spring(spec: Any, model: Model, name: str, spring: TendonSpring) -> None:
    tendon, link = spec.add_tendon(name=name), model.links[name]
    tendon.springlength = (spring.rest, spring.rest)
    if np.ndim(tendon.stiffness):  # polynomials since MuJoCo 4
        tendon.stiffness[0], tendon.damping[0] = spring.stiffness, spring.damping
    else:
        tendon.stiffness, tendon.damping = spring.stiffness, spring.damping
    tendon.wrap_site(link.a)
    tendon.wrap_site(link.b)
