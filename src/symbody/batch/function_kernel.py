"""The text of a kernel that evaluates a function at many states, in CUDA."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from symbody.codegen.program import Program
from symbody.codegen.targets.c import PART, runtime
from symbody.codegen.targets.kernel import kernel_programs, kernel_text


class FunctionKernel(NamedTuple):
    """A kernel that evaluates a function at many states."""

    text: str
    parameters: Sequence[str]
    hoisted: int  # number of values that depend on parameters only


def function_kernel(program: Program, precision: str = "double", part: int = PART, deep: bool = True) -> FunctionKernel:
    """Loads of all inputs, the function, stores of all outputs: a thread for each state."""
    (made,) = kernel_programs([program], precision, part, deep)
    inputs = [(f"in{i}", x.size) for i, x in enumerate(program.inputs.values())]
    outputs = [(f"out{i}", len(y.elements)) for i, y in enumerate(program.outputs.values())]
    lines = [f"    real {name}[ROOM({size})];" for name, size in inputs + outputs]
    for i, (name, size) in enumerate(inputs):
        lines += [f"    EACH(k, {size})", f"        {name}[k] = b->in[{i}][b->in_row[{i}]*i + b->in_column[{i}]*k];"]
    passed = ", ".join([name for name, _ in inputs] + ["h"] + [name for name, _ in outputs])
    lines.append(f"    EVALUATE({passed});")
    for i, (name, size) in enumerate(outputs):
        lines += [f"    EACH(k, {size})", f"        b->out[{i}][b->out_row[{i}]*i + b->out_column[{i}]*k] = {name}[k];"]
    defined = {"NIN": len(inputs), "NOUT": len(outputs), "PER_STATE": 0}
    title, frame = (
        f"{program.model} {program.name}",
        {"CALLS": [made.macro("EVALUATE")], "STATE": lines, "HOIST": [made.hoist("h")]},
    )
    text = kernel_text(title, [made], defined, frame, runtime("evaluate.h.in"), precision)
    return FunctionKernel(text, list(program.parameters), made.slots)
