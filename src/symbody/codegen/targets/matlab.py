"""A program as MATLAB or Octave: a function file, and one for the hoisted part if there are live parameters."""

from __future__ import annotations

from math import prod

from symbody.codegen.schedule import Schedule
from symbody.codegen.targets.c import runtime
from symbody.codegen.targets.header import function_name, header, parameter_lines
from symbody.codegen.targets.script import Dialect, body_lines, hoist_lines, iteration_lines
from symbody.expr.node import Expr

_FUNCTIONS = {"pow": "power"} | {op: f"{op}_" for op in ("sign", "min", "max", "lt", "le", "where")}


def matlab_sources(plan: Schedule) -> dict[str, str]:
    """File name → text."""
    program = plan.program
    name = function_name(program)
    (h,) = program.local_names("h")
    shapes = {k: v.shape for k, v in program.outputs.items()}

    def element(array: str, index: int) -> str:
        return f"{array}({_subscripts(shapes.get(array, ()), index)})"

    to = Dialect(element, _FUNCTIONS, _table, "%", ";")
    title = [f"% {line}".rstrip() for line in header(plan)]
    arguments = [*program.inputs, *([h] if plan.slots else [])]
    first = f"function [{', '.join(program.outputs)}] = {name}({', '.join(arguments)})"
    zeros = [f"    {k} = zeros({', '.join(map(str, s if len(s) > 1 else (prod(s), 1)))});" for k, s in shapes.items()]
    steps, loop = _closure(plan, to, arguments[len(program.inputs) :])
    ops = {node.op for node in program.nodes}
    helpers = [runtime("matlab.txt")] if any(op in _FUNCTIONS or op.startswith("table") for op in ops) else []
    lines = [*zeros, *loop, *body_lines(plan, to)]
    files = {f"{name}.m": "\n".join([first, *title, *lines, "end", "", *steps, *helpers])}
    if plan.slots:
        table = [f"% {line.replace('[', '(').replace(']', ')')}" for line in _from_one(parameter_lines(program))]
        lines = [f"    h = zeros({len(plan.slots)}, 1);", *hoist_lines(plan, to), "end", "", *helpers]
        head = [f"function h = {name}_hoist(p)", "% After a change of a parameter. Parameters, values in the model:"]
        files[f"{name}_hoist.m"] = "\n".join([*head, *table, *lines])
    return files


def _closure(plan: Schedule, to: Dialect, hoisted: list[str]) -> tuple[list[str], list[str]]:
    """The function of an iteration with its helper, and the line that finds the unknowns."""
    if plan.iteration is None:
        return [], []
    closure, d = plan.iteration.closure, plan.iteration.step
    name, x = f"{function_name(plan.program)}_step", plan.program.unknowns
    arguments = ", ".join([*plan.program.inputs, x, *hoisted])
    zeros = f"    {d} = zeros({closure.size}, 1);"
    function = [f"function {d} = {name}({arguments})", zeros, *iteration_lines(plan, to), "end", ""]
    call = f"@({x}) {name}({arguments}), {closure.start}, {closure.tolerance!r}, {closure.limit}"
    return [*function, runtime("newton_matlab.txt"), ""], [f"    {x} = newton_({call});"]


def _from_one(lines: list[str]) -> list[str]:
    """The lines of the parameter table, with indices from one."""
    return [f"p[{i}]{line[line.index(']') + 1 :]}" for i, line in enumerate(lines, start=1)]


def _subscripts(shape: tuple[int, ...], index: int) -> str:
    """Subscripts from one for an element with a row-major index from zero."""
    if len(shape) < 2:
        return str(index + 1)
    result: list[str] = []
    for n in reversed(shape):
        result.append(str(index % n + 1))
        index //= n
    return ", ".join(reversed(result))


def _table(node: Expr, arguments: list[str]) -> str:
    data = [f"[{' '.join(map(repr, axis))}]" for axis in node.value]
    return f"{node.op}_({', '.join([*data, *arguments])})"
