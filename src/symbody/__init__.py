"""symbody: from a drawing of bodies and joints to compiled equations.

import symbody as sb

m = sb.load("arm.urdf")                 # or .yaml, .mbs, or built in Python with sb.Model
f = sb.compile(m, "inverse")
Q = f(q, qd, qdd)
"""

from symbody.analysis.base_parameters import base_parameters
from symbody.analysis.equilibrium import equilibrium
from symbody.analysis.identify import excitation, identify
from symbody.analysis.modal import modal
from symbody.analysis.optimise import optimise
from symbody.analysis.sensitivity import sensitivity
from symbody.analysis.simulate import simulate
from symbody.analysis.sweep import monte_carlo, sweep
from symbody.analysis.trajectory import follow
from symbody.equations.compile import compile
from symbody.equations.law_text import save
from symbody.errors import (
    AssemblyError,
    CompileError,
    DivergenceError,
    LimitError,
    ModelError,
    SingularityError,
    SymbodyError,
)
from symbody.expr import functions
from symbody.model import Joint, Model, load
from symbody.model.law import c_law, numeric
from symbody.results.run import Run
from symbody.stepping.events import Event
from symbody.stepping.implicit_step import Newton
from symbody.stepping.variable_step import integrate_adaptive
from symbody.system.assembly import assemble
from symbody.system.sensitivity import Objective
from symbody.system.system import System, system
from symbody.version import VERSION
from symbody.visual import animate as _animate  # registers what `run.animate` calls
from symbody.visual import plots as _plots  # registers what `run.plot` calls

_DRAWING = (_animate, _plots)
__version__ = VERSION

__all__ = [
    "AssemblyError",
    "CompileError",
    "DivergenceError",
    "Event",
    "Joint",
    "LimitError",
    "Model",
    "ModelError",
    "Newton",
    "Objective",
    "Run",
    "SingularityError",
    "SymbodyError",
    "System",
    "assemble",
    "base_parameters",
    "c_law",
    "compile",
    "equilibrium",
    "excitation",
    "follow",
    "functions",
    "identify",
    "integrate_adaptive",
    "load",
    "modal",
    "monte_carlo",
    "numeric",
    "optimise",
    "save",
    "sensitivity",
    "simulate",
    "sweep",
    "system",
]
