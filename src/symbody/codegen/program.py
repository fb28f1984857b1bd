"""What is handed to a back end: named inputs, named outputs as expressions, live parameters with their values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import prod

from symbody.expr.graph import Operations, operations
from symbody.expr.node import Expr


@dataclass(frozen=True)
class Output:
    """An output array: its shape, and its elements in row-major order."""

    shape: tuple[int, ...]
    elements: tuple[Expr, ...]

    def __post_init__(self) -> None:
        assert len(self.elements) == prod(self.shape)


@dataclass(frozen=True)
class Input:
    """An input vector; its elements are the variables `name[0]`, `name[1]` …; an optional one defaults to zeros."""

    size: int
    optional: bool = False


@dataclass(frozen=True)
class Program:
    """One function to generate: y = f(inputs; parameters)."""

    name: str  # what it computes: "inverse", "dynamics" …
    model: str
    summary: str  # one line for the header: equation and units
    inputs: dict[str, Input]
    outputs: dict[str, Output]
    parameters: dict[str, float] = field(default_factory=dict)  # live ones, by name
    notes: tuple[str, ...] = ()  # choices made on the way, for the header and the reports

    @property
    def results(self) -> Sequence[Expr]:
        """All elements of all outputs, in order."""
        return [e for output in self.outputs.values() for e in output.elements]

    @property
    def operations(self) -> Operations:
        return operations(self.results)
