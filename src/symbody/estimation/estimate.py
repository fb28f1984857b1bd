"""A filter on a system, from what is told of sensors, model and start."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from symbody.errors import ModelError
from symbody.estimation.ensemble import EnsembleFilter
from symbody.estimation.error_state import ErrorStateFilter
from symbody.estimation.noise import model_doubt
from symbody.estimation.state_filter import StateFilter
from symbody.estimation.transition import TRANSITIONS
from symbody.estimation.unscented import UnscentedFilter
from symbody.nearest import nearest_or_first
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

    sensors: outputs that are measured; noise: their standard deviations. model_error: densities of velocities and
    states (unit/√s) and standard deviations of parameters, which are considered but not estimated; or one share of
    all of them (0.05). forces: inputs that nobody knows, with the densities with which they wander (unit/√s);
    parameters: those to be estimated, with their standard deviations at the start. start: standard deviations of
    states at the start. transition: errors grow as the model's own "step" has it, or "exact", by e^{A dt}. gate:
    measurements whose square by its expected size is larger are refused and counted. backend: "auto" or "python".
    filter: "error-state", "unscented", or "ensemble" of so many members, drawn with a seed.
    """
    for name in sensors:
        if name not in s.outputs:
            near = " or ".join(nearest_or_first(name, s.outputs))
            raise ModelError("no such sensor", element=name, cure=f"sensors are outputs: did you mean {near}?")
        if not (name in noise and np.isfinite(noise[name]) and noise[name] > 0.0):
            raise ModelError("its noise is not told", element=name, cure=f"give noise={{'{name}': σ}}, above 0")
    if transition not in TRANSITIONS:
        raise ModelError(f"no transition '{transition}'", element="transition", cure=f"use {', '.join(TRANSITIONS)}")
    if filter not in FILTERS:
        raise ModelError(f"no filter '{filter}'", element="filter", cure=f"use {', '.join(FILTERS)}")
    if not gate > 0.0:
        raise ModelError(f"a gate of {gate}", element="gate", cure="give one above 0: 9 refuses beyond 3 σ")
    known = {name: float(noise[name]) for name in sensors}
    doubt = model_doubt(s, model_error, forces, parameters)
    if parameters:
        s = with_own_parameters(s)
    told = (s, known, doubt, dt, method, start, gate)
    if filter == "unscented":
        return UnscentedFilter(*told)
    if filter == "ensemble":
        return EnsembleFilter(*told, members=members, seed=seed)
    return ErrorStateFilter(*told, transition=transition, backend=backend)


def with_own_parameters(s: System) -> System:
    """The same system with live parameters of its own, which a filter may move."""
    own = system_of(s.definition, s.backend).starting(s.start)
    own.parameters.update(dict(s.parameters))
    return own
