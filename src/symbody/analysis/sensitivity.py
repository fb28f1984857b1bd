"""Sensitivities dψ/dp of an objective: the exact derivatives of the motion are integrated in C together with it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from symbody.analysis.arguments import Inputs, given_system
from symbody.analysis.simulate import simulate
from symbody.errors import ModelError
from symbody.model.law import Law
from symbody.model.model import Model
from symbody.results.run import Run
from symbody.system.named_values import State, by_name, listed, require_known, state_vector
from symbody.system.sensitivity import Objective, Sensitive, slope_name
from symbody.system.system import Array, System

PSI = "psi"  # the channel of a single objective
Wanted = Objective | Law | str | Mapping[str, Objective]


@dataclass(frozen=True)
class Sensitivity:
    """ψ and dψ/dp of each objective, and the run, with channels `y`, `psi` and `d(y)/d(p)`."""

    values: dict[str, float]
    gradients: dict[str, dict[str, float]]  # by objective, by parameter
    run: Run

    @property
    def value(self) -> float:
        """ψ of the first objective."""
        return next(iter(self.values.values()))

    @property
    def gradient(self) -> dict[str, float]:
        """dψ/dp by parameter, of the first objective."""
        return next(iter(self.gradients.values()))

    def __repr__(self) -> str:
        listed = ", ".join(f"{name} = {x:.6g}" for name, x in list(self.values.items())[:3])
        return f"<Sensitivity of {listed} by {len(self.gradient)} parameters>"

    def of(self, output: str, parameter: str) -> Array:
        """dy/dp over time."""
        return self.run[slope_name(output, parameter)]


def objectives_of(wanted: Wanted) -> dict[str, Objective]:
    """Objectives by name; a law or an output alone is the integrand of a single objective."""
    if isinstance(wanted, Mapping):
        return dict(wanted)
    return {PSI: wanted if isinstance(wanted, Objective) else Objective(integrand=wanted)}


def sensitivity_system(
    what: System | Model,
    objective: Wanted,
    parameters: Sequence[str] | None = None,
    outputs: Sequence[str] | None = None,
    **options: Any,
) -> Sensitive:
    """Compile a system with its sensitivities for many runs of `sensitivity`; arguments as there.

    Parameters
    ----------
    what : System or Model
    objective : Objective, law, str or mapping
        As in `sensitivity`.
    parameters : sequence of str, optional
        Live parameters. Default: all.
    outputs : sequence of str, optional
        Outputs to record.
    **options
        Options of `system`, for a model.

    Returns
    -------
    Sensitive
        The system, for many runs of `sensitivity`.

    Raises
    ------
    ModelError
        If an objective or a parameter is unknown.

    Examples
    --------
    >>> import symbody as sb
    >>> m = sb.machines.model("quarter-car")
    >>> s = sb.sensitivity_system(m, "heave.qdd**2", ["c_strut"])
    >>> found = sb.sensitivity(s, until=0.1, dt=1e-3)
    """
    s = given_system(what, **options)[0]
    names = list(s.parameters if parameters is None else listed(parameters) or ())
    if parameters is None and not names:
        raise ModelError(
            "no live parameters", element=s.model.name, cure='declare some, or make the system with live="all"'
        )
    return Sensitive(s, objectives_of(objective), names, listed(outputs))


def sensitivity(
    what: System | Model | Sensitive,
    objective: Wanted | None = None,
    parameters: Sequence[str] | None = None,
    until: float = 1.0,
    dt: float = 1e-3,
    *,
    values: Mapping[str, float] | None = None,
    outputs: Sequence[str] | None = None,
    inputs: Inputs | None = None,
    x0: State | None = None,
    every: float | None = None,
    at: Sequence[float] | None = None,
    method: str | None = None,
    progress: bool = False,
    **options: Any,
) -> Sensitivity:
    """Exact derivatives dψ/dp of the objective ψ(p) = G(t₁) + ∫F dt of a run.

    Parameters
    ----------
    what : System, Model or Sensitive
        The system; a `Sensitive` from `sensitivity_system` is compiled already.
    objective : law, str, Objective, or mapping name → one of these
        The integrand F: a law (s, p) or the name of an output; an `Objective` has F and G.
    parameters : sequence of str, optional
        Names (default: all live parameters). The initial state also depends on them: through its formulas, and through
        the loops, which are closed again.
    until, dt : float
        End and fixed step of the run (s; default 1 and 0.001).
    values : mapping name → float, optional
        Parameters to set before the run; they stay set.
    outputs : sequence of str, optional
        Outputs recorded with their derivatives (default: the states).
    inputs, x0, every, at, method
        As in `simulate`; the last record must be at the end. States given by x0 do not depend on p.
    progress : bool
        Show a progress bar (default False).

    Returns
    -------
    Sensitivity
        ψ, dψ/dp by parameter, and the run.

    Raises
    ------
    ModelError
        If an objective or a parameter is unknown.

    Examples
    --------
    >>> import symbody as sb
    >>> m = sb.machines.model("quarter-car")
    >>> found = sb.sensitivity(m, "heave.qdd**2", ["c_strut", "k_strut"], until=0.2, dt=1e-3)
    """
    if not isinstance(what, Sensitive):
        base, inputs = given_system(what, inputs, **options)
        what = sensitivity_system(base, objective or {}, parameters, outputs)
    what.parameters.update(by_name(values, "values", '{"k": 2e4}'))
    s = what.restarted()
    z = _started_at(s, x0)
    run = simulate(s, until, dt, method=method, inputs=inputs, x0=z, every=every, at=at, progress=progress)
    if not np.isclose(run.t[-1], until, rtol=1e-9, atol=0.0):
        cure = "choose `every` so that the last record is at the end: it is ψ"
        raise ModelError(f"a record every {every} s up to {until:g} s", element="every", cure=cure)
    found = {name: float(run[name][-1]) for name in s.objectives}
    slopes = {o: {p: float(run[slope_name(o, p)][-1]) for p in s.by} for o in s.objectives}
    return Sensitivity(found, slopes, run)


def _started_at(s: Sensitive, x0: State | None) -> Array | None:
    """The start of z with other states x. The rows of S = dx/dp of the given states are zero."""
    if x0 is None:
        return None
    base = s.base.states
    given = (
        by_name(x0, "x0", "") if isinstance(x0, Mapping) else dict(zip(base, np.asarray(x0, dtype=float), strict=True))
    )
    require_known(given, base, "state")
    z = np.array(state_vector(s, given))
    for k, name in enumerate(base):
        if name in given:
            z[len(base) + k * len(s.by) : len(base) + (k + 1) * len(s.by)] = 0.0
    return z


def finite_differences(
    s: Sensitive, until: float, dt: float, step: float = 1e-5, **more: Any
) -> dict[str, dict[str, float]]:
    """dψ/dp by central differences of 2 n whole runs for n parameters; less accurate, for comparison.

    Parameters
    ----------
    s : Sensitive
        A system of `sensitivity_system`.
    until, dt : float
        End and fixed step of each run, s.
    step : float
        Relative change of a parameter. Default 1e-5.
    **more
        Further arguments of `sensitivity`.

    Returns
    -------
    dict of str to dict of str to float
        dψ/dp by objective and parameter.

    Examples
    --------
    >>> import symbody as sb
    >>> m = sb.machines.model("quarter-car")
    >>> s = sb.sensitivity_system(m, "heave.qdd**2", ["c_strut"])
    >>> slopes = sb.finite_differences(s, until=0.1, dt=1e-3)
    """
    found: dict[str, dict[str, float]] = {name: {} for name in s.objectives}
    for p in s.by:
        middle = s.parameters[p]
        reach = step * (abs(middle) or 1.0)
        try:
            above, below = (
                sensitivity(s.plain, until=until, dt=dt, values={p: middle + side * reach}, **more).values
                for side in (1, -1)
            )
        finally:
            s.parameters[p] = middle
        for name in s.objectives:
            found[name][p] = (above[name] - below[name]) / (2 * reach)
    return found
