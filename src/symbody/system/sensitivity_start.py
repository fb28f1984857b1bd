"""The start of a system as a function of its live parameters, x₀(p), and its exact derivative dx₀/dp.

Initial values are formulas over parameters. The loops are closed from there as in `assemble`, with steps of least norm
δ = −J⁺h. The same steps are differentiated (Golub, Pereyra), so the start for another parameter value is known exactly.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np

from symbody.codegen import Function
from symbody.codegen.program import Input, Output, Program
from symbody.equations.closed import first_guess
from symbody.equations.constraints import constraint_jacobian, constraints
from symbody.equations.functions import vector_output
from symbody.equations.tree import build_tree
from symbody.errors import AssemblyError, ModelError, SingularityError
from symbody.expr.derive import total_derivative
from symbody.expr.graph import symbols
from symbody.expr.node import ONE, PARAMETER, ZERO, Expr, parameter, variable, wrap
from symbody.expr.node_table import fresh_graph
from symbody.model.body import QUATERNION
from symbody.model.formula import evaluate
from symbody.model.model import Model
from symbody.model.tree import own_coordinates
from symbody.safe_name import identifier
from symbody.suggestions import did_you_mean
from symbody.system.assembly import ITERATIONS, LONGEST_STEP, closing_joints
from symbody.system.displacement import displaced
from symbody.system.open_loop import CLOSED
from symbody.system.options import SystemOptions, input_names
from symbody.system.prescribed import prescribed_motion
from symbody.system.system import Array, InitialState, System


@dataclass(frozen=True)
class Start:
    """State at t = 0, a first guess of the dependent coordinates, and dx/dp with one column for each parameter."""

    x: Array
    guess: Array
    dx: Array


def start(s: System, parameters: Sequence[str] = ()) -> Start:
    """The start of a system with the present live parameters, its loops closed."""
    model, layout = s.model, s.layout
    values, slopes = _function(s, "start", parameters)(np.zeros(1), s.u0)
    nq, nv = model.nq, model.nv
    q, dq = values[:nq], slopes[:nq]
    if model.has_loops:
        q, dq = _closed(s, q, dq, parameters)
    rows = [*layout.coordinates, *(nq + i for i in layout.velocities), *layout.tied, *range(nq + nv, len(values))]
    x, dx = np.r_[q, values[nq:]], np.vstack([dq, slopes[nq:]])
    return Start(x[rows], first_guess(model, s.definition.state_partition, q), dx[rows])


def start_parameters(s: System) -> set[str]:
    """Live parameters that occur in the initial values or in the loops: the start depends on no others."""
    live = s.rates_function.signature.parameters
    builds = [_start_program, *[_loops_program] * s.model.has_loops]
    with fresh_graph():
        programs = [build(s.model, s.options, (), live) for build in builds]
        found = symbols(x for program in programs for x in program.expressions)
    return {str(x.value) for x in found if x.level == PARAMETER}


@contextmanager
def started(s: System, values: Mapping[str, float]) -> Iterator[System]:
    """The system with other parameters and the start they give; afterwards the parameters are restored."""
    before = dict(s.parameters)
    try:
        s.parameters.update(values)
        at = start(s)
        yield s.starting(InitialState(at.x, at.guess, pivots_at(s, at)))
    finally:
        s.parameters.update(before)


def pivots_at(s: System, at: Start) -> Array:
    """Pivots of the loops at the start; a run compares later pivots with these."""
    found = s.rates_function(np.zeros(1), at.x, s.u0, at.guess)
    if not np.all(np.isfinite(found.xd)):
        raise SingularityError(f"{s.model.name}: the accelerations at the start are not finite", time=0.0)
    pivots: Array = found.pivots
    return pivots


# -- closing the loops -----------------------------------------------------------------------------------------------


def _closed(s: System, q: Array, dq: Array, parameters: Sequence[str]) -> tuple[Array, Array]:
    """The steps of `assemble`, and their derivatives."""
    gap = np.inf
    for free in closing_joints(s.model):
        q_closed, dq_closed, gap = _closed_by(s, q, dq, parameters, free)
        if gap < CLOSED:
            return q_closed, dq_closed
    raise AssemblyError(f"{s.model.name}: the loops stay open by {gap:.3g} with these parameters; use smaller changes")


def _closed_by(
    s: System, q: Array, dq: Array, parameters: Sequence[str], free: list[int]
) -> tuple[Array, Array, float]:
    """The steps over some joints, and the remaining gap; one step more, because the derivative is one step behind."""
    loops, unit = _function(s, "loops", parameters), np.eye(len(parameters))
    for _ in range(ITERATIONS):
        h, J, _, _ = loops(q, np.zeros(len(q)), np.zeros(len(parameters)))
        gap = float(np.max(np.abs(h), initial=0.0))
        if gap < CLOSED and not len(parameters):
            break
        inner = J[:, free]
        P = np.linalg.pinv(inner, rcond=np.finfo(float).eps * max(inner.shape))
        step, slope = np.zeros(s.model.nv), np.zeros((s.model.nv, len(parameters)))
        step[free] = -P @ h
        for j in range(len(parameters)):
            _, _, dh, dJ = loops(q, dq[:, j], unit[j])
            if dh.any() or dJ.any():  # most parameters do not change the start
                slope[free, j] = -_pushed(inner, P, dJ[:, free], h) - P @ dh
        step, slope = _shortened(step, slope)
        dq = _displaced_slope(s.model, q, step, dq, slope)
        if gap < CLOSED:
            break
        q = displaced(s.model, q, step)
    return q, dq, gap


def _pushed(J: Array, P: Array, dJ: Array, h: Array) -> Array:
    """dJ⁺ h for P = J⁺ of constant rank: −P dJ P h + P Pᵀ dJᵀ (h − J P h) + (1 − P J) dJᵀ Pᵀ P h."""
    Ph = P @ h
    turned = dJ.T @ (P.T @ Ph)
    result: Array = -P @ (dJ @ Ph) + P @ (P.T @ (dJ.T @ (h - J @ Ph))) + turned - P @ (J @ turned)
    return result


def _shortened(step: Array, slope: Array) -> tuple[Array, Array]:
    """A step limited to the allowed length, and its derivative."""
    i = int(np.argmax(np.abs(step)))
    if abs(step[i]) <= LONGEST_STEP:
        return step, slope
    share = LONGEST_STEP / abs(step[i])
    return share * step, share * (slope - np.outer(step, slope[i] / step[i]))


def _displaced_slope(model: Model, q: Array, step: Array, dq: Array, dstep: Array) -> Array:
    """The derivative of `displaced`, one column for each parameter."""
    moved, place, v = dq.copy(), 0, 0
    for i, own in enumerate(own_coordinates(model)):
        if own >= 0:
            moved[own] += dstep[i]
    for joint in model.joints():
        place, v = place + joint.nq, v + joint.nv
        if joint.type in QUATERNION and dq.shape[1]:
            e, de, half, dhalf = q[place - 4 : place], dq[place - 4 : place], step[v - 3 : v] / 2, dstep[v - 3 : v] / 2
            turned = _turned(e, half)
            pairs = zip(de.T, dhalf.T, strict=True)
            change = np.stack([_turned(a, half) + _turned(e, b) - e for a, b in pairs], axis=1)
            size = np.linalg.norm(turned)
            moved[place - 4 : place] = (change - np.outer(turned, turned @ change) / size**2) / size
    return moved


def _turned(e: Array, half: Array) -> Array:
    """e·(1, half)."""
    return np.array([e[0] - e[1:] @ half, *(e[1:] + e[0] * half + np.cross(e[1:], half))])


# -- the functions ---------------------------------------------------------------------------------------------------


def _function(s: System, kind: str, parameters: Sequence[str]) -> Function:
    for name in parameters:
        if name not in s.parameters:
            cure = did_you_mean(name, s.parameters, "live parameters")
            raise ModelError("unknown live parameter", element=name, cure=cure)
    live = s.rates_function.signature.parameters
    build = {"start": _start_program, "loops": _loops_program}[kind]

    def make() -> Program:
        with fresh_graph():
            return build(s.model, s.options, parameters, live)

    return s.functions.compiled(f"{kind} {list(parameters)}", make)


def _start_program(
    model: Model, options: SystemOptions, parameters: Sequence[str], live: Mapping[str, float]
) -> Program:
    """(t, u) → initial q, q̇ and states from the model's formulas and trajectories; and d/dp."""
    tree = build_tree(model, options.live, loads=False)
    t, given = variable("t[0]"), input_names(model, options)
    names, own = tree.numbers.names, own_coordinates(model)
    q = [wrap(evaluate(x, names)) for joint in model.joints() for x in joint.q0]
    v = [wrap(evaluate(x, names)) for joint in model.joints() for x in joint.v0]
    inputs = {name: variable(f"u[{k}]") for k, name in enumerate(given)}
    for i, (position, velocity, _) in prescribed_motion(model, tree.numbers, options, t, inputs).items():
        q[own[i]], v[i] = position, velocity
    values = [*q, *v, *(wrap(evaluate(state.start, names)) for state in model.states.values())]
    columns = [total_derivative(values, {parameter(p): ONE}) for p in parameters]
    outputs = {"value": vector_output(values), "slope": _matrix(list(zip(*columns, strict=True)), len(values))}
    sizes = {"t": Input(1), "u": Input(len(given))}
    return Program("start", identifier(model.name), "initial q, qd, states; d/dp", sizes, outputs, dict(live))


def _loops_program(
    model: Model, options: SystemOptions, parameters: Sequence[str], live: Mapping[str, float]
) -> Program:
    """(q, dq, dp) → h and J of the loops, and their derivatives along dq, dp."""
    tree = build_tree(model, options.live, loads=False)
    equations = constraints(tree)
    h, J = [e.h for e in equations], constraint_jacobian(equations, range(model.nv))
    seeds: dict[Expr, Expr] = {variable(f"q[{i}]"): variable(f"dq[{i}]") for i in range(model.nq)}
    seeds |= {parameter(p): variable(f"dp[{j}]") for j, p in enumerate(parameters)}
    flat = [x for row in J for x in row]
    slopes = total_derivative([*h, *flat], seeds) if parameters else [ZERO] * (len(h) + len(flat))
    outputs = {"h": vector_output(h), "J": _matrix(J, len(h)), "dh": vector_output(slopes[: len(h)])}
    outputs["dJ"] = Output((len(h), model.nv), tuple(slopes[len(h) :]))
    sizes = {"q": Input(model.nq), "dq": Input(model.nq), "dp": Input(len(parameters))}
    return Program("loops", identifier(model.name), "h, J of the loops, along dq, dp", sizes, outputs, dict(live))


def _matrix(rows: Sequence[Sequence[Expr]], height: int) -> Output:
    width = len(rows[0]) if rows else 0
    return Output((height, width), tuple(x for row in rows for x in row))
