"""The programs of a system: rates and outputs, and their exact derivatives through the loops."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from symbody.codegen.program import Closure, Input, Output, Program
from symbody.equations.closed import Partition
from symbody.equations.functions import identifier, vector_output
from symbody.expr.derive import total_derivative
from symbody.expr.node import ONE, ZERO, Expr, fresh_graph, parameter
from symbody.expr.substitute import substituted
from symbody.expr.vector import Vec, opposite
from symbody.model.check import check
from symbody.model.model import Model
from symbody.system.channels import channels, chosen
from symbody.system.recipe import Recipe
from symbody.system.trace import Traced, trace


@dataclass(frozen=True)
class Programs:
    """Rates (t, x, u, guess) → xd, v, pivots; outputs → y; and the names of y, chosen and possible."""

    rates: Program
    outputs: Program
    names: list[str]
    possible: list[str]


def system_programs(model: Model, partition: Partition, recipe: Recipe, outputs: Sequence[str] | None) -> Programs:
    """Rates and outputs of a system."""
    check(model)
    with fresh_graph():
        traced = trace(model, partition, recipe)
        every = channels(traced)
        names = chosen(traced, every, outputs)
        known = dict(zip(traced.a, traced.udd, strict=True))
        y = substituted([every[name] for name in names], known)
        xd = substituted(traced.rates, known)
        rates = {"xd": xd, "v": list(traced.unknowns), "pivots": traced.pivots}
        return Programs(
            program_of("rates", "dx/dt of the whole system, loops closed", traced, rates),
            program_of("outputs", "the outputs of the system", traced, {"y": y}),
            names,
            list(every),
        )


def motion_program(model: Model, partition: Partition, recipe: Recipe) -> Program:
    """All coordinates and velocities of the model."""
    with fresh_graph():
        traced = trace(model, partition, recipe)
        whole = {"q": list(traced.view.q.values()), "qd": list(traced.view.qd.values())}
        return program_of("motion", "all coordinates and velocities", traced, whole)


def jacobian_program(model: Model, partition: Partition, recipe: Recipe, outputs: Sequence[str] | None) -> Program:
    """∂(ẋ, y)/∂(x, u, p), exact, through the loops."""
    check(model)
    with fresh_graph():
        traced = trace(model, partition, recipe)
        every = channels(traced)
        y = [every[name] for name in chosen(traced, every, outputs)]
        live = [parameter(name) for name in traced.tree.live]
        blocks = {"x": traced.x, "u": traced.u, "p": live}
        made: dict[str, list[Vec]] = {}
        residual = traced.residual()
        for wrt, symbols in blocks.items():
            columns = [_column(traced, residual, y, s) for s in symbols]
            made |= {f"f{wrt}": [c[0] for c in columns], f"y{wrt}": [c[1] for c in columns]}
        flat = [x for columns in made.values() for column in columns for x in column]
        known = iter(substituted(flat, dict(zip(traced.a, traced.udd, strict=True))))
        result = {
            name: _matrix([[next(known) for _ in c] for c in columns], rows)
            for (name, columns), rows in zip(made.items(), [len(traced.x), len(y)] * len(blocks), strict=True)
        }
        return program_of("jacobian", "derivatives of dx/dt and y by x, u, p", traced, {}, result)


def _column(traced: Traced, residual: Vec, y: Vec, s: Expr) -> tuple[Vec, Vec]:
    """Derivatives along one symbol: of the unknowns v, of a through R(a) = 0, then of the rates and the outputs."""
    seeds: dict[Expr, Expr] = {s: ONE}
    if traced.closed is not None:
        moved = total_derivative(traced.closed.loops.h, {s: ONE})
        if any(d is not ZERO for d in moved):
            seeds |= dict(zip(traced.unknowns, traced.closed.loops.transfer(moved), strict=True))
    pushed = total_derivative(residual, seeds)
    if any(d is not ZERO for d in pushed):
        seeds |= dict(zip(traced.a, traced.solve(opposite(pushed)), strict=True))
    both = total_derivative([*traced.rates, *y], seeds)
    return both[: len(traced.x)], both[len(traced.x) :]


def _matrix(columns: list[Vec], rows: int) -> Output:
    return Output((rows, len(columns)), tuple(column[r] for r in range(rows) for column in columns))


def program_of(
    name: str,
    summary: str,
    traced: Traced,
    vectors: dict[str, Vec],
    matrices: dict[str, Output] | None = None,
    more: dict[str, int] | None = None,
) -> Program:
    """A program over t, x, u, the first guess of the unknowns, and more inputs by their sizes."""
    nd = len(traced.unknowns)
    sizes = {"t": 1, "x": len(traced.x), "u": len(traced.u), "guess": nd, **(more or {})}
    closure = None
    if traced.closed is not None:
        closure = Closure("v", "guess", traced.closed.loops.step)
    outputs = {key: vector_output(x) for key, x in vectors.items()} | (matrices or {})
    return Program(
        name, identifier(traced.tree.model.name), summary, {key: Input(size) for key, size in sizes.items()}, outputs,
        dict(traced.tree.live), closure=closure,
    )  # fmt: skip
