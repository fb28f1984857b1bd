"""Equilibrium: positions at rest and steady motions without acceleration, with closed loops.

Newton's method for v̇(q, v, s, u) = 0, ṡ = 0 with the exact Jacobian; quaternions change in their tangent space.
"""

from __future__ import annotations

import fnmatch
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from symbody.analysis.arguments import Inputs, given_system
from symbody.analysis.eigenvalues import Eigenvalues, eigenvalues
from symbody.analysis.tangent_coordinates import displaced, inverse_tangent, state_sizes, tangent, tangent_matrix
from symbody.errors import DivergenceError, ModelError
from symbody.html_text import object_html
from symbody.model.model import Model
from symbody.results.channels import channel_units
from symbody.stepping.inputs import inputs_over_time
from symbody.stepping.rates_jacobian import input_matrix, state_matrix
from symbody.system.assembly import LONGEST_STEP
from symbody.system.named_values import State, by_name, listed, require_known, state_vector
from symbody.system.state_indices import velocity_places
from symbody.system.system import Array, System

STABILITY = {True: "stable", False: "unstable", None: "stability undecided"}
TOLERANCE = 1e-10  # largest acceleration (m/s², rad/s²); in stiff systems the equivalent displacement (m, rad)
ITERATIONS = 60
DAMPINGS = (0.0, 1e-6, 1e-4, 1e-2, 1.0)  # relative to the largest element of JᵀJ; increased until a step helps
SHORTENED = np.array([1.0, 0.5, 0.1, 0.01])
SETTLING = 300  # implicit steps of settling towards rest
LEAP = 0.1  # m or rad: longest of these steps
SETTLED = 1e-6  # m or rad: smaller steps end settling; Newton's method finishes
CYCLIC = 1e-6  # a drifting coordinate may influence rates by less than this share of the largest influence


@dataclass(frozen=True)
class Equilibrium:
    """A state without acceleration; `residual` is the largest remaining rate."""

    system: System
    t: float
    x: Array
    u: Array
    residual: float
    iterations: int

    @property
    def states(self) -> dict[str, float]:
        """States by name."""
        return dict(zip(self.system.states, map(float, self.x), strict=True))

    @property
    def inputs(self) -> dict[str, float]:
        """Inputs by name."""
        return dict(zip(self.system.inputs, map(float, self.u), strict=True))

    @cached_property
    def outputs(self) -> dict[str, float]:
        """Outputs by name."""
        return self.system.at(self.t, self.x, self.u)

    @cached_property
    def _linearised(self) -> Eigenvalues:
        s = self.system
        A = tangent_matrix(s, self.t, self.x, self.u)
        found = eigenvalues(A, len(s.layout.velocities), state_sizes(s), len(s.layout.tied))
        order = np.argsort(-found.values.real)
        return Eigenvalues(found.values[order], found.errors[order], found.vectors[:, order])

    @property
    def eigenvalues(self) -> Array:
        """Eigenvalues of the exact linearisation (1/s) in tangent coordinates, the least stable first."""
        return self._linearised.values

    @property
    def eigenvalue_errors(self) -> Array:
        """Error bounds of the eigenvalues due to rounding (1/s)."""
        return self._linearised.errors

    @property
    def stable(self) -> bool | None:
        """Whether no small disturbance grows; None if rounding errors hide it, see `eigenvalue_errors`.

        Marginal motions (undamped, drifting) count as stable.
        """
        return self._linearised.stable

    def _repr_html_(self) -> str:
        s = self.system
        units = channel_units(s.model, s.states)
        rows = {"residual": self.residual, "stable": STABILITY[self.stable], "inputs": _listed(self.inputs)}
        states = [{"state": name, "value": x, "unit": units[name]} for name, x in self.states.items()]
        return object_html(f"Equilibrium of {s.model.name}", rows, states)

    def __repr__(self) -> str:
        return f"<Equilibrium of {self.system.model.name}: residual {self.residual:.1e}, {self.iterations} iterations>"


def _listed(values: Mapping[str, float]) -> str:
    return ", ".join(f"{name} = {x:.4g}" for name, x in values.items())


# -- the search ------------------------------------------------------------------------------------------------------


def equilibrium(
    what: System | Model,
    x0: State | None = None,
    inputs: Inputs | None = None,
    steady: Mapping[str, float] | None = None,
    *,
    free_inputs: Sequence[str] = (),
    hold: Sequence[str] = (),
    drifting: Sequence[str] = (),
    settle: bool = False,
    t: float = 0.0,
) -> Equilibrium:
    """Find the equilibrium near a state: at rest, or in a steady motion. It may be unstable.

    Parameters
    ----------
    what : System or Model
        A model is compiled with the inputs that are given.
    x0 : mapping or array, shape (len(s.states),), optional
        The state to start from: by name (the model's own values for the rest), or in the order of `s.states`.
    inputs : mapping, optional
        Inputs as in `simulate`, evaluated at the time t.
    steady : mapping, optional
        Prescribed states, such as {"chassis.vx": 10.0}. A coordinate with a velocity other than zero drifts; its value
        is kept.
    free_inputs : sequence of str
        Inputs to solve for, such as ["torque"]; as many as states are prescribed or held.
    hold : sequence of str
        Names or patterns of states that keep their values, such as ["platform.*"].
    drifting : sequence of str
        Further velocities to solve for while their coordinates drift, such as those of rolling wheels: ["*.spin.qd"].
    settle : bool
        First simulate a motion without momentum, so that the search ends in a stable position (default False).
    t : float
        Time at which inputs and laws are evaluated (s, default 0).

    Returns
    -------
    Equilibrium
        States, inputs, outputs, the residual, eigenvalues and stability.

    Raises
    ------
    ModelError
        If there are more unknowns than equations, or the motion cannot be steady.
    DivergenceError
        If no equilibrium was found.

    Examples
    --------
    >>> import symbody as sb
    >>> m = sb.machines.model("quarter-car")
    >>> rest = sb.equilibrium(m)
    >>> bool(abs(sb.system(m).rates(0.0, rest.x)).max() < 1e-6)
    True
    """
    s, signals = given_system(what, inputs)
    u = np.array(inputs_over_time(s, signals)(t))
    given, nq = by_name(steady, "steady", '{"chassis.vx": 10.0}'), len(s.layout.coordinates)
    velocities = s.states[nq : nq + len(s.layout.velocities)]
    start = np.array(s.x0 if x0 is None else state_vector(s, x0), dtype=float)
    require_known(given, s.states, "state")
    held = _matching(s.states, hold, "state") | set(given)
    rolls = _matching(velocities, drifting, "velocity") - held
    found = _matching(s.inputs, free_inputs, "input")
    for name in velocities:
        if name not in held | rolls:
            given[name] = 0.0
    for name, x in given.items():
        start[s.states.index(name)] = x
    free = [k for k, name in enumerate(s.inputs) if name in found]
    rolling = [k for k, name in enumerate(velocities) if name in rolls]
    start = displaced(s, start, np.zeros(len(start)))
    return _EquilibriumSearch(s, t, start, u, held, rolling, free).found(settle)


def _matching(names: Sequence[str], patterns: Sequence[str] | str, kind: str) -> set[str]:
    """The names that match one of the patterns, such as "platform.*"."""
    found: set[str] = set()
    for pattern in listed(patterns) or ():
        own = fnmatch.filter(names, pattern)
        require_known([] if own else [pattern], names, kind)
        found |= set(own)
    return found


class _EquilibriumSearch:
    """Unknowns: coordinates and velocities in tangent coordinates, states, inputs; equations: v̇ = 0, ṡ = 0."""

    def __init__(self, s: System, t: float, x: Array, u: Array, held: set[str], rolling: list[int], free: list[int]):
        self.s, self.t, self.x, self.u, self.iterations = s, t, x, u, 0
        self._nq, self._nv = nq, nv = len(s.layout.coordinates), len(s.layout.velocities)
        self._drifting = [k for k in range(nv) if k in rolling or x[nq + k] != 0.0]
        fixed = self._fixed_coordinates(held) | set(self._drifting)
        coordinates = [k for k in range(nv) if k not in fixed]
        tied = len(s.layout.tied)  # tied coordinates stay fixed; the velocities that they follow are unknowns
        states = [2 * nv + k for k, name in enumerate(s.layout.states) if k >= tied and name not in held]
        self._columns = [*coordinates, *(nv + k for k in rolling), *states]
        self._falling = [nv + k for k in coordinates]  # velocities during settling
        self._rows = [*range(nq, nq + nv), *range(s.layout.first_state, len(x))]
        self._free = free

    def _fixed_coordinates(self, given: set[str]) -> set[int]:
        """Degrees of freedom whose coordinates are given; a quaternion must be given completely."""
        s, nq = self.s, self._nq
        fixed = {p - nq for k, p in enumerate(velocity_places(s)) if p >= 0 and s.states[k] in given}
        for q, w in s.quaternions:
            named = [name for name in s.states[q : q + 4] if name in given]
            if named and len(named) < 4:
                cure = f"give all of {', '.join(s.states[q : q + 4])}, or none"
                raise ModelError("only a part of an orientation is held", element=named[0], cure=cure)
            fixed |= set(range(w - nq, w - nq + 3)) if named else set()
        return fixed

    @property
    def counts(self) -> tuple[int, int]:
        """Numbers of equations and of unknowns."""
        return len(self._rows), len(self._columns) + len(self._free)

    def found(self, settle: bool) -> Equilibrium:
        """Newton's method; if it fails, settle towards rest and try again."""
        s, (equations, unknowns) = self.s, self.counts
        if unknowns > equations:
            more = unknowns - equations
            cure = f"hold {more} more states with hold=[…] or steady={{…}}, or free {more} inputs fewer"
            problem = f"{equations} equations for {unknowns} unknowns"
            raise ModelError(problem, element=f"equilibrium of {s.model.name}", cure=cure)
        if not ((not settle and self._newton()) or (self._settled() and self._newton())):
            raise self._failure()
        self._check_steady()
        left = float(np.abs(self._residual(self.x, self.u)).max(initial=0.0))
        return Equilibrium(s, self.t, self.x, self.u, left, self.iterations)

    def _check_steady(self) -> None:
        """Raise if a rate depends on a drifting coordinate: then accelerations vanish only at this instant."""
        if not self._drifting:
            return
        s, near = self.s, self.s.dependent(self.t, self.x, self.u)
        A = state_matrix(s, self.t, self.x, self.u, near)[self._rows] @ tangent(s, self.x)
        size = np.maximum(1.0, np.abs(A).max(axis=1))
        rates, first = s.rates(self.t, self.x, self.u), self._nq + self._nv
        rolling = [k for k in range(len(s.layout.tied)) if abs(rates[first + k]) > TOLERANCE]
        for k, name in [
            *((k, self._nq + k) for k in self._drifting),
            *((2 * self._nv + k, first + k) for k in rolling),
        ]:
            worst = int(np.argmax(np.abs(A[:, k]) / size))
            if abs(A[worst, k]) > CYCLIC * size[worst]:
                velocity, other = s.states[name], s.states[self._rows[worst]]
                problem = f"no steady motion: its coordinate drifts, and the rate of {other} depends on it"
                raise ModelError(
                    problem, element=velocity, cure="only coordinates without influence may drift; set it to zero"
                )

    def _residual(self, x: Array, u: Array) -> Array:
        return np.asarray(self.s.rates(self.t, x, u)[self._rows])

    def _jacobian(self) -> tuple[Array, Array]:
        """∂rates/∂unknowns, and the columns ∂x/∂unknowns of the tangent."""
        near = self.s.dependent(self.t, self.x, self.u)
        T = tangent(self.s, self.x)[:, self._columns]
        J = np.zeros((len(self._rows), 0))
        if self._columns:
            J = state_matrix(self.s, self.t, self.x, self.u, near)[self._rows] @ T
        if self._free:
            J = np.hstack([J, input_matrix(self.s, self.t, self.x, self.u, near)[np.ix_(self._rows, self._free)]])
        return J, T

    def _newton(self) -> bool:
        """Minimum-norm steps, damped and shortened until the residual decreases; return whether it converged."""
        r = self._residual(self.x, self.u)
        for _ in range(ITERATIONS):
            J, T = self._jacobian()
            rows = np.maximum(1.0, np.abs(J).sum(axis=1))  # scales a stiff rate to its equivalent displacement
            if not np.all(np.isfinite(r)) or not np.all(np.isfinite(J)):
                return False
            met = bool(np.all(np.abs(r) <= TOLERANCE * rows))
            step = self._better(J / rows[:, None], r / rows, rows, T)
            if step is None:
                return met
            self.iterations += 1
            self.x, self.u, r = step
            if met:
                return True
        return False

    def _better(self, J: Array, r: Array, rows: Array, T: Array) -> tuple[Array, Array, Array] | None:
        """A step that reduces the residual: new x, u and residual. None if there is none."""
        size, before = float(np.abs(J).max(initial=0.0)), float(np.linalg.norm(r))
        for damping in DAMPINGS:
            weight = np.sqrt(damping) * size * np.eye(J.shape[1])
            d = np.linalg.lstsq(np.vstack([J, weight]), np.r_[-r, np.zeros(J.shape[1])], rcond=1e-12)[0]
            n, coordinates = len(self._columns), sum(k < self._nv for k in self._columns)
            whole = min(1.0, LONGEST_STEP / max(float(np.abs(d[:coordinates]).max(initial=0.0)), 1e-300))
            for share in whole * SHORTENED if damping == 0.0 else (whole,):
                x, u = displaced(self.s, self.x, T @ (share * d[:n])), self.u.copy()
                u[self._free] += share * d[n:]
                left = self._residual(x, u)
                if np.all(np.isfinite(left)) and np.linalg.norm(left / rows) < before * (1.0 - 1e-3 * share):
                    return x, u, left
        return None

    def _settled(self) -> bool:
        """Implicit steps, each from rest, that grow as the motion calms down; return whether it came to rest."""
        s, t, u, columns, dt = self.s, self.t, self.u, [*self._columns, *self._falling], 1e-2
        for _ in range(SETTLING):
            T = tangent(s, self.x)
            back = inverse_tangent(T)[columns]
            f = back @ s.rates(t, self.x, u)
            A = back @ state_matrix(s, t, self.x, u, s.dependent(t, self.x, u)) @ T[:, columns]
            if not (np.all(np.isfinite(f)) and np.all(np.isfinite(A))):
                return False
            step = np.linalg.lstsq(np.eye(len(columns)) / dt - A, f, rcond=None)[0]
            step[len(self._columns) :] = 0.0  # velocities back to zero
            far = float(np.abs(step).max(initial=0.0))
            trial = displaced(s, self.x, T[:, columns] @ step)
            if far > LEAP or not np.all(np.isfinite(s.rates(t, trial, u))):
                dt /= 2
                continue
            self.x, dt = trial, min(2 * dt, 1e4)
            if far < SETTLED:
                break
        return True

    def _failure(self) -> DivergenceError:
        s, r = self.s, self._residual(self.x, self.u)
        worst = int(np.argmax(np.where(np.isfinite(r), np.abs(r), np.inf)))
        equations, unknowns = self.counts
        lacking = equations - unknowns
        cure = "start nearer to one with x0=…"
        if lacking > 0:
            cure = f"free {lacking} inputs with free_inputs=[…], or prescribe {lacking} states fewer"
        return DivergenceError(
            f"{s.model.name}: no equilibrium found: the rate of {s.states[self._rows[worst]]} is still {r[worst]:.4g} "
            f"after {self.iterations} iterations, {equations} equations for {unknowns} unknowns ({cure})",
            time=self.t,
            state=self.x,
        )
