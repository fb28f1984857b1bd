"""Deprecated names that still work, with a warning."""

from __future__ import annotations

import warnings
from typing import Any

from symbody.analysis.simulate import simulate
from symbody.model.model import Model
from symbody.results.run import Run
from symbody.stepping.step_options import VariableStep, belongs_to
from symbody.system.system import System


def integrate_adaptive(what: System | Model, until: float, method: str = "dop853", **more: Any) -> Run:
    """Deprecated: use `simulate(what, until, method=…)`."""
    warnings.warn("integrate_adaptive is now simulate(what, until, method=…)", DeprecationWarning, stacklevel=2)
    options = {name: more.pop(name) for name in list(more) if belongs_to(name)}
    return simulate(what, until, method=VariableStep(method, **options), **more)
