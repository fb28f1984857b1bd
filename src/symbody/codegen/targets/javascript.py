"""A program as JavaScript: a module (.mjs) with the function, and the hoisted part if there are live parameters."""

from __future__ import annotations

from symbody.codegen.schedule import Schedule
from symbody.codegen.targets.c import runtime
from symbody.codegen.targets.header import function_name, header, parameter_lines
from symbody.codegen.targets.script import Dialect, body_lines, hoist_lines, iteration_lines
from symbody.expr.node import Expr

_MATH = (
    "sin", "cos", "tan", "asin", "acos", "atan", "atan2", "exp", "log", "tanh", "sqrt", "pow", "abs", "sign",
)  # fmt: skip
_FUNCTIONS = {op: f"Math.{op}" for op in _MATH} | {op: f"{op}_" for op in ("min", "max", "lt", "le", "where")}


def javascript_sources(plan: Schedule) -> dict[str, str]:
    """File name → text."""
    program = plan.program
    name = function_name(program)
    (h,) = program.local_names("h")
    to = Dialect(lambda a, i: f"{a}[{i}]", _FUNCTIONS, _table, "//", ";", "const ")
    inputs = [f"{k} = new Float64Array({v.size})" if v.optional else k for k, v in program.inputs.items()]
    hoisted = [h] if plan.slots else []
    zeros = [f"    const {k} = new Float64Array({len(v.elements)});" for k, v in program.outputs.items()]
    steps, loop = _closure(plan, to, hoisted)
    lines = [
        *(f"// {line}".rstrip() for line in header(plan)), runtime("javascript.txt"), *steps,
        f"export function {name}({', '.join([*inputs, *hoisted])}) {{", *zeros, *loop, *body_lines(plan, to),
        f"    return {{ {', '.join(program.outputs)} }};", "}",
    ]  # fmt: skip
    if plan.slots:
        lines += [
            "", "// After a change of a parameter. Parameters and their values in the model:",
            *(f"// {line}" for line in parameter_lines(program)), f"export function {name}_hoist(p) {{",
            f"    const h = new Float64Array({len(plan.slots)});", *hoist_lines(plan, to), "    return h;", "}",
        ]  # fmt: skip
    return {f"{name}.mjs": "\n".join(lines) + "\n"}


def _closure(plan: Schedule, to: Dialect, hoisted: list[str]) -> tuple[list[str], list[str]]:
    """The function of an iteration with its helper, and the line that finds the unknowns."""
    if plan.iteration is None:
        return [], []
    closure, d = plan.iteration.closure, plan.iteration.step
    name, x = f"{function_name(plan.program)}_step", plan.program.unknowns
    arguments = ", ".join([*plan.program.inputs, x, *hoisted])
    zeros = f"    const {d} = new Float64Array({closure.size});"
    function = [f"function {name}({arguments}) {{", zeros, *iteration_lines(plan, to), f"    return {d};", "}", ""]
    call = f"({x}) => {name}({arguments}), {closure.start}, {closure.tolerance!r}, {closure.limit}"
    return [runtime("newton_javascript.txt"), *function], [f"    const {x} = newton_({call});"]


def _table(node: Expr, arguments: list[str]) -> str:
    data = [f"[{', '.join(map(repr, axis))}]" for axis in node.value]
    return f"{node.op}_({', '.join([*data, *arguments])})"
