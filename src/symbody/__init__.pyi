# Written by tests/stubs.py from the table in __init__.py.
from typing import Any

from symbody import bridges as bridges
from symbody import elements as elements
from symbody import estimation as estimation
from symbody import files as files
from symbody import haptics as haptics
from symbody import links as links
from symbody import machines as machines
from symbody import motion as motion
from symbody import realtime as realtime
from symbody import scenario as scenario
from symbody import terrain as terrain
from symbody import web as web
from symbody.analysis.balance import energy_balance
from symbody.analysis.base_parameters import base_parameters
from symbody.analysis.coupling import block_systems, simulate_weakly
from symbody.analysis.energy_account import EnergyCheck
from symbody.analysis.equilibrium import equilibrium
from symbody.analysis.fit import fit
from symbody.analysis.identify import excitation, identify
from symbody.analysis.inverse_kinematics import PoseTarget, Reached, inverse_kinematics
from symbody.analysis.modal import modal
from symbody.analysis.optimise import optimise
from symbody.analysis.pressures import holding_forces, static_pressures
from symbody.analysis.rollout_file import batch_to_parquet
from symbody.analysis.sensitivity import finite_differences, sensitivity, sensitivity_system
from symbody.analysis.simulate import simulate
from symbody.analysis.sweep import monte_carlo, sweep
from symbody.analysis.trajectory import follow
from symbody.analysis.violation import constraint_violation, velocity_violation
from symbody.batch.of_system import batch
from symbody.codegen.function import Function
from symbody.editor.launch import edit
from symbody.equations.compile import compile
from symbody.equations.law_text import save
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
    PenaltyWarning,
    ReachError,
    ReachWarning,
    SingularityError,
    SizeWarning,
    SymbodyError,
)
from symbody.estimation.estimate import estimate
from symbody.estimation.noisy_sensor import NoisySensor
from symbody.export import export_c, export_fmu, export_octave
from symbody.expr import functions as functions
from symbody.files.formats import load
from symbody.model.body import Body, Joint
from symbody.model.check import check, warnings
from symbody.model.circuit import Circuit
from symbody.model.law import c_law, numeric
from symbody.model.model import Model
from symbody.results.run import Run
from symbody.stepping.events import Event
from symbody.stepping.newton import Newton
from symbody.stepping.step_options import FixedStep, VariableStep
from symbody.stepping.stepper import Stepper, stepper
from symbody.system.assembly import assemble
from symbody.system.sensitivity import Objective
from symbody.system.system import System, system
from symbody.terrain.soil.material import Soil
from symbody.terrain.soil.terrain import Terrain
from symbody.terrain.soil.tool_shape import ToolBox
from symbody.units import si
from symbody.visual.circuit_drawing import save_circuit

__version__: str
studio: Any

__all__ = [
    "AssemblyError",
    "Body",
    "ChannelError",
    "Circuit",
    "CompileError",
    "DivergenceError",
    "DroppedWarning",
    "EnergyCheck",
    "EnergyError",
    "EnergyWarning",
    "Event",
    "FixedStep",
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
    "PenaltyWarning",
    "PoseTarget",
    "ReachError",
    "ReachWarning",
    "Reached",
    "Run",
    "SingularityError",
    "SizeWarning",
    "Soil",
    "Stepper",
    "SymbodyError",
    "System",
    "Terrain",
    "ToolBox",
    "VariableStep",
    "assemble",
    "base_parameters",
    "batch",
    "batch_to_parquet",
    "block_systems",
    "c_law",
    "check",
    "compile",
    "constraint_violation",
    "edit",
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
    "holding_forces",
    "identify",
    "inverse_kinematics",
    "load",
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
