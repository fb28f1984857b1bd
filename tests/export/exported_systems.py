"""Systems that are exported, and numbers that are not those of their models."""

from functools import cache

from symbody import machines
from symbody.system.system import System, system

MODELS = ["double-pendulum", "four-bar", "quarter-car", "stewart"]
CHANGED = {  # parameters, inputs
    "double-pendulum": ({"L1": 0.42, "m2": 1.1}, {}),
    "four-bar": ({"friction": 0.01, "coupler_length": 0.26}, {"torque": 0.15}),
    "quarter-car": ({"k_strut": 25000.0, "c_strut": 1200.0}, {"road": 0.02}),
    "stewart": ({}, {"f1": 760.0, "f4": 700.0}),
    "bicycle": ({"lean_rate": 0.2}, {}),
}


@cache
def made(name: str) -> System:
    return system(machines.open(name))
