"""The view of a system for variable-step solvers: dx/dt and its exact Jacobian."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from symbody.errors import AssemblyError, SingularityError
from symbody.stepping.rates_jacobian import rates_jacobian
from symbody.stepping.start_state import StartState, closed_at
from symbody.system.system import Array, same_branch

NEAR = 1e-3  # of a step: interval for the slopes of pivots
UNIT = 10.0  # 1/s: rate at which quaternions return to unit length; zero on the exact motion
MOST_STAGES = 40  # of a step that are remembered
PATIENCE = 1000  # successive evaluations that are not finite; LSODA would never stop


class StuckError(Exception):
    """A solver that finds no finite values."""


@dataclass(frozen=True)
class ClosedState:
    """A time (s), a state, and its dependent coordinates."""

    t: float
    x: Array
    v: Array


class RatesAndJacobian:
    """dx/dt = f(t, x) and ∂f/∂x of a system; dependent coordinates are searched near those of the last good step."""

    def __init__(
        self, at: StartState, t: float, inputs: Callable[[float], Array], spent: Counter[str], repartition: bool = False
    ):
        self.system, self.inputs, self.pivots = at.system, inputs, at.pivots
        self.last = ClosedState(t, np.array(at.x, dtype=float), at.guess)
        self.balls = at.system.quaternion_places
        self.spent, self._bad, self._repartition = spent, 0, repartition
        self._stages: list[tuple[ClosedState, Array]] = []  # solved since `last`, with their pivots

    def evaluated(self, t: float, x: Array, guess: Array | None = None) -> Any:
        """xd, v, pivots."""
        near = self.last.v if guess is None else guess
        return self.system.rates_function(np.array([t]), x, self.inputs(t), near)

    def stage(self, t: float, x: Array) -> Any:
        """xd, v, pivots at a stage of a step: loops closed from the nearest solved stage, in the same assembly mode.

        From the beginning of a long step, Newton's method may find another one.
        """
        if not len(self.last.v) or not np.isfinite(x.sum()):
            return self.evaluated(t, x)
        if not self._stages or self._stages[0][0] is not self.last:
            self._stages = [(self.last, self.evaluated(self.last.t, self.last.x, self.last.v).pivots)]
        near, pivots = min(self._stages, key=lambda stage: abs(stage[0].t - t))
        found = self.evaluated(t, x, near.v)
        if not same_branch(found, near.v, pivots):
            try:
                found = self.evaluated(t, x, self.dependent(t, self.with_unit_quaternions(x), near))
            except SingularityError:
                return found._replace(xd=np.full_like(found.xd, np.nan))  # a solver then takes a smaller step
        if len(self._stages) < MOST_STAGES and np.all(np.isfinite(found.v)):
            self._stages.append((ClosedState(t, np.array(x), found.v), found.pivots))
        return found

    def dependent(self, t: float, x: Array, known: ClosedState | None = None) -> Array:
        """The dependent coordinates at a state, followed in strides from a known one (default: the last good step).

        After a long step, Newton's method from its beginning could find another assembly of the loops.
        """
        last = known or self.last
        if not len(last.v):
            return last.v
        start = StartState(self.system, last.x, last.v, self.pivots)
        try:
            return closed_at(start, x, self.inputs(t), t, self.inputs(last.t), last.t).guess
        except (AssemblyError, SingularityError) as error:
            where = f"{self.system.model.name}: the loops cannot be followed from t = {last.t:g} s to {t:g} s"
            other = "" if self._repartition else ", or repartition=True"
            raise SingularityError(f"{where}; use a smaller max_step{other}", time=last.t) from error

    def pivot_slopes(self, t: float, x: Array, found: Any, width: float) -> Array:
        """The rates of change of the loops' pivots along the motion (1/s), by differences over a fraction of a step."""
        later = self.evaluated(t + NEAR * width, x + NEAR * width * found.xd, found.v)
        return np.asarray((later.pivots - found.pivots) / (NEAR * width))

    def rates(self, t: float, x: Array) -> Array:
        """dx/dt, with attraction of quaternions to unit length."""
        self.spent["evaluations"] += 1
        found: Array = self.stage(t, x).xd
        for q in self.balls:
            e = x[q : q + 4]
            found[q : q + 4] += UNIT * (1.0 - e @ e) * e
        self._bad = 0 if np.isfinite(found.sum()) else self._bad + 1
        if self._bad > PATIENCE:
            raise StuckError("no step gives finite values")
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
        """The same state with unit quaternions."""
        if self.balls:
            x = np.array(x)
            for q in self.balls:
                x[q : q + 4] /= np.linalg.norm(x[q : q + 4])
        return x

    def drift(self, x: Array) -> float:
        """The largest deviation of a quaternion's length from one."""
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
    """A solver of SciPy by name, from a time and a state to an end; implicit ones get the exact Jacobian."""

    def solver(f: RatesAndJacobian, t: float, x: Array, until: float, options: dict[str, Any]) -> Any:
        from scipy import integrate  # here, because this import takes longer than all of symbody

        exact = {"jac": f.jacobian} if implicit else {}
        return getattr(integrate, name)(f.rates, t, x, until, **exact, **options)

    return solver
