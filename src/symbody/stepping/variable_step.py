"""What solvers that choose their steps see of a system: dx/dt and its exact Jacobian."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from symbody.errors import AssemblyError, SingularityError
from symbody.stepping.rates_jacobian import rates_jacobian
from symbody.stepping.start_state import StartState, closed_at
from symbody.system.system import Array

NEAR = 1e-3  # share of a step over which slopes of pivots are taken
UNIT = 10.0  # 1/s: how fast quaternions are drawn back to unit length; vanishes on the true motion
PATIENCE = 1000  # evaluations in a row that are not finite; LSODA would go on for ever


class StuckError(Exception):
    """A solver that finds no numbers."""


@dataclass(frozen=True)
class ClosedState:
    """A time (s), a state, and its dependent coordinates."""

    t: float
    x: Array
    v: Array


class RatesAndJacobian:
    """dx/dt = f(t, x) and ∂f/∂x of a system; dependent coordinates are sought near those of the last good step."""

    def __init__(self, at: StartState, t: float, inputs: Callable[[float], Array], spent: Counter[str]):
        self.system, self.inputs, self.pivots = at.system, inputs, at.pivots
        self.last = ClosedState(t, np.array(at.x, dtype=float), at.guess)
        self.balls = at.system.quaternion_places
        self.spent, self._bad = spent, 0

    def evaluated(self, t: float, x: Array, guess: Array | None = None) -> Any:
        """xd, v, pivots."""
        near = self.last.v if guess is None else guess
        return self.system.rates_function(np.array([t]), x, self.inputs(t), near)

    def dependent(self, t: float, x: Array, known: ClosedState | None = None) -> Array:
        """The dependent coordinates at a state, followed in strides from a known one (default: the last good step).

        A step may be so long that Newton's method, from its beginning, would find another way to close the loops.
        """
        last = known or self.last
        if not len(last.v):
            return last.v
        start = StartState(self.system, last.x, last.v, self.pivots)
        try:
            return closed_at(start, x, self.inputs(t), t, self.inputs(last.t), last.t).guess
        except AssemblyError as error:
            where = f"{self.system.model.name}: the loops cannot be followed from t = {last.t:g} s to {t:g} s"
            raise SingularityError(f"{where}; give a smaller max_step, or repartition=True", time=last.t) from error

    def pivot_slopes(self, t: float, x: Array, found: Any, width: float) -> Array:
        """How fast the pivots of the loops change along the motion (1/s), by a difference over a share of a step."""
        later = self.evaluated(t + NEAR * width, x + NEAR * width * found.xd, found.v)
        return np.asarray((later.pivots - found.pivots) / (NEAR * width))

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
        found = rates_jacobian(self.system, t, x, self.inputs(t), self.last.v).fx
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

    def closed(self, t: float, x: Array, known: ClosedState | None = None) -> ClosedState:
        """A state with its dependent coordinates, followed from a known one."""
        x = self.with_unit_quaternions(x)
        return ClosedState(t, x, self.dependent(t, x, known))

    def outputs(self, at: ClosedState) -> Array:
        """The outputs at a closed state."""
        found: Array = self.system.outputs_function(np.array([at.t]), at.x, self.inputs(at.t), at.v)
        return found

    def observe(self, t: float, x: Array, known: ClosedState | None = None) -> Array:
        """The outputs."""
        return self.outputs(self.closed(t, x, known))


def scipy_solver(name: str, implicit: bool) -> Callable[[RatesAndJacobian, float, Array, float, dict[str, Any]], Any]:
    """A solver of SciPy by its name, from a time and a state to an end; implicit ones get the exact Jacobian."""

    def solver(f: RatesAndJacobian, t: float, x: Array, until: float, options: dict[str, Any]) -> Any:
        from scipy import integrate  # here, because it takes longer to import than all of symbody

        exact = {"jac": f.jacobian} if implicit else {}
        return getattr(integrate, name)(f.rates, t, x, until, **exact, **options)

    return solver
