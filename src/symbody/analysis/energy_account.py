"""Energy check of every run: E(t) − E(0) − ∫P dt is the energy that no part of the model accounts for.

E is the kinetic energy and the potential energy of gravity. P is the power of all laws, inputs, driven joints and
moving constraints. The exact motion has no unaccounted energy: it is an error of the steps, or a penalty that yields.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np

from symbody.errors import EnergyError, EnergyWarning, ModelError
from symbody.model.formula import evaluate
from symbody.model.model import Model
from symbody.results.run import Run, energy_exchange
from symbody.stepping.method import FixedStepMethod, Method
from symbody.stepping.work import Work, energy_at
from symbody.system.named_values import listed
from symbody.system.power import UNACCOUNTED
from symbody.system.system import Array, System

OnDrift = Literal["warn", "error", "ignore"]
TOLERANCE = 0.01  # of the largest exchange between kinetic and other energy
ENERGIES = ("energy.kinetic", "energy.potential")
FEWEST = 20  # records with fixed steps that are enough for the check
NEGLIGIBLE = 1e-12  # m²/s²: see `negligible_energy`


@dataclass(frozen=True)
class EnergyCheck:
    """What a run does when more than `tolerance` of the largest exchange of energy is not accounted for.

    Parameters
    ----------
    on_drift : str
        "warn" (default), "error" or "ignore", which switches the check off.
    tolerance : float
        Share of the largest exchange of energy. Default: 1 %.

    Examples
    --------
    >>> import symbody as sb
    >>> m = sb.machines.model("pendulum")
    >>> run = sb.simulate(m, 1.0, 1e-3, energy=sb.EnergyCheck("error", tolerance=1e-6))
    >>> len(run.t)
    1001
    """

    on_drift: OnDrift = "warn"
    tolerance: float = TOLERANCE

    def __post_init__(self) -> None:
        if self.on_drift not in get_args(OnDrift):
            cure = f"use one of {', '.join(get_args(OnDrift))}"
            raise ModelError(f"unknown value '{self.on_drift}'", element="energy", cure=cure)
        if not self.tolerance > 0.0:
            raise ModelError(f"{self.tolerance} is not positive", element="tolerance", cure="give a share such as 0.01")


def with_energies(outputs: Sequence[str] | str | None) -> list[str] | None:
    """Channels to record, with the energies that `energy.unaccounted` needs instead of itself."""
    wanted = listed(outputs)
    if wanted is None or UNACCOUNTED not in wanted:
        return wanted
    return [*(name for name in wanted if name != UNACCOUNTED), *ENERGIES]


class EnergyAccount:
    """Energy of a run: from its records if they contain it at enough steps, otherwise from states passed to `see`."""

    def __init__(self, s: System, check: EnergyCheck, at_steps: bool, as_column: bool = False):
        self._as_column = as_column  # whether the user asked for the channel
        self._on_drift, self._tolerance = check.on_drift, check.tolerance
        self._recorded = all(name in s.outputs for name in ENERGIES)
        self._at_steps, self._floor = at_steps, negligible_energy(s.model)
        self._seen: list[tuple[float, float, float]] = []

    @property
    def watches(self) -> bool:
        """Whether the run is checked."""
        return self._on_drift != "ignore"

    @property
    def looks(self) -> bool:
        """Whether it needs to see states because the records do not contain the energy at enough steps."""
        return self.watches and not (self._recorded and self._at_steps)

    def see(self, s: System, t: float, x: Array, u: Array, guess: Array) -> None:
        """Add the energy of a state."""
        self._seen.append((t, *energy_at(s, t, x, u, guess)))

    def close(self, run: Run, method: Method, work: Work | None, ended: bool = False) -> None:
        """Add `energy.unaccounted`, store the result in `run.meta["energy"]`, report it; if `ended`, only warn.

        ended: an error ended the run.
        """
        if not self.watches:
            return
        samples = self._samples(run)
        with np.errstate(all="ignore"):  # runs that diverge
            supplied, error = np.zeros((2, len(samples.t))) if work is None else work.at(samples.t)
            missing = samples.total - samples.total[:1] - supplied - samples.resets()
        run.meta["energy"] = found = self._found(samples, supplied, error, missing)
        if self._recorded and UNACCOUNTED not in run.names:
            between = np.interp(run.t, samples.t, missing) if len(missing) else np.zeros(len(run))
            run.add(UNACCOUNTED, between, column=self._as_column)
        if found["since"] is None or (ended and not np.isfinite(found["drift"])):
            return
        cure = _cure(run, method)
        problem = (
            f"{run.name}: energy is not accounted for: {found['unaccounted']:.3g} J, "
            f"{100 * found['drift']:.3g} % of the {found['exchange']:.3g} J exchanged "
            f"(more than {100 * self._tolerance:g} % after t = {found['since']:g} s); {cure}"
        )
        if self._on_drift == "error" and not ended:
            raise EnergyError(problem, drift=found["drift"], time=found["since"], state=run)
        warnings.warn(EnergyWarning(problem), stacklevel=4)

    def _found(self, at: EnergySamples, supplied: Array, error: Array, missing: Array) -> dict[str, Any]:
        """The largest unaccounted energy, the exchange, their ratio, the error of ∫P dt, the time past the limit."""
        exchange = self._floor
        with np.errstate(all="ignore"):
            if len(at.t):
                exchange = max(exchange, energy_exchange(at.kinetic, at.potential), float(np.ptp(supplied)))
            past = np.flatnonzero(~(np.abs(missing) - error <= self._tolerance * exchange))
        worst = float(np.abs(missing).max(initial=0.0))
        return {
            "unaccounted": worst, "exchange": exchange, "drift": worst / exchange,
            "quadrature": float(error.max(initial=0.0)), "since": float(at.t[past[0]]) if len(past) else None,
        }  # fmt: skip

    def _samples(self, run: Run) -> EnergySamples:
        if self.looks:
            return EnergySamples(*np.array(self._seen).reshape(-1, 3).T)
        return EnergySamples(run.t, run.kinetic, run.potential)


@dataclass(frozen=True)
class EnergySamples:
    """Kinetic and potential energy (J) at times of steps (s); a time stands twice where an event changed the state."""

    t: Array
    kinetic: Array
    potential: Array

    @property
    def total(self) -> Array:
        return np.asarray(self.kinetic + self.potential)

    def resets(self) -> Array:
        """The energy that events have added until each sample (J)."""
        at_reset = np.diff(self.t, prepend=-np.inf) == 0.0
        return np.cumsum(np.where(at_reset, np.diff(self.total, prepend=0.0), 0.0))


def negligible_energy(model: Model) -> float:
    """An energy (J) far below that of a motion anyone looks at: m (v² + g l) for 1 µm/s and 1 pm."""
    values = model.values
    mass = sum(float(evaluate(body.mass, values)) for body in model.bodies.values())
    gravity = np.linalg.norm([float(evaluate(g, values)) for g in model.gravity])
    return float(NEGLIGIBLE * mass * (1.0 + gravity))


def _cure(run: Run, method: Method) -> str:
    """How to reduce the drift."""
    if run.meta.get("closure") == "penalty":
        return "increase alpha, or close loops with closure='partitioning'"
    if not isinstance(method, FixedStepMethod):
        return "lower rtol and atol" + ("" if method.name == "dop853" else ", or use method='dop853'")
    others = " or ".join(f"method='{name}'" for name in ("dop853", "trapezoidal") if name != method.name)
    return f"use steps smaller than dt = {run.meta['dt']:g} s, or {others}"
