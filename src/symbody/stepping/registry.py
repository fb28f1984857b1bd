"""The methods by name: whatever lists, chooses or explains methods reads this."""

from __future__ import annotations

from symbody.errors import ModelError
from symbody.nearest import did_you_mean, either
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
from symbody.system.system import System

FIXED: dict[str, FixedStepMethod] = {
    m.name: m for m in (RK4, SEMI_IMPLICIT, RODAS3, RODAS4, TRAPEZOIDAL, GENERALISED_ALPHA)
}
VARIABLE: dict[str, VariableStepMethod] = {m.name: m for m in (DOP853, RK45, RADAU, BDF, LSODA, CVODE)}
METHODS: dict[str, Method] = {**FIXED, **VARIABLE}


def suited(s: System, name: str | Method | None = None, dt: float | None = None) -> Method:
    """The method of a name; without one, the usual: fixed steps where dt is given, else steps chosen by their error.

    Refused: a name that is none, and a method that cannot take the way a system's loops are closed.
    """
    closure = s.options.closure
    if name is None and dt is None:
        name = DOP853.name
    elif name is None:
        name = TRAPEZOIDAL.name if closure == "augmented" else RK4.name
    if not isinstance(name, Method) and name not in METHODS:
        raise ModelError(f"no method '{name}'", element="method", cure=did_you_mean(_spelt(name), METHODS, "methods"))
    found = name if isinstance(name, Method) else METHODS[name]
    if closure not in found.closures:
        able = [m.name for m in METHODS.values() if closure in m.closures]
        cure = f"use {either(able)}, with a `dt`; or closure={either([repr(c) for c in found.closures])}"
        raise ModelError(f"'{found.name}' for the {closure} closure", element="method", cure=cure)
    return found


def suited_fixed(s: System, name: str | Method | None = None) -> FixedStepMethod:
    """As `suited`, for those who need steps of one size: controllers, real time."""
    found = METHODS[str(name)] if name in VARIABLE else suited(s, name, dt=1.0)
    if not isinstance(found, FixedStepMethod):
        raise ModelError(f"'{name}' chooses its steps", element="method", cure=f"use {either(FIXED)}")
    return found


def _spelt(name: str) -> str:
    """As our names are: RK4, generalised_alpha."""
    return str(name).lower().replace("_", "-")
