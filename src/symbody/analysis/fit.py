"""Fit any parameter to measured data: least squares over whole runs, with the exact sensitivities of the motion.

θ = argmin Σ ((y(t, θ) − log)/σ)² within bounds, covariance (JᵀJ)⁻¹ with J = ∂residuals/∂θ. Small singular values of J,
with columns scaled by the sizes of the parameters, mark directions that the data do not determine.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from symbody.analysis.fit_log import Log, Measured, measured
from symbody.analysis.fit_search import FitSearch, Unknowns, least_squares
from symbody.analysis.identify import EXACT, REWEIGHTED
from symbody.analysis.initial_parameters import with_initial_parameters
from symbody.errors import ModelError
from symbody.model.model import Model
from symbody.results.compare import WITHIN
from symbody.results.run import Run
from symbody.stepping.inputs import Signal
from symbody.system.options import asked_for
from symbody.system.sensitivity import Sensitive
from symbody.system.system import Array, System, system

UNSEEN = 1e-8  # singular value, relative to the largest, of a direction without any effect
DOUBTFUL = 1.0  # relative deviation of a direction beyond which the data do not determine it
NAMED = 0.1  # a parameter is named in a direction from this share of the largest component


@dataclass(frozen=True)
class Fitted:
    """Fitted parameters with their covariance, undetermined directions, runs and residuals."""

    names: list[str]
    estimate: Array
    covariance: Array  # infinite along directions that the data do not determine
    before: Array
    bounds: list[tuple[float, float]]
    indistinct: list[str]  # directions in which the parameters may change without effect: "k +1.00 %, m +1.00 %"
    noise: dict[str, float]  # standard deviation by channel, given or estimated
    logs: list[Measured]
    runs: list[Run]  # of the fitted model, one for each log
    finished: bool
    message: str
    evaluations: int

    @property
    def values(self) -> dict[str, float]:
        """Fitted values by name; `s.parameters.update(...)` accepts those of parameters."""
        return dict(zip(self.names, map(float, self.estimate), strict=True))

    @property
    def deviations(self) -> dict[str, float]:
        """Standard deviations by name; infinite if the data do not determine a parameter."""
        return dict(zip(self.names, map(float, np.sqrt(np.diag(self.covariance))), strict=True))

    @property
    def bands(self) -> dict[str, tuple[float, float]]:
        """95 % confidence interval (low, high) by name."""
        return {k: (x - WITHIN * self.deviations[k], x + WITHIN * self.deviations[k]) for k, x in self.values.items()}

    @property
    def table(self) -> list[dict[str, Any]]:
        """One record per parameter: before, fitted, deviation, deviation in percent, and a note if it is at a bound."""
        rows = []
        for k, (name, x) in enumerate(self.values.items()):
            sigma, (low, high) = self.deviations[name], self.bounds[k]
            percent = 100.0 * sigma / abs(x) if x else None
            at_bound = "at its bound" if np.isclose(x, low, rtol=1e-6) or np.isclose(x, high, rtol=1e-6) else ""
            rows.append({
                "parameter": name, "before": float(self.before[k]), "value": x, "deviation": sigma,
                "deviation_%": percent, "note": at_bound or ("not determined" if not np.isfinite(sigma) else ""),
            })  # fmt: skip
        return rows

    def residuals(self, channel: str, log: int = 0) -> Array:
        """Model minus log over the times of a log; NaN without a measurement."""
        return np.asarray(self.runs[log][channel] - self.logs[log].columns[channel])

    def plot(self, log: int = 0) -> Any:
        """Plot measurement and fit over time, and the residuals below; return the axes, one column per channel."""
        from matplotlib import pyplot as plt

        figure, _ = plt.subplots(layout="constrained", figsize=(4.0 * len(self.noise), 5.0))
        figure.clear()
        return self.draw(figure, log)

    def draw(self, figure: Any, log: int = 0) -> Any:
        """Draw the same plot into an empty Matplotlib figure."""
        t, columns = self.logs[log].t, self.logs[log].columns
        axes = figure.subplots(2, len(self.noise), sharex=True, squeeze=False)
        for (above, below), (channel, sigma) in zip(axes.T, self.noise.items(), strict=True):
            above.plot(t, columns[channel], ".", ms=3, label="measured")
            above.plot(t, self.runs[log][channel], lw=1.2, label="fitted")
            above.set(title=channel)
            above.legend(fontsize="small")
            below.plot(t, self.residuals(channel, log), ".", ms=3)
            below.axhspan(-WITHIN * sigma, WITHIN * sigma, alpha=0.15)
            below.set(xlabel="t (s)", ylabel="fitted − measured")
        return axes

    def __repr__(self) -> str:
        found = ", ".join(f"{k} = {x:.6g} ± {self.deviations[k]:.2g}" for k, x in self.values.items())
        doubt = f"; not distinguished by the data: {'; '.join(self.indistinct)}" if self.indistinct else ""
        return f"<Fitted {found}{doubt}{'' if self.finished else f'; not finished: {self.message}'}>"


def fit(
    what: System | Model,
    log: Log | Sequence[Log],
    parameters: Sequence[str] | Mapping[str, tuple[float, float]],
    *,
    channels: Sequence[str] | None = None,
    bounds: Mapping[str, tuple[float, float]] | None = None,
    sigma: Mapping[str, float] | None = None,
    initial: Sequence[str] = (),
    inputs: Mapping[str, Signal] | None = None,
    dt: float | None = None,
    method: str | None = None,
    iterations: int = 100,
    progress: bool = False,
    **options: Any,
) -> Fitted:
    """Fit parameters of a system to measured motion: `sb.fit(s, "log.csv", ["mass", "friction"])`.

    Parameters
    ----------
    what : System or Model
        The system; a model is compiled with `options`.
    log : Run, str, DataFrame, mapping, or a list of these
        A run, the path of a .csv or .parquet file, a DataFrame, or arrays by name with times (s) in "t". Columns named
        as inputs drive the system. Columns named as outputs are compared. NaN marks a gap.
    parameters : sequence of str, or mapping name → (low, high)
        Names of live parameters. The search starts at their present values.
    channels : sequence of str, optional
        Outputs to compare (default: all outputs in the log).
    bounds : mapping name → (low, high), optional
        Bounds of parameters and of `initial` states.
    sigma : mapping name → float, optional
        Standard deviations of the noise by channel, in its unit. Missing ones are estimated from the residuals.
    initial : sequence of str
        States with an unknown initial value, fitted for each log.
    inputs : mapping, optional
        Inputs as in `simulate`; they replace those of the log.
    dt : float, optional
        Fixed step (s). Without it the method chooses its steps.
    method : str, optional
        Integration method, as in `simulate`.
    iterations : int
        Limit of the search (default 100).
    progress : bool
        Show a progress bar (default False).

    Returns
    -------
    Fitted
        Values, covariance, undetermined directions and runs. The system keeps its parameters;
        `s.parameters.update(found.values)` sets the fitted ones.

    Raises
    ------
    ModelError
        If a name is unknown, a bound is wrong, or there are fewer numbers than unknowns.

    Examples
    --------
    >>> import symbody as sb
    >>> m = sb.machines.model("pendulum")
    >>> s = sb.system(m)
    >>> s.parameters["length"] = 1.2
    >>> log = sb.simulate(s, 2.0, 1e-2)
    >>> s.parameters["length"] = 1.0
    >>> found = sb.fit(s, log, ["length"], channels=["bob.q"], dt=1e-2)
    """
    if isinstance(parameters, Mapping):
        bounds, parameters = {**parameters, **(bounds or {})}, list(parameters)
    several = log if isinstance(log, (list, tuple)) else [log]
    logs = [measured(one, k) for k, one in enumerate(several)]
    s = what if isinstance(what, System) else system(what, inputs=asked_for(what, inputs or {}), **options)
    wanted = logs[0].channels(s, channels)
    for other in logs[1:]:
        other.channels(s, wanted)
    if not logs or (not parameters and not initial):
        raise ModelError("nothing to fit", element=s.model.name, cure="give names of parameters or initial states")
    unknowns = _unknowns(s, list(parameters), list(initial), bounds or {}, logs)
    _check_sigma(sigma or {}, wanted)
    made = with_initial_parameters(s, initial)
    before = dict(made.parameters)
    by = list(unknowns.values(unknowns.start, 0))
    try:
        search = FitSearch(
            Sensitive(made, {}, by, wanted), logs, wanted, unknowns, dict(inputs or {}), {"dt": dt, "method": method}
        )
        return _fitted(search, dict(sigma or {}), iterations, progress)
    finally:
        made.parameters.update(before)


def _fitted(search: FitSearch, given: Mapping[str, float], iterations: int, progress: bool) -> Fitted:
    """Search, search again with the estimated noise if it is not given, and collect the result."""
    ranges = _ranges(search)
    search.sigma = {c: given.get(c, ranges[c]) for c in search.channels}
    found = least_squares(search, search.unknowns.start, iterations, progress)
    free = [c for c in search.channels if c not in given]
    for _ in range(REWEIGHTED if free and len(search.channels) > 1 else 0):
        search.sigma |= _left_over(search, found.theta, free, ranges)
        found = least_squares(search, found.theta, iterations, progress)
    search.sigma |= _left_over(search, found.theta, free, ranges)
    unknowns, J = search.unknowns, search.jacobian(found.theta)
    size = np.where(found.theta == 0.0, unknowns.scale, np.abs(found.theta))
    covariance, indistinct = _statistics(J * size, size, unknowns.names)
    if indistinct:
        told = "; ".join(indistinct)
        warnings.warn(f"the data do not distinguish these: {told}; measure more, or fit fewer parameters", stacklevel=3)
    return Fitted(
        unknowns.names, found.theta, covariance, unknowns.start, list(zip(unknowns.low, unknowns.high, strict=True)),
        indistinct, dict(search.sigma), list(search.logs), search.trajectories(found.theta), found.finished,
        found.message, search.runs,
    )  # fmt: skip


def _statistics(J: Array, size: Array, names: Sequence[str]) -> tuple[Array, list[str]]:
    """Covariance from the whitened Jacobian by relative changes; and directions that the data do not determine."""
    _, s, V = np.linalg.svd(J, full_matrices=False)
    seen = s > UNSEEN * s[0] if len(s) else s > 0.0
    half = V[seen].T / s[seen] * size[:, None]
    covariance = half @ half.T
    lost = np.flatnonzero(np.any(np.abs(V[~seen]) > NAMED, axis=0))
    covariance[lost, :] = covariance[:, lost] = np.nan
    covariance[lost, lost] = np.inf
    doubtful = [v for v, sigma in zip(V, s, strict=True) if sigma <= max(1.0 / DOUBTFUL, UNSEEN * s[0])]
    return covariance, [_direction(v, names) for v in doubtful]


def _direction(v: Array, names: Sequence[str]) -> str:
    """A direction as text: percent of each parameter, relative to the largest."""
    v = v / v[np.argmax(np.abs(v))]
    return ", ".join(f"{name} {x:+.2f} %" for name, x in zip(names, v, strict=True) if abs(x) > NAMED)


def _ranges(search: FitSearch) -> dict[str, float]:
    """The size of each channel over all logs: its range, or its value if it is constant."""
    found = {}
    for c in search.channels:
        values = np.concatenate([log.columns[c][np.isfinite(log.columns[c])] for log in search.logs])
        if not len(values):
            raise ModelError("the logs have no values of it", element=c, cure="leave it out of channels=")
        found[c] = float(np.std(values) or np.abs(values).max() or 1.0)
    return found


def _left_over(
    search: FitSearch, theta: Array, channels: Sequence[str], ranges: Mapping[str, float]
) -> dict[str, float]:
    """Standard deviation of the residuals by channel, corrected for the degrees of freedom of the fit."""
    left = search.differences(theta)
    total = sum(int(np.isfinite(r).sum()) for r in left.values())
    if total <= len(theta):
        cure = "measure more, or fit fewer parameters"
        raise ModelError(f"only {total} values for {len(theta)} unknowns", element=search.logs[0].name, cure=cure)
    spare, found = 1.0 - len(theta) / total, {}
    for c in channels:
        r = np.concatenate([r[np.isfinite(r)] for (_, name), r in left.items() if name == c])
        found[c] = max(float(np.sqrt(np.mean(r**2) / spare)), EXACT * ranges[c])
    return found


def _unknowns(
    s: System, parameters: list[str], initial: list[str], bounds: Mapping[str, tuple[float, float]],
    logs: Sequence[Measured],
) -> Unknowns:  # fmt: skip
    """Start values and bounds of the search."""
    for name in bounds:
        if name not in parameters and name not in initial:
            raise ModelError("bounds for a parameter that is not fitted", element=name, cure="add it to parameters=")
    for name in parameters:
        if name not in s.parameters:
            known = ", ".join(s.parameters) or "none; declare some with m.parameter, or make the system with live='all'"
            raise ModelError("not a live parameter", element=name, cure=f"the live parameters are {known}")
    values = dict(zip(s.states, map(float, s.x0), strict=True))
    first = [_first(log, state, values) for log in logs for state in initial]
    start = np.array([*(s.parameters[p] for p in parameters), *first])
    limits = [_bounds(name, bounds) for name in [*parameters, *initial * len(logs)]]
    low, high = np.array(limits, dtype=float).T
    return Unknowns(parameters, initial, len(logs), np.clip(start, low, high), low, high)


def _first(log: Measured, state: str, values: Mapping[str, float]) -> float:
    """The first sample of a state if it was measured; else the system's initial value."""
    x = log.columns.get(state)
    return float(x[0]) if x is not None and np.isfinite(x[0]) else values.get(state, 0.0)


def _bounds(name: str, bounds: Mapping[str, tuple[float, float]]) -> tuple[float, float]:
    low, high = bounds.get(name, (-np.inf, np.inf))
    if not low < high:
        raise ModelError(f"bounds ({low}, {high})", element=name, cure="give two numbers, the lower one first")
    return low, high


def _check_sigma(sigma: Mapping[str, float], channels: Sequence[str]) -> None:
    for name, value in sigma.items():
        if name not in channels:
            raise ModelError(
                "noise of a channel that is not compared", element=name, cure=f"use one of {', '.join(channels)}"
            )
        if not (np.isfinite(value) and value > 0.0):
            raise ModelError(f"a noise of {value}", element=name, cure="give a positive standard deviation")
