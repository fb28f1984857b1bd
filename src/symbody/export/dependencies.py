"""Dependencies of values on states and inputs, from the expression graph; importers need them for algebraic loops."""

from __future__ import annotations

from symbody.codegen.program import Program
from symbody.expr.graph import needed
from symbody.expr.node import Expr


def dependencies(program: Program, output: str) -> list[set[str]]:
    """For each element of an output the variables it depends on: "x[0]", "u[1]", "t[0]"; also through the loops."""
    masks, names = _masks(program)
    return [{names[k] for k in range(len(names)) if masks[e] >> k & 1} for e in program.outputs[output].elements]


def _masks(program: Program) -> tuple[dict[Expr, int], list[str]]:
    """For each node one bit per variable; the unknowns of loops depend on all variables of the loops."""
    closure = program.closure
    unknown = f"{closure.unknowns}[" if closure else ""
    inside: set[str] = set()
    if closure:
        inside = {n.value for n in needed(closure.step) if n.op == "sym" and not _is(n, unknown)}
    nodes = needed([e for output in program.outputs.values() for e in output.elements])
    found = inside | {n.value for n in nodes if n.op == "sym" and not _is(n, unknown)}
    names = sorted(name for name in found if "[" in name)  # parameters are not array elements
    bit = {name: 1 << k for k, name in enumerate(names)}
    loops = sum(bit[name] for name in inside if name in bit)
    masks: dict[Expr, int] = {}
    for node in nodes:
        mask = loops if unknown and _is(node, unknown) else bit.get(node.value, 0) if node.op == "sym" else 0
        for argument in node.args:
            mask |= masks[argument]
        masks[node] = mask
    return masks, names


def _is(node: Expr, prefix: str) -> bool:
    return bool(prefix) and node.op == "sym" and node.value.startswith(prefix)
