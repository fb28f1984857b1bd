"""Energy check of conservative runs: a warning or an error if the total energy drifts.

A system is conservative if it has no inputs, driven joints or states, and every law belongs to an element that reports
its stored energy and loses none. Its constraints must not depend on time, and must not prescribe velocities other than
zero. Any other system may exchange energy with its surroundings; `energy_balance` computes its balance.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np

from symbody.errors import EnergyError, EnergyWarning, ModelError
from symbody.model.components import Attached
from symbody.model.model import Model
from symbody.results.run import Run, energy_exchange
from symbody.stepping.method import FixedStepMethod, Method
from symbody.system.assembly import ASIDE, initial_state, velocity_constraints
from symbody.system.displacement import displaced
from symbody.system.programs import energy_program
from symbody.system.system import Array, System

OnDrift = Literal["warn", "error", "ignore"]
TOLERANCE = 0.01  # of the largest exchange between kinetic and other energy
LOSSES = ("dissipated", "supplied")  # signals of elements (W)


@dataclass(frozen=True)
class EnergyCheck:
    """What a run does when energy should be constant but drifts by more than `tolerance` of the largest exchange.

    on_drift: "warn", "error" or "ignore".
    """

    on_drift: OnDrift = "warn"
    tolerance: float = TOLERANCE

    def __post_init__(self) -> None:
        if self.on_drift not in get_args(OnDrift):
            cure = f"use one of {', '.join(get_args(OnDrift))}"
            raise ModelError(f"unknown value '{self.on_drift}'", element="energy", cure=cure)
        if not self.tolerance > 0.0:
            raise ModelError(f"{self.tolerance} is not positive", element="tolerance", cure="give a share such as 0.01")


def exchanger(s: System) -> str | None:
    """The name of a part that may add or remove energy; None if the system is conservative."""
    model = s.model
    driven = [joint.name for joint in model.joints() if joint.nature == "driven"]
    silent = [name for name in _acting(model) if f"{name}.stored" not in model.signals]
    for kind, names in (
        ("input", s.inputs),
        ("state", list(model.states)),
        ("driven joint", driven),
        ("law of joint", list(model.joint_laws)),
        ("law of", silent),
        ("law of", _moving(model)),
    ):
        if names:
            return f"the {kind} {names[0]}"
    return None


def _moving(model: Model) -> list[str]:
    """Velocity constraints that are violated at rest and therefore do work, such as a belt."""
    laws = [name for name, tie in model.nonholonomic_constraints.items() for _ in range(tie.count)]
    q = initial_state(model)[0]
    aside = displaced(model, q, ASIDE * np.cos(np.arange(model.nv)))
    drift = np.max([np.abs(velocity_constraints(model, at)[1]) for at in (q, aside)], axis=0) if laws else np.zeros(0)
    return [name for name, b in zip(laws, drift[len(drift) - len(laws) :], strict=True) if b > 0.0]


def _acting(model: Model) -> list[str]:
    """Names of the parts that act on bodies and joints with a law."""
    families: list[Mapping[str, Attached]] = [model.links, model.force_sites, model.interactions, model.couplings]
    return [name for family in families for name, member in family.items() if member.law is not None]


class EnergyAccount:
    """Energy of a run: from its records if they contain it, otherwise from states passed to `see` during the run."""

    def __init__(self, s: System, check: EnergyCheck, resets: bool):
        self._on_drift, self._tolerance = check.on_drift, check.tolerance
        self.because = "a reset at an event" if resets else exchanger(s)
        stored = [f"{name}.stored" for name in _acting(s.model)]
        self._channels = ["energy.kinetic", "energy.potential", *stored]
        self._recorded = all(name in s.outputs for name in self._channels)
        self._seen: list[tuple[float, float, float]] = []
        if not self._recorded and stored:
            self.because = self.because or f"{stored[0]}, which is not recorded"

    @property
    def looks(self) -> bool:
        """Whether it needs to see states because the records do not contain the energy."""
        return self.because is None and not self._recorded and self._on_drift != "ignore"

    def see(self, s: System, t: float, x: Array, u: Array, guess: Array) -> None:
        """Add the energy of a state."""
        function = s.function("energy", energy_program)
        own = function.signature.inputs["x"][0]  # in an enlarged system the state comes first
        kinetic, potential = function(np.array([t]), x[:own], u, guess)
        self._seen.append((t, float(kinetic), float(potential)))

    def close(self, run: Run, method: Method, ended: bool = False) -> None:
        """Store the result in `run.meta["energy"]` and report drift; after an error (`ended`) only warn."""
        run.meta["energy"] = found = self._found(run)
        if not found["conservative"] or found["drift"] <= self._tolerance or self._on_drift == "ignore":
            return
        cure = _cure(run, method)
        problem = (
            f"{run.name}: energy should be constant but changed by {found['change']:.3g} J, "
            f"{100 * found['drift']:.3g} % of the {found['exchange']:.3g} J exchanged "
            f"(more than {100 * self._tolerance:g} % after t = {found['since']:g} s); {cure}"
        )
        if self._on_drift == "error" and not ended:
            raise EnergyError(problem, drift=found["drift"], time=found["since"], state=run)
        warnings.warn(EnergyWarning(problem), stacklevel=4)

    def _found(self, run: Run) -> dict[str, Any]:
        because = self.because or self._loser(run)
        if because is not None:
            return {"conservative": False, "because": because}
        t, kinetic, held = self._energies(run)
        total = kinetic + held
        if len(t) < 2:
            return {"conservative": True, "change": 0.0, "exchange": 0.0, "drift": 0.0, "since": None}
        exchange, change = energy_exchange(kinetic, held), np.abs(total - total[0])
        past = np.flatnonzero(~(change <= self._tolerance * exchange))
        since = float(t[past[0]]) if len(past) else None
        worst = float(change.max())
        return {
            "conservative": True, "change": worst, "exchange": exchange, "drift": worst / exchange, "since": since
        }  # fmt: skip

    def _loser(self, run: Run) -> str | None:
        """A signal of an element that loses or supplies energy in this run; None if there is none."""
        names = [f"{name}.{kind}" for name in _acting(run.model) for kind in LOSSES]
        for name in names:
            if name in run.model.signals and not (name in run.names and not np.any(run[name])):
                return name
        return None

    def _energies(self, run: Run) -> tuple[Array, Array, Array]:
        """Times (s), kinetic energy and all other energy (J)."""
        if self._recorded:
            return run.t, run.kinetic, sum((run[name] for name in self._channels[2:]), run.potential)
        t, kinetic, held = np.array(self._seen).reshape(-1, 3).T
        return t, kinetic, held


def _cure(run: Run, method: Method) -> str:
    """How to reduce the drift."""
    if run.meta.get("closure") == "penalty":
        return "increase alpha, or close loops with closure='partitioning'"
    if not isinstance(method, FixedStepMethod):
        return "lower rtol and atol" + ("" if method.name == "dop853" else ", or use method='dop853'")
    others = " or ".join(f"'{name}'" for name in ("dop853", "trapezoidal") if name != method.name)
    return f"use steps smaller than dt = {run.meta['dt']:g} s, or method={others}"
