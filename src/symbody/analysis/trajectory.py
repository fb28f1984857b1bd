"""Kinematic and inverse-dynamic simulation: a prescribed motion with closed loops, and the actuator efforts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from tqdm import tqdm

from symbody.analysis.arguments import Inputs, signals
from symbody.errors import AssemblyError, ModelError, SingularityError
from symbody.model.body import QUATERNION, Joint
from symbody.model.law import ARGUMENTS, FormulaLaw
from symbody.model.model import Model
from symbody.results.run import Run
from symbody.stepping.inputs import inputs_at
from symbody.stepping.pivot_reference import SWITCH
from symbody.stepping.start_state import SINGULAR, StartState, followed
from symbody.system.definition import define
from symbody.system.named_values import by_name, listed
from symbody.system.system import Array, System, system, system_of

ORDER = 5  # of the splines through samples: accelerations are then smooth
Given = Any  # see `follow`


def follow(
    what: System | Model,
    trajectories: Mapping[str, Given],
    t: Sequence[float] | Array,
    *,
    actuators: Sequence[str] | None = None,
    weights: Sequence[float] | None = None,
    outputs: Sequence[str] | None = None,
    inputs: Inputs | None = None,
    order: int = ORDER,
    progress: bool = False,
) -> Run:
    """Move a system along given trajectories of its free coordinates and compute the actuator efforts.

    Parameters
    ----------
    what : System or Model
        The system or model; loops are closed along the motion.
    trajectories : mapping name → trajectory
        One per free coordinate (rad, m): a law (t, p) or a formula of `t` (exact derivatives); samples (n,) at t, or
        (times, samples), interpolated by a spline of `order`; a spline of SciPy; or (q, qd, qdd), each (n,), at t.
    t : array, shape (n,)
        Increasing times (s).
    actuators : sequence of str, optional
        Joints that drive (default: those with a trajectory). More than needed share the load by `weights`.
    weights : sequence of float, optional
        One weight per actuator (default: equal).
    outputs, inputs
        As in `simulate`.
    order : int
        Order of the splines (default 5).
    progress : bool
        Show a progress bar (default False).

    Returns
    -------
    Run
        The motion with the channels `JOINT.effort` (N, N m).

    Raises
    ------
    AssemblyError
        If the loops cannot be closed.
    SingularityError
        If the actuators cannot drive the motion, or the loops pass a singular position.

    Examples
    --------
    >>> import numpy as np
    >>> import symbody as sb
    >>> m = sb.machines.model("pendulum")
    >>> run = sb.follow(m, {"bob": "0.3*sin(t)"}, np.linspace(0, 1, 101))
    >>> run["bob.effort"].shape
    (101,)
    """
    times = np.asarray(t, dtype=float)
    if times.ndim != 1 or len(times) < 1 or np.any(np.diff(times) <= 0):
        raise ModelError("no times are given", element="t", cure="give increasing times (s)")
    trajectories = by_name(trajectories, "trajectories", '{"arm": "sin(t)"}')
    s = _driven_system(what, trajectories, listed(actuators), listed(outputs))
    x, a = _states(s, *sampled_motion(s, trajectories, times, order))
    inverse = s.inverse(actuators, weights) if s.layout.velocities else None  # else every joint is driven already
    drives = inverse.actuators if inverse else []
    places = [s.inputs.index(f"{name}.Q") for name in drives]
    u = np.array(np.broadcast_to(inputs_at(s, signals(inputs, s.model), times), (len(times), len(s.inputs))))
    names = [*s.outputs, *(f"{name}.effort" for name in drives)]
    at, rows = _first_state(s, float(times[0]), x[0], u[0]), np.full((len(times), len(names)), np.nan)
    pivots = at.pivots
    for k in tqdm(range(len(times)), unit="instant", disable=not progress, desc=f"following {s.model.name}"):
        now = times[k : k + 1]
        at = _next_state(at, x[k], u[k], float(now[0]), u[max(k - 1, 0)], float(times[max(k - 1, 0)]))
        if not np.all(at.pivots / pivots > SWITCH):
            at = _reordered(at, float(now[0]), u[k])
            s, pivots = at.system, at.pivots
            inverse = s.inverse(actuators, weights) if inverse else None
        phi = inverse.function(now, x[k], u[k], at.guess, a[k]) if inverse else u[k, :0]
        if not np.all(np.isfinite(phi)):
            problem = f"{s.model.name}: at t = {now[0]:g} s {', '.join(drives)} cannot drive this motion (dead point)"
            raise SingularityError(f"{problem}; use other or additional actuators", time=float(now[0]))
        u[k, places] += phi
        rows[k] = np.r_[s.outputs_function(now, x[k], u[k], at.guess), phi]
    return Run(s, times, rows, names=names)


def _next_state(at: StartState, x: Array, u: Array, t: float, u_before: Array, t_before: float) -> StartState:
    """The state at the next instant; the loops are followed from the last one."""
    where = f"{at.system.model.name}: at t = {t:g} s"
    try:
        return followed(at, x, u, t, u_before, t_before)
    except AssemblyError as error:
        raise AssemblyError(f"{where} the loops cannot be closed along this motion") from error
    except SingularityError as error:
        why = "the loops have passed a singular position and can continue in several ways"
        raise SingularityError(
            f"{where} {why}; end the motion before it, or give other trajectories", time=t
        ) from error


def _reordered(at: StartState, t: float, u: Array) -> StartState:
    """Near a failure of the loops' pivot order: the same coordinates with another order."""
    s, now = at.system, np.array([t])
    start = (*s.motion(t, at.x, u, at.guess), np.zeros(0))
    d = s.definition
    other = system_of(define(d.model, d.asked, d.wanted, d.independent, start), s.backend)
    other.parameters.update(dict(s.parameters))
    if other.states == s.states:
        found = other.rates_function(now, at.x, u, other.start_guess)
        sizes = np.abs(found.pivots)
        if np.all(np.isfinite(found.xd)) and sizes.min() >= SINGULAR * sizes.max():
            return StartState(other, at.x, found.v, found.pivots)
    free = ", ".join(s.model.velocities[i] for i in s.layout.velocities)
    problem = f"{s.model.name}: at t = {t:g} s {free} no longer determine the motion; give trajectories of other joints"
    raise SingularityError(problem, time=t)


def _driven_system(
    what: System | Model,
    trajectories: Mapping[str, Given],
    actuators: Sequence[str] | None,
    outputs: Sequence[str] | None,
) -> System:
    """The system over the given coordinates, with one input per actuator."""
    model = what.model if isinstance(what, System) else what
    if model.states:
        cure = "drive its joints (nature and trajectory) and simulate"
        raise ModelError("a model with states cannot be used here", element=model.name, cure=cure)
    kept = [name for name in trajectories if name in model.velocities]
    free = [name for joint in model.joints() if {*joint.coordinates} & {*trajectories} for name in joint.velocities]
    pushed = tuple(f"{name}.Q" for name in (free if actuators is None else actuators))
    if isinstance(what, System):
        asked = what.definition.asked
        options = replace(asked, inputs=tuple(dict.fromkeys((*asked.inputs, *pushed))))
        wanted = what.definition.wanted if outputs is None else outputs
        s = system_of(define(model, options, wanted, kept), what.backend)
        s.parameters.update(dict(what.parameters))
    else:
        s = system(model, inputs=pushed, outputs=outputs, independent=kept)
    if s.layout.tied:
        rolling = ", ".join(model.coordinates[i] for i in s.layout.tied)
        cure = "drive joints (nature and trajectory) and use simulate, which integrates them"
        raise ModelError(
            f"only the velocities of {rolling} depend on the other joints, not the positions",
            element=model.name,
            cure=cure,
        )
    wanted = [model.coordinates[i] for i in s.layout.coordinates]
    if {*wanted} != {*trajectories}:
        missing, more = ({*a} - {*b} for a, b in ((wanted, trajectories), (trajectories, wanted)))
        problem = (
            f"the free coordinates are {', '.join(wanted)}, but trajectories are given for {', '.join(trajectories)}"
        )
        cure = f"give a trajectory of {min(missing)}, or lock it" if missing else f"leave out {min(more)}"
        raise ModelError(problem, element=model.name, cure=cure)
    return s


# -- the motion, its velocities and accelerations --------------------------------------------------------------------


def sampled_motion(s: System, given: Mapping[str, Given], t: Array, order: int = ORDER) -> tuple[Array, Array, Array]:
    """Free coordinates (in the order of x) with first and second time derivatives, one row per time."""
    names = [s.model.coordinates[i] for i in s.layout.coordinates]
    laws = {name: how for name in names if _is_law(how := given[name])}
    traced = _by_laws(s, laws, t) if laws else {}
    columns = [traced[name] if name in laws else _by_samples(name, given[name], t, order) for name in names]
    position, velocity, acceleration = np.array([np.zeros((3, len(t))), *columns])[1:].transpose(1, 2, 0)
    return position, velocity, acceleration


def _is_law(how: Given) -> bool:
    return isinstance(how, str) or (callable(how) and not hasattr(how, "derivative"))


def _by_laws(s: System, laws: Mapping[str, Any], t: Array) -> dict[str, tuple[Array, Array, Array]]:
    """Laws of time, traced as those of driven joints are, with exact derivatives."""
    m = Model("trajectories", parameters=s.model.parameters)
    for k, law in enumerate(laws.values()):
        m.body(f"b{k}", joints=[Joint(f"b{k}", "T1", "driven")])
        m.trajectory(f"b{k}")(FormulaLaw((law,), ARGUMENTS["trajectories"]) if isinstance(law, str) else law)
    driven = system(m, outputs=[f"b{k}.{c}" for k in range(len(laws)) for c in ("q", "qd", "qdd")])
    driven.parameters.update({name: value for name, value in s.parameters.items() if name in driven.parameters})
    found = np.array([driven.at(x, driven.x0)[c] for x in t for c in driven.outputs]).reshape(len(t), -1)
    place = {c: i for i, c in enumerate(driven.outputs)}
    return {
        name: (found[:, place[f"b{k}.q"]], found[:, place[f"b{k}.qd"]], found[:, place[f"b{k}.qdd"]])
        for k, name in enumerate(laws)
    }


def _by_samples(name: str, how: Given, t: Array, order: int) -> tuple[Array, Array, Array]:
    if hasattr(how, "derivative"):
        return tuple(np.asarray(how(t, nu), dtype=float) for nu in (0, 1, 2))  # type: ignore[return-value]
    parts = [np.asarray(x, dtype=float) for x in how] if isinstance(how, tuple) else [t, np.asarray(how, dtype=float)]
    if len(parts) == 3 and all(x.shape == t.shape for x in parts):
        return parts[0], parts[1], parts[2]
    if len(parts) != 2 or parts[0].ndim != 1 or parts[0].shape != parts[1].shape or len(parts[0]) < 2:
        cure = f"give {len(t)} samples, (times, samples), (q, qd, qdd), a law (t, p), or a formula of t"
        raise ModelError("the trajectory does not match the times", element=name, cure=cure)
    import scipy.interpolate  # imported here: it takes longer than the import of symbody

    degree = min(order, len(parts[0]) - 1)
    interpolate: Any = scipy.interpolate.make_interp_spline
    spline = interpolate(*parts, k=degree - 1 + degree % 2)  # odd degree
    return spline(t), spline(t, 1), spline(t, 2)


def _states(s: System, q: Array, qd: Array, qdd: Array) -> tuple[Array, Array]:
    """States x and accelerations a from coordinates and their derivatives; quaternion derivatives become ω and ω̇."""
    place = {i: k for k, i in enumerate(s.layout.coordinates)}
    positions, velocities, accelerations, start = q.copy(), [], [], 0
    for joint in s.model.joints():
        own = [place[i] for i in range(start, start + joint.nq) if i in place]
        start += joint.nq
        slides, four = (own[:-4], own[-4:]) if joint.type in QUATERNION else (own, [])
        velocities.append(qd[:, slides])
        accelerations.append(qdd[:, slides])
        if four:
            positions[:, four], omega, omega_dot = _turning(q[:, four], qd[:, four], qdd[:, four])
            velocities.append(omega)
            accelerations.append(omega_dot)
    return np.hstack([positions, *velocities]), np.ascontiguousarray(np.hstack(accelerations))


def _turning(r: Array, rd: Array, rdd: Array) -> tuple[Array, Array, Array]:
    """Unit quaternion, ω = 2 vec(r̄ ṙ)/|r|² and ω̇ in body axes, from components of any length."""
    square = np.sum(r * r, axis=1, keepdims=True)
    omega = 2 * _relative(r, rd) / square
    slope = 2 * _relative(r, rdd) / square - omega * 2 * np.sum(r * rd, axis=1, keepdims=True) / square
    return r / np.sqrt(square), omega, slope


def _relative(r: Array, d: Array) -> Array:
    """vec(r̄ d)."""
    return np.asarray(r[:, :1] * d[:, 1:] - d[:, :1] * r[:, 1:] - np.cross(r[:, 1:], d[:, 1:]))


# -- the first instant -----------------------------------------------------------------------------------------------


def _first_state(s: System, t: float, x: Array, u: Array) -> StartState:
    """The state at the first instant, reached from the model's initial state in small steps."""
    try:
        return followed(StartState(s, s.x0, s.start_guess, s.pivots), x, u, t)
    except AssemblyError as error:
        raise AssemblyError(f"{s.model.name}: the loops cannot be closed at the start of the motion") from error
