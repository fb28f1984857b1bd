"""CVODE of SUNDIALS: backward differentiation of variable order, with the interface of SciPy's solvers."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np

from symbody.errors import ModelError
from symbody.stepping.method import VariableStepMethod
from symbody.stepping.variable_step import RatesAndJacobian
from symbody.system.system import Array


class Cvode:
    """A run of CVODE (orders 1 to 5) from a time and a state to an end."""

    def __init__(self, f: RatesAndJacobian, t0: float, y0: Array, t_bound: float, options: dict[str, Any]):
        try:
            made = import_module("sksundae.cvode").CVODE
        except ImportError as error:
            cure = 'pip install "scikit-sundae", or use method="bdf" or "radau"'
            raise ModelError("CVODE needs the package scikit-sundae", element="method", cure=cure) from error

        def rhs(t: float, y: Array, yp: Array) -> None:
            yp[:] = f.rates(t, y)

        def jacobian(t: float, y: Array, yp: Array, J: Array) -> None:
            J[:] = f.jacobian(t, y)

        longest = options["max_step"] if np.isfinite(options["max_step"]) else 0.0
        self._solver: Any = made(rhs, jacfn=jacobian, **{**options, "max_step": longest})
        self._solver.init_step(t0, y0)
        self.t, self.y, self.t_old, self._before = t0, y0, t0, y0
        self.t_bound, self.status = t_bound, "running"

    def step(self) -> str | None:
        """One step of the solver."""
        found = self._solver.step(self.t_bound, "onestep", self.t_bound)
        if not found.success:
            self.status = "failed"
            return str(found.message)
        self.t_old, self._before = self.t, self.y
        self.t, self.y = float(found.t), found.y
        if self.t >= self.t_bound:
            self.status = "finished"
        return None

    def dense_output(self) -> Callable[[float], Array]:
        """The solver's polynomial over the last step. Its degree is at most five, so six values determine it."""
        from scipy.interpolate import BarycentricInterpolator  # here: this import takes longer than all of symbody

        shares = 0.5 - 0.5 * np.cos(np.pi * np.arange(1, 6) / 5)
        width = self.t - self.t_old
        times = [self.t_old + width * float(c) for c in shares[:-1]] + [self.t]  # its end last, for the next step
        values = [self._before, *(self._solver.step(t, "normal").y for t in times)]
        through = BarycentricInterpolator(np.r_[0.0, shares], np.array(values))
        t_old = self.t_old
        return lambda t: np.asarray(through((t - t_old) / width))


CVODE = VariableStepMethod(
    name="cvode",
    order=5,
    implicit=True,
    summary="backward differentiation of orders 1 to 5, exact Jacobian: large stiff systems",
    source="Hindmarsh et al. 2005",
    solver=Cvode,
    package="scikit-sundae",
)
