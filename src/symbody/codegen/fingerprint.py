"""A name for a program by its content: programs with equal names have equal text in every language, with comments."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from symbody.codegen.cache import digest
from symbody.codegen.program import Program
from symbody.expr.node import CALLS, ZERO, Expr


def fingerprint(program: Program) -> str:
    """Computed from the graph in the order of its nodes, the order of the statements; much cheaper than the text."""
    nodes = program.nodes
    place = {node: i for i, node in enumerate(nodes)}

    origins: dict[str, int] = {}

    def places(expressions: Iterable[Expr]) -> list[int]:
        return [place[x] for x in expressions]

    def line(x: Expr) -> str:
        """A node as text; tuples would make the garbage collector scan the whole graph."""
        origin = origins.setdefault(x.origin, len(origins))
        value = "" if x.value is None else repr(_value(x))
        return f"{x.op} {origin} {' '.join([str(place[a]) for a in x.args])} {value}"

    graph = "\n".join([line(x) for x in nodes])
    outputs = [(name, y.shape, places(y.elements), y.gram and y.gram.spans) for name, y in program.outputs.items()]
    sides = [[places(xs) for xs in gram.sides().values()] for _, gram in program.grams]
    closure = program.closure and (repr(replace(program.closure, step=(ZERO,))), places(program.closure.step))
    facts = (program.name, program.model, program.summary, program.inputs, program.parameters, program.notes)
    return digest(graph, repr((list(origins), outputs, sides, closure, facts)))


def _value(x: Expr) -> Any:
    """The data of a node; for an external function, what the generated text contains of it."""
    if x.op not in CALLS:
        return x.value
    external, *rest = x.value
    return (external.name, external.inputs, external.outputs, external.source, *rest)
