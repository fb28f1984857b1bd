"""symbody: from a drawing of bodies and joints to compiled equations.

import symbody as sb

m = sb.load("arm.urdf")                 # or .xacro, .sdf, MJCF, .yaml, .mbs, or built in Python with sb.Model
f = sb.compile(m, "inverse")
Q = f(q, qd, qdd)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from symbody.errors import (
    AssemblyError,
    ChannelError,
    CompileError,
    DivergenceError,
    DroppedWarning,
    EnergyError,
    EnergyWarning,
    IdleWarning,
    LimitError,
    ModelError,
    ParameterError,
    SingularityError,
    SymbodyError,
)
from symbody.late_modules import late_names, register_late
from symbody.version import VERSION

if TYPE_CHECKING:
    from symbody import machines
    from symbody.analysis.balance import energy_balance
    from symbody.analysis.base_parameters import base_parameters
    from symbody.analysis.coupling import simulate_weakly
    from symbody.analysis.equilibrium import equilibrium
    from symbody.analysis.fit import fit
    from symbody.analysis.identify import excitation, identify
    from symbody.analysis.modal import modal
    from symbody.analysis.optimise import optimise
    from symbody.analysis.pressures import holding_forces, static_pressures
    from symbody.analysis.sensitivity import finite_differences, sensitivity, sensitivity_system
    from symbody.analysis.simulate import (
        integrate_adaptive as integrate_adaptive,  # deprecated: `simulate` takes every method
    )
    from symbody.analysis.simulate import simulate
    from symbody.analysis.sweep import monte_carlo, sweep
    from symbody.analysis.trajectory import follow
    from symbody.analysis.violation import constraint_violation, velocity_violation
    from symbody.codegen.function import Function
    from symbody.equations.compile import compile
    from symbody.equations.law_text import save
    from symbody.estimation.estimate import estimate
    from symbody.estimation.noisy_sensor import NoisySensor
    from symbody.export import export_c, export_fmu, export_octave
    from symbody.expr import functions
    from symbody.model.body import Body, Joint
    from symbody.model.check import check, warnings
    from symbody.model.circuit import Circuit
    from symbody.model.files import load
    from symbody.model.law import c_law, numeric
    from symbody.model.model import Model
    from symbody.results.run import Run
    from symbody.stepping.events import Event
    from symbody.stepping.newton import Newton
    from symbody.stepping.stepper import Stepper, stepper
    from symbody.system.assembly import assemble
    from symbody.system.sensitivity import Objective
    from symbody.system.system import System, system
    from symbody.units import si
    from symbody.visual.circuit_drawing import save_circuit

    def __getattr__(name: str) -> Any: ...  # the other doors; `sb.studio` is a module that can be called


__version__ = VERSION

# Where each name is; all of them together would take a third of a second to import.
_HOMES = {
    "analysis.balance": "energy_balance",
    "analysis.base_parameters": "base_parameters",
    "analysis.coupling": "simulate_weakly",
    "analysis.equilibrium": "equilibrium",
    "analysis.fit": "fit",
    "analysis.identify": "excitation identify",
    "analysis.modal": "modal",
    "analysis.optimise": "optimise",
    "analysis.pressures": "holding_forces static_pressures",
    "analysis.sensitivity": "finite_differences sensitivity sensitivity_system",
    "analysis.simulate": "integrate_adaptive simulate",
    "analysis.sweep": "monte_carlo sweep",
    "analysis.trajectory": "follow",
    "analysis.violation": "constraint_violation velocity_violation",
    "codegen.function": "Function",
    "equations.compile": "compile",
    "equations.law_text": "save",
    "estimation.estimate": "estimate",
    "estimation.noisy_sensor": "NoisySensor",
    "export": "export_c export_fmu export_octave",
    "model.body": "Body Joint",
    "model.check": "check warnings",
    "model.circuit": "Circuit",
    "model.files": "load",
    "model.law": "c_law numeric",
    "model.model": "Model",
    "results.run": "Run",
    "stepping.events": "Event",
    "stepping.newton": "Newton",
    "stepping.stepper": "Stepper stepper",
    "system.assembly": "assemble",
    "system.sensitivity": "Objective",
    "system.system": "System system",
    "units": "si",
    "visual.circuit_drawing": "save_circuit",
}
_DOORS = {name: name for name in ("bridges", "elements", "machines", "realtime", "studio")}  # the other ones
late_names(__name__, _HOMES, {**_DOORS, "functions": "expr.functions"})
register_late("drawings", "symbody.visual.animate", "symbody.visual.plots")  # what `run.animate` and `run.plot` call
register_late("services", "symbody.equations.law_text", "symbody.system.freedoms")  # of pickling and printing a model

__all__ = [
    "AssemblyError",
    "Body",
    "ChannelError",
    "Circuit",
    "CompileError",
    "DivergenceError",
    "DroppedWarning",
    "EnergyError",
    "EnergyWarning",
    "Event",
    "Function",
    "IdleWarning",
    "Joint",
    "LimitError",
    "Model",
    "ModelError",
    "Newton",
    "NoisySensor",
    "Objective",
    "ParameterError",
    "Run",
    "SingularityError",
    "Stepper",
    "SymbodyError",
    "System",
    "assemble",
    "base_parameters",
    "c_law",
    "check",
    "compile",
    "constraint_violation",
    "energy_balance",
    "equilibrium",
    "estimate",
    "excitation",
    "export_c",
    "export_fmu",
    "export_octave",
    "finite_differences",
    "fit",
    "follow",
    "functions",
    "holding_forces",
    "identify",
    "load",
    "machines",
    "modal",
    "monte_carlo",
    "numeric",
    "optimise",
    "save",
    "save_circuit",
    "sensitivity",
    "sensitivity_system",
    "si",
    "simulate",
    "simulate_weakly",
    "static_pressures",
    "stepper",
    "sweep",
    "system",
    "velocity_violation",
    "warnings",
]
