"""Make a filter on a system from the sensors, their noise, the model errors and the initial uncertainty."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from symbody.errors import ModelError
from symbody.estimation.ensemble import EnsembleFilter
from symbody.estimation.error_state import ErrorStateFilter
from symbody.estimation.noise import model_doubt
from symbody.estimation.state_filter import FilterSetup, StateFilter
from symbody.estimation.transition import TRANSITIONS
from symbody.estimation.unscented import UnscentedFilter
from symbody.suggestions import nearest_or_first
from symbody.system.system import System, system_of

FILTERS = ("error-state", "unscented", "ensemble")


def estimate(
    s: System,
    sensors: Sequence[str],
    noise: Mapping[str, float],
    model_error: Mapping[str, float] | float | None = None,
    *,
    forces: Mapping[str, float] | None = None,
    parameters: Mapping[str, float] | None = None,
    dt: float = 1e-3,
    method: str | None = None,
    start: Mapping[str, float] | None = None,
    transition: str = "step",
    gate: float = np.inf,
    backend: str = "auto",
    filter: str = "error-state",
    members: int = 100,
    seed: int = 0,
) -> StateFilter:
    """A filter on a system: `twin = sb.estimate(s, ["crank.q", "p1"], noise={"crank.q": 0.01, "p1": 1e4})`.

    Parameters
    ----------
    s : System
        The model of the machine. The filter uses its own copy of the live parameters.
    sensors : sequence of str
        Measured outputs of the system.
    noise : mapping name → float
        Standard deviation of each sensor, in its unit.
    model_error : mapping name → float, or float, optional
        Noise densities of velocities and states (unit/√s), and standard deviations of parameters, which are considered
        but not estimated. A number is a share of the typical sizes of all of them (default 0.05).
    forces : mapping name → float, optional
        Unknown inputs to estimate, with their random-walk densities (unit/√s).
    parameters : mapping name → float, optional
        Parameters to estimate, with their initial standard deviations.
    dt : float
        Step of the filter (s, default 0.001).
    method : str, optional
        A fixed-step method, as in `simulate`.
    start : mapping name → float, optional
        Initial standard deviations of states, and of inputs in `forces` (default of these: 0).
    transition : str
        Error propagation: as in the "step" of the method (default), "exact" by e^{A dt}, or "held": as "step", but
        errors of pressures and other states of elements stay as they are (the filter of Jaiswal 2021, §3.1).
    gate : float
        Measurements with a larger y²/S are rejected and counted; 9 rejects beyond 3 σ (default: none).
    backend : str
        "auto" (default: C if possible) or "python".
    filter : str
        "error-state" (default), "unscented" or "ensemble".
    members, seed : int
        Size and seed of the ensemble (default 100 and 0).

    Returns
    -------
    StateFilter
        Call `step(u, z)` for each step; `mean` and `sigma` hold the estimates.

    Raises
    ------
    ModelError
        If a name is unknown or a value is not allowed.

    Examples
    --------
    >>> import symbody as sb
    >>> m = sb.machines.model("four-bar")
    >>> s = sb.system(m)
    >>> twin = sb.estimate(s, ["crank.q"], noise={"crank.q": 0.01}, dt=1e-3)
    >>> step = twin.step([0.0], {"crank.q": float(s.x0[0])})
    >>> twin.sigma["crank.q"] < 0.05
    True
    """
    for name in sensors:
        if name not in s.outputs:
            near = " or ".join(nearest_or_first(name, s.outputs))
            raise ModelError("unknown sensor", element=name, cure=f"sensors are outputs: did you mean {near}?")
        if not (name in noise and np.isfinite(noise[name]) and noise[name] > 0.0):
            raise ModelError("its noise is not given", element=name, cure=f"give noise={{'{name}': σ}} with σ above 0")
    if transition not in TRANSITIONS:
        raise ModelError(
            f"unknown transition '{transition}'", element="transition", cure=f"use {', '.join(TRANSITIONS)}"
        )
    if filter not in FILTERS:
        raise ModelError(f"unknown filter '{filter}'", element="filter", cure=f"use {', '.join(FILTERS)}")
    if not 0.0 < dt < np.inf:
        raise ModelError(f"a filter with steps of {dt} s", element="dt", cure="give a positive number")
    if not gate > 0.0:
        raise ModelError(f"a gate of {gate}", element="gate", cure="give a number above 0: 9 rejects beyond 3 σ")
    known = {name: float(noise[name]) for name in sensors}
    own = {name: (start or {}).get(name, 0.0) for name in forces or {}}
    doubt = model_doubt(s, model_error, forces, parameters, own)
    start = {name: sigma for name, sigma in start.items() if name not in own} if start else None
    if parameters:
        s = with_own_parameters(s)
    setup = FilterSetup(s, known, doubt, dt, method, start, gate)
    if filter == "unscented":
        return UnscentedFilter(setup)
    if filter == "ensemble":
        return EnsembleFilter(setup, members=members, seed=seed)
    return ErrorStateFilter(setup, transition=transition, backend=backend)


def with_own_parameters(s: System) -> System:
    """The same system with its own live parameters, which a filter may change."""
    own = system_of(s.definition, s.backend).starting(s.start)
    own.parameters.update(dict(s.parameters))
    return own
