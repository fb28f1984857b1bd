"""Energy balance of a run: stored, dissipated and supplied energy of bodies and elements; the remainder is drift.

held(t) − held(0) + ∫ dissipated dt = ∫ supplied dt. Powers are integrated with the trapezoidal rule over the records.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from symbody.results.channels import matching
from symbody.results.run import Run

Array = np.ndarray
KINDS = ("stored", "dissipated", "supplied")  # energy signals of elements (J, W, W)


@dataclass(frozen=True)
class EnergyBalance:
    """Energies (J) relative to the start of a run, at its times t (s)."""

    t: Array
    held: Array  # kinetic + potential + stored
    lost: Array  # dissipated
    given: Array  # external work

    @property
    def error(self) -> Array:
        """held + lost − given (J); zero in an exact balance."""
        return np.asarray(self.held + self.lost - self.given)

    @property
    def drift(self) -> float:
        """The largest error (J)."""
        return float(np.abs(self.error).max(initial=0))

    @property
    def work(self) -> float:
        """The largest magnitude of the external work (J)."""
        return float(np.abs(self.given).max(initial=0))

    @property
    def drift_percent(self) -> float:
        """Drift in percent of the largest external work."""
        return 100.0 * self.drift / max(self.work, np.finfo(float).tiny)

    def __repr__(self) -> str:
        return f"<EnergyBalance over {len(self.t)} instants: drift {self.drift:.3g} J of {self.work:.3g} J of work>"


def energy_balance(
    run: Run, *, links: Sequence[str] = (), drives: Sequence[str] = (), elements: Sequence[str] = ()
) -> EnergyBalance:
    """Energy balance of a run: bodies, selected elements and the work of links and driven joints.

    Parameters
    ----------
    run : Run
        A run that records `energy.kinetic`, `energy.potential` and the signals of the selected parts.
    links : sequence of str
        Links whose forces count as external work (default: none).
    drives : sequence of str
        Driven joints whose efforts count as external work (default: none).
    elements : sequence of str
        Names or patterns such as "*" of elements whose signals NAME.stored, NAME.dissipated and NAME.supplied are
        added (default: none). Do not list the same part in `links` and `elements`.

    Returns
    -------
    EnergyBalance
        Energies (J) over the times of the run, each of shape (n,).

    Examples
    --------
    >>> import symbody as sb
    >>> m = sb.machines.model("pendulum")
    >>> run = sb.simulate(m, 1.0, 1e-3)
    >>> balance = sb.energy_balance(run)
    """
    names = [name for name in run.names if name.rpartition(".")[2] in KINDS]
    accounts = matching(names, [f"{element}.*" for element in elements]) if elements else []

    def total(kind: str) -> Array:
        return sum((run[name] for name in accounts if name.endswith(f".{kind}")), np.zeros(len(run)))

    held = run.kinetic + run.potential + total("stored")
    powers = [total("supplied"), *(link_power(run, name) for name in links)]
    powers += [run[f"{name}.effort"] * run[f"{name}.qd"] for name in drives]
    return EnergyBalance(
        run.t, held - held[:1], integral(run.t, total("dissipated")), integral(run.t, np.sum(powers, axis=0))
    )


def link_power(run: Run, name: str) -> Array:
    """Power −T dℓ/dt (W) of a link's tension on the bodies."""
    return np.asarray(-run[f"{name}.tension"] * run[f"{name}.rate"])


def integral(t: Array, power: Array) -> Array:
    """∫ P dt from the start (J)."""
    from scipy.integrate import cumulative_trapezoid

    return np.asarray(cumulative_trapezoid(power, t, initial=0))
