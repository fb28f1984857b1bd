"""What solvers that choose their steps see of a system: dx/dt and its exact Jacobian."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np

from symbody.stepping.rates_jacobian import rates_jacobian
from symbody.stepping.start_state import StartState
from symbody.system.system import Array

UNIT = 10.0  # 1/s: how fast quaternions are drawn back to unit length; vanishes on the true motion
PATIENCE = 1000  # evaluations in a row that are not finite; LSODA would go on for ever


class StuckError(Exception):
    """A solver that finds no numbers."""


class RatesAndJacobian:
    """dx/dt = f(t, x) and ∂f/∂x of a system; dependent coordinates are sought near those of the last good step."""

    def __init__(self, at: StartState, inputs: Callable[[float], Array], spent: Counter[str]):
        self.system, self.inputs, self.guess, self.pivots = at.system, inputs, at.guess, at.pivots
        self.balls = at.system.quaternion_places
        self.spent, self._bad = spent, 0

    def evaluated(self, t: float, x: Array) -> Any:
        """xd, v, pivots."""
        return self.system.rates_function(np.array([t]), x, self.inputs(t), self.guess)

    def rates(self, t: float, x: Array) -> Array:
        """dx/dt, unit quaternions being attractive."""
        self.spent["evaluations"] += 1
        found: Array = self.evaluated(t, x).xd
        for q in self.balls:
            e = x[q : q + 4]
            found[q : q + 4] += UNIT * (1.0 - e @ e) * e
        self._bad = 0 if np.isfinite(found.sum()) else self._bad + 1
        if self._bad > PATIENCE:
            raise StuckError("no step leads to numbers")
        return found

    def jacobian(self, t: float, x: Array) -> Array:
        """∂(dx/dt)/∂x, exact."""
        self.spent["jacobians"] += 1
        found = rates_jacobian(self.system, t, x, self.inputs(t), self.guess).fx
        for q in self.balls:
            e = x[q : q + 4]
            found[q : q + 4, q : q + 4] += UNIT * ((1.0 - e @ e) * np.eye(4) - 2.0 * np.outer(e, e))
        return found if np.isfinite(found.sum()) else np.zeros_like(found)  # Newton's method fails, and steps shrink

    def with_unit_quaternions(self, x: Array) -> Array:
        """The same state, its quaternions of length one."""
        if self.balls:
            x = np.array(x)
            for q in self.balls:
                x[q : q + 4] /= np.linalg.norm(x[q : q + 4])
        return x

    def drift(self, x: Array) -> float:
        """How far the length of a quaternion is from one."""
        return max((abs(float(np.linalg.norm(x[q : q + 4])) - 1.0) for q in self.balls), default=0.0)

    def observe(self, t: float, x: Array, guess: Array | None = None) -> Array:
        """The outputs."""
        near, x = self.guess if guess is None else guess, self.with_unit_quaternions(x)
        found: Array = self.system.outputs_function(np.array([t]), x, self.inputs(t), near)
        return found


def scipy_solver(name: str, implicit: bool) -> Callable[[RatesAndJacobian, float, Array, float, dict[str, Any]], Any]:
    """A solver of SciPy by its name, from a time and a state to an end; implicit ones get the exact Jacobian."""

    def solver(f: RatesAndJacobian, t: float, x: Array, until: float, options: dict[str, Any]) -> Any:
        from scipy import integrate  # here, because it takes longer to import than all of symbody

        exact = {"jac": f.jacobian} if implicit else {}
        return getattr(integrate, name)(f.rates, t, x, until, **exact, **options)

    return solver
