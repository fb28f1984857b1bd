"""The runs of a fit: residuals of all logs with their exact Jacobian, and bounded least squares over them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from tqdm import tqdm

from symbody.analysis.fit_batch import FitBatch
from symbody.analysis.fit_log import Measured
from symbody.analysis.initial_parameters import initial_name
from symbody.analysis.optimise import WORSE
from symbody.analysis.optimise_swarm import FAILURES
from symbody.analysis.simulate import simulate
from symbody.errors import ModelError
from symbody.results.run import Run
from symbody.stepping.inputs import Signal
from symbody.system.sensitivity import Sensitive, slope_name
from symbody.system.system import Array

EVEN = 1e-6  # samples are equidistant if their intervals vary by less than this share
CONVERGED = 1e-10  # relative change of the cost or of the unknowns that ends the search


@dataclass
class Unknowns:
    """Unknowns of the fit: parameters, then the initial states of each log; start, bounds and scales."""

    parameters: list[str]
    initial: list[str]
    logs: int
    start: Array
    low: Array
    high: Array

    @property
    def names(self) -> list[str]:
        """Names; initial states carry the number of their log if there are several."""
        several = (f"{state} at the start of log {k + 1}" for k in range(self.logs) for state in self.initial)
        alone = (f"{state} at the start" for state in self.initial)
        return [*self.parameters, *(alone if self.logs == 1 else several)]

    @property
    def scale(self) -> Array:
        """Typical sizes: magnitudes of the start values, or one."""
        return np.where(self.start == 0.0, 1.0, np.abs(self.start))

    def columns(self, log: int) -> list[int]:
        """Indices of the unknowns that a log depends on."""
        n, m = len(self.parameters), len(self.initial)
        return [*range(n), *range(n + log * m, n + (log + 1) * m)]

    def values(self, theta: Array, log: int) -> dict[str, float]:
        """Live parameters of the system for a log."""
        names = [*self.parameters, *map(initial_name, self.initial)]
        return dict(zip(names, map(float, theta[self.columns(log)]), strict=True))


@dataclass
class FitSearch:
    """Residuals (model − log)/σ of all logs as a function of the unknowns; the last point is not run twice."""

    s: Sensitive
    logs: Sequence[Measured]
    channels: Sequence[str]
    unknowns: Unknowns
    inputs: Mapping[str, Signal]
    stepping: Mapping[str, Any]  # method and dt of `simulate`
    sigma: dict[str, float] = field(default_factory=dict)  # by channel
    runs: int = 0
    failures: list[str] = field(default_factory=list)
    _last: tuple[Array, list[Run]] | None = None
    _batch: FitBatch | None = None

    def trajectories(self, theta: Array) -> list[Run]:
        """One run per log, with derivatives of its channels."""
        if self._last is None or not np.array_equal(self._last[0], theta):
            self._last = theta.copy(), self._together(theta) or [self._run(theta, k) for k in range(len(self.logs))]
        return self._last[1]

    def _together(self, theta: Array) -> list[Run] | None:
        """All runs as one batch, if they suit one."""
        if self._batch is None:
            dt = stepping_of(self.logs[0], self.stepping).get("dt")
            self._batch = FitBatch(self.s, self.logs, self.stepping.get("method"), dt)
        runs = self._batch.runs([self.unknowns.values(theta, k) for k in range(len(self.logs))], self.inputs)
        self.runs += len(runs or ())
        return runs

    def _run(self, theta: Array, number: int) -> Run:
        log = self.logs[number]
        self.s.parameters.update(self.unknowns.values(theta, number))
        self.runs += 1
        inputs = {**log.inputs(self.s), **self.inputs}
        how = stepping_of(log, self.stepping)
        start, until = float(log.t[0]), float(log.t[-1])
        return simulate(self.s.restarted(), until, start=start, at=log.t, inputs=inputs, energy="ignore", **how)

    def differences(self, theta: Array) -> dict[tuple[int, str], Array]:
        """Model minus log, by log and channel; NaN without a measurement."""
        pairs = zip(self.trajectories(theta), self.logs, strict=True)
        return {(k, c): run[c] - log.columns[c] for k, (run, log) in enumerate(pairs) for c in self.channels}

    def residuals(self, theta: Array) -> Array:
        """All differences divided by their noise, without NaN."""
        parts = [r / self.sigma[c] for (_, c), r in self.differences(theta).items()]
        return np.concatenate([r[np.isfinite(r)] for r in parts])

    def jacobian(self, theta: Array) -> Array:
        """d residuals / d unknowns, from the sensitivities."""
        rows = []
        for k, (run, log) in enumerate(zip(self.trajectories(theta), self.logs, strict=True)):
            names = self.unknowns.values(theta, k)
            for c in self.channels:
                block = np.zeros((len(log.t), len(theta)))
                slopes = [run[slope_name(c, p)] for p in names]
                block[:, self.unknowns.columns(k)] = np.stack(slopes, axis=1) / self.sigma[c]
                rows.append(block[np.isfinite(log.columns[c])])
        return np.concatenate(rows)


def stepping_of(log: Measured, stepping: Mapping[str, Any]) -> dict[str, Any]:
    """Method and step for a log: the largest step up to `dt` that hits its times, if they are equidistant."""
    how = {name: value for name, value in stepping.items() if value is not None}
    if "dt" not in how:
        return how
    gaps = np.diff(log.t)
    if np.ptp(gaps) > EVEN * gaps.max():
        cure = "leave dt out: variable steps reach any time"
        raise ModelError("the times are not equidistant, but the step is fixed", element=log.name, cure=cure)
    period = float((log.t[-1] - log.t[0]) / len(gaps))
    return {**how, "dt": period / np.ceil(period / how["dt"] - EVEN)}


@dataclass(frozen=True)
class Found:
    """The end of a search, and whether it converged."""

    theta: Array
    finished: bool
    message: str


def least_squares(search: FitSearch, theta: Array, iterations: int, progress: bool) -> Found:
    """SciPy's bounded trust-region search with exact Jacobians; Ctrl-C keeps the best result so far."""
    import scipy.optimize  # imported here: it takes longer than the import of symbody

    solve: Any = scipy.optimize.least_squares
    scale, unknowns = search.unknowns.scale, search.unknowns
    best: list[Any] = [np.inf, theta.copy()]
    size = len(search.residuals(theta))  # a failing start raises its own error

    with tqdm(total=iterations, unit="run", disable=not progress, desc="fitting") as bar:

        def residuals(z: Array) -> Array:
            bar.update()
            try:
                r = search.residuals(z * scale)
            except FAILURES as failure:  # a cost above the best, so that the search turns back
                search.failures.append(str(failure))
                return np.full(size, WORSE * np.sqrt(best[0] / size))
            cost = float(r @ r)
            if cost < best[0]:
                best[:] = cost, z * scale
                bar.set_postfix_str(f"χ² = {cost:.6g}")
            return r

        def jacobian(z: Array) -> Array:
            return np.asarray(search.jacobian(z * scale) * scale)

        limits = unknowns.low / scale, unknowns.high / scale
        first = np.clip(theta / scale, *limits)
        try:
            found = solve(
                residuals, first, jac=jacobian, bounds=limits, x_scale="jac", max_nfev=iterations,
                xtol=CONVERGED, ftol=CONVERGED, gtol=CONVERGED,
            )  # fmt: skip
        except KeyboardInterrupt:
            if not np.isfinite(best[0]):
                raise
            return Found(best[1], False, "interrupted")
    return Found(found.x * scale, bool(found.status > 0), str(found.message))
