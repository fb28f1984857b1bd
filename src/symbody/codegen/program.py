"""The input of a back end: named inputs, named outputs as expressions, live parameters with their values."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import prod

from symbody.expr.external import External
from symbody.expr.graph import Operations, needed, operations
from symbody.expr.node import CALLS, ZERO, Expr, add, mul
from symbody.expr.node_table import fresh_graph


@dataclass(frozen=True)
class Gram:
    """Elements of a square symmetric output that are products of vectors of six: (i, j) = right[i]·left[j].

    For a large matrix of this kind a loop is better than a line for each element.
    """

    left: tuple[tuple[Expr, ...], ...]
    right: tuple[tuple[Expr, ...], ...]
    spans: tuple[tuple[int, int, int], ...]  # i, first j, one past the last j; j < i
    packed: bool = False  # whether the output is the lower half only, row by row

    @property
    def entries(self) -> list[tuple[int, int]]:
        """The indices (i, j) below the diagonal."""
        return [(i, j) for i, first, end in self.spans for j in range(first, end)]

    def places(self, i: int, j: int) -> list[int]:
        """Where the element (i, j) is in the output."""
        n = len(self.left)
        return [packed_place(i, j)] if self.packed else [i * n + j, j * n + i]

    @property
    def cost(self) -> Operations:
        """Operations of the products."""
        entries = sum(end - first for _, first, end in self.spans)
        return Operations(add=5 * entries, mul=6 * entries)

    def sides(self) -> dict[str, list[Expr]]:
        """The vectors component by component, so that a loop over j runs along memory."""
        both = {"left": self.left, "right": self.right}
        return {
            side: [x for component in zip(*vectors, strict=True) for x in component] for side, vectors in both.items()
        }


def packed_place(i: int, j: int) -> int:
    """Index of the element (i, j), j ≤ i, in the lower half of a symmetric matrix, row by row."""
    return i * (i + 1) // 2 + j


@dataclass(frozen=True)
class Output:
    """An output array: its shape, and its elements in row-major order; elements that a Gram fills are zero here."""

    shape: tuple[int, ...]
    elements: tuple[Expr, ...]
    gram: Gram | None = None

    def __post_init__(self) -> None:
        assert len(self.elements) == prod(self.shape)
        if self.gram:
            n = len(self.gram.left)
            assert self.shape == ((packed_place(n, 0),) if self.gram.packed else (n, n))

    @property
    def expressions(self) -> list[Expr]:
        """All expressions to compute: elements, and the vectors of the Gram."""
        return (
            [*self.elements, *(x for side in self.gram.sides().values() for x in side)]
            if self.gram
            else [*self.elements]
        )

    def covered(self) -> set[int]:
        """Indices that the Gram fills."""
        return {place for i, j in self.gram.entries for place in self.gram.places(i, j)} if self.gram else set()

    def expanded(self) -> Output:
        """The same output element by element."""
        if self.gram is None:
            return self
        elements = list(self.elements)
        for i, j in self.gram.entries:
            total = ZERO
            for a, b in zip(self.gram.right[i], self.gram.left[j], strict=True):
                total = add(total, mul(a, b))
            for place in self.gram.places(i, j):
                elements[place] = total
        return Output(self.shape, tuple(elements))


@dataclass(frozen=True)
class Input:
    """An input vector with the variables `name[0]`, `name[1]` …; an optional one defaults to zeros."""

    size: int
    optional: bool = False


@dataclass(frozen=True)
class Closure:
    """Unknowns that Newton's method finds first: x ← x − step(x), from a first guess that is an input."""

    unknowns: str  # their local array; in expressions they are the variables `x[0]`, `x[1]` … for unknowns="x"
    start: str  # the input with the first guess (same size); it is not changed
    step: tuple[Expr, ...]  # J⁻¹ r, with factors whose zeros cost nothing
    tolerance: float = 1e-8  # on the largest component of the last step, relative to 1 + |x|; its square remains
    limit: int = 25  # iterations

    def __post_init__(self) -> None:
        assert self.step

    @property
    def size(self) -> int:
        """Number of unknowns."""
        return len(self.step)

    @property
    def expressions(self) -> list[Expr]:
        """What an iteration computes."""
        return list(self.step)


@dataclass(frozen=True)
class Program:
    """One function to generate: y = f(inputs; parameters)."""

    name: str  # what it computes: "inverse", "dynamics" …
    model: str
    summary: str  # one line for the header: equation and units
    inputs: dict[str, Input]
    outputs: dict[str, Output]
    parameters: dict[str, float] = field(default_factory=dict)  # live ones, by name
    notes: tuple[str, ...] = ()  # choices made during generation, for the header and the reports
    closure: Closure | None = None

    def __post_init__(self) -> None:
        if self.closure:
            assert self.closure.unknowns not in self.inputs
            assert self.inputs[self.closure.start].size == self.closure.size

    @property
    def results(self) -> Sequence[Expr]:
        """All elements of all outputs, in order."""
        return [e for output in self.outputs.values() for e in output.elements]

    @property
    def expressions(self) -> list[Expr]:
        """All computed expressions: elements of the outputs, vectors that loops multiply, values of an iteration."""
        return [*_computed(self.outputs), *(self.closure.expressions if self.closure else ())]

    @cached_property
    def nodes(self) -> list[Expr]:
        """All nodes that are computed, each after its arguments."""
        return needed(self.expressions)

    @cached_property
    def externals(self) -> tuple[External, ...]:
        """The external functions that it calls, by name."""
        found = {node.value[0] for node in self.nodes if node.op in CALLS}
        result = sorted(found, key=lambda external: external.name)
        taken = [*self.inputs, *self.outputs, *(external.name for external in result)]
        for external in result:
            if taken.count(external.name) > 1:
                raise ValueError(f"{external.name!r} names an external function and something else in {self.name!r}")
        return tuple(result)

    @property
    def callbacks(self) -> list[External]:
        """The external functions in Python."""
        return [external for external in self.externals if external.kind == "python"]

    @property
    def grams(self) -> list[tuple[str, Gram]]:
        """Outputs that loops fill, by name."""
        return [(name, output.gram) for name, output in self.outputs.items() if output.gram]

    @property
    def operations(self) -> Operations:
        """Operations of one call; for the closure, of one iteration."""
        rest = operations_of(self.outputs)
        if self.closure is None:
            return rest
        hoisted = operations([*self.closure.expressions, *_computed(self.outputs)]).hoisted  # of both, once
        return replace(rest + operations(self.closure.expressions), hoisted=hoisted)

    def expanded(self) -> Program:
        """The same program without loops."""
        with fresh_graph():
            return replace(self, outputs={name: output.expanded() for name, output in self.outputs.items()})

    def local_names(self, *names: str) -> list[str]:
        """The names, made longer if an input, an output or the array of the unknowns has the same name."""
        taken = {*self.inputs, *self.outputs, *([self.unknowns] if self.closure else [])}
        taken |= {external.name for external in self.externals}
        return [_free(name, taken) for name in names]

    @property
    def unknowns(self) -> str:
        """The name of the array of the unknowns in generated text, where an output may have their name."""
        assert self.closure is not None
        return _free(self.closure.unknowns, {*self.inputs, *self.outputs, *(x.name for x in self.externals)})

    def place(self, x: Expr) -> tuple[str, int]:
        """Array and index of a variable."""
        array, index = x.value[:-1].split("[")
        return self.unknowns if self.closure and array == self.closure.unknowns else array, int(index)


def _free(name: str, taken: Collection[str]) -> str:
    while name in taken or (name == "t" and any(n[:1] == "t" and n[1:].isdigit() for n in taken)):
        name += "_"
    return name


def _computed(outputs: dict[str, Output]) -> list[Expr]:
    return [x for output in outputs.values() for x in output.expressions]


def operations_of(outputs: dict[str, Output]) -> Operations:
    """The cost of computing these outputs, including loops."""
    total = operations(_computed(outputs))
    for output in outputs.values():
        if output.gram:
            total += output.gram.cost
    return total
