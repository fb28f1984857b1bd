"""Functions that cannot be written as expressions: numeric Python, or C source; their calls are nodes of the graph."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from symbody.expr.node import Expr, node_of

STEP = 6e-6  # of central differences, relative to 1 + |x|: the cube root of the rounding unit
Call = tuple["External", tuple[Expr, ...], int | None]  # function, arguments, argument for derivatives


@dataclass(frozen=True, eq=False)  # compared by identity, because a Python function may have no hash
class External:
    """y = f(x) from `inputs` to `outputs` numbers, by a Python function or by C that defines void name(x, y)."""

    name: str  # a C identifier, unique in a program
    inputs: int
    outputs: int
    function: Callable[..., Any] | None = None  # of `inputs` floats; returns a float or a sequence of `outputs` floats
    source: str = ""  # C99: void name(const double *x, double *y), and what it needs

    def __post_init__(self) -> None:
        if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", self.name):
            raise ValueError(f"the name of an external function, {self.name!r}, is not a C identifier")
        if self.inputs < 1 or self.outputs < 1:
            raise ValueError(f"the external function {self.name!r} needs at least one input and one output")
        if (self.function is None) == (not self.source):
            raise ValueError(f"the external function {self.name!r} needs either a Python function or C source")
        defined = re.search(rf"(static\s+(?:inline\s+)?)?\bvoid\s+{self.name}\s*\(", self.source)
        if self.source and (defined is None or defined[1]):
            wanted = f"void {self.name}(const double *x, double *y), not static"
            raise ValueError(f"the C source of the external function {self.name!r} must define {wanted}")

    @property
    def kind(self) -> str:
        """The language: "python" or "c"."""
        return "python" if self.function is not None else "c"


def call(external: External, args: Sequence[Expr]) -> list[Expr]:
    """The outputs of an external function at these arguments."""
    if len(args) != external.inputs:
        raise ValueError(f"the external function {external.name!r} takes {external.inputs} numbers, not {len(args)}")
    return [node_of("call", tuple(args), (external, k)) for k in range(external.outputs)]


def call_slope(node: Expr, j: int) -> Expr:
    """∂/∂x[j] of an output of an external function."""
    external, k = node.value
    return node_of("call_slope", node.args, (external, k, j))


def call_of(node: Expr) -> Call:
    """The call that gives a node; the nodes of all outputs share it."""
    return node.value[0], node.args, node.value[2] if node.op == "call_slope" else None


def values_of(external: External, x: Sequence[Any], along: int | None = None) -> list[float]:
    """Numbers from a Python function: its outputs, or their derivatives along an argument by a central difference."""
    if along is None:
        return _outputs(external, x)
    step = STEP * (1.0 + abs(x[along]))
    low, high = x[along] - step, x[along] + step
    below, above = (_outputs(external, [*x[:along], v, *x[along + 1 :]]) for v in (low, high))
    return [(b - a) / (high - low) for a, b in zip(below, above, strict=True)]


def _outputs(external: External, x: Sequence[Any]) -> list[float]:
    if external.function is None:
        raise ValueError(f"the external function {external.name!r} is C source, which only compiled code can call")
    if any(isinstance(v, complex) for v in x):
        raise ValueError(f"the external function {external.name!r} takes real numbers, not complex ones")
    result = external.function(*x)
    try:
        values = list(result)
    except TypeError:
        values = [result]
    if len(values) != external.outputs:
        wanted = f"{external.outputs} numbers, not {len(values)}"
        raise ValueError(f"the external function {external.name!r} must return {wanted}")
    try:
        return [float(v) for v in values]
    except (TypeError, ValueError) as problem:
        raise ValueError(f"the external function {external.name!r} returned {result!r} instead of numbers") from problem
