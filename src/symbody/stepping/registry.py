"""The methods by name: whatever lists, chooses or explains methods reads this."""

from __future__ import annotations

from collections.abc import Iterable

from symbody.errors import ModelError
from symbody.nearest import nearest
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
        raise ModelError(f"no method '{name}'", element="method", cure=_nearest(name))
    found = name if isinstance(name, Method) else METHODS[name]
    if closure not in found.closures:
        able = [m.name for m in METHODS.values() if closure in m.closures]
        cure = f"use {_either(able)}, with a dt; or closure={_either([repr(c) for c in found.closures])}"
        raise ModelError(f"'{found.name}' for the {closure} closure", element="method", cure=cure)
    return found


def suited_fixed(s: System, name: str | Method | None = None) -> FixedStepMethod:
    """As `suited`, for those who need steps of one size: controllers, real time."""
    found = METHODS[str(name)] if name in VARIABLE else suited(s, name, dt=1.0)
    if not isinstance(found, FixedStepMethod):
        raise ModelError(f"'{name}' chooses its steps", element="method", cure=f"use {_either(FIXED)}")
    return found


def _nearest(name: str) -> str:
    near = nearest(name.lower().replace("_", "-"), METHODS, 2)
    asked = f"did you mean {_either(m for m in METHODS if m in near)}? " if near else ""
    return f"{asked}the methods are {', '.join(METHODS)}"


def _either(names: Iterable[str]) -> str:
    *most, last = names
    return f"{', '.join(most)} or {last}" if most else last
