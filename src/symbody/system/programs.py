"""The programs of a system: rates and outputs, and their exact derivatives through the loops."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from symbody.codegen.program import Input, Output, Program
from symbody.equations.energy import kinetic_energy, potential_energy
from symbody.equations.functions import vector_output
from symbody.equations.joint_gram import room_before_lock
from symbody.equations.laws import motion_values
from symbody.expr.graph import symbols as symbols_in
from symbody.expr.node import Expr, parameter
from symbody.expr.substitute import substituted
from symbody.model.joint_chains import watched_chains
from symbody.safe_name import identifier
from symbody.system.assembly import initial_state
from symbody.system.channels import channels, selected_channels
from symbody.system.derivatives import columns_of, matrix_of
from symbody.system.held_equations import held_room
from symbody.system.trace import Traced


@dataclass(frozen=True)
class Programs:
    """Rates (t, x, u, guess) → xd, v, pivots; outputs → y; and the names of y, chosen and possible."""

    rates: Program
    outputs: Program
    names: list[str]
    possible: list[str]


def system_programs(traced: Traced, outputs: Sequence[str] | None) -> Programs:
    """Rates and outputs of a system."""
    every = channels(traced)
    names = selected_channels(traced, every, outputs)
    known = dict(zip(traced.a, traced.udd, strict=True))
    y = substituted([every[name] for name in names], known)
    xd = substituted(traced.rates, known)
    rates = {"xd": xd, "v": traced.unknowns, "pivots": traced.pivots}
    return Programs(
        program_of("rates", "dx/dt of the whole system, loops closed", traced, rates),
        program_of("outputs", "the outputs of the system", traced, {"y": y}),
        names,
        list(every),
    )


def limits_program(traced: Traced) -> Program:
    """Quantities that must stay positive: limits of the model, joint chains that can lock, held equations."""
    model = traced.tree.model
    watched = [
        motion_values(limit.law, f"limits.{limit.name}", 1, traced.view, traced.names)[0]
        for limit in model.limits.values()
        if limit.law is not None
    ]
    q0 = initial_state(model)[0].tolist()
    watched += [room_before_lock(traced.tree, chain, q0) for chain in watched_chains(model)]
    watched += held_room(traced)
    known = dict(zip(traced.a, traced.udd, strict=True))
    return program_of("limits", "what must stay positive", traced, {"room": substituted(watched, known)})


def energy_program(traced: Traced) -> Program:
    """Kinetic and potential energy (J)."""
    energies = [kinetic_energy(traced.tree), potential_energy(traced.tree)]
    return program_of("energy", "kinetic and potential energy", traced, {"energy": energies})


def power_program(traced: Traced) -> Program:
    """Forces F, then the rates w of the motions along them: P = F·w = dE/dt (W)."""
    known, (forces, rates) = dict(zip(traced.a, traced.udd, strict=True)), traced.power_pairs
    found = substituted([*forces, *rates], known)
    return program_of("power", "forces and rates whose product is dE/dt", traced, {"pairs": found})


def rates_and_power_program(traced: Traced) -> Program:
    """Rates, and the power P = dE/dt (W), which has most of its terms in common with them."""
    known = dict(zip(traced.a, traced.udd, strict=True))
    *xd, watts = substituted([*traced.rates, traced.power], known)
    found = {"xd": xd, "v": traced.unknowns, "pivots": traced.pivots, "power": [watts]}
    return program_of("rates_and_power", "dx/dt of the whole system, and the power dE/dt", traced, found)


def motion_program(traced: Traced) -> Program:
    """All coordinates and velocities of the model."""
    whole = {"q": list(traced.view.q.values()), "qd": list(traced.view.qd.values())}
    return program_of("motion", "all coordinates and velocities", traced, whole)


def driven_program(traced: Traced) -> Program:
    """Coordinates of the driven joints, which depend on time and inputs alone."""
    driven = [q for joint, q in _joint_coordinates(traced) if joint == "driven"]
    return replace(program_of("driven", "coordinates of driven joints", traced, {"q": driven}), closure=None)


def _joint_coordinates(traced: Traced) -> Iterator[tuple[str, Expr]]:
    """Nature and expression of each coordinate of the model."""
    places = iter(traced.view.q.values())
    for joint in traced.tree.model.joints():
        yield from ((joint.nature, next(places)) for _ in range(joint.nq))


def jacobian_program(traced: Traced, outputs: Sequence[str] | None) -> Program:
    """∂(ẋ, y)/∂(x, u, p), exact, through the loops."""
    every, n = channels(traced), len(traced.x)
    y = [every[name] for name in selected_channels(traced, every, outputs)]
    blocks = {"x": traced.x, "u": traced.u, "p": [parameter(name) for name in traced.tree.live]}
    columns = iter(columns_of(traced, [*traced.rates, *y], [s for symbols in blocks.values() for s in symbols]))
    made: dict[str, Output] = {}
    for wrt, symbols in blocks.items():
        own = [next(columns) for _ in symbols]
        made |= {f"f{wrt}": matrix_of([c[:n] for c in own], n), f"y{wrt}": matrix_of([c[n:] for c in own], len(y))}
    return program_of("jacobian", "derivatives of dx/dt and y by x, u, p", traced, {}, made)


def rates_jacobian_program(traced: Traced) -> Program:
    """∂ẋ/∂x and ∂ẋ/∂t, for implicit steps."""
    columns = columns_of(traced, traced.rates, [*traced.x, traced.t])
    matrix = {"fx": matrix_of(columns[:-1], len(traced.x)), "ft": vector_output(columns[-1])}
    return program_of("rates_jacobian", "derivatives of dx/dt by x and t", traced, {}, matrix)


def error_slopes_program(traced: Traced, inputs: Sequence[int], parameters: Sequence[str]) -> Program:
    """∂ẋ/∂x and ∂ẋ/∂p, where p are some inputs and parameters: the growth of errors."""
    n, unknown = len(traced.x), _unknown(traced, inputs, parameters)
    columns = columns_of(traced, traced.rates, [*traced.x, *unknown])
    made = {"fx": matrix_of(columns[:n], n), "fp": matrix_of(columns[n:], n)}
    return program_of("error_slopes", "slopes of dx/dt", traced, {}, made)


def observation_program(
    traced: Traced, names: Sequence[str], inputs: Sequence[int], parameters: Sequence[str]
) -> Program:
    """Some channels y, ∂y/∂x and ∂y/∂p, where p are some inputs and parameters: a measurement."""
    every, n, unknown = channels(traced), len(traced.x), _unknown(traced, inputs, parameters)
    y = [every[name] for name in names]
    columns = columns_of(traced, y, [*traced.x, *unknown])
    known = dict(zip(traced.a, traced.udd, strict=True))
    made = {
        "y": vector_output(substituted(y, known)),
        "yx": matrix_of(columns[:n], len(y)),
        "yp": matrix_of(columns[n:], len(y)),
    }
    program = program_of("observation", "channels and their slopes", traced, {}, made)
    loops = any(one in traced.unknowns for one in symbols_in(program.results))
    return program if loops else replace(program, closure=None)  # states need no closed loops


def _unknown(traced: Traced, inputs: Sequence[int], parameters: Sequence[str]) -> list[Expr]:
    return [*(traced.u[k] for k in inputs), *map(parameter, parameters)]


def input_matrix_program(traced: Traced) -> Program:
    """∂ẋ/∂u."""
    matrix = {"fu": matrix_of(columns_of(traced, traced.rates, traced.u), len(traced.x))}
    return program_of("input_matrix", "derivatives of dx/dt by u", traced, {}, matrix)


def program_of(
    name: str,
    summary: str,
    traced: Traced,
    vectors: Mapping[str, Sequence[Expr]],
    matrices: dict[str, Output] | None = None,
    more: dict[str, int] | None = None,
) -> Program:
    """A program over t, x, u, the first guess of the unknowns, and more inputs with given sizes."""
    nd = len(traced.unknowns)
    sizes = {"t": 1, "x": len(traced.x), "u": len(traced.u), "guess": nd, **(more or {})}
    outputs = {key: vector_output(x) for key, x in vectors.items()} | (matrices or {})
    return Program(
        name, identifier(traced.tree.model.name), summary, {key: Input(size) for key, size in sizes.items()}, outputs,
        dict(traced.tree.live), closure=traced.closure,
    )  # fmt: skip
