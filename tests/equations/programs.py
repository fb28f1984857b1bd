"""Evaluate a generated program straight from its graph, without a compiler."""

import numpy as np

from symbody.expr.graph import evaluate


def run(program, parameters=None, **inputs):
    """Outputs of a program as arrays; inputs not given are zero."""
    values = dict(program.parameters) | (parameters or {})
    for name, given in program.inputs.items():
        array = np.zeros(given.size) if inputs.get(name) is None else np.asarray(inputs[name])
        values |= {f"{name}[{i}]": x for i, x in enumerate(array)}
    program = program.expanded()
    flat = iter(evaluate(program.results, values))
    return {name: np.array([next(flat) for _ in o.elements]).reshape(o.shape) for name, o in program.outputs.items()}
