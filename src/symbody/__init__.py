"""symbody: from a drawing of bodies and joints to compiled equations.

import symbody as sb

m = sb.load("arm.urdf")                 # or .xacro, .sdf, MJCF, .yaml, .mbs, or built in Python with sb.Model
f = sb.compile(m, "inverse")
Q = f(q, qd, qdd)
"""

from symbody.lazy_imports import lazy_names, register_lazy
from symbody.version import VERSION as __version__  # noqa: F401

# Every public name by the module that defines it. Names are imported when first used: all together take 0.3 s.
# Type checkers read __init__.pyi, which tests/stubs.py writes from this table.
_NAMES = {
    "analysis.balance": "energy_balance",
    "analysis.base_parameters": "base_parameters",
    "analysis.coupling": "block_systems simulate_weakly",
    "analysis.energy_account": "EnergyCheck",
    "analysis.equilibrium": "equilibrium",
    "analysis.fit": "fit",
    "analysis.identify": "excitation identify",
    "analysis.inverse_kinematics": "PoseTarget Reached inverse_kinematics",
    "analysis.modal": "modal",
    "analysis.optimise": "optimise",
    "analysis.pressures": "holding_forces static_pressures",
    "analysis.rollout_file": "batch_to_parquet",
    "analysis.sensitivity": "finite_differences sensitivity sensitivity_system",
    "analysis.simulate": "simulate",
    "analysis.sweep": "monte_carlo sweep",
    "analysis.trajectory": "follow",
    "analysis.violation": "constraint_violation velocity_violation",
    "batch.of_system": "batch",
    "codegen.function": "Function",
    "editor.launch": "edit",
    "equations.compile": "compile",
    "equations.law_text": "save",
    "errors": "AssemblyError ChannelError CompileError DivergenceError DroppedWarning EnergyError EnergyWarning"
    " IdleWarning LimitError ModelError ParameterError PenaltyWarning ReachError ReachWarning"
    " SingularityError SizeWarning SymbodyError",
    "estimation.estimate": "estimate",
    "estimation.noisy_sensor": "NoisySensor",
    "export": "export_c export_fmu export_octave",
    "files.formats": "load",
    "model.body": "Body Joint",
    "model.check": "check warnings",
    "model.circuit": "Circuit",
    "model.law": "c_law numeric",
    "model.model": "Model",
    "results.run": "Run",
    "stepping.events": "Event",
    "stepping.newton": "Newton",
    "stepping.step_options": "FixedStep VariableStep",
    "stepping.stepper": "Stepper stepper",
    "system.assembly": "assemble",
    "system.sensitivity": "Objective",
    "system.system": "System system",
    "terrain.soil.material": "Soil",
    "terrain.soil.terrain": "Terrain",
    "terrain.soil.tool_shape": "ToolBox",
    "units": "si",
    "visual.circuit_drawing": "save_circuit",
}
_MODULES = (
    "bridges", "elements", "estimation", "expr.functions", "files", "haptics", "links", "machines", "motion",
    "realtime", "scenario", "studio", "terrain", "web",
)  # fmt: skip

_DEPRECATED = {"analysis.deprecated": "integrate_adaptive"}

__all__ = lazy_names(__name__, _NAMES, _MODULES, _DEPRECATED)

register_lazy("drawings", "symbody.visual.animate", "symbody.visual.plots")  # used by `run.animate` and `run.plot`
register_lazy("services", "symbody.equations.law_text", "symbody.system.freedoms")  # used to pickle and print a model
