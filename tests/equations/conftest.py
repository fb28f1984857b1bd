"""Shared: evaluate a generated program straight from its graph, without a compiler."""

from pathlib import Path

import numpy as np
import pytest

from symbody.expr.graph import evaluate

ROBOTRAN = Path(__file__).resolve().parents[3] / "shared" / "robotran"


def run(program, parameters=None, **inputs):
    """Outputs of a program as arrays; inputs not given are zero."""
    values = dict(program.parameters) | (parameters or {})
    for name, given in program.inputs.items():
        array = np.zeros(given.size) if inputs.get(name) is None else np.asarray(inputs[name])
        values |= {f"{name}[{i}]": x for i, x in enumerate(array)}
    flat = iter(evaluate(program.results, values))
    return {name: np.array([next(flat) for _ in o.elements]).reshape(o.shape) for name, o in program.outputs.items()}


@pytest.fixture(params=["suspension", "coman", "coman_skywalker"])
def public_model(request):
    """Three published model files, read where they lie; absent in most checkouts."""
    path = ROBOTRAN / f"{request.param}.mbs"
    if not path.exists():
        pytest.skip("the published model files are not beside this checkout")
    from symbody.model import load

    return load(path)
