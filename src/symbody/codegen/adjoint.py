"""The adjoint of a program as another program: the gradient x̄ = Σ ȳᵢ ∂yᵢ/∂x of its inputs for weights ȳ of outputs.

It is an ordinary program, so an adjoint has an adjoint: second derivatives need nothing else.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from symbody.codegen.program import Input, Output, Program
from symbody.expr.derive import adjoint
from symbody.expr.graph import needed, symbols
from symbody.expr.node import PARAMETER, VARIABLE, Expr, parameter, variable
from symbody.expr.node_table import fresh_graph
from symbody.expr.substitute import substituted
from symbody.expr.vector import variables

TAPE = "tape"  # values that a function stores for its adjoint
EXPENSIVE = ("sin", "cos", "tan", "asin", "acos", "atan", "atan2", "exp", "log", "tanh", "pow", "sqrt")


def weight_name(output: str) -> str:
    """The input of an adjoint that has the weights of an output."""
    return f"w_{output}"


def slope_output(name: str) -> str:
    """The output of an adjoint that belongs to an input."""
    return f"d_{name}"


def adjoint_program(program: Program, wrt: Sequence[str]) -> Program:
    """(inputs, ȳ) → x̄ of the inputs `wrt`, exact, through unknowns that Newton's method finds.

    Unknowns v with step(v, x) = J⁻¹h = 0: at the solution ∂step/∂v = 1, so dv/dx = −∂step/∂x.
    """
    with fresh_graph():
        return _adjoint(_rebuilt_in_one_graph(program), wrt)


def taped_programs(program: Program, wrt: Sequence[str]) -> tuple[Program, Program]:
    """The outputs with a tape, and (inputs, ȳ, tape) → x̄. The tape has expensive results: unknowns of loops.

    Cheap results are computed again, because storing a number costs memory traffic.
    """
    with fresh_graph():
        forward = _rebuilt_in_one_graph(program)
        backward = _adjoint(forward, wrt)
        unknowns = [*variables(forward.closure.unknowns, forward.closure.size)] if forward.closure else []
        weighted = set(symbols(backward.results)) - set(symbols(forward.expressions))
        nodes, stored = needed(backward.results), list(unknowns)
        for node in nodes:
            if any(a in weighted for a in node.args):
                weighted.add(node)
            elif node.op in EXPENSIVE and node.level == VARIABLE:
                stored.append(node)
        tape = dict(zip(stored, variables(TAPE, len(stored)), strict=True))
        guess = {forward.closure.start} if forward.closure else set()
        inputs = {name: x for name, x in backward.inputs.items() if name not in guess} | {TAPE: Input(len(stored))}
        backward = replace(_over(replace(backward, closure=None), tape), name=f"{backward.name}_taped", inputs=inputs)
        outputs = {**forward.outputs, TAPE: Output((len(stored),), tuple(stored))}
    return replace(forward, name=f"{program.name}_with_tape", outputs=outputs), backward


def _rebuilt_in_one_graph(program: Program) -> Program:
    """The program, built again in one graph, so that the derivative of a sine finds the existing cosine."""
    program, symbol_of = program.expanded(), {VARIABLE: variable, PARAMETER: parameter}
    return _over(program, {x: symbol_of[x.level](x.value) for x in symbols(program.expressions)})


def _adjoint(program: Program, wrt: Sequence[str]) -> Program:
    """The adjoint of a program, in its graph."""
    inputs = {name: variables(name, program.inputs[name].size) for name in wrt}
    sizes = {name: len(y.elements) for name, y in program.outputs.items()}
    values = list(program.results)
    weights = [w for name, n in sizes.items() for w in variables(weight_name(name), n)]
    if program.closure:
        v_bar = adjoint(values, weights, variables(program.closure.unknowns, program.closure.size))
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


def with_parameters(program: Program, names: Sequence[str], array: str = "p") -> Program:
    """The same program with some live parameters as an input before the first guess: each state may have its own."""
    program = program.expanded()
    known = {x.value: x for x in symbols(program.expressions) if x.level == PARAMETER}
    with fresh_graph():
        given = {known[name]: variable(f"{array}[{i}]") for i, name in enumerate(names) if name in known}
        made = _over(program, given)
    guess = {name: x for name, x in program.inputs.items() if made.closure and name == made.closure.start}
    plain = {name: x for name, x in program.inputs.items() if name not in guess}
    return replace(
        made,
        name=f"{program.name}_of_parameters",
        inputs={**plain, array: Input(len(names)), **guess},
        parameters={name: value for name, value in program.parameters.items() if name not in names},
    )


def _over(program: Program, given: Mapping[Expr, Expr]) -> Program:
    """The same program with symbols replaced, built again in the present graph."""
    new = iter(substituted([*program.results, *(program.closure.step if program.closure else ())], given))
    outputs = {name: Output(y.shape, tuple(next(new) for _ in y.elements)) for name, y in program.outputs.items()}
    return replace(program, outputs=outputs, closure=program.closure and replace(program.closure, step=tuple(new)))
