"""A program as Python: the text works on floats, and with `m = arrays()` on arrays with one entry for each state."""

from __future__ import annotations

from symbody.codegen.schedule import Schedule
from symbody.codegen.targets.c import runtime
from symbody.codegen.targets.header import function_name, header, parameter_lines
from symbody.codegen.targets.script import Dialect, body_lines, hoist_lines, iteration_lines
from symbody.expr.node import Expr

_CALLED = (
    "sin", "cos", "tan", "asin", "acos", "atan", "atan2", "exp", "log", "tanh", "sqrt", "pow", "abs",
    "sign", "min", "max", "lt", "le", "where",
)  # fmt: skip


def python_source(plan: Schedule) -> str:
    """The module: the function, and the hoisted part if there are live parameters."""
    program = plan.program
    name = function_name(program)
    tables: dict[tuple[object, ...], str] = {}

    def table(node: Expr, arguments: list[str]) -> str:
        data = tables.setdefault(node.value, f"TABLE{len(tables)}")
        return f"_{node.op}({', '.join([m, data, *arguments])})"

    h, m = program.local_names("h", "m")
    to = Dialect(lambda a, i: f"{a}[{i}]", {op: f"{m}.{op}" for op in _CALLED}, table, "#")
    hoisted = [h] if plan.slots else []
    steps, loop = _closure(plan, to, hoisted, m)
    body = [f"    {k} = [0.0]*{len(v.elements)}" for k, v in program.outputs.items()] + loop + body_lines(plan, to)
    arguments = [*program.inputs, *hoisted, f"{m}=FLOATS"]
    text = _functions(name, arguments, [*body, f"    return {', '.join(program.outputs)}"], plan, to, m)
    title = "\n".join(line.replace("\\", "\\\\").replace('"""', "'''") for line in header(plan))
    imports = "import math\nfrom bisect import bisect_right\nfrom types import SimpleNamespace"
    data = [f"{array} = {value!r}" for value, array in tables.items()]
    return "\n\n".join([f'"""{title}\n"""', imports, *data, "", runtime("python.txt"), *steps, text]) + "\n"


def _closure(plan: Schedule, to: Dialect, hoisted: list[str], m: str) -> tuple[list[str], list[str]]:
    """The function of an iteration with its helpers, and the line that finds the unknowns."""
    if plan.iteration is None:
        return [], []
    closure, d = plan.iteration.closure, plan.iteration.step
    name, x = f"{function_name(plan.program)}_step", plan.program.unknowns
    arguments = ", ".join([*plan.program.inputs, x, *hoisted, m])
    lines = [f"    {d} = [0.0]*{closure.size}", *iteration_lines(plan, to)]
    function = "\n".join([f"def {name}({arguments}):", *lines, f"    return {d}"])
    call = f"lambda {x}: {name}({arguments}), {closure.start}, {closure.tolerance!r}, {closure.limit}"
    return ["\n" + runtime("newton_python.txt"), "\n" + function + "\n"], [f"    {x} = _newton({call})"]


def _functions(name: str, arguments: list[str], body: list[str], plan: Schedule, to: Dialect, m: str) -> str:
    text = "\n".join([f"def {name}({', '.join(arguments)}):", *body])
    if plan.slots:
        table = "\n".join(f"# {line}" for line in parameter_lines(plan.program))
        size = len(plan.slots)
        lines = [f"    h = [0.0]*{size}", *hoist_lines(plan, to), "    return h"]
        text += f"\n\n\n# After a change of a parameter. Parameters and their values in the model:\n{table}\n"
        text += "\n".join([f"def {name}_hoist(p, {m}=FLOATS):", *lines])
    return text
