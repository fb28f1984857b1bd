"""Any model as a machine: what is not said of it is taken from the model itself."""

from __future__ import annotations

from collections.abc import Mapping

from symbody.errors import ModelError
from symbody.model.model import Model
from symbody.studio.arrows import arrow_outputs
from symbody.studio.machine import Machine
from symbody.studio.pull import INPUTS, pullable
from symbody.system.channels import USUAL
from symbody.system.system import system


def model_machine(model: Model, rate: float, method: str | None, values: Mapping[str, float]) -> Machine:
    """Any model as a machine: no controls, a hand for every body, inputs that never grow old."""
    pulled = pullable(model)
    s = system(pulled, outputs=[USUAL, *arrow_outputs(pulled)])
    given = dict(zip(s.inputs, map(float, s.u0), strict=True))
    for name, value in values.items():
        if name in given and name not in INPUTS:
            s.u0[s.inputs.index(name)] = value
        elif name in s.parameters:
            s.parameters[name] = value
        else:
            known = ", ".join([*(n for n in given if n not in INPUTS), *s.parameters]) or "none"
            raise ModelError("no such parameter or input", element=name, cure=f"they are {known}")
    return Machine(model.name, s, rate, method)
