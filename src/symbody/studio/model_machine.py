"""Any model as a machine: what is not said of it is taken from the model itself."""

from __future__ import annotations

from collections.abc import Mapping

from symbody.model.model import Model
from symbody.studio.machine import Machine
from symbody.studio.pull import INPUTS, pullable
from symbody.system.by_name import parameters_and_inputs, require_known
from symbody.system.system import system


def model_machine(model: Model, rate: float, method: str | None, values: Mapping[str, float]) -> Machine:
    """Any model as a machine: no controls, a hand for every body, inputs that never grow old."""
    s = system(pullable(model))
    require_known(values, [*s.parameters, *(name for name in s.inputs if name not in INPUTS)], "parameter or input")
    parameters, inputs = parameters_and_inputs(s, values)
    s.parameters.update(parameters)
    for name, value in inputs.items():
        s.u0[s.inputs.index(name)] = value
    return Machine(model.name, s, rate, method)
