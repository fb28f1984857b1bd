"""Trajectories of many states and the adjoint of their steps, for gradients through rollouts.

Forward, a batch makes steps of rk4 and keeps the state before each step. Backward, the stages of each step are computed
again, and with λ = ∂ψ/∂x after the step and f's compiled adjoint v ↦ (∂f/∂x)ᵀ v:

k₁ … k₄ as usual;  κ₄ = h/6 λ,  κ₃ = h/3 λ + h f'(4)ᵀκ₄,  κ₂ = h/3 λ + h/2 f'(3)ᵀκ₃,  κ₁ = h/6 λ + h/2 f'(2)ᵀκ₂,
λ ← λ + Σ f'(i)ᵀκᵢ,  ∂ψ/∂u = Σ (∂f/∂u)ᵀκᵢ,  ∂ψ/∂p likewise (Hager 2000). The memory is that of the states.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from symbody.batch.of_system import Batch, batch
from symbody.bridges.differentiable import GUESS, PARAMETERS, differentiable
from symbody.codegen.adjoint import weight_name
from symbody.errors import ModelError
from symbody.system.system import Array, System

OUTPUT = "xd"


@dataclass(frozen=True)
class Trajectory:
    """States (steps + 1, n, nx), and dependent coordinates (steps, n, nd) near which the loops of a step close."""

    x: Array
    guess: Array


class Rollout:
    """(x, u, p) → x after each step, and its adjoint; rows of states, NaN after a state was frozen.

    x: (n, nx). u: (steps, n, nu), held over each step. p: (n, parameters).
    """

    def __init__(self, s: System, dt: float, steps: int, parameters: Sequence[str] = ()):
        if not isinstance(s, System):
            raise ModelError(f"expected a System, got a {type(s).__name__}", cure="give sb.system(…)")
        if not dt > 0.0 or steps < 1:
            raise ModelError(f"{steps} steps of {dt} s", cure="give at least one step and a positive dt")
        self.system, self.dt, self.steps, self.parameters = s, dt, steps, list(parameters)
        self.bridge = differentiable(s, "rates", self.parameters)
        by = ["x", *["u"] * bool(len(s.inputs)), *[PARAMETERS] * bool(self.parameters)]
        self._by = tuple(name for name in by if name in self.bridge.inputs)
        self._batches: dict[int, Batch] = {}

    @property
    def sizes(self) -> dict[str, int]:
        """Numbers of a state in x, u and p."""
        return {"x": len(self.system.states), "u": len(self.system.inputs), PARAMETERS: len(self.parameters)}

    @property
    def present(self) -> dict[str, Array]:
        """Inputs and parameters of the system, used where they are not given."""
        s = self.system
        return {"u": np.asarray(s.u0), PARAMETERS: np.array([s.parameters[name] for name in self.parameters])}

    def forward(self, x: Array, u: Array, p: Array) -> Trajectory:
        """The trajectory from the states x."""
        n, b = len(x), self._batch(len(x))
        if self.parameters:
            b.set_parameters(dict(zip(self.parameters, p.T, strict=True)))
        b.reset(x)
        states, guesses = np.empty((self.steps + 1, *x.shape)), np.empty((self.steps, n, b.dependent.shape[1]))
        states[0] = x
        for k in range(self.steps):
            guesses[k] = b.dependent
            states[k + 1] = b.step(np.ascontiguousarray(u[k]) if len(self.system.inputs) else None)
            states[k + 1][list(b.failures)] = np.nan
        return Trajectory(states, guesses)

    def backward(self, made: Trajectory, u: Array, p: Array, weights: Array) -> dict[str, Array]:
        """Σ weights ∂x/∂(x₀, u, p), by name; weights: (steps + 1, n, nx)."""
        found = {"u": np.zeros_like(u), PARAMETERS: np.zeros_like(p)}
        after = weights[-1].copy()
        for k in reversed(range(self.steps)):
            after = self._step_back(k, made, u[k], p, after, found) + weights[k]
        return {"x": after, **found}

    def _step_back(self, k: int, made: Trajectory, u: Array, p: Array, after: Array, found: dict[str, Array]) -> Array:
        """λ before step k from λ after it; adds the derivatives by u and p."""
        h, x = self.dt, made.x[k]
        given = {"x": x, "u": u, PARAMETERS: p, GUESS: made.guess[k]}
        given = {name: a for name, a in given.items() if name in self.bridge.inputs and a.shape[1]}
        stages, slope = [], None
        for share in (0.0, 0.5, 0.5, 1.0):
            place = x if slope is None else x + share * h * slope
            t = np.full((len(x), 1), (k + share) * h)
            stages.append({**given, "x": place, "t": t})
            slope = self.bridge.rows(stages[-1])[0]
        assert slope is not None
        end = x + h / 6.0 * self._sum_of_slopes(stages, slope)
        after = _through_normalised(self.system.quaternion_places, end, after)
        adjoint = self.bridge.adjoint(self._by)
        total, pulled = after.copy(), np.zeros_like(after)
        for stage, weight, reach in zip(reversed(stages), (1, 2, 2, 1), (0.0, 1.0, 0.5, 0.5), strict=True):
            kappa = h * weight / 6.0 * after + reach * h * pulled
            slopes = dict(zip(self._by, adjoint.rows({**stage, weight_name(OUTPUT): kappa}), strict=True))
            pulled = slopes["x"]
            total += pulled
            for name in self._by[1:]:
                (found["u"][k] if name == "u" else found[name])[...] += slopes[name]
        return total

    def _sum_of_slopes(self, stages: Sequence[dict[str, Array]], last: Array) -> Array:
        """k₁ + 2k₂ + 2k₃ + k₄; only quaternions need it, and other systems get zeros."""
        if not self.system.quaternion_places:
            return np.zeros_like(last)
        first, second, third = (self.bridge.rows(stage)[0] for stage in stages[:3])
        return np.asarray(first + 2.0 * second + 2.0 * third + last)

    def _batch(self, n: int) -> Batch:
        if n not in self._batches:
            self._batches = {n: batch(self.system, n, dt=self.dt, per_state=bool(self.parameters))}
        return self._batches[n]


def _through_normalised(places: Sequence[int], x: Array, weights: Array) -> Array:
    """Weights before e ← e/|e| of the unit quaternions in x."""
    found = weights.copy()
    for q in places:
        size = np.linalg.norm(x[:, q : q + 4], axis=1, keepdims=True)
        e, w = x[:, q : q + 4] / size, weights[:, q : q + 4]
        found[:, q : q + 4] = (w - e * np.sum(e * w, axis=1, keepdims=True)) / size
    return found


def spread(rollout: Rollout, package: Any, x: Any, u: Any, p: Any) -> tuple[Any, Any, Any, tuple[int, ...]]:
    """x (n, nx), u (steps, n, nu), p (n, parameters) and the batch shape; package: jax.numpy or torch."""
    sizes, shape = rollout.sizes, tuple(x.shape[:-1])
    for name, a in (("x", x), ("u", u), (PARAMETERS, p)):
        if not a.ndim or a.shape[-1] != sizes[name]:
            raise ValueError(f"{name} has the shape {tuple(a.shape)}; expected (…, {sizes[name]})")
    n = int(np.prod(shape, dtype=int))
    if u.ndim != x.ndim + 1:
        u = package.broadcast_to(u, (rollout.steps, *shape, sizes["u"]))
    elif u.shape[0] != rollout.steps:
        raise ValueError(f"u has {u.shape[0]} rows; expected one for each of {rollout.steps} steps")
    p = package.broadcast_to(p, (*shape, sizes[PARAMETERS]))
    flat = (x.reshape(n, sizes["x"]), u.reshape(rollout.steps, n, sizes["u"]), p.reshape(n, sizes[PARAMETERS]))
    return *flat, shape
