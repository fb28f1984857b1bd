"""Statements of a block in the scripting languages, which differ in a few words only."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from symbody.codegen.schedule import Block, CallOut, Let, Schedule, SinCos
from symbody.codegen.targets.infix import Writer
from symbody.expr.external import call_of
from symbody.expr.graph import TRIGONOMETRIC
from symbody.expr.node import CALLS, PARAMETER, Expr


@dataclass(frozen=True)
class Dialect:
    """How a language writes array elements, functions, tables, comments, line ends and new variables."""

    element: Callable[[str, int], str]
    functions: Mapping[str, str]
    table: Callable[[Expr, list[str]], str]
    comment: str
    end: str = ""
    declaration: str = ""  # before the first assignment of a variable


def body_lines(plan: Schedule, to: Dialect) -> list[str]:
    """The part computed at every call."""
    return _call_lines(plan, plan.body, to)


def iteration_lines(plan: Schedule, to: Dialect) -> list[str]:
    """The step of the closure."""
    return _call_lines(plan, plan.iteration.block, to) if plan.iteration else []


def _call_lines(plan: Schedule, block: Block, to: Dialect) -> list[str]:
    h, t, sine, cosine, given = plan.program.local_names("h", "t", "sn", "cs", "given")
    number = {s.node: i for i, s in enumerate(s for s in block.statements if isinstance(s, Let))}

    def name(x: Expr) -> str:
        if x.level == PARAMETER:
            return to.element(h, plan.slots[x])
        if x.op == "sym":
            return to.element(*plan.program.place(x))
        if x.op in TRIGONOMETRIC:
            return f"{sine if x.op == 'sin' else cosine}{block.trig[x.args[0]]}"
        return f"{given}{block.calls[call_of(x)]}[{x.value[1]}]" if x.op in CALLS else f"{t}{number[x]}"

    return _lines(block, name, to, given)


def hoist_lines(plan: Schedule, to: Dialect) -> list[str]:
    """The part computed after a change of a parameter: from p to h."""
    places = {name: i for i, name in enumerate(plan.program.parameters)}
    number = {s.node: i for i, s in enumerate(s for s in plan.hoist.statements if isinstance(s, Let))}
    return _lines(plan.hoist, lambda x: to.element("p", places[x.value]) if x.op == "sym" else f"t{number[x]}", to)


def _lines(block: Block, name: Callable[[Expr], str], to: Dialect, given: str = "") -> list[str]:
    write = Writer(block, name, to.functions, to.table)
    lines: list[str] = []
    origin = ""
    for s in block.statements:
        if isinstance(s, SinCos):
            for angle in s.angles:
                for op in TRIGONOMETRIC:
                    node = block.sines.get((op, angle))
                    if node is not None:
                        left, right = to.declaration + name(node), f"{to.functions.get(op, op)}({write(angle)})"
                        lines.append(f"    {left} = {right}{to.end}")
            continue
        if isinstance(s, CallOut):  # in Python only
            x = ", ".join(map(write, s.args))
            lines.append(f"    {given}{s.start} = external_{s.external.name}({s.along}, [{x}])")
            continue
        if s.node.origin != origin and s.node.args:
            origin = s.node.origin
            lines.append(f"    {to.comment} {origin}")
        left = to.declaration + name(s.node) if isinstance(s, Let) else to.element(s.array, s.index)
        right = write.value(s.node) if isinstance(s, Let) else write(s.node)
        lines.append(f"    {left} = {right}{to.end}")
    return lines
