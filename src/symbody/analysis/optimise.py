"""Parameters that minimise an objective, by SciPy's minimisers with exact gradients of whole runs."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import nullcontext
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from tqdm import tqdm

from symbody.analysis.arguments import Inputs, given_system
from symbody.analysis.cluster import Cluster
from symbody.analysis.optimise_swarm import FAILURES, SwarmObjectives
from symbody.analysis.sensitivity import PSI, Sensitivity, Wanted, objectives_of, sensitivity, sensitivity_system
from symbody.analysis.swarm import on_cluster, swarm
from symbody.errors import ModelError
from symbody.model.law import Law
from symbody.model.model import Model
from symbody.system.named_values import State, by_name
from symbody.system.sensitivity import Objective, Sensitive
from symbody.system.system import Array, System

FEASIBLE = 1e-6  # tolerance of a constraint, relative to its size at the start
EXAMPLE = '{"k": (1e4, 3e4)}'
SWARM = "swarm"
WORSE = 10.0  # a failed run counts as this many times the largest objective so far
Bounds = tuple[float | None, float | None]


@dataclass(frozen=True)
class Trial:
    """One run of the search; a failed one has a reason."""

    parameters: dict[str, float]
    values: dict[str, float]  # of the objective and the constraints
    feasible: bool
    failure: str = ""


@dataclass
class Optimum:
    """Result of a search: the best feasible trial, all trials, and whether the search converged."""

    objective: str
    history: list[Trial]
    finished: bool = False
    message: str = ""
    bounds: dict[str, tuple[float, float]] = field(default_factory=dict)

    @property
    def best(self) -> Trial:
        """The feasible trial with the smallest objective; the first trial if none is feasible."""
        sound = [trial for trial in self.history if trial.feasible]
        return min(sound or self.history[:1], key=lambda trial: trial.values.get(self.objective, np.inf))

    @property
    def parameters(self) -> dict[str, float]:
        return self.best.parameters

    @property
    def value(self) -> float:
        return self.best.values[self.objective]

    @property
    def table(self) -> list[dict[str, Any]]:
        """One record per parameter: start, best value and bounds."""
        before = self.history[0].parameters
        return [
            {"parameter": p, "before": before[p], "best": x, "low": self.bounds[p][0], "high": self.bounds[p][1]}
            for p, x in self.parameters.items()
        ]

    def plot(self) -> Any:
        """Plot the objective of each run and the best so far; return the Matplotlib axes."""
        from matplotlib import pyplot as plt

        values = [trial.values.get(self.objective, np.nan) for trial in self.history]
        sound = [x if trial.feasible else np.inf for x, trial in zip(values, self.history, strict=True)]
        best = np.minimum.accumulate(sound)
        _, axes = plt.subplots(layout="constrained")
        axes.plot(values, "o", ms=3, label="run")
        axes.plot(np.where(np.isfinite(best), best, np.nan), lw=1.2, label="best so far")
        axes.set(xlabel="run", ylabel=self.objective)
        axes.legend(fontsize="small")
        return axes

    def __repr__(self) -> str:
        how = self.message if self.finished else f"not finished: {self.message}"
        return f"<Optimum {self.objective} = {self.value:.6g} after {len(self.history)} runs; {how}>"


def optimise(
    what: System | Model,
    objective: Objective | Law | str,
    parameters: Mapping[str, tuple[float, float]],
    until: float,
    dt: float,
    *,
    constraints: Mapping[str, tuple[Wanted, Bounds]] | None = None,
    inputs: Inputs | None = None,
    x0: State | None = None,
    method: str | None = None,
    iterations: int = 100,
    tolerance: float = 1e-8,
    progress: bool = False,
    particles: int = 100,
    seed: int = 0,
    cluster: Cluster = None,
    **options: Any,
) -> Optimum:
    """Find the parameters within bounds that minimise ψ, starting from their present values.

    Parameters
    ----------
    what : System or Model
        The system; a model is compiled with `options`.
    objective : Objective, law or str
        ψ, as in `sensitivity`.
    parameters : mapping name → (low, high)
        Live parameters with their bounds.
    until, dt : float
        End and fixed step of each run (s).
    constraints : mapping name → (objective, (low, high)), optional
        Further objectives with bounds; None for no bound: {"travel": ("heave.q", (None, 0.1))}.
    inputs, x0
        As in `simulate`.
    method : str, optional
        A gradient-based minimiser of SciPy (default "L-BFGS-B"; with constraints "SLSQP"), or "swarm": a global search
        without gradients, with all particles of an iteration in one batch.
    iterations : int
        Limit of the search (default 100).
    tolerance : float
        Relative tolerance of the search (default 1e-8).
    progress : bool
        Show a progress bar (default False).
    particles, seed : int
        Size and seed of the swarm (default 100 and 0).
    cluster : bool, int, str or dask.distributed.Client, optional
        Run the swarm on a cluster, as in `sweep`.

    Returns
    -------
    Optimum
        The best trial and the history. Ctrl-C ends the search and keeps the best trial. The system keeps its
        parameters.

    Raises
    ------
    ModelError
        If a name or a bound is wrong, or an option needs another method.

    Examples
    --------
    >>> import symbody as sb
    >>> m = sb.machines.model("quarter-car")
    >>> best = sb.optimise(m, "heave.qdd**2", {"c_strut": (500, 4000)}, until=0.2, dt=1e-3, iterations=3)
    """
    search = _ObjectiveSearch(what, objective, parameters, constraints or {}, until, dt, inputs, x0, options)
    if method == SWARM:
        return search.by_swarm(iterations, particles, seed, progress, cluster)
    if cluster:
        raise ModelError("only a swarm runs on a cluster", element="cluster", cure=f"use method='{SWARM}'")
    import scipy.optimize  # imported here: it takes longer than the import of symbody

    minimise: Any = scipy.optimize.minimize
    before = dict(search.s.parameters)
    limits = [_scipy_constraint(search, name, side) for name, _ in search.limits for side in search.sides(name)]
    try:
        with tqdm(total=iterations, unit="iteration", disable=not progress, desc="optimising") as bar:

            def shown(*_: Any) -> None:
                bar.update()
                bar.set_postfix_str(f"{PSI} = {search.result.value:.6g}")

            found = minimise(
                search.value, search.start, jac=True, method=method or ("SLSQP" if limits else "L-BFGS-B"),
                bounds=[(0.0, 1.0)] * len(search.names), constraints=limits, callback=shown, tol=tolerance,
                options={"maxiter": iterations},
            )  # fmt: skip
        search.result.finished, search.result.message = bool(found.success), str(found.message)
    except KeyboardInterrupt:
        search.result.message = "interrupted"
        if not search.result.history:
            raise
    finally:
        search.s.parameters.update(before)
    return search.result


class _ObjectiveSearch:
    """The runs of one search: parameters scaled to 0 … 1, objective scaled by its start; no point is run twice."""

    def __init__(
        self, what: System | Model, objective: Objective | Law | str, parameters: Mapping[str, tuple[float, float]],
        constraints: Mapping[str, tuple[Wanted, Bounds]], until: float, dt: float,
        inputs: Inputs | None, x0: State | None, options: Mapping[str, Any],
    ):  # fmt: skip
        parameters = by_name(parameters, "parameters", EXAMPLE)
        constraints = by_name(constraints, "constraints", '{"travel": ("travel.q", (None, 0.1))}')
        _check(parameters, constraints)
        self.limits = [(name, bounds) for name, (_, bounds) in constraints.items()]
        wanted = objectives_of(objective) | {name: objectives_of(w)[PSI] for name, (w, _) in constraints.items()}
        self.names, self._until, self._dt, self._x0 = list(parameters), until, dt, x0
        base, self._inputs = given_system(what, inputs, **options)
        self.s = sensitivity_system(base, wanted, self.names, [])
        low, high = np.array([parameters[p] for p in self.names], dtype=float).T
        self._low, self._width = low, high - low
        now = np.array([self.s.parameters[p] for p in self.names])
        self.start: Array = np.clip((now - low) / self._width, 0.0, 1.0)
        self._last: tuple[Array, dict[str, tuple[float, Array]]] | None = None
        self._scale: dict[str, float] = {}
        self.result = Optimum(PSI, [], bounds={p: (float(a), float(b)) for p, (a, b) in parameters.items()})

    def at(self, place: Array) -> dict[str, tuple[float, Array]]:
        """Objective and constraints with their gradients, in the units of the search."""
        if self._last is None or not np.array_equal(self._last[0], place):
            self._last = place.copy(), self._run(place)
        return self._last[1]

    def _run(self, place: Array) -> dict[str, tuple[float, Array]]:
        values = dict(zip(self.names, map(float, self._low + place * self._width), strict=True))
        try:
            found = sensitivity(
                self.s, until=self._until, dt=self._dt, values=values, inputs=self._inputs, x0=self._x0,
                at=[self._until],
            )  # fmt: skip
        except FAILURES as failure:
            if not self.result.history:
                raise  # the first run failed: the search has no earlier point
            self.result.history.append(Trial(values, {}, False, str(failure)))
            return {name: self._failed(name) for name in self.s.objectives}
        self._scale = self._scale or {name: abs(x) or 1.0 for name, x in found.values.items()}
        self.result.history.append(Trial(values, found.values, self._feasible(found.values)))
        return {name: self._scaled(found, name) for name in self.s.objectives}

    def by_swarm(self, iterations: int, particles: int, seed: int, progress: bool, cluster: Cluster) -> Optimum:
        """A global search without gradients; a place that breaks a constraint counts as infinite."""
        s = self.s.plain
        names = list(s.objectives)
        compute = SwarmObjectives(self._at_start(s), self.names, self._until, self._dt, self._inputs)
        with on_cluster(compute, cluster, np.full(len(names), np.nan)) if cluster else nullcontext(compute) as there:

            def fitness(x: Array) -> Array:
                places = self._low + x * self._width
                found = there(places)
                self._scale = self._scale or {name: abs(v) or 1.0 for name, v in zip(names, found[0], strict=True)}
                return np.array([self._tried(place, dict(zip(names, row, strict=True))) for place, row in zip(
                    places.tolist(), found.tolist(), strict=True)])  # fmt: skip

            n = len(self.names)
            try:
                swarm(
                    fitness, [0.0] * n, [1.0] * n, particles=particles, iterations=iterations,
                    start=self.start.tolist(), seed=seed, progress=progress,
                )  # fmt: skip
                self.result.finished, self.result.message = True, f"{iterations} iterations of {particles} particles"
            except KeyboardInterrupt:
                self.result.message = "interrupted"
                if not self.result.history:
                    raise
        return self.result

    def _tried(self, place: list[float], values: dict[str, float]) -> float:
        """Record a trial of the swarm; its objective, infinite if it failed or breaks a constraint."""
        parameters = dict(zip(self.names, place, strict=True))
        if not np.isfinite(list(values.values())).all():
            self.result.history.append(Trial(parameters, {}, False, "the run failed"))
            return np.inf
        feasible = self._feasible(values)
        self.result.history.append(Trial(parameters, values, feasible))
        return values[PSI] if feasible else np.inf

    def _at_start(self, s: Sensitive) -> Sensitive:
        if self._x0 is not None:
            cure = "write it as initial values of the model, which may depend on parameters"
            raise ModelError("a swarm starts at the initial state of the model", element="x0", cure=cure)
        return s

    def _scaled(self, found: Sensitivity, name: str) -> tuple[float, Array]:
        slope = np.array([found.gradients[name][p] for p in self.names]) * self._width
        return found.values[name] / self._scale[name], slope / self._scale[name]

    def _failed(self, name: str) -> tuple[float, Array]:
        """A value above all so far, so that the search turns back."""
        known = [abs(trial.values[name]) for trial in self.result.history if trial.values]
        return WORSE * max([*known, self._scale[name]]) / self._scale[name], np.zeros(len(self.names))

    def _feasible(self, values: Mapping[str, float]) -> bool:
        slack = {name: FEASIBLE * self._scale[name] for name, _ in self.limits}
        return all(
            (low is None or values[name] >= low - slack[name]) and (high is None or values[name] <= high + slack[name])
            for name, (low, high) in self.limits
        )

    def value(self, place: Array) -> tuple[float, Array]:
        return self.at(place)[PSI]

    def sides(self, name: str) -> list[tuple[float, float]]:
        """(sign, bound) of the inequalities sign · (value − bound) ≥ 0."""
        low, high = dict(self.limits)[name]
        return [(sign, bound) for sign, bound in ((1.0, low), (-1.0, high)) if bound is not None]

    def room(self, place: Array, name: str, sign: float, bound: float) -> tuple[float, Array]:
        value, slope = self.at(place)[name]
        return sign * (value - bound / self._scale[name]), sign * slope


def _scipy_constraint(search: _ObjectiveSearch, name: str, side: tuple[float, float]) -> dict[str, Any]:
    return {
        "type": "ineq",
        "fun": lambda place: search.room(place, name, *side)[0],
        "jac": lambda place: search.room(place, name, *side)[1],
    }


def _check(parameters: Mapping[str, tuple[float, float]], constraints: Mapping[str, tuple[Wanted, Bounds]]) -> None:
    if not parameters:
        raise ModelError("nothing to optimise", cure=f"give parameters with bounds: {EXAMPLE}")
    for name, bounds in parameters.items():
        low, high = bounds if np.shape(bounds) == (2,) else (np.nan, np.nan)
        if not (np.isfinite(low) and np.isfinite(high) and low < high):
            raise ModelError(f"bounds {bounds!r:.40}", element=name, cure="give two numbers, the lower one first")
    if PSI in constraints:
        raise ModelError(f"a constraint must not have the name '{PSI}'", cure="give it another name")
