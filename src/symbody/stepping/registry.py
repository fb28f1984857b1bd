"""The methods by name: everything that lists, chooses or explains methods reads this table."""

from __future__ import annotations

from symbody.errors import ModelError
from symbody.stepping.bdf import BDF
from symbody.stepping.cvode import CVODE
from symbody.stepping.dop853 import DOP853
from symbody.stepping.generalised_alpha import GENERALISED_ALPHA
from symbody.stepping.lsoda import LSODA
from symbody.stepping.method import FixedStepMethod, Method, VariableStepMethod
from symbody.stepping.radau import RADAU
from symbody.stepping.rk4 import RK4
from symbody.stepping.rk45 import RK45
from symbody.stepping.rodas3 import RODAS3
from symbody.stepping.rodas4 import RODAS4
from symbody.stepping.semi_implicit import SEMI_IMPLICIT
from symbody.stepping.trapezoidal import TRAPEZOIDAL
from symbody.suggestions import did_you_mean, either
from symbody.system.system import System

FIXED: dict[str, FixedStepMethod] = {
    m.name: m for m in (RK4, SEMI_IMPLICIT, RODAS3, RODAS4, TRAPEZOIDAL, GENERALISED_ALPHA)
}
VARIABLE: dict[str, VariableStepMethod] = {m.name: m for m in (DOP853, RK45, RADAU, BDF, LSODA, CVODE)}
METHODS: dict[str, Method] = {**FIXED, **VARIABLE}
ELSEWHERE = {  # names of methods in other tools, and the nearest method here
    **dict.fromkeys(("ode45", "ode23", "dopri5", "tsit5"), RK45.name),
    **dict.fromkeys(("ode78", "ode89", "vern7"), DOP853.name),
    **dict.fromkeys(("ode15s", "ode23t", "daspk", "dassl", "ida"), BDF.name),
    **dict.fromkeys(("ode23tb", "radau5", "radauiia5"), RADAU.name),
    **dict.fromkeys(("ode113", "adams", "vode", "odeint"), LSODA.name),
    **dict.fromkeys(("ode23s", "rosenbrock23"), RODAS3.name),
    **dict.fromkeys(("rodas5", "rodas5p"), RODAS4.name),
    **dict.fromkeys(("ode4", "runge-kutta", "runge-kutta4"), RK4.name),
    **dict.fromkeys(("ode1", "euler", "symplectic-euler", "semi-implicit-euler"), SEMI_IMPLICIT.name),
    **dict.fromkeys(("hht", "newmark", "generalized-alpha"), GENERALISED_ALPHA.name),
}


def suited(s: System, name: str | Method | None = None, dt: float | None = None) -> Method:
    """The method of a name. Default: a fixed-step method if dt is given, else a variable-step method.

    Raises ModelError for an unknown name, and for a method that does not support the closure of the system's loops.
    """
    closure = s.options.closure
    if name is None and dt is None:
        name = DOP853.name
    elif name is None:
        name = TRAPEZOIDAL.name if closure == "augmented" else RK4.name
    if not isinstance(name, Method) and name not in METHODS:
        like = ELSEWHERE.get(_spelt(name))
        cure = f"use {like}" if like else did_you_mean(_spelt(name), METHODS, "methods")
        raise ModelError(f"unknown method '{name}'", element="method", cure=cure)
    found = name if isinstance(name, Method) else METHODS[name]
    if closure not in found.closures:
        able = [m.name for m in METHODS.values() if closure in m.closures]
        cure = f"use {either(able)}, with a `dt`; or closure={either([repr(c) for c in found.closures])}"
        raise ModelError(f"'{found.name}' does not support the {closure} closure", element="method", cure=cure)
    return found


def suited_fixed(s: System, name: str | Method | None = None) -> FixedStepMethod:
    """As `suited`, but only fixed-step methods: for controllers and real time."""
    found = METHODS[str(name)] if name in VARIABLE else suited(s, name, dt=1.0)
    if not isinstance(found, FixedStepMethod):
        raise ModelError(f"'{name}' is a variable-step method", element="method", cure=f"use {either(FIXED)}")
    return found


def _spelt(name: str) -> str:
    """A name in our spelling, for example from RK4 or generalised_alpha."""
    return str(name).lower().replace("_", "-")
