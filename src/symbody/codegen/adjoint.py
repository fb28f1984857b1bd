"""The adjoint of a program: what its inputs get of weights on its outputs, x̄ = Σ ȳᵢ ∂yᵢ/∂x, as a program of its own.

It is a program like any other, so that an adjoint has an adjoint: second derivatives need nothing else.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from symbody.codegen.program import Input, Output, Program
from symbody.expr.derive import adjoint
from symbody.expr.graph import symbols
from symbody.expr.node import VARIABLE, Expr, fresh_graph, variable
from symbody.expr.substitute import substituted


def weight_name(output: str) -> str:
    """The input of an adjoint that weighs an output."""
    return f"w_{output}"


def slope_output(name: str) -> str:
    """The output of an adjoint that belongs to an input."""
    return f"d_{name}"


def adjoint_program(program: Program, wrt: Sequence[str]) -> Program:
    """(inputs, ȳ) → x̄ of the inputs `wrt`, exact, through unknowns that Newton's method finds.

    Unknowns v with step(v, x) = J⁻¹h = 0: on the solution ∂step/∂v = 1, so that dv/dx = −∂step/∂x.
    """
    program = program.expanded()
    known = {x.value: x for x in symbols(program.expressions) if x.level == VARIABLE}
    with fresh_graph():
        inputs = {name: [_element(known, name, i) for i in range(program.inputs[name].size)] for name in wrt}
        sizes = {name: len(y.elements) for name, y in program.outputs.items()}
        values = list(program.results)
        weights = [variable(f"{weight_name(name)}[{i}]") for name, n in sizes.items() for i in range(n)]
        if program.closure:
            v = [_element(known, program.closure.unknowns, i) for i in range(program.closure.size)]
            v_bar = adjoint(values, weights, v)
            values, weights = [*values, *program.closure.step], [*weights, *-v_bar]
        slopes = iter(adjoint(values, weights, [x for elements in inputs.values() for x in elements]))
        outputs = {
            slope_output(name): Output((len(elements),), tuple(next(slopes) for _ in elements))
            for name, elements in inputs.items()
        }
    return replace(
        program,
        name=f"{program.name}_adjoint",
        summary=f"adjoint by {', '.join(wrt)} of: {program.summary}",
        inputs={**program.inputs, **{weight_name(name): Input(n) for name, n in sizes.items()}},
        outputs=outputs,
        notes=(),
    )


def _element(known: dict[str, Expr], array: str, i: int) -> Expr:
    """The symbol of an element; one that nothing depends on is new."""
    name = f"{array}[{i}]"
    return known[name] if name in known else variable(name)


def with_parameters(program: Program, names: Sequence[str], array: str = "p") -> Program:
    """The same program with some live parameters as an input, the last but a first guess: each state may have its own."""
    program = program.expanded()
    known = {x.value: x for x in symbols(program.expressions) if x.level != VARIABLE}
    with fresh_graph():
        given = {known[name]: variable(f"{array}[{i}]") for i, name in enumerate(names) if name in known}
        new = iter(substituted([*program.results, *(program.closure.step if program.closure else ())], given))
        outputs = {
            name: Output(y.shape, tuple(next(new) for _ in y.elements)) for name, y in program.outputs.items()
        }
        closure = program.closure and replace(program.closure, step=tuple(new))
    guess = {name: x for name, x in program.inputs.items() if closure and name == closure.start}
    plain = {name: x for name, x in program.inputs.items() if name not in guess}
    return replace(
        program,
        name=f"{program.name}_of_parameters",
        inputs={**plain, array: Input(len(names)), **guess},
        outputs=outputs,
        closure=closure,
        parameters={name: value for name, value in program.parameters.items() if name not in names},
    )
